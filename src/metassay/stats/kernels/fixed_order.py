"""Rank correlation of long vectors whose order is fixed while weights vary.

The order of a metric's scores does not change between resamples, only how often each score occurs. Both sides are
sorted once; in each draw a running sum of weights in that order gives the ranks. Kendall's coefficients count pairs
(:mod:`metassay.stats.kernels.kendall_blocks`). Weights are whole numbers, so every sum here is exact.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.kendall_blocks import Blocked
from metassay.stats.kernels.running_sums import Running, in_slices
from metassay.stats.kernels.weighted_ranks import Numbers, ratio

SLICE = 1 << 18
"""Points × draws handled at once."""


class Ordered:
    """Paired values, sorted once, to be correlated under many weightings.

    Parameters
    ----------
    x, z
        Finite values of the points.
    """

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        self._x, self._z = x, z

    @cached_property
    def _blocked(self) -> Blocked:
        # Correlation is symmetric, and counting by the side with fewer distinct values is faster.
        many, few = sorted((self._x, self._z), key=lambda side: -len(np.unique(side)))
        return Blocked(many, [few])

    @cached_property
    def _ranked(self) -> tuple[_Ranked, _Ranked]:
        return _Ranked(self._x), _Ranked(self._z)

    def correlate(self, weights: Numbers, total: int, coefficient: str) -> FloatArray:
        """Return the correlation in each draw.

        Parameters
        ----------
        weights
            Whole numbers of shape (points, B).
        total
            What the weights of no draw exceed when added up.
        coefficient
            ``spearman``, ``kendall``, ``kendall-a`` or ``kendall-c``.
        """
        if coefficient != "spearman":
            found: FloatArray = self._blocked.correlate(weights, total, coefficient)[0, 0]
            return found
        out = np.full(weights.shape[1], np.nan)
        if len(self._x) < 2:
            return out
        # Ranks are sums of weights, less their total.
        for draws, w in in_slices(weights, SLICE, total):
            out[draws] = self._spearman(w)
        return out

    def _spearman(self, w: Numbers) -> FloatArray:
        rx, rz = (side.ranks(w).astype(np.float64) for side in self._ranked)
        wx = w * rx
        product, spread_x = (np.einsum("ib,ib->b", wx, ranks) for ranks in (rz, rx))
        np.multiply(w, rz, out=wx)
        return ratio(product, np.sqrt(spread_x * np.einsum("ib,ib->b", wx, rz)))


class _Ranked:
    """One of the two variables, ready to be ranked."""

    def __init__(self, values: FloatArray) -> None:
        order = np.argsort(values, kind="stable")
        self._running = Running(order)
        ends = (np.searchsorted(values[order], values, side) for side in ("left", "right"))
        self._less, self._upto = (self._running.row[end] for end in ends)

    def ranks(self, w: Numbers) -> Numbers:
        """Return twice the centred weighted midranks."""
        sums = self._running.sums(w)
        ranks = np.take(sums, self._less, axis=0)
        ranks += np.take(sums, self._upto, axis=0)
        ranks -= w.sum(axis=0)
        return ranks
