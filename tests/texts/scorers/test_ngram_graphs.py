from collections import Counter

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.ngram_graphs import NgramGraphs


def item(output, *references):
    return Item("a", "1", output, references, None)


def literal_graph(text, n=3, window=3):
    grams = [text[k : k + n] for k in range(len(text) - n + 1)]
    edges = Counter()
    for distance in range(1, window + 1):
        for one, other in zip(grams, grams[distance:], strict=False):
            edges[one, other] += 1
            edges[other, one] += 1
    return edges


def literal_similarity(one, other):
    shared = sum(min(one[e], other[e]) / max(one[e], other[e]) for e in one if e in other)
    return shared / max(len(one), len(other))


@pytest.mark.parametrize(("n", "window"), [(3, 3), (2, 1), (1, 4)])
def test_value_similarity_is_the_literal_one(n, window):
    random = np.random.default_rng(0)
    for _ in range(20):
        ours, theirs = ("".join(random.choice(list("aab "), size)) for size in (40, 25))
        got = NgramGraphs(n=n, window=window).score([item(ours, theirs)])[0, 0]
        expected = literal_similarity(literal_graph(ours, n, window), literal_graph(theirs, n, window))
        assert got == pytest.approx(expected)


def test_by_hand():
    # abcd: abc-bcd, both ways; abcde: abc-bcd, abc-cde, bcd-cde, both ways: 2 of 6 edges
    autosummeng, memog, npower = NgramGraphs().score([item("abcd", "abcde")])[0]
    assert autosummeng == memog == pytest.approx(2 / 6)
    assert npower == pytest.approx((5.2905 / 3 + 3.0053 / 3 + 0.5866) / 10)


def test_merging_averages_common_edges():
    # aaaa: one n-gram, one edge to itself, three pairs in n = 1 and window 1; aab: a-a once, a-b once
    scorer = NgramGraphs(n=1, window=1)
    # merged: a-a weighs (3 + 1) / 2 = 2, a-b 1: 3 edges. Output aaa: a-a twice, the same weight: 1 of 3
    autosummeng, memog, _ = scorer.score([item("aaa", "aaaa", "aab")])[0]
    # with aaaa: 2/3 of 1 edge; with aab: 1/2 of 3 edges
    assert autosummeng == pytest.approx((2 / 3 + 1 / 6) / 2)
    assert memog == pytest.approx(1 / 3)


def test_any_script_and_empty_texts():
    scorer = NgramGraphs()
    assert scorer.score([item("今天天气很好", "今天天气很好")])[0, 0] == 1
    assert scorer.score([item("", "a text"), item("abc", "a text")])[:, :2].tolist() == [[0, 0], [0, 0]]
    assert np.isnan(scorer.score([item("a text", ""), item("a text", "abc"), item("a text")])).all()
    # a reference that says nothing is left out
    assert scorer.score([item("a text", "", "a text")])[0, :2].tolist() == [1, 1]
    assert scorer.score([]).shape == (0, 3)


def test_a_megabyte_in_one_cell():
    assert NgramGraphs().score([item("the quick brown fox " * 52_000, "the quick brown fox ran")])[0, 0] < 0.1


def test_recipe_and_wrong_options():
    assert NgramGraphs().signature == "ngram-graphs|n:3|window:3|similarity:value|v:1"
    with pytest.raises(UsageError, match="window"):
        NgramGraphs(window=0)
