"""The four levels at which a statistic is taken, at the data and in bootstrap samples of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.kernels.within_groups import Groups, ProductGroups

Scalar = TypeVar("Scalar", bound=np.generic)

OUTER = 4_000_000
"""Cells × draws weighted at once at global level. It is part of the arithmetic, so it is fixed."""


Kind = tuple[bool, bool]
"""Whether systems, and whether inputs are drawn again."""
OF_SYSTEMS, OF_INPUTS, OF_BOTH = (True, False), (False, True), (True, True)


class Kernels(Protocol):
    """How a statistic is computed: of vectors that differ in every draw, and within groups of fixed values."""

    @property
    def invariant(self) -> str:
        """What changes no value of the statistic: ``linear``, ``scale`` or ``none``."""
        ...

    def of_vectors(self, xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None]) -> FloatArray:
        """Return the statistic of each of `xs` (n, B) and `z` (n, B) under weights (n, B), (len(xs), B)."""
        ...

    @property
    def ranked(self) -> bool:
        """Whether only the order of scores counts."""
        ...

    def groups(self, x: FloatArray, z: FloatArray) -> Groups:
        """Prepare values (members, groups), NaN for missing."""
        ...

    def left_out(self, x: FloatArray, z: FloatArray, units: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the statistic in each group, and without each member of it."""
        ...


class Level(Protocol):
    """Several metrics and people, ready to be compared."""

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return for each metric the statistic, and how many groups were undefined and excluded from the mean."""
        ...

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B) for multiplicities (n, B); None leaves an axis as it is."""
        ...


@runtime_checkable
class SharesDraws(Protocol):
    """A level at which bootstraps of several kinds have work in common."""

    def bootstraps(
        self, systems: FloatArray | None, inputs: FloatArray | None, kinds: Sequence[Kind]
    ) -> list[FloatArray]:
        """Return what several kinds of bootstraps give, (metrics, B) each."""
        ...


def bootstraps(
    level: Level, systems: FloatArray | None, inputs: FloatArray | None, kinds: Sequence[Kind]
) -> list[FloatArray]:
    """Return what bootstraps of several kinds give with the same draws, (metrics, B) each."""
    # Statistics within groups are the costly part, and resampling the groups as well does not change them.
    cells = isinstance(level, GroupedLevel) and level.level == "global"
    if isinstance(level, SharesDraws) and not cells and len(kinds) > 1:
        return level.bootstraps(systems, inputs, kinds)
    return [level.bootstrap(systems if a else None, inputs if b else None) for a, b in kinds]


class Means:
    """Row means over the cells that are not missing, under weights of the columns.

    Values are centred and scaled to order one, which changes no correlation and makes ties of means detectable; unless
    they are wanted as they are.
    """

    def __init__(self, values: FloatArray, *, scaled: bool = True) -> None:
        known = ~np.isnan(values)
        self.known = None if known.all() else known.astype(np.float64)
        if not scaled:
            self.values, self.centre, self.scale = np.where(known, values, 0.0), 0.0, 1.0
            return
        # Huge values are halved until sums of them cannot overflow; powers of two change no digit.
        unit = 2.0 ** max(0, int(np.frexp(np.abs(values[known]).max(initial=0.0))[1]) - 500)
        small = values / unit
        centre = float(small[known].mean()) if known.any() else 0.0
        centred = np.where(known, small - centre, 0.0)
        scale = float(np.abs(centred).max()) or 1.0
        self.values = centred / scale
        self.centre, self.scale = centre * unit, scale * unit

    def __call__(self, weights: FloatArray | None) -> tuple[FloatArray, BoolArray | None]:
        """Return means (rows, B), and which exist if some may not."""
        total = self.values.sum(axis=1, keepdims=True) if weights is None else self.values @ weights
        if self.known is None:
            n = np.array([[self.values.shape[1]]]) if weights is None else weights.sum(axis=0)
            return total / n, None
        n = self.known.sum(axis=1, keepdims=True) if weights is None else self.known @ weights
        return total / np.maximum(n, 1.0), n > 0


