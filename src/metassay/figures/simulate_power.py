"""How often tests find that a damaged metric is worse: power curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.figures.drawing import chosen
from metassay.figures.multiples import undefined_panel
from metassay.figures.sheet import (
    COLUMN,
    GREY,
    MOST_PANELS,
    SIZE,
    STYLES,
    lay_out,
    legend_below,
    open_frame,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.power import Power, PowerRow


def curves(result: Power, *, metric: str | None = None) -> Figure:
    """Draw a panel per metric, human criterion, level and coefficient, with a curve per test and its 95% intervals.

    Parameters
    ----------
    result
        What ``simulate_power`` found.
    metric
        Metrics to draw; all of them by default.
    """
    from matplotlib.lines import Line2D

    known = list(dict.fromkeys(row.metric for row in result.table))
    each = len({(row.human, row.level, row.coefficient) for row in result.table})
    metrics = chosen("metric", metric, known, MOST_PANELS, each)
    rows = [row for row in result.table if row.metric in metrics]
    panels = list(dict.fromkeys((row.metric, row.human, row.level, row.coefficient) for row in rows))
    tests = list(dict.fromkeys(row.test for row in rows))
    columns = min(2, len(panels))
    left, right = 0.36, 0.08
    width = (COLUMN - left - right - 0.22 * (columns - 1)) / columns
    bottom = 0.42 + 0.12 * -(-(len(tests) + 1) // 2)
    sheet = lay_out(len(panels), columns, (width, 1.15), margins=(left, right, 0.4, bottom), gaps=(0.22, 0.72))
    words = rows[0].damage == "words"
    for at, key in enumerate(panels):
        axes = sheet.panels[at]
        mine = [row for row in rows if (row.metric, row.human, row.level, row.coefficient) == key]
        for number, test in enumerate(tests):
            _curve(axes, [row for row in mine if row.test == test], number)
        axes.axhline(rows[0].alpha, color=GREY, linewidth=0.5, linestyle=(0, (3, 2)), zorder=0.5)
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"] if at % columns == 0 else ["", "", ""])
        if words:
            axes.set_xlim(0, 1.03)
            axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        else:
            sizes = sorted({row.setting for row in rows})
            axes.set_xscale("log")
            axes.minorticks_off()
            shown = sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]})
            axes.set_xticks(shown, [f"{size:g}" for size in shown])
        metric_name, human, level, coefficient = key
        several = len({row.coefficient for row in rows}) > 1
        title(axes, metric_name, width, second=f"{level} level, {coefficient if several else human}")
        axes.set_xlabel("words kept" if words else "noise (SD)", fontsize=SIZE, labelpad=2)
        if at % columns == 0:
            axes.set_ylabel("power", fontsize=SIZE, labelpad=2)
        open_frame(axes)
    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle=line, markersize=3, linewidth=0.9, label=test)
        for test, (colour, mark, line) in zip(tests, STYLES * 2, strict=False)
    ]
    level = f"level of the tests, {rows[0].alpha:g}"
    handles.append(Line2D([], [], color=GREY, linewidth=0.5, linestyle=(0, (3, 2)), label=level))
    legend_below(sheet.figure, handles, x=left, columns=2)
    return sheet.figure


def _curve(axes: Axes, rows: list[PowerRow], number: int) -> None:
    colour, mark, line = STYLES[number % len(STYLES)]
    rows = sorted((row for row in rows if not math.isnan(row.rate)), key=lambda row: row.setting)
    if not rows:
        undefined_panel(axes)
        return
    x, rates = [row.setting for row in rows], [row.rate for row in rows]
    axes.fill_between(x, [r.low for r in rows], [r.high for r in rows], color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, rates, color=colour, marker=mark, linestyle=line, markersize=2.6, linewidth=0.9, clip_on=False)
