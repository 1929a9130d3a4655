from __future__ import annotations

import sys

import numpy as np
import pytest

from metassay import Column, Scores
from metassay.core.frames import number
from metassay.core.ledger import Place
from metassay.errors import FormatError, UsageError

BACKENDS = ["pandas", "polars", "pyarrow"]


@pytest.fixture(params=BACKENDS)
def backend(request) -> str:
    pytest.importorskip(request.param)
    return request.param


def frame(backend: str, columns: dict) -> object:
    import narwhals as nw

    pytest.importorskip(backend)
    return nw.from_dict(columns, backend=backend).to_native()


def test_tidy_frame(backend):
    scores = Scores.from_frame(
        frame(
            backend,
            {"system": ["A", "A", "B"], "input": [1, 2, 1], "metric": ["m"] * 3, "score": [0.5, 1, None]},
        ),
        lower_is_better="m",
    )
    np.testing.assert_array_equal(scores["m"].values, [[0.5, 1], [np.nan, np.nan]])
    assert scores["m"].lower_is_better
    assert scores.sources == (("a data frame", "tidy scores"),)


def test_wide_frame(backend):
    scores = Scores.from_frame(
        frame(backend, {"system": ["A", "B"], "input": ["x", "x"], "bleu": [1, 2], "fluency": [3.5, None]}),
        human="flu*",
    )
    assert scores.humans == ("fluency",)
    assert scores["bleu"].values.tolist() == [[1], [2]]


def test_there_and_back(backend):
    columns = [
        Column("h", np.array([[[1, 2.5], [3, np.nan]]]), "human", (("annotator", ("ann",)),)),
        Column("ter", np.array([[0.1, 0.2], [0.3, 0.4]]), lower_is_better=True),
    ]
    scores = Scores(("A", "B"), ("x", "y"), {c.name: c for c in columns}, {"A": "peer"})
    back = Scores.from_frame(scores.to_dataframe(backend))
    assert (back.systems, back.inputs, dict(back.groups)) == (
        scores.systems,
        scores.inputs,
        dict(scores.groups),
    )
    for name, column in scores.columns.items():
        np.testing.assert_array_equal(back[name].values, column.values)
        assert (back[name].kind, back[name].axes) == (column.kind, column.axes)
        assert back[name].lower_is_better == column.lower_is_better


def test_missing_optional_labels_are_empty(backend):
    table = {
        "system": ["A", "A"],
        "input": ["x", "y"],
        "metric": ["m", "n"],
        "score": [1.0, 2.0],
        "annotator": ["1", None],
    }
    scores = Scores.from_frame(frame(backend, table))
    assert scores["m"].labels("annotator") == ("1",)
    assert scores["n"].axes == ()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"group": ["A"], "bleu": [1]},
            r"the data frame: column 'input' is missing; .* \(found: group, bleu\)",
        ),
        ({"system": ["A"], "input": ["x"], "metric": ["m"]}, "column 'score' is missing beside 'metric'"),
        ({"system": ["A", None], "input": ["x", "x"], "m": [1, 2]}, "line 2: the field 'system' is empty"),
        (
            {"system": ["A", "A", "A"], "input": ["x", "y", "z"], "m": ["1", "2", "high"]},
            "line 3: field 'm' must be a number, got 'high'",
        ),
        ({"system": ["A"], "input": ["x"], "m": [float("inf")]}, "line 1: score of 'm' must be finite"),
    ],
)
def test_wrong_frames(columns, message):
    with pytest.raises(FormatError, match=message):
        Scores.from_frame(frame("polars", columns))


def test_what_is_no_frame():
    with pytest.raises(UsageError, match=r"expected a data frame .*, got list"):
        Scores.from_frame([1, 2])


def test_backends(monkeypatch):
    scores = Scores.from_arrays({"m": [[1.0]]})
    with pytest.raises(UsageError, match="backend must be pandas, polars or pyarrow, got 'excel'"):
        scores.to_dataframe("excel")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="polars is not installed; run: pip install polars"):
        scores.to_dataframe("polars")


@pytest.mark.parametrize(
    ("value", "expected"), [("1e-3", 0.001), (" 2 ", 2), (3, 3), (np.float32(0.5), 0.5), ("-.5", -0.5)]
)
def test_numbers(value, expected):
    assert number(value, "score", Place("f")) == expected


@pytest.mark.parametrize("value", ["1,5", "1_0", "0x1", "one", True, [1], {}, b"1", 10**400, object()])
def test_not_numbers(value):
    with pytest.raises(FormatError, match="f, line 2: field 'score' must be a number") as caught:
        number(value, "score", Place("f", 2))
    assert "\n" not in str(caught.value)
