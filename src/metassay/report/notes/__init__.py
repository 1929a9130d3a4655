"""From notes to sentences: the only place where what a reader must know is put into words, merged and ordered.

``sentences.toml`` has a template for every code; ``computed`` has those whose words depend on more than one fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from metassay.core.note import Note
from metassay.report.notes.computed import SENTENCES as COMPUTED
from metassay.report.notes.judging import SENTENCES as JUDGING
from metassay.report.notes.wording import WEIGHTS, Sentence, templates
from metassay.report.table import Paragraph

SENTENCES: dict[str, Sentence] = templates() | COMPUTED | JUDGING
"""A sentence for every code."""


def sentence(note: Note) -> str:
    """Return one note as a sentence."""
    return SENTENCES[note.code](note.facts)


def is_answer(note: Note) -> bool:
    """Return whether a note answers the question of its study."""
    return SENTENCES[note.code].weight == "answer"


def paragraph(*notes: Note) -> Paragraph:
    """Return notes as one paragraph."""
    return Paragraph(tuple(map(sentence, notes)), tuple(note.facts for note in notes))


def sentences(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return notes as sentences, those that differ only in a name or a count in one line, the weightiest first."""
    return tuple(each.text for each in paragraphs(notes))


def paragraphs(notes: Iterable[Note]) -> tuple[Paragraph, ...]:
    """Return the same with what they speak of."""
    ordered = sorted(merged(notes), key=lambda note: -WEIGHTS.index(SENTENCES[note.code].weight))
    return tuple({each.text: each for each in map(paragraph, ordered)}.values())


def merged(notes: Iterable[Note]) -> list[Note]:
    """Return notes that differ only in a name or a count as one."""
    kept = list(notes)
    for fact in dict.fromkeys(fact for note in kept for fact in SENTENCES[note.code].merged):
        kept = _merged(kept, lambda sentence, fact=fact: {fact} & {*sentence.merged})  # type: ignore[misc]
    return _merged(kept, lambda sentence: {*sentence.merged, *sentence.most} if sentence.most else set())


def _merged(notes: list[Note], facts_of: Callable[[Sentence], set[str]]) -> list[Note]:
    """Return notes that differ only in some facts as one, with all their values."""
    groups: dict[tuple[Any, ...], list[Note]] = {}
    for at, note in enumerate(notes):
        facts = facts_of(SENTENCES[note.code])
        same = tuple((name, value) for name, value in note.facts.items() if name not in facts)
        groups.setdefault((note.code, same) if facts else (at,), []).append(note)
    return [_joined(group, facts_of(SENTENCES[group[0].code])) for group in groups.values()]


def _joined(notes: list[Note], facts: set[str]) -> Note:
    if len(notes) == 1:
        return notes[0]
    joined = {}
    for fact in facts:
        values = (note[fact] for note in notes)
        every = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
        joined[fact] = tuple(dict.fromkeys(every))
    return Note(notes[0].code, {**notes[0].facts, **joined})
