from __future__ import annotations

import numpy as np

from metassay.stats.rank_drops import drops


def pairs(n, *lower):
    out = np.zeros((n, n), dtype=bool)
    for one, other in lower:
        out[one, other] = True
    return out


def test_each_system_falls_by_itself():
    # Means 4, 3, 2, 1. All fall by 2.5, one at a time: the first to 1.5, below the second and third; the second to .5,
    # below the third and fourth; the third and fourth below what was beneath them.
    before = np.array([4.0, 3.0, 2.0, 1.0])
    found = drops(before, before - 2.5, pairs(4, (0, 2), (0, 3), (1, 3)))
    assert found.rank_before.tolist() == [1, 2, 3, 4]
    assert found.rank_after.tolist() == [3, 4, 4, 4]
    # of the systems it fell below, only the third had been reliably below the first, and the fourth below the second
    assert found.passed_by.tolist() == [1, 1, 0, 0]


def test_a_tie_is_not_a_fall():
    before = np.array([0.1 + 0.2, 0.3 - 0.1])
    found = drops(before, np.array([0.2, 0.2]), pairs(2, (0, 1)))
    assert found.rank_after.tolist() == [1, 2]
    assert found.passed_by.tolist() == [0, 0]


def test_rising_passes_nobody():
    found = drops(np.array([2.0, 1.0]), np.array([3.0, 5.0]), pairs(2, (0, 1)))
    assert found.rank_after.tolist() == [1, 1]
    assert found.passed_by.tolist() == [0, 0]


def test_missing_scores_have_no_rank():
    found = drops(np.array([2.0, np.nan, 1.0]), np.array([0.0, 1.0, np.nan]), pairs(3, (0, 2)))
    assert found.rank_before.tolist() == [1, 0, 2]
    assert found.rank_after.tolist() == [2, 0, 0]
    assert found.passed_by.tolist() == [1, 0, 0]
