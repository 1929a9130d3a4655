"""Correlation of short vectors whose order may differ in every draw.

Everything has the draws last: values are (n, B), weights are (n, B) multiplicities or None. The device is the
sign of differences: with g_ik = sign(x_i − x_k) and weights w, the centred weighted midrank of i is
½ Σ_k w_k g_ik, and Kendall's numerator is Σ_{i<k} w_i w_k g^x_ik g^z_ik, whatever is tied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.stats.arrays import FloatArray, IntArray

Signs = npt.NDArray[np.int8]
Numbers = npt.NDArray[Any]
"""Whole numbers in single or double precision."""

TIE = 1e-12
"""Values that differ by less are tied: the means of equal sums need not be equal to the last bit."""


DISCORDANT, TIED = "discordant", "tied"
"""Counts of pairs instead of a coefficient: ordered unlike each other, or tied in either vector."""

PAIRS = 1 << 24
"""Pairs × draws compared at once."""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient, NaN where the denominator is not positive, and never outside [−1, 1]."""
    positive = denominator > 0
    if not positive.all():
        denominator = np.where(positive, denominator, np.nan)
    out = np.divide(numerator, denominator)
    return np.clip(out, -1.0, 1.0, out=out)


def quotient(total: FloatArray, count: npt.NDArray[Any]) -> FloatArray:
    """Return totals divided by counts, NaN where nothing was counted."""
    out = np.full(np.shape(total), np.nan)
    np.divide(total, count, out=out, where=count > 0)
    return out


