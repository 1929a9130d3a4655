"""Variance components of scores, as bars, and how reliable other designs would be, as curves."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, distinct, extent, records
from metassay.charts.shapes import curves, key, names, numbers, rule, series, stacked, tips
from metassay.charts.theme import CORRECTED, HUMAN, HUMAN_ONLY, NONE, OTHER, SERIES, UNCORRECTED
from metassay.studies.reliability import Reliability

COLOURS = {
    "system": CORRECTED,
    "input": OTHER,
    "rater": HUMAN,
    "system × input": UNCORRECTED,
    "system × rater": HUMAN_ONLY,
    "input × rater": SERIES[2],
    "system × input × rater": NONE,
}
"""What is measured is dark blue; what people add is orange."""


def components(result: Reliability, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the shares of variance components as bars, a line per column."""
    rows = records(result.table, "metric kind component share variance low high", only)
    known = list(COLOURS)
    for row in rows:
        row["at"] = known.index(row["component"]) if row["component"] in known else len(known)
    rows.sort(key=lambda row: row["kind"] != "human")
    words = sorted(distinct(rows, "component"), key=lambda name: known.index(name) if name in known else len(known))
    spare = [colour for colour in SERIES if colour not in COLOURS.values()]
    colours = {name: COLOURS.get(name) or spare[at % len(spare)] for at, name in enumerate(words)}
    y = names("metric", distinct(rows, "metric"))
    about = tips("metric, component, share|share|.1%, variance||.3g, ±.3g")
    bar = stacked(y, "share", "share of the variance of single scores", key("component", colours, columns=3), about)
    told = "dark: differences between systems (signal)"
    return Multiples("Variance components of scores", rows, [bar], (), told, lines="metric", width=(300, 420))


def designs(result: Reliability, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the reliability of means of systems by the number of inputs, a curve per number of raters."""
    rows = records(result.designs, "metric kind level axis n_inputs n_raters estimate low high absolute", only)
    rows = [row for row in rows if row["level"] == "system" and row["axis"] != "systems"]
    people = [row for row in rows if row["kind"] == "human"]
    rows = sorted(people or rows, key=lambda row: (row["n_raters"], row["n_inputs"]))
    for row in rows:
        row["raters"] = f"{row['n_raters']} rater{'' if row['n_raters'] == 1 else 's'}" if row["n_raters"] else "as now"
    order = {name: at for at, name in enumerate(distinct(records(result.table, "metric"), "metric"))}
    rows.sort(key=lambda row: order[row["metric"]])
    colour, shape, dash = series("raters", distinct(rows, "raters"), symbolStrokeWidth=0)
    x = numbers("n_inputs", "inputs", tickCount=3, format="~s")
    x["scale"]["type"] = "log"
    y = numbers("estimate", "reliability (Eρ²)", extent(rows, "estimate", also=[0.5, 1], air=0.03))
    about = tips("metric, raters, n_inputs|inputs, estimate|reliability|.3f, ±.3f, absolute|absolute (Φ)|.3f")
    layers = [
        *(rule("y", y, target) for target in sorted({need.target for need in result.needs})),
        *curves(x, y, tooltip=about, ends=None, colour=colour, shape=shape, dash=dash),
    ]
    title = "Reliability of system means by numbers of inputs and raters"
    told = "dashed: " + ", ".join(f"{target:g}" for target in sorted({need.target for need in result.needs}))
    return Multiples(title, rows, layers, ("metric",), told, width=(150, 330), height=180, metrics=())
