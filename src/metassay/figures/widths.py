"""What scoring the whole test set buys: pairs of intervals of correlations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from metassay.figures.drawing import chosen
from metassay.figures.lanes import lanes, room, undefined
from metassay.figures.precision import BESIDE, LOOKS
from metassay.figures.sheet import (
    COLUMN,
    GREY,
    LINE,
    MOST_PANELS,
    SIZE,
    coefficient_words,
    few_numbers,
    fitted,
    lay_out,
    legend_below,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.widths import WidthRow, Widths

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""


def intervals(result: Widths, *, human: str | None = None) -> Figure:
    """Draw each correlation with its interval on the annotated inputs, M_a, and on all, M_t.

    A row of panels per human criterion and coefficient, a column per kind of resampling; the form is that of Deutsch,
    Dror and Roth (2022), Figures 4, 7 and 8.

    Parameters
    ----------
    result
        What ``widths`` found.
    human
        Human criteria to draw; all of them by default.
    """
    methods = list(dict.fromkeys(r.interval for r in result.table))
    coefficients = list(dict.fromkeys(r.coefficient for r in result.table))
    known = list(dict.fromkeys(r.human for r in result.table))
    humans = chosen("human", human, known, 2 * MOST_PANELS, len(methods) * len(coefficients))
    rows = [r for r in result.table if r.human in humans]
    metrics = list(dict.fromkeys(r.metric for r in rows))
    labels = {m: fitted(m, LONGEST_LABEL) for m in metrics}
    handles = [
        Line2D([], [], label=text, **LOOKS[name])
        for name, text in (
            ("annotated", f"annotated inputs, {_count({r.n_annotated for r in rows})}"),
            ("all", f"all inputs, {_count({r.n_inputs for r in rows})}"),
        )
    ]
    left = widest(labels.values()) + 0.12
    width = max((COLUMN - left - 0.1 - 0.12 * (len(methods) - 1)) / len(methods), 1.15)
    taken = left + len(methods) * width + 0.12 * (len(methods) - 1)
    sheet = lay_out(
        len(humans) * len(coefficients) * len(methods),
        len(methods),
        (width, len(metrics) * LINE * 1.35 + 0.12),
        margins=(left, room(handles, taken), 0.36, 0.4 + 0.13 * len(handles)),
        gaps=(0.12, 0.78),
    )
    ends = [v for r in rows for v in (r.low_a, r.high_a, r.low_t, r.high_t, r.estimate_a, r.estimate_t) if v == v]
    at = 0
    for name in humans:
        for coefficient in coefficients:
            mine = [r for r in rows if (r.human, r.coefficient) == (name, coefficient)]
            order = _best_first(mine)
            for method in methods:
                axes = sheet.panels[at]
                found = {r.metric: r for r in mine if r.interval == method}
                lanes(axes, [labels[m] if at % len(methods) == 0 else "" for m in order])
                for place, m in enumerate(order):
                    _lane(axes, found.get(m), place)
                axes.axvline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
                axes.set_xlim(min([0.0, *ends]) - 0.04, max([0.0, *ends]) + 0.04)
                few_numbers(axes, width)
                axes.set_xlabel(coefficient_words(coefficient), fontsize=SIZE, labelpad=2)
                title(axes, name, width, second=method)
                at += 1
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _lane(axes: Axes, row: WidthRow | None, at: int) -> None:
    if row is None or (math.isnan(row.estimate_a) and math.isnan(row.estimate_t)):
        undefined(axes, at)
        return
    both = {
        "annotated": (row.low_a, row.estimate_a, row.high_a),
        "all": (row.low_t, row.estimate_t, row.high_t),
    }
    for inputs, (low, estimate, high) in both.items():
        if math.isnan(estimate):
            continue
        x = [low, estimate, high] if not math.isnan(low) else [estimate] * 3
        y = [at + BESIDE[inputs]] * 3
        axes.plot(x, y, markevery=[1], markeredgewidth=0.6, solid_capstyle="butt", **LOOKS[inputs])


def _best_first(rows: list[WidthRow]) -> list[str]:
    estimates = {r.metric: r.estimate_t for r in reversed(rows)}
    names = list(dict.fromkeys(r.metric for r in rows))
    return sorted(names, key=lambda m: -estimates[m] if not math.isnan(estimates[m]) else math.inf)


def _count(sizes: set[int]) -> str:
    ends = (min(sizes), max(sizes))
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,} to {ends[1]:,}"
