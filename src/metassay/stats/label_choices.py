"""Which items to label next: by chance, spread over scores, or more often where judges disagree or are unsure."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, smallest
from metassay.stats.levels import means_of_known
from metassay.stats.proportions import wilson

FLOOR = 0.4
"""The chance of items without doubt, relative to those with most: judges that agree are wrong now and then, too."""


def doubts(strategy: str, judges: FloatArray) -> FloatArray:
    """Return how much each item is in doubt, (n,), from scores of judges (judges, n) with NaN for missing.

    ``disagreement`` is the standard deviation between judges, ``variance`` that of a yes or no with the judges' mean
    probability √(p(1 − p)); each judge's scores are put between 0 and 1 first. Other strategies know no doubt.
    """
    if strategy not in ("disagreement", "variance"):
        return np.ones(judges.shape[1])
    low, high = (end(judges, axis=1, keepdims=True) for end in (np.nanmin, np.nanmax))
    p = (judges - low) / np.where(high > low, high - low, 1.0)
    middle = means_of_known(p, axis=0)
    spread = means_of_known((p - middle) ** 2, axis=0) if strategy == "disagreement" else middle * (1 - middle)
    return np.asarray(np.sqrt(np.nan_to_num(np.maximum(spread, 0.0))))


def chances(strategy: str, judges: FloatArray, n: int) -> FloatArray:
    """Return the probability of each item to be among `n`; they add up to n."""
    doubt = doubts(strategy, judges)
    size, most = len(doubt), float(doubt.max())
    if n >= size or most == 0:
        return np.full(size, min(1.0, n / size))
    weight = np.maximum(doubt, FLOOR * most)
    sure = np.zeros(size, dtype=bool)
    while True:  # what would be chosen more than once is chosen for sure
        share = np.where(sure, 1.0, (n - sure.sum()) * weight / weight[~sure].sum())
        more = (share > 1) & ~sure
        if not more.any():
            return np.asarray(share)
        sure |= more


def choose(strategy: str, judges: FloatArray, n: int, random: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Return about `n` items, and the probability that each of all items had to be chosen.

    Systematic sampling: probabilities are added up in a random order, or for ``stratified`` in the order of the judges'
    mean, so that all parts of their scale have their share, and items are taken at equal steps from a random start.
    """
    probability = chances(strategy, judges, n)
    order = random.permutation(len(probability))
    if strategy == "stratified":
        order = order[np.argsort(means_of_known(judges, axis=0)[order], kind="stable")]
    steps = np.floor(np.cumsum(probability[order]) + random.random() - 1e-12)
    return np.sort(order[np.diff(steps, prepend=0.0) > 0]), probability


def choice_errors(
    strategy: str,
    judges: FloatArray,
    y: FloatArray,
    f: FloatArray,
    n: int,
    trials: int,
    random: np.random.Generator,
) -> tuple[float, float, float]:
    """Choose n of the labels that there are, again and again, and see how far estimates from them are off.

    Parameters
    ----------
    strategy, judges, n
        As in :func:`choose`.
    y, f
        What people and the judge say of all items, (n,).
    trials, random
        How often labels are chosen, and by which chance.

    Returns
    -------
    tuple
        Root mean squared errors of the mean of people, with the judge as regressor, and of the judge's accuracy; and
        the mean share of errors of the judge among the labels chosen.
    """
    truth, right = float(y.mean()), (y == f).astype(float)
    found = []
    for _ in range(trials):
        some, chance = choose(strategy, judges, n, random)
        weight = 1 / chance[some]
        off = _regressed(y[some], f[some], weight, float(f.mean())) - truth
        found.append((off, np.average(right[some], weights=weight) - right.mean(), 1 - right[some].mean()))
    errors = np.array(found)
    mean_off, right_off = np.sqrt((errors[:, :2] ** 2).mean(axis=0))
    return float(mean_off), float(right_off), float(errors[:, 2].mean())


def _regressed(y: FloatArray, f: FloatArray, weight: FloatArray, everywhere: float) -> float:
    """Return the mean of people from weighted labels, corrected by the judge's mean everywhere."""
    y_mean, f_mean = np.average(y, weights=weight), np.average(f, weights=weight)
    spread = np.average((f - f_mean) ** 2, weights=weight)
    slope = np.average((y - y_mean) * (f - f_mean), weights=weight) / spread if spread > 0 else 0.0
    return float(y_mean + slope * (everywhere - f_mean))


def labels_for_mean(
    found: Estimate, target: float, confidence: float, gain: float = 0.0, total: float = math.inf
) -> float:
    """Return how many labels tell a mean to ± `target`, with t of the planned labels; infinite if all are not enough.

    Parameters
    ----------
    found
        The mean of the labels alone.
    target, confidence
        Half the width of its interval, and its confidence.
    gain
        ρ², the share of the variance that a judge explains who is known for all outputs; 0 without a judge.
    total
        N, all outputs: the variance of n labels is σ²(1 − ρ²(1 − n/N))/n.
    """
    if not (found.error > 0 and target > 0):
        return math.nan

    def enough(n: int) -> bool:
        error, df = found.planned(n)
        left = 1 - gain * (1 - min(n / total, 1.0))
        return df >= 1 and float(stdtrit(df, (1 + confidence) / 2)) * error * math.sqrt(left) <= target

    return smallest(enough, total)


def labels_for_share(found: Estimate, target: float, confidence: float) -> float:
    """Return how many labels tell a share to ± `target`, by Wilson's interval for as many items as they are worth.

    The planned labels cluster as the present ones, and t has their degrees of freedom; NaN if no number is known.
    """
    p = found.value
    if not (target > 0 and found.n):
        return math.nan
    # As in clustered.share: without clusters the items, and clusters where all items are alike.
    each = 1.0 if math.isinf(found.df) else (found.df + 1) / found.n
    if found.error > 0 and math.isfinite(found.df):
        each = min(1.0, p * (1 - p) / found.error**2 / found.n)

    def enough(n: int) -> bool:
        df = found.planned(n)[1] if found.error > 0 else math.inf
        if df < 1:
            return False
        low, high = wilson(p * n * each, n * each, z=float(stdtrit(df, (1 + confidence) / 2)))
        return (high - low) / 2 <= target

    return smallest(enough)
