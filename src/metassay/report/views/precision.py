"""How precisely the scores of systems are known, by metric or system by system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.precision import Precision, PrecisionRow

MOST_DETAILED = 3
"""With more metrics and criteria than this, only the summary is shown unless systems are asked for."""


def default(result: Precision) -> tuple[str, ...]:
    """Return the views that suit the number of metrics and criteria."""
    few = len({row.metric for row in result.table}) <= MOST_DETAILED
    return ("summary", "systems") if few else ("summary",)


def summary(result: Precision) -> tuple[Table, ...]:
    """Return one row per metric and criterion, averaged over systems."""
    changes = {change.metric: change.change for change in result.changes}
    lines = []
    for who in distinct(row.metric for row in result.table):
        mine = [row for row in result.table if row.metric == who]
        cells = [name(who), Cell(mine[0].kind)]
        for inputs in ("annotated", "all"):
            here = [row for row in mine if row.inputs == inputs]
            cells += [number(_count(here)), number(_half_width(here))]
        cells.append(number(numbers.change(changes[who]) if who in changes else ""))
        lines.append(tuple(cells))
    columns = [Column("", "left", key=True), Column("kind", "left")]
    columns += [Column("judged inputs"), Column("±"), Column("all inputs"), Column("±"), Column("variance")]
    legend = [f"±: half of the {_confidence(result.table)} interval of a system's score, on average over systems."]
    if changes:
        legend.append("Variance: change of the variance of a system's score from judged inputs to all.")
    sections = (Section("", tuple(lines)),)
    return (_table("How precisely are scores of systems known?", columns, sections, legend),)


def systems(result: Precision) -> tuple[Table, ...]:
    """Return a row per system, the sets of inputs beside each other, in a section per metric and criterion."""
    sections = []
    for who in distinct(row.metric for row in result.table):
        mine = [row for row in result.table if row.metric == who]
        sets = {which: {row.system: row for row in mine if row.inputs == which} for which in ("annotated", "all")}
        counts = [f"{_count(list(rows.values()))} {which}" for which, rows in sets.items() if rows]
        by_system = {row.system: row for row in mine}
        order = sorted(by_system, key=lambda s: -_known(by_system[s].estimate))
        lines = []
        for system in order:
            pair = [rows.get(system) for rows in sets.values()]
            ends = [cell for row in pair for cell in _cells(row)]
            lines.append((name(system), *ends))
        sections.append(Section(f"{one_line(who)} ({', '.join(counts)} inputs)", tuple(lines)))
    columns = [Column("system", "left", key=True), Column("judged inputs"), Column("variance")]
    columns += [Column("all inputs"), Column("variance")]
    legend = [f"Mean score with {_confidence(result.table)} interval, and the variance of the mean."]
    return (_table("Scores of systems", columns, tuple(sections), legend),)


def _table(title: str, columns: Sequence[Column], sections: tuple[Section, ...], legend: list[str]) -> Table:
    """Return a table without the columns in which nothing stands."""
    empty = [all(not row[at].text for s in sections for row in s.rows) for at in range(len(columns))]
    kept = [at for at, gone in enumerate(empty) if not gone]
    sections = tuple(Section(s.title, tuple(tuple(row[at] for at in kept) for row in s.rows)) for s in sections)
    if is_undefined(sections):
        legend = [*legend, f"{numbers.DASH} undefined: a system without scores, or too few of them."]
    return Table(title, tuple(columns[at] for at in kept), sections, tuple(legend))


def _cells(row: PrecisionRow | None) -> tuple[Cell, Cell]:
    if row is None:
        return number(""), number("")
    if math.isnan(row.estimate):
        return number(numbers.DASH), number(numbers.DASH)
    ends = f"{numbers.general(row.low)}, {numbers.general(row.high)}"
    return number(f"{numbers.general(row.estimate)} [{ends}]"), number(numbers.general(row.variance))


def _count(rows: Sequence[PrecisionRow]) -> str:
    counts = [row.n_inputs for row in rows if row.n_inputs]
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _half_width(rows: Sequence[PrecisionRow]) -> str:
    if not rows:
        return ""
    halves = [(row.high - row.low) / 2 for row in rows if not math.isnan(row.high - row.low)]
    return numbers.general(sum(halves) / len(halves)) if halves else numbers.DASH


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _confidence(rows: Sequence[PrecisionRow]) -> str:
    return f"{100 * rows[0].confidence:g}% bootstrap"
