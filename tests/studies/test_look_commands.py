"""What `look` proposes can be run."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

import metassay as ma
from metassay.cli import main


def proposed(scores, file):
    return [shlex.split(row.command)[1:] for row in ma.look(scores, files=[file]).commands]


def test_verdicts_of_people_and_judges_lead_to_what_can_be_asked_of_judges(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--judge", "-q"]) == 0
    lines = proposed(ma.read("judge.csv"), "judge.csv")
    assert lines[0] == ["judge", "judge.csv", "--human", "verdict_*", "--judge", "strict-judge,kind-judge"]
    assert {"judge", "estimate", "plan-labels", "bias", "reliability"} <= {line[0] for line in lines}
    for line in lines:
        assert main([*line, "-q"] if line[0] == "report" else line) == 0, line


@pytest.mark.parametrize("systems", [4, 5])
def test_no_plan_of_few_systems(tmp_path, monkeypatch, systems):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    z = random.normal(size=(systems, 20))
    scores = ma.Scores.from_arrays({"metric": z + random.normal(size=z.shape)}, {"human": z})
    assert ("plan" in [line[0] for line in proposed(scores, "x.csv")]) == (systems > 4)
