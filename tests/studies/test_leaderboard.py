"""Leaderboards: what one task gives, averages over several, metrics that some lack, ranks, letters, and odd designs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.core.scores import Scores
from metassay.errors import DataError, UnknownName, UsageError
from metassay.stats.design import outlying
from metassay.stats.significance import letters


def made(seed=0, systems=8, inputs=15, noise=(0.3, 0.8, 3.0), names="abc", spread=1.0):
    random = np.random.default_rng(seed)
    z = spread * random.normal(size=(systems, 1)) + random.normal(size=(systems, inputs))
    columns = {name: z + sd * random.normal(size=z.shape) for name, sd in zip(names, noise, strict=False)}
    return Scores.from_arrays(columns, {"human": z})


@pytest.mark.parametrize(("interval", "test"), [("jackknife", "jackknife"), ("boot-both", "perm-both")])
def test_one_task_has_the_numbers_of_agree_and_compare(interval, test):
    scores = made()
    drawn = {"resamples": 99, "seed": 3}
    board = ma.leaderboard(scores, statistic="pearson", level="input", interval=interval, test=test, **drawn)
    agreed = {
        row.metric: row
        for row in ma.agree(scores, level="input", statistic="pearson", interval=interval, **drawn).table
    }
    for row in board.table:
        assert (row.estimate, row.low, row.high) == pytest.approx(
            (agreed[row.metric].estimate, agreed[row.metric].low, agreed[row.metric].high)
        )
    compared = ma.compare(scores, level="input", statistic="pearson", test=test, alternative="two-sided", **drawn)
    p = {(row.metric_a, row.metric_b): (row.p_value, row.p_corrected) for row in compared.table}
    for row in board.tests:
        assert (row.p_value, row.p_corrected) == pytest.approx(p[row.metric_a, row.metric_b])
        assert row.estimate_a >= row.estimate_b
    ranks = {row.metric: (row.rank, row.rank_low, row.rank_high) for row in compared.ranks}
    assert {row.metric: (row.rank, row.rank_low, row.rank_high) for row in board.table} == ranks


def test_statistics_are_taken_at_the_levels_that_are_named_or_defined():
    board = ma.leaderboard(made(), statistic="spa,acc-eq,pearson@input,kendall@sys")
    assert list(dict.fromkeys((row.statistic, row.level) for row in board.table)) == [
        ("spa", "system"),
        ("acc-eq", "input"),
        ("pearson", "input"),
        ("kendall", "system"),
    ]
    with pytest.raises(UsageError, match="spa is not defined at input level"):
        ma.leaderboard(made(), statistic="spa@input")


def test_averages_over_tasks_with_weights_and_metrics_that_some_lack():
    tasks = {"x": made(1), "y": made(2, names="ac"), "z": made(3)}
    board = ma.leaderboard(tasks, statistic="pearson@input", average="x=3,y=1,z=1")
    by = {(row.task, row.metric): row.estimate for row in board.tasks}
    mean = {row.metric: row.estimate for row in board.table}
    assert mean["a"] == pytest.approx((3 * by["x", "a"] + by["y", "a"] + by["z", "a"]) / 5)
    assert mean["b"] == pytest.approx((3 * by["x", "b"] + by["z", "b"]) / 4)
    assert {row.metric: row.n_tasks for row in board.table} == {"a": 3, "b": 2, "c": 3}
    (note,) = [note for note in board.notes if note.code == "metrics-in-some-tasks"]
    assert dict(note.facts)["tasks"] == (("b", 1),)
    assert "average:x=3,y=1,z=1" in str(board.signature)
    assert "tasks:3" in str(board.signature)
    only = ma.leaderboard(tasks, statistic="pearson@input", average={"z": 1})
    assert {row.task for row in only.tasks} == {"z"}


def test_tasks_by_a_column_of_the_inputs(tmp_path):
    lines = ["system,input,domain,human,bleu,comet"]
    random = np.random.default_rng(0)
    for s in range(7):
        for i in range(8 if s == 6 else 0, 20):  # the last system is in one task only
            z = s + random.normal()
            lines.append(f"s{s},i{i},{'news' if i < 8 else 'chat'},{z},{z + random.normal()},{z + 3 * random.normal()}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    scores = ma.read(tmp_path / "t.csv", human="human")
    board = ma.leaderboard(scores, by="domain", statistic="pearson@input")
    assert {(row.task, row.n_inputs) for row in board.tasks} == {("news", 8), ("chat", 12)}
    assert any("6 of 7 systems are in more than one task" in str(note) for note in board.notes)
    assert not any("cells missing" in str(note) for note in board.notes)
    part = ma.agree(
        ma.read(tmp_path / "t.csv", human="human", select="domain=news"), level="input", statistic="pearson"
    )
    assert {row.metric: row.estimate for row in part.table} == pytest.approx(
        {row.metric: row.estimate for row in board.tasks if row.task == "news"}
    )
    with pytest.raises(UnknownName, match="unknown column of tasks"):
        ma.leaderboard(scores, by="genre")


def test_bad_weights_are_refused():
    for weights, said in (("x=a", "must be a number"), ("x=-1", "at least 0"), ("x", "TASK=WEIGHT")):
        with pytest.raises(UsageError, match=said):
            ma.leaderboard({"x": made()}, average=weights)
    with pytest.raises(UnknownName, match="task"):
        ma.leaderboard({"x": made()}, average="y=1")
    with pytest.raises(UsageError, match="no task has a weight"):
        ma.leaderboard({"x": made()}, average="x=0")


def test_letters_are_shared_by_those_that_do_not_differ():
    random = np.random.default_rng(5)
    for _ in range(20):
        apart = np.triu(random.random((7, 7)) < 0.4, 1)
        apart |= apart.T
        found = letters(list(range(7)), apart)
        for a in range(7):
            for b in range(a):
                assert bool(set(found[a]) & set(found[b])) != apart[a, b]
        assert all(found)


# -- edges ------------------------------------------------------------------------------------------


def codes(result):
    return {note.code for note in result.notes}


def test_a_task_with_three_systems_has_numbers_and_no_test():
    board = ma.leaderboard(made(systems=3), statistic="pearson@system,acc-eq")
    assert not np.isnan([row.estimate for row in board.table]).any()
    assert np.isnan([row.low for row in board.table]).all()
    assert np.isnan([row.p_value for row in board.tests]).all()
    assert {(row.rank_low, row.rank_high) for row in board.table} == {(1, 3)}
    assert {"no-interval", "no-test"} <= codes(board)
    text = board.to_text()
    assert "it needs at least 5 systems, not 3" in " ".join(text.split())
    drawn = ma.leaderboard(made(systems=2), statistic="pearson@system", test="perm-both", interval="boot-both")
    assert np.isnan([row.p_value for row in drawn.tests]).all()


def test_a_small_task_beside_others_is_averaged_and_said():
    board = ma.leaderboard({"big": made(1), "small": made(2, systems=3)}, statistic="pearson@system")
    assert {row.n_tasks for row in board.table} == {2}
    assert {row.n_tasks for row in board.tests} == {1}
    assert {note["task"] for note in board.notes if note.code == "no-interval"} == {"small"}
    (shared,) = (note for note in board.notes if note.code == "systems-in-several-tasks")
    assert (shared["n"], shared["of"]) == (3, made(1).shape[0])


def test_a_task_without_systems_is_left_out_and_said():
    alone = Scores.from_arrays({"a": [[1.0, 2.0]], "b": [[2.0, 1.0]]}, {"human": [[1.0, 3.0]]}, systems=["one"])
    board = ma.leaderboard({"x": made(), "one": alone}, statistic="spa")
    assert "task-left-out" in codes(board)
    assert {row.task for row in board.tasks} == {"x"}
    with pytest.raises(DataError, match="at least 2 systems"):
        ma.leaderboard(alone, statistic="spa")


def test_people_who_tie_everything_leave_every_statistic_undefined_and_none_leads():
    scores = made()
    tied = Scores.from_arrays({n: scores[n].values for n in "abc"}, {"human": np.ones(scores.shape)})
    wanted = "pearson@input,acc-eq,acc-eq-cross,tau-eq@input,pairwise-accuracy@system,spa"
    board = ma.leaderboard(tied, statistic=wanted)
    assert len({row.statistic for row in board.table}) == 6
    assert np.isnan([row.estimate for row in board.table]).all()
    assert {row.rank for row in board.table} == {None}
    assert {note["reason"] for note in board.notes if note.code == "agreement-undefined"} == {"people-tied"}
    assert "none leads" in board.to_text()


def test_inputs_that_people_tie_count_as_the_definition_has_it():
    """Only people who tie everything know no order; an input that they tie is right where the metric ties it, too."""
    scores = made()
    z = np.round(scores["human"].values)
    z[:, :7] = 0
    some = Scores.from_arrays({n: scores[n].values for n in "abc"}, {"human": z})
    board = {row.metric: row for row in ma.leaderboard(some, statistic="tau-eq@input").table}
    x = scores["a"].values
    pairs = [(i, j) for i in range(8) for j in range(i)]
    right = [np.mean([np.sign(x[i, k] - x[j, k]) == np.sign(z[i, k] - z[j, k]) for i, j in pairs]) for k in range(15)]
    assert right[0] == 0
    assert board["a"].estimate == pytest.approx(2 * np.mean(right) - 1)


def test_a_metric_that_ties_everything_has_no_rank_by_correlation():
    scores = made()
    flat = Scores.from_arrays(
        {"a": scores["a"].values, "b": scores["b"].values, "flat": np.zeros(scores.shape)},
        {"human": np.round(scores["human"].values)},
    )
    board = ma.leaderboard(flat, statistic="pearson@input,acc-eq,pairwise-accuracy@system")
    row = {(row.statistic, row.metric): row for row in board.table}
    assert np.isnan(row["pearson", "flat"].estimate)
    assert row["pearson", "flat"].rank is None
    z = np.round(scores["human"].values)
    ties = np.mean([z[i, k] == z[j, k] for k in range(15) for i in range(8) for j in range(i)])
    # of a metric that ties everything, exactly the ties of people are right
    assert row["acc-eq", "flat"].estimate == pytest.approx(ties)


def test_metrics_and_people_of_one_level(tmp_path):
    folder = tmp_path / "data"
    (folder / "human-scores").mkdir(parents=True)
    (folder / "metric-scores" / "en-de").mkdir(parents=True)
    random = np.random.default_rng(0)
    systems = [f"s{k}" for k in range(6)]

    def write(name, values):
        (folder / name).write_text(
            "".join(f"{s}\t{v}\n" for s, row in zip(systems, values, strict=True) for v in np.atleast_1d(row))
        )

    z = np.arange(6)[:, None] + random.normal(size=(6, 10))
    write("human-scores/en-de.mqm.seg.score", z)
    write("human-scores/en-de.whole.sys.score", z.mean(axis=1))
    write("metric-scores/en-de/seg.seg.score", z + random.normal(size=z.shape))
    write("metric-scores/en-de/other.seg.score", z + random.normal(size=z.shape))
    write("metric-scores/en-de/sys.sys.score", z.mean(axis=1))
    scores = ma.read(folder)
    board = ma.leaderboard(scores, human="mqm", statistic="pearson")
    row = {(row.level, row.metric): row for row in board.table}
    assert row["system", "sys"].estimate == pytest.approx(1)
    assert np.isnan(row["input", "sys"].estimate)
    assert row["input", "sys"].rank is None
    (undefined,) = (note for note in board.notes if note.code == "agreement-undefined")
    assert (undefined["metric"], undefined["level"], undefined["reason"]) == ("sys", "input", "metric-whole")
    for study in (ma.leaderboard, ma.agree, ma.compare):
        notes = study(scores, human="mqm", statistic="spa", level="system").notes
        assert [note["reason"] for note in notes if note.code == "agreement-undefined"] == ["metric-whole"]
    whole = ma.leaderboard(scores, human="whole", statistic="pearson@system")
    assert {row.metric: row.rank for row in whole.table}["sys"] == 1
    assert not {"inputs-unpaired", "inputs-judged-only", "cells-missing"} & codes(whole)
    both = ma.leaderboard(scores, human="whole", statistic="pearson")
    assert {row.level for row in both.table} == {"system"}
    assert "task-left-out" in codes(both)
    for study in (ma.leaderboard, ma.agree):
        with pytest.raises(DataError, match="has scores of whole systems only"):
            study(scores, human="whole", statistic="pearson", level="input")
    # all language pairs of a folder are tasks
    (folder / "human-scores" / "en-zh.mqm.seg.score").write_text(
        (folder / "human-scores/en-de.mqm.seg.score").read_text()
    )
    (folder / "metric-scores" / "en-zh").mkdir()
    write("metric-scores/en-zh/seg.seg.score", z + 2 * random.normal(size=z.shape))
    tasks = ma.read_tasks(folder)
    assert list(tasks) == ["en-de", "en-zh"]
    several = ma.leaderboard(tasks, human="mqm", metric="seg,other", statistic="pearson@input")
    assert {(row.task, row.metric) for row in several.tasks} == {("en-de", "seg"), ("en-de", "other"), ("en-zh", "seg")}


def test_outliers_are_dropped_as_wmt_2020_defines_it():
    random = np.random.default_rng(1)
    z = np.array([0.0, 0.1, 0.2, 0.3, 0.4, -9.0])[:, None] + 0.01 * random.normal(size=(6, 12))
    scores = Scores.from_arrays(
        {"a": z + random.normal(size=z.shape), "b": z + random.normal(size=z.shape)}, {"human": z}
    )
    means = z.mean(axis=1)
    mad = np.median(np.abs(means - np.median(means)))
    assert outlying(means).tolist() == (np.abs(means - np.median(means)) > 2.5 * 1.483 * mad).tolist()
    board = ma.leaderboard(scores, statistic="pearson@system", drop_outliers=True)
    assert {row.n_systems for row in board.tasks} == {5}
    assert "outliers:dropped,mad2.5" in str(board.signature)
    assert [dict(note.facts)["systems"] for note in board.notes if note.code == "outliers-dropped"] == [("system-6",)]
    other = Scores.from_arrays({"a": z[:5], "b": -z[:5]}, {"human": z[:5]})
    two = ma.leaderboard({"x": scores, "y": other}, statistic="pearson@system", drop_outliers=True)
    assert [note["systems"] for note in two.notes if note.code.startswith("outliers")] == [("x: system-6",)]
    assert "outliers-none" in codes(ma.leaderboard(other, statistic="pearson@system", drop_outliers=True))
    for study in (ma.agree, ma.compare):
        found = study(scores, level="system", statistic="pearson", drop_outliers=True)
        assert {row.n_systems for row in found.table} == {5}
        assert "outliers:dropped,mad2.5" in str(found.signature)
    whole = ma.leaderboard(scores, statistic="pearson@system")
    assert "outliers" not in str(whole.signature)
    assert not outlying(np.array([1.0, 1.0, 1.0, 9.0])).any()


def test_sentinels_and_people_are_rows():
    board = ma.leaderboard(
        ma.example(), human="relevance", statistic="pearson@input", sentinels=True, people_as_metrics=True
    )
    agreed = ma.agree(
        ma.example(), human="relevance", statistic="pearson", level="input", sentinels=True, people_as_metrics=True
    )
    assert {row.metric: (row.kind, row.estimate) for row in board.table} == {
        row.metric: (row.kind, pytest.approx(row.estimate, nan_ok=True)) for row in agreed.table
    }
    assert {row.kind for row in board.table} == {"metric", "sentinel", "person"}
    assert {row.beats_sentinels for row in board.table if row.kind == "sentinel"} == {None}
    assert True in {row.beats_sentinels for row in board.table if row.kind == "metric"}
    compared = ma.compare(
        ma.example(),
        human="relevance",
        statistic="pearson",
        level="input",
        alternative="two-sided",
        sentinels=True,
        people_as_metrics=True,
    )
    p = {(row.metric_a, row.metric_b): row.p_value for row in compared.table}
    for row in board.tests:
        assert row.p_value == pytest.approx(p[row.metric_a, row.metric_b], nan_ok=True)


def test_references_among_systems_are_left_out_unless_wanted():
    scores = made()
    named = Scores.from_arrays(
        {n: scores[n].values for n in "abc"}, {"human": scores["human"].values}, groups={"system-1": "reference"}
    )
    counts = [
        {row.n_systems for row in ma.leaderboard(named, statistic="spa", references=kept).tasks}
        for kept in (False, True)
    ]
    assert counts == [{7}, {8}]


def test_epsilon_at_the_edge():
    """A difference of exactly ε is a tie, and the best ε may be 0 or the largest difference."""
    from metassay.stats.statistics.registry import find

    z = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    # with all pairs of equal people 1 apart and others 2 apart, ε = 1 makes all of them right
    x = np.array([[[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]])
    acc = find("acc-eq").prepare(x, z, "input").estimate()[0]
    assert acc == pytest.approx([1.0])
    exact = find("acc-eq").prepare(z[None], z, "input").estimate()[0]
    assert exact == pytest.approx([1.0])
    assert find("acc-eq").prepare(z[None], z, "input").metrics[0].calibration().epsilon == 0.0
    # people tell system 2 apart on one input: the four pairs that they tie are right at the largest difference, 4
    few = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    found = find("acc-eq").prepare(x, few, "input").metrics[0].calibration()
    assert (found.epsilon, found.accuracy) == (4.0, pytest.approx(4 / 6))
    assert find("acc-eq").prepare(x, few, "input").estimate()[0] == pytest.approx([4 / 6])
    # people who tell nothing apart say nothing of any threshold
    assert np.isnan(find("acc-eq").prepare(x, np.zeros_like(z), "input").estimate()[0])


# -- views ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def board():
    return ma.leaderboard({"x": made(1), "y": made(2)}, statistic="spa,acc-eq")


def test_the_table_fits_80_columns_and_has_bars(board):
    from metassay.report import formats

    text = formats.to_text(board, width=80)
    assert max(map(len, text.splitlines()[:-1])) <= 80
    assert "├" in text
    assert "●" in text
    plain = formats.to_text(board, width=80, encoding="ascii")
    assert "o" in plain
    assert "├" not in plain


def test_latex_fits_a_page_and_has_letters_and_no_bars(board):
    text = board.to_latex()
    assert r"\usepackage{booktabs,graphicx}" in text
    assert r"\resizebox" in text
    assert "●" not in text
    assert "share a letter" in text
    assert text.count("{") == text.count("}")


def test_the_triangle_has_each_pair_once(board):
    text = board.to_latex(view="triangle")
    assert "colortbl" in text or r"\cellcolor" not in text
    rows = [line for line in board.to_markdown(view="triangle").splitlines() if line.startswith("|")]
    filled = [cell for line in rows for cell in line.split("|")[3:-1] if any(c.isdigit() for c in cell)]
    # two tables, each with three pairs and a head of two numbers
    assert len(filled) == 2 * (3 + 2)


def test_html_draws_the_bars(board, tmp_path):
    board.to_html(tmp_path / "board.html")
    text = (tmp_path / "board.html").read_text()
    assert text.count("<svg") == 3


def test_every_view_and_the_way_back(board, tmp_path):
    for view in ("board", "intervals", "tasks", "triangle", "pairs", "rows"):
        assert board.to_text(view=view)
    board.to_json(tmp_path / "b.json")
    assert ma.load(tmp_path / "b.json") == board
    assert board.to_csv(rows="tests").splitlines()[0].startswith("metric_a,metric_b")
    for kind in ("forest", "ranks"):
        assert board.plot(kind=kind).spec["concat"]


def test_soft_pairwise_accuracy_takes_inputs_that_both_judged_and_no_scores_of_whole_systems():
    scores = made(inputs=30)
    few = np.where(np.arange(30) < 20, scores.matrix("human"), np.nan)
    columns = {name: scores.matrix(name) for name in "abc"}
    part = Scores.from_arrays(columns, {"human": few})
    whole = Scores.from_arrays({name: values[:, :20] for name, values in columns.items()}, {"human": few[:, :20]})
    shifted = replace(part.columns["a"], system_scores=np.arange(8.0))
    part = replace(part, columns={**part.columns, "a": shifted})
    wanted = {row.metric: row.estimate for row in ma.agree(whole, statistic="spa", level="system").table}
    for inputs in ("all", "annotated"):
        found = ma.agree(part, statistic="spa", level="system", inputs=inputs)
        assert {row.metric: row.estimate for row in found.table} == pytest.approx(wanted)
        assert {row.n_inputs for row in found.table} == {20}
        assert not {"inputs-unpaired", "system-scores-given"} & {note.code for note in found.notes}
    board = ma.leaderboard(part, statistic="spa,pearson@system")
    assert {r.metric: r.estimate for r in board.table if r.statistic == "spa"} == pytest.approx(wanted)
    assert {"inputs-unpaired", "system-scores-given"} <= {note.code for note in board.notes}


def test_the_first_sentence_says_who_leads():
    board = ma.leaderboard(made(systems=12, inputs=40), statistic="pearson@input")
    note = board.notes[0]
    best = min((row for row in board.table), key=lambda row: row.rank)
    assert (note.code, note.facts["metric"]) == ("metric-leads", best.metric)
    assert note.facts["n"] == sum(row.rank_low == 1 for row in board.table) - 1
    needed = ma.differences(made(), metric="a", resamples=50)
    assert needed.notes[0].code == "difference-needed" or any(n.code == "difference-needed" for n in needed.notes)
