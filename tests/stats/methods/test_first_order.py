"""Intervals from what cells do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.methods.first_order import Moves
from metassay.stats.statistics.scales import FisherScale


def of_mean(values, **units):
    """A mean of all cells is moved by their deviations."""
    known = ~np.isnan(values)
    return Moves.of_cells((values - np.nanmean(values)) / known.sum(), **units)


def test_systems_alone_give_the_interval_of_a_mean():
    effects = np.random.default_rng(0).normal(size=12)
    cells, middle = np.repeat(effects[:, None], 30, axis=1), float(effects.mean())
    half = stats.t.ppf(0.975, 10) * effects.std(ddof=1) / np.sqrt(12)
    assert of_mean(cells).reach(0.95) == pytest.approx(half)
    left = (effects.sum() - effects) / 11
    assert of_mean(cells, left=left).systems == pytest.approx(of_mean(cells).systems)
    # The side to which systems are skewed is the longer one.
    low, high = of_mean(cells).around(middle, 0.95)
    short, long = sorted((middle - low, high - middle))
    assert short == pytest.approx(half)
    assert long > half
    assert (high - middle > middle - low) == (stats.skew(effects) > 0)


def test_what_is_known_without_each_system_counts_where_it_is_defined():
    values = np.random.default_rng(4).normal(size=(7, 9))
    values[6] = np.nan
    first = of_mean(values)
    left = np.array([0.5, 0.2, np.nan, 0.3, 0.1, 0.4, np.nan])
    found = of_mean(values, left=left).systems
    assert found[2] == first.systems[2]
    assert found[6] == 0
    assert found[[0, 1, 3, 4, 5]] == pytest.approx(np.sqrt(5 / 6) * (0.3 - left[[0, 1, 3, 4, 5]]))


def test_systems_and_inputs_add_up_and_cells_count_once():
    random = np.random.default_rng(1)
    n, m, found = 20, 40, []
    for _ in range(400):
        cells = random.normal(size=(n, 1)) + random.normal(size=(1, m)) + random.normal(size=(n, m))
        low, high = of_mean(cells).around(float(cells.mean()), 0.9)
        found.append((low < 0 < high, high - low))
    covered, width = np.mean(found, axis=0)
    assert covered == pytest.approx(0.9, abs=0.04)
    true = np.sqrt(1 / n + 1 / m + 1 / (n * m))
    assert width == pytest.approx(2 * stats.t.ppf(0.95, 30) * true, rel=0.05)


def test_families_and_clusters_count_as_one():
    values = np.random.default_rng(2).normal(size=(6, 8))
    doubled = np.repeat(np.repeat(values, 2, axis=0), 3, axis=1)
    units = {"families": np.repeat(np.arange(6), 2), "clusters": np.repeat(np.arange(8), 3)}
    assert of_mean(doubled, **units).reach(0.95) == pytest.approx(of_mean(values).reach(0.95))


def test_sums_and_scales_and_too_few_systems():
    values = np.random.default_rng(3).normal(size=(10, 15))
    values[2, 3] = np.nan
    moves = of_mean(values)
    assert Moves.of_sum([(2.0, moves), (-1.0, moves)]).reach(0.9) == pytest.approx(moves.reach(0.9))
    low, high = moves.around(0.9, 0.95, FisherScale())
    assert 0.9 - low > high - 0.9
    assert high < 1
    assert np.isnan(of_mean(values[:4]).reach(0.95))
    left = Moves.of_left_out(0.5, np.full(8, 0.5), np.full(9, 0.5))
    assert left.around(0.5, 0.95) == (0.5, 0.5)
