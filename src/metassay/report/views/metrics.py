"""Which metrics of texts there are, and whether they can run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report.table import Cell, Column, Section, Table

if TYPE_CHECKING:
    from metassay.texts.scorers.registry import Catalogue


SHORT = 46
"""Characters of what a metric measures that leave a line within 80 columns."""
_NEEDS = {"references": "ref", "source": "src", "references, source": "any"}


def default(result: Catalogue) -> tuple[str, ...]:
    """Return everything about metrics that were named, or a line for each of all."""
    return ("details",) if result.options or len(result.table) == 1 else ("table",)


def table(result: Catalogue) -> tuple[Table, ...]:
    """Return one line per metric."""
    columns = (
        Column("metric", "left", key=True),
        Column("needs", "left"),
        Column("ready", "left"),
        Column("what it measures", "left"),
    )
    rows = tuple(
        (
            Cell(row.name),
            Cell(_NEEDS.get(row.needs, row.needs)),
            Cell("yes" if row.installed else "no"),
            Cell(one_line(row.summary, SHORT)),
        )
        for row in result.table
    )
    legend = (
        "needs: ref references, src source, any what is there; ready: whether it is installed.",
        "metassay metrics NAME shows how to install it, whom to cite, and its options.",
    )
    return (Table("What can be scored here?", columns, (Section("", rows),), legend),)


def details(result: Catalogue) -> tuple[Table, ...]:
    """Return all that is known of each metric, and its options."""
    tables = []
    for row in result.table:
        known = {
            "measures": row.summary,
            "needs": row.needs or "the output only",
            "installed": "yes" if row.installed else "no",
            "install with": row.install,
            "licence": row.licence,
            "cite": row.citation,
        }
        facts = tuple((Cell(what), Cell(text)) for what, text in known.items() if text)
        columns = (Column("", "left", key=True), Column("", "left", key=True))
        tables.append(Table(row.name, columns, (Section("", facts),)))
        options = tuple(
            (Cell(option.option), Cell(option.default), Cell(option.meaning))
            for option in result.options
            if option.metric == row.name
        )
        headings = tuple(Column(words, "left", key=True) for words in ("option", "default", "meaning"))
        if options:
            tables.append(Table(f"Options: {row.name}[option=value,…]", headings, (Section("", options),)))
    return tuple(tables)
