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

from metassay.errors import DataError, FormatError, MetassayError, one_line
from metassay.web.limits import in_words

if TYPE_CHECKING:
    from metassay.core.column import Kind
    from metassay.core.scores import Column, Scores
    from metassay.core.votes import Votes
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
    from metassay.core.votes import Votes
    from metassay.report.notes import sentences
    from metassay.studies import look as study

    data = _read(order)
    made = study.look(data)
    columns = () if isinstance(data, Votes) else tuple(data.columns.values())
    languages = dict.fromkeys(name for column in columns for name in column.labels("language"))
    return {
        "sources": [one_line(line, 200) for line in data.sources],
        "notes": [one_line(line, 400) for line in sentences(made.notes)[:_MOST_NOTES]],
        "shape": [len(data.systems) if isinstance(data, Votes) or data.has_systems else 0, len(data.inputs)],
        "axes": _texts(made.axes),
        "attributes": _texts(made.attributes),
        "sample": _texts(made.sample),
        "languages": [one_line(name, 80) for name in list(languages)[:_MOST_NAMES]],
        "columns": _raters(data, order["limits"]["columns"])
        if isinstance(data, Votes)
        else [_facts(data[row.name], row) for row in made.table],
        "votes": len(data) if isinstance(data, Votes) else 0,
    }


def _texts(rows: Sequence[Any]) -> list[list[str]]:
    """Return rows as texts that a page has room for."""
    return [[one_line(str(value), 80) for value in astuple(row)] for row in rows[:_MOST_ROWS]]


def report(order: Order, tell: Tell) -> dict[str, Any]:
    """Make the report of an order and write it where the order says."""
    from metassay import engine
    from metassay.core.votes import Votes
    from metassay.report.document.page import SECTIONS
    from metassay.report.document.report import make_report
    from metassay.report.document.votes import make_votes_report

    data = _read(order)
    make: Callable[..., Any] = make_report
    # Columns go by their position: a name could be a pattern, a list, or a megabyte.
    if isinstance(data, Votes):
        make, data = make_votes_report, _voting(data, order["columns"], order["limits"]["columns"])
    else:
        every = list(data.columns.values())
        chosen = [replace(every[at], kind=kind, lower_is_better=lower) for at, kind, lower in order["columns"]]
        data = replace(data, columns={column.name: column for column in chosen})
    study, furthest = "", 0.0

    def begun(name: str, _: int, __: int) -> None:
        nonlocal study
        study = SECTIONS[name]

    def worked(done: int, total: int, _: str) -> None:
        nonlocal furthest
        # A bar that goes back would only worry people.
        furthest = max(furthest, done / max(total, 1))
        tell(furthest, study)

    with engine.reporting(worked):
        named = {"title": order["title"]} if order["title"] else {}
        if make is make_report:
            named["first"] = order.get("first")
        made = cast("Report", make(data, order["output"], **named, watch=begun, **order["options"]))
    return {"sentences": list(made.sentences), "skipped": len(made.dossier.skipped), "size": len(made.html.encode())}


def _read(order: Order) -> Scores | Votes:
    from metassay.core.ledger import Bounds
    from metassay.core.reading import Reading
    from metassay.readers import read_votes, votes
    from metassay.readers.recognition import holds_votes, read_all

    limits = order["limits"]
    for name in order["files"]:
        _inspect(Path(name), limits["unpacked"])
    if order["format"] in votes.FORMATS or (order["format"] is None and any(map(holds_votes, order["files"]))):
        found = read_votes(*order["files"])
        if len(found) > limits["cells"]:
            raise DataError(f"there are {len(found):,} votes; at most {limits['cells']:,} are taken here")
        return found
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


def _most_votes(votes: Votes, most: int) -> list[int]:
    """Return the raters that a form shows, those with the most votes first."""
    import numpy as np

    counts = np.bincount(votes.rater, minlength=len(votes.raters))
    return [int(at) for at in np.argsort(-counts, kind="stable")[:most]]


def _raters(votes: Votes, most: int) -> list[dict[str, Any]]:
    """Return what a form says of raters."""
    names = [votes.raters[at] for at in _most_votes(votes, most)]
    counts = [int((votes.rater == votes.raters.index(name)).sum()) for name in names]
    return [
        {"name": one_line(name, 80), "kind": votes.kinds.get(name, "other"), "lower": False, "votes": n}
        for name, n in zip(names, counts, strict=True)
    ]


def _voting(votes: Votes, chosen: list[tuple[int, str, bool]], most: int) -> Votes:
    """Return the votes of the raters that were not left out, each of the kind that was chosen."""
    import numpy as np

    shown = _most_votes(votes, most)
    kinds = {votes.raters[shown[at]]: kind for at, kind, _ in chosen}
    hidden = {votes.raters[at] for at in shown} - kinds.keys()
    every = {name: kinds.get(name, votes.kinds.get(name, "other")) for name in votes.raters if name not in hidden}
    codes = np.array([list(every).index(name) if name in every else -1 for name in votes.raters])[votes.rater]
    kept = votes.where(codes >= 0)
    known = cast("dict[str, Kind]", {name: kind for name, kind in every.items() if kind != "other"})
    return replace(kept, raters=tuple(every), rater=codes[codes >= 0], kinds=known)


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
