"""Means and shares of human judgments, estimated with the help of a judge."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metassay.stats import prediction_powered as ppi


def world(random, n=60, total=600, noise=0.6, clusters=1):
    inputs = np.arange(total) // clusters
    truth = random.normal(size=total // clusters + 1)[inputs] + random.normal(size=total)
    judge = truth + random.normal(scale=noise, size=total) + 0.5
    return np.where(inputs < n // clusters, truth, np.nan), judge, inputs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_equal_to_ppi_py(seed, noise):
    theirs = pytest.importorskip("ppi_py")
    people, judge, _ = world(np.random.default_rng(seed), noise=noise)
    known = ~np.isnan(people)
    data = (people[known], judge[known], judge[~known])
    found = ppi.powered_mean(people, judge)
    low, high = (float(np.squeeze(end)) for end in theirs.ppi_mean_ci(*data, alpha=0.05))
    assert found.corrected.value == pytest.approx(float(np.squeeze(theirs.ppi_mean_pointestimate(*data))), abs=1e-12)
    assert (found.corrected.low, found.corrected.high) == pytest.approx((low, high), abs=1e-12)
    half = ppi.powered_mean(people, judge, weight=0.5)
    low, high = (float(np.squeeze(end)) for end in theirs.ppi_mean_ci(*data, alpha=0.05, lam=0.5))
    assert (half.corrected.low, half.corrected.high) == pytest.approx((low, high), abs=1e-12)


def test_a_value_of_ppi_py():
    # ppi_py 0.2.3: ppi_mean_ci(Y, f, g, alpha=0.05), ppi_mean_pointestimate(Y, f, g)
    y, f = np.array([1.0, 2, 4, 3, 5]), np.array([1.5, 2.5, 3, 3.5, 4])
    g = np.array([1.0, 2, 3, 4, 5, 2.5, 3.5, 1.5, 4.5, 3.0])
    found = ppi.powered_mean(np.append(y, np.full(10, np.nan)), np.append(f, g))
    assert (found.corrected.value, found.corrected.low, found.corrected.high) == pytest.approx(
        (3.054804270462633, 2.078030600778056, 4.03157794014721), abs=1e-12
    )


def test_a_useless_judge_leaves_people_alone():
    random = np.random.default_rng(1)
    people = np.where(np.arange(300) < 40, random.normal(size=300), np.nan)
    found = ppi.powered_mean(people, -np.nan_to_num(people) + random.normal(size=300))
    assert found.weight == 0
    assert found.corrected == found.human
    assert found.worth == pytest.approx(40)
    assert ppi.powered_mean(people, np.ones(300)).weight == 0
    nothing = ppi.powered_mean(np.full(5, np.nan), np.arange(5.0))
    assert math.isnan(nothing.corrected.value)
    assert nothing.total == 5


@pytest.mark.parametrize("clusters", [1, 4])
def test_coverage_and_worth(clusters):
    random = np.random.default_rng(2)
    inside, narrower = 0, []
    for _ in range(500):
        people, judge, inputs = world(random, n=80, total=800, clusters=clusters)
        found = ppi.powered_mean(people, judge, clusters=inputs)
        inside += found.corrected.low <= 0 <= found.corrected.high
        narrower.append(found.worth / found.labelled)
    assert 0.925 <= inside / 500 <= 0.975
    assert np.median(narrower) > 1.5


def test_clusters_of_one_are_near_the_plain_interval():
    people, judge, inputs = world(np.random.default_rng(3), n=200, total=2000)
    plain, clustered = ppi.powered_mean(people, judge), ppi.powered_mean(people, judge, clusters=inputs)
    assert clustered.weight == pytest.approx(plain.weight, abs=0.05)
    assert clustered.corrected.error == pytest.approx(plain.corrected.error, rel=0.03)


def test_differences_of_systems_know_that_inputs_are_shared():
    random = np.random.default_rng(4)
    inside, widths = 0, []
    for _ in range(400):
        inputs = random.normal(size=300)
        truth = inputs + np.array([[0.0], [0.3], [0.3]]) + 0.4 * random.normal(size=(3, 300))
        judge = truth + 0.3 * random.normal(size=(3, 300)) + np.array([[0.0], [0.4], [0.0]])
        found = ppi.powered_systems(np.where(np.arange(300) < 60, truth, np.nan), judge)
        difference = found.difference(1, 0)
        inside += difference.low <= 0.3 <= difference.high
        widths.append(difference.error / math.hypot(*(s.corrected.error for s in found.systems[:2])))
    assert 0.92 <= inside / 400 <= 0.98
    assert np.mean(widths) < 0.8
    assert found.covariance[0, 0] == pytest.approx(found.systems[0].corrected.error ** 2)


def test_rogan_and_gladen_by_hand():
    # (.6 + .8 − 1)/(.9 + .8 − 1) = .4/.7
    found = ppi.corrected_share(0.6, 1000, 90, 100, 80, 100)
    assert found.corrected.value == pytest.approx(4 / 7)
    assert found.corrected.low < 4 / 7 < found.corrected.high
    chance = ppi.corrected_share(0.5, 1000, 50, 100, 50, 100)
    assert not chance.informative
    assert math.isnan(chance.corrected.value)
    assert ppi.corrected_share(0.05, 1000, 90, 100, 80, 100).corrected.value == 0
    assert not ppi.corrected_share(0.5, 10, 0, 0, 3, 5).informative


@pytest.mark.parametrize("clustered", [False, True])
def test_coverage_of_corrected_shares(clustered):
    random = np.random.default_rng(5)
    inside = 0
    for _ in range(500):
        inputs = np.arange(600) // 3
        chance = np.clip(0.4 + 0.15 * random.normal(size=200), 0, 1)[inputs] if clustered else np.full(600, 0.4)
        truth = random.random(600) < chance
        judge = np.where(random.random(600) < np.where(truth, 0.85, 0.8), truth, ~truth).astype(float)
        people = np.where(inputs < 60, truth, np.nan)
        found = ppi.corrected_share_of_items(people, judge, inputs if clustered else None)
        inside += found.corrected.low <= 0.4 <= found.corrected.high
    assert 0.925 <= inside / 500 <= 0.975
