"""Small files that would fill the memory are refused, or read within a bound."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

import metassay as ma
from metassay.core.ledger import Bounds, Ledger, Place
from metassay.errors import DataError, FormatError
from metassay.readers import source
from metassay.readers.recognition import read_all

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured as Linux tells it")

MEGABYTES = 900
READ = """
import sys
import metassay as ma
try:
    print(ma.read(sys.argv[1]).shape)
except ma.MetassayError as error:
    print(error)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) // 1024)
"""


def read_apart(path):
    """Read a file in a process of its own; return what it said, after checking how much memory it took."""
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    said, megabytes = done.stdout.splitlines()
    assert int(megabytes) < MEGABYTES
    return said


def test_every_row_with_a_system_and_an_input_of_its_own(make):
    path = make("a.csv", "system,input,metric,score\n" + "".join(f"s{i},i{i},m,1\n" for i in range(30_000)))
    said = read_apart(path)
    assert "30,000 scores are too few for a table of 900,000,000 cells (30,000 systems × 30,000 inputs)" in said


def test_every_row_with_a_metric_of_its_own(make):
    rows = "".join(f"s{i % 100},i{i // 100 % 100},m{i},1\n" for i in range(30_000))
    assert "30,000 scores are too few for a table of 300,000,000 cells" in read_apart(
        make("a.csv", "system,input,metric,score\n" + rows)
    )


def test_every_row_with_an_annotator_of_its_own(make):
    rows = "".join(f"s{i % 100},i{i // 100},m,1,a{i}\n" for i in range(10_000))
    said = read_apart(make("a.csv", "system,input,metric,score,annotator\n" + rows))
    assert "cells (10,000 annotators × 100 systems × 100 inputs)" in said


def test_rows_of_json_that_have_no_names_in_common(make):
    path = make("a.jsonl", [{"system": "A", "input": "1", f"m{i}": i} for i in range(16_000)])
    assert read_apart(path) == "(1, 1)"


def test_sparse_tables_of_ordinary_size_are_read(make):
    rows = "".join(f"s{i},i{i},m,{i}\n" for i in range(300))
    assert ma.read(make("a.csv", "system,input,metric,score\n" + rows)).shape == (300, 300)


@pytest.mark.parametrize(("head", "rest"), [(b"[", b" "), (b'{"system": "A", "input": "', b"x")])
def test_gzip_that_unpacks_to_much_more_than_its_size(tmp_path, head, rest):
    path = tmp_path / "a.gz"
    with gzip.open(path, "wb", 1) as stream:
        stream.write(head)
        for _ in range(120):
            stream.write(rest * 1_000_000)
    assert "a.gz: the gzip data unpacks to more than 64 MB" in read_apart(path)


def test_the_bound_of_gzip_grows_with_its_size(make, monkeypatch):
    monkeypatch.setattr(source, "_ALWAYS_UNPACKED", 1000)
    rows = "".join(f"s{i % 7},i{i},m,{i * 0.37}\n" for i in range(2000))
    assert ma.read(make("a.csv.gz", "system,input,metric,score\n" + rows, packed=True)).shape == (7, 2000)
    with pytest.raises(FormatError, match=r"a\.csv\.gz: the gzip data unpacks to more than"):
        ma.read(make("a.csv.gz", "system,input,metric,score\n" + "A,1,m,1\n" * 100_000, packed=True))


@pytest.mark.parametrize("encoding", ["dictionary", "PLAIN", "DELTA_BYTE_ARRAY"])
def test_a_long_text_in_every_row_of_parquet(tmp_path, encoding):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    rows, name = 20_000, "x" * 2_000_000
    keys = [str(i) for i in range(rows)]
    if encoding == "dictionary":
        systems = arrow.DictionaryArray.from_arrays(arrow.array(bytes(rows), arrow.int8()), [name])
        stored = {"use_dictionary": True}
    else:
        rows = 250
        systems, stored = [name] * rows, {"use_dictionary": False, "column_encoding": {"system": encoding}}
    table = arrow.table({"system": systems, "input": keys[:rows], "m": [1.0] * rows})
    parquet.write_table(table, path, compression="zstd", store_schema=False, **stored)
    assert path.stat().st_size < 2_000_000
    said = read_apart(path)
    assert said == f"(1, {rows})" or "a.parquet: the Parquet file unpacks to" in said


def test_parquet_of_endless_rows(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    n = 8_000_000
    one = {"system": "A", "input": "1", "m": "1"}
    columns = {k: arrow.DictionaryArray.from_arrays(arrow.array(bytes(n), arrow.int8()), [v]) for k, v in one.items()}
    parquet.write_table(arrow.table(columns), path, compression="zstd")
    assert "a.parquet: the Parquet file unpacks to 24,000,000 cells" in read_apart(path)


def test_bounds_are_checked_before_the_rows_are_read(make):
    wide = make("a.csv", "system,input," + ",".join(f"m{i}" for i in range(300)) + "\nA,1,not,looked,at\n")
    with pytest.raises(DataError, match="there are 300 columns; at most 200 can be studied here"):
        read_all([wide], format=None, language=None, bounds=Bounds(columns=200))
    tidy = make("b.csv", "system,input,metric,score\n" + "".join(f"A,{i},m,1\n" for i in range(50)))
    with pytest.raises(DataError, match="there are 50 scores; at most 40 can be studied here"):
        read_all([tidy], format=None, language=None, bounds=Bounds(cells=40))


def test_single_records_are_counted_against_the_bounds(monkeypatch):
    monkeypatch.setattr("metassay.core.ledger._LOOSE_LIMIT", 10)
    ledger = Ledger(bounds=Bounds(columns=3))
    for at in range(9):
        ledger.record("A", "1", f"m{at}", 1.0, Place("a.json"))
    with pytest.raises(DataError, match="there are 10 columns; at most 3"):
        ledger.record("A", "1", "m9", 1.0, Place("a.json"))


def test_wide_tables_take_time_in_proportion(make):
    """Not a time but the work: a header is looked at once per name."""
    names = [f"m{i}" for i in range(20_000)]
    row = json.dumps({"system": "A", "input": "1", **dict.fromkeys(names, 1)}) + "\n"
    assert len(ma.read(make("a.jsonl", row)).columns) == 20_000
    header = "system,input," + ",".join(names)
    with pytest.raises(FormatError, match="the column 'm7' occurs twice"):
        ma.read(make("a.csv", f"{header},m7\nA,1{',1' * 20_001}\n"))
