from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import metassay as ma
from properties import literal

from .conftest import noted

LEVELS = ",".join(literal.LEVELS)
COEFFICIENTS = ",".join(literal.COEFFICIENTS)


def one(scores, **options):
    (row,) = ma.agree(scores, **{"resamples": 100, **options}).table
    return row


def test_everything_in_one_call_on_the_example(small_example):
    example = small_example
    result = ma.agree(example, level=LEVELS, statistic=COEFFICIENTS)
    metrics, humans = example.metrics, example.humans
    assert len(result.table) == len(metrics) * len(humans) * 4 * 5
    assert {(r.metric, r.human, r.level, r.statistic) for r in result.table} == {
        (m, h, lv, c) for m in metrics for h in humans for lv in literal.LEVELS for c in literal.COEFFICIENTS
    }
    for row in result.table:
        if row.metric == "synthetic-embedding" and row.human == "relevance":  # it has missing cells
            x, z = example.matrix(row.metric), example.matrix(row.human)
            wanted = literal.correlation(x, z, row.level, row.statistic)
            assert row.estimate == pytest.approx(wanted, abs=1e-12)
        assert -1 <= row.low <= row.high <= 1
        assert (row.n_systems, row.n_inputs, row.resamples) == (14, 80, None)
        assert (row.confidence, row.interval) == (0.95, "jackknife")
        kendall_of_systems = row.level == "system" and row.statistic.startswith("kendall")
        assert math.isnan(row.misranked) != kendall_of_systems
    assert len(result.samples) == len(result.table)
    assert all(sample is None for sample in result.samples)


def test_levels_and_coefficients_have_aliases_and_one_name(example):
    result = ma.agree(example, human="relevance", metric="synthetic-judge", level="segment,sys", statistic="tau-b")
    assert [(row.level, row.statistic) for row in result.table] == [("input", "kendall"), ("system", "kendall")]


def test_the_interval_is_the_percentiles_of_the_samples(world):
    result = ma.agree(world(), level="system", interval="boot-both", resamples=500, confidence=0.8)
    for row, sample in zip(result.table, result.samples, strict=True):
        np.testing.assert_allclose((row.low, row.high), np.nanquantile(sample, [0.1, 0.9]), rtol=1e-12)


@pytest.mark.parametrize(("interval", "drawn"), [("boot-systems", 0), ("boot-inputs", 1)])
def test_each_bootstrap_draws_its_own_axis(interval, drawn):
    # The metric equals people on every input: drawing inputs leaves a correlation of 1, drawing systems too,
    # unless the draw is constant. So look at a metric whose systems tie without one of the inputs.
    x = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    z = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    row = one(ma.Scores.from_arrays({"m": x}, {"h": z}), level="system", interval=interval, resamples=1000)
    # inputs: both draws take the first of two inputs with odds 1/4; systems: the same system thrice, odds 3/27
    odds = {0: 3 / 27, 1: 1 / 4}[drawn]
    assert abs(row.resamples_undefined / 1000 - odds) < 4 * math.sqrt(odds * (1 - odds) / 1000)
    # All other draws give 1: that is so for these systems, and nothing says how far it may vary for others.
    expected = (1.0, 1.0) if interval == "boot-inputs" else (math.nan, math.nan)
    assert (row.low, row.high) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("interval", ["jackknife", "boot-both", "boot-systems", "boot-inputs", "fisher", "two-way"])
def test_without_ties_misranked_pairs_are_kendall_turned_around(interval):
    x, z = np.random.default_rng(8).normal(size=(2, 8, 12)) + np.linspace(0, 1, 8)[:, None]
    row = one(ma.Scores.from_arrays({"m": x}, {"h": z}), level="system", statistic="kendall", interval=interval)
    assert row.tied == 0
    assert row.misranked == pytest.approx((1 - row.estimate) / 2)
    assert (row.misranked_low, row.misranked_high) == pytest.approx(((1 - row.high) / 2, (1 - row.low) / 2))
    # By hand: 1, 2, 3 against 1, 3, 2 has one of three pairs wrong.
    scores = ma.Scores.from_arrays({"m": [[1], [2], [3]]}, {"h": [[1], [3], [2]]})
    assert one(scores, level="system").misranked == pytest.approx(1 / 3)


