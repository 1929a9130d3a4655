"""How often intervals contain the correlation in held-out data: bars from the confidence that was promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from metassay.figures.drawing import chosen
from metassay.figures.sheet import (
    BLACK,
    COLUMN,
    LEGEND_LINE,
    MOST_PANELS,
    SIZE,
    few_numbers,
    lay_out,
    legend_below,
    open_frame,
    title,
    told_apart,
    widest,
)
from metassay.figures.stems import Stem, height, keys, span, stems

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metassay.studies.coverage import Coverage

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""


def bars(result: Coverage, *, human: str | None = None) -> Figure:
    """Draw the coverage of each kind of interval: a panel per human criterion, level and coefficient.

    Parameters
    ----------
    result
        What ``simulate_coverage`` found.
    human
        Human criteria to draw; all of them by default.
    """
    settings = list(dict.fromkeys((r.level, r.coefficient) for r in result.table))
    humans = chosen("human", human, list(dict.fromkeys(r.human for r in result.table)), MOST_PANELS, len(settings))
    rows = [r for r in result.table if r.human in humans]
    metrics, kinds = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("metric", "interval"))
    labels = told_apart(metrics, LONGEST_LABEL)
    left, right, gap = widest(labels.values()) + 0.12, 0.12, 0.16
    columns = min(len(settings), 4)
    width = max((COLUMN - left - right - gap * (columns - 1)) / columns, 1.15)
    promised = rows[0].confidence
    handles = [
        *keys(kinds),
        Line2D([], [], color=BLACK, linewidth=0.7, linestyle="--", label=f"{promised:.4g} promised"),
    ]
    found = {(r.human, r.level, r.coefficient, r.metric, r.interval): Stem(r.rate, r.low, r.high) for r in rows}
    panels = [(name, *setting) for name in humans for setting in settings]
    sheet = lay_out(
        len(panels),
        columns,
        (width, height(len(metrics), len(kinds))),
        margins=(left, right, 0.36, 0.4 + LEGEND_LINE * -(-len(handles) // 2)),
        gaps=(gap, 0.78),
    )
    ends = span(list(found.values()), promised, 0.0, 1.0)
    for at, (axes, (name, level, coefficient)) in enumerate(zip(sheet.panels, panels, strict=True)):
        values = [[found.get((name, level, coefficient, m, kind)) for kind in kinds] for m in metrics]
        stems(axes, [labels[m] if at % columns == 0 else "" for m in metrics], values, promised)
        axes.axvline(promised, color=BLACK, linewidth=0.7, linestyle="--", zorder=1)
        axes.set_xlim(*ends)
        few_numbers(axes, width)
        open_frame(axes)
        title(axes, name, width, second=f"{level}, {coefficient.capitalize()}")
        axes.set_xlabel("coverage", fontsize=SIZE, labelpad=2)
    legend_below(sheet.figure, handles, x=0.06, columns=2)
    return sheet.figure
