from __future__ import annotations

import numpy as np
import pytest

from metassay.stats.few_systems import FewSystems
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import find

NONE = Draws(0, 0)


def limits(statistic, x, z, confidence, families=None):
    case = Case(statistic, x[None, :, None].repeat(2, 2), z[:, None].repeat(2, 1), "system", families=families)
    (found,) = INTERVALS["jackknife"].compute([case], NONE, confidence)
    return found.low[0], found.high[0]


@pytest.mark.parametrize("confidence", [0.01, 0.1, 0.5, 0.95])
def test_a_spearman_interval_holds_the_value_whose_samples_look_so_and_the_estimate(confidence):
    low, high = limits(find("spearman"), np.array([1.0, 2, 3, 5, 4]), np.arange(5.0), confidence)
    # Samples of five normal systems with .9644 have .9 on average: ((N − 2)ρ + 3τ)/(N + 1).
    rho = 0.9644
    assert (3 * rho + 6 / np.pi * np.arcsin(2 * np.sin(np.pi / 6 * rho))) / 6 == pytest.approx(0.9, abs=1e-3)
    assert -1 < low <= 0.9 < rho < high < 1


@pytest.mark.parametrize("sign", [-1, 1])
def test_perfect_spearman_ends_where_it_can(sign):
    ends = limits(find("spearman"), sign * np.arange(8.0), np.arange(8.0), 0.95)
    assert sign in ends
    assert min(abs(end) for end in ends) < 0.9


class Ranked(Statistic):
    """Spearman's coefficient under another name, of which nothing else is known."""

    name, ranked, levels = "own-ranks", True, ("system",)

    def evaluate(self, x, z, w):
        return find("spearman").evaluate(x, z, w)


def test_only_means_over_pairs_and_spearman_are_served():
    asked = {name: find(name) for name in ("kendall", "spearman", "pearson", "pairwise-accuracy")} | {"own": Ranked()}
    served = {name for name, each in asked.items() if FewSystems.serves(each, "system", 19)}
    assert served == {"kendall", "spearman", "pairwise-accuracy"}
    assert not FewSystems.serves(find("kendall"), "system", 20)
    assert not FewSystems.serves(find("kendall"), "input", 6)


def test_families_count_once_also_where_there_are_twenty():
    z = np.arange(40.0)
    alone, families = limits(find("kendall"), z, z, 0.95), limits(find("kendall"), z, z, 0.95, np.arange(40) // 2)
    assert families[0] < alone[0] < families[1] == alone[1] == 1
