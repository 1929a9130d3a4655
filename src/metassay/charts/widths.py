"""What scoring the whole test set buys: pairs of intervals of correlations."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import STATISTIC, Multiples, best_first, chosen, distinct, extent, measure, records
from metassay.charts.precision import TWO_SETS, both_sets
from metassay.charts.shapes import intervals as dots
from metassay.charts.shapes import names, numbers, rule, tips, undefined
from metassay.studies.widths import Widths

BY = ("human", STATISTIC, "interval")
SIZES = {"t": "inputs", "a": "annotated"}


def intervals(result: Widths, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return each correlation with its interval on the annotated inputs and on all inputs.

    The form is that of Deutsch, Dror and Roth (2022), Figures 4, 7 and 8.
    """
    ends = "estimate_{0}:estimate low_{0}:low high_{0}:high n_{1}:n_inputs"
    rows = [
        {**row, "inputs": which}
        for which, end in (("all", "t"), ("annotated", "a"))
        for row in records(result.table, f"metric {' '.join(BY)} {ends.format(end, SIZES[end])}")
    ]
    rows = best_first(chosen(rows, only), "metric", "estimate", BY)
    y = names("metric", distinct(rows, "metric"), air=0.25, grid=True)
    what = f"{measure(rows)} with human scores"
    x = numbers("estimate", what, extent(rows, "estimate", "low", "high", also=[0]))
    about = tips("metric, inputs, n_inputs|number of inputs, estimate||.3f, ±.3f")
    layers = [rule("x", x, 0), *dots(y, x, tooltip=about, **both_sets()), undefined(y, "estimate")]
    told = f"{TWO_SETS}, line: {100 * result.table[0].confidence:g}% CI"
    title = f"{what[0].upper()}{what[1:]}, from the annotated inputs and from all"
    return Multiples(title, rows, layers, BY, told, lines="metric", series=2)
