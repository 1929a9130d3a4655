import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.divergence import JensenShannon


def item(output, source=None, *references):
    return Item("a", "1", output, references, source)


def counts(words, n, vocabulary):
    grams = list(zip(*(words[k:] for k in range(n)), strict=False))
    return np.array([grams.count(gram) for gram in vocabulary], dtype=float)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_unsmoothed_equals_scipy(n):
    random = np.random.default_rng(n)
    for _ in range(20):
        ours, theirs = (random.choice(list("abcdefg"), size).tolist() for size in (12, 30))
        grams = sorted(
            {*zip(*(ours[k:] for k in range(n)), strict=False), *zip(*(theirs[k:] for k in range(n)), strict=False)}
        )
        p, q = (counts(words, n, grams) for words in (ours, theirs))
        got = JensenShannon(n, smoothing="none").score([item(" ".join(ours), " ".join(theirs))])[0, 0]
        assert got == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-12)


def test_smoothed_by_hand():
    # output a b, source a a c: two different words in the source, so B = 3; delta 0.5
    # output: (1.5, 1.5, 0.5) / (2 + 1.5); source: (2.5, 0.5, 1.5) / (3 + 1.5), over a, b, c
    p, q = np.array([1.5, 1.5, 0.5]) / 3.5, np.array([2.5, 0.5, 1.5]) / 4.5
    m = (p + q) / 2
    expected = (p * np.log2(p / m)).sum() / 2 + (q * np.log2(q / m)).sum() / 2
    assert JensenShannon(1, delta=0.5).score([item("a b", "a a c")])[0, 0] == pytest.approx(expected)


def test_smoothing_is_slight():
    pair = item("the cat sat on the mat", "a dog lay on the mat and the cat sat by")
    smooth, plain = (JensenShannon(smoothing=s).score([pair])[0] for s in ("lidstone", "none"))
    np.testing.assert_allclose(smooth, plain, atol=0.02)


def test_references_are_counted_together_and_do_not_touch():
    # bigrams a-b and c-d; b-c stands in no reference
    scores = JensenShannon("1+2", against="references", smoothing="none").score([item("a b c d", None, "a b", "c d")])
    # unigrams are the same; of bigrams (1/3, 1/3, 1/3) and (1/2, 0, 1/2)
    expected = jensenshannon([1 / 3, 1 / 3, 1 / 3], [1 / 2, 0, 1 / 2], base=2) ** 2
    np.testing.assert_allclose(scores, [[0, expected]], atol=1e-12)


def test_nothing_to_compare():
    scorer = JensenShannon("1+2")
    assert np.isnan(scorer.score([item("", "a b"), item("a b", ""), item("今天天气很好", "今天天气很好")])).all()
    one_word = scorer.score([item("a", "a b")])[0]
    assert np.isnan(one_word).tolist() == [False, True]


def test_small_is_good_and_told():
    scorer = JensenShannon(2, against="references")
    assert scorer.columns == ("js-2_references",)
    assert scorer.lower_is_better == {"js-2_references"}
    assert scorer.needs == {"references"}
    assert scorer.signature == (
        "js|n:2|against:references|smoothing:lidstone,0.0005|log:2|tokens:rouge|stem:porter|v:1"
    )


@pytest.mark.parametrize(
    "options", [{"delta": 0}, {"delta": "x"}, {"against": "output"}, {"smoothing": "laplace"}, {"n": 0}]
)
def test_wrong_options(options):
    with pytest.raises(UsageError):
        JensenShannon(**options)