def tied_world(systems=9, inputs=5):
    random = np.random.default_rng(3)
    x, z = random.integers(0, 3, (2, systems, inputs)).astype(float)
    z[1], z[4] = z[0], z[0]
    return x, z


def counted_pairs(x, z, weights):
    """Return discordant and tied shares by going through the pairs, each as often as it was drawn."""
    discordant = tied = total = 0.0
    for i in range(len(x)):
        for k in range(i):
            many = weights[i] * weights[k]
            by_x, by_z = (0.0 if abs(v[i] - v[k]) < 1e-12 else np.sign(v[i] - v[k]) for v in (x, z))
            total += many
            discordant += many * (by_x * by_z < 0)
            tied += many * (by_x * by_z == 0)
    return (discordant / total, tied / total) if total else (math.nan, math.nan)


def test_with_ties_pairs_are_counted_as_they_are():
    # Ten systems, 45 pairs; people tie three pairs of systems and the metric two, of which they share none.
    z = np.array([1, 1, 2, 3, 3, 4, 5, 6, 6, 7.0])
    x = np.array([5, 4, 4, 6, 1, 7, 3, 3, 2, 0.0])
    scores = ma.Scores.from_arrays({"m": x[:, None]}, {"h": z[:, None]})
    row = one(scores, level="system")
    discordant, tied = counted_pairs(x, z, np.ones(10))
    assert (row.misranked, row.tied) == pytest.approx((discordant, tied))
    assert tied == pytest.approx(5 / 45)
    assert row.misranked < (1 - row.estimate) / 2  # which counts a part of the ties as wrong
    for statistic in ("kendall-a", "kendall-c"):
        other = one(ma.Scores.from_arrays({"m": x[:, None]}, {"h": z[:, None]}), level="system", statistic=statistic)
        assert (other.misranked, other.tied) == (row.misranked, row.tied)


@pytest.mark.parametrize("interval", ["boot-both", "boot-systems", "boot-inputs"])
def test_with_ties_the_interval_counts_pairs_in_the_same_draws(interval):
    from metassay.stats.draws import BootstrapPages

    x, z = tied_world()
    row = one(ma.Scores.from_arrays({"m": x}, {"h": z}), level="system", interval=interval, resamples=300, seed=5)
    pages = BootstrapPages(
        300,
        x.shape,
        5,
        resample_systems=interval != "boot-inputs",
        resample_inputs=interval != "boot-systems",
        reckoned=x.shape[0] + 2 * x.shape[1],
    )
    shares = []
    for page in range(len(pages)):
        systems, inputs = pages[page]
        for draw in range(min(pages.size, 300 - page * pages.size)):
            w = np.ones(len(x)) if systems is None else systems[:, draw]
            v = np.ones(x.shape[1]) if inputs is None else inputs[:, draw]
            shares.append(counted_pairs(x @ v / v.sum(), z @ v / v.sum(), w)[0])
    assert len(shares) == 300
    assert (row.misranked_low, row.misranked_high) == pytest.approx(tuple(np.nanquantile(shares, [0.025, 0.975])))
    assert row.tied > 0


@pytest.mark.parametrize("interval", ["fisher", "two-way"])
def test_with_ties_only_draws_give_misranked_pairs_an_interval(interval):
    x, z = tied_world()
    result = ma.agree(ma.Scores.from_arrays({"m": x}, {"h": z}), level="system", interval=interval, resamples=100)
    (row,) = result.table
    assert row.tied > 0
    assert row.misranked > 0
    assert math.isnan(row.misranked_low)
    assert math.isnan(row.misranked_high)
    assert noted(result, "misranked-without-interval")


def test_two_way_says_how_many_resamples_it_took(world):
    result = ma.agree(world(), level="system", interval="two-way")
    assert {row.resamples for row in result.table} == {1000}
    assert result.signature["k"] == "1000"
    assert noted(result, "two-way-draws", draws=1_000, asked=10_000)
    assert not noted(ma.agree(world(), level="system", interval="two-way", resamples=1000), "two-way-draws")
    assert not noted(ma.agree(world(), level="system"), "two-way-draws")


