"""The variance of a statistic of systems × inputs, taken apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats import two_way
from metassay.stats.draws import multiplicities
from metassay.stats.kernels.score_swaps import standardize_level
from metassay.stats.statistics.registry import find


def bootstrapped_means(cells, draws=4000, seed=0):
    random = np.random.default_rng(seed)
    n, m = cells.shape
    w, v = multiplicities(random, n, draws) / n, multiplicities(random, m, draws) / m
    return cells.mean(axis=1) @ w, cells.mean(axis=0) @ v, ((cells @ v) * w).sum(axis=0)


def test_parts_of_the_variance_of_a_mean_are_those_of_the_analysis_of_variance():
    random = np.random.default_rng(3)
    n, m = 30, 40
    cells = random.normal(size=(n, 1)) + 2 * random.normal(size=(1, m)) + 3 * random.normal(size=(n, m))
    found = two_way.variances(*bootstrapped_means(cells), (n, m))
    rows, columns = cells.mean(axis=1), cells.mean(axis=0)
    rest = cells - rows[:, None] - columns + cells.mean()
    # bootstraps of 4,000 draws know a variance to 2.2 %; ± 10 % is over four of these
    assert found.systems == pytest.approx(rows.var(ddof=1) / n, rel=0.1)
    assert found.inputs == pytest.approx(columns.var(ddof=1) / m, rel=0.1)
    assert found.cells == pytest.approx((rest**2).sum() / ((n - 1) * (m - 1)) / (n * m), rel=0.1)
    assert found.total == pytest.approx(found.systems + found.inputs - found.cells)


def test_inputs_never_take_variance_away():
    found = two_way.Variances(np.array([1.0]), np.array([0.2]), np.array([0.3]))
    assert found.added == [0.0]
    assert found.total == [1.0]


def test_a_difference_shrinks_by_what_inputs_add():
    exchanged = np.array([[1.0, -1.0, 1.0, -1.0]])
    # V = 1 and A = 3: √(1/4) = ½, and √(1 − 1/16) for 8 systems
    found = two_way.shrunk(np.array([0.8]), exchanged, np.array([3.0]), 8)
    assert found == pytest.approx([0.4 * math.sqrt(15 / 16)])
    assert two_way.shrunk(np.array([0.0]), np.zeros((1, 4)), np.array([0.0]), 8) == [0.0]


@pytest.mark.parametrize("level", ["system", "input", "within-system", "global"])
def test_scores_are_standardised_where_they_are_correlated(level):
    random = np.random.default_rng(1)
    x, z = random.normal(size=(2, 6, 7))
    x[0, 0] = np.nan
    (found,) = standardize_level(x[None], z, level)
    groups = {
        "system": [np.nanmean(found, axis=1)],
        "input": list(found.T),
        "within-system": list(found),
        "global": [found.ravel()],
    }[level]
    for group in groups:
        assert np.nanmean(group) == pytest.approx(0, abs=1e-9)
        assert np.nanstd(group) == pytest.approx(1)
    before, after = (find("kendall").prepare(v[None], z, level).estimate()[0] for v in (x, found))
    if level != "global":
        assert after == pytest.approx(before)


@pytest.mark.parametrize(("own", "expected"), [(0.0, 1.0), (0.5, 5200 / 250)])
def test_the_design_effect_is_how_far_cells_of_a_system_go_together(own, expected):
    # X − Y has the variance 2·own² between systems and 2 in cells; over 100 inputs a sum has 100²·.5 + 100·2 = 5200,
    # while 100 independent cells would have 100·(.5 + 2) = 250. The mean over 60 worlds of 16 systems is known to about
    # √(2/15/60) = 5 %.
    random = np.random.default_rng(5)
    found = []
    for _ in range(60):
        quality = random.normal(size=(16, 1))
        x, y = (quality + own * random.normal(size=(16, 1)) + random.normal(size=(16, 100)) for _ in range(2))
        z = quality + random.normal(size=(16, 100))
        found.append(two_way.design_effect(x, y, z, "system", "both"))
    assert np.mean(found) == pytest.approx(expected, rel=0.25)
    assert min(found) >= 1


def test_a_design_effect_of_one_leaves_the_size_alone():
    assert two_way.size_if(1.0, 0.05) == pytest.approx(0.05)
    assert two_way.size_if(1.0, 0.05, sides=2) == pytest.approx(0.05)
    # 1.645/√4 = .822, beyond which lie 20.5 % of a normal distribution
    assert two_way.size_if(4.0, 0.05) == pytest.approx(stats.norm.sf(stats.norm.isf(0.05) / 2))


def test_ranks_take_the_share_of_inputs_from_pearson():
    random = np.random.default_rng(9)
    systems, inputs = random.normal(size=(2, 1, 5000))
    # both = systems + inputs + cells, with Var(inputs) = 1 and Var(cells) = 1/4: inputs add 3/4 of what they show
    both = systems + inputs + 0.5 * random.normal(size=(1, 5000))
    steps = 2 * np.round(random.normal(size=(1, 5000)))
    found = two_way.added_by_inputs([systems, inputs, both, steps], (1000, 1000))
    assert found == pytest.approx(0.75 * steps.var(), rel=0.05)
