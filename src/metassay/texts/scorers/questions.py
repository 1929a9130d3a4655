"""SummaQA and QAEval: can questions about a source or a reference be answered from the output?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from importlib import import_module

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.texts.hub_models import quiet
from metassay.texts.scorers.answers import SpanReader, exact, f1
from metassay.texts.scorers.base import Scorer, option
from metassay.texts.scorers.language_models import LanguageModel, clean
from metassay.texts.scorers.phrases import Phrase, finder

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


WINDOW = 384
"""Tokens of question and output that are read at once, as the authors have it."""
QUESTION = 100
"""Tokens that a question may have."""


class QAEval(Scorer):
    """QAEval: questions are written about the noun phrases of the references, and answered from the output.

    Deutsch, Bedrax-Weiss and Roth (2021), Towards Question-Answering as an Automatic Metric for Evaluating the Content
    Quality of a Summary. For every noun phrase of a reference, a model writes a question to which the phrase is the
    answer, given its sentence with the phrase marked. Another model, trained on SQuAD 2.0, answers from the output, or
    says that there is no answer, which counts as 0. ``em`` and ``f1`` compare the answer with the phrase as SQuAD
    does, ``answered`` is the share of questions with an answer. Scores are means over the questions of a reference,
    and then over references.

    Parameters
    ----------
    questions
        A sequence-to-sequence model that writes questions, by name or path.
    answers
        A model that finds answers or says that there is none, by name or path.
    phrases
        Who finds noun phrases: ``built-in``, or ``spacy:NAME``. The authors' pipeline is ``en_core_web_sm``.
    start, end
        The tokens around the phrase with which the question model was trained: ``<m>`` and ``</m>`` for the authors',
        ``<hl>`` twice for many others.
    prefix
        What that model expects before a sentence, such as ``generate question:``.
    beams
        How many beams the search for a question has.
    device, at_once
        Where models run, and how many texts they are given at a time; they are no part of the recipe.

    Notes
    -----
    An empty output answers nothing and scores 0. References without a noun phrase are left out; without any question
    the score is NaN.
    """

    name = "qaeval"
    columns = ("qaeval_em", "qaeval_f1", "qaeval_answered")
    in_process = True
    batch = 16
    questions: str = field(default="", kw_only=False)
    answers: str = field(default="", kw_only=False)
    phrases: str = "built-in"
    start: str = "<m>"
    end: str = "</m>"
    prefix: str = ""
    beams: int = option(4, vocabulary.count)
    device: str = "cpu"
    at_once: int = option(16, vocabulary.count)

    def _prepare(self) -> None:
        self._phrases = finder(self.phrases, "noun phrases")
        self._writer = LanguageModel(self.questions, "sequence", "qaeval[questions=…]", self.device)
        reads = LanguageModel(self.answers, "span", "qaeval[answers=…]", self.device)
        self._reader = SpanReader(reads, self.at_once, WINDOW)
        self._start, self._end, self._prefix = str(self.start), str(self.end), str(self.prefix)
        known = self._writer.tokenizer.get_vocab()
        for mark in (self._start, self._end):
            if mark not in known:
                raise UsageError(
                    f"qaeval: the question model has no token {one_line(mark, 30)!r}; say with start=… and end=… how "
                    "answers were marked when it was trained, such as <hl>"
                )
        self._longest = min(QUESTION, self._writer.window - 2)
        self._transformers = import_module("transformers")
        marks = one_line(f"{self._prefix} {self._start} {self._end}".strip(), 80)
        asked, phrases = self._writer.label, self._phrases.signature
        parts = {"questions": asked, "answers": reads.label, "phrases": phrases, "marks": marks}
        self.signature = self._recipe("questions answers phrases marks beams", **parts)
        self.asked = lru_cache(maxsize=64)(self._ask)
        self._found = lru_cache(maxsize=64)(self._find)

    def notes(self, items: Sequence[Item]) -> tuple[Note, ...]:
        """Count the outputs whose references raise no question, the sentences cut, and outputs read in windows."""
        known = [item for item in items if item.references]
        silent = sum(not any(self._found(text) for text in item.references) for item in known)
        references = {text for item in known for text in item.references}
        asked = {self._marked(phrase) for text in references for phrase in self._found(text)}
        cut = sum(len(self._writer.pieces(text)) > self._writer.window - 2 for text in asked)
        # Questions have no more than half of the window.
        long = sum(self._reader.windows("", clean(item.output)) > 1 for item in known)
        told = self._counted("no-questions", silent, outputs=len(items))
        told += self._counted("questions-truncated", cut, window=self._writer.window)
        return told + self._counted("outputs-in-windows", long, outputs=len(items), window=self._reader.window)

    def _one(self, item: Item) -> FloatArray:
        found = []
        for reference in item.references:
            asked = self.asked(reference)
            if asked:
                answers = self._reader.answers([question for question, _ in asked], clean(item.output))
                rows = [
                    (exact(a.text, expected), f1(a.text, expected), 1.0) if a.score > a.null else (0.0, 0.0, 0.0)
                    for a, (_, expected) in zip(answers, asked, strict=True)
                ]
                found.append(np.mean(rows, axis=0))
        return np.mean(found, axis=0) if found else np.full(3, np.nan)

    def _find(self, reference: str) -> Sequence[Phrase]:
        return self._phrases.find(clean(reference))

    def _marked(self, phrase: Phrase) -> str:
        before, after = phrase.sentence[: phrase.start], phrase.sentence[phrase.end :]
        text = f"{before}{self._start} {phrase.text} {self._end}{after}"
        return f"{self._prefix} {text}" if self._prefix else text

    def _ask(self, reference: str) -> list[tuple[str, str]]:
        """Return the questions that a reference raises, each with its answer."""
        phrases = self._found(reference)
        torch, tokenizer = self._writer.torch, self._writer.tokenizer
        sequences = [
            tokenizer(self._marked(phrase), truncation=True, max_length=self._writer.window)["input_ids"]
            for phrase in phrases
        ]
        written = [""] * len(phrases)
        with torch.inference_mode():
            for places, tensors in self._writer.batches(sequences, self.at_once):
                tensors.pop("token_type_ids", None)
                with quiet(self._transformers):
                    made = self._writer.model.generate(
                        **tensors, num_beams=self.beams, do_sample=False, max_new_tokens=self._longest
                    )
                texts = tokenizer.batch_decode(made, skip_special_tokens=True)
                for place, text in zip(places, texts, strict=True):
                    written[place] = text.strip()
        return [
            (self._reader.shortened(question), phrase.text) for question, phrase in zip(written, phrases, strict=True)
        ]
