"""Tests of systems: arithmetic by hand, SciPy, and literal resampling with the same draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats.system_tests import DrawPages, PairedScores, judge, positive_ranks, same_size

TESTS = ("unpaired-t", "paired-t", "wilcoxon")
ALTERNATIVES = ("two-sided", "greater", "less")


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_statistics_by_hand():
    # Differences 2, 1, -2, 5: mean 1.5, sum of squares 34, about the mean 34 - 4*1.5² = 25.
    scores = PairedScores(column(3, 5, 4, 8), column(1, 4, 6, 3))
    assert scores.mean_difference == [1.5]
    # T_p = 1.5 / sqrt(25/3/4) and d_z = 1.5 / sqrt(25/3)
    assert scores.statistic("paired-t")[0] == pytest.approx(1.5 / math.sqrt(25 / 12))
    assert scores.effect("paired-t")[0] == pytest.approx(1.5 / math.sqrt(25 / 3))
    # Squares about the means 5 and 3.5: 4+0+1+9 = 14 and 6.25+.25+6.25+.25 = 13, pooled variance 27/6 = 4.5.
    assert scores.statistic("unpaired-t")[0] == pytest.approx(1.5 / math.sqrt(4.5 * 2 / 4))
    assert scores.effect("unpaired-t")[0] == pytest.approx(1.5 / math.sqrt(4.5))
    # |d| sorted 1, 2, 2, 5 has ranks 1, 2.5, 2.5, 4, so W = 2.5 + 1 - 2.5 + 4 = 5 of at most 10.
    assert scores.statistic("wilcoxon") == [5]
    assert scores.effect("wilcoxon") == [0.5]
    # 16 signs; the positive ranks add up to 7.5, and 7.5 (twice), 9 and 10 are at least that: 4/16, two-sided 1/2.
    assert scores.theory("wilcoxon", "greater", 0.05)[0] == [0.25]
    assert scores.theory("wilcoxon", "two-sided", 0.05)[0] == [0.5]


def test_exact_signed_ranks_by_hand():
    # Differences 1, 2, 3: all ranks positive in 1 of 8 ways. At 5% no W is large enough, at 25% it must be 6.
    scores = PairedScores(column(1, 2, 3), column(0, 0, 0))
    assert scores.theory("wilcoxon", "greater", 0.05)[0] == [1 / 8]
    p, cutoff = scores.theory("wilcoxon", "two-sided", 0.05)
    assert (p, cutoff) == ([1 / 4], [math.inf])
    assert scores.theory("wilcoxon", "two-sided", 0.25)[1] == [6]
    assert scores.theory("wilcoxon", "less", 0.125)[1] == [-6]


def test_interval_is_that_of_scipy():
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, 20, 1))
    low, high = PairedScores(x, y).interval(0.9)
    expected = stats.ttest_rel(x[:, 0], y[:, 0]).confidence_interval(0.9)
    assert (low[0], high[0]) == (pytest.approx(expected.low, abs=1e-12), pytest.approx(expected.high, abs=1e-12))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("n", [2, 5, 13, 14, 50, 51, 120])
def test_theory_agrees_with_scipy(n, rounded, alternative):
    random = np.random.default_rng(n)
    x, y = random.normal(size=(2, n, 12)) + np.array([0, 0.3])[:, None, None]
    if rounded:  # ties and zeros
        x, y = np.round(2 * x), np.round(2 * y)
    scores = PairedScores(x, y)
    found = {test: scores.theory(test, alternative, 0.05)[0] for test in TESTS}
    for k in range(12):
        a, b = x[:, k], y[:, k]
        if not (a - b).any() or np.ptp(a - b) == 0:
            continue
        settings = {"alternative": alternative}
        assert found["paired-t"][k] == pytest.approx(stats.ttest_rel(a, b, **settings).pvalue, abs=1e-12)
        if np.ptp(a) > 0 and np.ptp(b) > 0:  # SciPy warns of constant samples
            assert found["unpaired-t"][k] == pytest.approx(stats.ttest_ind(a, b, **settings).pvalue, abs=1e-12)
        assert found["wilcoxon"][k] == pytest.approx(_scipy_wilcoxon(a - b, alternative), abs=1e-12)


def _scipy_wilcoxon(d, alternative):
    """Return what SciPy's ``method="auto"`` gives since 1.13, on whichever version is installed."""
    plain = (d != 0).all() and len(np.unique(np.abs(d))) == len(d)
    if len(d) <= 50 and plain:
        return stats.wilcoxon(d, alternative=alternative, method="exact").pvalue
    if len(d) > 13:
        return stats.wilcoxon(d, alternative=alternative, method="approx").pvalue
    kept = d[d != 0]
    ranks = stats.rankdata(np.abs(kept))
    signs = np.array(np.meshgrid(*[[0, 1]] * len(kept))).reshape(len(kept), -1)
    sums, seen = ranks @ signs, ranks[kept > 0].sum()
    upper, lower = (sums >= seen).mean(), (sums <= seen).mean()
    return {"greater": upper, "less": lower, "two-sided": min(1, 2 * min(upper, lower))}[alternative]


