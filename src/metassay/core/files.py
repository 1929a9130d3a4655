"""Writing files whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
