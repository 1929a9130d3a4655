"""Writing files whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from metassay.errors import UsageError, one_line


def write(path: str | Path, text: str) -> None:
    """Write `text` to `path` as UTF-8; on failure the path is as it was before.

    The text goes to a new file beside the old one, which then takes its place. What is no regular file,
    such as ``/dev/null`` or a pipe, is written to directly.

    Raises
    ------
    UsageError
        If the file cannot be written.
    """
    target = Path(path)
    # a lone surrogate, from a damaged file name or a JSON escape, must not stop the rest
    data = text.encode("utf-8", "backslashreplace")
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)
        else:
            _replace(target.resolve(), data)
    except OSError as error:
        raise UsageError(f"cannot write {one_line(path)!r}: {error.strerror or one_line(error)}") from None


def check_writable(path: str | Path) -> None:
    """Raise the error that :func:`write` would raise as far as it can be known before the work is done."""
    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        raise UsageError(f"cannot write {one_line(path)!r}: it is a directory")
    if not folder.is_dir():
        raise UsageError(f"cannot write {one_line(path)!r}: there is no directory {one_line(folder)!r}")
    regular = not target.exists() or target.is_file()
    if regular and not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {one_line(path)!r}: no permission in {one_line(folder)!r}")


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(21, "it is a directory")
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode(target))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those that a new file would get."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
