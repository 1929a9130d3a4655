"""The one language pair that scores are read for; segments of different pairs are different inputs."""

from __future__ import annotations

from collections.abc import Iterable

from metassay.errors import UsageError, listed, one_line

EVERY = "*"
"""Stands for all language pairs: none is read, all are seen."""


class LanguagePair:
    """The language pair that is read, and where it was settled.

    Parameters
    ----------
    wanted
        The pair the user asked for; None where the files must settle it.
    """

    def __init__(self, wanted: str | None) -> None:
        self.wanted = wanted
        self.chosen: str | None = None
        self.columns: tuple[str, ...] = ()
        """Names or globs of the only columns that are wanted; empty if all are."""
        self.unread: dict[str, None] = {}
        """Columns of the pair that are not wanted."""
        self.skipped: dict[str, list[str]] = {}
        """Files that lack the wanted pair, and the pairs that they have."""
        self.seen: dict[str, None] = {}
        """All pairs that files hold."""
        self._settled_by = ""

    def settle(self, found: Iterable[str], shown: str) -> str | None:
        """Return the pair to take out of those a file has, None if it lacks the one that is wanted.

        Several without a choice are an error.
        """
        pairs = sorted(set(found))
        self.seen.update(dict.fromkeys(pairs))
        if self.wanted == EVERY:
            return None
        if self.wanted is not None:
            if self.wanted not in pairs:
                self.skipped[shown] = pairs
                return None
            pairs = [self.wanted]
        remedy = "choose one with language=… or --language"
        if len(pairs) > 1:
            raise UsageError(f"{one_line(shown)}: holds {len(pairs)} language pairs ({listed(pairs, 40)}); {remedy}")
        if self.chosen not in (None, pairs[0]):
            raise UsageError(
                f"{one_line(shown)} is about {pairs[0]} and {one_line(self._settled_by)} about "
                f"{self.chosen}; give files of one language pair"
            )
        self.chosen, self._settled_by = pairs[0], shown
        return pairs[0]
