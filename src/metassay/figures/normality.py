"""Whether scores look normal: p-values on the means of systems, and the share of inputs that reject."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from metassay.figures.lanes import lanes, undefined
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    LINE,
    SIZE,
    VERMILLION,
    few_numbers,
    fitted,
    lay_out,
    legend_below,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metassay.studies.normality import Normality

LONGEST_LABEL = 1.4
"""Inches that a name may take."""


def bars(result: Normality) -> Figure:
    """Draw the Shapiro-Wilk p-value of the system means, and the percentage of inputs that reject normality.

    Parameters
    ----------
    result
        What ``normality`` found.
    """
    rows = result.table
    alpha = rows[0].alpha
    labels = [fitted(f"{r.metric} (people)" if r.kind == "human" else r.metric, LONGEST_LABEL) for r in rows]
    left = widest(labels) + 0.12
    width = max((COLUMN - left - 0.26) / 2, 0.95)
    sheet = lay_out(*(2, 2, (width, len(rows) * LINE * 1.2 + 0.12)), margins=(left, 0.14, 0.24, 0.58), gaps=(0.16, 0.1))
    means, inputs = sheet.panels
    lanes(means, labels)
    lanes(inputs, [""] * len(rows))
    for at, row in enumerate(rows):
        if math.isnan(row.p_value):
            undefined(means, at)
        else:
            rejects = row.p_value <= alpha
            colour, mark = (VERMILLION, "x") if rejects else (BLUE, "o")
            means.plot([row.p_value], [at], color=colour, marker=mark, markersize=3, linestyle="", clip_on=False)
        if math.isnan(row.percent_rejected):
            undefined(inputs, at)
        else:
            inputs.barh(at, row.percent_rejected, 0.62, color=BLUE, linewidth=0)
    look: dict[str, Any] = {"color": BLACK, "linewidth": 0.7, "linestyle": (0, (3, 2))}
    means.axvline(alpha, **look)
    inputs.axvline(100 * alpha, **look)
    means.set_xlim(-0.05, 1.02)
    means.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    known = [row.percent_rejected for row in rows if not math.isnan(row.percent_rejected)]
    inputs.set_xlim(0, min(100, 1.1 * max([200 * alpha, *known])))
    few_numbers(inputs, width)
    means.set_xlabel("p, Shapiro-Wilk", fontsize=SIZE, labelpad=2)
    inputs.set_xlabel("% of inputs that reject", fontsize=SIZE, labelpad=2)
    title(means, "means of systems", width)
    title(inputs, "within inputs", width)
    handles = [
        Line2D([], [], marker="o", markersize=3, linestyle="", color=BLUE, label="not rejected"),
        Line2D([], [], marker="x", markersize=3, linestyle="", color=VERMILLION, label="rejected"),
        Line2D([], [], label=f"α = {alpha:g}", color=BLACK, linewidth=0.7, linestyle=(0, (3, 2))),
    ]
    legend_below(sheet.figure, handles, x=0.06, columns=3)
    return sheet.figure
