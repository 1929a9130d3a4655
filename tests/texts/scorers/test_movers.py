"""The cost of moving vectors, by hand, by linear programming, and on a model that nobody trained."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from scipy.optimize import linprog

from metassay.core.note import Note
from metassay.core.texts import Item
from metassay.errors import UsageError
from metassay.texts.scorers.movers import Cloud, MoverScore, SentenceMover, cost, ngram_vectors

pytestmark = pytest.mark.skipif(find_spec("ot") is None, reason="run: pip install 'metassay[embeddings]'")

A = "the cats sat on the mat . a dog barked ."
B = "a doggy ran. it was old!"


def items(output: str, *references: str) -> list[Item]:
    return [Item("a", "1", output, references, None)]


def least_cost(ours, theirs, between) -> float:
    """The transport problem, written out: flows from each to each, whose sums are the weights."""
    m, n = between.shape
    sums = np.vstack([np.kron(np.eye(m), np.ones(n)), np.kron(np.ones(m), np.eye(n))])
    return linprog(between.ravel(), A_eq=sums, b_eq=np.concatenate([ours, theirs]), method="highs").fun


def test_cost_is_that_of_the_transport_problem():
    random = np.random.default_rng(1)
    for m, n in ((1, 1), (1, 4), (5, 3), (8, 8)):
        x, y = random.normal(size=(m, 6)), random.normal(size=(n, 6))
        a, b = random.dirichlet(np.ones(m)), random.dirichlet(np.ones(n))
        between = np.linalg.norm(x[:, None] - y, axis=-1)
        assert cost(Cloud(x, a), Cloud(y, b)) == pytest.approx(least_cost(a, b, between), abs=1e-9)
        squared = cost(Cloud(x, a), Cloud(y, b), squared=True)
        assert squared == pytest.approx(least_cost(a, b, between**2), abs=1e-9)
        assert cost(Cloud(y, b), Cloud(x, a)) == pytest.approx(cost(Cloud(x, a), Cloud(y, b)))
        assert cost(Cloud(x, a), Cloud(x, a)) == 0


def test_clouds_without_weight_are_none():
    points = np.eye(3)
    assert Cloud.of(points, np.zeros(3)) is None
    kept = Cloud.of(points, np.array([1.0, 0, 3]))
    assert kept is not None
    assert kept.weights.tolist() == [0.25, 0.75]
    assert np.isnan(cost(None, kept))


def test_ngrams_are_means_by_weight():
    vectors, weights = ngram_vectors(np.array([[0.0], [4.0], [8.0]]), np.array([1.0, 3.0, 1.0]), 2)
    # (0·1 + 4·3) / 4 and (4·3 + 8·1) / 4
    assert vectors.ravel().tolist() == [3, 5]
    assert weights.tolist() == [4, 4]
    vectors, weights = ngram_vectors(np.array([[0.0], [4.0]]), np.array([1.0, 1.0]), 5)
    assert (vectors.tolist(), weights.tolist()) == ([[2]], [2])


def test_moverscore_step_by_step(tiny_encoder):
    scorer = MoverScore(str(tiny_encoder), idf=False)
    # last five of four layers with the embeddings: 0 to 3; words are cat(s) and sat, then dog(gy); marks are no words
    layers = [0, 1, 2, 3]
    found = scorer.encoder.encode(["cats sat.", "doggy, ran"], layers)

    def points(text, places):
        vectors = found[text].vectors[:, places].astype(float)
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        joined = np.concatenate([vectors.min(0), vectors.mean(0), vectors.max(0)], axis=-1)
        return joined / np.linalg.norm(joined, axis=-1, keepdims=True)

    x, y = points("cats sat.", [0, 2]), points("doggy, ran", [0, 3])
    between = np.linalg.norm(x[:, None] - y, axis=-1)
    # two words each of weight 1/2: either both stay in order or they cross
    expected = 1 - min(between[0, 0] + between[1, 1], between[0, 1] + between[1, 0]) / 2
    assert scorer.score(items("cats sat.", "doggy, ran")).item() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "options",
    [{}, {"idf": False}, {"layers": "last", "distance": "squared"}, {"n": 2, "subwords": "all", "punctuation": True},
     {"stop_words": "english", "layers": 2}],
)  # fmt: skip
def test_a_text_is_at_no_distance_from_itself(tiny_encoder, options):
    scorer = MoverScore(str(tiny_encoder), **options)
    both = [*items(A, A), *items(B, B), *items(A, B), *items(B, A)]
    scores = scorer.score(both).ravel()
    np.testing.assert_allclose(scores[:2], 1, atol=1e-6)
    assert scores[2] < 0.99
    # outputs and references are the same texts here, so that both sides weigh words alike
    assert scores[2] == pytest.approx(scores[3], abs=1e-6)


def test_several_references(tiny_encoder):
    one, other, both, mean = (
        MoverScore(str(tiny_encoder), idf=False, references=how).score(items(A, *texts)).item()
        for how, texts in (("max", (B,)), ("max", ("dog",)), ("max", ("dog", B)), ("mean", ("dog", B, "")))
    )
    assert both == pytest.approx(max(one, other))
    assert mean == pytest.approx((one + other) / 2)


def test_idf_is_of_the_whole_collection(tiny_encoder):
    every = [Item("a", str(k), text, (B, A), None) for k, text in enumerate((A, B, "cat", "the old bridge fell"))]
    plain = MoverScore(str(tiny_encoder))
    fitted = plain.fitted(every)
    assert fitted.signature != plain.signature
    assert fitted.signature != plain.fitted(every[:2]).signature
    # a part of the collection is scored as within it
    np.testing.assert_allclose(fitted.score(every)[1:3], fitted.score(every[1:3]), atol=1e-6)
    np.testing.assert_allclose(plain.score(every), fitted.score(every))
    assert fitted.notes(every)[0] == Note.of("idf-of-few-texts", scorer="moverscore", least=20)
    assert MoverScore(str(tiny_encoder), idf=False).notes(every) == ()


def test_nothing_to_move_is_no_score(tiny_encoder):
    for scorer in (MoverScore(str(tiny_encoder), idf=False), SentenceMover(str(tiny_encoder))):
        for output, references in (("", (A,)), (".,!", (A,)), (A, ("",)), (A, ())):
            assert np.isnan(scorer.score(items(output, *references))).all()


def test_sentence_mover_of_single_sentences(tiny_encoder):
    scorer = SentenceMover(str(tiny_encoder), stop_words="none", normalize=False)
    found = scorer.encoder.encode(["cats sat", "dog"], [3])
    # cats is the mean of its two tokens, the sentence the mean of its two words
    cats, sat = found["cats sat"].vectors[0, :2].mean(0), found["cats sat"].vectors[0, 2]
    distance = np.linalg.norm((cats + sat) / 2 - found["dog"].vectors[0, 0])
    assert scorer.score(items("cats sat", "dog")).item() == pytest.approx(np.exp(-distance), rel=1e-5)


@pytest.mark.parametrize(("units", "column"), [("sentences", "sms"), ("words", "wms"), ("both", "s+wms")])
def test_the_order_of_sentences_does_not_matter(tiny_encoder, units, column):
    scorer = SentenceMover(str(tiny_encoder), units=units)
    assert scorer.columns == (column,)
    turned = "a dog barked . the cats sat on the mat ."
    same, there, back, turned_there = scorer.score(
        [*items(A, turned), *items(A, B), *items(B, A), *items(turned, B)]
    ).ravel()  # fmt: skip
    assert same == pytest.approx(1, abs=1e-6)
    assert there < 0.99
    assert there == pytest.approx(back)
    assert there == pytest.approx(turned_there, abs=1e-6)


def test_enormous_texts_are_left_out_and_told(tiny_encoder):
    scorer = SentenceMover(str(tiny_encoder))
    long = items("a cat sat . " * 5_000, "a dog ran .")
    assert np.isnan(scorer.score(long)).all()
    assert scorer.notes(long) == (Note.of("texts-excluded", scorer="sentence-mover", n=1, characters=50_000),)
    assert scorer.notes(items("a cat sat .", "a dog ran .")) == ()
    # MoverScore reads the beginning, and says so
    assert not np.isnan(MoverScore(str(tiny_encoder), idf=False).score(long)).any()
    assert MoverScore(str(tiny_encoder), idf=False).notes(long)[0]["window"] == 32


def test_options_are_checked(tiny_encoder):
    for wrong in ({"idf": "yes"}, {"n": 0}, {"distance": "cosine"}, {"layers": 9}, {"references": "first"}):
        with pytest.raises(UsageError):
            MoverScore(str(tiny_encoder), **wrong)
    with pytest.raises(UsageError, match="unknown unit 'word'"):
        SentenceMover(str(tiny_encoder), units="word")
