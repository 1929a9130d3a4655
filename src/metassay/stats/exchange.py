"""Correlations of two metrics after random exchanges of their scores.

For a swap w (0 keep, 1 exchange) the exchanged metric is X_s = X + w·(Y − X). Sums over X_s are sums over X plus
sums of w over differences; the sign of a difference of two exchanged scores is bilinear in the two swaps. So one
matrix product per draw serves every pair of metrics. All metrics here share one mask of missing cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from metassay.stats.grouped import SHORT, standardized
from metassay.stats.levels import Means, arranged
from metassay.stats.ordered import Ordered
from metassay.stats.pairwise import correlate, kendall_from_counts, ratio

FloatArray = npt.NDArray[np.float64]
Swaps = npt.NDArray[np.uint8]
Pair = tuple[int, int]

WIDTH = 1 << 17
"""Groups × pairs × draws handled at once for Pearson. It is part of the arithmetic, so it is fixed."""


class Exchange(Protocol):
    """Pairs of metrics, ready to have their scores exchanged."""

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return correlations of X_s and of Y_s with Z, each (pairs, B), for swaps (systems, inputs, B)."""
        ...


def standardize_cells(x: FloatArray) -> FloatArray:
    """Return a metric centred and scaled over all its cells, NaN where missing."""
    known = ~np.isnan(x)
    return np.where(known, standardized(x.reshape(-1, 1), known.reshape(-1, 1)).reshape(x.shape), np.nan)


def make_exchange(x: FloatArray, z: FloatArray, pairs: Sequence[Pair], level: str, coefficient: str) -> Exchange:
    """Prepare metrics (P, systems, inputs) that miss the same cells, and one human matrix.

    Parameters
    ----------
    x
        Metric scores on one scale (see :func:`standardize_cells`).
    z
        Human scores.
    pairs
        Which two metrics exchange scores, by position.
    level, coefficient
        What is computed after each exchange.
    """
    if level == "system":
        return SystemExchange(x, z, pairs, coefficient)
    values = np.stack([arranged(v, level) for v in x])
    human = arranged(z, level)
    values = np.where(np.isnan(human), np.nan, values)
    human = np.where(np.isnan(values[0]), np.nan, human)
    groups: ProductExchange | SignExchange | OrderedExchange
    if coefficient == "pearson":
        groups = ProductExchange(values, human, pairs)
    elif len(human) <= SHORT:
        groups = SignExchange(values, human, pairs, coefficient)
    else:
        groups = OrderedExchange(values, human, pairs, coefficient)
    return lambda swaps: groups.averages(arranged(swaps, level))


class _Average:
    """Adds up correlations over groups, leaving out undefined ones."""

    def __init__(self, pairs: int, draws: int) -> None:
        self.total = np.zeros((pairs, draws))
        self.count = np.zeros((pairs, draws))

    def add(self, r: FloatArray) -> None:
        """Take in the correlations (pairs, B) of one group."""
        defined = ~np.isnan(r)
        self.total += np.where(defined, r, 0.0)
        self.count += defined

    def mean(self) -> FloatArray:
        """Return the average of what was defined, NaN where nothing was."""
        return np.divide(self.total, self.count, out=np.full(self.total.shape, np.nan), where=self.count > 0)


class SystemExchange:
    """System level: exchanged cells move the means of the systems."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        known = ~np.isnan(x[0])
        self.counts = np.maximum(known.sum(axis=1), 1)[:, None]
        self.cells = np.where(known, x, 0.0) / (np.nanmax(np.abs(x)) or 1.0)
        self.totals = self.cells.sum(axis=2)
        self.z, z_known = Means(z)(None)
        defined = known.any(axis=1, keepdims=True) & (True if z_known is None else z_known)
        self.weights = None if defined.all() else defined.astype(np.float64)
        self.pairs = pairs
        self.coefficient = coefficient

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return correlations of X_s and of Y_s with Z, each (pairs, B)."""
        moved = self.cells.transpose(1, 0, 2) @ swaps.astype(np.float64)
        moved = moved.transpose(1, 0, 2)
        left, right = [], []
        for a, b in self.pairs:
            shift = moved[b] - moved[a]
            left.append((self.totals[a][:, None] + shift) / self.counts)
            right.append((self.totals[b][:, None] - shift) / self.counts)
        weights = None if self.weights is None else [self.weights] * (2 * len(self.pairs))
        r = correlate(left + right, self.z, weights, self.coefficient)
        return r[: len(self.pairs)], r[len(self.pairs) :]