def test_fisher_uses_the_right_number_of_observations(world):
    scores = world(systems=9, inputs=6)
    for level, n in (("system", 9), ("input", 9), ("global", 54), ("within-system", 6)):
        result = ma.agree(scores, metric="fair", level=level, statistic="pearson", interval="fisher")
        (row,) = result.table
        half = 1.959963984540054 / math.sqrt(n - 3)
        wanted = (math.tanh(math.atanh(row.estimate) - half), math.tanh(math.atanh(row.estimate) + half))
        assert (row.low, row.high) == pytest.approx(wanted)
        assert row.resamples is None
        assert row.resamples_undefined == 0
        assert result.samples == (None,)
        assert bool(noted(result, "method-on-averages", method="fisher")) == (level in ("input", "within-system"))
        assert "seed" not in dict(result.signature.parts)


def test_the_signature_names_every_choice(world):
    result = ma.agree(world(), level="input,sys", statistic="kendall,pearson", confidence=0.9)
    parts = dict(result.signature.parts)
    assert parts["ci"] == "jackknife,0.9"
    assert not {"k", "seed"} & parts.keys()
    drawn = {"interval": "boot-both", "confidence": 0.9, "resamples": 20, "seed": 7}
    result = ma.agree(world(), level="input,sys", statistic="kendall,pearson", **drawn)
    parts = dict(result.signature.parts)
    assert parts["study"] == "agree"
    assert parts["level"] == "input,system"
    assert parts["coef"] == "kendall-b,pearson"
    assert parts["ci"] == "boot-both,0.9"
    assert (parts["k"], parts["seed"], parts["systems"], parts["inputs"]) == ("20", "7", "8", "12")
    assert parts["v"] == ma.__version__ == result.version


def test_sizes_count_what_was_used(world):
    gone = np.zeros((8, 12), dtype=bool)
    gone[2] = True
    gone[:, 3:5] = True
    result = ma.agree(world(missing={"fair": gone}), level=LEVELS, resamples=30)
    for row in result.table:
        assert (row.n_systems, row.n_inputs) == ((7, 10) if row.metric == "fair" else (8, 12))
    assert noted(result, "systems-without-scores", column="fair", systems=("system-3",))
    assert noted(result, "cells-missing", column="fair", n=26, cells=96)


def test_undefined_inputs_are_counted_and_told(world):
    scores = world()
    x = scores.matrix("fair").copy()
    x[:, 4] = 0.5
    x[1:, 5] = np.nan
    result = ma.agree(
        ma.Scores.from_arrays({"fair": x}, {"human": scores.matrix("human")}), level="input", resamples=30
    )
    (row,) = result.table
    assert row.n_undefined == 2
    assert row.estimate == pytest.approx(literal.correlation(x, scores.matrix("human"), "input", "kendall"))
    assert noted(result, "units-undefined", metric="fair", level="input", n=2, units=12)


def test_no_more_inputs_are_undefined_than_there_are(world):
    gone = np.zeros((8, 12), dtype=bool)
    gone[:, 4:] = True
    result = ma.agree(world(missing={"fair": gone}), metric="fair", level="input", resamples=30)
    (row,) = result.table
    assert row.n_inputs == 4
    assert row.n_undefined <= row.n_inputs or not noted(result, "units-undefined")


def test_undefined_resamples_are_counted_and_told():
    scores = ma.Scores.from_arrays({"m": [[1, 2], [3, 5]]}, {"h": [[1, 2], [2, 3]]})
    result = ma.agree(scores, level="system", interval="boot-both", resamples=400)
    (row,) = result.table
    # Half of all draws of two systems take the same one twice.
    assert 140 <= row.resamples_undefined <= 260
    assert np.isnan(result.samples[0]).sum() == row.resamples_undefined
    assert noted(result, "resamples-undefined", n=row.resamples_undefined, resamples=400)
    # Two systems always agree perfectly or not at all.
    assert math.isnan(row.low)
    assert math.isnan(row.high)


def test_a_constant_metric_is_undefined_and_explained(world):
    scores = ma.Scores.from_arrays({"flat": np.full((8, 12), 0.1)}, {"human": world().matrix("human")})
    for interval in ("boot-both", "fisher"):
        result = ma.agree(scores, level=LEVELS, statistic=COEFFICIENTS, interval=interval, resamples=20)
        for row in result.table:
            assert math.isnan(row.estimate)
            assert math.isnan(row.low)
            assert math.isnan(row.high)
            assert noted(result, "agreement-undefined", level=row.level, statistic=row.statistic, metric="flat")


