from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.core.ledger import Ledger, Place
from metassay.core.origin import Origin
from metassay.errors import Contradiction, DataError, FormatError

HERE = Place("a.csv", 3)


def test_scores_add_up_in_natural_order():
    ledger = Ledger()
    ledger.record("M10", "b", "m", 1, HERE)
    ledger.record("M2", "a", "m", 2, HERE)
    scores = ledger.scores((Origin("a.csv", "tidy CSV"),))
    assert scores.systems == ("M2", "M10")
    np.testing.assert_array_equal(scores["m"].values, [[2, np.nan], [np.nan, 1]])
    assert scores.sources == (("a.csv", "tidy CSV"),)


def test_missing_scores_make_labels_known():
    ledger = Ledger()
    ledger.record("A", "x", "m", 1, HERE)
    ledger.record("B", "y", "n", np.nan, HERE)
    scores = ledger.scores()
    assert scores.shape == (2, 2)
    assert np.isnan(scores["n"].values).all()


def test_a_missing_score_without_annotator_does_not_make_one():
    ledger = Ledger()
    ledger.record("A", "x", "m", 1, HERE, annotator="1")
    ledger.record("A", "y", "m", np.nan, HERE)
    assert ledger.scores()["m"].labels("annotator") == ("1",)


def test_a_contradiction_names_both_places():
    ledger = Ledger()
    ledger.record("A", "x", "m", 1, HERE)
    ledger.record("A", "y", "m", 1, HERE)
    ledger.record("A", "x", "m", 1 + 1e-12, Place("b.csv", 4))
    ledger.record("A", "x", "m", 1.5, Place("c.csv"))
    with pytest.raises(
        Contradiction, match=r"'m' of system 'A' on input 'x': 1.5 in c\.csv contradicts 1 in b\.csv, line 4"
    ):
        ledger.scores()


def test_the_same_cell_of_two_annotators_is_no_contradiction():
    ledger = Ledger()
    for annotator in ("1", "2"):
        ledger.record("A", "x", "m", float(annotator), HERE, annotator=annotator)
    assert ledger.scores()["m"].values.tolist() == [[[1]], [[2]]]


def test_adding_up_twice_gives_the_same_and_more_can_follow():
    ledger = Ledger()
    ledger.record("A", "x", "m", 1, HERE)
    assert ledger.scores()["m"].values.tolist() == ledger.scores()["m"].values.tolist()
    ledger.record("A", "y", "m", 2, HERE)
    assert ledger.scores()["m"].values.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("system", "key", "name", "field"),
    [("", "x", "m", "system"), ("A", "", "m", "input"), ("A", "x", "", "metric")],
)
def test_empty_labels(system, key, name, field):
    with pytest.raises(FormatError, match=f"a.csv, line 3: the field '{field}' is empty"):
        Ledger().record(system, key, name, 1, HERE)
    with pytest.raises(FormatError, match=f"a.csv, line 8: the field '{field}' is empty"):
        Ledger().record_many(["A", system], ["x", key], ["m", name], [1, 1], "a.csv", [7, 8])


def test_infinite_scores():
    with pytest.raises(FormatError, match=r"a\.csv, line 3: score of 'm' must be finite, got -inf"):
        Ledger().record("A", "x", "m", -np.inf, HERE)
    with pytest.raises(FormatError, match=r"a\.csv, line 8: score of 'n' must be finite, got inf"):
        Ledger().record_many("A", ["x", "y"], ["m", "n"], [1, np.inf], "a.csv", [7, 8])


def test_human_and_metric_at_once():
    ledger = Ledger()
    ledger.record("A", "x", "m", 1, HERE, kind="human")
    with pytest.raises(FormatError, match=r"a\.csv, line 3: 'm' is called human and metric"):
        ledger.record("A", "y", "m", 1, HERE, kind="metric")
    with pytest.raises(FormatError, match=r"a\.csv, line 7: 'm' is called human and metric"):
        ledger.record_many("A", "z", "m", [1, 2], "a.csv", [7, 8], kinds="metric")


def test_nothing_is_an_error():
    with pytest.raises(DataError, match=r"there are no scores in a\.csv"):
        Ledger().scores(("a.csv",))
    ledger = Ledger()
    ledger.record("A", "x", "m", np.nan, HERE)
    with pytest.raises(DataError, match="there are no scores"):
        ledger.scores()


LABELS = st.sampled_from(["", "1", "2"])
ROWS = st.lists(
    st.tuples(
        st.sampled_from("ABC"),
        st.sampled_from("xyz"),
        st.sampled_from("mn"),
        LABELS,
        LABELS,
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=20,
)


@given(ROWS)
def test_many_at_once_is_the_same_as_one_by_one(rows):
    one, many = Ledger(), Ledger()
    for at, (system, key, name, language, annotator, score) in enumerate(rows):
        one.record(system, key, name, score, Place("f", at), language=language, annotator=annotator)
    systems, keys, names, languages, annotators, scores = map(list, zip(*rows, strict=True))
    many.record_many(systems, keys, names, scores, "f", range(len(rows)), languages=languages, annotators=annotators)

    def outcome(ledger):
        try:
            return [(c.name, c.axes, c.values.tolist()) for c in ledger.scores().columns.values()]
        except Contradiction as error:
            return str(error)

    np.testing.assert_equal(outcome(many), outcome(one))
