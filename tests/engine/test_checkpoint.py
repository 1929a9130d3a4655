"""Finished pages in a file: what is kept, what is refused, and what happens after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import metassay as ma
from metassay import engine
from metassay.core.store import checksum
from metassay.engine.checkpoint import Checkpoint, Digests, pack, unpack
from metassay.errors import UsageError
from metassay.stats.significance import Counts


def pages_in(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
        keys = [key.decode() for (key,) in file.execute("select key from entries")]
        return sorted(int(key.split()[3].rstrip(",")) for key in keys if ", page " in key)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_pages_are_done_once(tmp_path):
    file = tmp_path / "work.checkpoint"
    numbers = np.arange(4.0)
    done = []

    def work(page, numbers=numbers):
        done.append(1)  # a list in a closure is part of what the work is about, so it is emptied before each run
        return numbers * page

    first = engine.run(work, 5)
    for expected in (5, 0):
        done.clear()
        with engine.on(checkpoint=file):
            assert same(engine.run(work, 5), first)
        assert len(done) == expected
    assert pages_in(file) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("threads", [1, 3])
def test_work_goes_on_after_an_error(tmp_path, threads, monkeypatch):
    monkeypatch.setattr(engine, "WORTH_THREADS", 0.0)
    file = tmp_path / "work.checkpoint"
    fail = tmp_path / "fail"
    fail.touch()

    def work(page):
        if page == 6 and fail.exists():
            raise ZeroDivisionError("page 6")
        return page / 7, {"page": [page]}

    with pytest.raises(ZeroDivisionError), engine.on(checkpoint=file):
        engine.run(work, 9, threads=threads)
    assert set(range(5)) <= set(pages_in(file)) <= set(range(9)) - {6}
    fail.unlink()
    seen = []
    with engine.on(checkpoint=file), engine.reporting(lambda done, total, what: seen.append((done, total))):
        before = len(pages_in(file))
        assert engine.run(work, 9, threads=threads) == [(page / 7, {"page": [page]}) for page in range(9)]
    assert seen == [(done, 9) for done in range(before, 10)]  # the bar begins where the work stopped


def test_several_runs_have_pages_of_their_own(tmp_path):
    file = tmp_path / "work.checkpoint"
    for _ in range(2):
        with engine.on(checkpoint=file):
            assert engine.run(lambda page: page + 1, 3) == [1, 2, 3]
            assert engine.run(lambda page: None, 3) == [None] * 3  # leaves its results elsewhere, so it is done again
            assert engine.run(lambda page: page * 2.5, 2) == [0.0, 2.5]


def test_other_work_is_refused_in_one_line(tmp_path):
    file = tmp_path / "work.checkpoint"
    data = np.arange(6.0)
    with engine.on(checkpoint=file):
        engine.run(lambda page: data * page, 3, what="multiplying")
    data = data.copy()
    data[2] += 1e-9
    with (
        engine.on(checkpoint=file),
        pytest.raises(UsageError, match=r"another run \(multiplying, 3 pages with other") as e,
    ):
        engine.run(lambda page: data * page, 3)
    assert "\n" not in str(e.value)
    with engine.on(checkpoint=file), pytest.raises(UsageError, match="is from another run"):
        engine.run(lambda page: data * page, 4)


def test_other_files_are_refused(tmp_path):
    text = tmp_path / "scores.csv"
    text.write_text("system,input,score\n")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as file:
        file.execute("create table notes (words text)")
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(UsageError, match="is not a checkpoint made by"), engine.on(checkpoint=path):
            pass
        assert path.read_bytes() == before
    with pytest.raises(UsageError, match="cannot use the checkpoint"), engine.on(checkpoint=tmp_path / "no" / "file"):
        pass


def test_a_damaged_page_is_done_again(tmp_path):
    file = tmp_path / "work.checkpoint"
    for _ in range(2):
        with engine.on(checkpoint=file):
            assert engine.run(lambda page: page * 3, 4) == [0, 3, 6, 9]
        with sqlite3.connect(file) as database:
            database.execute("update entries set value = ? where cast(key as text) like '%page 2,%'", (pack("wrong"),))
            assert database.total_changes == 1


@pytest.mark.parametrize("value", [b"", b"\xff" * 9, "text", None, 3])
def test_a_page_of_another_making_is_done_again(tmp_path, value):
    file = tmp_path / "work.checkpoint"
    for _ in range(2):
        with engine.on(checkpoint=file):
            assert engine.run(lambda page: page * 3, 4) == [0, 3, 6, 9]
        with sqlite3.connect(file) as database:
            ((key,),) = database.execute("select key from entries where cast(key as text) like '%page 2,%'")
            row = (value, checksum(key, value), key)
            database.execute("update entries set value = ?, checksum = ? where key = ?", row)


def test_a_damaged_file_is_told_in_one_line(tmp_path):
    file = tmp_path / "work.checkpoint"
    with engine.on(checkpoint=file):
        engine.run(lambda page: np.arange(2000.0) * page, 3)
    data = file.read_bytes()
    # The first block, which says what tables there are, is spared.
    file.write_bytes(data[:4096] + bytes(byte ^ 0x5A for byte in data[4096:]))
    with pytest.raises(UsageError, match=r"cannot use the checkpoint .* malformed"), engine.on(checkpoint=file):
        engine.run(lambda page: np.arange(2000.0) * page, 3)


def test_every_page_is_on_disk_soon(tmp_path):
    """A page must not wait for the next one, which may take hours."""
    file = tmp_path / "work.checkpoint"
    seen = []

    def work(page):
        if page == 2:
            deadline = time.monotonic() + 120
            while len(pages_in(file)) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            seen.extend(pages_in(file))
        return page

    with engine.on(checkpoint=file):
        engine.run(work, 3, threads=1)
    assert seen == [0, 1]


def test_two_processes_cannot_mix_their_work(tmp_path):
    """Both begin with an empty file; whoever keeps a page first has it."""
    file = tmp_path / "work.checkpoint"
    first, second = Checkpoint(file), Checkpoint(file)
    with first, second:
        mine, other = (
            first.begin(lambda page: page + 1, 3, "adding"),
            second.begin(lambda page: page * 2, 3, "doubling"),
        )
        with mine:
            mine.keep(0, 1)
        with pytest.raises(UsageError, match=r"is from another run \(adding"), other:
            other.keep(0, 0)
        with mine:
            mine.keep(1, 2)
    with Checkpoint(file) as again:
        assert again.begin(lambda page: page + 1, 3, "adding").known == {0: 1, 1: 2}


def test_packing_keeps_every_bit():
    values = [
        None, True, 7, 0.1, float("inf"), "ü", np.float64(0.3), np.arange(6, dtype=np.int8).reshape(2, 3),
        (1, [2, (3,)]), {"a": np.array([np.nan, -0.0]), 3: "b"}, np.zeros((0, 4)),
    ]  # fmt: skip
    back = unpack(pack(values))
    assert repr(back) == repr(values)
    assert back[7].dtype == np.int8
    assert np.signbit(back[9]["a"][1])
    counts = Counts(*(np.arange(3) + k for k in range(4)))
    assert repr(unpack(pack(counts))) == repr(counts)


def test_only_plain_things_are_packed_and_unpacked():
    for value in (object(), {1}, np.array([object()], dtype=object), lambda: 0):
        with pytest.raises((TypeError, ValueError)):
            pack(value)
    for module, name in (("os", "system"), ("metassay.engine.checkpoint", "pack"), ("metassay.engine", "os.system")):
        forged = f'["class", "{module}", "{name}", ["true"]]'.encode()
        with pytest.raises(TypeError, match="cannot unpack"):
            unpack(len(forged).to_bytes(4, "little") + forged)


@dataclass
class Plan:
    size: int
    threads: int | None = None


def held(plan, data):
    return lambda page: (plan.size, data, page)


def test_digests_tell_data_apart_and_nothing_else():
    def of(value):
        return Digests().of(value)

    data = np.arange(5.0)
    assert of(held(Plan(1), data)) == of(held(Plan(1, threads=4), data.copy()))
    assert of(held(Plan(1), data)) != of(held(Plan(2), data))
    assert of(held(Plan(1), data)) != of(held(Plan(1), data[::-1]))
    assert of(held(Plan(1), data)) != of(held(Plan(1), data.astype(np.float32)))
    assert of(partial(held, 1)) != of(partial(held, 2))
    assert of([1, [2]]) != of([[1], 2])
    assert of({"a", "b", "c"}) == of({"c", "b", "a"})
    assert of("1") != of(1)
    looped: list[object] = [1]
    looped.append(looped)
    assert of(looped) == of(looped)


def test_digests_are_the_same_in_another_process():
    code = (
        "import numpy as np; from metassay.engine.checkpoint import Digests; "
        "d = {'a': np.arange(3), 'b': {'x', 'y', 'z'}}; print(Digests().of(lambda page: d).hex())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": h},
        ).stdout
        for h in ("1", "2")
    }
    assert len(digests) == 1


STUDIES = {
    "agree": {"resamples": 1500},
    "compare": {"resamples": 1500, "level": "system", "metric": "synthetic-*e*"},
    "plan": {"metric": "synthetic-judge", "trials": 60},
    "pairs": {"metric": "synthetic-judge", "resamples": 50},
    "stability": {"draws": 30},
    "systems": {"metric": "synthetic-judge", "resamples": 100},
    "simulate_coverage": {"metric": "synthetic-judge", "trials": 20, "resamples": 50},
    "simulate_power": {"metric": "synthetic-judge", "level": "system", "trials": 60, "resamples": 50, "noise": [1, 2]},
}


@pytest.mark.parametrize("study", STUDIES)
def test_studies_give_the_same_bytes_with_a_checkpoint(tmp_path, study):
    def result():
        return getattr(ma, study)(ma.example(), human="relevance", **STUDIES[study]).to_json()

    plain = result()
    for _ in range(2):
        with engine.on(checkpoint=tmp_path / "study.checkpoint"):
            assert result() == plain


DYING = """
import os, signal, sqlite3, sys, time
from metassay.cli import main
from metassay.engine import checkpoint

