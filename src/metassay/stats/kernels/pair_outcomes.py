"""Pairs of outputs by how a metric and people order them, under weights and under exchanges of scores.

A pair is ordered alike or unlike, or tied by the metric, by people, or by both. A statistic of pairs is a quotient of
two weighted counts of these five classes: its :class:`Rates`. Short groups hold a table of all their pairs, so that
counts are matrix products with products of weights; long ones count ties by value and the rest in a fixed order
(:mod:`metassay.stats.kernels.fixed_order`). Only pairs of different outputs count, however often each was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import FloatArray, IntArray, Pair, Swaps
from metassay.stats.kernels.fixed_order import Ordered
from metassay.stats.kernels.weighted_ranks import Numbers, quotient
from metassay.stats.kernels.within_groups import SHORT

SAME, OTHER, TIED_METRIC, TIED_PEOPLE, TIED_BOTH = range(5)
CLASSES = np.array(
    [SAME, TIED_PEOPLE, OTHER, TIED_METRIC, TIED_BOTH, TIED_METRIC, OTHER, TIED_PEOPLE, SAME], dtype=np.int64
)
"""What a pair counts as, at 3·(sign of the metric's difference) + (sign of people's) + 4."""
ELEMENTS = 1 << 22
"""Pairs × draws weighted at once; sums of whole numbers do not depend on it."""


class Rates(NamedTuple):
    """What a pair of each class, in the order of the constants above, adds to the two sums of a quotient."""

    above: tuple[float, ...]
    """To the numerator."""
    below: tuple[float, ...]
    """To the denominator."""
    gap: float = 0.0
    """People tie two outputs whose scores differ by less than this."""

    @property
    def fixed(self) -> bool:
        """Whether the denominator does not depend on the metric, so that the statistic is a mean of outcomes."""
        same, other, tied_metric, tied_people, tied_both = self.below
        return same == other == tied_metric and tied_people == tied_both

    def classes(self, x: FloatArray, z: FloatArray) -> IntArray:
        """Return the class of each pair with these differences of the metric and of people."""
        people = np.sign(z) * (np.abs(z) >= self.gap)
        found: IntArray = CLASSES[(3 * np.sign(x) + people + 4).astype(np.int64)]
        return found


class PairSums(Protocol):
    """Values in groups, ready to be added up under many weightings."""

    def sums(self, weights: Numbers) -> FloatArray:
        """Return sums of shape (sums, groups, B) for weights (members, B)."""
        ...


def make_sums(x: FloatArray, z: FloatArray, rates: Rates) -> PairSums:
    """Choose the engine for values of shape (members, groups), NaN for missing."""
    if len(x) <= SHORT or rates.gap:
        return PairTables(x, z, rates)
    return OrderedPairs(x, z, rates)


class PairTables:
    """All pairs of each group in one table."""

    def __init__(self, x: FloatArray, z: FloatArray, rates: Rates) -> None:
        self.first, self.second = np.triu_indices(len(x), 1)
        dx, dz = (v[self.first] - v[self.second] for v in (x, z))
        known = ~np.isnan(dx + dz)
        kinds = rates.classes(np.where(known, dx, 0.0), np.where(known, dz, 0.0)).T
        each = np.array([rates.above, rates.below], dtype=np.float32)
        self.tables = each[:, kinds] * known.T

    def sums(self, weights: Numbers) -> FloatArray:
        """Return numerators and denominators, (2, groups, B); whole numbers, so single precision is exact."""
        w = weights.astype(np.float32)
        width = max(1, ELEMENTS // max(1, len(self.first)))
        parts = []
        for at in range(0, w.shape[1], width):
            cut = w[:, at : at + width]
            parts.append(self.tables @ (cut[self.first] * cut[self.second]))
        return np.concatenate(parts, axis=2).astype(np.float64)


class OrderedPairs:
    """Long groups: both sides sorted once; ties are sums over equal values."""

    def __init__(self, x: FloatArray, z: FloatArray, rates: Rates) -> None:
        self.rates = np.array([rates.above, rates.below])
        known = ~np.isnan(x + z)
        self.members = [np.flatnonzero(column) for column in known.T]
        self.groups = [_LongGroup(x[at, g], z[at, g]) for g, at in enumerate(self.members)]

    def sums(self, weights: Numbers) -> FloatArray:
        """Return numerators and denominators, (2, groups, B)."""
        counts = [group.counts(weights[at]) for group, at in zip(self.groups, self.members, strict=True)]
        return np.asarray(np.einsum("sk,gkb->sgb", self.rates, np.stack(counts)))


class _LongGroup:
    """One long group: how many pairs are of each class."""

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        self.ordered = Ordered(x, z)
        columns = [x, z, np.unique(np.stack([x, z]), axis=1, return_inverse=True)[1].reshape(-1)] if len(x) else [x] * 3
        self.ties = [_tie_classes(column) for column in columns]

    def counts(self, weights: Numbers) -> FloatArray:
        """Return how many pairs are of each class, (5, B), for weights (points, B)."""
        w = weights.astype(np.float64)
        total, squares = w.sum(axis=0), (w * w).sum(axis=0)
        if not len(w):
            return np.zeros((5, w.shape[1]))
        tied_x, tied_z, tied_both = (((_class_sums(w, tie) ** 2).sum(axis=0) - squares) / 2 for tie in self.ties)
        apart = np.nan_to_num(self.ordered.correlate(weights, int(total.max()), "kendall-a")) * total * (total - 1) / 2
        pairs = (total**2 - squares) / 2
        ordered = pairs - tied_x - tied_z + tied_both
        same = np.round((ordered + apart) / 2)
        return np.stack([same, ordered - same, tied_x - tied_both, tied_z - tied_both, tied_both])


def _tie_classes(values: npt.NDArray[np.generic]) -> tuple[IntArray, IntArray]:
    """Return the order of values, and where each distinct one starts in it."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    return order, np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])


