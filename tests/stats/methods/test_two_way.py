"""The two-way interval and test: by hand, and with formulas of SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats.methods.base import Case
from metassay.stats.methods.two_way import TwoWayInterval, jackknife
from metassay.stats.statistics.correlations import KENDALL, PEARSON


def ends(*given):
    return TwoWayInterval().ends(*given)


def test_the_jackknife_leaves_out_one_system_at_a_time():
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 9, 5))
    z += x
    r = [stats.pearsonr(np.delete(x.mean(1), i), np.delete(z.mean(1), i))[0] for i in range(9)]
    turned = np.arctanh(r)
    found = jackknife(Case(PEARSON, x[None], z, "system"))
    assert found == pytest.approx([8 / 9 * ((turned - turned.mean()) ** 2).sum()])


def test_the_interval_is_fishers_with_students_t():
    low, high = ends(PEARSON, 0.6, 1 / 17, 0.0, 20, 0.95)
    half = stats.t.ppf(0.975, 18) / math.sqrt(17)
    assert (low, high) == pytest.approx((math.tanh(math.atanh(0.6) - half), math.tanh(math.atanh(0.6) + half)))
    # what inputs add counts on Fisher's scale, where a step of r is 1/(1 − .36) steps
    _, wider = ends(PEARSON, 0.6, 0.0, 0.64**2 / 17, 20, 0.95)
    assert wider == pytest.approx(high)
    assert all(map(math.isnan, ends(PEARSON, math.nan, 1.0, 1.0, 20, 0.95)))
    assert all(map(math.isnan, ends(PEARSON, 0.5, 1.0, 1.0, 2, 0.95)))
    assert ends(KENDALL, 1.0, 0.0, 0.0, 6, 0.95)[1] == 1.0


def test_ranks_of_means_take_the_variance_apart_by_pearson():
    x, z = np.random.default_rng(9).normal(size=(2, 1, 6, 5))
    case = Case(KENDALL, x, z[0], "system")
    assert case.smooth.estimate()[0] == pytest.approx([np.corrcoef(x[0].mean(1), z[0].mean(1))[0, 1]])
    assert case.smooth is not case.prepared
    for same in (Case(KENDALL, x, z[0], "input"), Case(PEARSON, x, z[0], "system")):
        assert same.smooth is same.prepared
