"""How precisely the scores of systems are known: intervals with the annotated inputs and with all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from metassay.figures.drawing import chosen
from metassay.figures.lanes import lanes, undefined
from metassay.figures.multiples import FEW, MOST
from metassay.figures.sheet import (
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
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.precision import Precision, PrecisionRow

LONGEST_LABEL = 1.2
"""Inches that the name of a system may take."""
LOOKS: dict[str, dict[str, Any]] = {
    "annotated": {"color": VERMILLION, "linewidth": 0.9, "marker": "^", "markersize": 2.8, "markerfacecolor": "white"},
    "all": {"color": BLUE, "linewidth": 1.6, "marker": "o", "markersize": 2.8, "markerfacecolor": BLUE},
}
"""Thin with an open triangle on few inputs, thick with a dot on all."""
BESIDE = {"annotated": -0.2, "all": 0.2}
"""Where in its lane an interval stands."""


def intervals(result: Precision, *, metric: str | None = None) -> Figure:
    """Draw the mean of each system with its intervals, a panel per metric or criterion, the highest on top.

    The form is that of Deutsch, Dror and Roth (2022), Figure 2.

    Parameters
    ----------
    result
        What ``precision`` found.
    metric
        Metrics or human criteria to draw; all of them by default.
    """
    names = chosen("metric", metric, list(dict.fromkeys(r.metric for r in result.table)), MOST)
    rows = {n: [r for r in result.table if r.metric == n] for n in names}
    labels = {r.system: fitted(r.system, LONGEST_LABEL) for r in result.table}
    sets = [s for s in ("annotated", "all") if any(r.inputs == s for found in rows.values() for r in found)]
    two = len(sets) > 1
    lines = max(len({r.system for r in found}) for found in rows.values())
    columns = 1 if len(names) == 1 else 2 if len(names) <= FEW else 4
    left = widest(labels.values()) + 0.12
    width = max(COLUMN - left - 0.12, 1.5) if columns == 1 else 1.5
    handles = [Line2D([], [], label=_words(s, result.table[0].confidence), **LOOKS[s]) for s in sets]
    sheet = lay_out(
        len(names),
        columns,
        (width, lines * LINE * (1.35 if two else 1.0) + 0.12),
        margins=(left, 0.12, 0.24, 0.42 + 0.13 * len(handles)),
        gaps=(left + 0.12, 0.62),
    )
    for axes, name in zip(sheet.panels, names, strict=True):
        _panel(axes, rows[name], labels, beside=two and len({r.inputs for r in rows[name]}) > 1)
        few_numbers(axes, width)
        axes.set_xlabel("mean score", fontsize=SIZE, labelpad=2)
        human = rows[name][0].kind == "human"
        title(axes, f"{name} (people)" if human else name, width)
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _panel(axes: Axes, rows: list[PrecisionRow], labels: dict[str, str], *, beside: bool) -> None:
    # by the mean on the most inputs that there are
    means = {r.system: r.estimate for r in sorted(rows, key=lambda r: r.inputs == "all")}
    order = sorted(means, key=lambda s: (math.isnan(means[s]), -means[s] if means[s] == means[s] else 0.0))
    place = {system: at for at, system in enumerate(order)}
    for row in rows:
        if math.isnan(row.estimate):
            if math.isnan(means[row.system]):
                undefined(axes, place[row.system])
            continue
        y = place[row.system] + (BESIDE[row.inputs] if beside else 0)
        ends = (row.low, row.high) if not math.isnan(row.low) else (row.estimate, row.estimate)
        x = [ends[0], row.estimate, ends[1]]
        axes.plot(x, [y] * 3, markevery=[1], markeredgewidth=0.6, solid_capstyle="butt", **LOOKS[row.inputs])
    lanes(axes, [labels[s] for s in order])


def _words(inputs: str, confidence: float) -> str:
    return {"annotated": "annotated inputs", "all": "all inputs"}[inputs] + f", {100 * confidence:g}% interval"
