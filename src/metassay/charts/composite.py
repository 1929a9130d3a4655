"""Combinations of metrics beside the best single metric: dots with intervals."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels
from metassay.charts.panels import STATISTIC, Multiples, distinct, records
from metassay.charts.shapes import intervals, names, numbers, tips, undefined
from metassay.charts.theme import METRIC, OTHER, Spec
from metassay.studies.composite import Combined

WORDS = {
    "chosen": "best of these three",
    "ridge": "ridge regression",
    "ranks": "mean of ranks",
    "single": "best single metric",
    "hindsight": "best in hindsight",
}
"""What combinations are called, in the order in which they are shown."""


def forest(result: Combined, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the agreement of each combination with its interval, a panel per criterion and level."""
    rows = records(result.table, f"human level {STATISTIC} kind metric estimate low high gain gain_low gain_high", only)
    for row in rows:
        row["combination"] = WORDS[row["kind"]]
    rows.sort(key=lambda row: list(WORDS).index(row["kind"]))
    y = names("combination", distinct(rows, "combination"))
    x = numbers("estimate", panels.statistic_words(rows[0][STATISTIC]), tickCount=3)
    alone: Spec = {"condition": {"test": "indexof(['single', 'hindsight'], datum.kind) >= 0", "value": OTHER}}
    about = tips("combination, metric, estimate||.3f, ±.3f, gain|gain over best single|.3f")
    layers = [*intervals(y, x, tooltip=about, colour={**alone, "value": METRIC}), undefined(y, "estimate")]
    told = f"line: {100 * result.table[0].confidence:g}% CI, grey: single metrics"
    title = "Agreement of combinations with people, on held-out systems and inputs"
    return Multiples(title, rows, layers, ("human", "level"), told, lines="combination", metrics=())