class SystemLevel:
    """Compare the means of the systems.

    Metrics may have other inputs than people; then inputs are not `paired`, and the multiplicities of people's inputs
    stand below those of the inputs of metrics.
    """

    def __init__(self, x: FloatArray, z: FloatArray, kernels: Kernels, *, paired: bool = True) -> None:
        scaled = kernels.invariant == "linear"
        self.x = [Means(values, scaled=scaled) for values in x]
        self.z = Means(z, scaled=scaled)
        self.kernels, self.paired = kernels, paired

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return statistics and zeros: at this level there is no average to leave."""
        r = self.bootstrap(None, None)[:, 0]
        return r, np.zeros(len(r), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B)."""
        scored = judged = inputs
        if not self.paired and inputs is not None:
            n = self.x[0].values.shape[1]
            scored, judged = inputs[:n], inputs[n:]
        z, z_known = self.z(judged)
        means, weights = [], []
        for x in self.x:
            mean, known = x(scored)
            means.append(mean)
            w = systems
            for mask in (known, z_known):
                if mask is not None:
                    w = mask.astype(np.float64) if w is None else w * mask
            weights.append(w)
        return self.kernels.of_vectors(means, z, weights)


class ManySystemLevel:
    """Many data sets at once, of the same shape and with nothing missing: compare the means of the systems in each.

    `z` is (data sets, systems, inputs), and `x` has the metrics of the first data set, of the second, and so on.
    """

    def __init__(self, x: FloatArray, z: FloatArray, kernels: Kernels) -> None:
        scaled = kernels.invariant == "linear"
        self.x, self.z = (order_one(v) if scaled else v for v in (x, z))
        self.kernels = kernels

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return statistics and zeros."""
        r = self.bootstrap(None, None)[:, 0]
        return r, np.zeros(len(r), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B)."""
        draws = max([1, *(w.shape[1] for w in (systems, inputs) if w is not None)])
        each = len(self.x) // len(self.z)
        x, z = self._means(self.x, inputs), side_by_side(self._means(self.z, inputs), draws)
        weights = None if systems is None else np.tile(systems, (1, len(self.z)))
        # The first metrics of all data sets, then the second ones.
        xs = [side_by_side(x[k::each], draws) for k in range(each)]
        r = self.kernels.of_vectors(xs, z, [weights] * each).reshape(each, len(self.z), draws)
        return r.transpose(1, 0, 2).reshape(len(self.x), draws)

    @staticmethod
    def _means(values: FloatArray, inputs: FloatArray | None) -> FloatArray:
        """Return means (sets, systems, B)."""
        if inputs is None:
            return np.asarray(values.mean(axis=2, keepdims=True))
        count, n, m = values.shape
        return np.asarray((values.reshape(-1, m) @ inputs).reshape(count, n, -1) / inputs.sum(axis=0))


def order_one(values: FloatArray) -> FloatArray:
    """Return each of (sets, systems, inputs) centred and scaled to order one, as :class:`Means` does."""
    centred = values - values.mean(axis=(1, 2), keepdims=True)
    scale = np.abs(centred).max(axis=(1, 2), keepdims=True)
    return np.asarray(centred / np.where(scale > 0, scale, 1.0))


def side_by_side(values: FloatArray, draws: int) -> FloatArray:
    """Return (sets, systems, B or 1) as (systems, sets · B)."""
    wide = np.broadcast_to(values, (*values.shape[:2], draws))
    return np.ascontiguousarray(wide.transpose(1, 0, 2)).reshape(values.shape[1], -1)


