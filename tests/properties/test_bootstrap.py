"""Multiplicities equal literal resampling: a resample need not be copied to be evaluated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.stats.draws import BootstrapPages
from metassay.stats.statistics.registry import find
from properties import literal
from properties.cases import REPEATABLE, cases, engine

ENGINES = ("short", "ordered")
BOOTSTRAPS = {"boot-systems": (True, False), "boot-inputs": (False, True), "boot-both": (True, True)}
LOOK_AT = 4
"""How many resamples of a page are copied literally."""


def assert_resamples(case, level, coefficient, bootstrap, seed=0):
    resample_systems, resample_inputs = BOOTSTRAPS[bootstrap]
    pages = BootstrapPages(
        LOOK_AT, case.shape, seed, resample_systems=resample_systems, resample_inputs=resample_inputs
    )
    systems, inputs = pages[0]
    got = find(coefficient).prepare(case.x, case.z, level).bootstrap(systems, inputs)
    assert got.shape == (len(case.x), pages.size)
    for b in range(LOOK_AT):
        rows = None if systems is None else systems[:, b]
        columns = None if inputs is None else inputs[:, b]
        wanted = [literal.resampled(x, case.z, rows, columns, level, coefficient) for x in case.x]
        np.testing.assert_allclose(got[:, b], wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("bootstrap", BOOTSTRAPS)
@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(
    case=cases(),
    coefficient=st.sampled_from(literal.COEFFICIENTS),
    which=st.sampled_from(ENGINES),
    seed=st.integers(0, 99),
)
def test_weights_equal_copies(case, level, coefficient, bootstrap, which, seed):
    with engine(which):
        assert_resamples(case, level, coefficient, bootstrap, seed)


@pytest.mark.parametrize("level", literal.LEVELS)
@REPEATABLE
@given(case=cases(), coefficient=st.sampled_from(literal.COEFFICIENTS), which=st.sampled_from(ENGINES))
def test_estimates_equal_the_definition_and_count_what_is_undefined(case, level, coefficient, which):
    with engine(which):
        got, undefined = find(coefficient).prepare(case.x, case.z, level).estimate()
    wanted = [literal.correlation(x, case.z, level, coefficient) for x in case.x]
    np.testing.assert_allclose(got, wanted, atol=1e-12, rtol=0)
    if level in ("input", "within-system"):
        apart = [literal.within(x, case.z, level, coefficient) for x in case.x]
        across = 0 if level == "input" else 1
        shared = [(~np.isnan(x + case.z)).any(axis=across) for x in case.x]
        assert undefined.tolist() == [int((np.isnan(r) & s).sum()) for r, s in zip(apart, shared, strict=True)]


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", literal.LEVELS)
def test_many_systems(level, coefficient):
    random = np.random.default_rng(70)
    x, z = random.integers(0, 9, (2, 70, 5)) / 9, random.normal(size=(70, 5))
    x[random.random(x.shape) < 0.1] = np.nan
    assert_resamples(_case(x, z), level, coefficient, "boot-both")


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
def test_many_inputs_within_systems(coefficient):
    random = np.random.default_rng(200)
    x, z = random.normal(size=(1, 4, 200)), random.integers(1, 6, (4, 200)).astype(float)
    z[random.random(z.shape) < 0.1] = np.nan
    assert_resamples(_case(x, z), "within-system", coefficient, "boot-inputs")


def _case(x, z):
    from properties.cases import Case

    return Case(x, z, 0)
