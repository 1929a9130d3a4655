"""Which items to label next: by chance, spread over scores, or more often where judges disagree or are unsure."""

from __future__ import annotations

import math

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate
from metassay.stats.levels import means_of_known

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


def labels_for_share(found: Estimate, n: int, target: float) -> float:
    """Return how many labels tell a share; of 0 or 1, Wilson's interval shrinks with their number, not its root."""
    half = (found.high - found.low) / 2
    if found.error > 0:
        return n * (half / target) ** 2
    return n * (half / (1 - 2 * half)) / (target / (1 - 2 * target)) if half < 0.5 > target else math.nan
