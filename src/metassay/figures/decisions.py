"""Whether a metric leads to the same decisions as people: stacked bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.figures.drawing import chosen
from metassay.figures.lanes import lanes, room, undefined
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    LINE,
    MOST_PANELS,
    ORANGE,
    PURPLE,
    SIZE,
    SKY,
    fitted,
    lay_out,
    legend_below,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.decisions import DecisionRow, Decisions

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""
PARTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("both_agree", "both find the same system better", {"facecolor": BLUE}),
    ("neither", "neither finds a difference", {"facecolor": SKY}),
    ("metric_only", "only the metric finds one", {"facecolor": "white", "hatch": "/////"}),
    ("human_only", "only people find one", {"facecolor": ORANGE, "hatch": "....."}),
    ("opposite", "opposite systems are better", {"facecolor": PURPLE, "hatch": "xxxxx"}),
)
"""The same decision first, in plain colours; then the different ones, hatched."""


def bars(result: Decisions, *, human: str | None = None) -> Figure:
    """Draw the decisions about pairs of systems as stacked bars, with the interval of the share that is the same.

    Parameters
    ----------
    result
        What ``decisions`` found.
    human
        Human criteria to draw; all of them by default.
    """
    humans = chosen("human", human, list(dict.fromkeys(r.human for r in result.table)), MOST_PANELS)
    rows = {h: _best_first([r for r in result.table if r.human == h]) for h in humans}
    labels = {r.metric: fitted(r.metric, LONGEST_LABEL) for found in rows.values() for r in found}
    edge: dict[str, Any] = {"edgecolor": BLACK, "linewidth": 0.4}
    handles: list[Any] = [Patch(label=label, **look, **edge) for _, label, look in PARTS]
    confidence = f"same decision, {100 * result.table[0].confidence:g}% interval"
    handles.append(Line2D([], [], color=BLACK, linewidth=0.9, marker="|", markersize=4, label=confidence))
    left = widest(labels.values()) + 0.12
    columns = 1 if len(humans) == 1 else 2
    width = max(COLUMN - left - 0.16, 1.5)
    lines = max(len(found) for found in rows.values())
    taken = left + columns * width + (columns - 1) * (left + 0.16)
    sheet = lay_out(
        len(humans),
        columns,
        (width, lines * LINE * 1.4 + 0.12),
        margins=(left, room(handles, taken, 0.16), 0.24, 0.44 + 0.13 * len(handles)),
        gaps=(left + 0.16, 0.62),
    )
    for axes, name in zip(sheet.panels, humans, strict=True):
        lanes(axes, [labels[r.metric] for r in rows[name]])
        for at, row in enumerate(rows[name]):
            _bar(axes, row, at, edge)
        axes.set_xlim(0, 100)
        axes.set_xticks([0, 25, 50, 75, 100], ["0", "25", "50", "75", "100%"])
        axes.set_xlabel("pairs of systems", fontsize=SIZE, labelpad=2)
        title(axes, name, width)
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _bar(axes: Axes, row: DecisionRow, at: int, edge: dict[str, Any]) -> None:
    if not row.n_pairs:
        undefined(axes, at)
        return
    start = 0.0
    for field, _, look in PARTS:
        share = 100 * getattr(row, field) / row.n_pairs
        if share:
            axes.barh(at, share, 0.66, left=start, **look, **edge)
        start += share
    if not math.isnan(row.low):
        # white behind black stays visible on every colour
        for colour, wide in (("white", 2.0), (BLACK, 0.9)):
            whisker: dict[str, Any] = {"color": colour, "linewidth": wide, "markeredgewidth": wide, "clip_on": False}
            axes.plot([100 * row.low, 100 * row.high], [at, at], marker="|", markersize=4, **whisker)


def _best_first(rows: list[DecisionRow]) -> list[DecisionRow]:
    return sorted(rows, key=lambda r: -r.agreement if not math.isnan(r.agreement) else math.inf)
