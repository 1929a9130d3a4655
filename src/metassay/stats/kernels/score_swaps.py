"""Statistics of two metrics after random exchanges of their scores.

For a swap w (0 keep, 1 exchange) the exchanged metric is X_s = X + w·(Y − X). Sums over X_s are sums over X plus
sums of w over differences; the sign of a difference of two exchanged scores is bilinear in the two swaps. So one
matrix product per draw serves every pair of metrics. All metrics here share one mask of missing cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair, Swaps
from metassay.stats.draws import PAGE
from metassay.stats.kernels.fixed_order import Ordered
from metassay.stats.kernels.weighted_ranks import TIE, kendall_from_counts, quotient, ratio
from metassay.stats.kernels.within_groups import KEEP, SHORT, TILE, standardized
from metassay.stats.levels import Kernels, Means, arranged, order_one, side_by_side

WIDTH = 1 << 15
"""Groups × pairs × draws handled at once for Pearson. It is part of the arithmetic, so it is fixed."""
MEMBERS = 128
"""Members added up at once for Pearson. It is part of the arithmetic, so it is fixed."""


class Exchange(Protocol):
    """Pairs of metrics, ready to have their scores exchanged."""

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return correlations of X_s and of Y_s with Z, each (pairs, B), for swaps (systems, inputs, B)."""
        ...


def standardize_cells(x: FloatArray) -> FloatArray:
    """Return a metric centred and scaled over all its cells, NaN where missing.

    The last digits are rounded away, so that scores that were equal but for their units are equal afterwards.
    """
    known = ~np.isnan(x)
    scaled = standardized(x.reshape(-1, 1), known.reshape(-1, 1)).reshape(x.shape)
    return np.where(known, np.round(scaled, 12), np.nan)


def standardize_level(x: FloatArray, z: FloatArray, level: str) -> FloatArray:
    """Return metrics (P, systems, inputs) centred and scaled where a level correlates them, NaN where missing.

    At system level the means of the systems get mean 0 and variance 1, at other levels the scores of each input, of
    each system, or of all cells; so a metric with noisier cells does not look as if its systems were more alike.
    """
    known = ~np.isnan(x)
    if level == "system":
        judged = (~np.isnan(z)).any(axis=1)
        out = np.empty_like(x)
        for at, values in enumerate(x):
            cells = Means(values)
            means, present = cells(None)
            of_systems = means[judged if present is None else judged & present[:, 0], 0]
            middle = of_systems.mean() if len(of_systems) else 0.0
            spread = np.sqrt(((of_systems - middle) ** 2).mean()) if len(of_systems) else 0.0
            out[at] = (cells.values - middle) / spread if spread > TIE else 0.0
    else:
        both = arranged(~np.isnan(z), level)
        groups = [standardized(arranged(v, level), both & ~np.isnan(arranged(v, level))) for v in x]
        shape = (z.shape[1], z.shape[0]) if level == "within-system" else z.shape
        out = np.stack([group.reshape(shape) for group in groups])
        out = np.swapaxes(out, 1, 2) if level == "within-system" else out
        known &= ~np.isnan(z)
    return np.where(known, np.round(out, 12), np.nan)


def standardize_many(x: FloatArray, *, means: bool) -> FloatArray:
    """Return metrics (P, systems, inputs) with nothing missing centred and scaled over all cells, or over `means`."""
    over = x.mean(axis=2, keepdims=True) if means else x
    spread = over.std(axis=(1, 2), keepdims=True)
    scaled = (x - over.mean(axis=(1, 2), keepdims=True)) / np.where(spread > TIE, spread, np.inf)
    return np.asarray(np.round(scaled, 12))


def to_one_size(x: FloatArray, *, means: bool) -> FloatArray:
    """Return metrics (P, systems, inputs) divided by their root mean square over cells, or over means of systems."""
    known = ~np.isnan(x)
    values = np.where(known, x, 0.0)
    count = known.sum(axis=2)
    if means:
        values, known = (values.sum(axis=2) / np.maximum(count, 1))[:, :, None], (count > 0)[:, :, None]
    size = np.sqrt((values**2).sum(axis=(1, 2)) / np.maximum(known.sum(axis=(1, 2)), 1))
    return np.asarray(np.round(x / np.where(size > 0, size, 1.0)[:, None, None], 12))


class GroupExchange(Protocol):
    """Pairs of metrics in groups, ready to have their scores exchanged."""

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average statistics of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        ...


