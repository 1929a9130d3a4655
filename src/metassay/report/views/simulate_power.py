"""How strong tests are, as curves: a row per test and a column per setting."""

from __future__ import annotations

from dataclasses import replace

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, at, build, figures, grouped, lines
from metassay.studies.simulate_power import Power, PowerRow

DAMAGE = {
    "words": ("share of the words that the corrupted metric sees", numbers.percent),
    "noise": ("SD of the added noise, in SDs of the scores", "{:g}".format),
    "shuffle": ("share of the outputs whose answers are shuffled", numbers.percent),
}
"""How each kind of corruption is told, and how its size is written."""


def default(result: Power) -> tuple[str, ...]:
    """Return the view that suits the number of settings."""
    return ("intervals",) if len({row.setting for row in result.table}) <= 4 else ("curves",)


def curves(result: Power) -> tuple[Table, ...]:
    """Return a row per test and a column per setting, in a section per metric, criterion, level and statistic."""
    return _rates(result, with_ends=False)


def intervals(result: Power) -> tuple[Table, ...]:
    """Return the same with the interval of every rate."""
    return _rates(result, with_ends=True)


def _rates(result: Power, *, with_ends: bool) -> tuple[Table, ...]:
    rows = result.table
    told, form = DAMAGE[rows[0].damage]
    last = f"{names.measure(rows)} when corrupted"

    def rate(row: PowerRow) -> str:
        if row.test == last:
            return numbers.two(row.estimate_damaged)
        if not row.trials:
            return numbers.DASH
        return numbers.ranged(row.rate, row.low, row.high, numbers.two) if with_ends else numbers.two(row.rate)

    def column(setting: float) -> Shown:
        return at(figures(form(setting), rate), "setting", setting)

    sections = []
    for mine in grouped(rows, f"metric {names.SETTING}").values():
        row = mine[0]
        title = f"{one_line(row.metric)} against {names.setting(row)} (intact: {numbers.correlation(row.estimate)})"
        # under the tests stands what the damage does to the metric
        sections.append((title, lines([*mine, *(replace(row, test=last) for row in mine)], "test")))
    most = max(row.trials + row.n_undefined for row in rows)
    return build(
        "Power to find a corrupted metric worse",
        ["test", *map(column, sorted({row.setting for row in rows}))],
        sections,
        f"Share of {most:,} trials in which the test finds the intact metric better (α = {rows[0].alpha:g}). "
        f"Columns: {told}.",
        "In brackets: 95% CI." if with_ends else f"{names.widest(rows)}.",
    )
