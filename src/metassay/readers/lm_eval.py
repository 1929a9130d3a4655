"""Samples that lm-evaluation-harness logs: JSON lines, one file per model and task."""

from __future__ import annotations

import re

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.readers.source import Source

FORMATS = ("lm-eval",)

_FILE_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d\-.]+)?\.jsonl(\.gz)?")


def recognise(source: Source) -> str | None:
    """Return the format's name if the first record names its metrics and holds responses."""
    first = source.first_record
    ours = first is not None and {"doc_id", "metrics"} <= first.keys() and ("resps" in first or "filter" in first)
    return "lm-eval" if ours else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write every metric into the ledger.

    The file does not name the model: the harness writes one directory per model, so the directory's name is
    the system. Inputs are ``TASK:DOC``, and a metric after a filter is ``METRIC_FILTER``.
    """
    ledger.apart = True
    system = source.path.resolve().parent.name or "model"
    match = _FILE_NAME.fullmatch(source.name)
    prefix = f"{match['task']}:" if match else ""
    for line, row in source.records():
        place = Place(source.shown, line)
        key = prefix + label(row.get("doc_id"), "doc_id", place)
        metrics = row.get("metrics")
        if not isinstance(metrics, list):
            raise source.wrong("the field 'metrics' must be a list of names", line)
        after = row.get("filter")
        for metric in metrics:
            column = label(metric, "metrics", place)
            if column not in row:
                raise source.wrong(f"the field {column!r} is missing, although 'metrics' names it", line)
            value = row[column]
            score = number(int(value) if isinstance(value, bool) else value, column, place)
            full = column if after in (None, "", "none") else f"{column}_{after}"
            ledger.record(system, key, full, score, place)
    return name
