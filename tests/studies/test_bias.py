from __future__ import annotations

import dataclasses
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError
from metassay.report.formats import to_text
from metassay.stats.vote_orders import two_orders

from .conftest import noted

DATA = Path(__file__).parents[2].parent / "shared" / "data"
WORDS = np.array(["alpha", "beta", "gamma", "delta"])


@pytest.fixture(scope="module")
def judged():
    return ma.read(str(files("metassay.data") / "judge.csv"), people=["verdict=verdict_*", "grade=grade_*"])


def only(result, feature):
    (row,) = (row for row in result.table if row.feature == feature)
    return row


def biased_scores(systems=6, inputs=150, seed=0, **gains):
    """Make grades of people and of a judge who also likes length, lists, or the systems of one maker."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=(systems, inputs)) + random.normal(size=inputs)
    lengths = random.integers(50, 400, size=quality.shape)
    lists = random.random(quality.shape) < 0.4
    own = np.arange(systems) < 2
    people = 3 + quality + 0.3 * random.normal(size=quality.shape)
    judge = 3 + quality + 0.3 * random.normal(size=quality.shape) + gains.get("shift", 0.0)
    judge += gains.get("words", 0.0) * lengths / 100 + gains.get("list", 0.0) * lists
    judge += gains.get("own", 0.0) * own[:, None]
    rows = [
        {
            "system": f"{'acme' if own[s] else 'other'}-{s}",
            "input": f"i{i:03}",
            "answer": ("- " if lists[s, i] else "") + " ".join(WORDS[random.integers(4, size=lengths[s, i])]),
            "human_quality": people[s, i],
            "acme-judge": judge[s, i],
        }
        for s in range(systems)
        for i in range(inputs)
    ]
    import pandas as pd

    return ma.Scores.from_frame(pd.DataFrame(rows), human="human_quality", family_of=["acme=acme-*", "others=other-*"])


def biased_votes(n=600, seed=0, first=0.0, words=0.0, both=True, people=True):
    """Make votes of people, and of a judge who also likes what is shown first, or what is longer."""
    random = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        better = random.random() < 0.5
        sizes = random.integers(30, 90, size=2)
        texts = {f"response_{side}": " ".join(["word"] * size) for side, size in zip("ab", sizes, strict=True)}
        row = {"input": f"q{at}", "model_a": "x", "model_b": "y", **texts}
        if people:
            rows.append({**row, "winner": "model_a" if better else "model_b", "rater": "human", "first": "model_a"})
        for order in ("model_a", "model_b") if both else (("model_a", "model_b")[int(random.integers(2))],):
            p = (0.75 if better else 0.25) + first * (0.5 if order == "model_a" else -0.5)
            p += words * (sizes[0] - sizes[1]) / 10
            rows.append(
                {**row, "winner": "model_a" if random.random() < p else "model_b", "rater": "judge", "first": order}
            )
    import pandas as pd

    return ma.Votes.from_frame(pd.DataFrame(rows))


# -- against other software ------------------------------------------------------------------------


def test_effects_are_those_of_statsmodels(judged):
    # OLS on values less the mean of their question, cov_type="cluster", use_t=True (statsmodels 0.14)
    found = ma.bias(judged, metric="kind-judge-grade", style="category")
    for feature, wanted in STATSMODELS.items():
        row = only(found, feature)
        np.testing.assert_allclose((row.effect, row.low, row.high), wanted, rtol=1e-9)
    assert only(found, "twice as long").p_value == pytest.approx(P_LENGTH, rel=1e-8)
    row = only(ma.bias(judged, metric="kind-judge-grade", hold="covariate"), "twice as long")
    np.testing.assert_allclose((row.effect, row.low, row.high), COVARIATE, rtol=1e-9)
    assert row.held == "covariate"


STATSMODELS = {
    "twice as long": (0.1659316772958464, 0.03393368587991433, 0.2979296687117785),
    "with 10 more words": (0.09736469536275799, 0.008524065418420046, 0.18620532530709594),
    "with category maths": (-0.2704114804186686, -0.46039140098428355, -0.08043155985305364),
}
P_LENGTH = 0.0140987271938709
COVARIATE = (0.1559160884812508, 0.02698474689849642, 0.28484743006400515)


# -- simulated biases ------------------------------------------------------------------------------


def test_a_known_liking_for_length_is_found():
    row = only(ma.bias(biased_scores(words=0.3)), "with 100 more words")
    assert row.low < 0.3 < row.high
    assert row.effect == pytest.approx(0.3, abs=0.05)
    assert row.p_corrected < 0.001
    assert (row.held, row.unit, row.human, row.n_clusters) == ("difference", "points", "human_quality", 150)


def test_styles_and_families_are_told_apart_from_length():
    result = ma.bias(biased_scores(words=0.3, list=0.5, own=-0.4))
    assert only(result, "with a list").effect == pytest.approx(0.5, abs=0.1)
    row = only(result, "of its own family (acme)")
    assert row.low < -0.4 < row.high
    assert row.bias == "family"


def test_a_fair_judge_is_seldom_accused_and_a_shift_is_no_bias():
    p = [row.p_value for seed in range(40) for row in ma.bias(biased_scores(4, 40, seed, shift=1.0)).table]
    assert 0.01 < np.mean(np.array(p) < 0.05) < 0.1


@pytest.mark.slow
def test_the_smallest_detectable_effect_follows_from_how_far_estimates_vary():
    rows = [only(ma.bias(biased_scores(4, 40, 300 + seed)), "with 100 more words") for seed in range(60)]
    spread = np.std([row.effect for row in rows])
    needed = stdtrit(39, 0.975) + stdtrit(39, 0.8)
    assert np.mean([row.detectable for row in rows]) == pytest.approx(needed * spread, rel=0.25)


def test_quality_that_goes_with_length_is_no_bias_at_equal_human_judgment():
    scores = biased_scores(words=0.0)
    lengths = np.array([[len(t.split()) for t in row] for row in scores.attributes["answer"].texts()])
    columns = dict(scores.columns)
    from dataclasses import replace

    for name in columns:  # longer answers are better, and everybody sees it
        columns[name] = replace(columns[name], values=columns[name].values + lengths / 100)
    better = replace(scores, columns=columns)
    assert abs(only(ma.bias(better), "with 100 more words").effect) < 0.05
    alone = ma.bias(better.select(columns=["acme-judge"]))
    assert only(alone, "with 100 more words").effect == pytest.approx(1.0, abs=0.1)
    assert only(alone, "with 100 more words").held == "nothing"
    assert noted(alone, "bias-without-people", metric="acme-judge")


@pytest.mark.parametrize("both", [True, False])
def test_a_known_liking_for_the_first_is_found(both):
    row = only(ma.bias(biased_votes(first=0.3, both=both)), "shown first")
    assert row.low < 0.3 < row.high
    assert row.held == ("orders" if both else "difference")
    assert row.unit == "share"


def test_length_in_votes_is_estimated_beside_position():
    result = ma.bias(biased_votes(first=0.2, words=0.02, both=False, seed=4))
    assert only(result, "shown first").low < 0.2 < only(result, "shown first").high
    row = only(result, "with 10 more words")
    assert row.low < 0.02 < row.high
    assert row.p_value < 0.01


def test_without_people_or_both_orders_nothing_is_held_fixed():
    result = ma.bias(biased_votes(first=0.3, both=False, people=False))
    assert {row.held for row in result.table} == {"nothing"}
    assert all(row.human is None for row in result.table)


# -- grades and repetitions ------------------------------------------------------------------------


def test_use_of_grades(judged):
    result = ma.bias(judged, metric="kind-judge-grade")
    rows = result.grades
    assert [row.grade for row in rows] == ["1", "2", "3", "4", "5"]
    assert sum(row.share_people for row in rows) == pytest.approx(1)
    assert sum(row.share_judge for row in rows) == pytest.approx(1)
    human = judged.matrix("grade")
    here = (human >= 1.5) & (human < 2.5)
    off = (judged.matrix("kind-judge-grade") - human)[here]
    assert rows[1].difference == pytest.approx(off.mean())
    assert rows[1].n_judgments == here.sum()
    assert noted(result, "grades-regress")
    verdicts = ma.bias(judged, metric="kind-judge").grades
    assert [row.grade for row in verdicts] == ["fail", "pass"]


def test_many_scores_are_looked_at_by_fifths():
    rows = ma.bias(biased_scores()).grades
    assert len(rows) == 5
    assert all(row.share_people == pytest.approx(0.2, abs=0.01) for row in rows)


def test_repetitions_of_a_judge():
    random = np.random.default_rng(1)
    truth = random.integers(1, 6, size=(4, 50)).astype(float)
    runs = {f"run{k}": truth + (random.random(truth.shape) < 0.1) for k in range(3)}
    scores = ma.Scores.from_arrays(runs, {"human": truth})
    (row,) = ma.bias(scores, runs="judge=run*").reruns
    assert (row.metric, row.what, row.n_runs, row.n_judgments) == ("judge", "runs", 3, 200)
    values = np.stack(list(runs.values()))
    same = np.mean([values[a] == values[b] for a, b in ((0, 1), (0, 2), (1, 2))])
    assert row.same == pytest.approx(same)
    assert row.low < row.same < row.high
    assert row.spread == pytest.approx(math.sqrt(values.var(axis=0, ddof=1).mean()))
    assert row.shift == pytest.approx(np.ptp(values.mean(axis=(1, 2))))
    assert 0.9 < row.alpha < 1


def test_runs_may_be_an_axis_of_the_judge():
    truth = np.random.default_rng(2).normal(size=(3, 30))
    from metassay.core.scores import Column

    judge = Column("judge", np.stack([truth, truth + 0.5]), "metric", (("annotator", ("1", "2")),))
    people = ma.Scores.from_arrays({"m": truth}, {"human": truth})
    scores = ma.Scores(people.systems, people.inputs, {"judge": judge, "human": people["human"]})
    (row,) = ma.bias(scores).reruns
    assert (row.metric, row.same) == ("judge", 0.0)
    assert row.shift == pytest.approx(0.5)


def test_runs_of_votes_are_compared_whichever_system_a_row_names_first():
    won, keys = ["a", "b"] * 5, [str(at) for at in range(10)]
    turned = ["b" if one == "a" else "a" for one in won[:9]] + ["tie"]
    votes = ma.Votes.from_arrays(
        ["x"] * 10 + ["y"] * 10,
        ["y"] * 10 + ["x"] * 10,
        won + turned,
        inputs=keys * 2,
        raters=["j1"] * 10 + ["j2"] * 10,
    )
    (row,) = ma.bias(votes, runs="j=j*").reruns
    assert (row.same, row.n_judgments) == (0.9, 10)


def test_both_orders_agree_with_the_statistics_of_orders():
    votes = biased_votes(first=0.3)
    (row,) = ma.bias(votes).reruns
    mine = votes.of("judge")
    by_order = [mine.outcome[mine.first == order][np.argsort(mine.input[mine.first == order])] for order in (0, 1)]
    found = two_orders(*by_order)
    assert row.same == pytest.approx(found.consistency.value)
    assert row.alpha == pytest.approx(found.kappa, abs=0.15)


# -- real data -------------------------------------------------------------------------------------


@pytest.mark.skipif(not (DATA / "llmbar").exists(), reason="needs LLMBar in the data folder")
def test_consistency_of_llmbar_is_the_published_one():
    result = ma.bias(ma.read_votes(DATA / "llmbar"))
    rows = {row.metric: row for row in result.reruns}
    assert len(rows) == 12
    for judge, row in rows.items():
        published = json.loads((DATA / "llmbar" / "Natural" / "evaluators" / judge / "statistics.json").read_text())
        same, _, n = published["equal"].split(" = ")[0].partition(" / ")
        assert row.same * row.n_judgments == pytest.approx(int(same))
        assert row.n_judgments == int(n)


@pytest.mark.skipif(not (DATA / "pandalm").exists(), reason="needs PandaLM's test set in the data folder")
def test_pandalm_is_hard_on_its_own_family():
    names = ("testset-v1", "pandalm-7b-testset-v1", "gpt-3.5-turbo-testset-v1")
    votes = ma.read_votes(*(DATA / "pandalm" / f"{name}.json" for name in names))
    result = ma.bias(votes, family_of="pandalm=llama*")
    row = only(result, "of its own family (pandalm)")
    assert row.metric == "pandalm"
    assert row.effect == pytest.approx(-0.084, abs=0.001)
    assert row.n_judgments == 999


@pytest.mark.skipif(not (DATA / "alttest").exists(), reason="needs the data of the alternative-annotator test")
def test_gemini_flash_avoids_the_ends_of_the_scale():
    folder = DATA / "alttest" / "cebab_stars"
    scores = ma.read(f"human={folder / 'human_annotations.json'}", f"judge={folder / 'llm_annotations.json'}")
    rows = [row for row in ma.bias(scores, metric="gemini_flash").grades if row.grade in "15"]
    assert sum(row.share_judge for row in rows) == pytest.approx(0.09, abs=0.005)
    assert sum(row.share_people for row in rows) == pytest.approx(0.27, abs=0.005)
    assert rows[0].low > 0.5
    assert rows[1].high < -0.5


def test_grades_that_are_better_when_low():
    values = np.tile([1.0, 2, 3, 4], (3, 10))
    scores = ma.Scores.from_arrays({"judge": values + 1}, {"h": values}, lower_is_better=["judge", "h"])
    rows = ma.bias(scores).grades
    assert [row.grade for row in rows] == ["4", "3", "2", "1"]
    assert [row.difference for row in rows] == [-1, -1, -1, -1]


# -- what is said, and what is wrong ---------------------------------------------------------------


def test_the_answer_is_a_sentence():
    text = str(ma.bias(biased_scores(words=0.3)))
    assert "acme-judge: an output with 100 more words gains 0.29" in text
    assert "points, at equal human judgment (95% CI" in " ".join(text.split())
    assert "own family" in text


def test_scales_that_differ_are_held_by_regression():
    random = np.random.default_rng(3)
    human = random.integers(1, 6, size=(5, 40)).astype(float)
    scores = ma.Scores.from_arrays(
        {"rouge": human / 20 + 0.05 * random.random(human.shape), "style": human % 2}, {"h": human}
    )
    result = ma.bias(scores, metric="rouge", style="style")
    assert {row.held for row in result.table} == {"covariate"}
    assert noted(result, "bias-scales-differ", metric="rouge")
    assert all(math.isnan(row.share_judge) for row in result.grades)


def test_a_feature_that_does_not_vary_has_a_reason(judged):
    scores = ma.Scores.from_arrays({"judge": judged.matrix("kind-judge-grade"), "flat": np.ones((4, 150))})
    result = ma.bias(scores, metric="judge", style="flat")
    (row,) = result.table
    assert math.isnan(row.effect)
    assert row.reason == "constant"
    assert noted(result, "bias-undefined", reason="constant")


def test_json_and_back(judged, tmp_path):
    result = ma.bias(judged, metric="*-grade", style="category")
    result.to_json(tmp_path / "bias.json")
    assert ma.load(tmp_path / "bias.json") == result
    for view in ("table", "grades", "reruns", "rows"):
        assert to_text(result, view=view) is not None


def test_misuse(judged):
    with pytest.raises(UnknownName, match="style"):
        ma.bias(judged, style="colour")
    with pytest.raises(UsageError, match="at most 12 are categories"):
        ma.bias(judged, style="answer")
    with pytest.raises(UsageError, match="JUDGE=FAMILY"):
        ma.bias(judged, own_family="acme")
    with pytest.raises(UnknownName, match="text of outputs"):
        ma.bias(judged, text="reply")
    with pytest.raises(UnknownName, match="NAME_a"):
        ma.bias(biased_votes(50), style="colour")
    labels = np.array([["x", "y", "z"], ["z", "x", "y"]])
    with pytest.raises(DataError, match="no judge gives"):
        ma.bias(ma.Scores.from_arrays({"label": labels}))


# -- in the card of a judge ------------------------------------------------------------------------


def test_the_card_of_a_judge_has_the_same_effects(judged):
    whole = ma.read(str(files("metassay.data") / "judge.csv"))
    card = ma.judge(whole, human="verdict_*", judge="kind-judge", bias=True)
    alone = ma.bias(judged, human="verdict", metric="kind-judge")
    assert [(row.feature, row.effect, row.p_value) for row in card.biases] == [
        (row.feature, row.effect, row.p_value) for row in alone.table
    ]
    assert "twice as long" in " ".join(card.to_text().split())
    assert ma.judge(whole, human="verdict_*", judge="kind-judge").biases == ()


def test_the_card_of_a_judge_who_voted_has_them_too():
    votes = biased_votes(first=0.3)
    card = ma.judge(votes, bias=True)
    assert card.biases == ma.bias(votes).table
    assert "Biases of the judge: gain of an output" in str(card)
    assert "shown first" in str(card)


def test_reruns_are_clustered_as_inputs_are():
    random = np.random.default_rng(1)
    truth = np.repeat(random.integers(0, 2, size=(4, 10)), 5, axis=1).astype(float)
    runs = {f"run{k}": np.where(np.repeat(random.random((4, 10)) < 0.2, 5, axis=1), 1 - truth, truth) for k in range(3)}
    scores = ma.Scores.from_arrays(runs, {"human": truth})
    clusters = {name: f"d{at // 5}" for at, name in enumerate(scores.inputs)}
    (alone,), (together,) = (
        ma.bias(each, runs="judge=run*").reruns for each in (scores, dataclasses.replace(scores, clusters=clusters))
    )
    assert together.same == alone.same
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_few_clusters_have_the_note_of_other_studies():
    few = noted(ma.bias(biased_scores(inputs=12)), "few-clusters", unit="inputs")
    assert [note["n"] for note in few] == [12]
    assert str(few[0]) == "Intervals are based on 12 inputs only; with so few they tend to be too narrow."


def test_position_from_both_orders_needs_no_people_and_grades_count_their_own_votes():
    random = np.random.default_rng(8)
    inputs = [f"i{at}" for at in range(40) for _ in range(2)]
    shown = ["a", "b"] * 40
    won = ["a" if first == "a" and random.random() < 0.8 else "b" for first in shown]
    seen = {"inputs": inputs + inputs[:20:2], "first": [int(each == "b") for each in shown] + [0] * 10}
    raters = ["judge"] * 80 + ["anna"] * 10
    votes = ma.Votes.from_arrays(
        ["x"] * 90, ["y"] * 90, won + ["a"] * 6 + ["b"] * 4, raters=raters, human="anna", **seen
    )
    found = ma.bias(votes)
    position = next(row for row in found.table if row.bias == "position")
    assert (position.held, position.n_judgments, position.n_clusters) == ("orders", 80, 40)
    assert {row.grade: row.n_judgments for row in found.grades} == {"A": 6, "tie": 0, "B": 4}


def test_few_inputs_give_a_reason_and_no_interval():
    result = ma.bias(biased_scores(systems=6, inputs=4), text="answer")
    assert {(row.reason, math.isnan(row.effect), math.isnan(row.high)) for row in result.table} == {("few", True, True)}
    assert all(math.isnan(row.low) for row in result.grades)
    assert "too few inputs, of which 5 are needed" in " ".join(str(result).split())


def test_a_judge_that_always_takes_the_first_is_significant_though_nothing_varies():
    keys = [str(at // 2) for at in range(20)]
    result = ma.bias(ma.Votes.from_arrays(["x", "y"] * 10, ["y", "x"] * 10, ["a"] * 20, inputs=keys, first=[0] * 20))
    (row,) = result.table
    assert (row.effect, row.low, row.high, row.p_value) == (1, 1, 1, 2**-9)  # the sign test on 10 inputs
    assert [note.code for note in result.notes if note.code in ("bias-found", "bias-none")] == ["bias-found"]


def test_a_judge_called_after_a_criterion_is_held_against_that_one():
    random = np.random.default_rng(2)
    people = {name: random.integers(1, 6, (4, 20)).astype(float) for name in ("fluency", "relevance")}
    judges = {f"predicted_{name}": values + random.normal(0, 0.3, (4, 20)) for name, values in people.items()}
    scores = ma.Scores.from_arrays({**judges, "kindness": random.normal(3, 1, (4, 20))}, people)
    pairs = {(row.metric, row.human) for row in ma.bias(scores).grades}
    assert {pair for pair in pairs if pair[0] != "kindness"} == {(f"predicted_{name}", name) for name in people}
    assert len(pairs) == 4


def test_outputs_without_text_are_counted(tmp_path):
    """An empty output has no length, which is said; so has one on either side of a vote."""
    text = {(s, n): "" if (s, n) in {("a", 2), ("b", 3)} else f"{s} " * (n + 2) for s in "abc" for n in range(8)}
    lines = [f"{s},d{n},{said},{n % 5},{(n + len(said)) % 5}" for (s, n), said in text.items()]
    path = tmp_path / "outputs.csv"
    path.write_text("system,doc_id,output,human,judge\n" + "\n".join(lines) + "\n")
    scores = ma.read(path)
    for result in (ma.bias(scores, human="human"), ma.agree(scores, human="human", sentinels=True, level="global")):
        (note,) = [note for note in result.notes if note.code == "outputs-without-text"]
        assert dict(note.facts) == {"n": 2, "of": 24}
    votes = ["id,model_a,model_b,response_a,response_b,winner,judge"]
    votes += [f"q{n},x,y,{'' if n == 1 else 'some words'},other words {n},model_{'ab'[n % 2]},gpt-4" for n in range(6)]
    path.write_text("\n".join(votes) + "\n")
    (note,) = [note for note in ma.bias(ma.read_votes(path)).notes if note.code == "votes-without-text"]
    assert dict(note.facts) == {"n": 1, "of": 6}
