"""Pairs of systems by how far apart a metric puts them: do people agree, and how far apart is far enough?

A *selection* is a closed range of score differences, l ≤ |Δ| ≤ u, in the units of the metric. In a resample the
system means are computed anew, the selections stay where they are, and a pair of systems counts as often as the
product of their multiplicities. Copies of one system are tied in everything and so add to no count.

The device is counting in bins: the ends of all selections cut the line of differences into bins, each pair falls
into one bin of its draw, and every selection is then a difference of two running sums over bins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.pair_outcomes import CLASSES
from metassay.stats.kernels.weighted_ranks import TIE, Numbers, quotient, ratio
from metassay.stats.levels import Means

Signs = npt.NDArray[np.int8]

AGREEMENTS = (0.8, 0.9, 0.95)
"""Probabilities of agreement for which the needed difference is given."""
BLOCK = 1 << 18
"""Pairs × draws looked at together. It is part of the arithmetic, so it is fixed."""
NEWTON_STEPS = 500
"""More than any slope needs: each step moves at least one unit of the smallest difference that still matters."""
ROUGH_STEPS = 4
"""The first steps, in single precision: half the work, and what they miss the next ones mend."""


class PairCounts(NamedTuple):
    """How metric and people order the pairs of some selections: counts of shape (selections, B)."""

    same: FloatArray
    """P: ordered by both, and the same way."""
    other: FloatArray
    """Q: ordered by both, one against the other."""
    tied_metric: FloatArray
    """T: tied only in the metric."""
    tied_people: FloatArray
    """U: tied only by people."""
    tied_both: FloatArray
    """Tied in both; copies of one system are not among them."""

    @property
    def tau(self) -> FloatArray:
        """(P − Q)/√((P+Q+T)(P+Q+U)); NaN if no pair differs in the metric, or none in the eyes of people."""
        ordered = self.same + self.other
        return ratio(self.same - self.other, np.sqrt((ordered + self.tied_metric) * (ordered + self.tied_people)))

    @property
    def agreement(self) -> FloatArray:
        """P/(P+Q): the share of pairs without ties on which people agree with the metric."""
        return quotient(self.same, self.same + self.other)

    @property
    def total(self) -> FloatArray:
        """All pairs in the selection."""
        return self.same + self.other + self.tied_metric + self.tied_people + self.tied_both


class PairSample(NamedTuple):
    """All that the draws gave."""

    counts: PairCounts
    """Counts of shape (selections, B)."""
    slopes: FloatArray | None
    """The slopes of the fitted curve, shape (B,), if they were asked for."""


class _Pairs(NamedTuple):
    """All pairs of systems in some draws, as arrays of shape (pairs, B) or (pairs, 1)."""

    differences: FloatArray
    """|Δ| of the metric, scaled to order one."""
    metric: Signs
    """Signs of the metric's differences."""
    people: Signs
    """Signs of people's differences."""
    weights: FloatArray
    """How often each pair is in the sample."""
    draws: int
    """B."""


