"""Rank correlation of long vectors whose order is fixed while weights vary.

The order of a metric's scores does not change between resamples, only how often each score occurs. Both sides are
sorted once and cut into *wholes*: runs of about √n points that never split a tie. Within a whole, signs of
differences are a small matrix; between wholes only their weights matter. So a draw costs O(n √n) multiplications
inside matrix products. A side with few distinct values, as human judgments have, is cut at every value and needs no
matrix at all. Weights are whole numbers, so every sum here is exact.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.stats.pairwise import kendall_from_counts, ratio

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]
"""Whole numbers in single or double precision."""

SLICE = 1 << 18
"""Points × draws handled at once; since sums are exact, the size changes no result."""
EXACT = 1 << 24
"""Whole numbers below this are exact in single precision, which is twice as fast."""


class Ordered:
    """Paired values, sorted once, to be correlated under many weightings.

    Parameters
    ----------
    x, z
        Finite values of the points.
    """

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        self.n = len(x)
        if self.n < 2:
            return
        # Correlation is symmetric: the side with fewer distinct values is the one that is cut at every value.
        if len(np.unique(x)) < len(np.unique(z)):
            x, z = z, x
        self.x = _Side(x)
        self.z = _Side(z)

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
        draws = weights.shape[1]
        if self.n < 2:
            return np.full(draws, np.nan)
        # Sums of pairs of weights stay below the square of their total.
        precision = np.float32 if total**2 < EXACT else np.float64
        width = 1 << max(4, (SLICE // self.n).bit_length() - 1)
        method = self._spearman if coefficient == "spearman" else self._kendall
        padded = np.zeros((self.n + 1, min(width, draws)), dtype=precision)
        out = np.empty(draws)
        for at in range(0, draws, width):
            part = padded[:, : min(width, draws - at)]
            part[:-1] = weights[:, at : at + width]
            out[at : at + width] = method(part, coefficient)
        return out

    # -- Spearman -------------------------------------------------------------------------------

    def _spearman(self, w: Numbers, _: str) -> FloatArray:
        wx, ranks_x, spread_x = self.x.centred_ranks(w)
        ranks_x *= wx
        flat = ranks_x.reshape(-1, w.shape[1])
        if self.z.flat:
            sums = self._z_wholes @ wx.reshape(flat.shape)
            middle = _signs(np.arange(self.z.wholes)) @ sums
            spread_z = _dot(sums, _square(middle))
            product = _dot(self._z_wholes @ flat, middle)
        else:
            _, ranks_z, spread_z = self.z.centred_ranks(w)
            product = _dot(flat, np.take(ranks_z.reshape(-1, w.shape[1]), self._z_slot, axis=0))
        return ratio(product, np.sqrt(spread_x * spread_z))

    @cached_property
    def _z_wholes(self) -> Numbers:
        """Which whole of z (rows) each slot of x (columns) belongs to."""
        whole = np.append(self.z.whole_of, -1)[self.x.slots]
        return (whole == np.arange(self.z.wholes)[:, None]).astype(np.float32)

    @cached_property
    def _z_slot(self) -> IntArray:
        """The slot of z that holds the same point as each slot of x; any slot for padding, which weighs nothing."""
        slot = np.zeros(self.n + 1, dtype=np.int64)
        slot[self.z.slots] = np.arange(len(self.z.slots))
        return slot[self.x.slots]

    # -- Kendall --------------------------------------------------------------------------------

    def _kendall(self, w: Numbers, coefficient: str) -> FloatArray:
        wx = self.x.blocks(w)
        table, tied = self._x_tables
        signed = table @ wx
        width = self.x.width
        numerator = _sum(signed[:, :width], wx) / 2
        tied_x = self.x.tied_between(wx) + _sum(signed[:, width:] if tied else wx * self.x.loose, wx)
        by_whole = self._z_wholes_by_block @ wx
        sums_z = by_whole.sum(axis=0)
        if self.z.flat:
            tied_z = _sum(sums_z, sums_z)
        else:
            wz = self.z.blocks(w)
            signed_z = self._z_tables @ wz
            numerator += _sum(signed_z[:, : self.z.width], wz) / 2
            tied_z = self.z.tied_between(wz) + _sum(signed_z[:, self.z.width :], wz)
        # Pairs that differ in both wholes: what came earlier in x, on the lower and on the upper side in z.
        before = (self.x.earlier @ by_whole.reshape(len(by_whole), -1)).reshape(by_whole.shape)
        numerator += _sum(by_whole, _signs(np.arange(self.z.wholes)) @ before)
        total = sums_z.sum(axis=0, dtype=np.float64)
        distinct = np.minimum(self.x.distinct(w), self.z.distinct(w)) if coefficient == "kendall-c" else None
        return kendall_from_counts(
            numerator, (total**2 - tied_x) / 2, (total**2 - tied_z) / 2, total, distinct, coefficient
        )

    @cached_property
    def _z_wholes_by_block(self) -> Numbers:
        return np.ascontiguousarray(self._z_wholes.reshape(self.z.wholes, -1, self.x.width).transpose(1, 0, 2))

    @cached_property
    def _x_tables(self) -> tuple[Numbers, bool]:
        """Per block of x: products of signs, and below them which points are tied in x if any are."""
        signs_z = self.x.gather(self.z.ranks)
        product = self.x.signs * np.sign(signs_z[:, :, None] - signs_z[:, None, :]).astype(np.float32)
        ties = self.x.ties
        if ties is None:
            return product, False
        return np.concatenate([product, ties], axis=1), True

    @cached_property
    def _z_tables(self) -> Numbers:
        """Per block of z: products of signs of pairs that no block of x holds, and which points are tied in z."""
        ranks_x, wholes_x = self.z.gather(self.x.ranks), self.z.gather(self.x.whole_of)
        apart = wholes_x[:, :, None] != wholes_x[:, None, :]
        product = self.z.signs * np.sign(ranks_x[:, :, None] - ranks_x[:, None, :]).astype(np.float32) * apart
        ties = self.z.ties
        if ties is None:
            ties = np.broadcast_to(np.eye(self.z.width, dtype=np.float32), product.shape)
        return np.concatenate([product, ties], axis=1)


class _Side:
    """One of the two variables: sorted, ranked, cut into wholes, and laid out in blocks of one width.

    A whole is a run of points in one block, or one large tie that fills several blocks; in a *flat* side every
    value is a whole of its own. Slots that hold no point have the index n, a row of zeros.
    """

    def __init__(self, values: FloatArray) -> None:
        n = len(values)
        order = np.argsort(values, kind="stable")
        new = np.ones(n, dtype=bool)
        new[1:] = np.diff(values[order]) != 0
        self.ranks = np.empty(n, dtype=np.int64)
        self.ranks[order] = np.cumsum(new) - 1
        starts = np.append(np.flatnonzero(new), n)
        self.width = max(8, int(np.sqrt(n)))
        self.flat = len(starts) - 1 <= max(32, 2 * self.width)
        self._sorted, self._starts = order, starts

        slots: list[IntArray] = []
        whole: list[int] = []
        run = 0  # where the whole that is being filled starts
        edges = []
        for first, last in zip(starts[:-1], starts[1:], strict=True):
            alone = self.flat or last - first > self.width
            if (alone or last - run > self.width) and first > run:
                edges.append((run, first))
                run = first
            if alone:
                edges.append((run, last))
                run = last
        if run < n:
            edges.append((run, n))
        self.wholes = len(edges)
        self.whole_of = np.empty(n, dtype=np.int64)
        for k, (first, last) in enumerate(edges):
            self.whole_of[order[first:last]] = k
            for at in range(first, last, self.width):
                block = np.full(self.width, n)
                points = order[at : min(at + self.width, last)]
                block[: len(points)] = points
                slots.append(block)
                whole.append(k)
        self.slots = np.concatenate(slots)
        of = np.array(whole)
        self.apart = _signs(of)
        self.earlier = (self.apart > 0).astype(np.float32)
        tie = np.array([self.ranks[order[first]] == self.ranks[order[last - 1]] for first, last in edges])
        large = (tie & ((np.bincount(of, minlength=self.wholes) > 1) | self.flat))[of]
        # Blocks inside one large tie have no loose points: their ties are counted between blocks.
        self.loose = (~large).astype(np.float32)[:, None, None]
        self.together = ((self.apart == 0) & large).astype(np.float32) if large.any() else None

    def blocks(self, w: Numbers) -> Numbers:
        """Return weights as (blocks, width, B)."""
        return np.take(w, self.slots, axis=0).reshape(-1, self.width, w.shape[1])

    def gather(self, values: IntArray) -> IntArray:
        """Return a property of the points as (blocks, width); −1 in slots that hold no point."""
        return np.append(values, -1)[self.slots].reshape(-1, self.width)

    @cached_property
    def signs(self) -> npt.NDArray[np.float32]:
        """Signs of differences within each block."""
        ranks = self.gather(self.ranks)
        return np.sign(ranks[:, :, None] - ranks[:, None, :]).astype(np.float32)

    @cached_property
    def ties(self) -> npt.NDArray[np.float32] | None:
        """Which loose points of a block are tied, each with itself; None if no two different points are."""
        ties = (self.signs == 0).astype(np.float32) * self.loose
        return ties if (ties.sum(axis=2)[self.gather(self.ranks) >= 0] > 1).any() else None

    def centred_ranks(self, w: Numbers) -> tuple[Numbers, Numbers, FloatArray]:
        """Return weights and ranks (blocks, width, B), and Σ w·rank²; ranks are twice the centred midranks.

        A rank is the middle of its whole plus what the signs inside add. These cancel within a whole, so squares
        add up without mixed terms.
        """
        wx = self.blocks(w)
        ranks = self.signs @ wx
        sums = wx.sum(axis=1)
        inside = wx * ranks
        if float(sums.max()) ** 2 * float(sums.sum(axis=0).max()) >= EXACT:
            inside = inside.astype(np.float64)
        middle = self.apart @ sums
        spread = _dot(sums, _square(middle)) + _sum(inside, ranks)
        ranks += middle[:, None, :]
        return wx, ranks, spread

    def tied_between(self, wx: Numbers) -> FloatArray | float:
        """Return Σ t² over large ties."""
        if self.together is None:
            return 0.0
        sums = wx.sum(axis=1)
        return _sum(sums, self.together @ sums)

    def distinct(self, w: Numbers) -> IntArray:
        """Return how many distinct values have weight."""
        sizes = np.add.reduceat(np.take(w, self._sorted, axis=0), self._starts[:-1], axis=0)
        return (sizes > 0).sum(axis=0)


def _signs(ranks: IntArray) -> npt.NDArray[np.float32]:
    """Return sign(r_i − r_k) for all i and k."""
    return np.sign(ranks[:, None] - ranks[None, :]).astype(np.float32)


def _square(a: Numbers) -> FloatArray:
    return np.square(a, dtype=np.float64)


def _sum(a: Numbers, b: Numbers) -> FloatArray:
    """Return Σ a·b over all but the last axis, for sums that are exact in the precision of the factors."""
    total = np.einsum("kib,kib->b", a, b) if a.ndim == 3 else np.einsum("ib,ib->b", a, b)
    return total.astype(np.float64)


def _dot(a: Numbers, b: Numbers) -> FloatArray:
    """Return Σ a·b over the first axis in double precision."""
    return np.einsum("ib,ib->b", a, b, dtype=np.float64)
