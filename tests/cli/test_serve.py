"""``metassay serve``: it says where it is, answers, and leaves nothing behind."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "70000"], "port must lie between 0 and 65535, got 70000"),
        (["--max-upload", "0"], "max-upload must be more than 0, got 0"),
        (["--expire", "nan"], "expire must be more than 0, got nan"),
        (["--keep", "nowhere"], "there is no directory 'nowhere' to keep things in"),
        (["--host", "no such host"], "there is no address 'no such host' to listen at"),
        (["scores.csv"], "scores.csv"),
    ],
)
def test_misuse_is_one_line(run, options, said):
    done = run("serve", *options)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_taken_port_is_told(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", port)
    assert done.code == 2
    assert f"cannot listen at 127.0.0.1 port {port}: address already in use; try another --port" in done.err


def test_a_missing_package_is_told_with_the_command(run, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else find(name))
    done = run("serve")
    assert (done.code, done.err) == (
        2,
        "metassay: error: serve needs uvicorn; run: pip install 'metassay[serve]'\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_ends_cleanly(tmp_path, way):
    process = subprocess.Popen(
        [sys.executable, "-m", "metassay", "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        # Tests that run in the background of a shell inherit an ignored Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline()).group()
        with urllib.request.urlopen(urllib.request.Request(f"{address}example", method="POST")) as page:
            assert page.status == 200
        assert len(list(tmp_path.glob("metassay-serve-*/*/files/example.csv"))) == 1
        process.send_signal(way)
        said = process.stderr.read()
    assert process.returncode == (0 if way == signal.SIGINT else -way)
    assert said == ("stopped; nothing is kept\n" if way == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == []
