import numpy as np
import pytest

from metassay.core.groups import assign_groups
from metassay.core.scores import Scores
from metassay.errors import UnknownName, UsageError


def scores(*systems, groups=None):
    return Scores.from_arrays({"m": np.zeros((len(systems), 2))}, systems=systems, groups=groups)


def test_the_first_match_wins():
    found = assign_groups(scores("1", "H1", "H2"), {"humans": "H*", "machines": "*"})
    assert found == {"1": "machines", "H1": "humans", "H2": "humans"}
    assert assign_groups(scores("1", "H1"), {"machines": "*", "humans": "H*"}) == {"1": "machines", "H1": "machines"}


def test_texts_lists_and_comma_lists_say_the_same():
    data = scores("A", "B", "1")
    expected = {"A": "people", "B": "people"}
    for given in ({"people": "A,B"}, {"people": ["A", "B"]}, ["people=A,B"], ["people=A", "people=B"], "people=A,B"):
        assert assign_groups(data, given) == expected


def test_without_patterns_the_data_decides():
    assert assign_groups(scores("a", "b", groups={"b": "reference"}), None) == {"b": "reference"}


def test_names_are_names_before_they_are_globs():
    assert assign_groups(scores("[x]", "x", "a,b"), {"one": "[x]", "two": "a,b"}) == {
        "[x]": "one",
        "x": "one",
        "a,b": "two",
    }


def test_case_matters_everywhere():
    assert assign_groups(scores("h1", "H1"), {"humans": "H*"}) == {"H1": "humans"}


def test_a_pattern_that_matches_nothing_is_an_error():
    with pytest.raises(UnknownName, match="did you mean 'H1'"):
        assign_groups(scores("H1", "1"), {"humans": "H2"})


@pytest.mark.parametrize("text", ["humans", "=H*", "humans=", ""])
def test_a_text_that_is_no_group_is_an_error(text):
    with pytest.raises(UsageError, match="NAME=PATTERN"):
        assign_groups(scores("H1"), [text])
