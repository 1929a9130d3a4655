"""ROUGE against the program ROUGE-1.5.5 and the scores that were published with SummEval."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from metassay.core.texts import Item
from metassay.texts.scorers.rouge import Rouge
from metassay.texts.scorers.rouge_counts import MEASURES
from metassay.texts.scorers.tokens import WORDNET

OUTPUT = """The council approved the bridge on Monday.
Workers will close the old bridge, and traffic on the river road will be moved.
The mayor said the old bridge was not safe."""
REFERENCES = (
    """On Monday the city council approved a plan to replace the old bridge.
The mayor said that the bridge is unsafe and traffic will move to the river road.""",
    """City council votes for new bridge.
Old bridge closes because it was not safe, the mayor said.""",
)

# What ROUGE-1.5.5 prints for these texts with -m, without exceptions: precision, recall, F. L is from the texts on
# one line, Lsum is its ROUGE-L from the texts with a sentence on each. -f A and B are average and rouge-1.5.5-best.
PROGRAM = {
    ("average", 1): {
        "1": (0.64516, 0.68966, 0.66667),
        "2": (0.33333, 0.35714, 0.34482),
        "3": (0.10345, 0.11111, 0.10714),
        "4": (0, 0, 0),
        "l": (0.38710, 0.41379, 0.40000),
        "lsum": (0.51613, 0.55172, 0.53333),
        "w": (0.28447, 0.15507, 0.20072),
        "s4": (0.27857, 0.30000, 0.28889),
        "su4": (0.34118, 0.36709, 0.35366),
        "s": (0.35484, 0.40640, 0.37887),
        "su": (0.37172, 0.42396, 0.39613),
    },
    ("average", 2): {
        "1": (0.50000, 0.67391, 0.57407),
        "2": (0.25000, 0.34091, 0.28846),
        "3": (0.08621, 0.11905, 0.10000),
        "4": (0, 0, 0),
        "l": (0.30645, 0.41304, 0.35185),
        "lsum": (0.38710, 0.52174, 0.44445),
        "w": (0.23887, 0.16893, 0.19790),
        "s4": (0.18214, 0.25500, 0.21250),
        "su4": (0.23235, 0.32377, 0.27055),
        "s": (0.22473, 0.38561, 0.28397),
        "su": (0.23939, 0.40444, 0.30076),
    },
    ("rouge-1.5.5-best", 2): {
        "1": (0.64516, 0.68966, 0.66667),
        "2": (0.33333, 0.35714, 0.34482),
        "3": (0.06897, 0.13333, 0.09091),
        "4": (0, 0, 0),
        "l": (0.38710, 0.41379, 0.40000),
        "lsum": (0.51613, 0.55172, 0.53333),
        "w": (0.19145, 0.19810, 0.19472),
        "s4": (0.27857, 0.30000, 0.28889),
        "su4": (0.34118, 0.36709, 0.35366),
        "s": (0.35484, 0.40640, 0.37887),
        "su": (0.37172, 0.42396, 0.39613),
    },
}


@pytest.mark.parametrize(("references", "how_many"), PROGRAM)
def test_the_program_prints_the_same(references, how_many):
    expected = PROGRAM[references, how_many]
    scorer = Rouge(expected, references=references)
    got = scorer.score([Item("a", "1", OUTPUT, REFERENCES[:how_many], None)])[0].reshape(-1, 3)
    # the program rounds to five places, and takes F from rounded numbers
    np.testing.assert_allclose(got, list(expected.values()), atol=1.5e-5)


PUBLISHED = ("1", "2", "l", "su4")


@pytest.fixture(scope="module")
def summeval(shared_data):
    """Items with the first reference, and the published F1 of each on the scale to 100."""
    with (shared_data / "summeval" / "scores" / "rouge.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    published = {(r["instance_id"], r["summarizer_id"]): r["metrics"] for r in rows}
    with (shared_data / "summeval" / "model_annotations.aligned.paired.jsonl").open(encoding="utf-8") as file:
        texts = [json.loads(line) for line in file]
    items = [Item(r["model_id"], r["id"], r["decoded"], (r["references"][0],), None) for r in texts]
    scores = [[published[i.input, i.system][f"rouge-{v}"]["f1"] for v in PUBLISHED] for i in items]
    return items, np.array(scores)


needs_wordnet = pytest.mark.skipif(
    not (WORDNET / "noun.exc").exists(), reason="WordNet's exception lists are absent: apt-get install wordnet-base"
)


@needs_wordnet
def test_published_scores_with_exceptions(summeval):
    items, published = summeval
    got = 100 * Rouge(PUBLISHED, measures="f1", stem="porter+exceptions").score(items)
    assert ((abs(got - published) <= 0.01).mean(axis=0) > 0.915).all()
    assert all(np.corrcoef(got[:, k], published[:, k])[0, 1] > 0.999 for k in range(len(PUBLISHED)))


def test_published_scores_without_exceptions(summeval):
    items, published = summeval
    got = 100 * Rouge(PUBLISHED, measures="f1").score(items)
    assert ((abs(got - published) <= 0.01).mean(axis=0) > 0.76).all()


def as_scored(item: Item) -> Item:
    """Return an item with its texts as they were when the published scores were made, as far as these show it.

    References and three systems were not tokenised then; two systems had brackets, the others -lrb- and -rrb-.
    """

    def joined(text: str) -> str:
        return re.sub(r"\b([Cc])an not\b", r"\1annot", text).replace(" n't", "n't")

    output = item.output
    if item.system in ("M17", "M20", "M23"):
        output = joined(output)
    elif item.system not in ("M5", "M8"):
        output = output.replace("(", "-lrb-").replace(")", "-rrb-")
    return item._replace(output=output, references=tuple(map(joined, item.references)))


@needs_wordnet
def test_published_scores_and_rankings_with_the_texts_that_were_scored(summeval):
    items, published = summeval
    got = 100 * Rouge(PUBLISHED, measures="f1", stem="porter+exceptions").score([as_scored(item) for item in items])
    assert (abs(got - published) <= 0.01).all()
    systems = sorted({item.system for item in items})
    rows = {system: [k for k, item in enumerate(items) if item.system == system] for system in systems}
    for column in range(len(PUBLISHED)):
        ours, theirs = ([side[rows[system], column].mean() for system in systems] for side in (got, published))
        assert np.argsort(ours).tolist() == np.argsort(theirs).tolist()


PEER_VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
INSTALL_PEER = "pip install rouge-score==0.1.2"


# rouge_scorer.RougeScorer(PEER_VARIANTS, use_stemmer=STEM).score_multi(REFERENCES, OUTPUT)[...].fmeasure, version 0.1.2
@pytest.mark.parametrize(
    ("stem", "peer"),
    [("none", [0.633333, 0.344828, 0.4, 0.533333]), ("porter", [0.666667, 0.344828, 0.4, 0.533333])],
)
def test_what_rouge_score_gives_for_two_references(stem, peer):
    got = Rouge("1,2,l,lsum", measures="f1", stem=stem).score([Item("a", "1", OUTPUT, REFERENCES, None)])[0]
    np.testing.assert_allclose(got, peer, atol=1e-6)


def test_rouge_score_gives_the_same_where_stems_agree():
    peer = pytest.importorskip("rouge_score.rouge_scorer", reason=INSTALL_PEER)
    scorer = peer.RougeScorer(list(PEER_VARIANTS), use_stemmer=False)
    theirs = scorer.score(REFERENCES[0], OUTPUT)
    ours = Rouge("1,2,l,lsum", stem="none").score([Item("a", "1", OUTPUT, REFERENCES[:1], None)])[0].reshape(-1, 3)
    names = dict(zip(MEASURES, ("precision", "recall", "fmeasure"), strict=True)).values()
    np.testing.assert_allclose(ours, [[getattr(score, n) for n in names] for score in theirs.values()])


@pytest.fixture(scope="module")
def many_references(shared_data):
    """Every tenth output of SummEval with its 11 references."""
    with (shared_data / "summeval" / "model_annotations.aligned.paired.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][::10]
    return [Item(r["model_id"], r["id"], r["decoded"], tuple(r["references"]), None) for r in rows]


@pytest.mark.parametrize("lines", [False, True])
def test_rouge_score_on_summeval_with_eleven_references(many_references, lines):
    peer = pytest.importorskip("rouge_score.rouge_scorer", reason=INSTALL_PEER)
    scorer = peer.RougeScorer(list(PEER_VARIANTS), use_stemmer=False)

    def shown(text):
        return text.replace(" . ", " .\n") if lines else text

    items = [i._replace(output=shown(i.output), references=tuple(map(shown, i.references))) for i in many_references]
    theirs = [[s.fmeasure for s in scorer.score_multi(i.references, i.output).values()] for i in items]
    assert len(items) == 160
    np.testing.assert_allclose(Rouge("1,2,l,lsum", measures="f1", stem="none").score(items), theirs, atol=1e-12)


# means over the 160 outputs of RougeScorer(PEER_VARIANTS).score_multi(references, output)[variant].fmeasure
def test_mean_of_rouge_score_on_summeval_with_eleven_references(many_references):
    got = Rouge("1,2,l,lsum", measures="f1", stem="none").score(many_references).mean(axis=0)
    np.testing.assert_allclose(got, [0.473323, 0.252932, 0.345883, 0.345883], atol=1e-6)
