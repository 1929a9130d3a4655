"""What becomes of a system's rank when its score alone changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import TIE


class Drops(NamedTuple):
    """Ranks of systems, each changed in turn while the others stay; 1 is best, and ties share the better rank."""

    rank_before: IntArray
    """Rank of each system, 0 where it has no score."""
    rank_after: IntArray
    """Its rank with the new score, among the old scores of the others; 0 where there is no new score."""
    passed_by: IntArray
    """How many of the systems that had been reliably lower it fell below."""


def drops(before: FloatArray, after: FloatArray, lower: BoolArray) -> Drops:
    """Change the score of one system at a time.

    Parameters
    ----------
    before, after
        Mean scores of the systems, high ones good, NaN where there is none.
    lower
        Whether the system of the column was reliably lower than that of the row.

    Examples
    --------
    The second system falls from 2 to 0.5: below the third and the fourth, of which only the fourth had been reliably
    lower.

    >>> drops(
    ...     np.array([3.0, 2.0, 1.9, 1.0]),
    ...     np.array([3.0, 0.5, 1.9, 1.0]),
    ...     np.array([[False, False, True, True], [False, False, False, True], [False] * 4, [False] * 4]),
    ... ).passed_by.tolist()
    [0, 1, 0, 0]
    """
    # Equal means may be rounded differently; what counts as tied is told in units of the largest.
    unit = TIE * float(np.nanmax(np.abs(np.concatenate([before, after])), initial=0.0))
    others = ~np.eye(len(before), dtype=bool)
    with np.errstate(invalid="ignore"):
        above_before = (before[None, :] > before[:, None] + unit) & others
        above_after = (before[None, :] > after[:, None] + unit) & others
    known, still = ~np.isnan(before), ~np.isnan(before) & ~np.isnan(after)
    return Drops(
        np.where(known, 1 + above_before.sum(axis=1), 0),
        np.where(still, 1 + above_after.sum(axis=1), 0),
        np.where(still, (above_after & lower).sum(axis=1), 0),
    )
