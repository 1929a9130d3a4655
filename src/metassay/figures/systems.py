"""Which systems differ: how many pairs each test tells apart, and which."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from metassay.core import vocabulary
from metassay.figures.compare import CELL
from metassay.figures.drawing import chosen
from metassay.figures.lanes import lanes, room
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    LINE,
    MISSING,
    MISSING_KEY,
    MOST_PANELS,
    ORANGE,
    PALE,
    SIZE,
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

    from metassay.studies.systems import SystemComparison, SystemRow

LONGEST_LABEL = 1.4
"""Inches that a name may take."""
WEAK: dict[str, Any] = {"facecolor": "#ffffff", "edgecolor": BLUE, "hatch": "//////", "linewidth": 0.5}
"""Pairs that differ before correction only."""


def bars(result: SystemComparison) -> Figure:
    """Draw how many pairs of systems differ by each metric, before and after correction: a panel per test and cut-off.

    Parameters
    ----------
    result
        What ``systems`` found.
    """
    counts = [c for c in result.counts if c.group_a is None and c.group_b is None]
    settings = list(dict.fromkeys((c.test, c.cutoff) for c in counts))
    names = list(dict.fromkeys(c.metric for c in counts))
    labels = {n: fitted(n, LONGEST_LABEL) for n in names}
    correction = result.table[0].correction
    handles: list[Any] = [Patch(facecolor=BLUE, label=f"differ (p ≤ {result.alpha:g})")]
    if correction != "none":
        after = f"differ after {vocabulary.CORRECTION_NAMES[correction]} correction"
        handles = [Patch(facecolor=BLUE, label=after), Patch(label="differ before correction only", **WEAK)]
    if any(c.n_undefined for c in counts):
        handles.append(Patch(facecolor=PALE, edgecolor=BLACK, linewidth=0.5, label="cannot be tested"))
    left = widest(labels.values()) + 0.12
    columns = min(len(settings), 3)
    width = max((COLUMN - left - 0.14 - 0.26 * (columns - 1)) / columns, 0.95)
    taken = left + columns * width + 0.26 * (columns - 1)
    sheet = lay_out(
        len(settings),
        columns,
        (width, len(names) * LINE * 1.3 + 0.12),
        margins=(left, room(handles, taken, 0.14), 0.36, 0.42 + 0.13 * len(handles)),
        gaps=(0.26, 0.76),
    )
    for at, (test, cutoff) in enumerate(settings):
        axes = sheet.panels[at]
        lanes(axes, [labels[n] if at % columns == 0 else "" for n in names])
        for place, name in enumerate(names):
            count = next(c for c in counts if (c.metric, c.test, c.cutoff) == (name, test, cutoff))
            total = count.n_pairs or 1
            strong, weak, none = (
                100 * n / total for n in (count.n_significant_corrected, count.n_significant, count.n_undefined)
            )
            axes.barh(place, strong, 0.62, color=BLUE, linewidth=0)
            if weak > strong:
                axes.barh(place, weak - strong, 0.62, left=strong, **WEAK)
            if none:
                axes.barh(place, none, 0.62, left=100 - none, color=PALE, edgecolor=BLACK, linewidth=0.5)
        axes.set_xlim(0, 100)
        axes.set_xticks([0, 50, 100], ["0", "50", "100%"])
        axes.set_xlabel("pairs of systems", fontsize=SIZE, labelpad=2)
        title(axes, test, width, second=f"cut-off: {cutoff}")
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def matrix(result: SystemComparison, *, metric: str | None = None, test: str | None = None) -> Figure:
    """Draw every pair of systems: filled if the row is better than the column, outlined if still so after correction.

    Systems stand by group, and within it by their means, the best on top.

    Parameters
    ----------
    result
        What ``systems`` found.
    metric
        Metrics or human criteria to draw; all of them by default.
    test
        Tests to draw; all of them by default.
    """
    tests = chosen("test", test, list(dict.fromkeys(r.test for r in result.table)), MOST_PANELS)
    settings = list(dict.fromkeys((r.test, r.cutoff) for r in result.table if r.test in tests))
    names = chosen("metric", metric, list(dict.fromkeys(r.metric for r in result.table)), MOST_PANELS, len(settings))
    groups = {r.system_a: r.group_a for r in result.table} | {r.system_b: r.group_b for r in result.table}
    labels = {s: fitted(s, LONGEST_LABEL) for s in groups}
    handles = _legend(result, groups)
    side = max(len(groups) * CELL, 1.0)
    label = widest(labels.values()) + 0.1
    columns = len(settings) if len(settings) > 1 else min(2, len(names))
    gap = label + 0.15
    taken = label + columns * side + gap * (columns - 1)
    sheet = lay_out(
        len(names) * len(settings),
        columns,
        (side, side),
        margins=(label, room(handles, taken, 0.12), 0.36, label + 0.06 + 0.13 * len(handles)),
        gaps=(gap, label + 0.42),
    )
    at = 0
    for name in names:
        for kind, cutoff in settings:
            rows = [r for r in result.table if (r.metric, r.test, r.cutoff) == (name, kind, cutoff)]
            _panel(sheet.panels[at], rows, groups, labels)
            title(sheet.panels[at], name, side, second=f"{kind}, {cutoff}")
            at += 1
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _panel(axes: Axes, rows: list[SystemRow], groups: dict[str, str | None], labels: dict[str, str]) -> None:
    order = _by_group(rows, groups)
    place = {system: at for at, system in enumerate(order)}
    for at in range(len(order)):
        axes.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, facecolor="#bdbdbd", linewidth=0))
    outlines = []
    for row in rows:
        a, b = place[row.system_a], place[row.system_b]
        if math.isnan(row.p_value):
            for x, y in {(a, b), (b, a)} if row.alternative == "two-sided" else {(b, a)}:
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **MISSING))
            continue
        worse = row.alternative == "less" or (row.alternative == "two-sided" and row.statistic < 0)
        x, y = (a, b) if worse else (b, a)
        if row.significant:
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=BLUE, linewidth=0))
        if row.significant_corrected and row.correction != "none":
            outlines.append((x, y))
    for k in range(1, len(order)):
        border = groups[order[k - 1]] != groups[order[k]]
        for line in (axes.axhline, axes.axvline):
            line(k - 0.5, color=BLACK if border else PALE, linewidth=0.9 if border else 0.5)
    for x, y in outlines:
        axes.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, fill=False, edgecolor=ORANGE, linewidth=1.1))
    names_on_y(axes, [labels[s] for s in order])
    axes.set_xticks(range(len(order)), [labels[s] for s in order], rotation=90, fontsize=SMALL)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(len(order) - 0.5, -0.5)


def _by_group(rows: list[SystemRow], groups: dict[str, str | None]) -> list[str]:
    """Return systems by group, and within it by how far they are ahead of the others."""
    ahead = dict.fromkeys(groups, 0.0)
    for row in rows:
        if not math.isnan(row.mean_difference):
            ahead[row.system_a] += row.mean_difference
            ahead[row.system_b] -= row.mean_difference
    names = list(dict.fromkeys(groups.values()))
    return sorted(groups, key=lambda s: (names.index(groups[s]), -ahead[s]))


def _legend(result: SystemComparison, groups: dict[str, str | None]) -> list[Any]:
    first = result.table[0]
    handles: list[Any] = [Patch(facecolor=BLUE, label=f"row better than column (p ≤ {result.alpha:g})")]
    if first.correction != "none":
        label = f"also after {vocabulary.CORRECTION_NAMES[first.correction]} correction"
        handles.append(Patch(facecolor=BLUE, edgecolor=ORANGE, linewidth=1.1, label=label))
    if any(math.isnan(r.p_value) for r in result.table):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    names = list(dict.fromkeys(groups.values()))
    if len(names) > 1:
        shown = ", ".join(fitted(n or "no group", 0.8) for n in names)
        handles.append(Line2D([], [], color=BLACK, linewidth=0.9, label=f"between groups: {shown}"))
    return handles
