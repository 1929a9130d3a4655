"""Shares of trials: how precisely they are known, and which of several is nearest to what was promised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from metassay.stats.arrays import FloatArray


def wilson(hits: float, trials: float, confidence: float = 0.95, z: float | None = None) -> tuple[float, float]:
    """Return the score interval of a binomial share, with z if it is given; NaN if there was no trial.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference".

    Examples
    --------
    >>> low, high = wilson(950, 1000)
    >>> round(low, 3), round(high, 3)
    (0.935, 0.962)
    """
    if not trials:
        return math.nan, math.nan
    z = float(ndtri((1 + confidence) / 2)) if z is None else z
    share, weight = hits / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    # The ends of 0 and of all are exact; rounding must not move them.
    return (0.0 if hits == 0 else middle - half), (1.0 if hits == trials else middle + half)


def nearest(shares: Sequence[float], trials: Sequence[int], target: float, alpha: float = 0.05) -> int | None:
    """Return which share is nearest to `target`, if it is significantly nearer than the others.

    Parameters
    ----------
    shares
        Shares of trials. Undefined ones, and those that are 1, take no part: an interval that contains everything says
        nothing.
    trials
        How many trials each rests on.
    target
        What was promised.
    alpha
        The level of the tests.

    Returns
    -------
    int or None
        The position of the winner; None if there are fewer than two to compare, or none is significantly nearest.

    Notes
    -----
    One-tailed z-tests of the difference of two proportions, here of their distances from the target: for shares on the
    same side of it that is the test that Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization
    Evaluation Metrics Using Resampling Methods", mark the winners of Table 1 with.

    Examples
    --------
    >>> nearest([0.87, 0.81, 0.70, 0.98], [1000] * 4, 0.95)
    3
    >>> nearest([0.93, 0.92], [1000] * 2, 0.95) is None
    True
    """
    distances = [abs(share - target) for share in shares]
    able = [k for k, share in enumerate(shares) if share < 1]
    if len(able) < 2:
        return None
    best = min(able, key=lambda k: distances[k])
    spread = [share * (1 - share) / max(n, 1) for share, n in zip(shares, trials, strict=True)]
    for k in able:
        if k == best:
            continue
        gap, error = distances[k] - distances[best], math.sqrt(spread[k] + spread[best])
        if gap <= 0 or (error > 0 and float(ndtr(-gap / error)) > alpha):
            return None
    return best


class Rate(NamedTuple):
    """How often something happened in simulated trials."""

    rate: float
    """The share of the trials that were defined; NaN if none was."""
    trials: int
    """Trials that were defined."""
    low: float
    """Lower end of the 95% binomial interval of the rate."""
    high: float
    """Upper end of it."""
    n_undefined: int
    """Trials that were not."""

    @classmethod
    def of(cls, happened: FloatArray) -> Rate:
        """Count 1 for a trial in which it happened, 0 for one in which it did not, and NaN for undefined."""
        defined, hits = int((~np.isnan(happened)).sum()), int(np.nansum(happened))
        return cls(hits / defined if defined else math.nan, defined, *wilson(hits, defined), len(happened) - defined)
