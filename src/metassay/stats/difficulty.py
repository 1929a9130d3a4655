"""Do columns differ? Kruskal-Wallis over them, and Tukey's honestly significant difference on their mean ranks.

All known cells are ranked together, ties getting the mean of their ranks. With N cells in all, n_j of them in column
j, R_j their mean rank and T = Σ(t³ − t) over groups of t tied cells::

    V = N(N + 1)/12 − T/(12(N − 1))                       variance of one rank under the null hypothesis
    H = Σ_j n_j (R_j − (N + 1)/2)² / V                    Kruskal-Wallis, χ² with k − 1 degrees of freedom
    |R_i − R_j| > q/√2 · √(V (1/n_i + 1/n_j)) = d_ij      Tukey-Kramer; q of the range of k normal variables

The interval R_j ± w_j is one for comparisons, not for the mean rank by itself: w is chosen so that w_i + w_j is as
near as possible to d_ij over all pairs (Hochberg and Tamhane 1987, p. 98)::

    w_j = ((k − 1) Σ_i d_ij − ½ Σ_il d_il) / ((k − 1)(k − 2))

With equal n_j this is d/2 exactly, and two intervals miss each other if and only if the two columns differ.
With unequal n_j a few pairs near the edge may look otherwise; they are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtr

from metassay.stats.arrays import FloatArray, IntArray

BLOCK = 4_000_000
"""Pairs of columns compared at once."""


@dataclass(frozen=True)
class Ranked:
    """Mean ranks of columns, what they scatter by, and how they compare; columns without cells are NaN."""

    mean_rank: FloatArray
    """Mean rank per column."""
    half_width: FloatArray
    """Half of the comparison interval per column."""
    differs: IntArray
    """How many other columns each one differs from."""
    lower: IntArray
    """How many of them have a higher mean rank: to how many this column is significantly lower."""
    cells: IntArray
    """Known cells per column."""
    statistic: float
    """Kruskal-Wallis H, corrected for ties; NaN if all cells are equal or fewer than two columns have any."""
    degrees: int
    """Its degrees of freedom."""
    p_value: float
    """Its p-value by the χ² distribution."""
    looks_otherwise: int
    """Pairs whose intervals overlap though they differ, or miss each other though they do not."""


def compare_columns(values: FloatArray, confidence: float) -> Ranked:
    """Rank all cells of a matrix together and compare its columns.

    Parameters
    ----------
    values
        Any matrix, NaN for missing.
    confidence
        Of all comparisons together.

    Examples
    --------
    >>> found = compare_columns(np.array([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]), 0.95)
    >>> found.mean_rank.tolist(), round(found.statistic, 3), round(found.p_value, 3)
    ([1.5, 3.5, 5.5], 4.571, 0.102)
    """
    known = ~np.isnan(values)
    cells = known.sum(axis=0)
    used = np.flatnonzero(cells)
    n, k = int(cells.sum()), len(used)
    mean_rank = np.full(values.shape[1], np.nan)
    half_width = mean_rank.copy()
    differs, lower = np.zeros_like(cells), np.zeros_like(cells)
    if n == 0:
        return Ranked(mean_rank, half_width, differs, lower, cells, math.nan, 0, math.nan, 0)

    ranks = np.zeros(values.shape)
    ranks[known], ties = _midranks(values[known])
    mean_rank[used] = ranks.sum(axis=0)[used] / cells[used]
    variance = n * (n + 1) / 12 - ties / (12 * (n - 1)) if n > 1 else 0.0
    if variance <= 0 or k < 2:
        return Ranked(mean_rank, half_width, differs, lower, cells, math.nan, k - 1, math.nan, 0)

    between = float((cells[used] * (mean_rank[used] - (n + 1) / 2) ** 2).sum())
    statistic = between / variance
    critical = range_quantile(confidence, k) / math.sqrt(2) * math.sqrt(variance)
    pairs = _Pairs(mean_rank[used], cells[used], critical)
    half_width[used] = pairs.half_widths()
    differs[used], lower[used], otherwise = pairs.count(half_width[used])
    p_value = float(chdtrc(k - 1, statistic))
    return Ranked(mean_rank, half_width, differs, lower, cells, statistic, k - 1, p_value, otherwise)


def _midranks(values: FloatArray) -> tuple[FloatArray, int]:
    """Return ranks from 1, the mean rank for ties, and Σ(t³ − t) over groups of ties."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ties = sum(t**3 - t for t in counts[counts > 1].tolist())  # Python's integers do not overflow
    return (last - (counts - 1) / 2)[where], ties


@dataclass(frozen=True)
class _Pairs:
    """All pairs of columns, a block of rows at a time, so that many columns need no large matrix."""

    mean_rank: FloatArray
    cells: IntArray
    critical: float

    def half_widths(self) -> FloatArray:
        k = len(self.cells)
        # d depends on the numbers of cells only, of which there are few different ones
        sizes, which, times = np.unique(self.cells, return_inverse=True, return_counts=True)
        d = self._edge(sizes[:, None], sizes[None, :])
        per_size = d @ times - np.diag(d)
        if k == 2:
            return per_size[which] / 2
        total = per_size @ times
        return np.asarray((((k - 1) * per_size - total / 2) / ((k - 1) * (k - 2)))[which])

    def count(self, half_width: FloatArray) -> tuple[IntArray, IntArray, int]:
        """Return how many columns each differs from, how many of them are higher, and pairs that look otherwise."""
        differs, lower = np.zeros_like(self.cells), np.zeros_like(self.cells)
        otherwise = 0
        for rows in self._blocks():
            gap = self.mean_rank[None, :] - self.mean_rank[rows, None]
            apart = np.abs(gap) > self._edge(self.cells[rows, None], self.cells[None, :])
            missed = np.abs(gap) > (half_width[rows, None] + half_width[None, :]) * (1 + 1e-12)
            differs[rows] = apart.sum(axis=1)
            lower[rows] = (apart & (gap > 0)).sum(axis=1)
            otherwise += int((apart != missed).sum())
        return differs, lower, otherwise // 2

    def _edge(self, one: IntArray, other: IntArray) -> FloatArray:
        """Return d for columns with so many cells."""
        return np.asarray(self.critical * np.sqrt(1 / one + 1 / other))

    def _blocks(self) -> Iterator[slice]:
        width = max(1, BLOCK // len(self.cells))
        return (slice(at, at + width) for at in range(0, len(self.cells), width))


def range_quantile(confidence: float, k: int) -> float:
    """Return the quantile of the range of k independent standard normal variables.

    This is the studentized range with infinitely many degrees of freedom, P(q) = k ∫ φ(z) [Φ(z) − Φ(z − q)]^(k − 1) dz.

    Examples
    --------
    >>> round(range_quantile(0.95, 3), 3)
    3.314
    """
    # The integrand is smooth and dies at both ends, for which the trapezoid rule is exact to rounding.
    z = np.linspace(-9.0, 9.0 + 2.0 * math.sqrt(math.log(k)), 4096)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0]) * k
    upper = ndtr(z)
    low, high = 0.0, 60.0
    while high - low > 1e-12 * high:
        q = (low + high) / 2
        if float(density @ (upper - ndtr(z - q)) ** (k - 1)) < confidence:
            low = q
        else:
            high = q
    return (low + high) / 2
