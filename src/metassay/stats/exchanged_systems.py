"""What exchanges of systems make of the difference of two rank correlations, without drawing any.

If two metrics are equally good, they may exchange the ranks that they give to a system. All of N systems may be
exchanged or not, which makes 2ᴺ differences. Each is a sum of one term per system, and exchanging a system changes the
sign of its own term, and nothing else. So their distribution is that of sums with random signs.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.jackknife import Fit, added_up
from metassay.stats.kernels.left_out import concordance, signed_sums
from metassay.stats.leverage import midranks
from metassay.stats.significance import EQUAL

EXACT = 11
"""The signs of so many terms, the largest, are taken in all ways; those of the others add up to a normal variable."""
TILE = 256
"""Pairs of metrics whose sums are made at once."""


def of_systems(fit: Fit, first: IntArray, second: IntArray) -> FloatArray:
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
    # What a coefficient's sum over pairs is divided by; a sum of 0 does not tell.
    whole = np.array([sums(*each).sum() for each in zip(x, z, strict=True)])
    below = np.divide(whole, r, out=np.full(len(r), np.nan), where=np.abs(r) > EQUAL)
    with np.errstate(invalid="ignore"):
        below = np.fmax(np.sqrt(below[first] * below[second]), np.fmin(below[first], below[second]))
    found = [
        sums(np.concatenate([x[a], x[b]]), np.concatenate([z[a], z[a]])) for a, b in zip(first, second, strict=True)
    ]
    steep, difference = steepness(fit, first, second), fit.at[first] - fit.at[second]
    terms = np.array([k[:n] - k[n:] for k in found]) * np.nan_to_num(steep / below)[:, None]
    terms = added_up(terms, fit.families)
    # Where metrics have other ties, the rest is nobody's.
    return np.asarray(terms + ((difference - terms.sum(axis=1)) / terms.shape[1])[:, None])


def steepness(fit: Fit, first: IntArray, second: IntArray) -> FloatArray:
    """Return by how much the scale stretches the differences of metrics, (pairs,)."""
    apart = fit.estimates[first] - fit.estimates[second]
    near = np.abs(apart) <= EQUAL
    slope = fit.statistic.scale.slope((fit.estimates[first] + fit.estimates[second]) / 2, fit.systems)
    return np.where(near, slope, (fit.at[first] - fit.at[second]) / np.where(near, 1.0, apart))


def _distances(x: FloatArray, z: FloatArray) -> FloatArray:
    """Return Σ_k (z_i − z_k)·sign(x_i − x_k) for each point i."""
    return np.asarray(z * signed_sums(x, np.ones(len(x))) - signed_sums(x, z))


def p_values(difference: FloatArray, terms: FloatArray, variance: FloatArray) -> FloatArray:
    """Return how likely sums of terms with random signs, and a normal variable, are at least as large as a difference.

    Sums that are as large count half, so that p-values against both sides add up to 1. None is smaller than half of
    one of 2ᴺ (see `smallest`).

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
    >>> p_values(np.array([6.0, 1.0]), np.array([[3.0, 2.0, 1.0], [3.0, 2.0, -4.0]]), np.zeros(2)).tolist()
    [0.0625, 0.4375]
    """
    units = terms.shape[1]
    taken = min(EXACT, units)
    size = np.sort(np.abs(terms), axis=1)[:, ::-1]
    signs = np.array(list(product((1.0, -1.0), repeat=taken))).T
    spread = np.sqrt(np.square(size[:, taken:]).sum(axis=1) + variance)
    # Rounding is no distance.
    close = 1e-9 * size.sum(axis=1)
    out = np.empty(len(terms))
    for at in range(0, len(terms), TILE):
        some = slice(at, at + TILE)
        beyond = size[some, :taken] @ signs - difference[some, None]
        beyond[np.abs(beyond) <= close[some, None]] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = beyond / np.where(spread > close, spread, 0.0)[some, None]
        out[some] = ndtr(np.where(beyond == 0, 0.0, steps)).mean(axis=1)
    return np.clip(out, smallest(units), 1 - smallest(units))


def smallest(units: int) -> float:
    """Return the smallest p-value that exchanges of so many units of systems allow."""
    return float(0.5 ** min(units + 1, 1000))
