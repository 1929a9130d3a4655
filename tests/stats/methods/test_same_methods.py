"""Simulations run the very tests that `compare` runs: the same data and draws give the same p-values, bit by bit."""

from __future__ import annotations

import re

import numpy as np
import pytest

import metassay as ma
from metassay.core import vocabulary
from metassay.stats.draws import NOISE, TRIALS, WORLDS, stream
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.methods.base import Case, Draws, SharedDraws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.methods.two_way import DRAWS
from metassay.stats.statistics.registry import find
from metassay.stats.worlds import TEXTBOOK
from metassay.studies.simulate_size import PAGE_ELEMENTS, page_seed

GENERAL = [test for test in vocabulary.METRIC_TESTS if test != "perm-outcomes"]
WORLD = "differ: system bias 0.3 and 0.9"


def test_the_names_are_those_of_the_methods():
    assert tuple(TESTS) == vocabulary.METRIC_TESTS
    assert tuple(INTERVALS) == vocabulary.INTERVALS


@pytest.mark.parametrize("method", [*INTERVALS.values(), *TESTS.values()], ids=lambda method: method.name)
def test_a_method_knows_the_work_that_defined_it(method):
    assert re.search(r"^\w.* \(\d{4}\)\. \w.*\.$", method.citation)


@pytest.mark.parametrize(
    ("test", "statistic"),
    [*((test, name) for test in GENERAL for name in ("pearson", "kendall")), ("perm-outcomes", "pairwise-accuracy")],
)
@pytest.mark.parametrize("resamples", [60, 1999])
def test_p_values_of_size_are_those_of_compare(test, statistic, resamples):
    number, seed, trials = list(TEXTBOOK).index(WORLD), 5, 4
    x, y, z = TEXTBOOK[WORLD].draw(stream(seed, WORLDS, number, 0), trials)
    own = page_seed(seed, number, 0)
    alphas = []
    for t in range(trials):
        scores = ma.Scores.from_arrays({"x": x[t], "y": y[t]}, {"z": z[t]})
        options = {"level": "system", "statistic": statistic, "test": test, "resamples": resamples, "seed": own}
        alphas.append(ma.compare(scores, **options).table[0].p_value)
    # What the simulation computes, all data sets and all tests at once.
    case = Case(find(statistic), np.stack([x, y], axis=1).reshape(-1, *z.shape[1:]), z, "system")
    draws = SharedDraws(resamples, own)
    found = [
        TESTS[name].compute(case, [(2 * t, 2 * t + 1) for t in range(trials)], draws, "greater", "plus-one")
        for name in (test, "paired-boot-inputs", test)
    ]
    if test == "williams":
        # No draws: a formula of correlations, whose sums many data sets add up in another order.
        assert found[0].p == pytest.approx(alphas, rel=1e-9)
    else:
        assert found[0].p.tolist() == alphas
        assert found[2].p.tolist() == alphas


@pytest.mark.parametrize("test", GENERAL)
def test_the_rate_of_size_is_the_share_of_these_p_values(test):
    number, trials, resamples = list(TEXTBOOK).index(WORLD), 6, 99
    (row,) = ma.simulate_size(world=WORLD, test=test, trials=trials, resamples=resamples, alpha=0.2).table
    per_page = PAGE_ELEMENTS // (16 * DRAWS)
    x, y, z = TEXTBOOK[WORLD].draw(stream(0, WORLDS, number, 0), per_page)
    options = {"level": "system", "statistic": "pearson", "test": test, "resamples": resamples, "alpha": 0.2}
    found = [
        ma.compare(
            ma.Scores.from_arrays({"x": x[t], "y": y[t]}, {"z": z[t]}), **options, seed=page_seed(0, number, 0)
        ).table[0]
        for t in range(trials)
    ]
    assert row.rate == sum(each.significant for each in found) / trials


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
@pytest.mark.parametrize("test", GENERAL)
def test_p_values_of_power_are_those_of_compare(level, test):
    random = np.random.default_rng(5)
    z = random.normal(size=(7, 1)) + random.normal(size=(7, 6))
    x = z + random.normal(size=z.shape)
    damaged = x + np.array([0.5, 3.0])[:, None, None] * random.normal(size=(2, *z.shape))
    x[2, 3] = damaged[:, 2, 3] = np.nan
    for statistic in ("pearson", "kendall"):
        case = Case(find(statistic), np.stack([x, *damaged]), z, level)
        found = TESTS[test].compute(case, [(0, 1), (0, 2)], Draws(60, 3), "greater", "plus-one")
        for t in range(2):
            scores = ma.Scores.from_arrays({"x": x, "y": damaged[t]}, {"z": z})
            options = {"level": level, "statistic": statistic, "test": test, "resamples": 60, "seed": 3}
            row = ma.compare(scores, **options).table[0]
            assert found.p[t] == row.p_value
            assert found.estimates[t].tolist() == [row.estimate_a, row.estimate_b]


def test_the_rate_of_power_is_the_share_of_these_p_values():
    scores = ma.example()
    options = {"level": "input", "statistic": "pearson", "test": "perm-both", "resamples": 99}
    metric = "synthetic-overlap"
    damage = {"metric": metric, "noise": 0.5, "trials": 3, "alpha": 0.3}
    (row,) = ma.simulate_power(scores, human="relevance", **damage, **options).table
    own = int(stream(0, TRIALS, 0).integers(2**62))

    x = standardize_cells(scores.matrix(metric))
    found = []
    for trial in range(3):
        damaged = x + 0.5 * stream(0, NOISE, trial).standard_normal(x.shape)
        both = ma.Scores.from_arrays({"x": x, "y": damaged}, {"z": scores.matrix("relevance")})
        found.append(ma.compare(both, **options, alpha=0.3, seed=own).table[0].significant)
    assert row.rate == sum(found) / 3


def test_an_undefined_statistic_gives_no_p_value():
    z = np.arange(12.0).reshape(4, 3)
    case = Case(find("pearson"), np.stack([z, np.ones((4, 3)), z[::-1]]), z, "system")
    for test in (TESTS[name] for name in GENERAL):
        assert np.isnan(test.compute(case, [(0, 1), (0, 2)], Draws(50, 0), "greater", "plus-one").p[0])


def test_the_smallest_p_value_is_told():
    assert TESTS["perm-systems"].smallest_p((4, 100), 9999, "plus-one") == 1 / 16
    assert TESTS["perm-both"].smallest_p((4, 100), 99, "plus-one") == 0.01
    assert TESTS["williams"].smallest_p((4, 100), 99, "plus-one") == 0
    random = np.random.default_rng(0)
    z = random.normal(size=(4, 30))
    good, bad = z + 0.1 * random.normal(size=z.shape), random.normal(size=z.shape)
    scores = ma.Scores.from_arrays({"a": good, "b": bad}, {"z": z})
    result = ma.compare(scores, level="system", test="two-way", resamples=99)
    assert any("smallest p-value" in str(note) for note in result.notes)
    assert min(row.p_value for row in result.table) >= 0.05
