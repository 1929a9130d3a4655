"""Kendall's correlation of long vectors whose order is fixed while weights vary.

The order of a metric's scores does not change between resamples, only how often each score occurs. The values of the
other side are halved into lower and upper ones, these again, and so on until each part has one value. Two points with
different values are parted exactly once; there, points of the upper half meet those of the lower half that come before
them in the order of the first side, less those that come after. So each halving is one running sum of weights, and a
draw costs O(n) times the entropy of the values: little for human judgments, which take few values, most of them a few
of these. Weights are whole numbers, so every sum here is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.running_sums import Running, in_slices
from metassay.stats.kernels.weighted_ranks import Numbers, dot, kendall_from_counts

SLICE = 1 << 21
"""Points × draws handled at once."""


class Halved:
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
    def _prepared(self) -> tuple[_Values, list[_Halves]]:
        values = _Values(self._x, self._group)
        return values, [_Halves(values, _Values(z, self._group)) for z in self._zs]

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
        of_x, halves = self._prepared
        # Sums of pairs of weights stay below the square of their total.
        for draws, w in in_slices(weights, SLICE, total**2):
            sums = w.sum(axis=0)[None]
            if self.groups > 1:
                sums = np.stack([np.take(w, members, axis=0).sum(axis=0) for members in self._members])
            square = np.square(sums, dtype=np.float64)
            untied_x = (square - of_x.squares(w)) / 2
            distinct_x = of_x.distinct(w) if coefficient == "kendall-c" else None
            for rows, half in zip(out, halves, strict=True):
                found = half.count(w, sums)
                untied_z = (square - found.squares) / 2
                fewer = None if distinct_x is None else np.minimum(distinct_x, found.distinct)
                rows[:, draws] = kendall_from_counts(
                    found.concordant - untied_z, untied_x, untied_z, sums.astype(np.float64), fewer, coefficient
                )
        return out


class _Values:
    """Values of one vector within groups: ranks, those that occur once, and ties."""

    def __init__(self, values: FloatArray, group: IntArray) -> None:
        self.order = np.lexsort((values, group)) if group.any() else np.argsort(values, kind="stable")
        changes = [each[self.order][1:] != each[self.order][:-1] for each in (values, group)]
        new = np.append(True, np.logical_or(*changes))
        starts = np.flatnonzero(new)
        self.group = group[self.order[starts]]
        """The group of each value; values of a group stand together, in ascending order."""
        self.times = np.diff(starts, append=len(values))
        self.ranks = np.empty(len(values), dtype=np.int64)
        self.ranks[self.order] = np.cumsum(new) - 1
        once = self.times == 1
        alone = np.repeat(once, self.times)
        self._single, self._tied = self.order[alone], Running(self.order[~alone])
        self._ends = self._tied.row[np.append(0, np.cumsum(self.times[~once]))]
        self._slices = [_slices(self.group[which]) for which in (once, ~once)]

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group[-1]) + 1

    def squares(self, w: Numbers) -> FloatArray:
        """Return Σ t² over the values of each group, (groups, B)."""
        out = np.zeros((self.groups, w.shape[1]))
        for weights, slices in zip(self._weights(w), self._slices, strict=True):
            for g, cut in slices:
                out[g] += _sum(weights[cut], weights[cut])
        return out

    def distinct(self, w: Numbers) -> IntArray:
        """Return how many values of each group have weight, (groups, B)."""
        out = np.zeros((self.groups, w.shape[1]), dtype=np.int64)
        for weights, slices in zip(self._weights(w), self._slices, strict=True):
            for g, cut in slices:
                out[g] += (weights[cut] > 0).sum(axis=0)
        return out

    def _weights(self, w: Numbers) -> tuple[Numbers, Numbers]:
        in_order = len(self._single) == len(w) and self.groups == 1
        single = w if in_order else np.take(w, self._single, axis=0)
        ends = np.take(self._tied.sums(w), self._ends, axis=0)
        return single, ends[1:] - ends[:-1]


class _Cut(NamedTuple):
    """One halving of all parts that have several values."""

    lower: Running
    """Points of the lower halves, part by part and in the order of x."""
    ends: IntArray
    """Rows of the running sum at which parts start and end."""
    of_part: Numbers
    """Which group each part belongs to, as 0 and 1, (groups, parts)."""
    upper: IntArray
    """Points of the upper halves, likewise."""
    before: IntArray
    """For these, the row of the sum over points that come earlier."""
    slices: list[tuple[int, slice]]
    """Where those of each group stand."""
    tied: IntArray
    """Points of upper halves that are tied in x with points of the lower half."""
    less: IntArray
    """For these, the row of the sum over points with smaller x."""
    upto: IntArray
    """And the row of the sum that has those with equal x as well."""
    tied_slices: list[tuple[int, slice]]
    single: IntArray
    """Which halves, lower and upper in turn, have one value only."""
    values: IntArray
    """That value."""
    several: IntArray
    """The other halves."""


class _Counted(NamedTuple):
    """Counts of pairs and values in each group, (groups, B)."""

    concordant: FloatArray
    """Twice the concordant pairs, and once the pairs that are tied in x alone."""
    squares: FloatArray
    """Σ t² over the values of z."""
    distinct: IntArray
    """How many of them have weight."""


class _Halves:
    """The values of z, halved until each stands alone, over points in the order of x."""

    def __init__(self, x: _Values, z: _Values) -> None:
        self._z = z
        self._first, last = (np.searchsorted(z.group, np.arange(z.groups), side) for side in ("left", "right"))
        self._roots = last - self._first > 1
        self._cuts = list(self._halve(x, self._first, last))
        self._of_value = _belongs(z.group)

    def _halve(self, x: _Values, first: IntArray, last: IntArray) -> Iterator[_Cut]:
        z, points = self._z, x.order
        starts = np.append(0, np.cumsum(z.times))
        part, inner = x.group[x.ranks[points]], last - first > 1
        room = 2 << int((last - first).max() - 1).bit_length()
        while inner.any():
            kept = inner[part]
            points, part, first, last = points[kept], (np.cumsum(inner) - 1)[part[kept]], first[inner], last[inner]
            # Between two values, near the middle of the points, and so that few rounds are left: each has a fixed cost.
            half = (starts[first] + starts[last]) / 2
            cut = np.searchsorted(starts, half)
            cut -= half - starts[cut - 1] < starts[cut] - half
            room //= 2
            cut = np.clip(cut, np.maximum(first + 1, last - room), np.minimum(last - 1, first + room))
            group = z.group[first]
            is_upper = z.ranks[points] >= cut[part]
            keys = part * len(x.ranks) + x.ranks[points]
            low, high = keys[~is_upper], keys[is_upper]
            less, upto = (np.searchsorted(low, high, side) for side in ("left", "right"))
            tied = np.flatnonzero(upto > less)
            lower, upper, of_upper = Running(points[~is_upper]), points[is_upper], group[part[is_upper]]
            ends = lower.row[np.searchsorted(low, np.arange(len(first) + 1) * len(x.ranks))]
            first, last = (np.stack(each, axis=1).reshape(-1) for each in ((first, cut), (cut, last)))
            inner = last - first > 1
            single = np.flatnonzero(~inner)
            yield _Cut(
                lower,
                ends,
                _belongs(group, z.groups),
                upper,
                lower.row[less],
                _slices(of_upper),
                upper[tied],
                lower.row[less[tied]],
                lower.row[upto[tied]],
                _slices(of_upper[tied]),
                single,
                first[single],
                np.flatnonzero(inner),
            )
            half_of = 2 * part + is_upper
            order = np.argsort(half_of, kind="stable")
            points, part = points[order], half_of[order]

    def count(self, w: Numbers, sums: Numbers) -> _Counted:
        """Count under weights (points, B), whose sums in each group are given."""
        draws = w.shape[1]
        values = np.empty((len(self._z.times), draws), dtype=w.dtype)
        values[self._first[~self._roots]] = sums[~self._roots]
        earlier, concordant = np.zeros((2, *sums.shape))
        parts = sums[self._roots]
        for cut in self._cuts:
            running = cut.lower.sums(w)
            upper, before = np.take(w, cut.upper, axis=0), np.take(running, cut.before, axis=0)
            for g, where in cut.slices:
                earlier[g] += _sum(upper[where], before[where])
            if len(cut.tied):
                upper = np.take(w, cut.tied, axis=0)
                equal = np.take(running, cut.upto, axis=0)
                equal -= np.take(running, cut.less, axis=0)
                for g, where in cut.tied_slices:
                    concordant[g] += _sum(upper[where], equal[where])
            ends = np.take(running, cut.ends, axis=0)
            halves = np.empty((len(parts), 2, draws), dtype=w.dtype)
            np.subtract(ends[1:], ends[:-1], out=halves[:, 0])
            np.subtract(parts, halves[:, 0], out=halves[:, 1])
            # Sums run on from part to part. What that adds is exact for one halving, not for all of them together.
            earlier -= cut.of_part @ (halves[:, 1] * ends[:-1])
            each = halves.reshape(-1, draws)
            values[cut.values], parts = each[cut.single], each[cut.several]
        concordant += 2 * earlier
        squares = (self._of_value @ np.square(values)).astype(np.float64)
        return _Counted(concordant, squares, (self._of_value @ (values > 0)).astype(np.int64))


def _slices(groups: IntArray) -> list[tuple[int, slice]]:
    """Return where each group stands in ascending groups."""
    if not groups.any():
        return [(0, slice(None))] if len(groups) else []
    found = zip(*np.unique(groups, return_index=True, return_counts=True), strict=True)
    return [(int(g), slice(int(first), int(first + count))) for g, first, count in found]


def _belongs(groups: IntArray, count: int | None = None) -> Numbers:
    """Return which of the groups 0, 1, … (rows) each belongs to (columns), as 0 and 1."""
    count = int(groups[-1]) + 1 if count is None else count
    return np.asarray(groups == np.arange(count)[:, None], dtype=np.float32)


def _sum(a: Numbers, b: Numbers) -> FloatArray:
    """Return Σ a·b over the first axis, for sums that are exact in the precision of the factors."""
    total: FloatArray = dot(a, b).astype(np.float64)
    return total
