"""Resampling of reference texts: scores that change with every draw, and their correlation with fixed judgments.

A metric that compares with several references has a score for each of them, and takes the largest or the mean. Drawing
the references of each input with replacement gives every output another score, and the outputs another order
(Braun et al. 2022, app. B).
"""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import TIE, correlate, kendall_from_counts, ratio

AT_ONCE = 16
"""Draws handled at once. It changes no result."""
FEW = 64
"""With more distinct values of people than this, pairs of points are compared instead of running sums of values."""


def aggregated(values: FloatArray, how: str) -> FloatArray:
    """Return the largest or the mean score over the references, (references, …) to (…), over those that are there."""
    known = ~np.isnan(values)
    if how == "max":
        best = np.where(known, values, -np.inf).max(axis=0)
        return np.asarray(np.where(known.any(axis=0), best, np.nan))
    # Added up in order of size, so that the same scores in another order give the same bits, and tie.
    total = np.nansum(np.sort(values, axis=0), axis=0)
    count = known.sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


class ReferenceScores:
    """The scores of one metric against each reference.

    Parameters
    ----------
    values
        Scores of shape (references, systems, inputs); NaN where an input has fewer references, or a score is missing.
    how
        ``max`` or ``mean``.
    """

    def __init__(self, values: FloatArray, how: str) -> None:
        there = ~np.isnan(values).all(axis=1)
        # Each input's own references first, so that one is drawn as a number below how many there are.
        first = np.argsort(~there, axis=0, kind="stable")
        self._values = np.take_along_axis(values, first[:, None, :], axis=0)
        self._counts = there.sum(axis=0)
        self._how = how

    def draw(self, random: np.random.Generator, draws: int) -> FloatArray:
        """Draw the references of each input with replacement; return scores (systems × inputs, draws)."""
        most, n, m = self._values.shape
        picks = np.floor(random.random((most, m, draws)) * self._counts[None, :, None]).astype(
            np.int8 if most < 127 else np.int64
        )
        drawn_at_all = np.arange(most)[:, None] < self._counts[None, :]
        out = np.full((n, m, draws), -np.inf if self._how == "max" else 0.0)
        count = np.zeros((n, m, draws))
        for reference in range(most):
            times = ((picks == reference) & drawn_at_all[:, :, None]).sum(axis=0)
            score = self._values[reference]
            known = ~np.isnan(score)
            if self._how == "max":
                here = (times > 0)[None] & known[:, :, None]
                np.maximum(out, np.where(here, score[:, :, None], -np.inf), out=out)
                count += here
            else:
                out += np.where(known, score, 0.0)[:, :, None] * times[None]
                count += known[:, :, None] * times[None]
        if self._how == "mean":
            out = out / np.maximum(count, 1)
        return np.where(count > 0, out, np.nan).reshape(n * m, draws)


def correlate_changing(x: FloatArray, z: FloatArray, weights: FloatArray, coefficient: str) -> FloatArray:
    """Correlate scores that differ between draws with one fixed vector, under weights.

    Parameters
    ----------
    x
        Scores of shape (n, B); NaN for missing.
    z
        Fixed values (n,); NaN for missing.
    weights
        Whole numbers of shape (n, B).
    coefficient
        Any coefficient.
    """
    known = ~(np.isnan(x) | np.isnan(z)[:, None])
    kept = known.any(axis=1)
    x, z, known = x[kept], z[kept], known[kept]
    w = np.where(known, weights[kept], 0.0)
    if len(z) < 2:
        return np.full(x.shape[1], np.nan)
    # Scaled to order one, because what counts as tied is an absolute distance.
    largest = float(np.abs(np.where(known, x, 0.0)).max()) or 1.0
    x = np.where(known, x, 0.0) / largest
    if coefficient in ("pearson",) or (coefficient != "spearman" and len(np.unique(z)) > FEW):
        scale = float(np.abs(z).max()) or 1.0
        return np.asarray(correlate([x], (z / scale)[:, None], [w], coefficient)[0])
    ranks = np.unique(z, return_inverse=True)[1]
    parts = [
        _from_order(x[:, at : at + AT_ONCE].T, ranks, w[:, at : at + AT_ONCE].T, coefficient)
        for at in range(0, x.shape[1], AT_ONCE)
    ]
    return np.concatenate(parts)


def _from_order(x: FloatArray, ranks: IntArray, w: FloatArray, coefficient: str) -> FloatArray:
    """Sort every draw (B, n) by its own scores and add up from the lowest."""
    draws, n = x.shape
    order = np.argsort(x, axis=1, kind="stable")
    ordered, w = np.take_along_axis(x, order, axis=1), np.take_along_axis(w, order, axis=1)
    value = ranks[order]
    new = np.ones((draws, n), dtype=bool)
    new[:, 1:] = np.diff(ordered, axis=1) > TIE
    start = np.maximum.accumulate(np.where(new, np.arange(n), 0), axis=1)
    upto = np.concatenate([np.zeros((draws, 1)), np.cumsum(w, axis=1)], axis=1)
    total = upto[:, -1]
    before = np.take_along_axis(upto, start, axis=1)
    end = np.minimum.accumulate(np.where(np.roll(new, -1, axis=1), np.arange(1, n + 1), n)[:, ::-1], axis=1)[:, ::-1]
    own = np.take_along_axis(upto, end, axis=1) - before
    k = int(ranks.max()) + 1
    rows = np.repeat(np.arange(draws), n)
    sums = np.bincount(rows * k + value.ravel(), weights=w.ravel(), minlength=draws * k).reshape(draws, k)
    if coefficient == "spearman":
        rank_x = 2 * before + own - total[:, None]
        below = np.cumsum(sums, axis=1) - sums
        rank_z = 2 * below + sums - total[:, None]
        product = (w * rank_x * np.take_along_axis(rank_z, value, axis=1)).sum(axis=1)
        return ratio(product, np.sqrt((w * rank_x**2).sum(axis=1) * (sums * rank_z**2).sum(axis=1)))
    # After each point: the weight of lower less the weight of higher values, as every value of z sees it.
    seen = np.zeros((draws, n + 1, k), dtype=np.float32 if float(total.max()) ** 2 < 1 << 24 else np.float64)
    values = np.arange(k)
    signs = np.sign(values[None, :] - values[:, None]).astype(np.float32)
    np.cumsum(signs[value] * w[:, :, None], axis=1, out=seen[:, 1:])
    lead = seen[np.arange(draws)[:, None], start, value]
    numerator = (w * lead).sum(axis=1)
    tied_x, tied_z = (w * own).sum(axis=1), (sums**2).sum(axis=1)
    distinct = np.minimum((new & (own > 0)).sum(axis=1), (sums > 0).sum(axis=1))
    return kendall_from_counts(
        numerator, (total**2 - tied_x) / 2, (total**2 - tied_z) / 2, total, distinct, coefficient
    )
