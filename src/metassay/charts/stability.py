"""Whether the ranking of systems would come out the same again: curves by the number of inputs."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels
from metassay.charts.panels import STATISTIC, Multiples, distinct, extent, records
from metassay.charts.shapes import curves as lines
from metassay.charts.shapes import ends_named, numbers, rule, series, tips
from metassay.charts.theme import HUMAN, KIND, METRIC, Spec
from metassay.studies.stability import Stability

TOGETHER = 6
"""Up to so many curves share a panel."""


def curves(result: Stability, *, metric: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the mean correlation of two rankings, ± 1 standard deviation, by the number of inputs.

    A few curves share a panel, as in Deutsch, Dror and Roth (2022), Figure 3. Many get a panel each, with the curves of
    human criteria behind them.
    """
    rows = records(result.table, f"name kind {STATISTIC} n_inputs mean sd n_undefined", {"name": metric, **only})
    for row in rows:
        known = row["mean"] is not None and row["sd"] is not None
        row |= {"low": row["mean"] - row["sd"] if known else None, "high": row["mean"] + row["sd"] if known else None}
    sizes = sorted({row["n_inputs"] for row in rows})
    x = numbers("n_inputs", "inputs per sample", [sizes[0], sizes[-1]] if len(sizes) > 1 else None)
    if sizes[-1] > 20 * sizes[0]:
        x["scale"]["type"] = "log"
    what = panels.measure(rows)
    y = numbers("mean", panels.statistic_words(rows[0][STATISTIC]), extent(rows, "low", "high", also=[1], air=0.08))
    about = tips(f"name, n_inputs|inputs, mean|mean {what}|.3f, sd|standard deviation|.3f")
    every = distinct(rows, "name")
    gone = [name for name in every if all(row["mean"] is None for row in rows if row["name"] == name)]
    settings: dict[str, Any] = {"metrics": ("name",), "omitted": panels.undefined_names(gone)}
    title = f"{what.capitalize()} of two rankings of systems from two samples of inputs"
    told = "band: ± 1 standard deviation"
    if len(every) <= TOGETHER:
        kind: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": None}
        layers = [rule("y", y, 1), *lines(x, y, tooltip=about, colour=kind, detail="name")]
        named = ends_named(rows, x, y, "name", 240, kind)
        return Multiples(title, rows, [*layers, *named], (), told, width=(420, 420), height=240, **settings)
    people = [name for name in every if any(row["name"] == name and row["kind"] == "human" for row in rows)]
    shown = [name for name in every if name not in people] or people
    # behind every metric stand the curves of people, in their own colour
    each = [
        {**row, "panel": name, "curve": row["name"] if row["name"] in people else "metric"}
        for name in shown
        for row in rows
        if row["name"] in {name, *people}
    ]
    keys = [*people] if shown == people else ["metric", *people]
    colour, _, dash = series("curve", keys, columns=2, symbolType="stroke", symbolSize=400)
    colour["scale"]["range"] = [HUMAN if name in people else METRIC for name in keys]
    band, *others = lines(x, y, tooltip=about, colour=colour, dash=dash, detail="name")
    if len(people) > 1:  # their bands would hide each other
        band["transform"] = [{"filter": "datum.name === datum.panel"}]
    layers = [rule("y", y, 1), band, *others]
    return Multiples(title, each, layers, ("panel",), told, width=(86, 200), height=78, **settings)
