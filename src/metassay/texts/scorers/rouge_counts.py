"""What ROUGE counts in pairs of outputs and references, and what several references make of it.

All outputs of a batch are counted at once: n-grams as runs of numbers, each n-gram named by the rank of what precedes
its last word among the references' n-grams, so that numbers stay small for any n.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metassay.core.texts import Item
from metassay.stats.arrays import FloatArray, IntArray
from metassay.texts.scorers.subsequences import common_length, marked, places_of
from metassay.texts.scorers.tokens import Words, wordless

MEASURES = ("precision", "recall", "f1")
REFERENCES = ("best", "average", "jackknife", "rouge-1.5.5-best")
"""What several references are made into."""
MOST_WORDS = 4096
"""ROUGE-Lsum, -W and -S look at every pair of words; where a text has more words than this they are not computed."""
PAGE_WORDS = 1 << 17
"""Words that are counted at once."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What one variant counted, a row per pair of output and reference."""

    hits: FloatArray
    """What was matched."""
    of_output: FloatArray
    """What could have been matched in the output."""
    of_reference: FloatArray
    """What could have been matched in the reference; 0 where the reference says nothing, NaN where it was too long."""
    merit: FloatArray
    """By which the best reference is chosen."""

    @classmethod
    def of(cls, hits: FloatArray, output: FloatArray, reference: FloatArray, merit: FloatArray | None = None) -> Counts:
        """Return counts in which references are ranked by recall, if by nothing else."""
        return cls(hits, output, reference, _ratio(hits, reference) if merit is None else merit)

    @classmethod
    def joined(cls, pages: Sequence[Sequence[Counts]]) -> list[Counts]:
        """Return the counts of all pages, variant by variant."""
        fields = ("hits", "of_output", "of_reference", "merit")
        return [
            cls(*(np.concatenate([getattr(c, f) for c in page]) for f in fields)) for page in zip(*pages, strict=True)
        ]

    def measures(self, item_of_pair: IntArray, items: int, references: str, power: float) -> FloatArray:
        """Return precision, recall and F1 per item, (items, 3); `item_of_pair` must ascend."""
        if references == "average":
            said = self.of_reference != 0
            columns = [
                np.bincount(item_of_pair[said], weights=column[said], minlength=items).astype(np.float64)
                for column in (self.hits, self.of_output, self.of_reference)
            ]
            return measures_of(columns[0], columns[1], columns[2], power)
        scores = measures_of(self.hits, self.of_output, self.of_reference, power)
        known = ~np.isnan(scores[:, 0])
        owner, scores = item_of_pair[known], scores[known]
        ranked_by = np.stack([self.merit[known]] * 3, axis=1) if references == "rouge-1.5.5-best" else scores
        # References of an item from the best to the worst, measure by measure; the first of equals first.
        order = np.stack([np.lexsort((-column, owner)) for column in ranked_by.T], axis=1)
        ranked = np.take_along_axis(scores, order, axis=0)
        owners, first, how_many = np.unique(owner, return_index=True, return_counts=True)
        best = ranked[first]
        if references == "jackknife":
            several = how_many > 1
            m = how_many[several, None]
            best[several] = ((m - 1) * best[several] + ranked[first[several] + 1]) / m
        out = np.full((items, 3), np.nan)
        out[owners] = best
        return out


def _ratio(hits: FloatArray, total: FloatArray) -> FloatArray:
    return np.divide(hits, total, out=np.zeros_like(hits), where=total != 0)


def measures_of(hits: FloatArray, output: FloatArray, reference: FloatArray, power: float) -> FloatArray:
    """Return precision, recall and F1; NaN where the reference has nothing to match."""
    precision, recall = _ratio(hits, output) ** power, _ratio(hits, reference) ** power
    f1 = _ratio(2 * precision * recall, precision + recall)
    out = np.stack([precision, recall, f1], axis=1)
    out[(reference == 0) | np.isnan(reference)] = np.nan
    return out


