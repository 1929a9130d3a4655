"""Means of bounded values that may be looked at after every item: intervals that hold at all times together."""

from __future__ import annotations

import math

import numpy as np

from metassay.stats.arrays import FloatArray

STEPS = 40
"""Halvings until an end of an interval is found, to 1e-12 of the range."""
BET = 0.5
"""The largest share of the capital that is ever bet."""


def confidence_sequence(
    values: FloatArray, low: float, high: float, confidence: float = 0.95, sizes: FloatArray | None = None
) -> tuple[float, float]:
    """Return the interval of a mean that holds now and at every earlier and later look.

    The ends are NaN where every mean has been ruled out, as when the values change along their order.

    Parameters
    ----------
    values
        Independent values (n,) in the order in which they came; NaN is left out.
    low, high
        What they cannot be below and above, known beforehand.
    confidence
        Such as 0.95.
    sizes
        What each value counts (n,), over 0, if it is a mean over several items: the mean is then that over all items.

    Notes
    -----
    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", §4.4: the hedged capital
    process with bets λ_t = √(2 log(2/α)/(σ̂²_{t−1} t log(t + 1))), at most ½/m and ½/(1 − m). A mean m is ruled out as
    soon as a bet against it has made 2/α of 1; what is ruled out once stays so.

    With sizes N, bets are on N(x − m)/max N, whose mean is 0 if m is the mean over items, however x and N go together;
    max N is taken to be known beforehand.

    Examples
    --------
    >>> flips = np.tile([0.0, 0, 0, 1, 0, 0, 0, 0], 50)
    >>> [round(end, 3) for end in confidence_sequence(flips, 0, 1)]
    [0.075, 0.183]
    """
    known = ~np.isnan(values)
    x = (values[known] - low) / (high - low)
    w = np.ones(len(x)) if sizes is None else sizes[known] / sizes[known].max(initial=0.0)
    if not len(x):
        return math.nan, math.nan
    if x.min() < 0 or x.max() > 1:
        raise ValueError("values outside of their bounds")
    bets = _bets(x, w, confidence)
    ends = _ruled_out(x, w, bets, confidence), 1 - _ruled_out(1 - x, w, bets, confidence)
    if ends[0] > ends[1]:
        return math.nan, math.nan
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


def _bets(x: FloatArray, w: FloatArray, confidence: float) -> FloatArray:
    """Return what is bet on each value, from the values before it."""
    t = np.arange(1, len(x) + 1)
    means = (0.5 + np.cumsum(w * x)) / (np.cumsum(w) + 1)
    variances = (0.25 + np.cumsum((w * (x - means)) ** 2)) / (t + 1)
    before = np.append(0.25, variances[:-1])
    return np.asarray(np.sqrt(2 * math.log(2 / (1 - confidence)) / (before * t * np.log(t + 1))))


def _ruled_out(x: FloatArray, w: FloatArray, bets: FloatArray, confidence: float) -> float:
    """Return the largest mean such that all smaller ones are ruled out by bets that values are larger."""
    enough = math.log(2 / (1 - confidence))
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        m = (low + high) / 2
        capital = np.cumsum(np.log1p(np.minimum(bets, BET / m) * w * (x - m)))
        # capital falls with m, so that halving finds where it is just enough
        low, high = (m, high) if capital.max() >= enough else (low, m)
    return low
