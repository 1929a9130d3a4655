"""How columns of tables are understood: what people say of them, and which names are understood without."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from metassay.core import scales, vocabulary
from metassay.core.scales import Scale
from metassay.errors import FormatError, UnknownName, UsageError, listed, one_line

TableKind = Literal["tidy", "wide"]
TIDY = ("system", "input", "metric", "score")
Names = str | Iterable[str] | None

_OF_RUNS = r"(?!(.*_)?(user|session|run|experiment|project|batch|assignment|hit(_?type)?|job|parent|event|chat)_)"
_PERSON = "(annotator|rater|worker|reviewer|label+er|evaluator|assessor|coder|turker|participant|respondent|prolific)"
_KNOWN: dict[str, tuple[tuple[str, ...] | re.Pattern[str], ...]] = {
    "system": (
        ("system", "system_id", "system_name", "sys", "model", "model_id", "model_name", "summarizer_id", "mt_system",
         "model_type", "llm", "candidate_model", "generator", "bot", "assistant", "agent", "provider", "modell"),
        ("method", "variant", "approach", "strategy", "engine", "pipeline", "configuration", "team", "team_id",
         "submission", "peer", "peer_id", "participant_system", "policy"),
        re.compile(r"(response|summary|output|answer|candidate)_(model|system|policy)(_name|_id)?"),
    ),
    "input": (
        ("input", "input_id", "item", "item_id", "doc_id", "document_id", "question_id", "prompt_id", "segment",
         "segment_id", "seg_id", "example_id", "sample_id", "instance_id", "query_id", "conversation_id", "doc",
         "item_no", "task_id", "case_id", "test_id"),
        ("id", "idx", "uid", "uuid", "key"),
        ("case",),
        re.compile(_OF_RUNS + r".*_id|[a-z]id|(doc|item|row|question|prompt|sample|case|task|query|seg|segment)id"),
        ("question", "prompt", "query", "user_input", "instruction", "example"),
        ("source", "source_text", "source_sentence", "text", "date"),
        ("index", "row", "no", "nr", "slug", "filename", "file_name", "file", "image"),
        ("src", "context", "article", "article_text", "document", "dialogue", "sentence"),
        re.compile(r".*_id"),
    ),
    "annotator": (
        re.compile(rf"{_PERSON}(_?p?id)?|.*_{_PERSON}_?id"),
        re.compile(rf"{_PERSON}_(name|email|no)"),
    ),
}  # fmt: skip
"""Names that columns have elsewhere; a name of a later group is taken only if none of an earlier one is there."""
JUDGES = ("judge", "judge_model", "judge_name", "judge_id", "judge_llm", "grader", "grader_model", "evaluator_model")
"""Names of columns that say which judge a row is of, if they tell rows of one output apart."""
ROW = "row"
"""What stands for a column of inputs where every row is an input, and for one of annotators where rows of an output are
judgments of people who are not named."""
_ROW_NUMBERS = re.compile(r"(Unnamed: \d+|__index_level_\d+__|)")
_OPTIONAL = ("kind", "direction", "scale", "cluster", "family")
_LONG = (
    ("metric_name", "criterion", "rating_criterion", "dimension", "aspect"),
    ("score", "rating", "value", "metric_value"),
)
"""What columns of metrics and of their scores are called elsewhere in tables with one score per row."""
NO_NAME = "(no name)"
"""What the first column is called if it has no name and holds more than the numbers of the rows."""


def as_names(given: Names) -> tuple[str, ...]:
    """Return the names in comma lists."""
    if given is None:
        return ()
    texts = (given,) if isinstance(given, str) else tuple(given)
    return tuple(name for text in texts for name in vocabulary.names(text))


@dataclass(frozen=True, slots=True)
class Reading:
    """What people say of the columns of their files; what they do not say is understood from the names."""

    system: tuple[str, ...] = ()
    """Columns that together name the system."""
    input: tuple[str, ...] = ()
    """Columns that together name the input."""
    annotator: tuple[str, ...] = ()
    """Columns that together name the annotator."""
    no_systems: bool = False
    """Whether the data have no systems, whatever the columns are called."""
    ignore: tuple[str, ...] = ()
    """Names or globs of columns to leave out."""
    people: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Human criteria and the globs of the columns that are its annotators."""
    scale: dict[str, Scale] = field(default_factory=dict)
    """Scales by name or glob."""
    labels: tuple[str, ...] = ()
    """Names or globs of columns that are scores or labels, even if their texts could be an attribute."""
    texts: tuple[str, ...] = ()
    """Names of columns that are attributes, even if they are numbers."""
    by: str | None = None
    """A column that is kept on the axis ``language``."""

    @classmethod
    def of(
        cls,
        *,
        system_column: Names = None,
        input_column: Names = None,
        annotator_column: Names = None,
        no_systems: bool = False,
        ignore: Names = None,
        people: Names = None,
        scale: scales.Scales | None = None,
        cluster_by: str | None = None,
        family_of: Any = None,  # noqa: ANN401 - checked where systems are known
        human: Names = None,
        metric: Names = None,
        select: Names = None,
        by: str | None = None,
        texts: Names = None,
    ) -> Reading:
        """Check what is said, under the names that options have."""
        if no_systems and system_column:
            raise UsageError("system_column and no_systems exclude each other; give one of them")
        groups: dict[str, tuple[str, ...]] = {}
        for text in (people,) if isinstance(people, str) else tuple(people or ()):
            name, sign, patterns = text.partition("=")
            if not vocabulary.names(patterns if sign else text):
                raise UsageError(f"people must be names or globs of columns, got {one_line(text)!r}")
            if not sign:
                name, patterns = _criterion(vocabulary.names(text)), text
            groups[name.strip()] = (*groups.get(name.strip(), ()), *vocabulary.names(patterns))
        declared = scales.parse_all(scale)
        chosen = [text.partition("=")[0].strip() for text in ((select,) if isinstance(select, str) else select or ())]
        families = (family_of,) if isinstance(family_of, str) and "=" not in family_of else ()
        return cls(
            as_names(system_column),
            as_names(input_column),
            as_names(annotator_column),
            no_systems,
            as_names(ignore),
            tuple(groups.items()),
            declared,
            (*as_names(human), *as_names(metric), *declared),
            (
                *((cluster_by,) if cluster_by not in (None, vocabulary.NO_CLUSTERS) else ()),
                *families,
                *chosen,
                *as_names(texts),
            ),
            by,
        )

    def is_scaled(self, name: str) -> bool:
        """Say whether somebody declared the scale of the column."""
        return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in self.scale)

    def is_label(self, name: str) -> bool:
        """Say whether somebody called the column one of scores or labels."""
        return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in self.labels)


