"""Rank correlation of long vectors whose order is fixed while weights vary.

The order of a metric's scores does not change between resamples, only how often each score occurs. Both sides are
sorted once and cut into *wholes*: runs of about √n points that never split a tie. Within a whole, signs of
differences are a small matrix; between wholes only their weights matter. So a draw costs O(n √n) multiplications
inside matrix products. A side with few distinct values, as human judgments have, is cut at every value and needs no
matrix at all; the other side then has wholes of bounded size, and a draw costs O(n). Weights are whole numbers, so
every sum here is exact.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import Numbers, dot, kendall_from_counts, ratio

SLICE = 1 << 18
"""Points × draws handled at once; since sums are exact, the size changes no result."""
FEW_BLOCKS = 128
"""Up to this many blocks, sums over earlier ones are a product with a triangle of ones."""
WIDEST = 64
"""Points in a block, if the other side needs no blocks."""
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
        self.z = Side(z, int(np.sqrt(self.n)))
        # Against few values, blocks of one width keep the cost in step with the number of points.
        self.x = Side(x, min(int(np.sqrt(self.n)), WIDEST) if self.z.flat else int(np.sqrt(self.n)))

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
        spearman = coefficient == "spearman"
        tables = self._spearman_tables if spearman else self._kendall_tables
        out = np.empty(draws)
        for at in range(0, draws, width):
            w = weights[:, at : at + width]
            wx = self.x.blocks(w, precision)
            given = tables @ wx
            r = self._spearman(w, wx, given) if spearman else self._kendall(w, wx, given, coefficient)
            out[at : at + width] = r
        return out

    # -- Spearman -------------------------------------------------------------------------------

    def _spearman(self, w: Numbers, wx: Numbers, given: Numbers) -> FloatArray:
        ranks_x, here, sums = np.split(given, self._spearman_cuts, axis=1)
        spread_x = self.x.finish_ranks(wx, ranks_x, sums[:, 0])
        ranks_x *= wx
        flat = ranks_x.reshape(-1, w.shape[1])
        if self.z.flat:
            sums_z = here.sum(axis=0)
            middle = signs_between(np.arange(self.z.wholes)) @ sums_z
            spread_z = _dot(sums_z, _square(middle))
            product = _dot(self._z_wholes @ flat, middle)
        else:
            wz = self.z.blocks(w, wx.dtype)
            ranks_z = self.z.signs @ wz
            spread_z = self.z.finish_ranks(wz, ranks_z, wz.sum(axis=1))
            product = _dot(flat, np.take(ranks_z.reshape(-1, w.shape[1]), self._z_slot, axis=0))
        return ratio(product, np.sqrt(spread_x * spread_z))

    @cached_property
    def _spearman_tables(self) -> Numbers:
        """Per block of x, one below the other: signs; weights of the wholes of z if it is flat; the block's weight."""
        signs = self.x.signs
        here = self._z_wholes_by_block if self.z.flat else signs[:, :0]
        return _stacked([signs, here, np.ones_like(signs[:, :1])])

    @cached_property
    def _spearman_cuts(self) -> IntArray:
        return np.cumsum([self.x.width, self.z.wholes if self.z.flat else 0])

    @cached_property
    def _z_wholes(self) -> Numbers:
        """Which whole of z (rows) each slot of x (columns) belongs to."""
        whole = self.x.gather(self.z.whole_of).reshape(-1)
        return np.asarray(whole == np.arange(self.z.wholes)[:, None], dtype=np.float32)

    @cached_property
    def _z_wholes_by_block(self) -> Numbers:
        return self._z_wholes.reshape(self.z.wholes, -1, self.x.width).transpose(1, 0, 2)

    @cached_property
    def _z_slot(self) -> IntArray:
        """The slot of z that holds the same point as each slot of x; any slot for padding, which weighs nothing."""
        slot = np.zeros(self.n + 1, dtype=np.int64)
        slot[self.z.slots] = np.arange(len(self.z.slots))
        return slot[self.x.slots]

    # -- Kendall --------------------------------------------------------------------------------

    def _kendall(self, w: Numbers, wx: Numbers, given: Numbers, coefficient: str) -> FloatArray:
        product, tied, here, lead, sums = np.split(given, self._kendall_cuts, axis=1)
        numerator = _sum(product, wx) / 2
        tied_x = _sum(tied if tied.shape[1] else wx * self.x.loose, wx) + self.x.tied_between(sums[:, 0])
        # Pairs that differ in both wholes: what comes earlier in x, on the lower less on the upper side in z.
        earlier = self.x.sum_earlier(np.ascontiguousarray(lead).reshape(len(lead), -1))
        numerator += _sum(here, earlier.reshape(lead.shape))
        sums_z = here.sum(axis=0)
        total = sums_z.sum(axis=0, dtype=np.float64)
        if self.z.flat:
            tied_z = _sum(sums_z, sums_z)
        else:
            wz = self.z.blocks(w, wx.dtype)
            product, tied = np.split(self._z_tables @ wz, 2, axis=1)
            numerator += _sum(product, wz) / 2
            tied_z = _sum(tied, wz) + self.z.tied_between(wz.sum(axis=1))
        distinct = np.minimum(self.x.distinct(w), self.z.distinct(w)) if coefficient == "kendall-c" else None
        return kendall_from_counts(
            numerator, (total**2 - tied_x) / 2, (total**2 - tied_z) / 2, total, distinct, coefficient
        )

    @cached_property
    def _kendall_tables(self) -> Numbers:
        """Per block of x, one below the other: what a single product with the weights should give.

        Products of signs; ties within the block, if there are any; the weight in each whole of z, and the weight
        below less the weight above each whole of z; the weight of the block.
        """
        ranks_z = self.x.gather(self.z.ranks)
        product = self.x.signs * np.sign(ranks_z[:, :, None] - ranks_z[:, None, :]).astype(np.float32)
        ties = product[:, :0] if self.x.ties is None else self.x.ties
        here = self._z_wholes_by_block
        lead = signs_between(np.arange(self.z.wholes)) @ here
        return _stacked([product, ties, here, lead, np.ones_like(product[:, :1])])

    @cached_property
    def _kendall_cuts(self) -> IntArray:
        ties = 0 if self.x.ties is None else self.x.width
        return np.cumsum([self.x.width, ties, self.z.wholes, self.z.wholes])

    @cached_property
    def _z_tables(self) -> Numbers:
        """Per block of z: products of signs of pairs that no whole of x holds, and below them ties."""
        ranks_x, wholes_x = self.z.gather(self.x.ranks), self.z.gather(self.x.whole_of)
        apart = wholes_x[:, :, None] != wholes_x[:, None, :]
        product = self.z.signs * np.sign(ranks_x[:, :, None] - ranks_x[:, None, :]).astype(np.float32) * apart
        ties = self.z.ties if self.z.ties is not None else np.eye(self.z.width, dtype=np.float32) * self.z.loose
        return _stacked([product, ties])


