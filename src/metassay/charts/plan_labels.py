"""What ways to choose labels are worth."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, distinct, extent, records
from metassay.charts.shapes import dots, names, numbers, rule, tips
from metassay.charts.theme import METRIC
from metassay.studies.plan_labels import LabelPlan


def choices(result: LabelPlan, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how many random labels the chosen ones are worth, for the mean of people."""
    rows = records(result.choices, "metric human strategy n worth_mean error_mean", only)
    n = rows[0]["n"] if rows else 0
    y = names("strategy", distinct(rows, "strategy"), grid=True)
    x = numbers("worth_mean", "random labels that are as precise", extent(rows, "worth_mean", also=[n]))
    about = tips("strategy, n|labels, worth_mean|worth|.0f, error_mean|error of the mean|.3g")
    layers = [rule("x", x, n), dots({"x": x, "y": y, "color": {"value": METRIC}, "tooltip": about}, 36)]
    told = "dashed: random labels"
    return Multiples("Value of further labels by choice", rows, layers, ("human", "metric"), told, lines="strategy")
