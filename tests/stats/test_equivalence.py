import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from metassay.stats.draws import multiplicities
from metassay.stats.equivalence import (
    anderson_hauck,
    annotator_margins,
    difference_limits,
    needed_margins,
    tost,
    two_way_tost,
)
from metassay.stats.methods.case import Case
from metassay.stats.methods.jackknife import Limits
from metassay.stats.metric_criterion_pairs import Correlations, Weights
from metassay.stats.significance import corrected
from metassay.stats.statistics.registry import find


def test_tost_counts_what_lies_at_or_beyond_the_margin_on_the_worse_side():
    # Of 9 differences, 2 are at or above 0.05 and 1 is at or below −0.05: (2 + 1)/(9 + 1).
    d = np.array([[-0.05, -0.02, -0.01, 0.0, 0.01, 0.02, 0.03, 0.05, 0.07]])
    assert tost(d, np.array([0.05]))[0] == pytest.approx(0.3)
    # As in the paper only 0.07 lies beyond: 1/9.
    assert tost(d, np.array([0.05]), "paper")[0] == pytest.approx(1 / 9)


def test_tost_leaves_undefined_resamples_out_and_knows_no_margin_no_p():
    d = np.array([[0.1, 0.0, np.nan, np.nan], [0.0] * 4, [np.nan] * 4])
    p = tost(d, np.array([0.05, math.nan, 0.05]))
    assert p[0] == pytest.approx(2 / 3)
    assert np.isnan(p[1:]).all()


@pytest.mark.parametrize("rule", ["plus-one", "paper"])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_a_margin_suffices_just_above_what_is_needed(rule, alpha):
    random = np.random.default_rng(1)
    d = random.normal(0.01, 0.02, size=(20, 399))
    needed = needed_margins(d, alpha, rule)
    assert (tost(d, needed + 1e-9, rule) <= alpha + 1e-12).all()
    assert (tost(d, needed - 1e-9, rule) > alpha).all()


def test_too_few_resamples_for_any_margin():
    assert np.isnan(needed_margins(np.zeros((1, 10)), 0.05)).all()
    assert needed_margins(np.zeros((1, 19)), 0.05)[0] == 0


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "margin"),
    [(0.3, 0.28, 0.8, 400, 0.1), (0.1, 0.2, 0.0, 50, 0.05), (-0.3, -0.25, 0.6, 1700, 0.05), (0.0, 0.0, 0.5, 30, 0.2)],
)
def test_anderson_hauck_equals_the_written_formula(r12, r13, r23, n, margin):
    # The determinant of the correlation matrix, computed as one; the standard error from Counsell and Cribbie (2015).
    det = np.linalg.det(np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]))
    s = math.sqrt((2 * (n - 1) / (n - 3) * det + 0.25 * (r12 + r13) ** 2 * (1 - r23) ** 3) / ((n - 1) * (1 + r23)))
    gap = abs(r12 - r13)
    wanted = norm.cdf((gap - margin) / s) - norm.cdf((-gap - margin) / s)
    assert anderson_hauck(r12, r13, r23, n, margin) == pytest.approx(wanted, abs=1e-12)


def test_anderson_hauck_by_hand():
    # R = 1 − .09 − .0784 − .64 + .1344 = .326; s² = (.652·399/397 + .58²·.2³/4)/(399·1.8) = .000913, s = .03022;
    # Φ(−.08/s) − Φ(−.12/s) = Φ(−2.647) − Φ(−3.971) = .00406 − .00004.
    assert anderson_hauck(0.3, 0.28, 0.8, 400, 0.1) == pytest.approx(0.00402, abs=2e-5)


def test_anderson_hauck_at_its_edges():
    assert anderson_hauck(0.4, 0.4, 1.0, 100, 0.05) == 0.0
    assert math.isnan(anderson_hauck(0.4, -0.4, -1.0, 100, 0.05))
    assert math.isnan(anderson_hauck(0.4, 0.4, 0.5, 3, 0.05))
    assert math.isnan(anderson_hauck(0.4, math.nan, 0.5, 100, 0.05))


