import math

import pytest

from metassay.report import numbers

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.58349, "0.583"), (-0.5, "-0.500"), (-0.0004, "0.000"), (-0.0, "0.000"), (1, "1.000"), (NAN, "–")],
)
def test_correlation(value, shown):
    assert numbers.correlation(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.214, "0.21"), (0.004, "0.004"), (-0.0049, "-0.005"), (0.0, "0.00"), (-0.00001, "0.00"), (NAN, "–")],
)
def test_bounds_keep_their_side_of_zero(value, shown):
    assert numbers.bound(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "<.001"),
        (0.00099, "<.001"),
        (0.001, ".001"),
        (0.0496, ".050"),
        (0.21, ".210"),
        (0.99949, ".999"),
        (1.0, ">.999"),
        (NAN, "–"),
    ],
)
def test_p_value(value, shown):
    assert numbers.p_value(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (0.001, "<1%"), (0.21, "21%"), (0.996, ">99%"), (1, "100%"), (NAN, "–")],
)
def test_percent_is_exact_at_its_ends(share, shown):
    assert numbers.percent(share) == shown


def test_percent_range():
    assert numbers.percent_range(0.21, 0.1, 0.4) == "21% [10–40%]"
    assert numbers.percent_range(0.21, NAN, NAN) == "21% [–, –]"
    assert numbers.percent_range(NAN, NAN, NAN) == "–"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.123"),
        (0.00001234, "1.2e-05"),
        (123.456, "123.5"),
        (12345.6, "12,346"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (NAN, "–"),
    ],
)
def test_general(value, shown):
    assert numbers.general(value) == shown


def test_intervals_stand_under_each_other():
    first, second, third = numbers.with_intervals([(0.5, 0.2, 0.8), (-0.5, -0.25, 0.8), (NAN, NAN, NAN)])
    assert first == " 0.500 [ 0.20, 0.80]"
    assert second == "-0.500 [-0.25, 0.80]"
    assert third == "–"


def test_an_undefined_interval_is_shown_as_such():
    assert numbers.with_intervals([(0.5, NAN, NAN)]) == ["0.500 [–, –]"]
