"""Files appear whole or not at all, and what killed processes left behind goes."""

from __future__ import annotations

import os
import time

from metassay.core.files import write_text


def test_unfinished_files_of_killed_processes_are_swept(tmp_path):
    old, young, other = (tmp_path / name for name in (".a.csv.x1.part", ".a.csv.x2.part", ".b.csv.x1.part"))
    for path in (old, young, other):
        path.write_text("half")
    for path in (old, other):
        os.utime(path, (0, time.time() - 2 * 86_400))
    write_text(tmp_path / "a.csv", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [young.name, other.name, "a.csv"]


def test_odd_names_are_no_patterns(tmp_path):
    kept = tmp_path / ".ab.x.part"
    kept.write_text("mine")
    os.utime(kept, (0, 0))
    write_text(tmp_path / "[a]*", "whole")
    assert kept.exists()
