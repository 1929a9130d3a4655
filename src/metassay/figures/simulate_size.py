"""How often tests reject where the truth is known: errors against the level they promise, and power."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.errors import UsageError
from metassay.figures.cells import HEIGHT, SHADE, WIDTH, cell, frame, same
from metassay.figures.lanes import room
from metassay.figures.sheet import (
    BLACK,
    COLUMN,
    GREY,
    LEGEND_LINE,
    MISSING_KEY,
    ORANGE,
    SIZE,
    SMALL,
    few_numbers,
    fitted,
    lay_out,
    legend_below,
    open_frame,
    title,
    told_apart,
    widest,
)
from metassay.figures.stems import Stem, height, keys, span, stems

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from metassay.studies.size import Size, SizeRow

LONGEST_LABEL = 2.3
"""Inches that the name of a world may take."""
TALLEST = 60.0
"""Inches that a figure may be high."""


def bars(result: Size) -> Figure:
    """Draw how often each test rejects, in worlds where metrics are equally good and in worlds where they differ.

    Where both are equally good every rejection is an error, and the dashed line is what the test promises.
    """
    kinds = [
        (coefficient, equal)
        for equal in (True, False)
        for coefficient in dict.fromkeys(r.coefficient for r in result.table)
        if any(r.equal == equal and r.coefficient == coefficient for r in result.table)
    ]
    tests = list(dict.fromkeys(r.test for r in result.table))
    worlds = {equal: list(dict.fromkeys(_world(r) for r in result.table if r.equal == equal)) for _, equal in kinds}
    labels = _labels(result)
    left, right = widest(labels.values()) + 0.12, 0.12
    width = max(COLUMN - left - right, 1.3)
    handles = keys(tests)
    if any(r.equal for r in result.table):
        promised = f"level promised, {result.table[0].alpha:g}"
        handles.append(Line2D([], [], color=BLACK, linewidth=0.7, linestyle="--", label=promised))
    if any(r.holds is False for r in result.table):
        look: dict[str, Any] = {"color": GREY, "markerfacecolor": "white", "markersize": 3, "linewidth": 0.9}
        handles.append(Line2D([], [], marker="o", label="hollow: rejects too often", **look))
    bottom = 0.4 + LEGEND_LINE * -(-len(handles) // 2)
    heights = [height(len(worlds[equal]), len(tests)) for _, equal in kinds]
    if sum(heights) > TALLEST:
        raise UsageError(
            f"{sum(len(names) for names in worlds.values())} worlds do not fit one figure; choose metrics with --metric"
        )
    sheet = lay_out(len(kinds), 1, (width, 0.0), margins=(left, right, 0.26, bottom), gaps=(0.0, 0.66), heights=heights)
    for axes, (coefficient, equal) in zip(sheet.panels, kinds, strict=True):
        mine = [r for r in result.table if (r.coefficient, r.equal) == (coefficient, equal)]
        found = {(_world(r), r.test): Stem(r.rate, r.low, r.high, r.holds is not False) for r in mine}
        values = [[found.get((world, test)) for test in tests] for world in worlds[equal]]
        stems(axes, [labels[world] for world in worlds[equal]], values, 0.0)
        ends = span([one for group in values for one in group], mine[0].alpha if equal else 0.0, 0.0, 1.02)
        most = max(ends[1], 2 * mine[0].alpha)
        axes.set_xlim(-0.02 * most, most)
        if equal:
            axes.axvline(mine[0].alpha, color=BLACK, linewidth=0.7, linestyle="--", zorder=1)
        few_numbers(axes, width)
        open_frame(axes)
        title(axes, f"{'equally good' if equal else 'one is better'}, {coefficient.capitalize()}", width)
        axes.set_xlabel("share of errors" if equal else "power", fontsize=SIZE, labelpad=2)
    legend_below(sheet.figure, handles, x=0.06, columns=2)
    return sheet.figure


def map(result: Size) -> Figure:
    """Draw how often each test rejects as a table, worlds × tests; tests that reject too often are outlined."""
    coefficients = list(dict.fromkeys(r.coefficient for r in result.table))
    tests = list(dict.fromkeys(r.test for r in result.table))
    worlds = list(dict.fromkeys((not r.equal, _world(r)) for r in result.table))
    worlds.sort(key=lambda one: one[0])
    names = _labels(result)
    below = [fitted(test, 1.2) for test in tests]
    wide = max(len(tests) * WIDTH, 1.25)
    left, foot = widest(names.values()) + 0.1, widest(below) + 0.1
    handles = [Patch(facecolor=SHADE, label="share of data sets in which the test rejects")]
    if any(r.holds is False for r in result.table):
        label = f"too often for a level of {result.table[0].alpha:g}"
        handles.append(Patch(facecolor="white", edgecolor=ORANGE, linewidth=0.9, label=label))
    if any(math.isnan(r.rate) for r in result.table):
        handles.append(Patch(label="undefined", **MISSING_KEY))
    columns = min(2, len(coefficients))
    used = left + columns * wide + (columns - 1) * 0.15
    lines: list[tuple[bool, tuple[str, ...] | None]] = []
    for differ in (False, True):
        mine = [world for flag, world in worlds if flag == differ]
        if mine:
            lines += [(differ, None), *((differ, world) for world in mine)]
    sheet = lay_out(
        len(coefficients),
        columns,
        (wide, len(lines) * HEIGHT),
        margins=(left, room(handles, used, 0.12), 0.24, foot + 0.08 + LEGEND_LINE * len(handles)),
        gaps=(0.15, foot + 0.3),
    )
    for at, (axes, coefficient) in enumerate(zip(sheet.panels, coefficients, strict=True)):
        found = {(not r.equal, _world(r), r.test): r for r in result.table if r.coefficient == coefficient}
        frame(axes, below, ["" if world is None or at % columns else names[world] for _, world in lines])
        for y, (differ, world) in enumerate(lines):
            if world is None:
                heading = "one is better: power" if differ else "equally good: errors"
                axes.text(-0.42, y, heading, fontsize=SMALL, va="center_baseline", fontstyle="italic")
                continue
            for x, test in enumerate(tests):
                row = found.get((differ, world, test))
                if row is None:
                    same(axes, (x, y))
                else:
                    cell(axes, (x, y), row.rate, f"{row.rate:.2f}", marked=row.holds is False)
        title(axes, coefficient.capitalize(), wide)
    legend_below(sheet.figure, handles, x=0.06)
    return sheet.figure


def _world(row: SizeRow) -> tuple[str, ...]:
    """Return what tells a world from others: its name, or the names it was fitted to."""
    if row.metric_a is None:
        return (row.setting.removeprefix("equal: ").removeprefix("differ: "),)
    return tuple(name for name in (row.metric_a, row.metric_b, row.human) if name is not None)


def _labels(result: Size) -> dict[tuple[str, ...], str]:
    """Return the names of each world on one line; each is cut by itself, so that all of them are seen."""
    worlds = list(dict.fromkeys(_world(row) for row in result.table))
    fitted_to = [world for world in worlds if len(world) > 1]
    # the criterion is only told where there are several
    parts = 3 if len({world[-1] for world in fitted_to}) > 1 else 2
    names = dict.fromkeys(name for world in fitted_to for name in world[:parts])
    short = told_apart(names, LONGEST_LABEL / parts - 0.07)
    labels = {world: fitted(world[0], LONGEST_LABEL) for world in worlds}
    return labels | {world: " / ".join(short[name] for name in world[:parts]) for world in fitted_to}
