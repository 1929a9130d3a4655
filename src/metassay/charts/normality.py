"""Whether scores look normal: p-values on the means of systems, and the share of inputs that reject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Multiples, chosen, records
from metassay.charts.shapes import names, numbers, rule, tips, undefined
from metassay.charts.theme import KIND, Spec

if TYPE_CHECKING:
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
    y = names("metric", (row["metric"] for row in rows), grid=True)
    x = numbers("value", None, [0, 1], values=[0, 0.5, 1])
    kind: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": {"columns": 2}}
    about = tips(
        "metric", "p_value|p, system means|.4f", "percent_rejected|% of inputs that reject|.1f", "n_systems", "n_inputs"
    )
    stem = {"x": {**x, "field": "value"}, "x2": {"datum": 0}, "y": y, "color": kind}
    return Multiples(
        title="Shapiro-Wilk tests of normality",
        told=f"dashed: α = {alpha:g}",
        rows=rows,
        layers=[
            rule("x", x, alpha),
            {"mark": {"type": "rule", "opacity": 0.3}, "encoding": stem},
            {
                "mark": {"type": "point", "filled": True, "size": 36, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": kind, "tooltip": about},
            },
            undefined(y, "value"),
        ],
        by=("part",),
        lines="metric",
    )
