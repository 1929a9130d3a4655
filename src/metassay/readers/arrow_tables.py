"""Large delimited tables through pyarrow, where it is installed: ten times as fast as line by line.

Whatever is unusual (quoted line breaks, blank lines, words among numbers) is left to the reader that goes line by line
and can name the place of an error.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from metassay.core.frames import MISSING, record_table
from metassay.core.ledger import Coded, Ledger
from metassay.core.reading import Layout
from metassay.readers.source import Source
from metassay.stats.arrays import FloatArray, IntArray

_LEAST = 1 << 21
"""Smaller files are read before pyarrow is even loaded."""
_BLOCK = 1 << 25
_MISSING = sorted({word for text in MISSING for word in (text, text.upper(), text.capitalize(), "NaN")})


def record(source: Source, ledger: Ledger, layout: Layout, delimiter: str, names: list[str], header: int) -> bool:
    """Write a table into the ledger and return True, or leave the ledger as it was and return False."""
    if (
        source.size < _LEAST
        or header != 1
        or delimiter == " "
        or any(name != name.strip() or not name for name in names)
    ):
        return False
    try:
        arrow, csv = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    except ImportError:
        return False
    ledger.pack()
    before = len(ledger.blocks)
    try:
        _record(source, ledger, layout, delimiter, arrow, csv)
    except (arrow.ArrowException, UnicodeDecodeError):
        del ledger.blocks[before:]
        return False
    return True


def two_fields(source: Source) -> tuple[Coded, FloatArray, IntArray] | None:
    """Return the labels, numbers and lines of a file with two fields on each line and no header, if all is plain."""
    try:
        arrow, csv = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    except ImportError:
        return None
    types = {"label": arrow.dictionary(arrow.int32(), arrow.string()), "score": arrow.float64()}
    try:
        with source.open() as stream:
            table = csv.read_csv(
                stream,
                read_options=csv.ReadOptions(column_names=list(types), use_threads=False),
                parse_options=csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
                convert_options=csv.ConvertOptions(column_types=types, null_values=["None"], strings_can_be_null=False),
            ).combine_chunks()
    except arrow.ArrowException:
        return None
    labels, scores = (_column(table.column(name).chunk(0), arrow) for name in types)
    if not isinstance(labels, Coded) or any(label != label.strip() for label in labels.labels):
        return None
    return labels, np.asarray(scores), np.arange(1, table.num_rows + 1)


def _record(source: Source, ledger: Ledger, layout: Layout, delimiter: str, arrow: Any, csv: Any) -> None:  # noqa: ANN401 - pyarrow has no types
    texts = arrow.dictionary(arrow.int32(), arrow.string())
    labels = {name for columns in (*layout.roles.values(), *layout.people.values()) for name in columns}
    labels -= set(layout.roles.get("score", ()))
    with source.open() as stream:
        reader = _opened(stream, csv, delimiter, dict.fromkeys(labels, texts))
        # Dates, times and truth values are texts here, as they are line by line.
        odd = [field.name for field in reader.schema if field.name not in labels and not _plain(field.type, arrow)]
    if odd:
        labels |= set(odd)
    line = 2
    with source.open() as stream:
        for batch in _opened(stream, csv, delimiter, dict.fromkeys(labels, texts)):
            table = {name: _column(batch.column(name), arrow) for name in batch.schema.names}
            lines = np.arange(line, line + batch.num_rows)
            record_table(ledger, table, source.shown, lines, layout)  # type: ignore[arg-type]
            line += batch.num_rows


def _opened(stream: Any, csv: Any, delimiter: str, types: dict[str, Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    return csv.open_csv(
        stream,
        read_options=csv.ReadOptions(block_size=_BLOCK),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=False, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            column_types=types, null_values=_MISSING, strings_can_be_null=False, true_values=[], false_values=[]
        ),
    )


def _plain(kind: Any, arrow: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    types = arrow.types
    return bool(types.is_floating(kind) or types.is_integer(kind))


def _column(array: Any, arrow: Any) -> Coded | np.ndarray[Any, Any]:  # noqa: ANN401 - pyarrow has no types
    if arrow.types.is_dictionary(array.type):
        return Coded(array.indices.to_numpy(), array.dictionary.to_pylist())
    return array.cast(arrow.float64()).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
