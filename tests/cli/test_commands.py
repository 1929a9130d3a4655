"""The commands on real files."""

import csv
import inspect
import io
import json
from importlib import import_module

import numpy as np
import pytest

import metassay as ma
from metassay import HOMES
from metassay.cli.commands import COMMANDS, load
from metassay.core.study import places

QUICK = ("--resamples", "99", "--human", "relevance")


def test_agree_prints_a_table_and_says_what_it_read(run, scores):
    code, out, err = run("agree", scores, *QUICK)
    assert code == 0
    assert err == "read 1 file (wide CSV): 8 systems × 12 inputs, 3 metrics, 1 human criterion\n"
    names = [line.split()[0] for line in out.splitlines() if line.startswith(("close", "rough", "noise"))]
    assert names[0] == "close"
    assert out.splitlines()[-1].startswith("study:agree|level:system,input|")
    assert "pairs ranked" in out
    assert "\x1b" not in out


def test_quiet_says_nothing_but_the_result(run, scores):
    code, out, err = run("agree", scores, *QUICK, "--quiet")
    assert (code, err) == (0, "")
    assert "close" in out


def test_json_on_stdout_is_the_same_as_from_python(run, scores):
    import metassay as ma

    code, out, _ = run("agree", scores, *QUICK, "--format", "json", "--level", "system")
    assert code == 0
    data = json.loads(out)
    assert list(data) == ["study", "version", "signature", "rows", "tables", "notes"]
    expected = ma.agree(ma.read(scores).declare(human="relevance"), level="system", resamples=99)
    assert out == expected.to_json()


def test_csv_has_the_rows_of_the_json(run, scores):
    rows = json.loads(run("compare", scores, *QUICK, "--format", "json").out)["rows"]
    table = list(csv.DictReader(io.StringIO(run("compare", scores, *QUICK, "--format", "csv").out)))
    assert [line["metric_a"] for line in table] == [row["metric_a"] for row in rows]
    assert [float(line["p_value"]) for line in table] == [row["p_value"] for row in rows]
    assert len(rows) == 3 * 2 * 2


def test_compare_shows_the_view_that_is_asked_for(run, scores):
    assert "1  close" in run("compare", scores, *QUICK, "--view", "matrix").out
    listed = run("compare", scores, *QUICK, "--view", "list").out
    assert "difference" in listed
    assert "Ranks" not in listed


def test_normality(run, scores):
    code, out, _ = run("normality", scores, "--human", "relevance", "--format", "csv")
    assert code == 0
    assert [row["metric"] for row in csv.DictReader(io.StringIO(out))] != []


def test_options_reach_the_study(run, scores):
    out = run(
        "compare",
        scores,
        "--human=relevance",
        *("--metric", "close,rough", "--level", "summary", "--statistic", "pearson", "--test", "williams"),
        *("--alternative", "two-sided", "--correction", "holm", "--scope", "table", "--alpha", "0.1"),
        *("--format", "json"),
    ).out
    rows = json.loads(out)["rows"]
    assert {(r["level"], r["statistic"], r["test"]) for r in rows} == {("input", "pearson", "williams")}
    assert {(r["alternative"], r["correction"], r["scope"]) for r in rows} == {("two-sided", "holm", "table")}
    assert {r["metric_a"] for r in rows} == {"close", "rough"}


def test_lower_is_better_turns_the_sign(run, scores):
    def close(*more):
        rows = json.loads(run("agree", scores, *QUICK, "--level", "system", "--format", "json", *more).out)["rows"]
        return next(row["estimate"] for row in rows if row["metric"] == "close")

    assert close("--lower-is-better", "close") == -close()


