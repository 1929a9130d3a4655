"""How much of a correlation one system carries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from metassay.stats.leverage import grubbs_share, leverage
from metassay.stats.methods.case import Case
from metassay.stats.statistics.registry import find


def world():
    random = np.random.default_rng(1)
    z = random.normal(size=(12, 1)) + 0.2 * random.normal(size=(12, 6))
    x = z + 0.4 * random.normal(size=(2, 12, 1))
    x[0, 4] = 12.0  # far off the line
    return x, z


@pytest.mark.parametrize(("name", "function"), [("pearson", pearsonr), ("kendall", kendalltau)])
def test_the_system_that_carries_most_is_named(name, function):
    x, z = world()
    found = leverage(Case(find(name), x, z, "system").fits[0][1])
    for p in range(2):
        left = np.array(
            [function(np.delete(x[p].mean(axis=1), i), np.delete(z.mean(axis=1), i)).statistic for i in range(12)]
        )
        assert found.without[p] == pytest.approx(left[found.system[p]])
        if name == "pearson":
            d = np.arctanh(left) - np.arctanh(left).mean()
            assert found.system[p] == (d**2).argmax()
            assert found.share[p] == pytest.approx((d**2).max() / (d**2).sum())
    if name == "pearson":  # to ranks a system can be no more than last
        assert found.system[0] == 4
        assert found.share[0] > 0.8


def test_an_outlier_is_flagged():
    x, z = world()
    found = leverage(Case(find("pearson"), x, z, "system").fits[0][1])
    assert found.outlier.tolist() == [True, False]


@pytest.mark.parametrize("n", [5, 10, 30])
def test_one_normal_sample_in_twenty_has_an_outlier(n):
    random = np.random.default_rng(3)
    values = random.normal(size=(20_000, n))
    squares = (values - values.mean(axis=1, keepdims=True)) ** 2
    share = squares.max(axis=1) / squares.sum(axis=1)
    # Grubbs' bound is nearly exact; .05 ± .006 is four standard errors.
    assert abs((share > grubbs_share(n)).mean() - 0.05) < 0.0065


def test_input_level_has_no_outliers_but_shares():
    x, z = world()
    found = leverage(Case(find("pearson"), x, z, "input").fits[0][1])
    assert not found.outlier.any()
    assert ((found.share > 0) & (found.share < 1)).all()
