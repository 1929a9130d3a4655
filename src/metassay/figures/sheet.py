"""What figures share: paper, panels, colours, and text that fits.

Sizes are in inches and points, fixed by the number and the length of labels, so that text is never scaled and never
overlaps. A single panel is about as wide as one column of a paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from metassay.errors import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMN = 3.3
"""Width of one column of a paper."""
SIZE, SMALL = 7.0, 6.0
"""Points of titles and axes, and of names and numbers."""
LINE = 0.105
"""Height of a line of small text with air around it."""
LEGEND_LINE = 0.13
"""Height of a line of the legend."""
MOST_PANELS = 12
"""More than this are no longer one figure."""

BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
"""Okabe and Ito's colours, which people of all kinds of colour vision tell apart."""
BLACK, GREY, PALE = "#1a1a1a", "#8c8c8c", "#e6e6e6"
GROUPS: tuple[tuple[str, str], ...] = (
    (BLUE, "o"),
    (VERMILLION, "^"),
    (GREEN, "s"),
    (PURPLE, "D"),
    (ORANGE, "v"),
    (SKY, "P"),
)
"""Colour and marker of each group: the marker tells them apart in greyscale."""
STYLES: tuple[tuple[str, str, Any], ...] = (
    *((BLUE, "o", "-"), (VERMILLION, "s", "--"), (GREEN, "^", "-."), (ORANGE, "D", ":")),
    *((PURPLE, "v", "-"), (SKY, "P", "--"), (BLACK, "X", "-."), (GREY, "*", ":")),
)
"""Colour, mark and line of each curve: they can be told apart without colours."""
COLOURS = "viridis"
"""Colours for numbers: lightness rises all the way, so it reads the same in greyscale."""
MISSING: dict[str, Any] = {"facecolor": "#ffffff", "edgecolor": GREY, "hatch": "//////", "linewidth": 0}
"""How missing cells look."""
MISSING_KEY: dict[str, Any] = {**MISSING, "linewidth": 0.5}
"""The same in a legend, where it needs a frame."""


def plain(text: object, limit: int = 60) -> str:
    """Return a name from the data as text that matplotlib does not take for mathematics."""
    return one_line(text, limit).replace("$", r"\$")


@cache
def _renderer() -> Any:  # noqa: ANN401 - an object of matplotlib's
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=72))
    return canvas.get_renderer()


@cache
def width_of(text: str, size: float = SMALL, weight: str = "normal") -> float:
    """Return the width of a text in inches."""
    prop = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    shown = text.replace(r"\$", "$")
    return float(_renderer().get_text_width_height_descent(shown, prop, ismath=False)[0]) / 72


def widest(texts: Iterable[str], size: float = SMALL) -> float:
    """Return the width of the widest text in inches."""
    return max((width_of(text, size) for text in texts), default=0.0)


def fitted(text: object, width: float, size: float = SMALL, weight: str = "normal") -> str:
    """Return a name that is at most so many inches wide; what is too long loses its middle."""
    whole = one_line(text, 200)
    if width_of(plain(whole, 200), size, weight) <= width:
        return plain(whole, 200)
    for keep in range(len(whole) - 1, 1, -1):
        tail = keep // 3
        shorter = f"{whole[: keep - tail]}…{whole[len(whole) - tail :]}"
        if width_of(plain(shorter, 200), size, weight) <= width:
            return plain(shorter, 200)
    return "…"


def told_apart(names: Iterable[str], width: float, size: float = SMALL) -> dict[str, str]:
    """Return names that are at most so many inches wide, and no two alike.

    Where cutting makes names alike, what they have in common at the start is cut instead; if that does not help, they
    are numbered.

    Examples
    --------
    >>> list(told_apart(["a-metric-with-model-1-large", "a-metric-with-model-2-large"], 0.6).values())
    ['…1-large', '…2-large']
    """
    labels = {name: fitted(name, width, size) for name in names}
    for alike in _alike(labels):
        start = next((at for at, letters in enumerate(zip(*alike, strict=False)) if len(set(letters)) > 1), 0)
        for name in alike:
            labels[name] = fitted(f"…{name[start:]}", width, size)
    for alike in _alike(labels):
        for number, name in enumerate(alike, start=1):
            ending = f" ({number})"
            labels[name] = fitted(name, width - width_of(ending, size), size) + ending
    return labels


