"""Files as strangers have them: exports of tools, spreadsheets and logs that nobody made for metassay."""

from __future__ import annotations

import json

import numpy as np
import pytest

import metassay as ma
from metassay.errors import Contradiction, DataError, FormatError


def test_a_team_with_a_judge(make):
    rows = "".join(f"T-{i},{bot},Why {i}?,{i % 5},{(i + 1) % 5},fine\n" for i in range(6) for bot in ("v1", "v2"))
    scores = ma.read(make("t.csv", "Ticket ID,Bot,Question,LLM Judge Score,Human Score,Comments\n" + rows))
    assert (scores.systems, scores.shape) == (("v1", "v2"), (2, 6))
    assert scores.metrics == ("LLM Judge Score", "Human Score")
    assert {"Question", "Comments"} <= set(scores.attributes)
    assert "input: Ticket ID" in scores.sources[0].format


def test_objects_in_records_are_columns(make):
    rows = [
        {"id": i, "model": m, "grade": {"score": i, "reason": "so"}, "meta": {"lang": {"code": "en"}}}
        for i in range(4)
        for m in "ab"
    ]
    scores = ma.read(make("g.jsonl", "\n".join(map(json.dumps, rows))))
    assert scores.metrics == ("grade_score",)
    assert {"grade_reason", "meta_lang_code"} <= set(scores.attributes)


def test_the_batch_of_a_crowd(make):
    header = "HITId,WorkerId,Input.doc_id,Input.system,Answer.relevance\n"
    rows = "".join(f"H{i},W{w},d{i},s{s},{1 + (i + s + w) % 5}\n" for i in range(3) for s in range(2) for w in range(2))
    scores = ma.read(make("b.csv", header + rows), human="Answer.relevance")
    assert scores.shape == (2, 3)
    assert scores["Answer.relevance"].labels("annotator") == ("W0", "W1")


def test_questions_name_inputs_where_nothing_else_does(make):
    rows = "".join(f"What is {i}?,\"['one {i}', 'two']\",0.{i}\n" for i in range(4))
    scores = ma.read(make("r.csv", "user_input,retrieved_contexts,faithfulness\n" + rows))
    assert (scores.metrics, scores.shape) == (("faithfulness",), (1, 4))
    assert scores.attributes["retrieved_contexts"].axis == "input"


def test_a_leaderboard_has_scores_of_whole_systems(make):
    scores = ma.read(
        make("l.csv", "model,BLEU,Elo\n" + "".join(f"m{i},{i},{1000 + i}\n" for i in range(5))), human="Elo"
    )
    assert "scores of whole systems" in scores.sources[0].format
    (row,) = ma.agree(scores, level="system").table
    assert (row.estimate, row.n_systems) == (1.0, 5)


def test_ids_and_times_are_no_scores(make):
    rows = "".join(f"{i},s{s},{i + s},{100 + 2 * i + s},170000{i}\n" for i in range(3) for s in range(2))
    scores = ma.read(make("i.csv", "item_id,system,x,annotation_id,timestamp\n" + rows))
    assert scores.metrics == ("x",)


def test_grades_in_words_are_ordered(make):
    words = ["Strongly disagree", "Neutral", "Agree", "Strongly agree"]
    scores = ma.read(make("w.csv", "id,rating\n" + "".join(f"{i},{words[i % 4]}\n" for i in range(8))))
    assert str(scores["rating"].scale) == "ordinal:Strongly disagree<Neutral<Agree<Strongly agree"


def test_promptfoo(make):
    results = [
        {
            **{"promptIdx": p, "testIdx": t, "provider": {"id": "openai:gpt-4o"}, "prompt": {"label": f"p{p}"}},
            **{"vars": {"q": f"why {t}"}, "success": t > 0, "score": t / 4, "namedScores": {"rel": 0.5}},
        }
        for p in range(2)
        for t in range(3)
    ]
    scores = ma.read(make("p.json", json.dumps({"evalId": "e", "results": {"version": 3, "results": results}})))
    assert scores.systems == ("openai:gpt-4o, p0", "openai:gpt-4o, p1")
    assert scores.metrics == ("success", "score", "rel")
    np.testing.assert_array_equal(scores.matrix("score")[0], [0, 0.25, 0.5])


def test_deepeval(make):
    cases = [
        {"name": f"case_{i}", "input": "q", "actualOutput": "a", "metricsData": [{"name": "Faithfulness", "score": i}]}
        for i in range(3)
    ]
    scores = ma.read(make("d.json", json.dumps({"testCases": cases})))
    assert (scores.metrics, scores.inputs) == (("Faithfulness",), ("case_0", "case_1", "case_2"))


