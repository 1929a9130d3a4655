"""The commands difficulty and profile, and the option --figure."""

import json

import pytest

import metassay as ma
from metassay.charts.chart import KINDS
from metassay.cli.commands import COMMANDS

QUIET = ("--quiet", "--human", "relevance")


def test_difficulty_is_the_same_as_from_python(run, scores):
    code, out, _ = run("difficulty", scores, *QUIET, "--format", "json", "--confidence", "0.9")
    assert code == 0
    expected = ma.difficulty(ma.read(scores).declare(human="relevance"), confidence=0.9)
    assert out == expected.to_json()
    row = json.loads(out)["rows"][0]
    assert {"metric", "input", "mean_rank", "low", "high", "n_differs", "n_systems"} <= set(row)


def test_profile_takes_groups(run, scores):
    code, out, _ = run(
        "profile", scores, *QUIET, "--group", "few=sys0,sys1,sys2", "--group", "rest=*", "--format", "json"
    )
    assert code == 0
    rows = json.loads(out)["rows"]
    assert {row["kind"] for row in rows} == {"component", "loading", "system", "weight", "separation"}
    assert {row["group"] for row in rows if row["kind"] == "system"} == {"few", "rest"}


@pytest.mark.parametrize("command", ["agree", "compare", "difficulty", "profile"])
def test_figures_are_written_beside_the_table(run, scores, tmp_path, command):
    path = tmp_path / "figure.svg"
    few = ("--resamples", "50") if command != "difficulty" else ()
    code, out, err = run(command, scores, "--human", "relevance", *few, "--figure", path)
    assert code == 0
    assert out
    assert err.splitlines()[-1] == f"wrote {path}"
    assert path.read_bytes().startswith(b"<svg")


def test_the_kind_of_figure(run, scores, tmp_path):
    for kind in ("intervals", "map"):
        path = tmp_path / f"{kind}.png"
        assert run("difficulty", scores, *QUIET, "--figure", path, "--figure-kind", kind).code == 0
        assert path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("agree", "x", "--figure", "x.gif"), "end the name in one of .png, .svg, .pdf"),
        (("score", "x", "--figure", "x.png"), "unknown option '--figure'"),
        (("difficulty", "x", "--figure", "x.png", "--figure-kind", "pie"), "unknown kind of figure 'pie'"),
        (("difficulty", "x", "--figure-kind", "map"), "--figure-kind cannot be used without --figure"),
        (("agree", "x", "--figure", "no/such/x.png"), "there is no directory"),
        (("profile", "x", "--group", "humans"), "NAME=PATTERN"),
        (("profile", "x", "--folds", "1"), "folds must be a whole number of at least 2"),
    ],
)
def test_misuse_is_one_line(run, scores, arguments, message):
    arguments = [str(scores) if a == "x" else a for a in arguments]
    code, out, err = run(*arguments, "--human", "relevance", "-q")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_only_studies_with_a_figure_offer_one(run):
    for name in (each for each in COMMANDS if each != "show"):  # which shows any study
        shown = run(name, "--help").out
        assert ("--figure FILE" in shown) == (name in KINDS), name
        assert ("--figure-kind" in shown) == (len(KINDS.get(name, ())) > 1), name


def test_a_figure_spares_the_scores_and_the_table(run, scores, tmp_path):
    shown = tmp_path / "scores.png"
    shown.write_bytes(scores.read_bytes())
    code, _, err = run("agree", shown, *QUIET, "--figure", shown)
    assert code == 2
    assert "would overwrite a file that it reads" in err
