"""SUPERT: likeness to the beginning of the source."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.supert import Supert, matched

SOURCE = "the old bridge fell down . a dog barked . the cats sat on the mat ."


def one(output: str, source: str | None = SOURCE) -> list[Item]:
    return [Item("a", "1", output, (), source)]


def test_each_vector_takes_the_nearest():
    x = np.array([[1, 0], [0, 1]], dtype=np.float32)
    y = np.array([[0.6, 0.8]], dtype=np.float32)
    # of x: 0.6 and 0.8, mean 0.7; of y: 0.8; F = 2 · 0.7 · 0.8 / 1.5
    np.testing.assert_allclose(matched([x[:1], x[1:]], [y]), (0.7, 0.8, 1.12 / 1.5), rtol=1e-6)


def test_the_beginning_itself_is_the_best_output(tiny_encoder):
    scorer = Supert(str(tiny_encoder), top=2)
    best = scorer.score(one("a dog barked . the old bridge fell down ."))
    np.testing.assert_allclose(best, [[1, 1, 1]], atol=1e-6)
    precision, recall, f1 = scorer.score(one("a dog barked ."))[0]
    assert precision == pytest.approx(1, abs=1e-6)
    assert recall < 0.99
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    # what comes behind the first two sentences is not looked at
    shorter = scorer.score(one("the cats ran .", SOURCE.removesuffix("the cats sat on the mat .")))
    np.testing.assert_allclose(scorer.score(one("the cats ran .")), shorter)
    assert scorer.needs == {"source"}


def test_words_of_grammar_are_left_out(tiny_encoder):
    with_them, without = (Supert(str(tiny_encoder), stop_words=stop) for stop in ("none", "english"))
    assert np.isnan(without.score(one("it was on the"))).all()
    assert not np.isnan(with_them.score(one("it was on the"))).any()
    assert with_them.signature != without.signature


def test_nothing_is_no_score(tiny_encoder):
    scorer = Supert(str(tiny_encoder))
    for output, source in (("", SOURCE), ("a dog barked.", ""), ("a dog barked.", None)):
        assert np.isnan(scorer.score(one(output, source))).all()
    with pytest.raises(UsageError, match="top must be a whole number"):
        Supert(str(tiny_encoder), top=0)
