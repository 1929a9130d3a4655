"""How well each metric agrees with people: a forest plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.figures.drawing import chosen
from metassay.figures.sheet import (
    BLUE,
    COLUMN,
    GREY,
    LINE,
    MOST_PANELS,
    PALE,
    SIZE,
    SMALL,
    few_numbers,
    fitted,
    lay_out,
    names_on_y,
    open_frame,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.agree import Agreement, AgreementRow

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""


def forest(result: Agreement, *, human: str | None = None) -> Figure:
    """Draw correlations with their intervals: a panel per human criterion, level and coefficient.

    Parameters
    ----------
    result
        What ``agree`` found.
    human
        Human criteria to draw; all of them by default.
    """
    settings = list(dict.fromkeys((r.level, r.coefficient) for r in result.table))
    known = list(dict.fromkeys(r.human for r in result.table))
    humans = chosen("human", human, known, MOST_PANELS, len(settings))
    orders = {h: _best_first([r for r in result.table if r.human == h]) for h in humans}
    labels = {m: fitted(m, LONGEST_LABEL) for order in orders.values() for m in order}
    left, right = widest(labels.values()) + 0.12, 0.1
    # two panels share a column of a paper only if names are short; otherwise the figure grows
    width = max((COLUMN - left - right - 0.12 * (len(settings) - 1)) / len(settings), 1.15)
    lines = max(len(order) for order in orders.values())
    sheet = lay_out(
        len(humans) * len(settings),
        len(settings),
        (width, lines * LINE * 1.12 + 0.12),
        margins=(left, right, 0.36, 0.36),
        gaps=(0.12, 0.78),
    )
    known_ends = [
        v for r in result.table if r.human in humans for v in (r.low, r.high, r.estimate) if not math.isnan(v)
    ]
    ends = (min([0.0, *known_ends]) - 0.04, max([0.0, *known_ends]) + 0.04)
    at = 0
    for name in humans:
        for level, coefficient in settings:
            axes = sheet.panels[at]
            rows = {
                r.metric: r for r in result.table if (r.human, r.level, r.coefficient) == (name, level, coefficient)
            }
            _panel(axes, [rows.get(m) for m in orders[name]])
            first = at % len(settings) == 0
            names_on_y(axes, [labels[m] if first else "" for m in orders[name]])
            axes.set_xlim(*ends)
            few_numbers(axes, width)
            axes.set_ylim(len(orders[name]) - 0.4, -0.6)
            title(axes, name, width, second=f"{level} level")
            axes.set_xlabel(_words(coefficient), fontsize=SIZE, labelpad=2)
            at += 1
    return sheet.figure


def _panel(axes: Axes, rows: list[AgreementRow | None]) -> None:
    for at, row in enumerate(rows):
        if at % 2:
            axes.axhspan(at - 0.5, at + 0.5, color=PALE, alpha=0.45, linewidth=0, zorder=0)
        if row is None or math.isnan(row.estimate):
            axes.text(
                0.02, at, "undefined", transform=axes.get_yaxis_transform(), fontsize=SMALL, color=GREY, va="center"
            )
            continue
        if not math.isnan(row.low):
            axes.plot([row.low, row.high], [at, at], color=BLUE, linewidth=1.1, solid_capstyle="butt")
        axes.plot(
            [row.estimate], [at], marker="o", markersize=3, color=BLUE, markeredgecolor="white", markeredgewidth=0.4
        )
    axes.axvline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
    open_frame(axes)


def _best_first(rows: list[AgreementRow]) -> list[str]:
    """Return the metrics in the order of the first level and coefficient."""
    first = (rows[0].level, rows[0].coefficient)
    ranked = [r for r in rows if (r.level, r.coefficient) == first]
    return [
        r.metric
        for r in sorted(ranked, key=lambda r: (math.isnan(r.estimate), -r.estimate if r.estimate == r.estimate else 0))
    ]


def _words(coefficient: str) -> str:
    return {"kendall": "Kendall's τ", "kendall-a": "Kendall's τa", "kendall-c": "Kendall's τc"}.get(
        coefficient, f"{coefficient.capitalize()} correlation"
    )
