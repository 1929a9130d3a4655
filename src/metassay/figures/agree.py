"""How well each metric agrees with people: a forest plot, and violins of the resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from metassay.errors import UsageError
from metassay.figures.drawing import chosen
from metassay.figures.lanes import lanes, undefined
from metassay.figures.sheet import (
    BLACK,
    BLUE,
    COLUMN,
    GREY,
    LINE,
    MOST_PANELS,
    SIZE,
    SKY,
    coefficient_words,
    few_numbers,
    fitted,
    lay_out,
    title,
    widest,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from metassay.studies.agree import Agreement, AgreementRow

LONGEST_LABEL = 1.4
"""Inches that the name of a metric may take."""
SLICES = 48
"""How many slices the outline of a violin has."""

Sample = npt.NDArray[np.float64] | None
Draw = Callable[["Axes", int, "AgreementRow", Sample], None]


def forest(result: Agreement, *, human: str | None = None) -> Figure:
    """Draw correlations with their intervals: a panel per human criterion, level and coefficient.

    Parameters
    ----------
    result
        What ``agree`` found.
    human
        Human criteria to draw; all of them by default.
    """
    return _panels(result, human, 1.12, _interval)


def violins(result: Agreement, *, human: str | None = None) -> Figure:
    """Draw the distribution of the resamples behind each interval: a panel per human criterion, level and coefficient.

    The form is that of Deutsch, Dror and Roth (2021), Figure 4. The line is the interval, the dot the estimate.

    Parameters
    ----------
    result
        What ``agree`` found, with intervals that rest on resamples.
    human
        Human criteria to draw; all of them by default.
    """
    if all(sample is None for sample in result.samples):
        raise UsageError(
            f"the figure violins needs resamples of the correlation, and the interval {result.table[0].interval} has "
            "none; choose boot-both, boot-systems or boot-inputs"
        )
    return _panels(result, human, 1.7, _violin)


def _panels(result: Agreement, human: str | None, tall: float, draw: Draw) -> Figure:
    """Lay out a panel per human criterion, level and coefficient, and draw each row in its lane."""
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
        (width, lines * LINE * tall + 0.12),
        margins=(left, right, 0.36, 0.36),
        gaps=(0.12, 0.78),
    )
    found: Mapping[tuple[str, str, str, str], tuple[AgreementRow, Sample]] = {
        (r.human, r.level, r.coefficient, r.metric): (r, sample)
        for r, sample in zip(result.table, result.samples, strict=True)
        if r.human in humans
    }
    at = 0
    for name in humans:
        for level, coefficient in settings:
            axes = sheet.panels[at]
            lanes(axes, [labels[m] if at % len(settings) == 0 else "" for m in orders[name]])
            for place, metric in enumerate(orders[name]):
                row, sample = found.get((name, level, coefficient, metric), (None, None))
                if row is None or math.isnan(row.estimate):
                    undefined(axes, place)
                else:
                    draw(axes, place, row, sample)
            axes.axvline(0, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0.5)
            few_numbers(axes, width)
            title(axes, name, width, second=f"{level} level")
            axes.set_xlabel(coefficient_words(coefficient), fontsize=SIZE, labelpad=2)
            at += 1
    # one scale for all panels, and 0 on it
    reach = [end for axes in sheet.panels for end in axes.dataLim.intervalx if math.isfinite(end)]
    for axes in sheet.panels:
        axes.set_xlim(min([0.0, *reach]) - 0.04, max([0.0, *reach]) + 0.04)
    return sheet.figure


def _interval(axes: Axes, at: int, row: AgreementRow, sample: Sample) -> None:
    del sample
    if not math.isnan(row.low):
        axes.plot([row.low, row.high], [at, at], color=BLUE, linewidth=1.1, solid_capstyle="butt")
    axes.plot([row.estimate], [at], marker="o", markersize=3, color=BLUE, markeredgecolor="white", markeredgewidth=0.4)


def _violin(axes: Axes, at: int, row: AgreementRow, sample: Sample) -> None:
    known = np.empty(0) if sample is None else sample[~np.isnan(sample)]
    if len(known) and known.min() < known.max():
        heights, edges = np.histogram(known, SLICES)
        # slices of a coefficient that jumps from value to value are uneven; neighbours share what they have
        smooth = np.convolve(np.pad(heights, 2, mode="edge"), np.array([1, 4, 6, 4, 1]) / 16, mode="valid")
        half = 0.42 * smooth / smooth.max()
        x = (edges[:-1] + edges[1:]) / 2
        x[0], x[-1] = edges[0], edges[-1]
        axes.fill_between(x, at - half, at + half, facecolor=SKY, edgecolor=BLUE, linewidth=0.4, alpha=0.75)
    if not math.isnan(row.low):
        axes.plot([row.low, row.high], [at, at], color=BLACK, linewidth=0.9, solid_capstyle="butt")
    axes.plot([row.estimate], [at], marker="o", markersize=3, color=BLACK, markeredgecolor="white", markeredgewidth=0.4)


def _best_first(rows: list[AgreementRow]) -> list[str]:
    """Return the metrics in the order of the first level and coefficient."""
    first = (rows[0].level, rows[0].coefficient)
    ranked = [r for r in rows if (r.level, r.coefficient) == first]
    return [
        r.metric
        for r in sorted(ranked, key=lambda r: (math.isnan(r.estimate), -r.estimate if r.estimate == r.estimate else 0))
    ]
