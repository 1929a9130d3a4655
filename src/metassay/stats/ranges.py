"""Whether numbers of two origins lie in one range."""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import FloatArray

NEAR, FAR = 0.1, 0.25
"""On one scale, a judge leaves people's range by at most this share of it, and covers at least that much of it,"""
SPREAD, SHIFT = 2.0, 1.5
"""or else spreads at most so many times as far, or they do, and is at most so many standard deviations off."""


def same_range(values: FloatArray, others: FloatArray) -> bool:
    """Say whether numbers lie where others do, so that they can be subtracted from each other.

    Examples
    --------
    >>> same_range(np.array([2.0, 3, 4]), np.array([1.0, 3, 5])), same_range(np.array([0.2, 0.9]), np.array([1.0, 5]))
    (True, False)
    """
    if np.isnan(values).all() or np.isnan(others).all():
        return True
    (low, high), (least, most) = ((np.nanmin(v), np.nanmax(v)) for v in (values, others))
    reach = most - least
    if low >= least - NEAR * reach and high <= most + NEAR * reach and high - low >= FAR * reach:
        return True
    (mean, spread), (centre, wide) = ((np.nanmean(v), np.nanstd(v)) for v in (values, others))
    return bool(wide / SPREAD <= spread <= SPREAD * wide and abs(mean - centre) <= SHIFT * wide)