keep, file = checkpoint._KeptSection.keep, sys.argv[-1]

def dying(section, page, result):
    keep(section, page, result)
    while page > 10:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as there:
            if there.execute("select count(*) from entries where cast(key as text) like '%, page %'").fetchone()[0] > 3:
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)

checkpoint._KeptSection.keep = dying
main(sys.argv[1:])
"""


def test_a_killed_simulation_goes_on_where_it_was(tmp_path):
    """It is killed when the eleventh of its forty pages is handed over and four are on disk."""
    scores, file = tmp_path / "scores.csv", tmp_path / "killed.checkpoint"
    ma.write(ma.example(), scores)
    words = [
        "simulate", "coverage", str(scores), "--human", "relevance", "--metric", "synthetic-judge", "--trials", "160",
        "--resamples", "100", "--level", "system", "--interval", "boot-both", "--format", "json", "--quiet",
    ]  # fmt: skip

    def run(*before, after=("--checkpoint", str(file))):
        return subprocess.run([sys.executable, *before, *words, *after], capture_output=True, check=False, timeout=600)

    assert run("-c", DYING).returncode == -signal.SIGKILL
    assert 3 < len(pages_in(file)) < 40
    resumed = run("-m", "metassay")
    assert len(pages_in(file)) == 40
    assert resumed.stdout == run("-m", "metassay", after=()).stdout != b""
