"""Tie calibration: the one threshold ε for all groups at which a metric agrees best with people, under any weights.

A metric ties two outputs whose scores differ by at most ε. Tying a pair makes it right if people tie it, and wrong if
it was ordered as people order it. So the accuracy at every ε is a running sum over the pairs sorted by difference, and
the best one its largest value (Deutsch, Foster and Freitag 2023). The order does not change between draws: it is found
once, and each draw is a largest prefix sum of weighted steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair, Swaps
from metassay.stats.kernels.running_sums import EXACT
from metassay.stats.kernels.weighted_ranks import TIE, Numbers, quotient

CHUNK, WIDTH = 1024, 256
"""Steps and draws looked at together, so that they stay in the cache."""
TILE = 1 << 22
"""Units × draws weighted together after exchanges."""
TABLES = 16
"""Pairs of metrics that are evaluated with the same weights before these are made again."""
GRID = 256
"""Thresholds that are tried after exchanges of scores."""


_Gains: TypeAlias = "FloatArray | sparse.csr_array"
"""Thresholds × units."""


class Calibration(NamedTuple):
    """The threshold of a metric."""

    epsilon: float
    """The smallest of the best thresholds, in the units of the metric; NaN if there is no pair."""
    accuracy: float
    """The accuracy there, averaged over groups."""


class _Steps(NamedTuple):
    """Pairs that tying makes right or wrong, by ascending difference."""

    group: IntArray
    first: IntArray
    second: IntArray
    gain: FloatArray
    """1 if tying makes the pair right, −1 if it makes it wrong."""
    size: FloatArray
    """|Δ| of the metric."""
    ends: BoolArray
    """Whether the next pair differs by more: only there can a threshold stand."""


def _steps(parts: Sequence[tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]]) -> _Steps:
    """Sort pairs by difference: group, first and second member, gain and |Δ| of each."""
    group, first, second, gain, size = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(size, kind="stable")
    ranked = size[order]
    # Differences that are equal but for their last bits are different thresholds, as in the published numbers.
    ends = np.diff(ranked, append=np.inf) > 0
    return _Steps(group[order], first[order], second[order], gain[order], ranked, ends)


def _compare(one: FloatArray, other: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return |Δ| (pairs, groups), NaN where a score is missing, whether the order is right, and what tying gains."""
    first, second = np.triu_indices(len(z), 1)
    dx, dz = one[first] - other[second], z[first] - z[second]
    right = np.where(np.isnan(dx + dz), 0.0, np.sign(dx) == np.sign(dz))
    gain = np.where(np.isnan(dx + dz), 0.0, (dz == 0) - right)
    return np.where(np.isnan(dz), np.nan, np.abs(dx)), right, gain


def largest_prefix(
    make: Callable[[slice], Numbers], ends: BoolArray, draws: int, own: BoolArray | None = None
) -> FloatArray:
    """Return the largest sum of the first steps that may end there, at least 0 for none of them, in each draw.

    Parameters
    ----------
    make
        Gives some of the steps, (steps, B).
    ends
        After which steps a sum may end.
    draws
        B.
    own
        If given, the sum over these steps is returned, up to the first place where that of the others is largest.
    """
    total, top, ours, at = np.zeros((4, draws))
    for start in range(0, len(ends), CHUNK):
        cut = slice(start, start + CHUNK)
        steps, follow = make(cut), None
        if own is not None:
            follow = np.where(own[cut, None], steps, 0)
            steps = steps - follow
        one, best, other, there = _halved(steps, ends[cut], follow)
        right = total + best
        if other is not None and there is not None:
            at = np.where(right > top + TIE, ours + there, at)
            ours = ours + other
        total, top = total + one, np.maximum(top, right)
    return top if own is None else at