def test_anderson_hauck_rejects_more_often_the_wider_the_margin():
    p = [anderson_hauck(0.3, 0.27, 0.5, 500, margin) for margin in (0.02, 0.05, 0.1, 0.2)]
    assert p == sorted(p, reverse=True)


def test_margins_by_hand():
    # Mean .2; squares .01, 0, .01 over 2; √.01. Largest less smallest.
    sd, widest = annotator_margins(np.array([0.1, 0.2, 0.3, np.nan]))
    assert (sd, widest) == (pytest.approx(0.1), pytest.approx(0.2))
    assert all(math.isnan(v) for v in annotator_margins(np.array([0.1, np.nan])))


def test_benjamini_yekutieli_literally():
    random = np.random.default_rng(2)
    p = np.concatenate([random.random(40), random.random(10) / 1000])
    m = len(p)
    spread = sum(1 / i for i in range(1, m + 1))
    for alpha in (0.01, 0.05, 0.2):
        # Reject the k smallest, for the largest k with p(k) ≤ kα/(m Σ1/i).
        ranked = sorted(p)
        k = max((i for i in range(1, m + 1) if ranked[i - 1] <= i * alpha / (m * spread)), default=0)
        rejected = {i for i in range(m) if corrected(p, "by")[i] <= alpha}
        assert rejected == set(np.argsort(p)[:k].tolist())


WORLDS, RESAMPLES, POINTS, ALPHA = 200, 199, 250, 0.05


def rejections(draw, coefficient, margin):
    """Count the worlds in which TOST calls two metrics equivalent whose true difference is the margin."""
    random = np.random.default_rng(11)
    count = 0
    for _ in range(WORLDS):
        a, b, z = draw(random, POINTS)
        scores = np.stack([a, b])[:, :, None]
        both = Correlations(scores, z[None, :, None], [(0, 0), (1, 0)], "global", find(coefficient))
        samples = both.bootstrap(Weights(points=multiplicities(random, POINTS, RESAMPLES)))
        count += int(tost((samples[1] - samples[0])[None], np.array([margin]))[0] <= ALPHA)
    return count


# If the chance of a false "equivalent" is exactly α at the border, more than this many of 200 worlds have odds below
# 1 in 1,000; fewer than the lower number would have odds below 1 in 1,000 for a test with a quarter of that chance,
# so a test that never rejects fails too.
MOST, LEAST = int(binom.ppf(0.999, WORLDS, ALPHA)), int(binom.ppf(0.001, WORLDS, ALPHA / 4))


def test_tost_holds_its_level_at_the_border_for_pearson():
    # Both metrics see the truth through noise: correlations .5 and .3, so the difference is −.2 in every world.
    def draw(random, n):
        z = random.normal(size=n)
        a = 0.5 * z + math.sqrt(1 - 0.25) * random.normal(size=n)
        b = 0.3 * z + math.sqrt(1 - 0.09) * random.normal(size=n)
        return a, b, z

    assert LEAST < rejections(draw, "pearson", 0.2) <= MOST


def test_tost_holds_its_level_at_the_border_for_tau_c_on_a_five_point_scale():
    def draw(random, n):
        quality = random.normal(size=n)
        z = np.clip(np.round(3 + quality), 1, 5)
        a = quality + random.normal(size=n)
        return a, quality + 2 * random.normal(size=n), z

    # The true difference, from 40,000 points: its own error is a tenth of that of one world.
    a, b, z = draw(np.random.default_rng(5), 40_000)
    truth = Correlations(np.stack([a, b])[:, :, None], z[None, :, None], [(0, 0), (1, 0)], "global", find("kendall-c"))
    first, second = truth.estimate()
    assert LEAST < rejections(draw, "kendall-c", first - second) <= MOST