class Side:
    """One of the two variables: sorted, ranked, cut into wholes, and laid out in blocks of one width.

    A whole is a run of points in one block, or one large tie that fills several blocks; in a *flat* side every
    value is a whole of its own. Slots that hold no point have the index n.
    """

    def __init__(self, values: FloatArray, width: int) -> None:
        n = self.n = len(values)
        order = np.argsort(values, kind="stable")
        new = np.ones(n, dtype=bool)
        new[1:] = np.diff(values[order]) != 0
        self.ranks = np.empty(n, dtype=np.int64)
        self.ranks[order] = np.cumsum(new) - 1
        starts = np.append(np.flatnonzero(new), n)
        self.width = max(8, width)
        self.flat = len(starts) - 1 <= max(32, 2 * self.width)
        self._sorted, self._starts = order, starts

        slots: list[IntArray] = []
        whole: list[int] = []
        run = 0  # where the whole that is being filled starts
        edges = []
        for first, last in pairwise(starts):
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
        self._empty = np.flatnonzero(self.slots == n)
        self._points = np.minimum(self.slots, n - 1)
        of = np.array(whole)
        self.first, self.last = np.searchsorted(of, of), np.searchsorted(of, of, side="right")
        # Up to some number of blocks one product is faster than running sums.
        few = len(of) <= FEW_BLOCKS
        self._earlier = (of[:, None] > of[None, :]).astype(np.float32) if few else None
        tie = np.array([self.ranks[order[first]] == self.ranks[order[last - 1]] for first, last in edges])
        large = (tie & ((np.bincount(of, minlength=self.wholes) > 1) | self.flat))[of]
        # Blocks inside one large tie have no loose points: their ties are counted between blocks.
        self.loose = (~large).astype(np.float32)[:, None, None]
        self.large = large

    def blocks(self, w: Numbers, precision: npt.DTypeLike) -> Numbers:
        """Return weights of the points as (blocks, width, B); 0 in slots that hold no point."""
        out = np.take(w, self._points, axis=0).astype(precision, copy=False)
        out[self._empty] = 0
        return out.reshape(-1, self.width, w.shape[1])

    def gather(self, values: IntArray) -> IntArray:
        """Return a property of the points as (blocks, width); −1 in slots that hold no point."""
        return np.append(values, -1)[self.slots].reshape(-1, self.width)

    @cached_property
    def signs(self) -> npt.NDArray[np.float32]:
        """Signs of differences within each block."""
        ranks = self.gather(self.ranks)
        return np.asarray(np.sign(ranks[:, :, None] - ranks[:, None, :]), dtype=np.float32)

    @cached_property
    def ties(self) -> npt.NDArray[np.float32] | None:
        """Which loose points of a block are tied, each with itself; None if no two different points are."""
        ties = (self.signs == 0).astype(np.float32) * self.loose
        return ties if (ties.sum(axis=2)[self.gather(self.ranks) >= 0] > 1).any() else None

    def finish_ranks(self, wx: Numbers, ranks: Numbers, sums: Numbers) -> FloatArray:
        """Add to each rank the middle of its whole, in place, and return Σ w·rank²; ranks are twice centred midranks.

        A rank is the middle of its whole plus what the signs inside add. These cancel within a whole, so squares
        add up without mixed terms.
        """
        exact = float(sums.max()) ** 2 * float(sums.sum(axis=0).max()) < EXACT
        inside: FloatArray = np.einsum("kib,kib,kib->b", wx, ranks, ranks, dtype=None if exact else np.float64)
        before, own = self.sum_earlier(sums), self.sum_together(sums)
        middle = 2 * before + own - sums.sum(axis=0)
        ranks += middle[:, None, :]
        return _dot(sums, _square(middle)) + inside

    def tied_between(self, sums: Numbers) -> FloatArray | float:
        """Return Σ t² over large ties, for the weights of the blocks."""
        return _sum(sums[self.large], self.sum_together(sums)[self.large]) if self.large.any() else 0.0

    def sum_earlier(self, rows: Numbers) -> Numbers:
        """Return for each block the sum over blocks of earlier wholes."""
        if self._earlier is not None:
            return np.asarray(self._earlier @ rows)
        return np.asarray(running_sums(rows)[self.first])

    def sum_together(self, rows: Numbers) -> Numbers:
        """Return for each block the sum over the blocks of its whole."""
        if not self.large.any():
            return rows
        upto = running_sums(rows)
        return np.asarray(upto[self.last] - upto[self.first])

    def distinct(self, w: Numbers) -> IntArray:
        """Return how many distinct values have weight."""
        return np.asarray((self.sizes(w) > 0).sum(axis=0))

    def sizes(self, w: Numbers) -> Numbers:
        """Return the weight of each distinct value, in ascending order."""
        ordered = np.take(w, self._sorted, axis=0)
        # Without ties there is nothing to add up, and that is slow along the first axis.
        return ordered if len(self._starts) > self.n else np.add.reduceat(ordered, self._starts[:-1], axis=0)


