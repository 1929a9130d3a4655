"""MoverScore and Sentence Mover's Similarity: what it costs to move an output's vectors onto those of a reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.stats.arrays import FloatArray, IntArray
from metassay.texts.scorers.base import one_of, option, small_products
from metassay.texts.scorers.encoders import EmbeddingScorer, Encoded, Frequencies, unit
from metassay.texts.segments import ENGLISH, sentence_texts

DISTANCES = ("euclidean", "squared")
PIECES = ("first", "all")
REFERENCES = ("max", "mean")
STOP_WORDS = ("none", "english")
LONGEST = 50_000
"""Texts of more characters have too many sentences and words for exact transport."""
UNITS = {"sentences": "sms", "words": "wms", "both": "s+wms"}
"""What is moved, and the name of the score."""


class Cloud(NamedTuple):
    """A text as points with weights."""

    points: FloatArray
    """Vectors: (points, width)."""
    weights: FloatArray
    """How much each counts; their sum is 1."""

    @classmethod
    def of(cls, points: FloatArray, weights: FloatArray) -> Cloud | None:
        """Return the points that weigh something, or None without any."""
        heavy = weights > 0
        if not heavy.any():
            return None
        kept = weights[heavy]
        return cls(points[heavy], kept / kept.sum())


class MoverScore(EmbeddingScorer):
    """MoverScore: 1 minus the least cost of moving the words of the output onto those of the reference.

    Zhao et al. (2019), MoverScore: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance,
    equations 1 to 3. Each word is a vector in its context, at length 1, and weighs its inverse document frequency.

    Parameters
    ----------
    model
        The encoder: ``minilm``, the path of a folder, or a name on the Hugging Face hub. The paper's is a BERT that
        was trained on MNLI.
    layers
        ``pmeans`` joins minimum, mean and maximum over the last five layers, as in the paper; ``last`` or a number is
        one layer.
    n
        The length of n-grams; one is a mean of its words by weight, and weighs as much as they do together.
    idf
        Whether words weigh their inverse document frequency, among all outputs for those of outputs and among all
        references for those of references; otherwise all weigh alike.
    distance
        ``euclidean`` as in the paper, or its square, as in the authors' first program.
    subwords
        ``first``: a word is the first of the tokens it is parted into. ``all``: each token is a word.
    punctuation
        Whether tokens without a letter or digit are kept.
    stop_words
        ``english`` leaves out words that carry grammar only; ``none`` keeps them.
    references
        Of several references the best (``max``) or the ``mean``.

    Notes
    -----
    Vectors are Euclidean at length 1, so a score lies between −1 and 1 (squared distance: −3 and 1), and is 1 for the
    text itself. A text without words, or whose words are in every text of the collection, has no score: NaN.
    """

    name = "moverscore"
    layers: str | int = "pmeans"
    n: int = option(1, vocabulary.count)
    idf: bool = option(True, vocabulary.flag)
    distance: str = one_of("euclidean", "distance", DISTANCES)
    subwords: str = one_of("first", "choice of subwords", PIECES)
    punctuation: bool = option(False, vocabulary.flag)
    stop_words: str = one_of("none", "list of stop words", STOP_WORDS)
    references: str = one_of("max", "way to treat references", REFERENCES)

    def _prepare(self) -> None:
        super()._prepare()
        top = self.encoder.layers
        self._pmeans = self.layers == "pmeans"
        self._layers = list(range(max(0, top - 4), top + 1))
        if not self._pmeans:
            self._layers = [self.encoder.layer(self.layers, or_else="pmeans")]
        self._frequencies: tuple[Frequencies, Frequencies] | None = None
        self._sign()

    def _sign(self) -> None:
        fitted = "+".join(f.digest() for f in self._frequencies) if self._frequencies else "none"
        self.signature = self._recipe(
            "model layers n idf distance subwords punctuation stop references",
            model=self.encoder.label,
            layers=("pmeans", f"{self._layers[0]}-{self._layers[-1]}") if self._pmeans else self._layers[0],
            idf=fitted if self.idf else "no",
            punctuation="kept" if self.punctuation else "dropped",
            stop=self.stop_words,
        )

    def fitted(self, items: Sequence[Item]) -> MoverScore:
        """Return the scorer with the document frequencies of these outputs and references."""
        if not self.idf:
            return self
        made = copy(self)
        outputs = self.encoder.frequencies(item.output for item in items)
        made._frequencies = outputs, self.encoder.frequencies(text for item in items for text in item.references)
        made._sign()
        return made

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Say which texts were cut, and when idf rests on too few texts."""
        texts = {item.output for item in items}, {text for item in items for text in item.references}
        few = self.idf and min(map(len, texts)) < 20
        return ((Note.of("idf-of-few-texts", scorer="moverscore", least=20),) if few else ()) + super().notes(items)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, 1)."""
        if self.idf and self._frequencies is None:
            return self.fitted(items).score(items)
        encoded = self.encoder.encode((text for item in items for text in self.texts(item)), self._layers)
        of_outputs, of_references = self._frequencies or (None, None)
        outputs = {text: self._cloud(text, encoded[text], of_outputs) for text in {item.output for item in items}}
        references = {
            text: self._cloud(text, encoded[text], of_references)
            for text in {text for item in items for text in item.references}
        }
        squared = self.distance == "squared"

        def likeness(item: Item) -> float:
            pairs = ((outputs[item.output], references[text]) for text in item.references)
            return _over_references([1 - cost(*pair, squared=squared) for pair in pairs], self.references)

        with small_products():
            return self._each(items, likeness)

    def _cloud(self, text: str, encoded: Encoded, frequencies: Frequencies | None) -> Cloud | None:
        kept = self._kept(text, encoded)
        vectors = encoded.vectors[:, kept]
        if self._pmeans:
            vectors = unit(vectors)
            joined = np.concatenate([vectors.min(axis=0), vectors.mean(axis=0), vectors.max(axis=0)], axis=-1)
        else:
            joined = vectors[0]
        weights = frequencies.idf(encoded.ids[kept]) if frequencies else np.ones(len(kept))
        points, weights = ngram_vectors(joined.astype(np.float64), weights, self.n)
        return Cloud.of(unit(points), weights)

    def _kept(self, text: str, encoded: Encoded) -> IntArray:
        """Return the places of the tokens that are words."""
        keep = np.ones(len(encoded.ids), dtype=bool)
        if self.subwords == "first":
            keep[1:] = encoded.words[1:] != encoded.words[:-1]
        for at, (start, end) in enumerate(encoded.spans.tolist()):
            token = text[start:end].strip()
            if not self.punctuation and not any(map(str.isalnum, token)):
                keep[at] = False
            if self.stop_words == "english" and token.lower() in ENGLISH:
                keep[at] = False
        return np.flatnonzero(keep)


class SentenceMover(EmbeddingScorer):
    """Sentence Mover's Similarity: exp(−d), where d is the least cost of moving sentences onto those of a reference.

    Clark, Celikyilmaz and Smith (2019), Sentence Mover's Similarity: Automatic Evaluation for Multi-Sentence Texts,
    section 3. A sentence is the mean of its words' vectors and weighs as much as it has words; the cost of a move is
    the Euclidean distance.

    Parameters
    ----------
    model
        The encoder, which reads each sentence for itself: ``minilm``, the path of a folder, or a name on the Hugging
        Face hub. The paper takes GloVe and ELMo.
    units
        What is moved: ``sentences`` (the score is named sms), ``words`` (wms), or ``both`` (s+wms), where words and
        sentences weigh the same together.
    layer
        ``last``, or the number of a layer.
    stop_words
        ``english`` leaves out words that carry grammar only, as in the paper; ``none`` keeps them.
    normalize
        Whether vectors are brought to length 1 first. Then d is at most 2, whatever the model, and scores lie between
        0.135 and 1; without it, long vectors make all scores tiny.
    references
        Of several references the best (``max``) or the ``mean``.

    Notes
    -----
    A word is made of letters only, as in the paper; the vector of one that the tokenizer parts is the mean of its
    parts. A text without words, or of more than 50,000 characters, has no score: NaN.
    """

    name = "sentence-mover"
    units: str = one_of("sentences", "unit", tuple(UNITS))
    layer: str | int = "last"
    stop_words: str = one_of("english", "list of stop words", STOP_WORDS)
    normalize: bool = option(True, vocabulary.flag)
    references: str = one_of("max", "way to treat references", REFERENCES)

    def _prepare(self) -> None:
        super()._prepare()
        self._layer = self.encoder.layer(self.layer)
        self.columns = (UNITS[self.units],)
        length, model = "one" if self.normalize else "own", self.encoder.label
        parts = "units model layer stop length references"
        self.signature = self._recipe(parts, model=model, stop=self.stop_words, length=length)

    def texts(self, item: Item) -> Sequence[str]:
        """Return the sentences of output and references."""
        return [sentence for text in (item.output, *item.references) for sentence in _parted(text)]

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Say which texts were cut or left out."""
        texts = {text for item in items for text in (item.output, *item.references)}
        long = sum(len(text) > LONGEST for text in texts)
        return self._counted("texts-excluded", long, characters=LONGEST) + super().notes(items)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, 1)."""
        texts = dict.fromkeys(text for item in items for text in (item.output, *item.references))
        parted = {text: _parted(text) for text in texts}
        encoded = self.encoder.encode((one for parts in parted.values() for one in parts), [self._layer])
        words = {sentence: self._words(sentence, found) for sentence, found in encoded.items()}
        clouds = {text: self._cloud([words[one] for one in parts]) for text, parts in parted.items()}

        def likeness(item: Item) -> float:
            costs = [cost(clouds[item.output], clouds[text]) for text in item.references]
            return _over_references([math.exp(-one) for one in costs], self.references)

        with small_products():
            return self._each(items, likeness)

    def _words(self, sentence: str, encoded: Encoded) -> FloatArray:
        """Return the vectors of the words of a sentence: (words, width)."""
        vectors: FloatArray = encoded.vectors[0].astype(np.float64)
        if not len(vectors):
            return vectors
        starts = np.flatnonzero(np.r_[True, encoded.words[1:] != encoded.words[:-1]])
        sizes = np.diff(np.r_[starts, len(vectors)])
        means = np.add.reduceat(vectors, starts, axis=0) / sizes[:, None]
        ends = encoded.spans[starts + sizes - 1, 1].tolist()
        written = [sentence[at:end].strip() for at, end in zip(encoded.spans[starts, 0].tolist(), ends, strict=True)]
        stop = ENGLISH if self.stop_words == "english" else frozenset()
        kept: FloatArray = means[[word.isalpha() and word.lower() not in stop for word in written]]
        return kept

    def _cloud(self, parts: Sequence[FloatArray]) -> Cloud | None:
        parts = [words for words in parts if len(words)]
        if not parts:
            return None
        means = np.stack([words.mean(axis=0) for words in parts])
        sizes = np.array([len(words) for words in parts], dtype=np.float64)
        points = {"sentences": [means], "words": parts, "both": [*parts, means]}[self.units]
        weights = {
            "sentences": [sizes],
            "words": [np.ones(int(sizes.sum()))],
            "both": [np.ones(int(sizes.sum())), sizes],
        }[self.units]
        joined: FloatArray = np.concatenate(points)
        return Cloud.of(unit(joined) if self.normalize else joined, np.concatenate(weights))


def cost(ours: Cloud | None, theirs: Cloud | None, *, squared: bool = False) -> float:
    """Return the least cost of moving one cloud onto another (the earth mover's distance), NaN if one is empty.

    Examples
    --------
    A half moves by 3, a half stays where it is.

    >>> ours = Cloud(np.array([[0.0], [1.0]]), np.array([0.5, 0.5]))
    >>> theirs = Cloud(np.array([[1.0], [3.0]]), np.array([0.5, 0.5]))
    >>> round(cost(ours, theirs), 6)
    1.5
    """
    if ours is None or theirs is None:
        return float("nan")
    between = (ours.points**2).sum(axis=1)[:, None] + (theirs.points**2).sum(axis=1) - 2 * ours.points @ theirs.points.T
    np.maximum(between, 0, out=between)
    # What is left of equal vectors after subtraction is rounding, which a root would make visible.
    between[between < 1e-12 * max(1.0, float(between.max()))] = 0
    if not squared:
        np.sqrt(between, out=between)
    if len(ours.weights) == 1 or len(theirs.weights) == 1:
        return float(ours.weights @ between @ theirs.weights)
    found = _transport()(ours.weights, theirs.weights, between, numItermax=10_000_000, check_marginals=False)
    return float(found)


def _parted(text: str) -> list[str]:
    return sentence_texts(text) if len(text) <= LONGEST else []


@cache
def _transport() -> Callable[..., Any]:
    """Return POT's solver, which takes seconds to import."""
    from ot import emd2

    found: Callable[..., Any] = emd2
    return found


def ngram_vectors(vectors: FloatArray, weights: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return n-grams as means of their words by weight, each with the weight of its words together."""
    n = min(n, len(weights))
    if n <= 1:
        return vectors, weights
    windows = np.lib.stride_tricks.sliding_window_view(weights, n)
    totals = windows.sum(axis=1)
    shares = windows / np.where(totals > 0, totals, 1)[:, None]
    stacked = np.lib.stride_tricks.sliding_window_view(vectors, n, axis=0)
    return np.einsum("wdn,wn->wd", stacked, shares), totals


def _over_references(scores: Sequence[float], how: str) -> float:
    """Return the best or the mean of the scores that are defined."""
    known = [score for score in scores if score == score]
    if not known:
        return float("nan")
    return max(known) if how == "max" else float(np.mean(known))
