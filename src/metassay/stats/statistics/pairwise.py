"""Statistics of pairs of outputs: pairwise accuracy, variants of Kendall's τ, calibrated ties, and PDP."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.kernels.pair_outcomes import (
    ELEMENTS,
    PairSums,
    PairTables,
    Rates,
    make_exchange,
    make_sums,
)
from metassay.stats.kernels.pooled_differences import DifferenceExchange, DifferenceSums
from metassay.stats.kernels.score_swaps import Exchange, GroupedExchange, GroupExchange, standardize_cells
from metassay.stats.kernels.tie_calibration import CalibratedExchange, CalibratedGroups
from metassay.stats.kernels.weighted_ranks import TIE, quotient, ratio
from metassay.stats.kernels.within_groups import Groups
from metassay.stats.levels import Level, arranged, points, rounded_means, vary
from metassay.stats.statistics.base import BuiltIn, Statistic
from metassay.stats.statistics.correlations import PEARSON
from metassay.stats.statistics.scales import FisherScale, Scale

TIES_MATTER = "Deutsch, Foster and Freitag (2023)"
FOLDS = 5
"""Blocks of inputs over which a threshold is cross-fitted."""


def where_ordered(x: FloatArray, z: FloatArray, level: str) -> FloatArray:
    """Return metrics (P, systems, inputs), NaN for those on whose outputs people tie every pair: they know no order."""
    if z.ndim != 2:
        return x
    people = points(z, level)
    kept = [vary(people, ~np.isnan(points(own, level))) for own in x]
    return x if all(kept) else np.where(np.array(kept)[:, None, None], x, np.nan)


class PairOutcomes(BuiltIn):
    """A mean of what single pairs of outputs add, so that outcomes of pairs can be exchanged between two metrics."""

    invariant = "linear"
    is_mean: bool = True
    """Whether it is one: the number of pairs does not depend on the metric."""

    def outcomes(self, x: FloatArray, z: FloatArray, level: str) -> FloatArray:
        """Return what each pair of outputs adds to the statistic of each metric (P, systems, inputs), (P, pairs)."""
        raise NotImplementedError


class PairStatistic(PairOutcomes):
    """A quotient of two counts of pairs of different outputs, by how a metric and people order them.

    Examples
    --------
    >>> x, z = np.array([[[2.0], [1.0], [1.5], [5.0], [3.0]]]), np.array([[1.0], [2.0], [2.0], [3.0], [4.0]])
    >>> TAU_EQ.prepare(x, z, "input").estimate()[0]
    array([0.2])
    """

    ranked = pairwise = True

    def __init__(self, name: str, citation: str, rates: Rates) -> None:
        super().__init__(name, citation)
        self.rates, self.is_mean = rates, rates.fixed
        self.range = (0.0 if min(rates.above) == 0 else -1.0, 1.0)

    @property
    def scale(self) -> Scale:
        """Fisher's scale: without ties all of them are Kendall's coefficient, or the share of pairs ordered alike."""
        return FisherScale(*self.range, ranks=True)

    @property
    def smooth(self) -> Statistic:
        """Pearson: the order of means changes in steps as inputs are drawn."""
        return PEARSON

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic in every draw; values closer than rounding errors are tied."""
        first, second = np.triu_indices(len(z), 1)
        sizes = [float(np.abs(v).max(initial=0.0)) or 1.0 for v in (x, z)]
        draws, width = max(v.shape[1] for v in (x, z, w)), max(1, ELEMENTS // max(1, len(first)))
        rates = np.array([self.rates.above, self.rates.below])
        out = []
        for at in range(0, draws, width):
            a, b, c = (v if v.shape[1] == 1 else v[:, at : at + width] for v in (x, z, w))
            dx, dz = (
                np.where(np.abs(d) <= TIE * size, 0.0, d)
                for d, size in ((v[first] - v[second], size) for v, size in zip((a, b), sizes, strict=True))
            )
            above, below = (rates[:, self.rates.classes(dx, dz)] * (c[first] * c[second])).sum(axis=1)
            out.append(np.broadcast_to(quotient(above, below), min(width, draws - at)))
        return np.concatenate(out)

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics and people for a level."""
        return super().prepare(where_ordered(x, z, level), z, level, paired=paired)

    def groups(self, x: FloatArray, z: FloatArray) -> Groups:
        """Prepare values in groups."""
        return _Quotients(make_sums(x, z, self.rates))

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics in groups to have their scores exchanged."""
        return make_exchange(x, z, pairs, self.rates, pooled=False)

    def outcomes(self, x: FloatArray, z: FloatArray, level: str) -> FloatArray:
        """Return what each pair adds to the statistic of each metric; its sum is the statistic."""
        if level == "system":
            x, z = (rounded_means(v)[..., None] for v in (x, z))
        z = arranged(z, level)
        added = []
        for metric in x:
            above, below = PairTables(arranged(metric, level), z, self.rates).tables.astype(np.float64)
            count = below.sum(axis=1, keepdims=True)
            groups = max(float((count > 0).sum()), 1.0)
            added.append(np.divide(above, count * groups, out=np.zeros_like(above), where=count > 0).ravel())
        return np.stack(added)


class _Quotients:
    """Sums in groups as a statistic."""

    def __init__(self, sums: PairSums) -> None:
        self.of = sums

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return statistics of shape (groups, B)."""
        above, below = self.of.sums(weights)
        return quotient(above, below)


class PooledLevel:
    """Add up over all groups before dividing: sums within groups, and what becomes of their totals."""

    def __init__(
        self,
        x: FloatArray,
        z: FloatArray,
        level: str,
        make: Callable[[FloatArray, FloatArray], PairSums],
        finish: Callable[[FloatArray], FloatArray],
    ) -> None:
        self.level, self.shape, self.finish = level, z.shape, finish
        self.metrics = [make(arranged(v, level), arranged(z, level)) for v in x]

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return statistics and zeros: there is no average to leave."""
        r = self.bootstrap(None, None)[:, 0]
        return r, np.zeros(len(r), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B)."""
        members, groups = (systems, inputs) if self.level == "input" else (inputs, systems)
        n = self.shape[0 if self.level == "input" else 1]
        out = []
        for metric in self.metrics:
            sums = metric.sums(np.ones((n, 1)) if members is None else members)
            total = sums.sum(axis=1) if groups is None else (sums * groups).sum(axis=1)
            out.append(self.finish(total))
        return np.stack(out)


class KendallLike(PairStatistic):
    """τ of the WMT metrics task until 2019: pairs that people tell apart, pooled; ties of the metric are wrong.

    Parameters
    ----------
    name
        One of the built-in names.
    gap
        The smallest difference of human scores that counts; 25 points of direct assessment in the metrics task.
    """

    levels = ("input", "within-system")

    def __init__(self, name: str, gap: float) -> None:
        super().__init__(name, "Ma, Wei, Bojar and Graham (2019)", Rates(TAU_10.rates.above, TAU_10.rates.below, gap))

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics and people for a level."""
        return PooledLevel(x, z, level, lambda a, b: PairTables(a, b, self.rates), lambda sums: quotient(*sums))

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics in groups to have their scores exchanged."""
        return make_exchange(x, z, pairs, self.rates, pooled=True)

    def outcomes(self, x: FloatArray, z: FloatArray, level: str) -> FloatArray:
        """Return what each pair adds to the statistic of each metric."""
        tables = [PairTables(arranged(v, level), arranged(z, level), self.rates).tables for v in x]
        total = max(float(tables[0][1].sum()), 1.0)
        return np.stack([above.ravel() / total for above, _ in tables]).astype(np.float64)


class PairwiseDifferencePearson(BuiltIn):
    """Pearson over the differences of all pairs of outputs within a group, in both orders, pooled over groups."""

    invariant = "linear"
    levels = ("input", "within-system")

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic in every draw: of one group it is Pearson."""
        return PEARSON.evaluate(x, z, w)

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics and people for a level."""
        return PooledLevel(x, z, level, DifferenceSums, lambda s: ratio(s[0], np.sqrt(np.maximum(s[1] * s[2], 0.0))))

    def comparable(self, x: FloatArray, z: FloatArray, level: str, *, means: bool) -> FloatArray:
        """Return metrics centred and scaled over all cells: groups are pooled, so they keep their sizes."""
        return np.stack([standardize_cells(v) for v in x])

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics in groups to have their scores exchanged."""
        return DifferenceExchange(x, z, pairs)


class CalibratedAccuracy(PairOutcomes):
    """Pairwise accuracy where a metric ties outputs whose scores differ by at most ε, one ε for the whole matrix.

    Parameters
    ----------
    name
        One of the built-in names.
    folds
        1: ε is the best one for the data that are scored. More: it is cross-fitted over blocks of inputs.
    """

    levels = ("input", "within-system")
    range = (0.0, 1.0)

    def __init__(self, name: str, folds: int) -> None:
        super().__init__(name, TIES_MATTER)
        self.folds = folds

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the accuracy of one group in every draw; one group has nothing to cross-fit over."""
        draws = max(v.shape[1] for v in (x, z, w))
        if x.shape[1] == z.shape[1] == 1:
            return CalibratedGroups(x, z).accuracy(w, None)
        x, z, w = (np.broadcast_to(v, (len(z), draws)) for v in (x, z, w))
        each = [CalibratedGroups(x[:, [b]], z[:, [b]]).accuracy(w[:, [b]], None) for b in range(draws)]
        return np.concatenate(each)

    def outcomes(self, x: FloatArray, z: FloatArray, level: str) -> FloatArray:
        """Return what each pair adds to the accuracy of each metric, with its own threshold."""
        return np.stack([CalibratedGroups(arranged(v, level), arranged(z, level)).outcomes() for v in x])

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics and people for a level."""
        return CalibratedLevel(where_ordered(x, z, level), z, level, self.folds)

    def comparable(self, x: FloatArray, z: FloatArray, level: str, *, means: bool) -> FloatArray:
        """Return metrics centred and scaled over all cells: one threshold serves all groups."""
        return np.stack([standardize_cells(v) for v in x])

    def exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], level: str) -> Exchange:
        """Prepare metrics to have their scores exchanged; the threshold is found again after every exchange."""
        return GroupedExchange(x, z, pairs, level, lambda a, b, c: CalibratedExchange(a, b, c, self.folds))


