"""Would the ranking come out the same again, as a table of correlations by number of inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, at, build, figures, grouped, lines, span
from metassay.studies.stability import Stability, StabilityRow

MOST_SIZES = 6
"""Sizes that fit beside each other; all of them are in the view ``sizes``."""


def table(result: Stability) -> tuple[Table, ...]:
    """Return a row per metric and criterion and a column for some numbers of inputs."""
    ends = {row.n_available for row in result.table}
    if len(ends) > MOST_SIZES - 2:
        ends = {max(row.n_available for row in mine) for mine in grouped(result.table, "kind").values()}
    return _table(result.table, _some(sorted({row.n_inputs for row in result.table}), ends))


def sizes(result: Stability) -> tuple[Table, ...]:
    """Return the same with a column for every number of inputs."""
    return _table(result.table, sorted({row.n_inputs for row in result.table}))


def _some(every: list[int], ends: set[int]) -> list[int]:
    """Return sizes spread over all of them, the full sizes among them."""
    if len(every) <= MOST_SIZES:
        return every
    ends = ends & set(every)
    places = MOST_SIZES - len(ends)
    others = [size for size in every if size not in ends]
    steps = [round(k * (len(others) - 1) / max(1, places - 1)) for k in range(places)]
    return sorted({others[step] for step in steps} | ends)


def _table(rows: Sequence[StabilityRow], shown: list[int]) -> tuple[Table, ...]:
    def column(size: int) -> Shown:
        return at(figures(numbers.counted(size, "input"), _mean), "n_inputs", size)

    def last(line: list[StabilityRow]) -> float:
        return math.inf if math.isnan(line[-1].mean) else -line[-1].mean

    kinds = grouped(rows, "kind")
    return build(
        "Agreement of two rankings of the systems",
        ["|name", *map(column, shown)],
        [
            (title, sorted(lines(kinds[kind], "name"), key=last))
            for kind, title in (("human", "people"), ("metric", "metrics"))
            if kind in kinds
        ],
        f"{names.measured(rows)} of the rankings of {span(rows, 'n_systems')} systems from two samples of that many "
        f"inputs: mean ± standard deviation of {rows[0].draws:,} draws.",
        undefined="system means that do not vary, or too few of them",
    )


def _mean(row: StabilityRow) -> str:
    return numbers.DASH if math.isnan(row.mean) else f"{numbers.two(row.mean)} ± {numbers.two(row.sd)}"
