"""Files of the WMT metrics task: scores per segment, per system, and human scores per system."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from metassay.core.frames import MISSING, number
from metassay.core.ledger import Ledger, Place
from metassay.core.scores import REFERENCE_GROUP, SYSTEM_SCORE
from metassay.errors import one_line
from metassay.readers.languages import LanguagePair
from metassay.readers.source import Source

FORMATS = ("wmt",)

_DA_HEADER = ["LP", "HUMAN", "SYSTEM"]
_DA_TABLE = ["RAW.SCR", "Z.SCR", "N", "SYS", "N.ALL"]
_REFERENCE = re.compile(r"Human-?[A-Z]?(\.\d+)?|ref[-.]?[A-Z]?|synthetic_ref", re.IGNORECASE)
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
    document: int | None = None


_NEW_SEGMENTS = _Layout("segment scores", 9, system=6, score=8, segment=7, reference=5, domain=3)
_NEW_SYSTEMS = _Layout("system scores", 7, system=5, score=6, reference=4, domain=3)
_SEGMENTS_2020 = _Layout("segment scores", 8, system=4, score=7, segment=6, reference=3, document=5)
_SYSTEMS_2020 = _Layout("system scores", 6, system=4, score=5, reference=3)
# Those above have exactly these fields; these may have remarks after the score.
_OLD_SEGMENTS = _Layout("segment scores", 6, system=3, score=5, segment=4)
_OLD_SYSTEMS = _Layout("system scores", 5, system=3, score=4)


def recognise(source: Source) -> str | None:
    """Return the format's name if the first line is the header of human scores or a line of scores."""
    if source.first_line.startswith(("{", "[")):
        return None
    fields = _fields(source.first_line)
    return "wmt" if fields in (_DA_HEADER, _DA_TABLE) or _layout(fields) is not None else None


def is_reference(system: str) -> bool:
    """Say whether a system of the WMT metrics task is a human translation, by its name."""
    return _REFERENCE.fullmatch(system) is not None


def record(source: Source, ledger: Ledger, pair: LanguagePair) -> str:
    """Write the scores of one language pair into the ledger.

    Segments are called ``TESTSET:NUMBER``. Scores of whole systems belong to no input.
    """
    if _fields(source.first_line) in (_DA_HEADER, _DA_TABLE):
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
    if chosen is None:
        return f"wmt {layout.name}, another language pair"
    ours = [(line, fields) for line, fields in rows if fields[1] == chosen]
    if layout.segment is None and layout.domain is not None:
        ours = _over_all_domains(ours, layout.domain)
    several = len({_whole(fields, layout) for _, fields in ours}) > 1
    keys = [_key(fields, layout) for _, fields in ours]
    names = [_name(fields, layout, several) for _, fields in ours]
    scores = [number(fields[layout.score], "score", Place(source.shown, line)) for line, fields in ours]
    systems = [fields[layout.system] for _, fields in ours]
    ledger.record_many(systems, keys, names, scores, source.shown, [line for line, _ in ours])
    _group(systems, ledger, source)
    return f"wmt {layout.name}, {chosen}"


def _record_human(source: Source, ledger: Ledger, pair: LanguagePair) -> str:
    header = _fields(source.first_line)
    rows = []
    for line, text in source.filled_lines():
        fields = _fields(text)
        if fields == header:
            continue
        if len(fields) != len(header):
            raise source.wrong(f"expected the {len(header)} fields {' '.join(header)}, got {len(fields)}", line)
        rows.append((line, dict(zip(header, fields, strict=True))))
    if not rows:
        raise source.wrong("there is a header and no row under it")
    named = re.findall(r"(?<![a-z])[a-z]{2}-[a-z]{2}(?![a-z])", source.name)[-1:]
    pairs = [row["LP"] for _, row in rows] if "LP" in header else named
    chosen = pair.settle(pairs, source.shown) if pairs else None
    for line, row in rows:
        if row.get("LP", chosen) == chosen and (chosen is not None or not pairs):
            place = Place(source.shown, line)
            for name in ("HUMAN", "RAW.SCR", "Z.SCR"):
                if name in row:
                    score = number(row[name], name, place)
                    system = row.get("SYSTEM") or row["SYS"]
                    ledger.record(system, SYSTEM_SCORE, name, score, place, kind="human")
                    _group([system], ledger, source)
    return "wmt human system scores" + (f", {chosen}" if chosen else "")


def _group(systems: Iterable[str], ledger: Ledger, source: Source) -> None:
    for system in dict.fromkeys(systems):
        if is_reference(system):
            ledger.group(system, REFERENCE_GROUP, Place(source.shown))


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _layout(fields: list[str]) -> _Layout | None:
    """Return the layout of a line, told by its length and by where the numbers stand."""
    if len(fields) < 5 or not _PAIR.fullmatch(fields[1]):
        return None
    if fields[4].isdigit() and len(fields) >= 6 and _is_score(fields[5]):
        return _OLD_SEGMENTS
    for layout in (_NEW_SEGMENTS, _NEW_SYSTEMS, _SEGMENTS_2020):
        if len(fields) == layout.least and _is_score(fields[layout.score]):
            return layout
    if len(fields) == _SYSTEMS_2020.least and not _is_score(fields[4]) and _is_score(fields[5]):
        return _SYSTEMS_2020
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


def _key(fields: list[str], layout: _Layout) -> str:
    if layout.segment is None:
        return SYSTEM_SCORE
    document = "" if layout.document is None else f"{fields[layout.document]}:"
    return f"{fields[2]}:{document}{fields[layout.segment]}"


def _name(fields: list[str], layout: _Layout, several: bool) -> str:
    """Return the metric with its reference, unless that is called like the test set, and what it was measured on."""
    reference = None if layout.reference is None else fields[layout.reference]
    name = fields[0] if reference in (None, fields[2]) else f"{fields[0]}-{reference}"
    if layout.segment is None and several:
        name += f" ({one_line(' '.join(_whole(fields, layout)))})"
    return name
