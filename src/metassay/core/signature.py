"""The recipe of a number in one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

VERSION = "0.1.0"


@dataclass(frozen=True, slots=True)
class Signature:
    """How a number was made, in order, as ``key:value`` parts.

    Examples
    --------
    >>> str(Signature.of("agree", level=["system"], coef="kendall-b", seed=0))
    'study:agree|level:system|coef:kendall-b|seed:0|v:0.1.0'
    """

    parts: tuple[tuple[str, str], ...]
    """Keys and values, the study first and the version last."""

    @classmethod
    def of(cls, study: str, **parts: object) -> Signature:
        """Make a signature; lists are joined by commas and parts that are None are left out."""
        known = [(key, _plain(value)) for key, value in parts.items() if value is not None]
        return cls((("study", study), *known, ("v", VERSION)))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Return the signature of a line.

        Examples
        --------
        >>> str(Signature.parse("study:agree|level:system|v:0.1.0"))
        'study:agree|level:system|v:0.1.0'
        """
        parts = [part.partition(":") for part in text.split("|")]
        return cls(tuple((key, value) for key, _, value in parts))

    def __getitem__(self, key: str) -> str:
        return dict(self.parts)[key]

    def __str__(self) -> str:
        return "|".join(f"{key}:{value}" for key, value in self.parts)


def _plain(value: object) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(_plain(v) for v in value)
    # names of columns may be anything, but a bar would end the part
    return str(value).replace("|", "/")
