"""What sways a judge: effects with their intervals, and how often each grade is used."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, distinct, extent, records
from metassay.charts.shapes import draw, intervals, key, names, numbers, rule, tips, undefined
from metassay.charts.theme import HUMAN, METRIC, SOFT, Spec
from metassay.errors import DataError
from metassay.studies.bias import Biases

UNITS = {"share": "gain, percentage points", "points": "gain, points of the judge's scale"}


def effects(result: Biases, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return what outputs gain by each feature: a panel per judge; a bar reaches as far as nothing can be shown."""
    rows = records(result.table, "metric human bias feature effect low high detectable unit held n_judgments", only)
    if not rows:
        raise DataError("the figure effects needs effects, and there is no feature that could have one")
    units = {row["unit"] for row in rows}
    unit = UNITS[units.pop()] if len(units) == 1 else "gain (points, or share)"
    for row in rows:
        scale = 100 if unit == UNITS["share"] else 1
        for field in ("effect", "low", "high", "detectable"):
            row[field] = None if row[field] is None else scale * row[field]
        row["below"] = None if row["detectable"] is None else -row["detectable"]
        row["outcome"] = _outcome(row)
    y = names("feature", distinct(rows, "feature"), 190, grid=True)
    x = numbers("effect", unit, extent(rows, "effect", "low", "high", "below", "detectable", also=[0]))
    told = tips("feature, effect|gain|.2f, ±.2f, detectable|smallest detectable|.2f, held|human judgment held by")
    bar: Spec = {"x": {**x, "field": "below"}, "x2": {"field": "detectable"}, "y": y, "color": {"value": SOFT}}
    known = {"CI excludes 0": METRIC, "CI includes 0": SOFT}
    colour = key("outcome", known)
    marks = intervals(y, x, tooltip=told, colour=colour)
    layers = [
        draw("rule", bar, strokeWidth=7, opacity=0.18, clip=True),
        rule("x", x, 0),
        *marks,
        undefined(y, "effect"),
    ]
    about = f"dot: gain, line: {100 * result.table[0].confidence:g}% CI, band: too small to detect with these data"
    size: dict[str, Any] = {"lines": "feature", "longest": 190}
    return Multiples("Gain of an output at equal human judgment", rows, layers, ("metric", "human"), about, **size)


def grades(result: Biases, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how often people and the judge give each grade: a panel per judge."""
    found = records(result.grades, "metric human grade share_people share_judge n_judgments", only)
    rows = [{**row, "who": who, "share": row[f"share_{who}"]} for row in found for who in ("people", "judge")]
    if not rows:
        raise DataError("the figure grades needs human judgments, and there are none")
    y = names("grade", distinct(rows, "grade"), air=0.25, grid=True)
    x = numbers("share", "share of outputs", [0, max([row["share"] or 0 for row in rows]) * 1.05], format="%")
    colour = key("who", {"people": HUMAN, "judge": METRIC})
    encoding: Spec = {
        "x": x,
        "y": y,
        "yOffset": {"field": "who"},
        "color": colour,
        "tooltip": tips("grade, who, share||.0%"),
    }
    return Multiples(
        "Share of each grade, by people and judges",
        rows,
        [draw("bar", encoding, height=6)],
        ("metric", "human"),
        lines="grade",
        series=2,
    )


def _outcome(row: dict[str, Any]) -> str:
    sure = row["low"] is not None and (row["low"] > 0 or row["high"] < 0)
    return "CI excludes 0" if sure else "CI includes 0"
