"""What studies of agreement have in common: choosing columns, stripping labels, saying what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from metassay import engine
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.methods.base import Method, Run
from metassay.stats.statistics.base import Statistic
from metassay.studies.columns import NameOrNames as NameOrNames
from metassay.studies.columns import cells_missing, without_references


@dataclass(frozen=True)
class Setting:
    """Metrics and human criteria as bare arrays, in a fixed order, with notes on what a reader must know."""

    scores: Scores
    """The scores that are studied."""
    humans: tuple[str, ...]
    """Human criteria."""
    metrics: tuple[str, ...]
    """Metrics."""
    x: FloatArray
    """Metric scores, (metrics, systems, inputs)."""
    z: FloatArray
    """Human scores, (criteria, systems, inputs)."""
    notes: list[Note] = field(default_factory=list)
    """What was left out."""
    whole: tuple[FloatArray, FloatArray] | None = None
    """Both with means that are the scores given for whole systems, if the data have such."""

    def at(self, level: str) -> tuple[FloatArray, FloatArray]:
        """Return metric and human scores as a level takes them."""
        return self.whole if level == "system" and self.whole is not None else (self.x, self.z)


def settle(
    scores: Scores,
    human: NameOrNames | None,
    metric: NameOrNames | None,
    *,
    references: bool,
    least_metrics: int = 1,
) -> Setting:
    """Choose columns and strip labels.

    Parameters
    ----------
    scores
        The scores.
    human, metric
        Names or globs; by default every human criterion, and every column that is not human.
    references
        Whether people's own texts that were scored like systems stay in.
    least_metrics
        How many metrics the study needs.
    """
    if not isinstance(scores, Scores):
        raise UsageError(f"expected Scores, got {type(scores).__name__}; use metassay.read or Scores.from_arrays")
    humans = scores.find_humans(human)
    metrics = tuple(m for m in scores.find_metrics(metric, humans) if m not in humans)
    if len(metrics) < least_metrics:
        raise DataError(
            f"this study needs at least {least_metrics} metric{'s' if least_metrics > 1 else ''} beside the "
            f"human criteria, got {len(metrics)}: {listed(metrics) or 'none'}"
        )
    kept, notes = (scores, []) if references else without_references(scores)
    x = np.array([kept.matrix(name) for name in metrics]).reshape(-1, *kept.shape)
    z = np.stack([kept.matrix(name) for name in humans])
    given = [name for name in (*humans, *metrics) if kept[name].system_scores is not None]
    whole = None
    if given:
        whole = (
            np.array([kept.system_matrix(name) for name in metrics]).reshape(-1, *kept.shape),
            np.stack([kept.system_matrix(name) for name in humans]),
        )
        notes.append(Note.of("system-scores-given", columns=given))
    for name, values in zip(humans, z if whole is None else whole[1], strict=True):
        if np.isnan(values).all():
            raise DataError(f"the human criterion {one_line(name)!r} has no scores for these systems")
    notes += _missing_notes(kept, metrics, x) + _missing_notes(kept, humans, z)
    return Setting(kept, humans, metrics, x, z, notes, whole)


def check_size(setting: Setting, levels: Iterable[str]) -> None:
    """Refuse data on which a level is undefined whatever the scores are."""
    n, m = setting.scores.shape
    for level in levels:
        if level in ("system", "input") and not setting.scores.has_systems:
            raise DataError(
                f"{level} level compares systems, and the data have none; use --level global, or name the column of "
                "systems with --system-column"
            )
        if level in ("system", "input") and n < 2:
            raise DataError(f"{level} level needs at least 2 systems, got {n}; with one system use level within-system")
        if level == "within-system" and m < 2:
            raise DataError(f"within-system level needs at least 2 inputs, got {m}")
        if level == "global" and n * m < 2:
            raise DataError("global level needs at least 2 cells, got 1")


def signature_names(statistics: Iterable[Statistic]) -> list[str]:
    """Return statistics as signatures write them: ``kendall`` is tau-b and says so."""
    return [statistic.in_signatures for statistic in statistics]


def pages_on(threads: int | None, part: tuple[int, int] = (0, 1)) -> Run:
    """Return what does pages of work for a method: the engine, on so many threads."""
    return lambda work, pages, what: engine.run(work, pages, threads=threads, what=what, part=part)


def left_out(lacking: Sequence[tuple[Method, Statistic, str]]) -> list[Note]:
    """Note which methods do not apply to which statistics."""
    return [
        Note.of("method-inapplicable", method=method.name, statistic=statistic.name, reason=reason)
        for method, statistic, reason in lacking
    ]


def _missing_notes(scores: Scores, names: tuple[str, ...], values: FloatArray) -> list[Note]:
    notes = []
    for name, matrix in zip(names, values, strict=True):
        empty = [s for s, row in zip(scores.systems, np.isnan(matrix), strict=True) if row.all()]
        if empty and len(empty) < len(scores.systems):
            notes.append(Note.of("systems-without-scores", column=name, systems=empty))
    return notes + cells_missing(names, values)
