"""Which public data sets there are, and which are here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.report.table import Cell, Column, Section, Table, name, number

if TYPE_CHECKING:
    from metassay.readers.datasets import Datasets


def table(result: Datasets) -> tuple[Table, ...]:
    """Return one row per data set."""
    columns = (
        Column("name", "left", key=True),
        Column("what it holds", "left", key=True),
        Column("files"),
        Column("MB"),
        Column("here", "left"),
    )
    rows = tuple(
        (
            Cell(row.name),
            Cell(row.about),
            number(str(row.files)),
            number(f"{row.size / 1e6:.1f}"),
            Cell("yes" if row.here == row.files else f"{row.here} of {row.files}" if row.here else "no"),
        )
        for row in result.table
    )
    return (Table("Public data sets", columns, (Section("", rows),)),)


def sources(result: Datasets) -> tuple[Table, ...]:
    """Return where each data set comes from, its licence, whom to cite, and its folder."""
    heads = ("name", "repository and commit", "licence", "cite", "folder")
    rows = tuple(tuple(map(name, (r.name, r.repositories, r.licence, r.citation, r.folder))) for r in result.table)
    return (Table("Where they come from", tuple(Column(h, "left", key=True) for h in heads), (Section("", rows),)),)
