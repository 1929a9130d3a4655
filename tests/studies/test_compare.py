from __future__ import annotations

import itertools
import math
import threading
import time

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay import engine
from metassay.core import vocabulary
from metassay.stats.significance import corrected, williams
from metassay.stats.statistics.registry import BUILT_IN, LABELS, PROBABILITIES
from properties import literal

from .conftest import noted

LEVELS = ",".join(literal.LEVELS)
TESTS = [test for test in vocabulary.METRIC_TESTS if test != "perm-outcomes"]


def by_pair(result, level=None):
    return {(r.metric_a, r.metric_b): r for r in result.table if level in (None, r.level)}


@pytest.mark.parametrize("test", TESTS)
def test_all_ordered_pairs_on_the_example(small_example, test):
    example = small_example
    result = ma.compare(example, human="relevance", level=LEVELS, test=test, resamples=99)
    metrics = example.metrics
    assert len(result.table) == 4 * len(metrics) * (len(metrics) - 1)
    for level in literal.LEVELS:
        assert set(by_pair(result, level)) == set(itertools.permutations(metrics, 2))
    for row in result.table:
        assert (row.human, row.test, row.statistic) == ("relevance", test, "kendall")
        assert (row.alternative, row.correction, row.scope) == ("greater", "holm", "table")
        assert row.resamples == (None if test in ("williams", "jackknife") else 99)
        assert 0 < row.p_value <= 1
        assert row.difference == row.estimate_a - row.estimate_b
        assert row.significant == (row.p_value <= result.alpha == 0.05)
        assert (row.n_systems, row.n_inputs) == (14, 80)


def test_both_estimates_rest_on_the_cells_that_both_have(world):
    random = np.random.default_rng(1)
    gaps = {"good": random.random((8, 12)) < 0.2, "fair": random.random((8, 12)) < 0.2}
    scores = world(missing=gaps)
    x = {name: scores.matrix(name) for name in scores.metrics}
    z = scores.matrix("human")
    result = ma.compare(scores, level=LEVELS, statistic="pearson", resamples=19)
    for row in result.table:
        common = ~np.isnan(x[row.metric_a]) & ~np.isnan(x[row.metric_b])
        for name, estimate in ((row.metric_a, row.estimate_a), (row.metric_b, row.estimate_b)):
            wanted = literal.correlation(np.where(common, x[name], np.nan), z, row.level, "pearson")
            assert estimate == pytest.approx(wanted, abs=1e-12)
    assert noted(result, "metrics-on-common-cells")
    # Ranks are of each metric on all cells it has.
    for ranked in result.ranks:
        wanted = literal.correlation(x[ranked.metric], z, ranked.level, "pearson")
        assert ranked.estimate == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("test", TESTS)
def test_the_two_directions_fit_together(world, test):
    options = {"level": LEVELS, "test": test, "resamples": 199}
    greater = ma.compare(world(), alternative="greater", **options).table
    less = {
        (r.metric_a, r.metric_b, r.level): r.p_value for r in ma.compare(world(), alternative="less", **options).table
    }
    two = {
        (r.metric_a, r.metric_b, r.level): r.p_value
        for r in ma.compare(world(), alternative="two-sided", **options).table
    }
    exactly = 1e-12 if test == "williams" else 0  # counts are equal, the formula is up to rounding
    for row in greater:
        there, back = (row.metric_a, row.metric_b, row.level), (row.metric_b, row.metric_a, row.level)
        assert less[back] == pytest.approx(row.p_value, rel=exactly, abs=0)
        assert two[there] == pytest.approx(two[back], rel=exactly, abs=0)


@pytest.mark.parametrize("unit", ["systems", "inputs", "both"])
@pytest.mark.parametrize("level", literal.LEVELS)
def test_permutations_by_the_book(world, unit, level):
    """Standardise, swap, correlate, count: Algorithm 2 of the paper, draw by draw."""
    from metassay.stats.draws import SwapPages

    scores, k = world(systems=5, inputs=6), 60
    x, y = (scores.matrix(name) for name in ("good", "fair"))
    z = scores.matrix("human")
    x, y = ((v - v.mean()) / v.std() for v in (x, y))
    observed = np.subtract(*literal.exchanged(x, y, z, np.zeros((5, 6)), level, "kendall"))
    swaps = SwapPages(k, (5, 6), 3, unit)[0][:, :, :k]
    drawn = [np.subtract(*literal.exchanged(x, y, z, swaps[:, :, b], level, "kendall")) for b in range(k)]
    drawn = np.array(drawn)[~np.isnan(drawn)]
    wanted = {
        "plus-one": ((drawn >= observed - 1e-12).sum() + 1) / (len(drawn) + 1),
        "paper": (drawn > observed + 1e-12).sum() / len(drawn),
    }
    for rule, p_value in wanted.items():
        result = ma.compare(
            scores, metric=["good", "fair"], level=level, test=f"perm-{unit}", p=rule, resamples=k, seed=3
        )
        assert result.table[0].p_value == pytest.approx(p_value)
        assert result.table[0].resamples_undefined == k - len(drawn)
        assert result.signature["p"] == rule


