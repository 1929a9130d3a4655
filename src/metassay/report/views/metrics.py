"""Which metrics of texts there are, and whether they can run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.report.table import Cell, Column, Section, Table

if TYPE_CHECKING:
    from metassay.texts.scorers.catalogue import Catalogue


def table(result: Catalogue) -> tuple[Table, ...]:
    """Return one row per metric."""
    columns = (
        Column("metric", "left", key=True),
        Column("what it measures", "left", key=True),
        Column("needs", "left"),
        Column("installed", "left"),
    )
    rows = tuple(
        (
            Cell(row.name),
            Cell(row.summary),
            Cell(row.needs or "output only"),
            Cell("yes" if row.installed else f"no: {row.install}"),
        )
        for row in result.table
    )
    return (Table("What can be scored here?", columns, (Section("", rows),)),)
