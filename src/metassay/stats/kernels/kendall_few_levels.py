"""Kendall's correlation of one long vector with several that take few values, as human judgments do.

The order of a metric's scores does not change between resamples, only how often each score occurs, and all human
criteria can be taken along in one pass. The scores are sorted once and cut into blocks. One matrix product per block
gives, for every criterion, what the signs inside the block add up to and how much weight each value has there; a
running sum over the blocks does the rest. A draw costs O(n) per criterion, and all sums are of whole numbers, so they
are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.sorted_blocks import EXACT, Side, signs_between
from metassay.stats.kernels.weighted_ranks import Numbers, kendall_from_counts

WIDTH = 32
"""Points in a block: with about a dozen values, signs inside blocks and sums between them then cost about the same."""
DRAWS = 128
"""Draws handled at once; since sums are exact, the number changes no result."""
FEW = 64
"""With more distinct values than this, a criterion is not worth its rows in the tables."""


def takes_few_values(z: FloatArray) -> bool:
    """Return whether a criterion has at most :data:`FEW` distinct values."""
    return len(np.unique(z)) <= FEW


class FewValues:
    """One vector and several of few values over the same points, to be correlated under many weightings.

    Parameters
    ----------
    x
        Finite values of the points.
    zs
        For each criterion finite values of the same points.
    """

    def __init__(self, x: FloatArray, zs: Sequence[FloatArray]) -> None:
        self.n = len(x)
        self.criteria = len(zs)
        if self.n < 2:
            return
        self._x = Side(x, WIDTH)
        self._ranks = [np.unique(z, return_inverse=True)[1] for z in zs]
        sizes = [int(ranks.max()) + 1 for ranks in self._ranks]
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._values = sum(sizes)

    @cached_property
    def _tables(self) -> npt.NDArray[np.float32]:
        """Per block, one below the other: products of signs of each criterion; weights of values; below less above."""
        products, here, lead = [], [], []
        for ranks in self._ranks:
            own = self._x.gather(ranks)
            # Halved, because the sum over all pairs of a block meets each pair twice; halves are exact.
            products.append(self._x.signs * np.sign(own[:, :, None] - own[:, None, :]).astype(np.float32) / 2)
            values = np.arange(int(ranks.max()) + 1)
            is_value = (own[:, None, :] == values[None, :, None]).astype(np.float32)
            here.append(is_value)
            lead.append(signs_between(values) @ is_value)
        return np.ascontiguousarray(np.concatenate(products + here + lead, axis=1), dtype=np.float32)

    def correlate(self, weights: Numbers, total: int, coefficient: str) -> FloatArray:
        """Return the correlations (criteria, B).

        Parameters
        ----------
        weights
            Whole numbers of shape (points, B).
        total
            What the weights of no draw exceed when added up.
        coefficient
            ``kendall``, ``kendall-a`` or ``kendall-c``.
        """
        out = np.full((self.criteria, weights.shape[1]), np.nan)
        if self.n < 2:
            return out
        # Sums of pairs of weights stay below the square of their total.
        precision = np.float32 if total**2 < EXACT else np.float64
        for at in range(0, weights.shape[1], DRAWS):
            out[:, at : at + DRAWS] = self._correlate(weights[:, at : at + DRAWS], precision, coefficient)
        return out

    def _correlate(self, w: Numbers, precision: npt.DTypeLike, coefficient: str) -> FloatArray:
        wx = self._x.blocks(w, precision)
        given = self._tables @ wx
        rows = self.criteria * self._x.width
        signs = given[:, :rows].reshape(len(given), self.criteria, self._x.width, -1)
        numerator = np.einsum("kcib,kib->cb", signs, wx).astype(np.float64)
        here, lead = given[:, rows : rows + self._values], given[:, rows + self._values :]
        # Pairs in different wholes of x: what comes earlier, on the lower less on the upper side in z.
        earlier, between, part = (np.zeros_like(here[0]) for _ in range(3))
        for whole in self._wholes:
            for block in whole:
                np.multiply(here[block], earlier, out=part)
                between += part
            for block in whole:
                earlier += lead[block]
        numerator += np.add.reduceat(between, self._starts, axis=0)
        sums = here.sum(axis=0)
        total = np.add.reduceat(sums, self._starts, axis=0)[0].astype(np.float64)
        tied = np.add.reduceat(sums.astype(np.float64) ** 2, self._starts, axis=0)
        untied_z = (total**2 - tied) / 2
        distinct = np.add.reduceat((sums > 0).astype(np.int64), self._starts, axis=0)
        if coefficient == "kendall":
            untied_x = (total**2 - self._tied(w)) / 2
        else:
            seen = self._distinct(w, wx, max(2, int(distinct.max())))
            untied_x = (seen > 1).astype(np.float64)
            distinct = np.minimum(distinct, seen)
        each = [
            kendall_from_counts(numerator[c], untied_x, untied_z[c], total, distinct[c], coefficient)
            for c in range(self.criteria)
        ]
        return np.stack(each)

    @cached_property
    def _wholes(self) -> list[range]:
        """Blocks that belong together: nearly always one, and several where a tie is longer than a block."""
        edges = np.unique(np.append(self._x.first, len(self._x.first)))
        return [range(int(a), int(b)) for a, b in pairwise(edges)]

    def _distinct(self, w: Numbers, wx: Numbers, enough: int) -> IntArray:
        """Return how many distinct values of x have weight, or any number from `enough` on if there are as many."""
        weighty = wx.sum(axis=1) > 0
        sure = sum(weighty[whole.start : whole.stop].any(axis=0).astype(np.int64) for whole in self._wholes)
        seen = np.asarray(sure, dtype=np.int64)
        short = seen < enough
        if short.any():
            seen[short] = self._x.distinct(w[:, short])
        return seen

    def _tied(self, w: Numbers) -> FloatArray:
        """Return Σ t² over the values of x."""
        return np.asarray(np.square(self._x.sizes(w), dtype=np.float64).sum(axis=0))
