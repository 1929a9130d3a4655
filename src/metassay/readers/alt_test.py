"""Labels as the alt-test keeps them: a JSON object of annotators, each an object of items."""

from __future__ import annotations

from typing import Any

from metassay.core.frames import graded, label
from metassay.core.ledger import Ledger, Place
from metassay.core.scores import NO_SYSTEM
from metassay.errors import one_line
from metassay.readers.nested import whole_systems
from metassay.readers.source import Source

FORMATS = ("alt-test", "alt-test-judges")

_CRITERION = "label"


def recognise(source: Source) -> str | None:
    """Return ``alt-test`` if the content is an object of objects of plain labels.

    Nothing in a file tells people from models, so it is taken for people's.
    """
    document = source.document
    if not isinstance(document, dict) or not document or whole_systems(document):
        return None
    plain = all(
        isinstance(items, dict) and items and all(isinstance(v, int | float | str | None) for v in items.values())
        for items in document.values()
    )
    return "alt-test" if plain else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every label into the ledger: people under ``label``, each judge as a metric of its own.

    The format knows items and no systems.
    """
    document: Any = source.whole_document()
    if not isinstance(document, dict) or not all(isinstance(items, dict) for items in document.values()):
        raise source.wrong("expected an object of objects, {annotator: {item: label}}")
    place = Place(source.shown)
    for who, items in document.items():
        for item, value in items.items():
            key = label(item, "item", place)
            score = graded(value, f"{one_line(who, 40)} {one_line(item, 40)}", place)
            if name == "alt-test-judges":
                ledger.record(NO_SYSTEM, key, who, score, place, kind="metric")
            else:
                ledger.record(NO_SYSTEM, key, _CRITERION, score, place, kind="human", annotator=who)
    return name
