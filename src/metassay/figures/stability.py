"""Whether the ranking of systems would come out the same again: curves by the number of inputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.figures.drawing import chosen
from metassay.figures.multiples import MOST, Multiples, neat_ticks, shared_numbers, small_panels, undefined_panel
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    STYLES,
    coefficient_words,
    fitted,
    lay_out,
    legend_below,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.stability import Stability, StabilityRow

TOGETHER = 6
"""Up to so many curves share a panel."""
LONGEST_LABEL = 1.3
"""Inches that a name in the legend may take."""
PEOPLE: tuple[Any, ...] = ("--", ":", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
"""Lines of human criteria where they stand behind each metric."""


def curves(result: Stability, *, metric: str | None = None) -> Figure:
    """Draw the mean correlation of two rankings, ± 1 standard deviation, by the number of inputs.

    A few curves share a panel, as in Deutsch, Dror and Roth (2022), Figure 3. Many get a panel each, with people's
    curves behind them.

    Parameters
    ----------
    result
        What ``stability`` found.
    metric
        Metrics or human criteria to draw; all of them by default.
    """
    names = chosen("metric", metric, list(dict.fromkeys(r.name for r in result.table)), MOST)
    rows = {n: sorted((r for r in result.table if r.name == n), key=lambda r: r.n_inputs) for n in names}
    rows = {n: found for n, found in rows.items() if found}
    if len(rows) <= TOGETHER:
        return _together(rows)
    return _apart(rows)


def _together(rows: dict[str, list[StabilityRow]]) -> Figure:
    labels = {n: f"{fitted(n, LONGEST_LABEL)}{_remark(found)}" for n, found in rows.items()}
    columns = 2 if len(rows) > 1 else 1
    lines = -(-len(rows) // columns)
    left, right = 0.4, 0.12
    width = max(COLUMN, left + columns * (widest(labels.values()) + 0.5)) - left - right
    sheet = lay_out(1, 1, (width, 1.75), margins=(left, right, 0.1, 0.42 + 0.13 * lines))
    grid = Multiples(sheet, width, 1)
    axes = sheet.panels[0]
    handles = []
    for (name, found), (colour, mark, line) in zip(rows.items(), STYLES, strict=False):
        _curve(axes, found, {"color": colour, "linestyle": line, "marker": mark, "markersize": 2.8, "linewidth": 1.0})
        look: dict[str, Any] = {"linestyle": line, "marker": mark, "markersize": 2.8, "linewidth": 1.0}
        handles.append(Line2D([], [], color=colour, label=labels[name], **look))
    if all(math.isnan(r.mean) for found in rows.values() for r in found):
        undefined_panel(axes)
    _scale(grid, 0, [r for found in rows.values() for r in found])
    legend_below(sheet.figure, handles, x=left, columns=columns)
    return sheet.figure


def _remark(rows: list[StabilityRow]) -> str:
    remarks = ["people"] if rows[0].kind == "human" else []
    if all(math.isnan(r.mean) for r in rows):
        remarks.append("undefined")
    return f" ({', '.join(remarks)})" if remarks else ""


def _apart(rows: dict[str, list[StabilityRow]]) -> Figure:
    people = {n: found for n, found in rows.items() if found[0].kind == "human"}
    behind = people if 0 < len(people) <= len(PEOPLE) and len(people) < len(rows) else {}
    names = [n for n in rows if n not in behind]
    handles: list[Any] = [
        Line2D([], [], color=BLUE, marker="o", markersize=2.4, linewidth=1.0, label="mean of the metric"),
        Patch(facecolor=BLUE, alpha=0.2, label="± 1 standard deviation"),
    ]
    for at, name in enumerate(behind):
        label = f"people: {fitted(name, LONGEST_LABEL)}"
        handles.append(Line2D([], [], color=BLACK, linewidth=0.7, linestyle=PEOPLE[at], label=label))
    grid = small_panels(len(names), 0.85, bottom=0.42 + 0.13 * len(handles), top=0.22, between=(0.18, 0.46))
    every = [r for found in rows.values() for r in found]
    for at, name in enumerate(names):
        axes = grid.sheet.panels[at]
        for number, found in enumerate(behind.values()):
            x = [r.n_inputs for r in found]
            axes.plot(x, [r.mean for r in found], color=BLACK, linewidth=0.7, linestyle=PEOPLE[number])
        _curve(axes, rows[name], {"color": BLUE, "marker": "o", "markersize": 2.0, "linewidth": 1.0})
        if all(math.isnan(r.mean) for r in rows[name]):
            undefined_panel(axes)
        _scale(grid, at, every)
        title(axes, name, grid.width)
    legend_below(grid.sheet.figure, handles, x=0.1)
    return grid.sheet.figure


def _curve(axes: Axes, rows: list[StabilityRow], look: dict[str, Any]) -> None:
    x = [r.n_inputs for r in rows]
    low, high = [r.mean - r.sd for r in rows], [r.mean + r.sd for r in rows]
    axes.fill_between(x, low, high, color=look["color"], alpha=0.16, linewidth=0)
    axes.plot(x, [r.mean for r in rows], **look)


def _scale(grid: Multiples, at: int, rows: list[StabilityRow]) -> None:
    """Give a panel the scales that all panels share; wide ranges of inputs are logarithmic."""
    axes = grid.sheet.panels[at]
    known = [v for r in rows for v in (r.mean - r.sd, r.mean + r.sd) if not math.isnan(v)] or [0.0, 1.0]
    ends = min(known) - 0.03, max(*known, 1.0) + 0.03
    axes.set_ylim(*ends)
    shared_numbers(axes, *neat_ticks(*ends), shown=grid.first(at))
    sizes = sorted({r.n_inputs for r in rows})
    if sizes[-1] > 20 * sizes[0]:
        axes.set_xscale("log")
        axes.minorticks_off()
        decades = [10**k for k in range(7) if sizes[0] <= 10**k <= sizes[-1]]
        axes.set_xticks(decades, [f"{v:,}" for v in decades])
    else:
        axes.locator_params(axis="x", nbins=4 if grid.width < 2 else 6, integer=True)
    if sizes[0] < sizes[-1]:
        axes.set_xlim(sizes[0] * 0.85 if sizes[-1] > 20 * sizes[0] else 0, sizes[-1] * 1.03)
    axes.axhline(1, color=GREY, linewidth=0.5, linestyle=(0, (3, 2)), zorder=0.5)
    # "correlation" has no room beside a small panel
    grid.label(at, "inputs in each sample", coefficient_words(rows[0].coefficient).removesuffix(" correlation"))
