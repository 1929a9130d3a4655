"""Shapes in which public data sets come, as small files: how they begin, not what they say."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.errors import Contradiction

SYSTEMS = ("bart", "t5", "gpt")


def test_outputs_in_a_list_with_their_models(make):
    """USR's dialogues and UltraFeedback: a record per input."""
    said = {"bart": [1, 0, 1], "t5": [0, 0, 1], "gpt": [1, 1, 1]}
    usr = [
        {
            "context": f"c{n}",
            "fact": "f",
            "responses": [{"response": "r", "model": s, "Natural": said[s]} for s in said],
        }
        for n in range(4)
    ]
    scores = ma.read(make("usr.json", usr))
    assert scores.shape == (3, 4)
    assert scores["Natural"].labels("annotator") == ("1", "2", "3")
    np.testing.assert_allclose(scores.matrix("Natural")[:, 0], [2 / 3, 1, 1 / 3])
    rated = {"helpfulness": {"Rating": "4", "Rationale": "because"}}
    completions = [{"model": s, "response": "r", "annotations": rated, "overall_score": 7} for s in SYSTEMS]
    feedback = [
        {"source": "flan", "instruction": f"do {n}", "models": SYSTEMS, "completions": completions} for n in range(3)
    ]
    scores = ma.read(make("uf.jsonl", feedback))
    assert scores.systems == ("bart", "gpt", "t5")
    assert scores.matrix("annotations_helpfulness_Rating").tolist() == [[4.0] * 3] * 3


def test_outputs_and_annotations_by_system(make):
    """RoSE."""
    rose = [
        {
            "example_id": f"e{n}",
            "system_outputs": {s: f"{s} says {n}" for s in SYSTEMS},
            "annotations": {s: {"acu": at / 4, "normalized_acu": at / 5} for at, s in enumerate(SYSTEMS)},
        }
        for n in range(3)
    ]
    scores = ma.read(make("rose.jsonl", rose))
    assert scores.systems == ("bart", "gpt", "t5")
    assert scores.matrix("annotations_acu")[:, 0].tolist() == [0, 0.5, 0.25]
    assert scores.attributes["system_outputs"].axis == "output"


def test_lists_of_ratings_alone_are_scores(make):
    """FED."""
    rows = [
        {"context": f"User: {n}", "response": "hi", "system": s, "annotations": {"Overall": [3, 4, 2]}}
        for n in range(3)
        for s in SYSTEMS
    ]
    assert ma.read(make("fed.json", rows)).matrix("annotations_Overall").tolist() == [[3.0] * 3] * 3


def test_people_who_are_not_named_are_rows(make):
    """Newsroom: three rows per output, and nothing tells whose they are."""
    lines = [f"{n},{s},{3 + k}" for n in range(3) for s in SYSTEMS for k in range(3)]
    path = make("newsroom.csv", "ArticleID,System,CoherenceRating\n" + "\n".join(lines) + "\n")
    with pytest.raises(Contradiction, match="people who are not named gave them, say --annotator-column row"):
        ma.read(path)
    scores = ma.read(path, annotator_column="row")
    assert scores["CoherenceRating"].labels("annotator") == ("1", "2", "3")
    assert scores.matrix("CoherenceRating").tolist() == [[4.0] * 3] * 3


def test_yes_no_and_unsure_are_labels_whatever_the_column_is_called(make):
    """SEAHORSE."""
    said = ("Yes", "No", "Unsure")
    lines = [f"doc-{n}\t{s}\tsummary {n}\t{said[(n + at) % 3]}" for n in range(6) for at, s in enumerate(SYSTEMS)]
    scores = ma.read(make("sea.tsv", "gem_id\tmodel\tsummary\tquestion1\n" + "\n".join(lines) + "\n"))
    assert scores["question1"].scale.kind == "binary"


def test_pairs_of_languages_share_sources(make):
    """The tables of WMT on the hub: lp, src, mt, ref, score, system."""
    lines = [f"{lp},src {n},mt {s},{-n},{s}" for lp in ("en-de", "en-ru") for n in range(3) for s in SYSTEMS]
    path = make("wmt.csv", "lp,src,mt,score,system\n" + "\n".join(lines) + "\n")
    assert ma.read(path)["score"].labels("language") == ("en-de", "en-ru")
    assert ma.read(path, language="en-ru").shape == (3, 3)


@pytest.mark.parametrize(
    ("text", "winners"),
    [
        (
            "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,x,y,0,1,0\n3,y,x,0,0,1\n",
            [0, 1, 2],
        ),
        ("pair_id,response_A,response_B,label\n1,p,q,A>B\n2,p,q,B>A\n3,p,q,A=B\n", [0, 1, 2]),
        ("id,prompt,chosen_model,rejected_model\n1,p,x,y\n2,q,y,x\n", [0, 0]),
    ],
    ids=["marks of the arena on Kaggle", "JudgeBench", "RewardBench"],
)
def test_winners_in_further_spellings(make, text, winners):
    assert ma.read_votes(make("v.csv", text)).winner.tolist() == winners


def test_users_of_an_arena_are_people(make):
    votes = ma.read_votes(make("v.csv", "question_id,model_a,model_b,winner,judge\n1,x,y,model_a,arena_user_7\n"))
    assert votes.humans == ("arena_user_7",)
