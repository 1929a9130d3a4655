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
        "fir is best according to people",
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
    assert set(tables) == {"agreement", "wins", "covariates", "raters", "gaps"}
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
    assert "fir is best according to people" in done.out


def test_what_is_wrong_is_said_in_a_line(run, scores):
    assert run("rank").code == 2
    code, _, err = run("rank", scores, "--human", "relevance", "--statistic", "elo")
    assert (code, err.splitlines()[-1]) == (
        2,
        "metassay: error: elo needs votes, and these are scores, which are ranked by their mean",
    )


def test_a_part_of_the_votes(run):
    code, out, err = run("rank", VOTES, "--select", "rater=dora", "--select", "inputs=q0*", "--drop-systems", "fir")
    assert (code, "According to dora" in " ".join(out.split()), "\nfir " in out) == (0, True, False)
    part = ma.read_votes(VOTES, select=["rater=dora", "inputs=q0*"], drop_systems="fir")
    assert (part.raters, len(part.systems)) == (("dora",), 5)
    assert f"{len(part):,} votes, 5 systems, {len(part.inputs)} inputs, 1 rater" in err
    whole = ma.read_votes(VOTES)
    both = [r for r in whole.rows() if r["rater"] == "dora" and r["input"] < "q1" and "fir" not in r.values()]
    assert list(part.rows()) == both
    assert "unknown part to select by: 'colour'" in run("rank", VOTES, "--select", "colour=red").err
    assert "no vote is left" in run("rank", VOTES, "--select", "systems=fir").err


def test_options_of_scores_are_refused_for_votes(run):
    for given in (["--cluster-by", "question_id"], ["--no-systems"], ["--lower-is-better", "judge"]):
        code, _, err = run("rank", VOTES, *given)
        assert (code, err) == (2, f"metassay: error: {given[0]} cannot be used with votes\n")
    assert "for votes, use --select" in run("rank", VOTES, "--by", "rater").err


def test_what_cannot_be_ranked_is_said_truly(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("system,input,human,m\n" + "".join(f"s{s},i,{s % 4},{s}\n" for s in range(8)))
    out = " ".join(run("rank", path, "--human", "human", "-q").out.split())
    assert "do not vary" not in out
    assert "s7 ranks first of 8 according to m; its lead can be tested with at least 20 inputs." in out
    path.write_text(
        "system,input,human,m\n" + "".join(f"s{s},i{i},3,{s + i % 3}\n" for s in range(4) for i in range(30))
    )
    out = " ".join(run("rank", path, "--human", "human", "-q").out.split())
    assert "s0, s1, s2, s3 share the first place" in out
    assert "no correlation, because all systems are tied in one of the two rankings" in out
    assert "In brackets: 95% CI (cluster-robust)" in out
