"""SummEval annotations: JSON lines with judgments of experts and crowd workers."""

from __future__ import annotations

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Source

FORMATS = ("summeval",)

_ANNOTATIONS = {"expert_annotations": "expert", "turker_annotations": "turker"}


def recognise(source: Source) -> str | None:
    """Return the format's name if the first record has a model and annotations."""
    first = source.first_record
    return "summeval" if first is not None and "model_id" in first and _ANNOTATIONS.keys() & first.keys() else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every judgment into the ledger as ``expert_coherence`` and the like, with its annotator, and the texts."""
    for line, row in source.records():
        place = Place(source.shown, line)
        for field in ("id", "model_id"):
            if field not in row:
                raise source.wrong(f"the field {field!r} is missing", line)
        if not _ANNOTATIONS.keys() & row.keys():
            raise source.wrong("the fields 'expert_annotations' and 'turker_annotations' are missing", line)
        system, key = label(row["model_id"], "model_id", place), label(row["id"], "id", place)
        ledger.tell(system, key, "text", row.get("text"), place)
        ledger.tell(system, key, "decoded", row.get("decoded"), place)
        ledger.tell_reference(system, key, row.get("references"), place)
        for field, who in _ANNOTATIONS.items():
            annotations = row.get(field) or []
            if not isinstance(annotations, list) or not all(isinstance(one, dict) for one in annotations):
                raise source.wrong(f"the field {field!r} must be a list of objects", line)
            for at, one in enumerate(annotations, 1):
                for criterion, value in one.items():
                    score = number(value, f"{field} {criterion}", place)
                    ledger.record(system, key, f"{who}_{criterion}", score, place, kind="human", annotator=str(at))
    return name
