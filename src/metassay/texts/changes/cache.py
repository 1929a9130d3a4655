"""Translations that were made before, kept in a file by what was translated, how, and into what."""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar

from metassay.core.note import Note
from metassay.errors import DataError, UsageError, one_line
from metassay.texts.changes.translators import Translated

T = TypeVar("T")

_OURS = 0x6D617472
"""Marks a file as a cache of translations, so that no other database is ever written to."""
_TABLE = """
    CREATE TABLE IF NOT EXISTS translations (key BLOB PRIMARY KEY, text TEXT NOT NULL, unknown INTEGER, cut INTEGER)
    WITHOUT ROWID
"""
_AT_ONCE = 500
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class TranslationCache:
    """A file of translations. What is put in is on the disk before :meth:`put` returns.

    Parameters
    ----------
    path
        The file; it is made if it does not exist. One that is damaged is set aside under another name, and
        :attr:`notes` says so.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(fspath(path))
        self.notes: list[Note] = []
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._safely(lambda _: None)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Translated]:
        """Return those translations that are there, by key."""

        def find(connection: sqlite3.Connection) -> dict[bytes, Translated]:
            found: dict[bytes, Translated] = {}
            for some in _pages(keys):
                marks = ",".join("?" * len(some))
                query = f"SELECT key, text, unknown, cut FROM translations WHERE key IN ({marks})"
                for key, text, unknown, cut in connection.execute(query, some):
                    found[bytes(key)] = Translated(text, unknown, bool(cut))
            return found

        return self._safely(find)

    def put(self, translations: Iterable[tuple[bytes, Translated]]) -> None:
        """Keep translations by key, all of them or none."""
        rows = [(key, *translation) for key, translation in translations]

        def keep(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO translations VALUES (?, ?, ?, ?)", rows)

        self._safely(keep)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()

    def _safely(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the file; a damaged one is set aside, anything else that is wrong is told in a line."""
        with self._lock:
            try:
                return action(self._opened())
            except sqlite3.DatabaseError as error:
                self._let_go()
                if getattr(error, "sqlite_errorcode", None) not in _DAMAGED:
                    raise self._trouble(error) from None
            self._set_aside()
            try:
                return action(self._opened())
            except sqlite3.DatabaseError as error:
                self._let_go()
                raise self._trouble(error) from None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
            self._connection = connection
            (owner,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if owner != _OURS and tables:
                self._let_go()
                raise UsageError(f"{one_line(self.path)}: is a database of something else; name another file as cache")
            connection.execute("PRAGMA synchronous = NORMAL")
            if not tables:  # a file that is fine is not written to before there is something to keep
                with connection:
                    connection.execute(_TABLE)
                    connection.execute(f"PRAGMA application_id = {_OURS}")
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _set_aside(self) -> None:
        names = (self.path.with_name(f"{self.path.name}.damaged{n or ''}") for n in itertools.count())
        aside = next(name for name in names if not name.exists())
        try:
            self.path.rename(aside)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"{one_line(self.path)}: is damaged and cannot be set aside: {reason}") from None
        for leftover in ("-journal", "-wal", "-shm"):
            self.path.with_name(self.path.name + leftover).unlink(missing_ok=True)
        self.notes.append(Note.of("cache-damaged", path=str(self.path), now=aside.name))

    def _trouble(self, error: sqlite3.DatabaseError) -> Exception:
        where = f"{one_line(self.path)}: the cache"
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return DataError(
                f"{where} cannot grow, the disk is full; free some space and run again: what was put in before is kept"
            )
        return UsageError(f"{where} cannot be used: {one_line(error)}")


def key_of(signature: str, source: str, target: str, segment: str) -> bytes:
    """Return the key of a translation: a digest of all that decides it."""
    return hashlib.sha256("\0".join((signature, source, target, segment)).encode("utf-8", "surrogatepass")).digest()


def _pages(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]