def test_references_are_left_out_unless_they_are_wanted(world):
    scores = world(groups={"system-1": "reference", "system-2": "peer", "system-5": "reference"})
    result = ma.agree(scores, level="system", resamples=20)
    assert {row.n_systems for row in result.table} == {6}
    assert result.signature["systems"] == "6"
    assert noted(result, "references-excluded", n=2)
    kept = ma.agree(scores, level="system", resamples=20, references=True)
    assert {row.n_systems for row in kept.table} == {8}
    assert not noted(kept, "references-excluded")
    without = scores.select(systems=[s for s in scores.systems if s not in ("system-1", "system-5")])
    alone = ma.agree(without, level="system", resamples=20)
    assert [row.estimate for row in result.table] == [row.estimate for row in alone.table]


def test_human_scores_are_the_mean_over_annotators():
    random = np.random.default_rng(0)
    raters = random.integers(1, 6, (3, 5, 6)).astype(float)
    raters[1, 2, 3] = np.nan
    x = random.normal(size=(5, 6))
    row = one(ma.Scores.from_arrays({"m": x}, {"h": raters}), level="input", statistic="pearson")
    assert row.estimate == pytest.approx(literal.correlation(x, np.nanmean(raters, axis=0), "input", "pearson"))


def test_one_system_or_one_input_where_that_is_enough(world):
    single = world(systems=1)
    assert not math.isnan(one(single, metric="good", level="within-system").estimate)
    assert not math.isnan(one(single, metric="good", level="global").estimate)
    column = world(inputs=1)
    by_system, by_input = ma.agree(column, metric="good", level="system,input", resamples=50).table
    assert by_system.estimate == pytest.approx(by_input.estimate)


def test_a_metric_that_copies_people_agrees_perfectly(world):
    z = world().matrix("human")
    scores = ma.Scores.from_arrays({"copy": z}, {"h": z})
    for interval in ("boot-both", "jackknife"):
        for row in ma.agree(scores, level=LEVELS, statistic="pearson,kendall", interval=interval, resamples=50).table:
            assert row.estimate == pytest.approx(1)
            if (interval, row.level, row.statistic) == ("jackknife", "system", "kendall"):
                # As many pairs in the same order are no certainty for others.
                assert row.low < 0.9 < row.high == 1
                continue
            # An interval from 1 to 1 would say that it is so for all systems and inputs.
            assert math.isnan(row.low)
            assert math.isnan(row.high)


def test_results_are_frozen_and_flat(world):
    result = ma.agree(world(), level="system", resamples=20)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.table[0].estimate = 0
    assert all(isinstance(value, str | int | float | None) for row in result.rows() for value in row.values())
    assert repr(result).startswith("Agreement(3 rows; study:agree|")


def test_the_scores_stay_as_they_were(world):
    scores = world()
    before = {name: scores[name].values.copy() for name in scores.columns}
    ma.agree(scores, level=LEVELS, resamples=20)
    ma.compare(scores, level=LEVELS, resamples=20)
    for name, values in before.items():
        np.testing.assert_array_equal(scores[name].values, values)


def test_the_order_of_annotators_does_not_matter():
    raters = np.array([[[0.1], [0.3], [5.0]], [[0.2], [0.2], [5.0]], [[0.3], [0.1], [5.0]]])  # means .2, .2, 5
    scores = ma.Scores.from_arrays({"m": [[1], [2], [3]]}, {"h": raters})
    # one pair is tied for people, the other two agree: 2 / √(3 · 2)
    assert [row.estimate for row in ma.agree(scores, level="system,input,global", resamples=20).table] == pytest.approx(
        [2 / math.sqrt(6)] * 3
    )


@pytest.mark.parametrize("level", ["system", "input", "global", "within-system"])
def test_two_way_intervals_hold_the_estimate_at_every_level(example, level):
    for statistic in ("pearson", "kendall"):
        result = ma.agree(example, level=level, statistic=statistic, interval="two-way", resamples=200)
        assert all(-1 <= row.low <= row.estimate <= row.high <= 1 for row in result.table)
        assert {row.resamples for row in result.table} == {200}
        assert "ci:two-way,0.95|k:200|seed:0" in str(result.signature)
    narrow = ma.agree(example, level=level, statistic="pearson", interval="two-way", confidence=0.5, resamples=200)
    wide = ma.agree(example, level=level, statistic="pearson", interval="two-way", confidence=0.99, resamples=200)
    assert all(a.high - a.low < b.high - b.low for a, b in zip(narrow.table, wide.table, strict=True))


