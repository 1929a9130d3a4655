"""Files of the WMT metrics task: scores per segment, per system, and human scores per system."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from metassay.core.frames import MISSING, number
from metassay.core.ledger import Ledger, Place
from metassay.errors import one_line
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Source

FORMATS = ("wmt",)

SYSTEM_SCORE = "(system score)"
"""The input under which a score stands that a file gives for a system as a whole."""

_DA_HEADER = ["LP", "HUMAN", "SYSTEM"]
_PAIR = re.compile(r"[a-z]{2,3}(_\w+)?-[a-z]{2,3}(_\w+)?")


class _Layout(NamedTuple):
    """Where in a line the fields stand."""

    name: str
    least: int
    system: int
    score: int
    segment: int | None = None
    reference: int | None = None
    domain: int | None = None


_LAYOUTS = (
    # The first two are newer and have exactly these fields; the others may have remarks after the score.
    _Layout("segment scores", 9, system=6, score=8, segment=7, reference=5, domain=3),
    _Layout("system scores", 7, system=5, score=6, reference=4, domain=3),
    _Layout("segment scores", 6, system=3, score=5, segment=4),
    _Layout("system scores", 5, system=3, score=4),
)
_OLD_SEGMENTS, _OLD_SYSTEMS = _LAYOUTS[2:]


def recognise(source: Source) -> str | None:
    """Return the format's name if the first line is the header of human scores or a line of scores."""
    if source.first_line.startswith(("{", "[")):
        return None
    fields = _fields(source.first_line)
    return "wmt" if fields == _DA_HEADER or _layout(fields) is not None else None


def record(source: Source, ledger: Ledger, pair: LanguagePair) -> str:
    """Write the scores of one language pair into the ledger.

    Segments are called ``TESTSET:NUMBER``. A score for a system as a whole stands under the one input
    ``(system score)``; it is of use at system level only.
    """
    if _fields(source.first_line) == _DA_HEADER:
        return _record_human(source, ledger, pair)
    first = _fields(source.first_line)
    layout = _layout(first)
    if layout is None:
        raise source.wrong("expected a line such as METRIC PAIR TESTSET SYSTEM SEGMENT SCORE", 1)
    width, whole = len(first), first[4].isdigit()
    rows = []
    for line, text in source.filled_lines():
        fields = _fields(text)
        if len(fields) < layout.least:
            raise source.wrong(f"expected {layout.least} fields of {layout.name}, got {len(fields)}", line)
        if len(fields) != width or fields[4].isdigit() is not whole:
            other = _layout(fields)
            if other is not None and other.name != layout.name:
                raise source.wrong(
                    f"the line has {other.name} and the first line {layout.name}; keep them in separate files", line
                )
        rows.append((line, fields))
    chosen = pair.settle((fields[1] for _, fields in rows), source.shown)
    ours = [(line, fields) for line, fields in rows if fields[1] == chosen]
    if layout.segment is None and layout.domain is not None:
        ours = _over_all_domains(ours, layout.domain)
    several = len({_whole(fields, layout) for _, fields in ours}) > 1
    keys = [_key(fields, layout, several) for _, fields in ours]
    names = [fields[0] if layout.reference is None else f"{fields[0]}-{fields[layout.reference]}" for _, fields in ours]
    scores = [number(fields[layout.score], "score", Place(source.shown, line)) for line, fields in ours]
    systems = [fields[layout.system] for _, fields in ours]
    ledger.record_many(systems, keys, names, scores, source.shown, [line for line, _ in ours])
    return f"wmt {layout.name}, {chosen}"


def _record_human(source: Source, ledger: Ledger, pair: LanguagePair) -> str:
    rows = []
    for line, text in source.filled_lines():
        fields = _fields(text)
        if fields == _DA_HEADER:
            continue
        if len(fields) != 3:
            raise source.wrong(f"expected the three fields LP HUMAN SYSTEM, got {len(fields)}", line)
        rows.append((line, fields))
    if not rows:
        raise source.wrong("there is a header and no row under it")
    chosen = pair.settle((fields[0] for _, fields in rows), source.shown)
    for line, (lp, score, system) in rows:
        if lp == chosen:
            place = Place(source.shown, line)
            ledger.record(system, SYSTEM_SCORE, "HUMAN", number(score, "HUMAN", place), place, kind="human")
    return f"wmt human system scores, {chosen}"


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _layout(fields: list[str]) -> _Layout | None:
    """Return the layout of a line, told by its length and by where the numbers stand."""
    if len(fields) < 5 or not _PAIR.fullmatch(fields[1]):
        return None
    if fields[4].isdigit() and len(fields) >= 6 and _is_score(fields[5]):
        return _OLD_SEGMENTS
    for layout in _LAYOUTS[:2]:
        if len(fields) == layout.least and _is_score(fields[layout.score]):
            return layout
    return _OLD_SYSTEMS if _is_score(fields[4]) and len(fields) <= 7 else None


def _is_score(text: str) -> bool:
    if text.lower() in MISSING:
        return True
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def _over_all_domains(rows: list[tuple[int, list[str]]], domain: int) -> list[tuple[int, list[str]]]:
    """Keep the scores over all domains where there are such, and all of them otherwise."""
    over_all = [(line, fields) for line, fields in rows if fields[domain].lower() == "all"]
    return over_all or rows


def _whole(fields: list[str], layout: _Layout) -> tuple[str, ...]:
    """Return what a system score is about: its test set, and its domain if the file tells."""
    return (fields[2],) if layout.domain is None else (fields[2], fields[layout.domain])


def _key(fields: list[str], layout: _Layout, several: bool) -> str:
    if layout.segment is not None:
        return f"{fields[2]}:{fields[layout.segment]}"
    return f"{SYSTEM_SCORE[:-1]}: {one_line(' '.join(_whole(fields, layout)))})" if several else SYSTEM_SCORE
