"""Scores of whole systems and paired tests against sacrebleu, and METEOR's own program."""

from __future__ import annotations

import importlib.util
import shutil

import numpy as np
import pytest

import metassay as ma
from metassay.stats import corpus_scores

pytest.importorskip("sacrebleu", reason="pip install 'metassay[lexical]'")
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

# The example of sacrebleu's README: three sentences with two references.
REFERENCES = (
    ("The dog bit the man.", "It was not unexpected.", "The man bit him first."),
    ("The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."),
)
OUTPUT = ("The dog bit the man.", "It wasn't surprising.", "The man had just bitten him.")
PEERS = {"bleu": BLEU(force=True), "chrf": CHRF(), "chrf++": CHRF(word_order=2), "ter": TER()}


def texts_of(systems, references):
    outputs = {(name, str(at)): line for name, lines in systems.items() for at, line in enumerate(lines, 1)}
    return ma.Texts(outputs, {str(at): group for at, group in enumerate(zip(*references, strict=True), 1)})


def test_the_example_of_the_readme():
    found = ma.score_corpus(texts_of({"a": OUTPUT}, REFERENCES), "bleu,chrf,chrf++,ter")
    scores = {name: round(float(column.scores[0]), 2) for name, column in found.columns.items()}
    # sacrebleu 2.6.0: BLEU().corpus_score(OUTPUT, REFERENCES) and so on
    assert scores == {"bleu": 48.53, "chrf": 59.73, "chrf++": 59.15, "ter": 40.0}
    assert found.columns["bleu"].signature.startswith("BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert found.columns["chrf"].signature.startswith("chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")
    # the mean of its sentences is another number
    mean = ma.score(texts_of({"a": OUTPUT}, REFERENCES), "bleu", processes=1).matrix("bleu").mean()
    assert round(float(mean), 2) == 47.96


def random_systems(n=60, seed=0):
    """Three systems that change words of one of two references, one of them hardly ever."""
    random = np.random.default_rng(seed)
    words = np.array(
        [
            "the",
            "a",
            "cat",
            "dog",
            "sat",
            "ran",
            "on",
            "under",
            "mat",
            "house",
            "big",
            "small",
            "red",
            "and",
            "then",
            "it",
            "was",
            "not",
        ]
    )
    references = [[" ".join(random.choice(words, random.integers(4, 12))) for _ in range(n)] for _ in range(2)]
    systems = {}
    for name, share in (("good", 0.1), ("fair", 0.35), ("fair2", 0.32)):
        lines = []
        for line in references[0]:
            kept = [w if random.random() > share else str(random.choice(words)) for w in line.split()]
            lines.append(" ".join(kept))
        systems[name] = lines
    return systems, references


@pytest.mark.parametrize("how_many", [1, 2])
@pytest.mark.parametrize(
    ("test", "kind", "resamples"), [("paired-bootstrap", "bs", 300), ("approximate-randomization", "ar", 500)]
)
def test_paired_tests_have_the_p_values_of_sacrebleu(how_many, test, kind, resamples, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    systems, references = random_systems()
    references = references[:how_many]
    found = ma.score_corpus(texts_of(systems, references), "bleu,chrf,chrf++,ter")
    result = ma.systems(found, test=test, resamples=resamples, seed=12345)
    ours = {(row.metric, frozenset((row.system_a, row.system_b))): row for row in result.table}
    assert len(ours) == 4 * 3
    names = list(systems)
    seen = []
    for baseline in names[:2]:
        order = [baseline, *(name for name in names if name != baseline)]
        for name, peer in PEERS.items():
            _, theirs = PairedTest(
                [(s, systems[s]) for s in order], {name: peer}, references, test_type=kind, n_samples=resamples
            )()
            (scored,) = (value for key, value in theirs.items() if key != "System")
            for system, one in zip(order, scored, strict=True):
                at = found.systems.index(system)
                assert found.columns[name].scores[at] == pytest.approx(one.score, abs=1e-9)
                if system != baseline:
                    row = ours[name, frozenset((baseline, system))]
                    assert row.p_value == pytest.approx(one.p_value, abs=1e-12)
                    assert row.resamples == resamples
                    seen.append(one.p_value)
    assert min(seen) < 0.05 < max(seen)


# sacrebleu 2.6.0, SACREBLEU_SEED=12345, of random_systems(): PairedTest([("fair", …), ("fair2", …)], {"BLEU": BLEU()},
# references[:1], test_type="bs" or "ar", n_samples=300)()
def test_a_p_value_that_sacrebleu_gave():
    systems, references = random_systems()
    found = ma.score_corpus(texts_of({s: systems[s] for s in ("fair", "fair2")}, references[:1]), "bleu")
    tested = {
        test: ma.systems(found, test=test, resamples=300, seed=12345).table[0].p_value
        for test in ("paired-bootstrap", "approximate-randomization")
    }
    assert tested == pytest.approx({"paired-bootstrap": 0.146179401993, "approximate-randomization": 0.448504983389})


@pytest.mark.parametrize(("smooth", "value"), [("exp", 0.0), ("floor", 0.1), ("add-k", 1.0), ("none", 0.0)])
def test_every_smoothing_and_every_lack_of_matches(smooth, value):
    peer = BLEU(smooth_method=smooth, force=True)
    rows = [
        [6, 6, 5, 3, 1, 0, 6, 5, 4, 3],
        [6, 9, 5, 0, 0, 0, 6, 5, 4, 3],
        [2, 6, 2, 1, 0, 0, 2, 1, 0, 0],
        [6, 6, 0, 0, 0, 0, 6, 5, 4, 3],
        [0, 6, 0, 0, 0, 0, 0, 0, 0, 0],
        [6, 6, 6, 5, 4, 3, 6, 5, 4, 3],
    ]
    theirs = [peer._compute_score_from_stats(list(row)).score for row in rows]
    ours = corpus_scores.bleu(np.array(rows, dtype=float), smooth, value)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_edges_of_chrf_and_ter():
    rows = [[0, 6, 0] * 6, [5, 6, 2] * 3 + [0, 1, 0] * 3, [0, 0, 0] * 6]
    theirs = [CHRF()._compute_score_from_stats(list(row)).score for row in rows]
    np.testing.assert_allclose(corpus_scores.chrf(np.array(rows, dtype=float)), theirs, atol=1e-9)
    rows = [[3, 4], [2, 0], [0, 0]]
    theirs = [TER()._compute_score_from_stats(list(row)).score for row in rows]
    np.testing.assert_allclose(corpus_scores.ter(np.array(rows, dtype=float)), theirs)


def test_meteor_from_counts():
    # What METEOR 1.5 prints for "the cats sat on a mat today" and "she was at home in the evening" against "the cat sat
    # on the mat" and "he was not at home yesterday evening" (-l en -norm -stdio), and its scores of each and of both.
    one = "7 6 3 3 2 2 2 2 1 1 0 0 0 0 0 0 0 0 0 0 2 5 5"
    other = "7 7 5 4 2 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 3 4 4"
    counts = np.array([[float(n) for n in row.split()] for row in (one, other)])
    np.testing.assert_allclose(corpus_scores.meteor(counts), [0.39394274220698694, 0.27310078313263547])
    np.testing.assert_allclose(corpus_scores.meteor(counts.sum(axis=0)), 0.33019975165439786)


@pytest.mark.skipif(
    shutil.which("java") is None or importlib.util.find_spec("pycocoevalcap") is None,
    reason="needs Java and METEOR's program; run: apt install default-jre-headless; pip install 'metassay[meteor]'",
)
def test_meteor_of_a_system():
    outputs = ("the cats sat on a mat today", "she was at home in the evening")
    references = (("the cat sat on the mat", "he was not at home yesterday evening"),)
    found = ma.score_corpus(texts_of({"a": outputs, "b": (references[0][0], "")}, references), "meteor")
    scores = found.columns["meteor"].scores
    assert scores[0] == pytest.approx(0.33019975165439786)
    # an empty output counts: of 13 words of references, 6 are found
    assert 0.3 < scores[1] < 0.6


def test_scores_of_outputs_are_tested_by_their_means():
    random = np.random.default_rng(1)
    values = random.normal(size=(2, 40))
    scores = ma.Scores.from_arrays({"m": values})
    (row,) = ma.systems(scores, test="approximate-randomization", resamples=2000).table
    assert row.mean_difference == pytest.approx(values[0].mean() - values[1].mean())
    (peer,) = ma.systems(scores, test="paired-t", cutoff="mc", resamples=2000).table
    assert row.p_value == pytest.approx(peer.p_value, abs=0.04)


def test_what_does_not_go_together():
    corpus = ma.score_corpus(texts_of({"a": OUTPUT, "b": OUTPUT}, REFERENCES), "bleu")
    with pytest.raises(ma.UsageError, match="paired-t needs a score of every output"):
        ma.systems(corpus, test="paired-t")
    with pytest.raises(ma.UsageError, match="ask for other tests in another run"):
        ma.systems(ma.example(), test="paired-t,paired-bootstrap")
    with pytest.raises(ma.UsageError, match="two-sided"):
        ma.systems(corpus, test="paired-bootstrap", alternative="greater")
    with pytest.raises(ma.UsageError, match="length has no score of a whole system"):
        ma.score_corpus(texts_of({"a": OUTPUT}, REFERENCES), "length")
