"""Means, ratios and shares over items that cluster, and samples of clusters drawn with replacement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtr, ndtr, stdtr, stdtrit

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.proportions import wilson

POWER = 0.8
"""With this probability the smallest detectable effect is significant."""
_NORMAL, _FAR = 1e5, 35.0
"""Degrees of freedom from which on t is normal, and standard errors from 0 beyond which power is 1 to any digit."""


@dataclass(frozen=True)
class Estimate:
    """A number, and how precisely it is known."""

    value: float
    """The estimate."""
    error: float
    """Its standard error."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    df: float
    """Degrees of freedom of t; infinite for a normal interval."""
    n: int
    """Items."""

    def p_value(self, null: float = 0.0) -> float:
        """Return the two-sided p-value that the true value is `null`."""
        if math.isnan(self.value) or not self.error > 0:
            return math.nan
        return float(2 * stdtr(self.df, -abs(self.value - null) / self.error))

    def smallest_detectable(self, power: float = POWER, alpha: float = 0.05) -> float:
        """Return the smallest effect that data with this standard error show with that power at level `alpha`."""
        return float((stdtrit(self.df, 1 - alpha / 2) + stdtrit(self.df, power)) * self.error)

    def planned(self, n: float) -> tuple[float, float]:
        """Return the standard error and the degrees of freedom that `n` items would give, if they cluster as now."""
        return self.error * math.sqrt(self.n / n), (self.df + 1) * n / self.n - 1

    def needed(self, effect: float, power: float = POWER, alpha: float = 0.05) -> float:
        """Return how many items make a true effect significant with that power; NaN if no number is known.

        Notes
        -----
        The smallest n with P(T > t) ≥ `power`, where t is the quantile of 1 − α/2 and T the noncentral t of `effect`
        over the planned standard error, both with the degrees of freedom of the planned sample.

        Examples
        --------
        >>> pilot = estimate(1.2, 1 / 30, df=29, n=30, confidence=0.95)  # a difference of 1.2 standard deviations
        >>> pilot.needed(1.2)
        8.0
        """
        if not (effect > 0 and self.error > 0):
            return math.nan

        def enough(n: int) -> bool:
            error, df = self.planned(n)
            return df >= 1 and _power(effect / error, df, alpha) >= power

        return smallest(enough)


def _power(effect: float, df: float, alpha: float) -> float:
    """Return the power of a two-sided t-test to find an effect, in standard errors, with its own sign."""
    reach = float(stdtrit(df, 1 - alpha / 2))
    if df > _NORMAL:
        return float(ndtr(effect - reach))
    return 1 - float(nctdtr(df, min(effect, _FAR), reach))


def smallest(enough: Callable[[int], bool], most: float = 1e18) -> float:
    """Return the smallest whole number from 1 on that is enough, and all larger ones are; infinite above `most`.

    Examples
    --------
    >>> smallest(lambda n: n * n >= 50), smallest(lambda n: False, most=100)
    (8.0, inf)
    """
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if low >= most:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high) if high <= most else math.inf


def estimate(value: float, variance: float, df: float, n: int, confidence: float) -> Estimate:
    """Return an estimate with the t interval of its variance; NaN ends where the variance is not known."""
    if df < 1 or not variance >= 0:
        return Estimate(value, math.nan, math.nan, math.nan, df, n)
    error = math.sqrt(variance)
    reach = float(stdtrit(df, (1 + confidence) / 2)) * error
    return Estimate(value, error, value - reach, value + reach, df, n)


def undefined(n: int = 0) -> Estimate:
    """Return what is known of a number that these items do not tell: nothing."""
    return Estimate(math.nan, math.nan, math.nan, math.nan, 0, n)


def rank_ranges(
    values: FloatArray, covariance: FloatArray, df: float = math.inf, confidence: float = 0.95
) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank of each value, 1 for the largest, that differences of pairs allow.

    A rank starts after all that are significantly larger and ends before all that are significantly smaller, each pair
    tested by itself at 1 − `confidence`.

    Examples
    --------
    >>> best, worst = rank_ranges(np.array([3.0, 0.0, 0.5]), np.eye(3) / 4)
    >>> best.tolist(), worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    spread = np.diag(covariance)
    reach = stdtrit(df, (1 + confidence) / 2) * np.sqrt(np.maximum(spread[:, None] + spread - 2 * covariance, 0.0))
    larger = values[:, None] - values > np.maximum(reach, 1e-12)
    return 1 + larger.sum(axis=0), len(values) - larger.sum(axis=1)


