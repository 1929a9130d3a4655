"""Everything metassay raises on purpose.

::

    MetassayError
    ├── UsageError          an option, a name or an argument is wrong; the command line exits with 2
    │   └── UnknownName     a metric, human criterion, system or method that does not exist
    └── DataError           the data does not allow what was asked; the command line exits with 1
        ├── FormatError     a file is not what it should be; names file, line and field
        └── Contradiction   two places give different scores for the same cell

Each message is one line: the rule, the value that was seen, and the choices or the remedy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["Contradiction", "DataError", "FormatError", "MetassayError", "UnknownName", "UsageError"]


def visible(text: object) -> str:
    r"""Return `text` with its control and bidirectional characters, line breaks among them, as symbols.

    Examples
    --------
    >>> visible("a\n\u202eb")
    'a\\n\\u202eb'
    """
    try:
        said = str(text)
    except ValueError:  # an integer too long for Python to print
        return "an integer of thousands of digits"
    return said if said.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in said)


def one_line(text: object, limit: int = 120) -> str:
    """Return `text` on one line, escaped where it would break one, and cut at `limit` characters."""
    flat = visible(text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def listed(names: Iterable[str], most: int = 12, width: int = 40) -> str:
    """Return names for a message, each on one line, the first few of many."""
    every = list(names)
    shown = ", ".join(one_line(name, width) for name in every[:most])
    return shown + (f" and {len(every) - most} more" if len(every) > most else "")


class MetassayError(Exception):
    """The root of the tree: catch this to catch all that metassay raises on purpose."""

    exit_code = 1


class UsageError(MetassayError, ValueError):
    """An option, a name or an argument is wrong."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that does not exist, with the nearest ones that do.

    Parameters
    ----------
    what
        What kind of thing was named, such as ``"metric"``.
    name
        The name that was given.
    known
        The names that would have been right.
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        choices = [one_line(k, 60) for k in known]
        near = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
        if not near:
            near = [c for c in choices if name.lower() in c.lower()][:1]
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"unknown {what} {one_line(name, 60)!r}{hint} (known: {listed(choices, width=60) or 'none'})")
        self.name = name


class DataError(MetassayError, ValueError):
    """The data does not allow what was asked."""


class FormatError(DataError):
    """A file is not what it should be.

    Parameters
    ----------
    message
        What is wrong, and what would be right.
    file
        The file's name as the user gave it.
    line
        The line, counted from one, where that makes sense.
    """

    def __init__(self, message: str, *, file: object = None, line: int | None = None) -> None:
        where = "" if file is None else one_line(file) + (f", line {line}" if line is not None else "") + ": "
        super().__init__(where + message)
        self.file = file
        self.line = line


class Contradiction(DataError):
    """Two places give different scores for the same cell."""
