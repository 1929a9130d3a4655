"""Sessions: a folder each, an address that nobody can guess, and an end."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from metassay.web.limits import Limits
from metassay.web.worker import Busy

if sys.platform != "win32":
    import fcntl

Stage = Literal["reading", "unreadable", "choosing", "working", "done"]

UNREADABLE = 60.0
"""Seconds after which a session whose files could not be read is deleted."""

_PREFIX = "metassay-serve-"
_LONGEST_NAME = 100
_LEFT_OUT = re.compile(r"[^\w.+=@ -]")


def safe_name(name: str, taken: set[str]) -> str:
    r"""Return a file's name without anything that a file system, a shell or a page could take for more than a name.

    Examples
    --------
    >>> safe_name("../../etc/passwd", set()), safe_name("C:\\scores.csv", {"scores.csv"}), safe_name("<b>.csv", set())
    ('passwd', '2-scores.csv', '_b_.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = _LEFT_OUT.sub("_", last).strip(" .-") or "file"
    # The end says more of a file than its beginning.
    plain = plain[-_LONGEST_NAME:].lstrip(" .-") or "file"
    while len(plain.encode()) > 2 * _LONGEST_NAME:
        plain = plain[1:]
    chosen, n = plain, 1
    while chosen.casefold() in {name.casefold() for name in taken}:
        n += 1
        chosen = f"{n}-{plain}"
    return chosen


def sweep_after_others() -> None:
    """Delete what servers of this user left behind that had no chance to: they were killed, or the machine went down.

    A server holds a lock on its folder for as long as it lives.
    """
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # no folder of ours
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # its server lives
        finally:
            os.close(lock)


def _own_folder() -> tuple[Path, int]:
    """Make a folder that only this user can read, and take its lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        if sys.platform == "win32":
            return folder, os.open(os.devnull, os.O_RDONLY)
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():  # nobody swept it before it had its lock
            return folder, lock
        os.close(lock)


@dataclass(eq=False, slots=True)
class Session:
    """One person's files, choices and report."""

    key: str
    """The secret part of its address."""
    person: str
    """The network address that it was begun from."""
    folder: Path
    """Where its files are."""
    files: list[str] = field(default_factory=list)
    """Names of the files, within ``folder / "files"``."""
    stage: Stage = "reading"
    """How far it has come."""
    format: str | None = None
    """How to read the files, if the person said so."""
    language: str | None = None
    """The language to take from the files."""
    reading: dict[str, Any] = field(default_factory=dict)
    """Which columns name systems, inputs and annotators, as far as the person said so."""
    found: dict[str, Any] = field(default_factory=dict)
    """What was recognised; see :func:`metassay.web.worker_main.look`."""
    choices: dict[str, Any] = field(default_factory=dict)
    """What the person chose last."""
    progress: dict[str, Any] = field(default_factory=dict)
    """How far the report is, or how many are first."""
    made: dict[str, Any] = field(default_factory=dict)
    """What the report says in short."""
    error: str = ""
    """What went wrong last, in one line."""
    started: float = 0.0
    """When the work at hand began."""
    touched: float = field(default_factory=time.monotonic)
    """When somebody last asked for it."""
    job: asyncio.Task[None] | None = None
    """The work at hand."""

    @property
    def busy(self) -> bool:
        """Whether work is at hand."""
        return self.job is not None and not self.job.done()

    @property
    def inbox(self) -> Path:
        """Where the person's files are."""
        return self.folder / "files"

    @property
    def report(self) -> Path:
        """Where the report is, once it is made."""
        return self.folder / "report.html"

    @property
    def first(self) -> Path:
        """Where the first screen of the report is, while the rest is computed."""
        return self.folder / "first.html"

    async def stop(self) -> None:
        """Call off the work at hand."""
        if self.job is not None and not self.job.done():
            self.job.cancel()
            await asyncio.wait({self.job})


class Sessions:
    """All sessions, in one temporary folder that only this user can read.

    Parameters
    ----------
    limits
        How many there may be, and how long they live.
    keep
        A folder for copies of what was sent and made; by default nothing is kept.
    """

    def __init__(self, limits: Limits, keep: Path | None = None) -> None:
        self.limits = limits
        self.keep = keep
        sweep_after_others()
        self.root, self._lock = _own_folder()
        # Whoever is in a hurry presses Ctrl-C twice, and nobody calls close().
        atexit.register(shutil.rmtree, self.root, True)
        self._open: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def begin(self, person: str = "") -> Session:
        """Begin a session for somebody at a network address."""
        if len(self._open) >= self.limits.sessions:
            await self._make_room(person)
        key = secrets.token_urlsafe(24)
        session = Session(key, person, self.root / secrets.token_hex(8))
        session.inbox.mkdir(parents=True, mode=0o700)
        self._open[key] = session
        return session

    async def _make_room(self, person: str) -> None:
        """End a session that could not be read, or one of an address that has more of them than this one will."""
        idle = sorted((s for s in self._open.values() if not s.busy), key=lambda s: s.touched)
        held = Counter(session.person for session in self._open.values())
        most = max(held.values(), default=0)
        unreadable = [session for session in idle if session.stage == "unreadable"]
        greedy = [session for session in idle if held[session.person] == most > held[person] + 1]
        for session in [*unreadable, *greedy][:1]:
            await self.end(session)
            return
        raise Busy("too many people are using this server; try again in a few minutes")

    def find(self, key: str) -> Session | None:
        """Return the session of an address, and note that it is in use."""
        session = self._open.get(key)
        if session is not None:
            session.touched = time.monotonic()
        return session

    async def end(self, session: Session) -> None:
        """Stop a session's work and delete its files."""
        self._open.pop(session.key, None)
        await session.stop()
        await asyncio.to_thread(shutil.rmtree, session.folder, True)

    async def sweep(self, now: float | None = None) -> None:
        """End the sessions that nobody has used for as long as they live."""
        now = time.monotonic() if now is None else now
        for session in list(self._open.values()):
            lifetime = self.limits.lifetime
            if session.stage == "unreadable":  # all that is left of it is one line, and that was read
                lifetime = min(lifetime, UNREADABLE)
            if not session.busy and now - session.touched > lifetime:
                await self.end(session)

    async def sweeping(self) -> None:
        """Sweep for ever."""
        while True:
            await asyncio.sleep(min(30.0, self.limits.lifetime / 4))
            await self.sweep()

    async def close(self) -> None:
        """End all sessions; nothing is left but what was to be kept."""
        for session in list(self._open.values()):
            await self.end(session)
        await asyncio.to_thread(shutil.rmtree, self.root, True)
        os.close(self._lock)

    def put_away(self, session: Session) -> None:
        """Copy a session's files, choices and report to the folder where things are kept, if there is one."""
        if self.keep is None:
            return
        stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
        place = self.keep / f"{stamp}-{session.folder.name}"
        shutil.copytree(session.inbox, place / "files")
        shutil.copyfile(session.report, place / "report.html")
        columns = zip(session.found["columns"], session.choices["columns"], strict=True)
        chosen = {
            **session.choices,
            "columns": [{"name": c["name"], "kind": kind, "lower_is_better": lower} for c, (kind, lower) in columns],
            "language": session.choices["language"] or session.language,
            "format": session.format,
        }
        (place / "choices.json").write_text(json.dumps(chosen, indent=2, ensure_ascii=False), encoding="utf-8")
