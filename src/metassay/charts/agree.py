"""How well each metric agrees with people: correlations with their intervals, and violins of the resamples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from metassay.charts.panels import SWITCHES, Data, Multiples, best_first, distinct, extent, measure, records
from metassay.charts.shapes import intervals, key, names, numbers, rule, tips, undefined
from metassay.charts.theme import HUMAN, METRIC, SOFT, UNCORRECTED, Spec
from metassay.errors import UsageError
from metassay.studies.agree import Agreement

BY = SWITCHES
FIELDS = f"metric {' '.join(BY)} estimate low high n_systems n_inputs kind"
KINDS = {"metric": METRIC, "person": HUMAN, "sentinel": SOFT}
"""Colours where sentinels or people stand beside metrics."""


def about(rows: Data) -> list[Spec]:
    """Return what the mouse shows of an estimate."""
    return tips(f"metric, estimate|{measure(rows)}|.3f, ±.3f, n_systems|systems, n_inputs|inputs")


SLICES = 40
"""How many slices the outline of a violin has."""


def forest(result: Agreement, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return estimates with their intervals: a panel per human criterion, level and statistic."""
    rows = best_first(records(result.table, FIELDS, only), "metric", "estimate", BY)
    what = f"{measure(rows)} with human scores"
    y = names("metric", distinct(rows, "metric"), grid=True)
    x = numbers("estimate", what, extent(rows, "estimate", "low", "high", also=[0]))
    kinds = {kind: colour for kind, colour in KINDS.items() if kind in distinct(rows, "kind")}
    colour = key("kind", kinds) if len(kinds) > 1 else None
    layers = [rule("x", x, 0), *intervals(y, x, tooltip=about(rows), colour=colour), undefined(y, "estimate")]
    told = f"dot: estimate, line: {100 * result.table[0].confidence:g}% CI"
    title = f"{measure(rows).capitalize()} of each metric with human scores"
    return Multiples(title, rows, layers, BY, told, lines="metric", sort="estimate")


def violins(result: Agreement, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the distribution of the resamples behind each interval (Deutsch, Dror and Roth 2021, Figure 4)."""
    if result.table and not result.samples:
        raise UsageError("the figure violins needs resamples, which JSON does not keep; draw it with agree --figure")
    if all(sample is None for sample in result.samples):
        raise UsageError(
            f"the figure violins needs resamples of the correlation, and the interval {result.table[0].interval} has "
            "none; choose boot-both, boot-systems or boot-inputs"
        )
    keys = records(result.table, FIELDS)
    samples = {tuple(k[name] for name in ("metric", *BY)): s for k, s in zip(keys, result.samples, strict=True)}
    base = forest(result, **only)
    blank = dict.fromkeys(("estimate", "low", "high", "value", "half"))
    rows = [{**row, "value": None, "half": None, "known": row["estimate"]} for row in base.rows]
    rows += [
        {**row, **blank, "value": value, "half": half, "known": value}
        for row in base.rows
        for value, half in _outline(samples[tuple(row[name] for name in ("metric", *BY))])
    ]
    y = names("metric", distinct(base.rows, "metric"))
    what = f"{measure(rows)} with human scores"
    x = numbers("value", what, extent(rows, "value", "estimate", "low", "high", also=[0]))
    wide = {"field": "half", "type": "quantitative", "legend": None, "scale": {"domain": [0, 1], "range": [0, 9]}}
    body = {"x": x, "y": y, "size": wide, "detail": {"field": "metric"}, "color": {"value": UNCORRECTED}}
    marks = intervals(y, {**x, "field": "estimate"}, tooltip=about(rows), size=22)
    layers = [{"mark": "trail", "encoding": body}, rule("x", x, 0), *marks, undefined(y, "known")]
    title = f"{base.title}, in all resamples"
    return replace(base, rows=rows, layers=layers, title=title, told=f"shape: resamples, {base.told}")


def _outline(sample: npt.NDArray[np.float64] | None) -> list[tuple[float, float]]:
    """Return how many resamples lie near a value, the most as 1."""
    known = np.empty(0) if sample is None else sample[~np.isnan(sample)]
    if not len(known) or known.min() == known.max():
        return []
    heights, edges = np.histogram(known, SLICES)
    # slices of a coefficient that jumps from value to value are uneven; neighbours share what they have
    smooth = np.convolve(np.pad(heights, 2, mode="edge"), np.array([1, 4, 6, 4, 1]) / 16, mode="valid")
    middle = (edges[:-1] + edges[1:]) / 2
    return [(float(x), float(h)) for x, h in zip(middle, smooth / smooth.max(), strict=True)]
