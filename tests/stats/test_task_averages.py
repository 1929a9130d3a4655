"""Averages over tasks: what one task gives, what several independent ones give, and metrics that some tasks lack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from metassay.errors import UsageError
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.shared_systems import Together
from metassay.stats.statistics.registry import find
from metassay.stats.task_averages import Task, average, averages, compare_averages

DRAWN = [name for name in TESTS if name not in ("williams", "perm-outcomes")]


def task(seed, statistic="pearson", metrics=(0, 1, 2), noise=(0.5, 0.6, 3.0), weight=1.0, shape=(8, 15), systems=()):
    random = np.random.default_rng(seed)
    z = random.normal(size=(shape[0], 1)) + random.normal(size=shape)
    x = np.stack([z + noise[m] * random.normal(size=shape) for m in metrics])
    level = "system" if statistic in ("spa", "pairwise-accuracy") else "input"
    return Task(Case(find(statistic), x, z, level), metrics, weight, systems=systems)


@pytest.mark.parametrize("name", ["jackknife", "two-way", "boot-both", "boot-inputs", "fisher"])
def test_one_task_is_its_own_average(name):
    only, draws = task(0), Draws(200, 3)
    found = averages([only], 3, INTERVALS[name], draws, 0.9)
    (alone,) = INTERVALS[name].compute([only.case], only.draws(draws, 0), 0.9)
    assert found.estimates == pytest.approx(alone.estimates)
    assert found.low == pytest.approx(alone.low)
    assert found.high == pytest.approx(alone.high)


@pytest.mark.parametrize("statistic", ["pearson", "acc-eq", "spa"])
def test_independent_tasks_narrow_the_interval(statistic):
    tasks = [task(seed, statistic) for seed in range(4)]
    for name in ("two-way", "boot-both"):
        found = averages(tasks, 3, INTERVALS[name], Draws(400, 1), 0.9)
        assert found.estimates == pytest.approx(found.by_task.mean(axis=0))
        alone = [INTERVALS[name].compute([t.case], Draws(400, 1), 0.9)[0] for t in tasks]
        widths = np.mean([each.high - each.low for each in alone], axis=0)
        # √4 times narrower, but for the limits of the range
        assert (found.high - found.low) == pytest.approx(widths / 2, rel=0.35)


def test_draws_of_tasks_are_made_apart():
    one, two = task(0), task(0)
    found = averages([one, two], 3, INTERVALS["boot-both"], Draws(500, 1), 0.9)
    alone = averages([one], 3, INTERVALS["boot-both"], Draws(500, 1), 0.9)
    # The same data twice, with other draws: were the draws the same, the interval would be as wide as that of one.
    assert ((found.high - found.low) < 0.9 * (alone.high - alone.low)).all()


SAME = tuple("abcdefgh")


@pytest.mark.parametrize(("name", "near"), [("jackknife", 1e-9), ("fisher", 1e-9), ("boot-both", 0.1)])
def test_the_same_data_twice_say_no_more_than_once(name, near):
    twice, draws = [task(0, systems=SAME), task(0, systems=SAME)], Draws(400, 1)
    found, alone = (averages(tasks, 3, INTERVALS[name], draws, 0.9) for tasks in (twice, twice[:1]))
    assert (found.high - found.low) / (alone.high - alone.low) == pytest.approx(np.ones(3), abs=near)


@pytest.mark.parametrize(("name", "near"), [("jackknife", 1e-9), ("paired-boot-both", 0.05), ("perm-systems", 0.05)])
def test_the_same_data_twice_are_tested_as_once(name, near):
    twice, draws = [task(0, systems=SAME), task(0, systems=SAME)], Draws(400, 1)
    found, alone = (
        compare_averages(tasks, [(0, 1), (2, 1)], TESTS[name], draws, "greater", "plus-one")
        for tasks in (twice, twice[:1])
    )
    assert found.p == pytest.approx(alone.p, abs=near)


def test_systems_that_return_are_left_out_of_all_tasks_at_once():
    """Against a literal jackknife of the average, at whose standard error that of each task is kept."""
    tasks = [task(0, systems=SAME), task(5, systems=(*SAME[4:], *"wxyz"), weight=2.0)]
    pair, names = (0, 1), (*SAME, *"wxyz")
    alone = [TESTS["jackknife"].compute(one.case, [pair], Draws(1, 0), "greater", "plus-one") for one in tasks]
    moves = np.zeros((2, len(names)))
    for t, one in enumerate(tasks):
        for i, name in enumerate(one.systems):
            rest = [k for k in range(8) if k != i]
            left = Case(find("pearson"), one.case.x[:, rest], one.case.z[rest], "input").estimates
            moves[t, names.index(name)] = np.arctanh(left[0]) - np.arctanh(left[1])
        here = [names.index(name) for name in one.systems]
        moves[t, here] -= moves[t, here].mean()
        moves[t] *= one.weight / np.sqrt((moves[t] ** 2).sum())
    errors = []
    for one in alone:
        (r,) = one.estimates
        t = -stdtrit(one.precision[1][0], min(one.p[0], one.q[0]))
        errors.append(abs(r[0] - r[1]) / t)
    expected = ((np.array(errors) @ moves) ** 2).sum() / np.square([errors[0], 2 * errors[1]]).sum()
    together = Together([one.systems for one in tasks], 1, shared=True)
    for one, error, found in zip(tasks, errors, alone, strict=True):
        together.add(one.case, one.systems, [pair], [0], np.array([one.weight * error]), found.precision[1])
    assert expected > 1.0
    assert together.factor[0] ** 2 == pytest.approx(expected)
    assert min(each.precision[1][0] for each in alone) < together.df[0] < sum(each.precision[1][0] for each in alone)


def test_systems_of_other_names_and_tests_of_these_systems_are_independent():
    shared, others = (
        [task(s, systems=names[s]) for s in (0, 1)] for names in ((SAME, SAME), (SAME, tuple("12345678")))
    )
    unnamed = [task(0), task(1)]

    def p(tasks, test):
        return compare_averages(tasks, [(0, 1), (0, 2)], TESTS[test], Draws(99, 1), "two-sided", "plus-one").p

    assert p(others, "jackknife") == pytest.approx(p(unnamed, "jackknife"))
    assert p(shared, "perm-inputs") == pytest.approx(p(unnamed, "perm-inputs"))


def test_weights_and_missing_metrics():
    tasks = [task(0, weight=3.0), task(1, metrics=(0, 2)), task(2, metrics=(0, 1))]
    found = averages(tasks, 4, INTERVALS["boot-inputs"], Draws(60, 1), 0.9)
    assert found.tasks.tolist() == [3, 2, 2, 0]
    r = found.by_task
    assert found.estimates[:3] == pytest.approx(
        [(3 * r[0, 0] + r[1, 0] + r[2, 0]) / 5, *[(3 * r[0, 1] + r[2, 1]) / 4, (3 * r[0, 2] + r[1, 2]) / 4]]
    )
    assert np.isnan([found.estimates[3], found.low[3], found.high[3]]).all()
    # Two metrics are compared on the tasks that both have.
    tested = compare_averages(tasks, [(0, 1), (1, 2), (2, 3)], TESTS["perm-both"], Draws(99, 1), "greater", "plus-one")
    assert tested.estimates[0] == pytest.approx(average(r[[0, 2]][:, :2], np.array([3.0, 1.0])))
    assert tested.estimates[1] == pytest.approx(r[0, [1, 2]])
    assert np.isnan(tested.p[2])


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_one_task_is_tested_as_it_is(name, alternative):
    only, draws = task(0), Draws(1024, 3)
    pairs = [(0, 1), (1, 2), (2, 0)]
    found = compare_averages([only], pairs, TESTS[name], draws, alternative, "plus-one")
    alone = TESTS[name].compute(only.case, pairs, only.draws(draws, 0), alternative, "plus-one")
    assert found.p == pytest.approx(alone.p)
    assert found.q == pytest.approx(alone.q)
    assert found.estimates == pytest.approx(alone.estimates)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall"])
def test_one_task_of_means_of_systems_is_tested_as_it_is(statistic):
    # Exchanges of systems have no Student's t: it is the standard error that gives their p-values.
    only = task(4, statistic, shape=(13, 20))
    only = replace(only, case=replace(only.case, level="system"))
    pairs = [(0, 1), (1, 2), (2, 0)]
    for alternative in ("greater", "two-sided"):
        found = compare_averages([only], pairs, TESTS["jackknife"], Draws(0, 0), alternative, "plus-one")
        alone = TESTS["jackknife"].compute(only.case, pairs, Draws(0, 0), alternative, "plus-one")
        assert np.minimum(found.p, found.q) == pytest.approx(np.minimum(alone.p, alone.q))
    assert (found.p < 0.05).any()


def test_known_errors_have_any_number_of_degrees_of_freedom():
    for shared in (False, True):
        together, only = Together([SAME], 1, shared=shared), task(0)
        together.add(only.case, SAME, [(0, 1)], [0], np.array([0.3]), np.inf)
        assert together.df.tolist() == [np.inf]


def test_more_tasks_are_more_evidence():
    tasks = [task(seed, noise=(1.0, 1.6, 3.0)) for seed in range(5)]
    for name in ("jackknife", "two-way", "perm-both"):
        options = (TESTS[name], Draws(999, 1), "greater", "plus-one")
        p = [compare_averages(tasks[:n], [(0, 1)], *options).p[0] for n in (1, 5)]
        assert p[1] < p[0]


def test_outcomes_of_pairs_are_averaged_too():
    tasks = [task(seed, "acc-eq") for seed in range(3)]
    found = compare_averages(tasks, [(0, 2)], TESTS["perm-outcomes"], Draws(199, 1), "greater", "plus-one")
    assert found.p[0] == pytest.approx(1 / 200)


def test_tests_without_draws_cannot_be_averaged():
    with pytest.raises(UsageError, match="williams has no draws"):
        compare_averages([task(0)], [(0, 1)], TESTS["williams"], Draws(9, 1), "greater", "plus-one")


@pytest.mark.parametrize("statistic", ["kendall", "acc-eq", "spa", "pairwise-accuracy"])
def test_the_jackknife_adds_up_variances(statistic):
    # The same task three times, taken for independent ones: the same difference, √3 times as certain.
    one = task(5, statistic, noise=(0.7, 1.5, 3.0), shape=(12, 20))
    options = ([(0, 1), (0, 0)], TESTS["jackknife"], Draws(9, 1), "greater", "plus-one")
    alone, thrice = (compare_averages([one] * n, *options) for n in (1, 3))
    assert thrice.estimates == pytest.approx(alone.estimates)
    z = [-ndtri(each.p[0]) for each in (alone, thrice)]
    assert z[1] == pytest.approx(np.sqrt(3) * z[0], rel=0.25)
    assert np.isnan(thrice.p[1])
    assert thrice.tasks.tolist() == [3, 3]


def test_metrics_are_compared_on_the_cells_that_both_have():
    whole, other = task(0), task(1)
    x = whole.case.x.copy()
    x[2, :, :3] = np.nan
    tasks = [Task(Case(find("pearson"), x, whole.case.z, "input"), (0, 1, 2)), other]
    pairs = [(0, 1), (0, 2)]
    found = compare_averages(tasks, pairs, TESTS["jackknife"], Draws(9, 1), "greater", "plus-one")
    full = find("pearson").prepare(x, whole.case.z, "input").estimate()[0]
    cut = find("pearson").prepare(x[:, :, 3:], whole.case.z[:, 3:], "input").estimate()[0]
    assert found.estimates[0] == pytest.approx((full[:2] + other.case.estimates[:2]) / 2)
    assert found.estimates[1] == pytest.approx((cut[[0, 2]] + other.case.estimates[[0, 2]]) / 2)


def test_a_task_that_is_too_small_for_the_test_is_left_out_of_it_and_of_no_interval():
    small = task(3, shape=(3, 15))
    found = compare_averages([task(0), small], [(0, 2)], TESTS["jackknife"], Draws(9, 1), "greater", "plus-one")
    assert found.tasks.tolist() == [1]
    limits = averages([task(0), small], 3, INTERVALS["jackknife"], Draws(9, 1), 0.95)
    assert np.isnan(limits.low).all()
    assert limits.reasons[1, 0].code == "few-systems"


def test_the_test_holds_its_level_on_the_average():
    rejected = 0
    for trial in range(60):
        tasks = [task(1000 + 7 * trial + k, noise=(1.0, 1.0, 1.0), shape=(6, 10)) for k in range(2)]
        p = compare_averages(tasks, [(0, 1)], TESTS["two-way"], Draws(99, 1), "greater", "plus-one").p[0]
        rejected += p <= 0.1
    assert rejected <= 14
