"""``score`` on the command line."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

import metassay as ma


@pytest.fixture
def plain(tmp_path, monkeypatch):
    """Plain files, aligned line by line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    for name, text in {
        "bart.txt": "the cat sat\n\na dog ran\n",
        "t5.txt": "a cat\nbirds sing\ndogs\n",
        "ref-1.txt": "the cat sat\nbirds sing\na dog ran off\n",
        "ref-2.txt": "a cat\n\nthe dog ran\n",
        "source.txt": "x\ny\nz\n",
        "short.txt": "one line\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


FILES = ("--parallel", "bart.txt", "--parallel", "T5=t5.txt", "--reference", "ref-1.txt", "--reference", "ref-2.txt")


def test_plain_files(run, plain):
    done = run("score", *FILES, "--metric", "rouge[variants=1,measures=f1]", "-o", "scores.csv")
    assert done.code == 0
    assert "read 2 systems × 3 inputs: 6 outputs, 3 inputs with references" in done.err
    assert "rouge|variants:1" in done.err
    assert "1 of 6 outputs are empty" in done.err
    scores = ma.read("scores.csv")
    assert (scores.systems, scores.inputs) == (("T5", "bart"), ("1", "2", "3"))
    same = ma.read_parallel({"bart": "bart.txt", "T5": "t5.txt"}, references=["ref-1.txt", "ref-2.txt"])
    assert ma.score(same, "rouge[variants=1,measures=f1]").matrix("rouge-1_f1").tolist() == (
        scores.matrix("rouge-1_f1").tolist()
    )
    first = run("score", *FILES, "--metric", "rouge[variants=1]", "--max-references", "1", "-o", "first.csv", "-q")
    assert (first.code, first.err) == (0, "")
    assert ma.read("first.csv").matrix("rouge-1_f1")[0].tolist() != scores.matrix("rouge-1_f1")[0].tolist()


def test_plain_files_are_damaged_and_translated_alike(run, plain):
    done = run("corrupt", *FILES, "--source", "source.txt", "--kind", "repeat", "-o", "new.jsonl")
    assert done.code == 0
    texts = ma.read_texts("new.jsonl")
    assert dict(texts.sources) == {"1": "x", "2": "y", "3": "z"}
    assert texts.references["1"] == ("the cat sat", "a cat")
    there = run("translate", *FILES, "--to", "es", "--with", "command:cat", "-o", "there.jsonl", "-q")
    assert there.code == 0
    assert ma.read_texts("there.jsonl").outputs["T5", "2"] == "birds sing"


def test_scores_from_elsewhere_are_written_along(run, plain):
    rows = [
        {"instance_id": key, "summarizer_id": system, "summarizer_type": "peer", "metrics": {"BEwTE": {"f1": at + 0.5}}}
        for at, (system, key) in enumerate((s, k) for s in ("bart", "T5") for k in "123")
    ]
    (plain / "bewte.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("score", *FILES, "--metric", "length", "--with", "bewte.jsonl", "-o", "all.csv")
    assert done.code == 0
    scores = ma.read("all.csv")
    assert scores.matrix("BEwTE_f1").tolist() == [[3.5, 4.5, 5.5], [0.5, 1.5, 2.5]]
    assert scores.matrix("length_tokens")[1].tolist() == [3, 0, 3]
    # the new scores may join the file that has the others
    more = run("score", *FILES, "--metric", "chrf", "--with", "all.csv", "-o", "all.csv", "-q")
    assert more.code == 0
    assert set(ma.read("all.csv").columns) == {*scores.columns, "chrf"}
    # a score that is there already must be the same one
    (plain / "wrong.csv").write_text("system,input,metric,score\nbart,1,chrf,1\n")
    wrong = run("score", *FILES, "--metric", "chrf", "--with", "wrong.csv", "-o", "all.csv", "-q")
    assert wrong.code == 1
    assert "contradicts" in wrong.err
    assert set(ma.read("all.csv").columns) == {*scores.columns, "chrf"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--parallel", "bart.txt", "--reference", "short.txt"],
            "the same number of lines: bart.txt has 3, short.txt has 1",
        ),
        (["--reference", "ref-1.txt"], "--reference and --source go with --parallel"),
        (["bart.txt", "--parallel", "bart.txt"], "tables of texts or --parallel files, not both; got 'bart.txt'"),
        (["--parallel", "bart.txt", "--parallel", "bart=t5.txt"], "names system 'bart' twice"),
        (["--parallel", "a=nowhere.txt"], "nowhere.txt"),
        (["--parallel", "bart.txt", "-o", "bart.txt"], "must end in .csv, .tsv, .jsonl or .parquet"),
        ([], "no file given; name at least one file with texts, or --parallel NAME=FILE"),
        (["--parallel", "bart.txt", "--with", "other.csv"], "--with: no system of the scores is one of the texts"),
        (["--parallel", "bart.txt", "--max-references", "0"], "must be a whole number of at least 1"),
    ],
)
def test_misuse_is_one_line(run, plain, arguments, message):
    (plain / "other.csv").write_text("system,input,metric,score\nz,1,m,1\n")
    before = sorted(path.name for path in plain.iterdir())
    done = run("score", *([] if "-o" in arguments else ["-o", "new.csv"]), *arguments, "--metric", "length", "-q")
    assert done.code in (1, 2)
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert [name for name in sorted(path.name for path in plain.iterdir()) if name != "kept"] == before


