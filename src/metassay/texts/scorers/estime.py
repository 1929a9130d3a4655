"""ESTIME: words of an output whose like in the source, by context, is another word."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray, VectorArray
from metassay.texts.scorers.base import Scorer, option
from metassay.texts.scorers.language_models import LanguageModel, clean
from metassay.texts.scorers.tokens import ENGLISH_WORD


class _Text(NamedTuple):
    """A text as words and as tokens."""

    words: list[str]
    """Its words and punctuation marks."""
    ids: list[int]
    """Its tokens."""
    spans: list[tuple[int, int]]
    """The tokens of each word: the first, and the one behind the last."""


class _Looked(NamedTuple):
    """The words of a text that were looked at."""

    places: list[int]
    """The first token of each."""
    ids: list[int]
    """What these tokens are."""
    vectors: VectorArray
    """What the model makes of each place when the word is masked."""


class Estime(Scorer):
    """ESTIME: alarms for words that stand in the output where the source, in the like context, has another word.

    Vasilyev and Bohannon (2021), ESTIME: Estimation of Summary-to-Text Inconsistency by Mismatched Embeddings. Every
    word of the source, and every word of the output that the source has too, is masked, and the vector of its first
    token at one layer of the model is kept. For each word of the output, the word of the source with the largest
    inner product is found. If its first token is another, that is an alarm: small is good. ``soft`` is the mean cosine
    between the input embeddings of the two tokens, ``coherence`` Kendall's tau-c between their places in output and
    source, both from the authors' later work.

    Parameters
    ----------
    model
        A masked language model, by name or path. The authors' is ``bert-large-uncased-whole-word-masking``.
    layer
        The layer whose vectors are compared; 0 stands for seven eighths of the way up, which is the authors' layer 21
        of 24.
    raw
        A model with the same tokens whose input embeddings are compared in ``soft``, if not the model's own; the
        authors' is ``bert-base-uncased``.
    apart
        Words from one masked word to the next in a sequence.
    size, margin
        Tokens of a text that are seen at once, and tokens at either side of such a window whose words are left to
        another; no more than the model takes.
    device, at_once
        Where the model runs, and how many sequences it is given at a time; they are no part of the recipe.

    Notes
    -----
    An output without a word of its source has nothing to be looked at: NaN, not 0 alarms.
    """

    name = "estime"
    needs = frozenset({"source"})
    columns = ("estime_alarms", "estime_soft", "estime_coherence")
    lower_is_better = frozenset({"estime_alarms"})
    in_process = True
    batch = 16
    model: str = field(default="", kw_only=False)
    layer: int = option(0, partial(vocabulary.count, least=0))
    raw: str = ""
    apart: int = option(8, vocabulary.count)
    size: int = option(450, partial(vocabulary.count, least=3))
    margin: int = option(50, partial(vocabulary.count, least=0))
    device: str = "cpu"
    at_once: int = option(16, vocabulary.count)

    def _prepare(self) -> None:
        if 2 * self.margin >= self.size:
            raise UsageError(f"margin must be less than half of size, got {self.margin} and {self.size}")
        self._model = LanguageModel(self.model, "masked", "estime[model=…]", self.device)
        self._cls, self._sep, self._mask = self._model.specials("estime[model=…]")
        depth = int(self._model.model.config.num_hidden_layers)
        self._layer = self.layer or max(1, round(depth * 7 / 8))
        if self._layer > depth:
            raise UsageError(f"layer must be a layer of the model, which has {depth}, got {self.layer}")
        self._size = min(self.size, self._model.window - 2)
        self._margin = min(self.margin, self._size * self.margin // self.size)
        raw_model = LanguageModel(self.raw, "masked", "estime[raw=…]", self.device) if self.raw else self._model
        embeddings = raw_model.model.get_input_embeddings().weight.detach().cpu().double().numpy()
        if raw_model.tokenizer.get_vocab() != self._model.tokenizer.get_vocab():
            raise UsageError("raw must name a model with the same tokens as model")
        self._embeddings: FloatArray = embeddings
        label, raw = self._model.label, raw_model.label if self.raw else "own"
        size = self._size, self._margin
        self.signature = self._recipe("model layer raw apart size", model=label, raw=raw, size=size)
        self._source = lru_cache(maxsize=4)(self._look_at_all)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the outputs that have no word of their source, and the texts that were read in windows."""
        known = [item for item in items if item.source is not None]
        foreign = sum(not set(_words(item.output)) & set(_words(item.source or "")) for item in known)
        told = self._counted("no-word-shared", foreign, outputs=len(items))
        long = sum(len(self._parted(text).ids) > self._size for text in {item.source or "" for item in known})
        return told + self._counted("sources-in-windows", long, window=self._size)

    def _one(self, item: Item) -> tuple[float, float, float]:
        source, known = self._source(item.source or "")
        parted = self._parted(item.output)
        wanted = [at for at, word in enumerate(parted.words) if word in known]
        found = self._look(parted, wanted)
        if not found.places or not source.places:
            return (np.nan, np.nan, np.nan)
        # The first of equals, as in a search from the start of the source.
        nearest = np.argmax(found.vectors @ source.vectors.T, axis=1)
        there = [source.ids[at] for at in nearest]
        alarms = sum(ours != theirs for ours, theirs in zip(found.ids, there, strict=True))
        ours, theirs = self._embeddings[found.ids], self._embeddings[there]
        cosines = (ours * theirs).sum(axis=1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
        places = [source.places[at] for at in nearest]
        return float(alarms), float(cosines.mean()), _tau_c(found.places, places)

    def _look_at_all(self, text: str) -> tuple[_Looked, frozenset[str]]:
        parted = self._parted(text)
        return self._look(parted, list(range(len(parted.words)))), frozenset(parted.words)

    def _parted(self, text: str) -> _Text:
        """Return the words of a text that have tokens, and all their tokens in a row."""
        words: list[str] = []
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        found = _words(text)
        pieces = self._model.tokenizer(found, add_special_tokens=False, verbose=False)["input_ids"] if found else []
        for word, tokens in zip(found, pieces, strict=True):
            if tokens:
                words.append(word)
                spans.append((len(ids), len(ids) + len(tokens)))
                ids += tokens
        return _Text(words, ids, spans)

    def _look(self, text: _Text, wanted: Sequence[int]) -> _Looked:
        """Return the vectors of words, each masked among others that are far enough from it."""
        sequences: list[list[int]] = []
        taken: list[tuple[int, int, int]] = []  # a token's place in the text, its sequence, and its place in that
        left = list(wanted)
        while left:
            group, rest, last = [], [], -self.apart
            for word in left:
                if word - last >= self.apart:
                    group.append(word)
                    last = word
                else:
                    rest.append(word)
            left = rest
            spans = [text.spans[word] for word in group]
            while spans:
                start = max(0, spans[0][0] - self._margin)
                ids = text.ids[start : start + self._size]
                end = start + self._size - self._margin if start + self._size < len(text.ids) else len(text.ids)
                fitting = max(1, sum(stop <= end for _, stop in spans))
                for first, stop in spans[:fitting]:
                    ids[first - start : stop - start] = [self._mask] * len(ids[first - start : stop - start])
                    taken.append((first, len(sequences), first - start + 1))
                sequences.append([self._cls, *ids, self._sep])
                spans = spans[fitting:]
        vectors: dict[int, VectorArray] = {}
        by_sequence: dict[int, list[tuple[int, int]]] = {}
        for place, sequence, within in taken:
            by_sequence.setdefault(sequence, []).append((place, within))
        base = self._model.model.base_model  # the head would guess words that nobody asks for
        with self._model.torch.inference_mode():
            for places, tensors in self._model.batches(sequences, self.at_once):
                states = base(**tensors, output_hidden_states=True).hidden_states[self._layer].cpu().numpy()
                for row, sequence in enumerate(places):
                    vectors |= {place: states[row, within] for place, within in by_sequence[sequence]}
        order = sorted(vectors)
        return _Looked(order, [text.ids[at] for at in order], np.array([vectors[at] for at in order]))


def _words(text: str) -> list[str]:
    return ENGLISH_WORD.findall(unicodedata.normalize("NFKD", clean(text)))


def _tau_c(x: Sequence[int], y: Sequence[int]) -> float:
    """Return Kendall's tau-c, NaN where one side is constant."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return float("nan")
    from scipy.stats import kendalltau

    return float(kendalltau(x, y, variant="c").statistic)
