"""Combinations of metrics for a human criterion, scored where they were not made: on other systems and other inputs.

Systems and inputs are dealt to folds. The cells of one fold of systems and one of inputs are scored by what was made of
the cells that share neither, so nothing of a scored system or input was seen. How strongly ridge regression shrinks,
and which kind of combination is best, is chosen by the same scheme within the cells that may be seen (nested
cross-validation). So is the single metric that a combination has to beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from metassay.stats import two_way
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.draws import FOLDS, stream
from metassay.stats.levels import OF_BOTH, OF_INPUTS, OF_SYSTEMS, means_of_known
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.case import count_units

PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0)
"""Penalties of ridge regression, where metrics have variance 1."""
KINDS = ("ridge", "ranks", "single", "chosen")
"""Ridge regression, the mean of ranks, the best single metric, and whichever of these was best in what may be seen."""


@dataclass(frozen=True, eq=False)
class Composites:
    """Combinations of metrics, scored out of their folds."""

    columns: FloatArray
    """One column per kind of :data:`KINDS`, (4, systems, inputs); NaN where a metric is missing."""
    estimates: FloatArray
    """The statistic of each of them, (4,)."""
    weights: FloatArray
    """Weights of ridge regression on metrics of variance 1, a mean over folds, (P,)."""
    penalties: FloatArray
    """The penalty chosen in each fold."""
    singles: IntArray
    """The single metric chosen in each fold."""
    chosen: tuple[str, ...]
    """The kind chosen in each fold."""


@dataclass(frozen=True, eq=False)
class Gain:
    """By how much one column agrees better with people than another."""

    difference: float
    """Difference of statistics; more is better agreement."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end."""


@dataclass(frozen=True)
class _Seen:
    """What was made of the cells that may be seen."""

    spread: FloatArray
    """Standard deviation of each metric where the level compares scores, (P,)."""
    ridge: FloatArray
    """Coefficients on metrics of variance 1, (penalties, P)."""
    ranked: tuple[FloatArray, ...]
    """Scores of each metric, sorted."""

    def linear(self, x: FloatArray) -> FloatArray:
        """Return combinations of metrics (P, …) for each penalty."""
        return np.tensordot(self.ridge / self.spread, x, axes=(-1, 0))

    def ranks(self, x: FloatArray) -> FloatArray:
        """Return the mean over metrics of the share of seen scores that are lower, ties half."""
        shares = []
        for values, seen in zip(x, self.ranked, strict=True):
            place = (np.searchsorted(seen, values, "left") + np.searchsorted(seen, values, "right")) / 2
            shares.append(np.where(np.isnan(values), np.nan, place / max(len(seen), 1)))
        return np.asarray(np.mean(shares, axis=0))


def _look(x: FloatArray, z: FloatArray, level: str, cells: BoolArray) -> _Seen:
    """Make what can be made of some cells of metrics (P, systems, inputs) and people."""
    columns = np.where(cells, np.concatenate([x, z[None]]), np.nan)
    points = _points(columns, level)
    n = max(points.shape[1], 1)
    spread = np.sqrt((points[:-1] ** 2).sum(axis=1) / n)
    spread = np.where(spread > 0, spread, 1.0)
    scaled = points[:-1] / spread[:, None]
    values, vectors = np.linalg.eigh(scaled @ scaled.T / n)
    turned = vectors.T @ (scaled @ points[-1] / n)
    ridge = np.stack([vectors @ (turned / (np.maximum(values, 0.0) + penalty)) for penalty in PENALTIES])
    return _Seen(spread, ridge, tuple(np.sort(column[~np.isnan(column)]) for column in columns[:-1]))


def _points(columns: FloatArray, level: str) -> FloatArray:
    """Return columns (K, systems, inputs) as points (K, n) where all are known, centred as the level compares them."""
    columns = np.where(np.isnan(columns).any(axis=0), np.nan, columns)
    if level == "system":
        means = means_of_known(columns)
        points = means - means_of_known(means)[:, None]
    elif level == "global":
        flat = columns.reshape(len(columns), -1)
        points = flat - means_of_known(flat)[:, None]
    else:
        axis = 1 if level == "input" else 2
        points = (columns - np.expand_dims(means_of_known(columns, axis=axis), axis)).reshape(len(columns), -1)
    return np.asarray(points[:, ~np.isnan(points).any(axis=0)])


def _standardised(made: FloatArray, level: str) -> FloatArray:
    """Return columns (K, systems, inputs) with mean 0 and variance 1 where the level compares them.

    Blocks of several makers then have one scale: a metric that all of them choose is that metric. People have no part
    in it, because their mean elsewhere is low where the systems in a block are good, and would turn them round.
    """
    axis = {"input": 1, "within-system": 2}.get(level)
    if axis is not None:
        centred = made - np.expand_dims(means_of_known(made, axis=axis), axis)
    else:
        flat = means_of_known(made) if level == "system" else made.reshape(len(made), -1)
        centred = made - means_of_known(flat)[:, None, None]
    points = means_of_known(centred) if level == "system" else centred.reshape(len(made), -1)
    spread = np.sqrt(means_of_known(points**2))
    return np.asarray(centred / np.where(spread > 0, spread, 1.0)[:, None, None])


