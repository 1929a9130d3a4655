from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest

import metassay as ma
from metassay.errors import FormatError, UsageError

TIDY = "system,input,metric,score\nA,1,rouge,0.5\nA,2,rouge,0.25\nB,1,rouge,1\n"


def test_tidy_csv_becomes_a_matrix_with_a_missing_cell(make):
    scores = ma.read(make("scores.csv", TIDY))
    assert scores.systems == ("A", "B")
    assert scores.inputs == ("1", "2")
    assert scores.metrics == ("rouge",)
    np.testing.assert_array_equal(scores["rouge"].values, [[0.5, 0.25], [1, np.nan]])
    assert scores.sources == (("scores.csv", "tidy CSV"),)


@pytest.mark.parametrize(("delimiter", "said"), [("\t", "tidy TSV"), (";", "tidy CSV with semicolons")])
def test_the_delimiter_is_recognised_by_content(make, delimiter, said):
    scores = ma.read(make("scores.txt", TIDY.replace(",", delimiter)))
    assert scores.sources == (("scores.txt", said),)
    assert scores.shape == (2, 2)


def test_optional_columns_are_understood(make):
    text = (
        "system,input,metric,score,kind,annotator,language,reference,group,direction\n"
        "A,1,fluency,3,human,x,de,,peer,\n"
        "A,1,fluency,5,human,y,de,,peer,\n"
        "B,1,fluency,1,HUMAN,x,de,,reference,\n"
        "A,1,ter,0.3,metric,,,r1,peer,lower\n"
    )
    scores = ma.read(make("s.csv", text))
    assert scores.humans == ("fluency",)
    assert scores["fluency"].axes == (("language", ("de",)), ("annotator", ("x", "y")))
    assert scores["ter"].axes == (("reference", ("r1",)),)
    assert scores["ter"].lower_is_better
    assert not scores["fluency"].lower_is_better
    assert dict(scores.groups) == {"A": "peer", "B": "reference"}


def test_wide_table_has_a_column_per_metric(make):
    scores = ma.read(make("w.csv", "input,bleu,system,ter\n1,0.5,A,\n1,0.25,B,7\n"))
    assert scores.metrics == ("bleu", "ter")
    np.testing.assert_array_equal(scores["ter"].values, [[np.nan], [7]])
    assert scores.sources == (("w.csv", "wide CSV"),)


def test_wide_table_may_name_annotators(make):
    scores = ma.read(make("w.csv", "system,input,annotator,fluency\nA,1,x,3\nA,1,y,4\n"))
    assert scores["fluency"].axes == (("annotator", ("x", "y")),)


def test_a_wide_table_may_have_a_metric_called_score(make):
    assert ma.read(make("w.csv", "system,input,score\nA,1,3\n")).metrics == ("score",)


def test_row_numbers_of_a_data_frame_are_not_a_metric(make):
    assert ma.read(make("w.csv", ",system,input,bleu\n0,A,1,0.5\n1,B,1,0.25\n")).metrics == ("bleu",)


def test_a_column_without_any_value_is_left_out_unless_chosen(make):
    path = make("w.csv", "system,input,bleu,empty\nA,1,1,\n,,,\nB,1,2,\n")
    scores = ma.read(path)
    assert (scores.metrics, [note.code for note in scores.notes]) == (("bleu",), ["columns-empty"])
    assert np.isnan(ma.read(path, human="empty")["empty"].values).all()


@pytest.mark.parametrize("text", ["", " ", "NA", "nan", "None", "null", "NaN"])
def test_what_means_missing(make, text):
    scores = ma.read(make("s.csv", f"system,input,metric,score\nA,1,m,1\nB,1,m,{text}\n"))
    np.testing.assert_array_equal(scores["m"].values, [[1], [np.nan]])


def test_spaces_after_the_commas_are_not_part_of_names(make):
    scores = ma.read(make("s.csv", 'system, input, metric, score\nA, 1, "a, b", 0.5\n'))
    assert scores.inputs == ("1",)
    assert scores.metrics == ("a, b",)


def test_byte_order_mark_windows_line_ends_and_blank_lines(make):
    text = "\ufeff" + TIDY.replace("\n", "\r\n") + "\r\n\r\n"
    assert ma.read(make("s.csv", text)).shape == (2, 2)


def test_names_are_kept_verbatim(make):
    names = [
        "a,b",
        'say "hi"',
        "two\nlines",
        "cr\rhere",
        "🐙",
        "<img src=x onerror=alert(1)>",
        " padded ",
        "nan",
    ]
    rows = "".join('"{}",1,m,{}\n'.format(name.replace('"', '""'), i) for i, name in enumerate(names))
    scores = ma.read(make("s.csv", "system,input,metric,score\n" + rows))
    assert set(scores.systems) == set(names)
    at = scores.systems.index("two\nlines")
    assert scores["m"].values[at, 0] == 2


