"""Whether a metric leads to the same decisions as people: stacked bars."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, best_first, distinct, records
from metassay.charts.shapes import draw, key, names, stacked, tips, undefined
from metassay.charts.theme import CORRECTED, HUMAN_ONLY, INK, OTHER, PAPER, UNCORRECTED, WARN, Spec
from metassay.studies.decisions import Decisions

PARTS = {
    "both_agree": ("both find the same system better", CORRECTED),
    "neither": ("neither finds a difference", UNCORRECTED),
    "metric_only": ("only the metric finds one", OTHER),
    "human_only": ("only people find one", HUMAN_ONLY),
    "opposite": ("opposite systems are better", WARN),
}
"""The same decision first, in two blues; then the different ones."""


def bars(result: Decisions, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the decisions about pairs of systems as bars, with the interval of the share that is the same."""
    fields = f"metric human n_pairs agreement low high {' '.join(PARTS)}"
    found = best_first(records(result.table, fields, only), "metric", "agreement", ("human",))
    rows = [
        {name: row[name] for name in ("metric", "human", "n_pairs")}
        # the interval belongs to the whole bar, and is drawn once
        | {name: None if at else row[name] for name in ("agreement", "low", "high")}
        | {"outcome": words, "pairs": row[part], "at": at}
        | {"share": row[part] / row["n_pairs"] if row["n_pairs"] else None}
        for row in found
        for at, (part, (words, _)) in enumerate(PARTS.items())
    ]
    y = names("metric", distinct(rows, "metric"))
    about = tips("metric, outcome, pairs, share|share|.1%")
    bar = stacked(y, "share", "pairs of systems", key("outcome", dict(PARTS.values())), about)
    whole: Spec = {"x": {**bar["encoding"]["x"], "field": "low", "stack": None}, "x2": {"field": "high"}, "y": y}
    whole["tooltip"] = tips("metric, agreement|same decision|.1%, ±.1%")
    # light behind dark stays visible on every colour
    ends = [draw("rule", whole, color=colour, strokeWidth=wide) for colour, wide in ((PAPER, 4), (INK, 2))]
    title = "Decisions of metric and people about pairs of systems"
    told = f"line: {100 * result.table[0].confidence:g}% CI of the same decision"
    return Multiples(title, rows, [bar, *ends, undefined(y, "share")], ("human",), told, lines="metric")
