"""G-Eval and UniEval: a JSON array with one object per output."""

from __future__ import annotations

import math
import re
from pathlib import PurePath

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.core.note import Note
from metassay.core.scores import NO_SYSTEM, Kind
from metassay.readers.source import Record, Source

FORMATS = ("g-eval",)

_PREDICTED = "predict_scores"
_ANSWERS = "all_responses"
_OUTPUT = "system_output"
_TEXTS = ("source", "context", "reference", _OUTPUT)


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an array of outputs with scores by criterion."""
    first = source.first_object
    told = _OUTPUT in first or {"doc_id", "system_id"} <= first.keys()
    return "g-eval" if told and isinstance(first.get("scores"), dict) else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write human scores under their criterion, and what a model said beside them.

    Without ``doc_id`` the source and the context identify inputs; without ``system_id`` there are no systems.
    ``predict_scores`` become ``predicted_CRITERION``. The answers in ``all_responses`` do not say what they are about,
    so their mean stands under the file's name.
    """
    answers = PurePath(source.name.removesuffix(".gz")).stem
    keys: dict[str, str] = {}
    unparsed = total = 0
    for line, row in source.records():
        place = Place(source.shown, line)
        if not isinstance(row.get("scores"), dict):
            raise source.wrong("the field 'scores' is missing, or no object of numbers", line)
        system = label(row["system_id"], "system_id", place) if "system_id" in row else NO_SYSTEM
        key = _key(row, system, keys, line, place)
        groups: tuple[tuple[str, str, Kind], ...] = (("scores", "", "human"), (_PREDICTED, "predicted_", "metric"))
        for field, prefix, kind in groups:
            values = row.get(field) or {}
            if not isinstance(values, dict):
                raise source.wrong(f"the field {field!r} must be an object of numbers", line)
            for criterion, value in values.items():
                score = number(value, f"{field} {criterion}", place)
                ledger.record(system, key, prefix + criterion, score, place, kind=kind)
        if _ANSWERS in row:
            said = row[_ANSWERS] if isinstance(row[_ANSWERS], list) else []
            found = [value for value in map(answer, said) if value is not None]
            total, unparsed = total + len(said), unparsed + len(said) - len(found)
            mean = sum(found) / len(found) if found else math.nan
            ledger.record(system, key, answers, mean, place, kind="metric")
        for field in _TEXTS:
            ledger.tell(system, key, field, row.get(field), place)
    if unparsed:
        ledger.note(Note.of("answers-unparsed", file=source.name, n=unparsed, answers=total))
    return name


def _key(row: Record, system: str, keys: dict[str, str], line: int, place: Place) -> str:
    """Return the input: its document, or the number of its source and context."""
    if "doc_id" in row:
        return label(row["doc_id"], "doc_id", place)
    if system == NO_SYSTEM:
        return str(line)
    told = f"{row.get('source')}\n{row.get('context')}"
    return keys.setdefault(told, str(len(keys) + 1))


_NAMED = re.compile(r"^\W*(?:[A-Za-z][A-Za-z /()-]{0,40}\W*[:=]\W*)?([0-9]+(?:\.[0-9]+)?)")


def answer(text: object) -> float | None:
    """Return the number that a free answer gives first, after "Rating:", "Score:" or the criterion; None if none.

    Examples
    --------
    >>> answer("4"), answer("Rating: 2 out of 3"), answer("- Groundedness: 0"), answer("I cannot say")
    (4.0, 2.0, 0.0, None)
    """
    match = _NAMED.match(str(text).strip())
    return float(match[1]) if match else None
