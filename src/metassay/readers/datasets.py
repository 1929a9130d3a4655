"""Public data sets: which files they are, where they come from, and how to have them here.

A file is known by repository, commit, path and SHA-256. Nothing counts as being here unless its bytes say so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from metassay.core import text_options as text
from metassay.core.extras import load_extra
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.errors import DataError, UnknownName, UsageError, one_line

VARIABLE = "METASSAY_DATA"
"""The environment variable that names the folder of data sets."""
HOST = "https://github.com"
"""Where repositories are."""
PATIENCE = 30
"""Seconds to wait for an answer."""
SLOWEST = 20_000
"""Bytes per second: a download that would take longer is given up."""

Telling = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file of a data set."""

    file: str
    """Its place in the data set's folder."""
    repository: str
    """The GitHub repository that publishes it."""
    commit: str
    """The commit that is meant."""
    path: str
    """Its path in the repository."""
    sha256: str
    """What its bytes must hash to."""
    size: int
    """How many bytes it has."""

    @property
    def url(self) -> str:
        """The address to download it from."""
        return f"{HOST}/{self.repository}/raw/{self.commit}/{self.path}"


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One public data set."""

    name: str
    """Its name, which is also its folder."""
    about: str
    """What it holds."""
    files: int
    """How many files it has."""
    size: int
    """Bytes of all its files."""
    here: int
    """How many of its files are here, with the right bytes."""
    folder: str
    """Where it is, or would be."""
    repositories: str
    """Who publishes it: repositories, each with the commit."""
    licence: str
    """Under which licences."""
    citation: str
    """Whom to cite."""


class Datasets(Result, study="datasets"):
    """The public data sets that metassay knows, and which of them are here."""

    table: Sequence[DatasetRow]
    """One row per data set."""


def datasets(folder: text.Folder = None) -> Datasets:
    """List the public data sets that can be downloaded, and say which are here.

    Parameters
    ----------
    folder
        The folder of data sets; by default that of :func:`data_folder`.

    Examples
    --------
    >>> [row.name for row in datasets().table]
    ['summeval', 'realsumm', 'tac2008']
    """
    root = data_folder(folder)
    rows = []
    for name, known in registry().items():
        every = known["files"]
        rows.append(
            DatasetRow(
                name=name,
                about=known["about"],
                files=len(every),
                size=sum(f.size for f in every),
                here=sum(_intact(root / name / f.file, f) for f in every),
                folder=str(root / name),
                repositories=", ".join(dict.fromkeys(f"{f.repository} {f.commit}" for f in every)),
                licence=known["licence"],
                citation=known["citation"],
            )
        )
    notes = [Note.of("dataset-absent", dataset=name, why=known["absent"]) for name, known in registry().items()]
    return Datasets(tuple(rows), Signature.of("datasets", known=len(rows)), tuple(notes))


def get_dataset(name: str, *, folder: text.Folder = None, tell: Telling = lambda _: None) -> Path:
    """Download what is missing of a public data set, verify every file, and return its folder.

    Files that are here are not downloaded again. A file appears complete and verified or not at all, so that a
    download which broke off goes on where it stopped. Read the scores with ``metassay.read(folder / "scores")``.

    Parameters
    ----------
    name
        A name that :func:`datasets` lists.
    folder
        The folder of data sets; by default that of :func:`data_folder`.
    tell
        Called with a line per file that is downloaded.

    Raises
    ------
    UnknownName
        There is no such data set.
    UsageError
        Something must be downloaded and pooch is not installed: ``pip install 'metassay[datasets]'``.
    DataError
        A file cannot be had, or is not the one that was published; the message has its address and its place here.
    """
    wanted = files_of(name)
    target = data_folder(folder) / name
    missing = [file for file in wanted if not _usable(target / file.file, file)]
    if missing:
        (pooch,) = load_extra("datasets", "downloading needs pooch, which is not installed", "pooch")
        # it would print its own lines, and the reader has ours
        pooch.get_logger().setLevel("CRITICAL")
        for at, file in enumerate(missing, 1):
            tell(f"{name}: {file.file} ({at} of {len(missing)}, {file.size / 1e6:.1f} MB)")
            _download(file, target)
    return target


def find_dataset(name: str, *, folder: text.Folder = None) -> Path:
    """Return the folder of a data set that is here and whole.

    Raises
    ------
    DataError
        Files are missing or have other bytes; the message names the first, and how to get it.
    """
    wanted = files_of(name)
    target = data_folder(folder) / name
    absent = [file for file in wanted if not _usable(target / file.file, file)]
    if absent:
        raise DataError(
            f"{len(absent)} of {len(wanted)} files of {name} are not in {one_line(target)!r}, such as "
            f"{absent[0].file}; get them with: metassay datasets get {name}"
        )
    return target


def data_folder(folder: text.Folder = None) -> Path:
    """Return the folder of data sets: the one given, else ``METASSAY_DATA``, else the user's cache folder."""
    if folder is not None:
        return Path(folder)
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or (Path.home() / ".cache")
    return Path(base) / "metassay" / "datasets"


