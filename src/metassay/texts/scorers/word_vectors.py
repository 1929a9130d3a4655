"""Word vectors from a file: the text formats of word2vec and GloVe, plain or gzipped, and JSON.

What was read once is kept as an array beside the cache of scores, under a digest of the file, and mapped into memory
from then on: a file of 300 MB takes ten seconds the first time and one later.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import TextIOWrapper
from json import JSONDecoder
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from metassay.core.files import replacing
from metassay.errors import FormatError, UsageError, one_line
from metassay.stats.arrays import IntArray
from metassay.texts.scorers.cache import default_path

VectorArray = npt.NDArray[np.float32]


class WordVectors(NamedTuple):
    """Vectors of words in lower case."""

    places: dict[str, int]
    """The row of each word."""
    matrix: VectorArray
    """A vector per row."""

    def rows(self, words: Iterable[str]) -> IntArray:
        """Return the rows of words, −1 of those without a vector."""
        return np.array([self.places.get(word, -1) for word in words], dtype=np.int64)


def digest_of_vectors(path: Path) -> str:
    """Return letters that stand for the content of a file, or say that it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:16]
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot read the word vectors {one_line(path, 80)!r}: {why}") from None


@lru_cache(maxsize=2)
def word_vectors(path: Path, content: str) -> WordVectors:
    """Return the vectors in a file whose content has this digest, from the cache if it was read before."""
    folder = default_path().parent / "vectors"
    array, names = folder / f"{content}.npy", folder / f"{content}.txt"
    try:
        words = names.read_text(encoding="utf-8").split("\n")
        matrix = np.load(array, mmap_mode="r")
        if matrix.ndim == 2 and len(matrix) == len(words):
            return WordVectors({word: row for row, word in enumerate(words)}, matrix)
    except (OSError, ValueError):
        pass  # not there, or damaged: it is read again
    found: dict[str, VectorArray] = {}
    for word, vector in _read(path):
        # Of words that differ in case only, the first is the most frequent one in the files that people share.
        found.setdefault(word.lower(), vector)
    if not found:
        raise FormatError("there are no word vectors in it", file=path)
    matrix = np.stack(list(found.values()))
    _keep(array, names, found, matrix)
    return WordVectors({word: row for row, word in enumerate(found)}, matrix)


def _keep(array: Path, names: Path, words: Iterable[str], matrix: VectorArray) -> None:
    try:
        array.parent.mkdir(parents=True, exist_ok=True)
        with replacing(array) as stream:
            np.save(stream, matrix)
        with replacing(names) as stream:
            stream.write("\n".join(words).encode("utf-8", "replace"))
    except (OSError, UsageError):
        pass  # a full disk or a folder of somebody else: it is read again next time


def _read(path: Path) -> Iterator[tuple[str, VectorArray]]:
    """Yield words and vectors of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy warns of what is no number
        try:
            with path.open("rb") as file, _unpacked(file) as lines:
                first = lines.readline()
                if first.lstrip().startswith("{"):
                    yield from _from_json(first + lines.read(), path)
                else:
                    yield from _from_lines(first, lines, path)
        except (OSError, EOFError) as error:
            raise FormatError(f"cannot be read: {one_line(error)}", file=path) from None


def _unpacked(file: IO[bytes]) -> TextIOWrapper:
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return TextIOWrapper(gzip.GzipFile(fileobj=file) if packed else file, encoding="utf-8", errors="replace")


def _from_lines(first: str, lines: Iterable[str], path: Path) -> Iterator[tuple[str, VectorArray]]:
    header = re.fullmatch(r"\s*\d+\s+(\d+)\s*", first)
    width = int(header[1]) if header else len(first.split()) - 1
    if width < 1 or "\0" in first:
        raise FormatError("each line must hold a word and its numbers, as word2vec and GloVe write them", file=path)
    for number, line in enumerate(lines if header else (first, *lines), 2 if header else 1):
        text = line.rstrip()
        if not text:
            continue
        word, _, numbers = text.partition(" ")
        vector = _numbers(numbers, " ")
        if len(vector) != width:
            # A few words of GloVe's largest files have spaces inside.
            word, *parts = text.rsplit(" ", width)
            vector = _numbers(" ".join(parts), " ")
        if len(vector) != width:
            raise FormatError(
                f"a line must hold a word and {width} numbers, got {one_line(text, 40)!r}; a binary file must be "
                "written as text first",
                file=path,
                line=number,
            )
        yield word, vector


def _from_json(text: str, path: Path) -> Iterator[tuple[str, VectorArray]]:
    """Yield from ``{"vectors": {word: [numbers]}}``, as wink-nlp has it, or ``{word: [numbers]}``.

    The numbers alone are parsed: a list of Python's numbers would take twenty times the room.
    """
    inner = re.search(r'"vectors"\s*:\s*\{', text)
    stated = re.search(r'"dimensions"\s*:\s*(\d+)', text[:1000])
    at = inner.end() if inner else text.index("{") + 1
    opening = re.compile(r"\s*:\s*\[")
    key = re.compile(r'\s*,?\s*(?=")')
    read = JSONDecoder().raw_decode
    width = int(stated[1]) if stated else 0
    while start := key.match(text, at):
        try:
            word, at = read(text, start.end())
            begin = opening.match(text, at)
            end = text.index("]", at)
            vector = _numbers(text[begin.end() : end], ",") if begin else np.empty(0, np.float32)
        except ValueError:
            raise FormatError("it is not JSON with a list of numbers for each word", file=path) from None
        width = width or len(vector)
        if not width or len(vector) < width:
            raise FormatError(
                f"each word must have a list of {width or 'some'} numbers; {one_line(word, 40)!r} has {len(vector)}",
                file=path,
            )
        at = end + 1
        # wink-nlp puts the length of the vector and its rank behind its numbers.
        yield word, vector[:width]


def _numbers(text: str, separator: str) -> VectorArray:
    try:
        return np.fromstring(text, dtype=np.float32, sep=separator)
    except (ValueError, DeprecationWarning):
        return np.empty(0, np.float32)
