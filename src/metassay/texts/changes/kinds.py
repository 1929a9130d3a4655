"""Every kind of corruption: what it does to a text, which quality criterion it damages, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metassay.texts.changes import edits, probes
from metassay.texts.changes.analysis import Need
from metassay.texts.changes.edits import Draft, Setting

UNHARMED = "none"
"""What probes damage: a judge should say the same of the text as before."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of corruption."""

    edit: Callable[[Setting], Draft]
    """Lists the edits of a text."""
    criterion: str
    """The quality criterion that it is made to damage."""
    units: str
    """What the rate is a share of."""
    needs: tuple[Need, ...] = ()
    """What it asks of the back end."""
    rate: float = 1.0
    """The rate if none is said."""
    spaces: bool = True
    """Whether it needs spaces between words, and so cannot damage a text in Chinese."""
    source: bool = False
    """Whether it can do nothing without a source."""
    english: bool = False
    """Whether the built-in rules for it know only English."""


KINDS: dict[str, Kind] = {
    "lemmatize": Kind(edits.lemmatize, "fluency", "inflected verbs", ("verbs",), english=True),
    "shuffle": Kind(edits.shuffle, "coherence", "sentences", ("sentences",), spaces=False),
    "swap-persons": Kind(edits.swap_persons, "consistency", "persons", ("people",), source=True),
    "drop-words": Kind(edits.drop_words, "fluency", "words", rate=0.2),
    "repeat": Kind(edits.repeat, "coherence", "sentences", ("sentences",), spaces=False),
    "negate": Kind(edits.negate, "consistency", "sentences", ("sentences", "verbs"), english=True),
    "swap-numbers": Kind(edits.swap_numbers, "consistency", "numbers", spaces=False),
    "truncate": Kind(edits.truncate, "relevance", "words", rate=0.5),
    "padding": Kind(probes.padding, UNHARMED, "sentences", ("sentences",), spaces=False),
    "repetition": Kind(probes.repetition, UNHARMED, "sentences", ("sentences",), spaces=False),
    "reformat": Kind(probes.reformat, UNHARMED, "sentences", ("sentences",), spaces=False),
    "position-swap": Kind(probes.position_swap, UNHARMED, "answers", spaces=False),
    "name-swap": Kind(probes.name_swap, UNHARMED, "names of models", spaces=False),
}
"""Every kind of corruption by name."""
