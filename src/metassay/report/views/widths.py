"""What does scoring the whole test set buy, as intervals side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Column, Section, Table, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.widths import Widths


def table(result: Widths) -> tuple[Table, ...]:
    """Return one table with a section per criterion, statistic and method."""
    rows = result.table
    few = numbers.with_intervals([(r.estimate_a, r.low_a, r.high_a) for r in rows])
    many = numbers.with_intervals([(r.estimate_t, r.low_t, r.high_t) for r in rows])
    cells = {
        id(row): (name(row.metric), number(a), number(t), number(numbers.change(row.width_change)))
        for row, a, t in zip(rows, few, many, strict=True)
    }
    sections = []
    for change in result.changes:
        key = (change.human, change.statistic, change.interval)
        mine = [row for row in rows if (row.human, row.statistic, row.interval) == key]
        mean = numbers.change(change.mean)
        where = names.setting(one_line(change.human), "system", change.statistic)
        title = f"{where}, {change.interval}: width {mean} on average"
        sections.append(Section(title, tuple(cells[id(row)] for row in mine)))
    columns = (
        Column("metric", "left", key=True),
        Column(_heading([row.n_annotated for row in rows], "judged inputs")),
        Column(_heading([row.n_inputs for row in rows], "inputs", "all ")),
        Column("width"),
    )
    legend = [
        f"Correlation and {100 * rows[0].confidence:g}% interval ({rows[0].resamples:,} resamples) with means of the "
        "metric over so many inputs; width: change from the one interval to the other.",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or too few of them.")
    return (Table("What more inputs for metrics buy", columns, tuple(sections), tuple(legend)),)


def _heading(counts: Sequence[int], what: str, each: str = "") -> str:
    low, high = min(counts), max(counts)
    return f"{each}{low:,} {what}" if low == high else f"{each}{low:,} to {high:,} {what}"
