"""What a reader must know, as a code and facts. Only `report` makes sentences of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from metassay.core.equality import Record

Fact = str | int | float | bool | None | tuple[Any, ...]
WHERE = ("metric", "human", "level", "statistic")
"""Fields that say where a row of agreement stands."""


@dataclass(frozen=True, slots=True, repr=False)
class Note(Record):
    """A code, such as ``references-excluded``, and the numbers and names that belong to it; ``str()`` is a sentence.

    Examples
    --------
    >>> note = Note.of("references-excluded", n=3)
    >>> note, note["n"]
    (Note.of('references-excluded', n=3), 3)
    >>> print(note)
    3 human-written references that were scored as systems are excluded.
    """

    code: str
    """What is said."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Of what, and how much; several names are a tuple."""

    @classmethod
    def of(cls, code: str, **facts: Any) -> Note:  # noqa: ANN401 - see `_plain`
        """Make a note; lists become tuples, NumPy's numbers Python's, and undefined numbers None, as JSON has them."""
        return cls(code, {name: _plain(value) for name, value in facts.items()})

    @classmethod
    def when(cls, holds: object, code: str, **facts: Any) -> list[Note]:  # noqa: ANN401 - see `_plain`
        """Make a note, alone in a list, if this holds or there is something of it; else an empty list."""
        return [cls.of(code, **facts)] if holds else []

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))

    def __getitem__(self, fact: str) -> Any:  # noqa: ANN401 - a number, a name or several
        return self.facts[fact]

    def __hash__(self) -> int:
        return hash((self.code, tuple(self.facts.items())))

    def __repr__(self) -> str:
        return f"Note.of({', '.join([repr(self.code), *(f'{name}={fact!r}' for name, fact in self.facts.items())])})"

    def __str__(self) -> str:
        from metassay.core.result import render

        return str(render("note", self))


def where_of(row: object) -> dict[str, Any]:
    """Return where a row of agreement stands, as facts of a note."""
    return {name: getattr(row, name) for name in WHERE}


def _plain(value: Any) -> Fact:  # noqa: ANN401 - whatever a study counts
    if hasattr(value, "item") and not getattr(value, "ndim", 0):
        value = value.item()
    if isinstance(value, str | int | float | None):
        return value if value == value else None
    return tuple(_plain(part) for part in value)
