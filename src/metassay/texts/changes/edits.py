"""The edits that damage a text: each kind of corruption lists what it could change, and how."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from metassay.texts.changes.analysis import Analysis, in_case_of
from metassay.texts.changes.persons import Mention, Name, is_sentence_case, renamed
from metassay.texts.segments import Span, terms, word_list, words

M = TypeVar("M", "Mention", "Number")
N = TypeVar("N")
Draw = Callable[[], float]
"""Gives the next random number between 0 and 1."""


class Edit(NamedTuple):
    """One stretch of a text and what takes its place."""

    start: int
    """Where it begins in the original text."""
    end: int
    """Where it ends; the same as the start where something is only put in."""
    after: str
    """What takes its place."""


class Draft(NamedTuple):
    """The edits of one text, before they are applied."""

    edits: list[Edit]
    """In the order of the text; they do not overlap."""
    units: int
    """How many places could have been changed."""


class Setting(NamedTuple):
    """What an edit may look at."""

    text: str
    """The text to be damaged."""
    source: str
    """The source it was made from; empty if unknown."""
    people: Sequence[Name]
    """The persons of the source, where a kind needs them."""
    analysis: Analysis
    """Finds sentences, verbs and persons."""
    rate: float
    """The share of units to change."""
    draw: Draw
    """Random numbers of this text alone."""

    def chosen(self, n: int) -> list[int]:
        """Return which of `n` units to change, in order.

        On average exactly the share `rate` is chosen: what is left of a whole number is decided by chance. What is
        chosen at one rate is chosen at every higher rate.
        """
        order = _order(n, self.draw)
        return sorted(order[: int(self.rate * n + self.draw())])


def _order(n: int, draw: Draw) -> list[int]:
    keys = [draw() for _ in range(n)]
    return sorted(range(n), key=keys.__getitem__)


# -- words --------------------------------------------------------------------------------------


def lemmatize(setting: Setting) -> Draft:
    """Put inflected verbs into their dictionary form."""
    text = setting.text
    inflected = [v for v in setting.analysis.verbs(text, setting.source) if v.lemma != text[v.start : v.end]]
    chosen = [inflected[at] for at in setting.chosen(len(inflected))]
    return Draft([Edit(v.start, v.end, v.lemma) for v in chosen], len(inflected))


def drop_words(setting: Setting) -> Draft:
    """Leave out words, each with the space that follows it, or precedes it at the end of a line."""
    text, spans = setting.text, words(setting.text)
    edits: list[Edit] = []
    for at in setting.chosen(len(spans)):
        start, end = spans[at]
        if end < len(text) and text[end] == " ":
            end += 1
        elif start > 0 and text[start - 1] == " " and (not edits or edits[-1].end < start):
            start -= 1
        edits.append(Edit(start, end, ""))
    return Draft(edits, len(spans))


def truncate(setting: Setting) -> Draft:
    """Cut words off the end."""
    text, spans = setting.text, words(setting.text)
    cut = len(setting.chosen(len(spans)))
    if not cut:
        return Draft([], len(spans))
    kept = spans[-cut - 1].end if cut < len(spans) else 0
    return Draft([Edit(kept, len(text), "")], len(spans))


# -- sentences ----------------------------------------------------------------------------------


def shuffle(setting: Setting) -> Draft:
    """Move sentences to each other's places; every one that is chosen ends up elsewhere."""
    text, spans = setting.text, setting.analysis.sentences(setting.text)
    units = len(spans) if len({text[start:end] for start, end in spans}) > 1 else 0
    chosen = setting.chosen(units)
    if len(chosen) == 1:  # one alone cannot move: half of the time it takes a companion
        others = [at for at in range(units) if at not in chosen]
        partner = others[int(setting.draw() * len(others))]
        chosen = sorted([*chosen, partner]) if setting.draw() < 0.5 else []
    target = list(chosen)
    for last in range(len(target) - 1, 0, -1):  # Sattolo's algorithm: one cycle through all, nobody stays
        swap = int(setting.draw() * last)
        target[last], target[swap] = target[swap], target[last]
    edits = [
        Edit(*spans[place], text[slice(*spans[moved])])
        for place, moved in zip(chosen, target, strict=True)
        if text[slice(*spans[moved])] != text[slice(*spans[place])]
    ]
    return Draft(edits, units)


def repeat(setting: Setting) -> Draft:
    """Say sentences twice, the second time right behind the first."""
    text, spans = setting.text, setting.analysis.sentences(setting.text)
    gaps = [text[a.end : b.start] for a, b in pairwise(spans)]
    gaps = [*gaps, gaps[-1] if gaps else " "]
    edits = [
        Edit(spans[at].end, spans[at].end, gaps[at] + text[slice(*spans[at])]) for at in setting.chosen(len(spans))
    ]
    return Draft(edits, len(spans))


_AUXILIARIES = word_list("is are was were am has have had will would can could may might must shall should do does did")
_CONTRACTED = re.compile(r"(\w+)n['’]t\Z", re.IGNORECASE)
_BASES = {"wo": "will", "ca": "can", "sha": "shall", "ai": "is"}
_NEGATION = re.compile(r"\s+(?:not|n['’]t)(?![^\W_])|n['’]t(?![^\W_])", re.IGNORECASE)