def jackknife_fit(seed=0, name="pearson", level="system", systems=14):
    random = np.random.default_rng(seed)
    z = random.normal(size=(systems, 1)) + random.normal(size=(systems, 20))
    x = z + 0.3 * random.normal(size=(3, systems, 1)) + random.normal(size=(3, systems, 20))
    return Case(find(name), x, z, level).fits[0][1]


@pytest.mark.parametrize("level", ["system", "input"])
@pytest.mark.parametrize("name", ["pearson", "kendall"])
def test_intervals_of_differences_by_hand(name, level):
    fit = jackknife_fit(name=name, level=level)
    ends, limits = difference_limits(fit, np.array([0, 2]), np.array([1, 0]), 0.9), Limits(fit).ends(0.9, alone=False)
    covariance = fit.of_systems * fit.of_pairs + fit.of_inputs
    for k, (a, b) in enumerate(((0, 1), (2, 0))):
        r = fit.estimates
        size = [covariance[p, p] - min(fit.of_inputs[p, p], 0) for p in (a, b)]
        rho = covariance[a, b] / math.sqrt(size[0] * size[1])
        down = [r[a] - limits[0, a], limits[1, b] - r[b]]
        up = [limits[1, a] - r[a], r[b] - limits[0, b]]
        for end, sign, (u, v) in ((ends[0, k], -1, down), (ends[1, k], 1, up)):
            assert end == pytest.approx(r[a] - r[b] + sign * math.sqrt(u * u + v * v - 2 * rho * u * v))


def test_equivalence_is_an_interval_inside_the_margin():
    fit, first, second = jackknife_fit(), np.array([0, 0, 1]), np.array([1, 2, 2])
    margins = np.array([0.3, 0.2, 0.4])
    p = two_way_tost(fit, first, second, margins)
    assert ((p > 0) & (p < 0.5)).all()
    for sign, inside in ((1, True), (-1, False)):
        for k in range(3):
            ends = difference_limits(fit, first[[k]], second[[k]], 1 - 2 * (p[k] + sign * 1e-6))
            assert (max(-ends[0, 0], ends[1, 0]) < margins[k]) == inside
    wider = two_way_tost(fit, first, second, margins + 0.1)
    assert (wider < p).all()


def test_a_difference_beyond_the_margin_is_not_equivalent():
    fit = jackknife_fit()
    difference = abs(fit.estimates[0] - fit.estimates[1])
    margins = difference * np.array([0.5, 0.9, 1.0, np.nan])
    pairs = np.zeros(4, dtype=int), np.ones(4, dtype=int)
    p = two_way_tost(fit, *pairs, margins)
    assert 1 > p[0] > p[1] > 0.5
    assert p[2] == pytest.approx(0.5)
    assert np.isnan(p[3])
    low, high = difference_limits(fit, *pairs, 2 * np.append(p[:2], [0.9, 0.9]) - 1)
    np.testing.assert_allclose(np.where(low > 0, low, -high)[:2], margins[:2], atol=1e-9)


def test_at_the_margin_equivalence_is_found_in_one_of_twenty_at_most():
    # Two metrics with likings of SD .2 and .75: system correlations differ by about .18, the margin. Over 150 data sets
    # more than 17 (.11) has odds of 1 in 1,000 at .05.
    random = np.random.default_rng(11)
    own = (0.2, 0.75)
    r = [1 / math.sqrt((1 + 1 / 40) * (1 + s * s + 1 / 40)) for s in own]
    found = 0
    for _ in range(150):
        q = random.normal(size=(30, 1))
        z = q + random.normal(size=(30, 40))
        x = np.stack([q + s * random.normal(size=(30, 1)) + random.normal(size=(30, 40)) for s in own])
        fit = Case(find("pearson"), x, z, "system").fits[0][1]
        found += two_way_tost(fit, np.array([0]), np.array([1]), np.array([r[0] - r[1]]))[0] <= 0.05
    assert found <= 17
