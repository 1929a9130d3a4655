"""Scores to files in tidy form, complete or not at all."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from metassay.core.extras import load_extra
from metassay.core.files import no_formula, replacing
from metassay.core.scores import Scores
from metassay.errors import DataError, UsageError, one_line

_PARTS_AT_ONCE = 1 << 12


def write(scores: Scores, path: str | PathLike[str], *, safe: bool = False) -> Path:
    """Write scores in tidy form; the suffix decides between CSV, TSV, JSON lines and Parquet.

    The file appears complete or not at all. Reading it again gives equal scores, unless `safe` changed a name.

    Parameters
    ----------
    scores
        What to write.
    path
        Ends in ``.csv``, ``.tsv``, ``.jsonl`` or ``.parquet``; the first three may be followed by ``.gz``.
    safe
        In CSV and TSV, put an apostrophe before names that begin with ``=``, ``+``, ``-`` or ``@``: spreadsheets
        would run them as formulas.

    Returns
    -------
    Path
        The path that was written.
    """
    target = Path(fspath(path))
    packed = target.suffix == ".gz"
    suffix = target.with_suffix("").suffix if packed else target.suffix
    encode = _ENCODERS.get(suffix)
    if encode is None or (packed and suffix == ".parquet"):
        raise UsageError(f"{one_line(target)}: the name must end in .csv, .tsv, .jsonl (also with .gz) or .parquet")
    if safe and suffix in (".csv", ".tsv"):
        encode = _delimited("," if suffix == ".csv" else "\t", no_formula)
    with replacing(target) as stream:
        try:
            if packed:
                # Without a time stamp the same scores give the same bytes.
                with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0) as inner:
                    _pour(encode(scores), inner)
            else:
                _pour(encode(scores), stream)
        except UnicodeEncodeError as error:
            broken = one_line(error.object[error.start : error.end])
            raise DataError(f"{one_line(target)}: a name holds {broken!r}, which UTF-8 cannot write") from None
    return target


def _pour(parts: Iterable[bytes], stream: IO[bytes] | gzip.GzipFile) -> None:
    rest = iter(parts)
    while chunk := b"".join(islice(rest, _PARTS_AT_ONCE)):
        stream.write(chunk)


def _delimited(delimiter: str, guard: Callable[[str], str] = str) -> Callable[[Scores], Iterator[bytes]]:
    special = (delimiter, '"', "\n", "\r", "\0")

    def cell(value: object) -> str:
        text = _plain(value) if isinstance(value, float) else guard(str(value))
        if any(c in text for c in special) or text != text.strip():
            return '"' + text.replace('"', '""') + '"'
        return text

    def encode(scores: Scores) -> Iterator[bytes]:
        for at, row in enumerate(scores.rows()):
            if at == 0:
                yield (delimiter.join(row) + "\n").encode()
            yield (delimiter.join(map(cell, row.values())) + "\n").encode()

    return encode


def _plain(score: float) -> str:
    """Return the shortest text that reads as the same number; empty for a missing one."""
    if score != score:  # NaN is unlike itself
        return ""
    return str(int(score)) if score.is_integer() and abs(score) < 1e15 else repr(score)


def _json_lines(scores: Scores) -> Iterator[bytes]:
    for row in scores.rows():
        score = row["score"]
        missing = isinstance(score, float) and score != score
        whole = row | {"score": None} if missing else row
        yield (json.dumps(whole, ensure_ascii=False) + "\n").encode()


def _parquet(scores: Scores) -> Iterator[bytes]:
    arrow, parquet = load_extra("parquet", "writing Parquet needs pyarrow", "pyarrow", "pyarrow.parquet")
    rows = list(scores.rows())
    table = arrow.table({name: [row[name] for row in rows] for name in rows[0]})
    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    yield sink.getvalue().to_pybytes()


_ENCODERS: dict[str, Callable[[Scores], Iterator[bytes]]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
