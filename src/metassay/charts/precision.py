"""How precise the scores of systems are: means with intervals, on the annotated inputs and on all."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, best_first, distinct, records
from metassay.charts.shapes import intervals as dots
from metassay.charts.shapes import lanes, names, numbers, tips, undefined
from metassay.charts.theme import KIND, METRIC, PAPER, Spec
from metassay.studies.precision import Precision

TWO_SETS = "hollow: annotated inputs, filled: all inputs"


def intervals(result: Precision, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the mean of each system with its intervals (Deutsch, Dror and Roth 2022, Figure 2)."""
    rows = records(result.table, "metric kind system inputs estimate low high n_inputs", only)
    rows = best_first(rows, "system", "estimate", ("metric",))
    two = len({(row["metric"], row["inputs"]) for row in rows}) > len(distinct(rows, "metric"))
    y = names("system", distinct(rows, "system"), air=0.25, grid=True)
    x = numbers("estimate", "mean score", tickCount=3)
    kind: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": None}
    look = both_sets(kind) if two else {"colour": kind}
    about = tips("system, inputs, n_inputs|number of inputs, estimate|mean score|.4g, ±.4g")
    layers = [*dots(y, x, tooltip=about, **look), undefined(y, "estimate")]
    told = ", ".join([f"line: {100 * result.table[0].confidence:g}% CI", *([TWO_SETS] if two else [])])
    size: dict[str, Any] = {"lines": "system", "series": 2 if two else 1, "width": (84, 320), "sort": "estimate"}
    return Multiples("Mean score of each system", rows, layers, ("metric",), told, **size)


def both_sets(colour: Spec | None = None) -> dict[str, Any]:
    """Return how the two sets of inputs are told apart: one above the other, hollow and filled."""
    colour = colour or {"value": METRIC}
    hollow = {"test": "datum.inputs === 'annotated'", "value": PAPER}
    fill = {"condition": hollow, **colour}
    return {"colour": colour, "filled": fill, "more": lanes("inputs", ("annotated", "all"))}
