"""How do systems differ when all scores are taken together?

Treats the mean scores of a system as one point. Principal components show what metrics and human criteria have in
common. If systems fall into two groups, such as people and machines, a composite of all metrics (a regularised linear
discriminant) is fitted to separate them, and compared with each metric alone on held-out systems. Human-written
references that were scored like systems are included.

    metassay profile scores.csv --human relevance
    metassay profile scores.csv --group 'old=system-0*' --group 'new=*'
    metassay profile scores.csv --components 2 --figure profile.png
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.groups import assign_groups
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray
from metassay.stats.draws import SYSTEMS, multiplicities, page_size, stream
from metassay.stats.intervals import percentile
from metassay.stats.multivariate import (
    HeldOut,
    by_folds,
    discriminants,
    leave_one_out,
    principal_components,
    separation,
    standardize,
    stratified_folds,
)
from metassay.studies.selection import Selection, select_columns

MEASURES = ("accuracy", "balanced-accuracy", "auc")
COMPOSITE = "composite"
MOST_PAIRS = 10_000
"""With more pairs of systems, one of each group, than this, ten folds take the place of leaving one out."""
LEAST_MEMBERS = 3
"""Systems that a group needs: two must remain when one is held out, or its own mean is all that is known of it."""


@fields.row
class ProfileRow:
    """One number of the profile; ``kind`` and ``measure`` say which."""

    kind: str
    """``component``, ``loading`` (a metric on a component), ``system`` (a system on a component or on the composite),
    ``weight`` (of a metric in the composite), or ``separation`` (how well a metric, or the composite, separates
    groups)."""
    name: str
    """The component (``PC1``), metric, human criterion or system; ``composite`` for the composite itself."""
    component: int | None
    """The component's number, from 1; None where there is none."""
    measure: str
    """``explained`` (share of variance), ``correlation``, ``score``, ``composite``, ``weight``, ``accuracy``,
    ``balanced-accuracy`` or ``auc``."""
    value: float
    """The number."""
    low: float
    """Lower end of its interval, for separation; for weights, the lowest when any one system is held out; else NaN."""
    high: float
    """Upper end, likewise."""
    group: str | None
    """The system's group; for separation and weights, the group with the higher scores."""


class Profile(Result, study="profile"):
    """Principal components of systems, and the composite that best separates two groups of them."""

    table: Sequence[ProfileRow]
    """Components, loadings, systems, and if there are two groups, weights and separation."""
    groups: tuple[str, ...]
    """The two groups that the composite separates; empty if there are not two."""
    humans: tuple[str, ...]
    """Which of the columns are human criteria."""
    n_systems: int
    """Systems in the components."""
    confidence: float
    """The confidence of the intervals."""


@study
def profile(
    scores: Scores,
    *,
    metric: opt.Metric = None,
    human: opt.Human = None,
    group: opt.Groups = None,
    components: opt.Components = 3,
    folds: opt.Folds = None,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    references: opt.References = True,
) -> Profile:
    """Find principal components of system scores, and the composite that best separates two groups of systems.

    Notes
    -----
    Rankel, Conroy, Slud and O'Leary (2011), §5, propose to treat all scores as multivariate data. A system is the
    vector of its mean scores, each over the inputs that it has; columns are standardised over systems. Nothing is
    imputed: a column without a score for every system is excluded, and a note names it. The composite uses metrics
    only, not human criteria, which are shown beside it. It is Fisher's discriminant with Ledoit and Wolf's shrinkage,
    fitted without the systems on which it is evaluated; single metrics are evaluated in the same way. Accuracy uses the
    midpoint between the groups as cut-off; balanced accuracy is its mean over the two groups; the area under the curve
    (``auc``) is the share of pairs, one of each group and held out together, that are in the right order. Intervals
    resample the held-out systems within their groups, without refitting.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.profile(ma.example())
    >>> first = next(row for row in result.table if row.kind == "component")
    >>> first.name, first.measure, 0 < first.value <= 1
    ('PC1', 'explained', True)
    """
    columns = select_columns(scores, human, metric, references=references)
    points = _points(columns)
    groups = assign_groups(points.scores, group)
    pair, notes = _two_groups(groups, points.scores.systems, asked=group is not None)

    z = standardize(points.means)
    rows = _component_rows(points, z, groups, components)
    cross_validation = None
    if pair is not None:
        task = _Separation(points, z, groups, pair, folds, confidence, resamples, seed)
        rows += (found := task.rows())
        notes += task.notes(found)
        pair, cross_validation = task.pair, task.cross_validation
    n, m = points.scores.shape
    if pair is None:
        separated: dict[str, object] = {"ci": None, "k": None, "seed": None}
    else:
        separated = {"groups": [one_line(g, 40) for g in pair], "lda": "ledoit-wolf", "cv": cross_validation}
        separated["ci"] = f"boot-held-out,{confidence:g}"
    signature = Signature.open(pca="standardised", **separated, columns=len(points.names), systems=n, inputs=m)
    humans = tuple(name for name, kind in zip(points.names, points.kinds, strict=True) if kind == "human")
    every_note = tuple(columns.notes + points.notes + notes)
    return Profile(tuple(rows), signature, every_note, pair or (), humans, n, confidence)


