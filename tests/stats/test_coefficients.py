"""Coefficients worked by hand, at every level, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.kernels.weighted_ranks import correlate, ratio
from metassay.stats.levels import average_defined
from metassay.stats.statistics.registry import find
from properties.cases import engine

COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")

X = [1.0, 2.0, 2.0, 3.0]
Z = [1.0, 3.0, 2.0, 3.0]
# Six pairs. (1,2) (1,3) (1,4) (3,4) agree, (2,3) is tied in X, (2,4) is tied in Z: C − D = 4.
# tau-b: 4 / √((6 − 1)(6 − 1)) = .8
# tau-a: 4 / 6
# tau-c: three distinct values on either side: 2·4 / (4²·(3 − 1)/3) = 8 / (32/3) = .75
# Spearman: ranks 1, 2.5, 2.5, 4 and 1, 3.5, 2, 3.5; less 2.5: −1.5, 0, 0, 1.5 and −1.5, 1, −.5, 1;
#   (2.25 + 1.5) / √(4.5 · 4.5) = 3.75 / 4.5
# Pearson: X less 2: −1, 0, 0, 1; Z less 2.25: −1.25, .75, −.25, .75; (1.25 + .75) / √(2 · 2.75)
BY_HAND = {
    "kendall": 0.8,
    "kendall-a": 4 / 6,
    "kendall-c": 0.75,
    "spearman": 3.75 / 4.5,
    "pearson": 2 / np.sqrt(2 * 2.75),
}


def estimate(x, z, level, coefficient):
    r, undefined = find(coefficient).prepare(np.array([x], dtype=float), np.array(z, dtype=float), level).estimate()
    return float(r[0]), int(undefined[0])


@pytest.mark.parametrize("which", ["short", "ordered"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_four_points_at_every_level(coefficient, which):
    column_x, column_z = np.array(X)[:, None], np.array(Z)[:, None]
    with engine(which):
        for level in ("system", "input", "global"):
            assert estimate(column_x, column_z, level, coefficient) == (pytest.approx(BY_HAND[coefficient]), 0)
        assert estimate([X], [Z], "within-system", coefficient) == (pytest.approx(BY_HAND[coefficient]), 0)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_four_points_under_weights(coefficient):
    # The third point twice and the last one never: X 1, 2, 2, 2 and Z 1, 3, 2, 2.
    # C − D: the first with each of three = 3. Untied in X 3, in Z 6 − 1 = 5.
    # tau-b 3/√15; tau-a 3/6; tau-c with min(2, 3) = 2 values: 2·3 / (16·1/2) = .75
    # Spearman: ranks less 2.5: −1.5, .5, .5, .5 and −1.5, 1.5, 0, 0; (2.25 + .75) / √(3 · 4.5)
    # Pearson: less 1.75: −.75, .25, .25, .25; less 2: −1, 1, 0, 0; (.75 + .25) / √(.75 · 2)
    wanted = {
        "kendall": 3 / np.sqrt(15),
        "kendall-a": 0.5,
        "kendall-c": 0.75,
        "spearman": 3 / np.sqrt(3 * 4.5),
        "pearson": 1 / np.sqrt(1.5),
    }
    weights = np.array([[1.0], [1.0], [2.0], [0.0]])
    x, z = np.array(X)[:, None], np.array(Z)[:, None]
    assert correlate([x], z, [weights], coefficient)[0, 0] == pytest.approx(wanted[coefficient])
    level = find(coefficient).prepare(x[None], z, "input")
    assert level.bootstrap(weights, None)[0, 0] == pytest.approx(wanted[coefficient])


def test_input_level_averages_over_inputs_and_within_system_level_over_systems():
    x = [[1, 3, 1], [2, 2, 2], [3, 1, 3]]
    z = [[1, 1, 1], [2, 2, 3], [3, 3, 2]]
    # inputs: 1, −1, and (1, 2, 3) with (1, 3, 2): C 2, D 1 → 1/3; average 1/9
    assert estimate(x, z, "input", "kendall") == (pytest.approx(1 / 9), 0)
    # systems: the first has constant human scores; (2, 2, 2) is constant; (3, 1, 3) with (3, 3, 2): pairs
    # (1,2) tied in Z, (1,3) tied in X, (2,3) disagrees: −1 / √(2 · 2)
    assert estimate(x, z, "within-system", "kendall") == (pytest.approx(-0.5), 2)


def test_system_level_takes_each_mean_over_its_own_cells():
    x = [[1, np.nan], [4, 2], [np.nan, 9]]  # means 1, 3, 9
    z = [[np.nan, 2], [1, np.nan], [3, 5]]  # means 2, 1, 4
    # pairs: (1,2) disagrees, (1,3) agrees, (2,3) agrees → 1/3
    assert estimate(x, z, "system", "kendall") == (pytest.approx(1 / 3), 0)


def test_means_that_are_equal_in_exact_arithmetic_are_tied():
    x = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]]
    assert np.mean(x[0]) != np.mean(x[1])  # the trap
    z = [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    # pairs: the first is tied in X, the others agree: 2 / √(2 · 3)
    assert estimate(x, z, "system", "kendall")[0] == pytest.approx(2 / np.sqrt(6))
    assert np.isnan(estimate(x[:2], z[:2], "system", "pearson")[0])


@pytest.mark.parametrize("which", ["short", "ordered"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_undefined_is_nan_and_counted_never_0(coefficient, which):
    varied = np.arange(12.0).reshape(4, 3) % 5
    constant = np.full((4, 3), 0.1)
    with engine(which):
        for level in ("system", "input", "global", "within-system"):
            groups = {"system": 0, "input": 3, "global": 1, "within-system": 4}[level]
            for x, z in ((constant, varied), (varied, constant)):
                r, undefined = estimate(x, z, level, coefficient)
                assert np.isnan(r)
                assert undefined == groups
            # Where there is no score at all nothing is undefined: it is missing.
            r, undefined = estimate(np.full((4, 3), np.nan), varied, level, coefficient)
            assert np.isnan(r)
            assert undefined == 0
        one_constant = varied.copy()
        one_constant[:, 1] = 0.3
        kept = np.delete(varied, 1, axis=1)
        r, undefined = estimate(one_constant, varied + np.eye(4, 3), "input", coefficient)
        assert undefined == 1
        assert r == pytest.approx(estimate(kept, np.delete(varied + np.eye(4, 3), 1, axis=1), "input", coefficient)[0])


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_one_known_cell_and_one_point(coefficient):
    lonely = np.full((3, 4), np.nan)
    lonely[1, 2] = 5.0
    full = np.arange(12.0).reshape(3, 4)
    for level in ("system", "input", "global", "within-system"):
        assert np.isnan(estimate(lonely, full, level, coefficient)[0])
        assert np.isnan(estimate([[1.0]], [[2.0]], level, coefficient)[0])


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_two_systems_agree_or_disagree(coefficient):
    for level in ("system", "input"):
        assert estimate([[1.0], [2.0]], [[3.0], [5.0]], level, coefficient)[0] == pytest.approx(1)
        assert estimate([[1.0], [2.0]], [[5.0], [3.0]], level, coefficient)[0] == pytest.approx(-1)


def test_a_resample_with_an_undefined_statistic_is_nan():
    x, z = np.array([[[1.0], [2.0], [3.0]]]), np.array([[1.0], [3.0], [2.0]])
    systems = np.array([[3.0, 1.0], [0.0, 1.0], [0.0, 1.0]])  # the first system three times; each once
    for level in ("system", "input", "global"):
        r = find("kendall").prepare(x, z, level).bootstrap(systems, None)[0]
        assert np.isnan(r[0])
        assert r[1] == pytest.approx(1 / 3)


def test_average_leaves_out_what_is_undefined():
    within = np.array([[0.5, np.nan], [0.1, np.nan], [np.nan, np.nan]])
    weights = np.array([[2.0, 1.0], [1.0, 1.0], [5.0, 1.0]])
    # (2·.5 + 1·.1) / 3; nothing is left of the second draw
    np.testing.assert_allclose(average_defined(within, weights), [1.1 / 3, np.nan])
    np.testing.assert_allclose(average_defined(within, None), [0.3, np.nan])
    # All weight may lie on what is undefined.
    assert np.isnan(average_defined(within[:, :1], np.array([[0.0], [0.0], [3.0]])))
    np.testing.assert_allclose(average_defined(within[:2, :1], weights[:2, :1]), [1.1 / 3])


def test_ratio_stays_within_its_bounds():
    top, bottom = np.array([1.0 + 1e-15, -2.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, -1.0])
    np.testing.assert_array_equal(ratio(top, bottom), [1.0, -1.0, np.nan, np.nan])
