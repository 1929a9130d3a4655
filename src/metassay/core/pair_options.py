"""Options of which pairs of systems are looked at, and how; see :mod:`metassay.core.options`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import Option, number, under, when

PAPER_STEPS = 10
"""Steps of the grid of score differences in Deutsch, Dror and Roth (2022)."""
_paired = under("which pairs of systems")


def _signed_bounds(value: Iterable[tuple[float, float]]) -> list[str]:
    return [f"{lower:g}:{upper:g}" for lower, upper in value]


def _steps(what: str, value: bool | int) -> int:
    return (0, PAPER_STEPS)[value] if isinstance(value, bool) else known.count(what, value, 2)


Bounds = Annotated[
    "str | Iterable[tuple[float, float]] | None",
    _paired(
        "ranges of score differences, in units of the scores, such as 0:0.5,0.5:1,1:",
        known.ranges,
        metavar="LOW:HIGH",
        key="bounds",
        signed=_signed_bounds,
    ),
]
Shares = Annotated[
    "str | Iterable[float] | None",
    _paired(
        "shares of the pairs that are closest in score, a comma list, or none",
        known.shares,
        metavar="SHARE",
        absent="none",
        key="shares",
    ),
]
Triangle = Annotated[
    bool | int,
    _paired(
        "evaluate all ranges of score differences on a grid of this many quantiles (10 in the paper)",
        key="triangle",
        signed=lambda steps: steps or None,
        **number("STEPS", _steps),
    ),
]
Curve = Annotated[
    bool,
    _paired("fit the probability that people agree as a function of the score difference", **when("curve", "logistic")),
]
Differences = Annotated[
    "str | Iterable[float] | None",
    _paired(
        "score differences to interpret, in units of the metric, a comma list, such as 0.5,1,2",
        known.positives,
        metavar="SIZE",
        absent="five round numbers up to the largest in the data",
        key="difference",
    ),
]
Sizes = Annotated[
    "str | Iterable[int] | None",
    Option(
        "sample sizes (numbers of inputs), a comma list; each column is limited by its own number of inputs",
        known.counts,
        metavar="N",
        absent="ten sizes up to the number of inputs",
    ),
]
