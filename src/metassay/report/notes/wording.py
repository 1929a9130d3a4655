"""What a sentence of a note is made of: a weight, a template, and how numbers and names are written in it."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Formatter
from typing import Any

from metassay.core import vocabulary
from metassay.core.note import Fact
from metassay.errors import listed, one_line
from metassay.report import names, numbers

Facts = Mapping[str, Any]

WEIGHTS = ("hint", "data", "method", "limit", "caveat", "answer")
"""How much a note weighs, the most last: how to get more; what the data are; what a method assumes; numbers rest on
less than it seems; it changes what may be concluded; it answers the question."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said of one code."""

    weight: str
    """The more, the earlier it stands."""
    text: str | Callable[[Facts], str]
    """A template with the facts in braces (see :class:`Words`), or a function where the words depend on the facts."""

    @classmethod
    def of_numbers(cls, weight: str, say: Callable[[Facts], str]) -> Sentence:
        """Return a sentence whose function is told undefined facts, which are None, as NaN."""
        return cls(weight, lambda facts: say({name: _number(fact) for name, fact in facts.items()}))

    def __call__(self, facts: Facts) -> str:
        """Return it on one line."""
        return one_line(said(self.text, facts) if isinstance(self.text, str) else self.text(facts), 1000)

    def written(self, *kinds: str) -> list[str]:
        """Return the facts of a template that are written in some forms."""
        if not isinstance(self.text, str):
            return []
        return [field for _, field, spec, _ in Formatter().parse(self.text) if field and spec in kinds]

    @property
    def merged(self) -> list[str]:
        """Facts in which notes may differ and still be one line: their values become a list."""
        return self.written("each", "statistics", "pairs", "lists")

    @property
    def most(self) -> list[str]:
        """Numbers in which notes may differ as well: the largest is told, or the smallest and the largest."""
        return self.written("most", "range")


def _number(fact: Fact) -> Fact:
    if isinstance(fact, tuple):
        return tuple(map(_number, fact))
    return math.nan if fact is None else fact


class Words(Formatter):
    """Formats numbers and names as people read them.

    Beside Python's own formats: ``list`` (names), ``each`` (the same, of notes that are merged), ``statistics``
    (the same, of statistics), ``pairs`` (of names),
    ``lists`` (names, each with a list of its own; both are merged, too), ``tally WORD`` (names, each with a count),
    ``len WORD`` (how many names), ``several WORDS`` (if there is more than one name), ``most`` (the largest of several
    counts), ``range`` (the ends of several numbers), ``count WORD``, ``plural ONE|MORE`` (# is the number),
    ``as VALUE=WORDS|…`` (* is any other value, and # the value), ``place`` (a range of score differences), ``percent``,
    ``change``, ``beside WORDS`` (# is a percentage; nothing if it is undefined) ``title`` (of a
    statistic) and ``name``.
    """

    def format_field(self, value: Any, spec: str) -> str:  # noqa: ANN401 - a fact
        """Return one fact as text."""
        kind, _, word = spec.partition(" ")
        value = math.nan if value is None and kind in ("percent", "change", "beside") else value
        match kind:
            case "list" | "each":
                return listed(map(str, value if isinstance(value, tuple) else (value,)), 6, 60)
            case "statistics":
                return listed(map(names.coefficient, value if isinstance(value, tuple) else (value,)), 6, 60)
            case "pairs":
                return listed([f"{one_line(a, 60)} and {one_line(b, 60)}" for a, b in value], 4, 125)
            case "lists":
                having: dict[str, list[str]] = {}
                for what, some in value:
                    having.setdefault(listed(some, 4, 40), []).append(what)
                return listed((f"{listed(whose, 4, 60)} ({some})" for some, whose in having.items()), 6, 400)
            case "tally":
                each = (f"{one_line(what, 60)} ({numbers.counted(n, word) if word else n})" for what, n in value)
                return listed(each, 6, 80) or "none"
            case "len":
                return numbers.counted(len(value), word)
            case "several":
                return word if isinstance(value, tuple) and len(value) > 1 else ""
            case "most":
                return f"up to {max(value):,}" if isinstance(value, tuple) else f"{value:,}"
            case "range":
                ends = (min(value), max(value)) if isinstance(value, tuple) else (value,)
                return " to ".join(dict.fromkeys(f"{end:.2f}" for end in ends))
            case "count":
                return numbers.counted(int(value), word)
            case "plural":
                one, more = word.split("|")
                return one if value == 1 else more.replace("#", f"{value:,}")
            case "as":
                known = dict(each.split("=", 1) for each in word.split("|"))
                return known.get(str(value), known.get("*", "")).replace("#", str(value))
            case "place":
                return _place(*value)
            case "percent" | "change":
                return str(getattr(numbers, kind)(value))
            case "beside":
                return "" if value != value else word.replace("#", numbers.percent(value))
            case "title":
                return vocabulary.statistic_title(value)
            case "name":
                return one_line(value, 60)
        return "undefined" if value is None else str(format(value, spec))


def _place(kind: str, low: float, high: float) -> str:
    if kind != "share":
        return f"differences from {low:g} to {high:g}" if math.isfinite(high) else f"differences of at least {low:g}"
    return f"closest {100 * high:g}%" + (f" without the closest {100 * low:g}%" if low else "")


_WORDS = Words()


def said(template: str, facts: Facts) -> str:
    """Return a template with its facts."""
    return _WORDS.vformat(template, (), facts)


def templates() -> dict[str, Sentence]:
    """Return the sentences that are templates."""
    text = (files("metassay.report.notes") / "sentences.toml").read_text(encoding="utf-8")
    return {
        code: Sentence(weight, each) for weight, codes in tomllib.loads(text).items() for code, each in codes.items()
    }