@dataclass(frozen=True)
class _Points:
    """Systems as points: their mean scores, nothing missing."""

    scores: Scores
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    means: FloatArray
    """Systems × columns."""
    notes: list[Note]


def _points(columns: Selection) -> _Points:
    """Average over inputs, and leave out systems without any score, columns with gaps, and columns that do not vary."""
    known = ~np.isnan(columns.values)
    counts = known.sum(axis=2)
    totals = np.where(known, columns.values, 0.0).sum(axis=2)
    means = np.divide(totals, counts, out=np.full(counts.shape, np.nan), where=counts > 0).T
    notes = []
    present = ~np.isnan(means).all(axis=1)
    scores = columns.scores
    if not present.all():
        gone = [s for s, there in zip(scores.systems, present, strict=True) if not there]
        notes.append(Note.of("systems-without-any-score", systems=gone))
        scores = scores.select(systems=[s for s, there in zip(scores.systems, present, strict=True) if there])
        means = means[present]
    if len(means) < 3:
        raise DataError(f"components need at least 3 systems, got {len(means)}")
    gaps = np.isnan(means).sum(axis=0)
    spread = np.array([np.ptp(c) if not np.isnan(c).any() else np.nan for c in means.T])
    size = np.nanmax(np.abs(means), axis=0)
    kept = (gaps == 0) & (spread > 1e-12 * size)
    for reason, which in (("gaps", gaps > 0), ("constant", (gaps == 0) & ~kept)):
        without = [name for name, out in zip(columns.names, which, strict=True) if out]
        notes += Note.when(without, "columns-excluded", reason=reason, columns=without)
    if kept.sum() < 2:
        most = int(np.isnan(means).sum(axis=1).argmax())
        raise DataError(
            f"components need at least 2 columns with a score for every system, got {int(kept.sum())}; leave out "
            f"columns, or systems such as {one_line(scores.systems[most], 40)!r}"
        )
    halves = counts[kept].min(axis=1) < counts[kept].max(axis=1)
    notes += Note.when(halves.any(), "means-over-own-inputs")
    names = tuple(n for n, keep in zip(columns.names, kept, strict=True) if keep)
    kinds = tuple(k for k, keep in zip(columns.kinds, kept, strict=True) if keep)
    return _Points(scores, names, kinds, means[:, kept], notes)


def _two_groups(
    groups: dict[str, str], systems: Sequence[str], *, asked: bool
) -> tuple[tuple[str, str] | None, list[Note]]:
    """Return the two groups to separate, if there are two that are large enough, and notes."""
    names = list(dict.fromkeys(groups.values()))
    sizes = {name: sum(g == name for g in groups.values()) for name in names}
    if asked and len(names) != 2:
        raise UsageError(f"a composite separates 2 groups of systems, got {len(names)}: {listed(names) or 'none'}")
    small = [name for name in names if sizes[name] < LEAST_MEMBERS]
    if asked and small:
        raise DataError(
            f"each group needs at least {LEAST_MEMBERS} systems, {one_line(small[0], 40)!r} has {sizes[small[0]]}"
        )
    if len(names) != 2 or small:
        return None, [Note.of("no-composite", least=LEAST_MEMBERS, groups=sizes.items())]
    loose = [system for system in systems if system not in groups]
    return (names[0], names[1]), Note.when(loose, "systems-without-group", systems=loose)


def _component_rows(points: _Points, z: FloatArray, groups: dict[str, str], components: int) -> list[ProfileRow]:
    found = principal_components(z)
    shown = range(min(components, len(found.share)))
    rows = [
        ProfileRow("component", f"PC{c + 1}", c + 1, "explained", float(share), math.nan, math.nan, None)
        for c, share in enumerate(found.share)
    ]
    rows += [
        ProfileRow("loading", name, c + 1, "correlation", float(found.loadings[j, c]), math.nan, math.nan, None)
        for c in shown
        for j, name in enumerate(points.names)
    ]
    rows += [
        ProfileRow("system", name, c + 1, "score", float(found.scores[i, c]), math.nan, math.nan, groups.get(name))
        for c in shown
        for i, name in enumerate(points.scores.systems)
    ]
    return rows


