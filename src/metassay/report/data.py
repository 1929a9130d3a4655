"""Results as data: unrounded, for other programs."""

from __future__ import annotations

import json
import math
from typing import Any

from metassay.core.files import no_formula
from metassay.core.result import Result


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a study puts in a row
    """Return a value as JSON knows it: NumPy scalars become Python's, undefined numbers become None."""
    if not isinstance(value, str | int | float | bool) and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def rows(result: Result, of: str = "table") -> list[dict[str, Any]]:
    """Return the rows of a result with undefined numbers as None."""
    return [{key: plain(value) for key, value in row.items()} for row in result.rows(of)]


def to_json(result: Result, of: str = "table") -> str:
    """Return one object with study, version, signature, rows and notes; each row on a line of its own."""

    def dump(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    lines = ",\n".join(f"    {dump(row)}" for row in rows(result, of))
    head = {"study": result.study, "version": result.version, "signature": str(result.signature)}
    fields = [f"{dump(key)}: {dump(value)}" for key, value in head.items()]
    fields.append('"rows": ' + (f"[\n{lines}\n  ]" if lines else "[]"))
    told = [] if of == "table" else [f"These are the rows of {of}, not those of the study's table."]
    fields.append(f'"notes": {dump([*told, *result.notes])}')
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def to_csv(result: Result, of: str = "table", *, safe: bool = False) -> str:
    """Return the rows as CSV with a header; undefined numbers and missing values are empty.

    With `safe`, text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    table = rows(result, of)
    if not table:
        return ""
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    return "".join(",".join(_field(value, safe) for value in line) + "\n" for line in lines)


def _field(value: object, safe: bool) -> str:
    """Quote what needs it; the csv module leaves a lone carriage return bare, which then breaks the row."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if safe and isinstance(value, str):
        text = no_formula(text)
    special = any(c in text for c in '",\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if special else text
