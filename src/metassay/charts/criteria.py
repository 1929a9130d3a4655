"""Is agreement borrowed: what is left of it with a criterion held fixed, and how criteria hang together."""

from __future__ import annotations

from typing import Any

from metassay.charts import panels
from metassay.charts.panels import STATISTIC, Data, Multiples, distinct, extent, measure, records
from metassay.charts.shapes import cells, dots, framed, intervals, key, names, numbers, rule, shade, tips, undefined
from metassay.charts.theme import METRIC, SOFT, WARN, longest
from metassay.core import vocabulary
from metassay.errors import DataError
from metassay.studies.criteria import Confounding

METHODS = {"bucket": "in buckets", "partial": "by regression", "partial-formula": "by the formula"}
HUMAN = "human"
FIELDS = (
    f"metric {HUMAN} anchor {STATISTIC} estimate estimate_within within_low within_high relative_difference verdict"
)
TIPS = tips(
    "metric, human, anchor|held fixed, estimate|unadjusted|.3f, estimate_within|held fixed|.3f, "
    "within_low|from|.3f, within_high|to|.3f, relative_difference|relative difference|.2f, verdict"
)


def map(result: Confounding, *, method: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the relative difference that holding an anchor fixed makes: a panel per anchor, metrics × criteria."""
    rows, how = _of_metrics(result, method, only)
    for row in rows:
        value = row["relative_difference"]
        row["shade"] = None if value is None or row["verdict"] == "undecided" else value
        row["text"] = "" if value is None else ">10" if value >= 9.995 else f"{value:.2f}"
    humans = distinct(rows, "human")
    rows.sort(key=lambda row: humans.index(row["anchor"]) if row["anchor"] in humans else len(humans))
    y, x = names("metric", distinct(rows, "metric")), names("human", humans, 90, labelAngle=-90)
    verdicts = distinct(rows, "verdict")
    told = ["a number without colour: too little agreement or data"] * ("undecided" in verdicts)
    told += ["framed: agreement vanishes"] * ("vanishes" in verdicts)
    fill = shade("shade", [0, 1], "relative difference", format=".1f")
    layers = cells(x, y, fill, TIPS, "relative_difference", "text")
    layers.append(framed(x, y, "datum.verdict === 'vanishes'", WARN, tooltip=TIPS))
    title = f"Relative change of {measure(rows)} with a criterion held fixed ({how})"
    size: dict[str, Any] = {"lines": "metric", "across": len(humans), "foot": 12 + longest(humans, 90)}
    return Multiples(title, rows, layers, ("anchor",), ", ".join(told), **size)


def dumbbells(result: Confounding, *, method: str | None = None, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return each agreement as it is and with an anchor held fixed: a panel per criterion and anchor."""
    rows, how = _of_metrics(result, method, only)
    held, gone = "other criterion held fixed", "other criterion held fixed: agreement vanishes"
    for row in rows:
        row["outcome"] = gone if row["verdict"] == "vanishes" else held
        known = row["estimate"] is not None and row["estimate_within"] is not None
        row["both"] = row["estimate_within"] if known else None
    rows = panels.best_first(rows, "metric", "estimate", ("human", "anchor"))
    humans = distinct(rows, "human")
    rows.sort(key=lambda row: humans.index(row["human"]))
    y = names("metric", distinct(rows, "metric"), grid=True)
    ends = extent(rows, "estimate", "estimate_within", "within_low", "within_high", also=[0])
    what = measure(rows)
    x = numbers(
        "both", f"{what} ({panels.statistic_words(rows[0][STATISTIC])})" if what == "correlation" else what, ends
    )
    colours = {held: METRIC} | ({gone: WARN} if gone in distinct(rows, "outcome") else {})
    fill = key("outcome", colours, symbolType="circle")
    hollow = {"x": {**x, "field": "estimate"}, "y": y, "tooltip": TIPS}
    layers = [
        rule("x", x, 0),
        dots(hollow, 32, filled=False, strokeWidth=1.2, color=SOFT),
        *intervals(y, x, ends=("within_low", "within_high"), tooltip=TIPS, colour=fill),
        undefined(y, "both"),
    ]
    title = f"{what.capitalize()} with human scores, unadjusted and with another criterion held fixed ({how})"
    told = f"hollow: unadjusted, line: {100 * result.table[0].confidence:g}% CI"
    return Multiples(title, rows, layers, ("human", "anchor"), told, lines="metric", sort="estimate")


def criteria(result: Confounding, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how strongly criteria go together: over systems, over all outputs, and within buckets."""
    table = [row for row in result.table if row.metric is None]
    if not table:
        raise DataError("there is nothing to draw: no two human criteria were compared")
    found = records(table, f"{HUMAN} anchor level {STATISTIC} method estimate estimate_within n")
    rows: Data = []
    for row in found:
        parts = {"means of systems": "estimate"} if row["level"] == "system" else {"all outputs": "estimate"}
        if row["method"] is not None:
            parts |= {f"within {row['method']}s": "estimate_within"}
        for part, name in parts.items():
            value = row[name]
            text = "" if value is None else f"{value:.2f}".replace("-", "−")
            dark = None if value is None else abs(value)
            rows.append({**row, "part": part, "value": value, "shade": dark, "text": text})
    order = ("means of systems", "all outputs")
    rows.sort(key=lambda row: order.index(row["part"]) if row["part"] in order else 2)
    rows = panels.chosen(rows, only)
    every = list(dict.fromkeys(name for row in rows for name in (row["human"], row["anchor"])))
    y, x = names("human", distinct(rows, "human")), names("anchor", every, 90, labelAngle=-90)
    about = tips(f"human, anchor|with, part|over, value|{measure(rows)}|.3f, n|outputs or systems")
    fill = shade("shade", [0, 1], f"{panels.statistic_words(found[0][STATISTIC])}, absolute")
    layers = cells(x, y, fill, about, "value", "text")
    size: dict[str, Any] = {"lines": "human", "across": len({row["anchor"] for row in rows}), "cell": 42}
    title = f"{measure(rows).capitalize()} of human criteria with each other"
    return Multiples(title, rows, layers, ("part",), foot=12 + longest(every, 90), **size)


def _of_metrics(result: Confounding, method: str | None, only: dict[str, Any]) -> tuple[Data, str]:
    """Return the rows about metrics, of one way to hold anchors fixed, and what that is called."""
    table = [row for row in result.table if row.metric is not None]
    if not table:
        raise DataError("there is nothing to draw: the result has no metric")
    known = tuple(dict.fromkeys(row.method for row in table if row.method is not None))
    method = known[0] if method is None else vocabulary.choice("method", method, known)
    return records([row for row in table if row.method == method], FIELDS, only), METHODS[method]
