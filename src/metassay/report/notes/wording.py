"""What a sentence of a note is made of: a weight, a template, and how numbers and names are written in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from metassay.errors import listed, one_line
from metassay.report import numbers

Facts = Mapping[str, Any]

ANSWER, CAVEAT, LIMIT, METHOD, DATA, HINT = 6, 5, 4, 3, 2, 1
"""How much a note weighs: it answers the question; it changes what may be concluded; numbers rest on less than it
seems; what a method assumes; what the data are; how to get more."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said of one code."""

    weight: int
    """The more, the earlier it stands."""
    text: str | Callable[[Facts], str]
    """A template with the facts in braces (see :class:`Words`), or a function where the words depend on the facts."""
    merged: tuple[str, ...] = ()
    """Facts in which notes may differ and still be one line: their values become a list."""
    most: str | None = None
    """A count in which notes may differ as well: the largest is told."""

    def __call__(self, facts: Facts) -> str:
        """Return the sentence on one line."""
        return one_line(said(self.text, facts) if isinstance(self.text, str) else self.text(facts), 1000)


class Words(Formatter):
    """Formats numbers and names as people read them.

    Beside Python's own formats: ``list`` (names), ``len WORD`` (how many names), ``several WORDS`` (if there is more
    than one name), ``most`` (the largest of several counts), ``count WORD``, ``plural ONE|MORE`` (# is the number),
    ``percent``, ``change`` and ``name``.
    """

    def format_field(self, value: Any, spec: str) -> str:  # noqa: ANN401 - a fact
        """Return one fact as text."""
        kind, _, word = spec.partition(" ")
        match kind:
            case "list":
                return listed(map(str, value if isinstance(value, tuple) else (value,)), 6, 60)
            case "len":
                return numbers.counted(len(value), word)
            case "several":
                return word if isinstance(value, tuple) and len(value) > 1 else ""
            case "most":
                return f"up to {max(value):,}" if isinstance(value, tuple) else f"{value:,}"
            case "count":
                return numbers.counted(int(value), word)
            case "plural":
                one, more = word.split("|")
                return one if value == 1 else more.replace("#", f"{value:,}")
            case "percent":
                return numbers.percent(value)
            case "change":
                return numbers.change(value)
            case "name":
                return one_line(value, 60)
        return str(format(value, spec))


_WORDS = Words()


def said(template: str, facts: Facts) -> str:
    """Return a template with its facts."""
    return _WORDS.vformat(template, (), facts)
