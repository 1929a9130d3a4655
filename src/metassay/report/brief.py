"""A page cut to what fits a screen: the first rows of each table and the weightiest notes, and what was left out.

The first rows matter most, since views put the best or the most remarkable first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from metassay.report.numbers import counted
from metassay.report.table import Page, Table

ROWS = 15
"""Rows of a table."""
SPARE = 5
"""So many more are shown rather than left out; so many fewer, where a table stands in parts."""
LEAST = 3
"""Rows that a section has at least, if it is shown at all."""
PARTS = 2
"""A table too wide for the screen stands in parts, one below the other: at most so many."""
LINES = 44
"""Lines that all tables share; the first table is always shown."""
SCREEN = 51
"""Lines that they share with the answer and the notes; where these are long, the first table has fewer rows, unless it
was asked for."""
MOST = 58
"""Lines of everything; further tables are left out where the answer and the notes leave less room."""
LINE = 80
"""Characters of a line, about."""
NOTES = 4
"""Notes, the weightiest."""
WORDS = 900
"""Characters of the paragraphs before the tables, of which the first is always shown."""


def cut(page: Page, deal: Callable[[Table], list[list[int]]], whole: str = "--full, or .to_text() in Python") -> Page:
    """Return a page that fits a screen, with a last line on what is missing.

    Parameters
    ----------
    page
        All there is.
    deal
        Tells which columns of a table stand beside each other, part by part.
    whole
        How to see all of it.
    """
    told = page.notes if len(page.notes) <= NOTES + 1 else page.notes[:NOTES]
    lengths = accumulate(len(each.text) for each in page.lead)
    lead = tuple(each for at, (each, end) in enumerate(zip(page.lead, lengths, strict=True)) if not at or end <= WORDS)
    kept: list[Table] = []
    rows = columns = 0
    written = _lines(each.text for each in lead) + _lines(told)
    first, room = (min(LINES, screen - written) for screen in (SCREEN, MOST))
    for table in (table.on("screen") for table in page.tables):
        parts = deal(table)
        few = table.only(sorted({at for part in parts[:PARTS] for at in part}))
        most = ROWS if len(parts) == 1 else ROWS - SPARE
        while True:
            short, lost = (few, 0) if table.whole else shortened(few, most)
            height = min(len(parts), PARTS) * sum(len(s.rows) + 2 + bool(s.title) for s in short.sections)
            height += _lines(short.legend) + 4
            if table.whole or kept or page.asked or height <= first or most <= LEAST:
                break
            most -= 1
        if kept and not page.asked and not table.whole and (height > room or len(parts) > PARTS):
            continue
        kept.append(short)
        room -= height
        rows += lost
        columns += len(table.columns) - len(few.columns)
    missing = {
        "row": rows,
        "column": columns,
        "table": len(page.tables) - len(kept),
        "answer": len(page.lead) - len(lead),
        "note": len(page.notes) - len(told),
    }
    more = [counted(n, what) for what, n in missing.items() if n]
    left = f"Not shown: {', '.join(more)}. Show all: {whole}." if more else ""
    return replace(page, tables=tuple(kept), notes=told, lead=lead, left_out=left)


def _lines(texts: Iterable[str]) -> int:
    return sum(1 + len(text) // LINE for text in texts)


def shortened(table: Table, most: int = ROWS) -> tuple[Table, int]:
    """Return a table with its first rows, and how many it lost."""
    sizes = [len(section.rows) for section in table.sections]
    shown = dealt(sizes, most)
    sections = tuple(
        replace(section, rows=section.rows[:n], left_out=size - n)
        for section, size, n in zip(table.sections, sizes, shown, strict=True)
        if n
    )
    return replace(table, sections=sections), sum(sizes) - sum(shown)


def dealt(sizes: Sequence[int], most: int = ROWS) -> list[int]:
    """Return how many rows of each section are shown: all, or a fair share of those that fit.

    Examples
    --------
    >>> dealt([20]), dealt([34]), dealt([13, 2, 13]), dealt([9] * 8)
    ([20], [15], [7, 2, 6], [3, 3, 3, 3, 3, 0, 0, 0])
    """
    if sum(sizes) <= most + SPARE * (most >= ROWS):
        return list(sizes)
    first = min(len(sizes), most // LEAST)
    shown = [0] * len(sizes)
    room = most
    for left, at in zip(range(first, 0, -1), sorted(range(first), key=lambda at: (sizes[at], -at)), strict=True):
        share = room // left
        shown[at] = sizes[at] if sizes[at] <= share + 1 else share  # a line that says "1 more" is as long as the row
        room -= min(room, shown[at])
    return shown
