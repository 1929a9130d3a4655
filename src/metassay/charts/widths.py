"""What scoring the whole test set buys: pairs of intervals of correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Multiples, best_first, chosen, extent, records
from metassay.charts.precision import TWO_SETS, both_sets
from metassay.charts.shapes import intervals as dots
from metassay.charts.shapes import names, numbers, rule, tips, undefined

if TYPE_CHECKING:
    from metassay.studies.widths import Widths

BY = ("human", "statistic", "interval")


def intervals(result: Widths, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return each correlation with its interval on the annotated inputs and on all inputs.

    The form is that of Deutsch, Dror and Roth (2022), Figures 4, 7 and 8.
    """
    shared = "metric human statistic interval"
    rows = [
        {**row, "inputs": which}
        for which, end in (("all", "t"), ("annotated", "a"))
        for row in records(
            result.table, f"{shared} estimate_{end}:estimate low_{end}:low high_{end}:high n_{_SIZE[end]}:n_inputs"
        )
    ]
    rows = best_first(chosen(rows, only), "metric", "estimate", BY)
    y = names("metric", (row["metric"] for row in rows), air=0.25, grid=True)
    x = numbers("estimate", "correlation with human scores", extent(rows, "estimate", "low", "high", also=[0]))
    about = tips("metric", "inputs", "n_inputs|number of inputs", "estimate||.3f", "low|from|.3f", "high|to|.3f")
    return Multiples(
        title="Correlation with human scores, from the annotated inputs and from all",
        told=f"{TWO_SETS}, line: {100 * result.table[0].confidence:g}% CI",
        rows=rows,
        layers=[rule("x", x, 0), *dots(y, x, ("low", "high"), tooltip=about, **both_sets()), undefined(y, "estimate")],
        by=BY,
        lines="metric",
        series=2,
    )


_SIZE = {"t": "inputs", "a": "annotated"}
