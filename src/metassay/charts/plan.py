"""How many inputs, systems and annotators are needed: curves over the number of each."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, distinct, extent, records
from metassay.charts.shapes import curves as lines
from metassay.charts.shapes import dots, draw, numbers, rule, series, tips
from metassay.charts.theme import INK, PAPER, SERIES
from metassay.studies.plan import Plan


def curves(result: Plan, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the width of the interval, or the power, against the number of inputs, systems and annotators."""
    first = result.table[0]
    powered = first.metric_b is not None
    value = "power" if powered else "width"
    rows = records(result.table, f"metric metric_b human axis n {value} low high width_data extrapolated", only)
    now = {(need.metric, need.human, need.axis): need.now for need in result.needs}
    for row in rows:
        row["name"] = f"{row['metric']} better than {row['metric_b']}" if powered else row["metric"]
        row["now"] = now.get((row["metric"], row["human"], row["axis"]))
    every = distinct(rows, "name")
    kept = every[: len(SERIES)]
    rows = [row for row in rows if row["name"] in kept]
    colour, shape, dash = series("name", kept, columns=2, symbolStrokeWidth=0)
    if len(kept) > 1 and len({(row["name"], row["human"]) for row in rows}) == len(distinct(rows, "human")):
        # every criterion has a metric of its own, which the words beside the chart name
        colour, shape, dash = ({**each, "legend": None} for each in (colour, shape, dash))
    x = numbers("n", "number (others unchanged)", tickCount=3, format="~s")
    x["scale"]["type"] = "log"
    ends = extent(rows, value, "high", "width_data", also=[0, first.target, *([1.03] if powered else [])])
    y = numbers(value, value if powered else "width of the interval", ends)
    about = tips(f"name|metric, axis|number of, n, {value}||.3f, ±.3f, width_data|width in the data|.3f")
    *layers, points = lines(x, y, tooltip=about, colour=colour, dash=dash, shape=shape)
    # beyond the data a mark is hollow: nobody has seen such a number yet
    hollow = {"condition": {"test": "datum.extrapolated", "value": PAPER}, **colour, "legend": None}
    told = [f"dashed: target {value}, {first.target:g}", "dotted: current data", "hollow: beyond the data"]
    told += ["cross: the data's own intervals"] * any(row["width_data"] is not None for row in rows)
    crosses = {"x": x, "y": {**y, "field": "width_data"}, "color": colour, "tooltip": about}
    here = {"x": {**x, "field": "now", "aggregate": "max"}}
    layers += [
        dots({**points["encoding"], "fill": hollow}, 22, filled=False, strokeWidth=1.2),
        draw("point", crosses, shape="M-1,-1L1,1M-1,1L1,-1", size=18, strokeWidth=1.2, opacity=1),
        draw("rule", here, color=INK, strokeDash=[1, 3], strokeWidth=0.8),
        rule("y", y, first.target, colour=INK),
    ]
    more = f"Shown: {len(kept)} of {len(every)} metrics; choose with --metric." if len(kept) < len(every) else ""
    title = f"{'Power' if powered else 'Width of the interval'} by the number of inputs, systems and annotators"
    size: dict[str, Any] = {"width": (104, 215), "height": 130, "omitted": more}
    return Multiples(title, rows, layers, ("human", "axis"), ", ".join(told), **size)
