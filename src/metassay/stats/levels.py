"""The four levels of correlation, at the data and in bootstrap samples of it."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import correlate, quotient
from metassay.stats.kernels.within_groups import ProductGroups, make_groups

Scalar = TypeVar("Scalar", bound=np.generic)

OUTER = 4_000_000
"""Cells × draws weighted at once at global level. It is part of the arithmetic, so it is fixed."""


class Level(Protocol):
    """Several metrics and one human matrix, ready to be correlated."""

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return for each metric the correlation, and how many groups were undefined and left the average."""
        ...

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return correlations of shape (metrics, B) for multiplicities (n, B); None leaves an axis as it is."""
        ...


def make_level(x: FloatArray, z: FloatArray, level: str, coefficient: str, *, paired: bool = True) -> Level:
    """Prepare metrics (P, systems, inputs) and one human matrix for a level and a coefficient.

    At system level the inputs of `z` may be other inputs than those of `x`; then they are not `paired`, and their
    multiplicities stand below those of the inputs of `x`.
    """
    if level == "system":
        return SystemLevel(x, z, coefficient) if paired else UnpairedSystemLevel(x, z, coefficient)
    assert paired, "only means of systems can rest on different inputs"
    return GroupedLevel(x, z, level, coefficient)


class Means:
    """Row means over the cells that are not missing, under weights of the columns.

    Values are centred and scaled to order one, which changes no correlation and makes ties of means detectable.
    """

    def __init__(self, values: FloatArray) -> None:
        known = ~np.isnan(values)
        # Huge values are halved until sums of them cannot overflow; powers of two change no digit.
        unit = 2.0 ** max(0, int(np.frexp(np.abs(values[known]).max(initial=0.0))[1]) - 500)
        small = values / unit
        centre = float(small[known].mean()) if known.any() else 0.0
        centred = np.where(known, small - centre, 0.0)
        scale = float(np.abs(centred).max()) or 1.0
        self.values = centred / scale
        self.centre, self.scale = centre * unit, scale * unit
        self.known = None if known.all() else known.astype(np.float64)

    def __call__(self, weights: FloatArray | None) -> tuple[FloatArray, BoolArray | None]:
        """Return means (rows, B), and which exist if some may not."""
        total = self.values.sum(axis=1, keepdims=True) if weights is None else self.values @ weights
        if self.known is None:
            n = np.array([[self.values.shape[1]]]) if weights is None else weights.sum(axis=0)
            return total / n, None
        n = self.known.sum(axis=1, keepdims=True) if weights is None else self.known @ weights
        return total / np.maximum(n, 1.0), n > 0


class SystemLevel:
    """Correlate the means of the systems."""

    def __init__(self, x: FloatArray, z: FloatArray, coefficient: str) -> None:
        self.x = [Means(values) for values in x]
        self.z = Means(z)
        self.coefficient = coefficient

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return correlations and zeros: at this level there is no average to leave."""
        r = self.bootstrap(None, None)[:, 0]
        return r, np.zeros(len(r), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return correlations of shape (metrics, B)."""
        return self._correlate(systems, inputs, inputs)

    def _correlate(
        self, systems: FloatArray | None, scored: FloatArray | None, judged: FloatArray | None
    ) -> FloatArray:
        """Correlate under weights of the systems, of the metrics' inputs and of people's inputs."""
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
        return correlate(means, z, weights, self.coefficient)


class UnpairedSystemLevel(SystemLevel):
    """Correlate means of the systems over other inputs for metrics than for people."""

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return correlations of shape (metrics, B); multiplicities of people's inputs stand below the metrics'."""
        if inputs is None:
            return self._correlate(systems, None, None)
        n = self.x[0].values.shape[1]
        return self._correlate(systems, inputs[:n], inputs[n:])


class GroupedLevel:
    """Correlate within groups of cells and average: inputs, systems, or one group of all cells."""

    def __init__(self, x: FloatArray, z: FloatArray, level: str, coefficient: str) -> None:
        self.level = level
        self.shape = z.shape
        self.metrics = [make_groups(arranged(v, level), arranged(z, level), coefficient) for v in x]
        self.shared = np.stack([(~np.isnan(arranged(v + z, level))).any(axis=0) for v in x])

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return averaged correlations, and how many groups with scores of both were undefined."""
        members = {"input": self.shape[0], "within-system": self.shape[1]}.get(
            self.level, self.shape[0] * self.shape[1]
        )
        within = np.stack([m.correlate(np.ones((members, 1)))[:, 0] for m in self.metrics])
        average = np.stack([average_defined(r[:, None], None)[0] for r in within])
        return average, (np.isnan(within) & self.shared).sum(axis=1)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return correlations of shape (metrics, B)."""
        if self.level == "global":
            return self._bootstrap_cells(systems, inputs)
        members, groups = (systems, inputs) if self.level == "input" else (inputs, systems)
        if members is None:
            members = np.ones((self.shape[0] if self.level == "input" else self.shape[1], 1))
        return np.stack([average_defined(m.correlate(members), groups) for m in self.metrics])

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


def average_defined(within: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the weighted average over groups, leaving out undefined ones; NaN where none is left."""
    defined = ~np.isnan(within)
    if defined.all():
        total = within.mean(axis=0) if weights is None else np.einsum("gb,gb->b", within, weights) / weights.sum(axis=0)
        return np.asarray(total)
    filled = np.where(defined, within, 0.0)
    if weights is None:
        total, n = filled.sum(axis=0), defined.sum(axis=0).astype(np.float64)
    else:
        total = np.einsum("gb,gb->b", filled, weights)
        n = np.einsum("gb,gb->b", defined.astype(np.float64), weights)
    return quotient(total, n)
