"""Names down the side with several values each: a bar, a mark and an interval for every value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from metassay.figures.sheet import GREY, PALE, SMALL, STYLES, told_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP = 0.062
"""Inches from one value to the next below it."""
MARKS = (*(mark for _, mark, _ in STYLES), "<", ">", "p", "h", "d", "8", "H")
"""Eight colours and fifteen marks: together they repeat only after 120 series."""
LEAST, TALLEST = 0.032, 8.5
"""Inches of a step if there are very many, and of a panel before steps become smaller."""
AIR = 0.7
"""Space between names, in steps."""
LONGEST_KEY = 1.3
"""Inches that a name in the legend may take, so that two stand side by side in a column of a paper."""


@dataclass(frozen=True)
class Stem:
    """One value with its interval."""

    value: float
    low: float
    high: float
    filled: bool = True
    """Whether its mark is solid."""


def look(number: int) -> tuple[str, str]:
    """Return colour and mark of a series."""
    return STYLES[number % len(STYLES)][0], MARKS[number % len(MARKS)]


def unit(names: int, series: int) -> float:
    """Return the inches that a step takes: fewer if there are many, but never so few that names come too close."""
    whole = series + AIR
    return max(min(STEP, TALLEST / (names * whole)), 0.118 / whole, LEAST)


def height(names: int, series: int) -> float:
    """Return the inches that all names with their values take."""
    return names * (series + AIR) * unit(names, series)


def stems(axes: Axes, names: Sequence[str], values: Sequence[Sequence[Stem | None]], start: float) -> None:
    """Draw a group of bars for every name, from the top; all bars begin at `start`.

    Parameters
    ----------
    axes
        The panel.
    names
        Its names, or empty texts.
    values
        For every name one value per series; None leaves a gap, NaN is told as undefined.
    start
        Where bars begin.
    """
    series = len(values[0]) if values else 1
    whole = series + AIR
    points = 72 * unit(len(values), series)
    bar, size = min(2.2, 0.5 * points), min(2.7, 0.75 * points)
    for at, group in enumerate(values):
        top = at * whole
        if at % 2:
            axes.axhspan(top, top + whole, color=PALE, alpha=0.45, linewidth=0, zorder=0)
        if all(one is None or math.isnan(one.value) for one in group):
            words: dict[str, Any] = {"fontsize": SMALL, "color": GREY, "va": "center"}
            axes.text(0.02, top + whole / 2, "undefined", transform=axes.get_yaxis_transform(), **words)
            continue
        for number, one in enumerate(group):
            if one is None or math.isnan(one.value):
                continue
            y = top + AIR / 2 + number + 0.5
            colour, mark = look(number)
            axes.plot([start, one.value], [y, y], color=colour, alpha=0.3, linewidth=bar, solid_capstyle="butt")
            if not math.isnan(one.low):
                axes.plot([one.low, one.high], [y, y], color=colour, linewidth=0.7, solid_capstyle="butt")
            face = colour if one.filled else "white"
            style: dict[str, Any] = {"marker": mark, "markersize": size, "markeredgewidth": 0.6, "linestyle": ""}
            axes.plot([one.value], [y], color=colour, markerfacecolor=face, clip_on=False, **style)
    axes.set_yticks([at * whole + whole / 2 for at in range(len(names))], list(names), fontsize=SMALL)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(values) * whole, 0)


def keys(names: Sequence[str]) -> list[Line2D]:
    """Return the legend of the series."""
    return [
        Line2D([], [], color=colour, marker=mark, markersize=3, linewidth=0.9, label=name)
        for name, (colour, mark) in (
            (name, look(number)) for number, name in enumerate(told_apart(names, LONGEST_KEY).values())
        )
    ]


def span(values: Sequence[Stem | None], start: float, least: float = -math.inf, most: float = math.inf) -> list[float]:
    """Return the ends of the axis: all intervals, and where bars begin, with some air."""
    known = [start] + [v for one in values if one for v in (one.value, one.low, one.high) if not math.isnan(v)]
    air = 0.04 * (max(known) - min(known)) or 0.01
    return [max(min(known) - air, least), min(max(known) + air, most)]
