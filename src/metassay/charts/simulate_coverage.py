"""How often intervals contain the correlation in held-out data, beside the confidence that was promised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Multiples, extent, records
from metassay.charts.shapes import intervals, names, numbers, rule, series, tips, undefined
from metassay.charts.theme import INK

if TYPE_CHECKING:
    from metassay.studies.coverage import Coverage


def bars(result: Coverage, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the coverage of each kind of interval: a panel per human criterion, level and statistic."""
    rows = records(result.table, "metric human level statistic interval rate low high trials", only)
    promised = result.table[0].confidence
    kinds = list(dict.fromkeys(row["interval"] for row in rows))
    colour, shape, _ = series("interval", kinds)
    y = names("metric", (row["metric"] for row in rows), air=0.25, grid=True)
    x = numbers("rate", "coverage", extent(rows, "rate", "low", "high", also=[promised]))
    about = tips("metric", "interval", "rate|coverage|.3f", "low|from|.3f", "high|to|.3f", "trials")
    lane = {"yOffset": {"field": "interval", "scale": {"domain": kinds}}}
    dots = intervals(y, x, ("low", "high"), tooltip=about, colour=colour, shape=shape, more=lane, size=24)
    return Multiples(
        title="How often each interval contains the correlation in held-out data",
        told=f"dashed: {promised:.4g} promised, line: 95% CI over trials",
        rows=rows,
        layers=[rule("x", x, promised, colour=INK), *dots, undefined(y, "rate")],
        by=("human", "level", "statistic"),
        lines="metric",
        series=len(kinds),
    )