def codes(labels: Sequence[object]) -> IntArray:
    """Return labels of clusters as 0, 1, … in the order of their first appearance."""
    seen: dict[object, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def sums_by_cluster(values: FloatArray, clusters: IntArray) -> FloatArray:
    """Return sums (…, clusters) of values (…, n) of items."""
    flat = values.reshape(-1, values.shape[-1])
    size = int(clusters.max(initial=-1)) + 1
    sums = np.array([np.bincount(clusters, row, size) for row in flat], dtype=np.float64)
    return sums.reshape(*values.shape[:-1], size)


def clustered_variance(influence: FloatArray, clusters: Sequence[IntArray]) -> tuple[float, float]:
    """Return the variance of a sum of influences (n,) of items that cluster in none, one or two ways, and its df.

    Notes
    -----
    C/(C − 1)·Σ_c(Σ_{i∈c} e_i)² (Liang and Zeger 1986; Miller 2024), with C − 1 degrees of freedom. Two ways: the sum of
    both, less that of their intersections (Cameron, Gelbach and Miller 2011), but no less than the larger one.
    """
    ways = [np.arange(len(influence))] if not clusters else list(clusters)
    found, sizes = [], []
    for way in ways:
        sums, present = sums_by_cluster(influence, way), np.bincount(way) > 0
        size = int(present.sum())
        found.append(float((sums**2).sum()) * size / (size - 1) if size > 1 else math.nan)
        sizes.append(size)
    if len(ways) == 1:
        return found[0], sizes[0] - 1
    both = np.unique(np.stack(ways), axis=1, return_inverse=True)[1].ravel()
    shared, _ = clustered_variance(influence, [both])
    return max(sum(found) - shared, *found), min(sizes) - 1


def ratio(
    above: FloatArray, below: FloatArray, clusters: Sequence[IntArray] = (), confidence: float = 0.95
) -> Estimate:
    """Return Σ above/Σ below over items that may cluster, by linearisation; NaN in either leaves an item out.

    Parameters
    ----------
    above, below
        What each item adds, (n,).
    clusters
        The clusters of the items, 0, 1, …, in one or two ways, such as inputs and systems.
    confidence
        Such as 0.95.
    """
    known = ~np.isnan(above + below)
    above, below = above[known], below[known]
    total = float(below.sum())
    if not len(above) or total == 0:
        return undefined(len(above))
    value = float(above.sum()) / total
    variance, df = clustered_variance((above - value * below) / total, [way[known] for way in clusters])
    return estimate(value, variance, df, len(above), confidence)


def mean(values: FloatArray, clusters: Sequence[IntArray] = (), confidence: float = 0.95) -> Estimate:
    """Return the mean of items that may cluster; NaN is left out.

    Examples
    --------
    >>> values, inputs = np.array([1.0, 1, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    >>> [round(each.error, 3) for each in (mean(values), mean(values, [inputs]))]
    [0.211, 0.333]
    """
    return ratio(values, np.ones(len(values)), clusters, confidence)


def share(hits: FloatArray, clusters: Sequence[IntArray] = (), confidence: float = 0.95) -> Estimate:
    """Return a share of items, each 0 or 1, with Wilson's interval for as many independent items as they are worth.

    Without clusters that is all of them. With clusters it is p(1 − p)/variance, no more than the items, and z is that
    of t with the clusters' degrees of freedom, put as a confidence.

    Examples
    --------
    >>> found = share(np.array([1.0] * 9 + [0.0]))
    >>> round(found.low, 3), round(found.high, 3)
    (0.596, 0.982)
    """
    found = mean(hits, clusters, confidence)
    p, n = found.value, float(found.n)
    if not clusters or not found.error > 0:
        # All alike: nothing tells how clusters differ, and they are taken for the items.
        least = n if not clusters else float(min(len(np.unique(way[~np.isnan(hits)])) for way in clusters))
        low, high = wilson(p * least, least, confidence) if n else (math.nan, math.nan)
        return Estimate(p, found.error, low, high, math.inf if not clusters else found.df, found.n)
    worth = min(n, p * (1 - p) / found.error**2)
    low, high = wilson(p * worth, worth, math.erf(float(stdtrit(found.df, (1 + confidence) / 2)) / math.sqrt(2)))
    return Estimate(p, found.error, low, high, found.df, found.n)


def bootstrap(statistic: Callable[[FloatArray], FloatArray], clusters: int, resamples: int, seed: int) -> FloatArray:
    """Return a statistic of weights of clusters (clusters, B) in samples of them with replacement, (…, resamples)."""
    size = draws.page_size(clusters)
    pages = (
        statistic(draws.multiplicities(draws.stream(seed, draws.POINTS, page), clusters, size))
        for page in range(-(-resamples // size))
    )
    return np.concatenate(list(pages), axis=-1)[..., :resamples]
