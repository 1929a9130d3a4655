from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.statistics.correlations import KENDALL, PEARSON, SPEARMAN
from metassay.stats.statistics.registry import CORRELATIONS


@pytest.mark.parametrize("statistic", CORRELATIONS, ids=repr)
def test_values_of_normal_populations_go_there_and_back(statistic):
    assert statistic.to_pearson(statistic.of_normal(0.37)) == pytest.approx(0.37)


@pytest.mark.parametrize("statistic", CORRELATIONS, ids=repr)
def test_evaluation_is_what_the_kernels_compute(statistic):
    random = np.random.default_rng(0)
    x, z = 1e6 * random.normal(size=(9, 1)).round(1), random.normal(size=(9, 4)).round(1)
    w = random.integers(0, 3, size=(9, 4)).astype(float)
    within = [statistic.groups(x, z[:, [b]]).correlate(w[:, [b]])[0, 0] for b in range(4)]
    assert statistic.evaluate(x, z, w) == pytest.approx(within, abs=1e-12)


def test_ranks_near_one_are_moved_in_on_fishers_scale():
    # 1 − 1/N² of 10 systems for ranks; almost 1 for Pearson
    assert KENDALL.scale.to(np.array([1.0]), 10) == pytest.approx(np.arctanh(0.99))
    assert SPEARMAN.scale.to(np.array([-1.0]), 10) == pytest.approx(np.arctanh(-0.99))
    assert PEARSON.scale.to(np.array([1.0]), 10) > 10
