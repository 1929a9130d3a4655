"""Do inputs differ in difficulty, as a table of tests and one of inputs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.difficulty import Difficulty, DifficultyRow, DifficultyTest

MOST_ROWS = 60
"""With more rows than this, every input is shown only if it is asked for."""


def default(result: Difficulty) -> tuple[str, ...]:
    """Return the views that suit the number of inputs and metrics."""
    return ("tests", "inputs") if len(result.table) <= MOST_ROWS else ("tests",)


def tests(result: Difficulty) -> tuple[Table, ...]:
    """Return one line per metric: are inputs equally hard, how many pairs differ, which input is hardest."""
    columns = (
        Column("metric", "left", key=True),
        Column("H"),
        Column("df"),
        Column("p"),
        Column("", "left"),
        Column("pairs that differ"),
        Column("hardest input", "left"),
        Column("easiest input", "left"),
    )
    sections = (Section("", tuple(_test(test, result) for test in result.tests)),)
    legend = [
        f"* p ≤ {result.alpha:g}: inputs are not equally hard (Kruskal-Wallis). "
        f"Pairs that differ: by Tukey's test on mean ranks, {100 * result.confidence:g}% confidence for all together."
    ]
    if len(result.table) > MOST_ROWS:
        legend.append(f"The view inputs lists all {len(result.inputs):,} inputs of each metric.")
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: scores that do not vary, or stand on one input only.")
    return (Table("Are inputs equally hard?", columns, sections, tuple(legend)),)


def inputs(result: Difficulty) -> tuple[Table, ...]:
    """Return one line per input, the hardest first."""
    columns = (
        Column("input", "left", key=True),
        Column("mean rank"),
        Column("interval"),
        Column("inputs that differ"),
        Column("of them easier"),
        Column("systems"),
    )
    sections = tuple(
        Section(one_line(metric), tuple(_line(row) for row in _hardest_first(result, metric)))
        for metric in distinct(row.metric for row in result.table)
    )
    legend = [
        "Mean rank of the input's scores among all scores; low is hard. Two inputs differ if their intervals do not "
        f"overlap (Tukey, {100 * result.confidence:g}% confidence for all together)."
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: no scores, or scores that do not vary.")
    return (Table("How hard is each input?", columns, sections, tuple(legend)),)


def _test(test: DifficultyTest, result: Difficulty) -> tuple[Cell, ...]:
    ranked = [row for row in _hardest_first(result, test.metric) if not math.isnan(row.mean_rank)]
    undefined = math.isnan(test.statistic)
    share = math.nan if undefined else test.n_pairs_differ / test.n_pairs
    ends = ("", "") if undefined else (ranked[0].input, ranked[-1].input)
    return (
        name(test.metric),
        number(numbers.fixed(test.statistic, 1)),
        number(str(test.degrees_of_freedom)),
        number(numbers.p_value(test.p_value)),
        Cell("*" if test.significant else ""),
        number(numbers.percent(share)),
        *(name(_short(end)) for end in ends),
    )


def _short(label: str, limit: int = 20) -> str:
    """Cut the middle out of long labels, such as hashes: which input is meant is still clear."""
    return label if len(label) <= limit else f"{label[: limit - 8]}…{label[-7:]}"


def _hardest_first(result: Difficulty, metric: str) -> list[DifficultyRow]:
    mine = [row for row in result.table if row.metric == metric]
    return sorted(mine, key=lambda row: (math.isnan(row.mean_rank), row.mean_rank))


def _line(row: DifficultyRow) -> tuple[Cell, ...]:
    interval = f"[{numbers.fixed(row.low, 1)}, {numbers.fixed(row.high, 1)}]"
    undefined = math.isnan(row.mean_rank)
    return (
        name(row.input),
        number(numbers.fixed(row.mean_rank, 1)),
        number(numbers.DASH if math.isnan(row.low) else interval),
        number(numbers.DASH if undefined else f"{row.n_differs:,}"),
        number(numbers.DASH if undefined else f"{row.n_easier:,}"),
        number(f"{row.n_systems:,}"),
    )
