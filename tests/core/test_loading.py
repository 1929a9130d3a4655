"""Results as JSON: all tables, and back again."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

import metassay as ma
from metassay.core.records import decode, encode
from metassay.report.data import from_json

from .test_copying import STUDIES

LOADED = {name: make for name, make in STUDIES.items() if name != "corrupt"}


@pytest.mark.parametrize("name", LOADED)
def test_a_result_comes_back_equal_with_all_its_tables(name, tmp_path):
    result = LOADED[name](ma.example())
    text = result.to_json(tmp_path / "result.json")
    again = ma.load(tmp_path / "result.json")
    assert again == result
    assert again.to_json() == text
    assert again.to_text() == result.to_text()
    found = json.loads(text)
    assert list(found)[:5] == ["study", "version", "signature", "rows", "tables"]
    assert list(found["tables"]) == [name for name in result.tables() if name != "table"]
    for table in result.tables():
        rows = found["rows"] if table == "table" else found["tables"][table]
        assert len(rows) == len(getattr(result, table))
        assert all(
            list(row) == [f.name for f in dataclasses.fields(made)]
            for row, made in zip(rows, getattr(result, table), strict=True)
        )


def test_texts_are_not_kept_in_json():
    with pytest.raises(ma.FormatError, match="in a file of their own"):
        from_json(STUDIES["corrupt"](None).to_json())


@pytest.mark.parametrize(
    "note",
    [{"code": "no-longer-known"}, {"code": "references-excluded", "count": 3}, {"code": "level-exceeded", "tests": 5}],
)
def test_notes_of_another_version_stay_the_sentences_that_they_were(note):
    found = json.loads(STUDIES["normality"](ma.example()).to_json())
    found["notes"] = [{**note, "text": "Three systems are excluded."}]
    again = from_json(json.dumps(found))
    assert list(map(str, again.notes)) == ["Three systems are excluded."]
    assert from_json(again.to_json()) == again
    assert "Three systems are excluded." in again.to_text()


def test_a_plan_whose_answer_only_another_version_knows_is_shown_with_it():
    found = json.loads(STUDIES["plan"](ma.example()).to_json())
    plan = next(note for note in found["notes"] if note["code"] == "plan")
    del plan["width"]
    plan["text"] = "About 189 inputs are needed. " * 20
    again = from_json(json.dumps(found))
    assert plan["text"].strip() in " ".join(again.to_text().split())


def test_numbers_that_json_does_not_know():
    values = (1.0, math.nan, math.inf, -math.inf)
    assert encode(values) == [1.0, None, "Infinity", "-Infinity"]
    assert str(decode(encode(values), tuple[float, ...])) == str(values)
    assert decode(None, float | None) is None


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"study": "agree", "version": "0", "signature": "a:b", "rows": [], "tables": {}, "notes": [{"code": 5}]}',
    ],
)
def test_what_breaks_while_it_is_read_is_told_as_well(text):
    with pytest.raises(ma.FormatError, match="is not a result that metassay"):
        from_json(text)
