"""SummaQA: can the blanks in the sentences of a source be filled from the output?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.stats.arrays import FloatArray
from metassay.texts.scorers.answers import SpanReader, f1
from metassay.texts.scorers.base import Scorer, option
from metassay.texts.scorers.language_models import LanguageModel, clean
from metassay.texts.scorers.phrases import finder

BLANK = "MASKED"
"""The word that stands for what is asked, in the authors' questions."""


class SummaQA(Scorer):
    """SummaQA: entities of the source are blanked in their sentences, and a model fills the blanks from the output.

    Scialom, Lamprier, Piwowarski and Staiano (2019), Answers Unite! Each entity of the source makes a question: its
    sentence with ``MASKED`` in the entity's place. A model trained on SQuAD answers from the output. ``f1`` is the mean
    F1 of words between answer and entity, ``probability`` the mean chance that the model gives its answer, which is
    that of the start times that of the end.

    Parameters
    ----------
    model
        A model that finds answers, by name or path. The authors' is
        ``bert-large-uncased-whole-word-masking-finetuned-squad``.
    phrases
        Who finds entities: ``built-in``, by rules on capitals and digits, or ``spacy:NAME``. The authors' pipeline is
        ``en_core_web_sm``.
    device, at_once
        Where the model runs, and how many questions it is given at a time; they are no part of the recipe.

    Notes
    -----
    An empty output answers nothing and scores 0. A source without entities has no questions: NaN. Long outputs are
    read in windows that overlap.
    """

    name = "summaqa"
    needs = frozenset({"source"})
    columns = ("summaqa_f1", "summaqa_probability")
    in_process = True
    batch = 16
    model: str = field(default="", kw_only=False)
    phrases: str = "built-in"
    device: str = "cpu"
    at_once: int = option(16, vocabulary.count)

    def _prepare(self) -> None:
        self._phrases = finder(self.phrases, "entities")
        loaded = LanguageModel(self.model, "span", "summaqa[model=…]", self.device)
        self._reader = SpanReader(loaded, self.at_once)
        self.signature = self._recipe("model phrases", model=loaded.label, phrases=self._phrases.signature)
        self.questions = lru_cache(maxsize=64)(self._ask)

    def score(self, items: Sequence[Item]) -> FloatArray:
        """Return F1 and probability: shape (items, 2)."""
        return np.array([self._one(item) for item in items]).reshape(-1, 2)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the outputs whose source raises no question, and those that were read in windows."""
        known = [item for item in items if item.source is not None]
        silent = sum(not self.questions(item.source or "") for item in known)
        longest = [max((q for q, _ in self.questions(item.source or "")), key=len, default="") for item in known]
        long = sum(self._reader.windows(q, clean(item.output)) > 1 for q, item in zip(longest, known, strict=True))
        told = self._counted("no-questions", silent, outputs=len(items))
        return told + self._counted("outputs-in-windows", long, outputs=len(items), window=self._reader.window)

    def _one(self, item: Item) -> tuple[float, float]:
        asked = self.questions(item.source or "")
        if not asked:
            return (np.nan, np.nan)
        answers = self._reader.answers([question for question, _ in asked], clean(item.output))
        matches = [f1(answer.text, expected) for answer, (_, expected) in zip(answers, asked, strict=True)]
        return float(np.mean(matches)), float(np.mean([answer.probability for answer in answers]))

    def _ask(self, source: str) -> list[tuple[str, str]]:
        """Return the questions that a source raises, each with its answer."""
        found = []
        for phrase in self._phrases.find(clean(source)):
            question = f"{phrase.sentence[: phrase.start]}{BLANK}{phrase.sentence[phrase.end :]}"
            found.append((self._reader.shortened(question, BLANK), phrase.text))
        return found
