"""Rank correlation of several vectors with others, where each point counts once and only the coefficient is wanted."""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.left_out import concordance, spearman_of
from metassay.stats.kernels.weighted_ranks import kendall_from_counts

BLOCK = 32
"""Points that are compared with each other one by one; earlier blocks are counted by value."""
LONG = 1 << 12
"""With more points, counting blocks by value would take too much memory."""


def correlations(xs: FloatArray, zs: FloatArray, coefficient: str) -> FloatArray:
    """Return the rank correlations of some vectors, (vectors, points), with each of others, (others, vectors).

    Examples
    --------
    >>> z = np.array([[1.0, 1.0, 3.0, 2.0]])
    >>> correlations(np.array([[1.0, 2.0, 2.0, 4.0], [4.0, 4.0, 1.0, 2.0]]), z, "kendall").tolist()
    [[0.4, -1.0]]
    """
    x, n = _ranks(xs), xs.shape[1]
    others = _ranks(zs)[:, None]
    if coefficient == "spearman":
        return np.array([[spearman_of(each, other[0]) for each in x] for other in others])
    pairs, size, tied_x = n * (n - 1) / 2, np.full(len(x), float(n)), _tied(x)
    found = []
    for other in others:
        tied_z = _tied(other)
        if n > LONG:
            total = np.array([concordance(each, other[0]).sum() / 2 for each in x])
        else:
            # Points in the order of one side, and where it ties in that of the other: what falls there is discordant.
            first, second = (x, other) if x.max() > other.max() else (other, x)
            values = int(second.max()) + 1
            keys = np.sort(first * values + second, axis=1)
            total = pairs - tied_x - tied_z + _tied(_steps(keys)) - 2 * _inversions(keys % values, values)
        distinct = np.minimum(x.max(axis=1), other.max(axis=1)) + 1
        found.append(kendall_from_counts(total, pairs - tied_x, pairs - tied_z, size, distinct, coefficient))
    return np.stack(found)


def _ranks(rows: FloatArray) -> IntArray:
    """Return the rank of each value in its row, 0, 1, …, the same for equal ones."""
    order = np.argsort(rows, axis=1)
    ranks = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, _steps(np.take_along_axis(rows, order, axis=1)), axis=1)
    return ranks


def _steps(ordered: FloatArray | IntArray) -> IntArray:
    """Return the same for rows that are sorted."""
    steps = np.zeros(ordered.shape, dtype=np.int64)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=steps[:, 1:])
    return steps


def _tied(ranks: IntArray) -> FloatArray:
    """Return how many pairs of each row are equal."""
    rows, n = ranks.shape
    times = np.bincount((ranks + n * np.arange(rows)[:, None]).reshape(-1), minlength=rows * n).reshape(rows, n)
    return np.asarray((times * (times - 1)).sum(axis=1) / 2)


def _inversions(codes: IntArray, values: int) -> FloatArray:
    """Return how many pairs of each row of codes, which are below `values`, stand in falling order."""
    rows, n = codes.shape
    blocks = -(-n // BLOCK)
    # What fills the last block stands last and is the largest.
    filled = np.full((rows, blocks * BLOCK), values, dtype=np.int16)
    filled[:, :n] = codes
    # The k-th points of all blocks stand together, so that they are compared in contiguous memory.
    inner = np.ascontiguousarray(filled.reshape(-1, BLOCK).T)
    falls = np.zeros(inner.shape, dtype=np.int8)
    for by in range(1, BLOCK):
        falls[by:] += (inner[:-by] > inner[by:]).view(np.int8)
    places = np.arange(rows * blocks) * (values + 1) + inner
    counts = np.bincount(places.reshape(-1), minlength=rows * blocks * (values + 1)).reshape(rows, blocks, -1)
    earlier = np.cumsum(counts, axis=1) - counts
    above = earlier.sum(axis=2, keepdims=True) - np.cumsum(earlier, axis=2)
    inside = falls.sum(axis=0, dtype=np.float64).reshape(rows, blocks).sum(axis=1)
    return np.asarray(inside + (counts * above).sum(axis=(1, 2)))
