"""Exchanges with many ties: one polynomial for all of them gives what each exchange gives by itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from metassay.stats.statistics.registry import find

PAIRS = list(itertools.combinations(range(5), 2))


@pytest.mark.parametrize("shared", [True, False])
def test_many_ties_are_counted_as_literally(shared):
    """Ten pairs of metrics with scores of three kinds on eight systems: more values are tied than there are systems."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 3, size=(5, 8, 4)).astype(float)
    z = rng.integers(0, 4, size=(8, 4)).astype(float)
    swaps = rng.integers(0, 2, size=(8, 1 if shared else 4, 30)).astype(np.uint8)
    swaps = np.broadcast_to(swaps, (8, 4, 30))

    left, right = find("kendall").exchange(x, z, PAIRS, "input")(swaps)

    for p, (a, b) in enumerate(PAIRS):
        for draw in range(30):
            moved = swaps[..., draw] == 1
            one, other = np.where(moved, x[b], x[a]), np.where(moved, x[a], x[b])
            for found, values in ((left, one), (right, other)):
                taus = [stats.kendalltau(values[:, j], z[:, j]).statistic for j in range(4)]
                assert found[p, draw] == pytest.approx(np.nanmean(taus), abs=1e-12)
