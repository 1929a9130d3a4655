"""Means, ratios and shares over items that cluster."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats import clustered
from metassay.stats.proportions import wilson


def test_items_that_do_not_cluster_give_the_t_interval():
    values = np.random.default_rng(0).normal(size=30)
    found = clustered.mean(np.append(values, np.nan))
    low, high = stats.t.interval(0.95, 29, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert found.n == 30
    assert found.p_value() == pytest.approx(stats.ttest_1samp(values, 0).pvalue, abs=1e-12)


def test_one_way_by_hand():
    # mean 4/6; cluster sums of deviations 2/3, −4/3, 2/3; 3/2 · (4/9 + 16/9 + 4/9)/36 = 1/9
    values, inputs = np.array([1.0, 1, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    found = clustered.mean(values, [inputs])
    assert found.error == pytest.approx(1 / 3)
    assert found.df == 2


def test_two_ways_are_the_sum_less_the_intersection():
    random = np.random.default_rng(1)
    systems, inputs = np.repeat(np.arange(8), 20), np.tile(np.arange(20), 8)
    values = random.normal(size=8)[systems] + random.normal(size=20)[inputs] + random.normal(size=160)
    v = [clustered.clustered_variance((values - values.mean()) / 160, way)[0] for way in ([systems], [inputs], [])]
    both = clustered.mean(values, [systems, inputs])
    assert both.error**2 == pytest.approx(v[0] + v[1] - v[2])
    assert both.df == 7


def test_one_cluster_tells_nothing():
    assert math.isnan(clustered.mean(np.array([1.0, 0.0]), [np.array([0, 0])]).low)
    assert math.isnan(clustered.ratio(np.array([]), np.array([])).value)


def test_ratio_is_the_linearised_one():
    random = np.random.default_rng(2)
    below = random.integers(1, 5, 40).astype(float)
    above = below * random.random(40)
    found = clustered.ratio(above, below)
    jackknife = np.array([np.delete(above, i).sum() / np.delete(below, i).sum() for i in range(40)])
    assert found.error == pytest.approx(math.sqrt(39 / 40 * ((jackknife - jackknife.mean()) ** 2).sum()), rel=0.05)


def test_shares_are_wilsons_and_wider_with_clusters():
    hits = np.array([1.0] * 45 + [0.0] * 5)
    alone = clustered.share(hits)
    assert (alone.low, alone.high) == wilson(45, 50)
    together = clustered.share(hits, [np.arange(50) // 5])
    assert together.low < alone.low
    assert 0 <= together.low < 0.9 < together.high <= 1
    certain = clustered.share(np.ones(50), [np.arange(50) // 5])
    assert (certain.low, certain.high) == wilson(10, 10)


def test_coverage_of_means_with_clusters():
    random = np.random.default_rng(4)
    inputs = np.repeat(np.arange(25), 6)
    inside = {True: 0, False: 0}
    for _ in range(400):
        values = random.normal(size=25)[inputs] + random.normal(size=150)
        for known in inside:
            found = clustered.mean(values, [inputs] if known else [])
            inside[known] += found.low <= 0 <= found.high
    assert 0.92 <= inside[True] / 400 <= 0.98
    assert inside[False] / 400 < 0.8


def test_codes_and_the_smallest_detectable_effect():
    assert clustered.codes(["b", "a", "b"]).tolist() == [0, 1, 0]
    found = clustered.estimate(0.0, 1.0, math.inf, 10, 0.95)
    assert found.smallest_detectable() == pytest.approx(1.959964 + 0.841621, abs=1e-5)


def test_what_is_undefined_has_neither_value_nor_interval_nor_p_value():
    found, none = clustered.undefined(3), clustered.mean(np.array([np.nan] * 3))
    assert (found.n, found.df, none.n) == (3, 0, 0)
    for each in (found, none):
        told = (each.value, each.error, each.low, each.high, each.p_value(), each.smallest_detectable())
        assert np.isnan(told).all()
