"""Exchanges of systems between two metrics, without drawing any, beside all of them written out."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from metassay.stats.exchanged_systems import EXACT, excess, p_values, smallest, terms_of_ranks
from metassay.stats.methods.base import Case
from metassay.stats.statistics.registry import find

NAMES = ("spearman", "kendall", "kendall-a", "kendall-c")


def fitted(name, n=8, seed=0, grades=0, families=None):
    random = np.random.default_rng(seed)
    z = random.normal(size=(n, 1)) + random.normal(size=(n, 12))
    x = z + random.normal(size=(3, n, 1)) + random.normal(size=(3, n, 12))
    if grades:  # means of systems that tie
        x, z = (np.repeat(np.round(grades * v.mean(axis=-1, keepdims=True)), 12, axis=-1) for v in (x, z))
    ((_, fit),) = Case(find(name), x, z, "system", families=families).fits
    return fit


def pairwise(x, z, name):
    """Return Σ h(z_i, z_j)·sign(x_i − x_j) over ordered pairs."""
    apart = z[:, None] - z
    return ((np.sign(apart) if name.startswith("kendall") else apart) * np.sign(x[:, None] - x)).sum()


@pytest.mark.parametrize("name", NAMES)
def test_every_exchange_changes_signs_of_terms(name):
    fit = fitted(name)
    x, y, z = (stats.rankdata(v) for v in (fit.means[0][0], fit.means[0][2], fit.means[1][0]))
    (terms,) = terms_of_ranks(fit, np.array([0]), np.array([2]))
    assert terms.sum() == pytest.approx(fit.at[0] - fit.at[2])
    scale = (fit.at[0] - fit.at[2]) / (pairwise(x, z, name) - pairwise(y, z, name))
    for signs in product((1, -1), repeat=8):
        kept = np.array(signs) > 0
        one, other = np.where(kept, x, y), np.where(kept, y, x)
        literal = pairwise(one, z, name) - pairwise(other, z, name)
        assert np.array(signs) @ terms == pytest.approx(scale * literal, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_terms_add_up_to_the_difference_with_ties_too(name):
    for seed in range(20):
        fit = fitted(name, seed=seed, grades=1)
        first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
        terms = terms_of_ranks(fit, first, second)
        assert np.isfinite(terms).all()
        assert terms.sum(axis=1) == pytest.approx(fit.at[first] - fit.at[second], abs=1e-12)


def test_a_family_is_exchanged_as_a_whole():
    fit, alone = (fitted("kendall", n=6, families=families) for families in (np.array([0, 0, 1, 2, 2, 3]), None))
    first, second = np.array([0]), np.array([1])
    whole, single = (terms_of_ranks(each, first, second)[0] for each in (fit, alone))
    assert whole == pytest.approx([single[:2].sum(), single[2], single[3:5].sum(), single[5]])


@pytest.mark.parametrize("name", NAMES)
def test_a_coefficient_of_0_is_divided_by_what_its_ties_say(name):
    z, x, y = np.arange(5.0), np.array([0.0, 1, 2, 2, 2]), np.array([2.0, 1, 4, 0, 3])
    if name == "spearman":
        y = np.array([2.0, 1, 4, 3, 0])
    x, z = (np.repeat(v[..., None], 3, axis=-1) for v in (np.stack([x, y]), z))
    ((_, fit),) = Case(find(name), x, z, "system").fits
    ranks = [stats.rankdata(v[:, 0]) for v in (*x, z)]
    below = [pairwise(v, ranks[2], name) / r for v, r in zip(ranks[:2], fit.estimates, strict=True) if abs(r) > 1e-9]
    if len(below) < 2:  # without ties: 20 ordered pairs, or Spearman's sum of perfect agreement
        assert fit.estimates[1] == pytest.approx(0, abs=1e-12)
        below.append(pairwise(ranks[2], ranks[2], name))
    (terms,) = terms_of_ranks(fit, np.array([0]), np.array([1]))
    both = pairwise(ranks[0], ranks[2], name) - pairwise(ranks[1], ranks[2], name)
    steep = (fit.at[0] - fit.at[1]) / (fit.estimates[0] - fit.estimates[1])
    rest = fit.at[0] - fit.at[1] - steep * both / np.sqrt(np.prod(below))
    pool, people = np.concatenate(ranks[:2]), np.tile(ranks[2], 2)
    h = people[:, None] - people
    k = ((h if name == "spearman" else np.sign(h)) * np.sign(pool[:, None] - pool)).sum(axis=1)
    assert terms == pytest.approx(steep * (k[:5] - k[5:]) / np.sqrt(np.prod(below)) + rest / 5)


def test_p_values_count_all_sums():
    random = np.random.default_rng(3)
    terms = np.round(random.normal(size=(40, 7)), 1)  # many sums are equal
    difference = terms.sum(axis=1)
    sums = terms @ np.array(list(product((1, -1), repeat=7))).T - difference[:, None]
    more, equal = (sums > 1e-9).mean(axis=1), (np.abs(sums) <= 1e-9).mean(axis=1)
    greater, less = p_values(difference, terms, np.zeros(40))
    assert greater == pytest.approx(np.clip(more + equal / 2, smallest(7), 1 - smallest(7)))
    assert greater + less == pytest.approx(1)


def test_what_inputs_add_is_normal():
    terms, difference = np.array([[2.0, -1.0, 0.5]]), np.array([1.2])
    sums = np.array(list(product((1, -1), repeat=3))) @ terms[0]
    expected = stats.norm.sf((1.2 - sums) / np.sqrt(0.3)).mean()
    (greater,), _ = p_values(difference, terms, np.array([0.3]))
    assert greater == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["normal", "lognormal"])
def test_the_smaller_ones_of_many_terms_may_be_normal(kind):
    # 18 terms, of which the smallest are taken for normal, beside all 262,144 sums.
    random = np.random.default_rng(7)
    terms = random.normal(size=(6, 18)) if kind == "normal" else np.exp(random.normal(size=(6, 18)))
    assert EXACT < 18
    size = np.sqrt((terms**2).sum(axis=1))
    half = np.array(list(product((1.0, -1.0), repeat=9))).T
    for steps in (0.5, 1.6, 2.5, 3.2):
        found, _ = p_values(steps * size, terms, np.zeros(6))
        for p, row, far in zip(found, terms, steps * size, strict=True):
            literal = ((row[:9] @ half)[:, None] + row[9:] @ half >= far).mean()
            assert p == pytest.approx(literal, rel=0.05, abs=2e-5)


def test_both_sides_are_as_precise():
    terms = np.random.default_rng(5).normal(size=(4, 100))
    far = np.array([4.0, 20.0, 60.0, 90.0])
    greater, less = p_values(far, terms, np.zeros(4))
    turned = p_values(-far, terms, np.zeros(4))
    assert turned[1].tolist() == greater.tolist()
    assert turned[0].tolist() == less.tolist()
    assert (np.diff(greater) < 0).all()
    assert greater[-1] < 1e-12


def test_nothing_is_smaller_than_half_of_one_exchange():
    for units in (3, EXACT):
        terms, far = np.ones((2, units)), np.array([float(units), 9.0 * units])
        assert p_values(far, terms, np.zeros(2))[0].tolist() == [smallest(units)] * 2 == [0.5 ** (units + 1)] * 2
        assert p_values(-far, terms, np.zeros(2))[1].tolist() == [smallest(units)] * 2
    assert p_values(np.array([1e9]), np.ones((1, 30)), np.ones(1))[0][0] == smallest(30) == 0.5**31
    assert smallest(10_000) > 0


def test_sums_of_few_signs_have_short_tails():
    terms = np.array([[3.0, 1.0, -2.0, 0.5]])
    sums = np.array(list(product((1, -1), repeat=4))) @ terms[0]
    assert excess(terms, np.zeros(1))[0] == pytest.approx(stats.kurtosis(sums))
    # A normal variable beside them makes up for it.
    assert excess(terms, np.array([1e9]))[0] == pytest.approx(0, abs=1e-12)
    assert excess(np.zeros((1, 4)), np.zeros(1)).tolist() == [0]
