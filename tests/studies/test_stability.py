from __future__ import annotations

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UsageError

from .conftest import noted

NAN = math.nan


def made(systems=8, inputs=50, judged=20, noise=1.0):
    random = np.random.default_rng(1)
    quality = np.arange(systems)[:, None] / 3
    people = quality + random.normal(size=(systems, inputs)) * noise
    people[:, judged:] = NAN
    metrics = {f"m{k}": quality + random.normal(size=(systems, inputs)) * noise * (k + 1) for k in range(2)}
    return ma.Scores.from_arrays(metrics, {"good": people})


def test_worked_by_hand():
    # Two systems and two inputs, on each of which another system is better by the same.
    # One input: both samples take the same input (τ = 1) or not (τ = −1), each with probability ½: mean 0, SD 1.
    # Two inputs: a sample ties the systems with probability ½ (one input each), so τ is defined with probability ¼.
    scores = ma.Scores.from_arrays({"m": [[0.0, 1.0], [1.0, 0.0]]})
    one, two = ma.stability(scores, sizes=[1, 2], draws=4000).table
    assert one.mean == pytest.approx(0, abs=0.06)
    assert one.sd == pytest.approx(1, abs=0.01)
    assert one.n_undefined == 0
    assert two.n_undefined / two.draws == pytest.approx(0.75, abs=0.03)
    # Systems that differ by the same on every input are always ranked alike.
    sure = ma.Scores.from_arrays({"m": [[0.0, 1.0, 5.0], [1.0, 2.0, 6.0]]})
    assert all((row.mean, row.sd) == (1, 0) for row in ma.stability(sure, draws=50).table)


def test_more_inputs_are_more_stable_and_many_tend_to_one():
    rows = ma.stability(made(judged=50), sizes="2,10,50").table
    for name in ("good", "m0", "m1"):
        few, some, all_of_them = (row.mean for row in rows if row.name == name)
        assert few < some < all_of_them
    distinct = made(inputs=4000, judged=4000, noise=0.5)
    assert all(row.mean > 0.999 for row in ma.stability(distinct, sizes=[4000], draws=100).table)


def test_metrics_and_people_go_up_to_their_own_number_of_inputs():
    rows = ma.stability(made(), draws=20).table
    people = [row.n_inputs for row in rows if row.kind == "human"]
    metrics = [row.n_inputs for row in rows if row.name == "m0"]
    assert people == [2, 4, 5, 6, 8, 10, 12, 14, 15, 16, 18, 20]
    assert metrics[-1] == 50
    assert set(people) < set(metrics), "people and metrics can be compared at the same sizes"
    assert {row.n_available for row in rows if row.kind == "human"} == {20}
    result = ma.stability(made(), sizes=[10, 30], draws=20)
    assert [(row.name, row.n_inputs) for row in result.table if row.kind == "human"] == [("good", 10)]
    assert noted(result, "sizes-exceed-inputs", columns=("good",))


def test_ten_sizes_where_all_have_the_same_inputs():
    rows = ma.stability(made(judged=50), metric="m0", draws=10).table
    assert [row.n_inputs for row in rows if row.name == "m0"] == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
    assert {row.name for row in rows} == {"good", "m0"}


def test_a_size_gives_the_same_whatever_the_other_sizes_columns_and_threads():
    scores = made()
    (alone,) = ma.stability(scores.select(columns="m1"), sizes=[30], draws=2500, threads=1).table
    among = ma.stability(scores, sizes=[5, 30, 40], draws=2500, threads=2).table
    assert alone in among
    assert alone != ma.stability(scores, metric="m1", sizes=[30], draws=2500, seed=1).table[-1]


def test_a_shifted_turned_or_rescaled_metric_is_as_stable():
    scores = made(judged=50)
    turned = ma.Scores.from_arrays({"m0": -5 * scores.matrix("m0") + 100}, lower_is_better=["m0"])
    plain = ma.stability(scores.select(columns="m0"), draws=200)
    assert [row.mean for row in ma.stability(turned, draws=200).table] == [row.mean for row in plain.table]


def test_missing_systems_and_cells():
    values = made(judged=50).matrix("m0").copy()
    values[0], values[1, ::2] = NAN, NAN
    row = ma.stability(ma.Scores.from_arrays({"m": values}), sizes=[20], draws=50).table[0]
    assert row.n_systems == 7
    assert row.n_undefined == 0
    constant = ma.stability(ma.Scores.from_arrays({"m": np.ones((3, 4))}), draws=30)
    assert all(math.isnan(row.mean) and row.n_undefined == 30 for row in constant.table)
    assert noted(constant, "samples-undefined", n=30, draws=30, columns=("m",))
    assert "–" in str(constant)


def test_a_single_input_says_nothing():
    result = ma.stability(ma.Scores.from_arrays({"m": [[1.0], [2.0]]}), draws=10)
    assert noted(result, "single-input", columns=("m",))


def test_every_column_is_seen_at_its_own_number_of_inputs():
    text = ma.stability(made(inputs=300, judged=7), draws=10).to_text(width=200)
    assert "7 inputs" in text
    assert "300 inputs" in text


def test_simulated_annotation_shortens_people():
    result = ma.stability(made(judged=50), annotated=10, draws=20)
    assert max(row.n_inputs for row in result.table if row.kind == "human") == 10
    assert max(row.n_inputs for row in result.table if row.kind == "metric") == 50
    assert noted(result, "annotation-simulated", n=10)
    with pytest.raises(UsageError, match="human scores"):
        ma.stability(made().select(columns="m0"), annotated=10)


def test_what_is_refused():
    with pytest.raises(UsageError, match="at most the number of inputs, 50, got 60"):
        ma.stability(made(), sizes=[60])
    with pytest.raises(UsageError, match="sizes must be whole numbers"):
        ma.stability(made(), sizes="ten")
    with pytest.raises(UsageError, match="no sizes"):
        ma.stability(made(), sizes=[])
    with pytest.raises(UsageError, match="draws"):
        ma.stability(made(), draws=0)
    with pytest.raises(UsageError, match="unknown statistic"):
        ma.stability(made(), statistic="sine")
    with pytest.raises(DataError, match="at least 2 systems"):
        ma.stability(made(systems=1))
    with pytest.raises(UsageError, match="expected Scores"):
        ma.stability([1, 2])


def test_published_curves(shared_data):
    # Fig. 3: with 100 inputs people's rankings reach 0.8 to 0.85, metrics' 0.6 to 0.8 on SummEval.
    scores = ma.read(*sorted((shared_data / "summeval" / "scores").glob("*.jsonl")))
    rows = ma.stability(
        scores, human="expert_relevance", metric="rouge-1_f1,bertscore_recall,qa-eval_f1", sizes=[100]
    ).table
    assert 0.8 < rows[0].mean < 0.9
    assert all(0.58 < row.mean < 0.82 for row in rows[1:])
