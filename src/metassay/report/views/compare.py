"""Which metric agrees better with people, as a list of tests, a matrix of p-values, or clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number, sizes

if TYPE_CHECKING:
    from metassay.studies.compare import ClusterRow, Comparison, ComparisonRow

MOST_IN_LIST = 4
"""With more metrics than this, a matrix is easier to read than a list of all ordered pairs."""

Setting = tuple[str, str, str]
"""A human criterion, a level and a statistic."""


def default(result: Comparison) -> tuple[str, ...]:
    """Return the views that suit the number of metrics."""
    few = len({row.metric_a for row in result.table}) <= MOST_IN_LIST
    return ("list" if few else "matrix", "clusters")


def ordered(result: Comparison) -> tuple[Table, ...]:
    """Return every test, the smallest p-value first."""
    groups = _by_setting(result.table)
    differ = {setting: len({(r.n_systems, r.n_inputs) for r in rows}) > 1 for setting, rows in groups.items()}
    sections = []
    for setting, rows in groups.items():
        units = "" if differ[setting] else f" ({sizes([(r.n_systems, r.n_inputs) for r in rows])})"
        lines = [_test(row, any(differ.values())) for row in sorted(_without_mirrors(rows), key=_by_p)]
        sections.append(Section(_title(setting) + units, tuple(lines)))
    columns = [Column("A", "left", key=True), Column("B", "left", key=True), Column("r A"), Column("r B")]
    columns += [Column("difference"), Column("p"), Column("", "left")]
    if any(differ.values()):
        columns.append(Column("systems × inputs"))
    legend = (f"Small p: A {_claim(result.table)} B.", *_legend(result, "metric A"), *_undefined(sections))
    return (Table(_heading(result), tuple(columns), tuple(sections), legend, _bold(result)),)


def matrix(result: Comparison) -> tuple[Table, ...]:
    """Return p-values of row metric against column metric, one table per criterion, level and statistic."""
    tables = []
    for setting, rows in _by_setting(result.table).items():
        order = _order(result, setting, rows)
        tests = {(row.metric_a, row.metric_b): row for row in rows}
        lines = tuple(_matrix_line(at, order, tests) for at in range(len(order)))
        sections = (Section("", lines),)
        units = sizes([(r.n_systems, r.n_inputs) for r in rows])
        legend = (
            f"Small p: the metric of the row {_claim(rows)} that of the column, numbered like the rows.",
            *_legend(result, "row"),
            *_undefined(sections),
        )
        columns = (
            Column("", key=True),
            Column("metric", "left", key=True),
            Column("r"),
            *(Column(str(at + 1)) for at in range(len(order))),
        )
        title = f"{_heading(result)}: {_title(setting)} ({units})"
        tables.append(Table(title, columns, sections, legend, _bold(result)))
    return tuple(tables)


def clusters(result: Comparison) -> tuple[Table, ...]:
    """Return metrics in ranks that the tests tell apart."""
    sections = []
    for setting in dict.fromkeys((c.human, c.level, c.statistic) for c in result.clusters):
        mine = [c for c in result.clusters if (c.human, c.level, c.statistic) == setting]
        lines = tuple(_cluster(rank, mine) for rank in sorted({c.rank for c in mine}))
        sections.append(Section(_title(setting), lines))
    if not sections:
        return ()
    columns = (Column("rank", key=True), Column("metrics (r)", "left", key=True))
    legend = ("A new rank starts with the first metric that one of the current rank beats significantly.",)
    return (Table("Ranks", columns, tuple(sections), legend),)


def _test(row: ComparisonRow, with_sizes: bool) -> tuple[Cell, ...]:
    cells = [
        name(row.metric_a),
        name(row.metric_b),
        number(numbers.correlation(row.estimate_a)),
        number(numbers.correlation(row.estimate_b)),
        number(numbers.correlation(row.difference)),
        number(numbers.p_value(row.p_value), row.significant_corrected),
        number(_mark(row)),
    ]
    if with_sizes:
        cells.append(number(f"{row.n_systems:,} × {row.n_inputs:,}"))
    return tuple(cells)


def _matrix_line(
    at: int, order: list[tuple[str, float]], tests: dict[tuple[str, str], ComparisonRow]
) -> tuple[Cell, ...]:
    metric, estimate = order[at]
    cells = [number(str(at + 1)), name(metric), number(numbers.correlation(estimate))]
    for other, _ in order:
        row = tests.get((metric, other))
        if row is None:
            cells.append(Cell(""))
        else:
            # marks are padded so that the digits of a column stand under each other
            text = numbers.p_value(row.p_value) + _mark(row).ljust(2)
            cells.append(number(text, row.significant_corrected))
    return tuple(cells)


def _cluster(rank: int, rows: Sequence[ClusterRow]) -> tuple[Cell, ...]:
    members = [f"{one_line(r.metric)} ({numbers.correlation(r.estimate)})" for r in rows if r.rank == rank]
    return number(str(rank)), Cell(", ".join(members))


def _order(result: Comparison, setting: Setting, rows: Sequence[ComparisonRow]) -> list[tuple[str, float]]:
    """Return the metrics, the best first, each with its correlation."""
    ranked = {c.metric: c.estimate for c in result.clusters if (c.human, c.level, c.statistic) == setting}
    seen = {row.metric_a: row.estimate_a for row in rows} | {row.metric_b: row.estimate_b for row in rows}
    estimates = seen | ranked
    return sorted(
        estimates.items(),
        key=lambda item: math.inf if math.isnan(item[1]) else -names.goodness(setting[2], item[1]),
    )


def _by_setting(rows: Sequence[ComparisonRow]) -> dict[Setting, list[ComparisonRow]]:
    groups: dict[Setting, list[ComparisonRow]] = {}
    for row in rows:
        groups.setdefault((row.human, row.level, row.statistic), []).append(row)
    return groups


def _without_mirrors(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Leave out B against A where a two-sided test says the same of A against B."""
    kept: dict[tuple[frozenset[str], bool, bool, str], ComparisonRow] = {}
    result = []
    for row in sorted(rows, key=lambda r: -r.difference if not math.isnan(r.difference) else math.inf):
        key = (
            frozenset((row.metric_a, row.metric_b)),
            row.significant,
            row.significant_corrected,
            str(row.p_value),
        )
        if row.alternative == "two-sided" and key in kept:
            continue
        kept[key] = row
        result.append(row)
    return result


