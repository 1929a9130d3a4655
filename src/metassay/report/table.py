"""What a result looks like before anybody says on which medium: tables of text cells.

Views make these from results, and one module per medium writes them down. All text here is plain: names from
the data are flattened to one line but not escaped, since only the writer knows what is special on its medium.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from metassay.errors import one_line
from metassay.report.numbers import Undefined, span

Align = Literal["left", "right", "center"]

LONGEST_NAME = 200
"""Names longer than this are cut in tables; the data formats keep them whole."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table."""

    text: str
    """What is shown, on one line."""
    bold: bool = False
    """Whether it stands out, such as the best value of its column."""
    number: bool = False
    """Whether it holds numbers, so that a hyphen in it is a minus sign."""
    bar: tuple[float, float, float] | None = None
    """An interval to be drawn: its lower end, the estimate and its upper end, as shares of the width of the cell."""
    whole: str = ""
    """All of a text that is cut, shown where it can be folded."""
    shaded: bool = False
    """Whether it stands out by its ground, where that can be seen."""
    kind: str = ""
    """Whose number it is, ``metric`` or ``human``, where it has the colour that charts have for it."""

    @property
    def unpadded(self) -> str:
        """The text without the blanks that align numbers where every character is equally wide."""
        return " ".join(self.text.split()).replace("[ ", "[") if self.number else self.text


@dataclass(frozen=True, slots=True)
class Column:
    """How one column is headed and aligned."""

    header: str
    """The words above the column."""
    align: Align = "right"
    """Where its cells stand."""
    key: bool = False
    """Whether it says what the row is about: it may fold, and is repeated when a table is split."""
    medium: Literal["", "screen", "paper"] = ""
    """Where it is shown: everywhere, only on a screen (terminal and page), or only on paper (LaTeX and Markdown)."""
    legend: str = ""
    """What is told below the table where the column is shown."""
    joins: bool = False
    """Whether it belongs to the column before it where a table is split."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together under a title."""

    title: str
    """The words above the rows; may be empty."""
    rows: tuple[tuple[Cell, ...], ...]
    """One tuple of cells per row, as many as the table has columns."""
    left_out: int = 0
    """How many further rows are not shown."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: a title, columns, sections that share them, and the legend of its marks."""

    title: str
    """What the table shows, in a few words."""
    columns: tuple[Column, ...]
    """Keys first."""
    sections: tuple[Section, ...]
    """At least one."""
    legend: tuple[str, ...] = ()
    """What the marks and numbers mean."""
    bold: str = ""
    """What bold cells stand for; said only where bold can be seen."""
    fit: bool = False
    """Whether it is made as small as a page of LaTeX needs."""
    whole: bool = False
    """Whether it is shown with all of its rows wherever it stands, such as a list to choose from."""

    @property
    def below(self) -> list[str]:
        """The legend, and what bold stands for."""
        return [*self.legend, *([f"Bold: {self.bold}."] if self.bold else [])]

    def only(self, kept: Sequence[int]) -> Table:
        """Return some columns of the table."""
        sections = tuple(replace(s, rows=tuple(tuple(row[at] for at in kept) for row in s.rows)) for s in self.sections)
        return replace(self, columns=tuple(self.columns[at] for at in kept), sections=sections)

    def from_diagonal(self) -> Table:
        """Return the table without rows above the diagonal of a triangle: empty rows at its top, but for the last."""
        held = [at for at, column in enumerate(self.columns) if not column.key]
        sections = []
        for section in self.sections:
            filled = [at for at, row in enumerate(section.rows) if any(row[each].text for each in held)]
            sections.append(replace(section, rows=section.rows[max(filled[0] - 1, 0) if filled else 0 :]))
        return replace(self, sections=tuple(sections))

    def on(self, medium: str) -> Table:
        """Return the table as a medium shows it, ``screen`` or ``paper``."""
        kept = [at for at, column in enumerate(self.columns) if column.medium in ("", medium)]
        told = distinct(own for at in kept if (own := self.columns[at].legend) and own not in self.legend)
        return replace(self.only(kept), legend=(*self.legend, *told))


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A part of an answer in words, and what it speaks of."""

    sentences: tuple[str, ...]
    """The words; the first of them says most."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """The facts that they were made of."""

    @property
    def text(self) -> str:
        """All of its words."""
        return " ".join(self.sentences)

    def about(self, fact: str) -> list[str]:
        """Return the names that it has for a fact, such as ``human``, in the order in which it speaks of them."""
        values = (facts.get(fact) for facts in self.facts)
        every = (name for value in values for name in (value if isinstance(value, tuple) else (value,)))
        return distinct(name for name in every if isinstance(name, str))


@dataclass(frozen=True, slots=True)
class Page:
    """All that one result shows."""

    study: str
    """The study's name."""
    tables: tuple[Table, ...]
    """The tables, in reading order."""
    notes: tuple[str, ...]
    """What a reader must know."""
    signature: str
    """The recipe of the numbers."""
    lead: tuple[Paragraph, ...] = ()
    """The answer in words, before all tables."""
    left_out: str = ""
    """What is not shown, and how to see it."""
    asked: bool = False
    """Whether the reader named the views, so that none of their tables is left out."""

    @property
    def said(self) -> tuple[str, ...]:
        """The paragraphs of the answer; what all of them say is said once, at the end."""
        first = self.lead[0].sentences if len(self.lead) > 1 else ()
        shared = [text for text in first if all(text in each.sentences for each in self.lead)]
        own = (" ".join(text for text in each.sentences if text not in shared) for each in self.lead)
        return tuple(filter(None, (*own, " ".join(shared))))


def name(text: str, bold: bool = False) -> Cell:
    """Return a cell for a name that came from the data."""
    return Cell(one_line(text, LONGEST_NAME), bold)


def number(text: str, bold: bool = False) -> Cell:
    """Return a cell for numbers that are already words."""
    return Cell(text, bold, number=True)


def is_undefined(sections: Iterable[Section]) -> bool:
    """Return whether any cell shows an undefined number."""
    cells = (cell.text for section in sections for row in section.rows for cell in row if cell.number)
    return any(isinstance(text, Undefined) for text in cells)


def distinct(values: Iterable[str]) -> list[str]:
    """Return the values in the order in which they first occur."""
    return list(dict.fromkeys(values))


def sizes(pairs: Sequence[tuple[int, int]]) -> str:
    """Return how many systems and inputs there are, as a range where rows differ."""
    counts = zip(*pairs, strict=True)
    return " × ".join(
        f"{span(n)} {what}{'s' * (max(n) != 1)}" for n, what in zip(counts, ("system", "input"), strict=True)
    )
