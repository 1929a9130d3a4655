"""How strong tests are, as curves: a row per test and a column per setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.power import Power, PowerRow


def curves(result: Power) -> tuple[Table, ...]:
    """Return a row per test and a column per setting, in a section per metric, criterion, level and statistic."""
    return (_table(result.table, with_ends=False),)


def intervals(result: Power) -> tuple[Table, ...]:
    """Return the same with the interval of every rate."""
    return (_table(result.table, with_ends=True),)


def default(result: Power) -> tuple[str, ...]:
    """Return the view that suits the number of settings."""
    return ("intervals",) if len({row.setting for row in result.table}) <= 4 else ("curves",)


def _table(rows: Sequence[PowerRow], *, with_ends: bool) -> Table:
    settings = sorted({row.setting for row in rows})
    sections = []
    for key in dict.fromkeys((row.metric, row.human, row.level, row.statistic) for row in rows):
        mine = [row for row in rows if (row.metric, row.human, row.level, row.statistic) == key]
        lines: list[tuple[Cell, ...]] = []
        by_setting = {row.setting: row for row in mine}
        for test in distinct(row.test for row in mine):
            found = {row.setting: row for row in mine if row.test == test}
            lines.append((name(test), *(number(_rate(found.get(s), with_ends)) for s in settings)))
        damaged = [numbers.fixed(by_setting[s].estimate_damaged, 2) if s in by_setting else "" for s in settings]
        lines.append((Cell("correlation when damaged"), *map(number, damaged)))
        metric, human, level, statistic = key
        intact = numbers.correlation(mine[0].estimate)
        title = f"{one_line(metric)} against {names.setting(one_line(human), level, statistic)} (intact: {intact})"
        sections.append(Section(title, tuple(lines)))
    words = rows[0].damage == "words"
    columns = [Column("test", "left", key=True)]
    columns += [Column(numbers.percent(s) if words else f"{s:g}") for s in settings]
    most = max(row.trials + row.n_undefined for row in rows)
    how = (
        "the damaged metric sees a random share of the words, from left to right"
        if words
        else "noise of so many standard deviations of the scores is added, from left to right"
    )
    legend = [
        f"Share of {most:,} trials in which the test finds the intact metric better (α = {rows[0].alpha:g}): {how}."
    ]
    widest = max((row.high - row.low for row in rows if row.trials), default=0.0)
    legend.append(
        "In brackets 95% intervals." if with_ends else f"95% intervals reach at most ± {numbers.fixed(widest / 2, 2)}."
    )
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or too few of them.")
    return Table(
        "How often do tests find that a damaged metric is worse?", tuple(columns), tuple(sections), tuple(legend)
    )


def _rate(row: PowerRow | None, with_ends: bool) -> str:
    if row is None:
        return ""
    if not row.trials:
        return numbers.DASH
    rate = numbers.fixed(row.rate, 2)
    return f"{rate} [{numbers.fixed(row.low, 2)}, {numbers.fixed(row.high, 2)}]" if with_ends else rate
