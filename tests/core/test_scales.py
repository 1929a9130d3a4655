"""Scales: labels that are kept as labels, and the numbers that people write oddly."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import metassay as ma
from metassay.core import scales
from metassay.core.column import Attribute
from metassay.core.scales import Scale
from metassay.errors import DataError, UnknownName, UsageError


def labelled(*labels: str | None, name: str = "grade", **options: object) -> ma.Scores:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"item_id": range(len(labels)), name: list(labels)})
    return ma.Scores.from_frame(frame, **options)


@pytest.mark.parametrize(
    ("labels", "scale"),
    [
        (("pass", "fail"), Scale("binary", ("fail", "pass"))),
        (("Yes", "No"), Scale("binary", ("No", "Yes"))),
        ((True, False), Scale("binary", ("false", "true"))),
        (("correct", "incorrect", "correct"), Scale("binary", ("incorrect", "correct"))),
        (("A", "B", "C", "A", "B", "C"), Scale("nominal", ("A", "B", "C"))),
    ],
)
def test_labels_are_guessed(labels, scale):
    assert labelled(*labels)["grade"].scale == scale


def test_labels_stay_labels_beside_their_codes():
    scores = labelled("good", "bad", None, "good")
    column = scores["grade"]
    np.testing.assert_array_equal(column.values, [[1, 0, np.nan, 1]])
    assert column.decoded().tolist() == [["good", "bad", None, "good"]]
    for again in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):
        assert again == scores
        assert not again["grade"].values.flags.writeable


def test_an_order_is_declared_and_shared():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"id": range(4), "human_label": ["bad", "ok", "good", "ok"], "judge_label": ["ok", "ok", "good", "superb"]}
    )
    scores = ma.Scores.from_frame(frame, scale={"human_label": "ordinal:bad<ok<good"})
    assert scores["human_label"].scale == Scale("ordinal", ("bad", "ok", "good"))
    assert scores.matrix("human_label").tolist() == [[0, 1, 2, 1]]
    # A label that only the judge uses comes last, so that codes stay comparable.
    assert scores["judge_label"].scale == Scale("nominal", ("bad", "ok", "good", "superb"))
    assert scores.codes("judge_label").tolist() == [[1, 1, 2, 3]]
    with pytest.raises(UnknownName, match="unknown label in 'human_label': 'ok'"):
        scores.declare(scale=["human_label=ordinal:bad<oka<good"])


def test_labels_without_an_order_have_no_mean():
    scores = labelled("A", "B", "A", "C", "B", "C")
    with pytest.raises(DataError, match=r"'grade' holds labels without an order \(A, B, C\).*--scale 'grade=ordinal"):
        scores.matrix("grade")
    assert scores.codes("grade").tolist() == [[0, 1, 0, 2, 1, 2]]


def test_numbers_may_be_declared_ordinal_or_binary():
    scores = ma.Scores.from_arrays({"judge": [[0, 1, 1]], "stars": [[1, 5, 3]]})
    declared = scores.declare(scale="judge=binary").declare(scale=["stars=ordinal"])
    assert declared["judge"].scale == Scale("binary")
    assert declared.matrix("stars").tolist() == [[1, 5, 3]]
    with pytest.raises(DataError, match="'stars' must hold 0 and 1, as a binary scale has"):
        scores.declare(scale="stars=binary")
    assert scores.declare(scale="judge=binary:0<1")["judge"].scale.labels == ("0", "1")


def test_the_majority_of_people_is_their_label():
    values = np.array([[[0, 0, 1, np.nan]], [[0, 1, 2, np.nan]], [[1, 2, 2, np.nan]]])
    axes = (("annotator", ("a", "b", "c")),)
    column = ma.Column("h", values, "human", axes, scale=Scale("nominal", ("x", "y", "z")))
    np.testing.assert_array_equal(column.mean(), [[0, np.nan, 2, np.nan]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grade", "a scale must be NAME=SCALE"),
        ("grade=metric", "a scale must be interval, ordinal, nominal, binary"),
        ("grade=ordinal:a<<b", "a scale must be"),
        ("grade=binary:a<b<c", "a binary scale has two labels"),
        ("grade=ordinal:a<a", "the labels of a scale must differ"),
        ("grade=interval", "holds labels .* and no numbers"),
        ("grade=ordinal", "give the order of the labels of 'grade'"),
        ("nothing=nominal", "unknown column 'nothing'"),
    ],
)
def test_wrong_scales(text, message):
    scores = labelled("A", "B", "A", "B")
    with pytest.raises(UsageError, match=message):
        scores.declare(scale=text)


def test_codes_that_stand_for_no_label():
    with pytest.raises(DataError, match=r"'h' must hold codes of 2 labels, 0 to 1, got 0\.0, 2\.0"):
        ma.Column("h", [[0, 2]], scale=Scale("nominal", ("x", "y")))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1,5", "2,25", "3"], [1.5, 2.25, 3]),
        (["85%", "7.5 %", "12,5%"], [0.85, 0.075, 0.125]),
        (["1,234", "2,345"], None),
        (["1,5", "x"], None),
        (["85%", "3"], None),
    ],
)
def test_decimal_commas_and_percent_signs(texts, expected):
    found = scales.odd_numbers(texts)
    assert (found if found is None else list(found.values())) == expected


def test_decimal_commas_are_read_and_said():
    scores = labelled("1,5", "2,5", "3", name="bleu")
    assert scores["bleu"].values.tolist() == [[1.5, 2.5, 3]]
    assert [note.code for note in scores.notes] == ["numbers-understood"]
    with pytest.raises(
        DataError, match="field 'bleu' must be a number, got '1,5'; write a decimal point, or a decimal"
    ):
        labelled("1,5", "2.5", name="bleu")
    with pytest.raises(DataError, match="got '85%'; write all numbers of the column with a percent sign"):
        labelled("85%", "0.5", "0.4", name="bleu")


def test_likely_mistakes_in_labels_are_told():
    scores = labelled(*["pass"] * 30, *["fail"] * 30, "pas", "Pass")
    codes = {note.code: note for note in scores.notes}
    assert codes["label-misspelt"]["label"] == "pas"
    assert codes["label-misspelt"]["near"] == "pass"
    assert codes["labels-merged"]["other"] == "Pass"
    assert "misspelt pass." in str(codes["label-misspelt"])
    assert scales.misspelt({"correct": 90, "incorrect": 1}) == []


def test_attributes_of_inputs_systems_and_outputs():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "item_id": ["1", "2", "1", "2"],
            "topic": ["x", "y", "x", "y"],
            "maker": ["m", "m", "n", "n"],
            "answer": ["p", "42", "r", "s"],
            "bleu": [1, 2, 3, 4],
        }
    )
    scores = ma.Scores.from_frame(frame, cluster_by="topic", family_of="maker")
    assert {name: each.axis for name, each in scores.attributes.items()} == {
        "topic": "input",
        "maker": "system",
        "answer": "output",
    }
    assert scores.attributes["answer"].texts().tolist() == [["p", "42"], ["r", "s"]]
    assert dict(scores.clusters) == {"1": "x", "2": "y"}
    assert dict(scores.families) == {"a": "m", "b": "n"}
    assert pickle.loads(pickle.dumps(scores)) == scores
    part = scores.select(systems=["b"], inputs=["2"])
    assert part.attributes["answer"] == Attribute("answer", "output", np.array([[0]]), ("s",))
    assert dict(part.clusters) == {"2": "y"}
    again = ma.Scores.from_frame(scores.to_dataframe())
    assert again.attributes == scores.attributes
    assert (again.clusters, again.families, again.columns) == (scores.clusters, scores.families, scores.columns)
    assert scores.merge(scores).attributes == scores.attributes
    with pytest.raises(UsageError, match="'topic' was read as a text of each input; read it as labels with --scale"):
        scores.find("topic")


def test_arrays_of_labels():
    scores = ma.Scores.from_arrays(
        {"judge": [["pass", None, "Fail"]], "length": [[1, None, 3]]},
        {"human": [[["pass", "pass", "fail"]], [["fail", "pass", ""]]]},
    )
    assert scores["judge"].scale == scores["human"].scale == Scale("binary", ("fail", "pass"))
    np.testing.assert_array_equal(scores.matrix("judge"), [[1, np.nan, 0]])
    np.testing.assert_array_equal(scores.matrix("human"), [[0.5, 1, 0]])
    assert scores["length"].scale.kind == "interval"
    graded = ma.Scores.from_arrays({"j": [["ok", "bad", "good"]]}, scale="j=ordinal:bad<ok<good")
    assert graded.matrix("j").tolist() == [[1, 0, 2]]


def test_parts_of_scores():
    from metassay.core.declaring import selected

    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"model": ["g1", "g2", "x"] * 2, "id": [1, 1, 1, 2, 2, 2], "cat": ["faq"] * 3 + ["bill"] * 3, "m": range(6)}
    )
    scores = ma.Scores.from_frame(frame)
    assert selected(scores, "systems=g*").systems == ("g1", "g2")
    assert selected(scores, ["cat=faq", "systems=x"])["m"].values.tolist() == [[2]]
    assert selected(scores, drop_systems="g1,x").systems == ("g2",)
    for wrong, message in (("cat", "WHAT=PATTERN"), ("dog=x", "unknown part"), ("cat=shop", "unknown cat 'shop'")):
        with pytest.raises(UsageError, match=message):
            selected(scores, wrong)
    with pytest.raises(DataError, match="no system is left"):
        selected(scores, drop_systems="*")


@pytest.mark.parametrize(
    "labels", [("wrong", "correct"), ("Unsupported", "Supported"), ("not relevant", "relevant"), ("non-toxic", "toxic")]
)
def test_a_label_and_its_opposite_are_no_and_yes(labels):
    assert scales.guess(labels) == Scale("binary", labels)
    assert not scales.misspelt({labels[0]: 1, labels[1]: 60})
