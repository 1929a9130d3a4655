"""Results as text for a terminal, drawn with rich."""

from __future__ import annotations

import io
import os
import shutil
import sys
from dataclasses import dataclass
from typing import NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from metassay.charts.theme import told_apart
from metassay.report import brief
from metassay.report.encoding import fit
from metassay.report.table import Page, Section, Table

DEFAULT_WIDTH = 100
"""Columns where there is no terminal to ask."""
GAPS = (2, 1)
"""Spaces between two columns: what is pleasant, and what will do."""
NARROWEST_KEY = 16
"""A column of names is not made narrower than this as long as another way is left."""

LONG = 8
"""A section with so many rows has headings of its own; shorter ones stand under those of the first."""


def default_width() -> int:
    """Return what COLUMNS says, else the width of the terminal that stdout is, or one that suits a file."""
    try:
        terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
    except (AttributeError, ValueError):
        terminal = False
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH


def default_encoding() -> str:
    """Return what stdout can take, so that printing a result never fails."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def render(
    page: Page, *, width: int | None = None, color: bool = False, encoding: str | None = None, full: bool = True
) -> str:
    """Return a page as text.

    Parameters
    ----------
    page
        What to show.
    width
        How many characters a line may have; by default the terminal's, or 100 where there is none.
    color
        Whether to add the control codes that make bold text bold.
    encoding
        The encoding that the text must survive; by default that of stdout.
    full
        Whether to show all of it, instead of what fits a screen.
    """
    width = max(width or default_width(), 20)
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    draw = _Pen(console, width, encoding or default_encoding())
    page = page if full else brief.cut(page, draw.deal)
    for paragraph in page.said:
        draw.line(paragraph)
    if page.lead:
        console.print()
    for table in page.tables:
        draw.table(table)
    for note in page.notes:
        draw.line(f"Note: {note}")
    if page.left_out:
        draw.line(page.left_out, style="dim")
    # never wrapped, so that it can be copied as the one word it is
    draw.line(page.signature, style="dim", wrap=False)
    lines = buffer.getvalue().splitlines()
    return "\n".join(line if color else line.rstrip() for line in lines) + "\n"


class _Part(NamedTuple):
    """Columns that stand beside each other."""

    columns: list[int]
    widths: list[int]
    gap: int


def _part(keys: list[int], others: list[int], natural: list[int], key_room: int, gap: int) -> _Part:
    """Give the keys what they need, or share out what there is from the narrowest to the widest."""
    widths = {at: natural[at] for at in others}
    room = key_room
    for left, at in zip(range(len(keys), 0, -1), sorted(keys, key=lambda k: natural[k]), strict=True):
        widths[at] = max(1, min(natural[at], room // left - gap))
        room -= widths[at] + gap
    columns = sorted([*keys, *others])
    return _Part(columns, [widths[at] for at in columns], gap)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Where and how to draw."""

    console: Console
    width: int
    encoding: str

    def text(self, words: str, style: str = "") -> Text:
        return Text(fit(words, self.encoding), style=style)

    def line(self, words: str, style: str = "", *, wrap: bool = True) -> None:
        self.console.print(self.text(words, style), soft_wrap=not wrap)

    def table(self, table: Table) -> None:
        table = table.on("screen")
        self.line(table.title, "bold")
        self.console.print()
        for part in self._parts(table):
            for at, section in enumerate(table.sections):
                if section.title:
                    self.line(section.title, "italic")
                if table.whole and len(table.columns) == 1:
                    for (cell,) in section.rows:  # to be copied: no line ends inside
                        self.line(cell.text, wrap=False)
                else:
                    self._section(table, section, part, headed=at == 0 or len(section.rows) >= LONG)
                if section.left_out:
                    self.line(f"… {section.left_out:,} more", "dim")
                self.console.print()
        below = table.below if self.console.is_terminal else table.legend
        for legend in below:
            self.line(legend, "dim")
        if below:
            self.console.print()

    def deal(self, table: Table) -> list[list[int]]:
        """Return which columns stand beside each other, keys included."""
        return [part.columns for part in self._parts(table)]

    def _section(self, table: Table, section: Section, part: _Part, *, headed: bool) -> None:
        grid = RichTable(
            box=box.SIMPLE_HEAD if self._can_draw() else _ASCII_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, part.gap - 1, 0, 0),
            header_style="",
            show_header=headed,
        )
        for at, width in zip(part.columns, part.widths, strict=True):
            column = table.columns[at]
            grid.add_column(self.text(column.header), justify=column.align, overflow="fold", width=width)
        shown = {at: self._names(table, at, width) for at, width in zip(part.columns, part.widths, strict=True)}
        for row in section.rows:
            cells = [(shown[at], row[at]) for at in part.columns]
            grid.add_row(*(self.text(cut.get(c.text, c.text), "bold" if c.bold else "") for cut, c in cells))
        self.console.print(grid)

    def _names(self, table: Table, at: int, width: int) -> dict[str, str]:
        """Return the names in a column that are cut, so that none is folded; prose breaks between words."""
        if not table.columns[at].key:
            return {}
        every = {row[at].text: fit(row[at].text, self.encoding) for part in table.sections for row in part.rows}
        long = [text for text, said in every.items() if " " not in text and cell_len(said) > width]
        return told_apart(long, width, 1, lambda text, _: cell_len(fit(text, self.encoding))) if width > 1 else {}

    def _can_draw(self) -> bool:
        return fit("─", self.encoding) == "─"

    def _parts(self, table: Table) -> list[_Part]:
        """Fit the columns: as they are, else closer together, else with folded keys, else in parts."""
        natural = [self._width(table, at) for at in range(len(table.columns))]
        keys = [at for at, column in enumerate(table.columns) if column.key]
        others = [at for at in range(len(table.columns)) if at not in keys]
        wanted = [natural[at] for at in keys]
        least = [min(width, NARROWEST_KEY) for width in wanted]
        for gap in GAPS:
            room = self.width - sum(natural[at] + gap for at in others) + gap
            if room >= sum(width + gap for width in wanted):
                return [_part(keys, others, natural, room, gap)]
        if others and room >= sum(width + gap for width in least):
            return [_part(keys, others, natural, room, gap)]
        gap = GAPS[0]
        if not others:
            return [_part(keys, others, natural, self.width + gap, gap)]
        room = min(sum(width + gap for width in wanted), max(sum(width + gap for width in least), self.width // 3))
        return [_part(keys, some, natural, room, gap) for some in self._dealt(others, natural, room, gap)]

    def _dealt(self, columns: list[int], natural: list[int], taken: int, gap: int) -> list[list[int]]:
        """Deal out columns to as few parts as their widths allow, each beside keys that take some room."""
        parts: list[list[int]] = [[]]
        used = taken
        for at in columns:
            if parts[-1] and used + natural[at] > self.width:
                parts.append([])
                used = taken
            parts[-1].append(at)
            used += natural[at] + gap
        return parts

    def _width(self, table: Table, at: int) -> int:
        """Return how wide a column is: keys as wide as their words, numbers with a header that may break."""
        column = table.columns[at]
        header = fit(column.header, self.encoding)
        heads = [header] if column.key else _two_lines(header)
        cells = [fit(row[at].text, self.encoding) for section in table.sections for row in section.rows]
        return max(1, *(cell_len(text) for text in (*heads, *cells)))


def _two_lines(header: str) -> tuple[str, str]:
    """Return a header broken where its longer line is shortest."""
    words = header.split()
    breaks = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) + 1)]
    return min(breaks, key=lambda lines: max(map(cell_len, lines)))


_ASCII_HEAD = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
