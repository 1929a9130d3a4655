"""p-values, corrections and clusters, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats.significance import (
    corrected,
    corrected_pairs,
    count_exchanged,
    count_resampled,
    rank_sets,
    ranks,
    smallest_corrected,
    williams,
)

nan = math.nan


# -- Williams -----------------------------------------------------------------------------------


def test_williams_by_hand():
    # r = 0, 0, 0: K = 1 and the difference is 0, so t = 0
    assert williams(0.0, 0.0, 0.0, 10, "greater") == 0.5
    assert williams(0.0, 0.0, 0.0, 10, "two-sided") == 1.0
    # n = 4, r12 = .6, r13 = 0, r23 = 0: K = 1 − .36 = .64; below = 2·.64·3/1 + .09 = 3.93;
    # t = .6·√(3/3.93); with one degree of freedom P(T > t) = ½ − arctan(t)/π
    t = 0.6 * math.sqrt(3 / 3.93)
    assert williams(0.6, 0.0, 0.0, 4, "greater") == pytest.approx(0.5 - math.atan(t) / math.pi)
    assert williams(0.6, 0.0, 0.0, 4, "less") == pytest.approx(0.5 + math.atan(t) / math.pi)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_williams_without_an_answer(alternative):
    assert math.isnan(williams(0.5, 0.4, 0.3, 3, alternative))
    assert math.isnan(williams(nan, 0.4, 0.3, 30, alternative))
    assert math.isnan(williams(0.4, nan, 0.3, 30, alternative))
    assert math.isnan(williams(0.4, 0.3, nan, 30, alternative))
    # Y = −X: numerator and denominator of the statistic are 0, and a correlation of .1 proves nothing
    assert math.isnan(williams(0.1, -0.1, -1.0, 30, alternative))


def test_williams_of_a_metric_and_its_copy():
    assert williams(0.7, 0.7, 1.0, 30, "two-sided") == 1.0
    assert williams(1.0, 1.0, 1.0, 30, "two-sided") == 1.0
    # Rounding must not make a difference of two equal things significant.
    assert williams(0.7, 0.7 - 1e-16, 1 - 1e-16, 30, "greater") == pytest.approx(0.5, abs=1e-6)


def test_williams_with_correlations_no_data_could_have():
    # Averages over inputs need not fit together (K < 0); the p-value is still one.
    assert 0 <= williams(0.9, -0.9, 0.9, 10, "greater") <= 1


def test_williams_in_both_directions():
    for r_xz, r_yz in ((0.5, 0.4), (-0.2, 0.6), (0.3, 0.3)):
        there = williams(r_xz, r_yz, 0.3, 20, "greater")
        assert williams(r_yz, r_xz, 0.3, 20, "less") == there
        assert williams(r_yz, r_xz, 0.3, 20, "greater") == pytest.approx(1 - there)
        two = williams(r_xz, r_yz, 0.3, 20, "two-sided")
        assert two == williams(r_yz, r_xz, 0.3, 20, "two-sided") == pytest.approx(2 * min(there, 1 - there))


# -- counting draws -----------------------------------------------------------------------------

OBSERVED = np.array([0.3])
EXCHANGED = np.array([[0.3, 0.5, -0.3, 0.1]])


@pytest.mark.parametrize(
    ("alternative", "p_plus_one", "p_paper"),
    [
        # at least .3: .3, .5 → (2 + 1)/(4 + 1); more than .3: .5 → 1/4
        ("greater", 3 / 5, 1 / 4),
        # at most .3: .3, −.3, .1 → 4/5; less: −.3, .1 → 2/4
        ("less", 4 / 5, 2 / 4),
        # at least .3 away from 0: .3, .5, −.3 → 4/5; more: .5 → 1/4
        ("two-sided", 4 / 5, 1 / 4),
    ],
)
def test_exchanges(alternative, p_plus_one, p_paper):
    for rule, wanted in (("plus-one", p_plus_one), ("paper", p_paper)):
        counts = count_exchanged(OBSERVED, EXCHANGED, rule)
        assert counts.p_values(alternative, rule).tolist() == [pytest.approx(wanted)]


def test_draws_that_equal_the_observed_up_to_rounding_are_ties():
    trap = np.array([[0.1 + 0.2, 0.3 - 1e-16]])
    assert trap[0, 0] != 0.3
    counts = count_exchanged(OBSERVED, trap, "plus-one")
    assert (counts.greater, counts.less, counts.two_sided) == (2, 2, 2)
    counts = count_exchanged(OBSERVED, trap, "paper")
    assert (counts.greater, counts.less, counts.two_sided) == (0, 0, 0)


@pytest.mark.parametrize(
    ("alternative", "count"),
    [
        ("greater", 2),  # at most 0: 0, −.1
        ("less", 3),  # at least 0: .3, 0, .5
        ("two-sided", 3),  # |δ* − .2| of .1, .2, .3, .3, at least .2
    ],
)
def test_resamples(alternative, count):
    counts = count_resampled(np.array([0.2]), np.array([[0.3, 0.0, -0.1, 0.5]]))
    assert counts.p_values(alternative, "plus-one").tolist() == [(count + 1) / 5]
    assert counts.p_values(alternative, "paper").tolist() == [count / 4]


def test_undefined_draws_do_not_count():
    drawn = np.array([[nan, 0.5, nan, 0.0], [nan, nan, nan, nan]])
    for counts in (count_exchanged(np.array([0.1, 0.1]), drawn, "plus-one"), count_resampled(np.zeros(2), drawn)):
        assert counts.draws.tolist() == [2, 0]
        p = counts.p_values("greater", "plus-one")
        assert p[0] == 2 / 3
        assert math.isnan(p[1])
        assert math.isnan(counts.p_values("two-sided", "paper")[1])


def test_counts_of_pages_add_up():
    whole = count_exchanged(OBSERVED, EXCHANGED, "plus-one")
    parts = count_exchanged(OBSERVED, EXCHANGED[:, :1], "plus-one") + count_exchanged(
        OBSERVED, EXCHANGED[:, 1:], "plus-one"
    )
    for alternative in ("greater", "less", "two-sided"):
        assert parts.p_values(alternative, "plus-one") == whole.p_values(alternative, "plus-one")
    assert parts.draws == whole.draws == 4


# -- corrections --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("correction", "wanted"),
    [
        ("none", [0.01, nan, 0.04, 0.03]),
        # NaN is no test: the family has three
        ("bonferroni", [0.03, nan, 0.12, 0.09]),
        # .01·3, .03·2, .04·1, none below the one before
        ("holm", [0.03, nan, 0.06, 0.06]),
        # .01·3/1, .03·3/2, .04·3/3 = .03, .045, .04, none above the one after
        ("bh", [0.03, nan, 0.04, 0.04]),
        # times 1 + 1/2 + 1/3 = 11/6
        ("by", [0.055, nan, 0.04 * 11 / 6, 0.04 * 11 / 6]),
    ],
)
def test_a_family_with_an_undefined_test(correction, wanted):
    p = np.array([0.01, nan, 0.04, 0.03])
    np.testing.assert_allclose(corrected(p, correction), wanted, rtol=1e-12)
    assert p.tolist()[0] == 0.01  # the argument stays as it was


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh", "by"])
def test_corrections_at_the_edges(correction):
    assert corrected(np.array([0.2]), correction).tolist() == [0.2]
    assert corrected(np.array([]), correction).tolist() == []
    assert np.isnan(corrected(np.full(3, nan), correction)).all()
    p = np.array([0.9, 0.8, 0.9, 0.0])
    adjusted = corrected(p, correction)
    assert adjusted[3] == 0
    assert ((p <= adjusted) & (adjusted <= 1)).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_a_table_is_corrected_as_one_family():
    random = np.random.default_rng(0)
    p = random.random((6, 6)) ** 3
    p = np.triu(p, 1) + np.triu(p, 1).T + np.where(np.eye(6) > 0, np.nan, 0)
    p[2, 4] = p[4, 2] = np.nan
    found = corrected_pairs(p)
    pairs = [(a, b) for a in range(6) for b in range(a)]
    expected = corrected(np.array([p[a, b] for a, b in pairs]), "holm")
    assert [found[a, b] for a, b in pairs] == pytest.approx(expected, nan_ok=True)
    np.testing.assert_array_equal(found, found.T)


def test_ranks_that_competitors_may_have():
    # 0 beats 3 and 4, 1 beats 4; the last is undefined.
    estimates = np.array([0.9, 0.8, 0.7, 0.6, 0.5, np.nan])
    p = np.full((6, 6), 0.5)
    p[0, 3] = p[3, 0] = p[0, 4] = p[4, 0] = p[1, 4] = p[4, 1] = 0.01
    assert rank_sets(estimates, p, 0.05).tolist() == [[1, 3], [1, 4], [1, 5], [2, 5], [3, 5], [0, 0]]
    assert rank_sets(estimates, np.full((6, 6), np.nan), 0.05).tolist() == [[1, 5]] * 5 + [[0, 0]]


def test_rank_sets_contain_all_ranks_together():
    # Ten normal means with known errors, 500 tables: sets fail together in at most one of twenty, and more than 44
    # (.088) have odds of 1 in 10,000.
    random = np.random.default_rng(1)
    truth = np.linspace(0, 3, 10)
    failed = 0
    for _ in range(500):
        estimates = truth + random.normal(size=10)
        p = 2 * stats.norm.sf(np.abs(estimates[:, None] - estimates) / np.sqrt(2))
        sets = rank_sets(estimates, corrected_pairs(p), 0.05)
        ranks = 10 - np.arange(10)
        failed += not ((sets[:, 0] <= ranks) & (ranks <= sets[:, 1])).all()
    assert failed <= 44


def test_the_smallest_corrected_p():
    assert smallest_corrected(1 / 32, 12, "holm") == smallest_corrected(1 / 32, 12, "bonferroni") == 12 / 32
    assert smallest_corrected(1 / 32, 12, "none") == smallest_corrected(1 / 32, 12, "bh") == 1 / 32
    assert smallest_corrected(1 / 32, 12, "by") == pytest.approx(sum(1 / k for k in range(1, 13)) / 32)
    assert smallest_corrected(0.2, 12, "holm") == 1


def test_ranks_of_ties_and_of_what_is_undefined():
    good = np.array([0.2, np.nan, 0.5, 0.2 + 1e-14, 0.1])
    assert ranks(good).tolist() == [2, 0, 1, 2, 4]
    assert ranks(good, 0.15).tolist() == [2, 0, 1, 2, 2]
    assert ranks(np.array([])).tolist() == []
