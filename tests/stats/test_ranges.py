"""Whether numbers of two origins lie in one range."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.ranges import same_range

GRADES = np.array([1.0, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("values", "same"),
    [
        (GRADES, True),
        (np.array([3.5, 4, 5]), True),  # a lenient judge
        (np.array([0.5, 2, 4, 5.2]), True),
        (GRADES / 5, False),
        (20 * (GRADES - 1), False),
        (GRADES + 100, False),
        (np.array([np.nan, np.nan]), True),
    ],
)
def test_ranges(values, same):
    assert same_range(values, GRADES) is same


def test_units_and_missing_values_do_not_matter():
    holes = np.array([np.nan, *GRADES])
    assert same_range(1000 * holes, 1000 * GRADES)
    assert same_range(holes - 3, holes - 3)
