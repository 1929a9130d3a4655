"""What is compared with what: the levels of an axis, such as languages, and the baseline among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.options import Names
from metassay.core.scores import EXTRA_AXES, Column, Scores
from metassay.core.stacking import ORIGINAL
from metassay.errors import DataError, UnknownName, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.reference_draws import aggregated
from metassay.studies.selection import unit_labels

ENGLISH = ("en", "eng", "english")
"""Which language is the baseline if none is named."""


@dataclass(frozen=True)
class Case:
    """One comparison: a metric and a criterion, at the baseline and at one level."""

    metric: str
    """The metric."""
    human: str
    """The human criterion."""
    level: str
    """The level that is compared with the baseline."""
    x: int
    """The metric at this level, by its position among the vectors."""
    z: int
    """The criterion at this level, likewise."""
    x_baseline: int
    """The metric at the baseline, likewise."""
    z_baseline: int
    """The criterion at the baseline, likewise."""


@dataclass(frozen=True)
class Grouping:
    """Metrics and criteria as bare arrays, and which of them to compare."""

    by: str
    """What the levels are levels of."""
    baseline: str
    """The level that the others are compared with."""
    levels: tuple[str, ...]
    """The other levels."""
    x: FloatArray
    """Metrics at their levels, (P, systems, inputs), with high scores good."""
    x_names: list[tuple[str, str]]
    """For each of them the metric and the level; an empty level if it is the same everywhere."""
    z: FloatArray
    """Criteria at their levels, (Q, systems, inputs)."""
    z_names: list[tuple[str, str]]
    """For each of them the criterion and the level."""
    cases: list[Case]
    """Every comparison that the data allows."""
    annotators: dict[int, FloatArray]
    """For criteria, by position, the judgments of single annotators, (annotators, systems, inputs)."""
    references: dict[int, FloatArray]
    """For metrics, by position, the scores against single references, (references, systems, inputs)."""
    notes: list[Note] = field(default_factory=list)
    """What was left out."""
    families: IntArray | None = None
    """The family of each system, if systems have families."""
    clusters: IntArray | None = None
    """The cluster of each input, if inputs have clusters."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and of inputs."""
        return self.x.shape[1], self.x.shape[2]

    def at_baseline(self, case: Case) -> tuple[str, str]:
        """Return the metric and the criterion that a case is compared with."""
        return (
            self.baseline if self.by == "metric" else case.metric,
            self.baseline if self.by == "human" else case.human,
        )


def group_by(
    scores: Scores, by: str, baseline: str | None, human: Names | None, metric: Names | None, aggregate: str
) -> Grouping:
    """Lay out what is compared.

    Parameters
    ----------
    scores
        The scores; a column without the axis is the same at every level.
    by
        ``language``, ``annotator`` or ``reference`` for levels of that axis; ``metric`` or ``human`` if the columns
        themselves are the levels; anything else is a column of the file that was read as the axis ``language``.
    baseline
        The level to compare with; by default English, or the first.
    human, metric
        Names, globs or comma lists.
    aggregate
        How scores against several references become one: ``max`` or ``mean``.
    """
    humans = scores.find_humans(human)
    metrics = tuple(name for name in scores.find_metrics(metric, humans) if name not in humans)
    if not metrics:
        raise DataError(f"there is no metric beside the human criteria {listed(humans)}")
    if by in ("metric", "human"):
        return _between_columns(_Store(scores, None, aggregate), by, baseline, metrics, humans)
    axis = by if by in EXTRA_AXES else "language"
    return _between_levels(_Store(scores, axis, aggregate), by, axis, baseline, metrics, humans)


def _between_columns(
    store: _Store, by: str, baseline: str | None, metrics: tuple[str, ...], humans: tuple[str, ...]
) -> Grouping:
    """Compare each metric with one of them, or each criterion with one of them."""
    names = metrics if by == "metric" else humans
    if len(names) < 2:
        raise DataError(f"by {by} needs at least two {by} columns to compare, got {listed(names)}")
    chosen = _baseline(baseline, names, by)
    levels = tuple(name for name in names if name != chosen)
    cases = []
    if by == "metric":
        # The baseline is laid out first, and so told first.
        first = store.metric(chosen, "")
        for h, level in product(humans, levels):
            x, z = store.metric(level, ""), store.human(h, "")
            cases.append(Case(level, h, level, x, z, x_baseline=first, z_baseline=z))
    else:
        first = store.human(chosen, "")
        for m, level in product(metrics, levels):
            x, z = store.metric(m, ""), store.human(level, "")
            cases.append(Case(m, level, level, x, z, x_baseline=x, z_baseline=first))
    return store.finish(by, chosen, levels, cases, [])


