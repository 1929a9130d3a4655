"""Tests of normality."""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import ndtr, ndtri

from metassay.stats.arrays import FloatArray

_C1 = Polynomial([0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056])
_C2 = Polynomial([0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633])
_C3 = Polynomial([0.544, -0.39978, 0.025054, -6.714e-4])
_C4 = Polynomial([1.3822, -0.77857, 0.062767, -0.0020322])
_C5 = Polynomial([-1.5861, -0.31082, -0.083751, 0.0038915])
_C6 = Polynomial([-0.4803, -0.082676, 0.0030302])


def shapiro_wilk(values: FloatArray) -> FloatArray:
    """Return the p-value of the Shapiro-Wilk test in each row, NaN for missing; NaN without three different values.

    Royston (1995), "Remark AS R94", Applied Statistics 44; the same as R's. SciPy takes one sample at a time, and half
    a second to load.

    Examples
    --------
    >>> shapiro_wilk(np.array([[148.0, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]])).round(4).tolist()
    [0.0067]
    """
    ordered, found = np.sort(values, axis=1), np.full(len(values), np.nan)  # missing ones go to the end
    known = (~np.isnan(values)).sum(axis=1)
    for n in np.unique(known[known > 2]):
        x = ordered[known == n, :n]
        spread = x[:, -1] - x[:, 0]
        # Means of equal sums differ in their last bits; that is no spread.
        varies = spread > 1e-12 * np.abs(x).max(axis=1)
        p = np.full(len(x), np.nan)
        p[varies] = _of_equal_length((x[varies] - x[varies][:, [n // 2]]) / spread[varies, None])
        found[known == n] = p
    return found


def _of_equal_length(x: FloatArray) -> FloatArray:
    """Return the p-values of sorted rows, none of which is constant."""
    n = x.shape[1]
    a, x = _coefficients(n), x - x.mean(axis=1, keepdims=True)
    squares, product = (x * x).sum(axis=1) * (a @ a), x @ a
    # 1 − W, as a product, which keeps the digits of a W near 1.
    rest = np.clip((np.sqrt(squares) - product) * (np.sqrt(squares) + product) / squares, 1e-19, 1.0)
    if n == 3:
        return np.asarray(np.maximum(0.0, 1 - 6 * np.arccos(np.sqrt(1 - rest)) / math.pi))
    y = np.log(rest)
    if n > 11:
        return np.asarray(ndtr((_C5(math.log(n)) - y) / math.exp(_C6(math.log(n)))))
    below = 0.459 * n - 2.273 - y
    y = -np.log(np.where(below > 0, below, 1.0))
    return np.where(below > 0, ndtr((_C3(n) - y) / math.exp(_C4(n))), 1e-19)


def _coefficients(n: int) -> FloatArray:
    """Return the weights of n ordered values, of which the last two have a polynomial of 1/√n."""
    if n == 3:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    m = ndtri((np.arange(1, n // 2 + 1) - 0.375) / (n + 0.25))
    total, known = 2 * (m @ m), 2 if n > 5 else 1
    ends = [curve(1 / math.sqrt(n)) - at / math.sqrt(total) for curve, at in zip((_C1, _C2), m[:known], strict=False)]
    rest = total - 2 * (m[:known] @ m[:known])
    half = -m / math.sqrt(rest / (1 - 2 * sum(end**2 for end in ends)))
    half[:known] = ends
    return np.concatenate([-half, np.zeros(n % 2), half[::-1]])
