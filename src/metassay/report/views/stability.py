"""Would the ranking come out the same again, as a table of correlations by number of inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.report import names, numbers
from metassay.report.table import Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.stability import Stability, StabilityRow

MOST_SIZES = 6
"""Sizes that fit beside each other; all of them are in the view ``sizes``."""


def table(result: Stability) -> tuple[Table, ...]:
    """Return a row per metric and criterion and a column for some numbers of inputs."""
    ends = {row.n_available for row in result.table}
    if len(ends) > MOST_SIZES - 2:
        ends = {max(r.n_available for r in result.table if r.kind == kind) for kind in {r.kind for r in result.table}}
    every = sorted({row.n_inputs for row in result.table})
    return (_table(result.table, _some(every, ends)),)


def sizes(result: Stability) -> tuple[Table, ...]:
    """Return the same with a column for every number of inputs."""
    return (_table(result.table, sorted({row.n_inputs for row in result.table})),)


def _some(every: list[int], ends: set[int]) -> list[int]:
    """Return sizes spread over all of them, the full sizes among them."""
    if len(every) <= MOST_SIZES:
        return every
    ends = ends & set(every)
    places = MOST_SIZES - len(ends)
    others = [size for size in every if size not in ends]
    steps = [round(k * (len(others) - 1) / max(1, places - 1)) for k in range(places)]
    return sorted({others[step] for step in steps} | ends)


def _table(rows: Sequence[StabilityRow], shown: list[int]) -> Table:
    sections = []
    for kind, title in (("human", "people"), ("metric", "metrics")):
        mine = [row for row in rows if row.kind == kind]
        own = {who: [row for row in mine if row.name == who] for who in distinct(row.name for row in mine)}
        order = sorted(own, key=lambda who: -_last(own[who]))
        lines = []
        for who in order:
            by_size = {row.n_inputs: row for row in own[who]}
            cells = [_cell(by_size[size]) if size in by_size else "" for size in shown]
            lines.append((name(who), *map(number, cells)))
        if lines:
            sections.append(Section(title, tuple(lines)))
    columns = (Column("", "left", key=True), *(Column(f"{size:,} input{'s' if size > 1 else ''}") for size in shown))
    legend = [
        f"{names.statistic(rows[0].statistic)} correlation of the rankings of {_systems(rows)} systems from two "
        f"samples of so many inputs: mean ± standard deviation of {rows[0].draws:,} draws."
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: system means that do not vary, or too few of them.")
    return Table("Would the ranking come out the same again?", columns, tuple(sections), tuple(legend))


def _cell(row: StabilityRow) -> str:
    if math.isnan(row.mean):
        return numbers.DASH
    return f"{numbers.fixed(row.mean, 2)} ± {numbers.fixed(row.sd, 2)}"


def _last(rows: Sequence[StabilityRow]) -> float:
    value = rows[-1].mean
    return -math.inf if math.isnan(value) else value


def _systems(rows: Sequence[StabilityRow]) -> str:
    low, high = min(row.n_systems for row in rows), max(row.n_systems for row in rows)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
