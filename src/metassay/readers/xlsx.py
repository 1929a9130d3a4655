"""Excel tables: the first sheet of an ``.xlsx`` file, read by openpyxl."""

from __future__ import annotations

import zipfile

from metassay.core.extras import load_extra
from metassay.core.frames import described, record_table
from metassay.core.ledger import Ledger
from metassay.core.reading import understand
from metassay.errors import one_line
from metassay.readers.source import Source

FORMATS = ("xlsx",)


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an archive with a workbook in it."""
    if not source.head.startswith(b"PK"):
        return None
    try:
        with zipfile.ZipFile(source.path) as archive:
            return "xlsx" if "xl/workbook.xml" in archive.namelist() else None
    except (zipfile.BadZipFile, OSError):
        return None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write the table on the first sheet into the ledger."""
    (openpyxl,) = load_extra("excel", f"{one_line(source.shown)}: reading .xlsx needs openpyxl", "openpyxl")
    try:
        book = openpyxl.load_workbook(source.path, read_only=True, data_only=True)
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
        book.close()
    except Exception as error:  # a damaged file can fail anywhere in openpyxl, and in any way
        raise source.wrong(f"not readable as .xlsx: {one_line(error, 80)}") from None
    filled = [(line, row) for line, row in enumerate(rows, 1) if any(cell is not None for cell in row)]
    if len(filled) < 2:
        raise source.wrong("the first sheet has no row under its header")
    (_, header), *body = filled
    names = ["" if cell is None else str(cell).strip() for cell in header]
    kept = [(at, column) for at, column in enumerate(names) if column]
    layout = understand([column for _, column in kept], ledger.reading, source.shown)
    table = {column: [_cell(row[at] if at < len(row) else None) for _, row in body] for at, column in kept}
    record_table(ledger, table, source.shown, [line for line, _ in body], layout)
    return described(f"{layout.kind} {name}", layout)


def _cell(value: object) -> object:
    """Return numbers, texts and truth values as they are, and dates as text."""
    return value if isinstance(value, int | float | str | None) else str(value)
