"""How hard each input is: mean ranks with comparison intervals, and all scores as a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from metassay.charts.panels import Data, Multiples, chosen, distinct, extent, records
from metassay.charts.shapes import cells, key, names, numbers, shade, tips
from metassay.charts.shapes import intervals as marks
from metassay.charts.theme import METRIC, OTHER, WARN, Spec, fitted, longest
from metassay.errors import DataError, UnknownName
from metassay.studies.difficulty import Difficulty

MOST_NAMED = 60
"""Inputs whose names have room along the foot."""
MOST_INPUTS = 640
"""Inputs that a figure has room for."""


def intervals(result: Difficulty, *, input: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the mean rank of each input with its interval, a panel per metric, the hardest input first.

    Inputs whose interval does not meet that of ``input``, by default of the hardest one, differ from it.
    """
    if input is not None and input not in result.inputs:
        raise UnknownName("input", input, result.inputs)
    rows = records(result.table, "metric input mean_rank low high n_differs n_systems", only)
    rows = sorted((row for row in rows if row["low"] is not None), key=lambda row: row["mean_rank"])
    if not rows:
        raise DataError("there is nothing to draw: no metric has inputs that can be ranked")
    rows.sort(key=lambda row: [test.metric for test in result.tests].index(row["metric"]))
    who = "the hardest input" if input is None else fitted(input)
    kinds = {who: METRIC, f"differs from it (Tukey, {100 * result.confidence:g}%)": WARN, "does not differ": OTHER}
    marked: dict[str, Any] = {}
    for row in rows:
        if row["input"] == input or (input is None and row["metric"] not in marked):
            marked[row["metric"]] = row
    for row in rows:
        one = marked.get(row["metric"], row)
        apart = row["high"] < one["low"] or row["low"] > one["high"]
        row["outcome"] = list(kinds)[0 if row is one else 1 if apart else 2]
    kept = distinct(rows[:MOST_INPUTS], "input")
    more = len(result.inputs) > MOST_INPUTS
    x = _inputs(kept, few=len(result.inputs) <= MOST_NAMED)
    y = numbers("mean_rank", "mean rank", extent(rows, "low", "high"))
    about = tips("input, mean_rank|mean rank|.1f, ±.1f, n_differs|inputs that differ, n_systems|systems")
    return Multiples(
        "Mean rank of each input over systems, hardest first",
        [row for row in rows if not more or row["input"] in kept],
        marks(y, x, tooltip=about, colour=key("outcome", kinds), size=14),
        ("metric",),
        "line: comparison interval",
        width=(640, 640),
        height=110,
        **_foot(kept, result),
    )


def map(result: Difficulty, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return all scores as colours, systems × inputs, the hardest input first; missing cells have a cross."""
    ranks = {(row.metric, row.input): row.mean_rank for row in result.table}
    metrics = [row["metric"] for row in chosen([{"metric": test.metric} for test in result.tests], only)]
    inputs = list(result.inputs)
    inputs.sort(key=lambda name: (r := ranks.get((metrics[0], name), np.nan)) != r or r)
    kept = inputs[:MOST_INPUTS]
    groups = list(dict.fromkeys(result.groups.get(name, "") for name in result.systems))
    systems = sorted(result.systems, key=lambda name: groups.index(result.groups.get(name, "")))
    at = (
        {name: place for place, name in enumerate(result.inputs)},
        {name: place for place, name in enumerate(result.systems)},
    )
    rows: Data = []
    for metric in metrics:
        scores = result.scores[metric]
        low, high = _colour_range(scores)
        rows += [
            {
                **{"metric": metric, "system": system, "input": name, "group": result.groups.get(system, "no group")},
                "score": None if (value := float(scores[at[1][system], at[0][name]])) != value else value,
                "shade": None if value != value else min(max((value - low) / ((high - low) or 1), 0), 1),
            }
            for system in systems
            for name in kept
        ]
    x, y = _inputs(kept, few=len(kept) <= MOST_NAMED), names("system", systems)
    fill = shade("shade", [0, 1], "score", values=[0, 1], labelExpr="datum.value ? 'high' : 'low'")
    listed = ", ".join(group or "no group" for group in groups)
    return Multiples(
        "Scores of all systems on all inputs",
        rows,
        cells(x, y, fill, tips("system, group, input, score||.4g"), "score"),
        ("metric",),
        f"systems by group: {listed}" if len(groups) > 1 else "",
        lines="system",
        across=len(kept),
        cell=max(1.0, min(11.0, 580 / len(kept))),
        **_foot(kept, result),
    )


def _inputs(kept: list[str], *, few: bool) -> Spec:
    return names("input", kept, 80, labels=few, labelAngle=-90, title=None if few else "inputs, hardest first")


def _foot(kept: list[str], result: Difficulty) -> dict[str, Any]:
    """Return the room below a panel, and what is left out."""
    more = len(result.inputs) > MOST_INPUTS
    return {
        "foot": 12 + longest(kept, 80) if len(result.inputs) <= MOST_NAMED else 30,
        "omitted": f"Shown: {MOST_INPUTS} of {len(result.inputs)} inputs." if more else "",
    }


def _colour_range(scores: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    """Return the range of scores that colours tell apart: all but the outermost hundredth, if that is far out."""
    values = scores[~np.isnan(scores)]
    if not len(values):
        return 0.0, 1.0
    ends, inner = (values.min(), values.max()), np.quantile(values, (0.01, 0.99))
    far = 0.25 * (inner[1] - inner[0])
    low = inner[0] if inner[0] - ends[0] > far > 0 else ends[0]
    high = inner[1] if ends[1] - inner[1] > far > 0 else ends[1]
    return float(low), float(high)
