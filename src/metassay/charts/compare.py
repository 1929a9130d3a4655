"""Which metric agrees better: a matrix of tests, and the ranks that metrics may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metassay.charts.panels import Multiples, records
from metassay.charts.shapes import cells, crosses, intervals, key, names, numbers, outcome, outcomes, tips, undefined
from metassay.core import vocabulary

if TYPE_CHECKING:
    from metassay.studies.compare import Comparison

BY = ("human", "level", "statistic")
CLAIMS = {
    "greater": "row agrees better than column",
    "less": "row agrees worse than column",
    "two-sided": "row and column differ",
}


def matrix(result: Comparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return every ordered pair of metrics: dark if significant after correction, lighter if only before."""
    first = result.table[0]
    rows = records(result.table, "metric_a metric_b human level statistic difference p_value", only)
    tests = {(r.metric_a, r.metric_b, r.human, r.level, r.statistic): r for r in result.table}
    ranks = {(c.human, c.level, c.statistic, c.metric): -c.estimate for c in result.ranks if c.estimate == c.estimate}
    kinds = outcomes(
        CLAIMS[first.alternative],
        vocabulary.CORRECTION_NAMES.get(first.correction),
        result.alpha,
        untested=any(row["p_value"] is None for row in rows),
    )
    for row in rows:
        setting = tuple(row[name] for name in BY)
        test = tests[row["metric_a"], row["metric_b"], *setting]
        tested = row["p_value"] is not None
        row["outcome"] = outcome(
            kinds, significant=test.significant, corrected=test.significant_corrected, tested=tested
        )
        row["at"] = ranks.get((*setting, row["metric_b"]), 2.0)
        row["line"] = ranks.get((*setting, row["metric_a"]), 2.0)
    settings = list(dict.fromkeys(tuple(row[name] for name in BY) for row in rows))
    rows.sort(key=lambda row: (settings.index(tuple(row[name] for name in BY)), row["line"], row["at"]))
    metrics = [row[side] for row in rows for side in ("metric_a", "metric_b")]
    y = names("metric_a", metrics)
    x = names("metric_b", metrics, orient="top", labelAngle=-90) | {"sort": {"field": "at", "op": "min"}}
    about = tips("metric_a|row", "metric_b|column", "difference|difference|.3f", "p_value|p|.4f", "outcome")
    return Multiples(
        title="Which metric agrees better with human scores",
        told="best on top",
        rows=rows,
        layers=[cells(x, y, key("outcome", kinds, columns=1), about), crosses(x, y, "p_value")],
        by=BY,
        lines="metric_a",
        metrics=("metric_a", "metric_b"),
        own=True,
        square=True,
    )


def ranks(result: Comparison, **only: Any) -> Multiples:  # noqa: ANN401 - names by field
    """Return the ranks that each metric may have: a panel per human criterion, level and statistic."""
    rows = records(result.ranks, "metric human level statistic estimate rank rank_low rank_high", only)
    y = names("metric", (row["metric"] for row in rows), grid=True)
    last = max((row["rank_high"] or 1 for row in rows), default=1)
    x = numbers("rank", "possible ranks", (0.5, last + 0.5), tickMinStep=1, format="d")
    about = tips("metric", "estimate|correlation|.3f", "rank|rank by estimate", "rank_low|from", "rank_high|to")
    return Multiples(
        title="Ranks of the metrics by agreement with human scores",
        told=f"dot: rank by the estimate, line: {100 * (1 - result.alpha):g}% confidence set of all ranks together",
        rows=rows,
        layers=[*intervals(y, x, ("rank_low", "rank_high"), tooltip=about), undefined(y, "rank")],
        by=BY,
        lines="metric",
        sort="estimate",
    )
