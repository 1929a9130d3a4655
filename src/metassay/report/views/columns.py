"""What a view is declared of: columns that know their heading, their fields and how numbers are written, and lines.

A column is a ``Shown``, or a text ``heading|fields|form``: the fields of a row that `form`, a function of
:mod:`metassay.report.numbers`, turns into a text. Three fields for a form of one number are a number and its interval,
two are an interval. Without a form it is a column of names that say what the line is about; ``word`` is one of words,
``whole`` one of words that are never cut, and ``estimates`` one of intervals that stand under each other. What is left
out is like the heading.

A line is a row of a result, or a list of rows that share a line; of these the first speaks for all, and :func:`across`
finds the one that belongs in a column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, is_undefined, name, number

Get = str | Callable[[Any], Any]
"""Names of fields, or a function of a line."""
LONGEST_TEXT = 600
"""Characters of a text that a table shows where it cannot be folded."""
WHOLE_TEXTS = "More of them, with whole texts: --worst N --format csv --rows disagreements."
CONSTANT = "scores that do not vary, or too few of them"
"""Why most undefined numbers are undefined."""
WIDTH = 17
"""Characters of a bar in a terminal."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A column: its heading, and the cells of all lines of a table."""

    column: Column
    """How it is headed and aligned."""
    cells: Callable[[Sequence[Any]], list[Cell]]
    """From lines to cells."""
    optional: bool = False
    """Whether it is left out where nothing stands in it."""


def values(line: Any, of: str) -> tuple[Any, ...]:  # noqa: ANN401 - a row of any study
    """Return the named fields of a line."""
    row = line[0] if isinstance(line, list) else line
    return tuple([getattr(row, field) for field in _split(of)])


_split = cache(str.split)


def words(header: str, of: Get, *, key: bool = True, whole: bool = False) -> Shown:
    """Return a column of names, or of words of our own, which stay `whole`."""

    def cell(line: Any) -> Cell:  # noqa: ANN401 - a row of any study
        text = (of(line) if callable(of) else values(line, of)[0]) or ""
        return Cell(text) if whole else name(text)

    return Shown(Column(header, "left", key=key), lambda lines: [cell(line) for line in lines])


def figures(header: str, of: Get, form: Callable[..., str] = numbers.count, *, key: bool = False) -> Shown:
    """Return a column of numbers.

    Parameters
    ----------
    header
        The heading.
    of
        The fields that `form` is handed, or a function from a line to a number, to words, or to None for an empty cell.
    form
        How the numbers are written.
    key
        Whether the column says what the line is about.
    """

    def cell(line: Any) -> Cell:  # noqa: ANN401 - a row of any study
        found = (of(line),) if callable(of) else values(line, of)
        return number("" if found[0] is None else found[0] if isinstance(found[0], str) else form(*found))

    return Shown(Column(header, key=key), lambda lines: [cell(line) for line in lines])


def needed(row: Any) -> str:  # noqa: ANN401 - a row of a plan
    """Return how many a plan needs, at most if the smallest number tested is enough, or that no number is enough."""
    if row.needed is None:
        return numbers.DASH
    return f"{'≤' if getattr(row, 'at_most', False) else ''}{numbers.count(row.needed)}"


def known(value: float) -> float | None:
    """Return a number, or that its cell is empty."""
    return None if math.isnan(value) else value


def estimates(header: str, of: str = "estimate low high") -> Shown:
    """Return a column of estimates with intervals that stand under each other."""

    def cells(lines: Sequence[Any]) -> list[Cell]:
        triples = [values(line, of) for line in lines]
        return [number(text) for text in numbers.with_intervals(triples)]

    return Shown(Column(header), cells)


def bars(rows: Sequence[Any], legend: str) -> Shown:
    """Return a column of intervals as bars on one scale."""
    ends = [x for row in rows for x in values(row, "low estimate high") if not math.isnan(x)]
    low, high = min(ends), max(ends)

    def share(value: float) -> float:
        return (value - low) / (high - low) if high > low else 0.5

    def cell(row: Any) -> Cell:  # noqa: ANN401 - a row with an interval
        if math.isnan(row.estimate):
            return Cell("")
        first, middle, last = shares = [
            share(row.estimate if math.isnan(x) else x) for x in values(row, "low estimate high")
        ]
        a, b, c = (round(x * (WIDTH - 1)) for x in shares)
        line = [" "] * a + ["─"] * (c - a + 1) + [" "] * (WIDTH - 1 - c)
        if c > a:
            line[a], line[c] = "├", "┤"
        line[b] = "●"
        return Cell("".join(line), bar=(first, middle, last), kind=row.kind)

    header = f"{numbers.two(low)} to {numbers.two(high)}"
    if not all(math.isnan(row.low) for row in rows):
        header = f"{numbers.level(rows[0].confidence)} CI, {header}"
    return Shown(Column(header, "left", medium="screen", legend=legend), lambda lines: [cell(row) for row in lines])


