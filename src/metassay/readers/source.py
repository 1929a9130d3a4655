"""A file that is read: opened, unpacked, decoded and peeked into; what goes wrong is told with its line."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from metassay.core import strict_json
from metassay.errors import FormatError, UsageError, one_line

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

    from _typeshed import WriteableBuffer

Record = dict[str, Any]

_HEAD = 1 << 16
_LONGEST_LINE = 1 << 26
_LARGEST_DOCUMENT = 1 << 30
_ALWAYS_UNPACKED = 1 << 26
_MOST_UNPACKED = 100
"""Gzip may unpack to the first, or to so many times its size; tables of scores shrink to a fortieth at best."""
_BUFFER = 1 << 17
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_WESTERN = re.compile(
    rb"[\x00-\x08\x0e-\x1f\x81-\x84\x86-\x90\x98-\x9f\xd7\xf7\xff]"  # no text, or other encodings
    rb"|[A-Za-z][\x80\x85\x91\x93-\x97][A-Za-z]|[A-Za-z][\xa1-\xba\xbc-\xbf]|[\xa4-\xaa\xac-\xbe][A-Za-z]|[\x80-\xff]{4}"
)
"""Bytes that text in Windows-1252 hardly has: signs inside words, and long runs beyond ASCII."""


def most_unpacked(packed: int) -> int:
    """Return how many bytes a packed file of a size may become: a small file must not fill the memory."""
    return max(_ALWAYS_UNPACKED, _MOST_UNPACKED * packed)


def members(archive: ZipFile, source: Source) -> list[ZipInfo]:
    """Return what is in an archive, if no path in it climbs out of it."""
    for name in archive.namelist():
        inside = PurePosixPath(name.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts:
            raise source.wrong(f"the archive has a path that climbs out of it, {one_line(name, 60)!r}")
    return archive.infolist()


class Source:
    """One file, plain or gzip.

    Parameters
    ----------
    path
        Where the file is.
    shown
        What to call it in messages: as the user gave it.
    named
        Whether the user named it, and not only a folder that it is in; only then it may be a pipe.
    """

    def __init__(self, path: Path, shown: str | None = None, *, named: bool = True) -> None:
        self.path = path
        self.shown = str(path) if shown is None else shown
        self.encoding = "UTF-8"
        """How the text is encoded: what a byte order mark says, or else bytes that are no UTF-8 and clearly another."""
        self._doubtful = False  # whether some object has a key twice
        # A pipe can be read once only, so its content is kept.
        self._kept = None if path.is_file() else self._slurp(named)

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
                yield self._as_utf8(raw)
                return
            with gzip.open(raw, "rb") as unpacked:
                bounded = _Unpacked(cast("IO[bytes]", unpacked), self.size, self)
                yield self._as_utf8(io.BufferedReader(bounded, _BUFFER))

    def _as_utf8(self, stream: IO[bytes]) -> IO[bytes]:
        """Return what yields the same text in UTF-8."""
        head = cast("io.BufferedReader", stream).peek(2)
        if head[:2] in _UTF_16:
            self.encoding = "UTF-16"
        elif b"\n" not in head and b"\0" not in head and re.search(rb"\r[^\r]", head):
            stream = io.BufferedReader(_LineFeeds(stream), _BUFFER)
        if self.encoding == "UTF-8":
            return stream
        return io.BufferedReader(_Recoded(stream, self), _BUFFER)

    def _is_western(self) -> bool:
        """Say whether text that is no UTF-8 is clearly Windows-1252, and read it as such from now on."""
        if self.encoding != "UTF-8":
            return False
        content = self.read()
        valid_beyond_ascii = re.search(r"[^\x00-\x7f\ufffd]", content.decode(errors="replace"))
        if valid_beyond_ascii or _NOT_WESTERN.search(content):
            return False
        self.encoding = "Windows-1252"
        return True

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
        return self.path.open("rb") if self._kept is None else io.BufferedReader(io.BytesIO(self._kept))

    @property
    def size(self) -> int:
        """How many bytes the file has, as it lies there."""
        return self.path.stat().st_size if self._kept is None else len(self._kept)

    def _slurp(self, named: bool) -> bytes:
        with self._telling():
            mode = self.path.stat().st_mode
            device = stat.S_ISBLK(mode) or stat.S_ISCHR(mode)
            if not named and not stat.S_ISDIR(mode):
                what = "a device" if device else "a pipe or a socket"
                raise UsageError(f"{one_line(self.shown)}: is {what}, not a file; take it out of the folder")
            with self.path.open("rb") as stream:
                if device and not stream.isatty() and not self.path.samefile(os.devnull):
                    raise UsageError(f"{one_line(self.shown)}: is a device, not a file")
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
                if not self._is_western():
                    raise self.wrong(
                        f"byte {error.start + 1} of the line is not UTF-8 (0x{error.object[error.start]:02x}), nor is "
                        "the file clearly Windows-1252; save it as UTF-8",
                        at + 1,
                    ) from None
                yield from islice(self.texts(), at, None)  # the lines before are the same in both

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
            for at, record in enumerate(cast("list[object]", self.whole_document()), 1):
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
            return strict_json.loads(text)
        except strict_json.RepeatedKey as error:
            self._doubtful = True
            raise self.wrong(str(error), error.line if line is None else line) from None
        except json.JSONDecodeError as error:
            if not text[error.pos :].strip():
                where = text.rstrip().count("\n") + 1 if line is None else line
                raise self.wrong(
                    "not valid JSON: it ends too early, a bracket or a quote is not closed", where
                ) from None
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
                line = line.removeprefix(codecs.BOM_UTF8)
                text = line.decode(errors="replace").strip()
                if "\ufffd" in text and self._is_western():
                    text = line.decode("cp1252").strip()
                if text:
                    return text
        return ""

    @cached_property
    def first_record(self) -> Record | None:
        """The object on the first line, if the first line is one; a key may occur twice in it."""
        if not self.first_line.startswith("{"):
            return None
        try:
            value = strict_json.loads(self.first_line)
        except strict_json.RepeatedKey:
            self._doubtful = True
            value = json.loads(self.first_line)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    @property
    def first_object(self) -> Record:
        """The object on the first line, or the first of a JSON array; an empty one if there is none."""
        several = self.document if self.first_record is None else [self.first_record]
        return several[0] if isinstance(several, list) and several and isinstance(several[0], dict) else {}

    @cached_property
    def document(self) -> object:
        """The whole content as one JSON value, if it is one, to tell formats apart: a key may occur twice in it."""
        if not self.first_line.startswith(("{", "[")):
            return None
        if self.first_record is not None:
            lines = self.filled_lines()
            next(lines)
            return self.first_record if next(lines, None) is None else None
        try:
            return self.whole_document()
        except FormatError:
            return json.loads("".join(self.texts())) if self._doubtful else None

    @property
    def is_huge(self) -> bool:
        """Whether the content is too large to be one JSON value."""
        return self.size > _LARGEST_DOCUMENT

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
        return self._whole

    @cached_property
    def _whole(self) -> object:
        if self.first_record is not None and not self._doubtful and self.document is self.first_record:
            return self.first_record
        if self.is_huge:
            raise self.wrong(
                f"one JSON value of {self.size / 1e9:.1f} GB would have to be held in memory whole; write JSON lines "
                "(an Inspect log: inspect log convert --to eval), or split it"
            )
        return self._parse("".join(self.texts()), None)


class _LineFeeds(io.RawIOBase):
    """A stream whose lines end in carriage returns only, with line feeds in their place."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        part = self._stream.read(len(view)).replace(b"\r", b"\n")
        view[: len(part)] = part
        return len(part)


class _Recoded(io.RawIOBase):
    """The text of a stream in UTF-8."""

    def __init__(self, stream: IO[bytes], source: Source) -> None:
        self._stream, self._source = stream, source
        self._decoder = codecs.getincrementaldecoder("utf-16" if source.encoding == "UTF-16" else "cp1252")()
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        try:
            while not self._ready and (more := self._stream.read(_BUFFER)):
                self._ready = self._decoder.decode(more).encode()
            if not self._ready:
                self._decoder.decode(b"", final=True)
        except UnicodeError as error:
            told = f"the text is not {self._source.encoding}, as it begins ({one_line(error, 60)}); save it as UTF-8"
            raise self._source.wrong(told) from None
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n


class _Unpacked(io.RawIOBase):
    """What is unpacked, up to a bound: a small file must not fill the memory."""

    def __init__(self, stream: IO[bytes], packed: int, source: Source) -> None:
        self._stream = stream
        self._left = self._most = most_unpacked(packed)
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        read: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self._left -= read
        if self._left < 0:
            raise self._source.wrong(
                f"the gzip data unpacks to more than {self._most >> 20} MB, {_MOST_UNPACKED} times its size or more; "
                "if that is right, unpack it first"
            )
        return read
