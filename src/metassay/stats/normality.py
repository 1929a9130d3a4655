"""Tests of normality."""

from __future__ import annotations

import math

import numpy as np

from metassay.stats.arrays import FloatArray


def shapiro_wilk(values: FloatArray) -> float:
    """Return the p-value of the Shapiro-Wilk test; NaN for constant values or fewer than three."""
    spread = np.ptp(values) if len(values) else 0.0
    # Means of equal sums differ in their last bits; that is no spread.
    if len(values) < 3 or spread <= 1e-12 * np.abs(values).max():
        return math.nan
    from scipy.stats import shapiro  # costs half a second to load, and only this test needs it

    # Its checks of axes and missing values take fifteen times as long as the test, and there are none here.
    plain = getattr(shapiro, "__wrapped__", shapiro)
    return float(plain((values - values.min()) / spread).pvalue)
