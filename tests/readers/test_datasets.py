"""Public data sets, downloaded from a server of our own."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import metassay as ma
from metassay.readers import datasets as module
from metassay.readers.datasets import PublicFile, files_of

CONTENTS = {"one.jsonl": b'{"a": 1}\n' * 40, "two.jsonl": b'{"b": 2}\n' * 60}


def published(name, content):
    digest = hashlib.sha256(content).hexdigest()
    return PublicFile(f"scores/{name}", "some/where", "abc1234", f"deep/{name}", digest, len(content))


@pytest.fixture
def server(monkeypatch):
    """Serve the files of a small data set called ``small``, or what `answers` says instead; count the requests."""
    answers: dict[str, tuple[int, bytes, int]] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            name = self.path.rpartition("/")[2]
            code, body, length = answers.get(name, (200, CONTENTS[name], len(CONTENTS[name])))
            self.send_response(code)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    serving = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=serving.serve_forever, args=(0.02,))
    thread.start()
    files = tuple(published(name, content) for name, content in CONTENTS.items())
    known = {"small": {"about": "two files", "citation": "", "licence": "", "absent": "nothing", "files": files}}
    monkeypatch.setattr(module, "registry", lambda: known)
    monkeypatch.setattr(module, "HOST", f"http://127.0.0.1:{serving.server_port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield answers, asked
    serving.shutdown()
    thread.join()
    serving.server_close()


def left_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_data_set_is_downloaded_once_and_verified(server, tmp_path):
    _, asked = server
    told: list[str] = []
    place = ma.get_dataset("small", folder=tmp_path, tell=told.append)
    assert place == tmp_path / "small"
    assert {path.name: path.read_bytes() for path in (place / "scores").iterdir()} == CONTENTS
    assert asked == ["/some/where/raw/abc1234/deep/one.jsonl", "/some/where/raw/abc1234/deep/two.jsonl"]
    assert told[0].startswith("small: scores/one.jsonl (1 of 2, ")
    ma.get_dataset("small", folder=tmp_path)
    assert len(asked) == 2
    assert ma.find_dataset("small", folder=tmp_path) == place
    (row,) = ma.datasets(tmp_path).table
    assert (row.name, row.files, row.here, row.size) == ("small", 2, 2, 900)


def test_what_broke_off_goes_on_where_it_stopped(server, tmp_path):
    answers, asked = server
    answers["two.jsonl"] = (404, b"gone", 4)
    with pytest.raises(ma.DataError, match="the server says 404"):
        ma.get_dataset("small", folder=tmp_path)
    assert left_in(tmp_path) == ["small/scores/one.jsonl"]
    with pytest.raises(ma.DataError, match=r"1 of 2 files of small are not in .* metassay datasets get small"):
        ma.find_dataset("small", folder=tmp_path)
    assert ma.datasets(tmp_path).table[0].here == 1
    del answers["two.jsonl"]
    ma.get_dataset("small", folder=tmp_path)
    assert [path.rpartition("/")[2] for path in asked] == ["one.jsonl", "two.jsonl", "two.jsonl"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, b"x" * 360, 360), "is not the published scores/one.jsonl"),  # as long as the right one
        ((200, CONTENTS["one.jsonl"][:100], 100), "is not the published scores/one.jsonl"),
        ((200, CONTENTS["one.jsonl"][:100], 360), "cannot download .* broke off"),
        ((500, b"", 0), "the server says 500"),
    ],
)
def test_what_is_not_the_file_is_not_kept(server, tmp_path, answer, message):
    server[0]["one.jsonl"] = answer
    with pytest.raises(ma.DataError, match=message) as caught:
        ma.get_dataset("small", folder=tmp_path)
    text = str(caught.value)
    assert "\n" not in text
    assert "/some/where/raw/abc1234/deep/one.jsonl" in text  # from where
    assert str(tmp_path / "small" / "scores" / "one.jsonl") in text  # to where
    assert left_in(tmp_path) == []
    assert not list(tmp_path.rglob(".incoming*"))


def test_without_a_network_it_says_what_to_do(server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "HOST", "http://127.0.0.1:1")
    with pytest.raises(ma.DataError, match=r"\(no connection\); download it by hand and put it at '.*one.jsonl'"):
        ma.get_dataset("small", folder=tmp_path)
    for name, content in CONTENTS.items():
        (tmp_path / "small" / "scores" / name).write_bytes(content)
    assert ma.get_dataset("small", folder=tmp_path) == tmp_path / "small"


def test_a_file_with_other_bytes_is_neither_used_nor_replaced(server, tmp_path):
    place = tmp_path / "small" / "scores" / "one.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text("mine")
    for look in (ma.get_dataset, ma.find_dataset):
        with pytest.raises(ma.DataError, match=r"is not the published file .* move it elsewhere"):
            look("small", folder=tmp_path)
    assert place.read_text() == "mine"
    assert ma.datasets(tmp_path).table[0].here == 0


def test_without_pooch_the_install_command_is_told(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ma.UsageError, match=r"pip install 'metassay\[datasets\]'"):
        ma.get_dataset("small", folder=tmp_path)


def test_a_folder_that_is_a_file(server, tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ma.UsageError, match=r"cannot write .* METASSAY_DATA"):
        ma.get_dataset("small", folder=tmp_path / "data")


def test_the_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("METASSAY_DATA", str(tmp_path))
    assert ma.datasets().table[0].folder == str(tmp_path / "summeval")
    monkeypatch.delenv("METASSAY_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert module.data_folder() == tmp_path / "cache" / "metassay" / "datasets"


def test_what_is_known():
    names = [row.name for row in ma.datasets().table]
    assert names == ["summeval", "realsumm", "tac2008"]
    every = [file for name in names for file in files_of(name)]
    assert len(every) == 24
    assert all(len(file.sha256) == 64 and file.size > 0 for file in every)
    people = next(file for file in files_of("summeval") if file.file == "scores/human.jsonl")
    assert people.url == (
        "https://github.com/CogComp/stat-analysis-experiments/raw/7b05bd8/"
        "experiments/statistical-analysis/data/fabbri2020/relevance.jsonl"
    )
    with pytest.raises(ma.UnknownName, match="did you mean 'summeval'"):
        ma.get_dataset("sumeval")


def test_the_real_files_are_the_ones_that_are_known(shared_data):
    for row in ma.datasets(shared_data).table:
        assert row.here == row.files
        assert ma.get_dataset(row.name, folder=shared_data) == shared_data / row.name


def test_a_download_stops_at_the_known_size(server, tmp_path, monkeypatch):
    server[0]["one.jsonl"] = (200, b"x" * 5_000_000, 5_000_000)
    sizes: list[int] = []

    def watched(*args, downloader, **options):
        def load(url, target, asking):
            downloader(url, target, asking)
            sizes.append(Path(target).stat().st_size)

        return retrieve(*args, downloader=load, **options)

    pooch = pytest.importorskip("pooch")
    retrieve = pooch.retrieve
    monkeypatch.setattr(pooch, "retrieve", watched)
    with pytest.raises(ma.DataError, match=r"is not the published scores/one.jsonl"):
        ma.get_dataset("small", folder=tmp_path)
    assert sizes == [len(CONTENTS["one.jsonl"]) + 1]
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 360\r\n\r\n"])
def test_a_download_that_comes_byte_by_byte_is_given_up(server, tmp_path, monkeypatch, head):
    done = threading.Event()

    def drip(listening):
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(head)
            while not done.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,))
        thread.start()
        monkeypatch.setattr(module, "HOST", f"http://127.0.0.1:{listening.getsockname()[1]}")
        monkeypatch.setattr(module, "PATIENCE", 0.4)
        with pytest.raises(ma.DataError, match=r"\(it took longer than a download at 20 kB per second would\)"):
            ma.get_dataset("small", folder=tmp_path)
        done.set()
        thread.join()
    assert left_in(tmp_path) == []


def test_what_killed_downloads_left_is_swept(server, tmp_path):
    old, young = tmp_path / "small" / ".incoming-old", tmp_path / "small" / ".incoming-young"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "half").write_text("half")
    os.utime(old, (0, 0))
    ma.get_dataset("small", folder=tmp_path)
    assert not old.exists()
    assert young.exists()