class _Separation:
    """The composite of metrics that parts two groups, and how single columns fare beside it."""

    def __init__(
        self,
        points: _Points,
        z: FloatArray,
        groups: dict[str, str],
        pair: tuple[str, str],
        folds: int | None,
        confidence: float,
        resamples: int,
        seed: int,
    ) -> None:
        self.points = points
        self.confidence, self.resamples, self.seed = confidence, resamples, seed
        self.members = np.array([s in groups for s in points.scores.systems])
        self.systems = [s for s in points.scores.systems if s in groups]
        self.groups = groups
        self.all = z
        self.z = z[self.members]
        metrics = [j for j, kind in enumerate(points.kinds) if kind == "metric"]
        self.metrics = metrics if metrics else list(range(len(points.names)))
        self.pair, self.first = self._oriented(pair)
        smaller = int(min(self.first.sum(), (~self.first).sum()))
        if folds is not None and folds > smaller:
            raise UsageError(f"folds must be at most {smaller}, the size of the smaller group, got {folds}")
        self.too_many = folds is None and int(self.first.sum() * (~self.first).sum()) > MOST_PAIRS
        self.folds = min(10, smaller) if self.too_many else folds
        self.cross_validation = "leave-one-out" if self.folds is None else f"{self.folds}-folds"

    def _oriented(self, pair: tuple[str, str]) -> tuple[tuple[str, str], BoolArray]:
        """Put the group first that stands higher on the average of the metrics, so that high composites are good."""
        first = np.array([self.groups[s] == pair[0] for s in self.systems])
        values = self.z[:, self.metrics]
        if values[first].mean() >= values[~first].mean():
            return pair, first
        return (pair[1], pair[0]), ~first

    def rows(self) -> list[ProfileRow]:
        """Return weights, composite scores of the systems, and separation, the composite first."""
        values = self.z[:, self.metrics]
        everything = np.ones((1, len(values)), dtype=bool)
        without_one = ~np.eye(len(values), dtype=bool)
        weights = _scaled(discriminants(values, self.first, everything).weights)[0]
        spread = _scaled(discriminants(values, self.first, without_one).weights)
        rows = [
            ProfileRow(
                "weight",
                self.points.names[j],
                None,
                "weight",
                float(weights[at]),
                float(spread[:, at].min()),
                float(spread[:, at].max()),
                self.pair[0],
            )
            for at, j in enumerate(self.metrics)
        ]
        composite = self.all[:, self.metrics] @ weights
        rows += [
            ProfileRow("system", name, None, COMPOSITE, float(v), math.nan, math.nan, self.groups.get(name))
            for name, v in zip(self.points.scores.systems, composite, strict=True)
        ]
        names = [COMPOSITE, *self.points.names]
        columns = [self.metrics, *([j] for j in range(len(self.points.names)))]
        held_out = [self._held_out(self.z[:, chosen]) for chosen in columns]
        higher = [self.pair[0], *(self._higher(j) for j in range(len(self.points.names)))]
        for name, found, drawn, who in zip(names, held_out, self._resampled(held_out), higher, strict=True):
            ones = np.ones((int(self.first.sum()), 1)), np.ones((int((~self.first).sum()), 1))
            estimates = separation(found, self.first, *ones)[:, 0]
            for measure, estimate, sample in zip(MEASURES, estimates, drawn, strict=True):
                low, high = percentile(sample, self.confidence)
                rows.append(ProfileRow("separation", name, None, measure, float(estimate), low, high, who))
        return rows

    def _held_out(self, values: FloatArray) -> HeldOut:
        if self.folds is None:
            return leave_one_out(values, self.first)
        return by_folds(values, self.first, stratified_folds(self.first, self.folds, self.seed))

    def _higher(self, column: int) -> str:
        gap = self.z[self.first, column].mean() - self.z[~self.first, column].mean()
        return self.pair[0] if gap >= 0 else self.pair[1]

    def _resampled(self, held_out: list[HeldOut]) -> list[FloatArray]:
        """Return for each candidate the three measures in the resamples, (3, resamples); all share the draws."""
        ours, theirs = int(self.first.sum()), int((~self.first).sum())
        size = page_size(ours + theirs)

        def work(page: int) -> list[FloatArray]:
            random = stream(self.seed, SYSTEMS, page)
            drawn = multiplicities(random, ours, size), multiplicities(random, theirs, size)
            return [separation(found, self.first, *drawn) for found in held_out]

        done = engine.run(work, -(-self.resamples // size), what="resampling")
        return [np.concatenate(parts, axis=1)[:, : self.resamples] for parts in zip(*done, strict=True)]

    def notes(self, rows: Sequence[ProfileRow]) -> list[Note]:
        """Note how systems were held out, and what the numbers do not say."""
        sizes = int(self.first.sum()), int((~self.first).sum())
        groups = zip(self.pair, sizes, strict=True)
        notes = [Note.of("composite", columns=len(self.metrics), groups=groups, folds=self.folds)]
        notes += Note.when(self.too_many, "folds-for-speed", pairs=MOST_PAIRS)
        if any(row.kind == "separation" and row.low == 1 for row in rows):
            # the largest share of misplaced systems under which none of so many would be seen
            unseen = 1 - (1 - self.confidence) ** (1 / min(sizes))
            notes.append(Note.of("no-error-seen", n=min(sizes), rate=unseen, confidence=self.confidence))
        return notes + Note.when(len(self.metrics) > 1, "weights-not-importance")


def _scaled(weights: FloatArray) -> FloatArray:
    """Scale weights so that their sizes sum to one."""
    total = np.abs(weights).sum(axis=1, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1.0))