def files_of(name: str) -> tuple[PublicFile, ...]:
    """Return the files of a data set."""
    known = registry()
    if name not in known:
        raise UnknownName("data set", name, known)
    every: tuple[PublicFile, ...] = known[name]["files"]
    return every


@cache
def registry() -> dict[str, dict[str, Any]]:
    """Return what is known of every data set, by its name."""
    text = files("metassay").joinpath("data", "datasets.json").read_text(encoding="utf-8")
    return {
        name: {**known, "files": tuple(PublicFile(**file) for file in known["files"])}
        for name, known in json.loads(text).items()
    }


def _download(file: PublicFile, target: Path) -> None:
    import pooch

    place = target / file.file
    by_hand = f"download it by hand and put it at {one_line(place, 400)!r}"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        # pooch works in a folder of its own: what a killed process leaves behind is never among the data
        with tempfile.TemporaryDirectory(prefix=".incoming-", dir=target) as incoming:
            got = pooch.retrieve(
                file.url,
                f"sha256:{file.sha256}",
                fname=place.name,
                path=incoming,
                downloader=_Downloader(file.size),
            )
            Path(got).replace(place)
    except ValueError:  # pooch: the hash is another one
        raise DataError(
            f"the file at {file.url} is not the published {file.file} (its SHA-256 is not {file.sha256}), and was "
            f"deleted: the download was interrupted or altered; try again, or {by_hand}"
        ) from None
    except OSError as error:
        if error.errno is not None and error.filename is not None:  # a file here, not the network
            raise UsageError(
                f"cannot write {one_line(error.filename)!r}: {error.strerror}; name another folder with {VARIABLE}"
            ) from None
        trouble = _trouble(error)
        raise DataError(f"cannot download {file.url} ({trouble}); {by_hand}") from None


class _TakesTooLong(OSError):
    pass


class _Downloader:
    """Fetches a file for pooch: no more bytes than it has, and no longer than it may take in all."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._error: Exception | None = None
        self._given_up = False

    def __call__(self, url: str, target: str, _: object) -> None:
        # A server may send byte by byte, headers too, and no timeout of a single answer sees it: this waits apart.
        work = threading.Thread(target=self._work, args=(url, target), daemon=True)
        work.start()
        work.join(PATIENCE + self._size / SLOWEST)
        if work.is_alive():
            self._given_up = True
            raise _TakesTooLong
        if self._error is not None:
            raise self._error

    def _work(self, url: str, target: str) -> None:
        import requests

        try:
            with requests.get(url, stream=True, timeout=PATIENCE) as answer, Path(target).open("wb") as stream:
                answer.raise_for_status()
                left = self._size + 1  # one more tells that it is another file, which its hash then says
                for chunk in answer.iter_content(1 << 16):
                    stream.write(chunk[:left])
                    left -= len(chunk)
                    if left <= 0 or self._given_up:
                        break
        except Exception as error:  # whatever it is belongs to the thread that waits
            self._error = error


def _sweep(target: Path) -> None:
    """Remove what downloads that were killed left behind a day ago or earlier; younger ones may be at work."""
    for left in target.glob(".incoming-*"):
        if left.stat().st_mtime < time.time() - 86_400:
            shutil.rmtree(left, ignore_errors=True)


def _trouble(error: OSError) -> str:
    """Say in a few words what went wrong on the network; requests quotes its own inside."""
    if isinstance(error, _TakesTooLong):
        return f"it took longer than a download at {SLOWEST // 1000} kB per second would"
    answer = getattr(error, "response", None)
    if answer is not None:
        answer.close()  # nobody else does
        return f"the server says {answer.status_code} {one_line(answer.reason, 60)}"
    kind = type(error).__name__
    if "Timeout" in kind:
        return "no answer in time"
    return "the connection broke off" if "Chunked" in kind else "no connection"


def _usable(place: Path, file: PublicFile) -> bool:
    """Return whether a file is here; one with other bytes is somebody's, and not ours to replace."""
    if not place.exists():
        return False
    if not _intact(place, file):
        raise DataError(
            f"{one_line(place, 400)!r} is not the published file (its SHA-256 is not {file.sha256}); delete it or "
            "move it elsewhere, and get it again"
        )
    return True


def _intact(place: Path, file: PublicFile) -> bool:
    try:
        if place.stat().st_size != file.size:
            return False
        with place.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    except OSError:
        return False
