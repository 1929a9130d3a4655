"""Do the published numbers come out: per table of a paper, what disagrees, what cannot be checked, every number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, number

if TYPE_CHECKING:
    from metassay.reproduction.reproduce import FigureOutcome, Reproduction, ReproductionRow


def default(result: Reproduction) -> tuple[str, ...]:
    """Show a line per figure, and what there is beside that."""
    checked = any(row.within is not None for row in result.table)
    apart = any(row.within is False for row in result.table)
    unsaid = any(row.within is None for row in result.table)
    return (*(["figures"] * checked), *(["outside"] * apart), *(["unchecked"] * unsaid))


def figures(result: Reproduction) -> tuple[Table, ...]:
    """Return one row per table, figure or sentence of which numbers could be checked."""
    columns = (
        Column("where", "left", key=True),
        Column("what", "left", key=True),
        Column("data", "left"),
        Column("within"),
        Column("largest diff."),
        Column("tolerance"),
    )
    shown = [f for f in result.figures if f.n_within + f.n_outside]
    sections = tuple(
        Section(paper, tuple(_figure(f) for f in shown if f.paper == paper))
        for paper in distinct(f.paper for f in shown)
    )
    legend = ("within: numbers within the tolerance, of those that could be checked.",)
    return (Table("Do the published numbers come out?", columns, sections or (Section("", ()),), legend),)


def _figure(f: FigureOutcome) -> tuple[Cell, ...]:
    return (
        Cell(f.where),
        Cell(f.what),
        Cell(f.data),
        Cell(f"{f.n_within} of {f.n_within + f.n_outside}", bold=f.n_outside > 0),
        number(_plain(f.largest)),
        number(f"{f.tolerance:g}"),
    )


def outside(result: Reproduction) -> tuple[Table, ...]:
    """Return the numbers that are not within their tolerance, and why they may differ."""
    return _listed("Outside the tolerance", [row for row in result.table if row.within is False], "why it may differ")


def unchecked(result: Reproduction) -> tuple[Table, ...]:
    """Return what cannot be checked, and why."""
    columns = (
        Column("where", "left", key=True),
        Column("what", "left", key=True),
        Column("numbers"),
        Column("why", "left", key=True),
    )
    shown = [f for f in result.figures if f.n_unchecked]
    sections = tuple(
        Section(
            paper,
            tuple(
                (Cell(f.where), Cell(_about(f.what, f.data)), number(str(f.n_unchecked)), Cell(f.reason))
                for f in shown
                if f.paper == paper
            ),
        )
        for paper in distinct(f.paper for f in shown)
    )
    return (Table("What cannot be checked here", columns, sections or (Section("", ()),)),)


def every(result: Reproduction) -> tuple[Table, ...]:
    """Return every number."""
    return _listed("Every number", list(result.table), "remark")


def _listed(title: str, rows: list[ReproductionRow], why: str) -> tuple[Table, ...]:
    columns = (
        Column("where", "left", key=True),
        Column("number", "left", key=True),
        Column("published"),
        Column("ours"),
        Column("within", "left"),
        Column(why, "left", key=True),
    )
    sections = []
    for paper, where, what, data in dict.fromkeys((r.paper, r.where, r.what, r.data) for r in rows):
        inside = [r for r in rows if (r.paper, r.where, r.what, r.data) == (paper, where, what, data)]
        sections.append(Section(f"{paper}: {_about(what, data)}", tuple(_line(row) for row in inside)))
    return (Table(title, columns, tuple(sections) or (Section("", ()),)),)


def _line(row: ReproductionRow) -> tuple[Cell, ...]:
    said = {True: "yes", False: "no", None: "cannot say"}[row.within]
    if not math.isnan(row.tolerance):
        said += f" (± {row.tolerance:g})" if row.within is not None else ""
    return (
        Cell(row.where),
        Cell(row.number),
        number(f"{row.published:g}"),
        number(_plain(row.ours)),
        Cell(said, bold=row.within is False),
        Cell(row.reason),
    )


def _plain(value: float) -> str:
    """Return a number; counts without decimals."""
    return f"{value:.0f}" if value >= 1 and value.is_integer() else numbers.general(value)


def _about(what: str, data: str) -> str:
    return f"{what} ({data})" if data else what
