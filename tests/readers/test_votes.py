"""Files of votes in the spellings that people use."""

from __future__ import annotations

import json

import pytest

import metassay as ma
from metassay.errors import DataError, FormatError, UsageError


def test_left_and_right(make):
    path = make(
        "v.csv", "prompt,worker,winner,left,right\n1,7,left,a,b\n1,8,tie,a,b\n2,7,right,b,c\n2,9,,a,c\n3,9,left,c,c\n"
    )
    votes = ma.read_votes(path)
    assert (votes.systems, votes.inputs, votes.humans) == (("a", "b", "c"), ("1", "2"), ("7", "8"))
    assert votes.winner.tolist() == [0, 2, 1]
    assert votes.first.tolist() == [0, 0, 0]
    assert {note.code: note["n"] for note in votes.notes} == {"votes-without-winner": 1, "votes-against-itself": 1}
    assert all("excluded" in str(note) for note in votes.notes)
    assert votes.sources == (("v.csv", "votes"),)
    with pytest.raises(FormatError, match="the file holds votes, each for one of two outputs, and no scores"):
        ma.read(path)


def test_arena_and_mt_bench(make):
    rows = [
        {"question_id": 81, "model_a": "x", "model_b": "y", "winner": "model_b", "judge": "author_2", "turn": 1},
        {
            "question_id": 81,
            "model_a": "x",
            "model_b": "y",
            "winner": "tie (bothbad)",
            "judge": ["gpt-4", "pair"],
            "turn": 2,
        },
    ]
    votes = ma.read_votes(make("arena.jsonl", rows))
    assert votes.raters == ("author_2", "gpt-4/pair")
    assert dict(votes.kinds) == {"author_2": "human", "gpt-4/pair": "metric"}
    assert votes.inputs == ("81:1", "81:2")
    assert votes.winner.tolist() == [1, 3]


def test_both_orders_in_two_columns(make):
    row = {
        "question_id": 1,
        "model_1": "x",
        "model_2": "y",
        "g1_winner": "model_1",
        "g2_winner": "model_2",
        "judge": "gpt-4",
    }
    votes = ma.read_votes(make("pair.jsonl", [row]))
    assert (votes.winner.tolist(), votes.first.tolist()) == ([0, 1], [0, 1])


def test_alpaca_eval(make):
    row = {"instruction": "Say hi", "generator_1": "base", "output_1": "Hi", "generator_2": "new", "output_2": "Hello"}
    rows = [row | {"annotator": "gpt4_turbo", "preference": 1.83}, row | {"annotator": 3, "preference": 1.0}]
    votes = ma.read_votes(make("annotations.json", json.dumps(rows)))
    assert votes.systems == ("base", "new")
    assert votes.winner.tolist() == [1, 0]
    assert dict(votes.kinds) == {"gpt4_turbo": "metric", "3": "human"}
    assert votes.attributes["output_2"].texts().tolist() == ["Hello", "Hello"]


def test_llmbar_with_a_judge_in_both_orders(make, tmp_path):
    row = {"input": "q", "output_1": "a", "output_2": "b", "label": 1}
    make("Natural/dataset.json", json.dumps([row]))
    result = {"swap = False": {"winner": "1"}, "swap = True": {"winner": "2"}}
    make("Natural/evaluators/GPT-4/CoT/result.json", json.dumps([row | {"results": [result]}]))
    make("Natural/evaluators/GPT-4/CoT/statistics.json", "{}")
    votes = ma.read_votes(tmp_path / "Natural")
    assert votes.raters == ("GPT-4/CoT", "gold")
    judge = votes.of("GPT-4/CoT")
    assert (judge.winner.tolist(), judge.first.tolist()) == ([0, 1], [0, 1])
    assert votes.of("gold").winner.tolist() == [0]
    assert votes.inputs == ("1",)


def test_pandalm_with_judges_in_other_files(make):
    pairs = [
        {
            "idx": i,
            "cmp_key": "x-7b_y",
            "response1": "a",
            "response2": "b",
            "annotator1": 1,
            "annotator2": 2,
            "annotator3": 0,
        }
        for i in range(2)
    ]
    judge = [{"idx": i, "gpt_result": said, "gpt_reason": ""} for i, said in enumerate(("1", "garbage"))]
    judged = make("gpt.json", json.dumps(judge))
    votes = ma.read_votes(judged, make("test.json", json.dumps(pairs)))
    assert (votes.humans, votes.judges) == (("annotator1", "annotator2", "annotator3"), ("gpt",))
    assert len(votes) == 7
    assert [note["n"] for note in votes.notes] == [1]
    with pytest.raises(FormatError, match=r"gpt\.json, line 1: the verdict on '0' is about a pair that no file has"):
        ma.read_votes(judged)


def test_roles_and_columns(make):
    text = "model_a,model_b,winner,item\nx,y,a,i\n"
    votes = ma.read_votes(f"human={make('ann.csv', text)}", f"judge={make('gpt.csv', text)}", input_column="item")
    assert dict(votes.kinds) == {"ann": "human", "gpt": "metric"}
    assert votes.inputs == ("i",)


def test_what_holds_no_votes(make, tmp_path):
    with pytest.raises(FormatError, match=r"s\.csv: no votes: expected two columns .*\(found: system, input, m\)"):
        ma.read_votes(make("s.csv", "system,input,m\nA,1,2\n"))
    with pytest.raises(UsageError, match="no file given"):
        ma.read_votes()
    with pytest.raises(UsageError, match="no such file"):
        ma.read_votes("nowhere.csv")
    (tmp_path / "d").mkdir()
    with pytest.raises(DataError, match="holds no votes"):
        ma.read_votes(tmp_path / "d")
    with pytest.raises(FormatError, match=r"v\.csv, line 3: unknown winner in 'winner': 'model_c'"):
        ma.read_votes(make("v.csv", "model_a,model_b,winner\nx,y,model_a\nx,y,model_c\n"))


def test_a_header_without_votes_is_told_with_the_file(make):
    with pytest.raises(DataError, match=r"^there are no votes in v\.csv: there is a header and no row under it$"):
        ma.read_votes(make("v.csv", "model_a,model_b,winner\n"))


@pytest.mark.parametrize("pair", ["A,B", "left,right", "model_a,model_b", "response_a,response_b"])
def test_columns_of_numbers_are_metrics_and_no_candidates(tmp_path, pair):
    from metassay.readers.recognition import holds_votes

    path = tmp_path / "scores.csv"
    path.write_text(f"system,input,human,{pair}\ns,1,0.5,0.4,0.6\nt,1,0.7,0.1,0.9\n")
    assert not holds_votes(str(path))
    assert ma.read(path).shape == (2, 1)
    path.write_text(f"question_id,human,{pair}\n1,3,4,5\n2,2,1,1\n")
    assert not holds_votes(str(path))
    path.write_text(f"question_id,winner,{pair}\n1,{pair.split(',')[0]},4,5\n2,tie,1,3\n")
    assert holds_votes(str(path))  # systems, or outputs, that are numbered


def test_winners_by_number_and_strengths(make):
    header = "question_id,model_1,model_2,winner1,winner2\n"
    votes = ma.read_votes(make("w.csv", header + "1,x,y,model_2,tie\n2,x,y,tie,x\n"))
    assert votes.raters == ("winner1", "winner2")
    rows = [{"prompt": f"p{i}", "response_1": "a", "response_2": "b", "preference_strength": i - 1} for i in range(3)]
    votes = ma.read_votes(make("h.jsonl", "\n".join(map(json.dumps, rows))))
    assert votes.winner.tolist() == [0, 2, 1]
