"""Confidence intervals for correlations."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

FloatArray = npt.NDArray[np.float64]


def fisher(r: float, n: int, coefficient: str, confidence: float) -> tuple[float, float]:
    """Return Fisher's interval tanh(atanh r ± z·c/√(n − b)).

    Parameters
    ----------
    r
        The correlation.
    n
        The number of observations.
    coefficient
        Decides the constants: b = 3, 3, 4 and c = 1, √(1 + r²/2), √.437 for Pearson, Spearman, Kendall
        (Bonett and Wright 2000, Psychometrika 65, as cited by Deutsch, Dror and Roth 2021, footnote 4).
    confidence
        Such as 0.95.

    Examples
    --------
    >>> low, high = fisher(0.5, 30, "pearson", 0.95)
    >>> round(low, 4), round(high, 4)
    (0.1704, 0.729)
    """
    b, c = {"pearson": (3, 1.0), "spearman": (3, math.sqrt(1 + r * r / 2))}.get(coefficient, (4, math.sqrt(0.437)))
    if math.isnan(r) or n <= b:
        return math.nan, math.nan
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
