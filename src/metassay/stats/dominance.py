"""Which metric beats which, and in how many bootstrap samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.significance import EQUAL

RESOLVED = 0.975
"""One metric must beat the other in this share of the samples (Braun et al. 2022, §4)."""


def dominance(samples: FloatArray) -> FloatArray:
    """Return P of shape (metrics, metrics): in which share of the samples the row beats the column.

    Samples in which one of the two is undefined are left out; a sample in which both are equal counts for neither.

    Parameters
    ----------
    samples
        Correlations of the metrics with people in bootstrap samples, (metrics, B); the same samples for all.

    Examples
    --------
    >>> dominance(np.array([[0.3, 0.2, 0.4], [0.1, 0.3, 0.2]])).round(3).tolist()
    [[nan, 0.667], [0.333, nan]]
    """
    n = len(samples)
    out = np.full((n, n), np.nan)
    for a in range(n):
        gap = samples[a] - samples
        known = (~np.isnan(gap)).sum(axis=1)
        wins = (gap > EQUAL).sum(axis=1)
        np.divide(wins, known, out=out[a], where=known > 0)
        out[a, a] = np.nan
    return out


@dataclass(frozen=True)
class Shift:
    """What became of the pairs that were resolved at the baseline."""

    pairs: int
    """Pairs of metrics with a P in both places."""
    resolved: int
    """Pairs in which one metric beats the other in enough samples at the baseline."""
    kept: int
    """Of these, pairs in which the same metric still does."""
    turned: int
    """Of these, pairs in which the other metric now wins more than half of the samples."""
    shift: float
    """Mean absolute change of P over the resolved pairs; NaN if there are none."""


def shift(before: FloatArray, after: FloatArray, least: float = RESOLVED) -> Shift:
    """Compare two matrices of :func:`dominance`: mean |P′ − P| over pairs resolved before (Braun et al. 2022, §4)."""
    rows, columns = np.triu_indices(len(before), 1)
    p, q = before[rows, columns], after[rows, columns]
    lost = before[columns, rows]
    known = ~np.isnan(p) & ~np.isnan(q)
    # The better one of each pair speaks for it.
    turn = known & (lost > p)
    p = np.where(turn, lost, p)
    q = np.where(turn, after[columns, rows], q)
    resolved = known & (p >= least - EQUAL)
    change = np.abs(q - p)[resolved]
    return Shift(
        int(known.sum()),
        int(resolved.sum()),
        int((q[resolved] >= least - EQUAL).sum()),
        int((q[resolved] < 0.5).sum()),
        float(change.mean()) if len(change) else float("nan"),
    )
