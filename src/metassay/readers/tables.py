"""Tables of scores, tidy or wide, as CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from metassay.core.extras import load_extra
from metassay.core.frames import described, record_table
from metassay.core.ledger import Coded, Ledger
from metassay.core.reading import (
    NO_NAME,
    TIDY,
    Layout,
    Reading,
    TableKind,
    is_table,
    understand,
)
from metassay.core.scales import guess_each, judging
from metassay.errors import listed, one_line
from metassay.readers import arrow_tables
from metassay.readers.argilla import USERS
from metassay.readers.judged import Judged
from metassay.readers.nested import flat, outputs, records
from metassay.readers.source import Record, Source

FORMATS = ("tidy", "wide")

_Chunks = Iterator[tuple[list[int], list[list[str]]]]
"""Many rows at a time, with the line on which each begins."""
_ROWS_AT_ONCE = 1 << 14
_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons", "|": "CSV with bars", " ": "table with spaces"}
_FIRST_ROWS = 64
"""So many rows may be empty, or hold texts only, before one tells that there are scores."""
_UNFILLED = ["Approve", "Reject"]
"""Last columns of a batch of Mechanical Turk, which the rows do not have."""
_PARQUET = b"PAR1"
_WHOLE = {"PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"}
_BATCH_BYTES = 1 << 26
_MOST_UNPACKED = 100
"""How many times its size a Parquet file of more than 256 MB, or of 16 million cells, may unpack to."""


def recognise(source: Source, reading: Reading, *, texts: bool = False) -> str | None:
    """Return ``tidy`` or ``wide`` if the content is a table with a column of inputs and one of scores (or `texts`)."""
    names = column_names(source, reading, nested=True)
    merged = "" in names[1 : max((at for at, name in enumerate(names) if name), default=0)]
    if len(names) < 2 or merged or not is_table(names, reading):
        return None
    layout = understand(names, reading, source.shown)
    named = {"system", "input"} <= set(names) or (texts and layout.roles.get("system"))
    sure = named or reading.input or reading.system
    if not sure and layout.kind == "wide" and not layout.people and not _has_scores(source, layout, reading):
        return None
    return layout.kind


def _has_scores(source: Source, layout: Layout, reading: Reading) -> bool:
    """Say whether one of the first rows has a number, or a label in a column that is called like one."""
    first = [flat(row) for _, row in islice(rows(source, reading), _FIRST_ROWS)]
    for name, value in ((name, row.get(name)) for row in first for name in layout.values):
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            number = value.replace(",", ".").strip("% ").replace(".", "", 1).lstrip("+-").isdigit()
            if number or (len(value) <= 60 and (judging(name) or reading.is_label(name))):
                return True
        elif isinstance(value, int | float):
            return True
    said = {name: {str(row[name]) for row in first if row.get(name)} for name in layout.values}
    return any(guess_each({name: words})[name].kind == "binary" for name, words in said.items() if words)


def explain(source: Source, reading: Reading) -> None:
    """Raise the error that names the missing column, or columns without scores, if this is nearly a table of scores."""
    names = column_names(source, reading, nested=True)
    if len(names) > 1:
        values = understand(names, reading, source.shown).values
        if next(rows(source, reading), None) is None:
            raise source.wrong("there is a header and no row under it")
        raise source.wrong(
            f"no column holds numbers or labels (texts, or nothing, in {listed(values)}); if one holds labels, name "
            "it with --human NAME, --metric NAME or --scale NAME=nominal; texts go after the files with scores"
        )


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write the table into the ledger; the name ``tidy`` or ``wide`` says how it is meant."""
    kind = cast("TableKind", name)
    if source.head.startswith(_PARQUET):
        read = _record_json if _is_nested(source) else _record_parquet
        return described(f"{name} Parquet", read(source, ledger, kind))
    if source.first_line.startswith(("{", "[")):
        form = "JSON lines" if source.first_record is not None and source.document is None else "JSON"
        return described(f"{name} {form}", _record_json(source, ledger, kind))
    delimiter, layout = _record_delimited(source, ledger, kind)
    return described(f"{name} {_DELIMITERS[delimiter]}", layout)


# -- CSV and TSV --------------------------------------------------------------------------------


