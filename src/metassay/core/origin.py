"""Where scores and texts come from."""

from __future__ import annotations

from typing import NamedTuple

from metassay.errors import one_line


class Origin(NamedTuple):
    """A file and its format, or what was done and how; ``str()`` is a line for people.

    Examples
    --------
    >>> print(Origin("scores.csv", "tidy CSV"))
    scores.csv (tidy CSV)
    """

    name: str
    """The file, or what was done, such as ``translated``; empty for scores that a metric gave."""
    format: str
    """The format that was recognised, or the recipe."""

    def __str__(self) -> str:
        return f"{one_line(self.name)} ({self.format})" if self.name else self.format
