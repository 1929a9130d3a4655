"""Shapes in which public data sets come, as small files: how they begin, not what they say."""

from __future__ import annotations

import json

import numpy as np
import pytest

import metassay as ma
from metassay.errors import Contradiction, DataError, FormatError

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
    with pytest.raises(Contradiction, match="they are ratings of unnamed annotators, use --annotator-column row"):
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


def test_games_of_a_model_and_a_baseline(make):
    """Arena-Hard: the model is B in the first game and A in the second."""
    verdicts = [("A>>B", "A>B"), ("B>A", "B>>A"), ("A=B", "B=A"), ("A>B", None)]
    games = [
        {"question_id": f"q{n}", "model": "m", "judge": "gpt-4", "games": [{"score": s, "judgment": "…"} for s in said]}
        for n, said in enumerate(verdicts)
    ]
    votes = ma.read_votes(make("games.jsonl", games))
    assert votes.systems == ("baseline", "m")
    assert votes.raters == ("gpt-4",)
    won = [
        "tie" if winner == 2 else votes.systems[(votes.a, votes.b)[winner][at]]
        for at, winner in enumerate(votes.winner)
    ]
    asked = [votes.inputs[at] for at in votes.input]
    by = {(q, int(first)): who for q, first, who in zip(asked, votes.first, won, strict=True)}
    assert by == {
        ("q0", 0): "baseline", ("q0", 1): "m", ("q1", 0): "m", ("q1", 1): "baseline",
        ("q2", 0): "tie", ("q2", 1): "tie", ("q3", 0): "baseline",
    }  # fmt: skip
    assert [note.code for note in votes.notes] == ["votes-without-winner"]
    named = ma.read_votes(make("v2.jsonl", [{**one, "baseline": "o3-mini"} for one in games]))
    assert named.systems == ("m", "o3-mini")


def comparison(n, choice):
    """A comparison of two summaries, as OpenAI's."""
    pair = [{"text": f"a{n}", "policy": "ref", "note": None}, {"text": f"b{n}", "policy": "sup4", "note": None}]
    about = {"info": {"id": f"t{n}", "post": "p"}, "extra": {"confidence": 8}}
    return {**about, "summaries": pair, "choice": choice, "worker": f"w{n % 2}", "split": "train"}


def test_the_place_of_the_chosen_summary(make, tmp_path):
    """Comparisons of summarize-from-feedback, as JSON lines and as Parquet."""
    rows = [comparison(n, n % 2) for n in range(4)]
    votes = ma.read_votes(make("comparisons.jsonl", rows))
    assert (votes.systems, votes.inputs) == (("ref", "sup4"), ("t0", "t1", "t2", "t3"))
    assert votes.winner.tolist() == [0, 1, 0, 1]
    assert set(votes.humans) == {"w0", "w1"}
    assert votes.attributes["text_b"].labels == ("b0", "b1", "b2", "b3")
    with pytest.raises(FormatError, match=r"line 3: unknown winner .*'choice 2'"):
        ma.read_votes(make("from-one.jsonl", [comparison(n, at) for n, at in enumerate((1, 1, 2))]))
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "comparisons.parquet")
    assert ma.read_votes(tmp_path / "comparisons.parquet").winner.tolist() == [0, 1, 0, 1]


def test_judgments_of_people_on_parts(make):
    """QAGS: sentences of a summary, each with answers of people."""
    said = {0: "yes", 8: "no", 3: "yes"}
    part = {"sentence": "s", "responses": [{"worker_id": who, "response": word} for who, word in said.items()]}
    rows = [{"article": f"article {n}", "summary_sentences": [part] * (n + 1)} for n in range(3)]
    scores = ma.read(make("mturk.jsonl", rows))
    assert scores.inputs == ("1:1", "2:1", "2:2", "3:1", "3:2", "3:3")
    assert scores["response"].scale.labels == ("no", "yes")
    assert scores["response"].labels("annotator") == ("0", "3", "8")
    assert scores.attributes["article"].axis == "input"


