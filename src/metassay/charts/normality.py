"""Whether scores look normal: p-values on the means of systems, and the share of inputs that reject."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, chosen, distinct, records
from metassay.charts.shapes import dots, draw, names, numbers, rule, tips, undefined
from metassay.charts.theme import KIND, Spec
from metassay.studies.normality import Normality


def bars(result: Normality, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the Shapiro-Wilk p-value of the system means, and the share of inputs that reject normality."""
    found = chosen(records(result.table, "metric kind p_value percent_rejected n_systems n_inputs"), only)
    rows = [
        {**row, "part": part, "value": row["p_value"] if first else share}
        for part, first in (("means of systems: p", True), ("within inputs: share that rejects", False))
        for row in found
        for share in [None if row["percent_rejected"] is None else row["percent_rejected"] / 100]
    ]
    alpha = result.table[0].alpha
    y = names("metric", distinct(rows, "metric"), grid=True)
    x = numbers("value", None, [0, 1], values=[0, 0.5, 1])
    kind: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": {"columns": 2}}
    about = tips(
        "metric, p_value|p|.4f, percent_rejected|% of inputs that reject|.1f, n_systems|systems, n_inputs|inputs"
    )
    layers = [
        rule("x", x, alpha),
        draw("rule", {"x": {**x, "field": "value"}, "x2": {"datum": 0}, "y": y, "color": kind}, opacity=0.3),
        dots({"x": x, "y": y, "color": kind, "tooltip": about}, 36),
        undefined(y, "value"),
    ]
    told = f"dashed: α = {alpha:g}"
    return Multiples("Shapiro-Wilk tests of normality", rows, layers, ("part",), told, lines="metric")
