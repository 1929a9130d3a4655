"""Answers that a span model finds in a text, and how SQuAD compares them with the expected ones."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from metassay.stats.arrays import BoolArray, FloatArray
from metassay.texts.scorers.language_models import LanguageModel

LONGEST_ANSWER = 30
"""Tokens that an answer may have, as in the evaluation of SQuAD."""
STRIDE = 128
"""Tokens that two windows over a long text have in common, or half of what fits if that is less."""

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> list[str]:
    """Return the words of an answer in lower case, without punctuation and articles (Rajpurkar et al. 2016).

    Examples
    --------
    >>> normalised("The U.S. president")
    ['us', 'president']
    """
    return _ARTICLE.sub(" ", answer.lower().translate(_PUNCTUATION)).split()


def exact(answer: str, expected: str) -> float:
    """Return 1 if two answers have the same words in the same order, else 0."""
    return float(normalised(answer) == normalised(expected))


def f1(answer: str, expected: str) -> float:
    """Return the F1 of the words that two answers share; where one has no words, whether both have none.

    Examples
    --------
    >>> round(f1("president Obama", "Barack Obama"), 3), f1("the", "an")
    (0.5, 1.0)
    """
    given, wanted = normalised(answer), normalised(expected)
    if not given or not wanted:
        return float(given == wanted)
    shared = sum((Counter(given) & Counter(wanted)).values())
    return 2 * shared / (len(given) + len(wanted))


class Answer(NamedTuple):
    """The best span of a text."""

    text: str
    """Its words; empty if the text has no tokens."""
    score: float
    """The logit of its start plus that of its end."""
    null: float
    """The same for no answer: the least, over windows, of the first token's logits."""
    probability: float
    """The chance of its start times that of its end, within its window."""


class SpanReader:
    """Answers questions from a text with a span model.

    Parameters
    ----------
    model
        A model with a head that finds spans.
    at_once
        How many windows the model is given at a time.
    window
        Tokens of question and text together that are read at once; less if the model takes less.
    """

    def __init__(self, model: LanguageModel, at_once: int, window: int = 512) -> None:
        self._model = model
        self._at_once = at_once
        self.window = min(window, model.window)

    def answers(self, questions: Sequence[str], text: str) -> list[Answer]:
        """Return the best span for every question, found in windows that slide over the text.

        Questions must leave room for the text; see :meth:`shortened`.
        """
        if not questions:
            return []
        if not self._model.pieces(text):
            return [Answer("", -np.inf, np.inf, 0.0)] * len(questions)
        room = self.window - max(len(self._model.pieces(question)) for question in questions) - 4
        encoded = self._model.tokenizer(
            list(questions),
            [text] * len(questions),
            truncation="only_second",
            max_length=self.window,
            stride=max(0, min(STRIDE, room // 2)),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        best = [Answer("", -np.inf, np.inf, 0.0)] * len(questions)
        torch = self._model.torch
        batches = self._model.batches(encoded["input_ids"], self._at_once, encoded.get("token_type_ids"))
        with torch.inference_mode():
            for places, tensors in batches:
                made = self._model.model(**tensors)
                starts, ends = made.start_logits.double().cpu().numpy(), made.end_logits.double().cpu().numpy()
                for row, place in enumerate(places):
                    length = len(encoded["input_ids"][place])
                    within = np.array([kind == 1 for kind in encoded.sequence_ids(place)])
                    start, end, answer = best_span(starts[row, :length], ends[row, :length], within)
                    offsets = encoded["offset_mapping"][place]
                    found = answer._replace(text=text[offsets[start][0] : offsets[end][1]].strip())
                    which = encoded["overflow_to_sample_mapping"][place]
                    null = min(best[which].null, found.null)
                    best[which] = max(best[which], found, key=lambda one: one.score)._replace(null=null)
        return best

    def windows(self, question: str, text: str) -> int:
        """Return in how many windows a text is read for a question."""
        asked, given = len(self._model.pieces(question)), len(self._model.pieces(text))
        room = self.window - asked - self._model.tokenizer.num_special_tokens_to_add(pair=True)
        stride = max(0, min(STRIDE, (self.window - asked - 4) // 2))
        return 1 if given <= room else 1 + -(-(given - room) // (room - stride))

    def shortened(self, question: str, around: str = "") -> str:
        """Return a question that leaves half of the window to the text: its tokens around a word, or its first ones."""
        limit = self.window // 2 - 4
        offsets = self._model.encoded(question)["offset_mapping"]
        if len(offsets) <= limit:
            return question
        at = question.find(around)
        middle = next((n for n, (_, end) in enumerate(offsets) if end > at), 0) if around else 0
        first = min(max(0, middle - limit // 2), len(offsets) - limit)
        return question[offsets[first][0] : offsets[first + limit - 1][1]]


def best_span(starts: FloatArray, ends: FloatArray, within: BoolArray) -> tuple[int, int, Answer]:
    """Return first and last token of the best span, and its scores; `within` marks the tokens of the text."""
    null = float(starts[0] + ends[0])
    places = np.flatnonzero(within)
    if not len(places):
        return 0, 0, Answer("", -np.inf, null, 0.0)
    sums = starts[places, None] + ends[None, places]
    apart = places[None, :] - places[:, None]
    sums[(apart < 0) | (apart >= LONGEST_ANSWER)] = -np.inf
    start, end = (int(places[at]) for at in np.unravel_index(np.argmax(sums), sums.shape))
    probability = float(softmax(starts)[start] * softmax(ends)[end])
    return start, end, Answer("", float(starts[start] + ends[end]), null, probability)
