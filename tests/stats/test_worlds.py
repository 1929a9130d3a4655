"""Worlds: what is drawn is what was asked for, and what is fitted is what was there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from metassay.stats.worlds import TEXTBOOK, Textbook, fit, variance_components


def components_of_two_way_anova(x, y):
    """Components by the textbook's mean products, with nothing missing."""
    n, m = x.shape
    rows = ((x.mean(1) - x.mean()) * (y.mean(1) - y.mean())).sum() * m / (n - 1)
    columns = ((x.mean(0) - x.mean()) * (y.mean(0) - y.mean())).sum() * n / (m - 1)
    rest = [v - v.mean(1, keepdims=True) - v.mean(0) + v.mean() for v in (x, y)]
    cells = (rest[0] * rest[1]).sum() / ((n - 1) * (m - 1))
    return (rows - cells) / m, (columns - cells) / n, cells


def test_components_of_complete_scores_are_those_of_the_analysis_of_variance():
    random = np.random.default_rng(2)
    # effects of each column's own keep all components away from the edge of what covariances can be
    quality, ease = random.normal(size=(1, 12, 1)), random.normal(size=(1, 1, 9))
    own, other = 2 * random.normal(size=(3, 12, 1)), 2 * random.normal(size=(3, 1, 9))
    values = quality + ease + own + other + random.normal(size=(3, 12, 9))
    found = variance_components(values)
    for a in range(3):
        for b in range(3):
            expected = components_of_two_way_anova(values[a], values[b])
            assert [part[a, b] for part in (found.systems, found.inputs, found.cells)] == pytest.approx(expected)


def test_components_are_recovered_where_cells_are_missing():
    # Means over 40 tables of 30 × 30 with a third of the cells missing: a variance of 4 of systems is known to
    # 4·√(2/29/40) = .17; four times that is the bound.
    random = np.random.default_rng(8)
    found = []
    for _ in range(40):
        table = 2 * random.normal(size=(30, 1)) + random.normal(size=(1, 30)) + 1.5 * random.normal(size=(30, 30))
        table[random.random(table.shape) < 1 / 3] = np.nan
        parts = variance_components(table[None])
        found.append([float(p[0, 0]) for p in (parts.systems, parts.inputs, parts.cells)])
    assert np.abs(np.mean(found, axis=0) - [4, 1, 2.25]).max() < 0.7
    assert np.mean(found, axis=0)[2] == pytest.approx(2.25, abs=0.1)


def test_components_of_too_few_scores_are_undefined():
    assert np.isnan(variance_components(np.ones((3, 1, 5))).systems).all()


def test_a_fitted_world_has_the_moments_of_what_it_was_fitted_to():
    random = np.random.default_rng(4)
    world = Textbook(systems=40, inputs=40, own=(0.6, 0.3), shared=0.4, noise=(1.0, 2.0), difficulty=0.5)
    x, y, z = (v[0] for v in world.draw(random, 1))
    z = np.clip(np.round(z), -2, 2)
    fitted = fit(x, y, z)
    drawn = fitted.draw(random, 60)
    # the grades are those that were given, as often as they were given
    assert set(np.unique(drawn[2])) <= set(np.unique(z))
    for grade in np.unique(z):
        assert (drawn[2] == grade).mean() == pytest.approx((z == grade).mean(), abs=0.04)
    # components of metrics come back; systems' variances are known to √(2/39/60) = 3 % of themselves
    again = [variance_components(np.stack([v[t] for v in drawn])) for t in range(60)]
    for name, close in (("systems", 0.15), ("inputs", 0.15), ("cells", 0.03)):
        mean = np.mean([getattr(each, name)[:2, :2] for each in again], axis=0)
        expected = getattr(fitted.components, name)[:2, :2]
        assert np.abs(mean - expected).max() < close * np.diag(expected).max() + 0.02


def test_metrics_made_equal_are_equally_good_and_keep_what_tells_them_apart():
    random = np.random.default_rng(6)
    world = Textbook(systems=60, inputs=30, own=(0.2, 1.0), noise=(1.0, 3.0))
    fitted = fit(*(v[0] for v in world.draw(random, 1)))
    equal = fitted.made_equal()
    assert not fitted.equal
    assert equal.equal
    means = equal.components.of_means(30)
    assert means[0, 2] == pytest.approx(means[1, 2])
    assert means[0, 0] == pytest.approx(means[1, 1])
    scale = np.sqrt(np.diag(fitted.components.of_means(30)))
    before = fitted.components.of_means(30) / np.outer(scale, scale)
    apart = [m[0, 0] + m[1, 1] - 2 * m[0, 1] for m in (before, means)]
    assert apart[0] == pytest.approx(apart[1])


def test_own_bias_is_found():
    # 400 systems: SDs of .5 and 1 are known to about 5 %
    world = Textbook(systems=400, inputs=50, own=(0.5, 1.0), human_noise=0.1)
    fitted = fit(*(v[0] for v in world.draw(np.random.default_rng(0), 1)))
    assert fitted.components.own_bias() == pytest.approx((0.5, 1.0), rel=0.25)


@pytest.mark.parametrize("name", ["equal: system bias 0.5", "equal: difficulty 1, outputs 1", "equal: heavy tails"])
def test_the_correlation_in_the_population_is_known(name):
    # 20,000 systems know a correlation of .9 to (1 − .81)/√20000 = .0014, with heavy tails to about twice that
    world = replace(TEXTBOOK[name], systems=20_000, inputs=10)
    x, _, z = world.draw(np.random.default_rng(1), 1)
    assert np.corrcoef(x[0].mean(1), z[0].mean(1))[0, 1] == pytest.approx(world.correlation(0), abs=0.012)
    assert math.isnan(replace(world, categories=5).correlation(0))


def test_the_grid_says_which_metrics_are_equal():
    assert [name for name, world in TEXTBOOK.items() if not world.equal] == [
        "differ: system bias 0.3 and 0.9",
        "differ: noise 1 and 4, shared bias 0.5",
        "differ: noise 1 and 6, bias 0.3",
        "differ: 8 systems, bias 0.3 and 0.9",
        "differ: 25 systems, bias 0.5 and 0.9",
    ]
    assert sum(name.startswith("equal: ") for name in TEXTBOOK) == len(TEXTBOOK) - 5
    assert TEXTBOOK["equal: 5 grades"].draw(np.random.default_rng(0), 1)[2].max() == 5