class SystemPairs:
    """Every pair of systems under one metric and one human criterion.

    The correlation is r_sys Δ(l, u) of Deutsch, Dror and Roth (2022), "Re-Examining System-Level Correlations of
    Automatic Summarization Evaluation Metrics", §4.2: their equation 1 over the pairs in a selection only.

    Parameters
    ----------
    x
        Metric scores, systems × inputs, NaN for missing.
    z
        Human scores, systems × inputs.
    paired
        Whether the inputs of `z` are those of `x`. If not, multiplicities of the inputs of `z` stand below those of
        the inputs of `x`.

    Examples
    --------
    Means 0, 1, 3 for the metric and 1, 0, 2 for people: the pair that differs by 1 is ordered the other way.

    >>> pairs = SystemPairs(np.array([[0.0], [1.0], [3.0]]), np.array([[1.0], [0.0], [2.0]]))
    >>> pairs.differences()
    array([1., 2., 3.])
    >>> pairs.evaluate(np.array([[0, 1], [0, 3]])).counts.tau[:, 0]
    array([-1.        ,  0.33333333])
    """

    def __init__(self, x: FloatArray, z: FloatArray, *, paired: bool = True) -> None:
        self.x, self.z = Means(x), Means(z)
        self.split = None if paired else x.shape[1]
        self.first, self.second = np.triu_indices(len(z), 1)

    def differences(self) -> FloatArray:
        """Return the |Δ| of all pairs that metric and people have, ascending."""
        (pairs,) = self._blocks(None, None)
        known = pairs.weights[:, 0] > 0
        return np.asarray(np.sort(pairs.differences[known, 0]) * self.x.scale)

    def evaluate(
        self,
        bounds: FloatArray,
        systems: FloatArray | None = None,
        inputs: FloatArray | None = None,
        *,
        curve: bool = False,
    ) -> PairSample:
        """Count the pairs of every selection in every draw.

        Parameters
        ----------
        bounds
            Selections as (selections, 2): smallest and largest |Δ|, in the units of the metric. A selection of NaNs
            is empty.
        systems, inputs
            Multiplicities (n, B); None leaves an axis as it is.
        curve
            Whether to fit the slope of :func:`chance` as well.
        """
        bins = _Bins(bounds / self.x.scale)
        counts, slopes = [], []
        for pairs in self._blocks(systems, inputs):
            counts.append(bins.count(pairs))
            if curve:
                slopes.append(_fit(pairs) / self.x.scale)
        together = PairCounts(*np.concatenate(counts, axis=2))
        return PairSample(together, np.concatenate(slopes) if curve else None)

    def _blocks(self, systems: FloatArray | None, inputs: FloatArray | None) -> Iterator[_Pairs]:
        scored = judged = inputs
        if inputs is not None and self.split is not None:
            scored, judged = inputs[: self.split], inputs[self.split :]
        (x, x_known), (z, z_known) = self.x(scored), self.z(judged)
        weights = systems
        for mask in (x_known, z_known):
            if mask is not None:
                weights = mask.astype(np.float64) if weights is None else weights * mask
        if weights is None:
            weights = np.ones((len(z), 1))
        draws = max(x.shape[1], z.shape[1], weights.shape[1])
        width = max(1, BLOCK // max(1, len(self.first)))
        for at in range(0, draws, width):
            cut = slice(at, at + width)
            dx, dz = self._subtract(x, cut), self._subtract(z, cut)
            w = _columns(weights, cut)
            yield _Pairs(np.abs(dx), _signs(dx), _signs(dz), w[self.first] * w[self.second], min(width, draws - at))

    def _subtract(self, means: FloatArray, cut: slice) -> FloatArray:
        part = _columns(means, cut)
        difference: FloatArray = part[self.second] - part[self.first]
        return difference


def pooled(
    tasks: Sequence[SystemPairs],
    bounds: FloatArray,
    drawn: Sequence[tuple[FloatArray | None, FloatArray | None]] | None = None,
    *,
    curve: bool = False,
) -> PairSample:
    """Count the pairs of several tasks together; systems are compared within their task only.

    Parameters
    ----------
    tasks
        The tasks, with scores of the metric in the same units.
    bounds, curve
        As for :meth:`SystemPairs.evaluate`.
    drawn
        Multiplicities of systems and of inputs for each task, equally many draws.
    """
    drawn = [(None, None)] * len(tasks) if drawn is None else drawn
    unit = max((task.x.scale for task in tasks), default=1.0)
    bins, counts, slopes = _Bins(bounds / unit), [], []
    draws = max([1, *(w.shape[1] for each in drawn for w in each if w is not None)])
    width = max(1, BLOCK // max(1, sum(len(task.first) for task in tasks)))
    for at in range(0, draws, width):
        cut, size, parts = slice(at, at + width), min(width, draws - at), []
        for task, each in zip(tasks, drawn, strict=True):
            (block,) = task._blocks(*(None if w is None else w[:, cut] for w in each))
            block = block._replace(differences=block.differences * (task.x.scale / unit))
            parts.append([np.broadcast_to(v, (len(task.first), size)) for v in block[:4]])
        sizes, metric, people, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        joined = _Pairs(sizes, metric, people, weights, size)
        counts.append(bins.count(joined))
        if curve:
            slopes.append(_fit(joined) / unit)
    return PairSample(PairCounts(*np.concatenate(counts, axis=2)), np.concatenate(slopes) if curve else None)


class _Bins:
    """Selections of one metric as running sums over bins: bin j holds what lies in (edge j−1, edge j]."""

    def __init__(self, ranges: FloatArray) -> None:
        # Differences that are equal but for the last bits lie on the same side of an end.
        lower, upper = ranges[:, 0] - TIE, ranges[:, 1] + TIE
        empty = np.isnan(lower) | np.isnan(upper)
        lower, upper = np.where(empty, np.inf, lower), np.where(empty, np.inf, upper)
        self.edges = np.unique(np.concatenate([lower, upper]))
        self.above = np.searchsorted(self.edges, lower)
        self.upto = np.searchsorted(self.edges, upper)

    def count(self, pairs: _Pairs) -> FloatArray:
        """Return counts of shape (classes, selections, B)."""
        bins = np.searchsorted(self.edges, pairs.differences)
        kinds = CLASSES[3 * pairs.metric + pairs.people + 4]
        n, draws = len(self.edges) + 1, pairs.draws
        at = (kinds * n + bins) * draws + np.arange(draws)
        weights = np.broadcast_to(pairs.weights, at.shape)
        counted = np.bincount(at.ravel(), weights=weights.ravel(), minlength=len(PairCounts._fields) * n * draws)
        running: FloatArray = counted.reshape(-1, n, draws).cumsum(axis=1)
        return np.asarray(running[:, self.upto] - running[:, self.above])


def _fit(pairs: _Pairs) -> FloatArray:
    """Return the slopes β that maximise the likelihood of P(agree) = 1/(1 + exp(−β|Δ|)), shape (B,).

    With a = Σ w|Δ| over pairs on which people agree and b over those on which they do not, the score function is
    a − Σ w|Δ|·P. Turned so that a > b, it is convex and falling where β > 0, so Newton's steps from 0 rise to the
    root and never pass it. Without any disagreement the slope is infinite; without any ordered pair it is NaN.
    """
    product = pairs.metric * pairs.people
    shape = (len(product), pairs.draws)
    sizes = np.broadcast_to(pairs.differences, shape)
    weighted = np.where(product == 0, 0.0, pairs.weights * pairs.differences)
    for_it = np.broadcast_to(np.where(product > 0, weighted, 0.0).sum(axis=0), pairs.draws)
    against = np.broadcast_to(np.where(product < 0, weighted, 0.0).sum(axis=0), pairs.draws)
    weighted = np.broadcast_to(weighted, shape)

    size = np.full(pairs.draws, np.nan)
    minority = np.minimum(for_it, against)
    size[(minority == 0) & (for_it + against > 0)] = np.inf
    size[(for_it == against) & (for_it > 0)] = 0.0
    left = np.flatnonzero((minority > 0) & (for_it != against))
    sizes, weighted, minority = sizes[:, left], weighted[:, left], minority[left]
    slope = np.zeros(len(left))
    rough = [v.astype(np.float32) for v in (sizes, weighted, minority)]
    for _ in range(ROUGH_STEPS):
        slope += _newton(slope.astype(np.float32), *rough)
    for _ in range(NEWTON_STEPS):
        if not len(left):
            break
        step = _newton(slope, sizes, weighted, minority)
        slope += step
        # The error of the next slope is about the square of this step; a slope of 0 is none of rounding.
        going = np.abs(step) > np.maximum(1e-7 * np.abs(slope), 1e-12 / sizes.max(axis=0))
        if not going.all():
            size[left[~going]] = slope[~going]
            left, slope, minority = left[going], slope[going], minority[going]
            sizes, weighted = sizes[:, going], weighted[:, going]
    # Nothing was ordered: no direction either.
    direction = np.where(for_it >= against, 1.0, -1.0)
    return np.asarray(direction * size)


def _newton(slope: Numbers, sizes: Numbers, weighted: Numbers, minority: Numbers) -> Numbers:
    """Return Newton's step of each slope."""
    # e/(1 + e) with e = exp(−β|Δ|) ≤ 1 is the chance of disagreement, and cannot overflow.
    miss = np.exp(-slope * sizes)
    miss /= 1.0 + miss
    pull = weighted * miss
    excess = pull.sum(axis=0) - minority
    np.multiply(pull, sizes, out=pull)
    pull *= 1.0 - miss
    step: Numbers = excess / pull.sum(axis=0)
    return step


def chance(slope: float, difference: npt.ArrayLike) -> FloatArray:
    """Return the fitted chance that people agree with the metric about two systems so far apart.

    P = 1/(1 + exp(−β|Δ|)): an even chance at no difference, and from there the log-odds grow in proportion.

    Examples
    --------
    >>> chance(math.log(3), [0.0, 1.0, 2.0])
    array([0.5 , 0.75, 0.9 ])
    """
    size = np.abs(np.asarray(difference, dtype=np.float64))
    if math.isinf(slope):
        return np.where(size > 0, float(slope > 0), 0.5)
    return np.asarray(expit(slope * size))


def needed(slopes: npt.ArrayLike, agreement: float) -> FloatArray:
    """Return the difference at which the fitted chance of each slope reaches `agreement` (over ½).

    Infinite if the curve does not rise, 0 if people agreed on every pair, NaN if there is no curve.

    Examples
    --------
    >>> needed([math.log(3), -1.0, math.inf], 0.9).round(12).tolist()
    [2.0, inf, 0.0]
    """
    slopes = np.asarray(slopes, dtype=np.float64)
    without = np.where(np.isnan(slopes), np.nan, np.inf)
    return np.asarray(np.divide(math.log(agreement / (1 - agreement)), slopes, out=without, where=slopes > 0))


def closest(differences: FloatArray, share: float) -> int:
    """Return how many of the pairs a share of them is, rounded up."""
    # 0.1 × 120 is a little more than 12 in binary; that is no reason for a thirteenth pair.
    return math.ceil(round(share * len(differences), 9))


def range_of(differences: FloatArray, below: float, upto: float) -> tuple[float, float]:
    """Return the range of |Δ| that holds the pairs from one share to another, the closest pairs first.

    Parameters
    ----------
    differences
        |Δ| of all pairs, ascending.
    below
        Share of the closest pairs that are left out; from 0 the range starts at 0.
    upto
        Share of the closest pairs at which the range ends.

    Returns
    -------
    tuple of float
        The smallest u that takes in the share `upto`, and the first difference beyond the share `below` as l.
        Pairs as far apart as those at the ends come in with them. NaNs if no pair is left.

    Examples
    --------
    >>> range_of(np.array([0.1, 0.2, 0.4, 0.8]), 0.5, 1.0)
    (0.4, 0.8)
    """
    first, last = closest(differences, below), closest(differences, upto)
    if first >= last:
        return math.nan, math.nan
    return float(differences[first]) if below > 0 else 0.0, float(differences[last - 1])


def percentiles(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return percentile intervals along the last axis, leaving out NaNs; infinite samples are in order.

    The same as :func:`metassay.stats.intervals.percentile` on each line, for many lines at once.
    """
    ordered = np.sort(samples, axis=-1)
    n = samples.shape[-1] - np.isnan(samples).sum(axis=-1)
    last = np.maximum(n - 1, 0)
    ends = []
    for side, share in enumerate(((1 - confidence) / 2, (1 + confidence) / 2)):
        place = last * share
        at = np.floor(place).astype(np.int64)
        a, b = (np.take_along_axis(ordered, i[..., None], axis=-1)[..., 0] for i in (at, np.minimum(at + 1, last)))
        finite = np.isfinite(a) & np.isfinite(b)
        step = np.subtract(b, a, out=np.zeros_like(a), where=finite)
        # Between infinities there is nothing to interpolate: the interval takes the wider end.
        value = np.where(finite, a + step * (place - at), np.where(place == at, a, (a, b)[side]))
        ends.append(np.where(n > 0, value, np.nan))
    return ends[0], ends[1]


def _columns(values: FloatArray, cut: slice) -> FloatArray:
    """Return some draws; what is the same in all draws stays one column."""
    return values if values.shape[1] == 1 else values[:, cut]


def _signs(differences: FloatArray) -> Signs:
    above, below = differences > TIE, differences < -TIE
    return above.view(np.int8) - below.view(np.int8)