@dataclass(frozen=True, slots=True)
class Text:
    """A text as numbers of its words, whole and by sentence."""

    words: list[int]
    """Numbers of the words."""
    by_sentence: list[list[int]]
    """The same by sentence, if that was asked for."""

    @classmethod
    def of(cls, sentences: Sequence[str], words: Words) -> Text:
        """Return the words of sentences."""
        parts = [part for part in map(words.of, sentences) if part]
        return cls([word for part in parts for word in part], parts)


@dataclass(frozen=True, slots=True)
class Batch:
    """Outputs and references of a batch, each text once, and which belong together."""

    outputs: list[Text]
    references: list[Text]
    pairs: list[tuple[int, int]]
    """Item and reference, by item and in the order of its references."""
    vocabulary_size: int
    """How many words there are."""

    @classmethod
    def of(cls, items: Sequence[Item], words: Words, tokens: str, parted: Callable[[str], Sequence[str]]) -> Batch:
        """Return the batch; items and references that cannot be scored are in no pair."""
        outputs: list[Text] = []
        references: list[Text] = []
        numbers: dict[str, int] = {}
        pairs = []
        for number, item in enumerate(items):
            outputs.append(Text.of(parted(item.output), words))
            if wordless(item, tokens):
                continue
            for text in item.references:
                if text not in numbers:
                    numbers[text] = len(references)
                    references.append(Text.of(parted(text), words))
                if references[numbers[text]].words:
                    pairs.append((number, numbers[text]))
        return cls(outputs, references, pairs, len(words))

    def counts(self, variants: Sequence[str], weight: float) -> list[Counts]:
        """Return what each variant counts, a row per pair."""
        return Counts.joined([[page.count(variant, weight) for variant in variants] for page in self._pages()])

    def _pages(self) -> Iterator[_Page]:
        """Yield the pairs in pages of bounded memory."""
        start = size = 0
        for at, (item, reference) in enumerate(self.pairs):
            size += len(self.outputs[item].words) + len(self.references[reference].words)
            if size > PAGE_WORDS or at + 1 == len(self.pairs):
                yield self._page(self.pairs[start : at + 1])
                start, size = at + 1, 0

    def _page(self, pairs: list[tuple[int, int]]) -> _Page:
        numbers = {reference: n for n, reference in enumerate(dict.fromkeys(r for _, r in pairs))}
        return _Page(
            [self.outputs[item] for item, _ in pairs],
            [self.references[reference] for reference in numbers],
            np.array([numbers[reference] for _, reference in pairs]),
            self.vocabulary_size,
        )


