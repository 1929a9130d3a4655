"""How hard each input is: mean ranks with comparison intervals, and all scores as a colour map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from metassay.errors import DataError, UnknownName
from metassay.figures.drawing import chosen
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLOURS,
    COLUMN,
    GREY,
    LINE,
    MISSING,
    MISSING_KEY,
    MOST_PANELS,
    SIZE,
    SMALL,
    VERMILLION,
    few_numbers,
    fitted,
    lay_out,
    legend_below,
    names_on_y,
    open_frame,
    plain,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.difficulty import Difficulty, DifficultyRow

LONGEST_LABEL = 1.1
"""Inches that the label of an input may take."""
CELL = 0.1
"""Inches of a cell of the map: as much as a label needs."""


def intervals(result: Difficulty, *, metric: str | None = None, input: str | None = None) -> Figure:
    """Draw the mean rank of each input with its interval, one panel per metric, the hardest input on top.

    Parameters
    ----------
    result
        What ``difficulty`` found.
    metric
        Metrics or human criteria to draw; all of them by default.
    input
        The input that the others are compared with; the hardest of each metric by default.
    """
    metrics = chosen("metric", metric, [t.metric for t in result.tests], MOST_PANELS)
    if input is not None and input not in result.inputs:
        raise UnknownName("input", input, result.inputs)
    rows = {m: _hardest_first([r for r in result.table if r.metric == m]) for m in metrics}
    metrics = [m for m in metrics if rows[m]]
    if not metrics:
        raise DataError("there is nothing to draw: no metric has inputs that can be ranked")
    labels = {r.input: fitted(r.input, LONGEST_LABEL) for m in metrics for r in rows[m]}
    label_width = widest(labels.values())
    lines = max(len(rows[m]) for m in metrics)
    columns = min(len(metrics), 4)
    left, right = label_width + 0.1, 0.12
    # every panel names its own inputs, because their order differs
    width = max(COLUMN - left - right, 1.6)
    sheet = lay_out(
        len(metrics),
        columns,
        (width, lines * LINE + 0.1),
        margins=(left, right, 0.24, 0.74),
        gaps=(left + 0.15, 0.55),
    )
    for axes, name in zip(sheet.panels, metrics, strict=True):
        _intervals(axes, rows[name], labels, input)
        few_numbers(axes, width)
        title(axes, name, width)
    legend_below(sheet.figure, _interval_legend(input, result.confidence), x=0.06)
    return sheet.figure


def _intervals(axes: Axes, rows: list[DifficultyRow], labels: dict[str, str], selected: str | None) -> None:
    chosen_row = next((r for r in rows if r.input == selected), rows[0])
    for at, row in enumerate(rows):
        style: dict[str, Any]
        apart = row.high < chosen_row.low or row.low > chosen_row.high
        if row is chosen_row:
            style = {"color": BLUE, "linewidth": 2.0, "marker": "s", "markersize": 3.4, "markerfacecolor": BLUE}
        elif apart:
            style = {"color": VERMILLION, "linewidth": 0.9, "marker": "o", "markersize": 2.6}
        else:
            style = {"color": GREY, "linewidth": 0.9, "marker": "o", "markersize": 2.6, "markerfacecolor": "white"}
        axes.plot(
            [row.low, row.mean_rank, row.high],
            [at] * 3,
            markevery=[1],
            markeredgewidth=0.7,
            solid_capstyle="butt",
            **style,
        )
    for end in (chosen_row.low, chosen_row.high):
        axes.axvline(end, color=BLUE, linewidth=0.5, linestyle=(0, (1, 2)), zorder=0)
    names_on_y(axes, [labels[row.input] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("mean rank (low is hard)", fontsize=SIZE, labelpad=2)
    open_frame(axes)


def _interval_legend(selected: str | None, confidence: float) -> list[Line2D]:
    who = "the hardest input" if selected is None else plain(selected, 30)
    same: dict[str, Any] = {"linewidth": 0.9, "marker": "o", "markersize": 2.6, "markeredgewidth": 0.7}
    return [
        Line2D([], [], color=BLUE, linewidth=2.0, marker="s", markersize=3.4, label=who),
        Line2D([], [], color=VERMILLION, label=f"differs from it (Tukey, {100 * confidence:g}%)", **same),
        Line2D([], [], color=GREY, markerfacecolor="white", label="does not differ", **same),
    ]


def map(result: Difficulty, *, metric: str | None = None) -> Figure:
    """Draw all scores as colours, inputs × systems, the hardest input on top; missing cells are hatched.

    Parameters
    ----------
    result
        What ``difficulty`` found.
    metric
        Metrics or human criteria to draw, one panel each; all of them by default.
    """
    metrics = chosen("metric", metric, [t.metric for t in result.tests], MOST_PANELS)
    order, borders = _by_group(result)
    systems = [fitted(result.systems[i], LONGEST_LABEL) for i in order]
    inputs = [fitted(name, LONGEST_LABEL) for name in result.inputs]
    left, below = widest(inputs) + 0.1, widest(systems) + 0.1
    grouped = len(borders) > 1
    missing = any(np.isnan(result.scores[m]).any() for m in metrics)
    width, height = max(len(systems) * CELL, 1.2), max(len(inputs) * CELL, 0.6)
    top = 0.24 + (0.13 if grouped else 0)
    sheet = lay_out(
        len(metrics),
        1 if width > COLUMN else min(len(metrics), 2),
        (width, height),
        margins=(left, 0.75, top, below + (0.22 if missing else 0.03)),
        gaps=(left + 0.75, below + top + 0.1),
    )
    for axes, name in zip(sheet.panels, metrics, strict=True):
        _map(sheet.figure, axes, result, name, order, systems)
        if grouped:
            _group_names(axes, borders)
        axes.set_title(fitted(name, width, SIZE), fontsize=SIZE, loc="left", pad=12 if grouped else 3)
    if missing:
        legend_below(sheet.figure, [Patch(label="missing", **MISSING_KEY)], x=left)
    return sheet.figure


def _map(figure: Figure, axes: Axes, result: Difficulty, name: str, order: list[int], systems: list[str]) -> None:
    ranks = {r.input: r.mean_rank for r in result.table if r.metric == name}
    rows = sorted(range(len(result.inputs)), key=lambda j: _nan_last(ranks.get(result.inputs[j], math.nan)))
    values = np.ma.masked_invalid(result.scores[name][order][:, rows].T)
    axes.patch.set(**MISSING)
    edges = np.arange(values.shape[1] + 1) - 0.5, np.arange(values.shape[0] + 1) - 0.5
    low, high, extend = _colour_range(values.compressed())
    mesh = axes.pcolormesh(*edges, values, cmap=COLOURS, vmin=low, vmax=high, rasterized=True)
    names_on_y(axes, [fitted(result.inputs[j], LONGEST_LABEL) for j in rows])
    axes.invert_yaxis()
    axes.set_xticks(range(len(systems)), systems, rotation=90, fontsize=SMALL)
    axes.tick_params(axis="x", length=0)
    box = axes.get_position()
    width, height = figure.get_size_inches()
    tall = min(1.6 / height, box.height)
    bar_axes = figure.add_axes((box.x1 + 0.1 / width, box.y1 - tall, 0.09 / width, tall))
    bar = figure.colorbar(mesh, cax=bar_axes, extend=extend, extendfrac=0.06)
    bar.ax.tick_params(labelsize=SMALL, length=2, width=0.5, pad=2)
    bar.outline.set_linewidth(0.4)
    bar.ax.locator_params(axis="y", nbins=5)
    bar.set_label("score", fontsize=SMALL, labelpad=2)


def _colour_range(values: npt.NDArray[np.float64]) -> tuple[float, float, str]:
    """Return the range of scores that colours tell apart: all but the outermost hundredth, if that is far out."""
    if not len(values):
        return 0.0, 1.0, "neither"
    ends, inner = (values.min(), values.max()), np.quantile(values, (0.01, 0.99))
    far = 0.25 * (inner[1] - inner[0])
    cut_low, cut_high = bool(inner[0] - ends[0] > far > 0), bool(ends[1] - inner[1] > far > 0)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    low, high = inner[0] if cut_low else ends[0], inner[1] if cut_high else ends[1]
    return float(low), float(high), extend[cut_low, cut_high]


def _by_group(result: Difficulty) -> tuple[list[int], list[tuple[str, int, int]]]:
    """Return the systems' order, groups side by side, and for each group its name and its first and last place."""
    names = list(dict.fromkeys(result.groups.get(s, "") for s in result.systems))
    order = sorted(range(len(result.systems)), key=lambda i: names.index(result.groups.get(result.systems[i], "")))
    groups = [result.groups.get(result.systems[i], "") for i in order]
    return order, [(n, groups.index(n), len(groups) - 1 - groups[::-1].index(n)) for n in names]


def _group_names(axes: Axes, borders: list[tuple[str, int, int]]) -> None:
    for name, first, last in borders:
        if first:
            axes.axvline(first - 0.5, color="white", linewidth=2.2)
            axes.axvline(first - 0.5, color=BLACK, linewidth=0.7)
        # a narrow group at the right edge may lean out of the panel, over the colour bar's margin
        room = max((last - first + 1) * CELL, 0.55)
        axes.text(
            first - 0.4, -0.75, fitted(name or "no group", room), fontsize=SMALL, va="bottom", ha="left", color=BLACK
        )


def _hardest_first(rows: list[DifficultyRow]) -> list[DifficultyRow]:
    return sorted((r for r in rows if not math.isnan(r.low)), key=lambda r: r.mean_rank)


def _nan_last(value: float) -> tuple[bool, float]:
    return (math.isnan(value), 0.0 if math.isnan(value) else value)
