"""How alike systems far away from all others would be ranked: by hand, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metassay.stats.unseen_systems import ranked_alike


def drawn(systems=7, inputs=12, metrics=3, seed=0):
    random = np.random.default_rng(seed)
    z = random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
    return z + random.normal(size=(metrics, systems, inputs)), np.round(z, 1)


def by_hand(x, z, level):
    """Return it with loops, missing cells left out of everything."""
    known = ~np.isnan(x + z)
    apart, means = [], []
    for values in (x, z):
        ranks = np.full(values.shape, np.nan)
        if level == "input":
            for j in range(values.shape[1]):
                here = known[:, j]
                ranks[here, j] = stats.rankdata(values[here, j]) - (here.sum() + 1) / 2
        else:
            ranks[known] = stats.rankdata(values[known])
        rows = [row[~np.isnan(row)] for row in ranks]
        noise = sum(((row - row.mean()) ** 2).sum() for row in rows) / (known.sum() - len(rows))
        mean = np.array([row.mean() for row in rows])
        between = mean.var(ddof=1) - noise * np.mean([1 / len(row) for row in rows])
        apart.append(np.sqrt(max(between, 0) / (2 * noise)))
        means.append(mean)
    rho = np.corrcoef(*means)[0, 1]
    return (2 * stats.norm.cdf(8 * rho * apart[0]) - 1) * (2 * stats.norm.cdf(8 * apart[1]) - 1)


@pytest.mark.parametrize("level", ["input", "global"])
@pytest.mark.parametrize("gaps", [False, True])
def test_by_hand(level, gaps):
    x, z = drawn()
    if gaps:
        x[:, [0, 2, 2], [1, 3, 4]] = np.nan
        z[5, 6] = np.nan
    expected = [by_hand(one, z, level) for one in x]
    assert ranked_alike(x, z, level) == pytest.approx(expected)
    # People of their own for each metric, here the same for all of them.
    assert ranked_alike(x, np.stack([z] * 3), level) == pytest.approx(expected)


@pytest.mark.parametrize("level", ["input", "global"])
def test_only_ranks_count_and_a_turned_metric_has_the_opposite_sign(level):
    x, z = drawn(seed=1)
    found = ranked_alike(x, z, level)
    assert ranked_alike(np.exp(2 * x), z**3, level) == pytest.approx(found)
    assert ranked_alike(-x, z, level) == pytest.approx(-found)


@pytest.mark.parametrize("level", ["input", "global"])
def test_where_systems_do_not_differ_nothing_is_known_of_others(level):
    x, z = drawn(seed=2)
    alike = np.tile(x[:, :1], (1, x.shape[1], 1))
    assert ranked_alike(alike, z, level).tolist() == [0.0] * 3


def test_systems_without_noise_are_ranked_alike_for_certain():
    z = np.tile(np.arange(5.0)[:, None], (1, 6))
    assert ranked_alike(np.stack([z, -z]), z, "input").tolist() == [1.0, -1.0]
