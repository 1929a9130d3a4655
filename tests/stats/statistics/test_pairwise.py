"""Statistics of pairs against literal loops, and the facts that mt-metrics-eval's own tests state."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr

from metassay.stats.draws import multiplicities
from metassay.stats.kernels.tie_calibration import CalibratedGroups, largest_prefix
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.pairwise import (
    ACC_EQ,
    ACC_EQ_CROSS,
    KENDALL_LIKE,
    KENDALL_LIKE_25,
    PAIRWISE,
    PAIRWISE_ACCURACY,
    PDP,
    TAU_10,
    TAU_13,
    TAU_14,
    TAU_EQ,
)
from metassay.stats.statistics.registry import find

VARIANTS = (PAIRWISE_ACCURACY, TAU_EQ, TAU_10, TAU_13, TAU_14)


def counted(x, z, epsilon=0.0, gap=0.0, weights=None):
    """C, D, T_m, T_h and T_hm by a loop."""
    counts = np.zeros(5)
    for i, k in combinations(range(len(x)), 2):
        w = 1 if weights is None else weights[i] * weights[k]
        dx, dz = x[i] - x[k], z[i] - z[k]
        if np.isnan(dx + dz):
            continue
        tied_x, tied_z = abs(dx) <= epsilon, dz == 0 or abs(dz) < gap
        at = 4 if tied_x and tied_z else 2 if tied_x else 3 if tied_z else int(np.sign(dx) != np.sign(dz))
        counts[at] += w
    return counts


FORMULAS = {
    "pairwise-accuracy": lambda c, d, m, h, b: ((c + b), (c + d + m + h + b)),
    "tau-eq": lambda c, d, m, h, b: ((c + b - d - h - m), (c + d + m + h + b)),
    "tau-10": lambda c, d, m, h, b: ((c - d - m), (c + d + m)),
    "tau-13": lambda c, d, m, h, b: ((c - d), (c + d)),
    "tau-14": lambda c, d, m, h, b: ((c - d), (c + d + m)),
    "kendall-like": lambda c, d, m, h, b: ((c - d - m), (c + d + m)),
}


def literal(statistic, x, z, level, weights=None):
    """The mean over groups, by loops; weights of members and groups."""
    x, z = {"input": (x.T, z.T), "within-system": (x, z), "global": (x.reshape(1, -1), z.reshape(1, -1))}[level]
    members, groups = weights or (np.ones(x.shape[1]), np.ones(len(x)))
    total = count = 0.0
    for one, other, times in zip(x, z, groups, strict=True):
        above, below = FORMULAS[statistic.name](*counted(one, other, weights=members))
        if below > 0:
            total, count = total + times * above / below, count + times
    return total / count if count else np.nan


def made(random, shape=(6, 9), missing=0):
    x = random.normal(size=(3, *shape)).round(1)
    z = (x.mean(axis=0) + random.normal(size=shape)).round()
    flat = z.reshape(-1)
    flat[random.choice(flat.size, missing, replace=False)] = np.nan
    return x, z


# -- what the tests of mt-metrics-eval state --------------------------------------------------------


def one_group(statistic, metric, people):
    return statistic.prepare(np.array(metric, float)[None, :, None], np.array(people, float)[:, None], "input")


def test_kendall_variants_of_mt_metrics_eval():
    gold, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    expected = {"kendall": 0.316227766, "kendall-c": 0.32, "tau-eq": 0.2, "pairwise-accuracy": 0.6, "acc-eq": 0.7}
    for name, value in expected.items():
        assert one_group(find(name), metric, gold).estimate()[0][0] == pytest.approx(value, abs=1e-9)
    # 21 pairs, 14 of them right
    x, y = [1, 1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 4, 3, 3]
    assert one_group(TAU_EQ, y, x).estimate()[0][0] == pytest.approx((14 - 7) / 21)
    assert one_group(PAIRWISE_ACCURACY, y, x).estimate()[0][0] == pytest.approx(14 / 21)
    # with ε = 1 in the second list: 1 discordant, 3 tied in both, 13 tied pairs in all of it
    counts = counted(np.array(x, float), np.array(y, float), epsilon=1.0)
    assert counts.tolist() == [7, 1, 10, 0, 3]


def test_kendall_like_of_mt_metrics_eval():
    gold, metric = [10, 11, 100, 150], [2, 1, 4, 3]
    assert one_group(KENDALL_LIKE_25, metric, gold).estimate()[0][0] == pytest.approx(3 / 5)
    assert one_group(KENDALL_LIKE, metric, gold).estimate()[0][0] == pytest.approx(2 / 6)
    # two systems, two items; the second item lacks a human score in the second call
    x, z = np.array([[[2.0, 1.0], [4.0, 3.0]]]), np.array([[10.0, 11.0], [100.0, 150.0]])
    assert KENDALL_LIKE.prepare(x, z, "input").estimate()[0][0] == 1
    z[0, 1] = np.nan
    assert KENDALL_LIKE.prepare(x, z, "input").estimate()[0][0] == 1


@pytest.mark.parametrize(("human", "epsilon", "accuracy"), [([1, 2, 3, 4], 0, 1.0), ([1, 1, 1, 4], 4, 4 / 6)])
def test_best_thresholds_of_mt_metrics_eval(human, epsilon, accuracy):
    found = CalibratedGroups(np.array([[0.0], [2], [6], [8]]), np.array(human, float)[:, None]).calibration()
    assert found == (epsilon, pytest.approx(accuracy))


def calibrations(x, z, level):
    return [metric.calibration() for metric in ACC_EQ.prepare(x, z, level).metrics]


def test_a_matrix_with_gaps_of_mt_metrics_eval():
    none = np.nan
    metric = np.array([[0, 5, 2, 3, 2], [none, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [none] * 5])
    human = np.array([[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, none, 3, 2], [none] * 5])
    (found,) = calibrations(metric[None], human, "within-system")
    assert found == (1.0, pytest.approx(0.4916666666666668))
    assert ACC_EQ.prepare(metric[None], human, "within-system").estimate()[0][0] == pytest.approx(0.4916666666666668)


def test_calibration_is_shared_by_all_groups_as_in_mt_metrics_eval():
    gold, metric = np.array([[1.0, 2, 2], [3, 3, 4]]), np.array([[2.0, 1, 1.5], [5, 3, 2]])
    for level in ("input", "within-system"):
        (found,) = calibrations(metric[None], gold, level)
        x, z = (metric.T, gold.T) if level == "input" else (metric, gold)
        means = []
        for epsilon in (0.0, *{abs(a - b) for row in x for a, b in combinations(row, 2)}):
            each = [counted(a, b, epsilon) for a, b in zip(x, z, strict=True)]
            means.append((np.mean([(c[0] + c[4]) / c.sum() for c in each]), -epsilon))
        assert found.accuracy == pytest.approx(max(means)[0])
        assert found.epsilon == -max(means)[1]


# -- levels, weights, exchanges ----------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0, 11])
@pytest.mark.parametrize("level", ["input", "within-system", "global"])
@pytest.mark.parametrize("statistic", VARIANTS, ids=repr)
def test_variants_against_loops(statistic, level, missing):
    random = np.random.default_rng(3)
    x, z = made(random, missing=missing)
    prepared = statistic.prepare(x, z, level)
    assert prepared.estimate()[0] == pytest.approx([literal(statistic, v, z, level) for v in x], nan_ok=True)
    systems, inputs = multiplicities(random, 6, 4), multiplicities(random, 9, 4)
    drawn = prepared.bootstrap(systems, inputs)
    for b in range(4):
        members, groups = systems[:, b], inputs[:, b]
        if level == "within-system":
            members, groups = groups, members
        elif level == "global":
            members, groups = np.outer(members, groups).ravel(), np.ones(1)
        for at, v in enumerate(x):
            assert drawn[at, b] == pytest.approx(literal(statistic, v, z, level, (members, groups)), nan_ok=True)


@pytest.mark.parametrize("statistic", VARIANTS, ids=repr)
def test_long_groups_count_as_short_ones_do(statistic):
    random = np.random.default_rng(4)
    x, z = made(random, shape=(3, 120), missing=7)
    found = statistic.prepare(x, z, "within-system").estimate()[0]
    assert found == pytest.approx([literal(statistic, v, z, "within-system") for v in x])
    w = random.integers(0, 3, size=(120, 2)).astype(float)
    for b in range(2):
        one = statistic.prepare(x[:1], z, "within-system").bootstrap(None, w)[0, b]
        assert one == pytest.approx(literal(statistic, x[0], z, "within-system", (w[:, b], np.ones(3))))


def exchanged(statistic, x, z, level, unit, random):
    """Statistics after exchanges by the kernel, and by swapping the scores and starting anew."""
    n, m = z.shape
    shape = {"systems": (n, 1, 3), "inputs": (1, m, 3), "both": (n, m, 3)}[unit]
    swaps = np.broadcast_to(random.integers(0, 2, size=shape).astype(np.uint8), (n, m, 3))
    kernel = statistic.exchange(x, z, [(0, 1), (2, 1)], level)(swaps)
    plain = np.empty((2, 2, 3))
    for at, (a, b) in enumerate([(0, 1), (2, 1)]):
        for draw in range(3):
            moved = swaps[..., draw].astype(bool)
            both = np.stack([np.where(moved, x[b], x[a]), np.where(moved, x[a], x[b])])
            plain[:, at, draw] = statistic.prepare(both, z, level).estimate()[0]
    return np.stack(kernel), plain


@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
@pytest.mark.parametrize("level", ["input", "within-system"])
@pytest.mark.parametrize("statistic", [*VARIANTS, KENDALL_LIKE, PDP], ids=repr)
def test_exchanges_are_exchanges_of_scores(statistic, level, unit):
    random = np.random.default_rng(5)
    x, z = made(random, missing=8)
    kernel, plain = exchanged(statistic, np.where(np.isnan(z), np.nan, x), z, level, unit, random)
    assert kernel == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
@pytest.mark.parametrize("statistic", [ACC_EQ, ACC_EQ_CROSS], ids=repr)
def test_thresholds_are_found_again_after_exchanges(statistic, unit):
    random = np.random.default_rng(6)
    # Fewer differences than thresholds on the grid: the grid holds each of them, so that nothing is lost.
    x, z = made(random, shape=(5, 10), missing=6)
    kernel, plain = exchanged(statistic, np.round(2 * x), z, "input", unit, random)
    assert kernel == pytest.approx(plain, abs=1e-9)


def test_long_groups_exchange_too():
    random = np.random.default_rng(7)
    x, z = made(random, shape=(2, 110))
    for statistic in (TAU_13, PAIRWISE_ACCURACY):
        kernel, plain = exchanged(statistic, x, z, "within-system", "both", random)
        assert kernel == pytest.approx(plain)


def calibrated(x, z, members, groups):
    """acc-eq by trying every threshold, with weights."""
    best = -1.0
    for epsilon in (0.0, *np.unique(np.abs(x[:, None] - x[None]))):
        total = count = 0.0
        for g, times in enumerate(groups):
            c = counted(x[:, g], z[:, g], epsilon, weights=members)
            if c.sum() > 0:
                total, count = total + times * (c[0] + c[4]) / c.sum(), count + times
        best = max(best, total / count)
    return best


@pytest.mark.parametrize("missing", [0, 9])
def test_acc_eq_in_draws_tries_every_threshold(missing):
    random = np.random.default_rng(8)
    x, z = made(random, shape=(5, 7), missing=missing)
    systems, inputs = multiplicities(random, 5, 3), multiplicities(random, 7, 3)
    for drawn in ((systems, None), (None, inputs), (systems, inputs)):
        found = ACC_EQ.prepare(x[:1], z, "input").bootstrap(*drawn)[0]
        for b in range(3):
            one, other = (np.ones(n) if w is None else w[:, b] for w, n in zip(drawn, (5, 7), strict=True))
            assert found[b] == pytest.approx(calibrated(x[0], z, one, other))


def test_cross_fitting_scores_blocks_with_the_threshold_of_the_others():
    random = np.random.default_rng(9)
    x, z = made(random, shape=(6, 20))
    x, total = x[0], 0.0
    for block in np.split(np.arange(20), 5):
        rest = np.setdiff1d(np.arange(20), block)
        epsilon = CalibratedGroups(x[:, rest], z[:, rest]).calibration().epsilon
        total += sum((c[0] + c[4]) / c.sum() for c in (counted(x[:, g], z[:, g], epsilon) for g in block))
    found = ACC_EQ_CROSS.prepare(x[None], z, "input").estimate()[0][0]
    assert found == pytest.approx(total / 20)
    assert found <= ACC_EQ.prepare(x[None], z, "input").estimate()[0][0]


def test_largest_prefix_against_a_running_sum():
    random = np.random.default_rng(10)
    for n in (1, 2, 7, 64, 2500):
        steps, ends = random.integers(-2, 3, size=(n, 5)).astype(float), random.random(n) < 0.6
        sums = np.where(ends[:, None], steps.cumsum(axis=0), -np.inf)
        assert largest_prefix(steps.__getitem__, ends, 5) == pytest.approx(np.maximum(sums.max(axis=0), 0))
        own = random.random(n) < 0.3
        others = np.where(ends[:, None], np.where(own[:, None], 0, steps).cumsum(axis=0), -np.inf)
        there = np.where(own[:, None], steps, 0).cumsum(axis=0)[others.argmax(axis=0), np.arange(5)]
        found = largest_prefix(steps.__getitem__, ends, 5, own)
        assert found == pytest.approx(np.where(others.max(axis=0) > 0, there, 0))


@pytest.mark.parametrize(
    ("x", "z"),
    [
        (np.zeros((4, 3)), np.arange(12.0).reshape(4, 3)),
        (np.arange(12.0).reshape(4, 3), np.zeros((4, 3))),
        (np.full((4, 3), np.nan), np.zeros((4, 3))),
    ],
    ids=["metric ties all", "people tie all", "nothing in common"],
)
def test_edges(x, z):
    (found,) = calibrations(x[None], z, "input")
    value = ACC_EQ.prepare(x[None], z, "input").estimate()[0][0]
    if z.any():
        assert [value, found.accuracy, found.epsilon] == [0.0, 0.0, 0.0]
    else:
        # People who tie all know no order: a threshold as wide as the widest difference would make every metric right.
        assert np.isnan(value)
        assert np.isnan(ACC_EQ_CROSS.prepare(x[None], z, "input").estimate()[0][0])
        assert np.isnan(TAU_EQ.prepare(x[None], z, "input").estimate()[0][0])


def test_people_who_tie_all_outputs_of_one_metric_say_nothing_of_it():
    x, z = np.arange(24.0).reshape(2, 4, 3), np.zeros((4, 3))
    z[3] = 1
    x[0, 3] = np.nan
    for statistic in (ACC_EQ, ACC_EQ_CROSS, TAU_EQ):
        assert np.isnan(statistic.prepare(x, z, "input").estimate()[0]).tolist() == [True, False]
    assert np.isnan(PAIRWISE_ACCURACY.prepare(x, z, "system").estimate()[0]).tolist() == [True, False]


def test_pdp_is_pearson_of_differences_in_both_orders():
    random = np.random.default_rng(11)
    x, z = made(random, missing=10)
    differences = []
    for a, b in zip(x[0].T, z.T, strict=True):
        known = ~np.isnan(b)
        points = np.stack([a, b], axis=1)[known]
        differences.append((points[:, None] - points[None]).reshape(-1, 2))
    expected = pearsonr(*np.concatenate(differences).T)[0]
    assert PDP.prepare(x[:1], z, "input").estimate()[0][0] == pytest.approx(expected)


def test_without_ties_variants_are_kendall():
    random = np.random.default_rng(12)
    x, z = random.normal(size=(2, 12, 1))
    tau = kendalltau(x, z)[0]
    for statistic in (TAU_EQ, TAU_10, TAU_13, TAU_14):
        assert statistic.prepare(x[None], z, "system").estimate()[0][0] == pytest.approx(tau)
    assert PAIRWISE_ACCURACY.prepare(x[None], z, "system").estimate()[0][0] == pytest.approx((tau + 1) / 2)


# -- methods -------------------------------------------------------------------------------------


def test_every_interval_and_test_that_applies_computes():
    random = np.random.default_rng(13)
    x, z = made(random, shape=(7, 12))
    z *= 20  # people are apart by 25 points in some pairs
    for statistic in PAIRWISE:
        for level in statistic.levels:
            case = Case(statistic, x, z, level)
            for name in ("two-way", "boot-systems", "boot-inputs", "boot-both"):
                (found,) = INTERVALS[name].compute([case], Draws(50, 1), 0.9)
                assert (found.low <= found.estimates + 0.2).all()
                assert (found.high >= found.low).all()
            for test in TESTS.values():
                if test.why_not(statistic) is None:
                    p = test.compute(case, [(0, 1), (1, 2)], Draws(40, 1), "two-sided", "plus-one").p
                    assert ((p > 0) & (p <= 1)).all(), (statistic, level, test)


@pytest.mark.parametrize("statistic", [ACC_EQ, PAIRWISE_ACCURACY, TAU_EQ, TAU_10, TAU_14, KENDALL_LIKE], ids=repr)
def test_outcomes_add_up_to_the_statistic(statistic):
    random = np.random.default_rng(14)
    x, z = made(random, missing=9)
    for level in set(statistic.levels) - {"global"}:
        added = statistic.outcomes(x, z, level).sum(axis=1)
        assert added == pytest.approx(statistic.prepare(x, z, level).estimate()[0])


def test_exchanged_outcomes_against_a_loop():
    # the data of mt-metrics-eval's own test: 4 systems, 2 items
    gold, first, second = (
        np.array(v, float).reshape(4, 2)
        for v in ([1, 3, 3, 3, 1, 2, 1, 2], [2, 4, 6, 6, 2, 6, 3, 7], [1, 5, 4, 4, 4, 3, 2, 1])
    )
    case = Case(ACC_EQ, np.stack([first, second]), gold, "input")
    right = [
        np.array(
            [
                (dz == 0) if abs(dx) <= epsilon else np.sign(dx) == np.sign(dz)
                for g in range(2)
                for dx, dz in ((x[i, g] - x[k, g], gold[i, g] - gold[k, g]) for i, k in combinations(range(4), 2))
            ],
            float,
        )
        for x, (epsilon, _) in zip((first, second), calibrations(case.x, gold, "input"), strict=True)
    ]
    assert case.estimates == pytest.approx([v.mean() for v in right])
    # all 2^12 exchanges of outcomes
    signs = 1 - 2 * ((np.arange(4096)[:, None] >> np.arange(12)) & 1)
    apart = signs @ (right[0] - right[1]) / 12
    exact = (apart >= right[0].mean() - right[1].mean() - 1e-12).mean()
    found = TESTS["perm-outcomes"].compute(case, [(0, 1)], Draws(20_000, 0), "greater", "paper")
    plain = TESTS["perm-outcomes"].compute(case, [(0, 1)], Draws(20_000, 0), "greater", "plus-one")
    assert plain.p[0] == pytest.approx(exact, abs=0.015)
    assert found.p[0] <= plain.p[0]
    assert TESTS["perm-outcomes"].why_not(TAU_13) is not None
