"""What was damaged, as a table of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.report.table import Cell, Column, Section, Table, name, number

if TYPE_CHECKING:
    from metassay.texts.changes.corruptions import Corruption

_COLUMNS = (
    Column("system", "left", key=True),
    Column("texts"),
    Column("changed"),
    Column("untouchable"),
    Column("units"),
    Column("changes"),
)


def table(result: Corruption) -> tuple[Table, ...]:
    """Return one row per system."""
    rows = result.table
    lines: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name(row.system),
            *(
                number(f"{count:,}")
                for count in (row.n_texts, row.n_changed_texts, row.n_untouchable, row.n_units, row.n_changes)
            ),
        )
        for row in rows
    )
    about = f"{rows[0].kind}, rate {rows[0].rate:g}, against {rows[0].human}" if rows else ""
    legend = ("Units: what could have been changed. Untouchable: texts without any.",)
    return (Table("What was damaged", _COLUMNS, (Section(about, lines),), legend),)
