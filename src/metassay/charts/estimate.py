"""Estimated human scores of all outputs: estimates beside those of the labels alone and of the metric alone."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, best_first, chosen, distinct, records
from metassay.charts.shapes import intervals as dots
from metassay.charts.shapes import key, lanes, names, numbers, tips, undefined
from metassay.charts.theme import CORRECTED, HUMAN_ONLY
from metassay.studies.estimate import Estimates

SOURCES = {"labels and metric": CORRECTED, "labels alone": HUMAN_ONLY}


def intervals(result: Estimates, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return each system's estimate with its interval, from labels and metric together and from labels alone."""
    table = [row for row in result.table if row.method == result.table[0].method]
    ends = ("estimate low high", "human_only:estimate human_only_low:low human_only_high:high")
    rows = [
        {**row, "from": source}
        for source, some in zip(SOURCES, ends, strict=True)
        for row in records(table, f"system human metric n_labelled n_total {some}")
    ]
    rows = best_first(chosen(rows, only), "system", "estimate", ("human", "metric"))
    y = names("system", distinct(rows, "system"), air=0.25, grid=True)
    x = numbers("estimate", "mean human score", tickCount=4)
    about = tips("system, from, estimate||.4g, ±.4g, n_labelled|labels, n_total|outputs")
    look: dict[str, Any] = {"colour": key("from", SOURCES), "more": lanes("from", SOURCES)}
    layers = [*dots(y, x, tooltip=about, **look), undefined(y, "estimate")]
    told = f"line: {100 * result.table[0].confidence:g}% CI"
    size: dict[str, Any] = {"lines": "system", "series": 2, "width": (112, 320), "sort": "estimate"}
    return Multiples("Estimated human scores of all outputs", rows, layers, ("human", "metric"), told, **size)
