"""Which damage metrics notice: shares as a table of cells, and curves over the rate of damage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Multiples, records, undefined_names
from metassay.charts.shapes import cells, crosses, curves, names, numbers, series, shade, tips, written
from metassay.charts.theme import fitted, longest
from metassay.errors import DataError

if TYPE_CHECKING:
    from metassay.studies.downgrade import Downgrade

FIELDS = "metric kind rate n_testable n_noticed share low high"
TIPS = tips(
    "metric", "kind", "rate||.0%", "n_noticed|noticed", "n_testable|of", "share||.2f", "low|from|.2f", "high|to|.2f"
)


def noticed(result: Downgrade, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of systems that each metric noticed: metrics × kinds of damage."""
    rows = records(result.counts, FIELDS, only)
    several = len({row["rate"] for row in rows}) > 1
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    rows.sort(key=lambda row: (kinds.index(row["kind"]), row["rate"]))
    metrics = list(dict.fromkeys(count.metric for count in result.counts))
    rows.sort(key=lambda row: metrics.index(row["metric"]))
    for row in rows:
        row["text"] = "" if row["share"] is None else f"{row['n_noticed']}/{row['n_testable']}"
        row["damage"] = f"{fitted(row['kind'], 90)} {row['rate']:.0%}" if several else row["kind"]
    damages = list(dict.fromkeys(row["damage"] for row in rows))
    y, x = names("metric", metrics), names("damage", damages, labelAngle=-90)
    return Multiples(
        title="Systems whose damage each metric noticed, of those that could be",
        told="×: none could be" if any(row["share"] is None for row in rows) else "",
        rows=rows,
        layers=[
            cells(x, y, shade("share", [0, 1], "share noticed", format="%"), TIPS),
            written(x, y, "text", "share", 0.6),
            crosses(x, y, "share"),
        ],
        lines="metric",
        across=len(damages),
        cell=min(40.0, max(14.0, 560 / len(damages))),
        foot=12 + longest(damages),
    )


def sensitivity(result: Downgrade, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the share of systems noticed against the rate of damage: a panel per metric, a curve per kind."""
    rows = records(result.counts, FIELDS, only)
    if len({row["rate"] for row in rows}) < 2:
        raise DataError("curves need damage at several rates, and there is one; the figure noticed shows it")
    rows.sort(key=lambda row: row["rate"])
    metrics = list(dict.fromkeys(count.metric for count in result.counts))
    rows.sort(key=lambda row: metrics.index(row["metric"]))
    colour, shape, dash = series("kind", (row["kind"] for row in rows), symbolStrokeWidth=0)
    x = numbers("rate", "units damaged", [0, 1.05], format="%", values=[0, 0.5, 1])
    y = numbers("share", "share noticed", [-0.06, 1.06], values=[0, 0.5, 1])
    gone = [m for m in metrics if all(row["share"] is None for row in rows if row["metric"] == m)]
    kept = [row for row in rows if row["metric"] not in gone]
    return Multiples(
        title="Share of damaged systems that each metric noticed, by how much was damaged",
        told=f"band: {100 * result.counts[0].confidence:g}% CI",
        rows=kept or rows,
        layers=curves(x, y, ("low", "high"), tooltip=TIPS, colour=colour, shape=shape, dash=dash),
        by=("metric",),
        width=(86, 200),
        height=78,
        omitted=undefined_names(gone),
    )