@pytest.mark.parametrize("level", literal.LEVELS)
def test_paired_bootstrap_by_the_book(world, level):
    from metassay.stats.draws import BootstrapPages

    scores, k = world(systems=5, inputs=6), 60
    x, y, z = (scores.matrix(name) for name in ("good", "fair", "human"))
    systems, inputs = BootstrapPages(k, (5, 6), 3)[0]
    drawn = np.array(
        [
            literal.resampled(x, z, systems[:, b], inputs[:, b], level, "kendall")
            - literal.resampled(y, z, systems[:, b], inputs[:, b], level, "kendall")
            for b in range(k)
        ]
    )
    drawn = drawn[~np.isnan(drawn)]
    observed = literal.correlation(x, z, level, "kendall") - literal.correlation(y, z, level, "kendall")
    counts = {
        "greater": (drawn <= 1e-12).sum(),
        "less": (drawn >= -1e-12).sum(),
        "two-sided": (abs(drawn - observed) >= abs(observed) - 1e-12).sum(),
    }
    for alternative, count in counts.items():
        options = {"test": "paired-boot-both", "alternative": alternative, "resamples": k, "seed": 3}
        result = ma.compare(scores, metric=["good", "fair"], level=level, **options)
        assert result.table[0].p_value == pytest.approx((count + 1) / (len(drawn) + 1))


def test_williams_takes_the_correlations_of_the_level(world):
    scores = world()
    x, y, z = (scores.matrix(name) for name in ("good", "fair", "human"))
    for level, n in (("system", 8), ("input", 8), ("global", 96), ("within-system", 12)):
        row = by_pair(ma.compare(scores, level=level, test="williams", statistic="pearson"))[("good", "fair")]
        r = [literal.correlation(a, b, level, "pearson") for a, b in ((x, z), (y, z), (x, y))]
        assert row.p_value == pytest.approx(williams(*r, n, "greater"))


def test_williams_counts_a_system_that_has_means_though_no_common_cell():
    random = np.random.default_rng(0)
    x, y, z = random.normal(size=(3, 6, 8))
    z[0, :4] = np.nan
    x[0, 4:] = y[0, 4:] = np.nan
    result = ma.compare(ma.Scores.from_arrays({"x": x, "y": y}, {"h": z}), level="system", test="williams")
    assert {row.n_systems for row in result.table} == {6}


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "bh", "by"])
@pytest.mark.parametrize(
    ("scope", "alternative", "family"),
    [("row", "greater", 3), ("row", "two-sided", 3), ("table", "greater", 12), ("table", "two-sided", 6)],
)
def test_what_is_corrected_together(correction, scope, alternative, family):
    random = np.random.default_rng(5)
    z = random.normal(size=(10, 15))
    metrics = {f"m{k}": z + k * random.normal(size=z.shape) for k in range(1, 5)}
    scores = ma.Scores.from_arrays(metrics, {"h": z})
    result = ma.compare(
        scores,
        level="input",
        statistic="pearson",
        correction=correction,
        scope=scope,
        alternative=alternative,
        resamples=199,
    )
    rows = by_pair(result)
    names = scores.metrics
    if scope == "row":
        families = [[(a, b) for b in names if b != a] for a in names]
    elif alternative == "two-sided":
        families = [list(itertools.combinations(names, 2))]
    else:
        families = [list(itertools.permutations(names, 2))]
    decided = set()
    for pairs in families:
        assert len(pairs) == family
        adjusted = corrected(np.array([rows[pair].p_value for pair in pairs]), correction)
        for pair, p in zip(pairs, adjusted, strict=True):
            assert rows[pair].significant_corrected == (p <= 0.05)
            decided.add(pair)
    for a, b in itertools.permutations(names, 2):
        if (a, b) not in decided:
            assert rows[(a, b)].significant_corrected == rows[(b, a)].significant_corrected
    assert result.signature["corr"] == f"{correction},{scope}"