def correlate(
    xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None], coefficient: str
) -> FloatArray:
    """Correlate several vectors with one, in every draw.

    Parameters
    ----------
    xs
        Arrays of shape (n, B) or (n, 1), of order one: :data:`TIE` is an absolute distance.
    z
        An array of the same kind; values with weight 0 must be finite all the same.
    weights
        For each of `xs` multiplicities of shape (n, B), or None for ones.
    coefficient
        ``pearson``, ``spearman``, ``kendall``, ``kendall-a`` or ``kendall-c``; or :data:`DISCORDANT` or :data:`TIED`,
        for the share of such pairs among all pairs of different points.

    Returns
    -------
    ndarray
        Correlations or shares of shape (len(xs), B); NaN where there are fewer than two points, and for correlations
        where a vector is constant.
    """
    if coefficient == "pearson":
        rows = [_pearson(x, z, w) for x, w in zip(xs, weights, strict=True)]
        return np.stack(np.broadcast_arrays(*rows))
    draws = max(a.shape[1] for a in (z, *xs, *(w for w in weights if w is not None)))
    # Sums over pairs are of whole numbers, so cutting the draws into slices changes nothing but the memory.
    width = max(1, PAIRS // max(1, len(z) * (len(z) - 1) // 2))
    parts = []
    for at in range(0, draws, width):
        cut = slice(at, at + width)

        def part(a: FloatArray, cut: slice = cut) -> FloatArray:
            return a if a.shape[1] == 1 else a[:, cut]

        parts.append(_rank_correlate(xs, z, weights, coefficient, part))
    return np.concatenate(parts, axis=1)


def _rank_correlate(
    xs: Sequence[FloatArray],
    z: FloatArray,
    weights: Sequence[FloatArray | None],
    coefficient: str,
    part: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Correlate ranks in some of the draws, which `part` takes out of an array."""
    signs_z = _pair_signs(part(z))
    method = _METHODS.get(coefficient, _kendall)
    rows: list[FloatArray] = []
    given: FloatArray | None = None
    last = _Weights(None, len(z))
    for x, w in zip(xs, weights, strict=True):
        if w is not given:
            given, last = w, _Weights(None if w is None else part(w), len(z))
        rows.append(method(_pair_signs(part(x)), signs_z, last, coefficient))
    return np.stack(np.broadcast_arrays(*rows))


def _pearson(x: FloatArray, z: FloatArray, w: FloatArray | None) -> FloatArray:
    if w is None:
        xc, zc = x - x.mean(axis=0), z - z.mean(axis=0)
        xx, zz, xz = dot(xc, xc), dot(zc, zc), dot(xc, zc)
        n: float | FloatArray = float(len(x))
    else:
        n = np.maximum(w.sum(axis=0), 1.0)
        xc, zc = x - dot(w, x) / n, z - dot(w, z) / n
        wx = w * xc
        xx, zz, xz = dot(wx, xc), dot(w * zc, zc), dot(wx, zc)
    varies = (xx > n * TIE**2) & (zz > n * TIE**2)
    return ratio(xz, np.where(varies, np.sqrt(xx * zz), 0.0))


class _Weights:
    """Weights of points and, when they are first needed, of pairs of points."""

    def __init__(self, points: FloatArray | None, n: int) -> None:
        self.points = points
        self.n = n
        # Sums over pairs are whole numbers up to n²: exact in single precision up to 4096 points.
        self.precision = np.float32 if n <= 4096 else np.float64
        self.small = None if points is None else points.astype(self.precision)

    @cached_property
    def pairs(self) -> Numbers:
        """Products of weights, in the order of `_pair_signs`."""
        if self.small is None:
            return np.ones((self.n * (self.n - 1) // 2, 1), dtype=self.precision)
        out = np.empty((self.n * (self.n - 1) // 2, self.small.shape[1]), dtype=self.precision)
        for i, cut in enumerate(_cuts(self.n)):
            np.multiply(self.small[i + 1 :], self.small[i], out=out[cut])
        return out

    @cached_property
    def total(self) -> FloatArray:
        """The number of points."""
        return np.full(1, float(self.n)) if self.points is None else self.points.sum(axis=0)

    def sum(self, values: npt.NDArray[Any]) -> FloatArray:
        """Return the weighted sum over pairs."""
        exact = values.astype(self.precision)
        added = self.pairs.T @ exact if self.small is None else dot(self.pairs, exact)
        total: FloatArray = added.reshape(-1).astype(np.float64)
        return total


def _cuts(n: int) -> Iterator[slice]:
    """Yield for i = 0, 1, … where the pairs (i, i+1), (i, i+2), … stand."""
    at = 0
    for i in range(n - 1):
        yield slice(at, at + n - 1 - i)
        at += n - 1 - i


def _pair_signs(x: FloatArray) -> Signs:
    """Return sign(x_k − x_i) for all pairs i < k, shape (pairs, B)."""
    n = len(x)
    above = np.empty((n * (n - 1) // 2, x.shape[1]), dtype=bool)
    below = np.empty_like(above)
    upper, lower = x + TIE, x - TIE
    for i, cut in enumerate(_cuts(n)):
        np.greater(x[i + 1 :], upper[i], out=above[cut])
        np.less(x[i + 1 :], lower[i], out=below[cut])
    return np.subtract(above.view(np.int8), below.view(np.int8), out=above.view(np.int8))


def _spearman(signs_x: Signs, signs_z: Signs, weights: _Weights, _: str) -> FloatArray:
    ax, az = _centred_ranks(signs_x, weights), _centred_ranks(signs_z, weights)
    if weights.points is None:
        return ratio(dot(ax, az), np.sqrt(dot(ax, ax) * dot(az, az)))
    wx = weights.points * ax
    return ratio(dot(wx, az), np.sqrt(dot(wx, ax) * dot(weights.points * az, az)))


def _centred_ranks(signs: Signs, weights: _Weights) -> FloatArray:
    """Return twice the centred weighted midranks."""
    w = weights.small
    exact = signs.astype(weights.precision)
    draws = max(exact.shape[1], 1 if w is None else w.shape[1])
    ranks = np.zeros((weights.n, draws), dtype=weights.precision)
    for i, cut in enumerate(_cuts(weights.n)):
        if w is None:
            ranks[i + 1 :] += exact[cut]
            ranks[i] -= exact[cut].sum(axis=0)
        else:
            ranks[i] -= dot(w[i + 1 :], exact[cut])
            ranks[i + 1 :] += exact[cut] * w[i]
    return ranks.astype(np.float64)


def _kendall(signs_x: Signs, signs_z: Signs, weights: _Weights, coefficient: str) -> FloatArray:
    distinct = None
    if coefficient == "kendall-c":
        distinct = np.minimum(_distinct(signs_x, weights), _distinct(signs_z, weights))
    return kendall_from_counts(
        weights.sum(signs_x * signs_z),
        weights.sum(signs_x != 0),
        weights.sum(signs_z != 0),
        weights.total,
        distinct,
        coefficient,
    )


def _share(signs_x: Signs, signs_z: Signs, weights: _Weights, counted: str) -> FloatArray:
    product = signs_x * signs_z
    return quotient(weights.sum(product < 0 if counted == DISCORDANT else product == 0), weights.pairs.sum(axis=0))


_METHODS = {"spearman": _spearman, DISCORDANT: _share, TIED: _share}


def _distinct(signs: Signs, weights: _Weights) -> IntArray:
    """Return how many distinct values have weight: points with no equal one before them."""
    w = np.ones((weights.n, 1)) if weights.points is None else weights.points
    taken = np.broadcast_to(w > 0, (weights.n, max(w.shape[1], signs.shape[1])))
    first = taken.copy()
    for i, cut in enumerate(_cuts(weights.n)):
        first[i + 1 :] &= (signs[cut] != 0) | ~taken[i]
    counts: IntArray = first.sum(axis=0)
    return counts


def kendall_from_counts(
    numerator: FloatArray,
    untied_x: FloatArray,
    untied_z: FloatArray,
    n: FloatArray,
    distinct: IntArray | None,
    coefficient: str,
) -> FloatArray:
    """Return tau from counts of pairs.

    Parameters
    ----------
    numerator
        Concordant minus discordant pairs.
    untied_x, untied_z
        Pairs that differ in x, and in z.
    n
        Number of points.
    distinct
        For ``kendall-c`` the smaller of the two numbers of distinct values, else unused.
    coefficient
        ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``; all are undefined if x or z is constant.
    """
    both = (untied_x > 0) & (untied_z > 0)
    if coefficient == "kendall":
        below = np.sqrt(untied_x * untied_z)
    elif coefficient == "kendall-a":
        below = np.where(both, n * (n - 1) / 2, 0.0)
    else:
        assert distinct is not None, "tau-c needs the number of distinct values"
        m = np.maximum(distinct, 1)
        below = np.where(both, n * n * (m - 1) / (2 * m), 0.0)
    return ratio(numerator, below)


def dot(a: Numbers, b: Numbers) -> Numbers:
    """Return Σ a·b over all axes but the last, draw by draw, in the precision of the factors."""
    axes = "kib"[-a.ndim :]
    product: Numbers = np.einsum(f"{axes},{axes}->b", a, b)
    return product