def make_group_exchange(x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> GroupExchange:
    """Choose the engine for metrics (P, members, groups) that miss the same cells, and people (members, groups)."""
    if coefficient == "pearson":
        return ProductExchange(x, z, pairs)
    if len(z) <= SHORT:
        return SignExchange(x, z, pairs, coefficient)
    return OrderedExchange(x, z, pairs, coefficient)


class GroupedExchange:
    """Exchange scores at a level that averages over groups.

    Parameters
    ----------
    x
        Metric scores (P, systems, inputs) on one scale, which miss the same cells.
    z
        Human scores.
    pairs
        Which two metrics exchange scores, by position.
    level
        ``input``, ``global`` or ``within-system``.
    make
        Prepares metrics (P, members, groups), people and pairs.
    """

    def __init__(
        self,
        x: FloatArray,
        z: FloatArray,
        pairs: Sequence[Pair],
        level: str,
        make: Callable[[FloatArray, FloatArray, Sequence[Pair]], GroupExchange],
    ) -> None:
        values, human = np.stack([arranged(v, level) for v in x]), arranged(z, level)
        values = np.where(np.isnan(human), np.nan, values)
        self.groups = make(values, np.where(np.isnan(values[0]), np.nan, human), pairs)
        self.level = level

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return statistics of X_s and of Y_s with Z, each (pairs, B)."""
        return self.groups.averages(arranged(swaps, self.level))


class _Average:
    """Adds up correlations over groups, leaving out undefined ones."""

    def __init__(self, pairs: int, draws: int) -> None:
        self.total = np.zeros((pairs, draws))
        self.count = np.zeros((pairs, draws))

    def add(self, r: FloatArray) -> None:
        """Take in the correlations (groups, pairs, B) of some groups."""
        undefined = np.isnan(r)
        self.count += len(r)
        if undefined.any():
            r = np.where(undefined, 0.0, r)
            self.count -= undefined.sum(axis=0)
        self.total += r.sum(axis=0)

    def mean(self) -> FloatArray:
        """Return the average of what was defined, NaN where nothing was."""
        return quotient(self.total, self.count)


class SystemExchange:
    """System level: exchanged cells move the means of the systems."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], kernels: Kernels) -> None:
        scaled = kernels.invariant == "linear"
        self.known = known = ~np.isnan(x[0])
        self.counts = np.maximum(known.sum(axis=1), 1)[:, None]
        cells = np.where(known, x, 0.0)
        self.cells = cells / ((np.abs(cells).max() if scaled else 1.0) or 1.0)
        self.totals = self.cells.sum(axis=2)
        self.pairs = pairs
        self.kernels = kernels
        # What moves is linear in the metrics: few pairs move their differences, many share what each metric moves.
        self.few = len(pairs) < len(x)
        moving = np.stack([self.cells[b] - self.cells[a] for a, b in pairs]) if self.few else self.cells
        self.moving = np.ascontiguousarray(moving.transpose(1, 0, 2))
        self._set_people(z, scaled=scaled)

    def _set_people(self, z: FloatArray, *, scaled: bool) -> None:
        self.z, z_known = Means(z, scaled=scaled)(None)
        defined = self.known.any(axis=1, keepdims=True) & (True if z_known is None else z_known)
        self.weights = None if defined.all() else defined.astype(np.float64)

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return statistics of X_s and of Y_s with Z, each (pairs, B)."""
        moved = self._moved(swaps)
        left, right = [], []
        for pair, (a, b) in enumerate(self.pairs):
            shift = moved[pair] if self.few else moved[b] - moved[a]
            left.append((self.totals[a][:, None] + shift) / self.counts)
            right.append((self.totals[b][:, None] - shift) / self.counts)
        r = self._compare(left + right)
        return r[: len(self.pairs)], r[len(self.pairs) :]

    def _moved(self, swaps: Swaps) -> FloatArray:
        """Return what the sums of each pair, or of each metric, gain by the swaps, (pairs or metrics, systems, B)."""
        # One system at a time, so that the swaps as numbers stay in the cache.
        return np.stack([cells @ row.astype(np.float64) for cells, row in zip(self.moving, swaps, strict=True)], axis=1)

    def _compare(self, means: list[FloatArray]) -> FloatArray:
        return self.kernels.of_vectors(means, self.z, [self.weights] * len(means))


class ManySystemExchange(SystemExchange):
    """System level in many data sets at once, as :class:`metassay.stats.levels.ManySystemLevel` takes them."""

    def _set_people(self, z: FloatArray, *, scaled: bool) -> None:
        self.of_people = (order_one(z) if scaled else z).mean(axis=2)
        each = len(self.cells) // len(z)
        self.owners = [a // each for a, _ in self.pairs]

    def _moved(self, swaps: Swaps) -> FloatArray:
        if swaps.strides[1] == 0:
            # Whole systems move.
            return np.asarray(self.moving.sum(axis=2).T[:, :, None] * swaps[None, :, 0])
        if swaps.strides[0] == 0:
            # Whole inputs move, the same for all systems.
            n, many, m = self.moving.shape
            moved = self.moving.reshape(-1, m) @ swaps[0].astype(np.float64)
            return np.asarray(moved.reshape(n, many, -1).transpose(1, 0, 2))
        return super()._moved(swaps)

    def _compare(self, means: list[FloatArray]) -> FloatArray:
        draws, half = means[0].shape[1], len(means) // 2
        sides = [np.concatenate(side, axis=1) for side in (means[:half], means[half:])]
        z = side_by_side(self.of_people[self.owners][:, :, None], draws)
        return self.kernels.of_vectors(sides, z, [None, None]).reshape(len(means), draws)


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
        # What moves is linear in the sums: few pairs move their differences, many share what each metric moves.
        self.few = len(pairs) < len(x)
        if self.few:
            of_a, of_b = (np.concatenate([side + k * self.metrics for k in range(3)]) for side in (self.a, self.b))
            self.moving = np.ascontiguousarray(self.features[:, of_b] - self.features[:, of_a])
        else:
            self.moving = self.features

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        draws = swaps.shape[-1]
        left, right = _Average(len(self.a), draws), _Average(len(self.a), draws)
        width = max(1, WIDTH // (len(self.a) * draws))
        for at in range(0, swaps.shape[1], width):
            cut = slice(at, at + width)
            moved = self._moved(swaps[:, cut], cut)
            left.add(self._correlations(moved, cut, self.a, self.b))
            right.add(self._correlations(-moved, cut, self.b, self.a))
        return left.mean(), right.mean()

    def _moved(self, swaps: Swaps, cut: slice) -> FloatArray:
        """Return what the sums of X gain by the swaps, (groups, 3 · pairs, B)."""
        moved: FloatArray | None = None
        for at in range(0, len(swaps), MEMBERS):
            # Some members at a time, so that the swaps as numbers stay in the cache.
            some = slice(at, at + MEMBERS)
            part = self.moving[cut, :, some] @ swaps[some].transpose(1, 0, 2).astype(np.float64)
            moved = part if moved is None else moved + part
        assert moved is not None, "there are members"
        if self.few:
            return moved
        by_sum = [moved[:, k * self.metrics + self.b] - moved[:, k * self.metrics + self.a] for k in range(3)]
        return np.concatenate(by_sum, axis=1)

    def _correlations(self, moved: FloatArray, cut: slice, own: IntArray, other: IntArray) -> FloatArray:
        sums = np.split(moved, 3, axis=1)
        x, xx, xz = (part + self.totals[cut, k * self.metrics + own][:, :, None] for k, part in enumerate(sums))
        # Sums of one metric are what is left of sums of both, so that is the scale of their rounding errors.
        squares = self.totals[cut, self.metrics + own] + self.totals[cut, self.metrics + other]
        x *= x
        x /= self.n[cut]
        xx -= x
        xx[xx <= 1e-13 * squares[:, :, None]] = 0.0
        xx *= self.spread[cut]
        return ratio(xz, np.sqrt(xx, out=xx))


class SignExchange:
    """Spearman and Kendall within short groups: signs of pairs are bilinear in the two swaps."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.x, self.z, self.pairs, self.coefficient = x, z, pairs, coefficient
        members, groups = z.shape
        self.width = max(1, min(8 * TILE // (PAGE * members * members), 2 * TILE // (PAGE * len(pairs))))
        self._kept: list[_SignTile] | None = None
        if groups * len(pairs) * members * members <= 4 * KEEP:
            self._kept = list(self._tiles())

    def _tiles(self) -> Iterator[_SignTile]:
        for at in range(0, self.z.shape[1], self.width):
            cut = slice(at, at + self.width)
            yield _SignTile(self.x[:, :, cut], self.z[:, cut], self.pairs, self.coefficient)

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        left, right = (_Average(len(self.pairs), swaps.shape[-1]) for _ in range(2))
        for tile, at in zip(self._kept or self._tiles(), range(0, swaps.shape[1], self.width), strict=True):
            x, y = tile.correlate(swaps[:, at : at + self.width].transpose(1, 0, 2))
            left.add(x)
            right.add(y)
        return left.mean(), right.mean()


class _SignTile:
    """Some groups: tables of signs for all pairs of metrics. Missing members have zeros in every table.

    All sums are of whole numbers below 2²⁴, so single precision is exact.
    """

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.coefficient = coefficient
        present = ~np.isnan(z).T
        both = present[:, :, None] & present[:, None, :]
        self.n = present.sum(axis=1).astype(np.float64)[:, None, None]
        z, x = np.where(present, z.T, 0.0), np.where(present, x.transpose(0, 2, 1), 0.0)
        signs_z = np.sign(z[:, :, None] - z[:, None, :]) * both
        ranks = signs_z.sum(axis=2)
        if coefficient == "spearman":
            factor = (ranks[:, :, None] - ranks[:, None, :]) * both
            self.spread_z = (ranks**2).sum(axis=1)[:, None, None]
        else:
            factor = signs_z
            self.spread_z = np.abs(signs_z).sum(axis=(1, 2))[:, None, None] / 2
        self.kinds_z = (present & ~np.tril((signs_z == 0) & both, -1).any(axis=2)).sum(axis=1)[:, None, None]
        a, b = (np.stack([x[pair[side]] for pair in pairs], axis=1) for side in (0, 1))

        def table(first: FloatArray, second: FloatArray) -> FloatArray:
            """Return sign(first_i − second_k)·factor_ik, the terms of the numerator."""
            terms: FloatArray = np.sign(first[..., :, None] - second[..., None, :]) * factor[:, None]
            return terms

        keep, both_moved, one_moved, other_moved = table(a, a), table(b, b), table(b, a), table(a, b)
        self.first, self.second = np.triu_indices(len(z[0]), 1)
        self.start_x = keep.sum(axis=(2, 3))[..., None] / 2
        self.start_y = both_moved.sum(axis=(2, 3))[..., None] / 2
        linear = np.concatenate([(one_moved - keep).sum(axis=3), (other_moved - both_moved).sum(axis=3)], axis=1)
        bilinear = both_moved - one_moved - other_moved + keep
        # For few pairs of metrics a quadratic form is cheaper than products of all swaps, which all pairs share.
        self.quadratic = 4 * len(pairs) <= z.shape[1]
        if self.quadratic:
            bilinear = bilinear.reshape(len(z), -1, z.shape[1]) / 2
        else:
            bilinear = bilinear[..., self.first, self.second]
        self.linear, self.bilinear = linear.astype(np.float32), bilinear.astype(np.float32)
        self._find_ties(a, b, present)
        # With many ties one product for all of them is cheaper than the size of each.
        many = self.tie_step.shape[1] > z.shape[1]
        self.folded = many and coefficient in ("kendall", "kendall-a") and not self.quadratic
        if self.folded:
            self._fold_ties()

    def _find_ties(self, a: FloatArray, b: FloatArray, present: BoolArray) -> None:
        """List values that two or more members could share: only these can be tied after an exchange."""
        found: list[list[tuple[int, int, int, FloatArray]]] = [[] for _ in a]
        pooled = np.sort(np.where(present[:, None], [a, b], np.nan), axis=-1)
        pooled = np.sort(np.concatenate([pooled[0], pooled[1]], axis=-1), axis=-1)
        for g, pair in zip(*np.nonzero((np.diff(pooled, axis=-1) == 0).any(axis=-1)), strict=True):
            left, right = a[g, pair], b[g, pair]
            values, counts = np.unique(np.concatenate([left[present[g]], right[present[g]]]), return_counts=True)
            for value in values[counts > 1]:
                in_left, in_right = (left == value) & present[g], (right == value) & present[g]
                # A value held by only one member, in both metrics, is never tied.
                if (in_left | in_right).sum() > 1:
                    step = in_right.astype(np.float64) - in_left
                    found[g].append((pair, int(in_left.sum()), int(in_left.sum() + in_right.sum()), step))
        most = max(map(len, found))
        self.tied = most > 0
        shape = (len(a), most)
        self.tie_start, self.tie_total = np.zeros((2, *shape, 1), dtype=np.float32)
        self.tie_step = np.zeros((*shape, a.shape[2]), dtype=np.float32)
        self.tie_owner = np.zeros((len(a), a.shape[1], most), dtype=np.float32)
        for g, ties in enumerate(found):
            for t, (pair, start, total, step) in enumerate(ties):
                self.tie_start[g, t], self.tie_total[g, t], self.tie_step[g, t] = start, total, step
                self.tie_owner[g, pair, t] = 1

    def _fold_ties(self) -> None:
        """Write the (s² − s)/2 pairs that all values tie, of sizes s = start + step·w, as one polynomial in swaps w.

        As w is 0 or 1, w² = w; and Y_s has total − s of each value, so both sides share the bilinear part.
        """
        step, owner = self.tie_step, self.tie_owner
        sides = ((self.tie_start, step), (self.tie_total - self.tie_start, -step))
        self.tied_start = [owner @ ((start * start - start) / 2) for start, _ in sides]
        self.tied_linear = [owner @ (start * d + (d * d - d) / 2) for start, d in sides]
        self.tied_bilinear = owner @ (step[..., self.first] * step[..., self.second])

    def correlate(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return correlations of X_s and Y_s, each (groups, pairs, B), for swaps (groups, members, B)."""
        # Groups that exchange the same members share the products of swaps.
        swaps = swaps[:1] if swaps.strides[0] == 0 else swaps
        moved = swaps.astype(np.float32)
        straight = self.linear @ moved
        pairs = self.linear.shape[1] // 2
        if self.quadratic:
            moved = np.broadcast_to(moved, (len(straight), *moved.shape[1:]))
            other = (self.bilinear @ moved).reshape(len(moved), pairs, *moved.shape[1:])
            mixed = np.einsum("gib,gcib->gcb", moved, other)
        else:
            joint = (swaps[:, self.first] & swaps[:, self.second]).astype(np.float32)
            mixed = self.bilinear @ joint
        left, right = self.start_x + straight[:, :pairs] + mixed, self.start_y + straight[:, pairs:] + mixed
        if self.folded:
            shared = self.tied_bilinear @ joint
            of_x, of_y = (s + part @ moved + shared for s, part in zip(self.tied_start, self.tied_linear, strict=True))
            return self._tau(left, of_x, None), self._tau(right, of_y, None)
        if not self.tied:
            return self._finish(left, None), self._finish(right, None)
        size = self.tie_step @ moved
        size += self.tie_start
        return self._finish(left, size), self._finish(right, self.tie_total - size)

    def _finish(self, numerator: FloatArray, size: npt.NDArray[np.float32] | None) -> FloatArray:
        """Divide by the spread, which only ties can lessen; `size` holds the sizes of possible ties."""
        n = self.n
        if self.coefficient == "spearman":
            spread = (n**3 - n) / 3
            if size is not None:
                spread = spread - self.tie_owner @ ((size * size * size - size) / 3)
            return ratio(numerator, np.sqrt(np.maximum(spread, 0.0) * self.spread_z))
        distinct = None
        if self.coefficient == "kendall-c":
            kinds = n if size is None else n - self.tie_owner @ (size - (size > 0))
            distinct = np.minimum(kinds, self.kinds_z).astype(np.int64)
        return self._tau(numerator, 0.0 if size is None else self.tie_owner @ ((size * size - size) / 2), distinct)

    def _tau(
        self, numerator: FloatArray, tied: npt.NDArray[np.floating] | float, distinct: IntArray | None
    ) -> FloatArray:
        n = self.n
        return kendall_from_counts(numerator, n * (n - 1) / 2 - tied, self.spread_z, n, distinct, self.coefficient)


class OrderedExchange:
    """Spearman and Kendall within long groups: both metrics sorted together once, swaps are weights 0 and 1."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], coefficient: str) -> None:
        self.coefficient = coefficient
        self.members = [np.flatnonzero(~np.isnan(column)) for column in z.T]
        self.groups = [
            [Ordered(np.concatenate([x[a, at, g], x[b, at, g]]), np.tile(z[at, g], 2)) for a, b in pairs]
            for g, at in enumerate(self.members)
        ]
        self.pairs = len(pairs)

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average correlations of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        left, right = (_Average(self.pairs, swaps.shape[-1]) for _ in range(2))
        for g, at in enumerate(self.members):
            exchanged = swaps[:, g] if len(at) == len(swaps) else swaps[at, g]
            kept = exchanged ^ 1
            for average, halves in ((left, (kept, exchanged)), (right, (exchanged, kept))):
                chosen = np.concatenate(halves)
                r = [pair.correlate(chosen, len(at), self.coefficient) for pair in self.groups[g]]
                average.add(np.stack(r)[None])
        return left.mean(), right.mean()
