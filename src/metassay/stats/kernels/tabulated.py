"""Statistics that are formulas of sums over items: a confusion table, moments of errors, counts by score.

Each item falls into a cell and brings values; a draw is a vector of weights, so that the sums of all draws are one
product of a sparse matrix with the weights. With items in clusters, sums are taken by cluster once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray, Pair, Swaps
from metassay.stats.kernels.evaluated import EvaluatedExchange
from metassay.stats.kernels.weighted_ranks import Numbers

SUMS = 1 << 21
"""Sums × draws made at once; part of no arithmetic."""


class Items(NamedTuple):
    """Items as a statistic sees them."""

    cells: IntArray
    """The cell of each item, (n,)."""
    size: int
    """How many cells there are."""
    values: FloatArray
    """What each item adds to its cell, (V, n)."""


class Formula(Protocol):
    """A statistic that is a formula of sums; `frame` is what is fixed by all of the data, such as the labels."""

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return what all draws share, from values without missing ones."""
        ...

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return cells and values of items."""
        ...

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the statistic (B,) from sums (cells, V, B); NaN where it is undefined."""
        ...


class Tabulated:
    """Paired values without missing ones, to be compared under many weightings of items or of clusters of items.

    Parameters
    ----------
    statistic
        The statistic.
    x, z
        Values of a judge and of people, (n,).
    frame
        What is fixed by all of the data; by default by these.
    clusters
        The cluster of each item, 0, 1, …; by default each item is one.
    """

    def __init__(
        self,
        statistic: Formula,
        x: FloatArray,
        z: FloatArray,
        frame: FloatArray | None = None,
        clusters: IntArray | None = None,
    ) -> None:
        self.statistic = statistic
        self.frame = statistic.frame(x, z) if frame is None else frame
        self.size = len(x) if clusters is None else int(clusters.max(initial=-1)) + 1
        self._items = items = statistic.items(x, z, self.frame)
        self._single = clusters is None
        where = np.arange(len(x)) if clusters is None else clusters
        rows = (items.cells * len(items.values) + np.arange(len(items.values))[:, None]).ravel()
        entries = (items.values.ravel(), (rows, np.tile(where, len(items.values))))
        self._sums = sparse.csr_array(entries, shape=(items.size * len(items.values), self.size))

    def estimate(self) -> float:
        """Return the statistic of the data."""
        return float(self.correlate(np.ones((self.size, 1)))[0])

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the statistic in each draw, (B,), for weights of items or clusters, (size, B)."""
        return self._under(self._sums, weights)

    def bootstrap(self, resamples: int, seed: int) -> FloatArray:
        """Return the statistic of samples drawn with replacement: of items, or of clusters if there are some.

        Where most items have doubles, what is drawn is how many there are of each kind, whatever their number.
        """
        if not self.size:
            return np.full(resamples, np.nan)
        sums, share, out = self._sums, None, []
        if self._single:
            first, times = self._kinds()
            if 4 * len(first) <= self.size:
                sums, share = self._sums[:, first], times / self.size
        size = draws.page_size(sums.shape[1])
        for page in range(-(-resamples // size)):
            random = draws.stream(seed, draws.POINTS, page)
            if share is None:
                out.append(self._under(sums, draws.multiplicities(random, self.size, size)))
            else:
                out.append(self._under(sums, random.multinomial(self.size, share, size).T))
        return np.concatenate(out)[:resamples]

    def _kinds(self) -> tuple[IntArray, IntArray]:
        """Return the first item of each kind, and how many there are: kinds differ in their cell or their values."""
        kind = self._items.cells
        for value in self._items.values:
            each = np.unique(value, return_inverse=True)[1]
            kind = np.unique(kind * (int(each.max()) + 1) + each, return_inverse=True)[1]
        return np.unique(kind, return_index=True, return_counts=True)[1:]

    def _under(self, sums: sparse.csr_array, weights: Numbers) -> FloatArray:
        """Return the statistic under weights of the columns of sparse sums."""
        out, items = np.full(weights.shape[1], np.nan), self._items
        width = max(1, SUMS // max(*sums.shape, 1))
        for at in range(0, len(out) if self.size else 0, width):
            cut = slice(at, at + width)
            total = sums @ np.asarray(weights[:, cut], dtype=np.float64)
            with np.errstate(divide="ignore", invalid="ignore"):
                out[cut] = self.statistic.of_sums(total.reshape(items.size, len(items.values), -1), self.frame)
        return out


class TabulatedExchange(EvaluatedExchange):
    """Metrics whose scores are exchanged within pairs: either score of an item counts once or not at all."""

    def __init__(self, statistic: Framed, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        super().__init__(statistic, x, z, pairs)
        self.framed = statistic

    def exchanged(self, left: FloatArray, right: FloatArray, z: FloatArray, swaps: Swaps) -> FloatArray:
        """Return the statistic of both metrics (2, B) in a group, (n,) each, after swaps (n, B)."""
        both = Tabulated(self.framed.statistic, np.concatenate([left, right]), np.tile(z, 2), self.framed.frame)
        moved = swaps.astype(np.float64)
        return np.stack([both.correlate(np.concatenate(w)) for w in ((1 - moved, moved), (moved, 1 - moved))])


class Framed:
    """A statistic of changing values, evaluated with what is fixed by the data before they change."""

    def __init__(self, statistic: Formula, frame: FloatArray) -> None:
        self.statistic, self.frame = statistic, frame

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic of paired values (n, B) or (n, 1) under weights, (B,)."""
        if x.shape[1] == z.shape[1] == 1:
            return Tabulated(self.statistic, x[:, 0], z[:, 0], self.frame).correlate(w)
        x, z, w = np.broadcast_arrays(x, z, w)
        items = self.statistic.items(x.ravel(), z.ravel(), self.frame)
        # Draws stand last, so item i of draw b is at i · B + b.
        where = items.cells * x.shape[1] + np.tile(np.arange(x.shape[1]), len(x))
        size = items.size * x.shape[1]
        sums = [np.bincount(where, w.ravel() * value, size).reshape(items.size, -1) for value in items.values]
        return self.statistic.of_sums(np.stack(sums, axis=1), self.frame)

    def __repr__(self) -> str:
        return repr(self.statistic)
