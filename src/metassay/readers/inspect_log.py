"""Inspect logs in JSON: samples, each with the values that scorers gave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Source

FORMATS = ("inspect",)

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer."""


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an object with samples that have scores."""
    document = source.document
    samples = document.get("samples") if isinstance(document, dict) else None
    ours = isinstance(samples, list) and samples and isinstance(samples[0], dict) and "scores" in samples[0]
    return "inspect" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every value into the ledger; the system is the model of the log.

    A sample that ran in several epochs is several inputs, ``ID (epoch N)``.
    """
    document: Any = source.whole_document()
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(samples, list):
        raise source.wrong("the field 'samples' must be a list")
    about = document.get("eval")
    model = about.get("model") if isinstance(about, dict) else None
    system = str(model or PurePath(source.name.removesuffix(".gz")).stem)
    place = Place(source.shown)
    epochs = [_epoch(sample, at, place) for at, sample in enumerate(samples, 1)]
    several = len(set(epochs)) > 1
    for at, sample in enumerate(samples, 1):
        scores = sample.get("scores") if isinstance(sample, dict) else None
        if not isinstance(scores, dict):
            if scores is None and isinstance(sample, dict):
                continue  # a sample that failed was not scored
            raise source.wrong(f"sample {at}: the field 'scores' must be an object")
        key = label(sample.get("id"), f"id of sample {at}", place)
        if several:
            key += f" (epoch {epochs[at - 1]})"
        for scorer, said in scores.items():
            value = said.get("value") if isinstance(said, dict) else said
            for metric, single in _single_values(scorer, value):
                ledger.record(system, key, metric, _score(single, metric, place), place)
    return name


def _epoch(sample: object, at: int, place: Place) -> str:
    epoch = sample.get("epoch") if isinstance(sample, dict) else None
    return "None" if epoch is None else label(epoch, f"epoch of sample {at}", place)


def _single_values(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for part, single in value.items():
            yield f"{name}_{part}", single
    elif isinstance(value, list):
        for at, single in enumerate(value, 1):
            yield f"{name}_{at}", single
    else:
        yield name, value


def _score(value: object, field: str, place: Place) -> float:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    return number(value, field, place)
