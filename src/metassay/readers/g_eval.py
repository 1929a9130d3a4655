"""G-Eval and UniEval: a JSON array with one object per document and system."""

from __future__ import annotations

import math
import re
from pathlib import PurePath
from typing import Any

from metassay.core.frames import label, number
from metassay.core.ledger import Ledger, Place
from metassay.core.scores import Kind
from metassay.readers.source import Source

FORMATS = ("g-eval",)

_PREDICTED = "predict_scores"
_ANSWERS = "all_responses"
_LEADING_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)")


def recognise(source: Source) -> str | None:
    """Return the format's name if the content is an array of documents with systems and scores."""
    first: Any = source.first_record
    if first is None and isinstance(source.document, list) and source.document:
        first = source.document[0]
    return "g-eval" if isinstance(first, dict) and {"doc_id", "system_id", "scores"} <= first.keys() else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write human scores under their criterion, and what a model said beside them.

    ``predict_scores`` become ``predicted_CRITERION``. The answers in ``all_responses`` do not say what they
    are about, so their mean stands under the file's name; one that does not begin with a number is missing.
    """
    answers = PurePath(source.name.removesuffix(".gz")).stem
    for line, row in source.records():
        place = Place(source.shown, line)
        for field in ("doc_id", "system_id", "scores"):
            if field not in row:
                raise source.wrong(f"the field {field!r} is missing", line)
        system, key = label(row["system_id"], "system_id", place), label(row["doc_id"], "doc_id", place)
        groups: tuple[tuple[str, str, Kind], ...] = (
            ("scores", "", "human"),
            (_PREDICTED, "predicted_", "metric"),
        )
        for field, prefix, kind in groups:
            values = row.get(field) or {}
            if not isinstance(values, dict):
                raise source.wrong(f"the field {field!r} must be an object of numbers", line)
            for criterion, value in values.items():
                score = number(value, f"{field} {criterion}", place)
                ledger.record(system, key, prefix + criterion, score, place, kind=kind)
        if _ANSWERS in row:
            ledger.record(system, key, answers, _mean_answer(row[_ANSWERS]), place, kind="metric")
    return name


def _mean_answer(answers: object) -> float:
    found = [_LEADING_NUMBER.match(str(answer)) for answer in answers] if isinstance(answers, list) else []
    values = [float(match[1]) for match in found if match]
    return sum(values) / len(values) if values else math.nan
