"""How often tests reject in worlds where the truth is known: a row per world and a column per test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.size import Size, SizeRow

SHORT = {
    "paired-boot-systems": "boot-systems",
    "paired-boot-inputs": "boot-inputs",
    "paired-boot-both": "boot-both",
}
"""Names of tests that would make columns too wide."""


def table(result: Size) -> tuple[Table, ...]:
    """Return rates, first where metrics are equally good, then where the first is better."""
    rows = result.table
    tests = distinct(row.test for row in rows)
    sections = []
    for statistic in distinct(row.statistic for row in rows):
        for equal in (True, False):
            mine = [row for row in rows if row.statistic == statistic and row.equal == equal]
            if mine:
                what = "equally good metrics: errors" if equal else "the first is better: power"
                title = f"{names.statistic(statistic)} at system level, {what}"
                sections.append(Section(title, tuple(_lines(mine, tests))))
    columns = (Column("world", "left", key=True), *(Column(SHORT.get(test, test)) for test in tests))
    most = max(row.trials + row.n_undefined for row in rows)
    widest = max((row.high - row.low for row in rows if row.trials), default=0.0)
    legend = [
        f"Share of {most:,} data sets in which a test finds the first metric better (α = {rows[0].alpha:g}); "
        f"95% intervals reach at most ± {numbers.fixed(widest / 2, 2)}.",
    ]
    if any(test in SHORT for test in tests):
        legend.append("boot-systems, boot-inputs and boot-both are the paired bootstraps.")
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary.")
    return (Table("How often do tests reject?", columns, tuple(sections), tuple(legend), "more than 1.3 α"),)


def _lines(rows: Sequence[SizeRow], tests: Sequence[str]) -> list[tuple[Cell, ...]]:
    lines = []
    for key in dict.fromkeys((row.setting, row.metric_a, row.metric_b, row.human) for row in rows):
        mine = {row.test: row for row in rows if (row.setting, row.metric_a, row.metric_b, row.human) == key}
        setting, a, b, human = key
        label = setting if a is None else f"{one_line(a)}, {one_line(b)}, {one_line(human)}: {setting}"
        cells = [number(numbers.fixed(mine[t].rate, 3), mine[t].holds is False) for t in tests]
        lines.append((name(label.removeprefix("equal: ").removeprefix("differ: ")), *cells))
    return lines
