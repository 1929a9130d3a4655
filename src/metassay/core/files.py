"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from metassay.errors import UsageError, one_line

YOUNG = 10.0
"""Seconds that an unfinished file is left alone, whoever wrote it."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a new file beside `path` that takes its place when the context ends without an error.

    What is no regular file, such as ``/dev/null`` or a pipe, is written to directly. Unfinished files that writers of
    `path` left behind when they were killed are removed.

    Raises
    ------
    UsageError
        If the file cannot be written; the path is then as it was before.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        final = target.resolve()
        if final.is_dir():
            raise IsADirectoryError(21, "it is a directory")
        prefix = f".{final.name[:40]}."
        _sweep(final.parent, prefix)
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=final.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                _locked(handle)
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.chmod(_mode(final))
            part.replace(final)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {one_line(path)!r}: {error.strerror or one_line(error)}") from None


def _sweep(folder: Path, prefix: str) -> None:
    """Remove what writers of the same file left behind when they were killed; those at work hold a lock."""
    for left in folder.glob(f"{glob.escape(prefix)}*.part"):
        with contextlib.suppress(OSError), left.open("rb") as stream:
            # A new file is there for a moment before its writer has locked it.
            if time.time() - left.stat().st_mtime > YOUNG and _locked(stream.fileno()):
                left.unlink()


def _locked(handle: int) -> bool:
    """Lock a file until it is closed, and say whether nobody else had; where there are no locks, nobody has one."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def no_formula(text: str) -> str:
    """Return `text` so that a spreadsheet takes it for text: one that looks like a formula gets an apostrophe.

    Examples
    --------
    >>> no_formula("=1+1"), no_formula("a=b")
    ("'=1+1", 'a=b')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` as UTF-8, whole or not at all."""
    with replacing(path) as stream:
        # A lone surrogate, from a damaged file name or a JSON escape, must not stop the rest.
        stream.write(text.encode("utf-8", "backslashreplace"))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that writing would raise, as far as it can be known before the work is done."""
    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        raise UsageError(f"cannot write {one_line(path)!r}: it is a directory")
    if not folder.is_dir():
        raise UsageError(f"cannot write {one_line(path)!r}: there is no directory {one_line(folder)!r}")
    regular = not target.exists() or target.is_file()
    if regular and not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {one_line(path)!r}: no permission in {one_line(folder)!r}")


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those that a new file would get."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
