"""Pairs of systems by score difference, against definitions written out slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.optimize import minimize_scalar

from metassay.stats import score_gaps
from metassay.stats.draws import BootstrapPages
from metassay.stats.intervals import percentile
from metassay.stats.score_gaps import SystemPairs, chance, closest, needed, percentiles, range_of


def column(*values):
    """Systems with one input each: their means are the values."""
    return np.array(values, dtype=float)[:, None]


def means(matrix):
    known = ~np.isnan(matrix)
    total = np.where(known, matrix, 0).sum(axis=1)
    return np.round(np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan), 10)


def literal_counts(x, z, lower, upper):
    """Count P, Q, T, U over all pairs of two vectors, one pair at a time; pairs of copies are pairs like others."""
    p = q = t = u = 0
    for i in range(len(x)):
        for k in range(i + 1, len(x)):
            if any(math.isnan(v) for v in (x[i], x[k], z[i], z[k])):
                continue
            dx, dz = x[i] - x[k], z[i] - z[k]
            if not lower - 1e-9 <= abs(dx) <= upper + 1e-9:
                continue
            if dx == 0 and dz != 0:
                t += 1
            elif dz == 0 and dx != 0:
                u += 1
            elif dx * dz > 0:
                p += 1
            elif dx * dz < 0:
                q += 1
    return p, q, t, u


def literal_tau(p, q, t, u):
    below = math.sqrt((p + q + t) * (p + q + u))
    return (p - q) / below if below else math.nan


def taken(multiplicities):
    return np.repeat(np.arange(len(multiplicities)), multiplicities.astype(int))


def test_by_hand():
    # Metric 1, 2, 2, 4 and people 2, 1, 3, 3 for the systems a, b, c, d.
    #   pair  |Δ|  metric  people
    #   b c    0     =       <      T
    #   a b    1     <       >      Q
    #   a c    1     <       <      P
    #   b d    2     <       <      P
    #   c d    2     <       =      U
    #   a d    3     <       <      P
    pairs = SystemPairs(column(1, 2, 2, 4), column(2, 1, 3, 3))
    assert_allclose(pairs.differences(), [0, 1, 1, 2, 2, 3])
    counts = pairs.evaluate(np.array([[0, 1], [1, 2], [0, 3], [3, 9], [0, 0]])).counts
    assert_array_equal(counts.total[:, 0], [3, 4, 6, 1, 1])
    # Δ(0, 1): P = Q = T = 1: (1 − 1)/√(3 · 2) = 0
    # Δ(1, 2): P = 2, Q = 1, U = 1: (2 − 1)/√(3 · 4) = 1/√12
    # Δ(0, 3): P = 3, Q = 1, T = 1, U = 1: (3 − 1)/√(5 · 5) = 2/5
    # Δ(3, 9): P = 1: 1.   Δ(0, 0): T = 1, so nothing differs in the metric: undefined
    assert_allclose(counts.tau[:, 0], [0, 1 / math.sqrt(12), 0.4, 1, math.nan])
    assert_allclose(counts.agreement[:, 0], [1 / 2, 2 / 3, 3 / 4, 1, math.nan])


@pytest.mark.parametrize("levels", [3, 8, 1000])
def test_over_all_pairs_it_is_tau_b(levels):
    random = np.random.default_rng(levels)
    for _ in range(20):
        x, z = random.integers(0, levels, size=(2, 13)).astype(float)
        found = SystemPairs(x[:, None], z[:, None]).evaluate(np.array([[0, np.inf], [0, x.max() - x.min()]])).counts
        expected = stats.kendalltau(x, z, variant="b").statistic
        assert_allclose(found.tau[:, 0], expected, rtol=1e-14, atol=1e-15)
        assert_array_equal(found.total[:, 0], 13 * 12 / 2)


@pytest.mark.parametrize("missing", [0.0, 0.35])
@pytest.mark.parametrize(("systems", "inputs"), [(True, True), (True, False), (False, True)])
def test_resamples_are_copies(missing, systems, inputs):
    """Copy rows and columns as often as they were drawn, and count all pairs of the copies."""
    random = np.random.default_rng(5)
    x, z = random.integers(0, 4, size=(2, 9, 6)) / 2
    x[random.random(x.shape) < missing] = np.nan
    z[random.random(z.shape) < missing] = np.nan
    pages = BootstrapPages(40, x.shape, 1, resample_systems=systems, resample_inputs=inputs)
    rows, columns = pages[0]
    pairs = SystemPairs(x, z)
    differences = pairs.differences()
    grid = [(a / 5, b / 5) for a in range(5) for b in range(a + 1, 6)]
    bounds = [(0, 0.25), (0.25, 0.5), (0.3, 0.3), (0.5, np.inf), *(range_of(differences, *cell) for cell in grid)]
    counts = pairs.evaluate(np.array(bounds), rows, columns).counts
    for draw in range(40):
        who = np.arange(9) if rows is None else taken(rows[:, draw])
        what = np.arange(6) if columns is None else taken(columns[:, draw])
        chosen = np.ix_(who, what)
        mean_x, mean_z = means(x[chosen]), means(z[chosen])
        for k, (lower, upper) in enumerate(bounds):
            p, q, t, u = literal_counts(mean_x, mean_z, lower, upper)
            got = [counts.same, counts.other, counts.tied_metric, counts.tied_people]
            assert [float(each[k, draw]) for each in got] == [p, q, t, u]
            assert_allclose(counts.tau[k, draw], literal_tau(p, q, t, u), rtol=1e-14)
            assert_allclose(counts.agreement[k, draw], p / (p + q) if p + q else math.nan)


def test_inputs_that_are_not_paired_are_drawn_apart():
    random = np.random.default_rng(2)
    x, z = random.random((6, 8)), random.random((6, 3))
    rows, columns = BootstrapPages(10, (6, 8), 4, annotated=3)[0]
    counts = SystemPairs(x, z, paired=False).evaluate(np.array([[0, 0.1], [0, 9]]), rows, columns).counts
    for draw in range(10):
        who = taken(rows[:, draw])
        mean_x = means(x[np.ix_(who, taken(columns[:8, draw]))])
        mean_z = means(z[np.ix_(who, taken(columns[8:, draw]))])
        for k, bounds in enumerate([(0, 0.1), (0, 9)]):
            assert_allclose(counts.tau[k, draw], literal_tau(*literal_counts(mean_x, mean_z, *bounds)), rtol=1e-14)


def test_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(3)
    x, z = random.random((2, 7, 5))
    rows, columns = BootstrapPages(30, x.shape, 0)[0]
    bounds = np.array([[0, 0.1], [0.1, 0.4], [0, 1]])
    whole = SystemPairs(x, z).evaluate(bounds, rows, columns, curve=True)
    monkeypatch.setattr(score_gaps, "BLOCK", 21 * 7)
    parts = SystemPairs(x, z).evaluate(bounds, rows, columns, curve=True)
    for one, other in zip(whole.counts, parts.counts, strict=True):
        assert_array_equal(one, other)
    assert_allclose(whole.slopes, parts.slopes, rtol=1e-12)


def test_bounds_hold_their_ends_although_means_are_not_exact():
    # 0.1 + 0.2 is a little more than 0.3: the pair lies within 0 to 0.3 all the same.
    pairs = SystemPairs(np.array([[0.0, 0.0], [0.2, 0.4 + 2e-16]]), np.array([[1.0, 1.0], [2.0, 2.0]]))
    counts = pairs.evaluate(np.array([[0, 0.3], [0.3, 1], [0, 0.29], [0.31, 1]])).counts
    assert_array_equal(counts.total[:, 0], [1, 1, 0, 0])


@pytest.mark.parametrize(
    ("x", "z"),
    [
        (column(1, 1, 1), column(1, 2, 3)),
        (column(1, 2, 3), column(1, 1, 1)),
        (column(1, np.nan, 3), column(np.nan, 2, 3)),
        (column(1), column(1)),
        (np.full((3, 2), np.nan), column(1, 2, 3)),
    ],
)
def test_nothing_to_compare_is_undefined(x, z):
    pairs = SystemPairs(x, np.broadcast_to(z, x.shape).copy())
    sample = pairs.evaluate(np.array([[0, np.inf], [math.nan, math.nan]]), curve=True)
    assert np.isnan(sample.counts.tau).all()
    assert np.isnan(sample.counts.agreement).all()
    assert np.isnan(sample.slopes).all()
    assert sample.counts.total[1, 0] == 0


# -- the fitted curve ---------------------------------------------------------------------------


def log_likelihood(slope, x, z, weights):
    total = 0.0
    for i in range(len(x)):
        for k in range(i + 1, len(x)):
            dx, dz = x[i] - x[k], z[i] - z[k]
            if dx and dz:
                total -= weights[i] * weights[k] * np.logaddexp(0.0, -slope * abs(dx) * np.sign(dx * dz))
    return total


def test_the_slope_has_the_greatest_likelihood():
    random = np.random.default_rng(8)
    latent = random.normal(size=10)
    x = np.round(100 + 7 * latent + random.normal(size=10) * 6, 1)
    z = np.round(latent + random.normal(size=10), 1)
    rows, _ = BootstrapPages(15, (10, 1), 0, resample_inputs=False)[0]
    slopes = SystemPairs(x[:, None], z[:, None]).evaluate(np.empty((0, 2)), rows, None, curve=True).slopes
    for draw in range(15):
        best = minimize_scalar(
            lambda slope, w=rows[:, draw]: -log_likelihood(slope, x, z, w),
            bracket=(-0.01, 0.2),
            options={"xtol": 1e-12},
        )
        if np.isinf(slopes[draw]):
            # People agree on every pair that was drawn: the likelihood has no maximum, it goes to 1.
            assert log_likelihood(1e6, x, z, rows[:, draw]) == 0
        else:
            assert_allclose(slopes[draw], best.x, rtol=1e-6)
    assert np.isfinite(slopes[:15]).sum() > 10


def test_the_slope_by_hand():
    # One difference of 1, on which people agree in three pairs and disagree in one: σ(β) = 3/4, β = log 3.
    # Two groups of systems, 0 and 1 in the metric: 2 × 2 pairs are 1 apart, the others are tied in the metric.
    x, z = column(0, 0, 1, 1), column(0, 2.5, 2, 3)
    slopes = SystemPairs(x, z).evaluate(np.array([[0, 1]]), curve=True).slopes
    assert_allclose(slopes, [math.log(3)])
    # Ten times the scale, a tenth of the slope; turned, the sign turns.
    assert_allclose(SystemPairs(10 * x, z).evaluate(np.array([[0, 1]]), curve=True).slopes, [math.log(3) / 10])
    assert_allclose(SystemPairs(-x, z).evaluate(np.array([[0, 1]]), curve=True).slopes, [-math.log(3)])


def test_slopes_without_an_end():
    none = np.empty((0, 2))
    x = column(1, 2, 4)
    assert SystemPairs(x, x).evaluate(none, curve=True).slopes[0] == math.inf
    assert SystemPairs(x, -x).evaluate(none, curve=True).slopes[0] == -math.inf
    # Differences of 1 and 10 on which people agree, 10 and 1 on which they do not: no direction.
    assert SystemPairs(column(0, 1, 10, 11), column(0, 1, 1, 0)).evaluate(none, curve=True).slopes[0] == 0


def test_a_slope_near_separation_is_found():
    # The only disagreement is over a millionth: the slope is large, and stationary all the same.
    x, z = column(0, 1e-6, 1, 2), column(1, 0, 2, 3)
    slope = SystemPairs(x, z).evaluate(np.empty((0, 2)), curve=True).slopes[0]
    gaps = np.array([1, 2, 1 - 1e-6, 2 - 1e-6, 1])
    assert 5 < slope < 50
    assert_allclose((gaps / (1 + np.exp(slope * gaps))).sum(), 1e-6 / (1 + np.exp(-slope * 1e-6)), rtol=1e-8)


def test_chance_and_what_it_needs_are_inverse():
    assert_allclose(chance(2.0, needed(2.0, 0.8)), 0.8)
    assert_allclose(chance(math.inf, [0, 1e-9]), [0.5, 1])
    assert_allclose(chance(-math.inf, [0, 1e-9]), [0.5, 0])
    assert needed(math.inf, 0.9) == 0
    assert needed(0.0, 0.9) == needed(-1.0, 0.9) == needed(-math.inf, 0.9) == math.inf
    assert math.isnan(needed(math.nan, 0.9))
    assert np.isnan(chance(math.nan, 1.0))


# -- shares and intervals -----------------------------------------------------------------------


def test_the_range_of_a_share_is_the_smallest_that_holds_it():
    assert [closest(np.zeros(120), share / 10) for share in range(1, 11)] == list(range(12, 121, 12))
    assert closest(np.zeros(276), 0.1) == 28
    differences = np.array([0.0, 0.1, 0.1, 0.5, 0.9])
    assert range_of(differences, 0, 0.2) == (0, 0)
    assert range_of(differences, 0, 0.4) == (0, 0.1)
    # Beyond the closest two comes a pair as far apart as the second: both ends take in what lies on them.
    assert range_of(differences, 0.4, 0.8) == (0.1, 0.5)
    assert range_of(differences, 0.8, 1) == (0.9, 0.9)
    assert all(math.isnan(end) for end in range_of(differences, 0.9, 1))
    assert all(math.isnan(end) for end in range_of(np.empty(0), 0, 1))


def test_percentiles_are_those_of_each_line():
    random = np.random.default_rng(0)
    samples = random.normal(size=(5, 4, 37))
    samples[random.random(samples.shape) < 0.3] = np.nan
    samples[2, 1] = np.nan
    samples[3, 3, 1:] = np.nan
    low, high = percentiles(samples, 0.9)
    for at in np.ndindex(5, 4):
        assert_allclose((low[at], high[at]), percentile(samples[at], 0.9), rtol=1e-12)


def test_percentiles_among_infinities():
    samples = np.array([-np.inf, 1.0, 2.0, np.inf, np.inf, np.nan])
    low, high = percentiles(samples, 0.9)
    assert (low, high) == (-math.inf, math.inf)
    low, high = percentiles(np.array([1.0, 2.0, 3.0, 4.0, np.inf]), 0.5)
    assert (low, high) == (2.0, 4.0)
