"""Which metrics lead: averages with their intervals, the ranks that metrics may have."""

from __future__ import annotations

from typing import Any

from metassay.charts.compare import BY, RANKED, possible_ranks
from metassay.charts.panels import Multiples, best_first, distinct, extent, measure, records
from metassay.charts.shapes import intervals, names, numbers, tips, undefined
from metassay.studies.leaderboard import Leaderboard


def forest(result: Leaderboard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return averages with their intervals: a panel per human criterion, level and statistic."""
    fields = f"metric {' '.join(BY)} estimate low high rank_low rank_high letters"
    rows = best_first(records(result.table, fields, only), "metric", "estimate", BY)
    y = names("metric", distinct(rows, "metric"), grid=True)
    x = numbers("estimate", f"{measure(rows)} with human scores", extent(rows, "estimate", "low", "high"))
    about = tips("metric, estimate|average|.3f, ±.3f, rank_low|ranks from, rank_high|ranks to, letters")
    layers = [*intervals(y, x, tooltip=about), undefined(y, "estimate")]
    told = f"dot: average over tasks, line: {100 * result.table[0].confidence:g}% CI"
    return Multiples("Leaderboard of the metrics", rows, layers, BY, told, lines="metric", sort="estimate")


def ranks(result: Leaderboard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the ranks that each metric may have: a panel per human criterion, level and statistic."""
    return possible_ranks("Ranks of the metrics", records(result.table, RANKED, only), "average", result.alpha)
