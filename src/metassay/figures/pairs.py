"""Whether a small difference in score means anything: curves over the closest pairs, chances, and triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.errors import DataError, UsageError
from metassay.figures.drawing import chosen
from metassay.figures.multiples import MOST, neat_ticks, shared_numbers, small_panels, undefined_panel
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLOURS,
    COLUMN,
    GREY,
    MISSING_KEY,
    SIZE,
    SMALL,
    VERMILLION,
    lay_out,
    legend_below,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.pairs import ScorePairs, ScorePairsRow

NUMBERED = 6
"""Up to so many triangles have room for numbers in their cells."""
CELL, BARE = 0.235, 0.115
"""Inches of a cell with a number, and without."""
POINTS = 60
"""How many points make a curve look smooth."""
NEEDED_LOOK: dict[str, Any] = {
    "color": VERMILLION,
    **{"marker": "D", "markersize": 2.8, "linestyle": ":", "linewidth": 0.6},
}

Panels = dict[tuple[str, str], list["ScorePairsRow"]]


def curves(result: ScorePairs, *, human: str | None = None, metric: str | None = None) -> Figure:
    """Draw r_sys Δ(0, u) over the closest pairs with its band, a panel per metric and criterion.

    The form is that of Deutsch, Dror and Roth (2022), Figure 6: shares of the pairs below, the largest score difference
    among them above.

    Parameters
    ----------
    result
        What ``pairs`` found.
    human, metric
        Human criteria and metrics to draw; all of them by default.
    """
    panels = _panels(result, "share", human, metric, "shares of the closest pairs; leave shares at its default")
    known = [v for rows in panels.values() for r in rows for v in (r.estimate, r.low, r.high) if not math.isnan(v)]
    ends = min([0.0, *known]) - 0.04, max([0.0, *known]) + 0.04
    ticks = neat_ticks(*ends)
    grid = small_panels(len(panels), 0.95, bottom=0.62, top=0.52, between=(0.18, 0.78))
    for at, ((name, criterion), rows) in enumerate(panels.items()):
        axes = grid.sheet.panels[at]
        axes.axhline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
        x = [100 * r.share for r in rows]
        if all(math.isnan(r.estimate) for r in rows):
            undefined_panel(axes)
        axes.fill_between(x, [r.low for r in rows], [r.high for r in rows], color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(x, [r.estimate for r in rows], color=BLUE, marker="o", markersize=2.4, linewidth=0.9, clip_on=False)
        axes.set_xlim(0, 103)
        axes.set_ylim(*ends)
        axes.set_xticks([20, 60, 100], ["20%", "60%", "100%"])
        shared_numbers(axes, *ticks, shown=grid.first(at))
        grid.label(at, "closest pairs of systems", "Kendall's τ")
        _largest_differences(axes, rows)
        title(axes, name, grid.width, second=criterion)
        axes.set_title(axes.get_title(loc="left"), fontsize=SIZE, loc="left", pad=12, linespacing=1.1)
    handles: list[Any] = [
        Line2D([], [], color=BLUE, marker="o", markersize=2.4, linewidth=0.9, label="pairs at most u apart (u on top)"),
        Patch(facecolor=BLUE, alpha=0.2, label=_band(result)),
    ]
    legend_below(grid.sheet.figure, handles, x=0.1)
    return grid.sheet.figure


def _largest_differences(axes: Axes, rows: list[ScorePairsRow]) -> None:
    """Write the largest score difference above some of the shares, as far apart as their numbers need."""
    top = axes.secondary_xaxis("top")
    places: list[float] = []
    for row in sorted(rows, key=lambda row: -row.share):
        if math.isfinite(row.upper) and all(abs(100 * row.share - p) >= 38 for p in places):
            places.append(100 * row.share)
    upper = {100 * row.share: row.upper for row in rows}
    top.set_xticks(places, [_short(upper[p]) for p in places], fontsize=SMALL, color=GREY)
    top.tick_params(length=2, width=0.5, pad=1, color=GREY)
    top.spines["top"].set_visible(False)


def chance(result: ScorePairs, *, human: str | None = None, metric: str | None = None) -> Figure:
    """Draw the fitted chance that people agree by the score difference, with its band and the differences needed.

    Parameters
    ----------
    result
        What ``pairs`` found.
    human, metric
        Human criteria and metrics to draw; all of them by default.
    """
    panels = _panels(result, "curve", human, metric, "the fitted curve; leave curve at its default")
    fits = {(c.metric, c.human): c for c in result.curves}
    drawn = {key: [(d, *fits[key].chance(d)) for d in _steps_to(fits[key].largest)] for key in panels}
    ends = min([0.48, *(v[2] for points in drawn.values() for v in points if not math.isnan(v[2]))]), 1.01
    marks = [v for v in (0.0, 0.25, 0.5, 0.75, 1.0) if v >= ends[0]]
    grid = small_panels(len(panels), 0.85, bottom=0.78, left=0.5, between=(0.2, 0.6))
    for at, (key, points) in enumerate(drawn.items()):
        axes = grid.sheet.panels[at]
        x, middle, low, high = (list(column) for column in zip(*points, strict=True))
        if all(math.isnan(v) for v in middle):
            undefined_panel(axes)
        axes.axhline(0.5, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
        axes.fill_between(x, low, high, color=BLUE, alpha=0.2, linewidth=0)
        axes.plot(x, middle, color=BLUE, linewidth=1.0)
        for row in (r for r in result.table if (r.kind, r.metric, r.human) == ("needed", *key)):
            if row.estimate <= x[-1]:
                axes.plot([row.estimate] * 2, [ends[0], row.agreement], **NEEDED_LOOK | {"marker": ""})
                axes.plot([row.estimate], [row.agreement], **NEEDED_LOOK, clip_on=False)
        axes.set_ylim(*ends)
        if x[-1] > 0:
            axes.set_xlim(0, x[-1])
        axes.locator_params(axis="x", nbins=3)
        shared_numbers(axes, marks, [f"{100 * v:.0f}%" for v in marks], shown=grid.first(at))
        grid.label(at, "difference in score", "people agree")
        title(axes, key[0], grid.width, second=key[1])
    needed = sorted({r.agreement for r in result.table if r.kind == "needed"})
    handles: list[Any] = [
        Line2D([], [], color=BLUE, linewidth=1.0, label="fitted chance that people agree"),
        Patch(facecolor=BLUE, alpha=0.2, label=_band(result)),
        Line2D([], [], label=f"difference needed for {', '.join(f'{100 * v:g}%' for v in needed)}", **NEEDED_LOOK),
    ]
    legend_below(grid.sheet.figure, handles, x=0.1)
    return grid.sheet.figure


def _steps_to(largest: float) -> list[float]:
    return [largest * k / POINTS for k in range(POINTS + 1)]


def triangle(result: ScorePairs, *, human: str | None = None, metric: str | None = None) -> Figure:
    """Draw r_sys Δ(l, u) for all l and u as a map, a panel per metric and criterion.

    The form is that of Deutsch, Dror and Roth (2022), Figure 9: the closest pairs are at the top left, all pairs at the
    top right, and the pairs farthest apart at the bottom right.

    Parameters
    ----------
    result
        What ``pairs`` found.
    human, metric
        Human criteria and metrics to draw; all of them by default.
    """
    panels = _panels(result, "triangle", human, metric, "the triangle; ask for it with --triangle 10 or triangle=True")
    steps = len({r.share_below for rows in panels.values() for r in rows})
    numbered = len(panels) <= NUMBERED and steps <= 10
    side = max(steps * (CELL if numbered else BARE), 1.1)
    columns = min(len(panels), 4 if not numbered and len(panels) > 4 else 2)
    known = [r.estimate for rows in panels.values() for r in rows if not math.isnan(r.estimate)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    missing = len(known) < sum(len(rows) for rows in panels.values())
    left = 0.46
    right = max(0.2, COLUMN - left - columns * side - 0.24 * (columns - 1) if columns == 1 else 0.2)
    sheet = lay_out(
        len(panels),
        columns,
        (side, side),
        margins=(left, right, 0.36, 0.78 + (0.14 if missing else 0)),
        gaps=(0.24, 0.62),
    )
    mesh: Any = None
    for at, ((name, criterion), rows) in enumerate(panels.items()):
        axes = sheet.panels[at]
        mesh = _cells(axes, rows, steps, (low, high), numbered=numbered)
        # a bare panel is narrow: the numbers of neighbours must not meet
        marks = sorted({round(steps * share) for share in ((0.2, 0.4, 0.6, 0.8, 1) if numbered else (0.2, 0.6, 1))})
        names = [f"{100 * k / steps:.0f}%" for k in marks]
        axes.set_xticks([k - 0.5 for k in marks], names, fontsize=SMALL)
        axes.set_yticks([k - 0.5 for k in marks], names if at % columns == 0 else [""] * len(marks), fontsize=SMALL)
        if at + columns >= len(panels):
            axes.set_xlabel("pairs up to u", fontsize=SIZE, labelpad=2)
        if at % columns == 0:
            axes.set_ylabel("closest left out, l", fontsize=SIZE, labelpad=2)
        title(axes, name, side, second=criterion)
    _colour_key(sheet.figure, mesh, left, 0.3 + (0.14 if missing else 0))
    if missing:
        legend_below(sheet.figure, [Patch(label="undefined", **MISSING_KEY)], x=left)
    return sheet.figure


def _cells(axes: Axes, rows: list[ScorePairsRow], steps: int, ends: tuple[float, float], *, numbered: bool) -> Any:  # noqa: ANN401 - an object of matplotlib's
    from matplotlib.patches import Rectangle

    from metassay.figures.sheet import MISSING

    values = np.full((steps, steps), np.nan)
    for row in rows:
        y = round(row.share_below * steps)
        x = round((row.share_below + row.share) * steps) - 1
        values[y, x] = row.estimate
        if math.isnan(row.estimate):
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **MISSING))
        elif numbered:
            light = (row.estimate - ends[0]) / ((ends[1] - ends[0]) or 1.0) > 0.55
            text = f"{row.estimate:.2f}".replace("0.", ".", 1).replace("1.00", "1").replace("-", "−")
            axes.text(*(x, y, text), fontsize=SMALL - 0.5, ha="center", va="center", color=BLACK if light else "white")
    edges = np.arange(steps + 1) - 0.5
    mesh = axes.pcolormesh(
        *(edges, edges, np.ma.masked_invalid(values)), cmap=COLOURS, vmin=ends[0], vmax=ends[1], edgecolor="white"
    )
    mesh.set_linewidth(0.3)
    axes.set_ylim(steps - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return mesh


def _colour_key(figure: Figure, mesh: Any, left: float, low: float) -> None:  # noqa: ANN401 - an object of matplotlib's
    """Draw the colour bar lying in the lower margin."""
    width, height = figure.get_size_inches()
    place = figure.add_axes((left / width, low / height, 1.4 / width, 0.08 / height))
    bar = figure.colorbar(mesh, cax=place, orientation="horizontal")
    bar.ax.tick_params(labelsize=SMALL, length=2, width=0.5, pad=1)
    bar.outline.set_linewidth(0.4)
    bar.ax.locator_params(axis="x", nbins=4)
    figure.text((left + 1.5) / width, (low + 0.04) / height, "Kendall's τ", fontsize=SMALL, va="center")


def _panels(result: ScorePairs, kind: str, human: str | None, metric: str | None, needed: str) -> Panels:
    """Return the rows of a kind by metric and criterion."""
    rows = [r for r in result.table if r.kind == kind]
    if not rows:
        names = {"share": "curves", "curve": "chance", "triangle": "triangle"}
        raise UsageError(f"the figure {names[kind]} needs {needed}")
    humans = chosen("human", human, list(dict.fromkeys(r.human for r in rows)), MOST)
    metrics = chosen("metric", metric, list(dict.fromkeys(r.metric for r in rows)), MOST, len(humans))
    found: Panels = {}
    for h in humans:
        for m in metrics:
            here = [r for r in rows if (r.metric, r.human) == (m, h)]
            if here:
                found[m, h] = here
    if not found:
        raise DataError("there is nothing to draw: no metric was studied against these criteria")
    return found


def _band(result: ScorePairs) -> str:
    return f"{100 * result.table[0].confidence:g}% interval ({result.table[0].interval})"


def _short(number: float) -> str:
    """Return a number of few signs."""
    return f"{number:.2g}" if abs(number) < 100 else f"{number:.0f}"
