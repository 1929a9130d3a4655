"""Tie calibration: the one threshold ε for all groups at which a metric agrees best with people, under any weights.

A metric ties two outputs whose scores differ by at most ε. Tying a pair makes it right if people tie it, and wrong if
it was ordered as people order it. So the accuracy at every ε is a running sum over the pairs sorted by difference, and
the best one its largest value (Deutsch, Foster and Freitag 2023). The order does not change between draws: it is found
once, and each draw is a largest prefix sum of weighted steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair, Swaps
from metassay.stats.kernels.weighted_ranks import TIE, Numbers, quotient

TILE = 1 << 21
"""Steps × draws looked at together: arrays of 8 or 16 MB. What a draw gives does not depend on it."""
GRID = 256
"""Thresholds that are tried after exchanges of scores."""
EXACT = 1 << 24
"""Whole numbers below this are exact in single precision."""


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


def largest_prefix(steps: Numbers, ends: BoolArray, follow: Numbers | None = None) -> tuple[Numbers, Numbers | None]:
    """Return the largest sum of the first steps that may end there, at least 0 for none of them; draws last.

    Two halves are put together by (s, m)·(s', m') = (s + s', max(m, s + m')). With `follow`, its own prefix sum at the
    first place where the other one is largest comes along.
    """
    top = np.where(ends[:, None], steps, -np.inf).astype(steps.dtype, copy=False)
    total, at = steps, follow
    sums = follow
    while len(top) > 1:
        odd = len(top) % 2
        last = (total[-1:], top[-1:]) if odd else None
        a, b = slice(0, len(top) - odd, 2), slice(1, len(top), 2)
        right = total[a] + top[b]
        if sums is not None and at is not None:
            tail = (sums[-1:], at[-1:]) if odd else None
            later = sums[a] + at[b]
            at = np.where(right > top[a] + TIE, later, at[a])
            sums = sums[a] + sums[b]
            if tail is not None:
                sums, at = np.concatenate([sums, tail[0]]), np.concatenate([at, tail[1]])
        top = np.maximum(top[a], right, out=right)
        total = total[a] + total[b]
        if last is not None:
            total, top = np.concatenate([total, last[0]]), np.concatenate([top, last[1]])
    if not len(top):
        nothing = np.zeros(steps.shape[1], dtype=steps.dtype)
        return nothing, None if follow is None else nothing
    best = np.maximum(top[0], 0)
    return best, None if at is None else np.where(top[0] > TIE, at[0], 0)


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
        width = max(1, TILE // max(len(self.pair), 1))
        parts = []
        for at in range(0, draws, width):
            cut = [None if w is None else w[:, at : at + width] for w in (members, groups)]
            parts.append(self._accuracy(cut[0], cut[1], min(width, draws - at)))
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
        gain = self.steps.gain.astype(dtype)[:, None]
        rows = gain
        if groups is not None or not self.full:
            rows = rows * share.astype(dtype)[self.steps.group]
        if members is not None:
            rows = rows * weights.astype(dtype)[self.pair]
        best = gained(rows, self.steps.ends, self.fold)
        return quotient(np.broadcast_to(start + best, draws), np.broadcast_to(below, draws))


def blocks(judged: BoolArray, folds: int) -> IntArray:
    """Return the block of each group: as many blocks of consecutive groups that people judged as there are folds."""
    of_group = np.zeros(len(judged), dtype=np.int64)
    of_group[judged] = np.arange(judged.sum()) * folds // max(int(judged.sum()), 1)
    return of_group


def gained(rows: Numbers, ends: BoolArray, fold: IntArray) -> FloatArray:
    """Return what the best threshold gains in each draw: of all steps, or in each block that of the others."""
    if not fold.any():
        return largest_prefix(rows, ends)[0].astype(np.float64)
    total = np.zeros(rows.shape[1])
    for block in np.unique(fold):
        mine = (fold == block)[:, None]
        found = largest_prefix(np.where(mine, 0, rows), ends, np.where(mine, rows, 0))[1]
        assert found is not None, "the block's own sums were asked for"
        total += found
    return total


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
        self.x, self.z, self.pairs = x, z, pairs
        self.first, self.second = np.triu_indices(len(z), 1)
        count = (~np.isnan(z[self.first] - z[self.second])).sum(axis=0)
        groups = max(int((count > 0).sum()), 1)
        self.share = np.divide(1.0, count * groups, out=np.zeros(len(count)), where=count > 0)
        self.fold = blocks(np.asarray(count > 0), folds)

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return accuracies of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        out = np.empty((2, len(self.pairs), swaps.shape[-1]))
        whole_groups, whole_members = swaps.strides[0] == 0, swaps.strides[1] == 0
        coins = swaps[:1] if whole_groups else swaps[:, :1] if whole_members else swaps
        # Where whole groups move, no score of one metric meets one of the other.
        ways = ((0, 0), (1, 1)) if whole_groups else ((0, 0), (0, 1), (1, 0), (1, 1))
        units = (1 if whole_groups else len(self.first), 1 if whole_members else swaps.shape[1])
        width = max(1, TILE * 2 // max(1, len(ways) * units[0] * units[1]))
        tiles = [slice(at, at + width) for at in range(0, swaps.shape[-1], width)]

        def weights(cut: slice) -> FloatArray:
            taken = np.stack([coins[..., cut] ^ 1, coins[..., cut]])
            both = [taken[a] if whole_groups else taken[a][self.first] & taken[b][self.second] for a, b in ways]
            return np.stack(both).reshape(len(ways), -1, both[0].shape[-1]).astype(np.float64)

        shared = weights(tiles[0])
        for at, (a, b) in enumerate(self.pairs):
            table = self._table(self.x[a], self.x[b], ways, units)
            for cut in tiles:
                chosen = shared if len(tiles) == 1 else weights(cut)
                # What X_s does not take, Y_s takes: the ways in reverse.
                out[0, at, cut], out[1, at, cut] = self._best(table, chosen), self._best(table, chosen[::-1])
        if not self.share.any():
            out[:] = np.nan
        return out[0], out[1]

    def _table(
        self, x: FloatArray, y: FloatArray, ways: Sequence[Pair], units: tuple[int, int]
    ) -> tuple[FloatArray, FloatArray | sparse.csr_array]:
        """Return per unit what is right without ties, and what its pairs gain at each fold's thresholds."""
        found = [_compare((x, y)[a], (x, y)[b], self.z) for a, b in ways]
        known = ~np.isnan(found[0][0])
        own = np.concatenate([size[known] for (a, b), (size, _, _) in zip(ways, found, strict=True) if a == b])
        grid = np.unique(np.quantile(own, np.linspace(0, 1, GRID))) if len(own) else np.zeros(1)
        pair, group = (np.broadcast_to(at, known.shape) for at in np.ogrid[: known.shape[0], : known.shape[1]])
        unit = np.minimum(pair, units[0] - 1) * units[1] + np.minimum(group, units[1] - 1)
        number, folds = units[0] * units[1], int(self.fold.max(initial=0)) + 1
        right = np.concatenate([np.bincount(unit.ravel(), (r * self.share).ravel(), number) for _, r, _ in found])
        rows, columns, values = [], [], []
        for at, (size, _, gain) in enumerate(found):
            used = known & (gain != 0) & (size <= grid[-1])
            place = np.searchsorted(grid, size[used])
            rows.append(self.fold[group[used]] * len(grid) + place)
            columns.append(at * number + unit[used])
            values.append((gain * self.share)[used])
        shape = (folds * len(grid), len(ways) * number)
        gains = sparse.coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
        ).tocsr()
        dense = gains.nnz > gains.shape[0] * gains.shape[1] / 8
        return right.astype(np.float64), gains.toarray() if dense else gains

    def _best(self, table: tuple[FloatArray, FloatArray | sparse.csr_array], weights: FloatArray) -> FloatArray:
        right, gains = table
        flat = np.ascontiguousarray(weights).reshape(len(right), -1)
        folds = int(self.fold.max(initial=0)) + 1
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
