"""Labels that are no verdict, and labels of one column that say nothing of the order of another."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma
from metassay.core.scales import guess_each


def table(path, judge):
    people = ["pass", "fail"] * 20
    lines = [f"{at},{people[at]},{judge[at]}" for at in range(40)]
    path.write_text("\n".join(["input,human1,judge", *lines]) + "\n")
    return path


def test_an_error_of_the_judge_is_missing_and_leaves_people_their_order(tmp_path):
    judge = ["pass", "fail", "fail", "fail"] * 10
    judge[3] = "error"
    scores = ma.read(table(tmp_path / "a.csv", judge), human="human1")
    assert [str(scores[name].scale) for name in ("human1", "judge")] == ["binary:fail<pass"] * 2
    assert np.isnan(scores.matrix("judge")).sum() == 1
    (note,) = [note for note in scores.notes if note.code == "labels-no-verdict"]
    assert str(note) == "judge: values that are no verdict count as missing: error (1)."
    assert ma.plan_labels(scores, trials=5).table
    assert ma.estimate(scores).table[0].n_labelled == 39


def test_a_third_label_of_the_judge_leaves_people_their_order(tmp_path):
    judge = ["pass", "fail", "maybe", "fail"] * 10
    scores = ma.read(table(tmp_path / "a.csv", judge), human="human1")
    assert str(scores["human1"].scale) == "binary:fail<pass"
    assert str(scores["judge"].scale) == "nominal:fail,pass,maybe"
    assert scores.matrix("human1").mean() == 0.5
    kappa = ma.agree(scores, statistic="accuracy", level="global").table[0]
    assert kappa.estimate == pytest.approx(0.75)


def test_a_declared_scale_may_leave_out_what_is_no_verdict(tmp_path):
    judge = ["low", "mid", "top", "NA"] * 10
    path = table(tmp_path / "a.csv", judge)
    scores = ma.read(path, human="human1", scale="judge=ordinal:low<mid<top")
    assert np.isnan(scores.matrix("judge")).sum() == 10
    kept = ma.read(path, human="human1", scale="judge=nominal")
    assert not np.isnan(kept.codes("judge")).any() or "NA" not in kept["judge"].scale.labels


def test_what_everybody_says_is_a_label():
    both = guess_each({"a": ["pass", "fail", "unclear"], "b": ["pass", "unclear"]})
    assert {str(scale) for scale in both.values()} == {"nominal:fail,pass,unclear"}
