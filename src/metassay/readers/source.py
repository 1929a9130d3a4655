"""A file that is read: opened, unpacked, decoded and peeked into; what goes wrong is told with its line."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from metassay.errors import FormatError, UsageError, one_line

Record = dict[str, Any]

_HEAD = 1 << 16
_LONGEST_LINE = 1 << 26


class Source:
    """One file, plain or gzip.

    Parameters
    ----------
    path
        Where the file is.
    shown
        What to call it in messages: as the user gave it.
    """

    def __init__(self, path: Path, shown: str | None = None) -> None:
        self.path = path
        self.shown = str(path) if shown is None else shown
        # A pipe can be read once only, so its content is kept.
        self._kept = None if path.is_file() else self._slurp()

    @property
    def name(self) -> str:
        """The file's own name, without its directory."""
        return self.path.name

    def wrong(self, message: str, line: int | None = None) -> FormatError:
        """Return the error for something in this file."""
        return FormatError(message, file=self.shown, line=line)

    # -- bytes ----------------------------------------------------------------------------------

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the file for reading bytes, unpacked if it is gzip."""
        with self._telling(), self._raw() as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.open(raw, "rb") as unpacked:
                yield cast("IO[bytes]", unpacked)

    def read(self) -> bytes:
        """Return the whole content, unpacked."""
        with self.open() as stream:
            return stream.read()

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the content, unpacked."""
        with self.open() as stream:
            return stream.read(_HEAD)

    def _raw(self) -> IO[bytes]:
        return self.path.open("rb") if self._kept is None else BytesIO(self._kept)

    def _slurp(self) -> bytes:
        with self._telling(), self.path.open("rb") as stream:
            return stream.read()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what the system says about a file into what the user must know."""
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.wrong(
                f"the gzip data is damaged or cut off ({one_line(error, 60)}); get the file again"
            ) from None
        except FileNotFoundError:
            raise UsageError(f"{one_line(self.shown)}: there is no such file or directory") from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"{one_line(self.shown)}: cannot be read: {one_line(reason)}") from None

    # -- text -----------------------------------------------------------------------------------

    def texts(self) -> Iterator[str]:
        """Yield lines, with their line ends."""
        with self.open() as stream:
            at = 0
            try:
                for line in stream:
                    yield line.decode() if at else line.removeprefix(codecs.BOM_UTF8).decode()
                    at += 1
            except UnicodeDecodeError as error:
                raise self.wrong(
                    f"byte {error.start + 1} of the line is not UTF-8 (0x{error.object[error.start]:02x}); "
                    "save the file as UTF-8",
                    at + 1,
                ) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield lines, with their line ends, and their numbers counted from one."""
        return enumerate(self.texts(), 1)

    def filled_lines(self) -> Iterator[tuple[int, str]]:
        """Yield lines that are not blank, without the space around them."""
        for at, line in self.lines():
            text = line.strip()
            if text:
                yield at, text

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the objects of JSON lines with their line numbers, or those of a JSON array, counted."""
        if self.first_record is None and isinstance(self.document, list):
            for at, record in enumerate(self.document, 1):
                yield at, self._object(record, at)
            return
        for at, text in self.filled_lines():
            yield at, self._object(self._parse(text, at), at)

    def _object(self, value: object, line: int) -> Record:
        if not isinstance(value, dict):
            raise self.wrong(f"expected a JSON object, got {one_line(repr(value), 40)}", line)
        return value

    def _parse(self, text: str, line: int | None) -> object:
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            where = error.lineno if line is None else line
            raise self.wrong(
                f"not valid JSON: {error.msg.removesuffix(' at')} at character {error.colno}", where
            ) from None
        except (ValueError, RecursionError) as error:
            raise self.wrong(f"not readable as JSON: {one_line(error, 80)}", line) from None

    # -- peeking --------------------------------------------------------------------------------

    @cached_property
    def is_text(self) -> bool:
        """Whether the content looks like text and not like bytes of some other kind."""
        return b"\0" not in self.head.lstrip().partition(b"\n")[0]

    @cached_property
    def first_line(self) -> str:
        """The first line that is not blank, without the space around it; empty if the content is no text."""
        if not self.is_text:
            return ""
        with self.open() as stream:
            while line := stream.readline(_LONGEST_LINE):
                text = line.removeprefix(codecs.BOM_UTF8).decode(errors="replace").strip()
                if text:
                    return text
        return ""

    @cached_property
    def first_record(self) -> Record | None:
        """The object on the first line, if the first line is one."""
        if not self.first_line.startswith("{"):
            return None
        try:
            value = json.loads(self.first_line)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    @cached_property
    def document(self) -> object:
        """The whole content as one JSON value, if it is one."""
        if not self.first_line.startswith(("{", "[")):
            return None
        if self.first_record is not None:
            lines = self.filled_lines()
            next(lines)
            return self.first_record if next(lines, None) is None else None
        try:
            return self.whole_document()
        except FormatError:
            return None

    def check_first_line(self) -> None:
        """Raise if the first line is no JSON but the second is an object: JSON lines of which the first was cut."""
        lines = self.filled_lines()
        first, second = next(lines, None), next(lines, None)
        if first is None or second is None or not second[1].startswith("{"):
            return
        try:
            json.loads(second[1])
        except (ValueError, RecursionError):
            return
        self._object(self._parse(first[1], first[0]), first[0])

    def whole_document(self) -> object:
        """Return the whole content as one JSON value, or say why it is none."""
        return self._parse("".join(self.texts()), None)
