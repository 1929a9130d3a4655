from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.core.column import Attribute
from metassay.stats.score_gaps import chance

from .conftest import noted


def task(seed, systems=10, inputs=30, noise=0.5, scale=1.0):
    random = np.random.default_rng(seed)
    quality = random.normal(size=(systems, 1))
    people = quality + random.normal(size=(systems, inputs))
    metric = scale * (quality + noise * random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs)))
    return ma.Scores.from_arrays({"m": metric}, {"good": people})


def test_one_task_is_what_pairs_says():
    scores = task(0)
    result = ma.differences(scores, differences=[0.5, 1], resamples=100)
    curve = ma.pairs(scores, resamples=100).curves[0]
    assert [row.agreement for row in result.table] == pytest.approx([curve.chance(size)[0] for size in (0.5, 1)])
    assert [row.needed for row in result.needed] == pytest.approx([curve.needed(s)[0] for s in (0.8, 0.9, 0.95)])
    assert {row.task for row in result.table} == {"all"}
    assert {row.n_pairs for row in result.table} == {45}
    for row in result.table:
        assert row.low < row.agreement < row.high
    assert sum(row.n_pairs for row in result.ranges) == 45


def test_both_directions_say_the_same():
    result = ma.differences(task(0), differences="1", resamples=100)
    for row in result.needed:
        slope = math.log(row.agreement / (1 - row.agreement)) / row.needed
        assert chance(slope, 1.0) == pytest.approx(result.table[0].agreement)
        assert row.low < row.needed < row.high


def test_tasks_are_pooled_and_told_by_themselves():
    tasks = {"one": task(0), "two": task(1), "three": task(2)}
    result = ma.differences(tasks, differences=[1], resamples=100)
    rows = {row.task: row for row in result.table}
    assert list(rows) == ["all", *tasks]
    assert rows["all"].n_pairs == 3 * 45
    assert (rows["all"].n_tasks, rows["two"].n_tasks) == (3, 1)
    each = [rows[name].agreement for name in tasks]
    assert min(each) < rows["all"].agreement < max(each)
    assert rows["all"].high - rows["all"].low < max(rows[name].high - rows[name].low for name in tasks)
    assert noted(result, "tasks-pooled", tasks=3)
    assert "tasks:3" in str(result.signature)


def test_criteria_of_other_names_are_one_if_each_task_has_one():
    other = task(1)
    renamed = ma.Scores.from_arrays({"m": other.matrix("m")}, {"fine": other.matrix("good")})
    result = ma.differences({"one": task(0), "two": renamed}, differences=[1], resamples=50)
    assert {row.human for row in result.table} == {"good, fine"}
    same = ma.differences({"one": task(0), "two": other}, differences=[1], resamples=50)
    assert [row.agreement for row in result.table] == [row.agreement for row in same.table]


def test_scales_that_differ_are_told():
    result = ma.differences({"one": task(0), "two": task(1, scale=100)}, resamples=50)
    assert noted(result, "task-scales-differ", metric="m", one="one", other="two")
    assert not [
        note for note in ma.differences({"a": task(0), "b": task(1)}, resamples=50).notes if "scales" in note.code
    ]


def test_a_task_without_the_columns_is_left_out():
    without = ma.Scores.from_arrays({"other": task(1).matrix("m")}, {"good": task(1).matrix("good")})
    result = ma.differences({"one": task(0), "two": without}, metric="m", resamples=50)
    assert noted(result, "task-without-columns", task="two")
    assert {row.task for row in result.table} == {"all"}


def test_small_numbers_are_good_in_some_metrics():
    scores = task(0)
    turned = ma.Scores.from_arrays({"m": -scores.matrix("m")}, {"good": scores.matrix("good")}, lower_is_better=["m"])
    assert ma.differences(turned, resamples=50).rows() == ma.differences(scores, resamples=50).rows()


