"""Whether intervals contain the agreement of held-out data, as a table like Table 1 of the paper."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table, distinct
from metassay.report.views.columns import Shown, across, bold, build, figures, grouped, lines
from metassay.studies.simulate_coverage import Coverage, CoverageRow


def table(result: Coverage) -> tuple[Table, ...]:
    """Return a row per kind of interval and a column per level and statistic, in a section per metric."""
    rows = result.table
    several = len(names.statistics(rows)) > 1

    def column(where: tuple[str, str]) -> Shown:
        header = f"{where[0]} level" + (f", {names.coefficient(where[1])}" if several else "")
        return bold(figures(header, _rate), lambda row: row.best)

    halves = " or ".join(distinct(map(_halves, rows)))
    most = max((row.trials + row.n_undefined for row in rows), default=0)
    return build(
        f"Coverage: share of intervals that contain the {names.measure(rows)} of held-out data",
        ["interval", *across(rows, f"level {names.STATISTIC}", column)],
        [
            (f"{one_line(metric)} against {one_line(human)}", lines(mine, "interval"))
            for (metric, human), mine in grouped(rows, "metric human").items()
        ],
        f"Share of {most:,} random splits in which the {numbers.level(rows[0].confidence)} CI from one half "
        f"({halves}) contains the {names.measured(rows)} in the other, with 95% CI.",
        f"* nearest to {rows[0].confidence:g} among shares below 1, by one-tailed z-tests at .05.",
    )


def _rate(row: CoverageRow) -> str:
    ends = f"[{numbers.two(row.low)}, {numbers.two(row.high)}]"
    return f"{numbers.fixed(row.rate, 3)}{'*' if row.best else ' '} {ends}" if row.trials else numbers.DASH


def _halves(row: CoverageRow) -> str:
    known = f"{numbers.counted(row.n_systems, 'system')} × {numbers.counted(row.n_inputs, 'input')}"
    return known if row.n_inputs else row.setting
