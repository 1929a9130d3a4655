"""``metassay reproduce`` and ``metassay datasets``."""

from __future__ import annotations

import json

from metassay.cli.commands import load
from metassay.cli.parser import Command, Family
from metassay.readers import datasets as registry
from metassay.reproduction import reproduce as module
from metassay.reproduction.published import Figure


def test_a_disagreement_is_a_result_unless_strict(run, tmp_path, monkeypatch):
    figure = Figure("ernst-2023", "Table 9", "numbers", {"a": 0.5}, "summeval", "x", {}, 0.1, "", "why")
    monkeypatch.setattr(module, "figures", lambda: (figure,))
    for ours, strictly in ((0.9, 1), (0.55, 0)):
        monkeypatch.setattr(module, "compute", lambda *_, ours=ours: {"a": ours})
        code, out, _ = run("reproduce", "--data", tmp_path, "--format", "json")
        assert code == 0
        assert run("reproduce", "--data", tmp_path, "--strict").code == strictly
        (row,) = json.loads(out)["rows"]
        assert (row["published"], row["ours"], row["within"]) == (0.5, ours, not strictly)


def test_without_data(run, tmp_path):
    code, out, err = run("reproduce", "--data", tmp_path, "--only", "rankel-2011")
    assert (code, err) == (0, "")
    assert "licensed by NIST" in " ".join(out.split())
    code, out, err = run("reproduce", "--data", tmp_path / "absent")
    assert (code, out) == (2, "")
    assert "there is no folder" in err
    code, _, err = run("reproduce", "--data", tmp_path, "--only", "rankel")
    assert code == 2
    assert "did you mean" in err


def test_the_family_of_datasets(run, tmp_path):
    family = load("datasets")
    assert isinstance(family, Family)
    for part in family.parts:
        assert isinstance(load(f"datasets-{part}"), Command)
        assert run("datasets", part, "--help").code == 0
    code, out, _ = run("datasets", "list", "--folder", tmp_path, "--format", "json")
    assert code == 0
    assert {row["name"]: row["here"] for row in json.loads(out)["rows"]} == {"summeval": 0, "realsumm": 0, "tac2008": 0}
    assert "7b05bd8" in run("datasets", "list", "--folder", tmp_path, "--view", "sources").out


def test_getting_without_a_network_is_one_line(run, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "HOST", "http://127.0.0.1:1")
    code, out, err = run("datasets", "get", "tac2008", "--folder", tmp_path, "-q")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "download it by hand and put it at" in err
    code, out, err = run("datasets", "where", "tac2008", "--folder", tmp_path)
    assert (code, out) == (1, "")
    assert "metassay datasets get tac2008" in err
    for argv in (("get",), ("where",), ("get", "tac")):
        assert run("datasets", *argv, "--folder", tmp_path).code == 2


def test_what_is_here_is_found(run, shared_data):
    code, out, err = run("datasets", "get", "all", "--folder", shared_data)
    assert (code, err) == (0, "")
    assert out.split() == [str(shared_data / name) for name in ("summeval", "realsumm", "tac2008")]
    assert run("datasets", "where", "realsumm", "--folder", shared_data).out.strip() == str(shared_data / "realsumm")
