"""Scores of the same systems and inputs in several languages, or several versions, put on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from metassay.core.ledger import Ledger, Place
from metassay.core.scores import EXTRA_AXES, Column, Scores
from metassay.errors import Contradiction, DataError, UsageError, one_line

ORIGINAL = "original"
"""What scores are called that carry no label where others do."""


def stacked(parts: Mapping[str, Scores], shared: Scores | None = None) -> Scores:
    """Put scores that differ in language, or in anything else, on the axis ``language``.

    Parameters
    ----------
    parts
        Scores by label, such as ``{"en": …, "es": …}``. Metrics get the label; a human criterion that says the same
        everywhere is shared by all.
    shared
        Scores that belong to all of them, such as judgments of people. Metrics among them that also occur in `parts`
        get the label ``original``.

    Examples
    --------
    >>> one = Scores.from_arrays({"rouge": [[0.1, 0.2]]}, {"relevance": [[1, 2]]})
    >>> two = Scores.from_arrays({"rouge": [[0.3, 0.1]]})
    >>> stacked({"en": one, "es": two})["rouge"].labels("language")
    ('en', 'es')
    """
    for label, scores in parts.items():
        if not label:
            raise UsageError("a label must not be empty")
        if not isinstance(scores, Scores):
            raise UsageError(f"expected Scores under {one_line(label)!r}, got {type(scores).__name__}")
    if not parts:
        raise DataError("there are no scores to put together")
    every = dict(parts)
    named = {name for scores in parts.values() for name in scores.metrics}
    if shared is not None and named & set(shared.metrics):
        if ORIGINAL in every:
            raise UsageError(f"{ORIGINAL!r} is the label of scores without one; choose another")
        every = {ORIGINAL: shared, **every}
    elif shared is not None:
        every = {"": shared, **every}
    ledger = Ledger()
    for label, scores in every.items():
        ledger.record_sorts(scores, Place(f"the scores {one_line(label)!r}"))
        for note in scores.notes:
            ledger.note(note)
    for name in dict.fromkeys(name for scores in every.values() for name in scores.columns):
        columns = {label: scores[name] for label, scores in every.items() if name in scores.columns}
        kinds = {column.kind for column in columns.values()}
        if len(kinds) > 1:
            raise DataError(f"{one_line(name)!r} is a metric in some of the scores and human in others")
        apart = name in named or not _agree(columns, every)
        for label, column in columns.items():
            _record(ledger, column, every[label], label, label if apart else "")
    return ledger.scores(sources=tuple(dict.fromkeys(s for scores in every.values() for s in scores.sources)))


def _agree(columns: Mapping[str, Column], every: Mapping[str, Scores]) -> bool:
    """Return whether a column never says two different things of one cell."""
    ledger = Ledger()
    for label, column in columns.items():
        _record(ledger, column, every[label], label, "")
    try:
        ledger.scores()
    except Contradiction:
        return False
    except DataError:  # nothing but missing scores
        return True
    return True


def _record(ledger: Ledger, column: Column, scores: Scores, place: str, language: str) -> None:
    if language and column.labels("language"):
        raise DataError(
            f"{one_line(column.name)!r} has languages of its own under {one_line(place)!r}; select one first"
        )
    cells = np.argwhere(~np.isnan(column.values))
    present = [axis for axis, _ in column.axes]
    labels: list[Iterable[str]] = []
    for at, names in enumerate([*(names for _, names in column.axes), scores.systems, scores.inputs]):
        labels.append([names[i] for i in cells[:, at].tolist()])
    *extra, systems, inputs = labels
    where = dict(zip(present, extra, strict=True))
    if language:
        where["language"] = language
    known, texts = tuple(cells.T), None
    values = column.values[known]
    if column.scale.labels:
        texts, values = column.decoded()[known].tolist(), np.full(len(cells), np.nan)
    if column.scale.kind != "interval":
        ledger.scales[column.name] = column.scale
    ledger.record_many(
        list(systems),
        list(inputs),
        column.name,
        values,
        f"the scores {place!r}",
        texts=texts,
        kinds=column.kind,
        **{f"{axis}s": where[axis] for axis in EXTRA_AXES if axis in where},  # type: ignore[arg-type]
    )
    if column.lower_is_better:
        ledger.lower_is_better(column.name)