def _between_levels(
    store: _Store, by: str, axis: str, baseline: str | None, metrics: tuple[str, ...], humans: tuple[str, ...]
) -> Grouping:
    """Compare metrics and criteria at each level of an axis with themselves at one of them."""
    known = [label for name in (*metrics, *humans) for label in store.labels(name)]
    several = [name for name in (*metrics, *humans) if len(store.labels(name)) > 1]
    if not several:
        raise DataError(_nothing_to_compare(by, axis, known))
    labels = tuple(dict.fromkeys(label for name in several for label in store.labels(name)))
    chosen = _baseline(baseline, labels, by)
    levels = tuple(label for label in labels if label != chosen)
    cases, lacking = [], []
    for m, h in product(metrics, humans):
        if len(store.labels(m)) < 2 and len(store.labels(h)) < 2:
            lacking.append(m)
            continue
        for level in levels:
            x_first, x_here, z_first, z_here = (store.at(name, place) for name in (m, h) for place in (chosen, level))
            if x_first is None or x_here is None:
                lacking.append(m)
            elif z_first is None or z_here is None:
                lacking.append(h)
            else:
                x, z = store.metric(m, x_here), store.human(h, z_here)
                cases.append(Case(m, h, level, x, z, store.metric(m, x_first), store.human(h, z_first)))
    notes = Note.when(lacking, "levels-missing", by=by, columns=dict.fromkeys(lacking))
    if ORIGINAL in levels:
        unnamed = [name for name in several if ORIGINAL in store.labels(name)]
        notes.append(Note.of("level-unlabelled", by=by, label=ORIGINAL, columns=unnamed))
    if not cases:
        raise DataError(f"no column has scores at {one_line(chosen)!r} and at another {one_line(by)}; see --baseline")
    return store.finish(by, chosen, levels, cases, notes)


def _nothing_to_compare(by: str, axis: str, known: list[str]) -> str:
    seen = f"only {listed(list(dict.fromkeys(known)), 6)}" if known else "none"
    remedy = {
        "language": "give files as LANG=FILE, add a language column, or name another column with --by",
        "annotator": "keep the judgments of single annotators, with a column annotator",
        "reference": "score each reference by itself, with a column reference",
    }[axis]
    if axis != by:
        remedy = f"read a file that has this column with by={one_line(by)!r}, or --by on the command line"
    return f"no column has several levels of {one_line(by)!r} ({seen}); {remedy}"


def _baseline(wanted: str | None, labels: tuple[str, ...], by: str) -> str:
    if wanted is not None:
        if wanted not in labels:
            raise UnknownName(f"baseline among the levels of {by}", wanted, labels)
        return wanted
    if by == "language":
        for label in (*ENGLISH, ORIGINAL):
            if label in labels:
                return label
    return labels[0]


class _Store:
    """Takes vectors out of the scores, each once."""

    def __init__(self, scores: Scores, axis: str | None, aggregate: str) -> None:
        self._scores, self._axis, self._aggregate = scores, axis, aggregate
        self._x: dict[tuple[str, str], FloatArray] = {}
        self._z: dict[tuple[str, str], FloatArray] = {}
        self._annotators: dict[int, FloatArray] = {}
        self._references: dict[int, FloatArray] = {}

    def labels(self, name: str) -> tuple[str, ...]:
        """Return the levels that a column has."""
        return () if self._axis is None else self._scores[name].labels(self._axis)

    def at(self, name: str, level: str) -> str | None:
        """Return under which level a column stands: its only one if it has no other, None if it lacks it."""
        labels = self.labels(name)
        if len(labels) < 2:
            return labels[0] if labels else ""
        return level if level in labels else None

    def metric(self, name: str, level: str) -> int:
        """Return the position of a metric at a level."""
        return self._place(self._x, name, level)

    def human(self, name: str, level: str) -> int:
        """Return the position of a criterion at a level."""
        return self._place(self._z, name, level)

    def _place(self, into: dict[tuple[str, str], FloatArray], name: str, level: str) -> int:
        if (name, level) not in into:
            at = len(into)
            column = self._scores[name]
            values, axes = _at_level(column, self._axis, level)
            values = -values if column.lower_is_better else values
            if "annotator" in axes:
                single = _without(values, axes, "annotator", self._aggregate)
                if into is self._z and len(single) > 1:
                    self._annotators[at] = single
            if "reference" in axes:
                single = _without(values, axes, "reference", self._aggregate)
                if into is self._x and len(single) > 1:
                    self._references[at] = single
            into[name, level] = _flat(values, axes, self._aggregate)
        return list(into).index((name, level))

    def finish(self, by: str, baseline: str, levels: tuple[str, ...], cases: list[Case], notes: list[Note]) -> Grouping:
        """Return everything, with cells that a metric lacks at any level taken out at all of its levels."""
        x, z = np.stack(list(self._x.values())), np.stack(list(self._z.values()))
        names_x, names_z = list(self._x), list(self._z)
        gone = 0
        for values, names in ((x, names_x), (z, names_z)):
            for name in dict.fromkeys(name for name, _ in names):
                at = [i for i, (other, _) in enumerate(names) if other == name]
                missing = np.isnan(values[at])
                gone += int(missing.any(axis=0).sum() * len(at) - missing.sum())
                values[at] = np.where(missing.any(axis=0), np.nan, values[at])
        if gone:
            notes = [*notes, Note.of("cells-not-at-every-level", n=gone, by=by)]
        for name in dict.fromkeys(name for name, _ in names_z):
            if all(np.isnan(z[i]).all() for i, (other, _) in enumerate(names_z) if other == name):
                raise DataError(f"the human criterion {one_line(name)!r} has no scores for these systems")
        people, texts = self._annotators, self._references
        units = (unit_labels(self._scores, axis) for axis in ("systems", "inputs"))
        whole = Grouping(by, baseline, levels, x, names_x, z, names_z, cases, people, texts, notes, *units)
        return _on_common_cells(whole) if by in ("metric", "human") else whole