def test_label_studio(make):
    def marked(who, rating):
        value = {"from_name": "quality", "type": "rating", "value": {"rating": rating}}
        return {"completed_by": who, "result": [value]}

    tasks = [{"id": i, "data": {"text": "t"}, "annotations": [marked(1, 3), marked(2, i)]} for i in range(1, 4)]
    scores = ma.read(make("s.json", json.dumps(tasks)))
    assert scores.humans == ("quality",)
    assert scores["quality"].labels("annotator") == ("1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# exported\n# by a tool\nsystem,segment,bleu\ns,1,0.5\n", "line 3 looks like the names of the columns"),
        (
            "Model,Item,Fluency,,Adequacy,\n,,Ann,Bob,Ann,Bob\nm,1,2,3,4,5\n",
            "without a name, as merged cells do",
        ),
    ],
)
def test_headers_that_are_not_the_first_line(make, text, message):
    with pytest.raises(FormatError, match=message):
        ma.read(make("h.csv", text))


def test_repeated_rows_are_told_by_the_column_that_tells_them_apart(make):
    rows = [{"question_id": 1, "model": "a", "score": t, "turn": t} for t in (1, 2)]
    with pytest.raises(Contradiction, match=r"rows by 'turn', with --input-column 'question_id,turn'"):
        ma.read(make("m.jsonl", "\n".join(map(json.dumps, rows))))
    with pytest.raises(Contradiction, match=r"use --annotator-column row"):
        ma.read(make("r.csv", "model,item,x\na,1,2\na,1,3\n"))
    same = ma.read(make("s.csv", "model,item,x\na,1,2\na,1,2\n"))
    assert same.shape == (1, 1)


def test_raters_of_votes_that_are_called_like_models_are_judges(make):
    header = "input,model_a,model_b,preference,annotator\n"
    votes = ma.read_votes(
        make("v.csv", header + "".join(f"{i},m1,m2,A,{who}\n" for i in range(3) for who in ("ann", "gpt-4o")))
    )
    assert dict(votes.kinds) == {"gpt-4o": "metric"}  # nothing tells what ann is


def test_an_empty_archive_and_a_log_that_no_memory_holds(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "empty.eval", "w"):
        pass
    with pytest.raises(FormatError, match="the zip archive is empty"):
        ma.read(tmp_path / "empty.eval")
    log = tmp_path / "log.json"
    with log.open("wb") as file:
        file.write(b'{"eval": {\n"model": "m"},\n"samples": [\n')
        file.truncate(2 << 30)  # a hole on the disk
    with pytest.raises(FormatError, match=r"one JSON value of 2.1 GB .*write JSON lines"):
        ma.read(log)


def test_ids_that_a_spreadsheet_made_dates_of_are_told(make):
    rows = "".join(f"{s},{i}-Jan,{i}\n" for s in "AB" for i in (1, 2))
    scores = ma.read(make("d.csv", "system,input,x\n" + rows))
    assert [note["first"] for note in scores.notes if note.code == "labels-dates"] == ["1-Jan"]
    plain = ma.read(make("e.csv", "system,input,x\nA,2024-01-02,1\nB,2024-01-02,2\n"))
    assert not [note for note in plain.notes if note.code == "labels-dates"]


def test_what_each_input_has_once_is_an_attribute_and_no_axis(make):
    header = "seg_id,source,reference,language,model,human_score,bleu\n"
    rows = "".join(f"{i},s {i},r {i % 5},{'ed'[i % 2]},{m},{i % 4},{i}\n" for i in range(8) for m in "ab")
    path = make("m.csv", header + rows)
    scores = ma.read(path)
    assert scores["bleu"].axes == ()
    assert scores.attributes["reference"].labels == tuple(f"r {i}" for i in range(5))
    assert scores.attributes["language"].texts().tolist() == list("edededed")
    assert ma.read(path, select="language=e").shape == ma.read(path, language="e").shape == (2, 4)


def test_languages_that_share_inputs_are_an_axis(make):
    rows = "".join(f"{i},{m},{i},{lang}\n" for i in range(3) for m in "ab" for lang in ("de", "fr"))
    assert ma.read(make("l.csv", "id,model,x,language\n" + rows))["x"].axes == (("language", ("de", "fr")),)


def test_facts_that_differ_between_people_are_no_error(make):
    header = "evaluation_id,case_id,evaluator_id,evaluator_role,clarity,comments\n"
    rows = "".join(f"E{i}{w},c{i},w{w},r{w},{(i + w) % 5},so {w}\n" for i in range(3) for w in range(2))
    scores = ma.read(make("e.csv", header + rows))
    assert scores.metrics == ("clarity",)
    assert scores["clarity"].labels("annotator") == ("w0", "w1")


@pytest.mark.parametrize("name", ["participant_ID", "anonymized_worker_id", "prolific_pid", "_annotator_id"])
def test_people_are_known_by_more_names(make, name):
    rows = "".join(f"K_{i},p{w},{(i + w) % 6}\n" for i in range(3) for w in range(2))
    assert ma.read(make("p.csv", f"SENTENCE_ID,{name},rating\n" + rows))["rating"].labels("annotator") == ("p0", "p1")


