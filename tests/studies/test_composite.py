from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError

from .conftest import noted


def halves(systems=12, inputs=24, noise=0.4, seed=0):
    """Return people who see a sum, and two metrics that see one half of it each, beside one that sees nothing."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, systems, inputs)) + random.normal(size=(2, systems, 1))
    metrics = {
        "a": a + noise * random.normal(size=a.shape),
        "b": b + noise * random.normal(size=b.shape),
        "noise": random.normal(size=a.shape),
    }
    return ma.Scores.from_arrays(metrics, {"good": a + b + noise * random.normal(size=a.shape)})


def by_kind(result, level="input"):
    return {row.kind: row for row in result.table if row.level == level}


def test_two_halves_beat_one():
    result = ma.composite(halves(), level="input", statistic="pearson", folds=3, resamples=200)
    rows = by_kind(result)
    assert rows["ridge"].better
    assert rows["ridge"].gain == pytest.approx(rows["ridge"].estimate - rows["single"].estimate)
    assert rows["ridge"].gain_low < rows["ridge"].gain < rows["ridge"].gain_high
    assert rows["chosen"].estimate > 0.85 > rows["single"].estimate
    assert math.isnan(rows["single"].gain)
    assert noted(result, "composite-better", human="good", level="input")
    weights = {row.metric: row.weight for row in result.weights}
    assert min(weights["a"], weights["b"]) > 3 * abs(weights["noise"])
    assert sum(row.chosen for row in result.weights) == pytest.approx(1)


def test_what_adds_nothing_gains_nothing():
    random = np.random.default_rng(1)
    quality = random.normal(size=(12, 24)) + random.normal(size=(12, 1))
    metrics = {"good-metric": quality + 0.5 * random.normal(size=quality.shape)}
    metrics |= {f"noise-{k}": random.normal(size=quality.shape) for k in range(4)}
    scores = ma.Scores.from_arrays(metrics, {"good": quality})
    result = ma.composite(scores, level="input", statistic="pearson", folds=3, resamples=200)
    rows = by_kind(result)
    assert not rows["chosen"].better
    assert noted(result, "composite-is-single", human="good", level="input")
    assert rows["chosen"].gain == 0
    assert math.isnan(rows["chosen"].gain_low)
    assert noted(ma.composite(halves(noise=3.0), level="input", folds=3, resamples=50), "composite-not-better")
    assert rows["single"].metric == rows["hindsight"].metric == "good-metric"


def test_the_single_metric_agrees_as_agree_says_where_it_is_always_the_same():
    scores = halves()
    result = ma.composite(scores, metric="a,noise", level="system,input", statistic="pearson", folds=3, resamples=50)
    agreed = ma.agree(scores, metric="a", level="system,input", statistic="pearson")
    for row in agreed.table:
        best = by_kind(result, row.level)["hindsight"]
        assert (best.metric, best.estimate) == ("a", pytest.approx(row.estimate))
        assert (best.low, best.high) == pytest.approx((row.low, row.high))


def test_metrics_that_cannot_take_part_are_named():
    scores = halves()
    gaps = scores.matrix("a").copy()
    gaps[:, ::2] = math.nan
    more = {name: scores.matrix(name) for name in scores.metrics} | {"gaps": gaps, "flat": np.ones(gaps.shape)}
    made = ma.Scores.from_arrays(more, {"good": scores.matrix("good")})
    result = ma.composite(made, level="input", folds=3, resamples=50)
    assert noted(result, "columns-excluded", reason="gaps", columns=("gaps",))
    assert noted(result, "columns-excluded", reason="constant", columns=("flat",))
    assert {row.metric for row in result.weights} == {"a", "b", "noise"}
    with pytest.raises(ma.DataError, match="only 1 metric"):
        ma.composite(made, metric="a,flat", level="input", folds=3)


def test_too_little_data_is_refused():
    with pytest.raises(ma.DataError, match="at least 8 systems"):
        ma.composite(halves(systems=6))
    with pytest.raises(ma.DataError, match="at least 2 metrics"):
        ma.composite(halves(), metric="a")
    with pytest.raises(ma.UsageError, match="folds"):
        ma.composite(halves(), folds=2)


def test_the_seed_deals_the_folds_and_a_file_keeps_all(tmp_path):
    one, two = (ma.composite(halves(), level="input", folds=3, resamples=50, seed=seed) for seed in (0, 1))
    assert one.table[0].estimate != two.table[0].estimate
    assert one == ma.composite(halves(), level="input", folds=3, resamples=50)
    one.to_json(tmp_path / "c.json")
    assert ma.load(tmp_path / "c.json") == one


def test_real_metrics_of_realsumm_gain_nothing(shared_data):
    scores = ma.read(shared_data / "realsumm" / "scores")
    result = ma.composite(scores, metric="rouge-*,bertscore_recall,METEOR", level="input", resamples=100)
    rows = by_kind(result)
    assert rows["single"].estimate == pytest.approx(0.39, abs=0.02)
    assert not rows["chosen"].better


def test_copies_of_an_input_count_once_in_a_cluster():
    scores = halves()
    twice = {n: np.repeat(scores.matrix(n), 2, axis=1) for n in scores.columns}
    copied = ma.Scores.from_arrays({n: twice[n] for n in scores.metrics}, {"good": twice["good"]})
    clusters = {name: f"c{at // 2:02}" for at, name in enumerate(copied.inputs)}
    options = {"level": "input", "statistic": "pearson", "folds": 3, "resamples": 200}
    once, together = (ma.composite(s, **options) for s in (scores, replace(copied, clusters=clusters)))
    for kind, row in by_kind(together).items():
        one = by_kind(once)[kind]
        numbers = ("estimate", "low", "high", "gain", "gain_low", "gain_high")
        expected = [getattr(one, name) for name in numbers]
        assert [getattr(row, name) for name in numbers] == pytest.approx(expected, nan_ok=True, abs=1e-9)
    assert noted(together, "units-together", axis="inputs", n=24)
    few = replace(copied, clusters=dict.fromkeys(copied.inputs, "one"))
    with pytest.raises(DataError, match="3 clusters of inputs, got 1"):
        ma.composite(few, **options)
