"""Intervals without draws for functions of statistics, from what each cell does to them.

The two-way jackknife to first order: what cells do, added up over systems and over inputs, tells the variance that new
systems show and what new inputs add to it (see :mod:`metassay.stats.jackknife`). Functions of statistics move as their
slopes say, so that differences and ratios of statistics on the same cells have intervals, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.jackknife import added_up, df_of_variance
from metassay.stats.levels import means_of_known
from metassay.stats.methods.jackknife import LOWEST, JackknifeInterval, satterthwaite
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
    def of_cells(cls, psi: FloatArray, families: IntArray | None = None, clusters: IntArray | None = None) -> Moves:
        """Return what cells (systems × inputs, NaN for missing) that each move a number by ψ do together."""
        known = ~np.isnan(psi)
        present = [np.asarray(known.any(axis=axis), dtype=np.float64) for axis in (1, 0)]
        n, m = (int((added_up(here, of) > 0).sum()) for here, of in zip(present, (families, clusters), strict=True))
        inner = np.nan_to_num(psi - means_of_known(psi)[:, None] - means_of_known(psi, axis=0))
        inner = added_up(added_up(inner, clusters).T, families)
        systems, inputs = (added_up(np.nansum(psi, axis=axis), of) for axis, of in ((1, families), (0, clusters)))
        widen = np.sqrt([units / (units - 1) if units > 1 else np.nan for units in (n, m)])
        return cls(systems * widen[0], inputs * widen[1], inner.ravel() * widen.prod(), (n, m))

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
        if any(n < least for n, least in zip(self.units, JackknifeInterval().needs("global"), strict=True)):
            return np.nan
        systems = np.square(self.systems).sum()
        inputs = max(np.square(self.inputs).sum() - np.square(self.cells).sum(), LOWEST * systems)
        of_systems = np.fmin(self.units[0] - 2.0, df_of_variance(self.systems))
        df = satterthwaite(np.asarray(systems), np.asarray(inputs), (np.asarray(of_systems), self.units[1] - 1))
        return float(stdtrit(df, (1 + confidence) / 2) * np.sqrt(systems + inputs))

    def around(self, value: float, confidence: float, scale: Scale | None = None) -> Ends:
        """Return an interval of a number that is moved so, symmetric on a scale."""
        scale, at = scale or Scale(), np.asarray(value)
        half = self.reach(confidence) * float(scale.slope(at, self.units[0]))
        middle = float(scale.to(at, self.units[0]))
        return scale.back(middle - half), scale.back(middle + half)
