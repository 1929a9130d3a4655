"""Does a judge prefer what it is shown first? Verdicts on the same two outputs in both orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, share
from metassay.stats.statistics.labels import KAPPA


def mcnemar(one: int, other: int) -> float:
    """Return the exact two-sided p-value that two kinds of disagreement are equally frequent; 1 without any.

    McNemar (1947), with the binomial distribution.

    Examples
    --------
    >>> round(mcnemar(8, 2), 4)
    0.1094
    """
    return min(1.0, 2 * float(bdtr(min(one, other), one + other, 0.5))) if one + other else 1.0


@dataclass(frozen=True)
class TwoOrders:
    """Verdicts in both orders."""

    consistency: Estimate
    """Share of pairs with the same verdict in both orders."""
    first: Estimate
    """Share of verdicts, ties left out, for what was shown first; ½ without a preference."""
    both_first: int
    """Pairs whose first output was chosen in both orders."""
    both_second: int
    """Pairs whose second output was chosen in both orders."""
    p: float
    """McNemar's p-value that these two are equally frequent: no preference for a position."""
    kappa: float
    """Cohen's κ of the verdicts in the two orders."""
    right: tuple[Estimate, Estimate] | None
    """Share of verdicts that are people's, in either order."""
    right_in_both: Estimate | None
    """Share of pairs whose verdict is people's in both orders."""


def two_orders(
    verdicts: FloatArray,
    swapped: FloatArray,
    people: FloatArray | None = None,
    clusters: IntArray | None = None,
    confidence: float = 0.95,
) -> TwoOrders:
    """Compare verdicts on pairs of outputs A and B in both orders.

    Parameters
    ----------
    verdicts
        With A shown first: 1 if A won, 0 if B did, ½ for a tie, NaN if missing, (pairs,).
    swapped
        With B shown first, in the same code.
    people
        What people say, in the same code.
    clusters
        Clusters of pairs, such as their inputs; by default each pair is one.
    confidence
        Such as 0.95.

    Examples
    --------
    >>> found = two_orders(np.array([1.0, 1, 1, 0]), np.array([1.0, 0, 0, 0]), np.array([1.0, 1, 1, 1]))
    >>> found.consistency.value, found.first.value, found.both_first, found.right_in_both.value
    (0.5, 0.75, 2, 0.25)
    """
    pairs = np.arange(len(verdicts)) if clusters is None else clusters
    own = [] if clusters is None else [clusters]
    known = ~np.isnan(verdicts + swapped)
    same = np.where(known, verdicts == swapped, np.nan)
    # Two verdicts on one pair are not independent, so pairs are clusters.
    chosen = np.concatenate([verdicts, 1 - swapped])
    first = share(np.where(chosen == 0.5, np.nan, chosen), [np.tile(pairs, 2)], confidence)
    ahead, behind = (int(((verdicts == side) & (swapped == 1 - side)).sum()) for side in (1, 0))
    right = both = None
    if people is not None:
        hits = [np.where(np.isnan(v + people), np.nan, v == people) for v in (verdicts, swapped)]
        right = (share(hits[0], own, confidence), share(hits[1], own, confidence))
        both = share(hits[0] * hits[1], own, confidence)
    kappa = KAPPA.tabulated(verdicts[known], swapped[known]).estimate()
    return TwoOrders(share(same, own, confidence), first, ahead, behind, mcnemar(ahead, behind), kappa, right, both)


def verdict_scores(verdicts: FloatArray, people: FloatArray) -> tuple[float, float, float]:
    """Return precision, recall and F1 of verdicts 1, ½ and 0 against people's, averaged over those that occur.

    Examples
    --------
    >>> [round(x, 3) for x in verdict_scores(np.array([1.0, 1, 0, 0.5]), np.array([1.0, 0, 0, 0.5]))]
    [0.833, 0.833, 0.778]
    """
    kinds = np.unique(np.concatenate([verdicts, people]))
    if not len(kinds):
        return np.nan, np.nan, np.nan
    hits, said, meant = (
        np.array([part[kind] for kind in kinds])
        for part in (
            {k: float(((verdicts == k) & (people == k)).sum()) for k in kinds},
            {k: float((verdicts == k).sum()) for k in kinds},
            {k: float((people == k).sum()) for k in kinds},
        )
    )
    precision, recall = hits / np.maximum(said, 1.0), hits / np.maximum(meant, 1.0)
    f1 = 2 * hits / (said + meant)
    return float(precision.mean()), float(recall.mean()), float(f1.mean())
