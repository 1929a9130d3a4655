"""Correlation within groups of fixed values under varying weights.

Values are (members, groups); weights are multiplicities (members, B), the same for every group. Three engines
give the same numbers: sums of products for Pearson, sums over pairs of signs for the rank coefficients of
short groups, and running sums over a fixed order (:mod:`metassay.stats.kernels.fixed_order`) for long ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.draws import PAGE
from metassay.stats.kernels.fixed_order import Ordered
from metassay.stats.kernels.weighted_ranks import correlate, kendall_from_counts, ratio

SHORT = 96
"""Up to this many members, all pairs at once in one matrix product are faster than running sums."""
TILE = 1 << 18
"""Elements per tile of groups. It is part of the arithmetic, so it is fixed."""
KEEP = 1 << 23
"""Tables of up to this many elements are kept between pages instead of being made again."""
CANCELLED = 1e-4
"""Variances that lost more than four digits to cancellation are computed again in two passes."""


class Groups(Protocol):
    """Values in groups, ready to be correlated under many weightings."""

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return correlations of shape (groups, B) for weights of shape (members, B)."""
        ...


def make_groups(x: FloatArray, z: FloatArray, coefficient: str) -> Groups:
    """Choose the engine for values of shape (members, groups), NaN for missing."""
    if coefficient == "pearson":
        return ProductGroups(x, z)
    # tau-c needs the number of distinct values in each draw, which only the fixed order knows.
    if len(x) <= SHORT and coefficient != "kendall-c":
        return SignGroups(x, z, coefficient)
    return OrderedGroups(x, z, coefficient)


def standardized(x: FloatArray, present: BoolArray) -> FloatArray:
    """Return each group centred and scaled over its present cells; 0 where missing, and in constant groups."""
    n = np.maximum(present.sum(axis=0), 1)
    first = x[np.argmax(present, axis=0), np.arange(x.shape[1])]
    first = np.where(present.any(axis=0), first, 0.0)
    # Subtracting one of the values first keeps a constant group at exactly 0.
    shifted = np.where(present, x - first, 0.0)
    # Scaling by the largest keeps squares of very large and very small scores within range.
    largest = np.abs(shifted).max(axis=0)
    shifted = shifted / np.where(largest > 0, largest, 1.0)
    centred = np.where(present, shifted - shifted.sum(axis=0) / n, 0.0)
    centred[:, ~shifted.any(axis=0)] = 0.0
    size = np.sqrt((centred**2).sum(axis=0) / n)
    return np.asarray(centred / np.where(size > 0, size, 1.0))