def test_axes_of_a_summary(make):
    """Axis evaluations of summarize-from-feedback, and HelpSteer, which has no systems."""
    rows = [
        {"info": {"id": f"d{n}"}, "summary": {"text": f"{s} {n}", "policy": s, "axes": {"overall": n + 1}}, "worker": w}
        for n in range(3)
        for s in SYSTEMS
        for w in ("ann", "bob")
    ]
    scores = ma.read(make("axes.jsonl", rows))
    assert (scores.shape, scores["summary_axes_overall"].labels("annotator")) == ((3, 3), ("ann", "bob"))
    rated = [{"prompt": f"p{n // 2}", "response": f"r{n}", "helpfulness": n % 5} for n in range(6)]
    with pytest.raises(DataError, match="--input-column row"):
        ma.read(make("helpsteer.jsonl", rated))
    scores = ma.read(make("helpsteer.jsonl", rated), input_column="row", cluster_by="prompt")
    assert len(scores.inputs) == 6
    assert len(set(scores.clusters.values())) == 3


def test_records_by_key(make):
    """BiGGen-Bench's evaluations, and OpenMEVA's stories by system."""
    rubric = {"criteria": "Does it plan?", "score1_description": "No."}
    evals = {
        f"plan_{n}": {
            "id": f"plan_{n}",
            "instance_idx": n,
            "score_rubric": rubric,
            "response_model_name": "m",
            "score": n,
        }
        for n in range(3)
    }
    scores = ma.read(make("evals.json", json.dumps(evals).encode()))
    assert (scores.systems, scores.inputs) == (("m",), ("plan_0", "plan_1", "plan_2"))
    assert scores.metrics == ("score",)
    stories = {
        str(n): {"prompt": "p", "gen": {s: {"text": f"{s} {n}", "score": [n, n + 1]} for s in SYSTEMS}}
        for n in range(3)
    }
    scores = ma.read(make("mags.json", json.dumps(stories, indent=1).encode()))
    assert (scores.systems, scores.inputs) == (("bart", "gpt", "t5"), ("0", "1", "2"))
    assert scores["score"].labels("annotator") == ("1", "2")


def test_lists_that_are_not_read_are_told(make):
    """PRISM's conversations, and the log of OpenAI's evals."""
    history = [{"role": "user", "content": "hi"}, {"role": "model", "model_name": "m", "score": 80}]
    rows = [{"conversation_id": f"c{n}", "conversation_history": history, "values": n} for n in range(3)]
    (note,) = [note for note in ma.read(make("talks.jsonl", rows)).notes if note.code == "objects-unread"]
    assert note.facts["column"] == "conversation_history"
    with pytest.raises(FormatError, match=r"log of OpenAI's evals.*grep"):
        ma.read(make("evals.jsonl", [{"spec": {"eval_name": "x"}}, {"sample_id": "s", "type": "match"}]))


def test_years_and_numbers_of_annotators_are_no_scores(make):
    """WMT's direct assessments on the hub: no systems, and a row per translation."""
    rows = [
        {"lp": "en-de", "src": f"s{n // 2}", "mt": f"t{n}", "ref": "r", "raw": n, "annotators": 2, "year": 2020}
        for n in range(6)
    ]
    scores = ma.read(make("da.jsonl", rows), input_column="row")
    assert (scores.metrics, len(scores.inputs)) == (("raw",), 6)


def test_systems_are_fields_of_a_record(make):
    """OpinSummEval: what two people said of each system beside scores, and a file of outputs with one score."""
    people = {"annot1": {"asp_rel": 2.0}, "annot2": {"asp_rel": 5.0}}
    rows = [{**{s: {"R1_F1": n / 10, "chrF": 0.1, **people} for s in SYSTEMS}, "case": n} for n in range(1, 4)]
    texts = [
        {
            "summ": "a reference",
            "case": n,
            "model_output": {s: {"model_summ": f"{s} {n}", "ter": 90.0} for s in SYSTEMS},
        }
        for n in range(1, 4)
    ]
    scores = ma.read(make("scores.jsonl", rows), make("ter.jsonl", texts))
    assert (scores.systems, scores.inputs) == (("bart", "gpt", "t5"), ("1", "2", "3"))
    assert scores["asp_rel"].labels("annotator") == ("1", "2")
    assert scores.matrix("asp_rel").tolist() == [[3.5] * 3] * 3
    assert scores["ter"].labels("annotator") == scores["R1_F1"].labels("annotator") == ()
    assert scores.attributes["model_summ"].axis == "output"


