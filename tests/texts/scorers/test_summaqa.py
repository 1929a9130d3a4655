"""SummaQA on a span model that the tests train; what it can answer is told in tiny_models."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.texts.scorers.questions import SummaQA
from metassay.texts.scorers.scoring import score

SOURCE = "So Anna opened the bridge . So Paul painted the house ."


def item(output: str, source: str | None = SOURCE) -> Item:
    return Item("a", "1", output, (), source)


@pytest.fixture(scope="module")
def summaqa(span) -> SummaQA:
    return SummaQA(span)


def test_questions_are_sentences_with_a_blank(summaqa):
    assert summaqa.questions("In the end Anna opened the bridge .") == [
        ("In the end MASKED opened the bridge .", "Anna")
    ]


def test_blanks_are_filled_from_the_output(summaqa):
    scores = summaqa.score(
        [
            item("Anna opened the bridge . Paul painted the house ."),  # both: (1 + 1) / 2
            item("Ruth opened the bridge . Paul painted the house ."),  # Ruth is wrong: (0 + 1) / 2
            item(""),
        ]
    )
    np.testing.assert_allclose(scores[:, 0], [1, 0.5, 0])
    assert scores[0, 1] > 0.8  # the model is sure of itself, of Ruth as much as of Anna
    assert scores[1, 1] > 0.8
    assert scores[2, 1] == 0


def test_probability_is_start_times_end(span, summaqa):
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(span)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(span).eval()
    source, output = "So Anna opened the bridge .", "Paul opened the bridge ."
    tensors = tokenizer("So MASKED opened the bridge .", output, return_tensors="pt")
    with torch.no_grad():
        made = model(**tensors)
    start, end = made.start_logits[0].softmax(-1), made.end_logits[0].softmax(-1)
    # [CLS] so masked opened the bridge . [SEP] paul: the ninth token
    expected = float(start[8] * end[8])
    np.testing.assert_allclose(summaqa.score([item(output, source)])[0], [0, expected], rtol=1e-5)


def test_no_question_no_score(summaqa):
    texts = Texts(
        {("a", "1"): "Anna opened the bridge .", ("a", "2"): "Anna ."}, sources={"1": "nobody came .", "2": SOURCE}
    )
    scores = score(texts, summaqa)
    np.testing.assert_array_equal(np.isnan(scores.matrix("summaqa_f1"))[0], [True, False])
    assert Note.of("no-questions", scorer="summaqa", n=1, outputs=2) in scores.notes


def test_long_outputs_are_read_in_windows(summaqa):
    source = "So Paul painted the house ."
    output = "Anna opened the bridge . " * 6 + "Paul painted the house ."
    scores = score(Texts({("a", "1"): output}, sources={"1": source}), summaqa)
    assert np.isfinite(scores.matrix("summaqa_f1")).all()
    assert Note.of("outputs-in-windows", scorer="summaqa", n=1, outputs=1, window=32) in scores.notes


def test_long_questions_keep_their_blank(summaqa):
    (question, answer) = summaqa.questions("the bridge " * 30 + "Anna opened " + "the house " * 30)[0]
    assert answer == "Anna"
    assert "MASKED opened" in question
    assert len(question.split()) == 12  # half of 32, less 4


def test_batches_change_nothing(span, summaqa):
    items = [item("Anna opened the bridge ."), item("Ruth closed the school . Paul painted the house .")]
    np.testing.assert_allclose(SummaQA(span, at_once=1).score(items), summaqa.score(items), rtol=1e-6)


@pytest.mark.parametrize("text", ["\ud800 Anna", "\x00\x07", "שלום עולם", "今天天气很好", "A" * 5000])
def test_strange_texts_do_no_harm(summaqa, text):
    assert summaqa.score([item(text), item("Anna opened the bridge .", text)]).shape == (2, 2)


def test_a_model_without_a_trained_head_is_refused(masked):
    with pytest.raises(UsageError, match=r"lacks qa_outputs\.\w+; it must be a model trained to answer questions"):
        SummaQA(masked)
