"""Combinations of metrics: what they gain, and that nothing of what is scored was seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metassay.stats.composites import KINDS, composites, gain
from metassay.stats.methods.base import Case, Draws
from metassay.stats.statistics.registry import find

PEARSON = find("pearson")


def people(random, shape=(12, 60)):
    return random.normal(size=(shape[0], 1)) + random.normal(size=shape)


@pytest.mark.parametrize("level", ["input", "global", "system", "within-system"])
def test_two_halves_of_the_truth_are_better_than_one(level):
    random = np.random.default_rng(0)
    parts = [people(random), people(random)]
    x = np.stack([*parts, random.normal(size=(12, 60))])
    z = parts[0] + parts[1] + 0.3 * random.normal(size=(12, 60))
    found = composites(Case(PEARSON, x, z, level))
    assert found.estimates[0] > found.estimates[2] + 0.1
    assert set(found.chosen) == {"ridge"}
    assert found.weights[:2].min() > 5 * abs(found.weights[2])
    won = gain(Case(PEARSON, found.columns, z, level), 0, 2, Draws(300, 1), 0.9)
    assert won.difference == pytest.approx(found.estimates[0] - found.estimates[2])
    assert 0 < won.low < won.difference < won.high


def test_noise_explains_nothing_where_it_was_not_seen():
    random = np.random.default_rng(1)
    z, x = people(random, (10, 20)), random.normal(size=(40, 10, 20))
    found = composites(Case(PEARSON, x, z, "global"))
    # In the cells that it was made from, regression on so many columns would reach about √(40/200).
    assert np.abs(found.estimates).max() < 0.25


def test_nothing_is_gained_by_metrics_that_add_nothing():
    random = np.random.default_rng(2)
    z = people(random)
    x = np.stack([z + 0.5 * random.normal(size=z.shape), *random.normal(size=(4, *z.shape))])
    found = composites(Case(PEARSON, x, z, "input"))
    assert (found.singles == 0).all()
    won = gain(Case(PEARSON, found.columns, z, "input"), 0, 2, Draws(300, 1), 0.95)
    assert won.low <= 0.01
    assert abs(won.difference) < 0.02


def test_a_cell_is_scored_by_what_shares_neither_its_system_nor_its_input():
    random = np.random.default_rng(3)
    z = people(random, (8, 16))
    x = np.stack([z + random.normal(size=z.shape) for _ in range(3)])
    before = composites(Case(PEARSON, x, z, "global"), folds=4)
    other_people = z.copy()
    other_people[2] += 50 * random.normal(size=16)
    other_people[:, 5] -= 80
    after = composites(Case(PEARSON, x, other_people, "global"), folds=4)
    # Cells of the system and of the input that changed are scored as before, whatever people say of them.
    assert after.columns[:3, 2, 5] == pytest.approx(before.columns[:3, 2, 5])
    assert not np.allclose(after.columns[0], before.columns[0])


def test_the_single_metric_is_chosen_in_what_may_be_seen():
    random = np.random.default_rng(4)
    z = people(random)
    x = np.stack([z + s * random.normal(size=z.shape) for s in (2.0, 0.4, 3.0)])
    found = composites(Case(find("acc-eq"), x, z, "input"))
    assert (found.singles == 1).all()
    within = x[1] - x[1].mean(axis=0)
    assert np.corrcoef(found.columns[2].ravel(), within.ravel())[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("level", ["input", "global", "system", "within-system"])
def test_a_metric_that_every_fold_chooses_agrees_as_it_does_alone(level):
    random = np.random.default_rng(6)
    z = people(random, (9, 24))
    x = np.stack([z + 0.8 * random.normal(size=z.shape), *random.normal(size=(2, *z.shape))])
    x[0][random.random(z.shape) < 0.05] = np.nan
    for statistic in (PEARSON, find("kendall")):
        found = composites(Case(statistic, x, z, level), folds=3)
        assert (found.singles == 0).all()
        assert found.estimates[2] == pytest.approx(statistic.prepare(x[:1], z, level).estimate()[0][0])


def test_noise_agrees_with_people_0_on_average_at_system_level():
    random, found = np.random.default_rng(7), []
    for seed in range(100):
        z, x = people(random, (12, 4)), random.normal(size=(5, 12, 1)) + random.normal(size=(5, 12, 4))
        found.append(composites(Case(PEARSON, x, z, "system"), folds=3, seed=seed).estimates)
    # The standard error of each mean is about .035.
    assert np.abs(np.mean(found, axis=0)).max() < 0.1


def test_missing_scores_stay_missing_and_folds_follow_the_seed():
    random = np.random.default_rng(5)
    z = people(random)
    x = np.stack([z + random.normal(size=z.shape) for _ in range(2)])
    x[0, 3, 7] = np.nan
    z[:, 40:] = np.nan
    one, again, other = (composites(Case(PEARSON, x, z, "input"), seed=seed) for seed in (0, 0, 1))
    assert np.isnan(one.columns[:2, 3, 7]).all()
    assert not np.isnan(one.columns[1, :, :7]).any()
    assert len(one.estimates) == len(KINDS)
    assert np.array_equal(one.columns, again.columns, equal_nan=True)
    assert not np.array_equal(one.columns, other.columns, equal_nan=True)


def test_a_cluster_of_inputs_is_in_one_fold():
    random = np.random.default_rng(6)
    z = people(random, (8, 16))
    x = np.stack([z + random.normal(size=z.shape) for _ in range(3)])
    case = Case(PEARSON, x, z, "global", families=np.arange(8) // 2, clusters=np.arange(16) % 5)
    changed = z.copy()
    changed[:, case.clusters == 2] -= 80 * random.normal(size=(8, 3))
    changed[4:6] += 50 * random.normal(size=(2, 16))
    before, after = composites(case, folds=4), composites(replace(case, z=changed), folds=4)
    # Whatever people say of a cluster and a family, their cells are scored by what was made of others.
    block = np.ix_(range(3), [4, 5], np.flatnonzero(case.clusters == 2))
    assert after.columns[block] == pytest.approx(before.columns[block])
    assert not np.allclose(after.columns[0], before.columns[0])
