"""How far several people agree with one another, with ratings missing, under weights of the rated units."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.levels import means_of_known
from metassay.stats.reliability import krippendorff
from metassay.stats.statistics.labels import alpha, distances, gwet

POWERS = {"share": 0, "ac1": 0, "ac2": 2, "ac2-linear": 1}
"""Coefficients of pairs of ratings, with the power of the distance of two labels."""
COEFFICIENTS = (*POWERS, "alpha-nominal", "alpha-ordinal", "alpha-interval")


def repeated(runs: FloatArray, near: float = 0.0) -> FloatArray:
    """Return for each unit the share of pairs of runs (runs × units) that say the same, up to `near`; NaN without two.

    Examples
    --------
    >>> repeated(np.array([[1.0, 2.0, 3.0], [1.0, 5.0, np.nan], [1.0, 2.0, np.nan]])).round(2).tolist()
    [1.0, 0.33, nan]
    """
    pairs = list(combinations(runs, 2))
    same = np.array([np.where(np.isnan(a + b), np.nan, np.abs(a - b) <= near) for a, b in pairs])
    same = same.reshape(len(pairs), runs.shape[1])
    return quotient(np.nansum(same, axis=0), (~np.isnan(same)).sum(axis=0))


def agreement(ratings: FloatArray, coefficient: str, weights: FloatArray | None = None) -> FloatArray:
    """Return how far raters agree, in every draw of units, (B,); NaN where it is undefined.

    Parameters
    ----------
    ratings
        Codes of labels, or numbers, raters × units, NaN where a rating is missing.
    coefficient
        ``share`` (of pairs of raters of a unit that give the same label, averaged over units), ``ac1``, ``ac2``
        (squared weights), ``ac2-linear``, ``alpha-nominal``, ``alpha-ordinal`` or ``alpha-interval``.
    weights
        How often each unit was drawn, (units, B); by default each once.

    Notes
    -----
    Gwet (2014), "Handbook of inter-rater reliability"; Krippendorff (2011). Units with one rating count in Gwet's
    shares of labels, as he defines them, and nowhere else. Ordinal distances are those of the ratings of the draw.

    Examples
    --------
    >>> ratings = np.array([[1.0, 2, 2, 1], [1, 2, 1, 1], [1, np.nan, 2, np.nan]])
    >>> agreement(ratings, "share").round(3).tolist(), agreement(ratings, "alpha-nominal").round(3).tolist()
    ([0.833], [0.625])
    """
    if coefficient not in COEFFICIENTS:
        raise ValueError(f"unknown coefficient {coefficient!r} (known: {', '.join(COEFFICIENTS)})")
    weights = np.ones((ratings.shape[1], 1)) if weights is None else weights
    if coefficient == "alpha-interval":
        return krippendorff(ratings[:, None], "interval", weights)
    labels = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[..., None] == labels).sum(axis=0).astype(np.float64)
    each = counts.sum(axis=1)
    several = each >= 2
    pairs = counts[several, :, None] * counts[several, None, :]
    k = len(labels)
    pairs[:, range(k), range(k)] -= counts[several]
    with np.errstate(divide="ignore", invalid="ignore"):
        if coefficient.startswith("alpha"):
            together = (pairs / (each[several] - 1)[:, None, None]).reshape(-1, k * k).T @ weights[several]
            return alpha(together.reshape(k, k, -1), labels, coefficient.removeprefix("alpha-"))
        apart = distances(labels, POWERS[coefficient])
        alike = (pairs * (1 - apart / (apart.max(initial=0.0) or 1.0))).sum((1, 2))
        shared = (alike / (each * (each - 1))[several]) @ weights[several] / weights[several].sum(axis=0)
        if coefficient == "share":
            return np.asarray(shared)
        rated = each > 0
        shares = (counts[rated] / each[rated, None]).T @ weights[rated] / weights[rated].sum(axis=0)
        return gwet(shared, shares, apart)


def pooled(ratings: FloatArray, combine: str) -> FloatArray:
    """Return one value per unit, (units,): the ``mean`` or the ``majority`` of raters; NaN where there is none."""
    known = ~np.isnan(ratings)
    if combine == "mean":
        return means_of_known(ratings, axis=0)
    labels = np.unique(ratings[known])
    if not len(labels):
        return np.full(ratings.shape[1], np.nan)
    counts = (ratings[..., None] == labels).sum(axis=0)
    most = counts.max(axis=1)
    clear = (most > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    return np.where(clear, labels[counts.argmax(axis=1)], np.nan)