def _alike(labels: dict[str, str]) -> list[list[str]]:
    """Return the names that have the same label."""
    groups: dict[str, list[str]] = {}
    for name, label in labels.items():
        groups.setdefault(label, []).append(name)
    return [names for names in groups.values() if len(names) > 1]


@dataclass(frozen=True)
class Sheet:
    """A figure with panels in rows and columns, all of one size."""

    figure: Figure
    """The figure."""
    panels: list[Axes]
    """Row by row from the top; only as many as were asked for."""


def lay_out(
    count: int,
    columns: int,
    panel: tuple[float, float],
    *,
    margins: tuple[float, float, float, float],
    gaps: tuple[float, float] = (0.15, 0.45),
    heights: Sequence[float] | None = None,
) -> Sheet:
    """Lay out panels.

    Parameters
    ----------
    count, columns
        How many panels, and how many of them stand side by side.
    panel
        Width and height of a panel without its labels.
    margins
        Space left, right, above and below all panels.
    gaps
        Space between panels, side by side and above each other.
    heights
        Heights of the panels of each row, if rows differ in height.
    """
    rows = -(-count // columns)
    (width, height), (left, right, top, bottom) = panel, margins
    high = [height] * rows if heights is None else list(heights)
    total_w = left + columns * width + (columns - 1) * gaps[0] + right
    total_h = top + sum(high) + (rows - 1) * gaps[1] + bottom
    figure = Figure(figsize=(total_w, total_h))
    panels = []
    for at in range(count):
        row, column = divmod(at, columns)
        x = left + column * (width + gaps[0])
        y = total_h - top - sum(high[: row + 1]) - row * gaps[1]
        axes = figure.add_axes((x / total_w, y / total_h, width / total_w, high[row] / total_h))
        axes.tick_params(labelsize=SMALL, length=2, width=0.5, pad=2, color=GREY)
        for spine in axes.spines.values():
            spine.set(linewidth=0.5, color=GREY)
        panels.append(axes)
    return Sheet(figure, panels)


def open_frame(axes: Axes) -> None:
    """Take away the frame on the right and at the top."""
    axes.spines["right"].set_visible(False)
    axes.spines["top"].set_visible(False)


def few_numbers(axes: Axes, width: float) -> None:
    """Let the x axis have as many numbers as fit side by side."""
    axes.locator_params(axis="x", nbins=max(2, min(5, int(width / 0.42))))


def coefficient_words(coefficient: str) -> str:
    """Return what a coefficient is called on an axis."""
    return {"kendall": "Kendall's τ", "kendall-a": "Kendall's τa", "kendall-c": "Kendall's τc"}.get(
        coefficient, f"{coefficient.capitalize()} correlation"
    )


def names_on_y(axes: Axes, names: Sequence[str]) -> None:
    """Name the lines of a panel from the top, or, without names, leave the lines unlabelled."""
    axes.set_yticks(range(len(names)), names, fontsize=SMALL)
    axes.tick_params(axis="y", length=0)


def title(axes: Axes, text: str, width: float, *, second: str = "") -> None:
    """Write a title, and perhaps a second line, above a panel; it is cut to the panel's width."""
    lines = [fitted(text, width, SIZE)] + ([fitted(second, width, SIZE)] if second else [])
    axes.set_title("\n".join(lines), fontsize=SIZE, loc="left", pad=3, linespacing=1.1)


def legend_below(figure: Figure, handles: Sequence[Any], *, x: float, y: float = 0.04, columns: int = 1) -> None:
    """Put a legend into the lower margin; `x` and `y` are inches from the left and the bottom."""
    width, height = figure.get_size_inches()
    figure.legend(
        handles=list(handles),
        loc="lower left",
        bbox_to_anchor=(x / width, y / height),
        ncols=columns,
        fontsize=SMALL,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.6,
        handletextpad=0.5,
        columnspacing=1.2,
        labelspacing=0.35,
    )
