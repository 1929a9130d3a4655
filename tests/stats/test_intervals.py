"""Intervals: percentiles by hand, and Fisher where its formula has no answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metassay.stats.intervals import fisher, percentile
from metassay.stats.statistics.registry import find


def test_percentiles_of_0_to_100():
    samples = np.random.default_rng(0).permutation(101) / 100
    # 101 values: the quantile q lies at position 100·q exactly
    assert percentile(samples, 0.95) == pytest.approx((0.025, 0.975))
    assert percentile(samples, 0.5) == pytest.approx((0.25, 0.75))


def test_percentiles_lie_between_neighbours():
    # positions .05·3 = .15 and .95·3 = 2.85 of 0, 1, 2, 3
    assert percentile(np.array([3.0, 0.0, 2.0, 1.0]), 0.9) == pytest.approx((0.15, 2.85))


def test_undefined_samples_are_left_out():
    assert percentile(np.array([np.nan, 0.0, 1.0, np.nan]), 0.5) == pytest.approx((0.25, 0.75))
    assert percentile(np.array([0.4, np.nan]), 0.95) == (0.4, 0.4)
    assert all(map(math.isnan, percentile(np.full(3, np.nan), 0.95)))


def test_fisher_by_hand():
    # n − 3 = 1: tanh(atanh(0) ± 1.959964·1)
    assert fisher(0.0, 4, (3, 1.0), 0.95) == pytest.approx((-np.tanh(1.9599639845), np.tanh(1.9599639845)))


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall", "kendall-a", "kendall-c"])
def test_fisher_at_the_edges(coefficient):
    assert fisher(1.0, 20, find(coefficient).fisher_constants(1.0), 0.95) == (1.0, 1.0)
    assert fisher(-1.0, 20, find(coefficient).fisher_constants(-1.0), 0.95) == (-1.0, -1.0)
    assert all(map(math.isnan, fisher(0.5, 3, find(coefficient).fisher_constants(0.5), 0.95)))
    assert all(map(math.isnan, fisher(math.nan, 20, find(coefficient).fisher_constants(math.nan), 0.95)))
    assert all(map(math.isnan, fisher(1.0, 2, find(coefficient).fisher_constants(1.0), 0.95)))
    low, high = fisher(0.5, 5, find(coefficient).fisher_constants(0.5), 0.95)
    assert -1 <= low < 0.5 < high <= 1
    narrow = fisher(0.5, 5, find(coefficient).fisher_constants(0.5), 0.5)
    assert low < narrow[0] < narrow[1] < high


def test_kendall_needs_one_point_more():
    assert all(map(math.isnan, fisher(0.5, 4, find("kendall").fisher_constants(0.5), 0.95)))
    assert not any(map(math.isnan, fisher(0.5, 4, find("pearson").fisher_constants(0.5), 0.95)))
