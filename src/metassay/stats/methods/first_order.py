"""Intervals without draws for functions of statistics, from what each cell does to them.

The two-way jackknife: what cells do, added up over inputs, and over systems unless numbers without each system are
known, tells the variance that new systems show and what new inputs add to it (see :mod:`metassay.stats.jackknife`).
Functions of statistics move as their
slopes say, so that differences and ratios of statistics on the same cells have intervals, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.jackknife import added_up, df_of_variance
from metassay.stats.levels import means_of_known
from metassay.stats.methods.jackknife import LOWEST, JackknifeInterval, lengthened, satterthwaite, skewness
from metassay.stats.statistics.scales import Scale

Ends = tuple[float, float]
"""The two ends of an interval; NaN where there is none."""


@dataclass(frozen=True, eq=False)
class Moves:
    """What other systems, inputs and single cells do to a number: squares add up to variances."""

    systems: FloatArray
    """What each system does, or each family."""
    inputs: FloatArray
    """What each input does, or each cluster."""
    cells: FloatArray
    """What cells do beyond that, which is counted in both."""
    units: tuple[int, int]
    """How many systems and inputs have cells."""

    @classmethod
    def of_cells(
        cls,
        psi: FloatArray,
        families: IntArray | None = None,
        clusters: IntArray | None = None,
        left: FloatArray | None = None,
    ) -> Moves:
        """Return what cells (systems × inputs, NaN for missing) that each move a number by ψ do together.

        If the number without each system, or family, is known, that says what systems do: with few of them, each does
        more than its cells do to first order.
        """
        known = ~np.isnan(psi)
        present = [np.asarray(known.any(axis=axis), dtype=np.float64) for axis in (1, 0)]
        n, m = (int((added_up(here, of) > 0).sum()) for here, of in zip(present, (families, clusters), strict=True))
        inner = np.nan_to_num(psi - means_of_known(psi)[:, None] - means_of_known(psi, axis=0))
        inner = added_up(added_up(inner, clusters).T, families)
        systems, inputs = (added_up(np.nansum(psi, axis=axis), of) for axis, of in ((1, families), (0, clusters)))
        widen = np.sqrt([units / (units - 1) if units > 1 else np.nan for units in (n, m)])
        systems = systems * widen[0]
        if left is not None:
            here = (added_up(present[0], families) > 0) & ~np.isnan(left)
            exact = (left[here].mean() - left[here]) / widen[0] if here.any() else 0.0
            systems[here] = exact
        return cls(systems, inputs * widen[1], inner.ravel() * widen.prod(), (n, m))

    @classmethod
    def of_left_out(cls, estimate: float, without_system: FloatArray, without_input: FloatArray) -> Moves:
        """Return the same from a number without each system and without each input; cells then count in both."""
        units = len(without_system), len(without_input)
        shrink = (np.sqrt((n - 1) / n) for n in units)
        systems, inputs = (
            (estimate - without) * by for without, by in zip((without_system, without_input), shrink, strict=True)
        )
        return cls(systems, inputs, np.zeros(1), units)

    @classmethod
    def of_sum(cls, parts: Sequence[tuple[float, Moves]]) -> Moves:
        """Return what moves a weighted sum of numbers."""
        systems, inputs, cells = (
            np.asarray(sum(factor * getattr(part, name) for factor, part in parts))
            for name in ("systems", "inputs", "cells")
        )
        return cls(systems, inputs, cells, parts[0][1].units)

    def reach(self, confidence: float) -> float:
        """Return half the width of an interval on the number's own scale; NaN if systems or inputs are too few."""
        error, t, _ = self._student(confidence)
        return error * t

    def _student(self, confidence: float) -> tuple[float, float, FloatArray]:
        """Return the standard error, the quantile of t, and how far what systems do is skewed."""
        error, df, skew = self._error
        return error, float(stdtrit(df, (1 + confidence) / 2)), skew

    @cached_property
    def _error(self) -> tuple[float, FloatArray, FloatArray]:
        """The standard error, its degrees of freedom, and how far what systems do is skewed."""
        if any(n < least for n, least in zip(self.units, JackknifeInterval().needs("global"), strict=True)):
            return np.nan, np.full((), np.nan), np.zeros(())
        systems = np.square(self.systems).sum()
        inputs = max(np.square(self.inputs).sum() - np.square(self.cells).sum(), LOWEST * systems)
        of_systems = np.fmin(self.units[0] - 2.0, df_of_variance(self.systems))
        df = satterthwaite(np.asarray(systems), np.asarray(inputs), (np.asarray(of_systems), self.units[1] - 1))
        skew = skewness(self.systems, systems, systems + inputs)
        return float(np.sqrt(systems + inputs)), df, skew

    def around(self, value: float, confidence: float, scale: Scale | None = None) -> Ends:
        """Return an interval of a number that is moved so, on a scale; longer where what systems do is skewed."""
        scale, at = scale or Scale(), np.asarray(value)
        error, t, skew = self._student(confidence)
        error *= float(scale.slope(at, self.units[0]))
        middle = float(scale.to(at, self.units[0]))
        low, high = (middle + error * float(lengthened(np.asarray(q), skew, 2)) for q in (-t, t))
        return scale.back(low), scale.back(high)