def test_no_correction_corrects_nothing(world):
    result = ma.compare(world(), level="input", correction="none", resamples=99)
    assert all(row.significant == row.significant_corrected for row in result.table)
    assert result.signature["corr"] == "none"


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_possible_ranks_follow_from_all_pairs_by_holm(world, alternative):
    options = {"level": "input", "statistic": "pearson", "alternative": alternative}
    # Whatever correction the tests have, sets of ranks need control over the whole table.
    results = [ma.compare(world(), **options, correction=c, scope=s) for c, s in (("holm", "table"), ("none", "row"))]
    assert results[0].ranks == results[1].ranks
    ranks = results[0].ranks
    assert [(r.metric, r.rank) for r in ranks] == [("good", 1), ("fair", 2), ("poor", 3)]
    rows = by_pair(results[0])
    pairs = list(itertools.combinations([r.metric for r in ranks], 2))
    two = [min(1, 2 * min(rows[a, b].p_value, rows[b, a].p_value)) for a, b in pairs]
    if alternative == "two-sided":
        two = [rows[pair].p_value for pair in pairs]
    won = {pair for pair, p in zip(pairs, corrected(np.array(two), "holm"), strict=True) if p <= 0.05}
    assert won
    for r in ranks:
        assert r.rank_low == 1 + sum(b == r.metric for _, b in won)
        assert r.rank_high == 3 - sum(a == r.metric for a, _ in won)


def test_equal_metrics_may_have_all_ranks():
    random = np.random.default_rng(4)
    z = random.normal(size=(12, 1)) + random.normal(size=(12, 30))
    metrics = {f"m{k}": z + random.normal(size=z.shape) for k in range(4)}
    result = ma.compare(ma.Scores.from_arrays(metrics, {"h": z}), level="system")
    assert {(r.rank_low, r.rank_high) for r in result.ranks} == {(1, 4)}
    (needed,) = noted(result, "differences-needed")
    ((level, statistic, median),) = needed["needed"]
    assert (level, statistic) == ("system", "kendall")
    differences = [row.detectable for row in result.table]
    assert median == pytest.approx(np.median(differences))
    # What is not detectable at this precision is not significant, and the other way round.
    assert all(row.significant_corrected <= (row.difference > 0) for row in result.table)


def test_a_detectable_difference_is_where_significance_starts(world):
    for statistic in ("kendall", "pearson"):
        result = ma.compare(world(), level="input", statistic=statistic, correction="none")
        for row in result.table:
            if abs(abs(row.difference) - row.detectable) > 0.02:
                assert row.significant == (row.difference > row.detectable)


def test_too_few_systems_are_no_test_and_say_so(world):
    result = ma.compare(world(systems=4), level="system")
    assert all(math.isnan(row.p_value) and math.isnan(row.p_corrected) for row in result.table)
    notes = noted(result, "no-test", reason="few-systems", needs=5, has=4)
    assert {note["pair"] for note in notes} == {(("good", "fair"),), (("good", "poor"),), (("fair", "poor"),)}
    assert {(r.rank_low, r.rank_high) for r in result.ranks} == {(1, 3)}
    assert not noted(result, "generalises")


def test_a_system_that_carries_a_pearson_correlation_is_named(world):
    scores = world()
    far = scores.matrix("fair").copy()
    far[3] -= 30
    odd = ma.Scores.from_arrays({"far": far, "good": scores.matrix("good")}, {"human": scores.matrix("human")})
    (note,) = noted(ma.compare(odd, level="system", statistic="pearson"), "one-system-carries", human="human")
    assert [(row[0], row[2]) for row in note["rows"]] == [("far", odd.systems[3])]
    assert not noted(ma.compare(odd, statistic="kendall"), "one-system-carries")


def test_tests_that_cannot_succeed_are_named(world):
    result = ma.compare(world(systems=6), level="system", test="two-way", resamples=999)
    (note,) = noted(result, "p-never-small-corrected", correction="holm", tests=6)
    assert note["smallest"] == 1 / 64
    assert note["after"] == pytest.approx(6 / 64)
    assert not noted(ma.compare(world(systems=6), level="system", correction="none", test="two-way"), "p-never-small")
    assert noted(ma.compare(world(systems=4), level="system", test="perm-systems"), "p-never-small")