def test_rounding_errors_break_no_ties():
    # 14/3 - 13/3 and 5 - 14/3 are both 1/3, but not to the last bit.
    x, y = column(14 / 3, 5, 2), column(13 / 3, 14 / 3, 3)
    assert (x - y)[0] != (x - y)[1]
    # Ranks 1.5, 1.5 and 3: W = 1.5 + 1.5 - 3 = 0.
    assert PairedScores(x, y).statistic("wilcoxon") == [0]


def test_rounding_errors_are_no_differences():
    n = 12
    x, y = np.full((n, 1), 0.1 + 0.2), np.full((n, 1), 0.3)
    scores = PairedScores(x, y)
    assert scores.mean_difference == [0]
    for test in TESTS:
        assert np.isnan(scores.statistic(test)).all()
        assert np.isnan(scores.theory(test, "two-sided", 0.05)[0]).all()
    # Where scores vary, 0 over their spread is 0; without a spread of differences it is undefined.
    harder = 3 * np.arange(n)[:, None]
    scores = PairedScores(harder + x, harder + y)
    assert scores.statistic("unpaired-t") == [0]
    assert np.isnan(scores.statistic("paired-t")).all()
    for cutoff in ("mc", "hb"):
        drawn = scores.drawn(DrawPages(64, cutoff, n, 0)[0], TESTS)
        assert judge(scores.statistic("unpaired-t"), drawn["unpaired-t"], "two-sided", 0.05)[0] == [1]
        assert np.isnan(drawn["paired-t"]).all()
    # Differences that are constant but for rounding errors have no spread, and those that are real are kept.
    fractions = np.arange(n)[:, None] / 10
    assert PairedScores(fractions + 0.1, fractions).statistic("paired-t") == [math.inf]
    small = column(1, 1, 1, 1) + 1e-9 * column(1, 2, 3, 5)
    assert PairedScores(small, column(1, 1, 1, 1)).statistic("paired-t")[0] == pytest.approx(
        stats.ttest_1samp([1, 2, 3, 5], 0).statistic, rel=1e-6
    )


def test_equal_systems_are_undefined_and_constant_differences_are_beyond_doubt():
    x = np.tile(np.arange(6.0)[:, None], 2)
    y = x - np.array([0, 1])
    scores = PairedScores(x, y)
    for test in ("paired-t", "wilcoxon"):
        assert math.isnan(scores.theory(test, "two-sided", 0.05)[0][0])
    assert scores.statistic("paired-t")[1] == math.inf
    assert scores.theory("paired-t", "two-sided", 0.05)[0][1] == 0
    # Unpaired, equal samples have T = 0.
    assert scores.theory("unpaired-t", "two-sided", 0.05)[0][0] == 1


def literal(x, y):
    """The three statistics of the paper, as its formulas have them."""
    n, z = len(x), x - y
    pooled = (x.var(ddof=1) + y.var(ddof=1)) / 2
    kept = np.round(z[np.round(z, 9) != 0], 9)
    ranks = stats.rankdata(np.abs(kept))
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "unpaired-t": np.float64(x.mean() - y.mean()) / np.sqrt(2 * pooled / n),
            "paired-t": np.sqrt(n * (n - 1)) * z.mean() / np.sqrt(((z - z.mean()) ** 2).sum()),
            "wilcoxon": (np.sign(kept) * ranks).sum() if len(kept) else np.nan,
        }