class _Search:
    """Data, folds, and how combinations are scored."""

    def __init__(self, case: Case, folds: int, seed: int) -> None:
        self.statistic, self.x, self.z, self.level = case.statistic, case.x, case.z, case.level
        random = stream(seed, FOLDS, folds)
        units = zip(case.shape, (case.families, case.clusters), strict=True)
        codes = [np.arange(n) if own is None else np.unique(own, return_inverse=True)[1] for n, own in units]
        self.systems, self.inputs = (random.permutation(n := int(at.max()) + 1)[at] % min(folds, n) for at in codes)

    def blocks(self, systems: int = -1, inputs: int = -1) -> list[tuple[int, int]]:
        """Return pairs of a fold of systems and one of inputs, without those that are held out."""
        return [
            (int(a), int(b))
            for a in np.unique(self.systems)
            for b in np.unique(self.inputs)
            if a != systems and b != inputs
        ]

    def cells(self, systems: Sequence[int], inputs: Sequence[int]) -> BoolArray:
        """Return the cells outside these folds."""
        return np.outer(~np.isin(self.systems, systems), ~np.isin(self.inputs, inputs))

    def score(self, columns: FloatArray, cells: BoolArray) -> FloatArray:
        """Return the statistic of columns (K, systems, inputs) on some cells; larger is better."""
        rows, kept = cells.any(axis=1), cells.any(axis=0)
        prepared = self.statistic.prepare(columns[:, rows][:, :, kept], self.z[rows][:, kept], self.level)
        return np.nan_to_num(self.statistic.sign * prepared.estimate()[0], nan=-np.inf)

    def tried(self, systems: int, inputs: int) -> FloatArray:
        """Return columns of ridge by penalty, and of ranks, made and scored within the cells outside two folds."""
        out = np.full((len(PENALTIES) + 1, *self.z.shape), np.nan)
        for a, b in self.blocks(systems, inputs):
            seen = _look(self.x, self.z, self.level, self.cells([systems, a], [inputs, b]))
            made = np.concatenate([seen.linear(self.x), seen.ranks(self.x)[None]])
            self.place(out, made, a, b)
        return out

    def place(self, out: FloatArray, made: FloatArray, systems: int, inputs: int) -> None:
        """Put the block of two folds into columns, on a scale that all blocks share."""
        block = np.outer(self.systems == systems, self.inputs == inputs)
        out[:, block] = _standardised(made, self.level)[:, block]


def composites(case: Case, folds: int = 4, seed: int = 0) -> Composites:
    """Combine metrics, and score the combinations on systems and inputs that they were not made from.

    Parameters
    ----------
    case
        Metrics, larger being better, people, and the statistic by which combinations are chosen and scored. Regression
        explains differences within inputs, within systems, of means of systems, or of all cells, by the level.
    folds
        Folds of systems, and of inputs; at least 3, so that some are left to choose by. Families and clusters stay
        whole.
    seed
        The seed of the folds.
    """
    x, z, level = case.x, case.z, case.level
    search = _Search(case, folds, seed)
    columns = np.full((len(KINDS), *z.shape), np.nan)
    weights, penalties, singles, chosen = [], [], [], []
    for a, b in search.blocks():
        cells = search.cells([a], [b])
        seen, tried = _look(x, z, level, cells), search.tried(a, b)
        inner, alone = search.score(tried, cells), search.score(np.where(cells, x, np.nan), cells)
        at, single = int(inner[:-1].argmax()), int(alone.argmax())
        kind = int(np.argmax([inner[at], inner[-1], alone[single]]))
        made = [seen.linear(x)[at], seen.ranks(x), x[single]]
        search.place(columns, np.stack([*made, made[kind]]), a, b)
        weights.append(seen.ridge[at])
        penalties.append(PENALTIES[at])
        singles.append(single)
        chosen.append(KINDS[kind])
    estimates = case.statistic.prepare(columns, z, level).estimate()[0]
    return Composites(
        columns, estimates, np.mean(weights, axis=0), np.array(penalties), np.array(singles), tuple(chosen)
    )


def gain(case: Case, one: int, other: int, draws: Draws, confidence: float) -> Gain:
    """Return the difference of two columns of a case with an interval for new systems and new inputs.

    The variance is taken apart into what systems, inputs and cells add (:mod:`metassay.stats.two_way`); Student's t has
    as many degrees of freedom as there are systems or families, less two.
    """
    kinds = (OF_SYSTEMS, OF_INPUTS, OF_BOTH)
    ((systems, inputs, both),) = draws.bootstrap(case, [(case.prepared, kinds)], "resampling")
    apart = [case.statistic.sign * (samples[one] - samples[other]) for samples in (systems, inputs, both)]
    drawn = [
        count_units(own, np.ones(n, dtype=bool))
        for n, own in zip(case.shape, (case.families, case.clusters), strict=True)
    ]
    total = float(two_way.variances(apart[0], apart[1], apart[2], (drawn[0], drawn[1]), paired=case.paired).total)
    count = min(count_units(case.families, case.present[at]) for at in (one, other))
    difference = float(case.statistic.sign * (case.estimates[one] - case.estimates[other]))
    if count < 3:
        return Gain(difference, np.nan, np.nan)
    half = float(stdtrit(count - 2, (1 + confidence) / 2)) * np.sqrt(total)
    return Gain(difference, difference - half, difference + half)
