"""Long vectors under weights: ties and few levels change nothing."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.stats.kernels import fixed_order, kendall_blocks, running_sums
from metassay.stats.kernels.fixed_order import Ordered
from properties import literal
from properties.cases import REPEATABLE, same

RANKS = literal.COEFFICIENTS[1:]


def sides(random, n):
    """Return vectors whose order is laid out in every way the code distinguishes."""
    smooth = random.normal(size=n)
    return {
        "all different": smooth,
        "two levels": random.integers(0, 2, n).astype(float),
        "five levels": random.integers(1, 6, n).astype(float),
        "many levels, all tied": random.integers(0, max(2, n // 3), n).astype(float),
        "one large tie": np.where(random.random(n) < 0.6, 0.0, smooth),
        "two large ties and runs": np.clip(np.round(smooth, 2), -0.5, 0.5),
        "sorted": np.sort(smooth),
        "one apart": np.append(np.zeros(n - 1), 1.0),
        "constant": np.zeros(n),
    }


SIDES = list(sides(np.random.default_rng(0), 8))


def weights(random, n, draws):
    return random.multinomial(n, np.full(n, 1 / n), size=draws).T.astype(float)


def assert_literal(x, z, w, coefficient):
    got = Ordered(x, z).correlate(w, len(x), coefficient)
    for b in range(w.shape[1]):
        at = literal.taken(w[:, b])
        wanted = literal.vectors(x[at], z[at], coefficient)
        np.testing.assert_allclose(got[b], wanted, atol=1e-12, rtol=0)


@pytest.mark.parametrize("side_z", SIDES)
@pytest.mark.parametrize("side_x", SIDES)
def test_every_layout_on_either_side(side_x, side_z):
    random = np.random.default_rng(1)
    for n in (9, 40, 260):
        x, z = sides(random, n)[side_x], sides(random, n)[side_z]
        w = weights(random, n, 3)
        for coefficient in RANKS:
            assert_literal(x, z, w, coefficient)


@REPEATABLE
@given(
    n=st.integers(2, 400),
    seed=st.integers(0, 1000),
    side_x=st.sampled_from(SIDES),
    side_z=st.sampled_from(SIDES),
    coefficient=st.sampled_from(RANKS),
)
def test_any_length(n, seed, side_x, side_z, coefficient):
    random = np.random.default_rng(seed)
    assert_literal(sides(random, n)[side_x], sides(random, n)[side_z], weights(random, n, 2), coefficient)


@pytest.mark.parametrize("coefficient", RANKS)
def test_long_vectors_with_few_values_on_both_sides_one_side_and_none(coefficient):
    random = np.random.default_rng(2)
    n = 1500
    made = sides(random, n)
    for x, z in (
        ("five levels", "two levels"),
        ("all different", "five levels"),
        ("many levels, all tied", "all different"),
        ("one large tie", "two large ties and runs"),
    ):
        assert_literal(made[x], made[z], weights(random, n, 2), coefficient)


@pytest.mark.parametrize("coefficient", RANKS)
def test_single_precision_gives_the_bytes_of_double_precision(coefficient):
    random = np.random.default_rng(3)
    for n in (50, 900, 4000):
        made = sides(random, n)
        w = weights(random, n, 3)
        for name in ("all different", "five levels", "one large tie"):
            pair = Ordered(made["two large ties and runs"], made[name])
            single = pair.correlate(w, n, coefficient)
            with patch.object(running_sums, "EXACT", 0):
                assert same(pair.correlate(w, n, coefficient), single)


@pytest.mark.parametrize("coefficient", RANKS)
def test_the_number_of_draws_handled_at_once_changes_no_byte(coefficient):
    random = np.random.default_rng(4)
    x, z, w = random.normal(size=300), random.integers(0, 40, 300) / 7, weights(random, 300, 100)
    pair = Ordered(x, z)
    whole = pair.correlate(w, 300, coefficient)
    with patch.object(fixed_order, "SLICE", 1), patch.object(kendall_blocks, "SLICE", 1):
        assert same(pair.correlate(w, 300, coefficient), whole)
    assert same(np.concatenate([pair.correlate(w[:, [b]], 300, coefficient) for b in range(100)]), whole)


@pytest.mark.parametrize("coefficient", RANKS)
@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_points_are_undefined(n, coefficient):
    empty = Ordered(np.ones(n), np.ones(n))
    assert np.isnan(empty.correlate(np.ones((n, 3)), n, coefficient)).tolist() == [True] * 3


def test_a_draw_that_takes_one_value_only_is_undefined():
    pair = Ordered(np.array([1.0, 2.0, 2.0]), np.array([3.0, 4.0, 5.0]))
    w = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 1.0]])  # the first point three times; then both points with x = 2
    for coefficient in RANKS:
        assert np.isnan(pair.correlate(w, 3, coefficient)).all()