def test_a_full_disk_leaves_the_old_scores(run, plain, monkeypatch):
    import os

    (plain / "scores.csv").write_text("old\n")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = run("score", *FILES, "--metric", "length", "-o", "scores.csv", "-q")
    assert done.code == 2
    assert done.err == "metassay: error: cannot write 'scores.csv': No space left on device\n"
    assert (plain / "scores.csv").read_text() == "old\n"


def test_a_file_that_cannot_be_written_is_told_before_any_work(run, plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run("score", *FILES, "--metric", "length", "-o", "scores.parquet")
    assert done.code == 2
    assert done.err == "metassay: error: writing Parquet needs pyarrow; run: pip install 'metassay[parquet]'\n"


def test_what_is_missing_is_told_before_any_work(run, plain, monkeypatch):
    monkeypatch.setenv("PATH", "")
    done = run("score", *FILES, "--metric", "meteor", "-o", "scores.csv")
    assert done.code == 2
    assert "java, not installed here; run: apt install default-jre-headless" in done.err
    assert "read" not in done.err


def test_work_goes_where_it_is_told(run, plain):
    argv = ("score", *FILES, "--metric", "rouge[variants=1]", "-o", "scores.csv")
    assert "workers must be a whole number of at least 1, got 0" in run(*argv, "--workers", "0").err
    if importlib.util.find_spec("distributed") is not None:
        nobody = run(*argv, "--cluster", "nobody")
        assert (nobody.code, nobody.out) == (2, "")
        assert "no Dask scheduler answers at 'nobody'" in nobody.err
    assert not (plain / "scores.csv").exists()


@pytest.mark.skipif(importlib.util.find_spec("sacrebleu") is None, reason="pip install 'metassay[lexical]'")
def test_scores_and_tests_of_whole_systems(run, plain):
    done = run("score", *FILES, "--metric", "bleu,ter", "--corpus", "-o", "systems.csv")
    assert done.code == 0
    assert "BLEU|nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:" in done.err
    texts = ma.read_parallel({"bart": "bart.txt", "T5": "t5.txt"}, references=["ref-1.txt", "ref-2.txt"])
    column = ma.score_corpus(texts, "ter").columns["ter"]
    assert ma.read("systems.csv")["ter"].values[:, 0].tolist() == pytest.approx(column.scores.tolist())
    tested = run("systems", *FILES, "--corpus", "--metric", "bleu", "--resamples", "50", "--format", "json")
    assert tested.code == 0
    rows = json.loads(tested.out)["rows"]
    assert [row["test"] for row in rows] == ["paired-bootstrap", "approximate-randomization"]
    assert rows[0]["low"] <= rows[0]["mean_difference"] <= rows[0]["high"]
    shown = run("systems", *FILES, "--corpus", "--metric", "bleu", "--test", "paired-bootstrap", "--resamples", "50")
    assert "95% CI of the difference (bootstrap percentiles)" in shown.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", *FILES, "--metric", "rouge", "--corpus", "-o", "s.csv"), "rouge has no score of a whole system"),
        (("score", *FILES, "--metric", "chrf", "--corpus", "--by-reference", "-o", "s.csv"), "--corpus scores whole"),
        (
            ("score", *FILES, "--metric", "chrf", "--corpus", "--leave-own-out", "-o", "s.csv"),
            "--leave-own-out cannot be used",
        ),
        (("systems", *FILES, "--metric", "chrf"), "which need --corpus"),
        (("systems", *FILES, "--corpus"), "--corpus needs metrics of texts"),
        (("systems", *FILES, "--corpus", "--metric", "chrf", "--human", "x"), "--human cannot be used with --corpus"),
        (("systems", *FILES, "--corpus", "--metric", "chrf", "--test", "paired-t"), "paired-t needs a score of every"),
    ],
)
def test_misuse_of_corpus_scores(run, plain, arguments, said):
    pytest.importorskip("sacrebleu", reason="pip install 'metassay[lexical]'")
    done = run(*arguments)
    assert done.code == 2
    assert said in done.err
    assert not (plain / "s.csv").exists()


def test_safe_csv_keeps_spreadsheets_from_running_names(run, plain):
    done = run("score", "--parallel", "@sum=bart.txt", "--metric", "length", "-o", "scores.csv", "--safe-csv", "-q")
    assert (done.code, done.err) == (0, "")
    assert ma.read("scores.csv").systems == ("'@sum",)
    done = run("score", "--parallel", "bart.txt", "--metric", "length", "-o", "scores.jsonl", "--safe-csv")
    assert done.code == 2
    assert "--safe-csv cannot be used for 'scores.jsonl'" in done.err
