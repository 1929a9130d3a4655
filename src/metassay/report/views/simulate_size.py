"""How often tests reject in worlds where the truth is known: a row per world and a column per test."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import names
from metassay.report.table import Table
from metassay.report.views.columns import Shown, across, bold, build, grouped, lines, words
from metassay.studies.simulate_size import Size, SizeRow

LONG = "paired-"
"""What is cut off names of tests that would make columns too wide."""


def table(result: Size) -> tuple[Table, ...]:
    """Return rates, first where metrics are equally good, then where the first is better."""
    rows = result.table
    cut = any(row.test.startswith(LONG) for row in rows)

    def column(test: str) -> Shown:
        return bold(f"{test.removeprefix(LONG)}|rate|correlation", lambda row: row.holds is False)

    sections = [
        (_title(mine[0], equal), lines(mine, "setting"))
        for some in grouped(rows, "metric_a metric_b human statistic").values()
        for equal, mine in grouped(sorted(some, key=lambda row: not row.equal), "equal").items()
    ]
    most = max(row.trials + row.n_undefined for row in rows)
    return build(
        "Rejection rates of tests",
        [words("population", lambda line: line[0].population or line[0].setting), *across(rows, "test", column)],
        sections,
        f"Share of {most:,} data sets in which a test finds the first metric better (α = {rows[0].alpha:g}); "
        f"{names.widest(rows)}.",
        cut and "boot-systems, boot-inputs and boot-both are the paired bootstraps.",
        undefined="scores that do not vary, or too few systems or inputs",
        bold="more than 1.3 α",
    )


def _title(row: SizeRow, equal: bool) -> str:
    fitted = [one_line(each) for each in (row.metric_a, row.metric_b, row.human) if each is not None]
    told = "equally good metrics: false-positive rate" if equal else "the first is better: power"
    return ", ".join([*fitted, f"{names.coefficient(row.statistic)} at {row.level} level, {told}"])
