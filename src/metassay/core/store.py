"""Values by key in a file that outlives the process: checkpoints and caches.

The file is an SQLite database, so a process that is killed leaves it whole. It carries a mark of its owner, so that no
file of another program is written to, and every value has a checksum, so that a flipped bit is noticed.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from metassay.core.note import Note
from metassay.errors import DataError, MetassayError, UsageError, one_line

T = TypeVar("T")

SECONDS = 0.5
"""How long values that may wait are kept in memory: so much work may be lost."""

_TABLE = "create table entries (key blob primary key, value blob, checksum blob) without rowid"
_HEAD = b"SQLite format 3\0"
_MARK_AT = 68
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_AT_ONCE = 500


class Kind(NamedTuple):
    """What a file holds."""

    what: str
    """Its name in messages."""
    mark: int
    """The owner's mark, SQLite's application id."""
    remedy: str
    """What to do if the file cannot be used."""
    begins_anew: bool
    """Whether a damaged file is set aside for a new one. What takes long to compute again is better looked at."""


CHECKPOINT = Kind("checkpoint", 0x6D617331, "name another file", begins_anew=False)
SCORES = Kind(
    "cache of scores",
    0x6D617332,
    "name another with cache=… or --cache, or keep nothing with --no-cache",
    begins_anew=True,
)
TRANSLATIONS = Kind("cache of translations", 0x6D617333, "name another with cache=… or --cache", begins_anew=True)


class Store:
    """Values by key, all of them bytes. Use it as a context manager; threads may share it.

    Parameters
    ----------
    path
        The file, which is made if it does not exist; None keeps values in memory only.
    kind
        What the file holds. One that holds anything else is refused.

    Examples
    --------
    >>> with Store(None, SCORES) as store:
    ...     store.put({b"a": b"1", b"b": b"2"})
    ...     store.get([b"b", b"c"])
    {b'b': b'2'}
    """

    def __init__(self, path: str | os.PathLike[str] | None, kind: Kind) -> None:
        self.path = None if path is None else Path(path)
        self.kind = kind
        self.notes: list[Note] = []
        """Says so if a damaged file was set aside."""
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._timer: threading.Timer | None = None
        self._failed: sqlite3.Error | None = None
        self._safely(lambda _: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            self.flush()
        finally:
            self._let_go()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there. One that does not fit its checksum is not."""

        def find(db: sqlite3.Connection) -> dict[bytes, bytes]:
            wanted = iter(keys)
            found = {}
            while part := list(itertools.islice(wanted, _AT_ONCE)):
                marks = ",".join("?" * len(part))
                rows = db.execute(f"select key, value, checksum from entries where key in ({marks})", part)
                found.update({key: value for key, value, check in rows if check == checksum(key, value)})
            return found

        return self._safely(find)

    def put(self, values: Mapping[bytes, bytes], *, may_wait: bool = False) -> None:
        """Keep values, all of them or none.

        Parameters
        ----------
        values
            What to keep.
        may_wait
            Whether they go to the disk within half a second, together with what else comes in: that is much faster
            for many small ones. By default they are on the disk when this returns.
        """
        rows = [(key, value, checksum(key, value)) for key, value in values.items()]

        def keep(db: sqlite3.Connection) -> None:
            db.executemany("insert or replace into entries values (?, ?, ?)", rows)
            if not may_wait:
                db.commit()
            elif self._timer is None:
                # None waits for the next one, which may take long.
                self._timer = threading.Timer(SECONDS, self._commit)
                self._timer.daemon = True
                self._timer.start()

        self._safely(keep)

    def settle(self, key: bytes, value: bytes) -> bytes:
        """Return what is kept under a key; if there is nothing, keep this value. Of several processes one is first."""

        def first(db: sqlite3.Connection) -> bytes:
            db.execute("insert or ignore into entries values (?, ?, ?)", (key, value, checksum(key, value)))
            there = self.get([key]).get(key)
            if there is None:  # something, but damaged
                self.put({key: value}, may_wait=True)
            return value if there is None else there

        return self._safely(first)

    def flush(self) -> None:
        """Put on the disk what waits."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._db is not None:
                self._safely(sqlite3.Connection.commit)

    def _commit(self) -> None:
        with self._lock:
            self._timer = None
            try:
                if self._db is not None:
                    self._db.commit()
            except sqlite3.Error as error:
                self._failed = error  # told to whoever comes next

    def _safely(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the file; what is wrong with it is told in a line."""
        with self._lock:
            for again in (False, True):
                try:
                    if self._failed is not None:
                        error, self._failed = self._failed, None
                        raise error
                    return action(self._opened())
                except (sqlite3.Error, OSError) as error:
                    self._let_go()
                    damaged = getattr(error, "sqlite_errorcode", None) in _DAMAGED
                    if again or not (damaged and self.kind.begins_anew):
                        raise self._trouble(error) from None
                self._set_aside()
            raise AssertionError("the second try returns or raises")

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            new = self.path is None or self._check_owner(self.path)
            db = sqlite3.connect(self.path or ":memory:", timeout=60, check_same_thread=False)
            self._db = db
            # A file that is fine is not written to before there is something to keep.
            if new and not db.execute("begin immediate").execute("select 1 from sqlite_master").fetchone():
                db.execute(_TABLE)
                db.execute(f"pragma application_id = {self.kind.mark}")
            db.execute("select 1 from entries limit 1")
            db.commit()
        return self._db

    def _check_owner(self, path: Path) -> bool:
        """Return whether a file is yet to be made; refuse one that somebody else made."""
        if not path.exists():
            return True
        if path.is_dir():
            raise IsADirectoryError(21, "it is a directory")
        head = b"?"
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(_MARK_AT + 4)
        if head and (head[:16] != _HEAD or int.from_bytes(head[_MARK_AT:], "big") != self.kind.mark):
            raise UsageError(
                f"{one_line(path)!r} is not a {self.kind.what} made by this version of metassay; {self.kind.remedy}"
            )
        return not head

    def _let_go(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _set_aside(self) -> None:
        assert self.path is not None
        names = (self.path.with_name(f"{self.path.name}.damaged{n or ''}") for n in itertools.count())
        aside = next(name for name in names if not name.exists())
        try:
            self.path.rename(aside)
            for leftover in ("-journal", "-wal", "-shm"):
                # A journal that stays behind would be played back into the new file.
                self.path.with_name(self.path.name + leftover).unlink(missing_ok=True)
        except OSError as error:
            raise self._trouble(error) from None
        self.notes.append(Note.of("store-damaged", what=self.kind.what, path=str(self.path), now=aside.name))

    def _trouble(self, error: Exception) -> MetassayError:
        named = f"the {self.kind.what} {one_line(self.path)!r}"
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return DataError(
                f"{named} cannot grow, the disk is full; free some space and run again; what was saved is kept"
            )
        reason = getattr(error, "strerror", None) or one_line(error)
        return UsageError(f"cannot use {named}: {reason.lower()}; {self.kind.remedy}")


def checksum(key: bytes, value: object) -> bytes:
    """Return what tells a damaged value; the key is part of it, so that values cannot change places."""
    content = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.blake2b(content, digest_size=8, key=key[:64]).digest()