def test_copies_are_not_tested(world):
    scores = world()
    metrics = {name: scores.matrix(name) for name in ("good", "fair")} | {"again": 2 * scores.matrix("fair") + 1}
    result = ma.compare(ma.Scores.from_arrays(metrics, {"human": scores.matrix("human")}), level="system")
    assert noted(result, "no-test", reason="same-scores", pair=(("fair", "again"),))
    assert math.isnan(by_pair(result)["fair", "again"].p_value)


def test_a_constant_metric_is_undefined_and_explained(world):
    plain = world()
    metrics = {name: plain.matrix(name) for name in ("good", "fair")} | {"flat": np.full((8, 12), 0.3)}
    scores = ma.Scores.from_arrays(metrics, {"human": plain.matrix("human")})
    for test in TESTS:
        result = ma.compare(scores, level=LEVELS, test=test, resamples=49)
        for row in result.table:
            assert math.isnan(row.p_value) == ("flat" in (row.metric_a, row.metric_b))
            if math.isnan(row.p_value):
                assert not row.significant
                assert not row.significant_corrected
        assert noted(result, "agreement-undefined", metric="flat", reason="metric-tied")
        assert {c.metric for c in result.ranks if math.isnan(c.estimate)} == {"flat"}
        assert {(c.rank, c.rank_low, c.rank_high) for c in result.ranks if c.metric == "flat"} == {(None, None, None)}
        assert all(1 <= c.rank_low <= c.rank <= c.rank_high <= 2 for c in result.ranks if c.metric != "flat")
        # An undefined test does not enlarge a family: the table has two tests left, in both directions.
        left = [row for row in result.table if "flat" not in (row.metric_a, row.metric_b)]
        assert all(row.p_corrected <= min(2 * row.p_value, 1) + 1e-12 for row in left)


@pytest.mark.parametrize("test", TESTS)
def test_metrics_without_common_cells_are_not_compared(world, test):
    first = np.arange(12) < 6
    scores = world(missing={"good": np.tile(first, (8, 1)), "fair": np.tile(~first, (8, 1))})
    rows = by_pair(ma.compare(scores, level="system", test=test, resamples=49))
    assert math.isnan(rows[("good", "fair")].p_value)
    assert not math.isnan(rows[("good", "poor")].p_value)


@pytest.mark.parametrize("test", TESTS)
def test_a_metric_and_its_copy_do_not_differ(world, test):
    x = world().matrix("fair")
    scores = ma.Scores.from_arrays({"fair": x, "copy": x.copy()}, {"human": world().matrix("human")})
    for row in ma.compare(scores, level=LEVELS, statistic="pearson,spearman,kendall", test=test, resamples=99).table:
        assert row.difference == 0
        expected = {"williams": 0.5, "jackknife": math.nan}.get(test, 1)
        assert row.p_value == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("level", ["input", "global", "within-system"])
def test_a_metric_in_other_units_does_not_differ(level):
    random = np.random.default_rng(0)
    x, z = random.integers(1, 6, (2, 6, 8)).astype(float)
    scores = ma.Scores.from_arrays({"share": x / 7, "percent": x * 100 / 7}, {"human": z})
    for row in ma.compare(scores, level=level, statistic="kendall", test="two-way", resamples=199).table:
        assert row.p_value == 1
    assert all(math.isnan(row.p_value) for row in ma.compare(scores, level=level, statistic="kendall").table)


def test_the_smallest_p_value_is_one_over_draws_and_one():
    random = np.random.default_rng(0)
    z = random.normal(size=(10, 40))
    scores = ma.Scores.from_arrays({"good": z + 0.1, "bad": -z}, {"h": z})
    options = {"level": "input", "statistic": "pearson", "test": "perm-both", "resamples": 99}
    assert by_pair(ma.compare(scores, **options))[("good", "bad")].p_value == 1 / 100
    assert by_pair(ma.compare(scores, p="paper", **options))[("good", "bad")].p_value == 0
    # Correlations of 1 and of −1, whatever system is left out: nothing shows how far their difference may vary.
    result = ma.compare(scores, level="input", statistic="pearson")
    assert math.isnan(by_pair(result)[("good", "bad")].p_value)
    assert noted(result, "no-test", reason="zero-width")


