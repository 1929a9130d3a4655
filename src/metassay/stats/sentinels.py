"""What sentinels say, which see only a part of what there is to see: means of people elsewhere, and constants."""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import quotient


def mean_elsewhere(z: FloatArray, parts: IntArray, *, halves: bool) -> FloatArray:
    """Return means of rows over the columns of other parts.

    Where all cells are compared, means without one column each would order a row's own cells the wrong way round; with
    `halves`, the means are those of the other half of the parts.
    """
    parts = parts % 2 if halves else parts
    known = ~np.isnan(z)
    own = np.equal.outer(parts, parts).astype(np.float64)
    above, below = (
        values.sum(axis=1, keepdims=True) - values @ own for values in (np.where(known, z, 0.0), known * 1.0)
    )
    # A difference of sums errs in its last bits, which would order means that are equal.
    sizes = np.abs(z[known & (z != 0)])
    digits = 12 - int(np.ceil(np.log10(np.median(sizes)))) if len(sizes) else 0
    return np.round(quotient(above, np.rint(below)), digits)


def nearest_given(values: FloatArray, z: FloatArray) -> FloatArray:
    """Return means of people's scores `z` as the nearest score that they gave, as labels need it."""
    given = np.unique(z[~np.isnan(z)])
    nearest = given[np.abs(np.nan_to_num(values)[..., None] - given).argmin(axis=-1)]
    return np.where(np.isnan(values), np.nan, nearest)


def most_frequent(z: FloatArray) -> FloatArray:
    """Return the most frequent human score, everywhere."""
    values, counts = np.unique(z[~np.isnan(z)], return_counts=True)
    return np.full(z.shape, values[counts.argmax()] if len(values) else np.nan)
