"""Results as data: unrounded, for other programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, cast, get_type_hints

from metassay import HOMES
from metassay.core.files import no_formula
from metassay.core.note import Note
from metassay.core.records import INFINITE, decode, encode
from metassay.core.result import Result, Row
from metassay.core.signature import VERSION, Signature
from metassay.core.slices import BETWEEN, SliceDifference, Slices
from metassay.errors import FormatError, one_line
from metassay.report.notes import sentence


def to_json(result: Result) -> str:
    """Return one object with study, version, signature, all tables, further values and notes; a line for each row."""
    if isinstance(result, Slices):
        return _slices_to_json(result)
    parts = [f"{_dump(key)}: {_dump(value)}" for key, value in _head(result).items()]
    parts.append(f'"rows": {_lines(result.table, 2)}')
    tables = [name for name in result.tables() if name != "table"]
    each = ",\n    ".join(f"{_dump(name)}: {_lines(getattr(result, name), 4)}" for name in tables)
    parts.append('"tables": ' + (f"{{\n    {each}\n  }}" if each else "{}"))
    values = _values(result)
    if values:
        parts.append(f'"values": {_dump(values)}')
    parts.append(f'"notes": {_dump([_noted(note) for note in result.notes])}')
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _values(result: Result) -> dict[str, Any]:
    """Return what a result has beside its tables."""
    others = [f.name for f in dataclasses.fields(result) if f.compare and f.name not in (*_KNOWN, *result.tables())]
    return {name: encode(getattr(result, name)) for name in others if name not in _TEXTS}


def _slices_to_json(result: Slices) -> str:
    """Return the same of a study that was done on slices: each row says its slice, and each slice has its own notes."""

    def lines(of: str, indent: int) -> str:
        return _listed([_dump(encode(row)) for row in _rows_of_slices(result, of)], indent)

    names = [name for name in result.results[0].tables() if name != "table"]
    each = [f"{_dump(BETWEEN)}: {_lines(result.table, 4)}", *(f"{_dump(name)}: {lines(name, 4)}" for name in names)]
    slices = [
        {
            "slice": label,
            "signature": str(one.signature),
            "values": _values(one),
            "notes": [_noted(note) for note in one.notes],
        }
        for label, one in zip(result.labels, result.results, strict=True)
    ]
    head = {"study": result.of, "version": result.version, "by": result.by, "alpha": result.alpha}
    head["signature"] = str(result.signature)
    parts = [f"{_dump(key)}: {_dump(value)}" for key, value in head.items()]
    parts += [f'"rows": {lines("table", 2)}', '"tables": {\n    ' + ",\n    ".join(each) + "\n  }"]
    parts += [f'"slices": {_listed(list(map(_dump, slices)), 2)}']
    parts.append(f'"notes": {_dump([_noted(note) for note in result.notes])}')
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _rows_of_slices(result: Slices, of: str) -> list[dict[str, Any]]:
    parts = zip(result.labels, result.results, strict=True)
    return [{"slice": label, **encode(row)} for label, one in parts for row in getattr(one, of)]


def _slices(found: Mapping[str, Any]) -> Slices:
    """Return what `_slices_to_json` wrote."""
    made = result_of(found["study"])
    tables = {**{k: v for k, v in found["tables"].items() if k != BETWEEN}, "table": found["rows"]}
    results = []
    for one in found["slices"]:
        mine = {name: [row for row in rows if row["slice"] == one["slice"]] for name, rows in tables.items()}
        results.append(_made(made, {**one, "values": {**one["values"], **mine}}))
    return Slices(
        decode(found["tables"][BETWEEN], tuple[SliceDifference, ...]),
        Signature.parse(found["signature"]),
        tuple(map(_note, found["notes"])),
        found["by"],
        tuple(one["slice"] for one in found["slices"]),
        tuple(results),
        float(found["alpha"]),
    )


def _made(kind: type[Result], found: Mapping[str, Any]) -> Result:
    hints = get_type_hints(kind)
    assert not set(_TEXTS) & set(hints), f"texts that {kind.study} made are in a file of their own"
    values = {name: decode(value, hints[name]) for name, value in found["values"].items()}
    return kind(signature=Signature.parse(found["signature"]), notes=tuple(map(_note, found["notes"])), **values)


def from_json(text: str, where: str = "the text") -> Result:
    """Return the result that `to_json` wrote.

    Parameters
    ----------
    text
        What was written.
    where
        What to call it in errors.
    """
    try:
        found = json.loads(text)
        if "slices" in found and "by" in found:
            return _slices(found)
        made = result_of(found["study"])
        values = {**found.get("values", {}), **found["tables"], "table": found["rows"]}
        return _made(made, {**found, "values": values})
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        told = f"{where} is not a result that metassay {VERSION} wrote with --format json: {_why(error)}"
        raise FormatError(told) from None


def _why(error: Exception) -> str:
    """Return in words what is wrong with a file; Python's own words are about our code."""
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno} is not JSON"
    if isinstance(error, KeyError):
        return f"{one_line(error.args[0], 60)!r} is missing or unknown"
    return one_line(error, 120) if isinstance(error, AssertionError) else "a value in it has another type or range"


