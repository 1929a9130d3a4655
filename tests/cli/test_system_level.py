"""The commands about the inputs behind system scores."""

import json

import pytest

import metassay as ma
from cli.conftest import wide_table


@pytest.fixture
def partly(tmp_path):
    """A wide table in which people judged the first four of twelve inputs."""
    lines = wide_table({"close": 0.2, "rough": 2.0}).splitlines()
    out = [lines[0]]
    for line in lines[1:]:
        cells = line.split(",")
        if int(cells[1].removeprefix("in")) >= 4:
            cells[2] = ""
        out.append(",".join(cells))
    path = tmp_path / "partly.csv"
    path.write_text("\n".join(out) + "\n")
    return path


def test_agree_and_compare_choose_the_inputs(run, partly):
    for command in ("agree", "compare"):
        for inputs, count in (("all", 12), ("annotated", 4)):
            more = ("--level", "system", "--resamples", "50", "--format", "json", "--inputs", inputs)
            code, out, _ = run(command, partly, "--human", "relevance", *more)
            assert code == 0
            assert {(row["n_inputs"], row["n_annotated"]) for row in json.loads(out)["rows"]} == {(count, 4)}
    code, _, err = run("agree", partly, "--human", "relevance", "--inputs", "some")
    assert code == 2
    assert "unknown inputs 'some'" in err


def test_agree_says_how_many_inputs_were_judged(run, partly):
    out = run("agree", partly, "--human", "relevance", "--resamples", "50").out
    assert "8 systems × 12 inputs, 4 of them judged" in out


@pytest.mark.parametrize("study", ["widths", "precision", "stability"])
def test_the_same_from_the_command_line_and_from_python(run, scores, study):
    quick = {"draws": 50} if study == "stability" else {"resamples": 50}
    options = [f"--{key}={value}" for key, value in quick.items()]
    code, out, _ = run(study, scores, "--human", "relevance", "--annotated", "5", "--format", "json", *options)
    assert code == 0
    data = ma.read(scores).declare(human="relevance")
    assert out == getattr(ma, study)(data, human="relevance", annotated=5, **quick).to_json()
    table = run(study, scores, "--human", "relevance", "--annotated", "5", *options).out
    assert "Note: Simulation: 5 of 12 inputs" in table


def test_views(run, scores):
    quick = ("--human", "relevance", "--annotated", "5")
    listed = run("precision", scores, *quick, "--resamples", "50", "--view", "systems").out
    assert "sys7" in listed
    assert "sys7" not in run("precision", scores, *quick, "--resamples", "50", "--view", "summary").out
    assert "1 input " in run("stability", scores, *quick, "--draws", "20", "--view", "sizes").out


def test_widths_explain_what_is_missing(run, scores):
    code, _, err = run("widths", scores, "--human", "relevance")
    assert code == 1
    assert "--annotated N" in err
    assert run("widths", scores, "--human", "relevance", "--annotated", "0").code == 2
    assert run("stability", scores, "--human", "relevance", "--sizes", "5,x").code == 2


def test_stability_takes_one_coefficient(run):
    shown = " ".join(run("stability", "--help").out.split())
    assert "one of your own): pearson" in shown
    assert "one of your own), a comma list of" in " ".join(run("widths", "--help").out.split())
    code, _, err = run("stability", "no-such-file.csv", "--statistic", "pearson,kendall")
    assert code == 2
    assert "unknown statistic 'pearson,kendall'" in err
