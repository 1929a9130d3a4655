"""The definitions, word for word and slowly: what the fast code is compared with.

A resample is made by copying rows and columns, an exchange by copying cells, and every coefficient is SciPy's.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

LEVELS = ("system", "input", "global", "within-system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")


def vectors(x, z, coefficient):
    """Correlate two vectors over the points that both have; NaN if one of them is constant or too short."""
    both = ~(np.isnan(x) | np.isnan(z))
    x, z = x[both], z[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(z) == 0:
        return np.nan
    if coefficient == "pearson":
        return stats.pearsonr(x, z).statistic
    if coefficient == "spearman":
        return stats.spearmanr(x, z).statistic
    if coefficient == "kendall-a":
        first, second = np.triu_indices(len(x), 1)
        agree = np.sign(x[first] - x[second]) * np.sign(z[first] - z[second])
        return agree.sum() / len(first)
    return stats.kendalltau(x, z, variant={"kendall": "b", "kendall-c": "c"}[coefficient]).statistic


def mean(values):
    """Return the mean of what is known, NaN if nothing is."""
    known = values[~np.isnan(values)]
    return known.mean() if len(known) else np.nan


def correlation(x, z, level, coefficient):
    """Correlate two matrices of systems × inputs at one level."""
    if level == "system":
        x, z = (np.array([mean(row) for row in matrix]) for matrix in (x, z))
        # Means that are equal in exact arithmetic need not be equal to the last bit.
        level_x, level_z = np.round(x, 11), np.round(z, 11)
        if coefficient == "pearson" and not np.isnan(vectors(level_x, level_z, "kendall")):
            return vectors(x, z, coefficient)
        return vectors(level_x, level_z, coefficient)
    if level == "global":
        return vectors(x.ravel(), z.ravel(), coefficient)
    return mean(np.array(within(x, z, level, coefficient)))


def within(x, z, level, coefficient):
    """Return one correlation per input, or per system."""
    if level == "input":
        x, z = x.T, z.T
    return [vectors(a, b, coefficient) for a, b in zip(x, z, strict=True)]


def taken(multiplicities):
    """Return the indices that multiplicities stand for."""
    return np.repeat(np.arange(len(multiplicities)), multiplicities.astype(int))


def resampled(x, z, systems, inputs, level, coefficient):
    """Copy rows and columns as often as they were drawn, and correlate; None leaves an axis as it is."""
    rows = np.arange(x.shape[0]) if systems is None else taken(systems)
    columns = np.arange(x.shape[1]) if inputs is None else taken(inputs)
    chosen = np.ix_(rows, columns)
    return correlation(x[chosen], z[chosen], level, coefficient)


def exchanged(x, y, z, swap, level, coefficient):
    """Exchange the cells where `swap` is 1, and correlate both results with z."""
    left, right = np.where(swap == 1, y, x), np.where(swap == 1, x, y)
    return correlation(left, z, level, coefficient), correlation(right, z, level, coefficient)
