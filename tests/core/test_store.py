"""One file for checkpoints and caches: whose it is, what is whole in it, and what happens to it when all goes wrong."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from functools import partial

import pytest

from metassay import engine
from metassay.core import store
from metassay.core.note import Note
from metassay.core.store import CHECKPOINT, SCORES, TRANSLATIONS, Store
from metassay.core.texts import Texts
from metassay.errors import DataError, MetassayError, UsageError
from metassay.texts.changes.translation import translate
from metassay.texts.scorers.scoring import score

KINDS = (CHECKPOINT, SCORES, TRANSLATIONS)
TEXTS = Texts({("a", "1"): "one"})
USES = {
    "checkpoint": lambda path: engine.on(checkpoint=path).__enter__(),
    "scores": lambda path: score(TEXTS, "length", cache=path),
    "translations": lambda path: translate(TEXTS, to="es", with_="command:cat", cache=path),
}


def flip(path, value):
    """Change one bit of a value where it stands in the file."""
    data = bytearray(path.read_bytes())
    assert data.count(value) == 1
    data[data.index(value) + len(value) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("content", ["database", "another of ours", "table", "pipe"])
def test_files_of_others_are_refused_and_stay_as_they_are(tmp_path, use, content):
    path = tmp_path / "precious.db"
    if content == "database":
        with sqlite3.connect(path) as connection:
            connection.execute("create table entries (key, value, checksum)")  # even if it looks the same
        connection.close()
    elif content == "another of ours":
        with Store(path, SCORES if use != "scores" else CHECKPOINT) as other:
            other.put({b"a": b"1"})
    elif content == "table":
        path.write_text("system,input,score\n")
    else:
        os.mkfifo(path)
    before = None if content == "pipe" else path.read_bytes()
    with pytest.raises(UsageError, match=r"precious\.db' is not a .* made by .*name another") as caught:
        USES[use](path)
    assert "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["precious.db"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_noticed(tmp_path, kind):
    path = tmp_path / "file.db"
    with Store(path, kind) as kept:
        kept.put({b"a": b"some value", b"b": b"other value"})
    flip(path, b"some value")
    with Store(path, kind) as kept:
        assert kept.get([b"a", b"b"]) == {b"b": b"other value"}
        assert kept.settle(b"a", b"new") == b"new"
        assert kept.get([b"a"]) == {b"a": b"new"}


def test_values_cannot_change_places(tmp_path):
    path = tmp_path / "file.db"
    with Store(path, SCORES) as kept:
        kept.put({b"a": b"1", b"b": b"2"})
    with sqlite3.connect(path) as connection:
        connection.execute(
            "update entries set (value, checksum) = (select value, checksum from entries where key = x'62') "
            "where key = x'61'"
        )
    connection.close()
    with Store(path, SCORES) as kept:
        assert kept.get([b"a", b"b"]) == {b"b": b"2"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_set_aside_or_told(tmp_path, kind):
    path = tmp_path / "file.db"
    for turn in ("", "1"):
        with Store(path, kind) as kept:
            kept.put({b"%d" % n: b"x" * 100 for n in range(500)})
        data = path.read_bytes()
        path.write_bytes(damaged := data[:4096] + b"\xff" * (len(data) - 4096))
        if not kind.begins_anew:
            with pytest.raises(UsageError, match=r"cannot use the checkpoint .*malformed"), Store(path, kind) as kept:
                kept.get([b"1"])
            assert path.read_bytes() == damaged
            return
        (tmp_path / "file.db-journal").write_bytes(b"left behind")
        with Store(path, kind) as kept:
            assert kept.get([b"1"]) == {}
            now = f"file.db.damaged{turn}"
            assert kept.notes == [Note.of("store-damaged", what=kind.what, path=str(path), now=now)]
        assert (tmp_path / f"file.db.damaged{turn}").read_bytes() == damaged


@pytest.mark.parametrize("may_wait", [False, True])
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path, may_wait, monkeypatch):
    path = tmp_path / "file.db"
    with Store(path, CHECKPOINT) as kept:
        kept.put({b"1": b"kept"})

    class Full(sqlite3.Connection):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.execute("pragma max_page_count = 3")  # what a full disk looks like to SQLite

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with Store(path, CHECKPOINT) as kept:
        with pytest.raises(DataError, match="the disk is full; free some space and run again"):
            kept.put({bytes([n]): b"x" * 5_000 for n in range(100)}, may_wait=may_wait)
        assert kept.get([b"1", b"\x02"]) == {b"1": b"kept"}


def test_what_fails_while_nobody_waits_is_told_to_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "SECONDS", 0.01)

    full = threading.Event()

    class Full(sqlite3.Connection):
        def commit(self):
            if not self.in_transaction or self.total_changes == 0:
                return super().commit()
            full.set()
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    with Store(tmp_path / "file.db", CHECKPOINT) as kept:
        kept.put({b"1": b"x"}, may_wait=True)
        assert full.wait(120)
        with pytest.raises(DataError, match="the disk is full"):
            kept.put({b"2": b"x"}, may_wait=True)


def test_a_file_that_cannot_be_made(tmp_path):
    for path in (tmp_path / "no" / "such" / "folder.db", tmp_path):
        for kind in KINDS:
            with pytest.raises(MetassayError, match=f"cannot use the {kind.what} .*; name another"):
                Store(path, kind)


def test_threads_share_it(tmp_path):
    keys = [b"%d" % n for n in range(200)]
    with Store(tmp_path / "file.db", TRANSLATIONS) as kept:
        threads = [
            threading.Thread(target=lambda part=part: [kept.put({key: key * 2}) for key in keys[part::4]])
            for part in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert kept.get(keys) == {key: key * 2 for key in keys}


def test_what_was_put_before_a_kill_is_there(tmp_path):
    program = """
        import os, signal, sys
        from metassay.core import store
        from metassay.core.store import SCORES, Store
        store.SECONDS = 3600.0
        store = Store(sys.argv[1], SCORES)
        for n in range(50):
            store.put({b"%d" % n: b"x" * 1000})
        store.put({b"last": b"waiting"}, may_wait=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    path = tmp_path / "file.db"
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(path)], check=False, timeout=600)
    assert ended.returncode == -signal.SIGKILL
    with Store(path, SCORES) as kept:
        assert len(kept.get(b"%d" % n for n in range(50))) == 50
        assert kept.get([b"last"]) == {}
        assert kept.notes == []