def test_references_are_left_out_unless_they_are_wanted(world):
    scores = world(groups={"system-1": "reference"})
    left_out = ma.compare(scores, level="input", resamples=19)
    assert {row.n_systems for row in left_out.table} == {7}
    assert noted(left_out, "references-excluded", n=1)
    kept = ma.compare(scores, level="input", resamples=19, references=True)
    assert {row.n_systems for row in kept.table} == {8}


def test_several_criteria_levels_and_coefficients_at_once(example):
    result = ma.compare(example, metric="synthetic-judge,synthetic-overlap", statistic="pearson,tau-c", resamples=19)
    keys = [(row.human, row.level, row.statistic, row.metric_a) for row in result.table]
    assert len(set(keys)) == len(keys) == 2 * 2 * 2 * 2
    assert len(result.ranks) == 2 * 2 * 2 * 2
    assert repr(result).startswith("Comparison(16 rows; study:compare|")


def test_the_notes_say_what_the_conclusion_is_about(world):
    about = {}
    for test in TESTS:
        (note,) = noted(ma.compare(world(), level="input", test=test, resamples=19), "generalises", method=test)
        about[test] = note["to"]
    assert about["perm-systems"] == "systems"
    assert about["perm-inputs"] == "inputs"
    assert about["paired-boot-both"] == about["two-way"] == "both"


def test_perm_both_swaps_single_cells_not_rows_and_then_columns():
    # With one system per input difference, cell swaps can make any pattern of signs; row and column swaps cannot.
    from metassay.stats.draws import SwapPages

    cells = SwapPages(2000, (2, 2), 0, "both")[0][:, :, :2000].reshape(4, -1)
    patterns, counts = np.unique(cells, axis=1, return_counts=True)
    assert patterns.shape[1] == 16  # row swaps then column swaps reach only 8 of them
    assert stats.chisquare(counts).pvalue > 1e-3


def test_williams_rests_on_cells_that_people_scored():
    random = np.random.default_rng(5)
    quality = random.normal(size=(8, 12))
    x, y = quality + random.normal(size=(2, 8, 12))
    z = quality.copy()
    z[random.random(z.shape) < 0.3] = np.nan
    changed_x, changed_y = (np.where(np.isnan(z), v[::-1], v) for v in (x, y))
    for level in ("input", "global", "within-system"):
        p_values = [
            [row.p_value for row in ma.compare(scores, level=level, statistic="pearson", test="williams").table]
            for scores in (
                ma.Scores.from_arrays({"x": x, "y": y}, {"z": z}),
                ma.Scores.from_arrays({"x": changed_x, "y": changed_y}, {"z": z}),
            )
        ]
        assert p_values[0] == p_values[1]


def test_a_note_warns_if_metrics_favour_systems(world):
    random = np.random.default_rng(0)
    quality = random.normal(size=(16, 1))
    x, y = (quality + random.normal(size=(16, 1)) + random.normal(size=(16, 50)) for _ in range(2))
    scores = ma.Scores.from_arrays({"x": x, "y": y}, {"z": quality + random.normal(size=(16, 50))})
    options = {"level": "system", "statistic": "pearson", "resamples": 19}
    (warning,) = noted(
        ma.compare(scores, test="perm-both", **options), "false-positives", method="perm-both", alpha=0.05
    )
    ((level, rate, n, pairs),) = warning["rates"]
    assert (level, n, pairs) == ("system", 1, 1)
    assert 0.05 < rate < 1
    assert not noted(ma.compare(scores, test="two-way", **options), "false-positives")
    alike = {name: quality + random.normal(size=(16, 50)) for name in "xyz"}
    scores = ma.Scores.from_arrays({name: alike[name] for name in "xy"}, {"z": alike["z"]})
    # by chance the note appears once in twenty such data sets; this one is not among them
    assert not noted(ma.compare(scores, test="perm-both", **options), "false-positives")


