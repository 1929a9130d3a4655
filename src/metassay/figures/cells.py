"""Tables of coloured cells with a number in each: darker is more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib import colormaps
from matplotlib.patches import Rectangle

from metassay.figures.sheet import BLACK, GREY, MISSING, ORANGE, SMALL, names_on_y

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 0.32, 0.135
"""Inches of a cell: a number of four signs, and a line of text with air."""
SHADES = "Blues"
"""From white to dark: the same in greyscale."""
DARKEST = 0.85
"""How far along the shades the largest value is, so that white numbers stay readable on it."""
TURN = 0.62
"""Numbers are white from this share of the darkness on."""
SHADE = "#6baed6"
"""The middle of the shades, for legends."""
SAME = "#d0d0d0"
"""A cell that has no meaning, such as a criterion against itself."""


def frame(axes: Axes, across: Sequence[str], down: Sequence[str]) -> None:
    """Give a panel its names below and at the left, and one unit of space for each cell."""
    names_on_y(axes, down)
    axes.set_xticks(range(len(across)), across, rotation=90, fontsize=SMALL)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(across) - 0.5)
    axes.set_ylim(len(down) - 0.5, -0.5)


def cell(axes: Axes, at: tuple[int, int], value: float, text: str, *, weak: bool = False, marked: bool = False) -> None:
    """Draw one cell.

    Parameters
    ----------
    axes
        The panel.
    at
        Column and row, from the top left.
    value
        How dark it is, from 0 to 1; NaN is hatched.
    text
        What is written in it.
    weak
        Leave it white, with its text in grey: the number means little.
    marked
        Draw a line inside its border.
    """
    x, y = at
    if math.isnan(value):
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **MISSING))
        return
    share = min(max(value, 0.0), 1.0)
    colour = "white" if weak else colormaps[SHADES](share * DARKEST)
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.5))
    if marked:
        axes.add_patch(Rectangle((x - 0.44, y - 0.4), 0.88, 0.8, fill=False, edgecolor=ORANGE, linewidth=0.9))
    ink = GREY if weak else "white" if share > TURN else BLACK
    axes.text(x, y, text, fontsize=SMALL, color=ink, ha="center", va="center_baseline")


def same(axes: Axes, at: tuple[int, int]) -> None:
    """Draw a cell without meaning."""
    axes.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, facecolor=SAME, edgecolor="white", linewidth=0.5))
