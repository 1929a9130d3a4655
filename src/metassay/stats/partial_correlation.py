"""Correlation of one variable with others while a third, the anchor, is held fixed, under varying weights.

Three ways to hold it fixed: correlate within buckets of points whose anchors are about equal, and average; correlate
what is left of both variables after linear regressions on the anchor (partial correlation); or put three coefficients
into the formula of partial correlation. See Ernst, Shapira, Dagan and Levy (2023), "Re-Examining Summarization
Evaluation across Multiple Quality Criteria", §4 and appendix C.

Points are cells, weights are multiplicities of shape (points, B), as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.evaluated import CELLS, evaluated
from metassay.stats.kernels.several_vectors import correlations
from metassay.stats.kernels.weighted_ranks import Numbers, ratio
from metassay.stats.levels import average_defined
from metassay.stats.statistics.base import Statistic, Weighted

DIGITS = 10
"""Decimals of residuals, in units of their variable's spread: what agrees to them is tied."""
FIXED = 1e-10
"""A variable of which the anchor explains all but this share of the variance has no residuals to speak of."""
FARTHEST = 2.0**62
"""The bucket beyond which there is none."""
BROAD = 4.0
"""So many standard errors to both sides of a slope is its effect measured: rank coefficients come in steps."""
STEPS = 7
"""Slopes at which the effect of a slope is computed; between them it is interpolated."""


def buckets_of(anchor: FloatArray, edges: FloatArray | None) -> IntArray:
    """Return a bucket number for each value: whole numbers, half up, or where it stands among the edges.

    A value on an edge belongs to the bucket above it.

    Examples
    --------
    >>> buckets_of(np.array([1.0, 2.4, 2.5, 3.5]), None).tolist()
    [1, 2, 3, 4]
    >>> buckets_of(np.array([0.1, 0.5, 0.9]), np.array([0.5])).tolist()
    [0, 1, 1]
    """
    if edges is None:
        # Means of several judgments need not have their last bits: 2.5 may be a hair below it.
        # What no whole number of 64 bits can hold falls into the last one.
        return np.clip(np.floor(anchor + 0.5 + 1e-9), -FARTHEST, FARTHEST).astype(np.int64)
    return np.searchsorted(edges, anchor + 1e-9 * np.maximum(np.abs(anchor), 1.0), side="right").astype(np.int64)


class Held(NamedTuple):
    """A correlation with the anchor held fixed, and what moves it."""

    value: float
    psi: FloatArray
    """What each of n points does to it, which moves it by ψ/n."""
    left: FloatArray
    """The correlation without each unit of points."""
    undefined: int = 0
    """Buckets that are undefined."""


class WithinBuckets:
    """Correlate within each bucket and average, each bucket as heavy as it is large.

    Buckets in which the correlation is undefined are excluded from the mean, in each draw separately.
    """

    def __init__(
        self, x: FloatArray, zs: Sequence[FloatArray], buckets: IntArray, statistic: Statistic, total: int
    ) -> None:
        self._codes = np.unique(buckets, return_inverse=True)[1]
        self.members = [np.flatnonzero(self._codes == b) for b in range(int(self._codes.max(initial=-1)) + 1)]
        self._x, self._zs, self._statistic, self._total = x, zs, statistic, total

    @cached_property
    def _within(self) -> Weighted:
        return self._statistic.within(self._x, self._zs, self._codes, self._total)

    def moved(self, units: IntArray, count: int) -> list[Held] | None:
        """Return the averaged correlations, and what points and units 0, 1, … of them do; None if that is not known."""
        found = [self._moved(z, units, count) for z in self._zs]
        known = [each for each in found if each is not None]
        return known if len(known) == len(found) else None

    def _moved(self, z: FloatArray, units: IntArray, count: int) -> Held | None:
        found = [self._statistic.moved(self._x[at], z[at], units[at], count) for at in self.members]
        parts = [(at, *each) for at, each in zip(self.members, found, strict=True) if each is not None]
        if len(parts) < len(found):
            return None
        known = [part for part in parts if not np.isnan(part[1])]
        psi, points = np.zeros(len(self._x)), sum(len(at) for at, _, _, _ in known)
        if not points:
            return Held(math.nan, psi, np.full(count, np.nan), len(found))
        average = sum(r * len(at) for at, r, _, _ in known) / points
        for at, r, own, _ in known:
            psi[at] = (own + r - average) * len(psi) / points
        sizes = np.stack([len(at) - np.bincount(units[at], minlength=count) for at, _, _, _ in parts])
        left = average_defined(np.stack([part[3] for part in parts]), sizes.astype(np.float64))
        return Held(average, psi, left, len(found) - len(known))

    def correlate(self, weights: Numbers) -> tuple[FloatArray, IntArray]:
        """Return the averaged correlations in each draw, and how many buckets were undefined and left them, (zs, B)."""
        shape = (len(self._zs), weights.shape[1])
        averages, undefined = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
        if self.members:
            sizes = np.stack([np.take(weights, at, axis=0).sum(axis=0) for at in self.members]).astype(np.float64)
            for k, within in enumerate(self._within(weights)):
                lost = np.isnan(within)
                averages[k] = average_defined(np.where(lost | (sizes == 0), np.nan, within), sizes)
                undefined[k] = lost.sum(axis=0)
        return averages, undefined