def test_too_few_systems_or_inputs_have_no_interval_and_say_so(world):
    few = ma.agree(world(systems=4), level="system,input")
    assert all(math.isnan(row.low) and not math.isnan(row.estimate) for row in few.table)
    assert len(noted(few, "no-interval", reason="few-systems", needs=5, has=4)) == 6
    one_input = ma.agree(world(inputs=1), level="system", metric="fair")
    assert math.isnan(one_input.table[0].low)
    (note,) = noted(one_input, "no-interval", reason="few-inputs", needs=2, has=1, other_needs=1)
    assert "it needs at least 2 inputs, not 1; boot-systems needs 1 (" in str(note)


def test_resamples_that_lie_to_one_side_are_told():
    # Many systems that differ little, and few noisy inputs: drawing inputs again adds as much noise once more.
    random = np.random.default_rng(3)
    z = random.normal(size=(40, 1)) + 2 * random.normal(size=(40, 10))
    scores = ma.Scores.from_arrays({"m": z.mean(axis=1, keepdims=True) + 2 * random.normal(size=z.shape)}, {"h": z})
    options = {"level": "system", "statistic": "pearson"}
    result = ma.agree(scores, interval="boot-both", resamples=500, **options)
    (note,) = noted(result, "resamples-shifted", n=1, rows=1, metric="m", method="boot-both")
    below = float(np.mean(result.samples[0] < result.table[0].estimate))
    assert note["below"] == pytest.approx(below)
    assert below > 0.7
    assert not noted(ma.agree(scores, **options), "resamples-shifted")
    calm = ma.Scores.from_arrays({"m": z + random.normal(size=z.shape)}, {"h": z})
    assert not noted(ma.agree(calm, level="input", interval="boot-inputs", resamples=500), "resamples-shifted")


def test_a_system_that_carries_a_correlation_is_named(world):
    random = np.random.default_rng(0)
    z = random.normal(size=(12, 1)) + 0.1 * random.normal(size=(12, 20))
    x = 0.5 * random.normal(size=(12, 1)) + 0.1 * random.normal(size=z.shape)
    x[3], z[3] = x[3] + 9, z[3] + 9
    x[7] -= 4
    scores = ma.Scores.from_arrays({"m": x}, {"h": z})
    result = ma.agree(scores, level="system", statistic="pearson,kendall")
    (row,) = result.leverage
    without = scores.select(systems=[s for s in scores.systems if s != row.system])
    r, _ = (found.estimate for found in ma.agree(without, level="system", statistic="pearson,kendall").table)
    assert row.without == pytest.approx(r)
    assert row.estimate == result.table[0].estimate
    assert row.kendall == result.table[1].estimate
    assert row.system in ("system-4", "system-8")
    assert 0.4 < row.share <= 1
    (note,) = noted(result, "one-system-carries", human="h")
    assert note["rows"] == (("m", row.estimate, row.system, row.without, row.share, row.kendall),)
    # Where no system stands out nothing is said, least of all that all is well.
    calm = ma.agree(world(), level="system", statistic="pearson", metric="good")
    assert not any(r.outlier for r in calm.leverage)
    assert not noted(calm, "one-system-carries")
    assert ma.agree(world(), level="input", statistic="pearson").leverage == ()


