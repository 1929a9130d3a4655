"""``metassay drift``: versions in files, and a gate."""

from __future__ import annotations

import pytest


@pytest.fixture
def files(tmp_path):
    for name, flipped in (("old", 0), ("new", 60), ("same", 1)):
        rows = [f"s,{i},{'pass' if (i % 2 or i < flipped) else 'fail'}" for i in range(200)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,input,judge", *rows]))
    return tmp_path


def test_files_with_labels_and_a_gate(run, files):
    old, new, same = (
        f"{label}={files / name}.csv" for label, name in (("old", "old"), ("new", "new"), ("new", "same"))
    )
    found = run("drift", old, new, "--gate", "changed")
    assert found.code == 3
    assert "baseline: old" in found.out
    assert "gate not met: new against old: changed" in found.err
    assert run("drift", old, new).code == 0
    assert run("drift", old, same, "--gate", "changed").code == 0
    assert run("drift", old, same, "--gate", "undecided", "--margin", "0.001").code == 3


def test_an_unknown_gate(run, files):
    found = run("drift", files / "old.csv", "--gate", "x")
    assert found.code == 2
    assert "gate" in found.err


def test_roles_of_files_are_roles_where_columns_are_versions(run, tmp_path):
    path = tmp_path / "judges.csv"
    path.write_text("\n".join(["system,input,v1,v2", *(f"s,{i},{i % 2},{i % 2}" for i in range(90))]))
    found = run("drift", f"judge={path}", "--by", "metric", "--metric", "v1,v2")
    assert found.code == 0
    assert "baseline: v1" in found.out
