"""metassay rank on the command line."""

from __future__ import annotations

import json
from importlib.resources import files

import metassay as ma

VOTES = files("metassay") / "data" / "votes.csv"
PEOPLE = "dora,emil,farah,goran"


def test_rankings_and_their_agreement(run):
    code, out, err = run("rank", VOTES, "--human", PEOPLE, "--resamples", "100")
    assert code == 0
    assert err == "read 1 file (votes): 1,920 votes, 6 systems, 120 inputs, 5 raters\n"
    for words in (
        "1.02 [0.82, 1.22]",
        "2 [1–2]",
        "Agreement of the rankings",
        "By people, fir is best",
        "τ of the two",
    ):
        assert words in out


def test_every_view_and_form(run, tmp_path):
    options = ("--human", PEOPLE, "--covariate", "position", "--statistic", "bradley-terry,win-rate,elo", "-q")
    path = tmp_path / "r.json"
    assert run("rank", VOTES, *options, "--resamples", "50", "-o", path).code == 0
    loaded = ma.load(path)
    again = ma.rank(
        ma.read_votes(VOTES), human=PEOPLE, covariate="position", statistic="bradley-terry,win-rate,elo", resamples=50
    )
    assert loaded == again
    tables = json.loads(path.read_text())["tables"]
    assert set(tables) == {"agreement", "wins", "covariates", "raters"}
    views = {"full": "Elo", "ranks": "by strength", "matrix": "Wins by judge", "covariates": "63%", "raters": "61%"}
    for view, words in views.items():
        code, out, _ = run("show", path, "--view", view)
        assert (code, words in out) == (0, True), view
    assert "\\begin{tabular}" in run("show", path, "--format", "latex").out
    assert run("show", path, "--format", "csv", "--rows", "wins").out.count("\n") == 31


def test_scores_and_stdin(run, spawn, scores):
    code, out, _ = run("rank", scores, "--human", "relevance", "--resamples", "50")
    assert (code, "Ranks of systems" in out, "metric only" in " ".join(out.split())) == (0, True, True)
    done = spawn("rank", "-", "--human", PEOPLE, "-q", "--resamples", "20", stdin=VOTES.read_bytes())
    assert (done.code, done.err) == (0, "")
    assert "By people, fir is best" in done.out


def test_what_is_wrong_is_said_in_a_line(run, scores):
    assert run("rank").code == 2
    code, _, err = run("rank", scores, "--human", "relevance", "--statistic", "elo")
    assert (code, err.splitlines()[-1]) == (
        2,
        "metassay: error: elo needs votes, and these are scores, which are ranked by their mean",
    )
