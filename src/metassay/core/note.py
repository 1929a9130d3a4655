"""What a reader must know, as a code and facts. Only `report` makes sentences of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Fact = str | int | float | bool | None | tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A code, such as ``references-left-out``, and the numbers and names that belong to it.

    Examples
    --------
    >>> note = Note.of("references-left-out", n=3)
    >>> note.code, note["n"]
    ('references-left-out', 3)
    """

    code: str
    """What is said."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Of what, and how much; several names are a tuple."""

    @classmethod
    def of(cls, code: str, **facts: Fact | Iterable[Any]) -> Note:
        """Make a note; lists become tuples, and NumPy's numbers Python's."""
        return cls(code, {name: _plain(value) for name, value in facts.items()})

    def __getitem__(self, fact: str) -> Any:  # noqa: ANN401 - a number, a name or several
        return self.facts[fact]

    def __hash__(self) -> int:
        return hash((self.code, tuple(self.facts.items())))


def _plain(value: Any) -> Fact:  # noqa: ANN401 - whatever a study counts
    if isinstance(value, str | int | float | None):
        return value
    if hasattr(value, "item") and not getattr(value, "ndim", 0):
        return _plain(value.item())
    return tuple(_plain(part) for part in value)
