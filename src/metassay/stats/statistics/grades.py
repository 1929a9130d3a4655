"""Errors of grades and numbers: moments of the difference between a judge and people."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.tabulated import Items
from metassay.stats.statistics.names import LEVELS
from metassay.stats.statistics.tabulated import CELL_LEVELS, TabulatedStatistic

EDGE = 1e-9
"""Grades that differ by one step up to rounding are within one step."""


class MeanError(TabulatedStatistic):
    """The mean of a function of the error, judge − people; for the root mean square its root."""

    scales = ("ordinal", "interval")

    def __init__(
        self,
        name: str,
        error: Callable[[FloatArray], FloatArray],
        citation: str,
        ends: tuple[float, float] = (0.0, np.inf),
        levels: tuple[str, ...] = LEVELS,
    ) -> None:
        super().__init__(name, citation)
        self.error, self.range, self.levels = error, ends, levels

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return each item's own error."""
        return Items(np.zeros(len(x), dtype=np.int64), 1, np.stack([np.ones(len(x)), self.error(x - z)]))

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the mean."""
        mean = np.asarray(sums[0, 1] / np.where(sums[0, 0] > 0, sums[0, 0], np.nan))
        return np.sqrt(mean) if self.name == "rmse" else mean


class AlphaInterval(TabulatedStatistic):
    """Krippendorff's α of two columns of numbers: 1 − observed/expected squared difference."""

    scales = ("interval", "ordinal")
    range = (-1.0, 1.0)

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return the middle and the size of the values, so that sums of squares lose no digits."""
        both = np.concatenate([x, z])
        middle = both.mean() if len(both) else 0.0
        return np.array([middle, float(np.abs(both - middle).max(initial=0.0)) or 1.0])

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return counts, sums, squares and squared differences."""
        x, z = (x - frame[0]) / frame[1], (z - frame[0]) / frame[1]
        values = np.stack([np.ones(len(x)), x + z, x * x + z * z, (x - z) ** 2])
        return Items(np.zeros(len(x), dtype=np.int64), 1, values)

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return α."""
        pairs, total, squares, apart = sums[0]
        n = 2 * pairs
        expected = n * squares - total**2
        return np.asarray(1 - (n - 1) * apart / np.where(expected > 1e-12 * n, expected, np.nan))


class Linear(TabulatedStatistic):
    """Pearson's correlation of the items, for judges on another scale than people."""

    scales = ("interval", "ordinal")
    range = (-1.0, 1.0)

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return the middle and the size of either side, so that sums of squares lose no digits."""
        return np.array([[v.mean(), v.std() or 1.0] if len(v) else [0.0, 1.0] for v in (x, z)])

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return counts, sums, squares and products."""
        x, z = ((v - middle) / size for v, (middle, size) in zip((x, z), frame, strict=True))
        return Items(np.zeros(len(x), dtype=np.int64), 1, np.stack([np.ones(len(x)), x, z, x * x, z * z, x * z]))

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return r."""
        n, x, z, xx, zz, xz = sums[0]
        spread = (n * xx - x**2) * (n * zz - z**2)
        return np.asarray((n * xz - x * z) / np.sqrt(np.where(spread > 1e-12 * n**4, spread, np.nan)))


RMSE = MeanError("rmse", np.square, "root mean squared error")
MAE = MeanError("mae", np.abs, "mean absolute error")
BIAS = MeanError("bias", np.positive, "mean of judge − people", (-np.inf, np.inf))
WITHIN_ONE = MeanError(
    "within-one",
    lambda e: (np.abs(e) <= 1 + EDGE).astype(np.float64),
    "share of errors of at most one grade",
    (0.0, 1.0),
    CELL_LEVELS,
)
ALPHA_INTERVAL = AlphaInterval("alpha-interval", "Krippendorff (1970)")
LINEAR = Linear("pearson", "Pearson (1895)")
GRADES = (RMSE, MAE, BIAS, WITHIN_ONE, ALPHA_INTERVAL)
