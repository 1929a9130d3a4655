"""Strengths from votes: graphs solved by hand, the published golden file, bootstraps and covariates."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from metassay.stats import draws, votes


def world(random, systems=6, n=3000, ties=0.1, spread=0.8):
    beta = np.linspace(spread, -spread, systems)
    a = random.integers(0, systems, n)
    b = (a + random.integers(1, systems, n)) % systems
    won = (random.random(n) < 1 / (1 + np.exp(beta[b] - beta[a]))).astype(float)
    return beta, a, b, np.where(random.random(n) < ties, 0.5, won)


def counted(*rows, size):
    """Rows of (a, b, votes for a, ties, votes for b)."""
    a, b, outcome = [], [], []
    for i, j, *counts in rows:
        for value, times in zip((1.0, 0.5, 0.0), counts, strict=True):
            a += [i] * times
            b += [j] * times
            outcome += [value] * times
    return votes.tally(np.array(a), np.array(b), np.array(outcome), size)


def test_two_systems_by_hand():
    # 5 + 2/2 points against 1 + 2/2: log 3 apart; sandwich of one log odds: Σ(y − p)²/(n p q)²
    found = votes.bradley_terry(counted((0, 1, 5, 2, 1), size=2))
    gap = found.difference(0, 1)
    assert gap.value == pytest.approx(np.log(3))
    meat = 5 * 0.25**2 + 2 * 0.25**2 + 1 * 0.75**2
    assert gap.error == pytest.approx(np.sqrt(meat) / (8 * 0.75 * 0.25))
    assert gap.high - gap.value == pytest.approx(1.959964 * gap.error, rel=1e-6)
    assert found.chances()[0, 1] == pytest.approx(0.75)


def test_a_chain_is_solved_pair_by_pair():
    # a tree of pairs: each log odds by itself
    found = votes.bradley_terry(counted((0, 1, 2, 0, 1), (1, 2, 3, 0, 1), size=3))
    assert found.values[0] - found.values[1] == pytest.approx(np.log(2))
    assert found.values[1] - found.values[2] == pytest.approx(np.log(3))
    assert found.values.sum() == pytest.approx(0)


def test_a_cycle_of_equals_is_flat():
    found = votes.bradley_terry(counted((0, 1, 3, 0, 1), (1, 2, 3, 0, 1), (2, 0, 3, 0, 1), size=3))
    assert found.values == pytest.approx([0, 0, 0], abs=1e-12)
    low, high = found.ranks()
    assert (low.tolist(), high.tolist()) == ([1] * 3, [3] * 3)


def test_davidsons_ties_by_hand():
    # 4 : 4 : 1 of wins, ties and losses: e^d = 4, ties ∝ 2ν√(π_i π_j), 2ν·2 = 4
    found = votes.bradley_terry(counted((0, 1, 4, 4, 1), size=2), "davidson")
    assert found.values[0] - found.values[1] == pytest.approx(np.log(4))
    assert found.ties == pytest.approx(1.0)
    assert found.chances()[0, 1] == pytest.approx(6 / 9)


def test_the_published_golden_file(shared_data):
    rows, published = (
        list(csv.DictReader((shared_data / "evalica" / name).read_text(encoding="utf-8").splitlines()))
        for name in ("llmfao.csv", "llmfao-golden.csv")
    )
    golden: dict[str, dict[str, float]] = {}
    for row in published:
        golden.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    names = sorted(golden["elo"])
    a, b = (np.array([names.index(row[side]) for row in rows]) for side in ("left", "right"))
    outcome = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[row["winner"]] for row in rows])
    theirs = {name: np.array([each[item] for item in names]) for name, each in golden.items()}
    counts = votes.tally(a, b, outcome, len(names))
    power = np.exp(votes.bradley_terry(counts).values)
    assert power / power.sum() == pytest.approx(theirs["bradley_terry"], rel=1e-9)
    logs = np.log(theirs["newman"])
    assert votes.bradley_terry(counts, "davidson").values == pytest.approx(logs - logs.mean(), abs=1e-9)
    assert votes.win_rates(counts)[1] == pytest.approx(theirs["average_win_rate"], abs=1e-12)
    assert votes.elo(a, b, outcome, len(names)) == pytest.approx(theirs["elo"], abs=1e-9)


def test_equal_to_choix():
    choix = pytest.importorskip("choix")
    _, a, b, outcome = world(np.random.default_rng(0), ties=0.0)
    winners = [(i, j) if won else (j, i) for i, j, won in zip(a, b, outcome, strict=True)]
    theirs = choix.ilsr_pairwise(6, winners, tol=1e-12)
    assert votes.bradley_terry(votes.tally(a, b, outcome, 6)).values == pytest.approx(theirs - theirs.mean(), abs=1e-8)


def test_one_that_never_loses_is_held_and_said():
    found = votes.bradley_terry(counted((0, 1, 5, 0, 0), (1, 2, 2, 0, 2), (3, 4, 1, 0, 1), size=6))
    assert found.bounded.tolist() == [False] * 3 + [True] * 2 + [True]
    assert found.values[0] > found.values[1] > -np.inf
    assert len(set(found.components.tolist())) == 3
    assert np.isnan(found.values[5])
    assert np.isnan(found.difference(0, 3).value)
    assert np.isnan(found.chances()[0, 3])
    assert found.values[3:5] == pytest.approx([0, 0])


def test_wins_and_ties_alone_leave_modelled_ties_without_bound():
    counts = counted((0, 1, 6, 3, 0), size=2)
    assert votes.bradley_terry(counts).bounded.all()
    found = votes.bradley_terry(counts, "davidson")
    assert not found.bounded.any()
    assert 0 < found.values[0] < 10
    assert np.isfinite(votes.bootstrap_strengths(counts, 50, 0, "davidson")).all()


def test_only_ties_leave_all_equal():
    found = votes.bradley_terry(counted((0, 1, 0, 5, 0), size=2), "davidson")
    assert found.values.tolist() == [0, 0]


def test_sandwich_and_bootstrap_agree_by_vote_and_by_cluster():
    random = np.random.default_rng(1)
    beta, a, b, outcome = world(random, n=1500)
    # votes that were cast three times by the same rater tell a third of what they seem to
    raters = np.tile(np.arange(1500), 3)
    thrice = votes.tally(np.tile(a, 3), np.tile(b, 3), np.tile(outcome, 3), 6, raters)
    once = votes.tally(a, b, outcome, 6)
    errors = [np.sqrt(np.diag(votes.bradley_terry(each).covariance)) for each in (once, thrice)]
    assert errors[1] == pytest.approx(errors[0], rel=1e-3)
    for each in (once, thrice):
        drawn = votes.bootstrap_strengths(each, 400, 0)
        assert drawn.std(axis=1) == pytest.approx(errors[0], rel=0.12)
        low, high = votes.rank_intervals(drawn)
        assert ((low <= np.arange(1, 7)) & (np.arange(1, 7) <= high)).all()
    assert np.abs(votes.bradley_terry(once).values - beta * (1 - 0.1)).max() < 0.2


def test_sides_are_drawn_together_and_fitted_apart():
    # One side ties a third of its votes, the other hardly any: a ν that they shared would fit neither.
    random = np.random.default_rng(4)
    _, a, b, outcome = world(random, n=300)
    often, seldom = np.where(random.random(300) < 0.33, 0.5, outcome), np.where(random.random(300) < 0.03, 0.5, outcome)
    clusters = np.arange(300) // 3
    both = votes.tally(np.append(a, a + 6), np.append(b, b + 6), np.append(often, seldom), 12, np.tile(clusters, 2))
    together = votes.bootstrap_strengths(both, 5, 0, "davidson", sides=2)
    for side, said in enumerate((often, seldom)):
        alone = votes.bootstrap_strengths(votes.tally(a, b, said, 6, clusters), 5, 0, "davidson")
        assert together[6 * side : 6 * side + 6] == pytest.approx(alone)
    assert np.abs(together - votes.bootstrap_strengths(both, 5, 0, "davidson")).max() > 0.01


def test_samples_without_bound_are_held():
    drawn = votes.bootstrap_strengths(counted((0, 1, 6, 0, 1), (1, 2, 3, 0, 3), size=4), 200, 0)
    assert np.isfinite(drawn[:2]).all()
    assert drawn[0].max() > 3  # samples in which system 0 never loses
    assert np.isnan(drawn[3]).all()


def test_coverage_of_differences():
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(200):
        beta, a, b, outcome = world(random, n=600, ties=0.0)
        gap = votes.bradley_terry(votes.tally(a, b, outcome, 6)).difference(0, 5)
        inside += gap.low <= beta[0] - beta[5] <= gap.high
    assert 0.91 <= inside / 200 <= 0.99


def test_covariates_are_held_fixed():
    random = np.random.default_rng(3)
    beta = np.linspace(0.8, -0.8, 5)
    a = random.integers(0, 5, 6000)
    b = (a + random.integers(1, 5, 6000)) % 5
    longer = 0.5 * (beta[a] - beta[b]) + random.normal(size=6000)
    won = (random.random(6000) < 1 / (1 + np.exp(-(beta[a] - beta[b] + 0.7 * longer)))).astype(float)
    found, fit = votes.with_covariates(a, b, won, 5, longer[:, None], np.arange(6000))
    assert found.values == pytest.approx(beta, abs=0.12)
    assert fit.effect(5).low <= 0.7 <= fit.effect(5).high
    plain = votes.bradley_terry(votes.tally(a, b, won, 5)).values
    assert plain[0] > found.values[0] + 0.1
    none, _ = votes.with_covariates(a, b, won, 5, np.zeros((6000, 0)))
    assert none.values == pytest.approx(plain, abs=1e-8)


def test_votes_that_say_nothing_are_left_out():
    found = votes.tally(np.array([0, 1, 1, 0]), np.array([1, 0, 1, 1]), np.array([1.0, 1.0, 1.0, np.nan]), 2)
    assert found.counts.tolist() == [[1.0], [0.0], [1.0]]
    assert votes.win_rates(found)[0].tolist() == [0.5, 0.5]
    empty = votes.tally(np.array([], dtype=int), np.array([], dtype=int), np.array([]), 2)
    assert np.isnan(votes.bradley_terry(empty).values).all()


def test_covariance_of_win_rates():
    # each vote by itself: p(1 − p)/n, and what one system wins the other loses
    found = votes.win_rate_covariance(counted((0, 1, 30, 0, 10), size=2))
    assert found == pytest.approx(np.array([[1, -1], [-1, 1]]) * 0.75 * 0.25 / 40)
    # clusters of two equal votes are worth one each
    a, b, outcome = np.zeros(80, int), np.ones(80, int), np.repeat([1.0] * 30 + [0.0] * 10, 2)
    twice = votes.tally(a, b, outcome, 2, np.repeat(np.arange(40), 2))
    assert votes.win_rate_covariance(twice) == pytest.approx(found * 40 / 39)


def test_strengths_that_virtual_votes_hold_are_not_certain():
    few, many = (votes.bradley_terry(counted((0, 1, n, 0, 0), size=2)).difference(0, 1) for n in (3, 300))
    assert few.low < 0 < few.high
    assert many.low > 0
    assert many.high - many.low > 4


def test_elo_of_samples_is_played_in_their_own_orders():
    random = np.random.default_rng(3)
    a, b = random.integers(0, 3, 40), np.full(40, 3)
    outcome, clusters = random.choice([0.0, 0.5, 1.0], 40), np.repeat(np.arange(10), [1, 2, 3, 4, 5, 6, 7, 8, 3, 1])
    found = votes.bootstrap_elo(a, b, outcome, 5, clusters, 7, seed=2)
    again = draws.stream(2, draws.POINTS, 0)
    times = draws.multiplicities(again, 10, 7)[clusters].astype(int)
    for at in range(7):
        order = again.permutation(np.repeat(np.arange(40), times[:, at]))
        assert found[:, at] == pytest.approx(votes.elo(a[order], b[order], outcome[order], 5), abs=1e-9)
    assert (found[4] == votes.START).all()  # never plays
