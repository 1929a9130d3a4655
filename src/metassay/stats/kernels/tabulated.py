"""Statistics that are formulas of sums over items: a confusion table, moments of errors, counts by score.

Each item falls into a cell and brings values; a draw is a vector of weights, so that the sums of all draws are one
product of a sparse matrix with the weights. With items in clusters, sums are taken by cluster once.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray
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
        self._each = clusters is None and len(items.values) == 1 and bool((items.values == 1).all())
        where = np.arange(len(x)) if clusters is None else clusters
        rows = (items.cells * len(items.values) + np.arange(len(items.values))[:, None]).ravel()
        entries = (items.values.ravel(), (rows, np.tile(where, len(items.values))))
        self._sums = sparse.csr_array(entries, shape=(items.size * len(items.values), self.size))

    def estimate(self) -> float:
        """Return the statistic of the data."""
        return float(self.correlate(np.ones((self.size, 1)))[0])

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the statistic in each draw, (B,), for weights of items or clusters, (size, B)."""
        out = np.full(weights.shape[1], np.nan)
        if not self.size:
            return out
        width = max(1, SUMS // max(self._sums.shape[0], self.size))
        for at in range(0, len(out), width):
            cut = slice(at, at + width)
            out[cut] = self._of(self._sums @ np.asarray(weights[:, cut], dtype=np.float64))
        return out

    def bootstrap(self, resamples: int, seed: int) -> FloatArray:
        """Return the statistic of samples drawn with replacement: of items, or of clusters if there are some.

        Where items only count, what is drawn is how many fall into each cell, whatever their number.
        """
        out, size = [], draws.page_size(self._items.size if self._each else self.size)
        for page in range(-(-resamples // size) if self.size else 0):
            random = draws.stream(seed, draws.POINTS, page)
            if self._each:
                share = np.bincount(self._items.cells, minlength=self._items.size) / self.size
                out.append(self._of(random.multinomial(self.size, share, size).T.astype(np.float64)))
            else:
                out.append(self.correlate(draws.multiplicities(random, self.size, size)))
        return np.concatenate(out)[:resamples] if out else np.full(resamples, np.nan)

    def _of(self, sums: FloatArray) -> FloatArray:
        shape = (self._items.size, len(self._items.values), sums.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.statistic.of_sums(sums.reshape(shape), self.frame))


class TabulatedGroups:
    """Values in groups, (members, groups) with NaN for missing; all groups share what is fixed by the data."""

    def __init__(self, statistic: Formula, x: FloatArray, z: FloatArray) -> None:
        known = ~np.isnan(x + z)
        frame = statistic.frame(x[known], z[known])
        self.members = [np.flatnonzero(column) for column in known.T]
        self.parts = [Tabulated(statistic, x[at, g], z[at, g], frame) for g, at in enumerate(self.members)]

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return statistics of shape (groups, B) for weights (members, B)."""
        return np.stack([part.correlate(weights[at]) for part, at in zip(self.parts, self.members, strict=True)])


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
