"""The list of metrics: a line each, and everything about those that are named."""

import inspect

import pytest

import metassay as ma
from metassay.cli import main
from metassay.texts.scorers.registry import METRICS, maker


def test_a_line_per_metric_within_80_columns(capsys):
    assert main(["metrics"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in METRICS:
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert len(line) <= 80
    assert len(lines) < len(METRICS) + 15


def test_everything_about_one_metric(capsys):
    assert main(["metrics", "meteor"]) == 0
    out = capsys.readouterr().out
    for words in ("pip install 'metassay[meteor]'", "LGPL-2.1", "Denkowski and Lavie (2014)", "timeout", "60"):
        assert words in out
    assert main(["metrics", "rogue"]) == 2
    assert "unknown metric 'rogue'; did you mean 'rouge'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", METRICS)
def test_every_option_is_explained(name):
    options = ma.metrics(name).options
    assert [row.option for row in options] == list(inspect.signature(maker(METRICS[name])).parameters)
    assert all(row.meaning for row in options)
