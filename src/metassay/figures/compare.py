"""Which metric agrees better: a matrix of tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.patches import Patch, Rectangle

from metassay.core import vocabulary
from metassay.figures.drawing import chosen
from metassay.figures.lanes import room
from metassay.figures.sheet import (
    BLUE,
    MISSING,
    MISSING_KEY,
    MOST_PANELS,
    ORANGE,
    PALE,
    SMALL,
    fitted,
    lay_out,
    legend_below,
    names_on_y,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.compare import Comparison, ComparisonRow

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""
CELL = 0.135
"""Inches of a cell, more than a line of text."""
CLAIMS = {
    "greater": "row agrees better than column",
    "less": "row agrees worse than column",
    "two-sided": "row and column differ",
}


def matrix(result: Comparison, *, human: str | None = None) -> Figure:
    """Draw every ordered pair of metrics: filled if significant, outlined if still so after correction.

    Parameters
    ----------
    result
        What ``compare`` found.
    human
        Human criteria to draw; all of them by default.
    """
    settings = list(dict.fromkeys((r.level, r.coefficient) for r in result.table))
    known = list(dict.fromkeys(r.human for r in result.table))
    humans = chosen("human", human, known, MOST_PANELS, len(settings))
    metrics = list(dict.fromkeys(r.metric_a for r in result.table))
    labels = {m: fitted(m, LONGEST_LABEL) for m in metrics}
    side = max(len(metrics) * CELL, 0.9)
    label = widest(labels.values()) + 0.1
    handles = _legend(result)
    taken = label + len(settings) * side + (len(settings) - 1) * (label + 0.15)
    sheet = lay_out(
        len(humans) * len(settings),
        len(settings),
        (side, side),
        margins=(label, room(handles, taken, 0.12), 0.36, label + 0.06 + 0.13 * len(handles)),
        gaps=(label + 0.15, label + 0.42),
    )
    at = 0
    for name in humans:
        for level, coefficient in settings:
            rows = [r for r in result.table if (r.human, r.level, r.coefficient) == (name, level, coefficient)]
            order = _best_first(result, rows, (name, level, coefficient))
            _panel(sheet.panels[at], rows, order, labels)
            title(sheet.panels[at], name, side, second=f"{level}, {coefficient.capitalize()}")
            at += 1
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _panel(axes: Axes, rows: list[ComparisonRow], order: list[str], labels: dict[str, str]) -> None:
    place = {metric: at for at, metric in enumerate(order)}
    axes.patch.set_facecolor("white")
    for at in range(len(order)):
        axes.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, facecolor="#bdbdbd", linewidth=0))
    outlines = []
    for row in rows:
        x, y = place[row.metric_b], place[row.metric_a]
        if math.isnan(row.p_value):
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **MISSING))
        elif row.significant:
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=BLUE, linewidth=0))
        if row.significant_corrected and row.correction != "none":
            outlines.append((x, y))
    for k in range(1, len(order)):
        axes.axhline(k - 0.5, color=PALE, linewidth=0.5)
        axes.axvline(k - 0.5, color=PALE, linewidth=0.5)
    for x, y in outlines:
        # drawn inside its cell, so that neighbours do not share a line
        axes.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, fill=False, edgecolor=ORANGE, linewidth=1.1))
    names_on_y(axes, [labels[m] for m in order])
    axes.set_xticks(range(len(order)), [labels[m] for m in order], rotation=90, fontsize=SMALL)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(len(order) - 0.5, -0.5)


def _best_first(result: Comparison, rows: list[ComparisonRow], setting: tuple[str, str, str]) -> list[str]:
    ranked = {c.metric: c.estimate for c in result.clusters if (c.human, c.level, c.coefficient) == setting}
    metrics = list(dict.fromkeys(r.metric_a for r in rows))
    return sorted(metrics, key=lambda m: -ranked[m] if m in ranked and not math.isnan(ranked[m]) else math.inf)


def _legend(result: Comparison) -> list[Patch]:
    first = result.table[0]
    handles = [Patch(facecolor=BLUE, label=f"{CLAIMS[first.alternative]} (p ≤ {result.alpha:g})")]
    if first.correction != "none":
        label = f"also after {vocabulary.CORRECTION_NAMES[first.correction]} correction"
        handles.append(Patch(facecolor=BLUE, edgecolor=ORANGE, linewidth=1.1, label=label))
    if any(math.isnan(r.p_value) for r in result.table):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    return handles
