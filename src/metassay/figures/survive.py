"""Does an evaluation survive: tests as a matrix, sensitivity to margins, shifts of dominance, components of ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from metassay.core import vocabulary
from metassay.errors import UsageError
from metassay.figures.drawing import chosen
from metassay.figures.lanes import room
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    GROUPS,
    LEGEND_LINE,
    MISSING,
    MISSING_KEY,
    MOST_PANELS,
    ORANGE,
    PALE,
    SIZE,
    SMALL,
    VERMILLION,
    coefficient_words,
    few_numbers,
    fitted,
    lay_out,
    legend_below,
    names_on_y,
    open_frame,
    title,
    told_apart,
    widest,
)
from metassay.figures.stems import Stem, height, keys, span, stems

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.survive import RankPosition, Survival

LONGEST_LABEL = 1.4
"""Inches that a name may take."""
TALL = 3.5
"""Panels higher than this stand side by side."""
PAGE = 7.3
"""Width of a page of a paper without its margins."""
MOST_LEVELS = 30
"""More than this are no longer one figure."""
CELL = 0.16
"""Inches of a cell, more than a line of text."""
MARKERS = ("o", "^", "v", "D", "P", "X", "<", ">", "p", "*", "h", "8", "d", "H")
DASHES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
FILLS = ("full", "none", "left", "top", "right", "bottom")
"""How marks are filled: it tells criteria apart in greyscale."""
KINDS = {"constant": "constant margin", "sd": "SD margin", "range": "largest-difference margin"}


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
    labels = told_apart(metrics, LONGEST_LABEL) | told_apart(levels, LONGEST_LABEL)
    size = max(len(levels) * CELL, 1.1), max(len(metrics) * CELL, 0.4)
    left, below = widest(labels[m] for m in metrics) + 0.1, widest(labels[v] for v in levels) + 0.1
    alpha = rows[0].alpha
    handles = [Patch(facecolor=BLUE, label=f"equivalent to {fitted(result.baseline, 0.8)} (p ≤ {alpha:g})")]
    if rows[0].correction != "none":
        label = f"also after {vocabulary.CORRECTION_NAMES[rows[0].correction]}"
        handles.append(Patch(facecolor=BLUE, edgecolor=ORANGE, linewidth=1.1, label=label))
    if any(math.isnan(r.p_value) for r in rows):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    right = room(handles, left + size[0], 0.12)
    bottom = below + 0.1 + LEGEND_LINE * len(handles)
    columns = min(len(humans), 2)
    if size[1] > TALL and left + len(humans) * (size[0] + 0.15) < PAGE:
        columns = len(humans)
    sheet = lay_out(len(humans), columns, size, margins=(left, right, 0.36, bottom), gaps=(0.15, below + 0.36))
    for at, (axes, criterion) in enumerate(zip(sheet.panels, humans, strict=True)):
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
        names_on_y(axes, [labels[m] if at % columns == 0 else "" for m in metrics])
        axes.set_xticks(range(len(levels)), [labels[v] for v in levels], rotation=90, fontsize=SMALL)
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        axes.set_ylim(len(metrics) - 0.5, -0.5)
        title(axes, criterion, size[0], second=KINDS[kind])
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def agreement(result: Survival, *, human: str | None = None, language: str | None = None) -> Figure:
    """Draw the correlation of each metric with people at every level: a panel per criterion (Fig. 1).

    Parameters
    ----------
    result
        What ``survive`` found.
    human
        Criteria to draw; all of them by default.
    language
        Levels to draw; all of them by default.
    """
    coefficient = result.table[0].coefficient
    rows = [r for r in result.agreement if r.coefficient == coefficient]
    levels = chosen("language", language, list(dict.fromkeys(r.language for r in rows)), MOST_LEVELS)
    rows = [r for r in rows if r.language in levels]
    humans = chosen("human", human, list(dict.fromkeys(r.criterion for r in rows)), MOST_PANELS)
    found = {(r.criterion, r.metric, r.language): Stem(r.estimate, r.low, r.high) for r in rows}
    return _bars(found, humans, f"{coefficient_words(coefficient)} with people")


def across(result: Survival, *, language: str | None = None) -> Figure:
    """Draw the correlation of each metric at the baseline with itself at every other level (Fig. 2).

    Parameters
    ----------
    result
        What ``survive`` found.
    language
        Levels to draw; all of them by default.
    """
    coefficient = result.table[0].coefficient
    rows = [r for r in result.across if r.coefficient == coefficient]
    if not rows:
        raise UsageError("the figure across needs metrics that were scored at the baseline and at another level")
    levels = chosen("language", language, list(dict.fromkeys(r.language for r in rows)), MOST_LEVELS)
    rows = [r for r in rows if r.language in levels]
    found = {("", r.metric, r.language): Stem(r.estimate, r.low, r.high) for r in rows}
    return _bars(found, [""], f"{coefficient_words(coefficient)} with {fitted(result.baseline, 0.6)}")


def _bars(found: dict[tuple[str, str, str], Stem], panels: list[str], words: str) -> Figure:
    """Draw bars for metrics and levels, a panel for each criterion."""
    found = {key: one for key, one in found.items() if key[0] in panels}
    metrics, levels = (list(dict.fromkeys(key[at] for key in found)) for at in (1, 2))
    labels = told_apart(metrics, LONGEST_LABEL)
    left, right, gap = widest(labels.values()) + 0.12, 0.12, 0.16
    high = height(len(metrics), len(levels))
    # two panels in a column of a paper, or four across the page if they are high
    columns = min(4 if high > TALL else 2, len(panels))
    width = max((COLUMN - left - right - gap * (columns - 1)) / columns, 1.2)
    handles = keys(levels)
    sheet = lay_out(
        len(panels),
        columns,
        (width, high),
        margins=(left, right, 0.24 if panels != [""] else 0.1, 0.4 + LEGEND_LINE * -(-len(handles) // 2)),
        gaps=(gap, 0.5),
    )
    ends = span(list(found.values()), 0.0)
    for at, (axes, name) in enumerate(zip(sheet.panels, panels, strict=True)):
        values = [[found.get((name, m, level)) for level in levels] for m in metrics]
        stems(axes, [labels[m] if at % columns == 0 else "" for m in metrics], values, 0.0)
        axes.axvline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
        axes.set_xlim(*ends)
        few_numbers(axes, width)
        open_frame(axes)
        if name:
            title(axes, name, width)
    sheet.figure.supxlabel(
        words,
        fontsize=SIZE,
        y=(0.1 + LEGEND_LINE * -(-len(handles) // 2)) / sheet.figure.get_size_inches()[1],
        va="bottom",
    )
    legend_below(sheet.figure, handles, x=0.06, columns=2)
    return sheet.figure


def sensitivity(result: Survival) -> Figure:
    """Draw the share of comparisons that TOST calls equivalent against the margin (Fig. 4a)."""
    coefficient = result.sensitivity[0].coefficient
    criteria = list(dict.fromkeys(row.criterion for row in result.sensitivity))
    handles = []
    figure = _one_panel(len(criteria))
    axes = figure.axes[0]
    for at, criterion in enumerate(criteria):
        colour, _ = GROUPS[at % len(GROUPS)]
        dashes = DASHES[at % len(DASHES)]
        mine = [r for r in result.sensitivity if (r.criterion, r.coefficient) == (criterion, coefficient)]
        axes.plot([r.margin for r in mine], [100 * r.share for r in mine], color=colour, linestyle=dashes, linewidth=1)
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1, label=fitted(criterion, 2.5)))
    axes.set_ylim(-2, 102)
    axes.set_xlabel("margin of equivalence", fontsize=SIZE)
    axes.set_ylabel("% of comparisons equivalent", fontsize=SIZE)
    legend_below(figure, handles, x=0.45)
    return figure


def margins(result: Survival) -> Figure:
    """Draw the margins that single annotators give, a mark per metric, for every criterion (Fig. 4b)."""
    if not result.margins:
        raise UsageError("the figure margins needs judgments of two or more annotators by themselves")
    rows = [r for r in result.margins if r.coefficient == result.margins[0].coefficient]
    criteria = list(dict.fromkeys(r.criterion for r in rows))
    labels = list(told_apart(criteria, LONGEST_LABEL).values())
    left = widest(labels) + 0.12
    handles = [
        _key("standard deviation over annotators", "o", BLUE),
        _key("largest difference of two annotators", "^", VERMILLION, fill="none"),
    ]
    constant = [r.margin for r in result.table if r.margin_kind == "constant"]
    if constant:
        label = f"constant margin, {constant[0]:g}"
        handles.append(Line2D([], [], color=BLACK, linewidth=0.7, linestyle="--", label=label))
    width = max(COLUMN - left - 0.12, 1.3)
    below = 0.42 + LEGEND_LINE * len(handles)
    sheet = lay_out(1, 1, (width, 0.3 * len(criteria) + 0.05), margins=(left, 0.12, 0.08, below))
    axes = sheet.panels[0]
    for at, criterion in enumerate(criteria):
        if at % 2:
            axes.axhspan(at - 0.5, at + 0.5, color=PALE, alpha=0.45, linewidth=0, zorder=0)
        mine = [r for r in rows if r.criterion == criterion]
        look: dict[str, Any] = {"linestyle": "", "markersize": 3.4, "alpha": 0.75, "clip_on": False}
        axes.plot([r.sd for r in mine], [at - 0.18] * len(mine), marker="o", color=BLUE, **look)
        axes.plot(
            [r.range for r in mine], [at + 0.18] * len(mine), marker="^", color=VERMILLION, fillstyle="none", **look
        )
    if constant:
        axes.axvline(constant[0], color=BLACK, linewidth=0.7, linestyle="--", zorder=1)
    names_on_y(axes, labels)
    axes.set_ylim(len(criteria) - 0.5, -0.5)
    axes.set_xlim(left=0)
    few_numbers(axes, width)
    open_frame(axes)
    axes.set_xlabel("margin, a mark per metric", fontsize=SIZE, labelpad=2)
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def dominance(result: Survival) -> Figure:
    """Draw how far resolved pairs of metrics shift, after translation and after the round trip (Fig. 5)."""
    rows = [r for r in result.shifts if r.coefficient == result.shifts[0].coefficient]
    rows = [r for r in rows if not math.isnan(r.shift + r.shift_back)]
    if not rows:
        raise UsageError(
            "the figure dominance needs round trips, levels such as es-back, and resolved pairs of metrics"
        )
    levels, criteria = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("language", "criterion"))
    lines = -(-(len(levels) + len(criteria)) // 2)
    figure = _one_panel(lines)
    axes = figure.axes[0]
    most = 1.1 * max(max(r.shift, r.shift_back) for r in rows) or 0.01
    axes.plot([0, most], [0, most], color=GREY, linestyle=":", linewidth=0.7)
    for row in rows:
        colour, marker = _level(levels.index(row.language))
        fill = FILLS[criteria.index(row.criterion) % len(FILLS)]
        look: dict[str, Any] = {
            "fillstyle": fill,
            "markersize": 5,
            "markeredgewidth": 0.7,
            "markerfacecoloralt": "white",
        }
        axes.plot([row.shift], [row.shift_back], marker=marker, color=colour, linestyle="", **look)
    axes.set_xlim(-0.03 * most, most)
    axes.set_ylim(-0.03 * most, most)
    axes.locator_params(nbins=4)
    axes.set_xlabel("shift of P, translated", fontsize=SIZE)
    axes.set_ylabel("shift of P, after the round trip", fontsize=SIZE)
    longest = (COLUMN - 0.45) / 2 - 0.32
    handles = [_key(fitted(v, longest), _level(at)[1], _level(at)[0]) for at, v in enumerate(levels)]
    handles += [_key(fitted(c, longest), "o", BLACK, fill=FILLS[at % len(FILLS)]) for at, c in enumerate(criteria)]
    legend_below(figure, handles, x=0.45, columns=2)
    return figure


def components(result: Survival) -> Figure:
    """Draw metrics at every level, and criteria, on the first two components of their ranks (Fig. 6).

    The number of a metric stands where it is at the baseline, and thin lines lead from there to its other levels.
    """
    if not result.components:
        raise UsageError("the figure components needs at least three columns with scores on the same outputs")
    people = list(dict.fromkeys(row.name for row in result.components if row.kind == "human"))
    rows = [row for row in result.components if row.kind != "human"]
    metrics, levels = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("name", "language"))
    start = {row.name: row for row in reversed(rows)} | {r.name: r for r in rows if r.language == result.baseline}
    others = [level for level in levels if any(r.language == level and start[r.name] is not r for r in rows)]
    longest = (COLUMN - 0.45) / 2 - 0.32
    keys_of = [_key(m, f"${at + 1}$", BLACK) for at, m in enumerate(told_apart(metrics, longest).values())]
    keys_of += [_key(fitted(v, longest), _level(at)[1], _level(at)[0]) for at, v in enumerate(others)]
    keys_of += [_key(fitted(name, longest), _letter(at), VERMILLION) for at, name in enumerate(people)]
    figure = _one_panel(-(-len(keys_of) // 2))
    axes = figure.axes[0]
    for row in rows:
        first = start[row.name]
        if row is first:
            marker = f"${metrics.index(row.name) + 1}$"
            _sign(axes, row, marker, BLACK, _as_high(marker))
            continue
        axes.plot([first.first, row.first], [first.second, row.second], color=GREY, linewidth=0.4, zorder=1)
        colour, marker = _level(others.index(row.language))
        look: dict[str, Any] = {"markersize": 3.2, "markeredgewidth": 0.3, "markeredgecolor": "white", "alpha": 0.9}
        axes.plot([row.first], [row.second], marker=marker, color=colour, linestyle="", zorder=2, **look)
    for row in (r for r in result.components if r.kind == "human"):
        marker = _letter(people.index(row.name))
        _sign(axes, row, marker, VERMILLION, 6.0)
    axes.margins(0.08)
    axes.locator_params(nbins=5)
    axes.set_xlabel(f"first component, {100 * result.explained[0]:.0f}%", fontsize=SIZE)
    axes.set_ylabel(f"second component, {100 * result.explained[1]:.0f}%", fontsize=SIZE)
    legend_below(figure, keys_of, x=0.3, columns=2)
    return figure


def _sign(axes: Axes, row: RankPosition, marker: str, colour: str, size: float) -> None:
    """Draw a letter or a number at a position, with a white rim so that it is read on top of marks."""
    look: dict[str, Any] = {"marker": marker, "markersize": size, "linestyle": "", "zorder": 3}
    axes.plot([row.first], [row.second], color="white", markeredgewidth=1.2, **look)
    axes.plot([row.first], [row.second], color=colour, markeredgewidth=0, **look)


def _as_high(marker: str) -> float:
    """Return the size of a number as a marker: those of two digits are as high as others."""
    return 7.0 if len(marker) > len("$1$") else 5.0


def _level(at: int) -> tuple[str, str]:
    """Return colour and marker of a level; they repeat together only after many."""
    return GROUPS[at % len(GROUPS)][0], MARKERS[at % len(MARKERS)]


def _letter(at: int) -> str:
    """Return a bold letter as a marker."""
    return rf"$\mathbf{{{chr(ord('A') + at % 26)}}}$"


def _one_panel(lines: int) -> Figure:
    """Return a figure with one panel and room for a legend of so many lines below."""
    below = 0.42 + LEGEND_LINE * lines
    sheet = lay_out(1, 1, (COLUMN - 0.68, COLUMN - 0.9), margins=(0.56, 0.12, 0.12, below))
    open_frame(sheet.panels[0])
    return sheet.figure


def _key(label: str, marker: str, colour: str, *, fill: Any = "full") -> Line2D:  # noqa: ANN401 - matplotlib's own
    look: dict[str, Any] = {"fillstyle": fill, "markerfacecoloralt": "white", "markersize": 4.5}
    if marker.startswith("$"):
        look["markeredgewidth"] = 0  # letters and numbers would become fat
    if marker.strip("$").isdigit():
        look["markersize"] = _as_high(marker)
    return Line2D([], [], marker=marker, color=colour, linestyle="", label=label, **look)
