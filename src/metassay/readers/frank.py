"""FRANK: JSON arrays of outputs, by ``hash`` and ``model_name``, with people's or metrics' scores beside them."""

from __future__ import annotations

from metassay.core.frames import graded, label
from metassay.core.ledger import Ledger, Place
from metassay.core.scores import Kind
from metassay.readers.source import Source

FORMATS = ("frank",)

_HUMAN = "Factuality"
_TEXTS = ("dataset", "split", "summary", "article", "reference", "article_sentences", "summary_sentences")
_LABELS = ("hash", "model_name")


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an array of outputs with a hash and a model."""
    first = source.first_object
    return "frank" if {"hash", "model_name"} <= first.keys() else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every number into the ledger; a file with the column ``Factuality`` holds judgments of people.

    The corpus and the split are attributes: systems of one corpus share no input with those of the other.
    """
    ledger.apart = True
    kind: Kind = "metric"
    for line, row in source.records():
        place = Place(source.shown, line)
        system, key = (label(row.get(field), field, place) for field in reversed(_LABELS))
        if line == 1:
            kind = "human" if _HUMAN in row else "metric"
        for column, value in row.items():
            if column in _TEXTS:
                ledger.tell(system, key, column, value, place)
            elif column not in _LABELS and not isinstance(value, list | dict):
                ledger.record(system, key, column, graded(value, column, place), place, kind=kind)
    return name