class CalibratedLevel:
    """Metrics and people at a level, with one threshold for all groups."""

    def __init__(self, x: FloatArray, z: FloatArray, level: str, folds: int) -> None:
        self.level = level
        self.metrics = [CalibratedGroups(arranged(v, level), arranged(z, level), folds) for v in x]

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return accuracies, and how many groups with a score of both have no pair."""
        return self.bootstrap(None, None)[:, 0], np.array([metric.without_pairs for metric in self.metrics])

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return accuracies of shape (metrics, B)."""
        members, groups = (systems, inputs) if self.level == "input" else (inputs, systems)
        return np.stack([metric.accuracy(members, groups) for metric in self.metrics])


# What pairs ordered alike, unlike, tied by the metric, by people, and by both add to the two sums.
_ALL = (1.0, 1.0, 1.0, 1.0, 1.0)
_JUDGED = (1.0, 1.0, 1.0, 0.0, 0.0)
PAIRWISE_ACCURACY = PairStatistic("pairwise-accuracy", "Kocmi et al. (2021)", Rates((1, 0, 0, 0, 1), _ALL))
TAU_EQ = PairStatistic("tau-eq", TIES_MATTER, Rates((1, -1, -1, -1, 1), _ALL))
TAU_10 = PairStatistic("tau-10", "Callison-Burch et al. (2010)", Rates((1, -1, -1, 0, 0), _JUDGED))
TAU_13 = PairStatistic("tau-13", "Macháček and Bojar (2013)", Rates((1, -1, 0, 0, 0), (1, 1, 0, 0, 0)))
TAU_14 = PairStatistic("tau-14", "Macháček and Bojar (2014)", Rates((1, -1, 0, 0, 0), _JUDGED))
KENDALL_LIKE = KendallLike("kendall-like", 0.0)
KENDALL_LIKE_25 = KendallLike("kendall-like-25", 25.0)
ACC_EQ = CalibratedAccuracy("acc-eq", 1)
ACC_EQ_CROSS = CalibratedAccuracy("acc-eq-cross", FOLDS)
PDP = PairwiseDifferencePearson("pdp", "DiIanni and Deutsch (2025)")
PAIRWISE: tuple[Statistic, ...] = (
    PAIRWISE_ACCURACY,
    ACC_EQ,
    ACC_EQ_CROSS,
    TAU_EQ,
    TAU_10,
    TAU_13,
    TAU_14,
    KENDALL_LIKE,
    KENDALL_LIKE_25,
    PDP,
)
