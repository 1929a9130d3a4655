"""SacreROUGE, SummEval and REALSumm, on made-up files and on the published ones."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import metassay as ma
from metassay.errors import Contradiction

CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def row(instance, summarizer, metrics, kind="peer"):
    return {"instance_id": instance, "summarizer_id": summarizer, "summarizer_type": kind, "metrics": metrics}


def test_nested_names_join_and_lists_are_annotators(make):
    scores = ma.read(
        make(
            "m.jsonl",
            [
                row(
                    "d1",
                    "M0",
                    {"rouge-1": {"f1": 0.5, "deep": {"er": 1}}, "expert": {"fluency": [1, 2, None]}},
                ),
                row("d1", "A", {"rouge-1": {"f1": 0.7}, "overall_responsiveness": 4}, "reference"),
            ],
        )
    )
    assert list(scores.columns) == [
        "rouge-1_f1",
        "rouge-1_deep_er",
        "expert_fluency",
        "overall_responsiveness",
    ]
    assert scores.humans == ("expert_fluency", "overall_responsiveness")
    assert scores["expert_fluency"].axes == (("annotator", ("1", "2", "3")),)
    assert scores["expert_fluency"].values[:, 1, 0].tolist()[:2] == [1, 2]
    assert dict(scores.groups) == {"A": "reference", "M0": "peer"}
    assert scores.without_references().systems == ("M0",)


def test_a_summarizer_of_two_types_is_a_contradiction(make):
    path = make("m.jsonl", [row("d1", "A", {"x": 1}), row("d2", "A", {"x": 1}, "reference")])
    with pytest.raises(Contradiction, match="the group of system 'A'"):
        ma.read(path)


def test_summeval_annotations_agree_in_name_with_sacrerouge(make):
    annotations = [dict.fromkeys(CRITERIA, mark) for mark in (1, 2, 3)]
    native = {
        "id": "d",
        "model_id": "M1",
        "decoded": "…",
        "expert_annotations": annotations,
        "turker_annotations": [],
    }
    ours = ma.read(make("s.jsonl", [native]))
    theirs = ma.read(make("h.jsonl", [row("d", "M1", {"expert": {c: [1, 2, 3] for c in CRITERIA}})]))
    assert ours.sources == (("s.jsonl", "summeval"),)
    assert ours.attributes["decoded"].labels == ("…",)
    assert set(ours.humans) == {f"expert_{c}" for c in CRITERIA}
    for name in ours.humans:
        np.testing.assert_array_equal(ours[name].values, theirs[name].values)


def test_published_summeval(shared_data):
    scores = ma.read(*sorted((shared_data / "summeval" / "scores").glob("*.jsonl")))
    assert scores.shape == (16, 100)
    assert scores.systems[:3] == ("M0", "M1", "M2")
    assert len(scores.sources) == 9
    assert set(scores.humans) == {f"{who}_{c}" for who in ("expert", "turker") for c in CRITERIA}
    assert scores["expert_relevance"].values.shape == (3, 16, 100)
    assert scores["turker_relevance"].values.shape == (5, 16, 100)
    assert "rouge-1_f1" in scores.metrics
    assert not any(np.isnan(column.values).any() for column in scores.columns.values())
    line = json.loads((shared_data / "summeval" / "scores" / "qaeval.jsonl").read_text().splitlines()[777])
    at = scores.systems.index(line["summarizer_id"]), scores.inputs.index(line["instance_id"])
    assert scores["qa-eval_f1"].values[at] == line["metrics"]["qa-eval"]["f1"]


def test_published_summeval_in_both_forms_is_the_same(shared_data):
    native = ma.read(shared_data / "summeval" / "model_annotations.aligned.paired.jsonl")
    sacrerouge = ma.read(shared_data / "summeval" / "scores" / "human.jsonl")
    assert (native.systems, native.inputs) == (sacrerouge.systems, sacrerouge.inputs)
    for name in native.columns:
        np.testing.assert_array_equal(native[name].values, sacrerouge[name].values)


def test_published_realsumm(shared_data):
    folder = shared_data / "realsumm"
    scores = ma.read(folder / "scores")
    pickles = ma.read(folder / "scores_dicts")
    assert scores.shape == pickles.shape == (24, 100)
    assert scores.systems == pickles.systems
    assert scores.inputs == pickles.inputs
    assert scores.humans == pickles.humans == ("litepyramid_recall",)
    for ours, theirs in (
        ("litepyramid_recall", "litepyramid_recall"),
        ("rouge-2_recall", "rouge_2_recall"),
        ("js-2", "js-2"),
    ):
        np.testing.assert_allclose(scores[ours].values, pickles[theirs].values, rtol=1e-12)
    assert ma.read(folder / "scores", folder / "scores_dicts").shape == (24, 100)


def test_published_tac(shared_data):
    scores = ma.read(shared_data / "tac2008" / "scores")
    assert scores.shape == (80, 48)
    assert Counter(scores.groups.values()) == {"peer": 72, "reference": 8}
    assert scores.humans == ()
    assert scores.without_references().shape == (72, 48)
    person = scores.systems.index("A")
    assert np.isnan(scores["METEOR_jk"].values[person]).sum() == 24  # people wrote half of the inputs
    assert np.isnan(scores["METEOR"].values[person]).all()  # and were not compared with themselves
