"""One metric against damaged copies: the p-values are those of `compare`."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.core import vocabulary
from metassay.stats.power import p_values


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
@pytest.mark.parametrize("test", vocabulary.METRIC_TESTS)
def test_p_values_are_those_of_compare(level, test):
    random = np.random.default_rng(5)
    z = random.normal(size=(7, 1)) + random.normal(size=(7, 6))
    x = z + random.normal(size=z.shape)
    damaged = x + np.array([0.5, 3.0])[:, None, None] * random.normal(size=(2, *z.shape))
    x[2, 3] = np.nan
    damaged[:, 4, 1] = np.nan
    for coefficient in ("pearson", "kendall"):
        found = p_values(x, damaged, z, level, coefficient, test, 60, 3)
        for t in range(2):
            scores = ma.Scores.from_arrays({"x": x, "y": damaged[t]}, {"z": z})
            options = {"level": level, "coefficient": coefficient, "test": test, "resamples": 60, "seed": 3}
            assert found[t] == pytest.approx(ma.compare(scores, **options).table[0].p_value, abs=1e-12)


def test_an_undefined_correlation_gives_no_p_value():
    z = np.arange(12.0).reshape(4, 3)
    damaged = np.stack([np.ones((4, 3)), z[::-1]])
    for test in vocabulary.METRIC_TESTS:
        p = p_values(z, damaged, z, "system", "pearson", test, 50, 0)
        assert np.isnan(p[0])
