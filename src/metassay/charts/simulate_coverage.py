"""How often intervals contain the agreement in held-out data, beside the confidence that was promised."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import SWITCHES, Multiples, distinct, extent, measure, records
from metassay.charts.shapes import intervals, lanes, names, numbers, rule, series, tips, undefined
from metassay.charts.theme import INK
from metassay.studies.simulate_coverage import Coverage


def bars(result: Coverage, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the coverage of each kind of interval: a panel per human criterion, level and statistic."""
    rows = records(result.table, f"metric {' '.join(SWITCHES)} interval rate low high trials", only)
    promised = result.table[0].confidence
    kinds = distinct(rows, "interval")
    colour, shape, _ = series("interval", kinds)
    y = names("metric", distinct(rows, "metric"), air=0.25, grid=True)
    x = numbers("rate", "coverage", extent(rows, "rate", "low", "high", also=[promised]))
    about = tips("metric, interval, rate|coverage|.3f, ±.3f, trials")
    marks = intervals(y, x, tooltip=about, colour=colour, shape=shape, more=lanes("interval", kinds), size=24)
    layers = [rule("x", x, promised, colour=INK), *marks, undefined(y, "rate")]
    title = f"Coverage of the {measure(rows)} in held-out data"
    told = f"dashed: nominal {promised:.4g}, line: 95% CI over trials"
    return Multiples(title, rows, layers, SWITCHES, told, lines="metric", series=len(kinds))
