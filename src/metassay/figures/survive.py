"""Does an evaluation survive: tests as a matrix, sensitivity to margins, shifts of dominance, components of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from metassay.core import vocabulary
from metassay.errors import UsageError
from metassay.figures.drawing import chosen
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    GROUPS,
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
    open_frame,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metassay.studies.survive import Survival

LONGEST_LABEL = 1.4
"""Inches that a name may take."""
CELL = 0.16
"""Inches of a cell, more than a line of text."""
LEGEND_LINE = 0.13
"""Inches of a line of the legend."""
MARKERS = ("o", "^", "v", "D", "P", "X", "<", ">", "p", "*", "h", "8", "d", "H")
DASHES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
KINDS = {"constant": "constant margin", "sd": "SD margin", "range": "largest-difference margin"}
CORRECTIONS = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


def matrix(result: Survival, *, margin_kind: str | None = None, human: str | None = None) -> Figure:
    """Draw TOST for every metric and level: filled if equivalent, outlined if still so after correction (Fig. 3).

    Parameters
    ----------
    result
        What ``survive`` found.
    margin_kind
        ``sd``, ``constant`` or ``range``; by default the first of these that the result has.
    human
        Criteria to draw; all of them by default.
    """
    kinds = [kind for kind in ("sd", "constant", "range") if any(r.margin_kind == kind for r in result.table)]
    kind = kinds[0] if margin_kind is None else vocabulary.choice("margin kind", margin_kind, kinds)
    coefficient = result.table[0].coefficient
    test = "tost" if any(r.test == "tost" for r in result.table) else result.table[0].test
    rows = [r for r in result.table if (r.margin_kind, r.coefficient, r.test) == (kind, coefficient, test)]
    humans = chosen("human", human, list(dict.fromkeys(r.criterion for r in rows)), MOST_PANELS)
    metrics, levels = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("metric", "language"))
    labels = {name: fitted(name, LONGEST_LABEL) for name in (*metrics, *levels)}
    size = max(len(levels) * CELL, 1.1), max(len(metrics) * CELL, 0.4)
    left, below = widest(labels[m] for m in metrics) + 0.1, widest(labels[v] for v in levels) + 0.1
    alpha = rows[0].alpha
    handles = [Patch(facecolor=BLUE, label=f"equivalent to {fitted(result.baseline, 0.8)} (p ≤ {alpha:g})")]
    if rows[0].correction != "none":
        label = f"also after {CORRECTIONS[rows[0].correction]}"
        handles.append(Patch(facecolor=BLUE, edgecolor=ORANGE, linewidth=1.1, label=label))
    if any(math.isnan(r.p_value) for r in rows):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    right = max(0.12, widest(str(handle.get_label()) for handle in handles) + 0.4 - left - size[0])
    bottom = below + 0.1 + LEGEND_LINE * len(handles)
    sheet = lay_out(
        len(humans), min(2, len(humans)), size, margins=(left, right, 0.36, bottom), gaps=(left + 0.15, below + 0.42)
    )
    for axes, criterion in zip(sheet.panels, humans, strict=True):
        for row in (r for r in rows if r.criterion == criterion):
            x, y = levels.index(row.language), metrics.index(row.metric)
            if math.isnan(row.p_value):
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **MISSING))
            elif row.equivalent:
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=BLUE, linewidth=0))
            if row.equivalent_corrected and row.correction != "none":
                axes.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, fill=False, edgecolor=ORANGE, linewidth=1.1))
        for k in range(1, len(metrics)):
            axes.axhline(k - 0.5, color=PALE, linewidth=0.5)
        for k in range(1, len(levels)):
            axes.axvline(k - 0.5, color=PALE, linewidth=0.5)
        names_on_y(axes, [labels[m] for m in metrics])
        axes.set_xticks(range(len(levels)), [labels[v] for v in levels], rotation=90, fontsize=SMALL)
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        axes.set_ylim(len(metrics) - 0.5, -0.5)
        title(axes, criterion, size[0], second=KINDS[kind])
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def sensitivity(result: Survival) -> Figure:
    """Draw the share of comparisons that TOST calls equivalent against the margin (Fig. 4a)."""
    coefficient = result.sensitivity[0].coefficient
    criteria = list(dict.fromkeys(row.criterion for row in result.sensitivity))
    handles = []
    sheet = _one_panel(criteria)
    axes = sheet.axes[0]
    for at, criterion in enumerate(criteria):
        colour, _ = GROUPS[at % len(GROUPS)]
        dashes = DASHES[at % len(DASHES)]
        mine = [r for r in result.sensitivity if (r.criterion, r.coefficient) == (criterion, coefficient)]
        axes.plot([r.margin for r in mine], [100 * r.share for r in mine], color=colour, linestyle=dashes, linewidth=1)
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1, label=fitted(criterion, 2.5)))
    axes.set_ylim(-2, 102)
    axes.set_xlabel("margin of equivalence", fontsize=SIZE)
    axes.set_ylabel("% of comparisons equivalent", fontsize=SIZE)
    legend_below(sheet, handles, x=0.45)
    return sheet


def dominance(result: Survival) -> Figure:
    """Draw how far resolved pairs of metrics shift, after translation and after the round trip (Fig. 5)."""
    rows = [r for r in result.shifts if r.coefficient == result.shifts[0].coefficient]
    rows = [r for r in rows if not math.isnan(r.shift + r.shift_back)]
    if not rows:
        raise UsageError(
            "the figure dominance needs round trips, levels such as es-back, and resolved pairs of metrics"
        )
    levels, criteria = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("language", "criterion"))
    sheet = _one_panel([*levels, *criteria])
    axes = sheet.axes[0]
    most = 1.1 * max(max(r.shift, r.shift_back) for r in rows) or 0.01
    axes.plot([0, most], [0, most], color=GREY, linestyle=":", linewidth=0.7)
    for row in rows:
        colour, marker = (
            GROUPS[levels.index(row.language) % len(GROUPS)][0],
            MARKERS[criteria.index(row.criterion) % 14],
        )
        axes.plot([row.shift], [row.shift_back], marker=marker, color=colour, markersize=5, linestyle="", alpha=0.8)
    axes.set_xlim(-0.03 * most, most)
    axes.set_ylim(-0.03 * most, most)
    axes.set_xlabel("shift of P, translated", fontsize=SIZE)
    axes.set_ylabel("shift of P, after the round trip", fontsize=SIZE)
    handles = [_key(fitted(v, 2.5), "s", GROUPS[at % len(GROUPS)][0]) for at, v in enumerate(levels)]
    handles += [_key(fitted(c, 2.5), MARKERS[at % 14], GREY) for at, c in enumerate(criteria)]
    legend_below(sheet, handles, x=0.45)
    return sheet


def components(result: Survival) -> Figure:
    """Draw metrics at every level, and criteria, on the first two components of their ranks (Fig. 6)."""
    if not result.components:
        raise UsageError("the figure components needs at least three columns with scores on the same outputs")
    people = [row for row in result.components if row.kind == "human"]
    rows = [row for row in result.components if row.kind != "human"]
    metrics, levels = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("name", "language"))
    handles = [_key(fitted(v, 2.5), "s", GROUPS[at % len(GROUPS)][0]) for at, v in enumerate(levels)]
    handles += [_key(fitted(m, 2.5), MARKERS[at % 14], GREY) for at, m in enumerate(metrics)]
    names = list(dict.fromkeys(row.name for row in people))
    handles += [_key(fitted(n, 2.5), f"${at + 1}$", BLACK) for at, n in enumerate(names)]
    sheet = _one_panel(handles)
    axes = sheet.axes[0]
    for row in rows:
        colour, marker = GROUPS[levels.index(row.language) % len(GROUPS)][0], MARKERS[metrics.index(row.name) % 14]
        axes.plot([row.first], [row.second], marker=marker, color=colour, markersize=5, linestyle="", alpha=0.7)
    for row in people:
        marker = f"${names.index(row.name) + 1}$"
        axes.plot([row.first], [row.second], marker=marker, color=BLACK, markersize=5, linestyle="")
    axes.margins(0.08)
    axes.locator_params(nbins=5)
    axes.set_xlabel(f"first component, {100 * result.explained[0]:.0f}%", fontsize=SIZE)
    axes.set_ylabel(f"second component, {100 * result.explained[1]:.0f}%", fontsize=SIZE)
    legend_below(sheet, handles, x=0.45)
    return sheet


def _one_panel(entries: Sequence[object]) -> Figure:
    """Return a figure with one panel and room for a legend of so many lines below."""
    below = 0.42 + LEGEND_LINE * len(entries)
    sheet = lay_out(1, 1, (COLUMN - 0.6, COLUMN - 0.9), margins=(0.5, 0.12, 0.12, below))
    open_frame(sheet.panels[0])
    return sheet.figure


def _key(label: str, marker: str, colour: str) -> Line2D:
    return Line2D([], [], marker=marker, color=colour, markersize=4.5, linestyle="", label=label)
