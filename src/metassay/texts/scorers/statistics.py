"""What outputs are like: how much is new, how much is said twice, how much is copied, and how long they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
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
from metassay.texts.segments import sentence_texts


class _Statistic(ScorerDefaults):
    """A statistic of words in lower case, as a tokenizer finds them."""

    needs: frozenset[Need] = frozenset({"source"})
    name: ClassVar[str]
    _lacking: ClassVar[str] = "score"

    def __init__(self, stem: str, tokens: str) -> None:
        self._stem = vocabulary.choice("stemming", stem, STEMMINGS)
        self._tokens = vocabulary.choice("tokenizer", tokens, TOKENIZERS)
        stemmer(self._stem)  # missing lists are told before any work

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told."""
        against = "source" if "source" in self.needs else "nothing"
        return notes_on_words(self.name, items, self._tokens, against=against, lacking=self._lacking)

    def _words(self) -> Words:
        return Words(tokenizer(self._tokens), stemmer(self._stem))

    def _recipe(self, *parts: str) -> str:
        return "|".join([self.name, *parts, f"tokens:{self._tokens}", f"stem:{self._stem}", "v:1"])


class _OfNgrams(_Statistic):
    """A statistic of n-grams, with a column for each n."""

    def __init__(
        self, n: int | str | Iterable[int] = (1, 2, 3, 4), *, stem: str = "none", tokens: str = "unicode"
    ) -> None:
        super().__init__(stem, tokens)
        self._n = lengths_of_ngrams(n)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names such as ``novel-1``."""
        return tuple(f"{self.name}-{n}" for n in self._n)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return self._recipe(f"n:{','.join(map(str, self._n))}")


class NovelNgrams(_OfNgrams):
    """The share of an output's different n-grams that its source does not have.

    Parameters
    ----------
    n
        The length of n-grams, or several: ``1``, ``"1+2"``.
    stem, tokens
        As for ROUGE; here words are as written but for case, in any script.

    Notes
    -----
    NaN for an output that has no n-grams of the length, and for text without spaces between words.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", (), "the cat ran")
    >>> NovelNgrams("1+2").score([item]).round(3).tolist()
    [[0.333, 0.5]]
    """

    name = "novel"

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return shares of shape (items, columns)."""
        words = self._words()
        out = np.full((len(items), len(self._n)), np.nan)
        known: dict[str, list[set[tuple[int, ...]]]] = {}
        for row, item in enumerate(items):
            if item.source is None or wordless(item, self._tokens, against="source"):
                continue
            if item.source not in known:
                source = words.of(item.source)
                known[item.source] = [set(ngrams(source, n)) for n in self._n]
            output = words.of(item.output)
            for column, (n, there) in enumerate(zip(self._n, known[item.source], strict=True)):
                here = set(ngrams(output, n))
                if here:
                    out[row, column] = len(here - there) / len(here)
        return out


