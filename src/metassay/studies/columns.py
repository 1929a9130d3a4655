"""What studies of single columns have in common: metrics and human criteria are alike, and neither must be there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.errors import DataError, UsageError, listed
from metassay.stats.arrays import FloatArray

NameOrNames = str | Iterable[str]


def without_references(scores: Scores) -> tuple[Scores, list[Note]]:
    """Leave out people's own texts that were scored like systems, and note how many there were."""
    kept = scores.without_references()
    n = len(scores.systems) - len(kept.systems)
    return kept, [Note.of("references-excluded", n=n)] if n else []


def cells_missing(names: Iterable[str], values: FloatArray) -> list[Note]:
    """Note for each column how many of its cells have no score, if any."""
    counts = [(name, int(np.isnan(matrix).sum())) for name, matrix in zip(names, values, strict=True)]
    return [Note.of("cells-missing", column=name, n=n, cells=values[0].size) for name, n in counts if n]


@dataclass(frozen=True)
class Columns:
    """Columns as bare arrays, human criteria first, with notes on what a reader must know."""

    scores: Scores
    """The scores that are studied."""
    names: tuple[str, ...]
    """Human criteria, then metrics."""
    kinds: tuple[str, ...]
    """``human`` or ``metric``, one per name."""
    values: FloatArray
    """Scores with high ones good, (columns, systems, inputs)."""
    notes: list[Note] = field(default_factory=list)
    """What was left out."""


def choose_columns(
    scores: Scores, human: NameOrNames | None, metric: NameOrNames | None, *, references: bool
) -> Columns:
    """Choose columns and strip labels.

    Parameters
    ----------
    scores
        The scores.
    human
        Names or globs of human criteria; by default all that are known if no metric is named, else none.
    metric
        Names or globs; by default every column that is not human.
    references
        Whether people's own texts that were scored like systems stay in.
    """
    if not isinstance(scores, Scores):
        raise UsageError(f"expected Scores, got {type(scores).__name__}; use metassay.read or Scores.from_arrays")
    if human is not None:
        humans = scores.find_humans(human)
    else:
        humans = scores.humans if metric is None else ()
    metrics = scores.find(metric, "metric") if metric is not None else scores.metrics
    people = {*humans, *scores.humans}
    names = tuple(dict.fromkeys((*humans, *metrics)))
    names = tuple(sorted(names, key=lambda name: name not in people))
    kept, notes = (scores, []) if references else without_references(scores)
    values = np.stack([kept.matrix(name) for name in names])
    empty = np.asarray(np.isnan(values).all(axis=(1, 2)))
    if empty.all():
        raise DataError(f"there are no scores for these systems in {listed(names)}")
    if empty.any():
        left_out = [name for name, gone in zip(names, empty.tolist(), strict=True) if gone]
        notes.append(Note.of("columns-without-scores", columns=left_out))
        names = tuple(name for name in names if name not in left_out)
        values = values[~empty]
    kinds = tuple("human" if name in people else "metric" for name in names)
    return Columns(kept, names, kinds, values, notes)
