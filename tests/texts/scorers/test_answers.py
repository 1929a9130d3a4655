from __future__ import annotations

import numpy as np
import pytest

from metassay.texts.scorers.answers import SpanReader, best_span, exact, f1, normalised
from metassay.texts.scorers.language_models import LanguageModel


def test_answers_are_normalised_as_in_squad():
    assert normalised("The  U.S.-led\tcoalition's") == ["usled", "coalitions"]
    assert exact("an Apple .", "the apple") == 1
    assert exact("green apple", "apple green") == 0


def test_f1_of_words():
    # two of three words are shared, two of two: P = 2/3, R = 1, F1 = 0.8
    assert f1("old red house", "the red house") == pytest.approx(0.8)
    assert f1("house house", "house") == pytest.approx(2 / 3)
    assert f1("", "house") == 0
    assert f1("the", "a") == 1


def test_the_best_span_ends_behind_its_start():
    # tokens: [CLS] question [SEP] a b c; the best start is c and the best end a, which is no span
    starts, ends = np.array([0.0, 9, 0, 1, 2, 5]), np.array([0.5, 9, 0, 5, 3, 1])
    within = np.array([False, False, False, True, True, True])
    start, end, answer = best_span(starts, ends, within)
    # a-a 6, a-b 4, a-c 2, b-b 5, b-c 3, c-c 6: the first of the best
    assert (start, end, answer.score, answer.null) == (3, 3, 6, 0.5)
    weights = np.exp(starts) / np.exp(starts).sum(), np.exp(ends) / np.exp(ends).sum()
    assert answer.probability == pytest.approx(weights[0][3] * weights[1][3])


def test_answers_have_at_most_thirty_tokens():
    starts, ends = np.zeros(40), np.zeros(40)
    starts[1], ends[35], ends[20] = 5, 9, 2
    start, end, _ = best_span(starts, ends, np.arange(40) > 0)
    assert (start, end) == (6, 35)  # 9 alone beats 5 + 2


def test_answers_come_from_the_text(span):
    reader = SpanReader(LanguageModel(span, "span", "test"), 4)
    text = "Omar closed the school .  Ruth opened the bridge ."
    who, what, none = reader.answers(["who opened the bridge ?", "what was closed ?", "what was painted ?"], text)
    assert (who.text, what.text) == ("Ruth", "the school")
    assert who.score > who.null
    assert what.score > what.null
    assert none.score < none.null
    assert reader.answers([], text) == []


def test_windows_slide_over_a_long_text(span):
    """Cut windows, try every span and take the best, by hand."""
    import torch

    model = LanguageModel(span, "span", "test")
    reader = SpanReader(model, 2)
    question, text = (
        "who opened the bridge ?",
        "Omar closed the school . " * 5 + "Ruth opened the bridge . Paul painted .",
    )
    asked, given = model.pieces(question), model.pieces(text)
    room = 32 - len(asked) - 3
    stride = (32 - len(asked) - 4) // 2
    assert (len(given), room, stride) == (33, 24, 11)
    cuts = [slice(start, start + room) for start in range(0, len(given) - stride, room - stride)]
    assert reader.windows(question, text) == len(cuts) == 2
    cls, sep = model.tokenizer.cls_token_id, model.tokenizer.sep_token_id
    found, nulls = [], []
    for cut in cuts:
        ids = [cls, *asked, sep, *given[cut], sep]
        types = [0] * (len(asked) + 2) + [1] * (len(given[cut]) + 1)
        with torch.no_grad():
            made = model.model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        starts, ends = made.start_logits[0].tolist(), made.end_logits[0].tolist()
        nulls.append(starts[0] + ends[0])
        first = len(asked) + 2
        places = range(first, first + len(given[cut]))
        found += [
            (starts[i] + ends[j], cut.start + i - first, cut.start + j - first)
            for i in places
            for j in places
            if i <= j
        ]
    best, start, end = max(found)
    (answer,) = reader.answers([question], text)
    assert answer.score == pytest.approx(best, rel=1e-5)
    assert answer.null == pytest.approx(min(nulls), rel=1e-5)
    assert model.pieces(answer.text) == given[start : end + 1]
