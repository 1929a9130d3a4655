"""Leaving out points in closed form, against leaving them out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

from metassay.stats.kernels.left_out import concordance, influence, left_out, moved, signed_sums
from metassay.stats.statistics.registry import find

NAMES = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")


def literal(x, z, name):
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(z) == 0:
        return np.nan
    if name == "kendall-a":
        n = len(x)
        signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(z, z))
        return signs.sum() / (n * (n - 1))
    if name == "kendall-c":
        return kendalltau(x, z, variant="c").statistic
    return {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}[name](x, z).statistic


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("members", "values"), [(5, 9), (12, 3), (12, 40), (300, 6)])
def test_it_is_leaving_out(name, members, values):
    random = np.random.default_rng(members + values)
    groups = 3 if members > 100 else 8
    x, z = random.integers(0, values, (2, members, groups)).astype(float)
    x[0, 1] = z[2, 2] = z[3, 2] = np.nan
    x[:, 0] = 7.0  # constant: undefined, however many are left out
    whole, without = left_out(x, z, name)
    assert without.shape == (groups, members)
    for g in range(groups):
        known = ~np.isnan(x[:, g] + z[:, g])
        assert whole[g] == pytest.approx(literal(x[known, g], z[known, g], name), abs=1e-12, nan_ok=True)
        for i in range(0, members, max(1, members // 20)):
            kept = known & (np.arange(members) != i)
            expected = literal(x[kept, g], z[kept, g], name)
            assert without[g, i] == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_units_are_left_out_together(name):
    random = np.random.default_rng(2)
    x, z = random.integers(0, 6, (2, 9, 4)).astype(float)
    units = np.array([0, 0, 1, 2, 2, 2, 3, 3, 1])
    whole, without = find(name).left_out(x, z, units)
    assert whole == pytest.approx(find(name).left_out(x, z)[0], nan_ok=True)
    for g in range(4):
        expected = [literal(x[units != u, g], z[units != u, g], name) for u in range(4)]
        assert without[g] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_influence_is_the_slope_in_the_weight_of_a_point(name):
    # A statistic of weights may be weighted by any number: the slope is taken from a small one.
    random = np.random.default_rng(4)
    n, step = 40, 1e-5
    x = random.integers(0, 12, n).astype(float)
    z = np.round(x / 3 + random.normal(size=n))
    value, found = influence(x, z, name)
    assert value == pytest.approx(weighted(x, z, np.ones(n), name))
    assert found.sum() == pytest.approx(0, abs=1e-9)
    for i in (0, 7, 39):
        w = np.ones(n)
        w[i] += step
        slope = (weighted(x, z, w, name) - weighted(x, z, np.ones(n), name)) / step
        # a and c have n itself in the denominator, which a population does not
        loose = 0.06 if name in ("kendall-a", "kendall-c") else 1e-3
        assert found[i] == pytest.approx(n * slope, abs=loose)


def weighted(x, z, w, name):
    sx, sz = (np.sign(np.subtract.outer(v, v)) for v in (x, z))
    if name == "pearson":
        return np.cov(x, z, aweights=w)[0, 1] / np.sqrt(np.cov(x, aweights=w) * np.cov(z, aweights=w))
    if name == "spearman":
        a, b = sx @ w, sz @ w
        return (w * a * b).sum() / np.sqrt((w * a * a).sum() * (w * b * b).sum())
    pairs = np.outer(w, w)
    above = (pairs * sx * sz).sum()
    if name == "kendall":
        return above / np.sqrt((pairs * abs(sx)).sum() * (pairs * abs(sz)).sum())
    n = w.sum()
    few = min(len(set(x)), len(set(z)))
    return above / (n * (n - 1) if name == "kendall-a" else n * n * (few - 1) / few)


@pytest.mark.parametrize("values", [2, 30, 10_000])
def test_concordance_counts_pairs(values):
    random = np.random.default_rng(values)
    for n in (1, 2, 3, 17, 64, 257):
        x, z = random.integers(0, values, (2, n)).astype(float)
        signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(z, z))
        assert concordance(x, z).tolist() == signs.sum(axis=1).tolist()


def test_signed_sums_of_ones_are_twice_the_centred_midranks():
    values = np.random.default_rng(0).integers(0, 5, 30).astype(float)
    assert signed_sums(values, np.ones(30)).tolist() == (2 * rankdata(values) - 31).tolist()


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall-a", "kendall-c"])
@pytest.mark.parametrize("n", [60, 9000])
def test_blocks_of_points_are_left_out_as_if_they_had_never_been(name, n):
    random = np.random.default_rng(n)
    x, blocks = random.normal(size=n).round(1), random.integers(0, 4, n) % 3  # the fourth block is empty
    z = (x + random.normal(size=n)).round()
    value, psi, left = moved(x, z, blocks, 4, name)
    assert (value, psi) == (influence(x, z, name)[0], pytest.approx(influence(x, z, name)[1]))
    told = [influence(x[blocks != block], z[blocks != block], name)[0] for block in range(4)]
    assert left == pytest.approx(told, abs=1e-12)
    assert left[3] == pytest.approx(value, abs=1e-12)
    assert np.isnan(moved(x, z, np.zeros(n, dtype=int), 1, name)[2]).all()
