"""Votes: which of two outputs is better."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from metassay import Votes
from metassay.errors import DataError, FormatError, UnknownName, UsageError


def test_votes_of_labels():
    votes = Votes.from_arrays(
        ["x", "y", "x"], ["y", "z", "z"], ["model_a", "z", "tie (bothbad)"], raters=["ann", "gpt", "ann"], human="ann"
    )
    assert votes.systems == ("x", "y", "z")
    assert votes.winner.tolist() == [0, 1, 3]
    assert (votes.humans, votes.judges) == (("ann",), ("gpt",))
    assert votes.first.tolist() == [-1, -1, -1]
    np.testing.assert_array_equal(votes.counts(), [[0, 1, 0.5], [0, 0, 0], [0.5, 1, 0]])
    np.testing.assert_array_equal(votes.counts(ties=0), [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    assert len(votes.of("ann")) == 2
    assert votes.of(["ann", "gpt"]) == votes
    for again in (pickle.loads(pickle.dumps(votes)), copy.copy(votes)):
        assert again == votes
        assert not again.winner.flags.writeable


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["A", "b", "Tie"], [0, 1, 2]),
        (["left", "right", "tie"], [0, 1, 2]),
        ([1, 2, 0], [0, 1, 2]),
        ([1.0, 2.0, 1.5], [0, 1, 2]),
        (["1.23", "1.9", "[[C]]"], [0, 1, 2]),
        (["x", "y", "both bad"], [0, 1, 3]),
    ],
)
def test_winners_in_many_spellings(said, expected):
    assert Votes.from_arrays(["x"] * 3, ["y"] * 3, said).winner.tolist() == expected


def test_wrong_votes():
    with pytest.raises(FormatError, match=r"line 2: unknown winner in 'winner': 'model_c'; did you mean"):
        Votes.from_arrays(["x", "x"], ["y", "y"], ["a", "model_c"])
    with pytest.raises(FormatError, match="holds 0 and 1 only"):
        Votes.from_arrays(["x", "x"], ["y", "y"], [0, 1])
    with pytest.raises(DataError, match="1 votes compare 'x' with itself"):
        Votes.from_arrays(["x", "x"], ["x", "y"], ["a", "a"])
    with pytest.raises(DataError, match="there are no votes"):
        Votes.from_arrays([], [], [])
    votes = Votes.from_arrays(["x"], ["y"], ["a"])
    with pytest.raises(UnknownName, match="unknown rater 'bob'"):
        votes.of("bob")
    with pytest.raises(UsageError, match="expected a mask of 1 votes"):
        votes.where(np.ones(3, dtype=bool))


def test_a_frame_of_votes_there_and_back():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "question_id": [1, 1, 2],
            "model_a": ["x", "x", "y"],
            "model_b": ["y", "z", "z"],
            "winner": ["model_a", "tie", "model_b"],
            "judge": ["expert_1", "gpt-4", "gpt-4"],
            "turn": [1, 2, 1],
        }
    )
    votes = Votes.from_frame(frame)
    assert votes.inputs == ("1:1", "1:2", "2:1")
    assert (votes.humans, votes.judges) == (("expert_1",), ("gpt-4",))
    again = Votes.from_frame(pandas.DataFrame(list(votes.rows())))
    for name in ("systems", "inputs", "raters", "winner", "first", "kinds"):
        assert np.array_equal(getattr(again, name), getattr(votes, name))
