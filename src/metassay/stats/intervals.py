"""Confidence intervals for correlations."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from metassay.stats.arrays import FloatArray


def fisher(r: float, n: int, constants: tuple[int, float] | None, confidence: float) -> tuple[float, float]:
    """Return Fisher's interval tanh(atanh r ± z·c/√(n − b)).

    Parameters
    ----------
    r
        The correlation.
    n
        The number of observations.
    constants
        b and c: 3, 3, 4 and 1, √(1 + r²/2), √.437 for Pearson, Spearman, Kendall (Bonett and Wright 2000,
        Psychometrika 65, as cited by Deutsch, Dror and Roth 2021, footnote 4). None gives NaN.
    confidence
        Such as 0.95.

    Examples
    --------
    >>> low, high = fisher(0.5, 30, (3, 1.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (0.1704, 0.729)
    """
    if constants is None or math.isnan(r) or n <= constants[0]:
        return math.nan, math.nan
    b, c = constants
    if abs(r) == 1:
        return r, r
    half = float(ndtri((1 + confidence) / 2)) * c / math.sqrt(n - b)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def percentile(samples: FloatArray, confidence: float) -> tuple[float, float]:
    """Return the percentile interval of bootstrap samples, leaving out undefined ones."""
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def percentiles(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of percentile intervals of samples (P, B), leaving out undefined ones."""
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    if not np.isnan(samples).any():
        low, high = np.quantile(samples, tails, axis=1)
        return low, high
    low, high = np.array([percentile(row, confidence) for row in samples]).T
    return low, high