class ProductGroups:
    """Pearson: sums of weighted products, one matrix product for all groups."""

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        self.present = ~(np.isnan(x) | np.isnan(z))
        self.x = standardized(x, self.present)
        self.z = standardized(z, self.present)
        members, groups = x.shape
        self.width = max(1, TILE // (members * 6))
        self._kept: list[FloatArray] | None = None
        if members * groups * 6 <= KEEP:
            self._kept = [self._features(at) for at in range(0, groups, self.width)]

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return correlations of shape (groups, B)."""
        groups = self.x.shape[1]
        out = np.empty((groups, weights.shape[1]))
        for tile, at in enumerate(range(0, groups, self.width)):
            features = self._kept[tile] if self._kept is not None else self._features(at)
            out[at : at + self.width] = self._from_sums(features @ weights, at, lambda draws: weights[:, draws])
        return out

    def correlate_cells(self, rows: FloatArray, columns: FloatArray) -> FloatArray:
        """Return correlations of shape (1, B) if the members are cells, weighted by their row's and column's weight."""
        features = self._kept[0] if self._kept is not None else self._features(0)
        by_row = features.reshape(-1, len(columns)) @ columns
        sums = np.einsum("fib,ib->fb", by_row.reshape(len(features), len(rows), -1), rows)

        def cells(draws: IntArray) -> FloatArray:
            return (rows[:, None, draws] * columns[None, :, draws]).reshape(-1, len(draws))

        return self._from_sums(sums[:, None], 0, cells)

    def _features(self, at: int) -> FloatArray:
        """Return (sums, groups of the tile, members): the rows of the matrix product."""
        cut = slice(at, at + self.width)
        x, z = self.x[:, cut], self.z[:, cut]
        parts = [x * z, x * x, z * z, x, z, self.present[:, cut].astype(np.float64)]
        return np.ascontiguousarray(np.stack(parts).transpose(0, 2, 1))

    def _from_sums(self, sums: FloatArray, at: int, weights: Callable[[IntArray], FloatArray]) -> FloatArray:
        """Return correlations from weighted sums; `weights` gives the weights of the draws that need a second look."""
        xz, xx, zz, x, z, n = sums
        np.maximum(n, 1.0, out=n)
        raw_x, raw_z = xx * CANCELLED, zz * CANCELLED
        xx -= x * x / n
        zz -= z * z / n
        xz -= x * z / n
        group, draw = np.nonzero((xx < raw_x) | (zz < raw_z))
        r = ratio(xz, np.sqrt(np.maximum(xx * zz, 0.0)))
        step = max(1, TILE // len(self.x))
        for first in range(0, len(group), step):
            g, b = group[first : first + step] + at, draw[first : first + step]
            w = weights(b) * self.present[:, g]
            r[g - at, b] = correlate([self.x[:, g]], self.z[:, g], [w], "pearson")[0]
        return r


class SignGroups:
    """Spearman, tau-b and tau-a of short groups: signs of all pairs, one matrix product for all groups.

    All sums are of whole numbers below 2²⁴, so single precision is exact.
    """

    def __init__(self, x: FloatArray, z: FloatArray, coefficient: str) -> None:
        self.coefficient = coefficient
        self.present = ~(np.isnan(x) | np.isnan(z))
        self.x = np.where(self.present, x, 0.0)
        self.z = np.where(self.present, z, 0.0)
        members, groups = x.shape
        self.first, self.second = np.triu_indices(members, 1)
        self.width = max(1, TILE // max(1, members * PAGE))
        self._kept: list[npt.NDArray[np.float32]] | None = None
        if members * members * groups * 2 <= KEEP:
            self._kept = list(self._tables())

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return correlations of shape (groups, B)."""
        tables = self._kept if self._kept is not None else self._tables()
        w = weights.astype(np.float32)
        if self.coefficient == "spearman":
            return np.concatenate([self._spearman(signs, w) for signs in tables])
        pairs = w[self.first] * w[self.second]
        sums = np.concatenate([table @ pairs for table in tables], axis=1).astype(np.float64)
        n = self.present.T.astype(np.float64) @ weights if self.coefficient == "kendall-a" else sums[0]
        return kendall_from_counts(sums[0], sums[1], sums[2], n, None, self.coefficient)

    def _spearman(self, signs: npt.NDArray[np.float32], w: npt.NDArray[np.float32]) -> FloatArray:
        ranks_x, ranks_z = (signs @ w).reshape(2, -1, *w.shape)
        weighted = w * ranks_x
        product = np.einsum("gib,gib->gb", weighted, ranks_z)
        spread_x = np.einsum("gib,gib->gb", weighted, ranks_x)
        np.multiply(w, ranks_z, out=weighted)
        spread_z = np.einsum("gib,gib->gb", weighted, ranks_z)
        return ratio(product, np.sqrt(spread_x.astype(np.float64) * spread_z))

    def _tables(self) -> Iterator[npt.NDArray[np.float32]]:
        """Yield tiles: (x and z × groups × members, members) for Spearman, (sums, groups, pairs) for Kendall."""
        for at in range(0, self.x.shape[1], self.width):
            x, z, present = (a[:, at : at + self.width].T for a in (self.x, self.z, self.present))
            if self.coefficient == "spearman":
                both = present[:, :, None] & present[:, None, :]
                signs = np.stack([np.sign(v[:, :, None] - v[:, None, :]) * both for v in (x, z)])
                yield signs.astype(np.float32).reshape(-1, x.shape[1])
            else:
                both = present[:, self.first] & present[:, self.second]
                sx, sz = (np.sign(v[:, self.first] - v[:, self.second]) * both for v in (x, z))
                yield np.stack([sx * sz, np.abs(sx), np.abs(sz)]).astype(np.float32)


class OrderedGroups:
    """Rank coefficients of long groups: sorted once, sums over blocks in every draw."""

    def __init__(self, x: FloatArray, z: FloatArray, coefficient: str) -> None:
        self.coefficient = coefficient
        present = ~(np.isnan(x) | np.isnan(z))
        self.members = [np.flatnonzero(column) for column in present.T]
        self.groups = [Ordered(x[at, g], z[at, g]) for g, at in enumerate(self.members)]

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return correlations of shape (groups, B)."""
        # Units that are drawn as a whole may add up to more than there are members.
        n, total = len(weights), int(weights.sum(axis=0).max())
        return np.stack(
            [
                group.correlate(weights if len(at) == n else weights[at], total, self.coefficient)
                for group, at in zip(self.groups, self.members, strict=True)
            ]
        )
