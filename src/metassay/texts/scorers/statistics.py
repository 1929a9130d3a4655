"""What outputs are like: how much is new, how much is said twice, how much is copied, and how long they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cache

import numpy as np

from metassay.core.texts import Item
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import one_of
from metassay.texts.scorers.tokens import STEM, TOKENS, WordScorer, lengths_of_ngrams, ngrams, tokenizer
from metassay.texts.segments import sentence_texts


class _OfNgrams(WordScorer):
    """A statistic of n-grams, with a column for each n.

    Parameters
    ----------
    n
        The length of n-grams, or several: ``1``, ``"1+2"``.
    stem, tokens
        As for ROUGE; here words are as written but for case, in any script.

    Notes
    -----
    NaN for an output that has no n-grams of the length, and for text without spaces between words.
    """

    n: int | str | Iterable[int] = field(default=(1, 2, 3, 4), kw_only=False)
    stem: str = one_of("none", *STEM)
    tokens: str = one_of("unicode", *TOKENS)

    def _prepare(self) -> None:
        self._words()
        self._n = lengths_of_ngrams(self.n)
        self.columns = tuple(f"{self.name}-{n}" for n in self._n)
        self.signature = self._recipe("n tokens stem")


class NovelNgrams(_OfNgrams):
    """The share of an output's different n-grams that its source does not have.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", (), "the cat ran")
    >>> NovelNgrams("1+2").score([item]).round(3).tolist()
    [[0.333, 0.5]]
    """

    name = "novel"
    against = "source"

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return shares of shape (items, columns)."""
        words = self._words()

        @cache
        def kinds(text: str) -> list[set[tuple[int, ...]]]:
            return [set(ngrams(words.of(text), n)) for n in self._n]

        def shares(item: Item) -> list[float]:
            both = zip(kinds(item.output), kinds(item.source or ""), strict=True)
            return [len(here - there) / len(here) if here else np.nan for here, there in both]

        return self._each(items, shares)


class RepeatedNgrams(_OfNgrams):
    """The share of an output's different n-grams that it has more than once.

    Examples
    --------
    >>> RepeatedNgrams("1+2").score([Item("a", "1", "the cat and the dog", (), None)]).tolist()
    [[0.25, 0.0]]
    """

    name = "repeated"
    against = "nothing"

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return shares of shape (items, columns)."""
        words = self._words()

        def shares(item: Item) -> list[float]:
            counts = [Counter(ngrams(words.of(item.output), n)) for n in self._n]
            return [sum(n > 1 for n in each.values()) / len(each) if each else np.nan for each in counts]

        return self._each(items, shares)


class Fragments(WordScorer):
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
    against = "source"
    columns = ("coverage", "density", "compression")
    stem: str = one_of("none", *STEM)
    tokens: str = one_of("unicode", *TOKENS)

    def _prepare(self) -> None:
        self._words()
        self.signature = self._recipe("tokens stem")

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return coverage, density and compression of shape (items, 3)."""
        words = self._words()

        @cache
        def parted(source: str) -> tuple[int, list[dict[int, int]]]:
            found = words.of(source)
            return len(found), substrings_of(found)

        def measures(item: Item) -> FloatArray:
            (length, steps), output = parted(item.source or ""), words.of(item.output)
            runs = np.array(runs_of(output, steps), dtype=np.float64)
            sums = np.array([runs.sum(), (runs**2).sum(), length])
            return sums / len(output) if output else np.full(3, np.nan)

        return self._each(items, measures)


def substrings_of(words: Sequence[int]) -> list[dict[int, int]]:
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


def runs_of(words: Sequence[int], steps: Sequence[dict[int, int]]) -> list[int]:
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


class Length(WordScorer):
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
    against = "nothing"
    _lacking = "words"
    columns = ("length_tokens", "length_sentences", "length_characters")
    tokens: str = one_of("unicode", *TOKENS)

    def _prepare(self) -> None:
        self.signature = self._recipe("tokens")

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return lengths of shape (items, 3)."""
        find = tokenizer(self.tokens)
        out = np.empty((len(items), 3))
        for row, item in enumerate(items):
            words = np.nan if self._wordless(item) else len(find(item.output))
            out[row] = words, len(sentence_texts(item.output)), len(item.output)
        return out
