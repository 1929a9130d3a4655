"""What a file that is no known format comes nearest to, and what it lacks."""

from __future__ import annotations

from itertools import islice
from typing import Any

from metassay.core.reading import Reading, is_table
from metassay.errors import listed, one_line
from metassay.readers.nested import by_keys, whole_systems
from metassay.readers.source import Source

_TITLES = 6
"""So many lines may stand above the names of columns before these are looked for no more."""
_FIELDS = {
    "SacreROUGE's": ("instance_id", "summarizer_id", "metrics"),
    "SummEval's": ("id", "model_id", "expert_annotations"),
    "UniEval's or G-Eval's": ("doc_id", "system_id", "source", "system_output", "scores"),
    "lm-evaluation-harness's": ("doc_id", "doc", "target", "resps", "filter", "metrics"),
    "HELM's per_instance_stats": ("instance_id", "train_trial_index", "stats"),
    "an Inspect log": ("eval", "samples", "plan", "results"),
    "JUDGE-BENCH's": ("dataset", "annotations", "instances"),
    "FRANK's": ("hash", "model_name"),
    "MTEB's SummEval": ("id", "machine_summaries", "relevance"),
    "PandaLM's": ("idx", "response1", "response2", "annotator1"),
    "a table of votes": ("model_a", "model_b", "winner"),
    "LLMBar's": ("input", "output_1", "output_2", "label"),
}


def near_miss(source: Source) -> str | None:
    """Return which format the fields of a JSON file are nearest to and what is missing; None if nothing is near."""
    first: Any = source.first_record
    if first is None:
        document = source.document
        first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return None
    if by_keys(first) or whole_systems(first):
        outer, inner = (one_line(next(iter(one)), 30) for one in (first, next(iter(first.values()))))
        told = "holds objects by key, and nothing in it says what the keys name; "
        if not by_keys(first):
            return f"{told}say --system-column key if those such as {outer!r} are systems, or --input-column key"
        return (
            f"{told}say --system-column key --input-column key2 if those such as {outer!r} are systems and those in "
            f"them, such as {inner!r}, inputs, or as it is otherwise; the keys of a third level are key3"
        )
    if "spec" in first and len(first) == 1:
        return (
            "looks like a log of OpenAI's evals, whose lines are events; keep those of verdicts, as with "
            f'grep \'"type": "match"\' {one_line(source.shown)} > matches.jsonl, and read these'
        )
    best, fields = max(_FIELDS.items(), key=lambda one: len(set(one[1]) & first.keys()) / len(one[1]))
    there = [field for field in fields if field in first]
    if len(there) < 2 or len(there) / len(fields) < 0.5:
        return None
    missing = [field for field in fields if field not in first]
    what = (
        f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        if missing
        else "its fields hold other things"
    )
    return (
        f"looks like {best} (it has {listed(there)}), but {what}; as a table it needs a column of inputs, which "
        "--input-column names, and one of systems, which --system-column names, or --no-systems"
    )


def header_elsewhere(source: Source, names: list[str], reading: Reading) -> str | None:
    """Return what to do about a table whose names stand below other lines, or above several columns each."""
    if not is_table(names, reading):
        above = len([name for name in names if name])
        for at, text in islice(source.filled_lines(), 1, _TITLES):
            for delimiter in (",", "\t", ";", "|"):
                below = [field.strip().strip('"') for field in text.split(delimiter)]
                if len(below) > max(2, above) and all(below) and is_table(below, reading):
                    return f"line {at} looks like the names of the columns; delete the lines above it"
    third = next((text for _, text in islice(source.filled_lines(), 2, 3)), "")
    if len(set(names)) < len(names) and third.strip(",") and not third.partition(",")[2].strip(","):
        return (
            "the first lines are headers one above the other, as pandas writes columns of several levels; write a row "
            "per output, as with df.stack(level=1).reset_index().to_csv(…)"
        )
    if len(names) > 2 and len([name for name in names[1:] if not name]) > 1:
        return (
            "the first line leaves columns without a name, as merged cells do; write one line of names, such as "
            "fluency_1, fluency_2, and join them with --people 'fluency_*'"
        )
    if "" in names[1:-1]:
        return f"column {names.index('', 1) + 1} has no name in the first line; write one, such as metric"
    return None
