from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError

from .conftest import noted


def world(seed=0, systems=12, inputs=40, annotators=3, **options):
    random = np.random.default_rng(seed)
    quality = random.normal(size=(systems, 1))
    people = quality + random.normal(size=(annotators, systems, inputs))
    metrics = {
        "good": quality + 0.4 * random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs)),
        "bad": quality + 1.5 * random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs)),
    }
    human = people[0] if annotators == 1 else people
    return ma.Scores.from_arrays(metrics, {"people": human}, **options)


@pytest.fixture(scope="module")
def result():
    return ma.plan(world(), metric="good", width=0.3, statistic="pearson", trials=300)


def test_more_is_narrower_and_costs_more(result):
    for axis in ("inputs", "systems"):
        rows = [row for row in result.table if row.axis == axis]
        assert len(rows) >= 5
        assert rows[0].width > rows[-1].width
        assert [row.annotations for row in rows] == sorted(row.annotations for row in rows)
        for row in rows:
            assert row.annotations == row.n_systems * row.n_inputs * row.n_annotators
            assert row.low <= row.width <= row.high
            assert row.reached == (row.width <= 0.3)


def test_the_data_speak_only_of_sizes_they_have(result):
    for row in result.table:
        assert row.extrapolated == (row.n > {"inputs": 40, "systems": 12, "annotators": 3}[row.axis])
        assert math.isnan(row.width_data) == (row.extrapolated or row.axis == "annotators")
    whole = {
        row.width_data for row in result.table if row.n_systems == 12 and row.n_inputs == 40 and row.width_data > 0
    }
    assert len(whole) == 1


def test_needs_are_read_from_the_curve(result):
    for need in result.needs:
        rows = [row for row in result.table if row.axis == need.axis]
        if need.needed is None:
            assert not rows[-1].reached
        else:
            assert all(row.reached for row in rows if row.n >= need.needed)
            assert need.annotations == pytest.approx(max(need.needed / need.now - 1, 0) * 12 * 40 * 3)


def test_the_next_annotations_are_read_from_the_curve_too():
    """Straight lines on a curve of doublings went beyond 100%, and beyond what endlessly many inputs bring."""

    def gains(annotations):
        found = ma.plan(
            world(), metric="good", metric_b="bad", statistic="pearson", trials=100, annotations=annotations
        )
        base = {row.axis: row.power for row in found.table if not row.extrapolated}
        most = {row.axis: row.power for row in found.table}
        return found, [(need.gain, most[need.axis] - base[need.axis]) for need in found.needs]

    found, none = gains(1)
    assert all(abs(gain) < 0.001 for gain, _ in none)
    for gain, most in gains(10**9)[1]:
        assert gain == pytest.approx(most)
    row = next(r for r in found.table if r.axis == "systems" and not r.extrapolated and r.n == found.needs[1].now)
    double = next(r for r in found.table if r.axis == "systems" and r.n == 2 * row.n)
    assert gains(int(row.annotations))[1][1][0] == pytest.approx(double.power - row.power)


def test_advice_names_the_steepest_axis(result):
    best = min(result.needs, key=lambda need: need.gain)
    assert all(min(note["gains"], key=lambda each: each[1])[0] == best.axis for note in noted(result, "plan-next"))
    assert best.axis == "systems"


def test_ceiling_is_that_of_the_world(result):
    # People: quality 1, noise of one annotator 1. System means of 3 × 40 ratings have noise 1/120, single cells 1/3.
    rows = {(row.unit, row.method): row for row in result.ceilings}
    assert rows["system means", "split-annotators"].ceiling == pytest.approx(1, abs=0.02)
    quality = 1 - 1 / 3 / float(result_variance())
    assert rows["cells", "split-annotators"].reliability == pytest.approx(quality, abs=0.06)
    assert [row.ceiling for row in result.table if row.axis == "annotators"] == sorted(
        row.ceiling for row in result.table if row.axis == "annotators"
    )


def result_variance():
    return world().matrix("people").var()


def test_seed_and_threads(result):
    again = ma.plan(world(), metric="good", width=0.3, statistic="pearson", trials=300, threads=1)
    assert again.to_json() == result.to_json()
    other = ma.plan(world(), metric="good", width=0.3, statistic="pearson", trials=300, seed=1)
    assert other.to_json() != result.to_json()