def _header(source: Source, reading: Reading) -> tuple[str, list[str]]:
    """Return the delimiter and the names on the first line: those that make a table, or the most."""
    found = []
    for delimiter in _DELIMITERS:
        try:
            fields = next(csv.reader([source.first_line.strip()], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        names = _named(source, fields, delimiter)
        found.append((is_table(names, reading), len(names) * (delimiter != " ") or 1, delimiter, names))
    _, _, delimiter, names = max(found, key=lambda one: one[:2], default=(False, 0, ",", []))
    return delimiter, names


def _named(source: Source, header: Sequence[str], delimiter: str) -> list[str]:
    """Return the names of columns; a first one without a name is an index, and left out if it numbers the rows."""
    names = [name.strip() for name in header]
    if len(names) > 1 and not names[0]:
        below = next((text for _, text in islice(source.filled_lines(), 1, 2)), "")
        names[0] = "" if below.partition(delimiter)[0].strip('" ').isdigit() else NO_NAME
    return names


def _record_delimited(source: Source, ledger: Ledger, kind: TableKind) -> tuple[str, Layout]:
    delimiter, line, names, rows = _opened(source, ledger.reading)
    kept = [(at, name) for at, name in enumerate(names) if name]
    layout = _layout(source, [name for _, name in kept], ledger, kind, line)
    if arrow_tables.record(source, ledger, layout, delimiter, names, line):
        return delimiter, layout
    empty = True
    for lines, chunk in rows:
        empty = False
        columns = list(zip(*chunk, strict=True))
        record_table(ledger, {name: columns[at] for at, name in kept}, source.shown, lines, layout)
    if empty:
        raise source.wrong("there is a header and no row under it")
    return delimiter, layout


def _opened(source: Source, reading: Reading) -> tuple[str, int, list[str], _Chunks]:
    """Return the delimiter, the line and the names of the header, and the rows below it."""
    delimiter, _ = _header(source, reading)
    chunks = _chunks(source, delimiter)
    (line,), (header,) = next(chunks, ([1], [[]]))
    return delimiter, line, _named(source, header, delimiter), chunks


def _chunks(source: Source, delimiter: str) -> _Chunks:
    """Yield the header, then many rows at a time, with the line on which each begins.

    A row ends on a later line than it begins if a quoted name has line breaks.
    """
    # After "system, input" the space before each field is not part of it.
    later = source.first_line.split(delimiter)[1:]
    spaced = bool(later) and all(name.startswith(" ") for name in later)
    spaces = delimiter == " "
    # Files whose header has spaces may have tabs below it.
    texts = (f"{line.strip().replace(chr(9), ' ')}\n" for line in source.texts()) if spaces else source.texts()
    reader = csv.reader(texts, delimiter=delimiter, strict=True, skipinitialspace=spaced or spaces)
    lines: list[int] = []
    rows: list[list[str]] = []
    width, begins, numbered, bare = -1, 1, 0, False
    try:
        for row in reader:
            if len(row) == width + 1 > 1 and row[0] == str(numbered + 1):
                del row[0]  # R numbers rows, and the header has no name for it
                numbered += 1
            if len(row) == width - 2 and bare:  # Mechanical Turk leaves out what nobody filled in
                row += ["", ""]
            if len(row) == width and any(row):  # spreadsheets write rows of nothing
                lines.append(begins)
                rows.append(row)
                if len(rows) == _ROWS_AT_ONCE:
                    yield lines, rows
                    lines, rows = [], []
            elif len(row) != width and (len(row) > 1 or (row and row[0].strip())):
                if width >= 0:
                    other = next((one for one in _DELIMITERS if row and len(row[0].split(one)) == width > 1), None)
                    if len(row) == 1 and other is not None:
                        told = f"the header is separated by {delimiter!r} and the row by {other!r}; use one of them"
                        raise source.wrong(told, begins)
                    raise source.wrong(
                        f"the row has {len(row)} fields and the header {width}; quote names that hold "
                        f"{delimiter!r} or a line break",
                        begins,
                    )
                width, bare = len(row), row[-2:] == _UNFILLED
                yield [begins], [row]
            begins = reader.line_num + 1
    except csv.Error as error:
        told = "a quotation mark is not closed" if "unexpected end" in str(error) else one_line(error, 80)
        raise source.wrong(f"not readable as CSV: {told}", begins) from None
    if rows:
        yield lines, rows


def _layout(source: Source, names: list[str], ledger: Ledger, kind: TableKind, line: int | None) -> Layout:
    """Return which column is what, after checking that no name occurs twice."""
    if len(set(names)) != len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise source.wrong(f"the column {one_line(twice)!r} occurs twice in the header; rename one of them", line)
    layout = understand(names, ledger.reading, source.shown, kind)
    ledger.bounds.check_columns(len(layout.values) if kind == "wide" else 0)
    return layout


# -- JSON ---------------------------------------------------------------------------------------


def _record_json(source: Source, ledger: Ledger, kind: TableKind) -> Layout:
    records = ((line, flat(row)) for line, row in _each(source, ledger.reading))
    layout: Layout | None = None
    needed: tuple[str, ...] = ()
    while chunk := list(islice(records, _ROWS_AT_ONCE)):
        names: dict[str, None] = {}
        filled = 0
        for line, row in chunk:
            for field in needed:
                if field not in row:
                    raise source.wrong(_missing_field(field, row, kind), line)
            names.update(dict.fromkeys(row))
            filled += len(row)
            if not needed:
                first = understand(list(row), ledger.reading, source.shown, kind)
                roles = TIDY if kind == "tidy" else ("system", "input")
                needed = tuple(name for role in roles for name in first.roles.get(role, ()) if name in row)
        # Rows with few names in common would be a table of holes, and go one by one.
        sparse = len(names) * len(chunk) > 16 * filled
        for part in ([one] for one in chunk) if sparse else [chunk]:
            present = part[0][1] if sparse else names
            layout = understand(list(present), ledger.reading, source.shown, kind)
            own = {name for _, row in part if isinstance(row, Judged) for name in row.own}
            if own:
                layout = replace(layout, shared=frozenset(present) - own)
            table = {name: [row.get(name) for _, row in part] for name in present}
            record_table(ledger, table, source.shown, [line for line, _ in part], layout)
    if layout is None:
        raise source.wrong("there is no row in the table")
    return layout


def _each(source: Source, reading: Reading) -> Iterator[tuple[int, Record]]:
    if source.head.startswith(_PARQUET):
        names = _parquet_names(source)
        values = (row for table in _batches(source) for row in zip(*table.values(), strict=True))
        found: Iterator[tuple[int, Record]] = enumerate((dict(zip(names, row, strict=True)) for row in values), 1)
    elif records(source.document, reading):
        found = enumerate(records(source.whole_document(), reading), 1)
    else:
        found = source.records()
    return ((line, row) for line, record in found for row in outputs(record, line))


def _missing_field(field: str, row: Record, kind: TableKind) -> str:
    return f"the field {field!r} is missing; every row of a {kind} table has it (found: {listed(row)})"


# -- Parquet ------------------------------------------------------------------------------------


def _parquet_file(source: Source) -> Any:  # noqa: ANN401 - pyarrow is optional and has no types
    needed = f"{one_line(source.shown)}: reading Parquet needs pyarrow"
    (parquet,) = load_extra("parquet", needed, "pyarrow.parquet")
    with _telling(source):
        about = parquet.read_metadata(source.path)
        texts = {part.path_in_schema for part in _parts(about) if part.physical_type == "BYTE_ARRAY"}
        # Where a text is stored as its difference from the one before, pyarrow knows no dictionaries.
        texts -= {part.path_in_schema for part in _parts(about) if not set(part.encodings) <= _WHOLE}
        file = parquet.ParquetFile(source.path, read_dictionary=sorted(texts))
        size = sum(part.total_uncompressed_size for part in _parts(about))
        cells = about.num_rows * about.num_columns
    packed = source.path.stat().st_size
    for what, much, always in (("bytes", size, 1 << 28), ("cells", cells, 1 << 24)):
        if much > max(always, _MOST_UNPACKED * packed):
            raise source.wrong(
                f"the Parquet file unpacks to {much:,} {what}, more than {_MOST_UNPACKED} times its {packed:,} bytes; "
                "if that is right, save it as CSV"
            )
    return file


def _batches(source: Source, numbers: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield many rows at a time as columns; equal texts are one text in memory, however many rows have it.

    Columns of numbers that are named come as arrays, and texts beside them as codes.
    """
    file = _parquet_file(source)
    with _telling(source):
        differences = [part for part in _parts(file.metadata) if "DELTA_BYTE_ARRAY" in part.encodings]
        longest = max((part.total_uncompressed_size for part in differences), default=1)
        most = 16 * _ROWS_AT_ONCE if numbers and not differences else _ROWS_AT_ONCE
        rows = max(1, min(most, _BATCH_BYTES // max(1, longest)))
        batches = file.iter_batches(batch_size=rows)
    while True:
        with _telling(source):
            batch = next(batches, None)
            table = {} if batch is None else {n: _column(batch, n, numbers) for n in batch.schema.names}
        if batch is None:
            return
        yield table


def _parts(about: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow has no types
    """Yield what the metadata say of each column of each group of rows."""
    for group in map(about.row_group, range(about.num_row_groups)):
        yield from map(group.column, range(about.num_columns))


def _column(batch: Any, name: str, numbers: Collection[str]) -> Any:  # noqa: ANN401 - pyarrow has no types
    array = batch.column(name)
    kind = str(array.type)
    if name in numbers and kind in ("double", "float", "int64", "int32", "int16", "int8"):
        return array.cast("double").to_numpy(zero_copy_only=False)
    if numbers and hasattr(array, "dictionary") and str(array.type.value_type) in ("string", "large_string"):
        return Coded(array.indices.fill_null(len(array.dictionary)).to_numpy(), [*array.dictionary.to_pylist(), ""])
    if not hasattr(array, "dictionary"):
        values: list[object] = array.to_pylist()
        return values
    texts = [*array.dictionary.to_pylist(), None]
    return [texts[-1 if at is None else at] for at in array.indices.to_pylist()]


def _parquet_names(source: Source) -> list[str]:
    file = _parquet_file(source)
    return [str(name) for name in file.schema_arrow.names]


def _is_nested(source: Source) -> bool:
    """Say whether columns of Parquet hold objects, or lists of answers beside lists of users."""
    schema = _parquet_file(source).schema_arrow
    return any("struct" in str(one) for one in schema.types) or any(name.endswith(USERS) for name in schema.names)


def _record_parquet(source: Source, ledger: Ledger, kind: TableKind) -> Layout:
    layout = _layout(source, _parquet_names(source), ledger, kind, None)
    done = 0
    values = {*layout.values, *layout.roles.get("score", ()), *(one for many in layout.people.values() for one in many)}
    for table in _batches(source, values):
        first = next(iter(table.values()))
        n = len(first.codes if isinstance(first, Coded) else first)
        record_table(ledger, table, source.shown, range(done + 1, done + 1 + n), layout)
        done += n
    if not done:
        raise source.wrong("there are columns and no row in them")
    return layout


@contextmanager
def _telling(source: Source) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a damaged file can fail anywhere in pyarrow, and in any way
        raise source.wrong(f"not readable as Parquet: {one_line(error, 80)}") from None


# -- any table ----------------------------------------------------------------------------------


def column_names(
    source: Source,
    reading: Reading = Reading(),  # noqa: B008 - immutable
    *,
    nested: bool = False,
) -> list[str]:
    """Return the names of a table's columns, as far as the first row tells; empty for what is no table.

    `nested` takes the fields of objects in fields for columns, as tables of scores do.
    """
    if source.head.startswith(_PARQUET):
        first = next(_each(source, reading), None) if _is_nested(source) else None
        return _parquet_names(source) if first is None else list(flat(first[1]) if nested else first[1])
    if isinstance(source.document, dict):
        return [name for one in records(source.document, reading)[:1] for name in _first(one, nested)]
    if source.first_record is not None:
        return list(_first(source.first_record, nested))
    if source.first_line.startswith("["):
        first = source.document[0] if isinstance(source.document, list) and source.document else None
        return list(_first(first, nested)) if isinstance(first, dict) else []
    return _header(source, reading)[1]


def _first(record: Record, nested: bool) -> Record:
    row = outputs(record)[0]
    return flat(row) if nested else row


def columns(source: Source) -> Iterator[tuple[list[int], dict[str, Sequence[object]]]]:
    """Yield many rows of a table at a time, as columns, with the line on which each row begins."""
    if source.head.startswith(_PARQUET) or source.first_line.startswith(("{", "[")):
        records = rows(source)
        while some := list(islice(records, _ROWS_AT_ONCE)):
            names = dict.fromkeys(name for _, row in some for name in row)
            yield [line for line, _ in some], {name: [row.get(name) for _, row in some] for name in names if name}
        return
    _, _, header, chunks = _opened(source, Reading())
    for lines, chunk in chunks:
        yield lines, {name: values for name, values in zip(header, zip(*chunk, strict=True), strict=True) if name}


def rows(source: Source, reading: Reading = Reading()) -> Iterator[tuple[int, Record]]:  # noqa: B008 - immutable
    """Yield the rows of a table in any form, with the line on which each begins."""
    if source.head.startswith(_PARQUET) or source.first_line.startswith(("{", "[")):
        yield from _each(source, reading)
    else:
        _, _, names, chunks = _opened(source, reading)
        for lines, chunk in chunks:
            for line, fields in zip(lines, chunk, strict=True):
                yield line, dict(zip(names, fields, strict=True))
