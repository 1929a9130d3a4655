"""Linear and logistic regressions with errors that cluster: what sways a judge, at equal human judgment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, estimate

Design = Any
"""Rows × columns: a dense array, or a sparse one where most columns are 0, as in votes."""
STEPS, NEAR = 100, 1e-10
"""Newton steps at most, and how small the last one must be."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of a regression."""

    coefficients: FloatArray
    """One per column of the design; all NaN where columns depend on each other or Newton's method did not arrive."""
    covariance: FloatArray
    """Their covariance, robust to clusters and to unequal variances."""
    df: int
    """Degrees of freedom of t: clusters, or rows less columns, less one."""
    n: int
    """Rows."""

    def effect(self, column: int, unit: float = 1.0, confidence: float = 0.95) -> Estimate:
        """Return what `unit` more of a column does to the outcome, with its interval."""
        value, variance = unit * self.coefficients[column], unit**2 * self.covariance[column, column]
        return estimate(float(value), float(variance), self.df, self.n, confidence)


def within(values: FloatArray, groups: IntArray) -> FloatArray:
    """Return values (n,) or (n, k) less the mean of their group: fixed effects of groups, taken out.

    Examples
    --------
    >>> within(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0]
    """
    columns = values.reshape(len(values), -1)
    count = np.maximum(np.bincount(groups), 1)
    means = np.stack([np.bincount(groups, column) / count for column in columns.T], axis=1)
    return np.asarray((columns - means[groups]).reshape(values.shape))


def linear(
    design: FloatArray, outcome: FloatArray, clusters: IntArray | None = None, fixed: IntArray | None = None
) -> Fit:
    """Regress an outcome on columns, with a covariance that is robust to clusters.

    Parameters
    ----------
    design
        Rows × columns, with a column of ones if a constant is wanted; rows with NaN are left out.
    outcome
        (rows,).
    clusters
        The cluster of each row, 0, 1, …, such as its input; by default each row is one.
    fixed
        Groups with an effect of their own each, such as inputs; constants are not estimable then.

    Notes
    -----
    The covariance has the small-sample factor G/(G − 1)·(n − 1)/(n − k) of Stata and statsmodels, where k counts the
    columns; effects of groups that are the clusters cost nothing, as in Stata's ``xtreg``.

    Examples
    --------
    >>> x = np.stack([np.ones(4), np.arange(4.0)], axis=1)
    >>> linear(x, np.array([1.0, 3.0, 5.0, 7.5])).coefficients.round(2).tolist()
    [0.9, 2.15]
    """
    known = ~np.isnan(design).any(axis=1) & ~np.isnan(outcome)
    x, y = design[known], outcome[known]
    if fixed is not None:
        x, y = within(x, fixed[known]), within(y, fixed[known])
    n, k = x.shape
    if n <= k or np.linalg.matrix_rank(x) < k:
        return _nothing(k, n)
    bread: FloatArray = np.asarray(np.linalg.inv(x.T @ x), dtype=np.float64)
    coefficients = bread @ (x.T @ y)
    scores = x * (y - x @ coefficients)[:, None]
    return Fit(coefficients, *_sandwich(bread, scores, None if clusters is None else clusters[known]), n)


def logistic(
    design: Design,
    outcome: FloatArray,
    clusters: IntArray | None = None,
    *,
    weights: FloatArray | None = None,
    ridge: FloatArray | float = 0.0,
    rank: int | None = None,
) -> Fit:
    """Regress shares between 0 and 1 on columns by Newton's method, with a covariance that is robust to clusters.

    Parameters
    ----------
    design
        Rows × columns without missing values, dense or sparse.
    outcome
        (rows,), 0, 1, or in between, such as ½ for a tie.
    clusters
        The cluster of each row, 0, 1, …; by default each row is one.
    weights
        How often each row counts.
    ridge
        Penalty ½·ridge·coefficient² of each column, or a matrix R for ½·θᵀRθ. With 0 a column that separates
        outcomes has no finite coefficient, and all are NaN.
    rank
        How many columns are independent of each other; by default all.
    """
    n, k = design.shape
    weights = np.ones(n) if weights is None else weights
    penalty = np.asarray(ridge, dtype=np.float64)
    penalty = penalty if penalty.ndim == 2 else np.diag(np.broadcast_to(penalty, (k,)))
    theta, bread, arrived = np.zeros(k), np.zeros((k, k)), False
    for _ in range(STEPS):
        p = expit(design @ theta)
        gradient = design.T @ (weights * (outcome - p)) - penalty @ theta
        try:
            curvature = _products(design, weights * p * (1 - p)) + penalty
            bread = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
        except np.linalg.LinAlgError:
            return _nothing(k, n)
        step = bread @ gradient
        # Far from the solution a whole step may overshoot.
        theta = theta + step * min(1.0, 3.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        arrived = float(np.abs(step).max(initial=0.0)) < NEAR
        if arrived:
            break
    if not arrived or np.abs(theta).max(initial=0.0) > 1e6:
        return _nothing(k, n)
    residual = weights * (outcome - expit(design @ theta))
    scores = sparse.diags_array(residual) @ design if sparse.issparse(design) else design * residual[:, None]
    return Fit(theta, *_sandwich(bread, scores, clusters, rank), n)


def _products(design: Design, weights: FloatArray) -> FloatArray:
    """Return XᵀWX."""
    if sparse.issparse(design):
        return np.asarray((design.T @ sparse.diags_array(weights) @ design).todense())
    return np.asarray(design.T @ (weights[:, None] * design))


def _sandwich(
    bread: FloatArray, scores: Design, clusters: IntArray | None, rank: int | None = None
) -> tuple[FloatArray, int]:
    """Return the robust covariance and its degrees of freedom from scores (n, columns) of rows."""
    n = scores.shape[0]
    k = scores.shape[1] if rank is None else rank
    if clusters is None:
        meat, size = _products(scores, np.ones(n)), n
    else:
        _, where = np.unique(clusters, return_inverse=True)
        size = int(where.max(initial=-1)) + 1
        sums = sparse.csr_array((np.ones(n), (where, np.arange(n))), shape=(size, n)) @ scores
        meat = _products(sums, np.ones(size))
    df = size - 1 if clusters is not None else n - k
    if df < 1 or n <= k:
        return np.full(bread.shape, np.nan), df
    factor = size / (size - 1) * (n - 1) / (n - k)
    return np.asarray(factor * bread @ meat @ bread), df


def _nothing(k: int, n: int) -> Fit:
    return Fit(np.full(k, np.nan), np.full((k, k), np.nan), 0, n)
