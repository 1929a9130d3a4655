"""BLEU, chrF and TER as sacrebleu computes them: of single outputs, and of whole systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats import corpus_scores
from metassay.stats.corpus_scores import Formula
from metassay.texts.scorers.base import CorpusCounts, Need, ScorerDefaults
from metassay.texts.scorers.tokens import notes_on_foreign, wordless


class _SacreBleu(ScorerDefaults):
    """A metric of sacrebleu; its own signature is part of ours, so the numbers can be compared with papers."""

    needs: frozenset[Need] = frozenset({"references"})

    def __init__(
        self,
        name: str,
        make: Callable[[], Any],
        formula: Formula,
        words: str = "",
        whole: Callable[[], Any] | None = None,
    ) -> None:
        self._words = words
        """What to do about words that no space parts, for a metric of words; nothing for others."""
        self.columns: tuple[str, ...] = (name,)
        try:
            self._metric = make()
        except (ValueError, TypeError, AssertionError, RuntimeError, LookupError, ImportError) as error:
            raise UsageError(f"{name}: sacrebleu does not take these options: {one_line(error)}") from None
        # sacrebleu knows its signature only after it has scored something.
        self._metric.sentence_score("a", ["a"])
        own = str(self._metric.get_signature())
        kept = [part for part in own.split("|") if not part.startswith("nrefs:")]
        self.signature = "|".join([name, *kept])
        self._formula = formula
        self._whole = self._metric if whole is None else whole()
        """The metric of whole systems, where it has other options than that of single outputs."""

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the items whose words sacrebleu cannot tell, which it scores all the same."""
        if not self._words:
            return ()
        found = sum(wordless(item, "unicode") for item in items)
        name = self.columns[0]
        told = Note.of("phrases-as-words", scorer=name, n=found, outputs=len(items), remedy=self._words)
        return (*((told,) if found else ()), *notes_on_foreign(name, items, "unicode"))

    def score(self, items: Sequence[Item]) -> npt.NDArray[np.float64]:
        """Return scores of shape (items, 1), on sacrebleu's scale."""
        scores = [self._metric.sentence_score(item.output, list(item.references)).score for item in items]
        return np.array(scores, dtype=np.float64).reshape(-1, 1)

    def corpus(self, items: Sequence[Item]) -> CorpusCounts:
        """Return what sacrebleu counts, and its signature."""
        metric = self._whole
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
        return CorpusCounts(np.array(counts, dtype=np.float64), self._formula, f"{name}|{metric.get_signature()}")


class Bleu(_SacreBleu):
    """BLEU: of single outputs with effective order, of whole systems without.

    Parameters
    ----------
    tokenize
        sacrebleu's tokenizer: ``13a``, ``intl``, ``zh``, ``ja-mecab``, ``char``, ``none``, …
    smooth
        ``exp``, ``floor``, ``add-k`` or ``none``.
    lowercase
        Whether case is ignored.
    """

    def __init__(self, tokenize: str = "13a", smooth: str = "exp", lowercase: bool = False) -> None:
        from sacrebleu.metrics.bleu import BLEU

        def metric(single: bool) -> BLEU:
            return BLEU(
                tokenize=tokenize, smooth_method=smooth, lowercase=lowercase, effective_order=single, force=True
            )

        super().__init__(
            "bleu",
            lambda: metric(single=True),
            partial(corpus_scores.bleu, smooth=smooth, value=BLEU.SMOOTH_DEFAULTS.get(smooth) or 0.0),
            whole=lambda: metric(single=False),
            words="tokenize" if tokenize in ("13a", "intl", "none") else "",
        )


class ChrF(_SacreBleu):
    """chrF: F-score of character n-grams.

    Parameters
    ----------
    order
        The longest character n-grams.
    beta
        How much more recall counts than precision.
    lowercase
        Whether case is ignored.
    """

    def __init__(self, order: int = 6, beta: int = 2, lowercase: bool = False) -> None:
        from sacrebleu.metrics.chrf import CHRF

        super().__init__(
            "chrf",
            lambda: CHRF(char_order=order, word_order=0, beta=beta, lowercase=lowercase),
            partial(corpus_scores.chrf, beta=beta),
        )


class ChrFPlusPlus(_SacreBleu):
    """chrF++: chrF with n-grams of words beside those of characters.

    Parameters
    ----------
    order
        The longest character n-grams.
    words
        The longest word n-grams.
    beta
        How much more recall counts than precision.
    lowercase
        Whether case is ignored.
    """

    def __init__(self, order: int = 6, words: int = 2, beta: int = 2, lowercase: bool = False) -> None:
        from sacrebleu.metrics.chrf import CHRF

        super().__init__(
            "chrf++",
            lambda: CHRF(char_order=order, word_order=words, beta=beta, lowercase=lowercase),
            partial(corpus_scores.chrf, beta=beta),
            words="chrf",
        )


class Ter(_SacreBleu):
    """Translation edit rate; small is good.

    Parameters
    ----------
    normalized
        Whether punctuation is split off as tercom does.
    lowercase
        Whether case is ignored.
    """

    lower_is_better: frozenset[str] = frozenset({"ter"})

    def __init__(self, normalized: bool = False, lowercase: bool = True) -> None:
        from sacrebleu.metrics.ter import TER

        super().__init__(
            "ter",
            lambda: TER(normalized=normalized, case_sensitive=not lowercase),
            corpus_scores.ter,
            words="segment",
        )
