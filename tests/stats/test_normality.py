from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.normality import shapiro_wilk


def test_shapiro_wilk_of_the_example_in_the_original_paper():
    # Shapiro and Wilk (1965), example 1: weights of eleven men, W = .79, p below .01
    weights = np.array([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236], dtype=float)
    assert stats.shapiro(weights).statistic == pytest.approx(0.79, abs=0.005)
    assert shapiro_wilk(weights[None])[0] == pytest.approx(0.0067, abs=5e-4)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.1] * 9, [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6]])
def test_too_few_or_constant_values_are_undefined(values):
    assert np.isnan(shapiro_wilk(np.array([values]))).all()


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_the_unit_of_the_scores_does_not_matter(factor):
    values = np.random.default_rng(0).exponential(size=20)
    assert shapiro_wilk(values[None] * factor)[0] == pytest.approx(stats.shapiro(values).pvalue, rel=1e-7)


def test_rows_with_missing_values_are_tested_by_themselves():
    values = np.random.default_rng(1).normal(size=(4, 15))
    values[1, 3:7] = values[2, 2:] = np.nan
    found = shapiro_wilk(values)
    expected = [stats.shapiro(row[~np.isnan(row)]).pvalue for row in values[[0, 1, 3]]]
    assert np.isnan(found[2])
    assert found[[0, 1, 3]] == pytest.approx(expected, rel=1e-7)
