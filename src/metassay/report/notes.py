"""From notes to sentences: the only place where what a reader must know is put into words, merged and ordered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import Formatter
from typing import Any

from metassay.core.note import Note
from metassay.errors import listed, one_line
from metassay.report import numbers

CAVEAT, LIMIT, METHOD, DATA, HINT = 5, 4, 3, 2, 1
"""How much a note weighs: it changes what may be concluded; numbers rest on less than it seems; what a method assumes;
what the data are; how to get more."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said of one code."""

    weight: int
    """The more, the earlier it stands."""
    text: str
    """A template with the facts in braces. Beside Python's formats: ``list`` (names), ``count WORD``, ``percent``,
    ``p``, ``r`` (a correlation) and ``name``."""
    merged: str | None = None
    """A fact in which notes may differ and still be one line: its values become a list."""


SENTENCES: dict[str, Sentence] = {}
"""A sentence for every code."""


class _Words(Formatter):
    """Formats numbers and names as people read them."""

    def format_field(self, value: Any, spec: str) -> str:  # noqa: ANN401 - a fact
        kind, _, word = spec.partition(" ")
        match kind:
            case "list":
                return listed(map(str, value), 6)
            case "count":
                return numbers.counted(int(value), word)
            case "percent":
                return numbers.percent(value)
            case "change":
                return numbers.change(value)
            case "p":
                return numbers.p_value(value)
            case "r":
                return numbers.correlation(value)
            case "name":
                return one_line(value, 60)
        return str(format(value, spec))


_WORDS = _Words()


def sentences(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return notes as sentences, those that differ only in a name in one line, the weightiest first."""
    kept: dict[tuple[Any, ...], list[Note]] = {}
    for note in notes:
        merged = SENTENCES[note.code].merged
        same = tuple((name, fact) for name, fact in note.facts.items() if name != merged)
        kept.setdefault((note.code, same), []).append(note)
    said = [(-SENTENCES[group[0].code].weight, _said(group)) for group in kept.values()]
    return tuple(text for _, text in sorted(dict.fromkeys(said), key=lambda each: each[0]))


def _said(notes: list[Note]) -> str:
    sentence, facts = SENTENCES[notes[0].code], dict(notes[0].facts)
    if sentence.merged is not None:
        values = [note[sentence.merged] for note in notes]
        every = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
        facts[sentence.merged] = tuple(dict.fromkeys(every))
    return _WORDS.vformat(sentence.text, (), facts)
