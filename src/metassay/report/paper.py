"""How a table fits on paper: type size, headings that stand upright, text that wraps, a turned page, several pages.

Widths are estimated from the letters, rather too large than too small, in points of a page of LaTeX's ``article``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from metassay.report.table import Table

PAGE = (345.0, 550.0)
"""Width and height of the text."""
COLUMN = 200.0
"""Width of one of two columns."""
SIZES = (
    (r"\normalsize", 1.0, 12.0),
    (r"\small", 0.93, 11.0),
    (r"\footnotesize", 0.86, 9.5),
    (r"\scriptsize", 0.8, 8.0),
)
"""Type sizes: the width of letters beside those of ten points, and the distance of lines."""
LONGEST_FLOAT = 50
"""Rows that may stand on one page."""
CAPTION = 70.0
"""Room for rules, headings and a caption of two lines."""
NOTES = 0.25
"""Notes that take more than this share of a page stand behind the table."""
WRAPPED = 90.0
"""Columns of words that are wider than this may wrap, and get no less."""
BAR, BROADER = 80.0, 1.2
"""A drawn interval on the page of HTML, and how much broader its type is than LaTeX's."""
TRIES = (
    *((0, False, False), (1, False, False), (2, False, False), (1, False, True), (2, False, True)),
    *((1, True, False), (2, True, False), (2, True, True), (3, True, True)),
)
"""What is tried in turn: a type size, whether long headings stand upright, whether words wrap."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is set."""

    size: int
    """Its place among `SIZES`."""
    gap: float
    """Half the distance of columns."""
    upright: frozenset[int]
    """Columns whose headings are turned by 90°."""
    wrapped: dict[int, float]
    """Widths of columns whose words wrap."""
    turned: bool
    """Whether the page is turned."""
    long: bool
    """Whether it is broken over pages."""
    scaled: bool
    """Whether it may have to be made smaller than its type size says."""
    width: float
    """Its estimated width."""
    room: float
    """What captions and notes leave of the height."""
    apart: bool
    """Whether notes are too long to stand on its page: they are text behind it."""


@lru_cache(maxsize=4096)
def width(text: str, *, bold: bool = False) -> float:
    """Return the estimated width of a text in type of ten points.

    Examples
    --------
    >>> width("ill") < width("mean") < width("MEAN")
    True
    """
    each = (3.3 if c in "iljtfrs.,:;'!()[] -" else 5.4 if c.islower() or c.isdigit() else 7.9 for c in text)
    return sum(each) * (1.15 if bold else 1.0)


def height(notes: list[str], across: float) -> float:
    """Return the estimated height of notes in small type."""
    return 9.5 * sum(math.ceil(0.8 * width(note) / across) for note in notes)


def parts(table: Table) -> list[Table]:
    """Return a table, or its columns in parts that fit on a page each, with the keys in all of them.

    Of a triangle, each part begins with the row that its first column stands for.
    """
    heads, bodies = _widths(table)
    scale, gap = SIZES[2][1], 3.0
    wide = [
        scale * max(body, 12.0 if not c.key else head) + 2 * gap
        for c, head, body in zip(table.columns, heads, bodies, strict=True)
    ]
    keys = [at for at, column in enumerate(table.columns) if column.key]
    groups: list[list[int]] = []
    for at in (at for at in range(len(wide)) if at not in keys):
        groups = [*groups[:-1], [*groups[-1], at]] if groups and table.columns[at].joins else [*groups, [at]]
    sizes = [sum(wide[at] for at in group) for group in groups]
    free = PAGE[0] - sum(wide[at] for at in keys)
    fits = sum(wide) <= PAGE[0] / 0.85 if table.fit else layout(table, [], []).width < math.inf
    if fits or free < max(sizes, default=0.0) or len(groups) < 2:
        return [table]
    count = math.ceil(sum(sizes) / free)
    made: list[list[int]] = [[]]
    filled = 0.0
    for group, size in zip(groups, sizes, strict=True):
        if made[-1] and (filled + size > free or filled + size / 2 > sum(sizes) / count):
            made.append([])
            filled = 0.0
        made[-1] += group
        filled += size
    return [
        replace(
            table.only([*keys, *part]).from_diagonal(),
            title=f"{table.title} (part {at} of {len(made)})",
            legend=table.legend if at == 1 else (),
            bold=table.bold if at == 1 else "",
        )
        for at, part in enumerate(made, start=1)
    ]


