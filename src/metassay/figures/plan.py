"""How many inputs, systems and annotators are needed: curves over the number of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from metassay.errors import UsageError, listed
from metassay.figures.drawing import chosen
from metassay.figures.sheet import (
    BLACK,
    COLUMN,
    GREY,
    LEGEND_LINE,
    MOST_PANELS,
    SIZE,
    SMALL,
    STYLES,
    fitted,
    lay_out,
    legend_below,
    open_frame,
    title,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.plan import Plan, PlanRow


def curves(result: Plan, *, human: str | None = None, metric: str | None = None) -> Figure:
    """Draw the width of the interval, or the power, against the number of inputs, systems and annotators.

    Parameters
    ----------
    result
        What ``plan`` found.
    human
        Human criteria to draw; all of them by default.
    metric
        Metrics to draw; all of them by default, and at most eight.
    """
    axis_names = list(dict.fromkeys(r.axis for r in result.table))
    humans = chosen("human", human, list(dict.fromkeys(r.human for r in result.table)), MOST_PANELS, len(axis_names))
    known = list(dict.fromkeys(r.metric for r in result.table))
    metrics = chosen("metric", metric, known, len(known))
    if len(metrics) > len(STYLES):
        raise UsageError(
            f"{len(metrics)} curves do not fit one panel, {len(STYLES)} do; choose with --metric or metric=…: "
            f"{listed(metrics)}"
        )
    rows = [r for r in result.table if r.human in humans and r.metric in metrics]
    powered = rows[0].metric_b is not None
    left, right, gap = 0.42, 0.1, 0.16
    width = max((COLUMN - left - right - gap * (len(axis_names) - 1)) / len(axis_names), 0.84)
    handles = _legend(rows, metrics, width * len(axis_names))
    sheet = lay_out(
        len(humans) * len(axis_names),
        len(axis_names),
        (width, 1.15),
        margins=(left, right, 0.26, 0.4 + LEGEND_LINE * len(handles)),
        gaps=(gap, 0.6),
    )
    most = 1.03 if powered else 1.06 * max(v for r in rows for v in (r.high, r.width_data, r.target) if v == v)
    now = {(n.metric, n.human, n.axis): n.now for n in result.needs}
    at = 0
    for name in humans:
        for axis in axis_names:
            axes = sheet.panels[at]
            mine = [r for r in rows if (r.human, r.axis) == (name, axis)]
            for number, one in enumerate(metrics):
                _curve(axes, sorted((r for r in mine if r.metric == one), key=lambda r: r.n), number, powered=powered)
            axes.axhline(rows[0].target, color=BLACK, linewidth=0.7, linestyle="--", zorder=1)
            here = {now[r.metric, r.human, r.axis] for r in mine if (r.metric, r.human, r.axis) in now}
            for value in here:
                axes.axvline(value, color=GREY, linewidth=0.6, linestyle=":", zorder=0.5)
            axes.set_ylim(0, most)
            axes.set_xscale("log")
            axes.minorticks_off()
            _numbers(axes, sorted({r.n for r in mine}), width)
            if at % len(axis_names):
                axes.tick_params(axis="y", labelleft=False)
            else:
                axes.set_ylabel("power" if powered else "width of the interval", fontsize=SIZE, labelpad=2)
            axes.locator_params(axis="y", nbins=4)
            axes.set_xlabel(axis, fontsize=SIZE, labelpad=2)
            open_frame(axes)
            if at % len(axis_names) == 0:
                title(axes, name, width * len(axis_names))
            at += 1
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _curve(axes: Axes, rows: list[PlanRow], number: int, *, powered: bool) -> None:
    colour, mark, line = STYLES[number]
    rows = [r for r in rows if not math.isnan(r.power if powered else r.width)]
    if not rows:
        return
    x, y = [r.n for r in rows], [r.power if powered else r.width for r in rows]
    look: dict[str, Any] = {"marker": mark, "markersize": 2.8, "linestyle": "", "markeredgewidth": 0.6}
    axes.fill_between(x, [r.low for r in rows], [r.high for r in rows], color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, color=colour, linestyle=line, linewidth=0.9)
    for row, value in zip(rows, y, strict=True):
        # beyond the data a mark is hollow: nobody has seen such a number yet
        axes.plot([row.n], [value], color=colour, markerfacecolor="white" if row.extrapolated else colour, **look)
    seen = [r for r in rows if not math.isnan(r.width_data)]
    axes.plot(
        [r.n for r in seen],
        [r.width_data for r in seen],
        marker="x",
        markersize=3,
        linestyle="",
        color=colour,
        zorder=3,
    )


def _numbers(axes: Axes, sizes: list[int], width: float) -> None:
    """Label as many sizes as fit, the smallest and the largest among them."""
    low, high = math.log(sizes[0]), math.log(sizes[-1])
    shown: list[int] = []
    end = -math.inf

    def reach(size: int) -> tuple[float, float]:
        at = 0.5 * width if high == low else (math.log(size) - low) / (high - low) * width * 0.91
        half = width_of(f"{size:,}", SMALL) / 2
        return at - half, at + half

    last = reach(sizes[-1])[0]
    for size in sizes[:-1]:
        begin, stop = reach(size)
        if begin > end + 0.05 and stop < last - 0.05:
            shown.append(size)
            end = stop
    shown.append(sizes[-1])
    axes.set_xticks(shown, [f"{size:,}" for size in shown])


def _legend(rows: list[PlanRow], metrics: list[str], room: float) -> list[Line2D]:
    first = rows[0]
    pairs = {r.metric: r.metric_b for r in rows}
    names = [m if pairs.get(m) is None else f"{m} better than {pairs[m]}" for m in metrics]
    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle=line, markersize=3, linewidth=0.9, label=fitted(name, room))
        for name, (colour, mark, line) in zip(names, STYLES, strict=False)
    ]
    wanted = "power" if first.metric_b is not None else "width"
    handles.append(
        Line2D([], [], color=BLACK, linewidth=0.7, linestyle="--", label=f"{wanted} wanted, {first.target:g}")
    )
    handles.append(
        Line2D([], [], color=GREY, linewidth=0.6, linestyle=":", label="what there is; hollow marks: beyond the data")
    )
    if any(not math.isnan(r.width_data) for r in rows):
        handles.append(
            Line2D([], [], color=GREY, marker="x", markersize=3, linestyle="", label="the data's own intervals")
        )
    return handles
