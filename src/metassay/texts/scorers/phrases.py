"""What questions can be asked about: the entities and the noun phrases of a text, by rules or by a spaCy pipeline."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from metassay.core.extras import load_extra
from metassay.errors import UsageError, one_line
from metassay.texts.scorers.tokens import ENGLISH_WORD
from metassay.texts.segments import sentence_texts, word_list
from metassay.texts.spacy_pipelines import SAMPLE, Pipeline

Kind = Literal["entities", "noun phrases"]


class Phrase(NamedTuple):
    """A stretch of a text that may be the answer to a question, and the sentence around it."""

    start: int
    """Where it begins, within the sentence."""
    end: int
    """Where it ends."""
    sentence: str
    """The sentence."""

    @property
    def text(self) -> str:
        """The words of the phrase."""
        return self.sentence[self.start : self.end]


def finder(name: str, kind: Kind) -> Entities | NounPhrases | SpacyPhrases:
    """Return what finds phrases: ``built-in``, or ``spacy:NAME`` with the name or the path of a pipeline."""
    if name == "built-in":
        return Entities() if kind == "entities" else NounPhrases()
    source, _, pipeline = str(name).partition(":")
    if source == "spacy" and pipeline:
        return SpacyPhrases(pipeline, kind)
    raise UsageError(f"phrases must be built-in or spacy:PIPELINE, got {one_line(name, 60)!r}")


_WORD = re.compile(
    r"[^\W\d_](?:\.(?=[^\W\d_]))?[^\W\d_]*(?:[.'’\-][^\W\d_]+)*\.?|[$£€]?\d+(?:[.,:/–\-]\d+)*(?:%|[a-z]{1,2}\b)?|\S"
)
_CLITIC = re.compile(r"['’]s?\Z")


_FUNCTION = word_list(
    "a an the this that these those he she it we they you i his her its our their your my him them us me who what "
    "when where why how which and or but nor so yet if then than as at by for from in into of off on onto out over to "
    "up with without under about after before since until while because although though during against between among "
    "through not no yes there here is are was were be been being am do does did have has had will would can could may "
    "might must shall should now just also only even all any both each some many most more such very too mr mrs ms dr"
)
_INSIDE = word_list("of de da di du del la le van von der den bin al el &")
_NUMBERS = word_list(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million "
    "billion dozen dozens hundreds thousands millions first second third fourth fifth"
)
_UNITS = word_list(
    "hundred thousand million billion trillion m bn percent per cent years year-old days months weeks hours minutes "
    "seconds miles metres meters kilometres kilometers km kg pounds dollars euros p.m a.m pm am"
)
_DATES = word_list(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)
_OPENERS = word_list(
    "yesterday today tomorrow tonight later earlier meanwhile however still again once recently last next finally "
    "eventually instead moreover according despite following whether former police officials president perhaps maybe "
    "when never ever soon elsewhere nevertheless nonetheless overall sadly luckily ironically"
)
_TIMES = word_list("yesterday today tomorrow tonight") | _DATES


class Entities:
    """Names, dates and numbers by rules on capitals and digits, with no list of names.

    Words with a capital are a name, with particles between them (``Bank of England``). The first word of a sentence
    counts only if another capital follows it or the text has it with a capital elsewhere, and never if it is a
    function word or the text also has it in lower case. Numbers take their units with them (``12 million``, ``5%``).
    Texts in lower case have only numbers to offer.

    Examples
    --------
    >>> [p.text for p in Entities().find("On Monday Ana Ruiz paid $12 million to the Bank of England . She left .")]
    ['Monday', 'Ana Ruiz', '$12 million', 'Bank of England']
    """

    signature = "built-in"

    def find(self, text: str) -> Sequence[Phrase]:
        """Return the entities of a text, in order."""
        parted = [(sentence, list(_WORD.finditer(sentence))) for sentence in sentence_texts(text)]
        lower = {match.group() for _, words in parted for match in words if match.group()[0].islower()}
        within = {match.group() for _, words in parted for match in words[1:] if match.group()[0].isupper()}
        return [phrase for sentence, words in parted for phrase in _entities(sentence, words, lower, within)]


def _entities(sentence: str, words: Sequence[re.Match[str]], lower: set[str], within: set[str]) -> Iterator[Phrase]:
    first = next((at for at, match in enumerate(words) if match.group()[0].isalnum()), 0)

    def named(at: int) -> bool:
        word = words[at].group() if at < len(words) else ""
        if not word[:1].isupper() or (bare := word.lower().rstrip(".")) in _FUNCTION:
            return False
        if at > first or bare in _DATES:
            return True
        return bare not in lower and bare not in _OPENERS and (word in within or named(at + 1))

    def dated(at: int) -> bool:
        return words[at].group().lower().rstrip(".") in _DATES

    def number(at: int) -> bool:
        word = words[at].group() if at < len(words) else ""
        return any(letter.isdigit() for letter in word) or word.lower() in _NUMBERS

    at = 0
    while at < len(words):
        start = at
        if named(at):
            at += 1
            while at < len(words) and not _CLITIC.search(words[at - 1].group()):
                bridge = at + (words[at].group() in _INSIDE)
                bridge += at < bridge < len(words) and words[bridge].group() == "the"
                if not named(bridge) and not (bridge == at and number(at)):
                    break
                if dated(bridge) != dated(at - 1) and not number(bridge):
                    break  # On Monday Ana …
                at = bridge + 1
        elif number(at):
            at += 1
            while at < len(words) and (number(at) or dated(at) or words[at].group().lower().rstrip(".") in _UNITS):
                at += 1
        else:
            at += 1
            continue
        end = words[at - 1].end()
        stem = sentence[words[start].start() : end]
        kept = _CLITIC.sub("", stem)
        if kept.endswith(".") and at == len(words):  # the full stop of the sentence, not of an abbreviation
            kept = kept.rstrip(".")
        if kept:
            yield Phrase(words[start].start(), words[start].start() + len(kept), sentence)


_NOUN = frozenset({"NN", "NNS", "NNP", "NNPS"})
_BEFORE = frozenset({"DT", "PDT", "PRP$", "JJ", "JJR", "JJS", "CD", "VBN"})
_WITHIN = _NOUN | _BEFORE - {"DT", "PDT"} | {"VBG", "POS"}
_BEHIND = _NOUN | {"POS"}  # what may follow a noun; an adjective there begins another phrase


class NounPhrases:
    """Noun phrases by rules over the tags of textblob, whose lexicon comes with it.

    A phrase begins with an article, a possessive, a number, an adjective or a noun, goes on with what may stand before
    a noun, with a possessive 's between two of them, and ends at its last noun. Pronouns are left out.

    Examples
    --------
    >>> [p.text for p in NounPhrases().find("The old mayor opened the city's new bridge yesterday .")]
    ['The old mayor', "the city's new bridge", 'yesterday']
    """

    signature = "built-in"

    def __init__(self) -> None:
        needed = "finding noun phrases needs textblob, or a pipeline as phrases=spacy:NAME"
        with warnings.catch_warnings():  # textblob leaves files to the garbage collector
            warnings.simplefilter("ignore")
            (english,) = load_extra("text", needed, "textblob.en")
            english.parser.find_tags(["a"])
        self._tags: Callable[[list[str]], list[list[str]]] = english.parser.find_tags
        self._lexicon: Any = english.lexicon

    def find(self, text: str) -> Sequence[Phrase]:
        """Return the noun phrases of a text, in order."""
        return [phrase for sentence in sentence_texts(text) for phrase in self._of(sentence)]

    def _of(self, sentence: str) -> Iterator[Phrase]:
        spans = [match.span() for match in ENGLISH_WORD.finditer(sentence)]
        words = [sentence[start:end].replace("’", "'") for start, end in spans]
        first = next((at for at, word in enumerate(words) if word[0].isalpha()), 0)
        shown = [word.lower() if word.isupper() and len(word) > 1 else word for word in words]
        if words and shown[first].lower() in self._lexicon:
            shown[first] = shown[first].lower()
        tags = [tag.partition("-")[0] for _, tag in self._tags(shown)] if words else []
        tags = [tag if word[0].isalnum() or tag == "POS" else "." for word, tag in zip(words, tags, strict=True)]
        tags = ["POS" if word.lower() == "'s" else tag for word, tag in zip(words, tags, strict=True)]
        for at in range(1, len(tags)):
            if tags[at] in ("VB", "VBP") and tags[at - 1] == "POS":
                tags[at] = "NN"  # Burnley's draw
        apart = [word.lower() in _TIMES for word in words]
        at = 0
        while at < len(tags):
            start = at
            if tags[at] not in _NOUN and tags[at] not in _BEFORE:
                at += 1
                continue
            at += 1
            while at < len(tags) and not apart[at] and tags[at] in (_BEHIND if tags[at - 1] in _NOUN else _WITHIN):
                at += 1
            end = at
            while end > start and tags[end - 1] not in _NOUN:
                end -= 1
            if end > start:
                yield Phrase(spans[start][0], spans[end - 1][1], sentence)


class SpacyPhrases:
    """Entities or noun chunks of a spaCy pipeline, as the published metrics take them.

    Parameters
    ----------
    name
        The name of an installed pipeline, such as ``en_core_web_sm``, or the path of one.
    kind
        What it will be asked for.
    """

    def __init__(self, name: str, kind: Kind) -> None:
        self._parsed = Pipeline(name, "phrases=spacy:…")
        self.signature = self._parsed.signature
        self._kind = kind
        sample = self._parsed(SAMPLE)
        able = sample.has_annotation("ENT_IOB") if kind == "entities" else sample.has_annotation("DEP")
        if not able or not sample.has_annotation("SENT_START"):
            needed = "an entity recognizer" if kind == "entities" else "a parser"
            raise UsageError(
                f"finding {kind} needs {needed} and sentences, and {one_line(name, 60)!r} has {self._parsed.parts}"
            )
        self.find = lru_cache(maxsize=64)(self._find)

    def _find(self, text: str) -> Sequence[Phrase]:
        found = []
        for sentence in self._parsed(text).sents:
            spans = sentence.ents if self._kind == "entities" else sentence.noun_chunks
            offset = sentence.start_char
            found += [Phrase(s.start_char - offset, s.end_char - offset, sentence.text) for s in spans]
        return found
