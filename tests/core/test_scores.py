from __future__ import annotations

import numpy as np
import pytest

from metassay import Column, Scores
from metassay.core.scores import natural
from metassay.errors import Contradiction, DataError, UnknownName, UsageError

NAN = np.nan


@pytest.fixture
def scores() -> Scores:
    return Scores.from_arrays(
        metrics={"rouge": [[1.0, 2, NAN], [4, 5, 6]], "ter": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]},
        human={"fluency": [[[1, 2, 3], [4, 5, NAN]], [[3, NAN, 3], [4, 5, NAN]]]},
        systems=["A", "B"],
        inputs=["x", "y", "z"],
        lower_is_better=["ter"],
        groups={"B": "reference"},
    )


def test_what_is_in_it(scores):
    assert scores.shape == (2, 3)
    assert scores.metrics == ("rouge", "ter")
    assert scores.humans == ("fluency",)
    assert repr(scores) == "Scores(2 systems × 3 inputs; 2 metrics: rouge, ter; 1 human criterion: fluency)"


def test_default_labels():
    scores = Scores.from_arrays({"m": [[1, 2]]})
    assert (scores.systems, scores.inputs) == (("system-1",), ("input-1", "input-2"))


def test_the_mean_over_annotators_is_over_those_there_are(scores):
    np.testing.assert_array_equal(scores.matrix("fluency"), [[2, 2, 3], [4, 5, NAN]])


def test_lower_is_better_turns_the_sign(scores):
    np.testing.assert_array_equal(scores.matrix("ter"), -scores["ter"].values)


def test_values_are_a_read_only_copy():
    source = np.ones((1, 1))
    scores = Scores.from_arrays({"m": source})
    source[0, 0] = 9
    assert scores["m"].values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        scores["m"].values[0, 0] = 9
    with pytest.raises(TypeError):
        scores.columns["m"] = scores["m"]


def test_names_globs_and_lists(scores):
    assert scores.find("r*,ter") == ("rouge", "ter")
    assert scores.find(["ter", "*"]) == ("ter", "rouge", "fluency")
    with pytest.raises(UnknownName, match="unknown metric 'rogue'; did you mean 'rouge'"):
        scores.find("rogue", "metric")
    with pytest.raises(UnknownName, match="unknown column 'x'"):
        scores["x"]


def test_humans_and_metrics_by_default(scores):
    assert scores.find_humans(None) == ("fluency",)
    assert scores.find_metrics(None, ("fluency",)) == ("rouge", "ter")
    assert scores.find_metrics(None, ("fluency", "ter")) == ("rouge",)
    alone = scores.select(columns="fluency")
    with pytest.raises(DataError, match="there is no metric beside"):
        alone.find_metrics(None, ("fluency",))
    with pytest.raises(UsageError, match="no column is known to hold human judgments"):
        scores.select(columns="rouge").find_humans(None)


def test_declare(scores):
    declared = scores.declare(human="rouge", lower_is_better="rou*")
    assert declared.humans == ("rouge", "fluency")
    assert declared["rouge"].lower_is_better
    assert not scores["rouge"].lower_is_better


def test_select_keeps_order_groups_and_values(scores):
    part = scores.select(systems=["B"], inputs=["z", "x"], columns="rouge")
    assert part.inputs == ("z", "x")
    assert part["rouge"].values.tolist() == [[6, 4]]
    assert dict(part.groups) == {"B": "reference"}
    with pytest.raises(UnknownName, match="unknown system 'C'"):
        scores.select(systems=["C"])


def test_one_language_is_selected():
    column = Column(
        "m", np.arange(8.0).reshape(2, 2, 1, 2), axes=(("language", ("de", "fr")), ("annotator", ("1", "2")))
    )
    scores = Scores(("A",), ("x", "y"), {"m": column})
    with pytest.raises(DataError, match=r"scores in 2 languages \(de, fr\); choose one"):
        scores.matrix("m")
    french = scores.select(language="fr")
    assert french["m"].axes == (("annotator", ("1", "2")),)
    assert french.matrix("m").tolist() == [[5, 6]]
    with pytest.raises(UnknownName, match="unknown language 'it'"):
        scores.select(language="it")


