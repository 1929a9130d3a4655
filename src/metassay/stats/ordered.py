"""Rank correlation of long vectors whose order is fixed while weights vary.

The order of a metric's scores does not change between resamples, only how often each score occurs. Sorting is
done once; each draw then costs running sums: O(n) for Spearman, O(n log m) for Kendall, m being the number of
distinct values of the side that has fewer. Points belong to groups (inputs, say) that are correlated apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metassay.stats.pairwise import kendall_from_counts, ratio

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

BLOCK = 2_000_000
"""Points × draws handled at once; every sum is of whole numbers, so the size changes no result."""


def running_sums(rows: FloatArray) -> FloatArray:
    """Return sums of the first 0, 1, …, n rows.

    NumPy's own cumulative sum is slow along the first axis; two passes over square blocks are not.
    """
    n, draws = rows.shape
    width = max(1, int(np.sqrt(n)))
    blocks = -(-n // width)
    out = np.zeros((blocks * width + 1, draws))
    out[1 : n + 1] = rows
    inner = out[1:].reshape(blocks, width, draws)
    for at in range(1, width):
        inner[:, at] += inner[:, at - 1]
    for block in range(1, blocks):
        inner[block] += inner[block - 1, -1]
    return out[: n + 1]


@dataclass(frozen=True)
class _Step:
    """One bit of the second rank: pairs whose ranks first differ in that bit."""

    low: IntArray  # points whose bit is 0, by block and then by first rank
    high: IntArray  # points whose bit is 1
    group: IntArray  # the group of each high point
    below: IntArray  # for each high point: low points before its block's points of smaller first rank end
    upto: IntArray  # the same, counting points of equal first rank
    start: IntArray  # low points before its block
    end: IntArray  # low points up to the end of its block


class Ordered:
    """Paired values in groups, sorted once, to be correlated under many weightings.

    Parameters
    ----------
    x, z
        Finite values of the points.
    group
        The group of each point, from 0.
    groups
        The number of groups.
    """

    def __init__(self, x: FloatArray, z: FloatArray, group: IntArray, groups: int) -> None:
        self.groups = groups
        self.order = np.lexsort((x, group))
        self._group = group[self.order]
        self._x = _ranks(x[self.order], self._group)
        self._z = _ranks(z[self.order], self._group)
        self._steps: list[_Step] | None = None

    def correlate(self, weights: FloatArray, coefficient: str) -> FloatArray:
        """Return the correlation within each group, shape (groups, B), for weights of shape (points, B)."""
        width = max(1, BLOCK // max(1, len(weights)))
        method = self._spearman if coefficient == "spearman" else self._kendall
        parts = [
            method(weights[self.order, at : at + width], coefficient) for at in range(0, weights.shape[1], width)
        ]
        return np.concatenate(parts, axis=1)

    def _spearman(self, w: FloatArray, _: str) -> FloatArray:
        ax, tied_x = self._centred_ranks(self._x, w)
        az, tied_z = self._centred_ranks(self._z, w)
        n = self._by_group(w, self._group)
        # The mean square of centred midranks has a closed form: n³ less the cubes of the sizes of ties.
        spread = (n**3 - tied_x) * (n**3 - tied_z)
        product = w
        product = product * ax[self._x]
        product *= az[self._z]
        return ratio(3 * self._by_group(product, self._group), np.sqrt(np.maximum(spread, 0.0)))

    def _centred_ranks(self, rank: IntArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return twice the centred midrank of each distinct value, and per group the cubes of ties added up."""
        size, group = self._ties(rank, w)
        sums = running_sums(size)
        first = np.searchsorted(group, np.arange(self.groups))
        last = np.searchsorted(group, np.arange(self.groups), side="right")
        middle = sums[first] + sums[last]
        ranks = sums[:-1] + sums[1:] - middle[group]
        return ranks, self._by_group(size**3, group)

    def _ties(self, rank: IntArray, w: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the weight of each distinct value and its group."""
        values = int(rank.max(initial=-1)) + 1
        if values == len(rank):
            at = np.empty(values, dtype=np.int64)
            at[rank] = np.arange(values)
            return w[at], self._group[at]
        by_rank = np.argsort(rank, kind="stable")
        first = np.searchsorted(rank[by_rank], np.arange(values))
        return np.add.reduceat(w[by_rank], first, axis=0), self._group[by_rank][first]

    def _by_group(self, rows: FloatArray, group: IntArray) -> FloatArray:
        """Add up rows, which are sorted by group."""
        if self.groups == 1:
            total: FloatArray = rows.sum(axis=0, keepdims=True)
            return total
        out = np.zeros((self.groups, rows.shape[1]))
        present, first = np.unique(group, return_index=True)
        if len(present):
            out[present] = np.add.reduceat(rows, first, axis=0)
        return out

    def _kendall(self, w: FloatArray, coefficient: str) -> FloatArray:
        size_x, group_x = self._ties(self._x, w)
        size_z, group_z = self._ties(self._z, w)
        n = self._by_group(w, self._group)
        untied_x = (n**2 - self._by_group(size_x**2, group_x)) / 2
        untied_z = (n**2 - self._by_group(size_z**2, group_z)) / 2
        numerator = np.zeros_like(n)
        for step in self._kendall_steps():
            sums = running_sums(w[step.low])
            # Weight of low points with smaller first rank, less that of low points with larger first rank.
            lead = sums[step.below] + sums[step.upto]
            lead -= sums[step.start]
            lead -= sums[step.end]
            lead *= w[step.high]
            numerator += self._by_group(lead, step.group)
        distinct = None
        if coefficient == "kendall-c":
            kinds_x = self._by_group((size_x > 0).astype(np.float64), group_x)
            kinds_z = self._by_group((size_z > 0).astype(np.float64), group_z)
            distinct = np.minimum(kinds_x, kinds_z).astype(np.int64)
        return kendall_from_counts(numerator, untied_x, untied_z, n, distinct, coefficient)

    def _kendall_steps(self) -> list[_Step]:
        """Plan the sums: any two different ranks first differ in one bit, so each pair is met exactly once.

        The side with fewer distinct values gives the bits. Within a block of points that agree in all higher
        bits, every point whose bit is 1 outranks every point whose bit is 0 on that side; what remains is to
        compare them on the other side, where the order is known.
        """
        if self._steps is None:
            bits, order = self._z, self._x
            if _most_in_a_group(self._x, self._group) < _most_in_a_group(self._z, self._group):
                bits, order = self._x, self._z
            local = bits - _first_of_group(bits, self._group)
            self._steps = [
                step
                for shift in range(int(local.max(initial=0)).bit_length())
                if (step := _plan_step(self._group, local >> shift, order)) is not None
            ]
        return self._steps


def _plan_step(group: IntArray, rank: IntArray, order: IntArray) -> _Step | None:
    _, block = np.unique(np.stack([group, rank >> 1]), axis=1, return_inverse=True)
    block = block.reshape(-1).astype(np.int64)
    points = np.lexsort((order, block))
    low, high = points[rank[points] & 1 == 0], points[rank[points] & 1 == 1]
    if not len(low) or not len(high):
        return None
    span = int(order.max()) + 1
    key_low, key_high = block[low] * span + order[low], block[high] * span + order[high]
    return _Step(
        low=low,
        high=high,
        group=group[high],
        below=np.searchsorted(key_low, key_high),
        upto=np.searchsorted(key_low, key_high, side="right"),
        start=np.searchsorted(key_low, block[high] * span),
        end=np.searchsorted(key_low, (block[high] + 1) * span),
    )


def _ranks(values: FloatArray, group: IntArray) -> IntArray:
    """Return dense ranks that rise from group to group: equal only within a group and for equal values."""
    order = np.lexsort((values, group))
    new = np.ones(len(values), dtype=bool)
    new[1:] = (np.diff(values[order]) != 0) | (np.diff(group[order]) != 0)
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.cumsum(new) - 1
    return ranks


def _first_of_group(ranks: IntArray, group: IntArray) -> IntArray:
    """Return for each point the smallest rank in its group."""
    first = np.full(int(group.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, group, ranks)
    return first[group]


def _most_in_a_group(ranks: IntArray, group: IntArray) -> int:
    return int((ranks - _first_of_group(ranks, group)).max(initial=0))
