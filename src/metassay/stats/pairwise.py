"""Correlation of short vectors whose order may differ in every draw.

Everything has the draws last: values are (n, B), weights are (n, B) multiplicities or None. The device is the
sign of differences: with g_ik = sign(x_i − x_k) and weights w, the centred weighted midrank of i is
½ Σ_k w_k g_ik, and Kendall's numerator is Σ_{i<k} w_i w_k g^x_ik g^z_ik, whatever is tied.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

TIE = 1e-12
"""Values that differ by less are tied: the means of equal sums need not be equal to the last bit."""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient, NaN where the denominator is not positive, and never outside [−1, 1]."""
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return np.clip(out, -1.0, 1.0, out=out)


def correlate(
    xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None] | None, coefficient: str
) -> FloatArray:
    """Correlate several vectors with one, in every draw.

    Parameters
    ----------
    xs
        Arrays of shape (n, B) or (n, 1), of order one: :data:`TIE` is an absolute distance.
    z
        An array of the same kind; values with weight 0 must be finite all the same.
    weights
        For each of `xs` multiplicities of shape (n, B), or None for ones; None if that holds for all.
    coefficient
        ``pearson``, ``spearman``, ``kendall``, ``kendall-a`` or ``kendall-c``.

    Returns
    -------
    ndarray
        Correlations of shape (len(xs), B); NaN where a vector is constant or has fewer than two points.
    """
    each = weights if weights is not None else [None] * len(xs)
    if coefficient == "pearson":
        rows = [_pearson(x, z, w) for x, w in zip(xs, each, strict=True)]
    else:
        z = z / TIE
        one = _spearman if coefficient == "spearman" else _kendall
        rows = [one(x / TIE, z, w, coefficient) for x, w in zip(xs, each, strict=True)]
    return np.stack(np.broadcast_arrays(*rows))


def _pearson(x: FloatArray, z: FloatArray, w: FloatArray | None) -> FloatArray:
    if w is None:
        xc, zc = x - x.mean(axis=0), z - z.mean(axis=0)
        xx, zz, xz = _dot(xc, xc), _dot(zc, zc), _dot(xc, zc)
        n: float | FloatArray = float(len(x))
    else:
        n = np.maximum(w.sum(axis=0), 1.0)
        xc, zc = x - _dot(w, x) / n, z - _dot(w, z) / n
        wx = w * xc
        xx, zz, xz = _dot(wx, xc), _dot(w * zc, zc), _dot(wx, zc)
    varies = (xx > n * TIE**2) & (zz > n * TIE**2)
    return ratio(xz, np.where(varies, np.sqrt(xx * zz), 0.0))


def _spearman(x: FloatArray, z: FloatArray, w: FloatArray | None, _: str) -> FloatArray:
    ax, az = _centred_ranks(x, w), _centred_ranks(z, w)
    if w is None:
        return ratio(_dot(ax, az), np.sqrt(_dot(ax, ax) * _dot(az, az)))
    wx = w * ax
    return ratio(_dot(wx, az), np.sqrt(_dot(wx, ax) * _dot(w * az, az)))


def _centred_ranks(x: FloatArray, w: FloatArray | None) -> FloatArray:
    """Return twice the centred weighted midranks of values in units of TIE."""
    n = len(x)
    draws = np.broadcast_shapes(x.shape, (1,) if w is None else w.shape)[-1]
    ranks = np.zeros((n, draws))
    for i in range(n - 1):
        sign = _sign(x[i + 1 :] - x[i])
        if w is None:
            ranks[i + 1 :] += sign
            ranks[i] -= sign.sum(axis=0)
        else:
            ranks[i] -= _dot(w[i + 1 :], sign)
            ranks[i + 1 :] += sign * w[i]
    return ranks


def _kendall(x: FloatArray, z: FloatArray, w: FloatArray | None, coefficient: str) -> FloatArray:
    n = len(x)
    draws = np.broadcast_shapes(x.shape, z.shape, (1,) if w is None else w.shape)[-1]
    numerator, untied_x, untied_z = np.zeros((3, draws))
    repeat_x = np.zeros((n, draws), dtype=bool)
    repeat_z = repeat_x.copy()
    for i in range(n - 1):
        sx, sz = _sign(x[i + 1 :] - x[i]), _sign(z[i + 1 :] - z[i])
        if w is None:
            numerator += _dot(sx, sz)
            untied_x += _dot(sx, sx)
            untied_z += _dot(sz, sz)
        else:
            pairs = w[i + 1 :] * w[i]
            px = pairs * sx
            numerator += _dot(px, sz)
            untied_x += _dot(px, sx)
            sz *= sz
            untied_z += _dot(pairs, sz)
        if coefficient == "kendall-c":
            taken = True if w is None else w[i] > 0
            repeat_x[i + 1 :] |= (sx == 0) & taken
            repeat_z[i + 1 :] |= (sz == 0) & taken
    total = np.full(draws, float(n)) if w is None else w.sum(axis=0)
    distinct = None
    if coefficient == "kendall-c":
        counted = np.ones((n, draws), dtype=bool) if w is None else w > 0
        distinct = np.minimum((counted & ~repeat_x).sum(axis=0), (counted & ~repeat_z).sum(axis=0))
    return kendall_from_counts(numerator, untied_x, untied_z, total, distinct, coefficient)


def kendall_from_counts(
    numerator: FloatArray,
    untied_x: FloatArray,
    untied_z: FloatArray,
    n: FloatArray,
    distinct: npt.NDArray[np.int64] | None,
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


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Σ a·b over the first axis, draw by draw."""
    product: FloatArray = np.einsum("ib,ib->b", a, b)
    return product


def _sign(difference: FloatArray) -> FloatArray:
    """Return −1, 0 or 1, in place, for differences in units of TIE: less than one unit apart is tied."""
    np.trunc(difference, out=difference)
    return np.clip(difference, -1.0, 1.0, out=difference)
