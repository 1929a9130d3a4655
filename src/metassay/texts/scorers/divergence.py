"""Jensen-Shannon divergence between the words of an output and those of its source or references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import Need, ScorerDefaults
from metassay.texts.scorers.tokens import (
    STEMMINGS,
    TOKENIZERS,
    Words,
    lengths_of_ngrams,
    ngrams,
    notes_on_words,
    stemmer,
    tokenizer,
    wordless,
)

AGAINST = ("source", "references")
SMOOTHINGS = ("none", "lidstone")


class JensenShannon(ScorerDefaults):
    """Jensen-Shannon divergence of n-grams: 0 for the same shares of the same n-grams, 1 for none in common.

    Louis and Nenkova (2013), Automatically assessing machine summary content without a gold standard. Logarithms are
    to base 2, so that divergences end at 1; their program SIMetrix takes natural ones (multiply by ln 2).

    Parameters
    ----------
    n
        The length of n-grams, or several: ``1``, ``2``, ``"1+2"``.
    against
        ``source``, or ``references``, whose n-grams are counted together.
    smoothing
        ``lidstone``: a count c of N becomes (c + delta) / (N + delta · B), where B is 1.5 times the number of
        different n-grams in the text that is compared to; sums go over the n-grams of both texts, so that a little
        of either's weight is not in them. ``none``: shares as they are.
    delta
        What smoothing adds to each count.
    stem, tokens
        As for ROUGE.

    Notes
    -----
    An output or a comparison without n-grams has no divergence: NaN; so has text without spaces between words.

    Examples
    --------
    >>> item = Item("a", "1", "the cat", (), "the dog")
    >>> JensenShannon(1, smoothing="none").score([item]).tolist()
    [[0.5]]
    """

    def __init__(
        self,
        n: int | str | Iterable[int] = (1, 2),
        *,
        against: str = "source",
        smoothing: str = "lidstone",
        delta: float = 0.0005,
        stem: str = "porter",
        tokens: str = "rouge",
    ) -> None:
        self._n = lengths_of_ngrams(n)
        self._against: Literal["source", "references"] = (
            "source" if vocabulary.choice("comparison", against, AGAINST) == "source" else "references"
        )
        self._smoothing = vocabulary.choice("smoothing", smoothing, SMOOTHINGS)
        given: object = delta  # options from the command line may be text
        if not isinstance(given, int | float) or not 0 < given < float("inf"):
            raise UsageError(f"delta must be a number over 0, got {delta}; smoothing=none adds nothing")
        self._delta = float(delta)
        self._stem = vocabulary.choice("stemming", stem, STEMMINGS)
        self._tokens = vocabulary.choice("tokenizer", tokens, TOKENIZERS)
        stemmer(self._stem)  # missing lists are told before any work

    @property
    def needs(self) -> frozenset[Need]:
        """The source or the references."""
        return frozenset({self._against})

    @property
    def columns(self) -> tuple[str, ...]:
        """Names such as ``js-1_source``."""
        return tuple(f"js-{n}_{self._against}" for n in self._n)

    @property
    def lower_is_better(self) -> frozenset[str]:
        """All columns."""
        return frozenset(self.columns)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        smoothing = f"{self._smoothing},{self._delta:g}" if self._smoothing == "lidstone" else self._smoothing
        return (
            f"js|n:{','.join(map(str, self._n))}|against:{self._against}|smoothing:{smoothing}|log:2"
            f"|tokens:{self._tokens}|stem:{self._stem}|v:1"
        )

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told."""
        return notes_on_words("js", items, self._tokens, against=self._against)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return divergences of shape (items, columns), NaN where there is nothing to compare."""
        words = Words(tokenizer(self._tokens), stemmer(self._stem))
        out = np.full((len(items), len(self._n)), np.nan)
        compared: dict[tuple[str, ...], list[Counter[tuple[int, ...]]]] = {}
        for row, item in enumerate(items):
            texts = item.references if self._against == "references" else (item.source or "",)
            if wordless(item, self._tokens, against=self._against):
                continue
            if texts not in compared:
                compared[texts] = self._counts(texts, words)
            for column, (ours, theirs) in enumerate(
                zip(self._counts((item.output,), words), compared[texts], strict=True)
            ):
                if ours and theirs:
                    out[row, column] = self._divergence(ours, theirs)
        return out

    def _counts(self, texts: Iterable[str], words: Words) -> list[Counter[tuple[int, ...]]]:
        found = [words.of(text) for text in texts]
        return [Counter(ngram for text in found for ngram in ngrams(text, n)) for n in self._n]

    def _divergence(self, ours: Counter[tuple[int, ...]], theirs: Counter[tuple[int, ...]]) -> float:
        both = [*theirs, *(ngram for ngram in ours if ngram not in theirs)]
        # Looking up an n-gram that was never seen gives 0.
        counts = np.array([[side[ngram] for ngram in both] for side in (ours, theirs)], dtype=np.float64)
        totals = counts.sum(axis=1, keepdims=True)
        if self._smoothing == "lidstone":
            counts += self._delta
            totals += self._delta * 1.5 * len(theirs)
        shares = counts / totals
        middle = shares.mean(axis=0)
        seen = shares > 0
        terms = np.zeros_like(shares)
        terms[seen] = shares[seen] * np.log2((shares / middle)[seen])
        return float(terms.sum() / 2)
