"""Names down the side of a panel, each with a lane of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metassay.figures.sheet import GREY, PALE, SMALL, names_on_y, open_frame, widest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def lanes(axes: Axes, names: Sequence[str]) -> None:
    """Give every name, from the top, a lane; every second one is shaded. Empty names leave lanes unlabelled."""
    for at in range(1, len(names), 2):
        axes.axhspan(at - 0.5, at + 0.5, color=PALE, alpha=0.45, linewidth=0, zorder=0)
    names_on_y(axes, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    open_frame(axes)


def undefined(axes: Axes, at: int) -> None:
    """Say in a lane that there is no value."""
    place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center"}
    axes.text(0.02, at, "undefined", fontsize=SMALL, color=GREY, **place)


def room(handles: Sequence[Any], taken: float, least: float = 0.1, *, start: float = 0.06) -> float:
    """Return how wide the right margin must be for a legend in one column to stay on the paper.

    Parameters
    ----------
    handles
        The entries of the legend.
    taken
        Inches of the figure without its right margin.
    least
        The smallest margin.
    start
        Where the legend begins, in inches from the left.
    """
    return max(least, start + 0.26 + widest(str(handle.get_label()) for handle in handles) - taken)
