"""ROUGE-1 of some of the words, on the labels of scores."""

from __future__ import annotations

import numpy as np
import pytest

import metassay as ma


@pytest.fixture
def texts():
    outputs = {
        ("a", "1"): "the cat sat on the mat",
        ("b", "1"): "a dog ran",
        ("a", "2"): "rain fell all day",
        ("b", "2"): "it rained all day long",
    }
    return ma.Texts(outputs, {"1": ("the cat sat", "a cat"), "2": ("rain fell all day",)})


def test_nothing_is_lost_when_all_words_are_kept(texts):
    metric = ma.DamagedRouge1(texts, keep="0.5,1", references="best")
    whole = metric.intact(["a", "b"], ["1", "2"])
    assert whole[0, 1] == pytest.approx(1.0)
    assert np.array_equal(metric.damaged(1.0, ["a", "b"], ["1", "2"], 3, 0), np.stack([whole] * 3))
    assert metric.settings == (0.5, 1.0)


def test_scores_stand_where_their_labels_say(texts):
    metric = ma.DamagedRouge1(texts, keep=0.5)
    forth, back = (metric.damaged(0.5, ["a", "b"], inputs, 4, 1) for inputs in (["1", "2"], ["2", "1"]))
    assert np.array_equal(forth, back[:, :, ::-1])
    wide = metric.intact(["a", "z"], ["1", "3"])
    assert np.isnan(wide[1]).all()
    assert np.isnan(wide[:, 1]).all()
    assert wide[0, 0] > 0


def test_only_the_first_reference(texts):
    alone = ma.Texts(texts.outputs, {key: refs[:1] for key, refs in texts.references.items()})
    labels = ["a", "b"], ["1", "2"]
    first = ma.DamagedRouge1(texts, references="first").damaged(0.5, *labels, 5, 0)
    assert np.array_equal(first, ma.DamagedRouge1(alone).damaged(0.5, *labels, 5, 0))
    assert not np.array_equal(first, ma.DamagedRouge1(texts).damaged(0.5, *labels, 5, 0))
    shouted = ma.DamagedRouge1(texts, references="FIRST", measure="F1")
    assert np.array_equal(first, shouted.damaged(0.5, *labels, 5, 0))
    assert shouted.recipe == "rouge-1-f1,first"


def test_misuse(texts):
    with pytest.raises(ma.UsageError, match="keep must lie in"):
        ma.DamagedRouge1(texts, keep=50)
    with pytest.raises(ma.UsageError, match="unknown measure"):
        ma.DamagedRouge1(texts, measure="fscore")
    with pytest.raises(ma.UsageError, match="unknown treatment of references"):
        ma.DamagedRouge1(texts, references="median")
    with pytest.raises(ma.UsageError, match="expected Texts"):
        ma.DamagedRouge1("texts")
    with pytest.raises(ma.DataError, match="no output has a reference"):
        ma.DamagedRouge1(ma.Texts(texts.outputs))
    with pytest.raises(ma.DataError, match="no system and input in common"):
        ma.DamagedRouge1(texts).intact(["x"], ["y"])
