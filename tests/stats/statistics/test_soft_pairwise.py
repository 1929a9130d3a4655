"""Soft pairwise accuracy against literal loops, and the facts that mt-metrics-eval states."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from metassay.stats.draws import multiplicities, sign_flips
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.soft_pairwise import FLIPS, SPA, SoftExchange, flipped_p, limit_p


def made(random, shape=(5, 40)):
    z = random.normal(size=(shape[0], 1)) / 3 + random.normal(size=shape)
    return np.stack([z + s * random.normal(size=shape) for s in (0.5, 1.0, 3.0)]), z


def test_the_example_of_the_reference_implementation():
    # scores 0.8 0.9 0.7 1.0 0.6 and 0.2 0.3 0.1 0.4 0.0; of ten flips only the one that flips nothing reaches 3.0
    a, b = np.array([0.8, 0.9, 0.7, 1.0, 0.6]), np.array([0.2, 0.3, 0.1, 0.4, 0.0])
    flips = np.array(
        [
            [1, 1, -1, -1, -1], [1, -1, 1, -1, 1], [1, -1, 1, 1, -1], [-1, 1, -1, -1, 1], [1, 1, 1, -1, 1],
            [-1, 1, -1, 1, -1], [1, 1, 1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, -1, 1], [-1, 1, -1, -1, -1],
        ],
        dtype=float,
    ).T  # fmt: skip
    assert flipped_p(np.stack([a, b]), flips).tolist() == [0.1]


def test_the_same_flips_every_time():
    scores = np.random.default_rng(0).random((10, 100))
    assert flipped_p(scores).tolist() == flipped_p(scores).tolist()
    assert set(np.unique(sign_flips(7, FLIPS))) == {-1.0, 1.0}


def test_estimate_against_a_loop():
    x, z = made(np.random.default_rng(1))
    flips = sign_flips(40, FLIPS)
    for metric, found in zip(x, SPA.prepare(x, z, "system").estimate()[0], strict=True):
        gaps = []
        for i, j in combinations(range(5), 2):
            p = [(((v[i] - v[j]) @ flips) >= (v[i] - v[j]).sum()).mean() for v in (metric, z)]
            gaps.append(abs(p[0] - p[1]))
        assert found == pytest.approx(1 - np.mean(gaps))


def test_many_flips_come_to_the_limit():
    x, z = made(np.random.default_rng(2))
    i, j = np.triu_indices(5, 1)
    d = z[i] - z[j]
    many = np.random.default_rng(3).integers(0, 2, size=(40, 40_000)) * 2.0 - 1
    assert limit_p(d.sum(axis=1), (d**2).sum(axis=1)) == pytest.approx(flipped_p(z, many), abs=0.01)
    level = SPA.prepare(x, z, "system")
    assert level.bootstrap(None, None)[:, 0] == pytest.approx(level.estimate()[0], abs=0.02)
    assert limit_p(np.zeros(1), np.zeros(1)).tolist() == flipped_p(np.zeros((2, 4))).tolist() == [1.0]


def test_draws_are_draws_of_inputs_and_systems():
    random = np.random.default_rng(4)
    x, z = made(random)
    x[0, 2, 7] = z[1, 9] = np.nan
    systems, inputs = multiplicities(random, 5, 6), multiplicities(random, 40, 6)
    level = SPA.prepare(x, z, "system")
    drawn = level.bootstrap(None, inputs)
    for b in range(6):
        copies = np.repeat(np.arange(40), inputs[:, b].astype(int))
        again = SPA.prepare(x[:, :, copies], z[:, copies], "system").bootstrap(None, None)[:, 0]
        assert drawn[:, b] == pytest.approx(again)
    both = level.bootstrap(systems, inputs)
    for b in range(6):
        some = np.flatnonzero(systems[:, b])
        one = SPA.prepare(x[:, some], z[some], "system")
        weighted = one.bootstrap(systems[some, b][:, None], inputs[:, [b]])[:, 0]
        # Only inputs that all systems have count: with fewer systems there may be more of them.
        if not {1, 2} - set(some):
            assert both[:, b] == pytest.approx(weighted)
    shared = level.bootstraps(systems, inputs, [(True, False), (False, True), (True, True)])
    assert np.array_equal(shared[1], drawn)
    assert np.array_equal(shared[2], both)


@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
def test_exchanges_are_exchanges_of_scores(unit):
    random = np.random.default_rng(5)
    x, z = made(random)
    x[:, 3, 4] = np.nan
    shape = {"systems": (5, 1, 4), "inputs": (1, 40, 4), "both": (5, 40, 4)}[unit]
    swaps = np.broadcast_to(random.integers(0, 2, size=shape).astype(np.uint8), (5, 40, 4))
    left, right = SoftExchange(x, z, [(0, 2)])(swaps)
    for b in range(4):
        moved = swaps[..., b].astype(bool)
        both = np.stack([np.where(moved, x[2], x[0]), np.where(moved, x[0], x[2])])
        expected = SPA.prepare(both, z, "system").bootstrap(None, None)[:, 0]
        assert [left[0, b], right[0, b]] == pytest.approx(expected)


def test_other_inputs_for_metrics_than_for_people():
    x, z = made(np.random.default_rng(6))
    level = SPA.prepare(x, z[:, :25], "system", paired=False)
    inputs = np.concatenate([np.ones((40, 1)), np.ones((25, 1))])
    assert level.bootstrap(None, inputs) == pytest.approx(level.bootstrap(None, None))
    assert (level.estimate()[0] > 0.5).all()


def test_a_system_that_nobody_scored_and_inputs_that_nobody_shares():
    x, z = made(np.random.default_rng(7))
    without = SPA.prepare(x[:, :4], z[:4], "system").estimate()[0]
    z[4] = np.nan
    assert SPA.prepare(x, z, "system").estimate()[0] == pytest.approx(without)
    z[:4] = np.nan
    z[0, 0] = z[1, 1] = 1.0
    assert np.isnan(SPA.prepare(x, z, "system").estimate()[0]).all()
    assert np.isnan(SPA.prepare(x, z, "system").bootstrap(None, None)).all()


def test_methods_and_many_data_sets():
    random = np.random.default_rng(8)
    x, z = made(random)
    case = Case(SPA, x, z, "system")
    for name in ("two-way", "boot-both"):
        (found,) = INTERVALS[name].compute([case], Draws(100, 1), 0.9)
        assert (found.low <= found.estimates).all()
        assert (found.estimates <= found.high + 0.02).all()
    other = made(random)
    many = Case(SPA, np.concatenate([x[:2], other[0][:2]]), np.stack([z, other[1]]), "system")
    for name in ("two-way", "perm-inputs", "paired-boot-both"):
        together = TESTS[name].compute(many, [(0, 1), (2, 3)], Draws(60, 1), "greater", "plus-one")
        alone = TESTS[name].compute(Case(SPA, x[:2], z, "system"), [(0, 1)], Draws(60, 1), "greater", "plus-one")
        assert together.p[0] == pytest.approx(alone.p[0])
        assert together.estimates[0] == pytest.approx(alone.estimates[0])