def test_lower_is_better_changes_nothing(result):
    turned = world()
    columns = {name: -turned[name].values for name in ("good", "people")}
    scores = ma.Scores.from_arrays(
        {"good": columns["good"]}, {"people": columns["people"]}, lower_is_better=["good", "people"]
    )
    again = ma.plan(scores, metric="good", width=0.3, statistic="pearson", trials=300)
    assert [row.width for row in again.table] == pytest.approx([row.width for row in result.table])


def test_power_puts_the_better_metric_first():
    result = ma.plan(world(), metric="bad", metric_b="good", power=0.8, statistic="pearson", trials=300)
    assert {(row.metric, row.metric_b) for row in result.table} == {("good", "bad")}
    rows = [row for row in result.table if row.axis == "systems"]
    assert rows[-1].power > rows[0].power
    assert all(math.isnan(row.width) and row.alpha == 0.05 and 0 <= row.low <= row.high <= 1 for row in rows)
    assert rows[0].estimate > 0


def test_metrics_that_are_the_same_are_told_apart_as_often_as_the_level_says():
    scores = world()
    twins = ma.Scores.from_arrays(
        {"a": scores["good"].values, "b": scores["good"].values}, {"people": scores["people"].values}
    )
    result = ma.plan(twins, metric="a", metric_b="b", trials=100)
    assert [row.power for row in result.table] == pytest.approx([0.05] * len(result.table))
    assert all(need.needed is None for need in result.needs)


def test_a_wanted_difference_is_planned():
    args = {"metric": "good", "metric_b": "bad", "statistic": "pearson", "trials": 300}
    small, large = (ma.plan(world(), difference=d, **args) for d in (0.1, 0.4))
    at = {"axis": "systems", "n": 12}
    first, second = (next(row for row in r.table if (row.axis, row.n) == tuple(at.values())) for r in (small, large))
    assert first.estimate == pytest.approx(0.1, abs=0.05)
    assert second.power > first.power
    with pytest.raises(ma.DataError, match="cannot be planned"):
        ma.plan(world(), difference=0.99, **args)


def test_without_annotators_their_questions_are_refused_in_words():
    result = ma.plan(world(annotators=1), metric="good", trials=50)
    assert {row.axis for row in result.table} == {"inputs", "systems"}
    assert all(row.n_annotators is None and math.isnan(row.ceiling) for row in result.table)
    assert noted(result, "annotators-unknown", human="people", annotators=0)
    assert [row.method for row in result.ceilings] == ["split-inputs"]


def test_one_annotator_is_not_a_panel():
    scores = world()
    one = scores["people"].values[:1]
    alone = ma.Scores.from_arrays({"good": scores["good"].values}, {"people": one})
    result = ma.plan(alone, metric="good", trials=50)
    assert noted(result, "annotators-unknown", annotators=1)


def test_a_target_that_is_met_and_one_that_cannot_be():
    met = ma.plan(world(), metric="good", width=1.5, statistic="pearson", trials=100)
    assert noted(met, "plan", reached=True, target=1.5)
    assert all(need.needed is not None and need.needed <= need.now for need in met.needs)
    never = ma.plan(world(), metric="bad", width=0.01, statistic="pearson", trials=100)
    assert all(need.needed is None for need in never.needs)
    limits = {axis: (most, limit) for axis, most, limit in noted(never, "plan", reached=False)[0]["limits"]}
    assert limits["inputs"][1] > 0.01
    assert limits["systems"] == (96, None)


def test_missing_scores_and_several_criteria():
    scores = world()
    people = scores["people"].values.copy()
    people[0, :, 5] = np.nan
    people[:, 3, 7] = np.nan
    broken = ma.Scores.from_arrays(
        {"good": scores["good"].values}, {"people": people, "others": scores["people"].values[:, :, ::-1]}
    )
    result = ma.plan(broken, trials=50)
    assert {row.human for row in result.table} == {"people", "others"}
    assert all(row.width > 0 for row in result.table)
    assert not noted(result, "plan-gaps")  # few gaps are no news


def test_many_gaps_are_told():
    scores = world()
    people = scores["people"].values.copy()
    people[:, :, ::2] = np.where(np.arange(12)[:, None] < 6, np.nan, people[:, :, ::2])  # a quarter of the cells
    result = ma.plan(ma.Scores.from_arrays({"good": scores["good"].values}, {"people": people}), trials=50)
    assert noted(result, "plan-gaps", metric="good", human="people", share=0.25)


