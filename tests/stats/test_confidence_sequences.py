from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from metassay.stats.clustered import mean
from metassay.stats.confidence_sequences import confidence_sequence


# The end at n keeps what was ruled out at any earlier look, so this is coverage at all looks together: at least .95.
# With 300 sequences it stays above .92 with odds of 99 to 1 even at .95 exactly.
@pytest.mark.parametrize("shares", [(0.02, 0.96, 0.02), (0.02, 0.9, 0.08), (0.3, 0.2, 0.5)])
def test_holds_at_all_looks(shares):
    random, inside = np.random.default_rng(3), 0
    truth = shares[2] - shares[0]
    for _ in range(300):
        low, high = confidence_sequence(random.choice([-1.0, 0, 1], size=250, p=shares), -1, 1)
        inside += low <= truth <= high
    assert inside / 300 >= 0.92


def test_a_usual_interval_does_not():
    random, wrong = np.random.default_rng(4), 0
    for _ in range(60):
        values = random.choice([-1.0, 0, 1], size=400, p=(0.05, 0.9, 0.05))
        looks = (mean(values[:n]) for n in range(20, 401, 20))
        wrong += any(look.error > 0 and not look.low <= 0 <= look.high for look in looks)
    assert wrong / 60 > 0.12


def test_shrinks_never_widens_and_scales():
    values = np.random.default_rng(5).uniform(2, 4, size=2000)
    ends = [confidence_sequence(values[:n], 1, 5) for n in (50, 200, 2000)]
    assert all(a[0] <= b[0] <= 3.1 and 2.9 <= b[1] <= a[1] for a, b in pairwise(ends))
    assert ends[-1][1] - ends[-1][0] < 0.15
    unit = confidence_sequence((values - 1) / 4, 0, 1)
    assert (1 + 4 * unit[0], 1 + 4 * unit[1]) == pytest.approx(ends[-1], abs=1e-9)
    mirrored = confidence_sequence(6 - values, 1, 5)
    assert (6 - mirrored[1], 6 - mirrored[0]) == pytest.approx(ends[-1], abs=1e-9)


def test_sizes_make_it_the_mean_over_items():
    random, inside, outside = np.random.default_rng(8), 0, 0
    for _ in range(200):
        # Large clusters shift, small ones do not: the mean over items is (1/4·8·.3)/(1/4·8 + 3/4).
        large = random.random(600) < 0.25
        sizes, values = np.where(large, 8.0, 1.0), random.binomial(8, np.where(large, 0.3, 0.0)) / 8
        low, high = confidence_sequence(values, -1, 1, sizes=sizes)
        inside += low <= 0.6 / 2.75 <= high
        low, high = confidence_sequence(values, -1, 1)
        outside += high < 0.6 / 2.75
    assert inside / 200 >= 0.92
    assert outside / 200 > 0.9
    values = random.random(50)
    assert confidence_sequence(values, 0, 1, sizes=np.full(50, 7.0)) == confidence_sequence(values, 0, 1)


def test_values_that_change_along_their_order_leave_no_mean():
    assert all(math.isnan(end) for end in confidence_sequence(np.repeat([1.0, 0.0], [300, 2700]), -1, 1))


def test_edges():
    assert all(math.isnan(end) for end in confidence_sequence(np.array([np.nan]), 0, 1))
    low, high = confidence_sequence(np.zeros(100), 0, 1)
    assert low == pytest.approx(0, abs=1e-9)
    assert high < 0.2
    with pytest.raises(ValueError, match="bounds"):
        confidence_sequence(np.array([2.0]), 0, 1)


def test_ends_are_those_of_a_search_over_all_means():
    x = np.random.default_rng(6).beta(2, 6, size=150)
    t = np.arange(1, 151)
    centre = (0.5 + np.cumsum(x)) / (t + 1)
    variance = np.append(0.25, (0.25 + np.cumsum((x - centre) ** 2)) / (t + 1))[:-1]
    bet = np.sqrt(2 * math.log(2 / 0.05) / (variance * t * np.log(t + 1)))
    kept = []
    for m in np.arange(0.0005, 1, 0.0005):
        up = np.cumprod(1 + np.minimum(bet, 0.5 / m) * (x - m))
        down = np.cumprod(1 - np.minimum(bet, 0.5 / (1 - m)) * (x - m))
        if (np.maximum(up, down) / 2).max() < 1 / 0.05:
            kept.append(m)
    assert confidence_sequence(x, 0, 1) == pytest.approx((min(kept), max(kept)), abs=0.0006)
