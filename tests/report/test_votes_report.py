"""The page on votes."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

import metassay as ma
from metassay.cli import main
from metassay.errors import UsageError

from .test_document import embedded

VOTES = files("metassay") / "data" / "votes.csv"
PEOPLE = "dora,emil,farah,goran"


def test_who_wins_and_whether_judges_vote_as_people_do(tmp_path, capsys):
    path = tmp_path / "votes.html"
    assert main(["report", str(VOTES), "--human", PEOPLE, "--resamples", "50", "-o", str(path), "-q"]) == 0
    page = path.read_text(encoding="utf-8")
    assert "fir is best according to people" in capsys.readouterr().out
    for part in (
        'id="rank"',
        'id="judge_votes"',
        "Wins between systems",
        "1,920 votes",
        "chart-rank-matrix-data",
        "tex-rank",
        '<p class="next"><a href="#rank">What to do next</a><span>: ',
        "<details><summary>Chart: Wins between systems</summary><figure>",
        "Differences between neighbours in the ranking",
        "<strong class=human>",
        '<svg class="interval human" aria-hidden="true">',
    ):
        assert part in page
    assert "<script src" not in page
    opening = page.split("<nav")[0]
    assert opening.count("with a power of 80%") == 1  # what is said above is no caveat again
    assert main(["report", str(VOTES), "--human", PEOPLE, "--sentinels", "-o", str(path)]) == 2
    assert "--sentinels cannot be used with votes" in capsys.readouterr().err


def test_without_people_there_is_no_judge_to_trust():
    votes = ma.Votes.from_arrays(["<b>x</b>", "y"] * 30, ["y", "<b>x</b>"] * 30, ["a", "b", "b"] * 20)
    report = ma.make_votes_report(votes, resamples=20)
    assert list(report.dossier.results) == ["rank"]
    assert "Not included: Votes of judges and of people (no rater is known to be human" in report.html
    assert "<b>x</b>" not in report.html
    with pytest.raises(UsageError, match="expected Votes, got Scores"):
        ma.make_votes_report(ma.example())


def test_few_inputs_say_how_many_a_test_needs():
    votes = ma.Votes.from_arrays(["x", "y", "z"] * 3, ["y", "z", "x"] * 3, ["a", "b", "b", "a"] * 2 + ["a"])
    opening = ma.make_votes_report(votes, resamples=20).html.split("<nav")[0]
    assert "What to do next</a><span>: Collect judgments on at least 20 inputs: with fewer" in opening


def test_downloads_hold_no_formulas():
    votes = ma.Votes.from_arrays(["=1+1", "y"] * 30, ["y", "=1+1"] * 30, ["a", "b", "b"] * 20)
    assert "'=1+1," in embedded(ma.make_votes_report(votes, resamples=20).html, "csv-rank")


def test_the_first_screen_ranks_by_people_and_the_judges_that_agree_best():
    truth = ["a", "b"] * 20
    right = dict(zip(("worst", "poor", "fair", "good", "better", "best"), (5, 12, 19, 26, 33, 40), strict=True))
    said = {"person": truth}
    for judge, n in right.items():
        said[judge] = [v if at < n else "ab"[v == "a"] for at, v in enumerate(truth)]
    votes = ma.Votes.from_arrays(
        ["x"] * 280,
        ["y"] * 280,
        [v for votes in said.values() for v in votes],
        inputs=[f"i{at}" for at in range(40)] * 7,
        raters=[name for name in said for _ in truth],
    )
    report = ma.make_votes_report(votes, human="person", resamples=20)
    opening = report.html.split("<nav")[0].split("Votes of judges against people")[0]
    heads = re.findall(r"rank, (\w+)", opening)
    assert heads == ["people", "best", "better", "good", "fair"]
    assert "Rankings by 2 more raters are in the section on the ranking." in opening
