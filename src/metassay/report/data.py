"""Results as data: unrounded, for other programs."""

from __future__ import annotations

import json
import math
from typing import Any

from metassay.core.note import Note
from metassay.core.result import Result
from metassay.report.notes import sentence


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
    told = [] if of == "table" else [Note.of("rows-of", of=of)]
    notes = [
        {"code": note.code, "text": sentence(note)} | {name: plain(fact) for name, fact in note.facts.items()}
        for note in (*told, *result.notes)
    ]
    fields.append(f'"notes": {dump(notes)}')
    return "{\n  " + ",\n  ".join(fields) + "\n}\n"


def to_csv(result: Result, of: str = "table") -> str:
    """Return the rows as CSV with a header; undefined numbers and missing values are empty."""
    table = rows(result, of)
    if not table:
        return ""
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    return "".join(",".join(_field(value) for value in line) + "\n" for line in lines)


def _field(value: object) -> str:
    """Quote what needs it; the csv module leaves a lone carriage return bare, which then breaks the row."""
    if value is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    special = any(c in text for c in '",\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if special else text
