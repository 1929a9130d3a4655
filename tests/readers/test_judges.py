"""Formats of model judges and of evaluation harnesses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.core.scales import Scale
from metassay.errors import FormatError


def test_g_eval_and_unieval(make):
    rows = [
        {"doc_id": "d", "system_id": "M1", "scores": {"coherence": 3}, "predict_scores": {"coherence": 0.5}},
        {
            "doc_id": "d",
            "system_id": "M2",
            "scores": {"coherence": 4.5},
            "all_responses": ["4", " 5 because", "hm"],
        },
    ]
    scores = ma.read(make("gpt4_coh.json", json.dumps(rows, indent=1)))
    assert scores.sources == (("gpt4_coh.json", "g-eval"),)
    assert scores.humans == ("coherence",)
    assert scores["predicted_coherence"].values[0, 0] == 0.5
    np.testing.assert_array_equal(scores["gpt4_coh"].values, [[np.nan], [4.5]])


def test_mteb_summeval_numbers_systems_by_position(make):
    rows = [
        {
            "id": "d",
            "machine_summaries": ["a", "b"],
            "human_summaries": ["x"],
            "relevance": [1, 2.5],
            "fluency": [3, 4],
        }
    ]
    scores = ma.read(make("test.jsonl", rows))
    assert scores.sources == (("test.jsonl", "mteb-summeval"),)
    assert scores.systems == ("system-1", "system-2")
    assert scores["relevance"].values.tolist() == [[1], [2.5]]
    rows[0]["fluency"] = [3]
    with pytest.raises(FormatError, match="line 1: the field 'fluency' must be a list of 2 numbers"):
        ma.read(make("test.jsonl", rows))


def test_lm_eval_samples(make):
    row = {
        "doc_id": 3,
        "doc": {},
        "target": "x",
        "resps": [],
        "filtered_resps": [],
        "metrics": ["acc"],
        "acc": 1.0,
    }
    rows = [row | {"filter": "none"}, row | {"filter": "strict", "acc": False}]
    scores = ma.read(make("my__model/samples_gsm8k_2024-05-01T12-00-00.123.jsonl", rows))
    assert scores.systems == ("my__model",)
    assert scores.inputs == ("gsm8k:3",)
    assert {name: column.values[0, 0] for name, column in scores.columns.items()} == {
        "acc": 1,
        "acc_strict": 0,
    }
    with pytest.raises(FormatError, match="the field 'f1' is missing, although 'metrics' names it"):
        ma.read(make("m/samples_x.jsonl", [row | {"filter": "none", "metrics": ["f1"]}]))


def test_inspect_log(make):
    def sample(key, value, epoch=1):
        return {"id": key, "epoch": epoch, "scores": {"match": {"value": value}}}

    log = {
        "eval": {"model": "m/x"},
        "samples": [sample("a", "C"), sample("b", "P"), sample("c", "N"), sample("d", 0.25)],
    }
    scores = ma.read(make("log.json", json.dumps(log)))
    assert scores.sources == (("log.json", "inspect"),)
    assert scores.systems == ("m/x",)
    assert scores["match"].values.tolist() == [[1, 0.5, 0, 0.25]]
    log["samples"] = [sample("a", float("nan")), sample("a", {"x": 1, "y": "I"}, 2)]
    scores = ma.read(make("log.json", json.dumps(log)))
    assert scores.inputs == ("a (epoch 1)", "a (epoch 2)")
    assert scores["match_y"].values[0, 1] == 0
    log["samples"] = [sample("a", "maybe"), sample("b", "no"), sample("c", "maybe")]
    worded = ma.read(make("log.json", json.dumps(log)))["match"]
    assert worded.scale == Scale("nominal", ("maybe", "no"))
    assert worded.decoded().tolist() == [["maybe", "no", "maybe"]]


def test_judge_bench(make):
    content = {
        "dataset": "cola",
        "annotations": [{"metric": "grade", "category": "graded"}],
        "instances": [
            {"id": 1, "annotations": {"grade": {"mean_human": 2, "individual_human_scores": [1, 3]}}},
            {
                "id": 2,
                "annotations": {
                    "grade": {"individual_human_scores": [2, None]},
                    "kind": {"majority_human": "yes"},
                },
            },
            {"id": 3, "annotations": {"overall": {"mean_human": 2.5}}},
        ],
    }
    scores = ma.read(make("cola.json", json.dumps(content, indent=2)))
    assert scores.sources == (("cola.json", "judge-bench"),)
    assert scores.notes == ()
    assert not scores.has_systems
    assert scores["kind"].decoded().tolist() == [[None, "yes", None]]
    assert scores["grade"].axes == (("annotator", ("1", "2")),)
    assert scores["overall"].values[0].tolist()[2] == 2.5
    assert scores.humans == ("grade", "kind", "overall")


def test_alt_test_of_people_and_judges(make):
    people = make("people.json", json.dumps({"ann": {"i1": 1, "i2": 0}, "bob": {"i1": 1}}))
    judges = make("judges.json", json.dumps({"gpt": {"i1": 1, "i2": 1}}))
    human = ma.read(people)
    assert human.sources == (("people.json", "alt-test"),)
    assert human["label"].labels("annotator") == ("ann", "bob")
    both = human.merge(ma.read(judges, format="alt-test-judges"))
    assert both.metrics == ("gpt",)
    assert both.inputs == ("i1", "i2")
    roles = ma.read(f"human={people}", f"judge={judges}")
    assert roles.columns == both.columns
    with pytest.raises(ma.UsageError, match="use human=FILE and judge=FILE"):
        ma.read(people, judges)


def test_labels_of_people_and_judges_share_their_codes(make):
    people = make("people.json", json.dumps({"ann": {"i1": "yes", "i2": "no"}, "bob": {"i1": "no", "i2": "no"}}))
    judges = make("judges.json", json.dumps({"gpt": {"i1": "Yes", "i2": "no"}}))
    scores = ma.read(f"human={people}", f"judge={judges}")
    assert scores["label"].scale == scores["gpt"].scale == Scale("binary", ("no", "yes"))
    np.testing.assert_array_equal(scores.matrix("label"), [[0.5, 0]])
    np.testing.assert_array_equal(scores.codes("label"), [[np.nan, 0]])
    assert scores.codes("gpt").tolist() == [[1, 0]]


def test_judge_bench_says_how_much_it_leaves_out(make):
    graded = {"id": 1, "annotations": {"grade": {"mean_human": 2}}}
    empty = [{"id": 4, "annotations": {}}, {"id": 5, "annotations": {"grade": {"individual_human_scores": [None]}}}]
    content = {"annotations": [], "instances": [graded, *empty]}
    scores = ma.read(make("cola.json", json.dumps(content)))
    assert scores.sources == (("cola.json", "judge-bench"),)
    assert scores.notes == (Note.of("instances-without-judgment", file="cola.json", n=2, instances=3),)
