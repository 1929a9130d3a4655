import numpy as np
import pytest
from scipy.stats import kendalltau

from metassay.stats.draws import multiplicities
from metassay.stats.kernels.fixed_order import Ordered
from metassay.stats.kernels.kendall_blocks import Blocked
from metassay.stats.kernels.running_sums import EXACT
from metassay.stats.kernels.within_groups import OrderedGroups

KENDALLS = {"kendall": "b", "kendall-c": "c"}


def vectors(n):
    random = np.random.default_rng(n)
    tied = np.round(random.normal(size=n))
    long_tie = random.normal(size=n)
    long_tie[: n // 2] = 0.3
    return {
        "all different": random.normal(size=n),
        "every value tied": tied,
        "one long tie": long_tie,
        "two values": (random.random(n) < 0.4).astype(float),
    }


def criteria(n):
    random = np.random.default_rng(n + 1)
    return [
        random.integers(1, 6, size=n).astype(float),
        random.integers(1, 6, size=(3, n)).mean(axis=0),
        (random.random(n) < 0.1).astype(float),
    ]


def literal(x, z, w, variant):
    at = np.repeat(np.arange(len(x)), w.astype(int))
    return kendalltau(x[at], z[at], variant=variant).statistic if len(at) > 1 else np.nan


@pytest.mark.parametrize("n", [2, 31, 32, 33, 200])
@pytest.mark.parametrize("coefficient", KENDALLS)
def test_weights_equal_literal_resampling(n, coefficient):
    random = np.random.default_rng(0)
    w = multiplicities(random, n, 5)
    zs = criteria(n)
    with np.errstate(invalid="ignore", divide="ignore"):
        for x in vectors(n).values():
            found = Blocked(x, zs).correlate(w, n, coefficient)[:, 0]
            wanted = [[literal(x, z, w[:, b], KENDALLS[coefficient]) for b in range(5)] for z in zs]
            np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("coefficient", ["kendall", "kendall-a", "kendall-c"])
def test_the_same_as_one_criterion_at_a_time(coefficient):
    n = 700
    w = multiplicities(np.random.default_rng(3), n, 300).astype(np.float32)
    for x in vectors(n).values():
        found = Blocked(x, criteria(n)).correlate(w, n, coefficient)[:, 0]
        for z, row in zip(criteria(n), found, strict=True):
            np.testing.assert_array_equal(row, Ordered(x, z).correlate(w, n, coefficient))


def test_single_precision_gives_the_bytes_of_double_precision():
    n = 400
    w = multiplicities(np.random.default_rng(4), n, 20)
    prepared = Blocked(vectors(n)["every value tied"], criteria(n))
    np.testing.assert_array_equal(prepared.correlate(w, n, "kendall-c"), prepared.correlate(w, EXACT, "kendall-c"))


def test_undefined_where_a_side_is_constant_or_points_are_too_few():
    x, z = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0])
    # Draws: only one point; x varies and z does not; both vary and agree: P − Q = 2, n = 3, m = 2, 2·2·2/(9·1) = 8/9.
    w = np.array([[3.0, 2.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    found = Blocked(x, [z]).correlate(w, 3, "kendall-c")[0, 0]
    np.testing.assert_allclose(found, [np.nan, np.nan, 8 / 9])
    assert np.isnan(Blocked(x[:1], [z[:1]]).correlate(w[:1], 3, "kendall")).all()


def test_tau_c_knows_that_x_may_have_fewer_values_than_z():
    # In the first draw x has 2 values with weight and z has 3.
    x, z = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 1.0])
    w = np.array([[2.0], [1.0], [1.0], [0.0]])
    at = np.repeat(np.arange(4), [2, 1, 1, 0])
    assert Blocked(x, [z]).correlate(w, 4, "kendall-c")[0, 0, 0] == pytest.approx(
        kendalltau(x[at], z[at], variant="c").statistic
    )


@pytest.mark.parametrize("coefficient", KENDALLS)
def test_groups_are_compared_each_by_itself(coefficient):
    random = np.random.default_rng(7)
    n = 150
    groups = random.integers(0, 4, size=n)
    zs = criteria(n)
    zs[0][groups == 2] = 3.0  # constant, so undefined
    w = multiplicities(random, n, 6)
    w[groups == 3, 0] = 0  # nothing of a group is drawn
    with np.errstate(invalid="ignore", divide="ignore"):
        for x in vectors(n).values():
            found = Blocked(x, zs, groups).correlate(w, n, coefficient)
            for g in range(4):
                at = groups == g
                for z, rows in zip(zs, found, strict=True):
                    wanted = [literal(x[at], z[at], w[at, b], KENDALLS[coefficient]) for b in range(6)]
                    np.testing.assert_allclose(rows[g], wanted, atol=1e-12)


@pytest.mark.parametrize("coefficient", KENDALLS)
def test_single_precision_is_exact_up_to_its_last_number_of_points(coefficient):
    n, random = 4095, np.random.default_rng(0)
    x = random.normal(size=n)
    z = x + random.normal(size=n)
    w = np.column_stack([np.ones(n), multiplicities(random, n, 2)])
    wanted = [literal(x, z, w[:, b], KENDALLS[coefficient]) for b in range(3)]
    np.testing.assert_allclose(Blocked(x, [z]).correlate(w, n, coefficient)[0, 0], wanted, atol=1e-12)


@pytest.mark.parametrize("coefficient", KENDALLS)
def test_units_that_add_up_to_more_than_all_points_are_counted_exactly(coefficient):
    sizes = np.array([2000, *[20] * 75])
    n, random = int(sizes.sum()), np.random.default_rng(1)
    units = np.repeat(np.arange(len(sizes)), sizes)
    w = np.ones((len(sizes), 1))
    w[0] = 4
    x = random.normal(size=(n, 1))
    z = x + random.normal(size=(n, 1))
    found = OrderedGroups(x, z, coefficient).correlate(w[units])
    wanted = literal(x[:, 0], z[:, 0], w[units, 0], KENDALLS[coefficient])
    np.testing.assert_allclose(found, [[wanted]], atol=1e-12)