def argilla():
    """Records of Argilla's second version."""
    return [
        {
            "id": f"r{n}",
            "fields": {"prompt": f"say {n}", "response": f"I say {n}"},
            "metadata": {"model": SYSTEMS[n % 3]},
            "suggestions": {"rating": {"value": n % 5 + 1, "score": 0.5, "agent": "judge"}},
            "responses": {"rating": [{"value": (n + at) % 5 + 1, "user_id": who} for at, who in enumerate("ab")]},
            "vectors": {},
            "_server_id": "x",
        }
        for n in range(6)
    ]


def flattened(record):
    """The same as Argilla writes it for the hub."""
    said = record["responses"]["rating"]
    return {
        "id": record["id"],
        **record["fields"],
        **record["metadata"],
        "rating.responses": [one["value"] for one in said],
        "rating.responses.users": [one["user_id"] for one in said],
        "rating.responses.status": ["submitted"] * len(said),
        "rating.suggestion": record["suggestions"]["rating"]["value"],
        "rating.suggestion.agent": "judge",
        "rating.suggestion.score": 0.5,
    }


def first_version(record):
    """The same as the first version has it; what a user discarded does not count."""
    said = [
        {"user_id": one["user_id"], "values": {"rating": {"value": one["value"]}}, "status": "submitted"}
        for one in record["responses"]["rating"]
    ]
    said.append({"user_id": "z", "values": {"rating": {"value": 1}}, "status": "discarded"})
    suggested = [{"question_name": "rating", "value": record["suggestions"]["rating"]["value"], "agent": "judge"}]
    return {**record, "responses": said, "suggestions": suggested}


def of_the_hub(record):
    """The same as the first version wrote it for the hub."""
    said = [{**one, "status": "submitted"} for one in record["responses"]["rating"]]
    own = {"rating": said, "rating-suggestion": record["suggestions"]["rating"]["value"]}
    about = {"rating-suggestion-metadata": {"agent": "judge"}}
    return {"id": record["id"], **record["fields"], **record["metadata"], **own, **about}


@pytest.mark.parametrize("form", [dict, flattened, first_version, of_the_hub])
def test_answers_of_users(make, form):
    """Argilla: answers of users are human, and suggestions are of no person."""
    scores = ma.read(make("records.json", [form(one) for one in argilla()]))
    assert (scores.systems, scores["rating"].labels("annotator")) == (("bart", "gpt", "t5"), ("a", "b"))
    assert scores["judge:rating"].labels("annotator") == ()
    assert np.nansum(scores["judge:rating"].values) == sum(n % 5 + 1 for n in range(6))
    assert np.nansum(scores["rating"].values) == sum((n + at) % 5 + 1 for n in range(6) for at in range(2))
    assert scores.metrics == ("judge:rating", "rating")


def test_answers_of_users_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table.from_pylist([flattened(one) for one in argilla()])
    parquet.write_table(table, tmp_path / "r.parquet")
    assert ma.read(tmp_path / "r.parquet")["rating"].labels("annotator") == ("a", "b")


def test_what_no_person_said_has_no_annotators(make):
    """Scores of an output beside a list of what people said of it."""
    rows = [
        {"id": f"d{n}", "model": s, "bleu": n / 10, "annotations": [{"worker": w, "grade": n} for w in "ab"]}
        for n in range(3)
        for s in SYSTEMS
    ]
    scores = ma.read(make("said.jsonl", rows))
    assert (scores["bleu"].labels("annotator"), scores["grade"].labels("annotator")) == ((), ("a", "b"))


TABLE = [{"system": s, "doc_id": f"d{n}", "bleu": n / 10, "grade": n} for s in SYSTEMS for n in range(3)]


