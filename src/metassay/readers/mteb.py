"""SummEval as MTEB keeps it: one row per document, systems by position."""

from __future__ import annotations

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Source

FORMATS = ("mteb-summeval",)

_CRITERIA = ("relevance", "coherence", "fluency", "consistency")


def recognise(source: Source) -> str | None:
    """Return the format's name if the first row has machine summaries and lists of judgments."""
    first = source.first_object
    ours = "machine_summaries" in first and not set(_CRITERIA).isdisjoint(first)
    return "mteb-summeval" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every judgment into the ledger; the systems are called ``system-1`` and so on."""
    for line, row in source.records():
        place = Place(source.shown, line)
        key = label(row.get("id"), "id", place)
        summaries = row.get("machine_summaries")
        if not isinstance(summaries, list):
            raise source.wrong("the field 'machine_summaries' must be a list", line)
        for at, text in enumerate(summaries, 1):
            ledger.tell(f"system-{at}", key, "text", row.get("text"), place)
            ledger.tell(f"system-{at}", key, "machine_summary", text, place)
            ledger.tell_reference(f"system-{at}", key, row.get("human_summaries"), place)
        for criterion in _CRITERIA:
            values = row.get(criterion, [])
            if not isinstance(values, list) or len(values) not in (0, len(summaries)):
                raise source.wrong(f"the field {criterion!r} must be a list of {len(summaries)} numbers", line)
            for at, value in enumerate(values, 1):
                score = number(value, criterion, place)
                ledger.record(f"system-{at}", key, criterion, score, place, kind="human")
    return name
