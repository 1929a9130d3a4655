"""Tasks in processes of their own: what they may take, and how they end."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.errors import DataError
from metassay.web import worker
from metassay.web.limits import Limits, machine_memory, shares
from metassay.web.worker import Workshop

from .asking import table

ORDER = {"files": ["scores.csv"], "format": None, "language": None}


def look(folder, **settings):
    async def story():
        return await Workshop(Limits(**settings)).look(folder, ORDER)

    return asyncio.run(story())


def test_a_look_tells_what_is_in_a_file(tmp_path):
    (tmp_path / "scores.csv").write_bytes(table(inputs=3))
    found = look(tmp_path)
    assert found["shape"] == [4, 3]
    assert found["axes"][0] == ["systems", "4", "a, b, c, d"]
    assert len(found["sample"]) == 3
    assert [column["name"] for column in found["columns"]] == ["people", "overlap", "judge"]
    assert found["columns"][0]["missing"] == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is bounded on Linux only")
def test_a_sparse_giant_runs_out_of_its_own_memory(tmp_path):
    # 60,000 systems × 60,000 inputs with one score each would be a table of 29 GB.
    lines = [f"s{i},i{i},{i}" for i in range(60_000)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,input,m", *lines]))
    with pytest.raises(DataError, match=r"need more memory than one session may have|scores; at most"):
        look(tmp_path)


def test_a_task_that_dies_is_told(tmp_path, monkeypatch):
    program = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
    start = asyncio.create_subprocess_exec

    async def dying(*_, **settings):
        return await start(*program, **settings)

    monkeypatch.setattr(worker.asyncio, "create_subprocess_exec", dying)
    with pytest.raises(DataError, match=r"without an answer \(SIGKILL\)"):
        look(tmp_path)


def test_a_task_does_not_import_what_lies_beside_the_files(tmp_path):
    (tmp_path / "scores.csv").write_bytes(table())
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported')")
    assert look(tmp_path)["shape"] == [4, 8]


def test_progress_only_grows_and_the_answer_comes_last(tmp_path):
    (tmp_path / "scores.csv").write_bytes(table())
    order = {
        **ORDER,
        "task": "report",
        "columns": [[0, "human", False], [1, "metric", False], [2, "metric", True]],
        "output": str(tmp_path / "report.html"),
        "title": "",
        "options": {"confidence": 0.95, "resamples": 100},
        "limits": asdict(Limits()),
    }
    command = [sys.executable, "-P", "-m", "metassay.web.worker_main"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=tmp_path
    ) as worker:
        worker.stdin.write(json.dumps(order) + "\n")
        *told, last = map(json.loads, worker.stdout)
        # before stdin is closed, which would tell it that the server is gone
        assert worker.wait(300) == 0
    shares = [line["done"] for line in told]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert told[0]["what"] == "Agreement of metrics with people"
    assert len(last["result"]["sentences"]) == 3
    assert (tmp_path / "report.html").stat().st_size == last["result"]["size"]


def test_a_process_ends_with_the_server(tmp_path):
    """A server that is killed closes its end of the pipe, and says nothing."""
    (tmp_path / "scores.csv").write_bytes(table(systems=[f"s{i}" for i in range(30)], inputs=200))
    order = {
        **ORDER, "task": "report", "columns": [[0, "human", False], [1, "metric", False]], "title": "",
        "output": str(tmp_path / "report.html"), "options": {"resamples": 100_000}, "limits": asdict(Limits()),
    }  # fmt: skip
    command = [sys.executable, "-P", "-m", "metassay.web.worker_main"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=tmp_path
    ) as worker:
        worker.stdin.write(json.dumps(order) + "\n")
        assert "done" in worker.stdout.readline()
        worker.stdin.close()
        assert worker.wait(120) == 1
    assert not (tmp_path / "report.html").exists()


@given(gigabytes=st.floats(0.5, 600), most=st.floats(0.2, 8), readers=st.integers(1, 8), jobs=st.integers(1, 8))
def test_all_processes_together_fit_into_the_machine(gigabytes, most, readers, jobs):
    machine, limits = int(gigabytes * 1e9), Limits(memory=int(most * 1e9), readers=readers, jobs=jobs)
    share = shares(limits, machine)
    places = share.readers + share.jobs
    assert 1 <= share.readers <= readers
    assert 0 <= share.jobs <= jobs
    assert share.memory <= limits.memory
    assert share.memory * places <= 0.8 * machine or places == 1
    assert share.jobs > 0 or places == 1


def test_the_memory_of_this_machine_is_known(tmp_path, monkeypatch):
    assert 1e8 < machine_memory() < 1e14
    echo = tmp_path / "python"  # answers with the order itself
    echo.write_text("""#!/bin/sh\nread -r order\nprintf '{"result": %s}\\n' "$order"\n""")
    echo.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(echo))
    monkeypatch.setattr(worker, "machine_memory", lambda: 3_000_000_000)

    async def story():
        workshop = Workshop(Limits())
        return await workshop.look(tmp_path, ORDER), await workshop.report(tmp_path, ORDER, lambda _: None)

    orders = asyncio.run(story())
    assert [order["task"] for order in orders] == ["look", "report"]
    assert {order["limits"]["memory"] for order in orders} == {1_200_000_000}
