"""A back end of the user's choice: any spaCy pipeline, by name or by path."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from metassay.errors import UsageError, one_line
from metassay.texts import segments
from metassay.texts.changes import persons
from metassay.texts.changes.analysis import Need, Verb, in_case_of
from metassay.texts.changes.persons import Mention, Name
from metassay.texts.segments import Span
from metassay.texts.spacy_pipelines import SAMPLE, Pipeline

_PERSON = ("PERSON", "PER", "PRS", "persName")


class SpacyPipeline:
    """Asks a spaCy pipeline for verbs, their lemmas, and persons; for sentences too, if it marks any.

    Parameters
    ----------
    name
        The name of an installed pipeline, such as ``en_core_web_sm``, or the path of one.
    needs
        What it will be asked for.
    """

    def __init__(self, name: str, needs: Collection[Need]) -> None:
        pipeline = Pipeline(name, "backend spacy:…")
        self.signature = pipeline.signature
        self.parsed = lru_cache(maxsize=64)(pipeline)
        sample = self.parsed(SAMPLE)
        tagged = sample.has_annotation("TAG") or sample.has_annotation("POS")
        able = {
            "sentences": True,
            "verbs": tagged and sample.has_annotation("LEMMA"),
            "people": sample.has_annotation("ENT_IOB"),
        }
        parts = {"verbs": "a tagger and a lemmatizer", "people": "an entity recognizer"}
        for need in needs:
            if not able[need]:
                raise UsageError(
                    f"this needs {parts[need]}, and the pipeline {one_line(name, 60)!r} has {pipeline.parts}"
                )

    def sentences(self, text: str) -> Sequence[Span]:
        """Return the pipeline's sentences, or ours where it marks none."""
        doc = self.parsed(text)
        if not doc.has_annotation("SENT_START"):
            return segments.sentences(text)
        found = []
        for sentence in doc.sents:
            piece = text[sentence.start_char : sentence.end_char]
            start = sentence.start_char + len(piece) - len(piece.lstrip())
            end = sentence.end_char - len(piece) + len(piece.rstrip())
            if end > start:
                found.append(Span(start, end))
        return found

    def verbs(self, text: str, source: str) -> Sequence[Verb]:  # noqa: ARG002 - the pipeline has its own means
        """Return the words that the pipeline tags as verbs and auxiliaries."""
        found = []
        for token in self.parsed(text):
            if token.pos_ in ("VERB", "AUX") or token.tag_.startswith("VB"):
                start, end = token.idx, token.idx + len(token.text)
                lemma = in_case_of(token.lemma_.lower() or token.text, token.text)
                glued = token.text[0] in "'’" and start > 0 and not text[start - 1].isspace()
                found.append(Verb(start, end, " " + lemma if glued else lemma, token.tag_ or token.pos_))
        return found

    def people(self, source: str) -> Sequence[Name]:
        """Return the entities of the source that are persons; a surname alone is no other person."""
        found = (_name(entity.text) for entity in self.parsed(source).ents if entity.label_ in _PERSON)
        names = list(dict.fromkeys(name for name in found if name))
        return [name for name in names if len(name) > 1 or not any(set(name) < set(other) for other in names)]

    def mentions(self, text: str, source: str, people: Sequence[Name]) -> Sequence[Mention]:
        """Return where persons of the source are named, in any case, and the other persons that the pipeline finds."""
        found = list(persons.mentions(text, people, source))
        for entity in self.parsed(text).ents:
            name = _name(entity.text) if entity.label_ in _PERSON else ()
            if name:
                end = entity.start_char + len(entity.text.removesuffix("'s").removesuffix("’s").rstrip())
                part = "full" if len(name) > 1 else "last"
                mention = Mention(entity.start_char, end, name, part)
                if all(mention.end <= known.start or mention.start >= known.end for known in found):
                    found.append(mention)
        return sorted(found)


def _name(text: str) -> Name:
    return tuple(text.removesuffix("'s").removesuffix("’s").split())
