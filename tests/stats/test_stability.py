from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.levels import Means
from metassay.stats.stability import Rankings, SamplePages, sample_means, spread
from metassay.stats.statistics.registry import find
from properties import literal


def matrix(missing=0.0, seed=0, shape=(7, 13)):
    random = np.random.default_rng(seed)
    values = random.normal(size=(shape[0], 1)) + random.normal(size=shape) + 5
    values[random.random(shape) < missing] = np.nan
    return values


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_samples_equal_literal_copies_with_the_same_indices(coefficient, missing):
    columns = [matrix(missing, seed) for seed in (1, 2)]
    first, second = SamplePages(6, 13, 4, seed=9)[0]
    got = Rankings(np.stack(columns), find(coefficient)).correlate(first, second)
    for b in range(6):
        for at, values in enumerate(columns):
            means = [
                np.array([literal.mean(row) for row in values[:, literal.taken(sample[:, b])]]).round(11)
                for sample in (first, second)
            ]
            assert got[at, b] == pytest.approx(literal.vectors(*means, coefficient), nan_ok=True)


def test_the_two_samples_have_their_size_and_are_independent():
    pages = SamplePages(1000, 20, 50, seed=0)
    first, second = pages[0]
    assert (first.sum(axis=0) == 50).all()
    assert (second.sum(axis=0) == 50).all()
    assert abs(np.corrcoef(first, second)[:20, 20:]).max() < 0.15
    other, _ = SamplePages(1000, 20, 49, seed=0)[0]
    assert abs(np.corrcoef(first, other)[:20, 20:]).max() < 0.15, "sizes have draws of their own"


@pytest.mark.parametrize("missing", [0.0, 0.8])
def test_spread_equals_literal_copies(missing):
    values = matrix(missing) * 1e-6 + 1e3
    weights, _ = SamplePages(400, 13, 13, seed=3)[0]
    means = Means(values)
    samples = sample_means(means, weights)
    found = spread(means, samples, 0.9)
    copies = np.array([[literal.mean(row[literal.taken(w)]) for w in weights.T] for row in values])
    for s, row in enumerate(copies):
        known = row[~np.isnan(row)]
        assert found.undefined[s] == np.isnan(row).sum()
        assert found.estimate[s] == pytest.approx(literal.mean(values[s]), rel=1e-14)
        assert (found.low[s], found.high[s]) == pytest.approx(tuple(np.quantile(known, [0.05, 0.95])), rel=1e-14)
        # a variance of 1e-13 beside a mean of 1e3: copies lose most of it to rounding
        assert found.variance[s] == pytest.approx(np.var(known - known[0], ddof=1), rel=1e-2)


def test_a_row_without_scores_is_undefined():
    values = matrix()
    values[2] = np.nan
    means = Means(values)
    found = spread(means, sample_means(means, np.ones((13, 5))), 0.95)
    assert np.isnan([found.estimate[2], found.low[2], found.high[2], found.variance[2]]).all()
    assert found.undefined.tolist() == [0, 0, 5, 0, 0, 0, 0]
