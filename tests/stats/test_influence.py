"""Influence of items on statistics, intervals of clustered items, and means in slices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from metassay.stats.clustered import clustered_variance
from metassay.stats.influence import Paired, influences, sliced
from metassay.stats.statistics.registry import find

LABELS = ("accuracy", "kappa", "ac1", "phi", "balanced-accuracy", "precision", "recall", "f1", "alpha-nominal", "bias")
SCORES = ("auc", "average-precision", "brier", "rmse", "mae", "alpha-interval")


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    clusters = np.arange(1200) // 4
    hard = random.random(300)[clusters]
    people = random.integers(0, 2, 1200).astype(float)
    judge = np.where(random.random(1200) < 0.95 - 0.3 * hard, people, 1 - people)
    said = np.clip(0.5 + 0.25 * (2 * people - 1) + 0.25 * random.normal(size=1200), 0, 1)
    return judge, said, people, clusters


@pytest.mark.parametrize("name", LABELS)
def test_influence_is_what_leaving_out_an_item_does(data, name):
    judge, _, people, _ = data
    statistic = find(name)
    value, moved = influences(statistic, judge, people)
    assert value == pytest.approx(statistic.tabulated(judge, people).estimate(), abs=1e-12)
    assert moved.sum() == pytest.approx(0, abs=1e-3)  # α is not quite homogeneous
    for at in (0, 7, 400):
        rest = np.delete(np.arange(len(judge)), at)
        without = statistic.tabulated(judge[rest], people[rest]).estimate()
        assert value - without == pytest.approx(moved[at], abs=3e-6)


@pytest.mark.parametrize("name", [*LABELS, *SCORES])
@pytest.mark.parametrize("clustered", [True, False])
def test_errors_are_those_of_the_bootstrap(data, name, clustered):
    judge, said, people, clusters = data
    paired = Paired(said if name in SCORES else judge, people, [clusters] if clustered else [])
    found, drawn = paired.estimate(find(name)), paired.estimate(find(name), resamples=2000)
    assert found.value == pytest.approx(drawn.value, abs=1e-9)
    assert found.error == pytest.approx(drawn.error, rel=0.08)
    assert found.low < found.value < found.high
    assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.01)


def test_missing_values_are_left_out_and_kinds_change_nothing(data):
    judge, _, people, clusters = data
    gaps = judge.copy()
    gaps[::7] = np.nan
    known = ~np.isnan(gaps)
    some = Paired(gaps, people, [clusters]).estimate(find("kappa"))
    again = Paired(judge[known], people[known], [clusters[known]]).estimate(find("kappa"))
    assert some == again
    variance, df = clustered_variance(influences(find("kappa"), judge[known], people[known])[1], [clusters[known]])
    assert (some.error, some.df) == (pytest.approx(variance**0.5, rel=1e-6), df)


def test_intervals_of_perfect_agreement_have_no_kappa_but_a_share():
    labels = np.tile([0.0, 1.0], 20)
    paired = Paired(labels, labels)
    assert np.isnan(paired.estimate(find("kappa")).low)
    assert paired.estimate(find("kappa")).value == 1
    assert 0.9 < paired.estimate(find("accuracy")).low < 1


@pytest.mark.parametrize("clustered", [True, False])
def test_slices_are_tested_against_the_rest(data, clustered):
    judge, _, people, clusters = data
    hits = (judge == people).astype(float)
    codes = np.random.default_rng(1).integers(-1, 4, 1200)
    found = sliced(hits, codes, 4, clusters if clustered else None)
    for at in range(4):
        here = codes == at
        apart = np.where(here, (hits - hits[here].mean()) / here.sum(), -(hits - hits[~here].mean()) / (~here).sum())
        variance, df = clustered_variance(apart, [clusters] if clustered else [])
        gap = abs(hits[here].mean() - hits[~here].mean())
        assert found.mean[at] == pytest.approx(hits[here].mean())
        assert found.elsewhere[at] == pytest.approx(hits[~here].mean())
        assert found.p[at] == pytest.approx(2 * t.sf(gap / variance**0.5, df), abs=1e-9)