def test_json_lines_and_json_arrays(make):
    rows = (
        '{"system": "A", "input": 1, "metric": "m", "score": 0.5}',
        '{"system": "B", "input": 1, "metric": "m", "score": null}',
    )
    lines = ma.read(make("s.jsonl", "\n".join(rows)))
    array = ma.read(make("s.json", "[\n" + ",\n".join(rows) + "]"))
    assert lines.sources == (("s.jsonl", "tidy JSON lines"),)
    assert array.sources == (("s.json", "tidy JSON"),)
    for scores in (lines, array):
        assert scores.inputs == ("1",)
        np.testing.assert_array_equal(scores["m"].values, [[0.5], [np.nan]])


def test_json_nan_is_a_missing_score_like_null(make):
    rows = "".join(
        f'{{"system": "{system}", "input": "1"{rest}}}\n'
        for system, rest in (("A", ', "m": 1'), ("B", ', "m": NaN'), ("C", ""))
    )
    np.testing.assert_array_equal(ma.read(make("s.jsonl", rows))["m"].values, [[1], [np.nan], [np.nan]])


def test_many_rows_cross_the_chunks(make):
    rows = [f"s{i % 50},i{i // 50},m,{i}" for i in range(40_000)]
    scores = ma.read(make("s.csv", "system,input,metric,score\n" + "\n".join(rows)))
    assert scores.shape == (50, 800)
    assert scores["m"].values[scores.systems.index("s7"), scores.inputs.index("i799")] == 799 * 50 + 7


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"system": ["A", "B"], "input": [1, 1], "bleu": [0.5, None]})
    pq.write_table(table, tmp_path / "s.parquet")
    scores = ma.read(tmp_path / "s.parquet")
    assert scores.sources == (("s.parquet", "wide Parquet"),)
    np.testing.assert_array_equal(scores["bleu"].values, [[0.5], [np.nan]])


def test_parquet_without_pyarrow_says_what_to_install(make, monkeypatch):
    path = make("s.parquet", b"PAR1" + b"\0" * 20)
    real = importlib.import_module

    def missing(name: str, package: str | None = None):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(UsageError, match=r"pip install 'metassay\[parquet\]'"):
        ma.read(path)


@pytest.mark.parametrize("damage", range(4, 600, 7))
def test_damaged_parquet_is_told_or_harmless(tmp_path, damage):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "s.parquet"
    pq.write_table(pa.table({"system": ["A"], "input": ["x"], "m": [1.0]}), path)
    data = bytearray(path.read_bytes())
    data[damage % len(data)] ^= 0xE5
    path.write_bytes(data)
    said = "s.parquet"
    try:
        ma.read(path)
    except FormatError as error:
        said = str(error)
    assert "s.parquet" in said
    assert "\n" not in said


def test_parquet_without_rows(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"system": pa.array([], pa.string()), "input": [], "m": []}), tmp_path / "s.parquet")
    with pytest.raises(FormatError, match="there are columns and no row in them"):
        ma.read(tmp_path / "s.parquet")


def test_the_format_can_be_said(make):
    path = make("s.csv", "system,input,metric,score\nA,1,2,3\n")
    assert ma.read(path).metrics == ("2",)
    assert ma.read(path, format="wide").metrics == ("metric", "score")
    with pytest.raises(FormatError, match="column 'metric' is missing; a tidy table has"):
        ma.read(make("w.csv", "system,input,bleu\nA,1,2\n"), format="tidy")


def test_reading_imports_nothing_heavy():
    code = "import sys, metassay.readers; print(*{'numpy', 'pandas', 'pyarrow', 'scipy'} & sys.modules.keys())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == ""


@pytest.mark.parametrize("blank", ["\n", "\n\n", "  \n", "\ufeff\n", "\r\n\t\n"])
@pytest.mark.parametrize("rows", [1, 20_000])
def test_blank_lines_before_the_header(make, blank, rows):
    table = "system,input,m\n" + "".join(f"A,{i},{i}\n" for i in range(rows))
    assert ma.read(make("a.csv", blank + table)).shape == (1, rows)
    with pytest.raises(ma.FormatError, match=rf"line {blank.count(chr(10)) + 3}: field 'm' must be a number"):
        ma.read(make("a.csv", blank + "system,input,m\nA,1,1\nA,2,x\n"))
