"""Kendall's correlation of long vectors whose order is fixed while weights vary.

The order of the points does not change between resamples, only how often each occurs. They are sorted by one side and
cut into blocks. Within a block every pair is compared: the signs of all its pairs are one matrix, multiplied by the
weights of all draws. Between blocks, points are only counted by their value on the other side. Where that side takes
many values, these are numbered and written with a few digits, and two points are compared at the first digit in which
they differ, so that each digit is a round among points which agree in all digits before it. All of this is products of
small matrices, which run as fast as the machine can. Weights are whole numbers, so every sum here is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.running_sums import EXACT, add_up, in_slices
from metassay.stats.kernels.weighted_ranks import Numbers, kendall_from_counts

Precision = type[np.float32] | type[np.float64]

SLICE = 1 << 19
"""Points × draws handled at once."""
BASE = 16
"""A round distinguishes at most this many values."""
LENGTHS = (4, 8, 16, 32)
"""Numbers of points that blocks may have; whichever costs least is taken."""
POINT, DIGIT = 40, 80
"""What a point and a digit of a block cost beside the products of matrices, in terms of one of these."""
FEW = 8
"""Pairs of at most this many points with the same value are listed one by one."""


class Blocked:
    """One vector and several others over the same points, to be correlated under many weightings.

    Parameters
    ----------
    x
        Finite values of the points.
    zs
        The other vectors; the fewer values they take, the faster.
    groups
        The group 0, 1, … of each point, if points are only compared within groups; all are one by default.
    """

    def __init__(self, x: FloatArray, zs: Sequence[FloatArray], groups: IntArray | None = None) -> None:
        self._x, self._zs = x, zs
        self._group = np.zeros(len(x), dtype=np.int64) if groups is None else groups
        self.groups = int(self._group.max(initial=0)) + 1

    @cached_property
    def _prepared(self) -> tuple[_Ties, list[_Counter]]:
        of_x = _Ties(_ranks(self._x, self._group), self._group)
        return of_x, [_Counter(of_x, z, self._group) for z in self._zs]

    @cached_property
    def _members(self) -> list[IntArray]:
        return [np.flatnonzero(self._group == g) for g in range(self.groups)]

    def correlate(self, weights: Numbers, total: int, coefficient: str) -> FloatArray:
        """Return the correlations (vectors, groups, B).

        Parameters
        ----------
        weights
            Whole numbers of shape (points, B).
        total
            What the weights of no draw exceed when added up.
        coefficient
            ``kendall``, ``kendall-a`` or ``kendall-c``.
        """
        out = np.full((len(self._zs), self.groups, weights.shape[1]), np.nan)
        if len(self._x) < 2:
            return out
        of_x, counters = self._prepared
        # Sums over pairs stay below the square of the total.
        exact = np.float32 if total**2 < EXACT else np.float64
        for draws, w in in_slices(weights, SLICE, total):
            sums, single = np.empty((2, self.groups, w.shape[1]))
            for g, members in enumerate(self._members):
                rows = w if self.groups == 1 else np.take(w, members, axis=0)
                sums[g], single[g] = rows.sum(axis=0), _sum(rows, rows, exact)
            square, many = np.square(sums), of_x.of_many(w, exact)
            untied_x = (square - single) / 2 - of_x.few.count(w, exact) - many
            distinct_x = of_x.distinct(w) if coefficient == "kendall-c" else None
            for rows, counter in zip(out, counters, strict=True):
                found = counter.count(w, exact)
                untied_z = (square - found.squares) / 2
                fewer = None if distinct_x is None else np.minimum(distinct_x, found.distinct)
                rows[:, draws] = kendall_from_counts(found.rising - many, untied_x, untied_z, sums, fewer, coefficient)
        return out


class _Ties:
    """Points by their values, of which some share theirs with others.

    Parameters
    ----------
    ranks
        Ranks of the values (:func:`_ranks`).
    group
        The group of each point, 0, 1, …
    points
        Which points these are; all by default.
    """

    def __init__(self, ranks: IntArray, group: IntArray, points: IntArray | None = None) -> None:
        self.ranks, self._group, self._times = ranks, group, np.bincount(ranks)
        at = np.flatnonzero(self._times[ranks] > 1)
        at = at[np.argsort(ranks[at])]
        few, same = self._times[ranks[at]] <= FEW, ranks[at]
        firsts = [(np.flatnonzero(few[step:] & (same[step:] == same[:-step])), step) for step in range(1, FEW)]
        pairs = [np.stack([first, first + step]) for first, step in firsts]
        own = at if points is None else points[at]
        self.few = _Pairs(own[np.concatenate(pairs, axis=1)], group)
        """Pairs of points with a value that only few share."""
        self.many = own[~few]
        """Points with a value that many share, value by value."""
        self._ends = np.append(0, np.cumsum(self._times[self._times > FEW]))
        self._slices = [_slices(group[each]) for each in (self.many, self.many[self._ends[:-1]])]

    def of_many(self, w: Numbers, exact: Precision) -> FloatArray:
        """Return how many pairs of points share a value that many have, in each group, (groups, B)."""
        out = np.zeros((int(self._group.max()) + 1, w.shape[1]))
        if len(self.many):
            sums = np.zeros((len(self.many) + 1, w.shape[1]), dtype=w.dtype)
            each = np.take(w, self.many, axis=0)
            sums[1:] = each
            add_up(sums[1:])
            ends = np.take(sums, self._ends, axis=0)
            for sign, rows, slices in zip((-0.5, 0.5), (each, ends[1:] - ends[:-1]), self._slices, strict=True):
                for g, cut in slices:
                    out[g] += sign * _sum(rows[cut], rows[cut], exact)
        return out

    def distinct(self, w: Numbers) -> IntArray:
        """Return how many values of each group have weight, (groups, B)."""
        values = np.zeros((len(self._times), w.shape[1]), dtype=bool)
        np.logical_or.at(values, self.ranks, w > 0)
        of_value = np.empty(len(values), dtype=np.int64)
        of_value[self.ranks] = self._group
        return np.stack([values[of_value == g].sum(axis=0) for g in range(int(self._group.max()) + 1)])


class _Pairs:
    """Pairs of points, (2, pairs)."""

    def __init__(self, pairs: IntArray, group: IntArray) -> None:
        self.points = pairs[:, np.argsort(group[pairs[0]], kind="stable")]
        self._slices, self._groups = _slices(group[self.points[0]]), int(group.max()) + 1

    def count(self, w: Numbers, exact: Precision) -> FloatArray:
        """Return how many they are in each group, (groups, B)."""
        out = np.zeros((self._groups, w.shape[1]))
        if self._slices:
            one, other = (np.take(w, points, axis=0) for points in self.points)
            for g, cut in self._slices:
                out[g] = _sum(one[cut], other[cut], exact)
        return out


class _Round(NamedTuple):
    """Points in blocks, compared by one digit of their value with those that agree in all digits before it."""

    points: IntArray
    """The points of all blocks; what fills up a block has neither signs nor digits."""
    signs: Numbers
    """How the digit changes from an earlier point of the block (last axis) to a later one, (blocks, points, points)."""
    digits: Numbers
    """Which points have which digit, as 0 and 1, (blocks, digits, points)."""
    ends: IntArray
    """Where runs of blocks start whose points agree in all digits before, and where the last one ends."""
    of_run: FloatArray
    """Which runs belong to which group, as 0 and 1, (groups, runs)."""
    block: IntArray
    """The block of each point."""

    @classmethod
    def of(cls, order: IntArray, x: IntArray, group: IntArray, prefix: IntArray, digit: IntArray, base: int) -> _Round:
        """Put points into blocks of one prefix each; within a block, those with the same x are not compared."""
        prefixes = prefix[order]
        if (prefixes[1:] < prefixes[:-1]).any():
            order = order[np.argsort(prefixes, kind="stable")]
            prefixes = prefix[order]
        starts = np.append(0, np.flatnonzero(np.diff(prefixes)) + 1)
        sizes = np.diff(starts, append=len(order))
        costs = {n: n * (n + base + POINT) + base * (base + DIGIT) for n in LENGTHS}
        length = min(LENGTHS, key=lambda n: int((-(-sizes // n)).sum()) * costs[n])
        blocks = -(-sizes // length)
        ends = np.append(0, np.cumsum(blocks))
        place = np.arange(len(order)) + np.repeat(ends[:-1] * length - starts, sizes)
        points, digits = np.zeros(ends[-1] * length, dtype=np.int64), np.full(ends[-1] * length, -1, dtype=np.int8)
        points[place], digits[place] = order, digit[order]
        digits, values = digits.reshape(-1, length), x[points].reshape(-1, length)
        signs = (digits[:, :, None] - digits[:, None, :]).clip(-1, 1)
        signs *= np.tri(length, k=-1, dtype=np.int8)
        signs *= values[:, :, None] != values[:, None, :]
        signs[digits < 0] = 0
        block = np.empty(len(order), dtype=np.int64)
        block[order] = place // length
        has = digits[:, None, :] == np.arange(base, dtype=np.int8)[:, None]
        of_run = np.arange(int(group.max(initial=0)) + 1)[:, None] == group[order[starts]]
        return cls(points, signs.astype(np.float32), has.astype(np.float32), ends, of_run.astype(np.float64), block)


class _Counted(NamedTuple):
    """Counts of pairs and values in each group, (groups, B)."""

    rising: FloatArray
    """Pairs in which z rises with x less those in which it falls; z rises where x has a value that many share."""
    squares: FloatArray
    """Σ t² over the values of z."""
    distinct: FloatArray
    """How many of them have weight."""


class _Counter:
    """Counts the pairs of points in which z rises or falls with x."""

    def __init__(self, x: _Ties, z: FloatArray, group: IntArray) -> None:
        self._groups = int(group.max(initial=0)) + 1
        ranks = _ranks(z, group)
        first = np.full(self._groups, len(z))
        np.minimum.at(first, group, ranks)
        number = ranks - first[group]
        values = int(number.max()) + 1
        both = x.ranks * values + number
        self._both = _Ties(np.unique(both[x.many], return_inverse=True)[1], group, x.many)
        rounds = next(k for k in itertools.count(1) if BASE**k >= values)
        base = next(b for b in range(1, BASE + 1) if b**rounds >= values)
        # Numbers of groups and values, less the last digits 0, 1, … of them.
        numbers = [(group * base**rounds + number) // base**k for k in range(rounds + 1)][::-1]
        order, one, other = np.argsort(both), *x.few.points
        # Points with a value of x that many share are compared as if z rose from the first to the last.
        apart_x = x.ranks.copy()
        apart_x[x.many] = -1 - np.arange(len(x.many))
        self._rounds, apart = [], np.zeros(len(one), dtype=bool)
        for prefix, longer in itertools.pairwise(numbers):
            self._rounds.append(_Round.of(order, apart_x, group, prefix, longer % base, base))
            block = self._rounds[-1].block
            apart |= (prefix[one] == prefix[other]) & (longer[one] != longer[other]) & (block[one] != block[other])
        self._apart = _Pairs(x.few.points[:, apart], group)
        """Pairs with the same x that stand in different blocks, and so are compared likewise."""
        digits = np.arange(base)
        self._signs = np.sign(digits - digits[:, None]).astype(np.float32)

    def count(self, w: Numbers, exact: Precision) -> _Counted:
        """Count under weights (points, B), with sums over pairs in a precision in which they are exact."""
        draws, base = w.shape[1], len(self._signs)
        rising = np.zeros((self._groups, draws))
        for each in self._rounds:
            blocks, _, length = each.signs.shape
            points = np.take(w, each.points, axis=0).reshape(blocks, length, draws)
            rises = _by_row(points, np.matmul(each.signs, points), exact)
            # How often each digit occurs in each block, and then in all blocks before it.
            sums = np.empty((blocks + 1, base, draws), dtype=w.dtype)
            sums[0] = 0
            np.matmul(each.digits, points, out=sums[1:])
            between = np.matmul(self._signs, sums[1:])
            add_up(sums[1:])
            rises += _by_row(sums[:-1], between, exact)
            ends = np.take(sums, each.ends, axis=0)
            values = ends[1:] - ends[:-1]
            of_run = np.add.reduceat(rises, each.ends[:-1], axis=0)
            # Sums run on from one run of blocks to the next, which do not meet.
            of_run -= _by_row(ends[:-1], np.matmul(self._signs, values), exact)
            rising += each.of_run @ of_run
        rising += self._both.of_many(w, exact) + self._both.few.count(w, exact) - self._apart.count(w, exact)
        last = self._rounds[-1].of_run
        return _Counted(rising, last @ _by_row(values, values, exact), last @ (values > 0).sum(axis=1))


def _ranks(values: FloatArray, group: IntArray) -> IntArray:
    """Return ranks 0, 1, … of values, the same for equal ones; those of a group stand together."""
    order = np.lexsort((values, group)) if group.any() else np.argsort(values)
    changes = [each[order][1:] != each[order][:-1] for each in (values, group)]
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.append(0, np.cumsum(np.logical_or(*changes)))
    return ranks


def _slices(groups: IntArray) -> list[tuple[int, slice]]:
    """Return where each group stands in ascending groups."""
    if not groups.any():
        return [(0, slice(None))] if len(groups) else []
    found = zip(*np.unique(groups, return_index=True, return_counts=True), strict=True)
    return [(int(g), slice(int(first), int(first + count))) for g, first, count in found]


def _sum(a: Numbers, b: Numbers, exact: Precision) -> FloatArray:
    """Return Σ a·b over the first axis, for sums that are exact in this precision."""
    found: Numbers = np.einsum("ib,ib->b", a, b, dtype=exact, casting="same_kind")
    return found.astype(np.float64)


def _by_row(a: Numbers, b: Numbers, exact: Precision) -> FloatArray:
    """Return Σ a·b over the second of three axes, likewise."""
    found: Numbers = np.einsum("kib,kib->kb", a, b, dtype=exact, casting="same_kind")
    return found.astype(np.float64)
