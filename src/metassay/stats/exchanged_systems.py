"""What exchanges of systems make of the difference of two rank correlations, without drawing any.

If two metrics are equally good, they may exchange the ranks that they give to a system. All of N systems may be
exchanged or not, which makes 2ᴺ differences. Each is a sum of one term per system, and exchanging a system changes the
sign of its own term, and nothing else. So their distribution is that of sums with random signs.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.jackknife import Fit, added_up
from metassay.stats.kernels.left_out import concordance, signed_sums
from metassay.stats.kernels.weighted_ranks import kendall_from_counts
from metassay.stats.leverage import midranks
from metassay.stats.significance import one_exchange
from metassay.stats.statistics.base import Statistic

EXACT = 13
"""The signs of so many terms, the largest, are taken in all ways; those of the others add up to a normal variable."""
TILE = 256
"""Pairs of metrics whose sums are made at once."""
ROUNDING = 1e-9
"""The share of the largest sum below which the distance of two sums is rounding."""


def terms_of_ranks(fit: Fit, first: IntArray, second: IntArray) -> FloatArray:
    """Return what each unit of systems contributes to differences on the scale, (pairs, units); they add up to those.

    Kendall's coefficients and Spearman's are sums Σ h(z_i, z_j)·sign(x_i − x_j) over pairs of systems, divided by a
    number that depends on ties: h is the sign of z_i − z_j, or the difference of their ranks. With x and y ranks, let
    k(x_i) be this sum over the pairs of (x_i, z_i) with all 2N points (x_j, z_j) and (y_j, z_j). The difference of the
    sums for x and for y is the sum of k(x_i) − k(y_i) over systems.
    """
    assert fit.means is not None, "only means of systems are exchanged"
    x, z = (midranks(values) for values in fit.means)
    n, r = fit.systems, fit.estimates
    sums = concordance if fit.statistic.pairwise else _distances
    below = _divisors(x, z, fit.statistic)
    below = np.sqrt(below[first] * below[second])
    found = [sums(np.append(x[i], x[j]), np.append(z[i], z[i])) for i, j in zip(first, second, strict=True)]
    steep = fit.statistic.scale.chord(r[first], r[second], n)
    terms = added_up(np.array([k[:n] - k[n:] for k in found]) * (steep / below)[:, None], fit.families)
    # With other ties in one metric than in the other, terms do not explain all of the difference.
    rest = fit.at[first] - fit.at[second] - terms.sum(axis=1)
    return np.asarray(terms + rest[:, None] / terms.shape[1])


def _divisors(x: FloatArray, z: FloatArray, statistic: Statistic) -> FloatArray:
    """Return what sums over pairs of ranks (P, N), twice the centred ones, are divided by in coefficients, (P,)."""
    if not statistic.pairwise:
        return np.asarray(2 * np.sqrt(np.square(x).sum(axis=1) * np.square(z).sum(axis=1)))
    (tied_x, distinct_x), (tied_z, distinct_z) = (
        np.array([((times := np.unique(row, return_counts=True)[1]) @ times, len(times)) for row in side]).T
        for side in (x, z)
    )
    n, half, distinct = np.full(len(x), float(x.shape[1])), np.full(len(x), 0.5), np.minimum(distinct_x, distinct_z)
    untied_x, untied_z = ((n * n - tied) / 2 for tied in (tied_x, tied_z))
    return 1 / kendall_from_counts(half, untied_x, untied_z, n, distinct, statistic.name)


def _distances(x: FloatArray, z: FloatArray) -> FloatArray:
    """Return Σ_k (z_i − z_k)·sign(x_i − x_k) for each point i."""
    return np.asarray(z * signed_sums(x, np.ones(len(x))) - signed_sums(x, z))


def p_values(difference: FloatArray, terms: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how likely sums of terms with random signs, and a normal variable, are at least, or at most, a difference.

    Sums that are equal to it count half, so that both p-values add up to 1. None is smaller than `smallest`.

    Parameters
    ----------
    difference
        Differences, (pairs,).
    terms
        Terms, (pairs, units).
    variance
        The variance of the normal variable, (pairs,).

    Examples
    --------
    >>> greater, less = p_values(np.array([6.0, -1.0]), np.array([[3.0, 2.0, 1.0], [3.0, 2.0, -4.0]]), np.zeros(2))
    >>> greater.tolist(), less.tolist()
    ([0.0625, 0.5625], [0.9375, 0.4375])
    """
    signs = _signs(min(EXACT, terms.shape[1]))
    size = np.sort(np.abs(terms), axis=1)[:, ::-1]
    taken, rest = np.split(size, [len(signs)], axis=1)
    spread, close = np.sqrt(np.square(rest).sum(axis=1) + variance), ROUNDING * size.sum(axis=1)
    spread = np.where(spread > close, spread, 0.0)
    tail = np.empty(len(terms))
    for at in range(0, len(terms), TILE):
        some = slice(at, at + TILE)
        # Sums are as often positive as negative: the smaller of both p-values is that of the size of the difference.
        beyond = taken[some] @ signs - np.abs(difference[some, None])
        beyond[np.abs(beyond) <= close[some, None]] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = beyond / spread[some, None]
        tail[some] = ndtr(np.where(beyond == 0, 0.0, steps)).mean(axis=1)
    tail = np.maximum(tail, smallest(terms.shape[1]))
    return np.where(difference >= 0, tail, 1 - tail), np.where(difference > 0, 1 - tail, tail)


def excess(terms: FloatArray, variance: FloatArray) -> FloatArray:
    """Return the excess kurtosis of such sums, (pairs,), which is at most 0: sums of few signs do not go far."""
    total = np.square(terms).sum(axis=1) + variance
    fourth = np.divide((terms**4).sum(axis=1), total**2, out=np.zeros(len(terms)), where=total > 0)
    return np.asarray(-2 * fourth)


def smallest(units: int) -> float:
    """Return the smallest p-value that exchanges of so many units of systems allow: that of the data counts half."""
    return one_exchange(units) / 2


@cache
def _signs(terms: int) -> FloatArray:
    """Return all signs of so many terms, (terms, ways)."""
    return np.array(list(product((1.0, -1.0), repeat=terms))).T
