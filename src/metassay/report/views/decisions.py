"""Would a metric have led to the same decisions as people, as a table per human criterion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.decisions import DecisionRow, Decisions

_COLUMNS = (
    Column("metric", "left", key=True),
    Column("same decision"),
    Column("kappa"),
    Column("precision"),
    Column("recall"),
    Column("both"),
    Column("opposite"),
    Column("metric only"),
    Column("people only"),
    Column("neither"),
)


def table(result: Decisions) -> tuple[Table, ...]:
    """Return one row per metric, those that agree most with people first."""
    rows = result.table
    differ = len({row.n_pairs for row in rows}) > 1
    sections = []
    for human in distinct(row.human for row in rows):
        mine = [row for row in rows if row.human == human]
        best = max((row.agreement for row in mine if not math.isnan(row.agreement)), default=math.nan)
        lines = tuple(_line(row, best, differ) for row in sorted(mine, key=_best_first))
        pairs = "" if differ else f", {mine[0].n_pairs:,} pairs of systems"
        sections.append(Section(one_line(human) + pairs, lines))
    first = rows[0]
    correction = names.CORRECTIONS.get(first.correction)
    after = f", {correction} correction" if correction else ", not corrected for the number of tests"
    legend = [
        f"Decisions: {first.test}, {first.cutoff}, two-sided, p ≤ {first.alpha:g}{after}. In brackets: "
        f"{100 * first.confidence:g}% interval over systems ({first.resamples:,} resamples).",
        "Both: significant in the same direction. Precision: share of the metric's differences that people confirm; "
        "recall: share of people's differences that the metric finds.",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: no difference was found, or no pair could be tested.")
    columns = (*_COLUMNS, *([Column("pairs")] if differ else []))
    return (Table("Decisions about systems", columns, tuple(sections), tuple(legend), "the most agreement"),)


def _line(row: DecisionRow, best: float, with_pairs: bool) -> tuple[Cell, ...]:
    bold = row.agreement == best
    counts = (row.both_agree, row.opposite, row.metric_only, row.human_only, row.neither)
    cells = [
        name(row.metric),
        number(numbers.percent_range(row.agreement, row.low, row.high), bold),
        number(numbers.fixed(row.kappa, 2)),
        number(numbers.percent(row.precision)),
        number(numbers.percent(row.recall)),
        *(number(f"{count:,}") for count in counts),
    ]
    if with_pairs:
        cells.append(number(f"{row.n_pairs:,}"))
    return tuple(cells)


def _best_first(row: DecisionRow) -> float:
    return math.inf if math.isnan(row.agreement) else -row.agreement