def _on_common_cells(groups: Grouping) -> Grouping:
    """Compare two columns on the cells that both have; where they differ, copies without the others are added.

    Copies have no name, so that they are not shown as columns of their own.
    """
    which = "x" if groups.by == "metric" else "z"
    values, names = list(getattr(groups, which)), list(getattr(groups, f"{which}_names"))
    annotators = dict(groups.annotators)
    copies: dict[tuple[int, bytes], int] = {}
    cases = []

    def cut(at: int, gone: npt.NDArray[np.bool_]) -> int:
        if (np.isnan(values[at]) == gone).all():
            return at
        key = (at, gone.tobytes())
        if key not in copies:
            copies[key] = len(values)
            values.append(np.where(gone, np.nan, values[at]))
            names.append(("", ""))
            if which == "z" and at in annotators:
                annotators[copies[key]] = np.where(gone, np.nan, annotators[at])
        return copies[key]

    for case in groups.cases:
        both = {name: getattr(case, name) for name in (f"{which}_baseline", which)}
        gone = np.isnan(sum(values[at] for at in both.values()))
        moved: dict[str, Any] = {name: cut(at, gone) for name, at in both.items()}
        cases.append(replace(case, **moved))
    new: dict[str, Any] = {which: np.stack(values), f"{which}_names": names}
    return replace(groups, cases=cases, annotators=annotators, **new)


def _at_level(column: Column, axis: str | None, level: str) -> tuple[FloatArray, list[str]]:
    """Return the values of a column at one level, and the extra axes that are left."""
    axes = [name for name, _ in column.axes]
    values = column.values
    if axis is not None and level and axis in axes:
        at = axes.index(axis)
        values = np.moveaxis(values, at, 0)[column.labels(axis).index(level)]
        axes = axes[:at] + axes[at + 1 :]
    if "language" in axes:
        spoken = column.labels("language")
        if len(spoken) > 1:
            raise UsageError(
                f"{one_line(column.name)!r} has scores in {len(spoken)} languages ({listed(spoken, 6)}); "
                "choose one with --language or select(language=…)"
            )
        at = axes.index("language")
        values, axes = np.moveaxis(values, at, 0)[0], axes[:at] + axes[at + 1 :]
    return values, axes


def _without(values: FloatArray, axes: list[str], keep: str, aggregate: str) -> FloatArray:
    """Return the values with `keep` as the only extra axis, first."""
    at = axes.index(keep)
    moved = np.moveaxis(values, at, 0)
    others = axes[:at] + axes[at + 1 :]
    if others:
        moved = np.stack([_flat(one, others, aggregate) for one in moved])
    # A label that only other levels have stands for nobody here.
    return moved[~np.isnan(moved).all(axis=(1, 2))]


def _flat(values: FloatArray, axes: list[str], aggregate: str) -> FloatArray:
    """Return systems × inputs: the largest or mean score over references, the mean over annotators."""
    for axis in ("reference", "annotator"):
        if axis in axes:
            at = axes.index(axis)
            values = aggregated(np.moveaxis(values, at, 0), aggregate if axis == "reference" else "mean")
            axes = axes[:at] + axes[at + 1 :]
    return values