class Partialled:
    """Partial correlation: correlate the residuals of linear regressions of both variables on the anchor.

    Regressions are fitted anew in each draw. For Pearson that has a closed form. Rank coefficients need the order of
    the residuals, which moves with the slopes; here a draw is

        T(w; b̂) + [T(1; b_x, b̂_z) − T(1; b̂)] + [T(1; b̂_x, b_z) − T(1; b̂)],

    with T(w; b) the coefficient of the residuals for slopes b under weights w, b̂ the slopes of all points and b those
    of the draw. The first term keeps the order fixed, the others are curves of one slope, computed at a few slopes and
    interpolated. What is left out is of second order: how weights change the effect of a slope. Statistics that are no
    correlations have the residuals of every draw computed.
    """

    def __init__(
        self, x: FloatArray, zs: Sequence[FloatArray], anchor: FloatArray, statistic: Statistic, total: int
    ) -> None:
        self.statistic = statistic
        self._values, self._anchor = [_standardized(v) for v in (x, *zs)], _standardized(anchor)
        self._defined = len(x) > 1 and self._anchor.any()
        if not self._defined:
            return
        if not statistic.is_correlation:
            # Other statistics may depend on units.
            self._values = [v - v.mean() for v in (x, *zs)]
        elif self._closed:
            self._formula = PartialFormula(x, zs, anchor, statistic, total)
            return
        a = self._anchor
        self._sums = np.stack([np.ones_like(a), a, a * a, *(each for v in self._values for each in (v, v * a))])
        self._slope = [float(slope) for slope in self._slopes(np.ones((len(a), 1)))[:, 0]]
        self._total = total

    @cached_property
    def _fixed(self) -> Weighted:
        rest, *rests = self._rests
        return self.statistic.together(rest, rests, self._total)

    @cached_property
    def _rests(self) -> list[FloatArray]:
        """Residuals of x and then of the others for the slopes of all points."""
        return [self._rest(*each) for each in zip(self._values, self._slope, strict=True)]

    def moved(self, units: IntArray, count: int) -> list[Held] | None:
        """Return the partial correlations, and what points and units of them do: directly, and by moving both slopes.

        What slopes do is measured on a straight line.
        """
        others = len(self._values) - 1
        if not self._defined:
            nothing = np.full(len(self._anchor), np.nan), np.full(count, np.nan)
            return [Held(math.nan, *nothing)] * others
        if not self.statistic.is_correlation:
            return None
        if self._closed:
            return self._formula.moved(units, count)
        slopes = self._slopes_of(np.stack([row.sum() - np.bincount(units, row, count) for row in self._sums]))
        found = []
        for k in range(1, others + 1):
            direct = self.statistic.moved(self._rests[0], self._rests[k], units, count)
            if direct is None:
                return None
            estimate, psi, left = direct
            if not math.isnan(estimate):
                for own, other in ((0, k), (k, 0)):
                    of_slope, effect = self._steep(own, other)
                    psi = psi + of_slope * effect
                    left = left + effect * (slopes[own] - self._slope[own])
                psi, left = np.asarray(psi - psi.mean()), np.clip(left, -1.0, 1.0)
            found.append(Held(estimate, psi, left))
        return found

    def _steep(self, own: int, other: int) -> tuple[FloatArray, float]:
        """Return what points do to the slope of a variable, and what that does to its coefficient with another."""
        values, slope = self._values[own], self._slope[own]
        # Both are standardised.
        of_slope, effect = self._anchor * (values - slope * self._anchor), 0.0
        step = BROAD * float(of_slope.std()) / math.sqrt(len(of_slope))
        if step > 0:
            below, above = self._turned(own, np.array([slope - step, slope + step]), [other])[0]
            effect = float(above - below) / (2 * step)
        return of_slope, effect

    @property
    def _closed(self) -> bool:
        return self.statistic.name == "pearson"

    def correlate(self, weights: Numbers) -> tuple[FloatArray, FloatArray]:
        """Return what fixed residuals give in each draw, (zs, B), and the slopes of the draws, (1 + zs, B).

        :meth:`finish` makes partial correlations of both, once all draws are known.
        """
        slopes = np.full((len(self._values), weights.shape[1]), 0.0 if self._defined else np.nan)
        if not self._defined:
            return slopes[1:], slopes
        if not self.statistic.is_correlation:
            return self._refitted(weights), slopes
        if self._closed:
            return self._formula.correlate(weights), slopes
        return self._fixed(weights), self._slopes(weights)

    def finish(self, drawn: FloatArray, slopes: FloatArray) -> FloatArray:
        """Return the partial correlations in each draw, (zs, B), from what :meth:`correlate` gave for all of them."""
        if not self._defined or self._closed or not self.statistic.is_correlation:
            return drawn
        # The anchor varies or not, for all of them.
        known = ~np.isnan(slopes[0])
        out = np.where(known, drawn, np.nan)
        if known.any():
            others = range(1, len(slopes))
            out[:, known] += self._effect(0, slopes[0, known], others)
            for k in others:
                out[k - 1, known] += self._effect(k, slopes[k, known], [0])[0]
        return np.asarray(np.clip(out, -1.0, 1.0))

    def _effect(self, own: int, drawn: FloatArray, others: Sequence[int]) -> FloatArray:
        """Return by how much other slopes than that of all points change coefficients, all points weighing one."""
        slope = self._slope[own]
        low, high = min(drawn.min(), slope), max(drawn.max(), slope)
        if low == high:
            return np.zeros((len(others), len(drawn)))
        grid = np.unique(np.append(np.linspace(low, high, STEPS), slope))
        at = np.searchsorted(grid, slope)
        return np.stack([np.interp(drawn, grid, curve - curve[at]) for curve in self._turned(own, grid, others)])

    def _refitted(self, weights: Numbers) -> FloatArray:
        """Return the statistics of the residuals of each draw, which are all computed, (zs, B)."""
        out = np.empty((len(self._values) - 1, weights.shape[1]))
        width = max(1, CELLS // len(self._anchor))
        for at in range(0, out.shape[1], width):
            w = weights[:, at : at + width].astype(np.float64)
            n = np.maximum(w.sum(axis=0), 1.0)
            rests = []
            for values, slope in zip(self._values, self._slopes(w), strict=True):
                rest = values[:, None] - slope * self._anchor[:, None]
                rests.append(rest - (w * rest).sum(axis=0) / n)
            for k, rest in enumerate(rests[1:]):
                out[k, at : at + width] = evaluated(self.statistic, rests[0], rest, w)
        return out

    def _slopes(self, weights: Numbers) -> FloatArray:
        """Return the slopes on the anchor in each draw, (1 + zs, B); NaN where the anchor does not vary."""
        return self._slopes_of(self._sums @ weights.astype(np.float64))

    @staticmethod
    def _slopes_of(sums: FloatArray) -> FloatArray:
        n, a, aa = sums[:3]
        values, products = sums[3::2], sums[4::2]
        n = np.maximum(n, 1.0)
        spread = aa - a * a / n
        spread = np.where(spread > FIXED * n, spread, np.nan)
        return np.asarray((products - values * a / n) / spread)

    def _turned(self, own: int, slopes: FloatArray, others: Sequence[int]) -> FloatArray:
        """Return the coefficients of a variable's residuals for each slope with those of others, (others, slopes)."""
        rests = self._rest(self._values[own], slopes[:, None])
        return correlations(rests, np.stack([self._rests[other] for other in others]), self.statistic.name)

    def _rest(self, values: FloatArray, slope: float | FloatArray) -> FloatArray:
        """Return residuals up to a constant, rounded so that equal ones are tied."""
        rest = values - slope * self._anchor
        return np.asarray(np.round(rest, DIGITS) + 0.0)


class PartialFormula:
    """Partial correlation from three coefficients, (r_xz − r_xa r_za) / √((1 − r_xa²)(1 − r_za²)).

    For Pearson that is the correlation of residuals. For Spearman it is that of the residuals of ranks, and for τ_b
    that of the residuals of the signs of all differences (Kendall 1942, "Partial rank correlation", Biometrika 32):
    ties of the variables stay ties, and only orders count.
    """

    def __init__(
        self, x: FloatArray, zs: Sequence[FloatArray], anchor: FloatArray, statistic: Statistic, total: int
    ) -> None:
        self._x, self._zs, self._anchor, self._statistic, self._total = x, zs, anchor, statistic, total

    @cached_property
    def _pairs(self) -> tuple[Weighted, Weighted]:
        """The anchor with x and the others, and x with these."""
        of_anchor = self._statistic.together(self._anchor, [self._x, *self._zs], self._total)
        return of_anchor, self._statistic.together(self._x, self._zs, self._total)

    def moved(self, units: IntArray, count: int) -> list[Held] | None:
        """Return the partial correlations, and what points and units of them do, points by the formula's slopes."""
        pairs = [(self._x, self._anchor), *((z, self._anchor) for z in self._zs), *((self._x, z) for z in self._zs)]
        found = [self._statistic.moved(one, other, units, count) for one, other in pairs]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return None
        of_x, of_zs, pairs_with = known[0], known[1 : 1 + len(self._zs)], known[1 + len(self._zs) :]
        return [self._moved(pair, of_x, of_z, count) for pair, of_z in zip(pairs_with, of_zs, strict=True)]

    def _moved(self, pair: _Moved, of_x: _Moved, of_z: _Moved, count: int) -> Held:
        (xz, psi, _), (xa, psi_x, _), (za, psi_z, _) = pair, of_x, of_z
        left_x, left_z = 1 - xa**2, 1 - za**2
        if not (left_x >= FIXED and left_z >= FIXED and not math.isnan(xz)):
            return Held(math.nan, np.full(len(self._x), np.nan), np.full(count, np.nan))
        below = math.sqrt(left_x * left_z)
        r = (xz - xa * za) / below
        moved = psi / below + psi_x * (r * xa / left_x - za / below) + psi_z * (r * za / left_z - xa / below)
        return Held(r, moved, self._combined(pair[2], of_x[2], of_z[2]))

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the partial correlations in each draw, (zs, B); NaN where the anchor settles a variable."""
        of_anchor, of_x = (each(weights) for each in self._pairs)
        return self._combined(of_x, of_anchor[0], of_anchor[1:])

    @staticmethod
    def _combined(xz: FloatArray, xa: FloatArray, za: FloatArray) -> FloatArray:
        left_x, left_z = 1 - xa**2, 1 - za**2
        settled = ~((left_x >= FIXED) & (left_z >= FIXED))
        return ratio(xz - xa * za, np.sqrt(np.where(settled, 0.0, left_x * left_z)))


_Moved = tuple[float, FloatArray, FloatArray]
"""A coefficient, what each point does to it, and the coefficient without each unit of points."""


def relative_difference(whole: FloatArray, within: FloatArray) -> FloatArray:
    """Return ||r| − |r_within|| / |r|, NaN where r is 0 or undefined (Ernst et al. 2023, §4 and appendix A.2).

    Examples
    --------
    >>> relative_difference(np.array([0.5, -0.4]), np.array([0.1, -0.5])).round(3).tolist()
    [0.8, 0.25]
    """
    size = np.abs(whole)
    out = np.full(np.shape(size), np.nan)
    np.divide(np.abs(size - np.abs(within)), size, out=out, where=size > 0)
    return out


def _standardized(values: FloatArray) -> FloatArray:
    """Return values centred and scaled to a standard deviation of one; zeros if they do not vary."""
    if not len(values) or (values == values[0]).all():
        return np.zeros(len(values))
    largest = np.abs(values - values[0]).max()
    centred = (values - values[0]) / largest
    centred = centred - centred.mean()
    return np.asarray(centred / centred.std())
