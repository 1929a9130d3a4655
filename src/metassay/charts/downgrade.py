"""Which corruption metrics notice: shares as a table of cells, and curves over the rate of corruption."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Data, Multiples, distinct, records, undefined_names
from metassay.charts.shapes import cells, curves, names, numbers, series, shade, tips
from metassay.charts.theme import fitted, longest
from metassay.errors import DataError
from metassay.studies.downgrade import Downgrade

TIPS = tips("metric, kind, rate||.0%, n_noticed|noticed, n_testable|of, share||.2f, ±.2f")


def noticed(result: Downgrade, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of systems that each metric noticed: metrics × kinds of corruption."""
    rows, metrics = _rows(result, only)
    several = len({row["rate"] for row in rows}) > 1
    for row in rows:
        row["text"] = "" if row["share"] is None else f"{row['n_noticed']}/{row['n_testable']}"
        row["corruption"] = f"{fitted(row['kind'], 90)} {row['rate']:.0%}" if several else row["kind"]
    kinds = distinct(rows, "corruption")
    y, x = names("metric", metrics), names("corruption", kinds, labelAngle=-90)
    layers = cells(x, y, shade("share", [0, 1], "share noticed", format="%"), TIPS, "share", "text")
    told = "×: none testable" if any(row["share"] is None for row in rows) else ""
    size = {"across": len(kinds), "cell": min(40.0, max(14.0, 560 / len(kinds))), "foot": 12 + longest(kinds)}
    title = "Systems whose corruption each metric noticed, of the testable ones"
    return Multiples(title, rows, layers, (), told, lines="metric", **size)  # type: ignore[arg-type] # numbers all


def sensitivity(result: Downgrade, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of systems noticed against the rate of corruption: a panel per metric, a curve per kind."""
    rows, metrics = _rows(result, only)
    if len({row["rate"] for row in rows}) < 2:
        raise DataError("curves need corruption at several rates, and there is one; the figure noticed shows it")
    colour, shape, dash = series("kind", distinct(rows, "kind"), symbolStrokeWidth=0)
    x = numbers("rate", "units corrupted", [0, 1.05], format="%", values=[0, 0.5, 1])
    y = numbers("share", "share noticed", [-0.06, 1.06], values=[0, 0.5, 1])
    gone = [m for m in metrics if all(row["share"] is None for row in rows if row["metric"] == m)]
    kept = [row for row in rows if row["metric"] not in gone] or rows
    layers = curves(x, y, tooltip=TIPS, colour=colour, shape=shape, dash=dash)
    title = "Share of corrupted systems that each metric noticed, by the share of units corrupted"
    told = f"band: {100 * result.counts[0].confidence:g}% CI"
    size: dict[str, Any] = {"width": (86, 200), "height": 78, "omitted": undefined_names(gone)}
    return Multiples(title, kept, layers, ("metric",), told, **size)


def _rows(result: Downgrade, only: dict[str, Any]) -> tuple[Data, list[str]]:
    """Return rows by metric, kind and rate, and the metrics."""
    rows = records(result.counts, "metric kind rate n_testable n_noticed share low high", only)
    kinds, metrics = distinct(rows, "kind"), list(dict.fromkeys(count.metric for count in result.counts))
    rows.sort(key=lambda row: (metrics.index(row["metric"]), kinds.index(row["kind"]), row["rate"]))
    return rows, metrics
