"""JSON as Python reads it, but for keys that an object has twice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.core import strict_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from([None, 2]))
def test_other_json_is_read_as_ever(value, indent):
    text = json.dumps(value, indent=indent)
    assert strict_json.loads(text) == json.loads(text)
    assert strict_json.loads(f" {text}\n") == json.loads(text)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,]", "nul", "1 2", '{"a" 1}', '{"a": 1} x', "\x00", '{"a": 1, "a": 2']
)
def test_what_is_no_json_is_told_as_ever(text):
    with pytest.raises(json.JSONDecodeError) as ours:
        strict_json.loads(text)
    with pytest.raises(json.JSONDecodeError) as theirs:
        json.loads(text)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('{"a": 1, "a": 1}', "a", 1),
        ('{"a": {"b": 1},\n"c": [{"b": 1,\n"b": 2}]}', "b", 3),
        ('{"a": "}",\n "x": "{\\"a\\": 1}",\n "\\u0061": 2}', "a", 3),
        ('[{"a": 1}, {"a": 1}, {"": 1, "": 2}]', "", 1),
    ],
)
def test_a_key_twice_is_told_with_its_line(text, key, line):
    with pytest.raises(strict_json.RepeatedKey, match=f"the key '{key}' occurs twice") as caught:
        strict_json.loads(text)
    assert caught.value.line == line
    assert caught.value.__cause__ is None
