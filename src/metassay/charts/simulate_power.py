"""How often tests find that a corrupted metric is worse: power curves."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import SWITCHES, Multiples, distinct, records, undefined_names
from metassay.charts.shapes import curves as lines
from metassay.charts.shapes import numbers, rule, series, tips
from metassay.studies.simulate_power import Power

BY = ("metric", *SWITCHES)


def curves(result: Power, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return a panel per metric, human criterion, level and statistic, with a curve per test and its intervals."""
    rows = records(result.table, f"{' '.join(BY)} test setting rate low high trials", only)
    damage = result.table[0].damage
    alpha = result.table[0].alpha
    colour, shape, dash = series("test", distinct(rows, "test"), symbolStrokeWidth=0)
    sizes = sorted({row["setting"] for row in rows})
    if damage == "words":
        x = numbers("setting", "words kept", [0, 1.05], format="%", values=[0, 0.5, 1])
    else:
        what = {"noise": "noise (SD)", "shuffle": "share shuffled"}[damage]
        x = numbers("setting", what, values=[sizes[0], sizes[len(sizes) // 2], sizes[-1]])
        x["scale"]["type"] = "log"
    y = numbers("rate", "power", [-0.06, 1.06], values=[0, 0.5, 1])
    about = tips("metric, human, test, setting||.3g, rate|power|.3f, ±.3f, trials")
    gone = distinct([row for row in rows if row["rate"] is None], "metric")
    layers = [rule("y", y, alpha), *lines(x, y, tooltip=about, colour=colour, shape=shape, dash=dash)]
    told = f"dashed: level of the tests, {alpha:g}, band: 95% CI over trials"
    size: dict[str, Any] = {"width": (104, 300), "height": 110, "omitted": undefined_names(gone)}
    return Multiples("Power to find the corrupted metric worse", rows, layers, BY, told, **size)
