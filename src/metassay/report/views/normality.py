"""Do parametric methods apply, as a table of Shapiro-Wilk tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, is_undefined, name, number, sizes

if TYPE_CHECKING:
    from metassay.studies.normality import Normality, NormalityRow

_COLUMNS = (
    Column("metric", "left", key=True),
    Column("kind", "left"),
    Column("p, system means"),
    Column("", "left"),
    Column("inputs rejecting"),
)


def table(result: Normality) -> tuple[Table, ...]:
    """Return one row per metric and human criterion."""
    rows = result.table
    differ = len({(row.n_systems, row.n_inputs + row.n_undefined) for row in rows}) > 1
    undefined = any(row.n_undefined for row in rows)
    lines = tuple(_line(row, differ, undefined) for row in rows)
    title = "" if differ or not rows else sizes([(r.n_systems, r.n_inputs + r.n_undefined) for r in rows])
    sections = (Section(title, lines),)
    columns = (*_COLUMNS, *([Column("systems × inputs")] if differ else []))
    columns += (Column("inputs undefined"),) if undefined else ()
    legend = []
    if rows:
        legend.append(f"* p ≤ {rows[0].alpha:g}; inputs rejecting: share of inputs with p ≤ {rows[0].alpha:g}.")
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or fewer than three of them.")
    return (Table("Do scores look normal? (Shapiro-Wilk)", columns, sections, tuple(legend)),)


def _line(row: NormalityRow, with_sizes: bool, with_undefined: bool) -> tuple[Cell, ...]:
    rejected = not math.isnan(row.p_value) and row.p_value <= row.alpha
    cells = [
        name(row.metric),
        Cell(row.kind),
        number(numbers.p_value(row.p_value)),
        Cell("*" if rejected else ""),
        number(numbers.percent(row.percent_rejected / 100)),
    ]
    if with_sizes:
        cells.append(number(f"{row.n_systems:,} × {row.n_inputs + row.n_undefined:,}"))
    if with_undefined:
        cells.append(number(f"{row.n_undefined:,}"))
    return tuple(cells)
