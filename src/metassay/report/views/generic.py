"""Every field of every row, for studies without a view of their own and for readers who want all of it."""

from __future__ import annotations

from typing import Any

from metassay.core.records import encode
from metassay.core.result import Result
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, is_undefined, name, number

Value = str | float | bool | None


def rows(result: Result) -> tuple[Table, ...]:
    """Return one table with a column per field; fields that never change stand in its title."""
    lines = [{key: _known(value) for key, value in row.items()} for row in result.rows()]
    if not lines:
        return (Table(f"{result.study}: no rows", (Column("", "left", key=True),), (Section("", ()),)),)
    same = {k for k in lines[0] if len(lines) > 1 and all(_same(line[k], lines[0][k]) for line in lines)}
    shown = [key for key in lines[0] if key not in same] or list(lines[0])
    columns = tuple(_column(key, [line[key] for line in lines]) for key in shown)
    sections = (Section("", tuple(tuple(_cell(key, line[key]) for key in shown) for line in lines)),)
    constants = ", ".join(f"{_words(k)}: {_cell(k, lines[0][k]).text}" for k in lines[0] if k not in shown)
    legend = (f"{numbers.DASH} undefined.",) if is_undefined(sections) else ()
    return (Table(result.study + (f" ({constants})" if constants else ""), columns, sections, legend),)


def _known(value: Any) -> Value:  # noqa: ANN401 - a study's own field
    """Return a value as one of the few types a cell can show; NaN stays, unlike in JSON."""
    if isinstance(value, float):
        return float(value)
    simple = encode(value)
    return simple if simple is None or isinstance(simple, str | int | float | bool) else str(simple)


def _same(one: Value, other: Value) -> bool:
    return one == other or (one != one and other != other)  # NaN is the one value unlike itself


def _column(key: str, values: list[Value]) -> Column:
    words = any(isinstance(v, str) for v in values)
    return Column(_words(key), "left" if words else "right", key=words)


def _words(key: str) -> str:
    return key.replace("_", " ")


def _cell(key: str, value: Value) -> Cell:
    if value is None:
        return Cell("")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, str):
        return name(value)
    if isinstance(value, int):
        return number(f"{value:,}" if abs(value) >= 10_000 else str(value))
    return number(numbers.p_value(value) if key.startswith("p_value") else numbers.general(value))
