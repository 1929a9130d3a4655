"""Kruskal-Wallis and Tukey on mean ranks, against hand-worked examples, SciPy and literal loops."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from metassay.stats import difficulty
from metassay.stats.difficulty import compare_columns, range_quantile


def ragged(seed, shape=(9, 14), missing=0.3, distinct=None):
    random = np.random.default_rng(seed)
    values = random.normal(size=shape) + random.normal(size=shape[1])
    if distinct:
        values = np.round(values * distinct)
    values[random.random(shape) < missing] = np.nan
    return values


def columns_of(values):
    return [c[~np.isnan(c)] for c in values.T if not np.isnan(c).all()]


def test_a_hand_worked_example():
    # Ranks 1 2 | 3 4 | 5 6, so N = 6 and mean ranks are 1.5, 3.5, 5.5 around (N + 1)/2 = 3.5.
    # H = 12/(N(N+1)) Σ n (R − 3.5)² = 12/42 · 2 · (4 + 0 + 4) = 32/7
    # V = 6 · 7/12 = 3.5; d = q/√2 · √(3.5 (1/2 + 1/2)) with q = 3.3145 for three columns: d = 4.3846
    # No two mean ranks are further apart than 4, so nothing differs; half-widths are d/2.
    found = compare_columns(np.array([[10.0, 30.0, 50.0], [20.0, 40.0, 60.0]]), 0.95)
    assert found.mean_rank.tolist() == [1.5, 3.5, 5.5]
    assert found.statistic == pytest.approx(32 / 7)
    assert found.degrees == 2
    assert found.half_width == pytest.approx([4.3846 / 2] * 3, abs=1e-4)
    assert found.differs.tolist() == [0, 0, 0]


def test_ties_share_their_mean_rank():
    # 1 1 | 1 2: ranks 2 2 | 2 4; T = 27 − 3 = 24; V = 4 · 5/12 − 24/(12 · 3) = 1
    # H = (2 (2 − 2.5)² + 2 (3 − 2.5)²)/1 = 1
    found = compare_columns(np.array([[1.0, 1.0], [1.0, 2.0]]), 0.95)
    assert found.mean_rank.tolist() == [2.0, 3.0]
    assert found.statistic == pytest.approx(1)
    # two columns: d = q/√2 · √(1 (1/2 + 1/2)) = z, the two-sided quantile of a normal variable, cut in halves
    assert found.half_width == pytest.approx([stats.norm.ppf(0.975) / 2] * 2)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("distinct", [None, 2])
def test_kruskal_wallis_is_scipys(seed, distinct):
    values = ragged(seed, distinct=distinct)
    expected = stats.kruskal(*columns_of(values))
    found = compare_columns(values, 0.95)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize("k", [2, 3, 7, 48, 100, 2000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_the_quantile_is_that_of_the_studentized_range(k, confidence):
    assert range_quantile(confidence, k) == pytest.approx(stats.studentized_range.ppf(confidence, k, np.inf), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("distinct", [None, 2])
def test_tukey_is_a_literal_loop_over_pairs(seed, distinct):
    values = ragged(seed, shape=(25, 12), missing=0.2, distinct=distinct)
    found = compare_columns(values, 0.9)
    known = values[~np.isnan(values)]
    ranks = np.full(values.shape, np.nan)
    ranks[~np.isnan(values)] = stats.rankdata(known)
    n, counts = len(known), (~np.isnan(values)).sum(axis=0)
    ties = sum(t**3 - t for t in np.unique(known, return_counts=True)[1].tolist())
    variance = n * (n + 1) / 12 - ties / (12 * (n - 1))
    q = stats.studentized_range.ppf(0.9, 12, np.inf)
    differs, easier = np.zeros(12, int), np.zeros(12, int)
    d = np.zeros((12, 12))
    for i, j in itertools.permutations(range(12), 2):
        gap = np.nanmean(ranks[:, j]) - np.nanmean(ranks[:, i])
        d[i, j] = q / math.sqrt(2) * math.sqrt(variance * (1 / counts[i] + 1 / counts[j]))
        differs[i] += abs(gap) > d[i, j]
        easier[i] += gap > d[i, j]
    assert found.differs.tolist() == differs.tolist()
    assert found.lower.tolist() == easier.tolist()
    assert differs.any()
    # the half-widths are the least squares solution of w_i + w_j = d_ij
    pairs = list(itertools.combinations(range(12), 2))
    design = np.zeros((len(pairs), 12))
    for at, (i, j) in enumerate(pairs):
        design[at, [i, j]] = 1
    expected = np.linalg.lstsq(design, np.array([d[i, j] for i, j in pairs]), rcond=None)[0]
    assert found.half_width == pytest.approx(expected)


def test_with_nothing_missing_intervals_and_tests_agree():
    found = compare_columns(ragged(5, shape=(30, 20), missing=0), 0.95)
    low, high = found.mean_rank - found.half_width, found.mean_rank + found.half_width
    apart = (low[:, None] > high[None, :]) | (high[:, None] < low[None, :])
    assert apart.sum(axis=1).tolist() == found.differs.tolist()
    assert found.differs.any()
    assert found.looks_otherwise == 0


def test_blocks_change_nothing(monkeypatch):
    values = ragged(6, shape=(20, 15))
    whole = compare_columns(values, 0.9)
    monkeypatch.setattr(difficulty, "BLOCK", 31)
    parts = compare_columns(values, 0.9)
    assert whole.differs.tolist() == parts.differs.tolist()
    assert whole.looks_otherwise == parts.looks_otherwise


@pytest.mark.parametrize(
    "values", [np.full((3, 4), 2.0), np.full((3, 4), np.nan), np.array([[1.0, np.nan], [2.0, np.nan]]), np.ones((1, 1))]
)
def test_what_does_not_vary_is_undefined(values):
    found = compare_columns(values, 0.95)
    assert math.isnan(found.statistic)
    assert math.isnan(found.p_value)
    assert np.isnan(found.half_width).all()
    assert not found.differs.any()


def test_a_column_without_cells_is_left_out():
    values = ragged(7)
    values[:, 3] = np.nan
    found, without = compare_columns(values, 0.95), compare_columns(np.delete(values, 3, axis=1), 0.95)
    assert math.isnan(found.mean_rank[3])
    assert np.delete(found.half_width, 3) == pytest.approx(without.half_width)
    assert found.statistic == without.statistic


def test_the_family_of_comparisons_holds_its_level():
    # equal columns: some pair differs in about 5% of worlds, 20 of 400
    random = np.random.default_rng(0)
    wrong = sum(compare_columns(random.normal(size=(30, 8)), 0.95).differs.any() for _ in range(400))
    assert 8 <= wrong <= 32
