"""Can this judge stand in for people: judges beside people, errors by label, slices, and thresholds."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels
from metassay.charts.panels import STATISTIC, Data, Multiples, best_first, distinct, extent, measure, records
from metassay.charts.shapes import cells, curves, dots, draw, intervals, names, numbers, series, shade, tips, undefined
from metassay.charts.theme import INK, KIND, Spec, longest
from metassay.errors import DataError
from metassay.studies.judge_rows import JudgeCard

MOST_STATISTICS, MOST_SLICES = 3, 12
"""Statistics of which judges and people stand beside each other, and slices of one judge."""
PEOPLE = "human"
NAMED = "judge:metric"
"""Judges stand where other charts have metrics."""


def agreement(result: JudgeCard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return judges beside people, both against single people: a panel per human criterion and statistic."""
    alone = not result.people
    judges = [row for row in result.agreement if alone or row.against == "single people"]
    fields = f"{PEOPLE} {STATISTIC} estimate low high n_items"
    rows = [row | {"kind": "metric"} for row in records(judges, f"{NAMED} {fields}")]
    persons = [row for row in result.people if row.person != "(all)"]
    rows += [row | {"kind": "human"} for row in records(persons, f"person:metric {fields}")]
    first = [name for name in distinct(rows, STATISTIC) if name != "bias"]
    wanted = {row[STATISTIC] for row in rows if row["kind"] == "human"} or set(first)
    rows = [row for row in rows if row[STATISTIC] in [name for name in first if name in wanted][:MOST_STATISTICS]]
    rows = best_first(panels.chosen(rows, only), "metric", "estimate", (PEOPLE, STATISTIC))
    y = names("metric", distinct(rows, "metric"), grid=True)
    x = numbers("estimate", "agreement", extent(rows, "estimate", "low", "high"))
    said = "datum.label === 'human' ? 'person, against the others' : 'judge'"
    legend = {"columns": 2, "labelExpr": said} if "human" in distinct(rows, "kind") else None
    colour: Spec = {"field": "kind", "type": "nominal", "scale": KIND, "legend": legend}
    about = tips(f"metric|judge or person, {STATISTIC}, estimate||.3f, ±.3f, n_items|items")
    layers = [*intervals(y, x, tooltip=about, colour=colour), undefined(y, "estimate")]
    whom = "people" if alone else "single people"
    title = f"Agreement of judges with {whom}" + ("" if alone else ", beside that of people with each other")
    return Multiples(title, rows, layers, (PEOPLE, STATISTIC), "line: CI", lines="metric", sort="estimate")


def confusion(result: JudgeCard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return what each judge says where people say each label: dark is a large share of the row."""
    rows = records(result.confusion, f"{NAMED} {PEOPLE} label_human label_judge n share low high", only)
    if not rows:
        raise DataError("the figure confusion needs labels or grades")
    rows = [row | {"count": f"{row['n']:,}"} for row in rows]
    labels = distinct(rows, "label_judge")
    y = names("label_human", distinct(rows, "label_human"), 90, title="people say")
    x = names("label_judge", labels, 90, labelAngle=-90, title="judge says", titlePadding=4)
    about = tips("metric|judge, label_human|people say, label_judge|judge says, n|items, share||.1%, ±.1%")
    fill = shade("share", [0, 1], "share of the human label", format="%")
    layers = cells(x, y, fill, about, "share", "count", 0.55)
    size: dict[str, Any] = {"across": len(labels), "cell": 34, "foot": 30 + longest(labels, 90), "longest": 110}
    return Multiples(
        "Labels of judges by human label", rows, layers, ("metric", PEOPLE), "", lines="label_human", **size
    )


def slices(result: JudgeCard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how each judge fares in the slices in which it is worst: a panel per judge and human criterion."""
    if not result.slices:
        raise DataError("the figure slices needs attributes of inputs, systems or outputs")
    fields = f"{NAMED} {PEOPLE} attribute value {STATISTIC} estimate low high elsewhere p_corrected n_items"
    found = records(result.slices, fields, only)
    kept: dict[tuple[str, str], Data] = {}
    for row in found:
        kept.setdefault((row["metric"], row[PEOPLE]), []).append(row)
    rows = [
        row | {"slice": f"{row['attribute']}: {row['value']}"} for some in kept.values() for row in some[:MOST_SLICES]
    ]
    y = names("slice", distinct(rows, "slice"), 150, grid=True)
    x = numbers("estimate", measure(rows), extent(rows, "estimate", "low", "high", "elsewhere"))
    about = tips(
        f"slice, estimate|{measure(rows)}|.3f, ±.3f, elsewhere||.3f, p_corrected|corrected p|.4f, n_items|items"
    )
    tick = {"y": y, "x": {**x, "field": "elsewhere"}, "tooltip": about}
    layers = [*intervals(y, x, tooltip=about), draw("tick", tick, color=INK, thickness=1.2, height=8)]
    cut = sum(len(some) > MOST_SLICES for some in kept.values())
    look: dict[str, Any] = {"lines": "slice", "own": True, "longest": 150}
    look["omitted"] = f"Shown: the {MOST_SLICES} worst slices of each judge." if cut else ""
    told = "dot: in the slice, line: simultaneous CI, tick: elsewhere"
    return Multiples("Worst slices of each judge", rows, layers, ("metric", PEOPLE), told, **look)


def threshold(result: JudgeCard, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return precision, recall and accuracy by threshold: a panel per judge and human criterion."""
    if not result.threshold:
        raise DataError("the figure threshold needs a judge that gives scores, and two labels of people")
    found = records(result.threshold, f"{NAMED} {PEOPLE} threshold precision recall accuracy chosen", only)
    kinds = ("precision", "recall", "accuracy")
    rows = [
        {name: row[name] for name in ("metric", PEOPLE, "threshold", "chosen")} | {"of": kind, "share": row[kind]}
        for row in found
        for kind in kinds
    ]
    x = numbers("threshold", "threshold (scores at or above it are positive)", extent(rows, "threshold", air=0))
    y = numbers("share", "share", [-0.02, 1.02], format="%")
    colour, shape, dash = series("of", kinds, symbolStrokeWidth=0)
    about = tips("metric|judge, of, threshold||.4g, share||.1%")
    here = draw("rule", {"x": x}, where="datum.chosen", color=INK, strokeDash=[3, 3], strokeWidth=0.8)
    marks = dots({"x": x, "y": y, "color": colour, "shape": shape, "tooltip": about}, 14)
    layers = [here, *curves(x, y, ends=None, tooltip=about, colour=colour, dash=dash, points=False), marks]
    title = "Precision, recall and accuracy by threshold"
    return Multiples(
        title, rows, layers, ("metric", PEOPLE), "dashed: chosen", width=(150, 330), height=130, foot=panels.FOOT + 8
    )