class RepeatedNgrams(_OfNgrams):
    """The share of an output's different n-grams that it has more than once.

    Parameters
    ----------
    n
        The length of n-grams, or several: ``1``, ``"1+2"``.
    stem, tokens
        As for ROUGE; here words are as written but for case, in any script.

    Notes
    -----
    NaN for an output that has no n-grams of the length, and for text without spaces between words.

    Examples
    --------
    >>> RepeatedNgrams("1+2").score([Item("a", "1", "the cat and the dog", (), None)]).tolist()
    [[0.25, 0.0]]
    """

    name = "repeated"
    needs: frozenset[Need] = frozenset()

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return shares of shape (items, columns)."""
        words = self._words()
        out = np.full((len(items), len(self._n)), np.nan)
        for row, item in enumerate(items):
            if wordless(item, self._tokens, against="nothing"):
                continue
            output = words.of(item.output)
            for column, n in enumerate(self._n):
                counts = Counter(ngrams(output, n))
                if counts:
                    out[row, column] = sum(count > 1 for count in counts.values()) / len(counts)
        return out


class Fragments(_Statistic):
    """How far an output is copied from its source: coverage, density and compression.

    Grusky, Naaman and Artzi (2018), Newsroom: a dataset of 1.3 million summaries, §4. An output is parted from left
    to right into the longest runs of words that its source has. Coverage is the share of words in runs, density the
    mean over words of the length of their run, compression the words of the source per word of the output.

    Parameters
    ----------
    stem, tokens
        As for ROUGE; here words are as written but for case, in any script.

    Notes
    -----
    NaN for an output without words, and for text without spaces between words.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat still", (), "Today the cat sat on the mat.")
    >>> Fragments().score([item]).tolist()
    [[0.75, 2.25, 1.75]]
    """

    name = "fragments"
    columns: tuple[str, ...] = ("coverage", "density", "compression")

    def __init__(self, *, stem: str = "none", tokens: str = "unicode") -> None:
        super().__init__(stem, tokens)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return self._recipe()

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return coverage, density and compression of shape (items, 3)."""
        words = self._words()
        out = np.full((len(items), 3), np.nan)
        sources: dict[str, tuple[int, list[dict[int, int]]]] = {}
        for row, item in enumerate(items):
            if item.source is None or wordless(item, self._tokens, against="source"):
                continue
            if item.source not in sources:
                source = words.of(item.source)
                sources[item.source] = len(source), _substrings(source)
            length, steps = sources[item.source]
            output = words.of(item.output)
            if output:
                runs = np.array(_runs(output, steps), dtype=np.float64)
                out[row] = np.array([runs.sum(), (runs**2).sum(), length]) / len(output)
        return out


def _substrings(words: Sequence[int]) -> list[dict[int, int]]:
    """Return an automaton that reads every run of the words: states from 0, each a map from a word to a state.

    The suffix automaton of Blumer et al. (1985): built in one pass, and a run is found in as many steps as it has
    words, however often its words occur.
    """
    steps: list[dict[int, int]] = [{}]
    longest, link = [0], [-1]
    last = 0
    for word in words:
        new = len(steps)
        steps.append({})
        longest.append(longest[last] + 1)
        link.append(0)
        at = last
        while at >= 0 and word not in steps[at]:
            steps[at][word] = new
            at = link[at]
        if at >= 0:
            there = steps[at][word]
            if longest[there] == longest[at] + 1:
                link[new] = there
            else:
                copy = len(steps)
                steps.append(dict(steps[there]))
                longest.append(longest[at] + 1)
                link.append(link[there])
                while at >= 0 and steps[at].get(word) == there:
                    steps[at][word] = copy
                    at = link[at]
                link[there] = link[new] = copy
        last = new
    return steps


def _runs(words: Sequence[int], steps: Sequence[dict[int, int]]) -> list[int]:
    """Return the lengths of the longest runs that the automaton reads, from left to right, without words in none."""
    runs = []
    at = 0
    while at < len(words):
        state, start = 0, at
        while at < len(words) and words[at] in steps[state]:
            state = steps[state][words[at]]
            at += 1
        if at > start:
            runs.append(at - start)
        else:
            at += 1
    return runs


class Length(_Statistic):
    """The length of outputs in words, sentences and characters.

    Parameters
    ----------
    tokens
        ``unicode`` for words of any script, ``rouge`` for those that ROUGE-1.5.5 counts.

    Notes
    -----
    An output without words has length 0; one in a script without spaces has characters and sentences, but NaN words.

    Examples
    --------
    >>> Length().score([Item("a", "1", "It rained. We stayed in.", (), None)]).tolist()
    [[5.0, 2.0, 24.0]]
    """

    name = "length"
    _lacking = "words"
    columns: tuple[str, ...] = ("length_tokens", "length_sentences", "length_characters")
    needs: frozenset[Need] = frozenset()

    def __init__(self, *, tokens: str = "unicode") -> None:
        super().__init__("none", tokens)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return f"{self.name}|tokens:{self._tokens}|v:1"

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return lengths of shape (items, 3)."""
        find = tokenizer(self._tokens)
        out = np.empty((len(items), 3))
        for row, item in enumerate(items):
            words = np.nan if wordless(item, self._tokens, against="nothing") else len(find(item.output))
            out[row] = words, len(sentence_texts(item.output)), len(item.output)
        return out
