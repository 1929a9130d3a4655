"""What the library hands out can be pickled, copied deeply, compared and used as a key."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import metassay as ma
from metassay.core.equality import same
from metassay.core.note import Note
from metassay.core.signature import Signature
from metassay.core.texts import Texts

WAYS = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "pickle-2": lambda value: pickle.loads(pickle.dumps(value, protocol=2)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}

TEXTS = Texts(
    outputs={("a", "1"): "Ann saw Bob in Paris.", ("b", "1"): "Bob was seen.", ("a", "2"): "Two dogs ran away."},
    references={"1": ("Ann saw Bob.", "She saw him."), "2": ("The dogs ran.",)},
    sources={"1": "Ann went to Paris. Ann saw Bob."},
    groups={"b": "reference"},
    language="en",
    provenance=("texts.jsonl (tidy)",),
)

VOTES = ma.Votes.from_arrays(
    *("xxyyzx", "yyxzxz", "abaaba"), inputs=[*"112233"], raters=["p", "j", "p", "j", "p", "j"], human="p"
)
FEW = {"human": "relevance", "metric": "synthetic-judge,synthetic-embedding", "seed": 1}
STUDIES = {
    "agree": lambda s: ma.agree(s, resamples=20, **FEW),
    "agree-fisher": lambda s: ma.agree(s, interval="fisher", **FEW),
    "compare": lambda s: ma.compare(s, resamples=20, **FEW),
    "pairs": lambda s: ma.pairs(s, resamples=20, **FEW),
    "criteria": lambda s: ma.criteria(s, metric=FEW["metric"], resamples=20),
    "decisions": lambda s: ma.decisions(s, resamples=20, **FEW),
    "difficulty": lambda s: ma.difficulty(s, human="relevance", metric=FEW["metric"]),
    "normality": lambda s: ma.normality(s),
    "reliability": lambda s: ma.reliability(s, resamples=20, **FEW),
    "composite": lambda s: ma.composite(s, resamples=20, folds=3, **FEW),
    "differences": lambda s: ma.differences(s, resamples=20, **FEW),
    "precision": lambda s: ma.precision(s, annotated=20, resamples=20, **FEW),
    "profile": lambda s: ma.profile(s, human="relevance"),
    "stability": lambda s: ma.stability(s, draws=20, **FEW),
    "survive": lambda s: ma.survive(s, by="metric", resamples=20, **FEW),
    "systems": lambda s: ma.systems(s, metric="synthetic-judge", test="paired-t"),
    "widths": lambda s: ma.widths(s, annotated=20, resamples=20, **FEW),
    "leaderboard": lambda s: ma.leaderboard(s, statistic="pearson@system", **FEW),
    "look": lambda s: ma.look(s),
    "bias": lambda s: ma.bias(s, human="relevance", metric=FEW["metric"], style="synthetic-overlap"),
    "drift": lambda s: ma.drift(s, by="metric", metric=FEW["metric"]),
    "estimate": lambda s: ma.estimate(s, annotated=10, **FEW),
    "judge": lambda s: ma.judge(s, human="relevance", judge="synthetic-judge"),
    "judge-votes": lambda _: ma.judge_votes(VOTES),
    "plan": lambda s: ma.plan(s, trials=50, **FEW),
    "plan-labels": lambda s: ma.plan_labels(s, trials=5, **FEW),
    "rank": lambda _: ma.rank(VOTES, resamples=20),
    "simulate-coverage": lambda s: ma.simulate_coverage(s, trials=4, resamples=20, **FEW),
    "simulate-power": lambda s: ma.simulate_power(s, noise=2, trials=4, resamples=19, **FEW),
    "simulate-size": lambda s: ma.simulate_size(population="equal: system bias 1", test="williams", trials=20),
    "corrupt": lambda _: ma.corrupt(TEXTS, "lemmatize"),
    "reproduce": lambda _: ma.reproduce(only="rankel-2011"),
    "metrics": lambda _: ma.metrics(),
}


@pytest.fixture(scope="module")
def example():
    return ma.example()


@pytest.mark.parametrize("way", WAYS)
def test_scores_come_back_equal_and_read_only(example, way):
    scores = replace(example, groups={example.systems[0]: "reference"}, notes=(Note.of("outputs-empty", n=1),))
    again = WAYS[way](scores)
    assert again == scores
    assert hash(again) == hash(scores)
    assert again["relevance"] == scores["relevance"]
    assert again["relevance"].labels("annotator") == scores["relevance"].labels("annotator")
    assert again.notes == (Note.of("outputs-empty", n=1),)
    assert np.isnan(again["synthetic-embedding"].values).any()
    with pytest.raises(ValueError, match="read-only"):
        again["relevance"].values[0] = 0
    with pytest.raises(TypeError):
        again.groups["x"] = "y"
    options = {"human": "relevance", "level": "system", "resamples": 50}
    assert ma.agree(again, **options) == ma.agree(scores, **options)


def test_scores_that_differ_in_anything_are_not_equal(example):
    column = example["synthetic-judge"]
    moved = column.values.copy()
    moved[3, 4] += 1e-12
    for changed in (
        example.select(systems=example.systems[1:]),
        example.select(columns="relevance"),
        example.declare(lower_is_better="synthetic-judge"),
        replace(example, columns=dict(example.columns) | {column.name: replace(column, values=moved)}),
        replace(example, groups={example.systems[0]: "peer"}),
        replace(example, sources=("elsewhere.csv (tidy)",)),
    ):
        assert changed != example
    assert example != "scores"
    assert column != replace(column, kind="human")


@pytest.mark.parametrize("way", WAYS)
def test_texts_and_signatures_come_back_equal(way):
    again = WAYS[way](TEXTS)
    assert again == TEXTS
    assert hash(again) == hash(TEXTS)
    assert list(again.items()) == list(TEXTS.items())
    with pytest.raises(TypeError):
        again.outputs["a", "1"] = ""
    assert replace(TEXTS, language="de") != TEXTS
    assert replace(TEXTS, references={"1": ("Ann saw Bob.",)}) != TEXTS
    signature = Signature.of("agree", level=["system"], seed=0)
    assert WAYS[way](signature) == signature
    assert {signature, WAYS[way](signature)} == {signature}


@pytest.mark.parametrize("study", STUDIES)
def test_results_come_back_equal(example, study):
    scores = example.select(inputs=example.inputs[:24])
    result = STUDIES[study](scores)
    shown = str(result)
    for make in WAYS.values():
        again = make(result)
        assert again == result
        assert hash(again) == hash(result)
        assert str(again) == shown
        assert again.to_json() == result.to_json()
    assert STUDIES[study](scores) == result
    assert replace(result, notes=(*result.notes, Note.of("outputs-empty", n=1))) != result
    assert replace(result, table=tuple(result.table)[1:]) != result


def test_nan_equals_nan_and_nothing_else():
    nan = float("nan")
    assert same(nan, float("nan"))
    assert not same(nan, 0.0)
    assert same({"a": [nan, (1, np.array([nan, 2.0]))]}, {"a": [float("nan"), (1, np.array([nan, 2.0]))]})
    assert not same((1,), [1])
    assert not same({"a": 1}, {"b": 1})
    assert same(np.array(["x"]), np.array(["x"]))
    assert not same(np.array([1.0]), np.array([[1.0]]))
