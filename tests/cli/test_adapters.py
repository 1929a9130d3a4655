"""Metrics of the user's own, and judges, on the command line."""

from __future__ import annotations

import json

import pytest

import metassay as ma


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [{"system": system, "input": "1", "output": f"{system} came ."} for system in ("Anna", "Ben")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_program_and_a_function(run, texts, tmp_path):
    (tmp_path / "mine.py").write_text("def size(output): return len(output)\n")
    metric = f"command[run=\"sed 's/.*/2,5/;s/,/./'\",name=mine],python[call={tmp_path}/mine.py:size]"
    done = run("score", texts, "--metric", metric, "--cache", tmp_path / "cache.db", "-o", tmp_path / "scores.csv")
    assert done.code == 0, done.err
    assert "mine|command:sed" in done.err
    scores = ma.read(tmp_path / "scores.csv")
    assert scores.matrix("mine").tolist() == [[2.5], [2.5]]
    assert scores.matrix("size").tolist() == [[11], [10]]


@pytest.mark.parametrize(
    ("metric", "code", "message"),
    [
        ("command[run=false]", 1, "the command 'false' failed with exit code 1 (0 of 2 outputs have their scores)"),
        ("command[run=no-such-program]", 2, "names no program that can be found"),
        ("command[run=echo 1]", 1, "must print one line per output; it printed 1 for 2"),
        ("python[call=math:nothing]", 2, "'math' has no function 'nothing'"),
        ("model[model=m,criterion=fluency]", 2, "the environment variable OPENAI_API_KEY holds no key"),
        ("model[model=m,criterion=fluency,base_url=ftp://x]", 2, "base_url must begin with http"),
        (
            "model[model=m,criterion=fluency,base_url=http://127.0.0.1:9,retries=0]",
            1,
            "the endpoint http://127.0.0.1:9 cannot be reached",
        ),
    ],
)
def test_failures_are_one_line_and_no_file(run, texts, tmp_path, monkeypatch, metric, code, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = run("score", texts, "--metric", metric, "--no-cache", "-o", tmp_path / "scores.csv", "-q")
    assert done.code == code
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "scores.csv").exists()