class ProductExchange:
    """Pearson within groups."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        known = ~np.isnan(z)
        cells = np.where(known, x, 0.0)
        human = standardized(z, known)
        # (groups, sums, members): for each metric the scores, their squares, and their products with Z.
        self.features = np.ascontiguousarray(np.concatenate([cells, cells**2, cells * human]).transpose(2, 0, 1))
        self.totals = self.features.sum(axis=2)
        self.n = np.maximum(known.sum(axis=0), 1).astype(np.float64)[:, None, None]
        self.spread = (human**2).sum(axis=0)[:, None, None]
        self.metrics = len(x)
        self.a = np.array([a for a, _ in pairs])
        self.b = np.array([b for _, b in pairs])

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        draws = swaps.shape[-1]
        left, right = _Average(len(self.a), draws), _Average(len(self.a), draws)
        width = max(1, WIDTH // (len(self.a) * draws))
        for at in range(0, swaps.shape[1], width):
            cut = slice(at, at + width)
            moved = self.features[cut] @ swaps[:, cut].transpose(1, 0, 2).astype(np.float64)
            for average, own, other in ((left, self.a, self.b), (right, self.b, self.a)):
                for r in self._correlations(moved, cut, own, other):
                    average.add(r)
        return left.mean(), right.mean()

    def _correlations(
        self, moved: FloatArray, cut: slice, own: npt.NDArray[np.int64], other: npt.NDArray[np.int64]
    ) -> FloatArray:
        sums = []
        for first in (0, self.metrics, 2 * self.metrics):
            part = moved[:, first + other] - moved[:, first + own]
            part += self.totals[cut, first + own][:, :, None]
            sums.append(part)
        x, xx, xz = sums
        raw = xx.copy()
        x *= x
        x /= self.n[cut]
        xx -= x
        xx[xx <= 1e-13 * raw] = 0.0
        xx *= self.spread[cut]
        return ratio(xz, np.sqrt(xx, out=xx))


class SignExchange:
    """Spearman and Kendall within short groups: signs of pairs are bilinear in the two swaps."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.coefficient = coefficient
        self.pairs = len(pairs)
        self.groups = [_SignGroup(x[:, :, g], z[:, g], pairs, coefficient) for g in range(z.shape[1])]

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        left, right = (_Average(self.pairs, swaps.shape[-1]) for _ in range(2))
        for g, group in enumerate(self.groups):
            if group.defined:
                x, y = group.correlate(swaps[:, g].astype(np.float64))
                left.add(x)
                right.add(y)
        return left.mean(), right.mean()


