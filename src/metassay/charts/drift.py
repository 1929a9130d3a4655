"""How far new versions of a judge shift, beside the margin that does not matter."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import Multiples, distinct, extent, records
from metassay.charts.shapes import intervals as dots
from metassay.charts.shapes import names, numbers, rule, tips, undefined
from metassay.charts.theme import SOFT
from metassay.studies.drift import Drift


def shifts(result: Drift, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the shift of each version with the interval that holds at every look, and the margin."""
    rows = records(result.table, "metric baseline version shift always_low:low always_high:high flips n verdict", only)
    margin = result.table[0].margin
    y = names("version", distinct(rows, "version"), grid=True)
    x = numbers("shift", "shift of the mean", extent(rows, "shift", "low", "high", also=[-margin, margin]))
    about = tips("version, baseline, verdict, shift||+.3f, ±+.3f, flips||.1%, n|outputs")
    edges = [rule("x", x, at, colour=SOFT) for at in (-margin, margin)]
    layers = [*edges, *dots(y, x, tooltip=about), undefined(y, "shift")]
    told = f"line: {100 * result.table[0].confidence:g}% CI at every look, dashed: margin"
    by = () if all(row["metric"] == row["version"] for row in rows) else ("metric",)
    return Multiples("Shift of each version from the baseline", rows, layers, by, told, lines="version")
