"""Corrupted texts, as a table of systems."""

from __future__ import annotations

from metassay.report.table import Table
from metassay.report.views.columns import build
from metassay.texts.changes.corruptions import Corruption


def table(result: Corruption) -> tuple[Table, ...]:
    """Return one row per system."""
    about = [f"{row.kind}, rate {row.rate:g}, against {row.human}" for row in result.table[:1]]
    return build(
        "Corrupted texts",
        [
            *("system", "texts|n_texts|count", "changed|n_changed_texts|count", "not changeable|n_untouchable|count"),
            *("units|n_units|count", "changes|n_changes|count"),
        ],
        [("".join(about), result.table)],
        "Units: parts that can be changed. Not changeable: texts without such a part.",
    )
