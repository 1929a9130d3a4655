"""Every field of every row, for studies without a view of their own and for readers who want all of it."""

from __future__ import annotations

from typing import Any

from metassay.core.records import encode
from metassay.core.result import Result
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, build, figures, words

Value = str | float | bool | None


def rows(result: Result) -> tuple[Table, ...]:
    """Return one table with a column per field; fields that never change stand in its title."""
    lines = [{key: _known(value) for key, value in row.items()} for row in result.rows()]
    if not lines:
        return build(f"{result.study}: no rows", [words("", str)], [("", [])])
    same = {k for k in lines[0] if len(lines) > 1 and all(_same(line[k], lines[0][k]) for line in lines)}
    shown = [key for key in lines[0] if key not in same] or list(lines[0])
    constants = ", ".join(f"{_words(k)}: {_text(k, lines[0][k])}" for k in lines[0] if k not in shown)
    columns = [_column(key, [line[key] for line in lines]) for key in shown]
    return build(result.study + (f" ({constants})" if constants else ""), columns, [("", lines)], undefined="")


def _known(value: Any) -> Value:  # noqa: ANN401 - a study's own field
    """Return a value as one of the few types a cell can show; NaN stays, unlike in JSON."""
    if isinstance(value, float):
        return float(value)
    simple = encode(value)
    return simple if simple is None or isinstance(simple, str | int | float | bool) else str(simple)


def _same(one: Value, other: Value) -> bool:
    return one == other or (one != one and other != other)  # NaN is the one value unlike itself


def _column(key: str, values: list[Value]) -> Shown:
    kind = words if any(isinstance(value, str) for value in values) else figures
    return kind(_words(key), lambda line: _text(key, line[key]))


def _words(key: str) -> str:
    return key.replace("_", " ")


def _text(key: str, value: Value) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    return numbers.p_value(value) if key.startswith("p_value") else numbers.general(value)
