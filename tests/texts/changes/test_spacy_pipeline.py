"""A spaCy pipeline as back end, on one so small that the test makes it."""

from __future__ import annotations

import pytest

from metassay.core.texts import Texts
from metassay.errors import UsageError
from metassay.texts.changes.corruptions import corrupt

spacy = pytest.importorskip("spacy", reason="needs spaCy; run: pip install 'metassay[spacy]'")

VERBS = {"were": ("VBD", "be"), "met": ("VBD", "meet"), "'re": ("VBP", "be"), "leaving": ("VBG", "leave")}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline of rules: it knows a few verbs and two persons."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    rules = nlp.add_pipe("attribute_ruler")
    for form, (tag, lemma) in VERBS.items():
        rules.add([[{"LOWER": form}]], {"TAG": tag, "POS": "VERB", "LEMMA": lemma})
    rules.add([[{"LOWER": {"NOT_IN": list(VERBS)}}]], {"TAG": "NN", "POS": "NOUN", "LEMMA": "x"})
    names = nlp.add_pipe("entity_ruler")
    names.add_patterns([{"label": "PERSON", "pattern": name} for name in ("Paul Merson", "Roy Hodgson")])
    path = tmp_path_factory.mktemp("pipelines") / "tiny"
    nlp.to_disk(path)
    return f"spacy:{path}"


def one(text, kind, backend, source="Paul Merson met Roy Hodgson."):
    texts = Texts({("a", "1"): text}, sources={"1": source})
    return corrupt(texts, kind, backend=backend).texts.outputs["a", "1"]


def test_verbs(pipeline):
    assert one("They were here. They're leaving.", "lemmatize", pipeline) == "They be here. They be leave."


def test_sentences(pipeline):
    assert one("One here.  Two here.", "shuffle", pipeline) == "Two here.  One here."


def test_people_also_where_capitals_are_lost(pipeline):
    assert one("Paul Merson's row with roy hodgson", "swap-persons", pipeline).lower() == (
        "roy hodgson's row with paul merson"
    )


def test_negation(pipeline):
    assert one("They met him.", "negate", pipeline) == "They did not meet him."


def test_the_recipe_names_the_pipeline(pipeline):
    result = corrupt(Texts({("a", "1"): "One. Two."}), "shuffle", backend=pipeline)
    assert result.signature["backend"].startswith(pipeline)


def test_a_pipeline_that_cannot_do_it_says_so(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UsageError, match=r"needs a tagger and a lemmatizer, and the pipeline .* has nothing"):
        one("They were", "lemmatize", f"spacy:{tmp_path / 'blank'}")
    with pytest.raises(UsageError, match="needs an entity recognizer"):
        one("Paul Merson", "swap-persons", f"spacy:{tmp_path / 'blank'}")
    assert one("One . Two .", "shuffle", f"spacy:{tmp_path / 'blank'}") == "Two . One ."  # our own sentences


def test_a_pipeline_that_does_not_exist():
    with pytest.raises(UsageError, match="run: python -m spacy download xx_nothing"):
        one("a", "shuffle", "spacy:xx_nothing")
