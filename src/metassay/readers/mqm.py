"""MQM ratings as the WMT experts' tables have them: one row for each error that a rater marked."""

from __future__ import annotations

from collections import defaultdict

from metassay.core.ledger import Ledger, Place
from metassay.core.reading import plain
from metassay.core.scores import REFERENCE_GROUP
from metassay.readers.source import Source
from metassay.readers.wmt import is_reference

FORMATS = ("mqm",)

_NEEDED = ("system", "rater", "category", "severity")
_SEGMENT = ("global_seg_id", "seg_id")
_WEIGHTS = {"critical": 5.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no_error": 0.0, "": 0.0}
"""Weights of Freitag et al. (2021); beside them, a non-translation counts 25 and minor punctuation 0.1."""
_NOT_COUNTED = ("source", "hotw", "no-error", "no_error")


def _columns(source: Source) -> dict[str, int]:
    names = [plain(name) for name in source.first_line.split("\t")]
    found = {name: at for at, name in enumerate(names)}
    segment = next((name for name in _SEGMENT if name in found), None)
    return found | {"segment": found[segment]} if segment and set(_NEEDED) <= found.keys() else {}


def recognise(source: Source) -> str | None:
    """Return the format's name if the first line has the columns of ratings by error."""
    return "mqm" if source.is_text and "\t" in source.first_line and _columns(source) else None


def record(source: Source, ledger: Ledger, name: str) -> str:
    """Write minus the sum of weights for each system, segment and rater; documents are the clusters of segments."""
    at = _columns(source)
    if not at:
        raise source.wrong(f"expected the columns {', '.join(_NEEDED)} and seg_id, separated by tabs", 1)
    sums: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    first: dict[tuple[str, str, str], int] = {}
    lines = source.filled_lines()
    next(lines)
    for line, text in lines:
        fields = text.split("\t")
        if len(fields) <= max(at[one] for one in (*_NEEDED, "segment")):
            raise source.wrong(f"the row has {len(fields)} fields, too few for {', '.join(_NEEDED)}", line)
        key = (fields[at["system"]], fields[at["segment"]], fields[at["rater"]])
        first.setdefault(key, line)
        sums[key] -= _weight(fields[at["category"]].strip().lower(), fields[at["severity"]], source, line)
        if "doc" in at:
            ledger.sort("cluster", key[1], fields[at["doc"]], Place(source.shown, line))
    if not sums:
        raise source.wrong("there is a header and no row under it")
    systems, keys, raters = (list(part) for part in zip(*first, strict=True))
    scores = [sums[key] for key in first]
    ledger.record_many(systems, keys, name, scores, source.shown, [*first.values()], kinds="human", annotators=raters)
    for (system, _, _), line in first.items():
        if is_reference(system):
            ledger.group(system, REFERENCE_GROUP, Place(source.shown, line))
    return f"{name}, weights of errors summed"


def _weight(category: str, severity: str, source: Source, line: int) -> float:
    if category.startswith("non-translation"):
        return 25.0
    known = _WEIGHTS.get(severity.strip().lower())
    if known is None:
        told = f"the field 'severity' must be Major, Minor, Neutral or No-error, got {severity[:40]!r}"
        raise source.wrong(told, line)
    if category.startswith(_NOT_COUNTED):
        return 0.0
    return 0.1 if category == "fluency/punctuation" and known == 1 else known
