"""Do parametric methods apply, as a table of Shapiro-Wilk tests."""

from __future__ import annotations

from metassay.report import numbers
from metassay.report.table import Table, sizes
from metassay.report.views.columns import build, figures, words
from metassay.studies.normality import Normality


def table(result: Normality) -> tuple[Table, ...]:
    """Return one row per metric and human criterion."""
    rows = result.table
    units = [(row.n_systems, row.n_inputs + row.n_undefined) for row in rows]
    differ = len(set(units)) > 1
    columns = [
        *("metric", "kind||word", "p, system means|p_value|p_value"),
        words("", lambda row: "*" if row.p_value <= row.alpha else "", key=False),
        figures("inputs rejecting", "percent_rejected", lambda percent: numbers.percent(percent / 100)),
        differ and figures("systems × inputs", lambda row: f"{row.n_systems:,} × {row.n_inputs + row.n_undefined:,}"),
        any(row.n_undefined for row in rows) and "inputs undefined|n_undefined|count",
    ]
    return build(
        "Normality of scores (Shapiro-Wilk)",
        columns,
        [("" if differ or not rows else sizes(units), rows)],
        *(f"* p ≤ {row.alpha:g}; inputs rejecting: share of inputs with p ≤ {row.alpha:g}." for row in rows[:1]),
        undefined="scores that do not vary, or fewer than three of them",
    )
