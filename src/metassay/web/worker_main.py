"""What runs apart: reading files of strangers, and making a report of them.

``python -m metassay.web.worker_main`` takes one order as a line of JSON from stdin and answers in JSON lines on stdout:
any number of ``{"done": share, "what": words}``, and in the end ``{"result": …}`` or ``{"error": one line}``. It ends
when stdin does. It stands in the folder of the files, so that messages name them as people do.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from metassay.errors import FormatError, MetassayError, one_line
from metassay.web.limits import in_words

if TYPE_CHECKING:
    from metassay.core.scores import Column, Scores
    from metassay.report.document.report import Report
    from metassay.studies.look import LookRow

Order = dict[str, Any]
Tell = Callable[[float, str], None]

PAUSE = 0.1
"""Seconds between two words on progress."""

_CHUNK = 1 << 20
_MOST_NAMES = 200
_MOST_NOTES = 20
_MOST_ROWS = 30
_NO_MEMORY = "the scores need more memory than one session may have; send fewer systems, inputs or columns"


def look(order: Order) -> dict[str, Any]:
    """Read the files of an order and return what is in them, for a page to show."""
    from metassay.report.notes import sentences
    from metassay.studies import look as study

    scores = _read(order)
    made = study.look(scores)
    languages = dict.fromkeys(name for column in scores.columns.values() for name in column.labels("language"))
    return {
        "sources": [one_line(line, 200) for line in scores.sources],
        "notes": [one_line(line, 400) for line in sentences(made.notes)[:_MOST_NOTES]],
        "shape": [scores.shape[0] if scores.has_systems else 0, scores.shape[1]],
        "axes": _texts(made.axes),
        "attributes": _texts(made.attributes),
        "sample": _texts(made.sample),
        "languages": [one_line(name, 80) for name in list(languages)[:_MOST_NAMES]],
        "columns": [_facts(scores[row.name], row) for row in made.table],
    }


def _texts(rows: Sequence[Any]) -> list[list[str]]:
    """Return rows as texts that a page has room for."""
    return [[one_line(str(value), 80) for value in astuple(row)] for row in rows[:_MOST_ROWS]]


def report(order: Order, tell: Tell) -> dict[str, Any]:
    """Make the report of an order and write it where the order says."""
    from metassay import engine
    from metassay.report.document.page import QUESTIONS
    from metassay.report.document.report import make_report

    scores = _read(order)
    # Columns go by their position: a name could be a pattern, a list, or a megabyte.
    every = list(scores.columns.values())
    chosen = [replace(every[at], kind=kind, lower_is_better=lower) for at, kind, lower in order["columns"]]
    scores = replace(scores, columns={column.name: column for column in chosen})
    study, furthest = "", 0.0

    def begun(name: str, _: int, __: int) -> None:
        nonlocal study
        study = QUESTIONS[name]

    def worked(done: int, total: int, _: str) -> None:
        nonlocal furthest
        # A bar that goes back would only worry people.
        furthest = max(furthest, done / max(total, 1))
        tell(furthest, study)

    with engine.reporting(worked):
        title = order["title"] or None
        made = cast("Report", make_report(scores, order["output"], title=title, watch=begun, **order["options"]))
    return {"sentences": list(made.sentences), "skipped": len(made.dossier.skipped), "size": len(made.html.encode())}


def _read(order: Order) -> Scores:
    from metassay.core.ledger import Bounds
    from metassay.core.reading import Reading
    from metassay.readers.recognition import read_all

    limits = order["limits"]
    for name in order["files"]:
        _inspect(Path(name), limits["unpacked"])
    bounds = Bounds(limits["columns"], limits["cells"])
    reading = Reading.of(**order.get("reading", {}))
    return read_all(order["files"], format=order["format"], language=order["language"], reading=reading, bounds=bounds)


def _inspect(path: Path, most: int) -> None:
    """Refuse pickles, and gzip that unpacks to more than anybody wants to wait for."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not packed:
            head = raw.read(2)
        else:
            try:
                with gzip.open(raw, "rb") as stream:
                    head = stream.read(2)
                    size = len(head)
                    while size <= most and (chunk := stream.read(_CHUNK)):
                        size += len(chunk)
            except (EOFError, zlib.error, gzip.BadGzipFile):
                return  # the reader says what is wrong with it
            if size > most:
                raise FormatError(f"it unpacks to more than {in_words(most)}, the most that is read here", file=path)
    if len(head) == 2 and head[0] == 0x80 and 2 <= head[1] <= 5:
        raise FormatError("it is a pickle, and pickles are not read here; save the scores as CSV", file=path)


def _facts(column: Column, row: LookRow) -> dict[str, Any]:
    return {
        "name": one_line(column.name, 80),
        "kind": column.kind,
        "proposed": row.proposed,
        "labels": one_line(row.labels, 80),
        "lower": column.lower_is_better,
        "low": row.low if row.n and not row.labels else None,
        "high": row.high if row.n and not row.labels else None,
        "missing": row.missing,
        "cells": int(column.values.size),
        "annotators": row.annotators,
    }


# -- the process --------------------------------------------------------------------------------


def main() -> int:
    """Do the order on stdin, and answer on stdout."""
    order: Order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    # What a library prints must not be taken for an answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    _confine(order["limits"]["memory"])
    last = [0.0]

    def tell(done: float, what: str) -> None:
        now = time.monotonic()
        if now - last[0] >= PAUSE:
            last[0] = now
            print(json.dumps({"done": done, "what": what}), file=out)

    try:
        found = look(order) if order["task"] == "look" else report(order, tell)
        answer: dict[str, Any] = {"result": found}
    except MetassayError as error:
        answer = {"error": one_line(error, 1000)}
    except MemoryError:
        answer = {"error": _NO_MEMORY}
    except BrokenPipeError:
        return 1  # nobody listens any more
    except Exception as error:
        traceback.print_exc()
        answer = {"error": f"this is a bug in metassay ({type(error).__name__}: {one_line(error, 200)})"}
    print(json.dumps(answer), file=out)
    return 0


def _end_with_server() -> None:
    """End this process when the server is gone, however it went: then nobody holds the other end of stdin."""
    while os.read(0, 1 << 10):
        pass
    os._exit(1)


def _confine(memory: int) -> None:
    """Bound what this process may take, as far as the system can, and let the server go first."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    if sys.platform.startswith("linux"):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    sys.exit(main())
