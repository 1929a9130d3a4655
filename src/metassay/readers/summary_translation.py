"""The archive of Braun et al. (2022): JSON files with a vector of 1,700 scores per language pair, such as ``en^de``.

The layout is that which the authors' own code reads (``summary_translation/utils.py`` and the notebooks beside it in
github.com/PrimerAI/primer-research, where ``data.zip`` is). The archive itself was not at hand when this was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import PurePath
from typing import Any

from metassay.core.frames import number
from metassay.core.ledger import Ledger, Place
from metassay.core.note import Note
from metassay.errors import one_line
from metassay.readers.source import Source

FORMATS = ("summary-translation",)

SYSTEMS = 17
"""Summaries of one text stand next to each other; the i-th score belongs to text i // 17 and summary i % 17."""
_CRITERIA = ("coherence", "consistency", "fluency", "relevance")
"""What the four lists of human scores are about, in their order."""
_LOWER = ("jshannon", "estime")
"""Metrics of which the authors turn the sign."""
_TIMING = "t_sec"
_PAIR = re.compile(r"[a-z]{2,3}\^[a-z]{2,3}")


def recognise(source: Source) -> str | None:
    """Return the format's name for an object of language pairs, and for four lists of annotators' scores."""
    document: Any = source.document
    if isinstance(document, dict):
        ours = bool(document) and all(_PAIR.fullmatch(str(key)) for key in document)
    else:
        ours = isinstance(document, list) and len(document) == len(_CRITERIA) and all(map(_is_criterion, document))
    return "summary-translation" if ours else None


def _is_criterion(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, list) for one in value)


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every score into the ledger; systems and inputs are called by their position.

    ``en^de`` is the language ``de`` and ``de^en``, German put back into English, ``de-back``. A file of single vectors
    is a metric called like the file without ``scores_``; one of several metrics has their names in it.
    """
    document: Any = source.document if source.document is not None else source.whole_document()
    place = Place(source.shown)
    if isinstance(document, dict):
        own = PurePath(source.name.removesuffix(".gz")).stem.removeprefix("scores_")
        for metric, language, values in _of_metrics(document, own, source):
            scores = _scores(values, f"{metric} in {language}", source, place)
            systems, inputs = _labels(len(scores))
            ledger.record_many(systems, inputs, metric, scores, source.shown, kinds="metric", languages=language)
            if metric in _LOWER:
                ledger.lower_is_better(metric)
    elif isinstance(document, list) and len(document) == len(_CRITERIA) and all(map(_is_criterion, document)):
        for criterion, experts in zip(_CRITERIA, document, strict=True):
            for at, values in enumerate(experts, 1):
                scores = _scores(values, f"{criterion} of annotator {at}", source, place)
                systems, inputs = _labels(len(scores))
                ledger.record_many(systems, inputs, criterion, scores, source.shown, kinds="human", annotators=str(at))
    else:
        raise source.wrong('expected {"en^de": scores, …}, or four lists of annotators with a list of scores each')
    ledger.note(Note.of("labels-by-position", format=name))
    return name


def _of_metrics(document: dict[str, Any], own: str, source: Source) -> Iterator[tuple[str, str, Any]]:
    """Yield metric, language and scores."""
    for pair, found in document.items():
        if not _PAIR.fullmatch(pair):
            raise source.wrong(f"{one_line(pair, 40)!r} is no language pair such as en^de")
        first, _, second = pair.partition("^")
        language = second if first == "en" else f"{first}-back" if second == "en" else pair
        for metric, values in (found if isinstance(found, dict) else {own: found}).items():
            if metric != _TIMING:
                yield metric, language, values


def _scores(values: object, what: str, source: Source, place: Place) -> list[float]:
    if not isinstance(values, list) or not values or len(values) % SYSTEMS:
        got = f"{len(values)} of them" if isinstance(values, list) else type(values).__name__
        raise source.wrong(f"{one_line(what, 60)}: expected a list of scores, {SYSTEMS} for each text, got {got}")
    return [number(value, what, place) for value in values]


def _labels(n: int) -> tuple[list[str], list[str]]:
    """Return the labels of systems and of inputs of so many scores."""
    at = list(product(range(1, n // SYSTEMS + 1), range(1, SYSTEMS + 1)))
    return [f"system-{system}" for _, system in at], [str(text) for text, _ in at]
