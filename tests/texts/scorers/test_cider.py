import math

import numpy as np
import pytest

from metassay.core.note import Note
from metassay.core.texts import Item, Texts
from metassay.errors import UsageError
from metassay.texts.scorers.cider import Cider
from metassay.texts.scorers.scoring import score


def item(key, output, *references):
    return Item("a", key, output, references, None)


def test_by_hand():
    # Two inputs. "the" is in both references and weighs log(2/2) = 0; every other word weighs log 2.
    # Output 1, "a dog runs": a (in no reference, as if in one), dog, runs; reference: dog, runs. Cosine 2 / √(3 · 2).
    items = [item("1", "a dog runs", "the dog runs"), item("2", "the the", "the cat sleeps")]
    scores = Cider(n=1, variant="plain").score(items)[:, 0]
    np.testing.assert_allclose(scores, [10 * 2 / math.sqrt(6), 0])


def test_clipping_and_length():
    # dog weighs log 2 and occurs 3 times: the plain cosine is 1, clipped 1 · 1 / (3 · 1) = 1/3. Lengths in bigrams
    # are 2 and 0: exp(-4 / (2 · 2²)).
    items = [item("1", "dog dog dog", "dog"), item("2", "cat", "cat")]
    assert Cider(n=1, variant="plain").score(items)[0, 0] == pytest.approx(10)
    assert Cider(n=1, sigma=2).score(items)[0, 0] == pytest.approx(10 / 3 * math.exp(-0.5))


@pytest.mark.parametrize("references", [1, 3])
def test_equals_coco(references):
    coco = pytest.importorskip("pycocoevalcap.cider.cider_scorer", reason="pip install 'metassay[meteor]'")
    random = np.random.default_rng(references)

    def text():
        return " ".join(random.choice(list("abcdefgh"), random.integers(3, 15)))

    items = [item(str(k), text(), *(text() for _ in range(references))) for k in range(30)]
    theirs = coco.CiderScorer()
    for one in items:
        theirs += (one.output, list(one.references))
    np.testing.assert_allclose(Cider().score(items)[:, 0], theirs.compute_score()[1], atol=1e-12)


def test_weights_come_from_the_whole_collection_and_are_in_the_recipe():
    texts = Texts(
        {(system, key): f"{system} dog {key}" for system in ("x", "y") for key in ("1", "2", "3")},
        references={key: (f"x dog {key}",) for key in ("1", "2", "3")},
    )
    whole, small = score(texts, Cider(), batch=1), score(texts, Cider(), batch=100)
    np.testing.assert_array_equal(whole.matrix("cider"), small.matrix("cider"))
    part = score(texts.select(inputs=["1", "2"]), Cider())
    assert "inputs:3" in whole.sources[-1].format
    assert "inputs:2" in part.sources[-1].format
    assert whole.sources[-1].format.split("collection:")[1] != part.sources[-1].format.split("collection:")[1]


def test_what_has_no_score():
    fitted = Cider().fitted([item("1", "", "a b"), item("2", "", "c d"), item("3", "")])
    got = fitted.score([item("1", "", "a b"), item("3", "a"), item("3", "a", "..."), item("1", "今天天气", "今天天气")])
    np.testing.assert_array_equal(got[:, 0], [0, np.nan, np.nan, np.nan])
    alone = Cider().fitted([item("1", "a", "a b")])
    assert np.isnan(alone.score([item("1", "a", "a b")])).all()
    assert alone.notes([item("1", "a", "a b")]) == (Note.of("idf-of-one-input", scorer="cider"),)


@pytest.mark.parametrize("options", [{"variant": "e"}, {"n": 0}, {"sigma": 0}, {"sigma": "x"}, {"tokens": "x"}])
def test_wrong_options(options):
    with pytest.raises(UsageError):
        Cider(**options)