def _by_p(row: ComparisonRow) -> tuple[float, float]:
    undefined = math.isnan(row.p_value)
    return (math.inf, 0.0) if undefined else (row.p_value, -row.difference)


def _mark(row: ComparisonRow) -> str:
    if row.significant_corrected and row.correction != "none":
        return "**"
    return "*" if row.significant else ""


def _claim(rows: Sequence[ComparisonRow]) -> str:
    return names.ALTERNATIVES.get(rows[0].alternative, "differs from") if rows else "differs from"


def _heading(result: Comparison) -> str:
    tests = distinct(f"{r.test}, {r.resamples:,} resamples" if r.resamples else r.test for r in result.table)
    return f"Metrics compared ({'; '.join(tests)})"


def _title(setting: Setting) -> str:
    human, level, statistic = setting
    return names.setting(one_line(human), level, statistic)


def _legend(result: Comparison, family: str) -> tuple[str, ...]:
    if not result.table:
        return ()
    row = result.table[0]
    uncorrected = f"* p ≤ {result.alpha:g}"
    if row.correction == "none":
        return (f"{uncorrected}, not corrected for the number of tests.",)
    per = f"over the tests of each {family}" if row.scope == "row" else "over the whole table"
    name = names.CORRECTIONS.get(row.correction, row.correction)
    return (f"{uncorrected}; ** also after {name} correction {per}.",)


def _bold(result: Comparison) -> str:
    corrected = any(row.correction != "none" for row in result.table)
    return "significant after correction" if corrected else "significant"


def _undefined(sections: Sequence[Section]) -> tuple[str, ...]:
    if not is_undefined(sections):
        return ()
    return (f"{numbers.DASH} undefined: scores that do not vary, or too few of them.",)