def test_limits_of_agreement():
    random = np.random.default_rng(1)
    quality = random.normal(size=(30, 1))
    truth = quality + random.normal(size=(30, 15))
    raters = truth + 2 * random.normal(size=(3, 30, 15))
    x = quality + 2 * random.normal(size=truth.shape)
    result = ma.agree(ma.Scores.from_arrays({"m": x}, {"h": raters}), limits=True)
    system, by_input = result.limits
    assert (system.level, by_input.level, system.n_inputs) == ("system", "input", 15)
    agreed = ma.agree(ma.Scores.from_arrays({"m": x}, {"h": raters}), statistic="pearson").table
    assert (system.estimate, system.low, system.high) == (agreed[0].estimate, agreed[0].low, agreed[0].high)
    # Noise of cells and errors of people lower a correlation; limits are where there is neither.
    assert system.estimate < system.perfect_people < 1.1
    assert system.estimate < system.many_inputs < 1.1
    assert system.perfect_people == pytest.approx(system.estimate / system.ceiling)
    assert by_input.ceiling < system.ceiling < 1
    assert math.isnan(by_input.many_inputs)
    assert ma.agree(ma.Scores.from_arrays({"m": x}, {"h": raters})).limits == ()
    alone = ma.agree(ma.Scores.from_arrays({"m": x}, {"h": raters.mean(axis=0)}), level="system", limits=True)
    assert math.isnan(alone.limits[0].ceiling)
    assert noted(alone, "ceiling-unknown", human="h")


def test_families_of_systems_and_clusters_of_inputs_count_as_one():
    random = np.random.default_rng(5)
    z = np.repeat(random.normal(size=(6, 1)), 2, axis=0) + random.normal(size=(12, 30))
    x = z + np.repeat(0.5 * random.normal(size=(6, 1)), 2, axis=0) + random.normal(size=z.shape)
    plain = ma.Scores.from_arrays({"m": x, "n": x + random.normal(size=z.shape)}, {"h": z})
    related = dataclasses.replace(plain, families={s: f"f{k // 2}" for k, s in enumerate(plain.systems)})
    one, other = (ma.agree(scores, level="system") for scores in (plain, related))
    assert [row.estimate for row in one.table] == [row.estimate for row in other.table]
    assert all(b.high - b.low > a.high - a.low for a, b in zip(one.table, other.table, strict=True))
    assert noted(other, "units-together", axis="systems", n=6)
    assert noted(ma.compare(related, level="system", test="williams", statistic="pearson"), "units-ignored", n=6)
    assert ma.agree(related, level="system", statistic="pearson").leverage[0].system.startswith("f")
    bound = dataclasses.replace(plain, clusters={i: f"d{k // 5}" for k, i in enumerate(plain.inputs)})
    assert [row.low for row in ma.agree(bound).table] != [row.low for row in ma.agree(plain).table]
    assert noted(ma.agree(bound), "units-together", axis="inputs", n=6)


def test_labels_without_an_order_are_compared_by_statistics_of_labels():
    human = np.stack([[list("abba") * 10], [list("abca") * 10], [list("abcb") * 10]])
    scores = ma.Scores.from_arrays({"judge": [list("abca") * 10]}, {"human": human}, systems=["(no systems)"])
    (row,) = ma.agree(scores, statistic="accuracy", level="global", interval="boot-inputs", resamples=200).table
    assert row.estimate == 1  # the label of most people
    assert row.low == row.high == 1
    with pytest.raises(ma.DataError, match="labels without an order"):
        ma.agree(scores, statistic="kendall", level="global")


def test_the_worst_disagreements_are_the_largest_gaps_of_ranks():
    from scipy.stats import rankdata

    random = np.random.default_rng(0)
    human = random.integers(1, 6, size=(5, 12)).astype(float)
    metric = human + random.normal(size=human.shape)
    metric[2, 3] = np.nan
    result = ma.agree(ma.Scores.from_arrays({"m": metric}, {"good": human}), level="global", worst=2)
    there = ~np.isnan(metric)
    gaps = (rankdata(metric[there]) - rankdata(human[there])) / there.sum()
    ends = np.sort(gaps)
    assert [row.gap for row in result.disagreements] == pytest.approx([*ends[:-3:-1], *ends[:2]])
    first = result.disagreements[0]
    assert first.score == metric[int(first.system.split("-")[-1]) - 1, int(first.input.split("-")[-1]) - 1]
    assert first.median_gap == pytest.approx(np.median(np.abs(gaps)))
    assert first.n_outputs == 59
    assert "percentage points apart" in result.to_text(view="disagreements")


def test_of_many_metrics_the_best_of_each_criterion_is_looked_at():
    example = ma.example()
    result = ma.agree(example, level="system", worst=1)
    best = {row.human: row.metric for row in sorted(result.table, key=lambda row: row.estimate)}
    assert {row.human: row.metric for row in result.disagreements} == best
    assert ma.agree(example, level="system", worst=0).disagreements == ()