def test_two_way_exchanges_whole_systems_where_inputs_add_nothing():
    # Every input is the same, so inputs add nothing, and 3 of 2⁵ = 32 exchanges decide: p is the share of exchanges
    # with a difference of at least √(1 − 1/10) times the observed one.
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.5])
    y = np.array([2.0, 1.0, 4.0, 3.0, 4.5])
    z = np.array([1.0, 2.2, 2.9, 4.1, 5.0])
    scores = ma.Scores.from_arrays(
        {"x": np.repeat(x[:, None], 4, 1), "y": np.repeat(y[:, None], 4, 1)}, {"z": np.repeat(z[:, None], 4, 1)}
    )
    (row, _) = ma.compare(scores, level="system", statistic="pearson", test="two-way", resamples=20_000).table
    u, v = ((w - w.mean()) / w.std() for w in (x, y))

    def difference(swap):
        left, right = np.where(swap, v, u), np.where(swap, u, v)
        return np.corrcoef(left, z)[0, 1] - np.corrcoef(right, z)[0, 1]

    all_swaps = [difference(np.array([(k >> i) & 1 for i in range(5)], dtype=bool)) for k in range(32)]
    share = np.mean(np.array(all_swaps) >= np.sqrt(0.9) * all_swaps[0] - 1e-12)
    assert row.p_value == pytest.approx(share, abs=4 * np.sqrt(share / 20_000))


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall-c"])
def test_two_way_has_all_levels_and_coefficients(world, level, statistic):
    forth = ma.compare(world(), level=level, statistic=statistic, test="two-way", resamples=99)
    assert all(0 < row.p_value <= 1 for row in forth.table)
    a, b = forth.table[0], next(r for r in forth.table if r.metric_a == forth.table[0].metric_b)
    assert b.difference == pytest.approx(-a.difference)
    assert a.p_value + b.p_value >= 1 - 1e-9


def test_the_two_way_test_uses_its_threads(monkeypatch):
    """The engine judges by the first page whether threads pay, so no page that is known already may come first."""
    seen = set()
    make = ma.Statistic.exchange

    def slow(*given):
        exchange = make(*given)

        def exchanged(swaps):
            seen.add(threading.get_ident())
            time.sleep(0.05)
            return exchange(swaps)

        return exchanged

    monkeypatch.setattr(ma.Statistic, "exchange", slow)
    z = np.random.default_rng(0).normal(size=(8, 200))
    scores = ma.Scores.from_arrays(metrics={"a": z + 1, "b": -z}, human={"overall": z})
    ma.compare(scores, level="system", statistic="pearson", test="two-way", resamples=8 * 1024, threads=2)
    assert len(seen) > 1


def test_progress_is_that_of_all_criteria_levels_and_statistics():
    heard = []
    with engine.reporting(lambda done, total, what: heard.append((done / total, what))):
        ma.compare(ma.example(), human="relevance,coherence", level="system,input", statistic="kendall,pearson")
    shares = [share for share, _ in heard]
    assert shares == sorted(shares)
    assert len(set(shares)) >= 8
    assert {what for _, what in heard} == {"comparing metrics"}


@pytest.mark.parametrize(("units", "families"), [(1, False), (2, False), (2, True), (3, False)])
def test_one_to_three_systems_have_a_reason_for_every_statistic(units, families):
    random = np.random.default_rng(units)
    systems = 2 * units if families else units
    z = random.random((systems, 12)).round(1)
    metrics = {name: np.where(random.random(z.shape) < 0.7, z, random.random(z.shape)) for name in "ab"}
    whole = ma.Scores.from_arrays({name: 100 * x for name, x in metrics.items()}, {"h": 100 * z})
    labels = ma.Scores.from_arrays({name: np.rint(x) for name, x in metrics.items()}, {"h": np.rint(z)})
    if families:
        of = {str(at): whole.systems[2 * at : 2 * at + 2] for at in range(units)}
        whole, labels = (scores.declare(family_of=of) for scores in (whole, labels))
    for statistic in BUILT_IN:
        scores = labels if statistic in (*LABELS, *PROBABILITIES) else whole
        for level in statistic.levels:
            options = {"statistic": statistic.name, "level": level}
            if systems == 1 and level in ("system", "input"):
                for verb in (ma.agree, ma.compare):
                    with pytest.raises(ma.errors.DataError, match="needs at least 2 systems"):
                        verb(scores, **options)
                continue
            agreed, compared = ma.agree(scores, **options), ma.compare(scores, **options)
            due = units == 3 and level == "within-system"
            for row in agreed.table:
                assert math.isnan(row.low) == math.isnan(row.high) != due
                told = ("agreement-undefined", "no-interval")
                assert due or any(noted(agreed, code, metric=row.metric) for code in told), (statistic, level)
            assert all(math.isnan(row.p_value) != due for row in compared.table)
            assert due or noted(compared, "no-test"), (statistic, level)
