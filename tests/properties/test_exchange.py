"""Swaps as weights equal literal swaps: exchanged scores need not be copied to be correlated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.stats.draws import SwapPages
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.statistics.registry import find
from properties import literal
from properties.cases import REPEATABLE, cases, engine

ENGINES = ("short", "ordered")
UNITS = ("systems", "inputs", "both")
PAIRS = [(0, 1), (0, 2), (2, 1)]
LOOK_AT = 3


def assert_swaps(x, z, level, coefficient, unit, seed=0):
    x = np.stack([standardize_cells(v) for v in x])
    swaps = SwapPages(LOOK_AT, z.shape, seed, unit)[0]
    left, right = find(coefficient).exchange(x, z, PAIRS, level)(swaps)
    assert left.shape == right.shape == (len(PAIRS), swaps.shape[-1])
    for b in range(LOOK_AT):
        for at, (i, j) in enumerate(PAIRS):
            wanted = literal.exchanged(x[i], x[j], z, swaps[:, :, b], level, coefficient)
            np.testing.assert_allclose((left[at, b], right[at, b]), wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(
    case=cases(metrics=3, same_gaps=True),
    coefficient=st.sampled_from(literal.COEFFICIENTS),
    which=st.sampled_from(ENGINES),
    seed=st.integers(0, 99),
)
def test_weights_equal_copies(case, level, coefficient, unit, which, seed):
    with engine(which):
        assert_swaps(case.x, case.z, level, coefficient, unit, seed)


@pytest.mark.parametrize("which", ENGINES)
@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
def test_values_that_two_metrics_share_are_tied_after_a_swap(coefficient, which):
    # The same grades, differently arranged, have the same mean and spread: standardised they still coincide.
    random = np.random.default_rng(3)
    grades = np.repeat([1.0, 2.0, 3.0, 4.0], 12)
    x = np.stack([random.permutation(grades).reshape(8, 6) for _ in range(3)])
    with engine(which):
        assert_swaps(x, random.normal(size=(8, 6)), "input", coefficient, "both")
        assert_swaps(x, random.permutation(grades).reshape(8, 6), "global", coefficient, "both")


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", ["input", "global"])
def test_more_systems_than_fit_the_short_engine(level, coefficient):
    random = np.random.default_rng(4)
    x = np.round(random.normal(size=(3, 110, 3)), 1)
    assert_swaps(x, random.integers(1, 6, (110, 3)).astype(float), level, coefficient, "both")


@pytest.mark.parametrize("level", ["input", "within-system"])
def test_a_constant_group_stays_undefined_wherever_it_is_swapped_to(level):
    # Sums of the swapped metric are differences of sums; what is left of a constant must not look like variance.
    random = np.random.default_rng(5)
    x = random.normal(size=(3, 20, 20))
    x[0, :, 0] = x[0, :, 1:].mean() + 1e-3
    x[1, 3, :] = x[1, 4:].mean() - 1e-3
    z = random.normal(size=(20, 20))
    for unit in ("inputs", "systems"):
        assert_swaps(x, z, level, "pearson", unit)


def test_no_swap_is_the_data_itself_and_swapping_all_is_the_other_metric():
    random = np.random.default_rng(6)
    x, z = np.stack([standardize_cells(v) for v in random.normal(size=(2, 7, 9))]), random.normal(size=(7, 9))
    for level in literal.LEVELS:
        exchange = find("kendall").exchange(x, z, [(0, 1)], level)
        kept = exchange(np.zeros((7, 9, 1), dtype=np.uint8))
        moved = exchange(np.ones((7, 9, 1), dtype=np.uint8))
        assert kept[0] == moved[1]
        assert kept[1] == moved[0]
        assert kept[0].item() == pytest.approx(literal.correlation(x[0], z, level, "kendall"), abs=1e-12)


def test_metrics_without_a_common_cell_are_undefined_and_nothing_warns():
    x, z = np.full((2, 4, 5), np.nan), np.ones((4, 5))
    for level in literal.LEVELS:
        for coefficient in literal.COEFFICIENTS:
            left, right = find(coefficient).exchange(x, z, [(0, 1)], level)(np.zeros((4, 5, 2), dtype=np.uint8))
            assert np.isnan(left).all()
            assert np.isnan(right).all()


def test_standardised_cells_have_mean_0_and_spread_1_and_keep_their_gaps():
    x = np.array([[1.0, np.nan], [3.0, 5.0]])
    # mean 3, squared deviations 4, 0, 4, so the spread is √(8/3)
    np.testing.assert_allclose(standardize_cells(x), [[-2 / np.sqrt(8 / 3), np.nan], [0, 2 / np.sqrt(8 / 3)]])
    assert standardize_cells(np.full((2, 2), 0.1)).tolist() == [[0, 0], [0, 0]]
