"""What was translated, as a table of parts and directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, is_undefined, number

if TYPE_CHECKING:
    from metassay.texts.changes.translation import Translation, TranslationRow

_COLUMNS = (
    Column("direction", "left", key=True),
    Column("what", "left", key=True),
    Column("texts"),
    Column("words"),
    Column("unknown"),
    Column(""),
    Column("segments"),
    Column("cached"),
)


def table(result: Translation) -> tuple[Table, ...]:
    """Return one row per part and direction."""
    rows = result.table
    sections = (Section(f"translator: {rows[0].translator}" if rows else "", tuple(map(_line, rows))),)
    legend = ["Unknown: words that the translator did not know. Segments: lines or sentences, different ones."]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} not told by the translator.")
    return (Table("What was translated", _COLUMNS, sections, tuple(legend)),)


def _line(row: TranslationRow) -> tuple[Cell, ...]:
    known = row.n_unknown == row.n_unknown  # NaN is unlike itself
    return (
        Cell(f"{row.source_language} → {row.language}"),
        Cell(row.what),
        number(f"{row.n_texts:,}"),
        number(f"{row.n_words:,}"),
        number(f"{int(row.n_unknown):,}" if known else numbers.DASH),
        number(numbers.percent(row.share_unknown) if known else ""),
        number(f"{row.n_segments:,}"),
        number(f"{row.n_cached:,}"),
    )
