"""Which columns, systems and inputs take part."""

import math

import numpy as np
import pytest

import metassay as ma
from metassay.errors import DataError, UsageError
from metassay.studies.selection import select, select_columns

NAN = np.nan
X = np.array([[1.0, 2, 3], [4, 5, NAN], [7, 8, 9]])
Z = np.array([[1.0, NAN, NAN], [2, NAN, NAN], [3, NAN, NAN]])


def scores(**more):
    return ma.Scores.from_arrays({"bleu": X, "rouge": X + 1, **more}, {"people": Z})


def test_people_come_first_and_metrics_after_them():
    found = select(scores(), None, None, references=False)
    assert (found.names, found.humans, found.metrics) == (("people", "bleu", "rouge"), ("people",), ("bleu", "rouge"))
    assert found.kinds == ("human", "metric", "metric")
    np.testing.assert_array_equal(found.x, [X, X + 1])
    np.testing.assert_array_equal(found.z, [Z])
    assert [(note.code, note["column"], note["n"]) for note in found.notes] == [
        ("cells-missing", "bleu", 1),
        ("cells-missing", "rouge", 1),
        ("cells-missing", "people", 6),
    ]


def test_sizes_say_how_many_inputs_people_judged_where_it_matters():
    found = select(scores(), None, None, references=False)
    assert found.sizes() == {"systems": 3, "inputs": 3}
    assert found.sizes("all") == {"systems": 3, "inputs": 3, "annotated": [1], "means": "all"}
    whole = ma.Scores.from_arrays({"bleu": X}, {"people": X})
    assert select(whole, None, None, references=False).sizes("all") == {"systems": 3, "inputs": 3}


@pytest.mark.parametrize(
    ("need", "told"),
    [
        ({"systems": 4}, "this study needs at least 4 systems, got 3"),
        ({"inputs": 4}, "this study needs at least 4 inputs, got 3"),
    ],
)
def test_too_little_is_told_in_a_line(need, told):
    found = select(scores(), None, None, references=False)
    assert found.need(systems=3, inputs=3, levels=("system", "global")) is found
    with pytest.raises(DataError, match=told):
        found.need(**need)


def test_columns_by_themselves_need_neither_people_nor_metrics():
    chosen = select_columns(scores(), None, "bleu", references=True)
    assert (chosen.names, chosen.humans) == (("bleu",), ())
    assert select_columns(scores(), None, "bleu", references=True, with_people=True).names == ("people", "bleu")
    assert select_columns(scores(), "people", "people", references=True).names == ("people",)
    some = select_columns(scores(empty=X * NAN), None, None, references=True)
    assert some.names == ("people", "bleu", "rouge")
    assert [(note.code, note["columns"]) for note in some.notes] == [("columns-without-scores", ("empty",))]
    with pytest.raises(UsageError, match="annotated needs human scores"):
        select_columns(scores(), None, "bleu", references=True, annotated=1)


def test_systems_that_share_no_inputs_are_not_compared_by_their_means():
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 12, 30))
    z[:6, :15], z[6:, 15:] = np.nan, np.nan
    scores = ma.Scores.from_arrays({"m": x}, {"h": z})
    for level in ("system", "global"):
        with pytest.raises(ma.DataError, match="2 groups that share no input"):
            ma.agree(scores, level=level)
    assert not math.isnan(ma.agree(scores, level="input").table[0].estimate)
    # One input in common, or systems that each have inputs of their own, are no such groups.
    z[0, 0] = 1.0
    assert not math.isnan(ma.agree(ma.Scores.from_arrays({"m": x}, {"h": z}), level="system").table[0].estimate)
    own = np.where(np.arange(36) // 3 == np.arange(12)[:, None], random.normal(size=(12, 36)), np.nan)
    assert not math.isnan(ma.agree(ma.Scores.from_arrays({"m": own}, {"h": own}), level="system").table[0].estimate)


def test_columns_with_the_same_scores_are_named():
    x, z = np.random.default_rng(0).normal(size=(2, 8, 9))
    result = ma.agree(ma.Scores.from_arrays({"a": x, "b": z, "c": x.copy()}, {"h": z}), level="system")
    pairs = [(note["first"], note["second"]) for note in result.notes if note.code == "columns-identical"]
    assert sorted(pairs) == [("a", "c"), ("h", "b")]


def test_a_level_is_suggested_only_where_the_command_takes_it():
    values = {"bleu": [[1.0, 2, 3]], "ter": [[2.0, 1, 3]]}
    one = ma.Scores.from_arrays(values, {"people": [[1.0, 3, 2]]}, systems=["a"])
    for verb, told in (
        (ma.agree, r"got 1; with one system use level within-system$"),
        (ma.simulate_size, "got 1$"),
        (ma.composite, r"^this study needs at least \d+ systems, got 1$"),
    ):
        with pytest.raises(DataError, match=told):
            verb(one)


def test_criteria_that_may_be_people_are_named_with_how_to_join_them():
    z = np.arange(12.0).reshape(3, 4)
    scores = ma.Scores.from_arrays({"m": z}, {"grade_ann": z, "grade_ben": z + 1, "grade_fluency": z, "relevance": z})
    (note,) = [note for note in select(scores, None, None, references=False).notes if "--people" in str(note)]
    assert "--people 'grade=grade_ann,grade_ben'" in str(note)


def test_the_page_of_one_system_is_about_its_outputs():
    random = np.random.default_rng(0)
    quality = random.normal(size=(1, 30))
    one = ma.Scores.from_arrays(
        {name: quality + random.normal(size=(1, 30)) for name in ("bleu", "ter")}, {"people": quality}, systems=["a"]
    )
    page = ma.make_report(one, resamples=50)
    assert "at the global level" in page.html
    assert "boot-inputs" in page.html
