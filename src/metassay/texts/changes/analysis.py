"""What a corruption needs to know of a text, and who finds it out: rules that ship with us, or a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, Protocol

from metassay.errors import UsageError, one_line
from metassay.texts.changes.persons import Mention, Name
from metassay.texts.segments import Span

Need = Literal["sentences", "verbs", "people"]
"""What a back end may be asked for."""


class Verb(NamedTuple):
    """A verb in a text."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    lemma: str
    """Its dictionary form, in the case in which the verb is written."""
    tag: str
    """Its Penn Treebank tag, such as ``VBD``."""


class Analysis(Protocol):
    """Finds sentences, verbs and persons. Making one checks that it can do what will be asked of it."""

    @property
    def signature(self) -> str:
        """Which back end, in a word, for the recipe of a result."""
        ...

    def sentences(self, text: str) -> Sequence[Span]:
        """Return the sentences, without the white space around them."""
        ...

    def verbs(self, text: str, source: str) -> Sequence[Verb]:
        """Return the verbs; the source helps to tell names from verbs."""
        ...

    def people(self, source: str) -> Sequence[Name]:
        """Return the persons that a source names."""
        ...

    def mentions(self, text: str, source: str, people: Sequence[Name]) -> Sequence[Mention]:
        """Return where a text names persons."""
        ...


def analysis(backend: str, needs: Collection[Need]) -> Analysis:
    """Return the back end of a name, ready for work.

    Parameters
    ----------
    backend
        ``"built-in"``, or ``"spacy:NAME"`` with the name or the path of a spaCy pipeline.
    needs
        What it will be asked for; a back end that cannot do it says so here.
    """
    if backend == "built-in":
        from metassay.texts.changes.built_in import BuiltIn

        return BuiltIn(needs)
    kind, _, pipeline = backend.partition(":")
    if kind == "spacy" and pipeline:
        from metassay.texts.changes.spacy_pipeline import SpacyPipeline

        return SpacyPipeline(pipeline, needs)
    raise UsageError(f"backend must be built-in or spacy:PIPELINE, got {one_line(backend, 60)!r}")


def in_case_of(word: str, model: str) -> str:
    """Return a word in the case in which another is written.

    Examples
    --------
    >>> in_case_of("be", "Was"), in_case_of("be", "WAS"), in_case_of("be", "was")
    ('Be', 'BE', 'be')
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word
