"""Translated texts, as a table of parts and directions."""

from __future__ import annotations

import math

from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import build, figures, words
from metassay.texts.changes.translation import Translation


def table(result: Translation) -> tuple[Table, ...]:
    """Return one row per part and direction."""
    untold = any(math.isnan(row.n_unknown) for row in result.table)
    columns = [
        words("direction", lambda row: f"{row.source_language} → {row.language}"),
        *("what", "texts|n_texts|count", "words|n_words|count"),
        figures("unknown", lambda row: numbers.DASH if math.isnan(row.n_unknown) else row.n_unknown),
        figures("", lambda row: None if math.isnan(row.n_unknown) else row.share_unknown, numbers.percent),
        *("segments|n_segments|count", "cached|n_cached|count"),
    ]
    return build(
        "Translated texts",
        columns,
        [("".join(f"translator: {row.translator}" for row in result.table[:1]), result.table)],
        "Unknown: words that the translator did not know. Segments: lines or sentences, different ones.",
        untold and f"{numbers.DASH} not reported by the translator.",
        undefined=None,
    )
