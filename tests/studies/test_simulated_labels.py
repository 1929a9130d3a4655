"""Statistics of labels in simulations and plans: the data's own inputs are drawn again."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.stats.kernels.evaluated import EvaluatedExchange
from metassay.stats.kernels.tabulated import Framed
from metassay.stats.statistics.registry import find
from metassay.stats.worlds import Observed

from .conftest import noted

OPTIONS = {"human": "verdict_anna", "metric": "strict-judge,kind-judge"}
BY_INPUTS = {"test": "paired-boot-inputs,perm-inputs", "trials": 60, "resamples": 99}


@pytest.fixture(scope="module")
def verdicts():
    return ma.example("judge")


@pytest.mark.parametrize("name", ["kappa", "f1", "ac1", "alpha-nominal", "auc", "brier", "mae"])
def test_exchanges_are_those_of_scores_that_are_moved(name):
    random = np.random.default_rng(1)
    x, z = random.integers(0, 2, (2, 30, 3)).astype(float), random.integers(0, 2, (30, 3)).astype(float)
    x[:, 3, 1] = z[3, 1] = np.nan
    swaps = random.integers(0, 2, (30, 3, 20)).astype(bool)
    statistic = find(name)
    known = ~np.isnan(z)
    frame = statistic.frame(x[:, known].ravel(), np.tile(z[known], 2))
    plain = EvaluatedExchange(Framed(statistic, frame), x, z, [(0, 1)]).averages(swaps)
    np.testing.assert_allclose(statistic.group_exchange(x, z, [(0, 1)]).averages(swaps), plain, atol=1e-13)


def test_a_world_of_the_data_draws_whole_clusters_and_makes_metrics_equal():
    x, z = np.arange(12.0).reshape(2, 1, 6), np.arange(6.0)[None]
    world = Observed.of(x, z, np.array([0, 0, 1, 1, 2, 2]))
    metrics, people, clusters = world.draw(np.random.default_rng(0))
    assert clusters.tolist() == [0, 0, 1, 1, 2, 2]
    pairs = people[0].reshape(3, 2)
    assert (pairs[:, 1] - pairs[:, 0] == 1).all()
    assert (pairs[:, 0] % 2 == 0).all()
    assert (metrics[0] == people).all()
    assert (metrics[1] == people + 6).all()
    equal = world.made_equal()
    random = np.random.default_rng(0)
    drawn = np.concatenate([equal.draw(random)[0] for _ in range(500)], axis=2)
    assert abs((drawn[0] > drawn[1]).mean() - 0.5) < 0.06
    weights = world.weights(np.random.default_rng(0), 18, 5)
    assert weights.shape == (6, 5)
    assert (weights.sum(0) == 18).all()
    assert (weights[::2] == weights[1::2]).all()


@pytest.mark.slow
def test_tests_of_labels_hold_their_level_and_find_a_difference(verdicts):
    result = ma.simulate_size(verdicts, statistic="kappa", **OPTIONS, **BY_INPUTS)
    assert [row.level for row in result.table] == ["global"] * 4
    equal, found = (list(filter(lambda row, e=e: row.equal is e, result.table)) for e in (True, False))
    assert all(row.rate <= 0.2 for row in equal)  # 60 of .05: more than 12 once in 10,000
    assert all(row.rate > 0.4 for row in found)
    estimates = {
        row.metric: row.estimate
        for row in ma.agree(
            verdicts, **OPTIONS, statistic="kappa", level="global", interval="boot-inputs", resamples=10
        ).table
    }
    gap = estimates["strict-judge"] - estimates["kind-judge"]
    assert all(row.difference == pytest.approx(gap, abs=0.03) for row in found)
    assert all(row.difference == pytest.approx(0, abs=0.03) for row in equal)
    assert noted(result, "inputs-drawn-again")
    assert not noted(result, "worlds-drawn")
    again = ma.simulate_size(verdicts, statistic="kappa", **OPTIONS, **BY_INPUTS, threads=2)
    assert again.table == result.table


def test_worlds_of_the_grid_have_no_labels(verdicts):
    with pytest.raises(UsageError, match=r"kappa compares single outputs.*name a file"):
        ma.simulate_size(statistic="kappa")
    both = ma.simulate_size(verdicts, statistic="mae,accuracy", **OPTIONS, **{**BY_INPUTS, "trials": 3})
    assert {(row.statistic, row.level) for row in both.table} == {("mae", "system"), ("accuracy", "global")}


@pytest.mark.slow
def test_labels_are_shuffled_where_noise_would_make_them_numbers(verdicts):
    options = {**OPTIONS, "metric": "strict-judge", "level": "global", "shuffle": "0.4,0.02"}
    result = ma.simulate_power(verdicts, statistic="kappa", **options, **BY_INPUTS)
    assert {(row.damage, row.setting) for row in result.table} == {("shuffle", 0.02), ("shuffle", 0.4)}
    small, large = result.table[:2]
    assert large.rate == 1.0 > small.rate > 0.05
    # Shuffled answers agree by chance: κ falls by the share, whatever the base rate.
    assert small.estimate_damaged == pytest.approx(0.98 * small.estimate, abs=0.01)
    assert large.estimate_damaged == pytest.approx(0.6 * large.estimate, abs=0.02)
    with pytest.raises(UsageError, match=r"did you mean 0.05"):
        ma.simulate_power(verdicts, statistic="kappa", **{**options, "shuffle": 5})


def test_data_without_systems_are_split_by_inputs_only():
    random = np.random.default_rng(0)
    z = random.integers(0, 2, 120).astype(float)
    x = np.where(random.random(120) < 0.8, z, 1 - z)
    scores = ma.Scores.from_arrays({"judge": x[None]}, {"people": z[None]})
    options = {"statistic": "accuracy", "level": "global", "interval": "boot-inputs", "trials": 40, "resamples": 99}
    (row,) = (result := ma.simulate_coverage(scores, **options)).table
    # Both halves are samples of 60: 1.96/√2 standard errors, which is 83%.
    assert row.setting == "1x60"
    assert 0.65 < row.rate < 0.97
    assert noted(result, "systems-not-split")


def test_plans_of_labels_shrink_as_they_should(verdicts):
    options = {**OPTIONS, "metric": "strict-judge", "level": "global", "interval": "boot-inputs", "trials": 400}
    result = ma.plan(verdicts, statistic="accuracy", width=0.05, **options)
    width = {row.n: row.width for row in result.table}
    assert {row.axis for row in result.table} == {"inputs"}
    assert width[300] / width[1200] == pytest.approx(2, rel=0.15)
    here = next(row for row in result.table if row.n == 150)
    assert here.width == pytest.approx(here.width_data, rel=0.2)
    (need,) = result.needs
    # A width w needs n·(w_n/w)² inputs.
    assert need.needed == pytest.approx(150 * (here.width / 0.05) ** 2, rel=0.15)
    assert math.isnan(here.ceiling)
    assert noted(result, "plan-draws-again")
    assert not noted(result, "plan-extrapolates")
    powered = ma.plan(verdicts, metric_b="kind-judge", statistic="kappa", **options)
    power = [row.power for row in powered.table]
    assert power == sorted(power)
    assert power[0] < 0.6
    assert power[-1] > 0.95


def test_plans_of_labels_say_what_they_need(verdicts):
    options = {**OPTIONS, "metric": "strict-judge", "statistic": "kappa"}
    with pytest.raises(UsageError, match=r"not defined at system level .*--level"):
        ma.plan(verdicts, **options)
    with pytest.raises(DataError, match=r"at least 5 systems.*got 4 × 150.*--interval boot-inputs"):
        ma.plan(verdicts, level="global", **options)
    alike = ma.Scores.from_arrays({"judge": np.ones((1, 40))}, {"people": np.ones((1, 40))})
    with pytest.raises(DataError, match="kappa of judge and people is undefined"):
        ma.plan(alike, statistic="kappa", level="global", interval="boot-inputs")


def two_columns(x, z):
    return ma.Scores.from_arrays({"judge": np.asarray(x, float)[None]}, {"people": np.asarray(z, float)[None]})


@pytest.mark.parametrize(
    ("x", "z", "options", "told"),
    [
        ([0, 1] * 20, [1, 0] * 20, {"statistic": "f1"}, "so its variance is unknown"),
        ([0, 1, 1], [0, 1, 0], {"statistic": "kappa"}, "at least 10 inputs, got 3"),
        ([1] * 9 + [np.nan] * 9, [np.nan] * 9 + [1] * 9, {"statistic": "kappa"}, "at least 10 inputs.*got 0"),
        ([0, 1] * 20, [0, 1] * 20, {"statistic": "accuracy", "level": "input"}, "input level needs at least 2 systems"),
    ],
)
def test_plans_of_labels_refuse_what_teaches_nothing(x, z, options, told):
    with pytest.raises(DataError, match=told):
        ma.plan(two_columns(x, z), **{"level": "global", "interval": "boot-inputs", **options})


def test_statistics_that_labels_do_not_fit_are_refused_in_a_line():
    scores = two_columns(np.linspace(-1, 2, 40), [0, 1] * 20)
    with pytest.raises(DataError, match="needs probabilities between 0 and 1"):
        ma.simulate_power(scores, statistic="brier", level="global", trials=5, test="perm-inputs")
    with pytest.raises(DataError, match="at least 2 metrics"):
        ma.simulate_size(two_columns([0, 1] * 20, [0, 1] * 20), statistic="kappa")
