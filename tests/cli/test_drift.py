"""``metassay drift``: versions in files, and a gate."""

from __future__ import annotations

from xml.etree import ElementTree as ET

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
    assert "metassay: not met: gate changed: new against old is changed (shift" in found.err
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


def test_requirements_and_the_gate_are_told_to_ci(run, files):
    old, new, report = f"old={files / 'old.csv'}", f"new={files / 'new.csv'}", files / "drift.xml"
    ask = ("--require", "flips.high<=0.1,shift.low>=-0.2", "--gate", "changed", "--junit", report, "--github")
    code, out, err = run("drift", old, new, "--quiet", *ask)
    assert code == 3
    lines = [line for line in err.splitlines() if line.startswith("metassay: not met: ")]
    assert [line.split(": ")[2] for line in lines] == ["flips.high<=0.1", "gate changed"]
    assert lines[0].endswith("for new against old")
    assert err.count("::error title=metassay drift::requirement not met: ") == 2
    suite = ET.parse(report).getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("metassay drift", "3", "2")
    assert "flips.high<=0.1" in out  # the result tells requirements, too
    assert run("drift", old, new, "--junit", report).err.strip().endswith("cannot be used without --gate or --require")
    assert "unknown number in a requirement on versions: 'kappa'" in run("drift", old, new, "--require", "kappa>=0").err
    assert "before has estimate, abs, n" in run("drift", old, new, "--require", "before.low>=0").err


def test_labels_and_numbers_are_no_versions_of_one_judge(run, tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("input,old,new\n" + "".join(f"i{i},{'pass' if i % 3 else 'fail'},{1 + i % 5}\n" for i in range(30)))
    code, out, err = run("drift", path, "--metric", "old,new")
    assert (code, out) == (1, "")
    assert "not on one scale" in err
