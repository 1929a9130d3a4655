"""JUDGE-BENCH: a JSON object with instances and what people said about them."""

from __future__ import annotations

from typing import Any

from metassay.core.frames import graded, label
from metassay.core.ledger import Ledger, Place
from metassay.core.note import Note
from metassay.core.scales import Scale
from metassay.core.scores import NO_SYSTEM
from metassay.errors import one_line
from metassay.readers.source import Source

FORMATS = ("judge-bench",)


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an object with annotated instances."""
    document = source.document
    ours = isinstance(document, dict) and isinstance(document.get("instances"), list) and "annotations" in document
    return "judge-bench" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every judgment into the ledger.

    Instances are the inputs, and there are no systems. Single judgments keep their annotators; where there are none,
    the mean or the majority stands. Instances without any judgment are counted. Texts of instances are attributes.
    """
    document: Any = source.whole_document()
    instances = document.get("instances") if isinstance(document, dict) else None
    if not isinstance(instances, list):
        raise source.wrong("the field 'instances' must be a list")
    place = Place(source.shown)
    _record_scales(document.get("annotations"), ledger)
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
            found = _judgments(said, criterion, place)
            kept = kept or any(score == score for _, score in found)  # NaN is unlike itself
            for annotator, score in found:
                ledger.record(NO_SYSTEM, key, criterion, score, place, kind="human", annotator=annotator)
        dropped += not kept
        _record_texts(instance.get("instance"), key, ledger, place)
    if dropped:
        ledger.note(Note.of("instances-without-judgment", file=source.name, n=dropped, instances=len(instances)))
    return name


def _record_scales(annotations: object, ledger: Ledger) -> None:
    """Take ordered labels for ordered, where the file says so."""
    for one in annotations if isinstance(annotations, list) else ():
        labels = one.get("labels_list") if isinstance(one, dict) else None
        if isinstance(labels, list) and one.get("category") == "graded" and all(isinstance(x, str) for x in labels):
            ledger.scales[str(one.get("metric"))] = Scale("ordinal", tuple(labels))


def _record_texts(instance: object, key: str, ledger: Ledger, place: Place) -> None:
    """Write down the text that was judged, or several of them by name."""
    texts = instance if isinstance(instance, dict) else {"instance": instance}
    for name, text in texts.items():
        ledger.tell(NO_SYSTEM, key, name, text, place)


def _judgments(said: dict[str, Any], criterion: str, place: Place) -> list[tuple[str, float | str]]:
    single = said.get("individual_human_scores")
    if isinstance(single, list) and single:
        return [(str(at), graded(value, criterion, place)) for at, value in enumerate(single, 1)]
    whole = said.get("mean_human", said.get("majority_human"))
    return [("", graded(whole, criterion, place))]