def column(spec: Shown | str) -> Shown:
    """Return a column that may be a text."""
    if isinstance(spec, Shown):
        return spec
    header, of, form = (*spec.split("|"), "", "")[:3]
    of = of or header
    if form in ("", "word", "whole"):
        return words(header, of, key=form != "word", whole=form == "whole")
    if form == "estimates":
        return estimates(header, of)
    write: Callable[..., str] = getattr(numbers, form)
    several = len(of.split())
    if several == write.__code__.co_argcount:
        return figures(header, of, write)
    around: Callable[..., str] = numbers.ranged if several == 3 else numbers.interval
    return figures(header, of, lambda *ends: around(*ends, write))


def bold(spec: Shown | str, rule: Callable[[Any], object], kind: str = "") -> Shown:
    """Return a column in which some lines are bold, in the colour of a `kind` if one is given."""
    shown = column(spec)

    def cells(lines: Sequence[Any]) -> list[Cell]:
        told = zip(shown.cells(lines), map(bool, map(rule, lines)), strict=True)
        return [replace(cell, bold=out, kind=kind if out else cell.kind) for cell, out in told]

    return replace(shown, cells=cells)


def optional(spec: Shown | str) -> Shown:
    """Return a column that is left out where nothing stands in it."""
    return replace(column(spec), optional=True)


def at(spec: Shown | str, fields: Get, value: object) -> Shown:
    """Return a column for lines of several rows, from one for single rows: it is about the row with this value."""
    shown = column(spec)

    def cells(lines: Sequence[Any]) -> list[Cell]:
        rows = [next((row for row in line if _key(row, fields) == value), None) for line in lines]
        found = iter(shown.cells([row for row in rows if row is not None]))
        return [Cell("") if row is None else next(found) for row in rows]

    return replace(shown, cells=cells)


def across(rows: Iterable[Any], fields: Get, spec: Callable[[Any], Shown | str]) -> list[Shown]:
    """Return a column for every value of some fields: what stands beside each other in a wide table."""
    return [at(spec(value), fields, value) for value in grouped(rows, fields)]


def grouped(rows: Iterable[Any], fields: Get) -> dict[Any, list[Any]]:
    """Return the rows by the values of some fields, in the order in which they first occur."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(_key(row, fields), []).append(row)
    return groups


def lines(rows: Iterable[Any], fields: Get) -> list[list[Any]]:
    """Return the lines of a wide table: rows with the same values of some fields share one."""
    return list(grouped(rows, fields).values())


def _key(row: Any, fields: Get) -> Any:  # noqa: ANN401 - a row of any study
    if callable(fields):
        return fields(row)
    found = values(row, fields)
    return found if len(found) > 1 else found[0]


def span(rows: Iterable[Any], field: str, to: str = " to ") -> str:
    """Return a count, or the smallest and the largest where rows differ."""
    return numbers.span([values(row, field)[0] for row in rows], to=to)


def build(
    title: str,
    columns: Iterable[Shown | str | object],
    sections: Iterable[tuple[str, Iterable[Any]]],
    *legend: str | object,
    undefined: str | None = CONSTANT,
    bold: str = "",
) -> tuple[Table, ...]:
    """Return a table, or none if there are no sections.

    Parameters
    ----------
    title
        What it shows.
    columns
        Its columns; what is none, such as False, is passed over.
    sections
        Titles and lines.
    legend
        What marks and numbers mean; what is empty is passed over.
    undefined
        Why numbers are undefined, told where one is; None if the legend says so.
    bold
        What bold cells stand for.
    """
    parts = [(head, list(some)) for head, some in sections]
    if not parts:
        return ()
    every = [line for _, some in parts for line in some]
    shown = [column(spec) for spec in columns if isinstance(spec, Shown | str)]
    filled = [(each, each.cells(every)) for each in shown]
    kept = [(each.column, cells) for each, cells in filled if not each.optional or any(c.text for c in cells)]
    rows = zip(*(cells for _, cells in kept), strict=True)
    made = tuple(Section(head, tuple(islice(rows, len(some)))) for head, some in parts)
    told = [line for line in legend if isinstance(line, str) and line]
    if undefined is not None and is_undefined(made):
        told.append(f"{numbers.DASH} undefined{undefined and f': {undefined}'}.")
    return (Table(title, tuple(head for head, _ in kept), made, tuple(told), bold),)


def with_texts(title: str, sections: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> tuple[Table, ...]:
    """Return outputs with their texts, each a section of names and contents; long texts are cut or folded."""

    def texts(parts: Sequence[Any]) -> list[Cell]:
        return [Cell(one_line(text, LONGEST_TEXT), whole=text) for _, text in parts]

    shown = [words("", lambda part: part[0]), Shown(Column("text", "left", key=True), texts)]
    return build(title, shown, sections, WHOLE_TEXTS)
