"""The same seed gives the same bytes, whatever the threads, the pages and the company."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

import metassay as ma
from metassay import engine as work
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.kernels import score_swaps, within_groups
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.statistics.registry import find
from properties import literal
from properties.cases import same

ALL_LEVELS = ",".join(literal.LEVELS)
ALL_COEFFICIENTS = ",".join(literal.COEFFICIENTS)


@pytest.fixture(autouse=True)
def threads_even_for_little_work(monkeypatch):
    monkeypatch.setattr(work, "WORTH_THREADS", 0.0)


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(0)
    truth = random.normal(size=(7, 11))
    metrics = {f"m{k}": truth + (k + 1) * random.normal(size=truth.shape) for k in range(3)}
    metrics["graded"] = np.round(truth + random.normal(size=truth.shape))
    metrics["m1"][random.random(truth.shape) < 0.1] = np.nan
    return ma.Scores.from_arrays(metrics, {"human": random.integers(1, 6, truth.shape).astype(float)})


def rows(result):
    """Return the rows in a form in which undefined equals undefined."""
    return [{key: repr(value) for key, value in row.items()} for row in result.rows()]


@pytest.mark.parametrize("interval", ["boot-systems", "boot-inputs", "boot-both"])
def test_threads_change_no_byte_of_an_interval(scores, interval):
    def run(threads):
        return ma.agree(
            scores,
            level=ALL_LEVELS,
            statistic="pearson,spearman,kendall",
            interval=interval,
            resamples=4000,
            threads=threads,
        )

    one = run(1)
    for threads in (2, 3):
        other = run(threads)
        assert rows(other) == rows(one)
        assert all(same(a, b) for a, b in zip(one.samples, other.samples, strict=True))


@pytest.mark.parametrize("test", ["perm-both", "perm-inputs", "paired-boot-both"])
def test_threads_change_no_byte_of_a_test(scores, test):
    results = [
        ma.compare(scores, level=ALL_LEVELS, statistic="pearson,kendall", test=test, resamples=3000, threads=threads)
        for threads in (1, 2, 3)
    ]
    assert rows(results[0]) == rows(results[1]) == rows(results[2])


def test_more_resamples_begin_with_the_fewer(scores):
    options = {"level": ALL_LEVELS, "statistic": ALL_COEFFICIENTS, "interval": "boot-both"}
    few, many = (ma.agree(scores, resamples=k, **options) for k in (700, 2100))
    for a, b in zip(few.samples, many.samples, strict=True):
        assert a.shape == (700,)
        assert same(a, b[:700])


def test_seeds_differ_and_seed_0_is_a_seed(scores):
    def run(seed):
        return ma.agree(scores, level="input", interval="boot-both", statistic="pearson", resamples=50, seed=seed)

    zero, again, one = run(0), run(0), run(1)
    assert zero.signature["seed"] == "0"
    assert same(zero.samples[0], again.samples[0])
    assert not same(zero.samples[0], one.samples[0])
    assert same(run(2**70).samples[0], run(2**70).samples[0])

    def p_values(seed):
        result = ma.compare(scores, level="input", test="two-way", resamples=199, seed=seed)
        return [row.p_value for row in result.table]

    assert p_values(0) == p_values(0) != p_values(1)


def test_systems_are_drawn_alike_whether_or_not_inputs_are_drawn_too():
    both = BootstrapPages(10, (5, 6), 3)[0]
    systems, none = BootstrapPages(10, (5, 6), 3, resample_inputs=False)[0]
    assert none is None
    assert same(systems, both[0])
    assert not np.array_equal(both[0][:5], both[1][:5])


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", literal.LEVELS)
def test_pages_one_at_a_time_or_all_at_once(level, coefficient):
    random = np.random.default_rng(1)
    x, z = random.normal(size=(2, 6, 8)), random.integers(1, 6, (6, 8)).astype(float)
    pages = BootstrapPages(3000, z.shape, 0)
    assert len(pages) == 3
    prepared = find(coefficient).prepare(x, z, level)
    apart = np.concatenate([prepared.bootstrap(*pages[p]) for p in (2, 0, 1)], axis=1)
    systems, inputs = (np.concatenate(parts, axis=1) for parts in zip(*(pages[p] for p in (2, 0, 1)), strict=True))
    together = prepared.bootstrap(systems, inputs)
    if coefficient == "pearson":
        np.testing.assert_allclose(together, apart, atol=1e-13, rtol=0)
    elif level in ("system", "global"):
        assert same(together, apart)  # nothing but whole numbers until the last division
    else:
        np.testing.assert_allclose(together, apart, atol=1e-15, rtol=0)


@pytest.mark.parametrize("coefficient", literal.COEFFICIENTS)
@pytest.mark.parametrize("level", ["input", "global", "within-system"])
def test_tables_kept_or_made_again_give_the_same_bytes(level, coefficient):
    random = np.random.default_rng(2)
    x, z = random.normal(size=(3, 6, 60)), random.integers(1, 6, (6, 60)).astype(float)
    draws = BootstrapPages(1000, z.shape, 0)[0]
    swaps = SwapPages(1000, z.shape, 0, "both")[0]
    cells = np.stack([standardize_cells(v) for v in x])
    results = []
    for keep in (1 << 23, 0):
        with patch.object(within_groups, "KEEP", keep), patch.object(score_swaps, "KEEP", keep):
            prepared = find(coefficient).prepare(x, z, level)
            swapping = find(coefficient).exchange(cells, z, [(0, 1), (0, 2)], level)
            results.append((prepared.bootstrap(*draws), *swapping(swaps)))
    for kept, made in zip(*results, strict=True):
        assert same(kept, made)


def test_a_metric_alone_gets_the_numbers_it_gets_in_company(scores):
    options = {"level": ALL_LEVELS, "statistic": ALL_COEFFICIENTS, "interval": "boot-both", "resamples": 300}
    together = ma.agree(scores, **options)
    for name in scores.metrics:
        alone = ma.agree(scores, metric=name, **options)
        of_name = [row for row, inner in zip(rows(together), together.table, strict=True) if inner.metric == name]
        assert rows(alone) == of_name


def test_company_moves_the_jackknife_by_rounding_at_most(scores):
    options = {"level": ALL_LEVELS, "statistic": ALL_COEFFICIENTS}
    together = {(row.metric, row.level, row.statistic): row for row in ma.agree(scores, **options).table}
    for name in scores.metrics:
        for row in ma.agree(scores, metric=name, **options).table:
            other = together[(name, row.level, row.statistic)]
            np.testing.assert_allclose((row.low, row.high), (other.low, other.high), atol=1e-13, rtol=0)


@pytest.mark.parametrize("test", ["perm-both", "perm-systems", "paired-boot-both", "williams"])
def test_two_metrics_alone_get_the_p_values_they_get_in_company(scores, test):
    options = {"level": ALL_LEVELS, "statistic": "pearson,kendall", "test": test, "resamples": 500}
    together = ma.compare(scores, **options)
    alone = ma.compare(scores, metric=["m1", "graded"], **options)
    wanted = {(row.metric_a, row.metric_b, row.level, row.statistic): row.p_value for row in together.table}
    assert len(alone.table) == 2 * 4 * 2
    for row in alone.table:
        assert row.p_value == wanted[(row.metric_a, row.metric_b, row.level, row.statistic)]


def test_the_order_of_the_metrics_changes_no_number(scores):
    forward = ma.agree(scores, metric=["m0", "m1", "graded"], level=ALL_LEVELS, resamples=200)
    backward = ma.agree(scores, metric=["graded", "m1", "m0"], level=ALL_LEVELS, resamples=200)

    def by_name(result):
        return sorted(rows(result), key=lambda row: (row["metric"], row["level"]))

    assert by_name(forward) == by_name(backward)
