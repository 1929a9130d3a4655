"""How often tests reject where the truth is known: errors against the level they promise, and power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Data, Multiples, records
from metassay.charts.shapes import (
    cells,
    crosses,
    intervals,
    names,
    numbers,
    rule,
    series,
    shade,
    tips,
    undefined,
    written,
)
from metassay.charts.theme import PAPER, WARN, Spec, longest, told_apart

if TYPE_CHECKING:
    from metassay.studies.size import Size

TRUTHS = {True: "equally good: share of errors", False: "one is better: power"}
LONGEST = 210
"""Pixels that the name of a world may take."""


def bars(result: Size, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how often each test rejects, where metrics are equally good and where they differ."""
    rows = _rows(result, only)
    tests = list(dict.fromkeys(row["test"] for row in rows))
    colour, shape, _ = series("test", tests)
    hollow = {"condition": {"test": "datum.holds === false", "value": PAPER}, **colour}
    y = names("world", (row["world"] for row in rows), LONGEST, air=0.25, grid=True)
    x = numbers("rate", "share of data sets", [-0.03, 1.03])
    about = tips("world", "test", "rate||.3f", "low|from|.3f", "high|to|.3f", "trials")
    lane = {"yOffset": {"field": "test", "scale": {"domain": tests}}}
    dots = intervals(
        y, x, ("low", "high"), tooltip=about, colour=colour, shape=shape, filled=hollow, more=lane, size=24
    )
    told = [f"dashed: level of the tests, {result.table[0].alpha:g}", "line: 95% CI over trials"]
    if any(row["holds"] is False for row in rows):
        told.append("hollow: rejects too often")
    return Multiples(
        title="How often each test rejects where the truth is known",
        told=", ".join(told),
        rows=rows,
        layers=[rule("x", x, result.table[0].alpha), *dots, undefined(y, "rate")],
        by=("truth", "statistic"),
        lines="world",
        longest=LONGEST,
        series=len(tests),
        own=True,
    )


def map(result: Size, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how often each test rejects as a table, worlds × tests; tests that reject too often are framed."""
    rows = _rows(result, only)
    for row in rows:
        row["text"] = "" if row["rate"] is None else f"{row['rate']:.2f}"
    tests = list(dict.fromkeys(row["test"] for row in rows))
    y, x = names("world", (row["world"] for row in rows), LONGEST), names("test", tests, labelAngle=-90)
    about = tips("world", "test", "rate||.3f", "low|from|.3f", "high|to|.3f", "trials")
    ring: Spec = {"type": "rect", "filled": False, "stroke": WARN, "strokeWidth": 1.6}
    much = {"transform": [{"filter": "datum.holds === false"}], "mark": ring, "encoding": {"x": x, "y": y}}
    fill = shade("rate", [0, 1], "share of data sets in which the test rejects")
    framed = f"framed: too often for a level of {result.table[0].alpha:g}"
    return Multiples(
        title="How often each test rejects where the truth is known",
        told=framed if any(row["holds"] is False for row in rows) else "",
        rows=rows,
        layers=[cells(x, y, fill, about), written(x, y, "text", "rate", 0.6), crosses(x, y, "rate"), much],
        by=("truth", "statistic"),
        lines="world",
        longest=LONGEST,
        across=len(tests),
        foot=12 + longest(tests),
        own=True,
    )


def _rows(result: Size, only: dict[str, Any]) -> Data:
    """Return the rows with the name of each world on one line; each of its names is cut by itself."""
    table = sorted(result.table, key=lambda row: not row.equal)
    rows = records(table, "test setting metric_a metric_b human statistic equal rate low high trials holds", only)
    fitted_to = [row for row in rows if row["metric_a"] is not None]
    # the criterion is only told where there are several
    parts = ["metric_a", "metric_b", *(["human"] if len({row["human"] for row in fitted_to}) > 1 else [])]
    short = told_apart(dict.fromkeys(row[part] for row in fitted_to for part in parts), LONGEST / len(parts) - 8)
    for row in rows:
        row["truth"] = TRUTHS[row["equal"]]
        row["world"] = row["setting"].removeprefix("equal: ").removeprefix("differ: ")
        if row["metric_a"] is not None:
            row["world"] = " / ".join(short[row[part]] for part in parts)
    return rows
