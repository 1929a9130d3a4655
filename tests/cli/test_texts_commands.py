"""``corrupt`` and ``translate`` on the command line."""

from __future__ import annotations

import json

import pytest

import metassay as ma
from metassay.readers.texts import read_texts


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [
        {"system": system, "input": "1", "output": f"{system} came . Nobody saw ."} for system in ("Anna", "Ben", "Cid")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_corrupt(run, texts, tmp_path):
    done = run(
        "corrupt", texts, "--kind", "shuffle", "--system", "Anna,Ben", "-o", tmp_path / "new.jsonl",
        "--changes", tmp_path / "changes.jsonl",
    )  # fmt: skip
    assert done.code == 0
    assert "shuffle, rate 1, against coherence" in done.out
    assert "read 3 systems × 1 inputs: 3 outputs" in done.err
    new = read_texts(tmp_path / "new.jsonl").outputs
    assert new["Anna", "1"] == "Nobody saw . Anna came ."
    assert new["Cid", "1"] == "Cid came . Nobody saw ."
    changes = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    assert changes[0] == {
        "system": "Anna", "input": "1", "position": 0, "before": "Anna came .", "after": "Nobody saw .",
    }  # fmt: skip
    assert ma.corrupt(read_texts(texts), "shuffle", systems="Anna,Ben").texts.outputs == new


def test_corrupt_as_json(run, texts, tmp_path):
    done = run("corrupt", texts, "--kind", "repeat", "-o", tmp_path / "new.csv", "--format", "json", "-q")
    assert (done.code, done.err) == (0, "")
    result = json.loads(done.out)
    assert result["study"] == "corrupt"
    assert [row["n_changes"] for row in result["rows"]] == [2, 2, 2]


def test_translate_there_and_back(run, texts, tmp_path):
    done = run(
        "translate", texts, "--to", "es", "--with", "command:tr a-zA-Z n-za-mN-ZA-M", "--cache", tmp_path / "cache.db",
        "-o", tmp_path / "there.jsonl", "--back", tmp_path / "back.jsonl",
    )  # fmt: skip
    assert done.code == 0
    assert "es → en" in done.out
    there = read_texts(tmp_path / "there.jsonl")
    assert there.outputs["Anna", "1"] == "Naan pnzr . Abobql fnj ."
    assert read_texts(tmp_path / "back.jsonl").outputs == read_texts(texts).outputs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["corrupt", "TEXTS", "-o", "new.jsonl"],
            "no kind of corruption given; choose one with --kind: lemmatize, shuffle",
        ),
        (["corrupt", "TEXTS", "--kind", "shuffle"], "no file to write to; name one with -o FILE"),
        (["corrupt", "TEXTS", "--kind", "shuffle", "-o", "TEXTS"], "would overwrite a file that it reads"),
        (["corrupt", "TEXTS", "--kind", "shuffle", "-o", "new.txt"], "must end in .jsonl, .csv, .tsv"),
        (["corrupt", "TEXTS", "--kind", "x", "-o", "new.jsonl"], "unknown kind of corruption 'x'"),
        (["corrupt", "--kind", "shuffle", "-o", "new.jsonl"], "no file given"),
        (
            ["corrupt", "TEXTS", "--kind", "shuffle", "-o", "a.jsonl", "--changes", "a.jsonl"],
            "-o and --changes name the same file, 'a.jsonl'",
        ),
        (["corrupt", "TEXTS", "--kind", "shuffle", "--rate", "50", "-o", "a.jsonl"], "did you mean 0.5?"),
        (["translate", "TEXTS", "-o", "new.jsonl"], "no language to translate into"),
        (["translate", "TEXTS", "--to", "es", "--with", "x", "-o", "new.jsonl"], "a translator is one of"),
        (["translate", "TEXTS", "--to", "es", "--with", "command:no-such", "-o", "new.jsonl"], "names no program"),
    ],
)
def test_misuse_is_one_line(run, texts, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run(*(str(texts) if a == "TEXTS" else a for a in arguments), "-q")
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert done.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["texts.jsonl"]


def test_probes_are_the_kinds_that_should_move_no_verdict():
    from metassay.core.vocabulary import PROBES
    from metassay.texts.changes.kinds import KINDS, UNHARMED

    assert [name for name, kind in KINDS.items() if kind.criterion == UNHARMED] == list(PROBES)
