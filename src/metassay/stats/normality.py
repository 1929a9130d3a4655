"""Tests of normality."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def shapiro_wilk(values: npt.NDArray[np.float64]) -> float:
    """Return the p-value of the Shapiro-Wilk test; NaN for constant values or fewer than three."""
    if len(values) < 3 or np.ptp(values) == 0:
        return math.nan
    from scipy.stats import shapiro  # costs half a second to load, and only this test needs it

    return float(shapiro(values).pvalue)