@pytest.mark.parametrize("cutoff", ["mc", "hb"])
@pytest.mark.parametrize("rounded", [False, True])
def test_drawn_statistics_are_those_of_a_literal_loop(cutoff, rounded):
    random = np.random.default_rng(5)
    x, y = random.normal(loc=40, size=(2, 9, 4))
    if rounded:
        x, y = np.round(x) / 3, np.round(y) / 3
    pages = DrawPages(300, cutoff, 9, seed=7)
    scores = PairedScores(x, y)
    for page in range(len(pages)):
        found = scores.drawn(pages[page], TESTS)
        taken = pages.taken(page) if cutoff == "hb" else np.tile(np.arange(9)[:, None], pages.size)
        turned = pages.turned(page).astype(bool)
        for draw in range(pages.size):
            at, turn = taken[:, draw], turned[:, draw]
            for pair in range(4):
                a, b = x[at, pair], y[at, pair]
                expected = literal(np.where(turn, b, a), np.where(turn, a, b))
                for test in TESTS:
                    if math.isfinite(expected[test]) and abs(expected[test]) < 1e6:
                        assert found[test][pair, draw] == pytest.approx(expected[test], rel=1e-9, abs=1e-9)


def test_p_values_of_a_literal_loop():
    random = np.random.default_rng(6)
    x, y = random.normal(size=(2, 8, 3)) + np.array([0, 0.8])[:, None, None]
    scores = PairedScores(x, y)
    pages = DrawPages(256, "hb", 8, seed=1)
    drawn = scores.drawn(pages[0], TESTS)
    taken, turned = pages.taken(0), pages.turned(0).astype(bool)
    for test in TESTS:
        p, cutoff, undefined = judge(scores.statistic(test), drawn[test], "two-sided", 0.05)
        for pair in range(3):
            a, b = x[:, pair][taken], y[:, pair][taken]
            values = np.array(
                [
                    abs(literal(np.where(t, v, u), np.where(t, u, v))[test])
                    for u, v, t in zip(a.T, b.T, turned.T, strict=True)
                ]
            )
            seen = abs(literal(x[:, pair], y[:, pair])[test])
            assert p[pair] == (np.sum(values >= seen - 1e-9) + 1) / 257
            assert cutoff[pair] == pytest.approx(np.quantile(values, 0.95, method="inverted_cdf"))
            assert undefined[pair] == 0


def test_swapping_makes_both_t_the_same_test():
    random = np.random.default_rng(8)
    x, y = random.normal(size=(2, 12, 5)) + 3 * random.normal(size=(12, 1))
    scores = PairedScores(x, y)
    drawn = scores.drawn(DrawPages(256, "mc", 12, seed=0)[0], TESTS)
    p, q = (judge(scores.statistic(t), drawn[t], "two-sided", 0.05)[0] for t in ("paired-t", "unpaired-t"))
    assert (p == q).all()


def test_judging_by_hand():
    drawn = np.array([[-3.0, -1, 0, 1, 2, 2, 3, 4, 5, np.nan]])
    # At least 2 of 9 defined: 2, 2, 3, 4, 5. The 80% quantile is the 8th of 9 (7.2 rounded up).
    p, cutoff, undefined = judge(np.array([2.0]), drawn, "greater", 0.2)
    assert (p[0], cutoff[0], undefined[0]) == (6 / 10, 4, 1)
    # At most 2: -3, -1, 0, 1, 2, 2. The second smallest.
    p, cutoff, _ = judge(np.array([2.0]), drawn, "less", 0.2)
    assert (p[0], cutoff[0]) == (7 / 10, -1)
    # At least 2 in size: -3, 2, 2, 3, 4, 5. Sorted sizes 0 1 1 2 2 3 3 4 5.
    p, cutoff, _ = judge(np.array([2.0]), drawn, "two-sided", 0.2)
    assert (p[0], cutoff[0]) == (7 / 10, 4)
    assert math.isnan(judge(np.array([np.nan]), drawn, "greater", 0.2)[0][0])


def test_pairs_meet_on_their_common_inputs():
    values = np.array([[1.0, 2, 3, 4], [np.nan, 2, 2, 1], [5, np.nan, np.nan, np.nan]])
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    blocks = list(same_size(values, first, second, 100))
    # Systems 0 and 2 share one input and 1 and 2 none: neither comes.
    assert [at.tolist() for at, _ in blocks] == [[0]]
    assert blocks[0][1].x[:, 0].tolist() == [2, 3, 4]
    assert blocks[0][1].y[:, 0].tolist() == [2, 2, 1]


def test_distribution_of_positive_ranks_adds_up():
    upper, possible = positive_ranks(tuple(range(2, 42, 2)))
    assert upper[0] == 1
    assert upper[-1] == 2.0**-20
    assert possible[::2].all()
    assert not possible[1::2].any()
