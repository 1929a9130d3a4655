"""The example verdicts as a file."""

from __future__ import annotations

from metassay.cli import main


def test_the_example_verdicts_can_be_written_and_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--judge"]) == 0
    assert "wrote judge.csv (synthetic): 4 systems × 150 inputs" in capsys.readouterr().err
    assert main(["estimate", "judge.csv", "--human", "verdict_anna", "--metric", "strict-judge"]) == 0
    assert main(["example", "--judge", "--votes"]) == 2
    assert "choose one" in capsys.readouterr().err


def test_votes_are_sent_to_the_commands_that_take_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--votes", "-q"]) == 0
    for command in ("estimate", "agree", "drift"):
        assert main([command, "votes.csv"]) != 0
        assert "metassay rank, judge and bias" in capsys.readouterr().err
