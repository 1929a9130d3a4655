"""Apertium itself, where it is installed."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, given, settings

from metassay.core.texts import Texts
from metassay.errors import UsageError
from metassay.texts.changes.translation import spans_of, translate
from metassay.texts.changes.translators import Apertium, translator

from .conftest import HARD

COMMAND = "apt-get install apertium apertium-eng-spa apertium-eng-cat"


def _missing() -> bool:
    try:
        Apertium("en", "es", timeout=60)
        Apertium("en", "ca", timeout=60)
    except UsageError:
        return True
    return False


needs_apertium = pytest.mark.skipif(_missing(), reason=f"needs Apertium; run: {COMMAND}")


@pytest.fixture(scope="module")
def spanish():
    return Apertium("en", "es", timeout=60)


def test_without_apertium_the_command_is_told(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UsageError, match="not installed; run: apt-get install apertium apertium-eng-spa"):
        translator("apertium", "en", "es", timeout=1)


@needs_apertium
def test_unknown_words_are_counted_and_their_marks_removed(spanish):
    made = spanish.translate(["The house is big and xyzzy .", "The house is big ."])
    assert [(one.text, one.unknown) for one in made] == [
        ("La casa es grande y xyzzy .", 1),
        ("La casa es grande .", 0),
    ]


@needs_apertium
def test_marks_and_brackets_of_the_text_are_its_own(spanish):
    odd = ["5 * 3 = 15 #1 @home ~ 2 [3] {4} ^5$ <6> 7\\8 9/10", "*", "**bold**", "a [] b", "x.[]"]
    made = [one.text for one in spanish.translate(odd)]
    for before, after in zip(odd, made, strict=True):
        for mark in "*#@~[]{}^$<>\\/":
            assert after.count(mark) == before.count(mark), (before, after)


@needs_apertium
def test_neighbours_change_nothing(spanish, summeval):
    texts = list(summeval.outputs.values())[:40]
    together = spanish.translate(texts)
    assert spanish.translate(texts[7:9]) == together[7:9]
    assert spanish.translate(texts[::-1]) == together[::-1]
    assert spanish.translate(["no full stop", "second line no stop"]) == [
        *spanish.translate(["no full stop"]),
        *spanish.translate(["second line no stop"]),
    ]


@needs_apertium
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(HARD)
def test_hard_text_comes_through(spanish, text):
    segments = [text[start:end] for start, end in spans_of(text, "line")]
    if segments:
        assert len(spanish.translate(segments)) == len(segments)


@needs_apertium
@pytest.mark.parametrize("to", ["es", "ca"])
def test_summaries_there_and_back(to, summeval, tmp_path):
    few = summeval.select(systems=["M8"], inputs=summeval.inputs[:25])
    result = translate(few, to=to, what="outputs", back=True, cache=tmp_path / "cache.db")
    assert all(0.02 < row.share_unknown < 0.25 for row in result.table)
    assert all(row.n_emptied == 0 for row in result.table)
    same = 0
    for key, text in few.outputs.items():
        there, again = result.texts.outputs[key], result.back.outputs[key]
        assert "*" not in there + again
        assert there != text
        assert there.count(" . ") == text.count(" . ")  # the punctuation of tokenised text stays apart
        same += len(set(text.lower().split()) & set(again.lower().split())) / len(set(text.lower().split()))
    assert same / len(few.outputs) > 0.6  # clumsy, but real
    assert translate(few, to=to, what="outputs", back=True, cache=tmp_path / "cache.db").texts.outputs == (
        result.texts.outputs
    )


@needs_apertium
def test_blank_lines_and_spaces_stay():
    texts = Texts({("a", "1"): "\n  The house .\n\n\n\tThe dog .  \n", ("a", "2"): "", ("a", "3"): "\x00\x07 . 3"})
    assert dict(translate(texts, to="es").texts.outputs) == {
        ("a", "1"): "\n  La casa .\n\n\n\tEl perro .  \n",
        ("a", "2"): "",
        ("a", "3"): "\x00\x07 . 3",
    }


@needs_apertium
def test_directions_that_are_not_installed():
    with pytest.raises(UsageError, match=r"no data for en to ja here .*directions installed: .*eng-spa"):
        Apertium("en", "ja", timeout=60)
