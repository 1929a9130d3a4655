from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metassay as ma
from metassay import Column, Scores
from metassay.core.scores import LARGEST
from metassay.errors import DataError, UsageError
from readers.conftest import same

SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz"]


def rich() -> Scores:
    nan = np.nan
    columns = [
        Column(
            "fluency",
            np.array([[[1.0, 2], [3, nan]], [[nan, nan], [nan, nan]]]),
            "human",
            (("annotator", ("x", "y")),),
        ),
        Column("ter", np.array([[0.1, 1 / 3], [-0.0, 1e-300]]), lower_is_better=True),
        Column(
            "bleu",
            np.arange(8.0).reshape(2, 2, 2, 1) + np.zeros(2),
            axes=(("language", ("de", "fr")), ("reference", ("r1", "r2"))),
        ),
        Column("never", np.full((2, 2), nan)),
    ]
    return Scores(("A", "B"), ("1", "2"), {c.name: c for c in columns}, {"A": "peer", "B": "reference"})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_reading_what_was_written_gives_equal_scores(tmp_path, suffix):
    path = tmp_path / f"scores{suffix}"
    assert ma.write(rich(), path) == path
    assert same(ma.read(path), rich())
    assert list(ma.read(path).columns) == list(rich().columns)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_without_any_score_survive(tmp_path, suffix):
    values = np.array([[1, np.nan, np.nan], [np.nan, np.nan, np.nan]])
    scores = Scores.from_arrays(
        {"m": values}, {"h": np.stack([values, values * np.nan])}, systems=["A", "B"], inputs=["1", "2", "3"]
    )
    ma.write(scores, tmp_path / f"s{suffix}")
    assert same(ma.read(tmp_path / f"s{suffix}"), scores)


def test_csv_is_plain_and_short(tmp_path):
    scores = Scores.from_arrays({"m": [[1, 0.5]]}, {"h": [[3, 4]]}, systems=["a,b"], inputs=["1", 'q"'])
    ma.write(scores, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == (
        'system,input,metric,score,kind\n"a,b",1,m,1,metric\n"a,b","q""",m,0.5,metric\n'
        '"a,b",1,h,3,human\n"a,b","q""",h,4,human\n'
    )


def test_the_same_scores_give_the_same_bytes(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        ma.write(rich(), tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize("name", ["scores", "scores.xlsx", "scores.gz", "scores.parquet.gz", "scores.json"])
def test_an_unknown_suffix_is_told(tmp_path, name):
    with pytest.raises(UsageError, match=r"must end in \.csv"):
        ma.write(rich(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_does_not_exist(tmp_path):
    with pytest.raises(UsageError, match=r"cannot write .*: No such file or directory"):
        ma.write(rich(), tmp_path / "no" / "s.csv")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "s.csv"
    path.write_text("old")

    def fail(self):
        yield next(real(self))
        raise OSError(28, "No space left on device")

    real = Scores.rows
    monkeypatch.setattr(Scores, "rows", fail)
    with pytest.raises(UsageError, match="No space left on device"):
        ma.write(rich(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_old_file_is_replaced_also_behind_a_link(tmp_path):
    real = tmp_path / "real.csv"
    real.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    ma.write(rich(), link)
    assert link.is_symlink()
    assert same(ma.read(real), rich())


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    ma.write(rich(), tmp_path / "s.csv")
    assert stat.S_IMODE((tmp_path / "s.csv").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    (tmp_path / "null.csv").symlink_to("/dev/null")
    ma.write(rich(), tmp_path / "null.csv")
    assert Path("/dev/null").is_char_device()


def test_a_name_that_utf8_cannot_write(tmp_path):
    scores = Scores.from_arrays({"m": [[1.0]]}, systems=["a\ud800"])
    with pytest.raises(DataError, match="UTF-8 cannot write"):
        ma.write(scores, tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []


NASTY = st.text(
    st.one_of(st.sampled_from(",;\t\"'\n\r<>&\\ _\u2028\u00a0é🐙\ufeff"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=8,
)
SCORES = st.floats(-LARGEST, LARGEST)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nasty_names_and_any_numbers_come_back(tmp_path, suffix, data):
    systems = data.draw(st.lists(NASTY, min_size=1, max_size=3, unique=True))
    inputs = data.draw(st.lists(NASTY, min_size=1, max_size=3, unique=True))
    names = data.draw(st.lists(NASTY, min_size=1, max_size=3, unique=True))
    cell = st.one_of(SCORES, st.just(np.nan))
    arrays = {
        name: np.array(
            data.draw(st.lists(cell, min_size=len(systems) * len(inputs), max_size=len(systems) * len(inputs)))
        ).reshape(len(systems), len(inputs))
        for name in names
    }
    if all(np.isnan(array).all() for array in arrays.values()):
        return
    scores = Scores.from_arrays(arrays, systems=systems, inputs=inputs)
    ma.write(scores, tmp_path / f"s{suffix}")
    back = ma.read(tmp_path / f"s{suffix}")
    assert same(back.select(systems=systems, inputs=inputs), scores)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
def test_safe_tables_begin_no_cell_like_a_formula(tmp_path, suffix):
    names = ("=1+1", "+a", "-a", "@a", "\ta", "a=b", "'a")
    scores = ma.Scores.from_arrays({"m": np.full((len(names), 1), -1.5)}, systems=names)
    got = ma.read(ma.write(scores, tmp_path / f"a.{suffix}", safe=True))
    assert set(got.systems) == {"'=1+1", "'+a", "'-a", "'@a", "'\ta", "a=b", "'a"}
    assert set(got.matrix("m").ravel()) == {-1.5}  # numbers stay numbers
    assert set(ma.read(ma.write(scores, tmp_path / f"b.{suffix}")).systems) == set(names)
