"""Versions of a judge against a baseline."""

from __future__ import annotations

from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import build, grouped
from metassay.report.views.judge import requirements as requirements
from metassay.studies.drift import Drift


def default(result: Drift) -> tuple[str, ...]:
    """Return versions, and whether requirements are met."""
    return ("table", *["requirements"] * bool(result.requirements))


def table(result: Drift) -> tuple[Table, ...]:
    """Return a row per version, with the interval that the verdict rests on."""
    first = result.table[0]
    level = numbers.level(first.confidence)
    once = any(note.code == "looked-at-once" for note in result.notes)
    ends = "low high" if once else "always_low always_high"
    margin = "the margin" if len({row.margin for row in result.table}) > 1 else f"± {first.margin:g}"
    many = len({row.baseline for row in result.table}) > 1
    return build(
        "New version against baseline",
        [
            len({row.metric for row in result.table}) > 1
            and any(r.metric != r.version for r in result.table)
            and "metric",
            "version",
            many and "baseline||word",
            "before||general",
            "after||general",
            f"shift|shift {ends}|general",
            "flips||percent",
            "up||count",
            "down||count",
            "n||count",
            margin == "the margin" and "margin||general",
            "verdict||whole",
        ],
        [("" if many else f"baseline: {first.baseline}", result.table)],
        f"In brackets: {level} CI of the shift "
        + ("for a single look." if once else "that is valid for repeated looks."),
        f"Equivalent: the whole interval lies within {margin}. Changed: it does not, and it excludes 0.",
        undefined="no variation, no shift that fits all looks, or scores instead of verdicts",
    )


def intervals(result: Drift) -> tuple[Table, ...]:
    """Return both intervals of the shift, and that of the flips."""
    return build(
        "Shift and flips with intervals",
        [
            "version",
            "shift||general",
            "at every look|always_low always_high|general",
            "for one look|low high|general",
            "flips|flips flips_low flips_high|percent_range",
        ],
        [(metric, rows) for metric, rows in grouped(result.table, "metric").items()],
        f"{numbers.level(result.table[0].confidence)} CI.",
        undefined="no variation, no shift that fits all looks, or scores instead of verdicts",
    )