def test_files_and_options_may_be_mixed_and_files_merge(run, tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("system,input,people\n" + "".join(f"s{s},i{i},{s + i % 2}\n" for s in range(4) for i in range(5)))
    two.write_text("system,input,bleu\n" + "".join(f"s{s},i{i},{s * 2}\n" for s in range(4) for i in range(5)))
    code, out, err = run("agree", one, "--human", "people", two, "--resamples", "50", "--format", "json")
    assert code == 0
    assert "read 2 files" in err
    assert {row["metric"] for row in json.loads(out)["rows"]} == {"bleu"}
    assert run("agree", "--human", "people", "--resamples=50", "-q", "--", one, two).code == 0


def test_stdin_is_a_file_called_dash(spawn, scores):
    code, out, err = spawn("agree", "-", *QUICK, "--format", "json", stdin=scores.read_bytes())
    assert code == 0
    assert "read 1 file (wide CSV)" in err
    assert len(json.loads(out)["rows"]) == 6
    code, out, err = spawn("agree", "-", *QUICK, stdin=b"")
    assert code == 1
    assert "metassay-" not in err, "the name of the spool is nobody's business"


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("json", "{"), ("csv", "metric,"), ("md", "close agrees best"), ("tex", "%"), ("html", "<!doctype html>")],
)
def test_the_suffix_of_the_output_decides_on_the_format(run, scores, tmp_path, suffix, start):
    target = tmp_path / f"out.{suffix}"
    code, out, err = run("agree", scores, *QUICK, "-o", target)
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == f"wrote {target}"
    assert target.read_text().startswith(start)


