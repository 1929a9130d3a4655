"""ROUGE: overlap of words, n-grams, skip-bigrams and common subsequences with references, as ROUGE-1.5.5 counts it.

Lin (2004), ROUGE: a package for automatic evaluation of summaries. Scores are fractions between 0 and 1.

All outputs of a batch are counted at once: n-grams as runs of numbers, each n-gram named by the rank of what precedes
its last word among the references' n-grams, so that numbers stay small for any n; common subsequences along the
anti-diagonals of many tables at a time, except ROUGE-L, whose length alone is wanted and comes from bit vectors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from pathlib import Path

import numpy as np
import numpy.typing as npt

from metassay import engine
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats import draws as random_draws
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.texts.scorers.base import Need, ScorerDefaults
from metassay.texts.scorers.tokens import (
    STEMMINGS,
    TOKENIZERS,
    Words,
    notes_on_words,
    stemmer,
    tokenizer,
    wordless,
)
from metassay.texts.segments import sentence_texts

VARIANTS = ("1", "2", "3", "4", "l", "lsum", "w", "s4", "su4", "s")
MEASURES = ("precision", "recall", "f1")
REFERENCES = ("max", "mean", "jackknife")
MOST_WORDS = 4096
"""ROUGE-Lsum, -W and -S look at every pair of words; where a text has more words than this they are not computed."""
_PAGE_WORDS = 1 << 17
_PAGE_CELLS = 1 << 22
_FEW = 16
_UP, _LEFT, _MATCH = np.int8(0), np.int8(1), np.int8(2)


class Rouge(ScorerDefaults):
    """ROUGE of outputs against one reference or several.

    Parameters
    ----------
    variants
        Which to compute: ``1`` to ``9`` for n-grams; ``l`` for the longest common subsequence of the whole texts;
        ``lsum`` for the union of those of their sentences; ``w`` for the one that favours runs of words; ``s4`` and
        the like for pairs of words with at most 4 others between, ``s`` for pairs at any distance; ``su4`` and
        ``su`` for these with single words. A list, or text parted by commas, spaces or plus signs.
    measures
        ``precision``, ``recall``, ``f1``, or several.
    stem
        ``none``, ``porter``, or ``porter+exceptions``, which needs WordNet's exception lists.
    tokens
        ``rouge`` for runs of a to z and digits as in ROUGE-1.5.5; ``unicode`` for letters of any script.
    references
        What several references are made into. ``max``: the reference with the highest recall gives all three
        measures (``-f B`` of ROUGE-1.5.5). ``mean``: hits and lengths are summed over the references before they are
        divided (``-f A``). ``jackknife``: the mean of ``max`` over the sets that leave one reference out; with one
        reference, that reference.
    weight
        The exponent by which ROUGE-W favours runs.
    wordnet
        The folder with WordNet's exception lists; by default where Debian's wordnet-base puts them.

    Notes
    -----
    An output without words has the score 0. A reference without words, or without n-grams of the wanted length, is
    left out; without any reference left the score is NaN. So it is for text that is written without spaces between
    words and, with ``rouge`` tokens, for text of which more than half of the letters would be lost; and for Lsum, W
    and S where a text has more than 4,096 words.

    ROUGE-SU counts the single words except a text's last, and ROUGE-W weighs the reference's length twice in the
    recall, both as the program does.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", ("the cats sat down",), None)
    >>> rouge = Rouge("1,2", measures="recall,f1")
    >>> rouge.columns
    ('rouge-1_recall', 'rouge-1_f1', 'rouge-2_recall', 'rouge-2_f1')
    >>> rouge.score([item]).round(3).tolist()
    [[0.75, 0.857, 0.667, 0.8]]
    >>> rouge.signature
    'rouge|variants:1,2|measures:recall,f1|tokens:rouge|stem:porter|references:max|scale:0-1|v:1'
    """

    needs: frozenset[Need] = frozenset({"references"})

    def __init__(
        self,
        variants: str | int | Iterable[str] = VARIANTS,
        *,
        measures: str | Iterable[str] = MEASURES,
        stem: str = "porter",
        tokens: str = "rouge",
        references: str = "max",
        weight: float = 1.2,
        wordnet: str | Path | None = None,
    ) -> None:
        self._variants = _variants(variants)
        self._measures = vocabulary.choices("measure", _parts(measures), MEASURES)
        self._stem = vocabulary.choice("stemming", stem, STEMMINGS)
        self._tokens = vocabulary.choice("tokenizer", tokens, TOKENIZERS)
        self._references = vocabulary.choice("treatment of references", references, REFERENCES)
        given: object = weight  # options from the command line may be text
        if not isinstance(given, int | float) or not 1 <= given <= 10:
            raise UsageError(f"weight must lie between 1, where runs count no more than words, and 10, got {weight}")
        self._weight = float(weight)
        self._wordnet = None if wordnet is None else Path(wordnet)
        stemmer(self._stem, self._wordnet)  # missing lists are told before any work

    @property
    def columns(self) -> tuple[str, ...]:
        """Names such as ``rouge-1_f1``, variant by variant."""
        return tuple(f"rouge-{variant}_{measure}" for variant in self._variants for measure in self._measures)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        parts = [f"variants:{','.join(self._variants)}", f"measures:{','.join(self._measures)}"]
        parts += [f"tokens:{self._tokens}", f"stem:{self._stem}", f"references:{self._references}"]
        if "w" in self._variants:
            parts.append(f"weight:{self._weight:g}")
        return "|".join(["rouge", *parts, "scale:0-1", "v:1"])

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words cannot be told."""
        return notes_on_words("rouge", items, self._tokens)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, columns) between 0 and 1, NaN where undefined."""
        words = Words(tokenizer(self._tokens), stemmer(self._stem, self._wordnet))
        batch = _Batch.of(items, words, self._tokens, by_sentence="lsum" in self._variants)
        out = np.full((len(items), len(self._variants), len(MEASURES)), np.nan)
        if batch.pairs:
            counts = _Counts.joined([page.counts(self._variants, self._weight) for page in batch.pages(len(words))])
            item_of_pair = np.array([item for item, _ in batch.pairs])
            for number, variant in enumerate(self._variants):
                power = 1 / self._weight if variant == "w" else 1.0
                out[:, number] = counts[number].measures(item_of_pair, len(items), self._references, power)
        chosen = [MEASURES.index(measure) for measure in self._measures]
        return out[:, :, chosen].reshape(len(items), len(self.columns))


def _parts(value: str | int | Iterable[str]) -> list[str]:
    """Return names from a list, or from text parted by commas, spaces or plus signs."""
    parts = re.split(r"[,+\s]+", str(value)) if isinstance(value, str | int) else [str(part) for part in value]
    return [part.strip().lower().removeprefix("rouge-") for part in parts if part.strip()]


def _variants(value: str | int | Iterable[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(part.rstrip("*") for part in _parts(value)))
    for variant in found:
        if not re.fullmatch(r"[1-9]|l|lsum|w|su?\d{0,3}", variant):
            known = ", ".join(VARIANTS)
            raise UsageError(f"unknown variant of ROUGE {variant!r}; choose from {known}, or others such as 5, s2, su")
    if not found:
        raise UsageError(f"no variant of ROUGE given; choose from {', '.join(VARIANTS)}")
    return found


@dataclass(frozen=True, slots=True)
class _Counts:
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
    def of(
        cls, hits: FloatArray, output: FloatArray, reference: FloatArray, merit: FloatArray | None = None
    ) -> _Counts:
        """Return counts in which references are ranked by recall, if by nothing else."""
        return cls(hits, output, reference, _ratio(hits, reference) if merit is None else merit)

    @classmethod
    def joined(cls, pages: Sequence[Sequence[_Counts]]) -> list[_Counts]:
        """Return the counts of all pages, variant by variant."""
        fields = ("hits", "of_output", "of_reference", "merit")
        return [
            cls(*(np.concatenate([getattr(c, f) for c in page]) for f in fields)) for page in zip(*pages, strict=True)
        ]

    def measures(self, item_of_pair: IntArray, items: int, references: str, power: float) -> FloatArray:
        """Return precision, recall and F1 per item, (items, 3)."""
        said = self.of_reference != 0
        if references == "mean":
            columns = [
                np.bincount(item_of_pair[said], weights=column[said], minlength=items).astype(np.float64)
                for column in (self.hits, self.of_output, self.of_reference)
            ]
            return _measures(columns[0], columns[1], columns[2], power)
        # References of an item in order of merit, the first of equals first; NaN is the last.
        order = np.lexsort((-np.where(said, self.merit, -1), item_of_pair))
        order = order[said[order]]
        owners, first, how_many = np.unique(item_of_pair[order], return_index=True, return_counts=True)
        every = np.full((items, 3), np.nan)
        every[owners] = self._at(order[first], power)
        if references == "jackknife":
            several = how_many > 1
            without = self._at(order[first[several] + 1], power)
            m = how_many[several, None]
            every[owners[several]] = ((m - 1) * every[owners[several]] + without) / m
        return every

    def _at(self, pairs: IntArray, power: float) -> FloatArray:
        return _measures(self.hits[pairs], self.of_output[pairs], self.of_reference[pairs], power)


def _ratio(hits: FloatArray, total: FloatArray) -> FloatArray:
    return np.divide(hits, total, out=np.zeros_like(hits), where=total != 0)


def _measures(hits: FloatArray, output: FloatArray, reference: FloatArray, power: float) -> FloatArray:
    """Return precision, recall and F1; NaN where the reference has nothing to match."""
    precision, recall = _ratio(hits, output) ** power, _ratio(hits, reference) ** power
    f1 = _ratio(2 * precision * recall, precision + recall)
    out = np.stack([precision, recall, f1], axis=1)
    out[(reference == 0) | np.isnan(reference)] = np.nan
    return out


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as numbers of its words, whole and by sentence."""

    words: list[int]
    """Numbers of the words."""
    by_sentence: list[list[int]]
    """The same by sentence, if that was asked for."""

    @classmethod
    def of(cls, text: str, words: Words, by_sentence: bool) -> _Text:
        """Return the words of a text."""
        if not by_sentence:
            return cls(words.of(text), [])
        parts = [part for part in map(words.of, sentence_texts(text)) if part]
        return cls([word for part in parts for word in part], parts)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Outputs and references of a batch, each text once, and which belong together."""

    outputs: list[_Text]
    references: list[_Text]
    pairs: list[tuple[int, int]]
    """Item and reference, by item and in the order of its references."""

    @classmethod
    def of(cls, items: Sequence[Item], words: Words, tokens: str, *, by_sentence: bool = False) -> _Batch:
        """Return the batch; items and references that cannot be scored are in no pair."""
        outputs: list[_Text] = []
        references: list[_Text] = []
        numbers: dict[str, int] = {}
        pairs = []
        for number, item in enumerate(items):
            outputs.append(_Text.of(item.output, words, by_sentence))
            if wordless(item, tokens):
                continue
            for text in item.references:
                if text not in numbers:
                    numbers[text] = len(references)
                    references.append(_Text.of(text, words, by_sentence))
                if references[numbers[text]].words:
                    pairs.append((number, numbers[text]))
        return cls(outputs, references, pairs)

    def pages(self, vocabulary_size: int) -> Iterator[_Page]:
        """Yield the pairs in pages of bounded memory."""
        start = size = 0
        for at, (item, reference) in enumerate(self.pairs):
            size += len(self.outputs[item].words) + len(self.references[reference].words)
            if size > _PAGE_WORDS or at + 1 == len(self.pairs):
                yield self._page(self.pairs[start : at + 1], vocabulary_size)
                start, size = at + 1, 0

    def _page(self, pairs: list[tuple[int, int]], vocabulary_size: int) -> _Page:
        numbers = {reference: n for n, reference in enumerate(dict.fromkeys(r for _, r in pairs))}
        return _Page(
            [self.outputs[item] for item, _ in pairs],
            [self.references[reference] for reference in numbers],
            np.array([numbers[reference] for _, reference in pairs]),
            vocabulary_size,
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

    output_texts: list[_Text]
    """One per pair."""
    reference_texts: list[_Text]
    """Each once."""
    reference_of_pair: IntArray
    vocabulary_size: int

    def counts(self, variants: Sequence[str], weight: float) -> list[_Counts]:
        """Return what each variant counts."""
        return [self._count(variant, weight) for variant in variants]

    def _count(self, variant: str, weight: float) -> _Counts:
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

    def _ngrams(self, n: int) -> _Counts:
        ranks = self._ranked(n)
        hits = self._clipped(self.outputs.owner, ranks.of_outputs, ranks.counts)
        return _Counts.of(hits, *(np.maximum(length - n + 1, 0) for length in self._lengths()))

    def _skip_bigrams(self, gap: int | None, with_words: bool) -> _Counts:
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
        return _Counts.of(hits, totals[0], totals[1])

    def _words_but_the_last(self, ranks: _Ranks) -> FloatArray:
        counted = self.references.room > 1
        counts = np.bincount(ranks.of_references[counted], minlength=len(ranks.counts))
        inner = self.outputs.room > 1
        return self._clipped(self.outputs.owner[inner], ranks.of_outputs[inner], counts)

    def _common_subsequences(self) -> _Counts:
        places = [_places(text.words) for text in self.reference_texts]
        hits = starmap(
            _common_length,
            (
                (text.words, places[r], len(self.reference_texts[r].words))
                for text, r in zip(self.output_texts, self.reference_of_pair, strict=True)
            ),
        )
        return _Counts.of(np.fromiter(hits, np.float64, len(self.output_texts)), *self._lengths())

    def _weighted_subsequences(self, weight: float) -> _Counts:
        output, reference = self._lengths()
        too_long = np.maximum(output, reference) > MOST_WORDS
        fits = np.flatnonzero(~too_long & (output > 0))
        problems = [(self.reference_texts[self.reference_of_pair[p]].words, self.output_texts[p].words) for p in fits]
        hits = np.zeros(len(output))
        for number, marked in zip(fits, _marked(problems, weight), strict=True):
            edges = np.flatnonzero(np.diff(np.concatenate(([False], marked, [False])).astype(np.int8)))
            hits[number] = ((edges[1::2] - edges[::2]).astype(float) ** weight).sum()
        base = reference**weight
        merit = _ratio(hits, base)
        # The program raises the reference's weight to the power once more.
        base = np.where(too_long, np.nan, base**weight)
        return _Counts.of(hits, output**weight, base, merit)

    def _unions_of_subsequences(self) -> _Counts:
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
        for (pair, start), marked in zip(pair_and_start, _marked(problems, None), strict=True):
            at = starts[pair] + start
            union[at : at + len(marked)] |= marked
        # Marked words of the reference, clipped by how often the output has each.
        owner = np.repeat(np.arange(len(reference)), reference.astype(np.int64))
        words = np.concatenate([self.reference_texts[r].words for r in self.reference_of_pair])
        marks = (owner * self.vocabulary_size + words)[union]
        found, _, counts = _matched(marks, self.outputs.owner * self.vocabulary_size + self.outputs.words)
        hits = self._clipped(owner[union], found, counts)
        return _Counts.of(hits, output, np.where(too_long, np.nan, reference))


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


def _places(words: Sequence[int]) -> dict[int, int]:
    """Return for each word the bits of the places where it stands."""
    places: dict[int, int] = {}
    bit = 1
    for word in words:
        places[word] = places.get(word, 0) | bit
        bit <<= 1
    return places


def _common_length(words: Sequence[int], places: dict[int, int], length: int) -> int:
    """Return the length of the longest common subsequence (Hyyrö, 2004: a bit is cleared where the length grows)."""
    every = rows = (1 << length) - 1
    for match in filter(None, map(places.get, words)):
        hit = rows & match
        rows = (rows + hit | rows - hit) & every
    return length - rows.bit_count()


def _marked(problems: Sequence[tuple[list[int], list[int]]], weight: float | None) -> Iterator[BoolArray]:
    """Yield which words of the reference stand in the common subsequence that ROUGE-1.5.5 traces, problem by problem.

    Parameters
    ----------
    problems
        Words of references and outputs, none of them empty.
    weight
        The exponent that favours runs; None looks for the longest subsequence.
    """
    marked: list[BoolArray] = [np.empty(0, dtype=bool)] * len(problems)
    # Tables of like size are filled together, so that little is spent on padding.
    order = sorted(range(len(problems)), key=lambda p: (len(problems[p][0]), len(problems[p][1])))
    start = 0
    while start < len(order):
        stop, rows, columns = start, 0, 0
        while stop < len(order):
            reference, output = problems[order[stop]]
            taller, wider = max(rows, len(reference)), max(columns, len(output))
            if stop > start and (taller + wider) * taller * (stop - start + 1) > _PAGE_CELLS:
                break
            rows, columns, stop = taller, wider, stop + 1
        chosen = order[start:stop]
        for number, marks in zip(chosen, _traced([problems[p] for p in chosen], rows, columns, weight), strict=True):
            marked[number] = marks[: len(problems[number][0])]
        start = stop
    yield from marked


def _traced(
    problems: Sequence[tuple[list[int], list[int]]], rows: int, columns: int, weight: float | None
) -> BoolArray:
    """Return the marks of problems of about one size, (problems, rows)."""
    n = len(problems)
    height = np.fromiter((len(reference) for reference, _ in problems), np.int64, n)
    width = np.fromiter((len(output) for _, output in problems), np.int64, n)
    reference = np.full((n, rows), -1, dtype=np.int32)
    output = np.full((n, columns), -2, dtype=np.int32)
    reference[np.arange(rows) < height[:, None]] = [w for r, _ in problems for w in r]
    output[np.arange(columns) < width[:, None]] = [w for _, o in problems for w in o]
    moves = _moves(np.ascontiguousarray(reference.T), np.ascontiguousarray(output[:, ::-1].T), weight)
    marks = np.zeros((n, rows), dtype=bool)
    i, j, which = height.copy(), width.copy(), np.arange(n)
    while len(which):
        move = moves[i + j, i, which]
        hit = move == _MATCH
        i -= move != _LEFT
        j -= move != _UP
        marks[which[hit], i[hit]] = True
        inside = (i > 0) & (j > 0)
        if not inside.all():
            i, j, which = i[inside], j[inside], which[inside]
    return marks


def _moves(reference: IntArray, backward: IntArray, weight: float | None) -> npt.NDArray[np.int8]:
    """Return where the best common subsequence of each problem comes from, (diagonal, row, problem).

    Cells of an anti-diagonal i + j depend only on the two before, so that each is one step for all problems. A match
    is always taken; of two equal scores the one without the reference's word is.

    Parameters
    ----------
    reference
        Words of the references, (rows, problems).
    backward
        Words of the outputs from the last to the first, (columns, problems).
    weight
        The exponent that favours runs, or None.
    """
    (rows, n), columns = reference.shape, len(backward)
    moves = np.empty((rows + columns + 1, rows + 1, n), dtype=np.int8)
    kind = np.int16 if weight is None else np.float64
    before, last, now = (np.zeros((rows + 1, n), dtype=kind) for _ in range(3))
    run_before, run_last, run_now = (np.zeros((rows + 1, n), dtype=np.intp) for _ in range(3))
    worth = np.arange(rows + 2, dtype=float) ** (weight or 1)
    for diagonal in range(2, rows + columns + 1):
        low, high = max(1, diagonal - columns), min(rows, diagonal - 1) + 1
        here, above = slice(low, high), slice(low - 1, high - 1)
        # Row i meets column diagonal − i, which counted from the end is columns − diagonal + i.
        shift = columns - diagonal
        match = reference[above] == backward[low + shift : high + shift]
        up, left = last[above], last[here]
        if weight is None:
            matched = before[above] + 1
        else:
            run = run_before[above]
            matched = before[above] + worth[run + 1] - worth[run]
            run_now[here] = np.where(match, run + 1, 0)
            run_before, run_last, run_now = run_last, run_now, run_before
        np.copyto(now[here], np.where(match, matched, np.maximum(up, left)))
        moves[diagonal, here] = np.where(match, _MATCH, (up < left).view(np.int8))
        before, last, now = last, now, before
    return moves


def degraded_rouge1(
    items: Sequence[Item],
    share: float,
    *,
    draws: int = 1,
    seed: int = 0,
    measure: str = "f1",
    stem: str = "porter",
    tokens: str = "rouge",
    references: str = "max",
    wordnet: str | Path | None = None,
    threads: int | None = None,
) -> FloatArray:
    """Score outputs by ROUGE-1 of a random part of their words: a metric that is known to be worse than ROUGE-1.

    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
    methods, §5.2. No text is cut for it. Words that the reference has at least as often as the output all match when
    drawn, so how many of them are drawn is one hypergeometric number; each other word needs one of its own.

    Parameters
    ----------
    items
        What is scored.
    share
        The share of each output's words that is kept, over 0 and at most 1; the number of words is rounded, and at
        least one is kept.
    draws
        How many times to draw.
    seed
        The seed; draws of an item depend on the seed and its place among the items only.
    measure
        ``precision``, ``recall`` or ``f1``.
    stem, tokens, references, wordnet
        As for `Rouge`.
    threads
        How many threads to use; all processors by default.

    Returns
    -------
    FloatArray
        Scores of shape (draws, items), NaN where ROUGE-1 is undefined.

    Examples
    --------
    >>> item = Item("a", "1", "the cat sat", ("the cats sat down",), None)
    >>> degraded_rouge1([item], 0.66, draws=2, measure="recall").tolist()
    [[0.5], [0.5]]
    """
    share = vocabulary.shares("share", share)[0]
    draws = vocabulary.count("draws", draws)
    seed = vocabulary.seed(seed)
    column = MEASURES.index(vocabulary.choice("measure", measure, MEASURES))
    Rouge("1", stem=stem, tokens=tokens, references=references, wordnet=wordnet)  # checks the options
    folder = None if wordnet is None else Path(wordnet)
    batch = _Batch.of(items, Words(tokenizer(tokens), stemmer(stem, folder)), tokens)
    mine: list[list[int]] = [[] for _ in items]
    for item, reference in batch.pairs:
        mine[item].append(reference)
    out = np.full((draws, len(items)), np.nan)

    def work(item: int) -> None:
        if not mine[item]:
            return
        words = batch.outputs[item].words
        others = [batch.references[r].words for r in mine[item]]
        kinds = _kinds(Counter(words), [Counter(other) for other in others])
        lengths = np.array([len(other) for other in others], dtype=np.float64)
        kept = max(1, math.floor(len(words) * share + 0.5)) if words else 0
        for page in range(-(-draws // random_draws.PAGE)):
            random = random_draws.stream(seed, random_draws.WORDS, item, page)
            hits = _drawn_hits(random, kinds, len(words), kept, len(others), random_draws.PAGE)
            counts = _Counts.of(hits.ravel(), np.full(hits.size, float(kept)), np.tile(lengths, random_draws.PAGE))
            if len(others) == 1:
                scores = _measures(counts.hits, counts.of_output, counts.of_reference, 1.0)
            else:
                owner = np.repeat(np.arange(random_draws.PAGE), len(others))
                scores = counts.measures(owner, random_draws.PAGE, references, 1.0)
            start = page * random_draws.PAGE
            out[start : start + random_draws.PAGE, item] = scores[: draws - start, column]

    engine.run(work, len(items), threads=threads, what="degraded ROUGE-1")
    return out


def _kinds(words: Mapping[int, int], references: Sequence[Mapping[int, int]]) -> list[tuple[int, tuple[int, ...]]]:
    """Return kinds of words of an output: how many there are, and how many can match in each reference.

    Words that the references have at least as often as the output, or not at all, make one kind for each set of
    references that have them; a word that some reference has less often is a kind of its own.
    """
    alike: dict[tuple[bool, ...], int] = {}
    kinds = []
    for word, count in words.items():
        found = tuple(reference.get(word, 0) for reference in references)
        if all(f == 0 or f >= count for f in found):
            has = tuple(f > 0 for f in found)
            alike[has] = alike.get(has, 0) + count
        else:
            kinds.append((count, found))
    return kinds + [(size, tuple(size * h for h in has)) for has, size in alike.items() if any(has)]


def _drawn_hits(
    random: np.random.Generator,
    kinds: Sequence[tuple[int, tuple[int, ...]]],
    words: int,
    kept: int,
    references: int,
    draws: int,
) -> FloatArray:
    """Return matches with each reference when `kept` of the words are drawn, (draws, references)."""
    hits = np.zeros((draws, references))
    left = np.full(draws, kept)
    for size, most in kinds:
        if size > _FEW:
            drawn = random.hypergeometric(size, words - size, left)
            left -= drawn
        else:
            # One coin per word is the same number, and sooner tossed when words are few.
            drawn = np.zeros(draws, dtype=np.int64)
            for number, coin in enumerate(random.random((size, draws))):
                taken = coin * (words - number) < left
                drawn += taken
                left -= taken
        words -= size
        for column, limit in enumerate(most):
            if limit:
                hits[:, column] += np.minimum(drawn, limit) if limit < size else drawn
    return hits
