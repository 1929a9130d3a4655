"""How reliable people's scores are: Krippendorff's α, and halves of annotators or inputs against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from metassay.stats.arrays import FloatArray
from metassay.stats.intervals import percentile
from metassay.stats.levels import means_of_known

MOST_SPLITS = 60
"""No more ways to split annotators or inputs in half than this are averaged."""


def krippendorff(ratings: FloatArray, scale: str, weights: FloatArray | None = None) -> FloatArray:
    """Return Krippendorff's α of ratings, 1 for full agreement and 0 for what chance would give.

    Parameters
    ----------
    ratings
        Annotators × units, or annotators × units × groups of units; NaN where a rating is missing. Units with fewer
        than two ratings tell nothing and are left out.
    scale
        ``interval``, or ``ordinal``, where only the order of ratings counts.
    weights
        How often each group of units was drawn, (groups, B); by default each once. Ranks stay those of all ratings.

    Returns
    -------
    ndarray
        α in each draw, (B,); NaN where ratings do not vary.

    Notes
    -----
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability". The ordinal distance of two grades counts the
    ratings between them, half of those at the ends included: it is the distance of their midranks. So ordinal α is
    interval α of midranks.

    Examples
    --------
    >>> krippendorff(np.array([[1.0, 2, 3, 4], [1, 2, 3, 3]]), "interval").round(3).tolist()
    [0.889]
    """
    units = ratings[..., None] if ratings.ndim == 2 else ratings
    count = (~np.isnan(units)).sum(axis=0)
    units = np.where(count >= 2, units, np.nan)
    known = ~np.isnan(units)
    values = units[known]
    if not len(values):
        return np.full(1 if weights is None else weights.shape[1], np.nan)
    if scale == "ordinal":
        _, where, times = np.unique(values, return_inverse=True, return_counts=True)
        values = (np.cumsum(times) - times / 2)[where]
    values = values - values.mean()
    filled = np.zeros(units.shape)
    filled[known] = values / (np.abs(values).max() or 1.0)
    count = known.sum(axis=0)
    # Over ordered pairs of ratings of a unit, squared differences add up to 2 (m Σv² − (Σv)²).
    squares, sums = (filled**2).sum(axis=0), filled.sum(axis=0)
    within = 2 * (count * squares - sums**2) / np.maximum(count - 1, 1)
    parts = np.stack([count, sums, squares, within]).sum(axis=1)
    n, total, square, apart = parts @ (np.ones((parts.shape[1], 1)) if weights is None else weights)
    expected = 2 * (n * square - total**2) / np.maximum(n - 1, 1)
    ratio = np.divide(apart, expected, out=np.full(n.shape, np.nan), where=expected > 1e-12 * np.maximum(n, 1))
    return np.asarray(1 - ratio)


def spearman_brown(reliability: float, factor: float) -> float:
    """Return the reliability of a mean of `factor` times as many ratings; NaN below −1/(factor − 1).

    Spearman (1910), Brown (1910): k·r / (1 + (k − 1)·r).

    Examples
    --------
    >>> spearman_brown(0.5, 2)  # 1 / 1.5
    0.6666666666666666
    """
    below = 1 + (factor - 1) * reliability
    return factor * reliability / below if below > 0 else math.nan


@dataclass(frozen=True)
class Reliability:
    """How well one half of the ratings agrees with the other."""

    half: float
    """Mean Pearson correlation of two halves."""
    whole: float
    """Reliability of all ratings together, by Spearman-Brown."""
    low: float
    """Lower end of the interval of `whole`."""
    high: float
    """Upper end of the interval of `whole`."""


def split_annotators(ratings: FloatArray, random: np.random.Generator, confidence: float) -> Reliability:
    """Return the reliability of means of systems if annotators are drawn: ratings are annotators × systems × inputs."""
    means = means_of_known(ratings, axis=2)
    halves = _splits(len(ratings), random)
    pairs = [(means_of_known(means[list(a)], axis=0), means_of_known(means[list(b)], axis=0)) for a, b in halves]
    return _of_systems(pairs, len(ratings) / len(halves[0][0]), confidence)


def split_inputs(values: FloatArray, random: np.random.Generator, confidence: float) -> Reliability:
    """Return the reliability of means of systems if inputs are drawn: values are systems × inputs."""
    judged = values[:, ~np.isnan(values).all(axis=0)]
    halves = _splits(judged.shape[1], random)
    pairs = [(means_of_known(judged[:, list(a)]), means_of_known(judged[:, list(b)])) for a, b in halves]
    return _of_systems(pairs, judged.shape[1] / len(halves[0][0]), confidence)


def split_cells(ratings: FloatArray, random: np.random.Generator, draws: FloatArray, confidence: float) -> Reliability:
    """Return the reliability of single cells if annotators are drawn; `draws` are multiplicities of inputs."""
    halves = _splits(len(ratings), random)
    columns = np.concatenate([np.ones((draws.shape[0], 1)), draws], axis=1)
    found = []
    for a, b in halves:
        x, y = means_of_known(ratings[list(a)], axis=0), means_of_known(ratings[list(b)], axis=0)
        both = ~(np.isnan(x) | np.isnan(y))
        if not both.any():
            continue
        x, y = (np.where(both, v - v[both].mean(), 0.0) for v in (x, y))
        sums = np.stack([v.sum(axis=0) for v in (both, x, y, x * x, y * y, x * y)]) @ columns
        n = np.maximum(sums[0], 1)
        xx, yy, xy = sums[3] - sums[1] ** 2 / n, sums[4] - sums[2] ** 2 / n, sums[5] - sums[1] * sums[2] / n
        scale = np.sqrt(np.maximum(xx, 0) * np.maximum(yy, 0))
        found.append(np.divide(xy, scale, out=np.full(n.shape, np.nan), where=scale > 1e-12))
    if not found:
        return Reliability(*[math.nan] * 4)
    half = means_of_known(np.stack(found), axis=0)
    factor = len(ratings) / len(halves[0][0])
    whole = np.array([spearman_brown(float(r), factor) for r in half])
    low, high = percentile(whole[1:], confidence)
    return Reliability(float(half[0]), float(whole[0]), low, high)


def _splits(n: int, random: np.random.Generator) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return pairs of disjoint halves of n; all of them if they are few. Of an odd number, one is left out."""
    size = n // 2
    if math.comb(n, size) * math.comb(n - size, size) // 2 <= MOST_SPLITS:
        return [
            (a, b)
            for a in combinations(range(n), size)
            for b in combinations([i for i in range(n) if i not in a], size)
            if a < b
        ]
    drawn = [random.permutation(n).tolist() for _ in range(MOST_SPLITS)]
    return [(tuple(order[:size]), tuple(order[size : 2 * size])) for order in drawn]


def _of_systems(pairs: list[tuple[FloatArray, FloatArray]], factor: float, confidence: float) -> Reliability:
    found = []
    for x, y in pairs:
        known = ~(np.isnan(x) | np.isnan(y))
        if known.sum() >= 3 and x[known].std() > 1e-12 and y[known].std() > 1e-12:
            found.append(float(np.corrcoef(x[known], y[known])[0, 1]))
    systems = len(pairs[0][0]) if pairs else 0
    if not found or systems < 4:
        return Reliability(*[math.nan] * 4)
    half = float(np.mean(found))
    middle = math.atanh(min(max(half, -1 + 1e-12), 1 - 1e-12))
    reach = float(ndtri((1 + confidence) / 2)) / math.sqrt(systems - 3)
    # A negative reliability says no more than 0, and Spearman-Brown has a pole there.
    low, high = (spearman_brown(max(math.tanh(middle + side * reach), 0.0), factor) for side in (-1, 1))
    return Reliability(half, spearman_brown(half, factor), low, high)
