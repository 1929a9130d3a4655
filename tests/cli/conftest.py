"""Small files of scores, and a way to run the command line in this process or in one of its own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import NamedTuple

import pytest

from metassay.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsysbinary, monkeypatch):
    """Run a command line in this process."""
    monkeypatch.delenv("METASSAY_TRACEBACK", raising=False)

    def call(*argv):
        code = main([str(a) for a in argv])
        out, err = capsysbinary.readouterr()
        return Outcome(code, out.decode("utf-8"), err.decode("utf-8"))

    return call


@pytest.fixture
def spawn():
    """Run a command line in a process of its own; further keywords are environment variables."""

    def call(*argv, stdin=None, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "metassay", *map(str, argv)],
            input=stdin,
            capture_output=True,
            env=os.environ | environment,
            check=False,
            timeout=600,
        )
        return Outcome(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return call


def wide_table(metrics, *, systems=8, inputs=12, seed=0):
    """Return a CSV in which each metric is the human score plus its own noise."""
    draw = random.Random(seed)
    lines = ["system,input,relevance," + ",".join(f'"{m}"' for m in metrics)]
    quality = [draw.gauss(0, 1) for _ in range(systems)]
    for s in range(systems):
        for i in range(inputs):
            truth = quality[s] + draw.gauss(0, 1)
            noisy = (truth + draw.gauss(0, noise) for noise in metrics.values())
            lines.append(f"sys{s},in{i},{truth:.4f}," + ",".join(f"{x:.4f}" for x in noisy))
    return "\n".join(lines) + "\n"


@pytest.fixture
def scores(tmp_path):
    """A wide table: a close metric, a rough one, and one of mere noise."""
    path = tmp_path / "scores.csv"
    path.write_text(wide_table({"close": 0.2, "rough": 2.0, "noise": 50.0}))
    return path
