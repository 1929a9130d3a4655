from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from metassay.texts.segments import is_spaceless, sentence_texts, sentences, words

from .changes.conftest import HARD


def split(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("No stop", ["No stop"]),
        ("He came . she went .", ["He came .", "she went ."]),
        ("He came . ' She went . ''", ["He came . '", "She went . ''"]),
        ('" He came . " She said : " No . "', ['" He came . "', 'She said : " No . "']),
        ("He came ! ! She went", ["He came ! !", "She went"]),
        ("The U.S. team won . Mr. Lee lost .", ["The U.S. team won .", "Mr. Lee lost ."]),
        ("The team won. Mr. Lee lost. It was 3.5 km.", ["The team won.", "Mr. Lee lost.", "It was 3.5 km."]),
        ("He asked J. K. Rowling. She said no.", ["He asked J. K. Rowling.", "She said no."]),
        ("hello there. how are you? fine.", ["hello there.", "how are you?", "fine."]),
        ("He left at 5 p.m. on Monday. (Really.) Yes.", ["He left at 5 p.m. on Monday.", "(Really.)", "Yes."]),
        ("one line\nanother line\n", ["one line", "another line"]),
        ("我们明天见。他说：「好！」然后走了。", ["我们明天见。", "他说：「好！」", "然后走了。"]),
        ("यह है। वह था।", ["यह है।", "वह था।"]),
        (". . .", [". . ."]),
    ],
)
def test_sentences(text, expected):
    assert split(text) == expected


@given(HARD)
def test_sentences_hold_everything_but_white_space(text):
    spans = sentences(text)
    assert spans == sorted(spans)
    assert all(start < end for start, end in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert "".join("".join(split(text)).split()) == "".join(text.split())
    assert all(piece == piece.strip() for piece in split(text))


@given(HARD)
def test_words_are_what_stands_between_spaces(text):
    assert [text[start:end] for start, end in words(text)] == [t for t in text.split() if any(map(str.isalnum, t))]


@pytest.mark.parametrize("text", ["." * 1_000_000 + "x", "a. " * 100_000, "'" * 1_000_000, "x" * 1_000_000])
def test_a_megabyte_is_split_in_linear_time(text):
    assert sentences(text)[-1].end == len(text.rstrip())


def test_scripts_without_spaces():
    assert is_spaceless("ฉันไปโรงเรียน")
    assert is_spaceless("東京に行きました。OK")
    assert not is_spaceless("plain text 42")
    assert not is_spaceless("안녕하세요 여러분")  # Korean has spaces
    assert not is_spaceless("1234 .")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\t ", []),
        ("one", ["one"]),
        ("It rained . we left .", ["It rained .", "we left ."]),
        ("Mr. J. Smith of the U.S. Navy left. He ran!", ["Mr. J. Smith of the U.S. Navy left.", "He ran!"]),
        ("She paid 3.5 m. and left", ["She paid 3.5 m. and left"]),
        ('"Stop!" He ran.', ['"Stop!"', "He ran."]),
        ("今天好。明天呢？", ["今天好。", "明天呢？"]),
    ],
)
def test_sentences_as_texts(text, found):
    assert sentence_texts(text) == found
