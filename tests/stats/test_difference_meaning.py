"""Score differences over several tasks."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.difference_meaning import difference_meaning
from metassay.stats.draws import multiplicities
from metassay.stats.methods.base import Draws
from metassay.stats.score_gaps import SystemPairs, pooled


def task(seed, systems=9, noise=0.6, shift=0.0, inputs=25):
    random = np.random.default_rng(seed)
    z = random.normal(size=(systems, 1)) + 0.5 * random.normal(size=(systems, inputs))
    return shift + z + noise * random.normal(size=(systems, 1)) + 0.5 * random.normal(size=z.shape), z


def test_one_task_is_what_it_is_alone():
    x, z = task(0)
    bounds, random = np.array([[0.0, 0.5], [0.5, 2.0], [np.nan, np.nan]]), np.random.default_rng(1)
    drawn = multiplicities(random, 9, 30), multiplicities(random, 25, 30)
    alone = SystemPairs(x, z).evaluate(bounds, *drawn, curve=True)
    together = pooled([SystemPairs(x, z)], bounds, [drawn], curve=True)
    assert np.array_equal(alone.counts, together.counts)
    assert together.slopes == pytest.approx(alone.slopes, rel=1e-9)


def test_pairs_of_tasks_are_added_up_and_never_cross():
    tasks = [SystemPairs(*task(seed, systems=n, shift=100.0 * seed)) for seed, n in ((0, 9), (1, 5), (2, 7))]
    bounds = np.array([[0.0, np.inf], [0.3, 0.9]])
    together = pooled(tasks, bounds, curve=True)
    alone = [each.evaluate(bounds) for each in tasks]
    assert np.array_equal(together.counts, np.sum([each.counts for each in alone], axis=0))
    assert together.counts.total[0, 0] == 36 + 10 + 21
    # The slope of all lies between those of the tasks.
    slopes = [each.evaluate(bounds, curve=True).slopes[0] for each in tasks]
    assert min(slopes) <= together.slopes[0] <= max(slopes)


def test_the_table_and_its_reverse():
    tasks = [task(seed) for seed in range(6)]
    found = difference_meaning(tasks, Draws(300, 1), 0.9)
    assert found.pairs.sum() >= 6 * 36
    assert found.agree[-1] > found.agree[0]
    assert ((found.agree_low <= found.agree) & (found.agree <= found.agree_high)).all()
    assert (np.diff(found.needed) > 0).all()
    assert ((found.needed_low < found.needed) & (found.needed < found.needed_high)).all()
    # More tasks, narrower intervals.
    few = difference_meaning(tasks[:2], Draws(300, 1), 0.9)
    assert (found.needed_high - found.needed_low)[1] < (few.needed_high - few.needed_low)[1]


def test_a_metric_that_says_nothing_needs_an_infinite_difference():
    x, z = task(3)
    found = difference_meaning([(-x, z)], Draws(50, 1), 0.9, bounds=np.array([[0.0, 9.0]]), agreements=(0.8,))
    assert found.needed[0] == np.inf
    assert found.agree[0] < 0.5
    assert found.bounds.tolist() == [[0.0, 9.0]]
