"""Which systems differ, as counts of significant pairs, a list of pairs, or a matrix of wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.systems import SystemComparison, SystemCount, SystemRow

MOST_IN_LIST = 15
"""With more pairs than this, counts are easier to read than a list."""

Method = tuple[str, str]
"""A cut-off and a test."""
CLAIMS = {"greater": "scores higher than", "less": "scores lower than", "two-sided": "scores higher or lower than"}
CUTOFFS = {
    "theory": "cut-offs from theory",
    "mc": "cut-offs by swapping (mc)",
    "hb": "cut-offs by resampling (hb)",
    "resampled": "p-values by resampling",
}
WINS = {1: "+", -1: "-", 0: "·"}


def default(result: SystemComparison) -> tuple[str, ...]:
    """Return the views that suit the number of pairs."""
    pairs = {(row.metric, row.system_a, row.system_b) for row in result.table[: 16 * MOST_IN_LIST]}
    return ("list", "counts") if len(pairs) <= MOST_IN_LIST else ("counts",)


def counts(result: SystemComparison) -> tuple[Table, ...]:
    """Return how many pairs each test tells apart: a section for all pairs and each two groups, per cut-off."""
    tests = distinct(count.test for count in result.counts)
    several = len({count.cutoff for count in result.counts}) > 1
    cells: dict[tuple[str | None, str | None, str], dict[str, dict[str, SystemCount]]] = {}
    for count in result.counts:
        by_metric = cells.setdefault((count.group_a, count.group_b, count.cutoff), {})
        by_metric.setdefault(count.metric, {})[count.test] = count
    # Cut-offs of the same pairs stand beneath each other.
    groups = list(dict.fromkeys((a, b) for a, b, _ in cells))
    keys = sorted(cells, key=lambda key: groups.index(key[:2]))
    sections = tuple(_count_section(cells[key], tests, several) for key in keys)
    columns = (Column("metric", "left", key=True), *(Column(test) for test in tests))
    legend = [_level(result)]
    if any(_mixed(count) for count in result.counts):
        legend.append(
            "In brackets, where some point each way: pairs in which the first group's system is better by the test."
        )
    if any(count.n_undefined for count in result.counts):
        legend.append("Pairs that cannot be tested count as no difference.")
    title = "Pairs of systems that differ significantly"
    return (Table(title, columns, sections, tuple(legend), "the most of each row"),)


def ordered(result: SystemComparison) -> tuple[Table, ...]:
    """Return every pair of systems with its mean difference and the p-value of each test."""
    methods = _methods(result)
    sections = []
    for metric in distinct(row.metric for row in result.table):
        pairs: dict[tuple[str, str], dict[Method, SystemRow]] = {}
        for row in result.table:
            if row.metric == metric:
                pairs.setdefault((row.system_a, row.system_b), {})[row.cutoff, row.test] = row
        judge = methods[-1]
        lines = [_pair_line(rows, methods) for rows in sorted(pairs.values(), key=lambda rows: _by_p(rows[judge]))]
        sections.append(Section(one_line(metric), tuple(lines)))
    columns = [Column("A", "left", key=True), Column("B", "left", key=True), Column("difference A − B")]
    columns += [Column(f"p {_heading(method, methods)}") for method in methods]
    columns.append(Column("inputs"))
    of_whole = methods[0][0] == "resampled"
    kind = "difference (bootstrap percentiles)" if of_whole else "mean difference (paired t)"
    brackets = [f"In brackets: {100 * (1 - result.alpha):g}% interval of the {kind}."]
    legend = [
        *([] if of_whole and all(math.isnan(row.low) for row in result.table) else brackets),
        f"Small p: A {_claim(result)} B. {_marks(result)}",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: fewer than two common inputs, or never a difference.")
    return (Table("Systems compared", tuple(columns), tuple(sections), tuple(legend), "significant"),)


def matrix(result: SystemComparison) -> tuple[Table, ...]:
    """Return who beats whom: a table per metric and method, systems with most wins first."""
    tables: dict[tuple[str, str, str], list[SystemRow]] = {}
    for row in result.table:
        tables.setdefault((row.metric, row.cutoff, row.test), []).append(row)
    return tuple(_wins(setting, rows, result) for setting, rows in tables.items())


def _count_section(by_metric: dict[str, dict[str, SystemCount]], tests: list[str], several: bool) -> Section:
    one = next(iter(next(iter(by_metric.values())).values()))
    a, b = one.group_a, one.group_b
    who = "all systems" if a is None or b is None else f"{one_line(a, 40)} × {one_line(b, 40)}"
    cutoff = f", {CUTOFFS[one.cutoff]}" if several or one.cutoff != "theory" else ""
    lines = tuple(_count_line(metric, [found[test] for test in tests]) for metric, found in by_metric.items())
    pairs = f"{one.n_pairs:,} pair{'' if one.n_pairs == 1 else 's'}"
    return Section(f"{who}: {pairs}{cutoff}", lines)


def _count_line(metric: str, found: Sequence[SystemCount]) -> tuple[Cell, ...]:
    most = max(count.n_significant_corrected for count in found)
    cells = [name(metric)]
    for count in found:
        differ = count.n_significant_corrected
        text = f"{differ:,} ({count.n_a_better:,})" if _mixed(count) else f"{differ:,}"
        cells.append(number(text, differ == most))
    return tuple(cells)


def _mixed(count: SystemCount) -> bool:
    """Return whether differences between two groups point both ways."""
    return count.group_a != count.group_b and count.n_a_better > 0 and count.n_b_better > 0


def _pair_line(rows: dict[Method, SystemRow], methods: list[Method]) -> tuple[Cell, ...]:
    one = rows[methods[0]]
    # approximate randomization has no interval
    ends = (
        ""
        if math.isnan(one.low) and one.n_inputs > 1
        else f" [{numbers.general(one.low)}, {numbers.general(one.high)}]"
    )
    cells = [name(one.system_a), name(one.system_b), number(f"{numbers.general(one.mean_difference)}{ends}")]
    for method in methods:
        row = rows[method]
        cells.append(number(numbers.p_value(row.p_value) + _mark(row).ljust(2), row.significant_corrected))
    return (*cells, number(f"{one.n_inputs:,}"))


def _wins(setting: tuple[str, str, str], rows: Sequence[SystemRow], result: SystemComparison) -> Table:
    metric, cutoff, test = setting
    systems = distinct(label for row in rows for label in (row.system_a, row.system_b))
    won: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.significant_corrected:
            sign = (row.statistic > 0) - (row.statistic < 0)
            won[row.system_a, row.system_b], won[row.system_b, row.system_a] = sign, -sign
        else:
            won.setdefault((row.system_a, row.system_b), 0)
            won.setdefault((row.system_b, row.system_a), 0)
    score = {one: sum(won.get((one, other), 0) for other in systems) for one in systems}
    order = sorted(systems, key=lambda system: -score[system])
    lines = []
    for at, one in enumerate(order):
        marks = [Cell("" if one == other else WINS[won.get((one, other), 0)]) for other in order]
        lines.append((number(str(at + 1)), name(one), *marks))
    numbered = (Column(str(at + 1)) for at in range(len(order)))
    columns = (Column("", key=True), Column("system", "left", key=True), *numbered)
    legend = (
        "+ the system of the row is better, - it is worse, · not significant. Columns are numbered like the rows.",
    )
    title = f"Who beats whom: {one_line(metric)}, {test}, {cutoff}"
    return Table(title, columns, (Section("", tuple(lines)),), (*legend, _level(result)))


def _methods(result: SystemComparison) -> list[Method]:
    return list(dict.fromkeys((count.cutoff, count.test) for count in result.counts))


def _heading(method: Method, methods: list[Method]) -> str:
    cutoff, test = method
    several = len({cutoff for cutoff, _ in methods}) > 1 or cutoff not in ("theory", "resampled")
    return f"{test} {cutoff}" if several else test


def _by_p(row: SystemRow) -> tuple[float, float]:
    return (math.inf, 0.0) if math.isnan(row.p_value) else (row.p_value, -abs(row.mean_difference))


def _mark(row: SystemRow) -> str:
    if row.significant_corrected and row.correction != "none":
        return "**"
    return "*" if row.significant else ""


def _claim(result: SystemComparison) -> str:
    return CLAIMS[result.table[0].alternative]


def _marks(result: SystemComparison) -> str:
    correction = result.table[0].correction
    if correction == "none":
        return f"* p ≤ {result.alpha:g}, not corrected for the number of tests."
    return f"* p ≤ {result.alpha:g}; ** also after {names.CORRECTIONS[correction]} correction."


def _level(result: SystemComparison) -> str:
    row = result.table[0]
    sides = "two-sided" if row.alternative == "two-sided" else f"one-sided: the first {_claim(result)} the second"
    if row.correction == "none":
        return f"p ≤ {result.alpha:g}, {sides}, not corrected for the number of tests."
    return f"p ≤ {result.alpha:g}, {sides}, after {names.CORRECTIONS[row.correction]} correction over all pairs."
