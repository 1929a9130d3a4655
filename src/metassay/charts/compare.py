"""Which metric agrees better: a matrix of tests, and the ranks that metrics may have."""

from __future__ import annotations

from typing import Any

from metassay.charts.panels import STATISTIC, SWITCHES, Data, Multiples, distinct, records
from metassay.charts.shapes import cells, intervals, key, names, numbers, outcome, outcomes, tips, undefined
from metassay.core import vocabulary
from metassay.studies.compare import Comparison

BY = SWITCHES
RANKED = f"metric {' '.join(BY)} estimate rank rank_low rank_high"
LAST = 1e9
"""Where undefined metrics stand."""
CLAIMS = {
    "greater": "row agrees better than column",
    "less": "row agrees worse than column",
    "two-sided": "row and column differ",
}


def matrix(result: Comparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return every ordered pair of metrics: dark if significant after correction, lighter if only before."""
    fields = f"metric_a metric_b {' '.join(BY)} difference p_value significant significant_corrected"
    rows = records(result.table, fields, only)
    ranks = {
        (*(row[name] for name in BY), row["metric"]): -vocabulary.statistic_sign(row[STATISTIC]) * row["estimate"]
        for row in records(result.ranks, f"metric {' '.join(BY)} estimate")
        if row["estimate"] is not None
    }
    untested = any(row["p_value"] is None for row in rows)
    first = result.table[0]
    correction = vocabulary.CORRECTION_NAMES.get(first.correction)
    kinds = outcomes(CLAIMS[first.alternative], correction, result.alpha, untested=untested)
    for row in rows:
        setting = tuple(row[name] for name in BY)
        significant, corrected = row.pop("significant"), row.pop("significant_corrected")
        tested = row["p_value"] is not None
        row["outcome"] = outcome(kinds, significant=significant, corrected=corrected, tested=tested)
        row["at"], row["line"] = (ranks.get((*setting, row[f"metric_{side}"]), LAST) for side in "ba")
    settings = list(dict.fromkeys(tuple(row[name] for name in BY) for row in rows))
    rows.sort(key=lambda row: (settings.index(tuple(row[name] for name in BY)), row["line"], row["at"]))
    metrics = [*distinct(rows, "metric_a"), *distinct(rows, "metric_b")]
    y = names("metric_a", metrics)
    x = names("metric_b", metrics, orient="top", labelAngle=-90) | {"sort": {"field": "at", "op": "min"}}
    about = tips("metric_a|row, metric_b|column, difference|difference|.3f, p_value|p|.4f, outcome")
    layers = cells(x, y, key("outcome", kinds, columns=1), about, "p_value")
    sides = ("metric_a", "metric_b")
    look: dict[str, Any] = {"lines": "metric_a", "metrics": sides, "own": True, "square": True}
    return Multiples("Tests of which metric agrees better with human scores", rows, layers, BY, "best on top", **look)


def ranks(result: Comparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the ranks that each metric may have: a panel per human criterion, level and statistic."""
    title = "Ranks of the metrics by agreement with human scores"
    return possible_ranks(title, records(result.ranks, RANKED, only), "estimate", result.alpha)


def possible_ranks(title: str, rows: Data, by: str, alpha: float) -> Multiples:
    """Return ranks by an estimate or an average, each with the ranks that a metric may have."""
    y = names("metric", distinct(rows, "metric"), grid=True)
    last = max((row["rank_high"] or 1 for row in rows), default=1)
    x = numbers("rank", "possible ranks", (0.5, last + 0.5), tickMinStep=1, format="d")
    about = tips(f"metric, estimate|{by}|.3f, rank|rank by {by}, rank_low|from, rank_high|to")
    layers = [*intervals(y, x, ends=("rank_low", "rank_high"), tooltip=about), undefined(y, "rank")]
    told = f"dot: rank by the {by}, line: {100 * (1 - alpha):g}% confidence set of all ranks together"
    return Multiples(title, rows, layers, BY, told, lines="metric", sort="estimate")
