"""Coverage and power as studies: labels, rows, notes, and worlds where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.studies import simulate_coverage as coverage
from metassay.studies import simulate_power as power

from .conftest import noted


@pytest.fixture
def world():
    """A metric that is people plus a little noise, one that is people, and one that never varies."""
    random = np.random.default_rng(2)
    z = random.normal(size=(12, 1)) + random.normal(size=(12, 10))
    metrics = {"close": z + random.normal(size=z.shape), "same": 3 * z + 1, "constant": np.ones_like(z)}
    return ma.Scores.from_arrays(metrics, {"people": z})


def test_rows_of_coverage(world):
    result = ma.simulate_coverage(world, metric="close,same", trials=30, resamples=40)
    assert len(result.table) == 2 * 2 * 5
    row = result.table[1]
    assert (row.metric, row.human, row.level, row.statistic) == ("close", "people", "system", "pearson")
    assert (row.interval, row.setting, row.trials, row.n_undefined) == ("fisher", "6x5", 30, 0)
    assert all(r.low <= r.rate <= r.high for r in result.table if r.trials)
    assert all(sum(r.best for r in result.table[at : at + 5]) <= 1 for at in range(0, 20, 5))
    assert str(result.signature).startswith(
        "study:simulate-coverage|level:system,input|coef:pearson|ci:jackknife,fisher,"
    )
    assert "|trials:30|k:40|seed:0|systems:12|inputs:10|halves:6x5|" in str(result.signature)


def test_a_perfect_metric_never_wins(world):
    # Every correlation is 1. That says nothing of new systems; these systems have [1, 1], which contains it.
    result = ma.simulate_coverage(world, metric="same", trials=20, resamples=40, interval="boot-both,boot-inputs")
    assert {row.rate for row in result.table if row.interval == "boot-inputs"} == {1.0}
    assert all(row.n_undefined == 20 for row in result.table if row.interval == "boot-both")
    assert not any(row.best for row in result.table)


def test_undefined_trials_are_counted(world):
    result = ma.simulate_coverage(world, metric="constant", trials=5, resamples=40)
    assert all(math.isnan(row.rate) and row.n_undefined == 5 and row.trials == 0 for row in result.table)
    assert noted(result, "trials-undefined", n=5, trials=5, metric="constant")
    assert "–" in str(result)


def test_only_judged_inputs_take_part(world):
    values = world["people"].values.copy()
    values[:, 6:] = np.nan
    partly = ma.Scores.from_arrays({"close": world["close"].values}, {"people": values})
    few = ma.Scores.from_arrays({"close": world["close"].values[:, :6]}, {"people": values[:, :6]})
    rates = [[r.rate for r in ma.simulate_coverage(s, trials=20, resamples=30).table] for s in (partly, few)]
    assert rates[0] == rates[1]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(world, threads, monkeypatch):
    monkeypatch.setattr("metassay.engine.WORTH_THREADS", 0.0)
    options = {"metric": "close", "trials": 30, "resamples": 30}
    assert ma.simulate_coverage(world, threads=threads, **options).to_json() == (
        ma.simulate_coverage(world, **options).to_json()
    )


def test_fewer_trials_are_the_first_of_many(world, monkeypatch):
    options = {"metric": "close", "level": "system", "interval": "boot-both", "resamples": 30}
    few = ma.simulate_coverage(world, trials=10, **options).table[0]
    monkeypatch.setattr(coverage, "PAGE", 7)
    again = ma.simulate_coverage(world, trials=10, **options).table[0]
    assert few == again


def test_too_little_data_for_halves():
    scores = ma.Scores.from_arrays({"x": np.eye(3)}, {"z": np.eye(3)})
    with pytest.raises(ma.DataError, match="halves need at least 2 systems and 2 inputs, got 3 systems"):
        ma.simulate_coverage(scores)


def test_rows_of_power(world):
    result = ma.simulate_power(world, metric="close", noise="1,0.5", trials=60, resamples=99, test="williams,perm-both")
    assert len(result.table) == 2 * 2 * 2
    row = result.table[0]
    assert (row.metric, row.human, row.level, row.test) == ("close", "people", "system", "williams")
    assert (row.damage, row.setting, row.trials, row.resamples) == ("noise", 0.5, 60, None)
    assert [r.setting for r in result.table[:2]] == [0.5, 1.0]
    agreement = ma.agree(world, metric="close", level="system", statistic="pearson", resamples=10).table[0]
    assert row.estimate == pytest.approx(agreement.estimate)
    assert row.estimate_damaged < row.estimate
    assert "|corrupt:noise|at:0.5,1|alpha:0.05|trials:60|k:99|" in str(result.signature)


def test_more_noise_is_found_more_often(world):
    result = ma.simulate_power(world, metric="close", noise=[0.1, 1, 30], trials=60, resamples=99, level="input")
    for test in ("perm-both", "paired-boot-both"):
        rates = [row.rate for row in result.table if row.test == test]
        assert rates == sorted(rates)
    assert [row.rate for row in result.table if row.test == "perm-both"][-1] == 1.0


class Copies:
    """A metric whose damaged copies are the metric itself: there is nothing to find."""

    name, kind, settings, recipe = "copies", "words", (1.0,), "copies"

    def __init__(self, values):
        self.values = values

    def intact(self, systems, inputs):
        return self.values

    def damaged(self, setting, systems, inputs, trials, seed):
        return np.stack([self.values] * trials)


def test_nothing_is_found_where_nothing_is_damaged(world):
    result = ma.simulate_power(world, damage=Copies(world["close"].values), trials=55, resamples=99)
    assert {row.rate for row in result.table if row.test != "jackknife"} == {0.0}
    # The jackknife says of a copy that it cannot be told apart.
    assert {(row.trials, row.n_undefined) for row in result.table if row.test == "jackknife"} == {(0, 55)}
    assert {row.metric for row in result.table} == {"copies"}
    assert len(result.table) == 8


def test_pages_have_draws_of_their_own(world, monkeypatch):
    seeds = []
    real = power.Draws
    monkeypatch.setattr(power, "Draws", lambda resamples, seed: (seeds.append(seed), real(resamples, seed))[1])
    ma.simulate_power(world, metric="close", noise=1, trials=120, resamples=20, test="perm-both", level="system")
    assert len(set(seeds)) == 3  # 120 trials are pages of 50, 50 and 20


def test_a_metric_that_disagrees_is_noted(world):
    turned = ma.Scores.from_arrays({"turned": -world["close"].values}, {"people": world["people"].values})
    result = ma.simulate_power(turned, noise=1, trials=10, resamples=20)
    assert noted(result, "power-without-agreement", metrics=("turned",))


def test_misuse_of_power(world):
    with pytest.raises(ma.UsageError, match="metric cannot be used with damage"):
        ma.simulate_power(world, metric="close", damage=Copies(world["close"].values))
    with pytest.raises(ma.UsageError, match="noise must be over 0, got 0"):
        ma.simulate_power(world, noise=0)
    with pytest.raises(ma.UsageError, match="unknown test 'perm'"):
        ma.simulate_power(world, test="perm")
    empty = Copies(np.full((12, 10), np.nan))
    with pytest.raises(ma.DataError, match="copies has no score"):
        ma.simulate_power(world, damage=empty)