def test_input_level_has_no_endless_inputs():
    result = ma.plan(world(inputs=10), metric="good", level="input", trials=50)
    limits = {need.axis: need.limit for need in result.needs}
    assert math.isnan(limits["inputs"])
    assert limits["annotators"] > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0.2, "power": 0.8}, "one of them at a time"),
        ({"power": 0.8}, "metric_b"),
        ({"difference": 0.1}, "metric_b"),
        ({"metric": "good", "metric_b": "good"}, "two different metrics"),
        ({"metric_b": "good"}, "two different metrics"),
        ({"metric": "good", "metric_b": "people"}, "human criterion"),
        ({"width": 3}, r"width must lie in \(0, 2\)"),
        ({"width": -1}, "width must be a number over 0"),
        ({"metric": "good", "metric_b": "bad", "power": 80}, "did you mean 0.8"),
        ({"level": "within-system"}, "level"),
        ({"interval": "fisher"}, "interval"),
        ({"trials": 5}, "trials must be a whole number of at least 50"),
    ],
)
def test_wrong_usage(options, words):
    with pytest.raises(ma.UsageError, match=words):
        ma.plan(world(), **options)


def test_data_that_do_not_allow_it():
    with pytest.raises(ma.DataError, match=r"at least 5 systems and 2 inputs, got 2 × 40"):
        ma.plan(world(systems=2), metric="good")
    flat = ma.Scores.from_arrays({"m": np.ones((6, 5))}, {"h": np.arange(30.0).reshape(6, 5)})
    with pytest.raises(ma.DataError, match="no population can be fitted to m and h"):
        ma.plan(flat)


def test_views(result):
    text = result.to_text()
    assert "Interval width by sample size" in text
    assert "Sample sizes needed" in text
    assert "Krippendorff's α, ordinal" in text
    assert "needed" in result.to_text(view="needs")
    many = ma.plan(world(), statistic="pearson", trials=50)
    assert "Agreement of people with each other" in str(many)


def test_summeval(shared_data):
    folder = shared_data / "summeval" / "scores"
    scores = ma.read(folder / "human.jsonl", folder / "rouge.jsonl")
    result = ma.plan(scores, human="expert_relevance", metric="rouge-1_f1", statistic="pearson", trials=300)
    here = next(row for row in result.table if row.axis == "systems" and row.n == 16)
    # Fisher's interval around .61 with 16 systems is .68 wide; Student's quantile makes it .74.
    assert here.width == pytest.approx(0.74, abs=0.08)
    rows = {(row.unit, row.method): row for row in result.ceilings}
    assert rows["system means", "split-annotators"].half == pytest.approx((0.882 + 0.916 + 0.888) / 3, abs=1e-3)
    assert 0.9 < here.ceiling < 1


def test_data_without_systems_are_not_one_system():
    pd = pytest.importorskip("pandas")
    labels = {"id": range(40), "human": [n % 3 for n in range(40)], "judge": [n % 4 for n in range(40)]}
    scores = ma.Scores.from_frame(pd.DataFrame(labels), human="human", input_column="id")
    with pytest.raises(DataError, match="system level compares systems, and the data have none; use --level global"):
        ma.plan(scores)
    with pytest.raises(DataError, match=r"got 40 inputs and no systems .*; use --interval boot-inputs"):
        ma.plan(scores, level="global")
    told = str(ma.plan(scores, level="global", interval="boot-inputs", trials=50))
    assert "needs about 272 inputs (now 40 inputs: 0.57 on average" in " ".join(told.split())


@pytest.mark.parametrize("statistic", ["kendall", "spearman"])
def test_ranks_of_outputs_without_systems_vary_as_their_interval_does(statistic):
    random = np.random.default_rng(1)
    human = random.integers(1, 6, (1, 150)).astype(float)
    judge = np.minimum(5, human + random.choice([0, 0, 0, 1], human.shape))
    scores = ma.Scores.from_arrays({"judge": judge}, {"human": human})
    fixed = {"level": "global", "interval": "boot-inputs", "statistic": statistic}
    row = next(row for row in ma.plan(scores, **fixed, trials=300).table if row.n == 150)
    (real,) = ma.agree(scores, **fixed, resamples=500).table
    assert row.width == pytest.approx(real.high - real.low, rel=0.3)
