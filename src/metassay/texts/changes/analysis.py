"""What a corruption needs to know of a text, and who finds it out: rules that ship with us, or a spaCy pipeline."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from metassay.core.extras import load_extra
from metassay.errors import UsageError, one_line
from metassay.texts.changes import persons
from metassay.texts.changes.persons import Mention, Name
from metassay.texts.segments import Span, sentences, word_list
from metassay.texts.spacy_pipelines import SAMPLE, Pipeline

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


_TOKEN = re.compile(
    r"[^\W_]+?(?=n['’]t(?![^\W_]))"  # the do of don't
    r"|n['’]t(?![^\W_])"
    r"|['’](?:s|re|ve|ll|d|m)(?![^\W_])"
    r"|[^\W_]+(?:[-.][^\W_]+)*"
    r"|\S",
    re.IGNORECASE,
)
_CLITICS = {"'re": "be", "'m": "be", "'ve": "have"}
_BEFORE_NOUNS = ("DT", "PRP$", "JJ", "CD", "POS")
_NOUNS = ("NN", "NNS", "NNP", "NNPS", "JJ")
_PREPOSITIONS = word_list("according including regarding concerning pending")
_SUBJECTS = word_list("he she it that who there here what where how they we you i which")


class BuiltIn:
    """Finds sentences and persons by rules, and verbs by a lexicon with a few rules on the words around.

    Parameters
    ----------
    needs
        What it will be asked for. Verbs need textblob and lemminflect; the rest needs nothing.
    """

    signature = "built-in"

    def __init__(self, needs: Collection[Need]) -> None:
        self._tags: Callable[[list[str]], list[list[str]]] | None = None
        self._lexicon: Any = None
        self._lemma: Callable[..., tuple[str, ...]] | None = None
        if "verbs" in needs:
            self._load()

    def _load(self) -> None:
        needed = "finding verbs needs textblob and lemminflect"
        # both packages leave files to the garbage collector, which is no business of whoever corrupts texts
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            english, lemmas = load_extra("text", needed, "textblob.en", "lemminflect")
            english.parser.find_tags(["a"])
            lemmas.getLemma("was", upos="VERB")
        self._lemma = lemmas.getLemma
        self._tags, self._lexicon = english.parser.find_tags, english.lexicon

    def sentences(self, text: str) -> Sequence[Span]:
        """Return the sentences; see :func:`metassay.texts.segments.sentences`."""
        return sentences(text)

    def people(self, source: str) -> Sequence[Name]:
        """Return the persons that a source names; see :func:`metassay.texts.changes.persons.people`."""
        return persons.people(source)

    def mentions(self, text: str, source: str, people: Sequence[Name]) -> Sequence[Mention]:
        """Return where a text names persons of the source, and others by the same rules."""
        known = {word for name in people for word in name}
        others = [name for name in persons.people(text) if not known & set(name)]
        return persons.mentions(text, [*people, *others], source)

    def verbs(self, text: str, source: str) -> Sequence[Verb]:
        """Return the verbs of an English text, with few mistakes where a word may be several things.

        Left out: modals; ``'s`` and ``'d``, which may stand for several words; words that text or source write with a
        capital within sentences; and forms in ``-s``, ``-ed`` and ``-ing`` where a noun or an adjective must stand.
        """
        proper = _proper(source) | _proper(text)
        found: list[Verb] = []
        for start, end in sentences(text):
            spans = [Span(*match.span()) for match in _TOKEN.finditer(text, start, end)]
            self._verbs_of(text, spans, proper, found)
        return found

    def _verbs_of(self, text: str, spans: Sequence[Span], proper: frozenset[str], found: list[Verb]) -> None:
        assert self._tags is not None
        tokens = [text[start:end].replace("’", "'") for start, end in spans]
        first = next((at for at, token in enumerate(tokens) if token[0].isalpha()), 0)
        shown = [token.lower() if token.isupper() and len(token) > 1 else token for token in tokens]
        if shown[first].lower() in self._lexicon:
            shown[first] = shown[first].lower()
        tags = [tag for _, tag in self._tags(shown)]
        for at, (span, token) in enumerate(zip(spans, tokens, strict=True)):
            form = token.lower()
            if form in _CLITICS:
                glued = span.start > 0 and not text[span.start - 1].isspace()
                lemma = in_case_of(_CLITICS[form], "" if token.islower() else token[1:])
                found.append(Verb(*span, " " + lemma if glued else lemma, "VBP"))
                continue
            if not tags[at].startswith("VB") or not form.isalpha():
                continue
            title = at > first and token[0].isupper() and not token.isupper()
            if form in proper or form in _PREPOSITIONS or title or _is_nominal(tags, tokens, at):
                continue
            found.append(Verb(*span, in_case_of(self._lemma_of(form, tags[at]), token), tags[at]))

    def _lemma_of(self, form: str, tag: str) -> str:
        assert self._lemma is not None
        lemmas = [lemma for lemma in self._lemma(form, upos="VERB") if lemma.isalpha()] or [form]
        if tag in ("VB", "VBP") and form in lemmas:
            return form
        return next((lemma for lemma in lemmas if lemma != form), form)


@lru_cache(maxsize=64)
def _proper(text: str) -> frozenset[str]:
    """Return words, in lower case, that stand with a capital within sentences more often than without."""
    counts: dict[str, int] = {}
    for start, end in sentences(text):
        for at, match in enumerate(_TOKEN.finditer(text, start, end)):
            token = match.group()
            if token[0].isalpha() and not token.isupper():
                if token[0].islower():
                    counts[token] = counts.get(token, 0) - 1
                elif at > 0:
                    counts[token.lower()] = counts.get(token.lower(), 0) + 1
    return frozenset(word for word, count in counts.items() if count > 0)


def _is_nominal(tags: Sequence[str], tokens: Sequence[str], at: int) -> bool:
    """Tell whether a form that may be a verb stands where only a noun or an adjective can."""
    if at == 0:
        return False
    before, word = tags[at - 1], tokens[at - 1].lower()
    if word in ("'s", "'") and at > 1 and tokens[at - 2].lower() in _SUBJECTS:
        return False
    if word in ("that", "this", "these", "those", "which", "who", "all", "both"):
        return False
    if tags[at] == "VBZ":
        return before in (*_BEFORE_NOUNS, "IN", "TO") and word not in ("as", "than", "if", "because", "while")
    if tags[at] in ("VBD", "VBN", "VBG") and before in _BEFORE_NOUNS:
        return at + 1 < len(tags) and tags[at + 1] in _NOUNS
    return False


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
            return sentences(text)
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


Analysis = BuiltIn | SpacyPipeline


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
        return BuiltIn(needs)
    kind, _, pipeline = backend.partition(":")
    if kind == "spacy" and pipeline:
        return SpacyPipeline(pipeline, needs)
    raise UsageError(f"backend must be built-in or spacy:PIPELINE, got {one_line(backend, 60)!r}")
