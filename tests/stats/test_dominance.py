import math

import numpy as np
import pytest

from metassay.stats.dominance import dominance, shift


def test_shares_by_hand():
    # a beats b in 2 of 3 samples and ties in none; b beats c in 1 of the 2 samples that c has.
    samples = np.array([[0.3, 0.2, 0.4], [0.1, 0.3, 0.2], [0.2, np.nan, 0.1]])
    p = dominance(samples)
    assert p[0, 1] == pytest.approx(2 / 3)
    assert p[1, 0] == pytest.approx(1 / 3)
    assert p[1, 2] == pytest.approx(1 / 2)
    assert np.isnan(np.diag(p)).all()


def test_ties_count_for_neither():
    p = dominance(np.array([[0.5, 0.2], [0.5, 0.1]]))
    assert (p[0, 1], p[1, 0]) == (0.5, 0.0)


def test_shift_is_over_resolved_pairs_and_seen_from_the_better_one():
    before = dominance_from([("ab", 0.99), ("ac", 0.6), ("bc", 0.01)])
    after = dominance_from([("ab", 0.9), ("ac", 0.1), ("bc", 0.7)])
    # Resolved: ab (0.99 to 0.90) and cb (0.99 to 0.30). Mean of 0.09 and 0.69; the second is turned around.
    found = shift(before, after)
    assert (found.pairs, found.resolved, found.kept, found.turned) == (3, 2, 0, 1)
    assert found.shift == pytest.approx((0.09 + 0.69) / 2)


def test_no_resolved_pair_has_no_shift():
    before = dominance_from([("ab", 0.9), ("ac", 0.6), ("bc", 0.2)])
    assert math.isnan(shift(before, before).shift)
    assert shift(before, before).resolved == 0


def test_the_border_counts_as_resolved():
    before = dominance_from([("ab", 0.975), ("ac", 0.5), ("bc", 0.5)])
    assert shift(before, before).resolved == 1


def dominance_from(pairs):
    p = np.full((3, 3), np.nan)
    for (a, b), share in pairs:
        i, j = "abc".index(a), "abc".index(b)
        p[i, j], p[j, i] = share, 1 - share
    return p
