from __future__ import annotations

import json

import metassay as ma
from metassay.cli import main


def test_plan_writes_rows(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    ma.write(ma.example(), path)
    args = ["plan", str(path), "--human", "relevance", "--metric", "synthetic-overlap", "--trials", "60", "--quiet"]
    assert main([*args, "--width", "0.3", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["study"] == "plan"
    assert {row["axis"] for row in found["rows"]} == {"inputs", "systems", "annotators"}
    assert found["rows"][0]["power"] is None
    assert main([*args, "--metric-b", "synthetic-length", "--difference", "0.1", "--statistic", "pearson"]) == 0
    brief = capsys.readouterr().out
    assert "Sample sizes needed" in brief
    assert "Not shown: 1 table. Show all: --full" in brief
    power = ("--metric-b", "synthetic-length", "--difference", "0.1", "--statistic", "pearson", "--full")
    assert main([*args, *power]) == 0
    assert "Power by sample size" in capsys.readouterr().out


def test_plan_refuses(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    ma.write(ma.example(), path)
    assert main(["plan", str(path), "--power", "80"]) == 2
    assert "did you mean 0.8?" in capsys.readouterr().err
    assert main(["plan", str(path), "--quiet", "--power", "0.8"]) == 2
    assert "--metric-b" in capsys.readouterr().err
