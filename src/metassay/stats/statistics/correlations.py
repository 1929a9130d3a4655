"""Correlation coefficients: Pearson, Spearman, and Kendall's tau-b, tau-a and tau-c."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.kernels import left_out
from metassay.stats.kernels.evaluated import Points
from metassay.stats.kernels.fixed_order import Ordered
from metassay.stats.kernels.kendall_blocks import Blocked
from metassay.stats.kernels.reference_draws import correlate_changing
from metassay.stats.kernels.score_swaps import GroupExchange, make_group_exchange
from metassay.stats.kernels.weighted_ranks import Numbers, correlate
from metassay.stats.kernels.within_groups import Groups, ProductGroups, make_groups
from metassay.stats.statistics.base import BuiltIn, Statistic, Weighted
from metassay.stats.statistics.scales import FisherScale, Scale


class Correlation(BuiltIn):
    """A correlation coefficient, with kernels of its own."""

    invariant = "linear"
    is_correlation = True

    def __init__(self, name: str, citation: str) -> None:
        super().__init__(name, citation)
        self.ranked, self.pairwise = name != "pearson", name.startswith("kendall")

    @property
    def scale(self) -> Scale:
        """Fisher's scale."""
        return FisherScale(ranks=self.ranked)

    @property
    def smooth(self) -> Statistic:
        """Pearson: ranks of means change in steps as inputs are drawn, which looks like noise of cells."""
        return PEARSON

    def fisher_constants(self, r: float) -> tuple[int, float]:
        """Return the constants of Bonett and Wright (2000, Psychometrika 65)."""
        return {"pearson": (3, 1.0), "spearman": (3, math.sqrt(1 + r * r / 2))}.get(self.name, (4, math.sqrt(0.437)))

    def of_normal(self, correlation: float) -> float:
        """Return its value in a normal population with this Pearson correlation.

        Examples
        --------
        >>> round(KENDALL.of_normal(0.5), 3), round(SPEARMAN.of_normal(0.5), 3)
        (0.333, 0.483)
        """
        if self.name == "pearson":
            return correlation
        return (
            6 / math.pi * math.asin(correlation / 2)
            if self.name == "spearman"
            else 2 / math.pi * math.asin(correlation)
        )

    def to_pearson(self, value: float) -> float:
        """Return the Pearson correlation of a normal population in which it has this value."""
        if self.name == "pearson":
            return value
        return 2 * math.sin(math.pi * value / 6) if self.name == "spearman" else math.sin(math.pi * value / 2)

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the correlation in every draw; values are brought to order one, since ties are told by distance."""
        x, z = (v / (float(np.abs(v).max(initial=0.0)) or 1.0) for v in (x, z))
        return np.asarray(self.of_vectors([x], z, [w])[0])

    def of_vectors(self, xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None]) -> FloatArray:
        """Correlate vectors of order one."""
        return correlate(xs, z, weights, self.name)

    def groups(self, x: FloatArray, z: FloatArray) -> Groups:
        """Prepare values in groups."""
        return make_groups(x, z, self.name)

    def left_out(self, x: FloatArray, z: FloatArray, units: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Leave out members in closed form, and units of members under weights."""
        return super().left_out(x, z, units) if units is not None else left_out.left_out(x, z, self.name)

    def influence(self, x: FloatArray, z: FloatArray) -> tuple[float, FloatArray]:
        """Return the correlation, and what each point does to it."""
        return left_out.influence(x, z, self.name)

    def moved(self, x: FloatArray, z: FloatArray, units: IntArray, count: int) -> tuple[float, FloatArray, FloatArray]:
        """Leave out units of points in closed form."""
        return left_out.moved(x, z, units, count, self.name)

    def points(self, x: FloatArray, z: FloatArray, total: int) -> Points:
        """Prepare values of points."""
        return _Together(x, z, self.name, total)

    def within(self, x: FloatArray, zs: Sequence[FloatArray], groups: IntArray, total: int) -> Weighted:
        """Prepare points in groups, all at once for Kendall's coefficients."""
        if not self.name.startswith("kendall"):
            return super().within(x, zs, groups, total)
        prepared, name = Blocked(x, zs, groups), self.name
        return lambda weights: prepared.correlate(weights, total, name)

    def of_changing(self, x: FloatArray, z: FloatArray, weights: FloatArray) -> FloatArray:
        """Correlate scores that differ between draws with fixed ones."""
        return correlate_changing(x, z, weights, self.name)

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics in groups to have their scores exchanged."""
        return make_group_exchange(x, z, pairs, self.name)


class _Together:
    """Two variables, ready to be correlated under many weightings; `total` is what weights add up to at most."""

    def __init__(self, x: FloatArray, z: FloatArray, coefficient: str, total: int) -> None:
        self.coefficient, self.total = coefficient, total
        self._products = ProductGroups(x[:, None], z[:, None]) if coefficient == "pearson" and len(x) > 1 else None
        self._ordered = None if coefficient == "pearson" else Ordered(x, z)

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the correlation in each draw, (B,)."""
        if self._ordered is not None:
            return self._ordered.correlate(weights, self.total, self.coefficient)
        if self._products is None:
            return np.full(weights.shape[1], np.nan)
        found: FloatArray = self._products.correlate(weights.astype(np.float64))[0]
        return found


PEARSON = Correlation("pearson", "Pearson (1895)")
SPEARMAN = Correlation("spearman", "Spearman (1904)")
KENDALL = Correlation("kendall", "Kendall (1945)")
KENDALL_A = Correlation("kendall-a", "Kendall (1938)")
KENDALL_C = Correlation("kendall-c", "Stuart (1953)")
