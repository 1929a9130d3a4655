"""Plain zip archives: the files in them stand in a folder while they are read."""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metassay.errors import one_line
from metassay.readers import inspect_log, xlsx
from metassay.readers.source import Source, members, most_unpacked

_HIDDEN = re.compile(r"(^|/)(\.|__MACOSX/)")
MOST_FILES = 10_000
"""Files that an archive may have."""


@contextmanager
def opened(path: Path, shown: str) -> Iterator[Path]:
    """Yield a path, or a folder with the files of an archive that is no format of its own, such as a zip of tables."""
    source = Source(path, shown) if path.is_file() else None
    packed = source is not None and source.head.startswith(b"PK\x03\x04")
    if source is None or not packed or inspect_log.recognise(source) or xlsx.recognise(source):
        yield path
    else:
        with tempfile.TemporaryDirectory(prefix="metassay-zip-") as folder:
            yield _unpack(source, Path(folder))


def files_in(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of an unpacked archive, those in its folders too, with their names there."""
    return [(file.relative_to(folder).as_posix(), file) for file in sorted(folder.rglob("*")) if file.is_file()]


def _unpack(source: Source, folder: Path) -> Path:
    """Unpack the files of an archive, up to a bound, and return the folder in which they lie."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            files = [
                file for file in members(archive, source) if not file.is_dir() and not _HIDDEN.search(file.filename)
            ]
            if any(file.flag_bits & 1 for file in files):
                raise source.wrong("the zip archive is encrypted; unpack it and name the files in it")
            most, size = most_unpacked(source.size), sum(file.file_size for file in files)
            if size > most or len(files) > MOST_FILES:
                raise source.wrong(
                    f"the zip archive unpacks to {len(files):,} files with {size >> 20:,} MB, and {MOST_FILES:,} files "
                    f"and {most >> 20:,} MB are the most; if that is right, unpack it first"
                )
            archive.extractall(folder, files)
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, zlib.error) as error:
        raise source.wrong(
            f"the zip archive is damaged or packed in an unknown way ({one_line(error, 60)}); get the file again"
        ) from None
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir():
        folder = inside[0]
    return folder