def test_one_score_per_row_under_other_names(make):
    rows = "".join(f"{i},w{w},{c},{(i + w) % 5}\n" for i in range(3) for w in range(2) for c in ("apt", "new"))
    scores = ma.read(make("c.csv", "item_id,rater,criterion,rating\n" + rows))
    assert scores.metrics == ("apt", "new")
    assert "metric: criterion, score: rating" in scores.sources[0].format
    wide = ma.read(make("w.csv", "item_id,criterion,rating,judge_label\n1,apt,3,pass\n2,new,4,fail\n"))
    assert wide.metrics == ("rating", "judge_label")


def test_outputs_in_fields_and_judgments_in_lists(make):
    texts = {
        f"d{i}": {"doc": {"n": "x"}} | {f"summary {k}": {"text": "t", "score": k, "model": f"m{k}"} for k in range(3)}
        for i in range(3)
    }
    assert ma.read(make("o.json", json.dumps(texts))).systems == ("m0", "m1", "m2")
    rows = [
        {"id": i, "model_id": m, "annotations": [{"fluency": i, "coherence": k} for k in range(3)]}
        for i in range(3)
        for m in "ab"
    ]
    scores = ma.read(make("a.jsonl", "\n".join(map(json.dumps, rows))))
    assert scores["coherence"].labels("annotator") == ("1", "2", "3")
    rows = [{"reviews": ["r"], "summaries": ["x", "y"], "fl": [[i, 1], [i, 2]], "bleu": [1, i]} for i in range(3)]
    scores = ma.read(make("l.jsonl", "\n".join(map(json.dumps, rows))))
    assert (scores.systems, scores.inputs) == (("system-1", "system-2"), ("1", "2", "3"))
    assert scores["fl"].values[1, 1].tolist() == [2, 2, 2]
    assert scores["bleu"].values[1].tolist() == [0, 1, 2]
    chosen = [{"text": f"t{i}", "_annotator_id": w, "accept": ["good"]} for i in range(3) for w in "xy"]
    scores = ma.read(make("p.jsonl", "\n".join(map(json.dumps, chosen))), human="accept")
    assert scores["accept"].labels("annotator") == ("x", "y")


def test_an_index_without_a_name(make):
    board = make("b.csv", ",win_rate,n\n" + "".join(f"m{i},{i},{2 * i}\n" for i in range(3)))
    with pytest.raises(FormatError, match=r"whole systems with --system-column.*\(found: \(no name\), win_rate, n\)"):
        ma.read(board)
    assert ma.read(board, system_column="(no name)").systems == ("m0", "m1", "m2")
    assert ma.read(make("n.csv", ",item_id,x\n0,a,1\n1,b,2\n")).metrics == ("x",)


def test_columns_of_nothing_and_of_written_answers(make):
    rows = "".join(f"q{i},{i if i % 2 else 'Paris'},{i % 3 or '-'},,\n" for i in range(6))
    scores = ma.read(make("q.csv", "question,answer,grade,tags,human_score\n" + rows), human="human_score")
    assert set(scores.columns) == {"grade", "human_score"}
    assert np.isnan(scores["grade"].values).sum() == 2
    assert "answer" in scores.attributes


def test_systems_that_two_columns_tell_apart(make):
    rows = "".join(f"s {i},{m},{v},{i}{v[1]}\n" for i in range(3) for m in "ab" for v in ("v0", "v1"))
    path = make("v.csv", "source_sentence,model,variant,rating\n" + rows)
    with pytest.raises(Contradiction, match="--system-column 'model,variant'"):
        ma.read(path)
    assert len(ma.read(path, system_column="model,variant").systems) == 4


def test_a_value_that_is_called_like_a_column_is_no_header(make):
    header = "model\tbatch_id\tpair_id\tkey_id\trating\n"
    with pytest.raises(FormatError, match="pair_id, key_id could each name the input"):
        ma.read(make("t.tsv", header + "".join(f"m\t{i}\tp{i}\tno\tcorrect\n" for i in range(4))))


def test_labels_without_an_order_end_no_study_of_others(make):
    rows = "".join(f"{i},{m},{(i + k) % 5},{i % 4},{'XY'[(i + k) % 2]}\n" for i in range(6) for k, m in enumerate("ab"))
    scores = ma.read(make("d.csv", "id,model,human_rating,judge_score,decision\n" + rows), human="human_rating")
    found = ma.agree(scores, level="global")
    assert [row.metric for row in found.table] == ["judge_score"]
    assert [note["metrics"] for note in found.notes if note.code == "metrics-without-order"] == [("decision",)]
    with pytest.raises(DataError, match="holds labels without an order"):
        ma.agree(scores, level="global", metric="decision")
