from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.partial_correlation import (
    PartialFormula,
    Partialled,
    WithinBuckets,
    buckets_of,
    relative_difference,
)
from metassay.stats.statistics.registry import find
from properties.literal import COEFFICIENTS, vectors


def estimate(kernel, n):
    """Return what a kernel says of the points as they are."""
    found = kernel.correlate(np.ones((n, 1)))
    return (found if isinstance(kernel, PartialFormula) else found[0])[0, 0]


@pytest.fixture
def judged():
    """Sixty outputs: an anchor and a criterion on a scale of 1 to 5 by thirds, and a metric that follows both."""
    random = np.random.default_rng(3)
    anchor = np.clip(np.round(3 * (3 + random.normal(size=60))) / 3, 1, 5)
    z = np.clip(np.round(3 * (anchor / 2 + 2 + random.normal(size=60))) / 3, 1, 5)
    x = anchor + z / 2 + random.normal(size=60)
    return x, z, anchor


@pytest.fixture
def weights():
    random = np.random.default_rng(4)
    return random.multinomial(60, [1 / 60] * 60, size=25).T.astype(np.float64)


def test_halves_are_rounded_up_and_thirds_to_the_nearest():
    assert buckets_of(np.array([1.5, 5 / 3, 4 / 3, 2.4999, 2.5, -0.5, -0.6]), None).tolist() == [2, 2, 1, 2, 3, 0, -1]
    # a mean that lost its last bit is still a half
    assert buckets_of(np.array([np.nextafter(2.5, 0)]), None).tolist() == [3]


def test_values_on_an_edge_belong_above_it():
    edges = np.array([0.2, 0.8])
    assert buckets_of(np.array([0.1, 0.2, 0.5, 0.8, 0.9]), edges).tolist() == [0, 1, 1, 2, 2]


def test_buckets_by_hand():
    # Bucket 1 holds three points: of their pairs two agree and one does not, tau = 1/3.
    # Bucket 2 holds two points that disagree, tau = -1. Bucket 3 holds one: undefined, left out.
    # Average by size: (3 × 1/3 + 2 × -1) / 5 = -1/5.
    x = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 9.0])
    z = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 9.0])
    buckets = np.array([1, 1, 1, 2, 2, 3])
    within = WithinBuckets(x, [z], buckets, find("kendall"), 6)
    average, undefined = within.correlate(np.ones((6, 1)))
    assert average[0, 0] == pytest.approx(-0.2)
    assert undefined[0, 0] == 1
    # Drawing the third point twice and the fifth never leaves bucket 2 undefined; bucket 1 then holds x 1, 2, 3, 3 and
    # z 1, 3, 2, 2: pairs that differ 5, of which 3 agree and 2 do not, tau-b = 1/5.
    assert within.correlate(np.array([[1.0], [1], [2], [1], [0], [1]]))[0][0, 0] == pytest.approx(1 / 5)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_buckets_under_weights_are_buckets_of_copies(judged, weights, coefficient):
    x, z, anchor = judged
    buckets = buckets_of(anchor, None)
    (drawn,), _ = WithinBuckets(x, [z], buckets, find(coefficient), 60).correlate(weights)
    for b in range(weights.shape[1]):
        at = np.repeat(np.arange(60), weights[:, b].astype(int))
        total = size = 0.0
        for bucket in np.unique(buckets):
            here = at[buckets[at] == bucket]
            r = vectors(x[here], z[here], coefficient)
            if not np.isnan(r):
                total, size = total + r * len(here), size + len(here)
        assert drawn[b] == pytest.approx(total / size, abs=1e-9)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_partial_correlation_is_that_of_residuals(judged, coefficient):
    x, z, anchor = judged
    rest_x, rest_z = (np.round(v - np.polyval(np.polyfit(anchor, v, 1), anchor), 9) for v in (x, z))
    expected = vectors(rest_x, rest_z, coefficient)
    assert estimate(Partialled(x, [z], anchor, find(coefficient), 60), 60) == pytest.approx(expected, abs=1e-9)


def test_partial_correlation_by_hand():
    # r_xz = .5, r_xa = .5, r_za = .5 gives (.5 - .25) / (1 - .25) = 1/3. Three vectors with these correlations:
    basis = np.linalg.qr(np.column_stack([np.ones(6), np.random.default_rng(0).normal(size=(6, 3))]))[0][:, 1:]
    wanted = np.linalg.cholesky(np.full((3, 3), 0.5) + 0.5 * np.eye(3))
    x, z, anchor = (basis @ wanted.T).T
    assert estimate(Partialled(x, [z], anchor, find("pearson"), 6), 6) == pytest.approx(1 / 3)


