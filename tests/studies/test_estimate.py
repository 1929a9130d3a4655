"""Estimated human scores of all outputs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError
from metassay.stats.prediction_powered import powered_mean

from .conftest import noted

NAN = math.nan
TRUTH = np.linspace(-0.4, 0.4, 4)


def world(random, labelled=60, inputs=400, noise=0.5, cut=None, scale=1.0):
    difficulty = 0.7 * random.normal(size=inputs)
    z = TRUTH[:, None] + difficulty + random.normal(size=(4, inputs))
    f = scale * (z + noise * random.normal(size=z.shape)) + 0.3
    if cut is not None:
        z, f = (z > cut).astype(float), (f > cut).astype(float)
    return ma.Scores.from_arrays({"judge": f}, {"label": np.where(np.arange(inputs) < labelled, z, NAN)})


def test_rows_are_those_of_the_prediction_powered_mean():
    scores = world(np.random.default_rng(1))
    result = ma.estimate(scores)
    for row in result.table:
        s = scores.systems.index(row.system)
        found = powered_mean(scores.matrix("label")[s], scores.matrix("judge")[s])
        assert (row.estimate, row.weight) == pytest.approx((found.corrected.value, found.weight), abs=1e-12)
        assert row.human_only == pytest.approx(np.nanmean(scores.matrix("label")[s]))
        assert row.metric_only == pytest.approx(scores.matrix("judge")[s].mean())
        assert (row.n_labelled, row.n_total, row.method) == (60, 400, "ppi")
        assert row.high - row.low < row.human_only_high - row.human_only_low
        assert row.worth > 120
    assert [row.rank for row in result.ranking] == [1, 2, 3, 4]
    assert [row.system for row in result.ranking] == ["system-4", "system-3", "system-2", "system-1"]
    assert all(row.rank_low <= row.rank <= row.rank_high for row in result.ranking)
    assert len(result.differences) == 6
    assert all(row.p_corrected >= row.p_value for row in result.differences)


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_ppi_py(seed):
    theirs = pytest.importorskip("ppi_py")
    scores = world(np.random.default_rng(seed))
    for s, row in enumerate(ma.estimate(scores).table):
        y, f = scores.matrix("label")[s], scores.matrix("judge")[s]
        known = ~np.isnan(y)
        point = theirs.ppi_mean_pointestimate(y[known], f[known], f[~known])
        assert row.estimate == pytest.approx(float(np.squeeze(point)), abs=1e-12)


def test_says_how_many_labels_it_saves():
    result = ma.estimate(world(np.random.default_rng(2)))
    (note,) = noted(result, "labels-worth")
    assert note["n"] == 240
    assert 480 < note["worth"] < 1600
    assert "240 labels together with judge are as precise as" in str(note)


# With 150 data sets of 4 systems, a coverage of .95 is estimated with a standard error of about .012, allowing for
# shared inputs; it leaves [.91, .985] with odds below 1 to 300.
@pytest.mark.parametrize("cut", [None, 0.0, -1.5])
def test_coverage(cut):
    from scipy.stats import norm

    truth = TRUTH if cut is None else norm.sf(cut, TRUTH, math.sqrt(1.49))
    random, inside, gaps = np.random.default_rng(7), [], []
    for _ in range(150):
        result = ma.estimate(world(random, labelled=40, inputs=300, cut=cut))
        rows = [row for row in result.table if row.method == "ppi"]
        inside += [row.low <= t <= row.high for row, t in zip(rows, truth, strict=True)]
        right = dict(zip((row.system for row in rows), truth, strict=True))
        gaps += [row.low <= right[row.system_a] - right[row.system_b] <= row.high for row in result.differences]
    assert 0.91 <= np.mean(inside) <= 0.985
    assert 0.91 <= np.mean(gaps) <= 0.985


def test_a_useless_judge_leaves_the_labels_alone():
    random = np.random.default_rng(3)
    scores = world(random)
    column = replace(scores["judge"], values=random.normal(size=scores.shape))
    result = ma.estimate(replace(scores, columns={**scores.columns, "judge": column}))
    assert all(row.weight == 0 for row in result.table)
    assert all((row.estimate, row.low) == (row.human_only, row.human_only_low) for row in result.table)
    assert noted(result, "metric-uninformative")
    assert not noted(result, "labels-worth")


def test_yes_and_no_also_by_sensitivity_and_specificity():
    result = ma.estimate(world(np.random.default_rng(4), labelled=100, cut=0.0))
    by = {method: [row for row in result.table if row.method == method] for method in ("ppi", "rogan-gladen")}
    assert len(by["ppi"]) == len(by["rogan-gladen"]) == 4
    assert all(abs(a.estimate - b.estimate) < 0.25 for a, b in zip(*by.values(), strict=True))
    assert all(0 <= row.low <= row.estimate <= row.high <= 1 for row in result.table)
    assert all(math.isnan(row.weight) for row in by["rogan-gladen"])
    with pytest.raises(DataError, match="needs binary labels and binary scores"):
        ma.estimate(world(np.random.default_rng(4)), method="rogan-gladen")


def test_a_judge_that_turns_everything_around_has_no_corrected_share():
    scores = world(np.random.default_rng(4), labelled=100, cut=0.0)
    column = replace(scores["judge"], values=1 - scores["judge"].values)
    result = ma.estimate(replace(scores, columns={**scores.columns, "judge": column}), method="rogan-gladen")
    assert all(math.isnan(row.estimate) for row in result.table)
    assert noted(result, "share-undefined")


def test_small_scores_may_be_good_on_either_side():
    scores = world(np.random.default_rng(5))
    straight = ma.estimate(scores)
    turned = {"judge": replace(scores["judge"], values=-scores["judge"].values, lower_is_better=True)}
    other = ma.estimate(replace(scores, columns={**scores.columns, **turned}))
    for a, b in zip(straight.table, other.table, strict=True):
        assert (a.estimate, a.low, a.metric_only) == pytest.approx((b.estimate, b.low, -b.metric_only))
    turned["label"] = replace(scores["label"], values=-scores["label"].values, lower_is_better=True)
    both = ma.estimate(replace(scores, columns=turned))
    for a, b in zip(straight.table, both.table, strict=True):
        assert (a.estimate, a.low, a.high) == pytest.approx((-b.estimate, -b.high, -b.low))
    assert [r.system for r in straight.ranking] == [r.system for r in both.ranking]


def test_a_judge_on_another_scale_is_as_good():
    a, b = (ma.estimate(world(np.random.default_rng(6), scale=scale)) for scale in (1.0, 0.05))
    assert noted(b, "metric-on-another-scale")
    assert not noted(a, "metric-on-another-scale")
    for x, y in zip(a.table, b.table, strict=True):
        assert y.high - y.low == pytest.approx(x.high - x.low, rel=0.05)


def test_clusters_of_inputs_count():
    random = np.random.default_rng(8)
    document = np.repeat(random.normal(size=80), 5)
    z = document + 0.3 * random.normal(size=(2, 400))
    scores = ma.Scores.from_arrays(
        {"judge": z + random.normal(size=z.shape)}, {"label": np.where(np.arange(400) < 100, z, NAN)}
    )
    known = replace(scores, clusters={name: str(at // 5) for at, name in enumerate(scores.inputs)})
    wide, narrow = (ma.estimate(each).table[0] for each in (known, scores))
    assert wide.human_only_high - wide.human_only_low > 1.8 * (narrow.human_only_high - narrow.human_only_low)
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def test_caveats():
    scores = world(np.random.default_rng(9), labelled=40)
    chosen = np.sort(scores["judge"].values[0])[-60]
    best = np.where(scores["judge"].values > chosen, 1.0, NAN)
    few = {"label": replace(scores["label"], values=np.where(np.isnan(best), NAN, scores["judge"].values))}
    result = ma.estimate(replace(scores, columns={**scores.columns, **few}))
    assert noted(result, "labels-unlike")
    assert noted(result, "labels-equal-metric")
    everything = ma.Scores.from_arrays({"m": [[1.0, 2, 3, 5]]}, {"h": [[1.0, 2, 4, 4]]})
    found = ma.estimate(everything)
    assert noted(found, "labels-everywhere")
    assert noted(found, "labels-few", n=4)
    assert found.table[0].estimate == found.table[0].human_only
    flat = ma.estimate(ma.Scores.from_arrays({"m": [[1.0, 2, 3, 5]]}, {"h": [[4.0, 4, NAN, NAN]]}))
    assert math.isnan(flat.table[0].low)
    assert noted(flat, "labels-constant")
    none = ma.estimate(ma.Scores.from_arrays({"m": [[1.0, 2, 3, 5]]}, {"h": [[4.0, NAN, NAN, NAN]]}))
    assert math.isnan(none.table[0].estimate)
    assert noted(none, "labels-none")


def test_all_labels_yes_have_an_interval_all_the_same():
    scores = ma.Scores.from_arrays({"m": [[1.0, 1, 1, 0, 1, 1]]}, {"h": [[1.0, 1, 1, NAN, NAN, NAN]]})
    row = ma.estimate(scores).table[0]
    assert row.estimate == 1
    assert 0.1 < row.low < 0.6


def test_summeval(shared_data):
    scores = ma.read(*sorted((shared_data / "summeval" / "scores").glob("*.jsonl")))
    people = "expert_relevance"
    whole = {s: float(np.nanmean(row)) for s, row in zip(scores.systems, scores.matrix(people), strict=True)}
    result = ma.estimate(scores, human=people, metric="rouge-1_f1", annotated=30)
    inside = [row.low <= whole[row.system] <= row.high for row in result.table]
    assert sum(inside) >= len(inside) - 1
    assert noted(result, "labels-worth") or noted(result, "metric-uninformative")


def test_stars_of_reviews(shared_data):
    folder = shared_data / "alttest" / "cebab_stars"
    scores = ma.read(f"human={folder / 'human_annotations.json'}", f"judge={folder / 'llm_annotations.json'}")
    (people,) = scores.humans
    result = ma.estimate(scores, human=people, annotated=100)
    truth = float(np.nanmean(scores.matrix(people)))
    assert all(row.low <= truth <= row.high for row in result.table)
    assert min(row.worth for row in result.table) > 150
    assert max(abs(row.metric_only - truth) for row in result.table) > 0.1


# 120 data sets: a coverage of .95 leaves [.90, .99] with odds below 1 to 100; without the chances it would be far off.
def test_labels_chosen_by_disagreement_count_by_their_chance():
    from metassay.stats.label_choices import choose

    random = np.random.default_rng(11)
    inside, biased = [], []
    for _ in range(120):
        z = random.normal(size=600)
        people = (z > 0).astype(float)
        judges = np.stack([(z + 0.7 * random.normal(size=600) > cut).astype(float) for cut in (0.4, -0.1)])
        some, chance = choose("disagreement", judges, 80, random)
        labels, chances = np.full(600, NAN), np.full(600, NAN)
        labels[some], chances[some] = people[some], chance[some]
        scores = ma.Scores.from_arrays(
            {"a": judges[:1], "b": judges[1:], "odds": chances[None]}, {"label": labels[None]}
        )
        rows = ma.estimate(scores, metric="a", chance="odds").table
        assert len(rows) == 1
        inside.append(rows[0].low <= 0.5 <= rows[0].high)
        biased.append((ma.estimate(scores, metric="a", method="ppi").table[0].estimate, rows[0].estimate))
    assert 0.9 <= np.mean(inside) <= 0.99
    plain, weighted = np.mean(biased, axis=0)
    assert weighted == pytest.approx(0.5, abs=0.015)
    assert abs(plain - 0.5) > abs(weighted - 0.5)


def test_chances_are_probabilities():
    scores = ma.Scores.from_arrays({"m": [[1.0, 0, 1]], "p": [[0.5, 2, 0.5]]}, {"h": [[1.0, 0, NAN]]})
    with pytest.raises(DataError, match="probabilities"):
        ma.estimate(scores, metric="m", chance="p")


def test_equal_chances_change_nothing_much():
    scores = world(np.random.default_rng(12))
    columns = {**scores.columns, "p": replace(scores["judge"], name="p", values=np.full(scores.shape, 0.15))}
    plain, weighted = ma.estimate(scores), ma.estimate(replace(scores, columns=columns), chance="p")
    for a, b in zip(plain.table, weighted.table, strict=True):
        assert b.human_only == pytest.approx(a.human_only)
        assert b.estimate == pytest.approx(a.estimate, abs=0.05)
        assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.1)


def test_a_judge_that_is_always_right():
    labels = np.where(np.arange(60) < 30, np.arange(60) % 2, NAN)[None]
    result = ma.estimate(ma.Scores.from_arrays({"judge": (np.arange(60) % 2)[None]}, {"label": labels}))
    assert result.table[0].weight > 0.4
    assert noted(result, "labels-equal-metric")
    assert not noted(result, "metric-uninformative")


def test_tied_systems_share_a_rank():
    scores = world(np.random.default_rng(1), cut=0.0)
    twice = {n: np.concatenate([scores.matrix(n)[[3, 1, 1]], scores.matrix(n)[:1]]) for n in ("judge", "label")}
    result = ma.estimate(ma.Scores.from_arrays({"judge": twice["judge"]}, {"label": twice["label"]}))
    assert [row.rank for row in result.ranking] == [1, 2, 2, 4]


def test_rogan_gladen_says_what_it_lacks():
    numbers, labels = world(np.random.default_rng(1)), world(np.random.default_rng(1), cut=0.0)
    columns = {**labels.columns, "p": replace(labels["judge"], name="p", values=np.full(labels.shape, 0.5))}
    with pytest.raises(DataError, match="needs binary labels and binary scores"):
        ma.estimate(numbers, method="rogan-gladen")
    with pytest.raises(DataError, match=r"random sample.*leave out --chance"):
        ma.estimate(replace(labels, columns=columns), chance="p", method="rogan-gladen")


def test_answers_of_a_sheet_bring_their_chances_along():
    random = np.random.default_rng(5)
    truth = (random.random((1, 300)) < 0.6).astype(float)
    judge = np.where(random.random(truth.shape) < 0.8, truth, 1 - truth)
    chances = np.where(judge == 1, 0.6, 0.2)
    labels = np.where(random.random(truth.shape) < chances, truth, np.nan)
    scores = ma.Scores.from_arrays({"judge": judge, "label_chance": chances}, {"label": labels})
    found, named = ma.estimate(scores), ma.estimate(scores, chance="label_chance")
    assert [row.estimate for row in found.table] == [row.estimate for row in named.table]
    assert {row.metric for row in found.table} == {"judge"}
    assert "labels-by-chance" in [note.code for note in found.notes]
    card = ma.judge(scores, human="label")
    assert {row.judge for row in card.table} == {"judge"}
    assert "labels-chosen" in [note.code for note in card.notes]


def test_the_first_system_is_told_in_words():
    random = np.random.default_rng(6)
    truth = random.normal(size=(3, 200)) + np.array([[3.0], [0.0], [-3.0]])
    labels = np.where(np.arange(200) < 50, truth, np.nan)
    apart = ma.Scores.from_arrays({"judge": truth + random.normal(size=truth.shape)}, {"label": labels})
    assert any("significantly ahead of all others." in str(note) for note in ma.estimate(apart).notes)
    same = random.normal(size=(2, 60))
    near = ma.Scores.from_arrays({"judge": same}, {"label": np.where(np.arange(60) < 40, same, np.nan)})
    assert any("not significantly ahead of any other system." in str(note) for note in ma.estimate(near).notes)


def test_one_label_has_a_reason_and_no_number():
    scores = ma.Scores.from_arrays({"judge": [[1.0]]}, {"human": [[1.0]]})
    result = ma.estimate(scores)
    assert all(math.isnan(row.estimate) for row in result.table)
    assert "1 label of 1 output\n" in str(result)
    assert "nothing can be estimated" in " ".join(str(result).split())


def test_nothing_is_claimed_of_systems_that_were_not_compared():
    judge = [[2.0, 4, 3], [4, 3, 1], [2, 5, 3]]
    alone = ma.Scores.from_arrays({"judge": judge}, {"human": [[3.0, 5, 2], [4, NAN, NAN], [NAN] * 3]})
    result = ma.estimate(alone)
    assert not noted(result, "ranks-first")
    assert noted(result, "ranks-untested")
    assert noted(result, "labels-lacking", systems=alone.systems[1:])
    assert noted(result, "labels-few", n=3)
    random = np.random.default_rng(0)
    labels = np.array([[5.0], [0.0], [NAN]]) + random.normal(size=(3, 20))
    some = ma.Scores.from_arrays({"judge": random.normal(size=(3, 20))}, {"human": labels})
    assert "significantly ahead of 1 of the 2 others." in str(ma.estimate(some))


def test_two_labels_have_a_wide_interval_and_no_worth():
    judge = np.arange(100.0)[None] % 2
    scores = ma.Scores.from_arrays({"judge": judge}, {"human": np.where(np.arange(100) < 2, judge, NAN)})
    result = ma.estimate(scores, method="ppi")
    assert math.isnan(result.table[0].worth)
    assert result.table[0].high - result.table[0].low > 0.8
    assert noted(result, "labels-not-claimed", n=2)
    assert not noted(result, "labels-constant")
    assert not noted(result, "labels-worth")
