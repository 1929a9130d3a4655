"""Do inputs differ in difficulty, as a table of tests and one of inputs."""

from __future__ import annotations

import math

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import build, figures, grouped, words
from metassay.studies.difficulty import Difficulty, DifficultyRow, DifficultyTest

MOST_ROWS = 60
"""With more rows than this, every input is shown only if it is asked for."""
TOGETHER = "% confidence for all pairs together"


def default(result: Difficulty) -> tuple[str, ...]:
    """Return the views that suit the number of inputs and metrics."""
    return ("tests", "inputs") if len(result.table) <= MOST_ROWS else ("tests",)


def tests(result: Difficulty) -> tuple[Table, ...]:
    """Return one line per metric: are inputs equally hard, how many pairs differ, which input is hardest."""
    ranked = {metric: [row for row in rows if _known(row)] for metric, rows in _hardest_first(result).items()}

    def end(test: DifficultyTest, at: int) -> str:
        return "" if math.isnan(test.test_statistic) else _short(ranked[test.metric][at].input)

    columns = [
        *("metric", "H|test_statistic|one", "df|degrees_of_freedom|count", "p|p_value|p_value"),
        words("", lambda test: "*" if test.significant else "", key=False),
        figures(
            "pairs that differ",
            lambda test: numbers.DASH if math.isnan(test.test_statistic) else test.n_pairs_differ / test.n_pairs,
            numbers.percent,
        ),
        words("hardest input", lambda test: end(test, 0), key=False),
        words("easiest input", lambda test: end(test, -1), key=False),
    ]
    return build(
        "Tests of equal difficulty of inputs",
        columns,
        [("", result.tests)],
        f"* p ≤ {result.alpha:g}: inputs are not equally hard (Kruskal-Wallis). "
        f"Pairs that differ: by Tukey's test on mean ranks, {100 * result.confidence:g}{TOGETHER}.",
        len(result.table) > MOST_ROWS and f"The view inputs lists all {len(result.inputs):,} inputs of each metric.",
        undefined="scores that do not vary, or are on one input only",
    )


def inputs(result: Difficulty) -> tuple[Table, ...]:
    """Return one line per input, the hardest first."""
    columns = [
        *("input", "mean rank|mean_rank|one", "interval|low high|one"),
        figures("inputs that differ", lambda row: row.n_differs if _known(row) else numbers.DASH),
        figures("of them easier", lambda row: row.n_easier if _known(row) else numbers.DASH),
        "systems|n_systems|count",
    ]
    return build(
        "Difficulty of each input",
        columns,
        [(one_line(metric), rows) for metric, rows in _hardest_first(result).items()],
        "Mean rank of the input's scores among all scores; low is hard. Two inputs differ if their intervals do not "
        f"overlap (Tukey, {100 * result.confidence:g}{TOGETHER}).",
        undefined="no scores, or scores that do not vary",
    )


def _short(label: str, limit: int = 20) -> str:
    """Cut the middle out of long labels, such as hashes: which input is meant is still clear."""
    return label if len(label) <= limit else f"{label[: limit - 8]}…{label[-7:]}"


def _known(row: DifficultyRow) -> bool:
    return not math.isnan(row.mean_rank)


def _hardest_first(result: Difficulty) -> dict[str, list[DifficultyRow]]:
    by_rank = sorted(result.table, key=lambda row: (not _known(row), row.mean_rank if _known(row) else 0.0))
    found = grouped(by_rank, "metric")
    return {metric: found[metric] for metric in grouped(result.table, "metric")}