def test_kendalls_partial_tau_by_hand():
    # Four points: x 1 2 3 4, z 1 3 2 4, a 2 1 3 4. Of six pairs, x and z disagree on one, x and a on one, z and a on
    # (1,2): z up, a down; (2,3): z down, a up; so tau_xz = tau_xa = 4/6 and tau_za = 2/6.
    # (2/3 - 2/9) / sqrt((1 - 4/9) (1 - 1/9)) = (4/9) / sqrt(40/81) = 4 / sqrt(40).
    x, z, anchor = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]), np.array([2.0, 1, 3, 4])
    assert estimate(PartialFormula(x, [z], anchor, find("kendall"), 4), 4) == pytest.approx(4 / np.sqrt(40))


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_the_formula_correlates_residuals_of_what_the_coefficient_looks_at(judged, weights, coefficient):
    """Pearson looks at values, Spearman at ranks, Kendall at the signs of all differences."""

    def seen(values):
        if coefficient == "pearson":
            return values - values.mean()
        if coefficient == "spearman":
            ranks = stats.rankdata(values)
            return ranks - ranks.mean()
        return np.sign(values[:, None] - values[None, :]).ravel()

    one, other, held = judged
    (drawn,) = PartialFormula(one, [other], held, find(coefficient), 60).correlate(weights)
    for b in range(weights.shape[1]):
        x, z, anchor = (seen(np.repeat(v, weights[:, b].astype(int))) for v in judged)
        rest_x, rest_z = (v - (v @ anchor) / (anchor @ anchor) * anchor for v in (x, z))
        expected = rest_x @ rest_z / np.sqrt((rest_x @ rest_x) * (rest_z @ rest_z))
        assert drawn[b] == pytest.approx(expected, abs=1e-9)


def test_pearson_refits_the_regressions_in_every_draw(judged, weights):
    x, z, anchor = judged
    part = Partialled(x, [z], anchor, find("pearson"), 60)
    (drawn,) = part.finish(*part.correlate(weights))
    for b in range(weights.shape[1]):
        at = np.repeat(np.arange(60), weights[:, b].astype(int))
        rest = [v[at] - np.polyval(np.polyfit(anchor[at], v[at], 1), anchor[at]) for v in (x, z)]
        assert drawn[b] == pytest.approx(stats.pearsonr(*rest).statistic, abs=1e-9)


@pytest.mark.parametrize("coefficient", ["kendall", "spearman", "kendall-a", "kendall-c"])
def test_rank_coefficients_come_near_refitting_the_regressions(coefficient):
    """Most judgments are the highest, so that slopes decide the order of many residuals: the hard case."""
    random = np.random.default_rng(5)
    n, draws = 400, 120
    anchor = np.clip(np.round(3 * (3.5 + random.normal(size=n))) / 3, 1, 5)
    z = np.clip(np.round(3 * (5 + 0.3 * anchor - 0.9 + random.normal(size=n))) / 3, 1, 5)
    x = anchor + 0.5 * z + random.normal(size=n)
    weights = random.multinomial(n, [1 / n] * n, size=draws).T.astype(np.float64)
    part = Partialled(x, [z], anchor, find(coefficient), n)
    fixed, slopes = part.correlate(weights)
    (drawn,) = part.finish(fixed, slopes)
    literal = np.empty(draws)
    for b in range(draws):
        at = np.repeat(np.arange(n), weights[:, b].astype(int))
        rest = [np.round(v[at] - np.polyfit(anchor[at], v[at], 1)[0] * anchor[at], 9) for v in (x, z)]
        literal[b] = vectors(*rest, coefficient)
    assert np.corrcoef(drawn, literal)[0, 1] > 0.97
    assert np.corrcoef(drawn, literal)[0, 1] > np.corrcoef(fixed[0], literal)[0, 1]
    assert drawn.std() == pytest.approx(literal.std(), rel=0.08)
    assert drawn.mean() == pytest.approx(literal.mean(), abs=0.005)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_what_cannot_be_held_fixed_is_undefined(coefficient):
    x, z, same = np.array([1.0, 2, 4, 3]), np.array([2.0, 1, 4, 5]), np.full(4, 3.0)
    assert np.isnan(estimate(Partialled(x, [z], same, find(coefficient), 4), 4))
    # nothing is left of a variable that the anchor explains in full
    assert np.isnan(estimate(Partialled(x, [z], 2 * x - 1, find(coefficient), 4), 4))
    assert np.isnan(estimate(PartialFormula(x, [z], same, find(coefficient), 4), 4))
    assert np.isnan(estimate(PartialFormula(x, [z], 2 * x - 1, find(coefficient), 4), 4))
    part = Partialled(x, [z], np.array([1.0, 1, 1, 2]), find(coefficient), 4)
    # in this draw the anchor does not vary
    assert np.isnan(part.finish(*part.correlate(np.array([[2.0], [1], [1], [0]])))).all()


