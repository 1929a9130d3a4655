from __future__ import annotations

import pytest

from metassay.errors import UsageError
from metassay.texts.scorers.phrases import Entities, NounPhrases, finder


def entities(text: str) -> list[str]:
    return [phrase.text for phrase in Entities().find(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Anna met Paul Merson in Madrid .", ["Paul Merson", "Madrid"]),  # Anna alone may be any word
        ("Anna left . Later Anna came back .", ["Anna", "Anna"]),
        ("Apples fell . The apples were red .", []),
        ("On Monday Ana Ruiz left .", ["Monday", "Ana Ruiz"]),
        ("It rained on 12 April 2015 in the Bank of England's garden .", ["12 April 2015", "Bank of England"]),
        ("He paid $1,200 , or 5% , for two cars .", ["$1,200", "5%", "two"]),
        ("Some 12 million people saw the U.S. team .", ["12 million", "U.S."]),
        ("It ended 0-0 in the 83rd minute .", ["0-0", "83rd"]),
        ("all of this is in lower case .", []),
        ("", []),
    ],
)
def test_entities(text, found):
    assert entities(text) == found


def test_a_phrase_knows_its_sentence():
    (phrase,) = Entities().find("It rained. We saw Ana Ruiz there.")
    assert phrase.sentence == "We saw Ana Ruiz there."
    assert phrase.sentence[phrase.start : phrase.end] == phrase.text == "Ana Ruiz"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The old mayor opened a bridge .", ["The old mayor", "a bridge"]),
        ("Paul's two brothers live in New York .", ["Paul's two brothers", "New York"]),
        ("It was Burnley 's draw with Paul Merson last week .", ["Burnley 's draw", "Paul Merson", "last week"]),
        ("He said it .", []),
        ("the president visited his family yesterday .", ["the president", "his family", "yesterday"]),
        ("", []),
    ],
)
def test_noun_phrases(text, found):
    pytest.importorskip("textblob", reason="needs textblob; run: pip install 'metassay[text]'")
    assert [phrase.text for phrase in NounPhrases().find(text)] == found


def test_unknown_finders_are_told():
    with pytest.raises(UsageError, match="phrases must be built-in or spacy:PIPELINE, got 'nltk'"):
        finder("nltk", "entities")


def test_without_textblob_the_command_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "textblob.en", None)
    with pytest.raises(UsageError, match=r"run: pip install 'metassay\[text\]'"):
        finder("built-in", "noun phrases")


def test_without_spacy_the_command_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(UsageError, match=r"run: pip install 'metassay\[spacy\]'"):
        finder("spacy:en_core_web_sm", "entities")


class TestSpacy:
    @pytest.fixture
    def spacy(self):
        return pytest.importorskip("spacy", reason="needs spaCy; run: pip install 'metassay[spacy]'")

    def test_entities_of_a_pipeline(self, spacy, tmp_path):
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Anna Smith"}])
        nlp.to_disk(tmp_path / "pipe")
        (phrase,) = finder(f"spacy:{tmp_path / 'pipe'}", "entities").find("It rained. Later Anna Smith came.")
        assert (phrase.text, phrase.sentence) == ("Anna Smith", "Later Anna Smith came.")

    def test_a_pipeline_that_cannot(self, spacy, tmp_path):
        spacy.blank("en").to_disk(tmp_path / "blank")
        with pytest.raises(UsageError, match="finding noun phrases needs a parser"):
            finder(f"spacy:{tmp_path / 'blank'}", "noun phrases")
        with pytest.raises(UsageError, match="run: python -m spacy download xx_nothing"):
            finder("spacy:xx_nothing", "entities")