def load(path: str | PathLike[str]) -> Result:
    """Return the result that a study wrote as JSON, to be shown, drawn or compared again.

    Parameters
    ----------
    path
        A file that ``to_json`` or ``--format json`` wrote.

    Raises
    ------
    FormatError
        The file holds no result.

    Examples
    --------
    >>> import tempfile
    >>> import metassay as ma
    >>> result = ma.normality(ma.example(), human="relevance")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = result.to_json(f"{folder}/result.json")
    ...     again = ma.load(f"{folder}/result.json")
    >>> again == result
    True
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError(f"{one_line(path)} is not a text in UTF-8, so it holds no result") from None
    return from_json(text, one_line(path))


_KNOWN = ("signature", "notes")
LONGEST = 2_000
"""Letters of a note that only another version knows."""
_TEXTS = ("texts", "back")
"""Fields of texts, which have files of their own."""


def _head(result: Result) -> dict[str, str]:
    return {"study": result.study, "version": result.version, "signature": str(result.signature)}


def _noted(note: Note) -> dict[str, object]:
    return {"code": note.code, "text": sentence(note)} | {name: encode(fact) for name, fact in note.facts.items()}


def _note(said: Mapping[str, Any]) -> Note:
    """Return a note; one whose code or facts only another version knows stays the sentence that it was."""
    note = Note.of(**{name: _fact(fact) for name, fact in said.items() if name != "text"})
    try:
        sentence(note)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return Note.of("as-written", written=one_line(said["text"], LONGEST))
    return note


def _fact(value: Any) -> Any:  # noqa: ANN401 - what `encode` made of a fact
    return [_fact(part) for part in value] if isinstance(value, list) else INFINITE.get(value, value)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(table: Sequence[Row], indent: int) -> str:
    return _listed([_dump(encode(row)) for row in table], indent)


def _listed(parts: Sequence[str], indent: int) -> str:
    space = " " * indent
    lines = ",\n".join(f"{space}  {part}" for part in parts)
    return f"[\n{lines}\n{space}]" if lines else "[]"


def result_of(study: str) -> type[Result]:
    """Return the class of a study's results: what its verb hands back."""
    verb = study.replace("-", "_")
    module = import_module(HOMES[verb])
    return cast("type[Result]", getattr(module, getattr(module, verb).__annotations__["return"]))


def to_csv(result: Result, of: str = "table", *, safe: bool = False) -> str:
    """Return the rows as CSV with a header; undefined numbers and missing values are empty.

    With `safe`, text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    table = result.rows(of)
    if not table:
        return ""
    lines = [list(table[0]), *([encode(value) for value in row.values()] for row in table)]
    return "".join(",".join([_field(value, safe) for value in line]) + "\n" for line in lines)


def _field(value: object, safe: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return _quoted(no_formula(value) if safe and isinstance(value, str) else str(value))


@lru_cache(maxsize=4096)
def _quoted(text: str) -> str:
    """Quote what needs it; the csv module leaves a lone carriage return bare, which then breaks the row."""
    special = any(c in text for c in '",\r\n') or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if special else text
