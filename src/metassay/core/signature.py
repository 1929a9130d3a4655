"""The recipe of a number in one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metassay.core.option import Option

VERSION = "0.1.0"
ORDER = tuple(
    """
    by average baseline level coef cut epsilon abstain over sizes method anchor buckets bounds shares triangle
    curve ties covariates pca groups lda cv target test corrupt at of cutoff
    margin alt alpha corr correction p resample raters refs difference ci elo next trials
    k seed sentinels people style bias populations outliers tasks metrics judges columns systems inputs votes
    halves annotated means chosen
    """.split()  # noqa: SIM905 - one word after the other is easier to read than quotes and commas
)
"""In which order parts stand that options know, and that studies add."""


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
    def open(cls, **parts: object) -> Signature:
        """Say what the options of a study do not: sizes, and what was computed; None leaves out what an option says.

        `metassay.core.study` closes it.
        """
        return cls(tuple((key, "" if value is None else _plain(value)) for key, value in parts.items()))

    @property
    def is_open(self) -> bool:
        """Whether the study and its options are still to be told."""
        return "study" not in dict(self.parts)

    def closed(self, study: str, options: Iterable[tuple[Option, object]]) -> Signature:
        """Return the signature of a study with these options; options of one key stand side by side."""
        told: dict[str, list[object]] = {}
        for option, value in options:
            if option.key is not None and (part := option.in_signature(value)) not in (None, ()):
                told.setdefault(option.key, []).append(part)
        parts = {**{key: _plain(values) for key, values in told.items()}, **dict(self.parts)}
        known = sorted(((key, text) for key, text in parts.items() if text), key=lambda part: ORDER.index(part[0]))
        return Signature((("study", study), *known, ("v", VERSION)))

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
