"""How much of a correlation of systems rests on a single one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.jackknife import Fit
from metassay.stats.kernels.left_out import signed_sums

FLAGGED = 0.05
"""A system is an outlier if Grubbs' test says so at this level."""


@dataclass(frozen=True)
class Leverage:
    """What a single system does to the statistic of each metric, (P,) each.

    It says on what a number rests, not whether an interval holds: where effects of systems have heavy tails, intervals
    of Pearson's coefficient fail in samples that look clean, because the rare system is not among them.
    """

    system: IntArray
    """The unit of systems (a system, or a family of them) without which the statistic changes most."""
    without: FloatArray
    """The statistic without it."""
    share: FloatArray
    """Its share of the variance that systems show, from 0 to 1; NaN where there is none."""
    outlier: BoolArray
    """Whether some system lies off the line of metric and people (Grubbs' test at 5%); at system level only."""


def leverage(fit: Fit) -> Leverage:
    """Say how much of each statistic of a fit one system carries."""
    where, share = largest_share(fit.left)
    left = fit.left[np.arange(len(where)), where]
    scale = fit.statistic.scale
    if fit.statistic.ranked:
        without = fit.estimates + (left - fit.at) / fit.slope
    else:
        without = scale.back(left)
    outlier = np.zeros(len(where), dtype=bool)
    if fit.means is not None:
        outlier = largest_share(residuals(fit))[1] > grubbs_share(fit.systems)
    return Leverage(where, without, np.where(share > 0, share, np.nan), outlier)


def residuals(fit: Fit) -> FloatArray:
    """Return what people leave unexplained of each metric's standardised means of systems, (P, N)."""
    assert fit.means is not None, "only means of systems have residuals"
    x, z = (standardised(fit, values) for values in fit.means)
    return np.asarray(x - fit.estimates[:, None] * z)


def standardised(fit: Fit, means: FloatArray) -> FloatArray:
    """Return means of systems (P, N), or their midranks if only order counts, standardised."""
    means = midranks(means) if fit.statistic.ranked else means
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((means - means.mean(axis=1, keepdims=True)) / means.std(axis=1, keepdims=True))


def midranks(means: FloatArray) -> FloatArray:
    """Return twice the centred midranks of means of systems, (P, N)."""
    # Means of equal sums need not be equal to the last bit.
    return np.stack([signed_sums(np.round(row, 12), np.ones(len(row))) for row in means])


def largest_share(values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return which of each row is farthest from its mean, and its share of the sum of squares.

    Examples
    --------
    >>> where, share = largest_share(np.array([[0.0, 1.0, 5.0]]))
    >>> where.tolist(), share.round(3).tolist()
    ([2], [0.643])
    """
    squares = (values - values.mean(axis=1, keepdims=True)) ** 2
    total = squares.sum(axis=1)
    where = np.asarray(squares.argmax(axis=1))
    largest = squares[np.arange(len(where)), where]
    return where, np.divide(largest, total, out=np.zeros(len(total)), where=total > 0)


def grubbs_share(n: int, alpha: float = FLAGGED) -> float:
    """Return the share of a sum of squares above which its largest term is an outlier by Grubbs' (1969) two-sided test.

    With G the largest distance from the mean in standard deviations it is G²/(n − 1).

    Examples
    --------
    >>> round((15 * grubbs_share(16)) ** 0.5, 3)  # G of 16 values at 5%, two-sided
    2.586
    """
    t = float(stdtrit(n - 2, 1 - alpha / (2 * n))) ** 2
    return t / (n - 2 + t) * (n - 1) / n
