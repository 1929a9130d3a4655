"""Judges against people on votes."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import pytest

import metassay as ma
from metassay.errors import DataError, UnknownName, UsageError

VOTES = files("metassay") / "data" / "votes.csv"
PEOPLE = "dora,emil,farah,goran"


def votes(*rows, human="p1,p2,p3"):
    """Return votes from (input, rater, winner, first) on x and y."""
    inputs, raters, won, first = zip(*rows, strict=True)
    people = [name for name in human.split(",") if name in raters]
    sides = ["x"] * len(rows), ["y"] * len(rows)
    return ma.Votes.from_arrays(*sides, won, inputs=inputs, raters=raters, first=first, human=people)


def test_by_hand():
    said = [("1", "a", "a", "a"), ("2", "a", "a", "b"), ("3", "tie", "tie", "a"), ("4", "b", "b", "b")]
    rows = [(i, f"p{at}", w, 0) for i, *each in said for at, w in enumerate(each, 1)]
    rows += [("1", "j", "a", 0), ("2", "j", "b", 0), ("3", "j", "a", 0), ("4", "j", "tie", 0)]
    result = ma.judge_votes(votes(*rows))
    (row,) = result.table
    assert (row.judge, row.n, row.n_items, row.agreement) == ("j", 4, 4, 0.25)
    assert (row.n_decisive, row.decisive) == (2, 0.5)
    assert (row.ties, row.human_ties) == (0.25, 0.25)
    # 3 + 1 + 1 + 0 of 12 votes of people; people: 3 + 1 + 1 + 3 of 12 pairs of people
    assert (row.single, row.people) == (pytest.approx(5 / 12), pytest.approx(8 / 12))
    assert [(m.clear, m.voted, m.agreement, m.n) for m in result.margins] == [(3, 3, 0.5, 2), (2, 3, 0.0, 2)]
    assert [(p.person_a, p.person_b, p.agreement) for p in result.people] == [
        ("p1", "p2", 1.0), ("p1", "p3", 0.5), ("p2", "p3", 0.5),
    ]  # fmt: skip


def test_both_orders_by_hand_and_pairs_written_the_other_way_round():
    # one judge always says "first": right in one order each; pairs are written in the order shown
    inputs = [str(at // 2) for at in range(40)]
    a, b = ["x", "y"] * 20, ["y", "x"] * 20
    judge = ma.Votes.from_arrays(
        [*a, *["x"] * 20], [*b, *["y"] * 20], ["a"] * 60, inputs=[*inputs, *map(str, range(20))],
        raters=["j"] * 40 + ["p"] * 20, first=[0] * 40 + [-1] * 20, human="p",
    )  # fmt: skip
    result = ma.judge_votes(judge)
    (order,) = result.orders
    assert (order.n_items, order.consistency, order.right_first, order.right_second) == (20, 0, 1, 0)
    assert (order.right_in_both, order.first, order.both_first, order.both_second) == (0, 1, 20, 0)
    assert order.p_value == pytest.approx(2 / 2**20)
    assert result.table[0].agreement == 0.5


def test_llmbars_own_statistics(shared_data):
    result = ma.judge_votes(ma.read_votes(shared_data / "llmbar" / "Natural"))
    orders = {row.judge: row for row in result.orders}
    seen = 0
    for path in sorted((shared_data / "llmbar").rglob("statistics.json")):
        said = json.loads(path.read_text())
        judge = "/".join(path.parts[-3:-1])
        row, order = next(r for r in result.table if r.judge == judge), orders[judge]
        assert said["correct_average"] == f"{100 * row.agreement:.1f}%"
        for name, value in (("False", order.right_first), ("True", order.right_second), ("both", order.right_in_both)):
            assert said[f"correct_{name}"].startswith(f"{100 * value:.0f} / 100")
        assert said["equal"].startswith(f"{100 * order.consistency:.0f} / 100")
        assert order.kappa == pytest.approx(said["kappa_agreement"])
        seen += 1
    assert seen == 12


def test_pandalms_tables(shared_data):
    result = ma.judge_votes(ma.read_votes(shared_data / "pandalm"))
    assert sorted(round(row.kappa, 2) for row in result.people) == [0.85, 0.86, 0.88]
    row = next(r for r in result.table if r.judge == "pandalm")
    # Printed in the README of the release of April 2023, as κ and the share of ties are.
    found = [round(100 * each, 2) for each in (row.agreement, row.precision, row.recall, row.f1)]
    assert found == [66.77, 57.38, 57.50, 57.43]
    assert row.human_ties == pytest.approx(105 / 999)
    assert [(m.voted, m.clear, m.n) for m in result.margins if m.judge == "pandalm"] == [(3, 3, 879), (3, 2, 120)]
    assert "judge-one-order" in [note.code for note in result.notes]


def test_judge_hands_votes_over_and_requirements_are_kept():
    found = ma.read_votes(VOTES)
    result = ma.judge(found, human=PEOPLE, require="agreement.low>=0.5,judge:consistency>=0.9,right_in_both.high<1")
    assert isinstance(result, ma.JudgeVotes)
    assert [row.met for row in result.requirements] == [True, False, True]
    assert result.table == ma.judge_votes(found, human=PEOPLE).table
    with pytest.raises(UnknownName, match="number in a requirement on votes: 'accuracy'"):
        ma.judge_votes(found, human=PEOPLE, require="accuracy>=0.5")
    with pytest.raises(UnknownName, match="judge in a requirement: 'gpt'"):
        ma.judge_votes(found, human=PEOPLE, require="gpt:kappa>=0.5")


def test_people_who_do_not_agree_and_pairs_without_people():
    rows = [("1", "p1", "a", 0), ("1", "p2", "b", 0), ("2", "p1", "a", 0), ("1", "j", "a", 0), ("2", "j", "a", 0)]
    result = ma.judge_votes(votes(*rows, ("3", "j", "b", 0)))
    notes = {note.code: note for note in result.notes}
    assert (notes["people-split"]["n"], notes["votes-without-people"]["n"]) == (1, 1)
    assert (result.table[0].n, result.table[0].agreement) == (1, 1)
    assert math.isnan(result.orders[0].consistency)
    with pytest.raises(DataError, match="j and people never voted on the same pair"):
        ma.judge_votes(votes(("1", "p1", "a", 0), ("2", "j", "a", 0)))


def test_who_votes():
    found = ma.read_votes(VOTES)
    with pytest.raises(UsageError, match="no rater is known to be human"):
        ma.judge_votes(found)
    with pytest.raises(DataError, match="all raters are people"):
        ma.judge_votes(found, human="*")
    with pytest.raises(UsageError, match="either human or a judge"):
        ma.judge_votes(found, human="dora", judge="dora")


def test_shown_loaded_and_on_the_command_line(tmp_path):
    from metassay.cli import main

    path = tmp_path / "j.json"
    assert main(["judge", str(VOTES), "--human", PEOPLE, "-q", "-o", str(path)]) == 0
    result = ma.load(path)
    assert result == ma.judge_votes(ma.read_votes(VOTES), human=PEOPLE)
    text = str(result)
    assert text.startswith("judge agrees with the human verdict in 63% of 508 votes")
    for view in ("summary", "orders", "margins", "people"):
        assert "judge" in result.to_text(view=view)
    assert "\\begin{tabular}" in result.to_latex()


@pytest.mark.parametrize(
    "given",
    [
        {"statistic": "kappa"}, {"abstain": "wrong"}, {"epsilon": "crowd"}, {"worse": 0.1}, {"cut": "f1"},
        {"target": 0.5}, {"slice_by": "topic"}, {"worst": 3}, {"over": "items"}, {"interval": "bootstrap"},
        {"resamples": 100}, {"seed": 1}, {"references": True},
    ],
    ids=lambda given: next(iter(given)),
)  # fmt: skip
def test_options_for_scores_are_refused(given):
    (name,) = given
    with pytest.raises(UsageError, match=f"{name} is an option for scores, and these are votes"):
        ma.judge(ma.read_votes(VOTES), human=PEOPLE, **given)


def test_options_as_they_are_by_default_are_not():
    found = ma.read_votes(VOTES)
    assert ma.judge(found, human=PEOPLE, epsilon="experts", seed=0) == ma.judge_votes(found, human=PEOPLE)


@pytest.mark.parametrize("asked", ["kappa.low", "kappa.high", "f1.low", "f1.high"])
def test_a_requirement_on_an_interval_that_is_not_there_is_refused(asked):
    with pytest.raises(UsageError, match=f"cannot use {asked}; "):
        ma.judge_votes(ma.read_votes(VOTES), human=PEOPLE, require=f"{asked}>=0")


def test_the_number_of_a_requirement_is_that_of_its_own_row():
    result = ma.judge_votes(ma.read_votes(VOTES), human=PEOPLE, require="first.n>=0,consistency.n>=0,agreement.n>=0")
    wanted = {"first.n>=0": ("orders", "n_first"), "consistency.n>=0": ("orders", "n_items")}
    for row in result.requirements:
        table, field = wanted.get(row.requirement, ("table", "n_items"))
        of = {each.judge: getattr(each, field) for each in getattr(result, table)}
        assert row.value == of[row.judge]


def test_votes_of_one_person_come_back_from_json(tmp_path):
    result = ma.judge_votes(votes(*((str(i), who, "ab"[i % 2], 0) for i in range(9) for who in ("p1", "j"))))
    assert math.isnan(result.table[0].people)
    result.to_json(tmp_path / "votes.json")
    assert ma.load(tmp_path / "votes.json") == result
