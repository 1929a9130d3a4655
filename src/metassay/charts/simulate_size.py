"""How often tests reject where the truth is known: errors against the level they promise, and power."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import STATISTIC, Data, Multiples, distinct, records
from metassay.charts.shapes import cells, framed, intervals, lanes, names, numbers, rule, series, shade, tips, undefined
from metassay.charts.theme import PAPER, WARN, longest, told_apart
from metassay.studies.simulate_size import Size

TRUTHS = {True: "equally good: false-positive rate", False: "one is better: power"}
LONGEST = 210
"""Pixels that the name of a world may take."""


TIPS = tips("world, test, rate||.3f, ±.3f, trials")
TITLE = "Rejection rates of tests in simulated data"
BY = ("truth", STATISTIC)


def bars(result: Size, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how often each test rejects, where metrics are equally good and where they differ."""
    rows = _rows(result, only)
    tests = distinct(rows, "test")
    colour, shape, _ = series("test", tests)
    hollow = {"condition": {"test": "datum.holds === false", "value": PAPER}, **colour}
    y = names("world", distinct(rows, "world"), LONGEST, air=0.25, grid=True)
    x = numbers("rate", "share of data sets", [-0.03, 1.03])
    look: dict[str, Any] = {"colour": colour, "shape": shape, "filled": hollow, "more": lanes("test", tests)}
    layers = [rule("x", x, result.table[0].alpha), *intervals(y, x, tooltip=TIPS, size=24, **look)]
    told = f"dashed: level of the tests, {result.table[0].alpha:g}, line: 95% CI over trials"
    told += ", hollow: false-positive rate too high" * (False in distinct(rows, "holds"))
    size: dict[str, Any] = {"lines": "world", "longest": LONGEST, "series": len(tests), "own": True}
    return Multiples(TITLE, rows, [*layers, undefined(y, "rate")], BY, told, **size)


def map(result: Size, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return how often each test rejects as a table, worlds × tests; tests that reject too often are framed."""
    rows = _rows(result, only)
    for row in rows:
        row["text"] = "" if row["rate"] is None else f"{row['rate']:.2f}"
    tests = distinct(rows, "test")
    y, x = names("world", distinct(rows, "world"), LONGEST), names("test", tests, labelAngle=-90)
    fill = shade("rate", [0, 1], "share of data sets in which the test rejects")
    layers = [*cells(x, y, fill, TIPS, "rate", "text"), framed(x, y, "datum.holds === false", WARN)]
    told = f"framed: too often for a level of {result.table[0].alpha:g}" * (False in distinct(rows, "holds"))
    size: dict[str, Any] = {"across": len(tests), "foot": 12 + longest(tests), "own": True}
    return Multiples(TITLE, rows, layers, BY, told, lines="world", longest=LONGEST, **size)


def _rows(result: Size, only: dict[str, Any]) -> Data:
    """Return the rows with the name of each world on one line; each of its names is cut by itself."""
    table = sorted(result.table, key=lambda row: not row.equal)
    told = f"test setting population metric_a metric_b human {STATISTIC} equal rate low high trials holds"
    rows = records(table, told, only)
    fitted_to = [row for row in rows if row["metric_a"] is not None]
    # the criterion is only told where there are several
    parts = ["metric_a", "metric_b", *(["human"] if len({row["human"] for row in fitted_to}) > 1 else [])]
    short = told_apart(dict.fromkeys(row[part] for row in fitted_to for part in parts), LONGEST / len(parts) - 8)
    for row in rows:
        row["truth"] = TRUTHS[row["equal"]]
        row["world"] = row["population"] or row["setting"]
        if row["metric_a"] is not None:
            row["world"] = " / ".join(short[row[part]] for part in parts)
    return rows
