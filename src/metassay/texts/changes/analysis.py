"""What a corruption needs to know of a text, and who finds it out: rules that ship with us, or a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, NamedTuple

from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.texts.changes.built_in import BuiltIn
    from metassay.texts.changes.spacy_pipeline import SpacyPipeline

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


def analysis(backend: str, needs: Collection[Need]) -> BuiltIn | SpacyPipeline:
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
