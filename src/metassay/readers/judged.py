"""A row of what one person said, in which some fields are of the output and of no person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Judged(dict[str, Any]):
    """A row of one person.

    Parameters
    ----------
    row
        All fields.
    own
        Names of the fields that the person gave.
    """

    def __init__(self, row: Mapping[str, Any], own: Iterable[str]) -> None:
        super().__init__(row)
        self.own = frozenset(own)
