"""SacreROUGE metrics: JSON lines with nested scores per instance and summarizer."""

from __future__ import annotations

from collections.abc import Iterator

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Record, Source

FORMATS = ("sacrerouge",)

HUMAN = frozenset(
    {
        "linguistic_quality",
        "litepyramid_recall",
        "modified_pyramid_score",
        "modified_pyramid_score_jk",
        "overall_responsiveness",
        "pyramid_score",
        "pyramid_score_jk",
        "responsiveness",
    }
)
"""Judgments of people that come as a plain number, as means over annotators or as counts of content units."""


def recognise(source: Source) -> str | None:
    """Return the format's name if the first record has SacreROUGE's fields."""
    first = source.first_record
    ours = first is not None and "summarizer_id" in first and ("instance_id" in first or "metrics" in first)
    return "sacrerouge" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every score into the ledger; a list is annotators, and the type of a summarizer is its group."""
    for line, row in source.records():
        place = Place(source.shown, line)
        for field in ("instance_id", "summarizer_id", "metrics"):
            if field not in row:
                raise source.wrong(f"the field {field!r} is missing", line)
        if not isinstance(row["metrics"], dict):
            raise source.wrong("the field 'metrics' must be an object of numbers, lists and objects", line)
        system = label(row["summarizer_id"], "summarizer_id", place)
        key = label(row["instance_id"], "instance_id", place)
        if row.get("summarizer_type") is not None:
            ledger.group(system, label(row["summarizer_type"], "summarizer_type", place), place)
        for metric, value in _flat(row["metrics"], ""):
            _record_value(ledger, system, key, metric, value, place)
    return name


def _flat(nested: Record, prefix: str) -> Iterator[tuple[str, object]]:
    """Yield names and scores; names of nested objects are joined by ``_``."""
    for name, value in nested.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}_")
        else:
            yield prefix + name, value


def _record_value(ledger: Ledger, system: str, key: str, metric: str, value: object, place: Place) -> None:
    if isinstance(value, list):
        for at, single in enumerate(value, 1):
            score = number(single, f"metrics {metric}", place)
            ledger.record(system, key, metric, score, place, kind="human", annotator=str(at))
    else:
        score = value if type(value) is float else number(value, f"metrics {metric}", place)
        ledger.record(system, key, metric, score, place, kind="human" if metric in HUMAN else None)