def running_sums(rows: Numbers) -> Numbers:
    """Return sums of the first 0, 1, …, n rows.

    NumPy's own cumulative sum is slow along the first axis; two passes over square blocks are not.
    """
    n, draws = rows.shape
    width = max(1, int(np.sqrt(n)))
    blocks = -(-n // width)
    out = np.zeros((blocks * width + 1, draws), dtype=rows.dtype)
    out[1 : n + 1] = rows
    inner = out[1:].reshape(blocks, width, draws)
    for at in range(1, width):
        inner[:, at] += inner[:, at - 1]
    for block in range(1, blocks):
        inner[block] += inner[block - 1, -1]
    return out[: n + 1]


def signs_between(ranks: IntArray) -> npt.NDArray[np.float32]:
    """Return sign(r_i − r_k) for all i and k."""
    return np.asarray(np.sign(ranks[:, None] - ranks[None, :]), dtype=np.float32)


def _stacked(tables: list[Numbers]) -> Numbers:
    return np.ascontiguousarray(np.concatenate(tables, axis=1), dtype=np.float32)


def _square(a: Numbers) -> FloatArray:
    return np.square(a, dtype=np.float64)


def _sum(a: Numbers, b: Numbers) -> FloatArray:
    """Return Σ a·b over all axes but the last, for sums that are exact in the precision of the factors."""
    total: FloatArray = dot(a, b).astype(np.float64)
    return total


def _dot(a: Numbers, b: Numbers) -> FloatArray:
    """Return Σ a·b over the first axis in double precision."""
    product: FloatArray = np.einsum("ib,ib->b", a, b, dtype=np.float64)
    return product
