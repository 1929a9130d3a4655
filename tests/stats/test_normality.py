from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats.normality import shapiro_wilk


def test_shapiro_wilk_of_the_example_in_the_original_paper():
    # Shapiro and Wilk (1965), example 1: weights of eleven men, W = .79, p below .01
    weights = np.array([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236], dtype=float)
    assert stats.shapiro(weights).statistic == pytest.approx(0.79, abs=0.005)
    assert shapiro_wilk(weights) == pytest.approx(0.0067, abs=5e-4)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.1] * 9, [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6]])
def test_too_few_or_constant_values_are_undefined(values):
    assert math.isnan(shapiro_wilk(np.array(values)))


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_the_unit_of_the_scores_does_not_matter(factor):
    values = np.random.default_rng(0).exponential(size=20)
    assert shapiro_wilk(values * factor) == pytest.approx(stats.shapiro(values).pvalue, rel=1e-9)
