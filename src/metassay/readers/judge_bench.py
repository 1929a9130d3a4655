"""JUDGE-BENCH: a JSON object with instances and what people said about them."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import Any

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.core.note import Note
from metassay.errors import FormatError, one_line
from metassay.readers.source import Source

FORMATS = ("judge-bench",)


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an object with annotated instances."""
    document = source.document
    ours = isinstance(document, dict) and isinstance(document.get("instances"), list) and "annotations" in document
    return "judge-bench" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every judgment into the ledger.

    Instances are the inputs, and the data set is the one system. Single judgments keep their annotators;
    where there are none, the mean or the majority stands. Criteria whose judgments are not numbers are left
    out, named and counted, and so are instances without any judgment.
    """
    document: Any = source.whole_document()
    instances = document.get("instances") if isinstance(document, dict) else None
    if not isinstance(instances, list):
        raise source.wrong("the field 'instances' must be a list")
    system = str(document.get("dataset") or PurePath(source.name.removesuffix(".gz")).stem)
    place = Place(source.shown)
    left_out: Counter[str] = Counter()
    dropped = 0
    for at, instance in enumerate(instances, 1):
        annotations = instance.get("annotations") if isinstance(instance, dict) else None
        if not isinstance(annotations, dict):
            raise source.wrong(f"instance {at}: the field 'annotations' must be an object")
        key = label(instance.get("id"), f"id of instance {at}", place)
        kept = False
        for criterion, said in annotations.items():
            if not isinstance(said, dict):
                raise source.wrong(f"instance {at}: {one_line(criterion, 40)!r} must be an object")
            try:
                found = _judgments(said, criterion, place)
            except FormatError:
                left_out[criterion] += 1
                continue
            kept = kept or any(score == score for _, score in found)  # NaN is unlike itself
            for annotator, score in found:
                ledger.record(system, key, criterion, score, place, kind="human", annotator=annotator)
        dropped += not kept
    for criterion, n in left_out.items():
        ledger.note(Note.of("fields-not-numeric", file=source.name, field=criterion, n=n, instances=len(instances)))
    if dropped:
        ledger.note(Note.of("instances-without-judgment", file=source.name, n=dropped, instances=len(instances)))
    return name


def _judgments(said: dict[str, Any], criterion: str, place: Place) -> list[tuple[str, float]]:
    single = said.get("individual_human_scores")
    if isinstance(single, list) and single:
        return [(str(at), number(value, criterion, place)) for at, value in enumerate(single, 1)]
    whole = said.get("mean_human", said.get("majority_human"))
    return [("", number(whole, criterion, place))]
