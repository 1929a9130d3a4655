"""Correlation of two variables while a third, the anchor, is held fixed, under varying weights.

Three ways to hold it fixed: correlate within buckets of points whose anchors are about equal, and average; correlate
what is left of both variables after linear regressions on the anchor (partial correlation); or put three coefficients
into the formula of partial correlation. See Ernst, Shapira, Dagan and Levy (2023), "Re-Examining Summarization
Evaluation across Multiple Quality Criteria", §4 and appendix C.

Points are cells, weights are multiplicities of shape (points, B), as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.evaluated import CELLS, Points, evaluated
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

    Buckets in which the correlation is undefined leave the average, in each draw by itself.
    """

    def __init__(self, x: FloatArray, z: FloatArray, buckets: IntArray, statistic: Statistic, total: int) -> None:
        self._codes = np.unique(buckets, return_inverse=True)[1]
        self.members = [np.flatnonzero(self._codes == b) for b in range(int(self._codes.max(initial=-1)) + 1)]
        self._x, self._z, self._statistic, self._total = x, z, statistic, total

    @cached_property
    def _within(self) -> Weighted:
        return self._statistic.within(self._x, self._z, self._codes, self._total)

    def moved(self, units: IntArray, count: int) -> Held | None:
        """Return the averaged correlation, and what points and units 0, 1, … of them do; None if that is not known."""
        found = [self._statistic.moved(self._x[at], self._z[at], units[at], count) for at in self.members]
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
        """Return the averaged correlation in each draw, (B,), and how many buckets were undefined and left it."""
        draws = weights.shape[1]
        if not self.members:
            return np.full(draws, np.nan), np.zeros(draws, dtype=np.int64)
        within = self._within(weights)
        sizes = np.stack([np.take(weights, at, axis=0).sum(axis=0) for at in self.members]).astype(np.float64)
        lost = np.isnan(within)
        return average_defined(np.where(lost | (sizes == 0), np.nan, within), sizes), lost.sum(axis=0)


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

    def __init__(self, x: FloatArray, z: FloatArray, anchor: FloatArray, statistic: Statistic, total: int) -> None:
        self.statistic = statistic
        self.x, self.z, self.anchor = (_standardized(v) for v in (x, z, anchor))
        self.defined = len(x) > 1 and self.anchor.any()
        if not self.defined:
            return
        if not statistic.is_correlation:
            # Other statistics may depend on units.
            self.x, self.z = x - x.mean(), z - z.mean()
        elif self._closed:
            self._formula = PartialFormula(x, z, anchor, statistic, total)
            return
        a = self.anchor
        self._sums = np.stack([self.x * a, self.z * a, a * a, self.x, self.z, a, np.ones_like(a)])
        self.slope_x, self.slope_z = (float(s) for s in self._slopes(np.ones((len(a), 1)))[:, 0])
        self._total = total

    @cached_property
    def _fixed(self) -> Points:
        return self.statistic.points(*self._rests, self._total)

    @cached_property
    def _rests(self) -> tuple[FloatArray, FloatArray]:
        """Residuals of x and z for the slopes of all points."""
        return self._rest(self.x, self.slope_x), self._rest(self.z, self.slope_z)

    def moved(self, units: IntArray, count: int) -> Held | None:
        """Return the partial correlation, and what points and units of them do: directly, and by moving both slopes.

        What slopes do is measured on a straight line.
        """
        if not self.defined:
            return Held(math.nan, np.full(len(self.x), np.nan), np.full(count, np.nan))
        if not self.statistic.is_correlation:
            return None
        if self._closed:
            return self._formula.moved(units, count)
        found = self.statistic.moved(*self._rests, units, count)
        if found is None or math.isnan(found[0]):
            return found and Held(*found)
        estimate, psi, left = found
        sums = np.stack([row.sum() - np.bincount(units, row, count) for row in self._sums])
        slopes = zip((self.slope_x, self.slope_z), self._slopes_of(sums), strict=True)
        for (of_slope, effect), (slope, slope_left) in zip(self._steep, slopes, strict=True):
            psi = psi + of_slope * effect
            left = left + effect * (slope_left - slope)
        return Held(estimate, np.asarray(psi - psi.mean()), np.clip(left, -1.0, 1.0))

    @cached_property
    def _steep(self) -> list[tuple[FloatArray, float]]:
        """What points do to both slopes, and what these do to the coefficient."""
        found = []
        for values, slope, other in ((self.x, self.slope_x, self._rests[1]), (self.z, self.slope_z, self._rests[0])):
            # Both are standardised.
            of_slope, effect = self.anchor * (values - slope * self.anchor), 0.0
            step = BROAD * float(of_slope.std()) / math.sqrt(len(of_slope))
            if step > 0:
                below, above = self._turned(values, np.array([slope - step, slope + step]), other)
                effect = float(above - below) / (2 * step)
            found.append((of_slope, effect))
        return found

    @property
    def _closed(self) -> bool:
        return self.statistic.name == "pearson"

    def correlate(self, weights: Numbers) -> tuple[FloatArray, FloatArray]:
        """Return what fixed residuals give in each draw, (B,), and the slopes of the draws, (2, B).

        :meth:`finish` makes partial correlations of both, once all draws are known.
        """
        draws = weights.shape[1]
        if not self.defined:
            return np.full(draws, np.nan), np.full((2, draws), np.nan)
        if not self.statistic.is_correlation:
            return self._refitted(weights), np.zeros((2, draws))
        if self._closed:
            return self._formula.correlate(weights), np.zeros((2, draws))
        return self._fixed.correlate(weights), self._slopes(weights)

    def finish(self, drawn: FloatArray, slopes: FloatArray) -> FloatArray:
        """Return the partial correlation in each draw, (B,), from what :meth:`correlate` gave for all of them."""
        if not self.defined or self._closed or not self.statistic.is_correlation:
            return drawn
        known = ~np.isnan(slopes).any(axis=0)
        out = np.where(known, drawn, np.nan)
        if known.any():
            rest_x, rest_z = self._rests
            for slope, drawn_slopes, values, other in (
                (self.slope_x, slopes[0, known], self.x, rest_z),
                (self.slope_z, slopes[1, known], self.z, rest_x),
            ):
                out[known] += self._effect(slope, drawn_slopes, values, other)
        return np.asarray(np.clip(out, -1.0, 1.0))

    def _effect(self, slope: float, drawn: FloatArray, values: FloatArray, other: FloatArray) -> FloatArray:
        """Return by how much slopes other than that of all points change the coefficient, all points weighing one."""
        low, high = min(drawn.min(), slope), max(drawn.max(), slope)
        if low == high:
            return np.zeros(len(drawn))
        grid = np.unique(np.append(np.linspace(low, high, STEPS), slope))
        curve = self._turned(values, grid, other)
        return np.asarray(np.interp(drawn, grid, curve - curve[np.searchsorted(grid, slope)]))

    def _refitted(self, weights: Numbers) -> FloatArray:
        """Return the statistic of the residuals of each draw, which are all computed."""
        out = np.empty(weights.shape[1])
        width = max(1, CELLS // len(self.x))
        for at in range(0, len(out), width):
            w = weights[:, at : at + width].astype(np.float64)
            n = np.maximum(w.sum(axis=0), 1.0)
            rests = []
            for values, slope in zip((self.x, self.z), self._slopes(w), strict=True):
                rest = values[:, None] - slope * self.anchor[:, None]
                rests.append(rest - (w * rest).sum(axis=0) / n)
            out[at : at + width] = evaluated(self.statistic, rests[0], rests[1], w)
        return out

    def _slopes(self, weights: Numbers) -> FloatArray:
        """Return the slopes of x and z on the anchor in each draw, (2, B); NaN where the anchor does not vary."""
        return self._slopes_of(self._sums @ weights.astype(np.float64))

    @staticmethod
    def _slopes_of(sums: FloatArray) -> FloatArray:
        xa, za, aa, x, z, a, n = sums
        n = np.maximum(n, 1.0)
        spread = aa - a * a / n
        spread = np.where(spread > FIXED * n, spread, np.nan)
        return np.stack([(xa - x * a / n) / spread, (za - z * a / n) / spread])

    def _turned(self, values: FloatArray, slopes: FloatArray, other: FloatArray) -> FloatArray:
        """Return the coefficient of the residuals for each slope with those of the other variable."""
        return correlations(self._rest(values, slopes[:, None]), other, self.statistic.name)

    def _rest(self, values: FloatArray, slope: float | FloatArray) -> FloatArray:
        """Return residuals up to a constant, rounded so that equal ones are tied."""
        rest = values - slope * self.anchor
        return np.asarray(np.round(rest, DIGITS) + 0.0)


class PartialFormula:
    """Partial correlation from three coefficients, (r_xz − r_xa r_za) / √((1 − r_xa²)(1 − r_za²)).

    For Pearson that is the correlation of residuals. For Spearman it is that of the residuals of ranks, and for τ_b
    that of the residuals of the signs of all differences (Kendall 1942, "Partial rank correlation", Biometrika 32):
    ties of the variables stay ties, and only orders count.
    """

    def __init__(self, x: FloatArray, z: FloatArray, anchor: FloatArray, statistic: Statistic, total: int) -> None:
        self.n = len(x)
        self._of, self._statistic, self._total = ((x, z), (x, anchor), (z, anchor)), statistic, total

    @cached_property
    def _pairs(self) -> list[Points]:
        return [self._statistic.points(one, other, self._total) for one, other in self._of]

    def moved(self, units: IntArray, count: int) -> Held | None:
        """Return the partial correlation, and what points and units of them do, points by the slopes of the formula."""
        found = [self._statistic.moved(one, other, units, count) for one, other in self._of]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return None
        (xz, psi, _), (xa, psi_x, _), (za, psi_z, _) = known
        left_x, left_z = 1 - xa**2, 1 - za**2
        if not (left_x >= FIXED and left_z >= FIXED and not math.isnan(xz)):
            return Held(math.nan, np.full(self.n, np.nan), np.full(count, np.nan))
        below = math.sqrt(left_x * left_z)
        r = (xz - xa * za) / below
        moved = psi / below + psi_x * (r * xa / left_x - za / below) + psi_z * (r * za / left_z - xa / below)
        return Held(r, moved, self._combined(each[2] for each in known))

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the partial correlation in each draw, (B,); NaN where the anchor settles a variable."""
        return self._combined(pair.correlate(weights) for pair in self._pairs)

    @staticmethod
    def _combined(coefficients: Iterable[FloatArray]) -> FloatArray:
        xz, xa, za = coefficients
        left_x, left_z = 1 - xa**2, 1 - za**2
        settled = ~((left_x >= FIXED) & (left_z >= FIXED))
        return ratio(xz - xa * za, np.sqrt(np.where(settled, 0.0, left_x * left_z)))


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
