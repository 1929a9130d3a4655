"""What statistics have in common that are formulas of sums over items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.errors import DataError
from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.kernels.evaluated import EvaluatedGroups, Points
from metassay.stats.kernels.score_swaps import GroupExchange
from metassay.stats.kernels.tabulated import Framed, Items, Tabulated, TabulatedExchange
from metassay.stats.kernels.within_groups import Groups
from metassay.stats.statistics.base import BuiltIn

CELL_LEVELS = ("input", "global", "within-system")
"""Levels at which single items are compared: a mean of labels is no label."""


class TabulatedStatistic(BuiltIn):
    """A formula of sums over items.

    A subclass says what all draws share (:meth:`frame`), how items are counted (:meth:`items`), and the formula
    (:meth:`of_sums`); see :class:`metassay.stats.kernels.tabulated.Formula`.
    """

    levels: tuple[str, ...] = CELL_LEVELS
    range: tuple[float, float] = (0.0, 1.0)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # Formulas are made by functions and cannot be pickled; the name can.
        from metassay.stats.statistics.registry import find

        return find, (self.name,)

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return what all draws share."""
        return np.empty(0)

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return cells and values of items."""
        raise NotImplementedError

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the statistic (B,) from sums (cells, V, B)."""
        raise NotImplementedError

    def tabulated(self, x: FloatArray, z: FloatArray, clusters: IntArray | None = None) -> Tabulated:
        """Prepare paired values without missing ones, of items that may stand in clusters.

        Examples
        --------
        >>> from metassay.stats.statistics.labels import KAPPA
        >>> judge, people = np.array([1.0, 1, 0, 0]), np.array([1.0, 1, 0, 1])
        >>> KAPPA.tabulated(judge, people).estimate()
        0.5
        """
        return Tabulated(self, x, z, None, clusters)

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic in every draw."""
        return Framed(self, self.frame(x.ravel(), z.ravel())).evaluate(x, z, w)

    def groups(self, x: FloatArray, z: FloatArray) -> Groups:
        """Prepare values in groups, which share what is fixed by the data."""
        known = ~np.isnan(x + z)
        frame = self.frame(x[known], z[known])
        return EvaluatedGroups(lambda a, b: Tabulated(self, a, b, frame), x, z)

    def points(self, x: FloatArray, z: FloatArray, total: int) -> Points:
        """Prepare values of points."""
        return Tabulated(self, x, z)

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics in groups to have their scores exchanged."""
        known = ~np.isnan(z) & ~np.isnan(x).any(axis=0)
        frame = self.frame(x[:, known].ravel(), np.tile(z[known], len(x)))
        return TabulatedExchange(Framed(self, frame), x, z, pairs)

    def two_labels(self, values: FloatArray) -> FloatArray:
        """Return the two labels among values, the positive one last: it is the larger code, or 1 of 0 and 1."""
        labels = np.unique(values)
        if np.isin(labels, (0.0, 1.0)).all():
            return np.array([0.0, 1.0])
        if len(labels) != 2:
            raise DataError(
                f"{self.title} needs two labels, found {len(labels)} ({', '.join(f'{v:g}' for v in labels[:5])}"
                f"{', …' if len(labels) > 5 else ''})"
            )
        return labels
