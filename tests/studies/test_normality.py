from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import metassay as ma

from .conftest import noted


def test_rows_on_the_example(example):
    result = ma.normality(example, alpha=0.1)
    names = [*example.humans, *example.metrics]
    assert [row.metric for row in result.table] == names
    assert [row.kind for row in result.table] == ["human"] * 2 + ["metric"] * (len(names) - 2)
    for row in result.table:
        matrix = example.matrix(row.metric)
        assert row.p_value == pytest.approx(stats.shapiro(np.nanmean(matrix, axis=1)).pvalue, rel=1e-6)
        columns = [column[~np.isnan(column)] for column in matrix.T]
        p = [stats.shapiro(column).pvalue for column in columns if len(column) > 2 and np.ptp(column) > 0]
        assert row.percent_rejected == pytest.approx(100 * np.mean(np.array(p) <= 0.1))
        assert (row.n_systems, row.n_inputs, row.n_undefined) == (14, len(p), 80 - len(p))
        assert row.alpha == 0.1
    assert dict(result.signature.parts) == {
        "study": "normality",
        "test": "shapiro-wilk",
        "alpha": "0.1",
        "systems": "14",
        "inputs": "80",
        "v": ma.__version__,
    }
    assert repr(result).startswith("Normality(10 rows; study:normality|")


def test_inputs_that_cannot_be_tested_are_counted(world):
    scores = world()
    x = scores.matrix("fair").copy()
    x[:, 0] = 0.5  # constant
    x[2:, 1] = np.nan  # two scores left
    (_, row) = ma.normality(ma.Scores.from_arrays({"fair": x}, {"human": scores.matrix("human")})).table
    assert (row.n_inputs, row.n_undefined) == (10, 2)


def test_constant_and_empty_metrics_are_undefined(world):
    z = world().matrix("human")
    scores = ma.Scores.from_arrays({"flat": np.full(z.shape, 0.1), "none": np.full(z.shape, np.nan)}, {"human": z})
    human, flat, none = ma.normality(scores).table
    assert not math.isnan(human.p_value)
    for row in (flat, none):
        assert math.isnan(row.p_value)
        assert math.isnan(row.percent_rejected)
        assert (row.n_inputs, row.n_undefined) == (0, 12)
    assert (flat.n_systems, none.n_systems) == (8, 0)


def test_means_that_differ_by_rounding_only_are_constant(world):
    x = np.array([[0.1, 0.2, 0.3, 0.7], [0.7, 0.3, 0.2, 0.1], [0.3, 0.1, 0.7, 0.2], [0.2, 0.7, 0.1, 0.3]])
    assert np.ptp(x.mean(axis=1)) > 0  # the trap
    row = ma.normality(ma.Scores.from_arrays({"m": x}, {"h": np.eye(4)})).table[1]
    assert math.isnan(row.p_value)


def test_references_are_left_out_unless_they_are_wanted(world):
    scores = world(groups={"system-1": "reference"})
    assert {row.n_systems for row in ma.normality(scores).table} == {7}
    assert {row.n_systems for row in ma.normality(scores, references=True).table} == {8}
    assert noted(ma.normality(scores), "references-excluded", n=1)
