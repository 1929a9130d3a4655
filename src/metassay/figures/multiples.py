"""Many small panels of one kind: two in a column of a paper, or four across a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metassay.figures.sheet import COLUMN, GREY, SIZE, SMALL, Sheet, lay_out, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 64
"""More small panels than this are no longer one figure."""
PAGE = 2 * COLUMN + 0.3
"""Width of a page of two columns."""
FEW = 8
"""Up to so many panels stay within one column of a paper."""


@dataclass(frozen=True)
class Multiples:
    """Small panels, and what is needed to label them."""

    sheet: Sheet
    """The figure and its panels."""
    width: float
    """Inches of a panel."""
    columns: int
    """Panels side by side."""

    def first(self, at: int) -> bool:
        """Return whether a panel is the first of its row."""
        return at % self.columns == 0

    def last(self, at: int) -> bool:
        """Return whether no panel stands below this one."""
        return at + self.columns >= len(self.sheet.panels)

    def label(self, at: int, across: str, up: str) -> None:
        """Name the axes: below the last panel of each column, and beside the first of each row."""
        axes = self.sheet.panels[at]
        open_frame(axes)
        if self.last(at):
            axes.set_xlabel(across, fontsize=SIZE, labelpad=2)
        if self.first(at):
            axes.set_ylabel(up, fontsize=SIZE, labelpad=2)


def small_panels(
    count: int,
    height: float,
    *,
    bottom: float,
    left: float = 0.42,
    top: float = 0.36,
    between: tuple[float, float] = (0.18, 0.6),
) -> Multiples:
    """Lay out small panels whose y axes are the same, or, with room between them, their own.

    Parameters
    ----------
    count
        How many panels.
    height
        Inches of a panel without its labels.
    bottom, left, top
        Margins; the left one holds the numbers and the name of the y axis.
    between
        Space between panels, side by side and above each other.
    """
    columns = min(count, 2 if count <= FEW else 4)
    right = 0.16
    page = COLUMN if columns <= 2 else PAGE
    width = (page - left - right - between[0] * (columns - 1)) / columns
    sheet = lay_out(count, columns, (width, height), margins=(left, right, top, bottom), gaps=between)
    return Multiples(sheet, width, columns)


def undefined_panel(axes: Axes) -> None:
    """Say that there is nothing to draw."""
    axes.text(0.5, 0.5, "undefined", transform=axes.transAxes, fontsize=SMALL, color=GREY, ha="center", va="center")


def shared_numbers(axes: Axes, ticks: Sequence[float], labels: Sequence[str], *, shown: bool) -> None:
    """Put numbers on the y axis, which only the first panel of a row shows."""
    axes.set_yticks(list(ticks), list(labels) if shown else [""] * len(labels), fontsize=SMALL)


def neat_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return round numbers between two ends, for panels that share an axis."""
    from matplotlib.ticker import MaxNLocator

    inside = [float(v) for v in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high) if low <= v <= high]
    return inside, [f"{v:g}".replace("-", "−") for v in (round(v, 10) for v in inside)]
