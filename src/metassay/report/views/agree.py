"""How well does each metric agree with people, as a table per human criterion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number, sizes

if TYPE_CHECKING:
    from metassay.studies.agree import Agreement, AgreementRow

Setting = tuple[str, str]
"""A level and a statistic."""


class _Layout(NamedTuple):
    """Which columns are worth their width, decided over the whole table."""

    settings: list[Setting]
    undefined: set[Setting]
    """Settings in which the number of units that left the average differs between metrics."""
    sizes: bool
    """Whether metrics rest on different numbers of systems or inputs, at one level."""
    tied: bool
    """Whether any system pair is tied."""


def table(result: Agreement) -> tuple[Table, ...]:
    """Return one table with a section per human criterion and a column per level and statistic."""
    rows = result.table
    layout = _layout(rows)
    texts = _estimates(rows, layout.settings)
    sections = tuple(
        _section(human, [row for row in rows if row.human == human], layout, texts)
        for human in distinct(row.human for row in rows)
    )
    legend = []
    if any(row.interval != "none" for row in rows):
        legend.append(f"In brackets: {_interval(rows)}.")
    if _has_pairs(layout.settings):
        legend.append("Pairs ranked wrongly: share of system pairs that the metric orders unlike people.")
    if layout.tied:
        legend.append("Pairs tied: share of system pairs that the metric, people or both see no difference in.")
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or too few of them.")
    return (Table("Agreement with people", _columns(layout), sections, tuple(legend), "the best of each column"),)


def _layout(rows: Sequence[AgreementRow]) -> _Layout:
    settings = list(dict.fromkeys((row.level, row.statistic) for row in rows))
    undefined = set()
    differ = False
    for human in distinct(row.human for row in rows):
        mine = [row for row in rows if row.human == human]
        units = {(row.level, row.n_systems, row.n_inputs) for row in mine}
        differ = differ or len(units) > len({row.level for row in mine})
        for level, statistic in settings:
            here = {r.n_undefined for r in mine if (r.level, r.statistic) == (level, statistic)}
            if len(here) > 1:
                undefined.add((level, statistic))
    return _Layout(settings, undefined, differ, any(row.tied > 0 for row in rows))


def _columns(layout: _Layout) -> tuple[Column, ...]:
    columns = [Column("metric", "left", key=True)]
    for level, statistic in layout.settings:
        columns.append(Column(f"{level} {names.statistic(statistic)}"))
        if _ranks_pairs(level, statistic):
            columns.append(Column("pairs ranked wrongly"))
            columns += [Column("pairs tied")] * layout.tied
        if (level, statistic) in layout.undefined:
            columns.append(Column("undefined"))
    if layout.sizes:
        columns.append(Column("systems × inputs"))
    return tuple(columns)


def _section(human: str, rows: Sequence[AgreementRow], layout: _Layout, texts: dict[int, str]) -> Section:
    by_metric: dict[str, dict[Setting, AgreementRow]] = {}
    for row in rows:
        by_metric.setdefault(row.metric, {})[row.level, row.statistic] = row
    first = layout.settings[0]
    order = sorted(by_metric, key=lambda m: _best_first(by_metric[m].get(first)))
    best = {s: max((_known(by_metric[m].get(s)) for m in order), default=-math.inf) for s in layout.settings}
    lines = tuple(_line(metric, by_metric[metric], layout, texts, best) for metric in order)
    return Section(_title(human, rows, layout), lines)


def _line(
    metric: str,
    rows: dict[Setting, AgreementRow],
    layout: _Layout,
    texts: dict[int, str],
    best: dict[Setting, float],
) -> tuple[Cell, ...]:
    cells = [name(metric)]
    for setting in layout.settings:
        row = rows.get(setting)
        bold = math.isfinite(best[setting]) and _known(row) == best[setting]
        cells.append(number("" if row is None else texts[id(row)], bold))
        if _ranks_pairs(*setting):
            ends = (math.nan,) * 3 if row is None else (row.misranked, row.misranked_low, row.misranked_high)
            cells.append(number(numbers.percent_range(*ends), bold))
            cells += [number(numbers.percent(math.nan if row is None else row.tied))] * layout.tied
        if setting in layout.undefined:
            cells.append(number("" if row is None else f"{row.n_undefined:,}"))
    if layout.sizes:
        units = distinct(f"{row.n_systems:,} × {row.n_inputs:,}" for row in rows.values())
        cells.append(number(", ".join(units)))
    return tuple(cells)


def _title(human: str, rows: Sequence[AgreementRow], layout: _Layout) -> str:
    """Name the criterion, what it was measured on, and what left the averages of all metrics alike."""
    parts = [one_line(human)]
    if not layout.sizes:
        # where people judged fewer inputs, they are what other levels than system rest on
        most = max(row.n_inputs for row in rows)
        few = {row.n_annotated for row in rows if row.n_annotated < most}
        counted = [row for row in rows if row.n_inputs == most] if few else rows
        parts.append(sizes([(row.n_systems, row.n_inputs) for row in counted]))
        parts += [f"{n:,} of them judged" for n in few]
    for level, statistic in layout.settings:
        counts = {r.n_undefined for r in rows if (r.level, r.statistic) == (level, statistic)}
        if (level, statistic) not in layout.undefined and any(counts):
            unit = "systems" if level == "within-system" else "inputs"
            where = f"{level} {names.statistic(statistic)}"
            parts.append(f"{max(counts):,} {unit} undefined for {where}")
    return ", ".join(parts)


def _estimates(rows: Sequence[AgreementRow], settings: list[Setting]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for setting in settings:
        here = [row for row in rows if (row.level, row.statistic) == setting]
        written = numbers.with_intervals([(row.estimate, row.low, row.high) for row in here])
        texts |= {id(row): text for row, text in zip(here, written, strict=True)}
    return texts


def _interval(rows: Sequence[AgreementRow]) -> str:
    """Say how the intervals were made."""
    kinds = distinct(f"{100 * row.confidence:g}% interval ({row.interval}{_draws(row)})" for row in rows)
    return ", ".join(kinds)


def _draws(row: AgreementRow) -> str:
    return f", {row.resamples:,} resamples" if row.resamples else ""


def _ranks_pairs(level: str, statistic: str) -> bool:
    return level == "system" and statistic.startswith("kendall")


def _has_pairs(settings: list[Setting]) -> bool:
    return any(_ranks_pairs(*setting) for setting in settings)


def _known(row: AgreementRow | None) -> float:
    return -math.inf if row is None or math.isnan(row.estimate) else names.goodness(row.statistic, row.estimate)


def _best_first(row: AgreementRow | None) -> float:
    return -_known(row)