class GroupedLevel:
    """Compare within groups of cells and average: inputs, systems, or one group of all cells."""

    def __init__(self, x: FloatArray, z: FloatArray, level: str, kernels: Kernels) -> None:
        self.level, self.kernels = level, kernels
        self.shape = z.shape
        self.x, self.z = x, z
        self.shared = np.stack([(~np.isnan(arranged(v + z, level))).any(axis=0) for v in x])

    @cached_property
    def metrics(self) -> list[Groups]:
        """The metrics in groups, made when they are first weighted."""
        return [self.kernels.groups(arranged(v, self.level), arranged(self.z, self.level)) for v in self.x]

    @cached_property
    def left_out(self) -> list[tuple[FloatArray, FloatArray]]:
        """For each metric the statistic in each group, and without each member of it, (groups, members)."""
        return [self.kernels.left_out(arranged(v, self.level), arranged(self.z, self.level)) for v in self.x]

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return averaged statistics, and how many groups with scores of both were undefined."""
        if self.kernels.ranked and self.level != "global":
            # Sums of whole numbers, the same from either kernel; groups need not be made ready for weights.
            within = np.stack([whole for whole, _ in self.left_out])
        else:
            members = {"input": self.shape[0], "within-system": self.shape[1]}
            once = np.ones((members.get(self.level, self.shape[0] * self.shape[1]), 1))
            within = np.stack([m.correlate(once)[:, 0] for m in self.metrics])
        average = np.stack([average_defined(r[:, None], None)[0] for r in within])
        return average, (np.isnan(within) & self.shared).sum(axis=1)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B)."""
        if self.level == "global":
            return self._bootstrap_cells(systems, inputs)
        return self.bootstraps(systems, inputs, [(systems is not None, inputs is not None)])[0]

    def bootstraps(
        self, systems: FloatArray | None, inputs: FloatArray | None, kinds: Sequence[Kind]
    ) -> list[FloatArray]:
        """Return what several kinds of bootstraps give, (metrics, B) each; those that draw the same members share."""
        by_input = self.level == "input"
        members, groups = (systems, inputs) if by_input else (inputs, systems)
        once = np.ones((self.shape[0] if by_input else self.shape[1], 1))
        wanted = [kind if by_input else kind[::-1] for kind in kinds]
        found: dict[int, list[FloatArray]] = {at: [] for at in range(len(kinds))}
        for metric in self.metrics:
            for drawn in dict.fromkeys(kind[0] for kind in wanted):
                within = metric.correlate(members if drawn and members is not None else once)
                for at, kind in enumerate(wanted):
                    if kind[0] == drawn:
                        found[at].append(average_defined(within, groups if kind[1] else None))
        return [np.stack(found[at]) for at in range(len(kinds))]

    def _bootstrap_cells(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Weight each cell by the product of the multiplicities of its system and its input."""
        rows = np.ones((self.shape[0], 1)) if systems is None else systems
        columns = np.ones((self.shape[1], 1)) if inputs is None else inputs
        draws = max(rows.shape[1], columns.shape[1])
        rows, columns = (np.broadcast_to(a, (len(a), draws)) for a in (rows, columns))
        sums = [m.correlate_cells(rows, columns) for m in self.metrics if isinstance(m, ProductGroups)]
        if sums:
            return np.concatenate(sums)
        # Rank coefficients only add up whole numbers, for which single precision is exact and faster.
        rows, columns = rows.astype(np.float32), columns.astype(np.float32)
        width = max(1, OUTER // (len(rows) * len(columns)))
        parts = []
        for at in range(0, draws, width):
            cut = slice(at, at + width)
            cells = (rows[:, None, cut] * columns[None, :, cut]).reshape(len(rows) * len(columns), -1)
            parts.append(np.concatenate([m.correlate(cells) for m in self.metrics]))
        return np.concatenate(parts, axis=1)


def arranged(values: npt.NDArray[Scalar], level: str) -> npt.NDArray[Scalar]:
    """Return systems × inputs as members × groups of a level; trailing axes stay where they are."""
    if level == "within-system":
        return np.swapaxes(values, 0, 1)
    if level == "global":
        return values.reshape(values.shape[0] * values.shape[1], 1, *values.shape[2:])
    return values


def means_of_known(values: FloatArray, axis: int = -1) -> FloatArray:
    """Return means over the values that are known, NaN where none is.

    Examples
    --------
    >>> means_of_known(np.array([[1.0, 3.0], [2.0, np.nan], [np.nan, np.nan]])).tolist()
    [2.0, 2.0, nan]
    """
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=axis) / np.maximum(count, 1), np.nan)


def rounded_means(values: FloatArray) -> FloatArray:
    """Return means of systems of order one, without the digits that rounding errors reach."""
    means = means_of_known(values)
    return np.asarray(np.round(means / (np.nanmax(np.abs(means), initial=0.0) or 1.0), 12))


def points(values: FloatArray, level: str) -> FloatArray:
    """Return what a level compares of systems × inputs, members × groups: at system level one group of means."""
    return arranged(rounded_means(values)[:, None] if level == "system" else values, level)


def vary(values: FloatArray, known: BoolArray) -> bool:
    """Return whether two values of some group (members, groups) differ, of those that are known."""
    known = known & ~np.isnan(values)
    low, high = values.min(axis=0, initial=np.inf, where=known), values.max(axis=0, initial=-np.inf, where=known)
    return bool((low < high).any())


def average_defined(within: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the weighted average over groups, leaving out undefined ones; NaN where none is left."""
    defined = ~np.isnan(within)
    if defined.all():
        if weights is None:
            return np.asarray(within.mean(axis=0))
        return quotient(np.einsum("gb,gb->b", within, weights), weights.sum(axis=0))
    filled = np.where(defined, within, 0.0)
    if weights is None:
        total, n = filled.sum(axis=0), defined.sum(axis=0).astype(np.float64)
    else:
        total = np.einsum("gb,gb->b", filled, weights)
        n = np.einsum("gb,gb->b", defined.astype(np.float64), weights)
    return quotient(total, n)
