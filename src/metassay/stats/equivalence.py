"""Are two correlations equivalent? Two one-sided tests by jackknife or bootstrap, Anderson-Hauck, and margins."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.jackknife import Fit
from metassay.stats.methods.jackknife import Limits
from metassay.stats.significance import EQUAL

HALVINGS = 40
"""How often an interval is halved to find where a p-value lies: to 5·10⁻¹³."""


def tost(differences: FloatArray, margins: FloatArray, rule: str = "plus-one") -> FloatArray:
    """Return p-values of two one-sided bootstrap tests that differences lie between −margin and margin.

    Each side counts the resamples in which the difference is at or beyond the margin; p is the larger of the two
    (Schuirmann 1987; Braun et al. 2022, §3.3). It is at most α just where an interval of confidence 1 − 2α lies
    inside the margin.

    Parameters
    ----------
    differences
        Differences of two correlations in bootstrap samples, (tests, B); NaN where one is undefined.
    margins
        A margin per test; NaN gives NaN.
    rule
        ``plus-one`` gives (c + 1)/(k + 1); ``paper`` gives c/k and counts only what lies beyond the margin.

    Examples
    --------
    >>> tost(np.array([[-0.01, 0.0, 0.02, 0.06]]), np.array([0.05]), "paper").tolist()
    [0.25]
    """
    edge = EQUAL if rule == "paper" else -EQUAL
    bound = margins[:, None]
    above = (differences - bound > edge).sum(axis=1)
    below = (-differences - bound > edge).sum(axis=1)
    count = np.maximum(above, below)
    k = (~np.isnan(differences)).sum(axis=1)
    p = count / np.maximum(k, 1) if rule == "paper" else (count + 1) / (k + 1)
    return np.where((k > 0) & ~np.isnan(margins), p, np.nan)


def needed_margins(differences: FloatArray, alpha: float, rule: str = "plus-one") -> FloatArray:
    """Return for each test the margin above which :func:`tost` has a p-value of at most `alpha`.

    NaN where there are too few resamples for any margin, or none that is defined. The share of tests whose needed
    margin is below m, as a function of m, is the sensitivity of conclusions to the margin (Braun et al. 2022, Fig. 4a).

    Examples
    --------
    >>> needed_margins(np.array([[-0.01, 0.0, 0.02, 0.06]]), 0.25, "paper").tolist()
    [0.02]
    """
    out = np.full(len(differences), np.nan)
    for at, sample in enumerate(differences):
        known = np.sort(sample[~np.isnan(sample)])
        k = len(known)
        # How many resamples may lie beyond the margin on one side; a hair is added so that 0.05 × 100 is 5.
        allowed = math.floor(alpha * k + 1e-9) if rule == "paper" else math.floor(alpha * (k + 1) + 1e-9) - 1
        if k and 0 <= allowed < k:
            out[at] = max(float(known[k - 1 - allowed]), -float(known[allowed]), 0.0)
    return out


def difference_limits(fit: Fit, first: IntArray, second: IntArray, confidence: float | FloatArray) -> FloatArray:
    """Return the ends of intervals of differences of two statistics of a fit, first − second, (2, pairs).

    The method of variance estimates recovery (MOVER; Zou 2007, "Toward using confidence intervals to compare
    correlations") makes them of the two-way jackknife's intervals of the two and of the correlation of their errors.

    Parameters
    ----------
    fit
        Statistics that rest on the same cells.
    first, second
        Which are compared, by position.
    confidence
        Such as 0.9: of all pairs, or of each.
    """
    limits, r = Limits(fit), fit.estimates
    of_inputs = fit.of_inputs.copy()
    np.fill_diagonal(of_inputs, np.maximum(np.diag(of_inputs), 0.0))
    covariance = fit.of_systems * fit.of_pairs + of_inputs
    size = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = np.clip(covariance[first, second] / (size[first] * size[second]), -1.0, 1.0)
    rho = np.where(size[first] * size[second] > 0, rho, 0.0)
    one, other = (np.abs(limits.ends(confidence, side, alone=False) - r[side]) for side in (first, second))

    def reach(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(np.maximum(a * a + b * b - 2 * rho * a * b, 0.0)))

    difference = r[first] - r[second]
    return np.stack([difference - reach(one[0], other[1]), difference + reach(one[1], other[0])])


def two_way_tost(fit: Fit, first: IntArray, second: IntArray, margins: FloatArray) -> FloatArray:
    """Return p-values that differences lie between −margin and margin, for new systems and inputs, (pairs,).

    The smallest α at which the interval of confidence 1 − 2α of :func:`difference_limits` lies inside the margin, found
    by halving. Where the difference itself lies beyond it, 1 less the smallest α at which all the interval lies beyond.
    NaN margins give NaN.
    """

    def smallest(meets: Callable[[FloatArray], BoolArray]) -> FloatArray:
        low, high = np.zeros(len(first)), np.full(len(first), 0.5)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            found = meets(difference_limits(fit, first, second, 1 - 2 * middle))
            low, high = np.where(found, low, middle), np.where(found, middle, high)
        return high

    inside = smallest(lambda ends: np.asarray((ends[0] > -margins) & (ends[1] < margins)))
    beyond = smallest(lambda ends: np.asarray((ends[0] > margins) | (ends[1] < -margins)))
    undefined = np.isnan(margins) | np.isnan(difference_limits(fit, first, second, 0.5)).any(axis=0)
    return np.where(undefined, np.nan, np.where(beyond < 0.5, 1 - beyond, inside))


def anderson_hauck(r12: float, r13: float, r23: float, n: int, margin: float) -> float:
    """Return the p-value of the Anderson-Hauck test that two dependent correlations are equivalent.

    p = Φ((|r12 − r13| − Δ)/s) − Φ((−|r12 − r13| − Δ)/s) with
    s² = (2 R (n − 1)/(n − 3) + (r12 + r13)²(1 − r23)³/4) / ((n − 1)(1 + r23)) and
    R = 1 − r12² − r13² − r23² + 2 r12 r13 r23 (Anderson and Hauck 1983; Counsell and Cribbie 2015, p. 297).
    p is 0 where r12 = r13, whatever s is: it says nothing of how precisely the difference is known. Points are to be
    independent: where outputs share systems, it finds equivalence at the margin in up to .31 of samples at α = .05.

    Parameters
    ----------
    r12, r13
        The two correlations, which share variable 1.
    r23
        The correlation of the two other variables.
    n
        How many points they were computed from.
    margin
        The margin of equivalence Δ.

    Examples
    --------
    >>> round(anderson_hauck(0.3, 0.28, 0.8, 400, 0.1), 4)
    0.004
    """
    if n <= 3 or any(math.isnan(r) for r in (r12, r13, r23, margin)) or r23 <= EQUAL - 1:
        return math.nan
    determinant = max(1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23, 0.0)
    above = 2 * determinant * (n - 1) / (n - 3) + (r12 + r13) ** 2 * max(1 - r23, 0.0) ** 3 / 4
    s = math.sqrt(above / ((n - 1) * (1 + r23)))
    gap = abs(r12 - r13)
    if s == 0:
        # Variables 2 and 3 are the same up to scale: the difference is known without doubt.
        return 0.0 if gap < margin else 1.0
    return float(ndtr((gap - margin) / s) - ndtr((-gap - margin) / s))


def annotator_margins(correlations: FloatArray) -> tuple[float, float]:
    """Return the standard deviation and the largest difference of one metric's correlations with single annotators.

    The standard deviation has n − 1 below, as in the authors' code. Both are NaN with fewer than two annotators.

    Examples
    --------
    >>> sd, largest = annotator_margins(np.array([0.1, 0.2, 0.3]))
    >>> round(sd, 6), round(largest, 6)
    (0.1, 0.2)
    """
    known = correlations[~np.isnan(correlations)]
    if len(known) < 2:
        return math.nan, math.nan
    return float(known.std(ddof=1)), float(known.max() - known.min())
