"""Data sets that Hugging Face ``datasets`` saved to disk: a folder with ``state.json`` and Arrow files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from metassay.core.extras import load_extra
from metassay.core.frames import described, record_table
from metassay.core.ledger import Ledger
from metassay.core.origin import Origin
from metassay.core.reading import understand
from metassay.errors import FormatError, one_line

FORMAT = "hf-dataset"
_STATE = "state.json"
_INFO = "dataset_info.json"


def is_data_set(path: Path) -> bool:
    """Say whether a folder is a data set, or one of its splits."""
    return (path / _STATE).is_file() and any(path.glob("*.arrow"))


def names(path: Path, shown: str) -> list[str]:
    """Return the names of the columns of a data set."""
    return next((list(columns) for _, _, columns in tables(path, shown)), [])


def tables(path: Path, shown: str) -> Iterator[tuple[str, range, dict[str, list[Any]]]]:
    """Yield the file, the rows and the columns of each Arrow file; classes are called by their names."""
    (ipc,) = load_extra("parquet", f"{one_line(shown)}: reading Arrow files needs pyarrow", "pyarrow.ipc")
    try:
        listed = json.loads((path / _STATE).read_text(encoding="utf-8"))["_data_files"]
        about = json.loads(info.read_text(encoding="utf-8")) if (info := path / _INFO).is_file() else {}
        features = about.get("features") or {}
        classes = {name: one["names"] for name, one in features.items() if isinstance(one, dict) and "names" in one}
        done = 0
        for file in (path / Path(one["filename"]).name for one in listed):
            with file.open("rb") as stream:
                table = ipc.open_stream(stream).read_all()
            columns = {str(name): table.column(name).to_pylist() for name in table.column_names}
            for name in classes.keys() & columns.keys():
                columns[name] = [classes[name][at] if at is not None and at >= 0 else None for at in columns[name]]
            yield str(file), range(done + 1, done + 1 + table.num_rows), columns
            done += table.num_rows
    except Exception as error:  # a damaged file can fail anywhere in pyarrow, and in any way
        raise FormatError(f"not readable as a data set on disk: {one_line(error, 80)}", file=shown) from None


def record(path: Path, shown: str, ledger: Ledger) -> Origin:
    """Write the table that the Arrow files hold into the ledger."""
    layout = None
    for file, lines, columns in list(tables(path, shown)):
        layout = understand(list(columns), ledger.reading, shown)
        record_table(ledger, columns, file, lines, layout)
    if layout is None:
        raise FormatError("the data set has no Arrow file", file=shown)
    return Origin(Path(shown).name or shown, described(FORMAT, layout))