def negate(setting: Setting) -> Draft:
    """Turn what sentences say into the contrary: ``not`` is put in, or taken out where it stood."""
    text = setting.text
    verbs = setting.analysis.verbs(text, setting.source)
    starts = [verb.start for verb in verbs]
    possible = []
    for span in setting.analysis.sentences(text):
        edit = _negation_at_auxiliary(text, span)
        if edit is None:
            own = verbs[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
            within = [v for v in own if v.lemma[:1].isalpha()]
            finite = [v for v in within if v.tag in ("VBD", "VBZ", "VBP")] or [v for v in within if v.tag == "VBN"]
            if finite:
                verb = finite[0]
                do = {"VBZ": "does", "VBP": "do"}.get(verb.tag, "did")
                written = text[verb.start : verb.end]
                edit = Edit(verb.start, verb.end, f"{in_case_of(do, written)} not {verb.lemma.lower()}")
        if edit is not None:
            possible.append(edit)
    return Draft([possible[at] for at in setting.chosen(len(possible))], len(possible))


def _negation_at_auxiliary(text: str, span: Span) -> Edit | None:
    for start, end in terms(text, *span):
        word = text[start:end]
        contracted = _CONTRACTED.match(word)
        stem = (contracted[1] if contracted else word).lower()
        base = _BASES.get(stem, stem)
        if contracted and base in _AUXILIARIES:
            return Edit(start, end, in_case_of(base, word))
        if word.lower() == "cannot":
            return Edit(start, end, in_case_of("can", word))
        negation = _NEGATION.match(text, end, span.end)
        if negation and base in _AUXILIARIES:
            return Edit(start, negation.end(), in_case_of(base, word))
        if stem in _AUXILIARIES:
            return Edit(end, end, " NOT" if word.isupper() and len(word) > 1 else " not")
    return None


# -- names and numbers --------------------------------------------------------------------------


def swap_persons(setting: Setting) -> Draft:
    """Put another person of the source in the place of each one that is named."""
    text = setting.text
    found = setting.analysis.mentions(text, setting.source, setting.people)
    sentence_case = any(is_sentence_case(text[m.start : m.end]) for m in found)
    possible = []
    for mention in found:
        own = {word.lower() for word in mention.name}
        others = [name for name in setting.people if not own & {word.lower() for word in name}]
        if others:
            possible.append((mention, others))
    return _swapped(setting, possible, lambda m, name: renamed(text[m.start : m.end], m.part, name, sentence_case))


def _swapped(setting: Setting, possible: Sequence[tuple[M, Sequence[N]]], written: Callable[[M, N], str]) -> Draft:
    """Put one of the others, at random, in the place of each that is chosen."""
    picks = [setting.draw() for _ in possible]
    edits = []
    for at in setting.chosen(len(possible)):
        here, others = possible[at]
        edits.append(Edit(here.start, here.end, written(here, others[int(picks[at] * len(others))])))
    return Draft(edits, len(possible))


_NUMBER = re.compile(
    r"(?<![\w.,])(?:(?P<ordinal>\d+(?:st|nd|rd|th))|(?P<compound>\d+(?:[-–:/]\d+)+)|(?P<plain>\d+(?:,\d{3})*(?:\.\d+)?))"
    r"(?!\w|[-–:/.,]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[89]|20)\d\d\Z")
_NUMERALS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    "nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_SPELLED = re.compile(rf"(?<![\w-])(?:{_NUMERALS})(?![\w-])", re.IGNORECASE)


class Number(NamedTuple):
    """A number in a text."""

    start: int
    end: int
    text: str
    kind: str
    """``ordinal``, ``compound`` (such as 2-1 or 10:30), ``year``, ``plain`` or ``word``."""


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text: digits of several kinds, and numerals from two to ninety.

    Examples
    --------
    >>> [(n.text, n.kind) for n in numbers("In 2015 two men ran 1,500 m , the 83rd time .")]
    [('2015', 'year'), ('two', 'word'), ('1,500', 'plain'), ('83rd', 'ordinal')]
    """
    found = [Number(*m.span(), m.group(), "word") for m in _SPELLED.finditer(text)]
    for match in _NUMBER.finditer(text):
        kind = match.lastgroup or "plain"
        if kind == "plain" and _YEAR.match(match.group()):
            kind = "year"
        found.append(Number(*match.span(), match.group(), kind))
    return sorted(found)


def swap_numbers(setting: Setting) -> Draft:
    """Put another number in the place of each, of the same kind, from the source or else from the text itself."""
    here, there = numbers(setting.text), numbers(setting.source)
    pools = [{n.text.lower(): n.kind for n in place} for place in (there, here)]
    possible = []
    for number in here:
        own = number.text.lower()
        others = ([text for text, kind in pool.items() if kind == number.kind and text != own] for pool in pools)
        possible += [(number, found) for found in [next(filter(None, others), None)] if found]
    return _swapped(setting, possible, lambda number, new: in_case_of(new, number.text))
