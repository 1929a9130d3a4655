"""What must not matter: names, order, scale, and units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import metassay as ma
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.statistics.registry import find
from properties import literal
from properties.cases import REPEATABLE, cases, engine

RANKS = literal.COEFFICIENTS[1:]
GROUPED = ("input", "global", "within-system")


@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(case=cases(), coefficient=st.sampled_from(literal.COEFFICIENTS), which=st.sampled_from(["short", "ordered"]))
def test_permuting_systems_and_inputs_changes_no_estimate(case, level, coefficient, which):
    random = np.random.default_rng(case.seed)
    order = np.ix_(random.permutation(case.shape[0]), random.permutation(case.shape[1]))
    with engine(which):
        before = find(coefficient).prepare(case.x, case.z, level).estimate()
        after = find(coefficient).prepare(np.stack([v[order] for v in case.x]), case.z[order], level).estimate()
    np.testing.assert_allclose(after[0], before[0], atol=1e-12, rtol=0)
    assert after[1].tolist() == before[1].tolist()


@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(case=cases(metrics=1), coefficient=st.sampled_from(literal.COEFFICIENTS))
def test_metric_and_people_can_change_places(case, level, coefficient):
    there = find(coefficient).prepare(case.x, case.z, level).estimate()
    back = find(coefficient).prepare(case.z[None], case.x[0], level).estimate()
    np.testing.assert_allclose(back[0], there[0], atol=1e-12, rtol=0)


@pytest.mark.parametrize("level", GROUPED)
@REPEATABLE
@given(case=cases(), coefficient=st.sampled_from(RANKS), which=st.sampled_from(["short", "ordered"]))
def test_monotone_transforms_leave_rank_coefficients_alone(case, level, coefficient, which):
    with engine(which):
        before, _ = find(coefficient).prepare(case.x, case.z, level).estimate()
        after, _ = find(coefficient).prepare(np.exp(case.x), case.z**3, level).estimate()
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(
    case=cases(metrics=1),
    coefficient=st.sampled_from(literal.COEFFICIENTS),
    scale=st.sampled_from([0.01, 0.5, 3.0, 1000.0]),
    shift=st.sampled_from([0.0, -3.0, 20.0]),
)
def test_a_linear_change_of_scale_changes_nothing(case, level, coefficient, scale, shift):
    # A shift that is large beside the scores would round their differences away.
    changed = case.x * scale + shift * scale
    before, _ = find(coefficient).prepare(case.x, case.z, level).estimate()
    after, _ = find(coefficient).prepare(changed, case.z, level).estimate()
    assume(_same_ties(case.x, changed))
    np.testing.assert_allclose(after, before, atol=1e-12, rtol=0)


def _same_ties(a, b):
    return len(np.unique(a[~np.isnan(a)])) == len(np.unique(b[~np.isnan(b)]))


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", literal.LEVELS)
def test_very_large_and_very_small_scores_neither_overflow_nor_vanish(level, coefficient, factor):
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 6, 8)), random.normal(size=(6, 8))
    wanted, _ = find(coefficient).prepare(x, z, level).estimate()
    got, _ = find(coefficient).prepare(x * factor, z, level).estimate()
    np.testing.assert_allclose(got, wanted, atol=1e-12, rtol=0)
    got, _ = find(coefficient).prepare(x, z * factor, level).estimate()
    np.testing.assert_allclose(got, wanted, atol=1e-12, rtol=0)
    swaps = random.integers(0, 2, (6, 8, 3)).astype(np.uint8)
    plain, scaled = (
        find(coefficient).exchange(np.stack([standardize_cells(v) for v in values]), z, [(0, 1)], level)(swaps)
        for values in (x, x * factor)
    )
    np.testing.assert_allclose(scaled, plain, atol=1e-12, rtol=0)


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
def test_a_large_offset_costs_digits_but_no_more(coefficient):
    random = np.random.default_rng(1)
    x, z = random.normal(size=(1, 9, 9)), random.normal(size=(9, 9))
    for level in literal.LEVELS:
        wanted, _ = find(coefficient).prepare(x, z, level).estimate()
        got, _ = find(coefficient).prepare(x + 1e6, z, level).estimate()
        np.testing.assert_allclose(got, wanted, atol=1e-9, rtol=0)


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", literal.LEVELS)
def test_lower_is_better_turns_the_sign(level, coefficient):
    random = np.random.default_rng(2)
    x, z = random.normal(size=(5, 7)), random.integers(1, 5, (5, 7)).astype(float)
    options = {"level": level, "statistic": coefficient, "resamples": 50}
    plain = ma.agree(ma.Scores.from_arrays({"m": x}, {"h": z}), **options).table[0]
    turned_scores = ma.Scores.from_arrays({"m": x}, {"h": z}, lower_is_better=["m"])
    turned = ma.agree(turned_scores, **options).table[0]
    assert turned.estimate == pytest.approx(-plain.estimate, abs=1e-15)
    assert turned.low == pytest.approx(-plain.high, abs=1e-12)
    assert turned.high == pytest.approx(-plain.low, abs=1e-12)


def test_names_do_not_matter():
    random = np.random.default_rng(3)
    x, y, z = random.normal(size=(3, 5, 7))
    plain = ma.compare(ma.Scores.from_arrays({"a": x, "b": y}, {"h": z}), resamples=99)
    odd = ma.Scores.from_arrays(
        {"zz,\n": x, "<b>": y}, {"🙂": z}, systems=list("vwxyz"), inputs=[f'"{i}"' for i in range(7)]
    )
    for row, other in zip(plain.table, ma.compare(odd, resamples=99).table, strict=True):
        assert (row.p_value, row.estimate_a, row.estimate_b) == (other.p_value, other.estimate_a, other.estimate_b)