@pytest.mark.parametrize(
    "document",
    [
        {name: {str(at): row[name] for at, row in enumerate(TABLE)} for name in TABLE[0]},
        {name: [row[name] for row in TABLE] for name in TABLE[0]},
        {"columns": list(TABLE[0]), "index": list(range(9)), "data": [list(row.values()) for row in TABLE]},
        {"schema": {"primaryKey": ["index"]}, "data": [{"index": at, **row} for at, row in enumerate(TABLE)]},
        {str(at): row for at, row in enumerate(TABLE)},
        {"results": TABLE},
    ],
    ids=["columns", "lists", "split", "table", "index", "in a field"],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_data_frames_as_json(make, document, indent):
    """As pandas writes them, on one line or on many."""
    scores = ma.read(make("frame.json", json.dumps(document, indent=indent).encode()))
    assert (scores.shape, scores.metrics) == ((3, 3), ("bleu", "grade"))
    assert scores.matrix("bleu").tolist() == [[0.0, 0.1, 0.2]] * 3


def test_objects_by_key_are_said(make):
    """Systems, inputs and metrics by their keys: nothing is guessed."""
    by_system = {s: {f"d{n}": {"bleu": n / 10, "grade": n} for n in range(3)} for s in SYSTEMS}
    path = make("keys.json", json.dumps(by_system).encode())
    with pytest.raises(FormatError, match="--system-column key --input-column key2"):
        ma.read(path)
    scores = ma.read(path, system_column="key", input_column="key2")
    assert scores.matrix("bleu").tolist() == [[0.0, 0.1, 0.2]] * 3
    by_metric = {m: {s: {f"d{n}": n for n in range(3)} for s in SYSTEMS} for m in ("bleu", "grade")}
    path = make("metrics.json", json.dumps(by_metric).encode())
    assert ma.read(path, system_column="key2", input_column="key3").metrics == ("bleu", "grade")
    path = make("board.json", json.dumps({s: {"rouge1": 0.1, "human": 3} for s in SYSTEMS}).encode())
    with pytest.raises(FormatError, match="--system-column key"):
        ma.read(path)
    assert ma.read(path, system_column="key").systems == ("bart", "gpt", "t5")


def test_rows_that_r_numbers(make):
    """R's write.table: rows have a number for which the header has no name."""
    lines = ['"system" "doc_id" "bleu"', *(f'"{n + 1}" "a" "d{n}" 0.{n}' for n in range(3))]
    scores = ma.read(make("r.txt", "\n".join(lines) + "\n"))
    assert (scores.systems, scores.inputs, scores.metrics) == (("a",), ("d0", "d1", "d2"), ("bleu",))
    with pytest.raises(FormatError, match="has 4 fields and the header 3"):
        ma.read(make("r.txt", "\n".join([*lines, '"9" "a" "d9" 0.9']) + "\n"))


def test_the_batch_that_mechanical_turk_writes(make):
    """Rows lack the last two columns; the type of a task is no input, and times and counts are no scores."""
    head = "HITId,HITTypeId,MaxAssignments,WorkerId,AcceptTime,WorkTimeInSeconds,Input.model_type,Input.dialogue"
    rows = [f"h{d}{s},t,5,w{w},Sun,{w},{s},talk {d},{w + 2}" for d in range(2) for s in SYSTEMS for w in range(2)]
    scores = ma.read(make("batch.csv", f"{head},Answer.Fluency,Approve,Reject\n" + "\n".join(rows) + "\n"))
    assert (scores.shape, scores.metrics) == ((3, 2), ("Answer.Fluency",))
    assert scores["Answer.Fluency"].labels("annotator") == ("w0", "w1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",bleu,bleu,grade,grade\nsystem,a,b,a,b\ndoc_id,,,,\nd0,1,2,3,4\n", r"df\.stack\(level=1\)"),
        ("system,doc_id,,value\na,d0,bleu,1\n", "column 3 has no name"),
    ],
)
def test_headers_of_indexes_with_levels(make, text, message):
    with pytest.raises(FormatError, match=message):
        ma.read(make("levels.csv", text))
