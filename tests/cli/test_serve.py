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
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import pytest


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "70000"], "port must lie between 0 and 65535, got 70000"),
        (["--max-upload", "0"], "max-upload must be more than 0, got 0"),
        (["--expire", "nan"], "expire must be more than 0, got nan"),
        (["--keep", "nowhere"], "--keep: there is no directory 'nowhere'"),
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


@contextmanager
def started(folder, before="pass"):
    """A server with its temporary files in a folder, and its address."""

    def as_in_a_terminal():
        # Tests that run in the background of a shell inherit an ignored Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-c", f"{before}; from metassay.cli import main; main(['serve', '--port', '0'])"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=as_in_a_terminal,
    ) as process:
        try:
            yield process, re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline()).group()
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_a_killed_server_left_is_swept_by_the_next(tmp_path):
    with started(tmp_path) as (process, address):
        urllib.request.urlopen(urllib.request.Request(f"{address}example", method="POST")).close()
        process.kill()
        process.wait()
    assert len(list(tmp_path.glob("metassay-serve-*/*/files/example.csv"))) == 1
    with started(tmp_path) as (_, address):
        urllib.request.urlopen(address).close()
        assert len(list(tmp_path.glob("metassay-serve-*"))) == 1
        assert list(tmp_path.glob("metassay-serve-*/*")) == []


HALVES = (b"", b"GET / HT", b"POST /upload HTTP/1.1\r\nHost: x\r\nContent-Le")


def connection(stack, address):
    place = urlsplit(address)
    return stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=120))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_half_sent_requests_keep_nobody_out(tmp_path):
    patient = "from metassay.web import connections; connections.PATIENCE = 600"
    with started(tmp_path, patient) as (_, address), ExitStack() as stack:
        for at in range(300):
            connection(stack, address).sendall(HALVES[at % 3])
        with urllib.request.urlopen(address, timeout=120) as page:
            assert page.status == 200


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_requests_that_do_not_come_whole_are_given_up(tmp_path):
    hurried = "from metassay.web import app, connections; connections.PATIENCE, app.SILENCE = 3, 0.5"
    with started(tmp_path, hurried) as (_, address), ExitStack() as stack:
        body = connection(stack, address)
        head = f"POST /upload HTTP/1.1\r\nHost: {urlsplit(address).netloc}\r\nContent-Length: 100\r\n"
        body.sendall(head.encode() + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n")
        assert body.recv(1000).startswith(b"HTTP/1.1 408 ")
        waiting = [connection(stack, address) for _ in HALVES]
        for half, one in zip(HALVES, waiting, strict=True):
            one.sendall(half)
        for one in waiting:
            with suppress(ConnectionResetError):
                assert one.recv(100) == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_and_ends_cleanly(tmp_path, way):
    with started(tmp_path) as (process, address):
        with urllib.request.urlopen(urllib.request.Request(f"{address}example", method="POST")) as page:
            assert page.status == 200
        assert len(list(tmp_path.glob("metassay-serve-*/*/files/example.csv"))) == 1
        process.send_signal(way)
        said = process.stderr.read()
    assert process.returncode == (-way if way == signal.SIGTERM else 0)
    assert said == ("stopped; nothing is kept\n" if way == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == []
