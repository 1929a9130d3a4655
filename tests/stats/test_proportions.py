"""Shares of trials: intervals, and which is nearest to what was promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from metassay.stats.proportions import Rate, nearest, wilson


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (950, 1000), (1, 7)])
def test_wilson_is_that_of_scipy(hits, trials):
    ours = wilson(hits, trials, 0.9)
    theirs = binomtest(hits, trials).proportion_ci(0.9, method="wilson")
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_without_trials_is_undefined():
    assert all(math.isnan(end) for end in wilson(0, 0))


def test_the_nearest_must_be_established():
    # .93 and .90 of 1,000: (.05 − .02) / √(.93·.07/1000 + .90·.10/1000) = .03/.01245 = 2.41, so p = .008
    assert nearest([0.93, 0.90], [1000, 1000], 0.95) == 0
    # of 200: 2.41/√5 = 1.08, so p = .14
    assert nearest([0.93, 0.90], [200, 200], 0.95) is None
    # on the other side of the target: .98 is .03 away, .90 is .05 away; .02/√(.0000196 + .00009) = 1.91, p = .028
    assert nearest([0.90, 0.98], [1000, 1000], 0.95) == 1


def test_what_contains_everything_takes_no_part():
    assert nearest([1.0, 0.88, 0.72], [1000] * 3, 0.95) == 1
    assert nearest([1.0, 1.0], [1000] * 2, 0.95) is None
    assert nearest([math.nan, 0.6, 0.5], [0, 1000, 1000], 0.95) == 1
    assert nearest([1.0, 0.6], [1000] * 2, 0.95) is None  # nothing to be compared with
    assert nearest([0.0, 0.0], [10, 10], 0.95) is None  # equally far


def test_a_rate_counts_what_is_defined_only():
    found = Rate.of(np.array([1.0, 0.0, np.nan, 1.0]))
    assert (found.rate, found.trials, found.n_undefined) == (2 / 3, 3, 1)
    assert (found.low, found.high) == wilson(2, 3)
    never = Rate.of(np.full(2, np.nan))
    assert math.isnan(never.rate)
    assert math.isnan(never.low)
    assert (never.trials, never.n_undefined) == (0, 2)
