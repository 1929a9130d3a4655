from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import UsageError

from .conftest import noted

NAN = math.nan


def made(systems=5, inputs=80, judged=20):
    random = np.random.default_rng(2)
    quality = np.arange(systems)[:, None] / 3
    people = quality + random.normal(size=(systems, inputs))
    people[:, judged:] = NAN
    return ma.Scores.from_arrays({"m": 40 + quality + random.normal(size=(systems, inputs))}, {"good": people})


def test_worked_by_hand():
    # Scores 0 and 2: means of two draws with replacement are 0, 1, 2 with probability ¼, ½, ¼; mean 1, variance ½,
    # which is the variance of the scores, 1, over their number, 2.
    result = ma.precision(ma.Scores.from_arrays({"m": [[0.0, 2.0], [5.0, 5.0]]}), resamples=8000)
    first, second = result.table
    assert first.estimate == 1
    assert (first.low, first.high) == (0, 2)
    assert first.variance == pytest.approx(0.5, abs=0.02)
    assert (second.estimate, second.low, second.high, second.variance) == (5, 5, 5, 0)
    assert (first.inputs, first.n_inputs) == ("all", 2)


def test_variance_is_that_of_the_scores_over_their_number():
    scores = made()
    rows = ma.precision(scores, resamples=20_000).table
    for row in rows:
        values = scores.matrix(row.metric)[scores.systems.index(row.system)]
        values = values[:20] if row.inputs == "annotated" else values
        assert row.n_inputs == len(values)
        assert row.estimate == pytest.approx(values.mean())
        assert row.variance == pytest.approx(values.var() / len(values), rel=0.05)
        half = 1.96 * math.sqrt(row.variance)
        assert (row.low, row.high) == pytest.approx((row.estimate - half, row.estimate + half), abs=0.15 * half)


def test_metrics_have_both_sets_of_inputs_and_people_their_own():
    result = ma.precision(made(), resamples=500)
    assert [(r.metric, r.inputs) for r in result.table[::5]] == [
        ("good", "annotated"),
        ("m", "annotated"),
        ("m", "all"),
    ]
    (change,) = result.changes
    assert (change.metric, change.n_annotated, change.n_inputs) == ("m", 20, 80)
    assert change.change == pytest.approx(-0.75, abs=0.1)
    assert noted(result, "variance-change", metrics=1, change=change.change)


def test_one_set_of_inputs_where_everything_is_annotated_or_nobody_asked():
    for scores in (made(judged=80), made().select(columns="m")):
        result = ma.precision(scores, metric="m", resamples=99)
        assert {row.inputs for row in result.table if row.kind == "metric"} == {"all"}
        assert result.changes == ()
        assert noted(result, "no-further-inputs")
    assert ma.precision(made(judged=80), annotated=8, resamples=99).changes[0].n_annotated == 8


def test_units_and_direction_are_the_metrics_own():
    scores = made()
    turned = ma.Scores.from_arrays({"m": scores.matrix("m")}, lower_is_better=["m"])
    plain = ma.precision(scores.select(columns="m"), resamples=200)
    assert [r.estimate for r in ma.precision(turned, resamples=200).table] == [r.estimate for r in plain.table]


def test_threads_and_blocks_change_nothing(monkeypatch):
    one = ma.precision(made(), resamples=3000, threads=1).rows()
    monkeypatch.setattr("metassay.studies.precision.HELD", 1)
    assert ma.precision(made(), resamples=3000, threads=2).rows() == one


def test_missing_cells_and_systems():
    values = made().matrix("m").copy()
    values[0], values[1, 2:] = NAN, NAN
    result = ma.precision(ma.Scores.from_arrays({"m": values}), resamples=500)
    empty, few, *_ = result.table
    assert math.isnan(empty.estimate)
    assert math.isnan(empty.variance)
    assert (empty.n_inputs, few.n_inputs) == (0, 2)
    # Both of its two inputs are missed with probability (78/80)^80 = 0.13.
    assert few.resamples_undefined == pytest.approx(66, abs=25)
    assert noted(result, "resamples-without-score", n=few.resamples_undefined, resamples=500)
    assert "–" in result.to_text(view="systems")


def test_what_is_refused():
    with pytest.raises(UsageError, match="confidence"):
        ma.precision(made(), confidence=95)
    with pytest.raises(UsageError, match="resamples"):
        ma.precision(made(), resamples=0)


@pytest.mark.slow
def test_published_reduction(shared_data):
    # §3.1: the variance falls as the number of inputs grows; from 20 to 100 inputs it should fall by about 80%.
    for folder, human, metric in (
        ("summeval", "expert_relevance", "rouge-1_f1,bertscore_recall,qa-eval_f1"),
        ("realsumm", "litepyramid_recall", "rouge-1_recall,bertscore_recall,qa-eval_f1"),
    ):
        scores = ma.read(*sorted((shared_data / folder / "scores").glob("*.jsonl")))
        found = [
            change.change
            for seed in range(5)
            for change in ma.precision(
                scores, human=human, metric=metric, annotated=20, resamples=500, seed=seed
            ).changes
        ]
        assert np.mean(found) == pytest.approx(-0.8, abs=0.05)
