"""Shapes of files found in public repositories: columns in other words, judges as rows, encodings of spreadsheets."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, FormatError


@pytest.mark.parametrize(
    ("header", "input", "annotator"),
    [
        ("record_id,reviewer_name,reviewer_id,score", "record_id", "reviewer_id"),
        ("RowID,Rater,score", "RowID", "Rater"),
        ("gid,session_id,labeler,score", "gid", "labeler"),
        ("questionId,user_id,assessor_id,score", "questionId", "assessor_id"),
    ],
)
def test_ids_of_rows_and_of_people_are_told_apart(make, header, input, annotator):
    names = header.split(",")
    rows = [[f"a{i}" if n == annotator else f"{n}{i}" if n != "score" else str(i) for n in names] for i in range(4)]
    scores = ma.read(make("t.csv", header + "\n" + "\n".join(map(",".join, rows))))
    assert scores.inputs == tuple(f"{input}{i}" for i in range(4))
    assert scores["score"].labels("annotator") == ("a0", "a1", "a2", "a3")


def test_rows_may_be_inputs(make):
    file = make("r.csv", "y_true,y_pred\npass,pass\nfail,pass\npass,fail\n")
    with pytest.raises(FormatError, match=r"--input-column row \(found: y_true, y_pred\)"):
        ma.read(file)
    scores = ma.read(file, input_column="row", human="y_true")
    assert (scores.inputs, scores.metrics) == (("2", "3", "4"), ("y_pred",))
    records = [{"model": m, "score": s} for m, s in (("a", 1), ("a", 1), ("b", 2))]
    file = make("r.json", json.dumps(records))
    with pytest.raises(
        FormatError, match=r"line 2: system 'a' has another row on line 1, and no column names the input"
    ):
        ma.read(file)
    assert ma.read(file, input_column="row").shape == (2, 3)


def test_judges_in_rows_have_columns_of_their_own(make):
    rows = "".join(
        f"{i},m{m},{i % 2},{judge},{(i + at) % 5},because {i} {judge}\n"
        for i in range(6)
        for m in range(2)
        for at, judge in enumerate(("gpt-4o", "claude"))
    )
    scores = ma.read(make("j.csv", "item_id,model,human_label,judge_model,score,reason\n" + rows), human="human_label")
    assert (scores.shape, scores.humans) == ((2, 6), ("human_label",))
    assert scores.metrics == ("gpt-4o:score", "claude:score")
    assert scores["claude:score"].values[0].tolist() == [1, 2, 3, 4, 0, 1]
    assert {"gpt-4o:reason", "claude:reason"} <= set(scores.attributes)
    single = ma.read(make("s.csv", "id,human,judge\n1,pass,pass\n2,fail,pass\n3,pass,fail\n"), human="human")
    assert single.metrics == ("judge",)  # a verdict of that name stays one


def test_first_rows_without_labels(make):
    scores = ma.read(make("e.csv", "id,faithful,note\n1,,\n2,,\n3,yes,\n4,no,\n"), human="faithful")
    assert scores["faithful"].scale.labels == ("no", "yes")
    with pytest.raises(FormatError, match=r"no column holds numbers or labels \(texts, or nothing, in text, note\)"):
        ma.read(make("n.csv", "id,text,note\n1,some,\n2,words,\n"))


def test_winners_that_are_called_after_their_raters(make):
    header = "question_id,model_a,model_b,human_winner,n_votes,gpt4_winner\n"
    rows = "1,x,y,A,3,B\n2,x,y,tie,1,tie (inconsistent)\n3,y,x,B,2,model_b\n"
    votes = ma.read_votes(make("v.csv", header + rows))
    assert (votes.humans, votes.judges) == (("human",), ("gpt4",))
    assert votes.of("gpt4").counts().tolist() == [[0, 1.5], [1.5, 0]]


def test_two_grades_in_a_list_are_a_vote_and_no_two_people(make):
    rows = [
        {"question_id": i, "answer1_id": "k", "answer2_id": "f", "score": s} for i, s in enumerate(([8, 9], [9, 7]))
    ]
    votes = ma.read_votes(make("v.jsonl", "\n".join(map(json.dumps, rows))))
    assert [row["winner"] for row in votes.rows()] == ["model_b", "model_a"]


def test_errors_that_raters_of_translations_marked(make):
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
    marked = [
        ("A", 1, "r1", "Style/Awkward", "Minor"), ("A", 1, "r1", "Accuracy/Omission", "Major"),
        ("A", 1, "r2", "No-error", "No-error"), ("B", 1, "r1", "Non-translation!", "Major"),
        ("B", 2, "r1", "Fluency/Punctuation", "Minor"), ("ref", 2, "r2", "Source issue", "Major"),
    ]  # fmt: skip
    rows = [f'{s}\td{g}\t{g}\t{g}\t{r}\tthe "source\tdas\t{c}\t{v}\t' for s, g, r, c, v in marked]
    scores = ma.read(make("mqm.tsv", head + "\n".join(rows)))
    assert scores.humans == ("mqm",)
    assert scores.groups == {"ref": "reference"}
    np.testing.assert_equal(scores["mqm"].values[:, 0, :], [[-6, np.nan], [0, np.nan]])  # each rater of A on segment 1
    assert scores.clusters == {"1": "d1", "2": "d2"}
    assert scores.matrix("mqm")[1].tolist() == [-25, -0.1]
    with pytest.raises(FormatError, match=r"line 2: the field 'severity' must be Major"):
        ma.read(make("bad.tsv", head + rows[0].replace("Minor", "Huge")))
    mixed = ma.read(make("avg.tsv", "system mqm_avg seg_id\nA\t-1.0 1\nA\tNone 2\nB\t-5.0 1\n"))
    np.testing.assert_equal(mixed["mqm_avg"].values, [[-1, np.nan], [-5, np.nan]])


TEXT = "Frage_ID,Qualität,Begründung\n" + "".join(
    f"{i},{i % 3},schön – naïve, don’t\n".replace(", ", " ") for i in range(9)
)


@pytest.mark.parametrize(
    ("codec", "said"), [("utf-16", "UTF-16"), ("cp1252", "Windows-1252"), ("utf-8-sig", "systems")]
)
def test_encodings_of_spreadsheets(make, codec, said):
    for content in (TEXT.encode(codec), gzip.compress(TEXT.encode(codec))):
        scores = ma.read(make("t.csv", content))
        assert scores.metrics == ("Qualität",)
        assert scores.attributes["Begründung"].labels == ("schön – naïve don’t",)
        assert scores.sources[0].format.endswith(said)


@pytest.mark.parametrize("codec", ["mac_roman", "cp437", "shift_jis", "cp1251", "iso8859-2"])
def test_other_encodings_are_not_guessed(make, codec):
    text = {"shift_jis": "良い返事です", "cp1251": "хорошо", "iso8859-2": "žluťoučký kůň"}.get(codec, "schöne Größe")
    with pytest.raises(FormatError, match=r"line 2: byte \d+ of the line is not UTF-8 .*save it as UTF-8"):
        ma.read(make("o.csv", f"id,score,note\n1,2,{text}\n2,3,ok\n".encode(codec)))


def test_what_is_known_of_a_test_is_no_score(make):
    graded = {"componentResults": [{"score": 0.5, "assertion": {"type": "llm-rubric", "value": "calm"}}]}
    result = {"success": True, "score": 0.9, "promptIdx": 0, "provider": {"id": "p"}, "gradingResult": graded}
    facts = [{"language": "it", "duration": 5, "input": "x"}, {"language": "en", "duration": 10, "input": "y"}]
    results = [{**result, "testIdx": at, "vars": each} for at, each in enumerate(facts)]
    scores = ma.read(make("p.json", json.dumps({"results": {"results": results}})))
    assert scores.metrics == ("success", "score", "llm-rubric")
    assert {"language", "duration", "input_"} <= set(scores.attributes)
    assert scores["score"].values.shape == (1, 2)


def test_look_says_what_is_missing(make):
    def codes(text, **options):
        return {note.code for note in ma.look(ma.read(make("l.csv", text), **options)).notes}

    assert "look-no-people" in codes("id,a,b\n1,2,3\n2,3,1\n")
    assert "look-people-only" in codes("id,human_score\n1,2\n2,3\n")
    annotated = ma.look(ma.read(make("a.csv", "id,annotator,clarity,label_source\n1,CB,3,human\n2,CB,4,human\n")))
    assert [(row.name, row.proposed) for row in annotated.table] == [("clarity", "human")]
    nominal = "id,gold_label,judge_label,flag\n" + "".join(
        f"{i},{'ABC'[i % 3]},{'ABC'[i % 2]},{'yes' if i % 2 else 'no'}\n" for i in range(6)
    )
    lines = [row.command for row in ma.look(ma.read(make("n.csv", nominal)), files=["n.csv"]).commands]
    assert lines == ["metassay judge n.csv --human gold_label --judge judge_label"]


def test_a_table_of_texts_is_no_scores(make):
    with pytest.raises(DataError):
        ma.read(make("t.csv", "id,split\n1,dev\n2,test\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "id;human;judge\n1;1,5;2\n2;2.5;3\n3;1,5;3\n",
            r"line 2: field 'human' must be a number, got '1,5'; write a dec",
        ),
        ("id,human,judge\n1,85%,3\n2,9,4\n", r"line 2: .* '85%'; write all numbers of the column with a percent sign"),
        ("id,human,judge\n", r"there is a header and no row under it"),
        ('id,human,text\n1,2,"open\n2,3,x\n', r"line 2: not readable as CSV: a quotation mark is not closed"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 1\n", r"pointer of Git LFS .*git lfs pull"),
        ("<!DOCTYPE html><html><body>404</body></html>", r"page of a website .*download the raw file"),
    ],
)
def test_what_must_not_be_read_wrongly(make, content, message):
    with pytest.raises(FormatError, match=message):
        ma.read(make("b.csv", content))


def test_a_judge_called_like_systems_is_not_taken_for_them(tmp_path):
    path = tmp_path / "verdicts.csv"
    path.write_text("id,human_label,llm\n1,good,good\n2,bad,good\n")
    with pytest.raises(ma.FormatError, match="'llm' has a name of system columns, but the values"):
        ma.read(path)
    assert set(ma.read(path, no_systems=True).columns) == {"human_label", "llm"}
    assert ma.read(path, system_column="llm").systems == ("good",)
