"""spaCy pipelines, with a stand-in for spaCy: what is asked of it, and how its errors are told."""

from __future__ import annotations

import sys
import types
import warnings

import pytest

from metassay.errors import UsageError
from metassay.texts.spacy_pipelines import Pipeline


class Fake:
    meta: dict[str, str]
    pipe_names: list[str]

    def __init__(self, version, parts):
        self.meta, self.pipe_names, self.max_length = {"version": version} if version else {}, parts, 10

    def __call__(self, text):
        warnings.warn("chatty", UserWarning, stacklevel=1)
        if len(text) > self.max_length:
            raise ValueError("too long")
        return text.split()


@pytest.fixture
def installed(monkeypatch):
    pipelines = {"small": Fake("1.2", ["tagger", "ner"]), "own/path": Fake("", [])}

    def load(name):
        if name not in pipelines:
            raise OSError(f"[E050] Can't find model '{name}'.\nIt is no package.")
        return pipelines[name]

    spacy = types.ModuleType("spacy")
    spacy.load = load
    monkeypatch.setitem(sys.modules, "spacy", spacy)


def test_a_pipeline_says_what_it_is_and_reads_long_texts(installed):
    pipeline = Pipeline("small", "backend spacy:…")
    assert (pipeline.signature, pipeline.parts) == ("spacy:small@1.2", "tagger, ner")
    assert pipeline("a b " * 10) == ["a", "b"] * 10
    bare = Pipeline("own/path", "backend spacy:…")
    assert (bare.signature, bare.parts) == ("spacy:own/path", "nothing")


def test_a_pipeline_that_is_not_there_is_told_in_one_line(installed):
    with pytest.raises(UsageError, match="run: python -m spacy download large") as error:
        Pipeline("large", "backend spacy:…")
    assert "\n" not in str(error.value)


def test_without_spacy_the_command_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(UsageError, match=r"^phrases=spacy:… needs spaCy; run: pip install 'metassay\[spacy\]'$"):
        Pipeline("small", "phrases=spacy:…")
