"""Whether intervals contain the correlation of held-out data, as a table like Table 1 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.coverage import Coverage, CoverageRow


def table(result: Coverage) -> tuple[Table, ...]:
    """Return a row per kind of interval and a column per level and statistic, in a section per metric."""
    rows = result.table
    statistics = distinct(row.statistic for row in rows)
    where = list(dict.fromkeys((row.level, row.statistic) for row in rows))
    sections = []
    for metric, human in dict.fromkeys((row.metric, row.human) for row in rows):
        mine = {(r.level, r.statistic, r.interval): r for r in rows if (r.metric, r.human) == (metric, human)}
        lines = tuple(
            (name(interval), *(_cell(mine[level, c, interval]) for level, c in where))
            for interval in distinct(row.interval for row in rows)
        )
        sections.append(Section(f"{one_line(metric)} against {one_line(human)}", lines))
    columns = [Column("interval", "left", key=True)]
    for level, c in where:
        columns.append(Column(f"{level} level" + (f", {names.statistic(c)}" if len(statistics) > 1 else "")))
    halves = " or ".join("{} systems × {} inputs".format(*row.split("x")) for row in distinct(r.setting for r in rows))
    most = max((row.trials + row.n_undefined for row in rows), default=0)
    legend = [
        f"Share of {most:,} random splits in which the {100 * rows[0].confidence:g}% interval from one half "
        f"({halves}) contains the "
        f"{names.statistic(statistics[0]) + ' ' if len(statistics) == 1 else ''}correlation in the other, with "
        "95% interval.",
        f"* nearest to {rows[0].confidence:g} among shares below 1, by one-tailed z-tests at .05.",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or too few of them.")
    return (
        Table(
            "How often do intervals contain the correlation of new data?",
            tuple(columns),
            tuple(sections),
            tuple(legend),
        ),
    )


def _cell(row: CoverageRow) -> Cell:
    if not row.trials:
        return number(numbers.DASH)
    ends = f"[{numbers.fixed(row.low, 2)}, {numbers.fixed(row.high, 2)}]"
    return number(f"{numbers.fixed(row.rate, 3)}{'*' if row.best else ' '} {ends}", bold=row.best)
