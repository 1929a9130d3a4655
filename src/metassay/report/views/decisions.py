"""Would a metric have led to the same decisions as people, as a table per human criterion."""

from __future__ import annotations

import math

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import bold, build, grouped, optional, words
from metassay.studies.decisions import DecisionRow, Decisions


def table(result: Decisions) -> tuple[Table, ...]:
    """Return one row per metric, those that agree most with people first."""
    first = result.table[0]
    differ = len({row.n_pairs for row in result.table}) > 1
    best = {human: max(map(_agreement, mine)) for human, mine in grouped(result.table, "human").items()}
    columns = [
        "metric",
        bold("same decision|agreement low high|percent_range", lambda row: row.agreement == best[row.human]),
        optional(words("", names.below_sentinels, key=False)),
        *("kappa||two", "precision||percent", "recall||percent", "both|both_agree|count", "opposite||count"),
        *("metric only|metric_only|count", "people only|human_only|count", "neither||count"),
        differ and "pairs|n_pairs|count",
    ]
    sections = [
        (
            one_line(human) + ("" if differ else f", {numbers.counted(mine[0].n_pairs, 'pair')} of systems"),
            sorted(mine, key=lambda row: -_agreement(row)),
        )
        for human, mine in grouped(result.table, "human").items()
    ]
    correction = names.CORRECTIONS.get(first.correction)
    after = f", {correction} correction" if correction else ", not corrected for the number of tests"
    return build(
        "Decisions about systems",
        columns,
        sections,
        f"Decisions: {first.test}, {first.cutoff}, two-sided, p ≤ {first.alpha:g}{after}. In brackets: "
        f"{numbers.level(first.confidence)} CI over systems ({first.resamples:,} resamples).",
        "Both: significant in the same direction. Precision: share of the metric's differences that people confirm; "
        "recall: share of people's differences that the metric finds.",
        names.sentinel_legend(result.table),
        undefined="no significant difference, no testable pair, or too few systems",
        bold="the most agreement",
    )


def _agreement(row: DecisionRow) -> float:
    return -math.inf if math.isnan(row.agreement) else row.agreement
