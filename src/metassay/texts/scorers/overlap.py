"""BLEU, chrF and TER as sacrebleu computes them: of single outputs, and of whole systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats import corpus_scores
from metassay.stats.arrays import FloatArray
from metassay.stats.corpus_scores import Formula
from metassay.texts.scorers.base import CorpusCounts
from metassay.texts.scorers.tokens import WordScorer


class _SacreBleu(WordScorer):
    """A metric of sacrebleu; its own signature is part of ours, so the numbers can be compared with papers.

    Parameters
    ----------
    lowercase
        Whether case is ignored.
    """

    _remedy = ""
    """What to do about words that no space parts, for a metric of words; nothing for others."""

    def _made(self, single: bool) -> tuple[Any, Formula]:
        """Return sacrebleu's metric of single outputs or of whole systems, and the formula of the latter."""
        raise NotImplementedError

    def _prepare(self) -> None:
        try:
            self._metric = self._made(single=True)[0]
        except (ValueError, TypeError, AssertionError, RuntimeError, LookupError, ImportError) as error:
            raise UsageError(f"{self.name}: sacrebleu does not take these options: {one_line(error)}") from None
        # sacrebleu knows its signature only after it has scored something.
        self._metric.sentence_score("a", ["a"])
        own = str(self._metric.get_signature())
        self.signature = "|".join([self.name, *(part for part in own.split("|") if not part.startswith("nrefs:"))])

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words sacrebleu cannot tell, which it scores all the same."""
        if not self._remedy:
            return ()
        found = sum(map(self._wordless, items))
        told = self._counted("phrases-as-words", found, outputs=len(items), remedy=self._remedy)
        return told + self._notes_on_foreign(items)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return scores of shape (items, 1), on sacrebleu's scale."""
        scores = [self._metric.sentence_score(item.output, list(item.references)).score for item in items]
        return np.array(scores, dtype=np.float64).reshape(-1, 1)

    def corpus(self, items: Sequence[Item]) -> CorpusCounts:
        """Return what sacrebleu counts, and its signature."""
        metric, formula = self._made(single=False)
        known: dict[tuple[str, ...], Any] = {}
        counts = []
        for item in items:
            if item.references not in known:
                lines = [metric._preprocess_segment(text) for text in item.references]
                known[item.references] = metric._extract_reference_info(lines)
            output = metric._preprocess_segment(item.output)
            counts.append(metric._compute_segment_statistics(output, known[item.references]))
        how_many = {len(references) for references in known}
        metric.num_refs = how_many.pop() if len(how_many) == 1 else -1
        name = metric._compute_score_from_stats(list(counts[0])).name
        return CorpusCounts(np.array(counts, dtype=np.float64), formula, f"{name}|{metric.get_signature()}")


class Bleu(_SacreBleu):
    """BLEU: of single outputs with effective order, of whole systems without.

    Parameters
    ----------
    tokenize
        sacrebleu's tokenizer: ``13a``, ``intl``, ``zh``, ``ja-mecab``, ``char``, ``none``, …
    smooth
        ``exp``, ``floor``, ``add-k`` or ``none``.
    """

    name = "bleu"
    tokenize: str = field(default="13a", kw_only=False)
    smooth: str = field(default="exp", kw_only=False)
    lowercase: bool = field(default=False, kw_only=False)

    def _prepare(self) -> None:
        super()._prepare()
        self._remedy = "tokenize" if self.tokenize in ("13a", "intl", "none") else ""

    def _made(self, single: bool) -> tuple[Any, Formula]:
        from sacrebleu.metrics.bleu import BLEU

        how: dict[str, Any] = {"tokenize": self.tokenize, "smooth_method": self.smooth, "lowercase": self.lowercase}
        value = BLEU.SMOOTH_DEFAULTS.get(self.smooth) or 0.0
        formula = partial(corpus_scores.bleu, smooth=self.smooth, value=value)
        return BLEU(**how, effective_order=single, force=True), formula


class ChrF(_SacreBleu):
    """chrF: F-score of character n-grams.

    Parameters
    ----------
    order
        The longest character n-grams.
    beta
        How much more recall counts than precision.
    """

    name = "chrf"
    words = 0
    order: int = field(default=6, kw_only=False)
    beta: int = field(default=2, kw_only=False)
    lowercase: bool = field(default=False, kw_only=False)

    def _made(self, single: bool) -> tuple[Any, Formula]:  # noqa: ARG002 - both are one
        from sacrebleu.metrics.chrf import CHRF

        made = CHRF(char_order=self.order, word_order=self.words, beta=self.beta, lowercase=self.lowercase)
        return made, partial(corpus_scores.chrf, beta=self.beta)


class ChrFPlusPlus(ChrF):
    """chrF++: chrF with n-grams of words beside those of characters.

    Parameters
    ----------
    words
        The longest word n-grams.
    """

    name = "chrf++"
    _remedy = "chrf"
    words: int = field(default=2, kw_only=False)


class Ter(_SacreBleu):
    """Translation edit rate; small is good.

    Parameters
    ----------
    normalized
        Whether punctuation is split off as tercom does.
    """

    name = "ter"
    _remedy = "segment"
    lower_is_better = frozenset({"ter"})
    normalized: bool = field(default=False, kw_only=False)
    lowercase: bool = field(default=True, kw_only=False)

    def _made(self, single: bool) -> tuple[Any, Formula]:  # noqa: ARG002 - both are one
        from sacrebleu.metrics.ter import TER

        return TER(normalized=self.normalized, case_sensitive=not self.lowercase), corpus_scores.ter
