"""Who translates: Apertium, a Marian model, or any command, by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.texts.changes.apertium import Apertium
    from metassay.texts.changes.command import Command
    from metassay.texts.changes.marian import Marian

Unit = Literal["text", "line", "sentence"]
"""What a translator takes at a time; it sees no line breaks unless it takes whole texts."""

NAMES = ("apertium", "marian", "marian:MODEL", "command:CMD", "command-jsonl:CMD")
"""The translators, as they are named."""


class Translated(NamedTuple):
    """A segment in the other language."""

    text: str
    """The translation."""
    unknown: int | None
    """Words that the translator did not know; None if it does not tell."""
    cut: bool = False
    """Whether the segment was too long for the translator, so that its end is lost."""


def translator(name: str, source: str, target: str, *, timeout: float) -> Apertium | Marian | Command:
    """Return the translator of a name for a direction; all it needs is there, so nothing fails after work began.

    Its `signature` is part of the cache's key; a call takes up to `batch` segments, each a `unit`, and `threads` calls
    may run side by side, None for one per processor.

    Parameters
    ----------
    name
        One of :data:`NAMES`. In a model or a command, ``{from}`` and ``{to}`` stand for the languages.
    source, target
        The two languages, such as ``"en"`` and ``"es"``.
    timeout
        Seconds that one call of a program may last.
    """
    kind, _, rest = name.partition(":")
    if kind == "apertium" and not rest:
        from metassay.texts.changes.apertium import Apertium

        return Apertium(source, target, timeout=timeout)
    if kind == "marian":
        from metassay.texts.changes.marian import Marian

        return Marian(source, target, *([rest] if rest else []))
    if kind in ("command", "command-jsonl") and rest.strip():
        from metassay.texts.changes.command import Command

        return Command(rest, source, target, json_lines=kind == "command-jsonl", timeout=timeout)
    raise UsageError(f"a translator is one of {', '.join(NAMES)}; got {one_line(name, 60)!r}")


_HOLE = re.compile(r"\{(from|to)\}")


def filled(template: str, source: str, target: str) -> str:
    """Return a template with the languages in the places of ``{from}`` and ``{to}``."""
    return _HOLE.sub(lambda match: source if match[1] == "from" else target, template)