def _halved(
    total: Numbers, ends: BoolArray, sums: Numbers | None
) -> tuple[Numbers, Numbers, Numbers | None, Numbers | None]:
    """Return the sum of all steps, the largest prefix, and for `sums` the sum of all and that at the first largest one.

    Two halves are put together by (s, m)·(s', m') = (s + s', max(m, s + m')).
    """
    top = total if ends.all() else np.where(ends[:, None], total, -np.inf).astype(total.dtype, copy=False)
    at = sums
    while len(top) > 1:
        odd, a, b = len(top) % 2, slice(0, len(top) // 2 * 2, 2), slice(1, len(top), 2)
        right, left = total[a] + top[b], top[a]
        if sums is not None and at is not None:
            at = _and_last(np.where(right > left + TIE, sums[a] + at[b], at[a]), at, odd)
            sums = _and_last(sums[a] + sums[b], sums, odd)
        top = _and_last(np.maximum(left, right, out=right), top, odd)
        total = _and_last(total[a] + total[b], total, odd)
    return total[0], top[0], None if sums is None else sums[0], None if at is None else at[0]


def _and_last(halves: Numbers, values: Numbers, odd: int) -> Numbers:
    return np.concatenate([halves, values[-1:]]) if odd else halves


class CalibratedGroups:
    """One metric and people in groups (members, groups), NaN for missing, to be calibrated under many weightings.

    Parameters
    ----------
    x, z
        The metric and people.
    folds
        1 to calibrate on the groups that are scored. With more, blocks of consecutive groups are scored with the
        threshold of all other blocks: groups beside each other often belong to one document.
    """

    def __init__(self, x: FloatArray, z: FloatArray, folds: int = 1) -> None:
        self.shape = x.shape
        self.first, self.second = np.triu_indices(len(x), 1)
        size, right, gain = _compare(x, x, z)
        known = ~np.isnan(size)
        self.right = right.T
        self.known = known.T.astype(np.float64)
        filled: BoolArray = np.asarray(known.any(axis=0))
        self.without_pairs = int(((~np.isnan(x + z)).any(axis=0) & ~filled).sum())
        self.full = bool((known.all(axis=0) | ~filled).all())
        self.filled = filled.astype(np.float64)[:, None]
        pair, group = np.nonzero(gain)
        self.steps = _steps([(group, self.first[pair], self.second[pair], gain[pair, group], size[pair, group])])
        self.pair = _pair_number(self.steps.first, self.steps.second, len(x))
        self.fold = blocks(filled, folds)[self.steps.group]

    def calibration(self) -> Calibration:
        """Return the threshold at the data themselves."""
        count = self.known.sum(axis=1)
        groups = int((count > 0).sum())
        if not groups:
            return Calibration(np.nan, np.nan)
        share = np.divide(1.0, count, out=np.zeros_like(count), where=count > 0) / groups
        curve = np.cumsum(self.steps.gain * share[self.steps.group])[self.steps.ends]
        start = float((self.right.sum(axis=1) * share).sum())
        if not len(curve) or curve.max() <= TIE:
            return Calibration(0.0, start)
        at = int(np.flatnonzero(curve >= curve.max() - TIE)[0])
        return Calibration(float(self.steps.size[self.steps.ends][at]), start + float(curve[at]))

    def outcomes(self) -> FloatArray:
        """Return what each pair adds to the accuracy at the threshold, (pairs · groups,): their sum is the accuracy."""
        epsilon = self.calibration().epsilon
        count = self.known.sum(axis=1)
        groups = max(int((count > 0).sum()), 1)
        right = self.right.copy()
        tied = self.steps.size <= epsilon
        right[self.steps.group[tied], self.pair[tied]] += self.steps.gain[tied]
        return np.asarray(np.divide(right, count[:, None] * groups, out=right, where=count[:, None] > 0).ravel())

    def accuracy(self, members: FloatArray | None, groups: FloatArray | None) -> FloatArray:
        """Return the accuracy in each draw (B,), for multiplicities of members and of groups; None for ones."""
        draws = max([1, *(w.shape[1] for w in (members, groups) if w is not None)])
        parts = []
        for at in range(0, draws, WIDTH):
            cut = [None if w is None else w[:, at : at + WIDTH] for w in (members, groups)]
            parts.append(self._accuracy(cut[0], cut[1], min(WIDTH, draws - at)))
        return np.concatenate(parts)

    def _accuracy(self, members: FloatArray | None, groups: FloatArray | None, draws: int) -> FloatArray:
        weights = np.ones((len(self.first), 1)) if members is None else members[self.first] * members[self.second]
        times = np.ones((self.shape[1], 1)) if groups is None else groups
        if self.full:
            count = weights.sum(axis=0) * self.filled
            share = self.filled * times
            # All groups have as many pairs: steps stay whole numbers, and are divided at the end.
            below = (share * (count > 0)).sum(axis=0) * weights.sum(axis=0)
        else:
            count = self.known @ weights
            share = np.where(count > 0, times / np.maximum(count, 1.0), 0.0)
            below = (times * (count > 0)).sum(axis=0)
        start = (self.right @ weights * share).sum(axis=0)
        whole = self.full and float(np.max(below, initial=0.0)) < EXACT
        dtype: npt.DTypeLike = np.float32 if whole else np.float64
        gain, some, pairs = self.steps.gain.astype(dtype)[:, None], share.astype(dtype), weights.astype(dtype)

        def rows(cut: slice) -> Numbers:
            out = np.broadcast_to(gain[cut], (len(gain[cut]), draws))
            if groups is not None or not self.full:
                out = out * some[self.steps.group[cut]]
            return out if members is None else out * pairs[self.pair[cut]]

        best = gained(rows, self.steps.ends, self.fold, draws)
        return quotient(np.broadcast_to(start + best, draws), np.broadcast_to(below, draws))


def blocks(judged: BoolArray, folds: int) -> IntArray:
    """Return the block of each group: as many blocks of consecutive groups that people judged as there are folds."""
    of_group = np.zeros(len(judged), dtype=np.int64)
    of_group[judged] = np.arange(judged.sum()) * folds // max(int(judged.sum()), 1)
    return of_group


def gained(make: Callable[[slice], Numbers], ends: BoolArray, fold: IntArray, draws: int) -> FloatArray:
    """Return what the best threshold gains in each draw: of all steps, or in each block that of the others."""
    if not fold.any():
        return largest_prefix(make, ends, draws)
    each = [largest_prefix(make, ends, draws, fold == block) for block in np.unique(fold)]
    return np.asarray(np.sum(each, axis=0))


def _pair_number(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Return where a pair i < k stands in the upper triangle, row by row."""
    return np.asarray(first * n - first * (first + 1) // 2 + second - first - 1)


class CalibratedExchange:
    """Metrics (P, members, groups) that miss the same cells, on one scale: calibrated again after every exchange.

    Thresholds are :data:`GRID` quantiles of the differences of both metrics, which are the same after every exchange.
    The accuracy at each of them is then linear in what is taken from which metric: pairs of members if whole members
    move, groups if whole groups move, else single pairs.
    """

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], folds: int = 1) -> None:
        self.first, self.second = np.triu_indices(len(z), 1)
        count = (~np.isnan(z[self.first] - z[self.second])).sum(axis=0)
        self.judged = np.flatnonzero(count)
        self.x, self.z, self.pairs = x[:, :, self.judged], z[:, self.judged], pairs
        self.share = 1.0 / (count[self.judged] * max(len(self.judged), 1))
        self.fold = blocks(np.ones(len(self.judged), dtype=bool), folds)
        self.own = [_compare(v, v, self.z) for v in self.x]
        shares = np.linspace(0, 1, GRID // 2)
        known = ~np.isnan(self.own[0][0])
        self.grids = [np.quantile(own[0][known], shares, method="inverted_cdf") for own in self.own if known.any()]

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return accuracies of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        out = np.full((2, len(self.pairs), swaps.shape[-1]), np.nan)
        if not len(self.judged):
            return out[0], out[1]
        whole_groups, whole_members = swaps.strides[0] == 0, swaps.strides[1] == 0
        coins = swaps[:1][:, self.judged] if whole_groups else swaps[:, :1] if whole_members else swaps[:, self.judged]
        # Where whole groups move, no score of one metric meets one of the other.
        ways = ((0, 0), (1, 1)) if whole_groups else ((0, 0), (0, 1), (1, 0), (1, 1))
        units = (1 if whole_groups else len(self.first), 1 if whole_members else len(self.judged))
        width = max(1, TILE // max(1, len(ways) * units[0] * units[1]))
        tiles = [slice(at, at + width) for at in range(0, swaps.shape[-1], width)]

        def weights(cut: slice) -> FloatArray:
            taken = np.stack([coins[..., cut] ^ 1, coins[..., cut]])
            both = [taken[a] if whole_groups else taken[a][self.first] & taken[b][self.second] for a, b in ways]
            return np.stack(both).reshape(len(ways), -1, both[0].shape[-1]).astype(np.float64)

        for start in range(0, len(self.pairs), TABLES):
            tables = [self._table(a, b, ways, units) for a, b in self.pairs[start : start + TABLES]]
            for cut in tiles:
                chosen = weights(cut)
                # What X_s does not take, Y_s takes: the ways in reverse.
                turned = np.ascontiguousarray(chosen[::-1])
                for at, table in enumerate(tables, start):
                    out[0, at, cut], out[1, at, cut] = self._best(table, chosen), self._best(table, turned)
        return out[0], out[1]

    def _table(self, a: int, b: int, ways: Sequence[Pair], units: tuple[int, int]) -> tuple[FloatArray, _Gains]:
        """Return per unit what is right without ties, and what its pairs gain at each fold's thresholds."""
        two = (a, b)
        found = [self.own[two[i]] if i == k else _compare(self.x[two[i]], self.x[two[k]], self.z) for i, k in ways]
        grid = np.unique(np.concatenate([self.grids[a], self.grids[b]]))
        pair, group = np.ogrid[: len(self.first), : len(self.judged)]
        unit = np.minimum(pair, units[0] - 1) * units[1] + np.minimum(group, units[1] - 1)
        number, rows = units[0] * units[1], (int(self.fold.max()) + 1) * len(grid)
        right = np.concatenate([np.bincount(unit.ravel(), (r * self.share).ravel(), number) for _, r, _ in found])
        first_row = np.broadcast_to(self.fold * len(grid), unit.shape)
        places, values = [], []
        for at, (size, _, gain) in enumerate(found):
            used = np.nonzero((gain != 0) & (size <= grid[-1]))
            row = first_row[used] + np.searchsorted(grid, size[used])
            places.append(row * (len(ways) * number) + at * number + unit[used])
            values.append(gain[used] * self.share[used[1]])
        place, value, shape = np.concatenate(places), np.concatenate(values), (rows, len(ways) * number)
        if number < unit.size:
            return right, np.bincount(place, value, rows * shape[1]).reshape(shape)
        return right, sparse.csr_array((value, np.divmod(place, shape[1])), shape=shape)

    def _best(self, table: tuple[FloatArray, _Gains], weights: FloatArray) -> FloatArray:
        right, gains = table
        flat = weights.reshape(len(right), -1)
        folds = int(self.fold.max()) + 1
        curves = np.cumsum(np.asarray(gains @ flat).reshape(folds, -1, flat.shape[1]), axis=1)
        start = right @ flat
        if folds == 1:
            return np.asarray(start + np.maximum(curves[0].max(axis=0), 0.0))
        whole = curves.sum(axis=0)
        for own in curves:
            # Sums that differ by rounding only are equal: the smallest of the best thresholds is taken.
            others = np.round(whole - own, 12)
            best = others.argmax(axis=0)[None]
            start += np.where(np.take_along_axis(others, best, 0) > 0, np.take_along_axis(own, best, 0), 0.0)[0]
        return np.asarray(start)
