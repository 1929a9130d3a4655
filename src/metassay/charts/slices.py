"""A study of each slice: the number that is compared, with its interval, a line for every slice."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels
from metassay.charts.panels import Multiples, distinct, extent
from metassay.charts.shapes import intervals, lanes, names, numbers, series, tips
from metassay.core.slices import Slices
from metassay.errors import UsageError

BY = ("human", "level", "statistic")


def estimates(result: Slices, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return estimates with their intervals, slices beneath each other: a panel per criterion, level and statistic."""
    kept = {name: {one.strip() for one in str(value).split(",")} for name, value in only.items() if value is not None}
    field = result.table[0].quantity if result.table else "estimate"
    rows = []
    for row in result.rows():
        if "metric" not in row or not {field, "low", "high"} <= row.keys():
            raise UsageError(f"{result.of} has no figure of slices; draw one slice with --select {result.by}=VALUE")
        if all(str(row.get(name)) in wanted for name, wanted in kept.items()):
            ends = {"estimate": row[field], "low": row["low"], "high": row["high"]}
            plain = {name: None if value != value else value for name, value in ends.items()}
            rows.append({"metric": row["metric"], "slice": row["slice"], **{n: row.get(n, "") for n in BY}, **plain})
    y = names("metric", distinct(rows, "metric"), air=0.2, grid=True)
    what = (
        panels.measure(rows)
        if field == "estimate" and all(row["statistic"] for row in rows)
        else field.replace("_", " ")
    )
    x = numbers("estimate", what, extent(rows, "estimate", "low", "high"))
    colour, shape, _ = series("slice", result.labels, title=result.by)
    about = tips("metric, slice, estimate||.3f, ±.3f")
    layers = intervals(y, x, tooltip=about, colour=colour, shape=shape, more=lanes("slice", result.labels))
    title = f"{result.of}: {what} by {result.by}"
    by = tuple(name for name in BY if any(row[name] for row in rows))
    return Multiples(title, rows, layers, by, "dot: estimate, line: CI", lines="metric", series=len(result.labels))
