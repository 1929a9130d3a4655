"""What score differences mean: the chance that people agree, all tasks together and each by itself."""

from __future__ import annotations

import math
from typing import Any

from metassay.charts.panels import Data, Multiples, distinct, extent, records
from metassay.charts.shapes import curves, dots, numbers, rule, tips
from metassay.charts.theme import METRIC, OTHER, WARN, Spec
from metassay.studies.differences import Differences

POINTS = 40
"""How many points make a curve look smooth."""


def chance(result: Differences, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the fitted chance of agreement by the difference, with counted shares, a panel per metric."""
    needs = records(result.needed, "metric human task agreement needed largest", only)
    counted = records(result.ranges, "metric human task lower upper agreement n_pairs", only)
    slopes = {(row.metric, row.human, row.task): (row.slope, row.slope_low, row.slope_high) for row in result.needed}
    rows: Data = []
    blank = dict.fromkeys(("chance", "low", "high", "share", "difference", "n_pairs", "needed"))
    for need in needs:
        name = {key: need[key] for key in ("metric", "human", "task")} | {"pooled": need["task"] == "all"}
        if need["needed"] is not None and need["largest"] and need["needed"] <= need["largest"] and name["pooled"]:
            rows.append({**blank, **name, "difference": need["needed"], "needed": need["agreement"]})
        if need["agreement"] != needs[0]["agreement"] or not need["largest"]:
            continue
        for step in range(POINTS + 1):
            size = need["largest"] * step / POINTS
            middle, low, high = (_chance(slope, size) for slope in slopes[need["metric"], need["human"], need["task"]])
            rows.append({**blank, **name, "difference": size, "chance": middle, "low": low, "high": high})
    for row in counted:
        if row["task"] == "all":
            name = {key: row[key] for key in ("metric", "human", "task")} | {"pooled": True}
            middle = (row["lower"] + row["upper"]) / 2
            rows.append({**blank, **name, "difference": middle, "share": row["agreement"], "n_pairs": row["n_pairs"]})
    x = numbers("difference", "difference in score", tickCount=3)
    x["scale"]["padding"] = 0
    y = numbers("chance", "people agree", extent(rows, "chance", "share", "low", also=[0.5, 1], air=0.05), format="%")
    colour: Spec = {"condition": {"test": "datum.pooled", "value": METRIC}, "value": OTHER}
    about = tips("metric, human, task, difference||.3g, chance|people agree|.1%, ±.1%")
    lines = curves(x, y, tooltip=about, points=False, colour=colour, detail="task")
    shown = [each | {"transform": [{"filter": "isValid(datum.chance)"}]} for each in lines]
    shown[0]["transform"] = [{"filter": "isValid(datum.chance) && datum.pooled"}]
    share = {"x": x, "y": {**y, "field": "share"}, "tooltip": tips("difference||.3g, share|counted|.1%, n_pairs|pairs")}
    place = {"x": x, "y": {**y, "field": "needed"}, "tooltip": tips("difference|needed|.3g, needed|for|.0%")}
    layers = [rule("y", y, 0.5), *shown, dots(share, 22, color=METRIC), dots(place, 40, shape="diamond", color=WARN)]
    told = (
        f"band: {100 * result.table[0].confidence:g}% CI, dots: pairs as counted, diamonds: difference needed for "
        + (", ".join(f"{100 * share:g}%" for share in distinct(needs, "agreement")))
    )
    told += ", grey: single tasks" if len(distinct(needs, "task")) > 1 else ""
    title = "Probability that people agree that the higher-scored system is better"
    return Multiples(title, rows, layers, ("human", "metric"), told, width=(110, 220), height=120)


def _chance(slope: float, size: float) -> float | None:
    """Return the chance of agreement on the curve; None where there is no curve."""
    if math.isnan(slope):
        return None
    return 0.5 if size == 0 else 1 / (1 + math.exp(-min(max(slope * size, -700.0), 700.0)))
