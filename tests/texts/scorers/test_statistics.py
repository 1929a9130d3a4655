import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metassay.core.texts import Item
from metassay.texts.scorers.statistics import Fragments, Length, NovelNgrams, RepeatedNgrams, runs_of, substrings_of


def item(output, source=None):
    return Item("a", "1", output, (), source)


def test_novel_ngrams_by_hand():
    # words the, cat, ran, off: ran and off are new; the-cat, cat-ran, ran-off, off-the: the last three are new
    got = NovelNgrams().score([item("The cat ran off the", "the cat sat")])[0]
    np.testing.assert_allclose(got, [2 / 4, 3 / 4, 1, 1])


def test_repeated_ngrams_by_hand():
    # a b a b c: a and b of three words; a-b of a-b, b-a, b-c; none of three trigrams
    got = RepeatedNgrams("1+2+3").score([item("a b a b c")])[0]
    np.testing.assert_allclose(got, [2 / 3, 1 / 3, 0])


def test_fragments_by_hand():
    # Runs: "police said", "the man", "left" of 7 words, "who" and "then" are not in the source.
    source = "The police said on Monday that the man was seen before he left."
    got = Fragments().score([item("Police said who the man then left", source)])[0]
    np.testing.assert_allclose(got, [5 / 7, (4 + 4 + 1) / 7, 13 / 7])


def literal_runs(words, source):
    runs, at = [], 0
    while at < len(words):
        longest = 0
        for start in range(len(source)):
            size = 0
            while at + size < len(words) and start + size < len(source) and words[at + size] == source[start + size]:
                size += 1
            longest = max(longest, size)
        if longest:
            runs.append(longest)
        at += max(1, longest)
    return runs


@given(words=st.lists(st.integers(0, 4), max_size=25), source=st.lists(st.integers(0, 3), max_size=25))
def test_the_automaton_finds_the_longest_runs(words, source):
    assert runs_of(words, substrings_of(source)) == literal_runs(words, source)


def test_lengths():
    got = Length().score([item("It rained. We stayed in."), item(""), item("今天天气很好。我们去公园。")])
    np.testing.assert_array_equal(got, [[5, 2, 24], [0, 0, 0], [np.nan, 2, 13]])


@pytest.mark.parametrize("scorer", [NovelNgrams(), RepeatedNgrams(), Fragments()], ids=lambda s: s.signature)
def test_nothing_to_say(scorer):
    scores = scorer.score([item("", "a b"), item("今天天气很好我们去", "今天天气很好"), item("\x00", "a")])
    assert np.isnan(scores).all()
    if "source" in scorer.needs:
        assert np.isnan(scorer.score([item("a b c")])).all()
    assert scorer.score([]).shape == (0, len(scorer.columns))
    assert "v:1" in scorer.signature


def test_a_megabyte_of_source_and_output():
    long = "the quick brown fox jumps over a lazy dog . " * 23_000
    np.testing.assert_allclose(Fragments().score([item(long, long)])[0], [1, 207_000, 1])
    assert NovelNgrams().score([item(long, long)])[0].tolist() == [0, 0, 0, 0]
