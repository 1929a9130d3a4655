"""Tables as people have them: columns by mapping and by guess, data without systems, roles of files."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.core.scales import Scale
from metassay.errors import Contradiction, DataError, FormatError, UnknownName, UsageError

JUDGE = (
    "item_id,model,category,prompt,human_label,judge_label\n"
    "1,a,faq,How?,pass,pass\n2,a,bill,Why?,fail,pass\n1,b,faq,How?,pass,pass\n2,b,bill,Why?,fail,fail\n"
)


def test_a_judges_table_is_read_as_it_is(make):
    scores = ma.read(make("j.csv", JUDGE), human="human_label")
    assert scores.sources == (("j.csv", "wide CSV, system: model, input: item_id"),)
    assert scores.systems == ("a", "b")
    assert (scores.humans, scores.metrics) == (("human_label",), ("judge_label",))
    assert scores["judge_label"].scale == Scale("binary", ("fail", "pass"))
    assert {name: each.axis for name, each in scores.attributes.items()} == {"category": "input", "prompt": "input"}


@pytest.mark.parametrize(
    "header", ["System,Input", "MODEL,Doc ID", "system_id,question_id", "model-name,segment", "llm,id"]
)
def test_common_names_are_understood(make, header):
    scores = ma.read(make("w.csv", f"{header},bleu\nA,1,0.5\nB,1,0.25\n"))
    assert (scores.systems, scores.inputs, scores.metrics) == (("A", "B"), ("1",), ("bleu",))


def test_two_names_that_fit_are_never_guessed_between(make):
    path = make("w.csv", "model,system_id,doc_id,bleu\nA,x,1,0.5\nB,y,1,0.25\n")
    with pytest.raises(
        FormatError, match="the columns model, system_id could each name the system; choose one with --sys"
    ):
        ma.read(path)
    scores = ma.read(path, system_column="model", ignore="system_id")
    assert scores.systems == ("A", "B")
    assert not scores.attributes
    assert ma.read(path, system_column="model,system_id").systems == ("A:x", "B:y")
    with pytest.raises(UnknownName, match=r"unknown column of systems in .*w\.csv: 'modell'; did you mean 'model'"):
        ma.read(path, system_column="modell")
    with pytest.raises(UsageError, match="exclude each other"):
        ma.read(path, system_column="model", no_systems=True)


def test_columns_are_joined_and_raters_named(make):
    rows = "".join(f"d,{turn},m,{who},{turn + len(who)}\n" for turn in (1, 2) for who in ("ann", "rob"))
    path = make("w.csv", "doc_id,turn,model,who,grade\n" + rows)
    scores = ma.read(path, input_column="doc_id,turn", annotator_column="who", human="grade")
    assert scores.inputs == ("d:1", "d:2")
    assert scores["grade"].labels("annotator") == ("ann", "rob")
    with pytest.raises(Contradiction, match=r"rows by 'turn', with --input-column 'doc_id,turn'"):
        ma.read(path, annotator_column="who")


def test_people_as_columns_become_one_criterion(make):
    path = make("w.csv", "id,annotator_1,annotator_2,annotator_3,judge\n1,3,4,,2\n2,5,5,4,5\n")
    scores = ma.read(path, people="annotator_*")
    assert (scores.humans, scores.metrics) == (("human",), ("judge",))
    assert scores["human"].labels("annotator") == ("1", "2", "3")
    np.testing.assert_array_equal(scores.matrix("human")[0], [3.5, 14 / 3])
    assert ma.read(path, people="quality=annotator_1,annotator_2").humans == ("quality",)
    with pytest.raises(UnknownName, match="columns of people"):
        ma.read(path, people="rater_*")


def test_lists_in_cells_are_people(make):
    scores = ma.read(make("w.csv", 'model,id,ratings\na,1,"[3, 4]"\na,2,"[1, 2, 5]"\nb,1,\n'))
    assert scores["ratings"].labels("annotator") == ("1", "2", "3")
    np.testing.assert_array_equal(scores.matrix("ratings"), [[3.5, 8 / 3], [np.nan, np.nan]])


def test_data_without_systems_are_whole_citizens(make):
    path = make("w.csv", "id,human_label,judge\n1,pass,0.9\n2,fail,0.2\n3,pass,0.7\n4,fail,0.8\n")
    scores = ma.read(path, human="human_label")
    assert not scores.has_systems
    assert scores.sources[0].format == "wide CSV, input: id, no column of systems"
    row = ma.agree(scores, level="global", resamples=100).table[0]
    assert row.estimate > 0
    for level in ("system", "input"):
        with pytest.raises(
            DataError, match=f"{level} level compares systems, and the data have none; use --level global"
        ):
            ma.agree(scores, level=level, resamples=100)
    assert ma.read(make("t.csv", "input,metric,score\n1,m,1\n2,m,3\n"))["m"].values.tolist() == [[1, 3]]
    forced = ma.read(make("v.csv", "model,id,x\na,1,2\na,2,3\n"), no_systems=True)
    assert not forced.has_systems
    assert forced.attributes["model"].labels == ("a",)


def test_rows_that_a_missing_system_would_tell_apart(make):
    with pytest.raises(Contradiction, match=r"'x' on input '1': 3 in .*name the column that distinguishes them with"):
        ma.read(make("w.csv", "id,x\n1,2\n1,3\n"))
    told = r"input '1' has several rows, which differ in 'maker'; .*--system-column.*, use --input-column row$"
    with pytest.raises(DataError, match=told):
        ma.read(make("w.csv", "id,maker,x\n1,a,2\n1,b,2\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system  input  bleu\nA   1  0.5\nB 1 0.25 \n", "wide table with spaces"),
        ("system|input|bleu\nA|1|0.5\nB|1|0.25\n", "wide CSV with bars"),
    ],
)
def test_other_delimiters(make, text, said):
    scores = ma.read(make("w.txt", text))
    assert scores.sources == (("w.txt", said),)
    assert scores["bleu"].values.tolist() == [[0.5], [0.25]]


def test_roles_of_files(make):
    people, other = (make(f"{name}.csv", "id,label\n1,good\n2,bad\n") for name in ("ann", "bob"))
    judge = make("gpt.csv", "id,label\n1,good\n2,good\n")
    scores = ma.read(f"judge={judge}", f"human={people}", f"human={other}")
    assert (scores.humans, scores.metrics) == (("label",), ("gpt",))
    assert scores["label"].labels("annotator") == ("ann", "bob")
    assert scores.codes("gpt").tolist() == [[1, 1]]
    with pytest.raises(Contradiction, match="human=FILE judge=FILE, or old=FILE new=FILE"):
        ma.read(people, judge)


def test_files_that_share_nothing(make):
    people = make("p.csv", "id,human\n1,3\n2,4\n3,1\n4,2\n")
    with pytest.raises(DataError, match=r"p\.csv and .*j\.csv have no input in common: '1', '2', '3' against 'x1'"):
        ma.read(people, make("j.csv", "id,judge\nx1,3\n"))
    people = make("p.csv", "model,id,human\na,1,4\n")
    with pytest.raises(DataError, match="have no system in common: 'a' against 'A'"):
        ma.read(people, make("j.csv", "model,id,judge\nA,1,3\n"))


def test_a_language_keeps_its_own_systems_and_inputs(make):
    rows = "".join(f"{s},{i},m,1,{lang}\n" for lang, s, i in (("de", "A", "1"), ("de", "B", "2"), ("fr", "C", "3")))
    path = make("t.csv", "system,input,metric,score,language\n" + rows + "A,1,h,2,\nC,3,h,2,\n")
    scores = ma.read(path, language="de")
    assert (scores.systems, scores.inputs) == (("A", "B"), ("1", "2"))
    np.testing.assert_array_equal(scores["h"].values, [[2, np.nan], [np.nan, np.nan]])
    with pytest.raises(UnknownName, match="unknown language 'es'"):
        ma.read(path, language="es")


def test_ids_that_look_alike_are_told(make):
    scores = ma.read(make("w.csv", "model,id,x\ngpt-4,1,2\nGPT-4,1,3\nllаma,1,1\nllama,1,4\n"))
    (note,) = (note for note in scores.notes if note.code == "labels-alike")
    assert (note["axis"], note["n"]) == ("systems", 2)


def test_groups_of_systems_that_share_no_input_are_told(make):
    scores = ma.read(make("w.csv", "model,id,x\na,1,2\nb,1,3\nc,2,1\nd,2,4\n"))
    assert [note.code for note in scores.notes] == ["design-disconnected"]


def test_near_misses_are_told(make):
    path = make("u.json", '[{"source": "s", "system_output": "o", "points": "high", "doc_id": 1}]')
    with pytest.raises(
        FormatError, match=r"looks like UniEval's or G-Eval's .*system_id, scores are missing; .*--no-systems"
    ):
        ma.read(path)
    with pytest.raises(FormatError, match=r"column 'input' is missing; .*name it with --input-column"):
        ma.read(make("w.csv", "group,bleu,chrf\nA,1,2\n"))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_large_tables_give_the_same_by_pyarrow_and_line_by_line(tmp_path, monkeypatch, form):
    arrow = pytest.importorskip("pyarrow")
    from metassay.readers import arrow_tables

    rng = np.random.default_rng(0)
    table = {
        "model": [f"s{i % 7}" for i in range(3500)],
        "id": [f"i{i // 7}" for i in range(3500)],
        "day": [f"2024-01-{i // 7 % 28 + 1:02d}" for i in range(3500)],
        "verdict": ["pass" if x else "fail" for x in rng.random(3500) < 0.5],
        "bleu": [None if i % 50 == 0 else x for i, x in enumerate(rng.normal(size=3500).tolist())],
        "n": rng.integers(0, 9, 3500).tolist(),
    }
    path = tmp_path / f"t.{form}"
    if form == "csv":
        import csv

        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        slow = ma.read(path)
        monkeypatch.setattr(arrow_tables, "_LEAST", 1)
    else:
        importlib = pytest.importorskip("pyarrow.parquet")
        importlib.write_table(arrow.table(table), path)
        slow = ma.Scores.from_frame(arrow.table(table))
    fast = ma.read(path)
    assert fast.columns == slow.columns
    assert fast.attributes == slow.attributes
    assert fast["verdict"].scale == Scale("binary", ("fail", "pass"))


def test_an_error_in_a_large_table_still_has_its_line(make, monkeypatch):
    from metassay.readers import arrow_tables

    monkeypatch.setattr(arrow_tables, "_LEAST", 1)
    rows = "".join(f"s,{i},m,{i}\n" for i in range(1000))
    with pytest.raises(FormatError, match=r"t\.csv, line 1002: field 'score' must be a number, got 'x'"):
        ma.read(make("t.csv", "system,input,metric,score\n" + rows + "s,1000,m,x\n"))
    with pytest.raises(FormatError, match=r"t\.csv, line 1002: the row has 3 fields"):
        ma.read(make("t.csv", "system,input,metric,score\n" + rows + "s,1000,m\n"))
    with pytest.raises(Contradiction, match=r"2 in .*t\.csv, line 1002 contradicts 1 in .*t\.csv, line 3"):
        ma.read(make("t.csv", "system,input,metric,score\n" + rows + "s,1,m,2\n"))
