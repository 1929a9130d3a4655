"""Is agreement borrowed: what is left of it with a criterion held fixed, and how criteria hang together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.core import vocabulary
from metassay.errors import DataError
from metassay.figures.cells import HEIGHT, SAME, SHADE, WIDTH, cell, frame, same
from metassay.figures.drawing import chosen
from metassay.figures.lanes import room, undefined
from metassay.figures.sheet import (
    BLUE,
    COLUMN,
    GREY,
    LEGEND_LINE,
    LINE,
    MISSING_KEY,
    MOST_PANELS,
    ORANGE,
    PALE,
    SIZE,
    VERMILLION,
    coefficient_words,
    few_numbers,
    lay_out,
    legend_below,
    names_on_y,
    open_frame,
    title,
    told_apart,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.criteria import Confounding, CriterionRow

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""
LONGEST_CRITERION = 0.9
"""Inches that the name of a criterion may take."""
TALL = 16
"""With more metrics than this four panels stand side by side, so that the figure fits a page."""
LARGEST = 9.99
"""Larger relative differences are written as more than this."""
METHODS = {"bucket": "fixed in buckets", "partial": "fixed by regression", "partial-formula": "fixed by the formula"}


def map(result: Confounding, *, anchor: str | None = None, method: str | None = None) -> Figure:
    """Draw the relative difference that holding an anchor fixed makes: a panel per anchor, metrics × criteria.

    Parameters
    ----------
    result
        What ``criteria`` found.
    anchor
        Anchors to draw; all of them by default.
    method
        ``bucket``, ``partial`` or ``partial-formula``; by default the first that the result has.
    """
    rows, method = _of_metrics(result, method)
    anchors = chosen("anchor", anchor, list(dict.fromkeys(r.anchor for r in rows)), MOST_PANELS)
    metrics, criteria = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("metric", "criterion"))
    anchors.sort(key=lambda name: criteria.index(name) if name in criteria else len(criteria))
    labels = told_apart(metrics, LONGEST_LABEL)
    below = told_apart(criteria, LONGEST_CRITERION)
    size = max(len(criteria) * WIDTH, 1.05), len(metrics) * HEIGHT
    columns = min(len(anchors), 4 if len(metrics) > TALL else 2)
    foot = widest(below.values()) + 0.1
    handles = _map_legend(rows)
    left, gap = widest(labels.values()) + 0.1, 0.15
    across = columns * size[0] + (columns - 1) * gap
    sheet = lay_out(
        len(anchors),
        columns,
        size,
        margins=(left, room(handles, left + across, 0.12), 0.36, foot + 0.08 + LEGEND_LINE * len(handles)),
        gaps=(gap, foot + 0.36),
    )
    for at, (axes, name) in enumerate(zip(sheet.panels, anchors, strict=True)):
        mine = {(r.metric, r.criterion): r for r in rows if r.anchor == name}
        frame(
            axes,
            [below[c] for c in criteria],
            [labels[m] for m in metrics] if at % columns == 0 else [""] * len(metrics),
        )
        for y, metric in enumerate(metrics):
            for x, criterion in enumerate(criteria):
                row = mine.get((metric, criterion))
                if row is None:
                    same(axes, (x, y))
                    continue
                value = row.relative_difference
                text = f">{LARGEST:.1f}" if value > LARGEST else f"{value:.2f}"
                cell(axes, (x, y), value, text, weak=row.verdict == "thin", marked=row.verdict == "vanishes")
        title(axes, name, size[0], second=METHODS[method])
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def dumbbells(
    result: Confounding, *, human: str | None = None, anchor: str | None = None, method: str | None = None
) -> Figure:
    """Draw each correlation as it is and with an anchor held fixed: a panel per criterion and anchor.

    Parameters
    ----------
    result
        What ``criteria`` found.
    human
        Human criteria to draw; all of them by default.
    anchor
        Anchors to draw; all of them by default.
    method
        ``bucket``, ``partial`` or ``partial-formula``; by default the first that the result has.
    """
    rows, method = _of_metrics(result, method)
    anchors = chosen("anchor", anchor, list(dict.fromkeys(r.anchor for r in rows)), MOST_PANELS)
    rows = [r for r in rows if r.anchor in anchors]
    known = list(dict.fromkeys(r.criterion for r in rows))
    each = max(len({r.anchor for r in rows if r.criterion == name}) for name in known)
    humans = chosen("human", human, known, MOST_PANELS, each)
    rows = [r for r in rows if r.criterion in humans]
    panels = list(dict.fromkeys((r.criterion, r.anchor) for r in rows))
    panels.sort(key=lambda one: humans.index(one[0]))
    metrics = list(dict.fromkeys(r.metric for r in rows if r.metric is not None))
    labels = told_apart(metrics, LONGEST_LABEL)
    columns = min(4 if len(metrics) > TALL else min(max(each, 2), 3), len(panels))
    left, right, gap = widest(labels.values()) + 0.12, 0.1, 0.14
    width = max((COLUMN - left - right - gap * (columns - 1)) / columns, 1.15)
    handles = [
        Line2D([], [], marker="o", color=GREY, markerfacecolor="white", markersize=3, linewidth=0, label="as it is"),
        Line2D([], [], marker="s", color=BLUE, markersize=3, linewidth=0.9, label="held fixed, with interval"),
    ]
    if any(r.verdict == "vanishes" for r in rows):
        label = "held fixed: agreement vanishes"
        handles.append(Line2D([], [], marker="X", color=VERMILLION, markersize=3.4, linewidth=0.9, label=label))
    sheet = lay_out(
        len(panels),
        columns,
        (width, len(metrics) * LINE * 1.12 + 0.12),
        margins=(left, right, 0.36, 0.38 + LEGEND_LINE * len(handles)),
        gaps=(gap, 0.8),
    )
    ends = [v for r in rows for v in (r.estimate, r.estimate_within, r.within_low, r.within_high) if not math.isnan(v)]
    air = 0.04
    for at, (axes, (criterion, name)) in enumerate(zip(sheet.panels, panels, strict=True)):
        mine = {r.metric: r for r in rows if (r.criterion, r.anchor) == (criterion, name)}
        for y, metric in enumerate(metrics):
            _dumbbell(axes, y, mine.get(metric))
        axes.axvline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
        names_on_y(axes, [labels[m] if at % columns == 0 else "" for m in metrics])
        axes.set_xlim(min([0.0, *ends]) - air, max([0.0, *ends]) + air)
        few_numbers(axes, width)
        axes.set_ylim(len(metrics) - 0.4, -0.6)
        open_frame(axes)
        title(axes, criterion, width, second=f"fixed: {name}")
        axes.set_xlabel(coefficient_words(rows[0].coefficient), fontsize=SIZE, labelpad=2)
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def criteria(result: Confounding) -> Figure:
    """Draw how strongly criteria go together: over systems, over all outputs, and within buckets of the column."""
    rows = [r for r in result.table if r.metric is None]
    if not rows:
        raise DataError("there is nothing to draw: no two human criteria were compared")
    names = list(dict.fromkeys(name for r in rows for name in (r.criterion, r.anchor)))
    down = [name for name in names if any(r.criterion == name for r in rows)]
    across = [name for name in names if any(r.anchor == name for r in rows)]
    within = sorted({r.method for r in rows if r.method is not None})
    panels = [("systems", "system", "", "estimate"), ("all outputs", "global", "", "estimate")]
    panels += [(f"in {method}s of columns", "global", method, "estimate_within") for method in within]
    labels = told_apart(names, LONGEST_CRITERION)
    size = max(len(across) * WIDTH, 1.25), max(len(down) * HEIGHT, 0.3)
    left, foot = widest(labels[n] for n in down) + 0.1, widest(labels[n] for n in across) + 0.1
    columns = len(panels)
    handles = []
    if any(math.isnan(getattr(r, field)) for *_, field in panels for r in rows if field == "estimate" or r.method):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    sheet = lay_out(
        len(panels),
        columns,
        size,
        margins=(left, 0.12, 0.36, foot + LEGEND_LINE * len(handles)),
        gaps=(0.15, foot + 0.42),
    )
    for at, (axes, (heading, level, method, field)) in enumerate(zip(sheet.panels, panels, strict=True)):
        frame(axes, [labels[n] for n in across], [labels[n] for n in down] if at == 0 else [""] * len(down))
        found = {
            (r.criterion, r.anchor): getattr(r, field) for r in rows if r.level == level and method in ("", r.method)
        }
        for y, criterion in enumerate(down):
            for x, name in enumerate(across):
                if (criterion, name) in found:
                    value = found[criterion, name]
                    cell(axes, (x, y), abs(value), f"{value:.2f}".replace("-", "−"))
                else:
                    same(axes, (x, y))
        title(axes, coefficient_words(rows[0].coefficient), size[0], second=heading)
    if handles:
        legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _of_metrics(result: Confounding, method: str | None) -> tuple[list[CriterionRow], str]:
    """Return the rows about metrics, of one way to hold anchors fixed."""
    rows = [r for r in result.table if r.metric is not None]
    if not rows:
        raise DataError("there is nothing to draw: the result has no metric")
    known = tuple(dict.fromkeys(r.method for r in rows if r.method is not None))
    method = known[0] if method is None else vocabulary.choice("method", method, known)
    return [r for r in rows if r.method == method], method


def _dumbbell(axes: Axes, y: int, row: CriterionRow | None) -> None:
    if y % 2:
        axes.axhspan(y - 0.5, y + 0.5, color=PALE, alpha=0.45, linewidth=0, zorder=0)
    if row is None or math.isnan(row.estimate + row.estimate_within):
        undefined(axes, y)
        return
    colour, mark, size = (VERMILLION, "X", 3.4) if row.verdict == "vanishes" else (BLUE, "s", 2.8)
    axes.plot([row.estimate, row.estimate_within], [y, y], color="#bdbdbd", linewidth=0.8, zorder=1.5)
    if not math.isnan(row.within_low):
        axes.plot([row.within_low, row.within_high], [y, y], color=colour, linewidth=1.1, solid_capstyle="butt")
    axes.plot([row.estimate], [y], marker="o", markersize=3, color=GREY, markerfacecolor="white", markeredgewidth=0.7)
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.3}
    axes.plot([row.estimate_within], [y], marker=mark, markersize=size, color=colour, **edge)


def _map_legend(rows: list[CriterionRow]) -> list[Patch]:
    verdicts = {r.verdict for r in rows}
    handles = [Patch(facecolor=SHADE, label="relative difference of the correlation, darker is more")]
    if "vanishes" in verdicts:
        handles.append(Patch(facecolor="white", edgecolor=ORANGE, linewidth=0.9, label="agreement vanishes"))
    if "thin" in verdicts:
        label = "grey number: too little agreement, or data, to tell"
        handles.append(Patch(facecolor="white", edgecolor=GREY, linewidth=0.5, label=label))
    if any(r.criterion == r.anchor for r in rows) or {r.anchor for r in rows} & {r.criterion for r in rows}:
        handles.append(Patch(facecolor=SAME, label="the anchor itself"))
    if any(math.isnan(r.relative_difference) for r in rows):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    return handles
