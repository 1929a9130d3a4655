"""Writing files whole or not at all."""

from __future__ import annotations

import glob
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from metassay.errors import UsageError, one_line


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a new file beside `path` that takes its place when the context ends without an error.

    What is no regular file, such as ``/dev/null`` or a pipe, is written to directly.

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
        _sweep(final)
        handle, name = tempfile.mkstemp(prefix=f".{final.name[:40]}.", suffix=".part", dir=final.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.chmod(_mode(final))
            part.replace(final)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {one_line(path)!r}: {error.strerror or one_line(error)}") from None


def _sweep(final: Path) -> None:
    """Remove unfinished files of this name that processes left behind when they were killed, a day ago or earlier."""
    for part in final.parent.glob(f".{glob.escape(final.name[:40])}.*.part"):
        with suppress(OSError):
            if part.stat().st_mtime < time.time() - 86_400:
                part.unlink()


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
