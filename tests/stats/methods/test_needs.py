"""Every method knows what it needs: too few systems or inputs give NaN and the reason, never a number."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.methods.base import Case, Draws, Reason
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.registry import find

LEVELS = ("system", "input", "global", "within-system")
DRAWS = Draws(99, 0)
FEW = ("few-systems", "few-inputs")


def world(systems, inputs, seed=0):
    random = np.random.default_rng(seed)
    z = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
    return z + random.normal(size=(2, systems, inputs)), z


def answers(method, case):
    """Numbers that a method gives for a case, and their reasons."""
    if method in INTERVALS.values():
        found = method.compute([case], DRAWS, 0.95)[0]
        return np.stack([found.low, found.high]), found.reasons
    tested = method.compute(case, [(0, 1)], DRAWS, "greater", "plus-one")
    return np.stack([tested.p, tested.q]), tested.reasons


METHODS = [method for method in (*INTERVALS.values(), *TESTS.values()) if not method.narrow]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{type(m).__name__}-{m.name}")
@pytest.mark.parametrize("name", ["pearson", "kendall"])
def test_one_less_than_needed_is_told(method, level, name):
    least = method.needs(level)
    for axis in (0, 1):
        shape = [12, 12]
        shape[axis] = least[axis] - 1
        if shape[axis] < 1:
            continue
        numbers, reasons = answers(method, Case(find(name), *world(*shape), level))
        assert np.isnan(numbers).all()
        for reason in reasons:
            assert reason._replace(why="") in (Reason(FEW[axis], least[axis], least[axis] - 1), Reason("undefined"))
            assert reason.why in ("", "few-shared")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{type(m).__name__}-{m.name}")
def test_enough_is_enough(method, level):
    shape = tuple(max(n, 6) if method.name == "fisher" else n for n in method.needs(level))
    shape = (max(shape[0], 4), max(shape[1], 4)) if method.name in ("williams", "two-way") else shape
    codes = set()
    for seed in range(8):
        numbers, reasons = answers(method, Case(find("pearson"), *world(*shape, seed=seed), level))
        codes |= {reason.code for reason in reasons if reason is not None}
        for at, reason in enumerate(reasons):
            assert np.isnan(numbers[:, at]).all() == (reason is not None)
    assert not codes & {*FEW, "few-observations"}


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{type(m).__name__}-{m.name}")
@pytest.mark.parametrize("level", LEVELS)
def test_one_system_says_nothing_about_new_ones(method, level):
    numbers, reasons = answers(method, Case(find("pearson"), *world(1, 30), level))
    if method.generalises in ("systems", "both") or level in ("system", "input"):
        assert np.isnan(numbers).all()
        assert all(reason is not None and reason.code in ("few-systems", "undefined") for reason in reasons)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{type(m).__name__}-{m.name}")
@pytest.mark.parametrize("level", LEVELS)
def test_one_input_says_nothing_about_new_ones(method, level):
    numbers, reasons = answers(method, Case(find("pearson"), *world(16, 1), level))
    if method.generalises in ("inputs", "both") or level == "within-system":
        assert np.isnan(numbers).all()
        assert all(reason is not None and reason.code in ("few-inputs", "undefined") for reason in reasons)


def test_families_and_clusters_count_once():
    x, z = world(12, 12)
    fewer = Case(find("pearson"), x, z, "system", families=np.repeat(np.arange(4), 3))
    assert answers(INTERVALS["jackknife"], fewer)[1][0] == Reason("few-systems", 5, 4)
    one = Case(find("pearson"), x, z, "input", clusters=np.zeros(12, dtype=int))
    assert answers(TESTS["jackknife"], one)[1][0] == Reason("few-inputs", 2, 1)
    enough = Case(find("pearson"), x, z, "system", np.True_, np.repeat(np.arange(6), 2), np.repeat(np.arange(4), 3))
    assert answers(INTERVALS["jackknife"], enough)[1] == (None, None)


def test_formulas_tell_how_many_observations_they_need():
    x, z = world(4, 9)
    found = INTERVALS["fisher"].compute([Case(find("kendall"), x, z, "system")], DRAWS, 0.95)[0]
    assert found.reasons == (Reason("few-observations", 5, 4),) * 2
    x, z = world(3, 9)
    tested = TESTS["williams"].compute(Case(find("pearson"), x, z, "system"), [(0, 1)], DRAWS, "greater", "plus-one")
    assert tested.reasons == (Reason("few-observations", 4, 3),)


@pytest.mark.parametrize("name", ["boot-systems", "boot-both", "fisher", "two-way", "jackknife"])
def test_no_interval_about_new_systems_has_no_width(name):
    _, z = world(8, 12)
    found = INTERVALS[name].compute([Case(find("pearson"), z[None], z, "system")], DRAWS, 0.95)[0]
    assert found.reasons == (Reason("zero-width"),)
    assert np.isnan([found.low[0], found.high[0]]).all()
    # What these systems do on other inputs is another question.
    found = INTERVALS["boot-inputs"].compute([Case(find("pearson"), z[None], z, "system")], DRAWS, 0.95)[0]
    assert (found.low[0], found.high[0]) == pytest.approx((1, 1))


def test_the_smallest_p_of_a_design():
    assert TESTS["perm-systems"].smallest_p((5, 100), 9_999, "plus-one") == 1 / 32
    assert TESTS["perm-systems"].smallest_p((5, 100), 9_999, "plus-one", "two-sided") == 1 / 16
    assert TESTS["two-way"].smallest_p((5, 100), 9_999, "plus-one", "two-sided") == 1 / 16
    assert TESTS["paired-boot-both"].smallest_p((5, 100), 999, "plus-one") == 1 / 1000
    assert TESTS["jackknife"].smallest_p((5, 100), 9_999, "plus-one") == 0


def test_resamples_far_from_the_estimate_are_told():
    # Noise of cells that drawing inputs adds once more takes correlations of means down.
    random = np.random.default_rng(2)
    quality = random.normal(size=(60, 1))
    x, z = (quality + 3 * random.normal(size=(60, 50)) for _ in range(2))
    case = Case(find("pearson"), x[None], z, "system")
    both, systems = (INTERVALS[f"boot-{axis}"].compute([case], Draws(400, 0), 0.95)[0] for axis in ("both", "systems"))
    sample = both.samples[0]
    assert both.shifts[0] == pytest.approx((np.median(sample) - both.estimates[0]) / sample.std())
    assert both.shifts[0] < -0.5
    assert abs(systems.shifts[0]) < 0.5
    assert INTERVALS["jackknife"].compute([case], Draws(0, 0), 0.95)[0].shifts is None