def _class_sums(w: FloatArray, tie: tuple[IntArray, IntArray]) -> FloatArray:
    return np.asarray(np.add.reduceat(w[tie[0]], tie[1], axis=0))


def make_exchange(
    x: FloatArray, z: FloatArray, pairs: Sequence[Pair], rates: Rates, *, pooled: bool
) -> MeanExchange | RatioExchange:
    """Choose the engine for metrics (P, members, groups) that miss the same cells."""
    if rates.fixed and len(z) <= SHORT:
        return MeanExchange(x, z, pairs, rates, pooled=pooled)
    return RatioExchange(x, z, pairs, lambda one, other: make_sums(one, other, rates), pooled=pooled)


class MeanExchange:
    """Means of outcomes: what pairs of exchanged scores add is bilinear in the two swaps, for all groups at once."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], rates: Rates, *, pooled: bool) -> None:
        self.first, self.second = np.triu_indices(len(z), 1)
        dz = z[self.first] - z[self.second]
        known, above = ~np.isnan(dz), np.array(rates.above)
        dz = np.where(known, dz, 0.0)
        below = (np.array(rates.below)[rates.classes(np.zeros_like(dz), dz)] * known).sum(axis=0)
        defined = below > 0
        share = np.where(defined, 1.0 if pooled else 1.0 / np.where(defined, below, 1.0), 0.0)
        self.undefined = not defined.any()
        share = share / max(float(below.sum() if pooled else defined.sum()), 1.0) * known

        def outcomes(one: FloatArray, other: FloatArray) -> FloatArray:
            dx = np.where(known, one[self.first] - other[self.second], 0.0)
            return np.asarray(above[rates.classes(dx, dz)] * share)

        members, groups = z.shape
        self.start, linear = np.empty((2, len(pairs))), np.zeros((2, len(pairs), members, groups))
        self.bilinear = np.empty((len(pairs), dz.size))
        for at, (a, b) in enumerate(pairs):
            keep, both = outcomes(x[a], x[a]), outcomes(x[b], x[b])
            one, other = outcomes(x[b], x[a]), outcomes(x[a], x[b])
            self.start[:, at] = keep.sum(), both.sum()
            for side, (still, i, k) in enumerate(((keep, one, other), (both, other, one))):
                np.add.at(linear[side, at], self.first, i - still)
                np.add.at(linear[side, at], self.second, k - still)
            self.bilinear[at] = (both - one - other + keep).ravel()
        self.linear = linear.reshape(2, len(pairs), -1)

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average statistics of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        draws = swaps.shape[-1]
        if self.undefined:
            return np.full((len(self.bilinear), draws), np.nan), np.full((len(self.bilinear), draws), np.nan)
        out = np.empty((2, len(self.bilinear), draws))
        width = max(1, ELEMENTS // self.bilinear.shape[1])
        for at in range(0, draws, width):
            cut = np.ascontiguousarray(swaps[..., at : at + width])
            joint = (cut[self.first] & cut[self.second]).reshape(self.bilinear.shape[1], -1)
            moved = self.linear @ cut.reshape(-1, cut.shape[-1]).astype(np.float64)
            out[..., at : at + width] = self.start[:, :, None] + moved + self.bilinear @ joint.astype(np.float64)
        return out[0], out[1]


class RatioExchange:
    """Any quotient of sums: both metrics stand in one group, and swaps are weights 0 and 1."""

    def __init__(
        self,
        x: FloatArray,
        z: FloatArray,
        pairs: Sequence[Pair],
        make: Callable[[FloatArray, FloatArray], PairSums],
        *,
        pooled: bool,
    ) -> None:
        self.pooled = pooled
        self.members = [np.flatnonzero(~np.isnan(column)) for column in z.T]
        self.groups = [
            [make(np.concatenate([x[a, at, g], x[b, at, g]])[:, None], np.tile(z[at, g], 2)[:, None]) for a, b in pairs]
            for g, at in enumerate(self.members)
        ]

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average statistics of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        sides = []
        for moved in (swaps, swaps ^ 1):
            found = []
            for g, at in enumerate(self.members):
                chosen = np.concatenate([moved[at, g] ^ 1, moved[at, g]]).astype(np.float32)
                found.append(np.stack([pair.sums(chosen)[:, 0] for pair in self.groups[g]], axis=1))
            above, below = np.stack(found, axis=1)
            if self.pooled:
                sides.append(quotient(above.sum(axis=0), below.sum(axis=0)))
                continue
            r = quotient(above, below)
            known = ~np.isnan(r)
            sides.append(quotient(np.where(known, r, 0.0).sum(axis=0), known.sum(axis=0)))
        return sides[0], sides[1]