def layout(table: Table, legend: list[str], notes: list[str]) -> Layout:
    """Return how a table is set, with a legend below it, and with notes if they leave it room.

    A table that fits no page is infinitely wide.
    """
    heads, bodies = _widths(table)
    rows = [row for section in table.sections for row in section.rows]
    titles = max((width(section.title) for section in table.sections), default=0.0)
    for turned in (False,) if table.fit else (False, True):
        across, down = PAGE[::-1] if turned else PAGE
        apart = height(notes, across) > NOTES * down
        room = down - CAPTION - height(legend if apart else [*legend, *notes], across)
        for size, upright, wraps in TRIES:
            _, scale, line = SIZES[size]
            gap = 3.0 if size else 6.0
            found = _columns(table, heads, bodies, across, (scale, gap, upright, wraps))
            if found is None:
                continue
            stood, wrapped, wide = found
            wide = max(wide, min(scale * titles + 2 * gap, across))
            lines = len(rows) + 1.3 * sum(bool(section.title) for section in table.sections)
            lines += sum(math.ceil(width(row[at].text) * scale / w) - 1 for row in rows for at, w in wrapped.items())
            high = lines * line + max((heads[at] for at in stood), default=0.0)
            if high <= room or len(rows) > LONGEST_FLOAT or size >= 2:
                long = not table.fit and (len(rows) > LONGEST_FLOAT or high > room)
                scaled = not long and (table.fit or wide > 0.85 * across)
                return Layout(size, gap, stood, wrapped, turned, long, scaled, wide, room, apart or long)
    stood = frozenset(at for at, head in enumerate(heads) if head > max(bodies[at], 25.0))
    return Layout(2, 3.0, stood, {}, not table.fit, False, True, math.inf, room, apart)


def ems(table: Table) -> float:
    """Return about how wide a table is in a page's type, its headings and texts broken between words."""
    heads = [max(map(width, column.header.replace("-", "- ").split()), default=0.0) for column in table.columns]
    bars = [any(row[at].bar for section in table.sections for row in section.rows) for at in range(len(heads))]
    bodies = [
        BAR if bar else min(body, WRAPPED) if column.align == "left" else body
        for column, bar, body in zip(table.columns, bars, _widths(table)[1], strict=True)
    ]
    return sum(BROADER * max(both) / 10 + 0.6 for both in zip(heads, bodies, strict=True))


def _widths(table: Table) -> tuple[list[float], list[float]]:
    """Return the widths of headings and of what stands below them."""
    rows = [row for section in table.sections for row in section.rows]
    cells = [[row[at] for row in rows] for at in range(len(table.columns))]
    bodies = [
        max((width(c.unpadded.replace("-", "−") if c.number else c.unpadded, bold=c.bold) for c in own), default=0.0)
        for own in cells
    ]
    return [width(column.header) for column in table.columns], bodies


def _columns(
    table: Table, heads: list[float], bodies: list[float], across: float, how: tuple[float, float, bool, bool]
) -> tuple[frozenset[int], dict[int, float], float] | None:
    """Return upright headings, columns that wrap, and the width; None if that is too wide."""
    scale, gap, upright, wraps = how
    stood = frozenset(
        at for at, head in enumerate(heads) if upright and not table.columns[at].key and head > max(bodies[at], 25.0)
    )
    widths = [scale * max(body, 12.0 if at in stood else heads[at]) for at, body in enumerate(bodies)]
    wrapped = {at: w for at, w in enumerate(widths) if wraps and table.columns[at].align == "left" and w > WRAPPED}
    left = across - 2 * gap * len(widths) - sum(w for at, w in enumerate(widths) if at not in wrapped)
    if wrapped and left < sum(wrapped.values()):
        if left < WRAPPED * len(wrapped):
            return None
        spare = left - WRAPPED * len(wrapped)
        over = sum(wrapped.values()) - WRAPPED * len(wrapped)
        wrapped = {at: WRAPPED + spare * (w - WRAPPED) / over for at, w in wrapped.items()}
        return stood, wrapped, across
    return (stood, {}, across - left + sum(wrapped.values())) if left >= sum(wrapped.values()) else None