class _Side:
    """Texts laid end to end."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self.lengths: IntArray = np.fromiter(map(len, texts), np.int64, len(texts))
        self.words: IntArray = np.array([word for text in texts for word in text], dtype=np.int64)
        self.owner: IntArray = np.repeat(np.arange(len(texts)), self.lengths)
        ends = np.cumsum(self.lengths)
        self.room: IntArray = np.repeat(ends, self.lengths) - np.arange(len(self.words))
        """Words from here to the end of the text, this one included."""


@dataclass(frozen=True)
class _Page:
    """Some pairs of outputs and references, ready to be counted."""

    output_texts: list[Text]
    """One per pair."""
    reference_texts: list[Text]
    """Each once."""
    reference_of_pair: IntArray
    vocabulary_size: int

    def count(self, variant: str, weight: float) -> Counts:
        """Return what a variant counts."""
        if variant.isdigit():
            return self._ngrams(int(variant))
        if variant == "l":
            return self._common_subsequences()
        if variant == "lsum":
            return self._unions_of_subsequences()
        if variant == "w":
            return self._weighted_subsequences(weight)
        gap = re.sub(r"\D", "", variant)
        return self._skip_bigrams(int(gap) if gap else None, variant.startswith("su"))

    @cached_property
    def outputs(self) -> _Side:
        return _Side([text.words for text in self.output_texts])

    @cached_property
    def references(self) -> _Side:
        return _Side([text.words for text in self.reference_texts])

    @cached_property
    def _ranks(self) -> list[_Ranks]:
        """Ranks of n-grams from n = 0, where the rank of a place is the number of its reference."""
        return [_Ranks(self.reference_of_pair[self.outputs.owner], self.references.owner, np.empty(0, np.int64))]

    def _ranked(self, n: int) -> _Ranks:
        while len(self._ranks) <= n:
            before, step = self._ranks[-1], len(self._ranks) - 1
            sides = ((self.outputs, before.of_outputs), (self.references, before.of_references))
            at = [np.flatnonzero((rank >= 0) & (side.room > step)) for side, rank in sides]
            keys = [
                rank[places] * self.vocabulary_size + side.words[places + step]
                for (side, rank), places in zip(sides, at, strict=True)
            ]
            found, of_references, counts = _matched(keys[0], keys[1])
            ranks = [np.full(len(side.words), -1) for side, _ in sides]
            ranks[0][at[0]] = found
            ranks[1][at[1]] = of_references
            self._ranks.append(_Ranks(ranks[0], ranks[1], counts))
        return self._ranks[n]

    def _clipped(self, owner: IntArray, rank: IntArray, counts: IntArray) -> FloatArray:
        """Return matches per pair: of each n-gram, no more than the reference has."""
        known = rank >= 0
        kinds, how_often = np.unique(owner[known] * len(counts) + rank[known], return_counts=True)
        pairs, kind = np.divmod(kinds, max(1, len(counts)))
        matches = np.minimum(how_often, counts[kind]).astype(np.float64)
        return np.bincount(pairs, weights=matches, minlength=len(self.output_texts)).astype(np.float64)

    def _lengths(self) -> tuple[FloatArray, FloatArray]:
        """Return the words of outputs and of references, per pair."""
        return self.outputs.lengths.astype(float), self.references.lengths[self.reference_of_pair].astype(float)

    def _ngrams(self, n: int) -> Counts:
        ranks = self._ranked(n)
        hits = self._clipped(self.outputs.owner, ranks.of_outputs, ranks.counts)
        return Counts.of(hits, *(np.maximum(length - n + 1, 0) for length in self._lengths()))

    def _skip_bigrams(self, gap: int | None, with_words: bool) -> Counts:
        ranks = self._ranked(1)
        output, reference = self._lengths()
        most = math.inf if gap is not None else MOST_WORDS
        long = [side.lengths > most for side in (self.outputs, self.references)]
        # A pair of words can only match if both words do: the others need not be paired.
        firsts = np.flatnonzero((ranks.of_outputs >= 0) & ~long[0][self.outputs.owner])
        i, j = _pairs_of_places(self.outputs, firsts, gap)
        output_keys = ranks.of_outputs[i] * self.vocabulary_size + self.outputs.words[j]
        k, m = _pairs_of_places(self.references, np.flatnonzero(~long[1][self.references.owner]), gap)
        reference_keys = ranks.of_references[k] * self.vocabulary_size + self.references.words[m]
        found, _, counts = _matched(output_keys, reference_keys)
        hits = self._clipped(self.outputs.owner[i], found, counts)
        totals = []
        for length in (output, reference):
            reach = length - 1 if gap is None else np.minimum(length - 1, gap + 1)
            pairs = np.where(length > 1, reach * (length - 1) - reach * (reach - 1) / 2, 0.0)
            totals.append(pairs + np.maximum(length - 1, 0) if with_words else pairs)
        if with_words:
            hits = hits + self._words_but_the_last(ranks)
        totals[1] = np.where(np.maximum(output, reference) > most, np.nan, totals[1])
        return Counts.of(hits, totals[0], totals[1])

    def _words_but_the_last(self, ranks: _Ranks) -> FloatArray:
        counted = self.references.room > 1
        counts = np.bincount(ranks.of_references[counted], minlength=len(ranks.counts))
        inner = self.outputs.room > 1
        return self._clipped(self.outputs.owner[inner], ranks.of_outputs[inner], counts)

    def _common_subsequences(self) -> Counts:
        places = [places_of(text.words) for text in self.reference_texts]
        pairs = zip(self.output_texts, self.reference_of_pair, strict=True)
        hits = (common_length(text.words, places[r], len(self.reference_texts[r].words)) for text, r in pairs)
        return Counts.of(np.fromiter(hits, np.float64, len(self.output_texts)), *self._lengths())

    def _weighted_subsequences(self, weight: float) -> Counts:
        output, reference = self._lengths()
        too_long = np.maximum(output, reference) > MOST_WORDS
        fits = np.flatnonzero(~too_long & (output > 0))
        problems = [(self.reference_texts[self.reference_of_pair[p]].words, self.output_texts[p].words) for p in fits]
        hits = np.zeros(len(output))
        for number, marks in zip(fits, marked(problems, weight), strict=True):
            edges = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).astype(np.int8)))
            hits[number] = ((edges[1::2] - edges[::2]).astype(float) ** weight).sum()
        base = reference**weight
        merit = _ratio(hits, base)
        # The program raises the reference's weight to the power once more.
        base = np.where(too_long, np.nan, base**weight)
        return Counts.of(hits, output**weight, base, merit)

    def _unions_of_subsequences(self) -> Counts:
        output, reference = self._lengths()
        too_long = np.maximum(output, reference) > MOST_WORDS
        problems: list[tuple[list[int], list[int]]] = []
        pair_and_start: list[tuple[int, int]] = []
        for pair, (text, r) in enumerate(zip(self.output_texts, self.reference_of_pair, strict=True)):
            if too_long[pair]:
                continue
            start = 0
            for sentence in self.reference_texts[r].by_sentence:
                known = set(sentence)
                for other in text.by_sentence:
                    if not known.isdisjoint(other):
                        problems.append((sentence, other))
                        pair_and_start.append((pair, start))
                start += len(sentence)
        starts = np.concatenate(([0], np.cumsum(reference))).astype(np.int64)
        union = np.zeros(starts[-1], dtype=bool)
        for (pair, start), marks in zip(pair_and_start, marked(problems, None), strict=True):
            at = starts[pair] + start
            union[at : at + len(marks)] |= marks
        # Marked words of the reference, clipped by how often the output has each.
        owner = np.repeat(np.arange(len(reference)), reference.astype(np.int64))
        words = np.concatenate([self.reference_texts[r].words for r in self.reference_of_pair])
        keys = (owner * self.vocabulary_size + words)[union]
        found, _, counts = _matched(keys, self.outputs.owner * self.vocabulary_size + self.outputs.words)
        hits = self._clipped(owner[union], found, counts)
        return Counts.of(hits, output, np.where(too_long, np.nan, reference))


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Which n-gram of the references starts at each place, −1 for none."""

    of_outputs: IntArray
    of_references: IntArray
    counts: IntArray
    """How often the references have each n-gram; n-grams of different references differ."""


def _matched(keys: IntArray, reference_keys: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the rank of each key among those of the references (−1 if absent), their own ranks, and their counts."""
    kinds, own, counts = np.unique(reference_keys, return_inverse=True, return_counts=True)
    if not len(kinds):
        return np.full(len(keys), -1), own, counts
    rank = np.searchsorted(kinds, keys)
    rank[rank == len(kinds)] = 0
    return np.where(kinds[rank] == keys, rank, -1), own, counts


def _pairs_of_places(side: _Side, places: IntArray, gap: int | None) -> tuple[IntArray, IntArray]:
    """Return all pairs of places in one text with at most `gap` words between, both among `places`."""
    owner = side.owner[places]
    n = len(places)
    last = np.searchsorted(owner, owner, side="right") if n else np.empty(0, np.int64)
    if gap is not None:
        last = np.minimum(last, np.searchsorted(places, places + gap + 1, side="right"))
    how_many = last - np.arange(n) - 1
    first = np.repeat(np.arange(n), how_many)
    ends = np.cumsum(how_many)
    offset = np.arange(len(first)) - np.repeat(ends - how_many, how_many)
    return places[first], places[first + 1 + offset]
