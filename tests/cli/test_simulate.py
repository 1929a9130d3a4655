"""``metassay simulate`` and its parts."""

from __future__ import annotations

import json

import pytest

import metassay as ma
from metassay.cli.commands import load
from metassay.cli.parser import Command, Family

QUICK = ("--human", "relevance", "--metric", "close", "--trials", "8", "--resamples", "20")


def test_a_family_explains_itself_and_its_parts(run):
    for argv in (("simulate",), ("simulate", "--help"), ("help", "simulate")):
        code, out, err = run(*argv)
        assert (code, err) == (0, "")
        assert "metassay simulate coverage" in out
    family = load("simulate")
    assert isinstance(family, Family)
    for part in family.parts:
        assert isinstance(load(f"simulate-{part}"), Command)
        code, out, _ = run("simulate", part, "--help")
        assert code == 0
        assert f"usage: metassay simulate {part} " in out
        assert "--checkpoint" in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("simulate", "powr", "x.csv"), "unknown part 'powr'; did you mean power?"),
        (("simulate", "--seed", "1"), "must come first"),
        (("simulate", "power", "x.csv", "--keep", "0.5"), "--keep is for ROUGE-1, which needs --texts"),
        (("simulate", "power", "x.csv", "--noise", "1", "--texts", "y"), "--noise cannot be used with --texts"),
        (("simulate", "power", "x.csv", "--noise", "a"), "noise must be numbers, got 'a'"),
        (("simulate", "coverage", "x.csv", "--trials", "0"), "trials must be a whole number of at least 1"),
        (("simulate", "coverage", "x.csv", "--interval", "wald"), "unknown interval 'wald'"),
        (("simulate", "coverage", "x.csv", "--workers", "0"), "workers must be a whole number of at least 1"),
    ],
)
def test_misuse_is_one_line(run, argv, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("system,input,relevance,m\na,1,1,2\na,2,2,3\nb,1,3,4\nb,2,4,5\n")
    code, out, err = run(*argv, "--human", "relevance", "-q") if argv[1] in ("power", "coverage") else run(*argv)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("part", ["coverage", "power"])
def test_the_same_from_python_and_the_command_line(run, scores, part):
    study = getattr(ma, f"simulate_{part}")
    code, out, _ = run("simulate", part, scores, *QUICK, "--format", "json")
    assert code == 0
    data = ma.read(scores).declare(human="relevance")
    assert out == study(data, human="relevance", metric="close", trials=8, resamples=20).to_json()


def test_tables(run, scores):
    out = " ".join(run("simulate", "coverage", scores, *QUICK).out.split())
    assert "4 systems × 6 inputs" in out
    assert "boot-both" in out
    few = run("simulate", "power", scores, *QUICK, "--noise", "1,2").out
    assert "In brackets: 95% CI." in few
    many = run("simulate", "power", scores, *QUICK, "--test", "perm-both", "--view", "curves").out
    assert "95% CIs are at most" in many
    assert "correlation when corrupted" in many


def test_rouge_on_some_of_the_words(run, tmp_path):
    lines = ["system,input,relevance"]
    texts = ["system,input,output,reference"]
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    for s in range(4):
        for i in range(5):
            lines.append(f"s{s},i{i},{s + (i * s) % 3}")
            texts.append(f"s{s},i{i},{' '.join(words[: 2 + s + i % 2])} end{s},{' '.join(words)}")
    people, outputs = tmp_path / "people.csv", tmp_path / "texts.csv"
    people.write_text("\n".join(lines) + "\n")
    outputs.write_text("\n".join(texts) + "\n")
    more = (
        "--human",
        "relevance",
        "--trials",
        "6",
        "--resamples",
        "20",
        "--measure",
        "recall",
        "--with-references",
        "first",
        "--format",
        "json",
    )
    code, out, err = run("simulate", "power", people, "--texts", outputs, "--keep", "0.5,1", *more)
    assert code == 0, err
    rows = json.loads(out)["rows"]
    assert {(row["metric"], row["damage"]) for row in rows} == {("rouge-1-recall", "words")}
    assert {row["rate"] for row in rows if row["setting"] == 1 and row["trials"]} == {0.0}


def test_a_checkpoint_of_other_work_is_refused(run, scores, tmp_path):
    file = tmp_path / "run.checkpoint"
    first = run("simulate", "coverage", scores, *QUICK, "--checkpoint", file)
    assert run("simulate", "coverage", scores, *QUICK, "--checkpoint", file) == first
    code, out, err = run("simulate", "coverage", scores, *QUICK, "--seed", "1", "-q", "--checkpoint", file)
    assert (code, out) == (2, "")
    assert "is from another run (simulating coverage" in err
    assert err.count("\n") == 1


def test_size_needs_no_file(run):
    argv = ("simulate", "size", "--population", "equal: 8 systems", "--test", "two-way,williams", "--trials", "20")
    code, out, err = run(*argv, "--resamples", "49", "--format", "json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [row["test"] for row in rows] == ["two-way", "williams"]
    assert rows[0]["human"] is None
    assert rows[0]["equal"] is True
    code, _, err = run(*argv, "--human", "z")
    assert code == 2
    assert "--human cannot be used without a file" in err
