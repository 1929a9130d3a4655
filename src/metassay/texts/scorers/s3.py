"""S3: a regression, fitted to people's judgments, from overlap and divergence with references to one score.

Peyrard, Botschen and Gurevych (2017), Learning to score system summaries for better content selection evaluation.
"""

from __future__ import annotations

import importlib.util
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path

import numpy as np

from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.base import digest
from metassay.texts.scorers.rouge import Rouge
from metassay.texts.scorers.rouge_we import RougeWE
from metassay.texts.scorers.s3_models import Model, load_model
from metassay.texts.scorers.tokens import WordScorer, ngrams, tokenizer, wordless
from metassay.texts.segments import ENGLISH

STOP_WORDS = (ENGLISH - {"could", "would", "n"}) | {"ain"}
"""The English stop words of NLTK, as far as they are whole words: divergence leaves them out."""
_OVERLAP = re.compile(r"ROUGE_([1-9])_([PRF])")
_SEQUENCE = re.compile(r"ROUGE_(L|W|SU4)_([PRF])")
_VECTORS = re.compile(r"ROUGE_([1-9])_([PRF])_WE")
_DIVERGENCE = re.compile(r"JS_eval_([1-9])")
_MEASURES = {"P": "precision", "R": "recall", "F": "f1"}


class S3(WordScorer):
    """S3 with the model that you give it.

    Parameters
    ----------
    model
        A file, or a folder with a file whose name has ``pyr`` in it (trained on pyramid scores) and one with ``resp``
        (on responsiveness), as the authors share them. JSON or a pickle of scikit-learn; see the guide. Nothing in a
        pickle is run.
    vectors
        The file of word vectors, for models with features such as ``ROUGE_1_R_WE``; the published models were fitted
        with the dependency-based vectors of Levy and Goldberg (2014).

    Notes
    -----
    The published models take recall of single words and bigrams, by form (``ROUGE_1_R``) and by word vectors
    (``ROUGE_1_R_WE``), summed over references, and the divergence (``JS_eval_1``) of words other than stop words, in
    natural logarithms, as a mean over references. Words are stemmed by Snowball, but not for word vectors. A model of
    your own may take ``ROUGE_3_P``, ``ROUGE_L_F``, ``ROUGE_W_R``, ``ROUGE_SU4_F`` and the like. An output without
    words, and text without spaces between words, has no score.
    """

    name = "s3"
    model: str = field(default="", kw_only=False)
    vectors: str = ""

    def _prepare(self) -> None:
        if not str(self.model).strip():
            raise UsageError("s3 needs a model: s3[model=FILE,vectors=FILE]; see the guide on metrics that count words")
        if importlib.util.find_spec("nltk") is None:
            raise UsageError("s3 needs nltk, whose stemmer it uses; run: pip install 'metassay[meteor]'")
        paths = _files(Path(str(self.model)).expanduser())
        self._models: dict[str, Model] = {name: load_model(path) for name, path in paths.items()}
        self._content = digest(path.read_bytes() for path in paths.values())
        self.feature_names = tuple(sorted({name for one in self._models.values() for name in one.features}))
        for name in self.feature_names:
            if not any(kind.fullmatch(name) for kind in (_OVERLAP, _SEQUENCE, _VECTORS, _DIVERGENCE)):
                known = "ROUGE_1_R (or P, F), ROUGE_L_R, ROUGE_W_R, ROUGE_SU4_R, ROUGE_1_R_WE, JS_eval_1"
                raise UsageError(f"s3: the model takes an unknown feature {one_line(name, 40)!r}; known: {known}")
        near = self._matching(_VECTORS)
        if near and not str(self.vectors).strip():
            raise UsageError(f"s3: the model takes {near[0][0]}; give word vectors with s3[vectors=FILE,…]")
        lengths = sorted({int(match[1]) for match in near})
        self._by_vectors = RougeWE(self.vectors, n=lengths, references="pooled") if near else None
        self.columns = tuple(self._models)
        said = self._by_vectors.signature.split("|") if self._by_vectors is not None else ()
        near_words = next((part.partition(":")[2] for part in said if part.startswith("vectors:")), None)
        parts = {"model": self._content, "vectors": near_words, "stem": "snowball"}
        self.signature = self._recipe("model features vectors tokens stem", **parts)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, models)."""
        features = self.features(items)
        place = {name: at for at, name in enumerate(self.feature_names)}
        out = np.full((len(items), len(self._models)), np.nan)
        known = ~np.isnan(features).any(axis=1)
        for column, model in enumerate(self._models.values()):
            out[known, column] = model.predict(features[known][:, [place[name] for name in model.features]])
        return out

    def features(self, items: Sequence[Item]) -> FloatArray:
        """Return the features of shape (items, features), NaN for an item that has none."""
        texts = _Stemmed()
        able = np.array([texts.can_compare(item) for item in items], dtype=bool)
        kept = [item for item, can in zip(items, able, strict=True) if can]
        out = np.full((len(items), len(self.feature_names)), np.nan)
        if kept:
            elsewhere = self._of_other_metrics(kept)
            columns = [
                elsewhere[name] if name in elsewhere else np.array([texts.feature(name, item) for item in kept])
                for name in self.feature_names
            ]
            out[able] = np.stack(columns, axis=1)
        return out

    def _matching(self, kind: re.Pattern[str]) -> list[re.Match[str]]:
        return [match for name in self.feature_names if (match := kind.fullmatch(name))]

    def _of_other_metrics(self, items: Sequence[Item]) -> dict[str, FloatArray]:
        """Return the features that are scores of ROUGE-L, -W, -SU4 and ROUGE-WE, by name."""
        found: dict[str, FloatArray] = {}
        sequences, near = self._matching(_SEQUENCE), self._matching(_VECTORS)
        if sequences:
            rouge = Rouge({match[1] for match in sequences}, references="average", tokens="unicode")
            by_name = dict(zip(rouge.columns, rouge.score(items).T, strict=True))
            found |= {match[0]: by_name[f"rouge-{match[1].lower()}_{_MEASURES[match[2]]}"] for match in sequences}
        if self._by_vectors is not None:
            by_name = dict(zip(self._by_vectors.columns, self._by_vectors.score(items).T, strict=True))
            found |= {match[0]: by_name[f"rouge-we-{match[1]}_{_MEASURES[match[2]]}"] for match in near}
        # Without n-grams of a length nothing matches.
        return {name: np.nan_to_num(values) for name, values in found.items()}


def _files(path: Path) -> dict[str, Path]:
    """Return the models by the name of their score."""
    if not path.is_dir():
        kind = next((name for name in ("pyr", "resp") if name in path.name), "")
        return {f"s3_{kind}" if kind else "s3": path}
    found: dict[str, Path] = {}
    for kind in ("pyr", "resp"):
        files = sorted(file for file in path.iterdir() if kind in file.name and not file.name.startswith("."))
        if len(files) > 1:
            names = ", ".join(one_line(file.name, 40) for file in files)
            raise UsageError(f"s3: several models in {one_line(path)!r} have {kind!r} in their name: {names}; name one")
        found |= {f"s3_{kind}": file for file in files}
    if not found:
        raise UsageError(f"s3: no file in {one_line(path)!r} has 'pyr' or 'resp' in its name")
    return found


class _Stemmed:
    """Stems of texts, each text stemmed once."""

    def __init__(self) -> None:
        from nltk.stem.snowball import EnglishStemmer

        self._find = tokenizer("unicode")
        self._stem: Callable[[str], str] = cache(EnglishStemmer().stem)
        self._known: dict[str, list[str]] = {}

    def of(self, text: str) -> list[str]:
        """Return the stems of a text."""
        if text not in self._known:
            self._known[text] = [self._stem(word) for word in self._find(text)]
        return self._known[text]

    def can_compare(self, item: Item) -> bool:
        """Tell whether an output and a reference have words."""
        return bool(self.of(item.output)) and any(map(self.of, item.references)) and not wordless(item, "unicode")

    def feature(self, name: str, item: Item) -> float:
        """Return recall, precision or F of n-grams, or their divergence."""
        references = [stems for text in item.references if (stems := self.of(text))]
        if match := _DIVERGENCE.fullmatch(name):
            ours = _shares(self.of(item.output), int(match[1]))
            return float(np.mean([_divergence(ours, _shares(stems, int(match[1]))) for stems in references]))
        match = _OVERLAP.fullmatch(name)
        assert match is not None, "names were checked when the model was loaded"
        counts = Counter(ngrams(self.of(item.output), int(match[1])))
        hits = total = 0
        for stems in references:
            theirs = Counter(ngrams(stems, int(match[1])))
            hits += (counts & theirs).total()
            total += theirs.total()
        mine = counts.total() * len(references)
        parts = {"R": (hits, total), "P": (hits, mine), "F": (2 * hits, total + mine)}[match[2]]
        return parts[0] / parts[1] if parts[1] else 0.0


def _shares(stems: Sequence[str], n: int) -> dict[tuple[str, ...], float]:
    """Return the shares of n-grams that do not consist of stop words."""
    kept = Counter(ngram for ngram in ngrams(stems, n) if not STOP_WORDS.issuperset(ngram))
    return {ngram: count / kept.total() for ngram, count in kept.items()}


def _divergence(ours: Mapping[tuple[str, ...], float], theirs: Mapping[tuple[str, ...], float]) -> float:
    """Return the Jensen-Shannon divergence in natural logarithms; a text of stop words has no shares to add."""
    total = 0.0
    for one, other in ((ours, theirs), (theirs, ours)):
        total += sum(share * math.log(2 * share / (share + other.get(ngram, 0.0))) for ngram, share in one.items())
    return total / 2