def _criterion(patterns: Sequence[str]) -> str:
    """Return what to call the judgments of people that stand in columns of their own."""
    stem = re.sub(r"[\W_]+$", "", re.split(r"[*?\[\d]", patterns[0])[0])
    return "human" if not stem or any(_fits(stem, group) for group in _KNOWN["annotator"]) else stem


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column of a table is what."""

    kind: TableKind
    """Tidy or wide."""
    roles: dict[str, tuple[str, ...]]
    """The columns that together name the system, the input, the annotator and so on."""
    people: dict[str, tuple[str, ...]]
    """Human criteria and the columns of their annotators."""
    values: tuple[str, ...]
    """Columns of a wide table with scores, labels or texts; in a tidy table those that may be attributes."""
    guesses: tuple[str, ...]
    """What was understood without having been said, in words."""
    shared: frozenset[str] = frozenset()
    """Columns of an output that none of its annotators gave, though every row is of one."""


def understand(names: Sequence[str], reading: Reading, file: str, kind: TableKind | None = None) -> Layout:
    """Say which column is what; what is missing, or fits twice, is an error that names the remedy."""
    left = [name for name in names if not _ROW_NUMBERS.fullmatch(name)]
    left = [name for name in left if not any(fnmatch.fnmatchcase(name, pattern) for pattern in reading.ignore)]
    guesses: list[str] = []
    roles: dict[str, tuple[str, ...]] = {}
    for role, said in (("system", reading.system), ("input", reading.input), ("annotator", reading.annotator)):
        if role == "system" and reading.no_systems:
            continue
        found = _said(role, said, names, file) if said else _guessed(role, left, reading, file, guesses)
        if found:
            roles[role] = found
    if "input" not in roles:
        if "system" not in roles or reading.input:
            raise _missing("input", names, file)
        guesses.append("no column of inputs, scores of whole systems")
    people = {
        name: tuple(one for one in left if any(fnmatch.fnmatchcase(one, pattern) for pattern in patterns))
        for name, patterns in reading.people
    }
    for name, columns in people.items():
        if not columns:
            raise UnknownName(f"columns of people for {name!r}:", ",".join(dict(reading.people)[name]), names)
    for name in ("group", "language", "reference"):
        if name in left:
            roles[name] = (name,)
    if "language" not in roles and {"lp", "src"} <= set(left):
        roles["language"] = ("lp",)  # pairs of languages in tables of translations share sources
    if reading.by is not None and reading.by in names:
        roles["language"] = (reading.by,)
    folded = {name.lower(): name for name in left}
    taken = {name for columns in (*roles.values(), *people.values()) for name in columns}
    folded |= _one_score_per_row([name for name in left if name not in taken], reading, guesses)
    seen: TableKind = "tidy" if {"metric", "score"} <= folded.keys() else "wide"
    if kind == "tidy" and seen == "wide":
        missing = next(name for name in TIDY[2:] if name not in folded)
        raise FormatError(f"column {missing!r} is missing; a tidy table has system, input, metric, score", file=file)
    if kind is None and seen == "wide" and "metric" in folded and "score" not in folded and not people:
        raise FormatError(f"column 'score' is missing beside 'metric' (found: {listed(names)})", file=file)
    kind = kind or seen
    if kind == "tidy":
        roles |= {name: (folded[name],) for name in ("metric", "score", *_OPTIONAL) if name in folded}
    taken = {name for columns in (*roles.values(), *people.values()) for name in columns}
    values = tuple(name for name in left if name not in taken)
    if kind == "wide" and not values and not people:
        raise FormatError(
            "columns with scores are missing; add metric, score or one numeric column per metric "
            f"(found: {listed(names)})",
            file=file,
        )
    if "system" not in roles and not reading.no_systems:
        guesses.append("no column of systems")
    return Layout(kind, roles, people, values, tuple(guesses))


def _one_score_per_row(names: Sequence[str], reading: Reading, guesses: list[str]) -> dict[str, str]:
    """Return columns that are called like metrics and their scores elsewhere, if no other looks like a judgment."""
    found = [[name for name in names if plain(name) in known] for known in _LONG]
    if [len(some) for some in found] != [1, 1]:
        return {}
    others = {name for name in names if scales.judging(name) or scales.proposed(name) or reading.is_label(name)}
    if others - {found[0][0], found[1][0]}:
        return {}
    guesses += [f"{what}: {one_line(some[0], 40)}" for what, some in zip(TIDY[2:], found, strict=True)]
    return {what: some[0] for what, some in zip(TIDY[2:], found, strict=True)}


def is_table(names: Sequence[str], reading: Reading) -> bool:
    """Say whether columns of these names could be a table of scores."""
    try:
        understand(names, reading, "")
    except (FormatError, UsageError):
        return False
    return True


def _said(role: str, said: tuple[str, ...], names: Sequence[str], file: str) -> tuple[str, ...]:
    for name in said:
        if name not in names and (role == "system" or said != (ROW,)):
            raise UnknownName(f"column of {role}s in {one_line(file)}:", name, names)
    return said


@lru_cache(maxsize=1 << 12)
def names_system(name: str, *, every: bool = False) -> bool:
    """Say whether a column is called like one of systems, or by `every` name that such columns have elsewhere."""
    return any(_fits(name, group) for group in _KNOWN["system"][: None if every else 1])


def names_input(name: str) -> bool:
    """Say whether a column is called like one of inputs."""
    return any(_fits(name, group) for group in _KNOWN["input"][:3])


def names_annotator(name: str) -> bool:
    """Say whether a column is called like one of people who judge."""
    return any(_fits(name, group) for group in _KNOWN["annotator"])


def plain(name: str) -> str:
    """Return the name of a column as snake case: ``Row ID`` and ``rowId`` are ``row_id``."""
    return re.sub(r"[\s\-.]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())).lower()


def _fits(name: str, group: tuple[str, ...] | re.Pattern[str]) -> bool:
    """Say whether a name is one of a group, whatever its case and what is before a point, as in ``Input.doc_id``."""
    if isinstance(group, re.Pattern):
        if group.fullmatch(plain(name)) is None:
            return "." in name and group not in _KNOWN["input"] and _fits(name.rpartition(".")[2], group)
        others = [other for role in ("system", "annotator") for other in _KNOWN[role] if group not in _KNOWN[role]]
        return not any(_fits(name, other) for other in others)
    return plain(name) in group or ("." in name and _fits(name.rpartition(".")[2], group))


def _guessed(role: str, names: list[str], reading: Reading, file: str, guesses: list[str]) -> tuple[str, ...]:
    """Return the column that is called like a role; two that fit equally well are an error."""
    if role in names:
        return (role,)
    taken = {*reading.system, *reading.input, *reading.annotator}
    for group in _KNOWN[role]:
        fits = [name for name in names if _fits(name, group) and name not in taken]
        if len(fits) > 1:
            raise FormatError(
                f"the columns {listed(fits)} could each name the {role}; choose one with --{role}-column "
                f"({role}_column=…), and leave the others out with --ignore if they are not scores",
                file=file,
            )
        if fits:
            guesses.append(f"{role}: {one_line(fits[0], 40)}")
            return (fits[0],)
    return ()


def _missing(role: str, names: Sequence[str], file: str) -> FormatError:
    return FormatError(
        f"column {role!r} is missing; a table of scores has an {role}, perhaps a system, and either metric, score or "
        f"one column per metric; name it with --{role}-column ({role}_column=…), or a column of whole systems with "
        f"--system-column, or make every row an input with --input-column {ROW} (found: {listed(names)})",
        file=file,
    )
