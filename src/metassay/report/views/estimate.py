"""Estimated human scores of all outputs: by system, pairs of systems, and ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metassay.core.scores import NO_SYSTEM
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import bold, build, figures, grouped, span, words
from metassay.studies.estimate import EstimateRow, Estimates

NONE = "too few labels, labels that are all the same, or an uninformative judge"


def table(result: Estimates) -> tuple[Table, ...]:
    """Return a row per system, the best first, in a section per human criterion and metric."""
    shown = [row for row in result.table if row.method == "ppi"] or list(result.table)
    return _estimates("Estimated human scores of all outputs", result, shown)


def methods(result: Estimates) -> tuple[Table, ...]:
    """Return a row per system and method."""
    return _estimates("Estimates by method", result, result.table, "method||word")


def _many(rows: Sequence[EstimateRow], field: str, what: str) -> str:
    number = span(rows, field)
    return f"{number} {what}{'' if number == '1' else 's'}"


def _estimates(title: str, result: Estimates, rows: Sequence[EstimateRow], *more: str) -> tuple[Table, ...]:
    ranks = {(row.metric, row.human, row.system): row.rank for row in result.ranking}
    sections = [
        (
            f"{_case(mine)}, {_many(mine, 'n_labelled', 'label')} of {_many(mine, 'n_total', 'output')}",
            sorted(mine, key=lambda row: ranks.get((row.metric, row.human, row.system), len(ranks))),
        )
        for mine in grouped(rows, "human metric").values()
    ]
    level = numbers.level(rows[0].confidence)
    return build(
        title,
        [
            _system("system"),
            *more,
            "estimate|estimate low high|general",
            not more and "labels alone|human_only human_only_low human_only_high|general",
            "metric|metric_only|general",
            "weight||two",
            figures("worth", "worth", lambda worth: numbers.DASH if math.isnan(worth) else numbers.count(worth)),
        ],
        sections,
        f"In brackets: {level} CI. Weight: weight of the metric, 0 = labels alone. Worth: number of labels alone "
        "that would be as precise.",
        undefined=NONE,
    )


def differences(result: Estimates) -> tuple[Table, ...]:
    """Return a row per pair of systems, the largest differences first."""
    if not result.differences:
        return ()
    first = result.differences[0]
    correction = names.CORRECTIONS.get(first.correction)
    return build(
        "Differences between systems",
        [
            words("system A", "system_a"),
            words("system B", "system_b"),
            bold("A - B|difference low high|general", lambda row: row.significant_corrected),
            "p|p_value|p_value",
            bool(correction) and "adjusted|p_corrected|p_value",
        ],
        [
            (_case(mine), sorted(mine, key=lambda row: -abs(row.difference)))
            for mine in grouped(result.differences, "human metric").values()
        ],
        f"In brackets: {numbers.level(first.confidence)} CI of each difference by itself."
        + (f" Adjusted: {correction} correction over all pairs." if correction else ""),
        undefined=NONE,
        bold=f"significant, p ≤ {1 - first.confidence:.3g}" + (" after correction" if correction else ""),
    )


def ranking(result: Estimates) -> tuple[Table, ...]:
    """Return systems from the best to the worst, with the ranks that they may have."""
    return build(
        "Ranking of the systems",
        [
            "rank||count",
            "system",
            "estimate|estimate low high|general",
            figures("possible ranks", _ranks),
        ],
        [(_case(mine), mine) for mine in grouped(result.ranking, "human metric").values()],
        "Possible ranks: ranks that agree with all differences that are significant after correction; they contain "
        "the true ranks of all systems together.",
    )


def _ranks(row: Any) -> str:  # noqa: ANN401 - a row of the ranking
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"


def _case(rows: Sequence[Any]) -> str:
    return f"{one_line(rows[0].human)} with {one_line(rows[0].metric)}"


def _system(header: str) -> Any:  # noqa: ANN401 - a column
    return words(header, lambda row: "all" if row.system == NO_SYSTEM else row.system)