class _SignGroup:
    """One group: tables of signs for all pairs of metrics."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.coefficient = coefficient
        self.present = np.flatnonzero(~np.isnan(z))
        x, z = x[:, self.present], z[self.present]
        n = len(z)
        self.n = float(n)
        signs_z = np.sign(z[:, None] - z[None, :])
        self.defined = bool(signs_z.any())
        if not self.defined:
            return
        self.first, self.second = np.triu_indices(n, 1)
        if coefficient == "spearman":
            ranks = signs_z.sum(axis=1)
            factor, self.untied_z = ranks[:, None] - ranks[None, :], float((ranks**2).sum())
        else:
            factor, self.untied_z = signs_z, float(np.abs(signs_z).sum() / 2)
        self.kinds_z = len(np.unique(z))
        a, b = x[[p for p, _ in pairs]], x[[q for _, q in pairs]]
        # Terms sign(x_i − x_k)·factor_ik of the numerator, for each choice of whose score i and k have.
        keep = np.sign(a[:, :, None] - a[:, None, :]) * factor
        both = np.sign(b[:, :, None] - b[:, None, :]) * factor
        one = np.sign(b[:, :, None] - a[:, None, :]) * factor  # i has its score exchanged, k keeps its own
        other = np.sign(a[:, :, None] - b[:, None, :]) * factor
        self.start_x = keep.sum(axis=(1, 2)) / 2
        self.start_y = both.sum(axis=(1, 2)) / 2
        self.linear_x = (one - keep).sum(axis=2)
        self.linear_y = (other - both).sum(axis=2)
        self.bilinear = (both - one - other + keep)[:, self.first, self.second]
        self._find_ties(a, b)

    def _find_ties(self, a: FloatArray, b: FloatArray) -> None:
        """List values that two or more members could share: only these can be tied after an exchange."""
        owner, start, step, total = [], [], [], []
        for pair, (left, right) in enumerate(zip(a, b, strict=True)):
            values, of = np.unique(np.concatenate([left, right]), return_inverse=True)
            counts = np.bincount(of, minlength=len(values))
            if counts.max(initial=0) < 2:
                continue
            in_left = of[: len(left)][:, None] == np.arange(len(values))
            in_right = of[len(left) :][:, None] == np.arange(len(values))
            # A value held by only one member, in both metrics, is never tied.
            shared = (in_left | in_right).sum(axis=0) > 1
            owner += [pair] * int(shared.sum())
            start += list(in_left[:, shared].sum(axis=0))
            total += list(counts[shared])
            step += list((in_right[:, shared].astype(np.float64) - in_left[:, shared]).T)
        self.tie_owner = np.array(owner, dtype=np.int64)
        self.tie_start = np.array(start, dtype=np.float64)[:, None]
        self.tie_total = np.array(total, dtype=np.float64)[:, None]
        self.tie_step = np.array(step, dtype=np.float64).reshape(len(owner), len(a[0]))

    def correlate(self, swaps: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return correlations of X_s and Y_s, each (pairs, B), for swaps (members, B)."""
        swaps = swaps[self.present]
        mixed = self.bilinear @ (swaps[self.first] * swaps[self.second])
        size_x = self.tie_start + self.tie_step @ swaps if len(self.tie_owner) else None
        x = self._finish(self.start_x[:, None] + self.linear_x @ swaps + mixed, size_x)
        size_y = None if size_x is None else self.tie_total - size_x
        y = self._finish(self.start_y[:, None] + self.linear_y @ swaps + mixed, size_y)
        return x, y

    def _finish(self, numerator: FloatArray, size: FloatArray | None) -> FloatArray:
        """Divide by the spread, which only ties can lessen; `size` holds the sizes of possible ties."""
        n = self.n
        if self.coefficient == "spearman":
            spread = np.full(numerator.shape, (n**3 - n) / 3)
            if size is not None:
                np.subtract.at(spread, self.tie_owner, (size**3 - size) / 3)
            return ratio(numerator, np.sqrt(np.maximum(spread, 0.0) * self.untied_z))
        untied = np.full(numerator.shape, n * (n - 1) / 2)
        kinds = np.full(numerator.shape, n)
        if size is not None:
            np.subtract.at(untied, self.tie_owner, (size * size - size) / 2)
            np.subtract.at(kinds, self.tie_owner, size - (size > 0))
        distinct = np.minimum(kinds, self.kinds_z).astype(np.int64)
        all_n = np.full((), n)
        return kendall_from_counts(numerator, untied, np.full((), self.untied_z), all_n, distinct, self.coefficient)


class OrderedExchange:
    """Spearman and Kendall within long groups: both metrics sorted together once, swaps are weights 0 and 1."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.coefficient = coefficient
        self.member, self.group = np.nonzero(~np.isnan(z))
        human = z[self.member, self.group]
        twice = np.concatenate([self.group, self.group])
        self.pairs = [
            Ordered(
                np.concatenate([x[a][self.member, self.group], x[b][self.member, self.group]]),
                np.concatenate([human, human]),
                twice,
                z.shape[1],
            )
            for a, b in pairs
        ]

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        exchanged = swaps[self.member, self.group].astype(np.float64)
        kept = 1.0 - exchanged
        results = []
        for weights in (np.concatenate([kept, exchanged]), np.concatenate([exchanged, kept])):
            rows = []
            for pair in self.pairs:
                average = _Average(1, weights.shape[1])
                for r in pair.correlate(weights, self.coefficient):
                    average.add(r[None, :])
                rows.append(average.mean()[0])
            results.append(np.stack(rows))
        return results[0], results[1]