def test_edges():
    flat = ma.Scores.from_arrays({"m": np.ones((4, 5))}, {"good": np.arange(20.0).reshape(4, 5)})
    result = ma.differences(flat, differences=[1], resamples=50)
    assert math.isnan(result.table[0].agreement)
    against = ma.Scores.from_arrays(
        {"m": np.arange(6.0)[:, None] * np.ones(4)}, {"good": -np.arange(6.0)[:, None] * np.ones(4)}
    )
    result = ma.differences(against, differences=[100], resamples=50)
    assert all(math.isinf(row.needed) for row in result.needed)
    assert noted(result, "gap-never-enough", metric="m")
    assert noted(result, "difference-unseen", metric="m")
    with pytest.raises(ma.DataError, match="3 systems"):  # one pair has no share of pairs
        ma.differences(task(0, systems=2))
    with pytest.raises(ma.DataError, match="no difference to explain"):
        ma.differences(flat, resamples=50)
    with pytest.raises(ma.UsageError, match="differences"):
        ma.differences(task(0), differences=[-1])


def test_a_file_keeps_all(tmp_path):
    result = ma.differences(task(0), resamples=50)
    result.to_json(tmp_path / "d.json")
    assert ma.load(tmp_path / "d.json") == result


def test_the_command_takes_tasks_as_labels(tmp_path, capsys):
    from metassay.cli import main

    for name, seed in (("a", 0), ("b", 1)):
        ma.write(task(seed), tmp_path / f"{name}.csv")
    files = [f"{name}={tmp_path / name}.csv" for name in "ab"]
    assert main(["differences", *files, "--human", "good", "--differences", "1", "--resamples", "50", "-q"]) == 0
    out = capsys.readouterr().out
    assert "Meaning of score differences" in out
    assert [line.split()[1] for line in out.splitlines() if line.startswith("m  ")][:3] == ["all", "a", "b"]
    assert main(["differences", files[0], str(tmp_path / "b.csv"), "--human", "good", "-q"]) == 2


def test_a_point_of_bleu_on_wmt23(shared_data):
    scores = ma.read(shared_data / "wmt23")
    result = ma.differences(scores, human="mqm", metric="BLEU-refA,COMET-refA", differences=[1], resamples=100)
    assert [row.metric for row in result.table] == ["COMET-refA", "BLEU-refA"]  # best agreement first
    bleu = result.table[1]
    assert bleu.agreement == pytest.approx(0.68, abs=0.01)
    assert bleu.n_pairs == 66
    needed = {(row.metric, row.agreement): row.needed for row in result.needed}
    assert needed["BLEU-refA", 0.8] == pytest.approx(1.8, abs=0.05)
    assert needed["COMET-refA", 0.8] == pytest.approx(0.0039, abs=0.0002)


def test_copies_of_an_input_count_once_in_a_cluster():
    once = task(0)
    twice = {n: np.repeat(once.matrix(n), 2, axis=1) for n in ("m", "good")}
    copied = ma.Scores.from_arrays({"m": twice["m"]}, {"good": twice["good"]})
    clusters = {name: f"c{at // 2:02}" for at, name in enumerate(copied.inputs)}
    one, two = (ma.differences(s, resamples=100) for s in (once, replace(copied, clusters=clusters)))
    assert [(r.low, r.high) for r in two.needed] == [pytest.approx((r.low, r.high)) for r in one.needed]
    assert noted(two, "units-together", axis="inputs", n=30)


def test_metrics_that_are_no_better_than_a_sentinel_are_marked():
    random = np.random.default_rng(1)
    quality = random.normal(size=(20, 1))
    human = quality + 0.3 * random.normal(size=(20, 30))
    metrics = {"noise": random.normal(size=(20, 30)), "good": quality + 0.3 * random.normal(size=(20, 30))}
    scores = ma.Scores.from_arrays(metrics, {"people": human})
    lengths = np.arange(600).reshape(20, 30)
    texts = Attribute("output", "output", lengths, tuple("word " * (3 + at % 7) for at in range(600)))
    result = ma.differences(replace(scores, attributes={"output": texts}), sentinels=True, resamples=200)
    marks = {row.metric: row.beats_sentinels for row in result.table}
    assert (marks["good"], marks["noise"], marks["sentinel-length"]) == (True, False, None)
    assert result.table[0].metric == "good"
    assert "† not significantly better than every sentinel" in result.to_text()
