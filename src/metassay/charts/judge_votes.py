"""Does a judge choose as people do: agreement, what a swap of the outputs changes, and people beside it."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, best_first, chosen, distinct, records
from metassay.charts.shapes import intervals, names, numbers, tips, undefined
from metassay.charts.theme import KIND, Spec
from metassay.studies.judge_votes import JudgeVotes

MEASURES = {
    "agreement": "table agreement agreement_low agreement_high n_items",
    "without ties": "table decisive decisive_low decisive_high n_decisive",
    "with a single person": "table single single_low single_high n_items",
    "same after the swap": "orders consistency consistency_low consistency_high n_items",
    "right in both orders": "orders right_in_both right_low right_high n_items",
    "first one chosen": "orders first first_low first_high n_first",
}
"""What a panel shows, and where it stands: a table, the estimate, the ends of its interval, and the count."""


def agreement(result: JudgeVotes, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the shares of a judge, one below the other; of several judges, a panel per share."""
    rows = []
    for measure, place in MEASURES.items():
        table, value, low, high, n = place.split()
        fields = f"judge:metric {value}:estimate {low}:low {high}:high {n}:n"
        rows += [row | {"share": measure, "kind": "metric"} for row in records(getattr(result, table), fields)]
    rows = chosen(rows, only)
    several = len(distinct(rows, "metric")) > 1
    people = records(result.table[:1], "people:estimate people_low:low people_high:high n_items:n")
    also = {"metric": "people", "share": "with a single person" if several else "two people", "kind": "human"}
    rows = [row for row in (*rows, *(row | also for row in people)) if row["estimate"] is not None]
    rows = best_first(rows, "metric", "estimate", ("share",)) if several else rows
    lines = "metric" if several else "share"
    y = names(lines, distinct(rows, lines), grid=True)
    x = numbers("estimate", "share of votes or pairs", (0, 1), format="%")
    colour: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": None}
    about = tips("metric|judge, share, estimate||.1%, ±.1%, n")
    layers = [*intervals(y, x, tooltip=about, colour=colour), undefined(y, "estimate")]
    told = f"line: {100 * result.table[0].confidence:g}% CI; people: two people with each other"
    title = "Votes of judges against people" if several else f"Votes of {rows[0]['metric']} against people"
    look: dict[str, Any] = {"lines": lines, "sort": "estimate" if several else "", "metrics": ()}
    return Multiples(title, rows, layers, ("share",) if several else (), told, **look)
