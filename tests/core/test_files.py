"""Files appear whole or not at all, and what killed writers left behind goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from metassay.core import files


def left_behind(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


def test_the_unfinished_file_of_a_killed_writer_is_swept_by_the_next(tmp_path, monkeypatch):
    target = tmp_path / "scores.csv"
    code = f"""
import os
from metassay.core.files import replacing
with replacing({str(target)!r}) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert len(left_behind(tmp_path)) == 1
    assert not target.exists()
    (tmp_path / ".scores.csv.other").write_text("not ours")
    (tmp_path / ".scores.csv2.abc.part").write_text("of another file")
    # It may belong to a writer that has just begun.
    files.write_text(target, "whole")
    assert len(left_behind(tmp_path)) == 2
    monkeypatch.setattr(files, "YOUNG", -1.0)
    files.write_text(target, "whole again")
    assert left_behind(tmp_path) == [".scores.csv2.abc.part"]
    assert target.read_text() == "whole again"
    assert (tmp_path / ".scores.csv.other").exists()


def test_a_writer_at_work_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "YOUNG", -1.0)
    target = tmp_path / "scores.csv"
    with files.replacing(target) as slow:
        slow.write(b"slow")
        slow.flush()
        old = time.time() - 3600
        os.utime(slow.fileno(), (old, old))
        files.write_text(target, "quick")
        assert target.read_text() == "quick"
        assert len(left_behind(tmp_path)) == 1
    assert target.read_text() == "slow"
    assert left_behind(tmp_path) == []


def test_after_an_error_nothing_is_left(tmp_path):
    with pytest.raises(ZeroDivisionError), files.replacing(tmp_path / "scores.csv"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
