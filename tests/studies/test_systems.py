"""Which systems differ?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import metassay as ma
from metassay.core.note import Note
from metassay.studies.system_pair_tests import Plan, judge_pairs

from .conftest import noted


def scores(values, groups=None, **labels):
    return ma.Scores.from_arrays({"m": np.asarray(values, dtype=float)}, groups=groups, **labels)


def noisy(systems=6, inputs=20, seed=0, missing=0.0):
    random = np.random.default_rng(seed)
    values = 0.4 * np.arange(systems)[:, None] + 2 * random.normal(size=inputs) + random.normal(size=(systems, inputs))
    values[random.random(values.shape) < missing] = np.nan
    return values


def test_a_pair_by_hand():
    # Differences 2, 1, -2, 5; the arithmetic is in tests/stats/test_paired.py.
    result = ma.systems(scores([[3, 5, 4, 8], [1, 4, 6, 3]], systems=["a", "b"]))
    unpaired, paired, ranked = result.table
    assert (paired.system_a, paired.system_b, paired.n_inputs, paired.mean_difference) == ("a", "b", 4, 1.5)
    assert (unpaired.test_statistic, ranked.test_statistic, ranked.p_value) == (pytest.approx(1.0), 5.0, 0.5)
    expected = stats.ttest_rel([3, 5, 4, 8], [1, 4, 6, 3])
    assert paired.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert (paired.low, paired.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert paired.threshold == pytest.approx(stats.t.ppf(0.975, 3))
    assert not any(row.significant for row in result.table)
    assert result.counts[0].n_pairs == 1


def test_missing_cells_are_left_out_pair_by_pair():
    values = noisy(missing=0.3, seed=4)
    known = ~np.isnan(values)
    for row in ma.systems(scores(values)).table:
        a, b = (int(name.removeprefix("system-")) - 1 for name in (row.system_a, row.system_b))
        both = known[a] & known[b]
        x, y = values[a, both], values[b, both]
        test = {"unpaired-t": stats.ttest_ind, "paired-t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}[row.test]
        assert row.n_inputs == both.sum()
        assert row.p_value == pytest.approx(test(x, y).pvalue, abs=1e-12)


def test_resampled_p_values_with_missing_cells_are_those_of_the_pair_alone():
    values = noisy(missing=0.3, seed=5)
    whole = {
        (r.system_a, r.system_b, r.test, r.cutoff): r.p_value
        for r in ma.systems(scores(values), cutoff="mc,hb", resamples=300).table
    }
    both = ~np.isnan(values[1]) & ~np.isnan(values[4])
    labels = ["system-2", "system-5"]
    alone = ma.systems(scores(values[[1, 4]][:, both], systems=labels), cutoff="mc,hb", resamples=300)
    for row in alone.table:
        assert row.p_value == whole[row.system_a, row.system_b, row.test, row.cutoff]


def test_threads_change_nothing():
    data = scores(noisy(systems=12, inputs=40))
    one, two = (ma.systems(data, cutoff="mc,hb", resamples=1_500, threads=t).to_json() for t in (1, 2))
    assert one == two
    assert one != ma.systems(data, cutoff="mc,hb", resamples=1_500, seed=1).to_json()


def test_resampled_and_theoretical_p_values_are_near():
    result = ma.systems(scores(noisy(inputs=46)), test="paired-t,wilcoxon", cutoff="theory,mc,hb", resamples=4_000)
    p = {(r.system_a, r.system_b, r.test, r.cutoff): r.p_value for r in result.table}
    for (a, b, test, cutoff), value in p.items():
        # Monte Carlo error: four standard errors of 4,000 draws; hb also varies the data themselves.
        theory = p[a, b, test, "theory"]
        slack = 4 * math.sqrt(theory * (1 - theory) / 4_000) + (0.01 if cutoff == "mc" else 0.04)
        assert abs(value - theory) < slack


def test_one_side_comes_in_both_orders_and_adds_up():
    result = ma.systems(scores(noisy(systems=4)), test="paired-t", alternative="greater")
    p = {(row.system_a, row.system_b): row.p_value for row in result.table}
    assert len(p) == 12
    for (a, b), value in p.items():
        assert value + p[b, a] == pytest.approx(1)
    less = ma.systems(scores(noisy(systems=4)), test="paired-t", alternative="less")
    assert {(row.system_b, row.system_a): row.p_value for row in less.table} == pytest.approx(p)
    assert noted(result, "both-orders")


def test_groups_are_counted_against_each_other():
    values = noisy(systems=5, inputs=30)
    values[3:] += 10
    names = ["m1", "m2", "m3", "H1", "H2"]
    result = ma.systems(scores(values, systems=names), group={"humans": "H*", "machines": "*"}, test="wilcoxon")
    counts = {(c.group_a, c.group_b): c for c in result.counts}
    assert list(counts) == [(None, None), ("humans", "machines"), ("humans", "humans"), ("machines", "machines")]
    cross = counts["humans", "machines"]
    assert (cross.n_pairs, cross.n_significant, cross.n_a_better, cross.n_b_better) == (6, 6, 6, 0)
    assert counts[None, None].n_pairs == 10
    row = next(r for r in result.table if {r.group_a, r.group_b} == {"humans", "machines"})
    assert (row.group_a, row.system_a[0]) == ("humans", "H"), "the first group comes first"
    assert noted(result, "pairs-significant", groups=("humans", "machines"), pairs=6)
    assert "humans × machines: 6 pairs" in result.to_text(view="counts")
    with pytest.raises(ma.UnknownName):
        ma.systems(scores(values, systems=names), group={"humans": "X*"})


def test_groups_of_the_data_are_the_default_and_references_stay():
    data = scores(noisy(systems=4), systems=["p1", "p2", "p3", "A"], groups={"A": "reference", "p1": "peer"})
    result = ma.systems(data)
    assert ("reference", "peer") in {(c.group_a, c.group_b) for c in result.counts}
    assert len(ma.systems(data, references=False).table) == 3 * 3


def test_what_cannot_be_tested_is_said():
    values = noisy(systems=4, inputs=6)
    values[1] = values[0]
    values[2, 1:] = np.nan
    result = ma.systems(scores(values), cutoff="theory,hb", resamples=50)
    few = [row for row in result.table if "system-3" in (row.system_a, row.system_b)]
    assert all(math.isnan(row.p_value) and row.n_inputs == 1 and not row.significant for row in few)
    assert noted(result, "pairs-not-tested")
    assert noted(result, "pairs-never-differ")
    assert result.counts[1].n_undefined == 4
    assert "–" in result.to_text(view="list")


def test_pairs_without_common_inputs_are_named_by_metric():
    values, gone = noisy(systems=3, inputs=6), noisy(systems=3, inputs=6, seed=1)
    gone[2, 1:] = np.nan
    data = ma.Scores.from_arrays({"whole": values, "one": gone, "other": gone + 1})
    pairs = (("system-1", "system-3"), ("system-2", "system-3"))
    for side in ("two-sided", "greater"):
        notes = noted(ma.systems(data, alternative=side), "pairs-not-tested")
        assert notes == [Note.of("pairs-not-tested", pairs=pairs, metric=metric) for metric in ("one", "other")]


def test_one_side_counts_ordered_pairs():
    data = scores(noisy(systems=4))
    assert noted(ma.systems(data), "pairs-significant", pairs=6, ordered=False)
    assert noted(ma.systems(data, alternative="less"), "pairs-significant", pairs=12, ordered=True)


def test_the_direction_is_that_of_the_statistic():
    # Ranks 1 to 30 (tied) are positive and only rank 31 is negative, but the mean is (3 - 9)/31 < 0.
    d = np.array([0.1] * 30 + [-9.0])
    (count,) = ma.systems(scores([d, 0 * d]), test="wilcoxon").counts
    assert (count.n_significant_corrected, count.n_a_better, count.n_b_better) == (1, 1, 0)
    # 30 × 0.1 and 1 × -3: the means are equal, the rank sum is not.
    d[-1] = -3.0
    (count,) = ma.systems(scores([d, 0 * d]), test="wilcoxon").counts
    assert (count.n_a_better, count.n_b_better) == (1, 0)


def test_no_direction_where_nothing_points_anywhere():
    # Equal means: T = 0 and p = 1/2, which so large an α calls significant, but neither system is better.
    result = ma.systems(scores([[1, 2, 3, 4], [2, 1, 4, 3]]), alternative="greater", alpha=0.6, test="paired-t")
    (count,) = result.counts
    assert (count.n_significant_corrected, count.n_a_better, count.n_b_better) == (2, 0, 0)


def test_corrections_are_over_all_pairs_of_a_metric():
    data = scores(noisy(systems=8))
    plain = ma.systems(data, test="wilcoxon")
    holm = ma.systems(data, test="wilcoxon", correction="bonferroni")
    for a, b in zip(plain.table, holm.table, strict=True):
        assert a.p_value == b.p_value
        assert b.significant_corrected == (28 * a.p_value <= 0.05)
    drawn = ma.systems(data, test="wilcoxon", cutoff="mc", correction="bonferroni", resamples=500)
    assert noted(drawn, "resamples-below-correction", n=500, pairs=28, least=560)


def test_words_say_why_the_unpaired_test_is_there():
    result = ma.systems(scores(noisy()))
    assert noted(result, "unpaired-t-for-comparison")
    found = tuple((c.test, "theory", c.n_significant) for c in result.counts)
    assert noted(result, "pairs-significant", found=found, groups=(None, None))
    assert not noted(ma.systems(scores(noisy()), test="wilcoxon"), "unpaired-t-for-comparison")


def test_views():
    result = ma.systems(scores(noisy(systems=3)), cutoff="theory,mc", resamples=50)
    assert "difference A − B" in str(result)
    many = ma.systems(scores(noisy(systems=9)))
    assert "difference A − B" not in str(many)
    assert "Tests of all pairs: m, wilcoxon, theory" in many.to_text(view="matrix")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "sign"}, "unknown test 'sign'"),
        ({"cutoff": "bootstrap"}, "unknown cutoff"),
        ({"alpha": 5}, "did you mean 0.05"),
        ({"resamples": 0}, "resamples must be"),
    ],
)
def test_misuse(options, message):
    with pytest.raises(ma.UsageError, match=message):
        ma.systems(scores(noisy()), **options)


def test_one_system_cannot_be_compared():
    with pytest.raises(ma.DataError, match="at least 2"):
        ma.systems(scores(noisy(systems=1)))


# -- simulated worlds -----------------------------------------------------------------------------


def rejected(shift, cutoff, worlds=1_000, inputs=24):
    """Return the share of worlds in which each test rejects; inputs differ in difficulty, twice as much as noise."""
    random = np.random.default_rng(2011)
    values = np.repeat(2 * random.normal(size=(worlds, inputs)), 2, axis=0) + random.normal(size=(2 * worlds, inputs))
    values[::2] += shift
    plan = Plan(("unpaired-t", "paired-t", "wilcoxon"), (cutoff,), "two-sided", 0.05, 499, 0)
    judged = judge_pairs(values, np.arange(0, 2 * worlds, 2), np.arange(1, 2 * worlds, 2), plan)
    return {test: float((outcome.p_value <= 0.05).mean()) for (test, _), outcome in judged.outcomes.items()}


@pytest.mark.parametrize("cutoff", ["theory", "mc", "hb"])
def test_tests_hold_their_level_where_inputs_differ_in_difficulty(cutoff):
    # In 1,000 worlds without a difference a test of level .05 rejects in .05 ± .0069 (one standard error). With another
    # seed one of these would leave ± 3 standard errors about once in 370 times.
    share = rejected(0.0, cutoff)
    assert 0.029 < share["paired-t"] < 0.071
    assert 0.029 < share["wilcoxon"] < 0.071
    if cutoff == "theory":
        # The variance of a difference is 2, the unpaired t believes 2·(4 + 1): it hardly ever rejects.
        assert share["unpaired-t"] < 0.005
    else:
        # Resampling repairs the level: it knows how the statistic varies on these pairs.
        assert 0.025 < share["unpaired-t"] < 0.075


def test_the_unpaired_test_loses_power_where_inputs_differ_in_difficulty():
    # A shift of 0.8 over 24 inputs: the paired t expects 0.8/√(2/24) = 2.8, the unpaired one 0.8/√(10/24) = 1.2.
    share = rejected(0.8, "theory")
    assert share["paired-t"] > 0.7
    assert share["wilcoxon"] > 0.65
    assert share["unpaired-t"] < 0.1


# -- published data -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tac(shared_data):
    return ma.read(*sorted((shared_data / "tac2008" / "scores").glob("*.jsonl")))


@pytest.mark.slow
def test_humans_and_machines_of_tac_2008(tac):
    result = ma.systems(tac, metric="*_jk*")
    cross = [c for c in result.counts if (c.group_a, c.group_b) == ("reference", "peer")]
    assert len({c.metric for c in cross}) == 16
    assert {c.n_pairs for c in cross} == {8 * 72}
    found = {(c.metric, c.test): c.n_significant for c in cross}
    # Counted with a loop over scipy.stats.ttest_ind, ttest_rel and wilcoxon on rounded differences.
    assert [found["METEOR_jk", t] for t in ("unpaired-t", "paired-t", "wilcoxon")] == [560, 567, 564]
    everything = {c.test: 0 for c in result.counts}
    for c in result.counts:
        if c.group_a is None:
            everything[c.test] += c.n_significant
    assert everything["paired-t"] > 1.1 * everything["unpaired-t"]
    assert everything["wilcoxon"] > 1.1 * everything["unpaired-t"]


def test_tac_2008_agrees_with_scipy(tac):
    values = tac.matrix("METEOR_jk")
    where = {s: k for k, s in enumerate(tac.systems)}
    rows = [r for r in ma.systems(tac, metric="METEOR_jk").table if r.test != "wilcoxon"]
    for row in rows[::97]:
        x, y = values[where[row.system_a]], values[where[row.system_b]]
        both = ~np.isnan(x) & ~np.isnan(y)
        if (x[both] == y[both]).all():
            continue
        test = stats.ttest_ind if row.test == "unpaired-t" else stats.ttest_rel
        assert row.p_value == pytest.approx(test(x[both], y[both]).pvalue, abs=1e-12)
        assert row.n_inputs in (0, 24, 48) or row.group_a == row.group_b == "reference"
