"""Which damage metrics notice: shares as a table of cells, and curves over the rate of damage."""

from __future__ import annotations

import math
from itertools import cycle
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.errors import DataError
from metassay.figures.cells import HEIGHT, SHADE, WIDTH, cell, frame, same
from metassay.figures.drawing import chosen
from metassay.figures.lanes import room
from metassay.figures.multiples import undefined_panel
from metassay.figures.sheet import (
    COLUMN,
    LEGEND_LINE,
    MISSING_KEY,
    MOST_PANELS,
    SIZE,
    STYLES,
    fitted,
    lay_out,
    legend_below,
    open_frame,
    title,
    told_apart,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metassay.studies.downgrade import Downgrade

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""
LONGEST_KIND = 1.2
"""Inches that a kind of damage may take."""
DODGE = 0.022
"""How far apart the curves of kinds of damage stand."""


def noticed(result: Downgrade) -> Figure:
    """Draw the share of systems that each metric noticed: metrics × kinds of damage."""
    metrics = list(dict.fromkeys(c.metric for c in result.counts))
    kinds = list(dict.fromkeys(c.kind for c in result.counts))
    damages = sorted({(c.kind, c.rate) for c in result.counts}, key=lambda one: (kinds.index(one[0]), one[1]))
    several = len({rate for _, rate in damages}) > 1
    labels = told_apart(metrics, LONGEST_LABEL)
    below = {(kind, rate): _damage(kind, rate, several=several) for kind, rate in damages}
    wide = WIDTH * 1.25
    size = max(len(damages) * wide, 1.0), len(metrics) * HEIGHT
    left, foot = widest(labels.values()) + 0.1, widest(below.values()) + 0.1
    handles = [Patch(facecolor=SHADE, label="systems noticed, of those that could be")]
    if any(math.isnan(c.share) for c in result.counts):
        handles.append(Patch(label="none could be: no other was significantly lower", **MISSING_KEY))
    right = room(handles, left + size[0], 0.12)
    sheet = lay_out(1, 1, size, margins=(left, right, 0.12, foot + 0.08 + LEGEND_LINE * len(handles)))
    axes = sheet.panels[0]
    frame(axes, [below[d] for d in damages], [labels[m] for m in metrics])
    found = {(c.metric, c.kind, c.rate): c for c in result.counts}
    for y, metric in enumerate(metrics):
        for x, (kind, rate) in enumerate(damages):
            count = found.get((metric, kind, rate))
            if count is None:
                same(axes, (x, y))
            else:
                cell(axes, (x, y), count.share, f"{count.n_noticed}/{count.n_testable}")
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def sensitivity(result: Downgrade, *, metric: str | None = None) -> Figure:
    """Draw the share of systems noticed against the rate of damage: a panel per metric, a curve per kind.

    Parameters
    ----------
    result
        What ``downgrade`` found.
    metric
        Metrics to draw; all of them by default.
    """
    counts = list(result.counts)
    if len({c.rate for c in counts}) < 2:
        raise DataError("curves need damage at several rates, and there is one; the figure noticed shows it")
    metrics = chosen("metric", metric, list(dict.fromkeys(c.metric for c in counts)), MOST_PANELS)
    kinds = list(dict.fromkeys(c.kind for c in counts))
    columns = min(2, len(metrics))
    left, right, gap = 0.4, 0.12, 0.22
    width = (COLUMN - left - right - gap * (columns - 1)) / columns
    longest = (COLUMN - left) / 2 - 0.5
    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle=line, markersize=3, linewidth=0.9, label=label)
        for label, (colour, mark, line) in zip((fitted(kind, longest) for kind in kinds), cycle(STYLES), strict=False)
    ]
    sheet = lay_out(
        len(metrics),
        columns,
        (width, 1.05),
        margins=(left, right, 0.24, 0.42 + LEGEND_LINE * -(-len(kinds) // 2)),
        gaps=(gap, 0.58),
    )
    for at, (axes, name) in enumerate(zip(sheet.panels, metrics, strict=True)):
        drawn = 0
        for number, kind in enumerate(kinds):
            mine = [c for c in counts if (c.metric, c.kind) == (name, kind) and not math.isnan(c.share)]
            drawn += len(mine)
            mine.sort(key=lambda c: c.rate)
            colour, mark, line = STYLES[number % len(STYLES)]
            x = [c.rate for c in mine]
            # side by side, so that curves on top of each other are still seen
            x = [value + DODGE * (number - (len(kinds) - 1) / 2) for value in x]
            axes.vlines(x, [c.low for c in mine], [c.high for c in mine], color=colour, alpha=0.6, linewidth=0.7)
            look = {"marker": mark, "linestyle": line, "markersize": 2.6, "linewidth": 0.9}
            axes.plot(x, [c.share for c in mine], color=colour, clip_on=False, **look)
        if not drawn:
            undefined_panel(axes)
        axes.set_xlim(-0.03, 1.06)
        axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"] if at % columns == 0 else ["", "", ""])
        axes.set_xlabel("units damaged", fontsize=SIZE, labelpad=2)
        if at % columns == 0:
            axes.set_ylabel("share noticed", fontsize=SIZE, labelpad=2)
        open_frame(axes)
        title(axes, name, width)
    legend_below(sheet.figure, handles, x=left, columns=2)
    return sheet.figure


def _damage(kind: str, rate: float, *, several: bool) -> str:
    share = f" {rate:.0%}" if several else ""
    return fitted(kind, LONGEST_KIND - widest([share])) + share
