"""Which items to label next: by chance, spread over scores, or more often where judges disagree or are unsure."""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
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
