"""Data sets that Hugging Face ``datasets`` saved to disk: a folder with ``state.json`` and Arrow files."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from metassay.core.frames import described, record_table
from metassay.core.ledger import Ledger
from metassay.core.origin import Origin
from metassay.core.reading import understand
from metassay.errors import FormatError, UsageError, one_line

FORMAT = "hf-dataset"
_STATE = "state.json"


def is_data_set(path: Path) -> bool:
    """Say whether a folder is a data set, or one of its splits."""
    return (path / _STATE).is_file() and any(path.glob("*.arrow"))


def record(path: Path, shown: str, ledger: Ledger) -> Origin:
    """Write the table that the Arrow files hold into the ledger."""
    try:
        ipc = importlib.import_module("pyarrow.ipc")
    except ImportError:
        raise UsageError(
            f"{one_line(shown)}: reading Arrow files needs pyarrow; run: pip install 'metassay[parquet]'"
        ) from None
    try:
        listed = json.loads((path / _STATE).read_text(encoding="utf-8"))["_data_files"]
        files = [path / Path(one["filename"]).name for one in listed]
        done, layout = 0, None
        for file in files:
            with file.open("rb") as stream:
                table = ipc.open_stream(stream).read_all()
            layout = understand([str(name) for name in table.column_names], ledger.reading, shown)
            columns = {str(name): table.column(name).to_pylist() for name in table.column_names}
            record_table(ledger, columns, str(file), range(done + 1, done + 1 + table.num_rows), layout)
            done += table.num_rows
    except (FormatError, UsageError):
        raise
    except Exception as error:  # a damaged file can fail anywhere in pyarrow, and in any way
        raise FormatError(f"not readable as a data set on disk: {one_line(error, 80)}", file=shown) from None
    if layout is None:
        raise FormatError("the data set has no Arrow file", file=shown)
    return Origin(path.name or shown, described(FORMAT, layout))
