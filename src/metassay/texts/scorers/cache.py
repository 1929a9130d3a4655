"""Scores that were computed before, by content: what is in here is never scored twice.

The cache is one SQLite file. Every batch is a transaction, so a run that is killed loses at most the batch it was
working on and goes on from there.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.texts.scorers.base import Scorer

FloatArray = npt.NDArray[np.float64]


def default_path() -> Path:
    """Return where scores are kept if nobody says otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metassay" / "scores.sqlite"


class Cache:
    """Scores by the content they were computed from. Use it as a context manager.

    Parameters
    ----------
    path
        The file; None keeps scores in memory only.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.note: Note | None = None
        """Says so if a damaged cache was set aside."""
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._set_aside(error)

    def _open(self) -> None:
        if self.path is not None:
            try:
                if self.path == default_path():
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                if self.path.exists() and not _is_database(self.path):
                    raise UsageError(f"{one_line(self.path)!r} is not a cache of scores; name another with --cache")
            except OSError as error:
                raise self._unusable(error) from None
        try:
            self._db = sqlite3.connect(":memory:" if self.path is None else self.path, timeout=60)
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        self._db.execute("create table if not exists scores (key blob primary key, value blob) without rowid")
        found = self._db.execute("pragma quick_check(1)").fetchone()
        if found != ("ok",):
            raise sqlite3.DatabaseError(str(found))
        self._db.commit()

    def _set_aside(self, error: sqlite3.DatabaseError) -> None:
        if self.path is None or isinstance(error, sqlite3.OperationalError):
            raise self._unusable(error) from None
        self._db.close()
        damaged = self.path.with_name(self.path.name + ".damaged")
        try:
            self.path.replace(damaged)
            for ending in ("-journal", "-wal", "-shm"):
                # A journal that stays behind would be played back into the new file.
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as failure:
            raise self._unusable(failure) from None
        self.note = Note.of("cache-damaged", path=str(self.path), now=damaged.name)
        self._open()

    def _unusable(self, error: Exception) -> UsageError:
        return UsageError(
            f"cannot use the cache {one_line(self.path)!r}: {one_line(error)}; name another with cache=… or --cache, "
            "or keep nothing with --no-cache"
        )

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._db.close()

    def look_up(self, keys: Sequence[bytes], width: int) -> dict[bytes, FloatArray]:
        """Return the scores that are known, each with `width` numbers."""
        found = {}
        try:
            for at in range(0, len(keys), 500):
                part = keys[at : at + 500]
                marks = ",".join("?" * len(part))
                for key, value in self._db.execute(f"select key, value from scores where key in ({marks})", part):
                    # A value of another length was cut off or is no score: it is computed again.
                    if len(value) == 8 * width:
                        found[key] = np.frombuffer(value, dtype="<f8")
        except sqlite3.DatabaseError as error:
            self._set_aside(error)
        return found

    def store(self, scores: dict[bytes, FloatArray]) -> None:
        """Keep scores, all of them or none."""
        rows = [(key, np.asarray(value, dtype="<f8").tobytes()) for key, value in scores.items()]
        try:
            with self._db:
                self._db.executemany("insert or replace into scores values (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from None


def _is_database(path: Path) -> bool:
    """Say whether a file is empty, or was once a database of SQLite."""
    with path.open("rb") as file:
        head = file.read(16)
    return head in (b"", b"SQLite format 3\0")


def key_of(scorer: Scorer, item: Item) -> bytes:
    """Return what a score depends on, as a digest: the recipe, and the texts that the metric looks at."""
    digest = hashlib.blake2b(digest_size=20)
    parts = [scorer.signature, item.output]
    if "references" in scorer.sees:
        parts += [str(len(item.references)), *item.references]
    if "source" in scorer.sees and item.source is not None:
        parts.append(item.source)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()
