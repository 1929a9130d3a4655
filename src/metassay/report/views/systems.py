"""Which systems differ, as counts of significant pairs, a list of pairs, or a matrix of wins."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table, distinct
from metassay.report.views.columns import Shown, across, bold, build, figures, grouped, lines, words
from metassay.studies.systems import SystemComparison, SystemCount, SystemRow

MOST_IN_LIST = 15
"""With more pairs than this, counts are easier to read than a list."""
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
    """Return how many pairs each test finds to differ: a section for all pairs and each two groups, per cut-off."""
    several = len({count.cutoff for count in result.counts}) > 1
    most = {
        key: max(count.n_significant_corrected for count in mine)
        for key, mine in grouped(result.counts, "group_a group_b cutoff metric").items()
    }

    def column(test: str) -> Shown:
        shown = figures(test, lambda c: f"{c.n_significant_corrected:,}" + f" ({c.n_a_better:,})" * _mixed(c))
        return bold(shown, lambda c: c.n_significant_corrected == most[c.group_a, c.group_b, c.cutoff, c.metric])

    def title(one: SystemCount) -> str:
        a, b = one.group_a, one.group_b
        who = "all systems" if a is None or b is None else f"{one_line(a, 40)} × {one_line(b, 40)}"
        cutoff = f", {CUTOFFS[one.cutoff]}" if several or one.cutoff != "theory" else ""
        return f"{who}: {numbers.counted(one.n_pairs, 'pair')}{cutoff}"

    return build(
        "Pairs of systems that differ significantly",
        ["metric", *across(result.counts, "test", column)],
        [
            (title(mine[0]), lines(mine, "metric"))
            # cut-offs of the same pairs stand beneath each other
            for pairs in grouped(result.counts, "group_a group_b").values()
            for mine in grouped(pairs, "cutoff").values()
        ],
        _level(result),
        any(map(_mixed, result.counts))
        and "In brackets, if differences go both ways: pairs in which the system of the first group is better.",
        any(count.n_undefined for count in result.counts) and "Pairs that cannot be tested count as no difference.",
        bold="the most of each row",
    )


def list_(result: SystemComparison) -> tuple[Table, ...]:
    """Return every pair of systems with its mean difference and the p-value of each test."""
    methods = list(grouped(result.counts, "cutoff test"))
    several = len({cutoff for cutoff, _ in methods}) > 1

    def column(method: tuple[str, str]) -> Shown:
        cutoff, test = method
        named = several or cutoff not in ("theory", "resampled")
        header = f"p {test} {cutoff}" if named else f"p {test}"
        return bold(figures(header, names.starred), lambda row: row.significant_corrected)

    def difference(line: list[SystemRow]) -> str:
        row = line[0]
        # approximate randomization has no interval
        bare = math.isnan(row.low) and row.n_inputs > 1
        if bare:
            return numbers.general(row.mean_difference)
        return numbers.made_of("{} [{}, {}]", *map(numbers.general, (row.mean_difference, row.low, row.high)))

    def by_p(line: list[SystemRow]) -> tuple[float, float]:
        row = line[-1]
        return (math.inf, 0.0) if math.isnan(row.p_value) else (row.p_value, -abs(row.mean_difference))

    of_whole = methods[0][0] == "resampled"
    kind = "difference (bootstrap percentiles)" if of_whole else "mean difference (paired t)"
    bare = of_whole and all(math.isnan(row.low) for row in result.table)
    ordered = sorted(result.table, key=lambda row: methods.index((row.cutoff, row.test)))
    return build(
        "Systems compared",
        [
            *("A|system_a", "B|system_b"),
            figures("difference A − B", difference),
            *across(ordered, "cutoff test", column),
            "inputs|n_inputs|count",
        ],
        [
            (one_line(metric), sorted(lines(rows, "system_a system_b"), key=by_p))
            for metric, rows in grouped(ordered, "metric").items()
        ],
        not bare and f"In brackets: {numbers.level(1 - result.alpha)} CI of the {kind}.",
        f"Small p: A {_claim(result)} B. {names.starred_legend(result.alpha, result.table[0].correction)}",
        undefined="fewer than two common inputs, or never a difference",
        bold="significant",
    )


def matrix(result: SystemComparison) -> tuple[Table, ...]:
    """Return who beats whom: a table per metric and method, systems with most wins first."""
    return tuple(_wins(rows, result) for rows in grouped(result.table, "metric cutoff test").values())


def _wins(rows: Sequence[SystemRow], result: SystemComparison) -> Table:
    systems = distinct(label for row in rows for label in (row.system_a, row.system_b))
    won: dict[tuple[str, str], int] = {}
    for row in rows:
        sign = ((row.test_statistic > 0) - (row.test_statistic < 0)) * row.significant_corrected
        for pair, each in (((row.system_a, row.system_b), sign), ((row.system_b, row.system_a), -sign)):
            won[pair] = each or won.get(pair, 0)
    order = sorted(systems, key=lambda one: -sum(won.get((one, other), 0) for other in systems))

    def column(other: str) -> Shown:
        return figures(
            str(order.index(other) + 1), lambda one: None if one == other else WINS[won.get((one, other), 0)]
        )

    (table,) = build(
        f"Tests of all pairs: {one_line(rows[0].metric)}, {rows[0].test}, {rows[0].cutoff}",
        [
            figures("", lambda one: order.index(one) + 1, str, key=True),
            words("system", lambda one: one),
            *map(column, order),
        ],
        [("", order)],
        "+ the system of the row is better, - it is worse, · not significant. Columns are numbered like the rows.",
        _level(result),
        undefined=None,
    )
    return table


def _mixed(count: SystemCount) -> bool:
    """Return whether differences between two groups point both ways."""
    return count.group_a != count.group_b and count.n_a_better > 0 and count.n_b_better > 0


def _claim(result: SystemComparison) -> str:
    return CLAIMS[result.table[0].alternative]


def _level(result: SystemComparison) -> str:
    row = result.table[0]
    sides = "two-sided" if row.alternative == "two-sided" else f"one-sided: the first {_claim(result)} the second"
    correction = names.CORRECTIONS.get(row.correction)
    after = f"after {correction} correction over all pairs" if correction else "not corrected for the number of tests"
    return f"p ≤ {result.alpha:g}, {sides}, {after}."