def test_residuals_that_are_equal_on_paper_are_tied():
    # The slope of z on the anchor is 1/3 in thirds: (z, a) = (1, 1) and (4/3, 2) have the same residual.
    anchor = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    z = anchor / 3 + np.array([0, 0, 0, 1.0, 1.0, 1.0])
    x = np.arange(6.0)
    rest = np.array([0, 0, 0, 1.0, 1.0, 1.0])
    rest_x = np.round(x - np.polyfit(anchor, x, 1)[0] * anchor, 9)
    expected = stats.kendalltau(rest_x, rest).statistic
    assert estimate(Partialled(x, [z], anchor, find("kendall"), 6), 6) == pytest.approx(expected)


def test_relative_difference_takes_sizes_and_is_undefined_for_nothing():
    found = relative_difference(np.array([0.4, -0.4, 0.2, 0.0, np.nan]), np.array([0.1, 0.1, -0.3, 0.1, 0.1]))
    assert found[:3] == pytest.approx([0.75, 0.75, 0.5])
    assert np.isnan(found[3:]).all()


def test_one_point_has_no_correlation():
    for coefficient in COEFFICIENTS:
        one = find(coefficient).points(np.array([1.0]), np.array([2.0]), 1)
        assert np.isnan(one.correlate(np.ones((1, 3)))).all()


def test_anchors_beyond_whole_numbers_share_the_last_bucket():
    low, middle, high, higher = buckets_of(np.array([-1e300, 3.0, 1e300, 2e300]), None).tolist()
    assert (middle, high) == (3, higher)
    assert low < middle < high


@pytest.mark.parametrize("name", ["kendall", "kendall-c", "spearman", "pearson"])
@pytest.mark.parametrize("kind", ["bucket", "partial", "formula"])
def test_influence_says_what_leaving_out_groups_of_points_does(name, kind):
    random = np.random.default_rng(5)
    groups, members = 60, 12
    n = groups * members
    of = np.repeat(random.normal(size=groups), members)
    anchor, z = (np.clip(np.round(3 + 0.6 * of + 0.8 * random.normal(size=n)), 1, 5) for _ in range(2))
    x = anchor + z + 0.5 * of + random.normal(size=n)
    statistic = find(name)
    if kind == "bucket":
        kernel = WithinBuckets(x, [z], buckets_of(anchor, None), statistic, n)
    else:
        kernel = (Partialled if kind == "partial" else PartialFormula)(x, [z], anchor, statistic, n)
    ((value, psi, exact, _),) = kernel.moved(np.repeat(np.arange(groups), members), groups)
    assert value == pytest.approx(estimate(kernel, n), abs=1e-12)
    assert psi.sum() == pytest.approx(0, abs=1e-8)
    without = 1.0 - np.kron(np.eye(groups), np.ones((members, 1)))
    left = kernel.correlate(without)
    (left,) = kernel.finish(*left) if kind == "partial" else left[0] if kind == "bucket" else left
    told = value - psi.reshape(groups, members).sum(axis=1) / n * groups / (groups - 1)
    assert np.corrcoef(left, told)[0, 1] > 0.98
    # Without a group; the order of residuals follows slopes on a straight line here, and on a curve there.
    assert exact == pytest.approx(left, abs=2e-3 if kind == "partial" and name != "pearson" else 1e-9)
    # To first order: a group that fills much of a bucket does more than that when it is left out.
    assert np.std(told) / np.std(left) == pytest.approx(1, abs=0.25 if kind == "bucket" else 0.1)


def test_influence_of_what_does_not_vary_is_undefined():
    x, z = np.arange(6.0), np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0])
    kendall = find("kendall")
    units = np.arange(6)
    ((within, _, left, undefined),) = WithinBuckets(x, [z], z.astype(int), kendall, 6).moved(units, 6)
    assert np.isnan(left).all()
    assert np.isnan(within)
    assert undefined == 2
    assert np.isnan(PartialFormula(x, [z], z, kendall, 6).moved(units, 6)[0].value)
    assert np.isnan(Partialled(x, [z], np.ones(6), kendall, 6).moved(units, 6)[0].value)