def test_names_that_try_to_be_markup(run, tmp_path):
    path = tmp_path / "nasty.jsonl"
    names = ["[bold]x[/bold]", "<b>&", 'a,"b"', "two\nlines", "🙂", "$_^{}\\"]
    rows = [
        {"system": f"s{s}", "input": f"i{i}", "metric": name, "score": s + (i * k) % 3, "kind": kind}
        for k, (name, kind) in enumerate([*((n, "metric") for n in names), ("people|say", "human")])
        for s in range(4)
        for i in range(5)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for form in ("table", "json", "csv", "markdown", "latex", "html"):
        code, out, err = run("agree", path, "--resamples", "50", "--format", form)
        assert code == 0, err
        assert "🙂" in out


def test_poor_terminals_get_plain_characters(spawn, scores):
    environment = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    code, out, err = spawn("agree", scores, *QUICK, **environment)
    assert code == 0
    assert out.isascii()
    assert "8 systems x 12 inputs" in err
    code, out, _ = spawn("agree", scores, *QUICK, "--format", "html", **environment)
    assert code == 0
    assert "×" in out, "files are UTF-8 whatever the terminal speaks"


def test_example_writes_the_scores_and_never_over_a_file_that_was_not_named(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    extent = "14 systems × 80 inputs, 8 metrics, 2 human criteria\n"
    assert run("example") == (0, "", f"wrote scores.csv (synthetic): {extent}")
    written, example = ma.read("scores.csv"), ma.example()
    assert (written.metrics, written.humans) == (example.metrics, example.humans)
    assert all(np.array_equal(written[n].values, example[n].values, equal_nan=True) for n in example.metrics)
    assert run("example") == (
        2,
        "",
        "metassay: error: scores.csv exists; to replace it or to write another file: -o FILE\n",
    )
    assert run("example", "-o", "scores.csv", "-q") == (0, "", "")
    assert run("example", "-o", "more.jsonl.gz") == (0, "", f"wrote more.jsonl.gz (synthetic): {extent}")
    assert ma.read("more.jsonl.gz").shape == example.shape
    code, _, err = run("example", "-o", "scores.xlsx")
    assert (code, err.count("\n")) == (2, 1)


def test_demo_says_in_words_what_follows_and_leaves_the_report(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--resamples", "199")
    assert code == 0
    assert "synthetic" in out
    assert "agrees best with people" in out
    assert "The difference to the second" in " ".join(out.split())
    assert "metassay report scores.csv --human NAME" in out
    assert "study:agree" in out
    assert str(tmp_path / "demo" / "report.html") in out
    assert str(tmp_path / "demo" / "scores.csv") in out
    assert ma.read(tmp_path / "demo" / "scores.csv").shape == ma.example().shape
    assert (tmp_path / "demo" / "report.html").read_text().startswith("<!doctype html>")
    assert err.startswith("read ")


def test_demo_of_judges_shows_the_card_and_leaves_the_report(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("demo", "--judge", "--seed", "5", "--resamples", "99")
    assert (code, "seed:5" in out, "study:judge" in out) == (0, True, True)
    assert (tmp_path / "demo" / "judge.csv").exists()
    assert str(tmp_path / "demo" / "report.html") in out
    assert "Judges against human judgments" in (tmp_path / "demo" / "report.html").read_text()


@pytest.mark.parametrize("command", [("demo", "--judge"), ("report", "x.csv"), ("sheet", "x.csv")])
def test_pages_have_a_name_that_a_browser_opens(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*command, "-o", "judge")
    assert (code, err.strip()) == (2, "metassay: error: -o 'judge' must end in .html")
    assert not (tmp_path / "judge").exists()


def takes_slices(name):
    verb = name.replace("-", "_")
    study = getattr(import_module(HOMES[verb]), verb) if verb in HOMES else None
    return callable(study) and "by" in inspect.signature(study).parameters


def test_every_study_that_makes_slices_takes_or_refuses_by(run, scores):
    names = list(filter(takes_slices, COMMANDS))
    assert {"agree", "judge", "rank", "bias", "estimate"} <= set(names)
    for name in names:
        people = () if name == "drift" else ("--human", "relevance")
        code, out, err = run(name, scores, *people, "--quiet", "--by", "nonsense")
        assert (code in (1, 2), out) == (True, ""), name
        assert "'nonsense'" in err or "'--by'" in err, name


@pytest.mark.parametrize("name", ["rank", "bias", "judge"])
def test_commands_that_read_votes_or_scores_make_slices(run, tmp_path, name):
    cells = [
        (s, i, "ab"[i % 2], "word " * (s * i % 7 + 1), (s + i) % 4, (s + i * i) % 4)
        for s in range(5)
        for i in range(40)
    ]
    lines = [",".join(map(str, cell)) for cell in cells]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["system,input,topic,answer,human,judge", *lines]))
    code, out, err = run(name, path, "--human", "human", "--metric", "judge", "-q", "--by", "topic", "--format", "csv")
    assert (code, err) == (0, "")
    assert {line.partition(",")[0] for line in out.splitlines()[1:]} == {"a", "b"}


def test_report_writes_a_page_and_prints_three_sentences(run, scores, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = run("report", scores, "--human", "relevance", "--resamples", "50", "-o", str(page))
    assert code == 0
    assert "agrees best with people on relevance" in out
    assert err.splitlines()[-1] == f"wrote {page}"
    assert "<h1>Metrics against human judgments</h1>" in page.read_text()


def test_report_spares_its_input(run, scores):
    page = scores.with_suffix(".html")
    page.write_text(scores.read_text())
    code, _, err = run("report", page, "-o", page)
    assert code == 2
    assert "would overwrite" in err


def test_every_command_explains_itself(run):
    for name in COMMANDS:
        code, out, err = run(name, "--help")
        assert (code, err) == (0, "")
        assert f"metassay {name}" in out
        assert "examples:" in out
        assert load(name).about.split()[0] in out
    overview = run("--help").out
    assert all(f"  {name}" in overview for name in COMMANDS)
    assert run("help", "agree").out == run("agree", "--help").out


PARTS = [*COMMANDS, "simulate coverage", "simulate power", "simulate size"]
STUDIES = [name for name in PARTS if ma.HOMES.get(name.replace(" ", "_"), "").startswith("metassay.studies.")]


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_takes_where_it_runs(run, name):
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    assert all(f"\n  --{each} " in out for each in places())
    given = ("--after", "b.csv") if name == "downgrade" else ()
    code, out, err = run(*name.split(), "no-such-file.csv", *given, "--workers", "0")
    assert (code, out) == (2, "")
    assert "workers must be a whole number of at least 1, got 0" in err


def test_a_study_goes_on_where_its_checkpoint_says(run, scores, tmp_path):
    place = ("--checkpoint", str(tmp_path / "kept"), "--threads", "1")
    first, second = (run("stability", scores, "--human", "relevance", "--draws", "50", *place) for _ in range(2))
    assert first[0] == 0
    assert first == second
    code, _, err = run("stability", scores, "--human", "relevance", "--draws", "60", *place)
    assert code == 2
    assert "is from another run" in err
