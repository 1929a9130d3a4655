"""System means over other inputs for metrics than for people."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.draws import BootstrapPages, multiplicities, stream
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.statistics.registry import find
from properties import literal

COEFFICIENTS = literal.COEFFICIENTS


def data(missing=0.0, systems=6, scored=11, judged=4, seed=3):
    random = np.random.default_rng(seed)
    quality = random.normal(size=(systems, 1))
    x = quality + random.normal(size=(2, systems, scored))
    z = np.round(quality + random.normal(size=(systems, judged)), 1)
    x[random.random(x.shape) < missing] = np.nan
    z[random.random(z.shape) < missing] = np.nan
    return x, z


def literally(x, z, rows, scored, judged, coefficient):
    """Copy rows and columns as often as they were drawn, the inputs of metrics and of people each for themselves."""
    means = [np.array([literal.mean(row) for row in m[np.ix_(rows, at)]]) for m, at in ((x, scored), (z, judged))]
    if coefficient != "pearson":
        means = [np.round(m, 11) for m in means]
    return literal.vectors(*means, coefficient)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(("systems", "inputs"), [(True, False), (False, True), (True, True)])
def test_multiplicities_equal_literal_resampling_of_both_sets(coefficient, missing, systems, inputs):
    x, z = data(missing)
    pages = BootstrapPages(5, (6, 11), 7, resample_systems=systems, resample_inputs=inputs, annotated=4)
    rows, columns = pages[0]
    got = find(coefficient).prepare(x, z, "system", paired=False).bootstrap(rows, columns)
    for b in range(5 if systems or inputs else 1):
        taken = np.arange(6) if rows is None else literal.taken(rows[:, b])
        scored = np.arange(11) if columns is None else literal.taken(columns[:11, b])
        judged = np.arange(4) if columns is None else literal.taken(columns[11:, b])
        expected = [literally(m, z, taken, scored, judged, coefficient) for m in x]
        np.testing.assert_allclose(got[:, b], expected, atol=1e-11)


def test_both_sets_are_drawn_whole_and_independently():
    pages = BootstrapPages(2000, (3, 30), 0, resample_systems=False, annotated=30)
    _, inputs = pages[0]
    assert inputs.shape == (60, pages.size)
    assert (inputs[:30].sum(axis=0) == 30).all()
    assert (inputs[30:].sum(axis=0) == 30).all()
    together = np.corrcoef(inputs)[:30, 30:]
    assert abs(together).max() < 0.15  # 900 correlations of 1,024 pairs, each with standard error 0.03


def test_people_are_drawn_as_they_are_without_more_inputs_for_metrics():
    paired = BootstrapPages(100, (5, 8), 4)
    apart = BootstrapPages(100, (5, 70), 4, annotated=8)
    np.testing.assert_array_equal(paired[0][0], apart[0][0])
    np.testing.assert_array_equal(paired[0][1], apart[0][1][70:])


def test_a_sample_may_have_another_size():
    counts = multiplicities(stream(0, 0, 0), 7, 50, 30)
    assert counts.shape == (7, 50)
    assert (counts.sum(axis=0) == 30).all()
    np.testing.assert_array_equal(multiplicities(stream(0, 0, 0), 7, 50, 7), multiplicities(stream(0, 0, 0), 7, 50))


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_exchanges_act_on_the_inputs_of_the_metrics(coefficient):
    x, z = data()
    x = np.stack([standardize_cells(m) for m in x])
    swaps = np.random.default_rng(0).integers(0, 2, size=(6, 11, 3)).astype(np.uint8)
    left, right = find(coefficient).exchange(x, z, [(0, 1)], "system")(swaps)
    every = [np.arange(n) for n in (6, 11, 4)]
    for b in range(3):
        one, other = np.where(swaps[..., b], x[1], x[0]), np.where(swaps[..., b], x[0], x[1])
        assert left[0, b] == pytest.approx(literally(one, z, *every, coefficient))
        assert right[0, b] == pytest.approx(literally(other, z, *every, coefficient))
