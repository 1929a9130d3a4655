"""Work in other processes: the user's script is not run again, nobody is left behind, causes are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest

from metassay import engine
from metassay.engine import processes
from metassay.errors import DataError


@pytest.fixture
def always_worth_processes(monkeypatch):
    monkeypatch.setattr(engine, "WORTH_PROCESSES", -1.0)


def where(_):
    time.sleep(0.05)
    return os.getpid()


def die(code, _):
    os.kill(os.getpid(), -code) if code < 0 else os._exit(code)


def script(tmp_path, body):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(body), encoding="utf-8")
    return [sys.executable, "-W", "error", str(path)]


SCORING = """
    import metassay as ma
    from metassay import engine
    engine.WORTH_PROCESSES = -1.0
    print("the script runs", flush=True)
    texts = ma.Texts(
        {(s, str(i)): f"the cat {i} sat on mat {s}" for s in "ab" for i in range(900)},
        {str(i): (f"a cat {i} sat on a mat",) for i in range(900)},
    )
    scores = ma.score(texts, METRIC, processes=2)
    print(sorted(scores.columns), float(scores.matrix(next(iter(scores.columns))).mean().round(6)))
"""


def test_a_script_without_a_guard_is_run_once(tmp_path):
    body = SCORING.replace("METRIC", '"rouge[variants=1,measures=f1]"')
    done = subprocess.run(script(tmp_path, body), capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "the script runs\n['rouge-1_f1'] 0.785714\n"


def test_a_metric_that_the_script_defines_is_scored_in_its_own_process(tmp_path):
    body = """
    from metassay.texts.scorers.base import Scorer
    import numpy as np
    class Letters(Scorer):
        columns, needs, signature = ("letters",), frozenset(), "letters"
        def score(self, items):
            return np.array([[float(len(item.output))] for item in items])
    """ + SCORING.replace("METRIC", "Letters()")
    done = subprocess.run(script(tmp_path, body), capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the script runs\n['letters']")


def test_results_come_with_their_positions(always_worth_processes):
    assert dict(engine.spread(partial(pow, 2), range(8), processes=2)) == {n: 2**n for n in range(8)}
    assert os.getpid() not in {pid for n, pid in engine.spread(where, range(6), processes=2) if n}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (-signal.SIGKILL, r"was killed \(SIGKILL\), as happens when memory runs out; use fewer processes"),
        (-signal.SIGSEGV, "was stopped by the signal SIGSEGV"),
        # from 3 on, since 1 and 2 are what Python itself ends with
        (3, "ended with exit code 3 before it was done"),
    ],
)
def test_the_cause_of_a_death_is_told(code, said):
    with pytest.raises(DataError, match=f"a process that worked on dying {said}"):
        list(processes.each(partial(die, code), [1, 2], 1, "dying"))


def test_processes_end_with_the_one_that_started_them(tmp_path):
    command = script(
        tmp_path,
        """
        from metassay.engine import processes
        tell = "print(__import__('os').getpid(), flush=True)"
        for _ in processes.each(eval, [tell, "__import__('time').sleep(60)"], 1, "x"):
            pass
        """,
    )
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    assert gone(worker)
    parent.stdout.close()


def gone(pid, seconds=120):
    """Say whether a process is no more, or waits for nobody but its parent to take note."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False
