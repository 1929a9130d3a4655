"""QAEval on models that the tests train: one that writes questions, one that answers them or says that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.texts.scorers.questions import QAEval
from metassay.texts.scorers.scoring import score

pytest.importorskip("textblob", reason="needs textblob; run: pip install 'metassay[text]'")

REFERENCE = "Anna opened the bridge . Paul painted the house ."


def item(output: str, *references: str) -> Item:
    return Item("a", "1", output, references or (REFERENCE,), None)


@pytest.fixture(scope="module")
def qaeval(question, span) -> QAEval:
    return QAEval(question, span)


def test_a_question_for_every_noun_phrase(qaeval):
    assert qaeval.asked(REFERENCE) == [
        ("who opened the bridge ?", "Anna"),
        ("what was opened ?", "the bridge"),
        ("who painted the house ?", "Paul"),
        ("what was painted ?", "the house"),
    ]


def test_answers_are_compared_with_the_reference(qaeval):
    scores = qaeval.score(
        [
            item(REFERENCE),
            item("Anna opened the bridge ."),  # two of four; the others have no answer here
            item("Ruth opened the bridge ."),  # who: Ruth, answered but wrong; what: right
            item("Omar closed the school ."),  # nothing that was asked for
            item(""),
        ]
    )
    np.testing.assert_allclose(scores[:, 0], [1, 0.5, 0.25, 0, 0])  # exact matches
    np.testing.assert_allclose(scores[:, 1], [1, 0.5, 0.25, 0, 0])  # F1
    np.testing.assert_allclose(scores[:, 2], [1, 0.5, 0.5, 0, 0])  # answered


def test_references_count_alike(qaeval):
    # The first has two questions, both answered; the second four, two of them answered: (1 + 0.5) / 2.
    both = item("Anna opened the bridge .", "Anna opened the bridge .", REFERENCE)
    np.testing.assert_allclose(qaeval.score([both])[0], [0.75, 0.75, 0.75])
    # One without a question is left out.
    silent = item("Anna opened the bridge .", "opened .", REFERENCE)
    np.testing.assert_allclose(qaeval.score([silent])[0], [0.5, 0.5, 0.5])


def test_no_question_no_score(qaeval):
    texts = Texts(
        {("a", "1"): "Anna opened the bridge .", ("a", "2"): REFERENCE, ("a", "3"): REFERENCE},
        references={"1": ("opened .", ""), "2": (REFERENCE,)},
    )
    scores = score(texts, qaeval)
    np.testing.assert_array_equal(np.isnan(scores.matrix("qaeval_f1"))[0], [True, False, True])
    assert Note.of("no-questions", scorer="qaeval", n=1, outputs=3) in scores.notes


def test_long_texts_are_told(qaeval):
    reference = "Anna opened the bridge and Paul painted " + "the house and " * 12 + "the school ."
    output = "Anna opened the bridge . " * 8 + "Paul painted the house ."
    scores = score(Texts({("a", "1"): output}, references={"1": (reference, REFERENCE)}), qaeval)
    assert np.isfinite(scores.matrix("qaeval_f1")).all()
    assert Note.of("questions-truncated", scorer="qaeval", n=16, window=32) in scores.notes
    assert Note.of("outputs-in-windows", scorer="qaeval", n=1, outputs=1, window=32) in scores.notes


def test_batches_change_nothing(question, span, qaeval):
    items = [item("Anna opened the bridge ."), item("Paul painted the house . Ruth opened the bridge .")]
    np.testing.assert_array_equal(QAEval(question, span, at_once=1).score(items), qaeval.score(items))


@pytest.mark.parametrize("text", ["\ud800 Anna", "\x00\x07", "שלום עולם", "今天天气很好", "A" * 5000])
def test_strange_texts_do_no_harm(qaeval, text):
    assert qaeval.score([item(text), item("Anna opened the bridge .", text)]).shape == (2, 3)


def test_marks_that_the_model_does_not_know(question, span):
    with pytest.raises(UsageError, match="the question model has no token '<hl>'; say with start=… and end=…"):
        QAEval(question, span, start="<hl>", end="<hl>")


def test_both_models_must_be_named(question):
    with pytest.raises(UsageError, match=r"qaeval\[answers=…\] must name a model trained to answer questions"):
        QAEval(question)


def test_the_recipe_is_in_the_signature(qaeval):
    assert qaeval.signature.endswith("|phrases:built-in|marks:<m> </m>|beams:4|v:1")
