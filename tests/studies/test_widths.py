from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError

from .conftest import noted

NAN = math.nan


def made(systems=10, inputs=300, judged=30, people_noise=0.5):
    random = np.random.default_rng(4)
    quality = np.linspace(0, 1, systems)[:, None]
    people = quality + random.normal(size=(systems, inputs)) * people_noise
    people[:, judged:] = NAN
    metrics = {f"m{k}": quality + random.normal(size=(systems, inputs)) * (k + 1) for k in range(3)}
    metrics["m0"][4] += 0.3  # ranked perfectly it would have no interval
    return ma.Scores.from_arrays(metrics, {"good": people})


def test_rows_are_those_of_agree_side_by_side():
    scores = made()
    result = ma.widths(scores, resamples=300)
    assert [row.interval for row in result.table[::3]] == ["boot-systems", "boot-inputs", "boot-both"]
    for row in result.table:
        for inputs, end in (("annotated", "a"), ("all", "t")):
            (agreed,) = ma.agree(
                scores, metric=row.metric, level="system", interval=row.interval, inputs=inputs, resamples=300
            ).table
            found = (getattr(row, f"{what}_{end}") for what in ("estimate", "low", "high"))
            assert tuple(found) == (agreed.estimate, agreed.low, agreed.high)
        assert row.width_a == row.high_a - row.low_a
        assert row.width_change == pytest.approx((row.width_t - row.width_a) / row.width_a)
        assert (row.n_annotated, row.n_inputs, row.level) == (30, 300, "system")


def test_mean_changes_in_the_result_and_in_words():
    result = ma.widths(made(), resamples=300)
    assert [change.interval for change in result.changes] == ["boot-systems", "boot-inputs", "boot-both"]
    for change in result.changes:
        mine = [row.width_change for row in result.table if row.interval == change.interval]
        assert change.mean == pytest.approx(np.mean(mine))
        assert change.n_metrics == 3
    (note,) = noted(result, "width-change", human="good", metrics=3)
    assert note["changes"] == tuple((change.interval, change.mean) for change in result.changes)


def test_resampling_inputs_gains():
    changes = {c.interval: c.mean for c in ma.widths(made(), resamples=1000).changes}
    assert changes["boot-inputs"] < -0.2
    assert changes["boot-both"] < -0.2


def test_resampled_systems_alone_change_nothing_if_means_do_not():
    # The further inputs repeat the judged ones, so all means stay as they are, and with them boot-systems.
    x = made().matrix("m0")[:, :30]
    people = np.concatenate([made().matrix("good")[:, :30], np.full((10, 30), NAN)], axis=1)
    scores = ma.Scores.from_arrays({"m": np.concatenate([x, x], axis=1)}, {"good": people})
    changes = {row.interval: row.width_change for row in ma.widths(scores, resamples=300).table}
    assert changes["boot-systems"] == 0


def test_simulated_annotation():
    scores = made(judged=300)
    with pytest.raises(DataError, match="judged every input"):
        ma.widths(scores)
    with pytest.raises(DataError, match="fewer than 300"):
        ma.widths(scores, annotated=300)
    result = ma.widths(scores, annotated=20, resamples=99)
    assert {(row.n_annotated, row.n_inputs) for row in result.table} == {(20, 300)}
    assert noted(result, "annotation-simulated", n=20, inputs=300, seed=0)
    assert result.signature["annotated"] == "20"
    named = ma.widths(scores, annotated=list(scores.inputs[:12]), resamples=99)
    assert {row.n_annotated for row in named.table} == {12}
    assert noted(named, "annotation-simulated", n=12, seed=None)
    assert named.signature["chosen"] == "by-name"


def test_metrics_without_further_inputs_leave_the_mean():
    scores = made()
    short = scores.matrix("m1").copy()
    short[:, 30:] = NAN
    metrics = {"m0": scores.matrix("m0"), "short": short}
    result = ma.widths(ma.Scores.from_arrays(metrics, {"good": scores.matrix("good")}), resamples=99)
    assert {row.width_change for row in result.table if row.metric == "short"} == {0}
    assert {change.n_metrics for change in result.changes} == {1}
    assert noted(result, "metrics-without-further-inputs", n=1)


def test_undefined_widths_are_undefined():
    scores = made()
    metrics = {"m0": scores.matrix("m0"), "flat": np.ones((10, 300))}
    result = ma.widths(ma.Scores.from_arrays(metrics, {"good": scores.matrix("good")}), resamples=99)
    assert all(math.isnan(row.width_change) for row in result.table if row.metric == "flat")
    assert {change.n_metrics for change in result.changes} == {1}
    assert "–" in str(result)


SUMMEVAL = ("summeval", "expert_relevance", "rouge-1_f1,rouge-2_f1,rouge-l_f1,bertscore_recall,qa-eval_f1")
REALSUMM = (
    "realsumm",
    "litepyramid_recall",
    "rouge-1_recall,rouge-2_recall,rouge-l_recall,bertscore_recall,qa-eval_f1",
)


def real(shared_data, folder, human, metric):
    scores = ma.read(*sorted((shared_data / folder / "scores").glob("*.jsonl")))
    return scores.select(columns=[human, *metric.split(",")])


def mean_changes(scores, seeds=12):
    found = [ma.widths(scores, annotated=20, resamples=500, seed=seed).changes for seed in range(seeds)]
    return {c.interval: np.mean([changes[at].mean for changes in found]) for at, c in enumerate(found[0])}


@pytest.mark.slow
def test_resampling_inputs_gains_most_on_summeval(shared_data):
    # From 100 to 11,490 inputs the paper finds −51% for boot-inputs, −14% for boot-both and −1% for boot-systems. The
    # outputs on the whole test set are not here: 20 of 100 inputs stand for the judged ones, which gains less.
    changes = mean_changes(real(shared_data, *SUMMEVAL))
    assert changes["boot-inputs"] < changes["boot-both"] < changes["boot-systems"]
    assert changes["boot-inputs"] < -0.05


@pytest.mark.slow
@pytest.mark.parametrize("data", [SUMMEVAL, REALSUMM], ids=lambda data: data[0])
def test_the_more_inputs_the_narrower_on_real_data(shared_data, data):
    # On REALSumm metrics and people share much on the same input, and 100 inputs do not make up for losing that. With
    # each input twenty times over, as if the metric's means were almost known, intervals are narrower than with 100.
    scores = real(shared_data, *data)
    judged = np.full((len(scores.systems), 1900), NAN)
    many = ma.Scores.from_arrays(
        {name: np.tile(scores.matrix(name), 20) for name in scores.metrics},
        {name: np.concatenate([scores.matrix(name), judged], axis=1) for name in scores.humans},
    )
    assert mean_changes(many, 6)["boot-inputs"] < mean_changes(scores, 6)["boot-inputs"] - 0.02


def test_systems_and_judged_inputs_are_drawn_alike_however_large_the_test_set_is():
    random = np.random.default_rng(11)
    quality = random.normal(size=(6, 1))
    # The metric scores all systems alike on the inputs nobody judged, so these change no mean by more than a shift.
    metric = np.where(np.arange(5000) < 40, quality + random.normal(size=(6, 5000)), 0.0)
    people = np.where(np.arange(5000) < 40, quality + random.normal(size=(6, 5000)), np.nan)
    scores = ma.Scores.from_arrays({"m": metric}, {"h": people})
    rows = ma.widths(scores, resamples=2000, statistic="kendall").table
    change = {row.interval: row.width_change for row in rows}
    assert change["boot-systems"] == 0
