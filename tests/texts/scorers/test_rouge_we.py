"""ROUGE-WE by hand, and as plain ROUGE where no two words are alike."""

from __future__ import annotations

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.rouge import Rouge
from metassay.texts.scorers.rouge_we import RougeWE, word_vectors

# cosines: cat and feline 0.96, dog and hound 0.8, cat and dog 0
VECTORS = "cat 1 0 0\nfeline 0.96 0 0.28\ndog 0 1 0\nhound 0 1.6 1.2\nsat 0 0 1\nran 0.6 0 0.8\n"


@pytest.fixture(autouse=True)
def vectors(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    word_vectors.cache_clear()
    path = tmp_path / "vectors.txt"
    path.write_text(VECTORS)
    return str(path)


def one(output: str, *references: str) -> list[Item]:
    return [Item("a", "1", output, references, None)]


def test_words_of_like_meaning_match(vectors):
    # cat takes feline (0.96); hound reaches dog (0.8, in single precision 0.8 or a little more) at threshold 0.79 only
    for threshold, found in ((0.99, 0), (0.9, 1), (0.79, 2)):
        got = RougeWE(vectors, n=1, threshold=threshold).score(one("Cat hound", "a feline dog"))
        np.testing.assert_allclose(got, [[found / 2, found / 3, 2 * found / 5]])
    weighed = RougeWE(vectors, n=1, threshold=0.79, match="similarity").score(one("cat hound", "a feline dog"))
    np.testing.assert_allclose(weighed, [[1.76 / 2, 1.76 / 3, 2 * 1.76 / 5]], rtol=1e-6)


def test_the_same_word_first_and_each_as_often_as_it_is_there(vectors):
    # feline takes feline, then cat (twice) finds nothing but sat
    got = RougeWE(vectors, n=1).score(one("feline cat cat", "feline sat"))
    np.testing.assert_allclose(got, [[1 / 3, 1 / 2, 2 / 5]])
    # cat, twice, takes cat and is then used up: feline of the reference is left to nobody
    got = RougeWE(vectors, n=1).score(one("cat cat", "cat feline"))
    np.testing.assert_allclose(got, [[1 / 2, 1 / 2, 1 / 2]])
    # a word without a vector matches itself only, whatever the threshold
    got = RougeWE(vectors, n=1, threshold=0).score(one("zebra xenon", "zebra yak"))
    np.testing.assert_allclose(got, [[1 / 2, 1 / 2, 1 / 2]])


def test_ngrams_have_the_sum_or_the_product_of_vectors(vectors):
    # sums: cat + dog = (1, 1, 0), feline + dog = (0.96, 1, 0.28): cosine 1.96 / (√2 · 1.4142…) = 0.98
    summed = RougeWE(vectors, n=2, threshold=0.97, match="similarity").score(one("cat dog", "feline dog"))
    length = np.sqrt(0.96**2 + 1 + 0.28**2)
    np.testing.assert_allclose(summed, np.full((1, 3), 1.96 / (np.sqrt(2) * length)), rtol=1e-6)
    # products: ran · feline = (0.576, 0, 0.224), ran · sat = (0, 0, 0.8): cosine 0.224 / √(0.576² + 0.224²)
    product = RougeWE(vectors, n=2, threshold=0.1, compose="product", match="similarity")
    expected = 0.224 / np.hypot(0.576, 0.224)
    np.testing.assert_allclose(product.score(one("ran feline", "ran sat")), np.full((1, 3), expected), rtol=1e-6)


def test_several_references(vectors):
    texts = ("cat sat", "dog dog dog dog")
    best = RougeWE(vectors, n=1).score(one("cat dog", *texts))
    # first: 1 of 2 and 1 of 2; second: 1 of 2 and 1 of 4
    np.testing.assert_allclose(best, [[1 / 2, 1 / 2, 1 / 2]])
    pooled = RougeWE(vectors, n=1, references="pooled").score(one("cat dog", *texts))
    np.testing.assert_allclose(pooled, [[2 / 4, 2 / 6, 4 / 10]])


def test_blocks_change_nothing(vectors, monkeypatch):
    words = np.array(["cat", "feline", "dog", "hound", "sat", "ran", "zebra"])
    random = np.random.default_rng(5)
    items = [one(*(" ".join(random.choice(words, size)) for size in (30, 20)))[0] for _ in range(10)]
    whole = RougeWE(vectors, threshold=0.7, match="similarity").score(items)
    monkeypatch.setattr("metassay.texts.scorers.rouge_we.CELLS", 1)
    np.testing.assert_allclose(RougeWE(vectors, threshold=0.7, match="similarity").score(items), whole)


def test_without_likeness_it_is_rouge(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("unrelated 1 0\n")
    random = np.random.default_rng(2)
    words = np.array(["bridge", "river", "road", "council", "mayor", "vote"])
    items = [
        Item("a", str(k), " ".join(random.choice(words, 12)), (" ".join(random.choice(words, 9)),), None)
        for k in range(30)
    ]
    expected = Rouge("1+2+3", measures="precision+recall+f1", stem="none").score(items)
    np.testing.assert_allclose(RougeWE(str(path), tokens="rouge").score(items), expected, atol=1e-12)


def test_nothing_is_no_score(vectors):
    scorer = RougeWE(vectors, n="1+2")
    assert scorer.columns[3:] == ("rouge-we-2_precision", "rouge-we-2_recall", "rouge-we-2_f1")
    got = scorer.score([*one("", "cat"), *one("cat", ""), *one("今天天气很好", "今天天气不好"), *one("cat", "cat sat")])
    assert np.isnan(got[:3]).all()
    assert np.isnan(got[3]).tolist() == [False] * 3 + [True] * 3


def test_options_are_checked(vectors, tmp_path):
    with pytest.raises(UsageError, match="rouge-we needs a file of word vectors"):
        RougeWE()
    with pytest.raises(UsageError, match="no such file"):
        RougeWE(str(tmp_path / "none"))
    for wrong in ({"threshold": 80}, {"threshold": "high"}, {"compose": "mean"}, {"match": "soft"}, {"n": 0}):
        with pytest.raises(UsageError):
            RougeWE(vectors, **wrong)