@pytest.mark.parametrize(("metrics", "human", "what"), [({"m": [[1]]}, ["m"], "human"), ([[1]], None, "metrics")])
def test_arrays_come_by_name(metrics, human, what):
    with pytest.raises(UsageError, match=f"{what} must map names to arrays of scores, got list"):
        Scores.from_arrays(metrics, human)


def test_references_can_be_left_out(scores):
    assert scores.without_references().systems == ("A",)
    with pytest.raises(DataError, match="every system is a human-written reference"):
        scores.select(systems="B").without_references()


def test_merge_is_a_union_and_finds_contradictions(scores):
    other = Scores.from_arrays({"bleu": [[7]]}, systems=["C"], inputs=["x"])
    both = scores.merge(other)
    assert both.shape == (3, 3)
    assert both["bleu"].values[2, 0] == 7
    assert both["ter"].lower_is_better
    assert both["fluency"].kind == "human"
    with pytest.raises(Contradiction, match="'rouge' of system 'A' on input 'x': 9 in the second scores contradicts 1"):
        scores.merge(Scores.from_arrays({"rouge": [[9]]}, systems=["A"], inputs=["x"]))


def test_rows_are_tidy_and_complete(scores):
    rows = list(scores.rows())
    assert rows[0] == {
        "system": "A",
        "input": "x",
        "metric": "rouge",
        "score": 1.0,
        "kind": "metric",
        "annotator": "",
        "group": "",
        "direction": "higher",
    }
    assert len(rows) == 5 + 6 + 9
    assert {row["direction"] for row in rows if row["metric"] == "ter"} == {"lower"}


def test_rows_name_labels_that_have_no_score():
    scores = Scores.from_arrays({"m": [[1, NAN], [NAN, NAN]]}, systems=["A", "B"], inputs=["x", "y"])
    rows = [(row["system"], row["input"], row["score"]) for row in scores.rows()]
    assert rows[0] == ("A", "x", 1.0)
    assert [row[:2] for row in rows[1:]] == [("B", "x"), ("A", "y")]
    assert all(np.isnan(row[2]) for row in rows[1:])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Scores.from_arrays({}), "there are no scores"),
        (lambda: Scores.from_arrays({"m": np.ones((0, 3))}), "there are no systems"),
        (lambda: Scores.from_arrays({"m": np.ones((3, 0))}), "there are no inputs"),
        (lambda: Scores.from_arrays({"m": [1.0, 2.0]}), "must have 2 dimensions"),
        (lambda: Scores.from_arrays({"m": [[np.inf]]}), "holds infinite values"),
        (lambda: Scores.from_arrays({"m": [[{}]]}), "must hold numbers"),
        (
            lambda: Scores.from_arrays({"m": [[1]], "n": [[1, 2]]}),
            "must have 1 systems × 1 inputs, got 1 × 2",
        ),
        (lambda: Scores.from_arrays({"m": [[1], [2]]}, systems=["A", "A"]), "'A' occurs twice"),
    ],
)
def test_wrong_data_is_told(build, message):
    with pytest.raises(DataError, match=message):
        build()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Scores.from_arrays({"m": [[1]]}, {"m": [[1]]}),
            "'m' is given as a metric and as a human criterion",
        ),
        (lambda: Scores.from_arrays({"m": [[1]]}, lower_is_better=["n"]), "unknown column 'n'"),
        (lambda: Column("", np.ones((1, 1))), "needs a name"),
        (lambda: Column("m", np.ones((1, 1)), kind="robot"), "kind must be"),
        (lambda: Scores(("A",), ("x",), {"n": Column("m", np.ones((1, 1)))}), "stored under the name"),
    ],
)
def test_wrong_usage_is_told(build, message):
    with pytest.raises(UsageError, match=message):
        build()


def test_natural_order():
    assert sorted(["M10", "M2", "M1", "a", "M"], key=natural) == ["M", "M1", "M2", "M10", "a"]
    assert sorted(["2", "10", "1"], key=natural) == ["1", "2", "10"]
    assert natural("M01") != natural("M1")
    assert sorted(["9" * 5000, "1" + "0" * 5000], key=natural)[0][0] == "9"
