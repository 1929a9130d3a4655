"""Jensen-Shannon divergence between the words of an output and those of its source or references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cache

import numpy as np

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import one_of
from metassay.texts.scorers.tokens import STEM, TOKENS, WordScorer, lengths_of_ngrams, ngrams

AGAINST = ("source", "references")
SMOOTHINGS = ("none", "lidstone")


class JensenShannon(WordScorer):
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

    name = "js"
    n: int | str | Iterable[int] = field(default=(1, 2), kw_only=False)
    against: str = one_of("source", "comparison", AGAINST)
    smoothing: str = one_of("lidstone", "smoothing", SMOOTHINGS)
    delta: float = 0.0005
    stem: str = one_of("porter", *STEM)
    tokens: str = one_of("rouge", *TOKENS)

    def _prepare(self) -> None:
        self._n = lengths_of_ngrams(self.n)
        given: object = self.delta  # options from the command line may be text
        if not isinstance(given, int | float) or not 0 < given < float("inf"):
            raise UsageError(f"delta must be a number over 0, got {self.delta}; smoothing=none adds nothing")
        self._words()
        self.columns = tuple(f"js-{n}_{self.against}" for n in self._n)
        self.lower_is_better = frozenset(self.columns)
        smoothing = (self.smoothing, float(self.delta)) if self.smoothing == "lidstone" else self.smoothing
        self.signature = self._recipe("n against smoothing log tokens stem", smoothing=smoothing, log=2)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return divergences of shape (items, columns), NaN where there is nothing to compare."""
        words = self._words()

        @cache
        def counts(texts: tuple[str, ...]) -> list[Counter[tuple[int, ...]]]:
            found = [words.of(text) for text in texts]
            return [Counter(ngram for text in found for ngram in ngrams(text, n)) for n in self._n]

        def divergences(item: Item) -> list[float]:
            compared = item.references if self.against == "references" else (item.source or "",)
            both = zip(counts((item.output,)), counts(compared), strict=True)
            return [self._divergence(ours, theirs) if ours and theirs else np.nan for ours, theirs in both]

        return self._each(items, divergences)

    def _divergence(self, ours: Counter[tuple[int, ...]], theirs: Counter[tuple[int, ...]]) -> float:
        both = [*theirs, *(ngram for ngram in ours if ngram not in theirs)]
        # Looking up an n-gram that was never seen gives 0.
        counts = np.array([[side[ngram] for ngram in both] for side in (ours, theirs)], dtype=np.float64)
        totals = counts.sum(axis=1, keepdims=True)
        if self.smoothing == "lidstone":
            counts += self.delta
            totals += self.delta * 1.5 * len(theirs)
        shares = counts / totals
        middle = shares.mean(axis=0)
        seen = shares > 0
        terms = np.zeros_like(shares)
        terms[seen] = shares[seen] * np.log2((shares / middle)[seen])
        return float(terms.sum() / 2)
