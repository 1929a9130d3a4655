"""What is done with published numbers, without the data."""

from __future__ import annotations

import math

import pytest

import metassay as ma
from metassay.core.note import Note
from metassay.reproduction import reproduce as module
from metassay.reproduction.checks import _CHECKS, CannotCheckError
from metassay.reproduction.published import Figure, figures, papers

FIGURE = Figure("ernst-2023", "Table 9", "numbers", {"a": 0.5, "b": 0.5, "c": 0.5}, "summeval", "x", {}, 0.1, "", "why")


@pytest.fixture
def one_figure(monkeypatch):
    """Let there be one figure, and our numbers be what is given."""

    def use(ours, figure=FIGURE):
        monkeypatch.setattr(module, "figures", lambda: (figure,))
        monkeypatch.setattr(module, "compute", lambda *_: ours)

    return use


def test_every_figure_is_about_a_known_paper_and_has_a_check_or_a_reason():
    assert {figure.paper for figure in figures()} == set(papers())
    for figure in figures():
        assert figure.values
        assert figure.check or figure.cannot, figure.where
        assert not figure.check or figure.check in _CHECKS
        # Some numbers of a figure may be beyond the data while the others are checked.
        assert figure.tolerance is not None or figure.cannot, figure.where
        assert figure.tolerance is None or figure.remark, "who finds a difference must be told why it may be"


def test_the_edge_belongs_to_the_tolerance(one_figure, tmp_path):
    one_figure({"a": 0.6, "b": 0.61, "c": math.nan})
    result = ma.reproduce(tmp_path)
    assert [row.within for row in result.table] == [True, False, None]
    assert [row.reason for row in result.table] == ["", "why", "ours is undefined"]
    (outcome,) = result.figures
    assert (outcome.n, outcome.n_within, outcome.n_outside, outcome.n_unchecked) == (3, 1, 1, 1)
    assert outcome.largest == pytest.approx(0.11)
    assert result.n_outside == 1
    assert result.notes[0] == Note.of("numbers-within", within=1, checked=2, unchecked=1, n=3)
    text = result.to_text()
    for title in ("Published and recomputed numbers", "Outside the tolerance", "Numbers that cannot be checked here"):
        assert title in text
    assert "cannot say" in result.to_text(view="numbers")


def test_where_agreement_cannot_be_asked_for_ours_is_still_shown(one_figure, tmp_path):
    figure = Figure("deutsch-2022", "§1", "numbers", {"a": 0.5}, "summeval", "x", {}, None, "other inputs")
    one_figure({"a": 0.1}, figure)
    (row,) = ma.reproduce(tmp_path).table
    assert (row.published, row.ours, row.within, row.reason) == (0.5, 0.1, None, "other inputs")


def test_a_check_that_cannot_be_made_has_its_reason(one_figure, monkeypatch, tmp_path):
    one_figure({})

    def refuse(*_):
        raise CannotCheckError("no texts")

    monkeypatch.setattr(module, "compute", refuse)
    assert {row.reason for row in ma.reproduce(tmp_path).table} == {"no texts"}


def test_without_data_nothing_can_be_said_and_it_is_told_how_to_get_them(tmp_path):
    result = ma.reproduce(tmp_path)
    about_data = [row for row in result.table if row.where != "code"]  # test cases of code need none
    assert {row.within for row in about_data} == {None}
    assert all(row.reason for row in about_data)
    reasons = {row.reason for row in result.table if row.data == "realsumm" and row.where == "Table 1"}
    assert len(reasons) == 1
    assert reasons.pop().endswith("get them: metassay datasets get realsumm")


def test_only_some_papers(tmp_path):
    assert {row.paper for row in ma.reproduce(tmp_path, only=["rankel-2011", "braun-2022"]).table} == {
        "rankel-2011",
        "braun-2022",
    }
    with pytest.raises(ma.UsageError, match="unknown paper 'deutsch'"):
        ma.reproduce(tmp_path, only="deutsch")
    with pytest.raises(ma.UsageError, match="there is no folder"):
        ma.reproduce(tmp_path / "absent")
