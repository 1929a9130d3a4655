"""Every coefficient at every level, and the corrections, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.normality import shapiro_wilk
from metassay.stats.significance import corrected
from metassay.stats.statistics.registry import find
from properties import literal
from properties.cases import engine

SHAPES = [(2, 3), (3, 2), (5, 8), (16, 20), (24, 7), (100, 4)]


def data(kind, shape, seed):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=(3, *shape)), random.normal(size=shape)
    if kind != "smooth":
        x, z = np.round(x), np.round(2 * z) / 3
    if kind == "ties and gaps":
        x[random.random(x.shape) < 0.15] = np.nan
        z[random.random(shape) < 0.1] = np.nan
    return x, z


@pytest.mark.parametrize("kind", ["smooth", "ties", "ties and gaps"])
@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", literal.LEVELS)
@pytest.mark.parametrize("which", ["short", "ordered"])
def test_estimates(level, coefficient, kind, which):
    compared = 0
    for seed, shape in enumerate(SHAPES):
        x, z = data(kind, shape, seed)
        with engine(which):
            got, _ = find(coefficient).prepare(x, z, level).estimate()
        wanted = [literal.correlation(v, z, level, coefficient) for v in x]
        np.testing.assert_allclose(got, wanted, atol=1e-12, rtol=0)
        compared += int((~np.isnan(wanted)).sum())
    assert compared >= 12  # undefined equals undefined, but most must be numbers


@pytest.mark.parametrize("method", ["bh", "by"])
def test_false_discovery_rates(method):
    random = np.random.default_rng(0)
    for m in (1, 2, 5, 30, 200):
        for p in (random.random(m), random.random(m) ** 4, np.round(random.random(m), 1)):
            wanted = stats.false_discovery_control(p, method=method)
            np.testing.assert_allclose(corrected(p, method), wanted, atol=1e-12, rtol=0)


def test_bonferroni_and_holm_by_hand():
    p = np.array([0.04, 0.001, 0.3, 0.02, 0.02])
    # five tests: every p times 5, at most 1
    np.testing.assert_allclose(corrected(p, "bonferroni"), [0.2, 0.005, 1, 0.1, 0.1], rtol=1e-12)
    # in ascending order .001·5, .02·4, .02·3, .04·2, .3·1 = .005, .08, .06, .08, .3, none below the one before
    np.testing.assert_allclose(corrected(p, "holm"), [0.08, 0.005, 0.3, 0.08, 0.08], rtol=1e-12)


def test_shapiro_wilk():
    random = np.random.default_rng(1)
    for n in (3, 4, 5, 10, 11, 12, 50):
        for values in (random.normal(size=n), random.exponential(size=n), random.integers(0, 9, n) / 9):
            assert shapiro_wilk(values) == pytest.approx(stats.shapiro(values).pvalue, abs=1e-10)
