"""The judge card: numbers by hand and by scikit-learn's formulas, published tests, and data that say little."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.core.column import Attribute
from metassay.core.scores import Scores
from metassay.errors import DataError, UnknownName, UsageError
from metassay.studies.judge_failures import is_worse

EPSILON = {"wax": 0.1, "lgbteen": 0.2, "mtbench": 0.2, "cebab_stars": 0.1}


@pytest.fixture(scope="module")
def example():
    return ma.example("judge")


@pytest.fixture(scope="module")
def card(example):
    return ma.judge(example, human="verdict_*", judge="*-judge")


def codes(card):
    return [note.code for note in card.notes]


def flat(judge, human, **more):
    """Return scores without systems of one judge and people, of labels or numbers."""
    people = np.asarray(human)[:, None] if np.ndim(human) > 1 else [human]
    return Scores.from_arrays({"judge": [judge]}, {"human": people}, systems=["(no systems)"], **more)


def test_numbers_are_those_of_the_columns(example, card):
    people = np.stack([example[f"verdict_{who}"].values for who in ("anna", "ben", "chloe")]).reshape(3, -1)
    judge = example["strict-judge"].values.ravel()
    votes = np.nansum(people, axis=0) / (~np.isnan(people)).sum(axis=0)
    clear = votes != 0.5
    hits = judge[clear] == (votes[clear] > 0.5)
    row = card.table[0]
    assert (row.judge, row.human, row.statistic, row.n_items) == ("strict-judge", "verdict", "accuracy", clear.sum())
    assert row.estimate == pytest.approx(hits.mean(), abs=1e-12)
    pooled = [judge[~np.isnan(p)] == p[~np.isnan(p)] for p in people]
    assert row.single == pytest.approx(np.concatenate(pooled).mean(), abs=1e-12)
    pairs = [(people[a] == people[b])[~np.isnan(people[a] + people[b])] for a, b in ((0, 1), (0, 2), (1, 2))]
    assert row.people == pytest.approx(np.concatenate(pairs).mean(), abs=1e-12)
    assert row.bias == pytest.approx((judge[clear] - (votes[clear] > 0.5)).mean(), abs=1e-12)
    table = {(r.label_human, r.label_judge): r.n for r in card.confusion if r.judge == "strict-judge"}
    assert sum(table.values()) == clear.sum()
    assert table["pass", "fail"] == ((judge == 0) & (votes > 0.5))[clear].sum()


def test_statistics_are_scikit_learns(example, card):
    metrics = pytest.importorskip("sklearn.metrics")
    truth = next(c for c in [example])
    people = np.stack([truth[f"verdict_{who}"].values for who in ("anna", "ben", "chloe")]).reshape(3, -1)
    votes = np.nansum(people, axis=0) / (~np.isnan(people)).sum(axis=0)
    clear = votes != 0.5
    z, x = (votes > 0.5)[clear], truth["kind-judge"].values.ravel()[clear]
    found = {r.statistic: r.estimate for r in card.agreement if (r.judge, r.against) == ("kind-judge", "majority")}
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(z, x), abs=1e-12)
    assert found["f1"] == pytest.approx(metrics.f1_score(z, x), abs=1e-12)
    assert found["balanced-accuracy"] == pytest.approx(metrics.balanced_accuracy_score(z, x), abs=1e-12)


def test_it_finds_what_was_built_into_the_example(card):
    worst = next(row for row in card.slices if row.judge == "strict-judge")
    assert (worst.attribute, worst.value) == ("category", "maths")
    assert is_worse(worst)
    assert worst.low < worst.estimate < worst.high < worst.elsewhere
    kind = next(row for row in card.table if row.judge == "kind-judge")
    assert kind.bias_low > 0.03
    assert codes(card)[:4] == ["judge-answer", "judge-beside", "judge-watch-slice", "judge-answer"]
    assert [(row.judge, row.rank_low, row.rank_high) for row in card.ranks] == [
        ("strict-judge", 1, 1),
        ("kind-judge", 2, 2),
    ]
    text = " ".join(card.to_text().split())
    assert text.startswith(
        "strict-judge (verdict) agrees with the majority of the 3 people on 89% (95% CI 86% to 92%) of 595 items"
    )
    assert "Weak slice: for category = maths" in text


def test_all_tables_come_back_from_json(card, tmp_path):
    card.to_json(tmp_path / "card.json")
    assert ma.load(tmp_path / "card.json") == card
    said = json.loads((tmp_path / "card.json").read_text())
    wanted = {"agreement", "people", "confusion", "threshold", "slices", "disagreements", "alternative_annotators"}
    assert wanted <= said["tables"].keys()
    row = said["tables"]["alternative_annotators"][0]
    assert {"judge", "epsilon", "winning_rate", "advantage", "passed", "n_people", "n_items"} <= row.keys()


def test_worst_disagreements_are_clear_cases_with_their_texts(example, card):
    rows = [row for row in card.disagreements if row.judge == "strict-judge"]
    assert len(rows) == 20
    assert all(row.said_judge != row.said_people and row.gap == 1 for row in rows)
    first = rows[0]
    at = example.systems.index(first.system), example.inputs.index(first.input)
    assert dict(first.texts)["answer"] == str(example.attributes["answer"].texts()[at])
    assert ma.judge(example, human="verdict_*", judge="strict-judge", worst=0).disagreements == ()


def test_texts_of_disagreements_stay_apart(tmp_path):
    scores = flat([1, 0] * 10, [0, 1] * 10)
    labels = tuple(f"a | b: c, {name} | d" for name in scores.inputs)
    answer = Attribute("answer", "input", np.arange(20, dtype=np.int32), labels)
    card = ma.judge(replace(scores, attributes={"answer": answer}), human="human", judge="judge")
    assert card.disagreements[0].texts == (("answer", f"a | b: c, {card.disagreements[0].input} | d"),)
    card.to_json(tmp_path / "card.json")
    assert ma.load(tmp_path / "card.json") == card
    assert "a | b: c" in card.to_text(view="disagreements")
    line = next(csv.DictReader(card.to_csv(rows="disagreements").splitlines()))
    assert json.loads(line["texts"]) == [list(pair) for pair in card.disagreements[0].texts]


@pytest.mark.parametrize("name", EPSILON)
def test_published_rows_of_the_alternative_annotator_test(name, shared_data):
    folder = shared_data / "alttest" / name
    scores = ma.read(f"human={folder}/human_annotations.json", f"judge={folder}/llm_annotations.json")
    rows = {row.judge: row for row in ma.judge(scores, epsilon=EPSILON[name]).alternative_annotators}
    reference = json.loads((shared_data.parent / "reference" / "alttest.json").read_text())["rows"]
    for row in (row for row in reference if row["data"] == name):
        found = rows[row["judge"]]
        assert round(found.winning_rate, 2) == row["winning_rate"]
        assert round(found.advantage, 2) == pytest.approx(row["advantage"])
        assert found.passed == row["passed"]
        assert found.passes_if_worse <= found.passes_if_equal + 0.05


def test_grades_are_compared_with_the_mean_of_people(example):
    card = ma.judge(example, human="grade_*", judge="*-grade")
    people = np.stack([example[f"grade_{who}"].values for who in ("anna", "ben", "chloe")]).reshape(3, -1)
    apart = example["kind-judge-grade"].values.ravel() - np.nanmean(people, axis=0)
    row = next(row for row in card.table if row.judge == "kind-judge-grade")
    assert (row.kind, row.statistic) == ("grades", "within-one")
    assert row.bias == pytest.approx(apart.mean(), abs=1e-12)
    assert row.estimate == pytest.approx((np.abs(apart) <= 1 + 1e-9).mean(), abs=1e-12)
    assert {row.statistic for row in card.slices} == {"mae"}
    assert card.disagreements[0].gap == max(r.gap for r in card.disagreements if r.judge == card.disagreements[0].judge)


def test_scores_get_a_threshold_and_probabilities_a_calibration():
    random = np.random.default_rng(5)
    truth = random.integers(0, 2, 600)
    said = np.clip(0.5 + 0.3 * (2 * truth - 1) + 0.3 * random.normal(size=600), 0, 1)
    scores = flat(said, truth)
    card = ma.judge(scores, human="human", judge="judge", cut="precision", target=0.95)
    assert card.table[0].kind == "scores"
    chosen = [row for row in card.threshold if row.chosen]
    (cut,) = card.operating
    assert len(chosen) == 1
    assert chosen[0].precision >= 0.95
    assert chosen[0].threshold == cut.threshold
    assert 0.85 < cut.precision <= 1
    assert cut.threshold_low <= cut.threshold <= cut.threshold_high
    assert sum(row.n_items for row in card.calibration) == 600
    assert {"auc", "brier", "ece"} <= {row.statistic for row in card.agreement}
    never = ma.judge(flat(random.random(600), truth), human="human", judge="judge", cut="precision", target=0.999)
    assert "judge-target-unreached" in codes(never)
    assert math.isnan(never.operating[0].threshold)


def test_probabilities_outside_zero_to_one_are_told():
    random = np.random.default_rng(5)
    truth = random.integers(0, 2, 100)
    said = np.clip(truth + 0.4 * random.normal(size=100), 0, 1)
    said[3] = 1.2
    card = ma.judge(flat(said, truth), human="human", judge="judge")
    assert card.calibration == ()
    assert "one score lies outside 0 to 1, such as 1.2" in " ".join(map(str, card.notes))
    with pytest.raises(DataError, match=r"Brier score needs probabilities between 0 and 1, got 1\.2"):
        ma.judge(flat(said, truth), human="human", judge="judge", statistic="brier")


def test_one_person_says_what_cannot_be_said():
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 80)
    card = ma.judge(flat(np.where(random.random(80) < 0.8, truth, 1 - truth), truth), human="human", judge="judge")
    assert card.people == card.alternative_annotators == ()
    assert math.isnan(card.table[0].people)
    assert card.table[0].passed is None
    assert card.agreement[0].against == "person"
    assert "With one annotator, agreement between people is unknown." in str(card.notes[1])
    assert "judge-one-person" in codes(card)


def test_labels_that_one_side_uses_and_abstentions():
    human = ["pass", "fail"] * 20
    judge = ["pass", "fail"] * 15 + ["unsure", "fail"] * 5
    card = ma.judge(flat(judge, human), human="human", judge="judge")
    assert card.table[0].n_abstained == 5
    assert card.table[0].estimate == 1
    wrong = ma.judge(flat(judge, human), human="human", judge="judge", abstain="wrong")
    assert wrong.table[0].estimate == pytest.approx(35 / 40)
    assert next(r for r in wrong.agreement if r.statistic == "recall").estimate == pytest.approx(15 / 20)
    assert "--abstain wrong counts them as errors" in " ".join(map(str, card.notes))
    other = ma.judge(flat(["pass", "fail", "partial", "fail"] * 10, human), human="human", judge="judge")
    assert ma.judge(flat(["pass"] * 40, human), human="human", judge="judge").table[0].n_items == 40
    note = next(note for note in other.notes if note.code == "labels-judge-only")
    assert note["labels"] == (("judge", ("partial",)),)
    assert {r.label_judge for r in other.confusion} == {"pass", "fail", "partial"}
    several = ma.judge(
        flat(["a", "b", "c", ""] * 10, ["a", "b", "c", "c"] * 10), human="human", judge="judge", abstain="wrong"
    )
    assert several.table[0].estimate <= 1


def test_labels_in_other_words_cannot_be_compared():
    with pytest.raises(DataError, match=r"gives the labels A, B and people the labels C, D; .* as in binary:NO<YES"):
        ma.judge(flat(["A", "B"] * 20, ["C", "D"] * 20), human="human", judge="judge")
    with pytest.raises(DataError, match=r"the judge gives the labels .* and people numbers"):
        ma.judge(flat(["yes", "no"] * 20, [1.0, 2.5] * 20), human="human", judge="judge")


def test_one_label_only():
    card = ma.judge(flat([1, 1, 0] * 20, [1] * 60), human="human", judge="judge")
    assert card.table[0].estimate == pytest.approx(2 / 3)
    assert math.isnan(next(r for r in card.agreement if r.statistic == "ac1").low) or "judge-one-label" in codes(card)
    assert "judge-one-label" in codes(card)
    scored = ma.judge(flat(np.linspace(0, 1, 60), [1] * 60), human="human", judge="judge")
    assert scored.threshold == scored.operating == ()


def test_few_items_rare_labels_and_leaks_are_told():
    random = np.random.default_rng(4)
    few = ma.judge(flat([1, 0, 1, 0] * 3, [1, 0, 0, 0] * 3), human="human", judge="judge")
    assert "judge-few-items" in codes(few)
    rare = np.zeros(400)
    rare[:5] = 1
    card = ma.judge(flat(np.where(random.random(400) < 0.05, 1 - rare, rare), rare), human="human", judge="judge")
    note = next(note for note in card.notes if note.code == "judge-rare-label")
    assert (note["n"], note["items"]) == (5, 400)
    truth = random.integers(0, 2, 50)
    people = np.stack([truth, np.where(random.random(50) < 0.9, truth, 1 - truth)])
    leak = ma.judge(flat(people[0], people), human="human", judge="judge")
    note = next(note for note in leak.notes if note.code == "judge-equals-person")
    assert (note["person"], note["n"]) == ("1", 50)
    assert "judge-equals-person" not in codes(ma.judge(flat(1 - people[0], people), human="human", judge="judge"))


def test_runs_of_a_judge_are_put_together_and_compared():
    random = np.random.default_rng(6)
    truth = random.integers(0, 2, (2, 100)).astype(float)
    runs = np.stack([np.where(random.random((2, 100)) < 0.9, truth, 1 - truth) for _ in range(3)])
    scores = Scores.from_arrays({"judge": runs}, {"human": truth})
    card = ma.judge(scores, human="human", judge="judge")
    (row,) = card.runs
    assert row.n_runs == 3
    assert row.worst <= row.best < card.table[0].estimate
    same = np.mean([(runs[a] == runs[b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))])
    assert row.same == pytest.approx(same)
    assert row.low < same < row.high


def test_clusters_widen_intervals_and_generalising_to_systems_more(example):
    widths = {}
    for over in ("items", "inputs", "both"):
        row = ma.judge(example, human="verdict_*", judge="strict-judge", over=over).table[0]
        widths[over] = row.high - row.low
    assert widths["items"] < widths["inputs"] < widths["both"]
    drawn = ma.judge(example, human="verdict_*", judge="strict-judge", interval="bootstrap", resamples=1000)
    assert drawn.table[0].low == pytest.approx(0.857, abs=0.012)
    assert "k:1000" in str(drawn.signature)


def test_requirements_are_met_or_not(example):
    asked = ["kappa.low>=0.7", "kind-judge:bias.abs<=0.05", "winning_rate>=0.5", "worst_slice>=0.75", "accuracy.n>=100"]
    card = ma.judge(example, human="verdict_*", judge="*-judge", require=asked)
    met = {(row.requirement, row.judge): row.met for row in card.requirements}
    assert met["kappa.low>=0.7", "strict-judge"]
    assert not met["kappa.low>=0.7", "kind-judge"]
    assert ("kind-judge:bias.abs<=0.05", "strict-judge") not in met
    assert not met["kind-judge:bias.abs<=0.05", "kind-judge"]
    assert not met["worst_slice>=0.75", "strict-judge"]
    assert met["worst_slice>=0.75", "kind-judge"]
    with pytest.raises(UsageError, match="a requirement is NAME"):
        ma.judge(example, human="verdict_*", require="kappa is good")
    with pytest.raises(UnknownName, match="unknown number in a requirement: 'kapa'; did you mean 'kappa'"):
        ma.judge(example, human="verdict_*", judge="*-judge", require="kapa>=1")
    one = ma.judge(flat([1, 0] * 20, [1, 0] * 20), human="human", judge="judge", require="winning_rate>=0")
    assert not one.requirements[0].met  # undefined meets nothing


def test_slices_by_attributes_of_all_axes(example):
    card = ma.judge(example, human="verdict_*", judge="strict-judge", slice_by="category,answer")
    assert {row.attribute for row in card.slices} == {"category", "length of answer"}
    assert ma.judge(example, human="verdict_*", judge="strict-judge", slice_by="none").slices == ()
    with pytest.raises(UnknownName, match="unknown attribute 'categry'; did you mean 'category'"):
        ma.judge(example, human="verdict_*", slice_by="categry")
    truth = np.tile([0.0, 1.0], 50)
    scores = flat(truth, truth)
    from dataclasses import replace

    kind = Attribute("kind", "output", (np.arange(100) % 2).astype(np.int32)[None], ("a", "b"))
    found = ma.judge(replace(scores, attributes={"kind": kind}), human="human", judge="judge").slices
    assert [(row.value, row.n_items, row.estimate) for row in found] == [("a", 50, 1.0), ("b", 50, 1.0)]


def test_statistics_that_were_asked_for(example):
    card = ma.judge(example, human="verdict_*", judge="strict-judge", statistic="kappa,ac1")
    assert {row.statistic for row in card.agreement} == {"kappa", "ac1"}
    assert card.table[0].statistic == "kappa"
    assert "Cohen's κ" in str(card.notes[0])
    with pytest.raises(UsageError, match="kendall is not a statistic of labels, grades or probabilities"):
        ma.judge(example, human="verdict_*", statistic="kendall")


def test_the_former_use_warns_and_asks_a_model(example):
    with pytest.warns(DeprecationWarning, match=r"use metassay\.ask_model"):
        made = ma.judge(model="any", criterion="fluency", base_url="http://localhost:1/v1")
    assert made.columns == ("judge_fluency",)
    with pytest.raises(TypeError, match="unexpected keyword argument 'humna'"):
        ma.judge(example, humna="verdict_*")
    with pytest.raises(UsageError, match="expected Scores"):
        ma.judge()


def test_no_judge_and_no_people(example):
    with pytest.raises(UsageError, match="no column is known to hold human judgments"):
        ma.judge(example)
    with pytest.raises(DataError, match="there is no judge beside the human criteria"):
        ma.judge(example, human="verdict_*", judge="verdict_anna")


def test_nothing_in_common_is_one_line():
    gap = np.nan
    with pytest.raises(DataError, match=r"'judge' gave no answer on any of the 2 items that people judged \(human\)"):
        ma.judge(flat([1, 0, gap, gap], [gap, gap, 1, 0]), human="human", judge="judge")
    with pytest.raises(DataError, match="'human' has no judgments"):
        ma.judge(flat([1, 0], [gap, gap]), human="human", judge="judge")


def test_numbers_without_grades_and_ordered_labels():
    random = np.random.default_rng(0)
    people = random.normal(size=(3, 200))
    card = ma.judge(flat(people.mean(0) + random.normal(size=200) / 5, people), human="human", judge="judge")
    assert (card.table[0].kind, card.table[0].statistic) == ("numbers", "mae")
    assert "differs from the mean of the 3 people by" in str(card.notes[0])
    assert card.confusion == ()
    labels = {"judge": [["bad", "ok", "good", "ok"] * 10]}, {"human": [["bad", "ok", "ok", "good"] * 10]}
    scores = Scores.from_arrays(*labels, systems=["(no systems)"], scale={"*": "ordinal:bad<ok<good"})
    found = {row.statistic: row.estimate for row in ma.judge(scores).agreement}
    assert found["within-one"] == 1
    assert found["accuracy"] == 0.5
    binary = ma.judge(flat([1, 0, 1, 0] * 10, [1, 0, 0, 0] * 10), human="human", judge="judge", statistic="auc")
    assert [row.statistic for row in binary.agreement] == ["auc"]


def told(card):
    return " ".join(card.to_text().split())


def of_columns(judges, humans, **more):
    """Return scores without systems of several judges and several human columns."""
    sides = ({name: [values] for name, values in side.items()} for side in (judges, humans))
    return Scores.from_arrays(*sides, systems=["(no systems)"], **more)


def test_human_columns_are_people_only_if_they_are_called_so():
    random = np.random.default_rng(0)
    grades = {n: random.integers(1, 6, 60).astype(float) for n in ("naturalness", "overall", "human_fluency", "r")}
    grades["flip_r"] = grades["r"]
    grades["flip_s"] = random.integers(1, 6, 60).astype(float)
    judged = {"judge": random.integers(1, 6, 60).astype(float)}
    card = ma.judge(of_columns(judged, grades), judge="judge")
    assert [row.human for row in card.table] == [*grades]
    assert {row.n_people for row in card.table} == {1}
    assert "if they are annotators of one criterion, join them with --people" in told(card)
    named = {n: random.integers(1, 6, 60).astype(float) for n in ("rater1", "rater2", "grade_anna", "grade_ben")}
    rows = ma.judge(of_columns(judged, named), judge="judge").table
    assert [(row.human, row.n_people) for row in rows] == [("rater", 2), ("grade", 2)]


def test_criteria_of_unieval_are_not_people(shared_data):
    card = ma.judge(ma.read(shared_data / "unieval" / "topical_chat_result.json"))
    assert {"naturalness", "coherence", "overall"} <= {row.human for row in card.table}
    assert {row.n_people for row in card.table} == {1}
    assert {r.statistic for r in card.table if r.human == "naturalness" and r.judge == "predicted_overall"} == {
        "pearson"
    }
    assert len(card.to_text().splitlines()) < 75


@pytest.mark.parametrize("top", [80, 1])
def test_a_judge_on_another_scale_is_correlated(top):
    random = np.random.default_rng(1)
    people = random.integers(1, 6, (2, 120)).astype(float)
    people[1] = np.clip(people[0] + random.integers(-1, 2, 120), 1, 5)
    said = top * np.clip((people[0] - 1) / 4 + 0.2 * random.normal(size=120), 0, 1)
    card = ma.judge(flat(said, people), human="human", judge="judge")
    (row,) = card.table
    assert (row.kind, row.statistic, row.passed) == ("other-scale", "pearson", None)
    assert row.estimate == pytest.approx(np.corrcoef(said, people.mean(axis=0))[0, 1], abs=1e-9)
    assert 0 < row.low < row.estimate < row.high < 1
    assert math.isnan(row.bias)
    assert card.slices == card.confusion == card.disagreements == card.alternative_annotators == ()
    assert "judge is not on the scale of human; its correlation with the mean of the 2 people is" in told(card)
    assert "within one" not in told(card)
    turned = ma.judge(flat(-said, people, lower_is_better=["judge"]), human="human", judge="judge").table[0]
    assert turned.estimate == pytest.approx(row.estimate)
    lenient = ma.judge(flat(np.full(120, 5.0), people), human="human", judge="judge").table[0]
    assert lenient.kind == "grades"


def test_a_judge_that_says_nothing_is_not_fine():
    random = np.random.default_rng(3)
    truth = random.integers(0, 2, 200)
    chance = ma.judge(flat(random.integers(0, 2, 200), truth), human="human", judge="judge")
    assert "No evidence of agreement beyond chance: κ = " in told(chance)
    numbers = ma.judge(flat(random.normal(size=200), random.normal(size=200)), human="human", judge="judge")
    assert "No evidence of agreement beyond chance: Pearson" in told(numbers)
    few = ma.judge(flat([1, 0] * 10, [1, 0] * 9 + [1, 1]), human="human", judge="judge")
    assert "20 items are too few to find where it fails" in told(few)
    one = ma.judge(flat([1, 1, 1, 0] * 20, [1] * 80), human="human", judge="judge")
    assert "People say 1 for every item" in told(one)
    same = ma.judge(flat([1] * 80, [1, 0] * 40), human="human", judge="judge")
    assert "No evidence of agreement beyond chance" in told(same)
    for card in (chance, numbers, few, one):
        assert "No weak point found" not in told(card)


def test_agreement_with_single_people_is_compared_by_a_paired_interval(example, card):
    strict, kind = card.table
    assert strict.gap == pytest.approx(strict.single - strict.people)
    assert strict.gap_low < 0 < strict.gap_high
    assert kind.gap_high < 0
    assert "84%, not significantly different from the agreement between people (85%)" in told(card)
    assert "80%, less often than people agree with each other (85%), by 5 percentage points [2, 7]" in told(card)
    drawn, rng = [], np.random.default_rng(0)
    people = np.stack([example[f"verdict_{who}"].values for who in ("anna", "ben", "chloe")]).reshape(3, 4, -1)
    judge = example["kind-judge"].values.reshape(4, -1)
    for _ in range(400):
        at = rng.integers(0, 150, 150)
        p, j = people[:, :, at], judge[:, at]
        single = np.nanmean(np.where(np.isnan(p), np.nan, p == j))
        pairs = [np.where(np.isnan(p[a] + p[b]), np.nan, p[a] == p[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
        drawn.append(single - np.nanmean(np.stack(pairs)))
    assert (kind.gap_high - kind.gap_low) / 3.92 == pytest.approx(np.std(drawn), rel=0.15)


def test_the_headline_of_scores_is_of_held_out_items_beside_the_base_rate():
    random = np.random.default_rng(7)
    truth = (random.random(80) < 0.7).astype(float)
    card = ma.judge(flat(random.random(80), truth), human="human", judge="judge")
    (row,) = card.table
    assert row.estimate == pytest.approx(card.operating[0].accuracy)
    assert row.estimate < max(r.accuracy for r in card.threshold)
    assert (row.base, row.base_label) == (pytest.approx(truth.mean()), "1")
    assert f"of 80 held-out items (always 1: {100 * truth.mean():.0f}%)" in told(card)


def test_rare_labels_are_told_by_the_most_frequent_one():
    human = (["Time"] + ["Place", "Person", "Other"] * 33) * 2
    card = ma.judge(flat(human, human), human="human", judge="judge")
    assert "A judge that always said Other would be right on 33% of the items" in told(card)
    assert "never said" not in told(card)


def test_the_answer_says_whether_the_judge_can_stand_in(card):
    test = card.alternative_annotators[0]
    assert test.passed
    assert test.passes_if_worse > 0.9
    answer, _, rest = told(card).partition("Judges against people")
    assert "(85%); it passes the alternative-annotator test (ε = 0.2). Weak slice" in answer
    assert "a judge worse than a person by 0.05 would pass the alternative-annotator test at ε = 0.2 in 100%" in rest
    random = np.random.default_rng(0)
    people = np.tile(random.integers(0, 2, 100), (3, 1))
    bad = ma.judge(flat(1 - people[0], people), human="human", judge="judge", epsilon=0)
    assert "it does not pass the alternative-annotator test (ε = 0)" in told(bad)


def test_notes_of_several_judges_are_one():
    human = ["pass", "fail"] * 20
    judges = {f"judge{k}": ["pass", "fail", "Ignore", "fail"] * 10 for k in range(3)}
    card = ma.judge(of_columns(judges, {"verdict": human}), human="verdict")
    assert told(card).count("(Ignore)") == 1
    assert "labels used by the judge, but never by people: judge0, judge1, judge2 (Ignore)." in told(card)
    lower = ma.judge(flat([1.0, 2, 3, 4] * 20, [2.0, 3, 4, 5] * 20), human="human", judge="judge")
    assert "it grades lower than people do, by 1" in told(lower)
    assert "by -" not in told(lower)
    few = ma.judge(flat([1.0], [1.0]), human="human", judge="judge")
    assert "1 items" not in told(few)
    people = np.random.default_rng(0).normal(size=(3, 50))
    assert "3 people, who differ from each other by" in told(ma.judge(flat(people[0], people), judge="judge"))


@pytest.mark.parametrize(("low", "high"), [("FALSE", "TRUE"), ("n", "y")])
@pytest.mark.parametrize("human", [[1.0, 0], ["yes", "no"]])
def test_two_labels_in_other_words_are_compared_low_to_low(low, high, human):
    card = ma.judge(flat([high, low, high, high] * 10, human * 20), human="human", judge="judge")
    assert card.table[0].estimate == 0.75
    assert card.table[0].bias == 0.25
    assert f"{low} = " in told(card)
    scale = {"human": "binary:1<0", "judge": f"binary:{low}<{high}"}
    if human[0] == 1.0:
        assert ma.judge(flat([high, low] * 20, human * 20, scale=scale), judge="judge").table[0].estimate == 0


def test_a_requirement_is_about_the_number_that_it_names(example):
    names = ("accuracy", "kappa", "bias", "estimate", "single", "people", "worst_slice")
    asked = [f"{name}.{field}>=0" for name in names for field in ("estimate", "low", "high")]
    asked += [f"{name}.n>=0" for name in ("accuracy", "kappa", "bias", "estimate", "worst_slice", "abstained")]
    asked += ["bias.abs>=0", "winning_rate>=0", "advantage>=0", "abstained>=0"]
    card = ma.judge(example, human="verdict_*", judge="kind-judge", require=asked)
    found = {row.requirement.removesuffix(">=0"): row.value for row in card.requirements}
    row, test = card.table[0], card.alternative_annotators[0]
    accuracy = next(r for r in card.agreement if (r.statistic, r.against) == ("accuracy", "majority"))
    worst = min(card.slices, key=lambda r: r.estimate)
    for name, source in (("accuracy", accuracy), ("worst_slice", worst), ("estimate", row)):
        wanted = [source.estimate, source.low, source.high, source.n_items]
        assert [found[f"{name}.{field}"] for field in ("estimate", "low", "high", "n")] == wanted
    for name in ("kappa", "bias", "single", "people"):
        wanted = [getattr(row, f"{name}{end}") for end in ("", "_low", "_high")]
        assert [found[f"{name}.{field}"] for field in ("estimate", "low", "high")] == pytest.approx(wanted)
    assert found["kappa.n"] == found["bias.n"] == row.n_items
    assert (found["winning_rate"], found["advantage"]) == (test.winning_rate, test.advantage)
    assert found["bias.abs"] == pytest.approx(abs(row.bias))
    assert found["abstained.n"] == row.n_abstained
    assert found["abstained"] == row.n_abstained / (row.n_items + row.n_abstained)


@pytest.mark.parametrize(
    "asked",
    [
        *(f"{name}.{field}" for name in ("winning_rate", "advantage") for field in ("low", "high", "abs", "n")),
        *(f"{name}.{field}" for name in ("single", "people") for field in ("abs", "n")),
        *(f"abstained.{field}" for field in ("low", "high", "abs")),
        "worst_slice.abs",
    ],
)
def test_fields_that_a_number_has_not_are_refused(example, asked):
    with pytest.raises(UsageError, match=rf"a requirement cannot use {asked}; \w+ has estimate"):
        ma.judge(example, human="verdict_*", judge="kind-judge", worst=0, require=f"{asked}>=0")


def test_a_requirement_is_never_about_single_people_instead(example):
    with pytest.raises(UnknownName, match="number in a requirement: 'accuracy'"):
        ma.judge(example, human="grade_*", judge="kind-judge-grade", require="accuracy>=0.5")


def test_one_item_says_why_there_is_no_correlation():
    card = ma.judge(ma.Scores.from_arrays({"judge": [[4.0]]}, {"human": [[3.0]]}))
    told = " ".join(str(card).split())
    assert "Agreement beyond chance is undefined: Pearson needs several items with different scores." in told


def test_rows_of_an_item_are_people_or_runs():
    random = np.random.default_rng(4)
    says = np.where(random.random((3, 1, 60)) < 0.5, "pass", "fail")
    once = np.repeat(says[:1], 3, axis=0)
    names = {"systems": ["(no systems)"]}
    people = ma.judge(Scores.from_arrays({"judge": once}, {"human": says}, **names), human="human")
    assert people.table[0].n_people == 3
    assert not people.runs
    runs = ma.judge(Scores.from_arrays({"judge": says}, {"human": once}, **names), human="human")
    assert (runs.table[0].n_people, runs.runs[0].n_runs) == (1, 3)
    assert "treated as the judgment of one person, and the rows (1, 2, 3) as runs of judge" in told(runs)


def test_a_judge_that_equals_a_person_is_no_good_news():
    random = np.random.default_rng(5)
    people = random.integers(0, 2, (3, 60))
    card = ma.judge(flat(people[0], people), human="human", judge="judge")
    assert codes(card)[2] == "judge-watch-leak"


def test_disagreements_take_systems_in_turn(card):
    first = [row.system for row in card.disagreements if row.judge == "strict-judge"]
    assert {*first[:8]} == {"amber", "birch", "cedar", "drift"}
