"""Results in a sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers

if TYPE_CHECKING:
    from metassay.studies.compare import ClusterRow, Comparison, ComparisonRow


def verdicts(result: Comparison, statistic: str | None = None) -> tuple[str, ...]:
    """Say which metric agrees best, and whether it is significantly better than the next one.

    Parameters
    ----------
    result
        The comparison.
    statistic
        The only statistic to speak of; all of them by default.

    Returns
    -------
    tuple of str
        One sentence per human criterion, level and statistic.
    """
    settings = dict.fromkeys((c.human, c.level, c.statistic) for c in result.clusters)
    return tuple(_verdict(result, setting) for setting in settings if statistic in (None, setting[2]))


def none_agrees(metric: str, where: str, statistic: str, estimate: float) -> str:
    """Say that even the best metric does not rank as people do."""
    return (
        f"No metric agrees with people on {where}: the highest correlation is that of {one_line(metric)}, "
        f"{names.statistic(statistic)} {numbers.correlation(estimate)}."
    )


def _verdict(result: Comparison, setting: tuple[str, str, str]) -> str:
    human, level, statistic = setting
    mine = [c for c in result.clusters if (c.human, c.level, c.statistic) == setting]
    ranked = sorted(
        (c for c in mine if not math.isnan(c.estimate)), key=lambda c: -names.goodness(statistic, c.estimate)
    )
    where = f"{one_line(human)} at the {level} level"
    if not ranked:
        return f"Agreement on {where} is undefined for every metric."
    first = ranked[0]
    if first.estimate <= 0:
        return none_agrees(first.metric, where, statistic, first.estimate)
    best = (
        f"{one_line(first.metric)} agrees best with people on {where} "
        f"({names.statistic(statistic)} {numbers.correlation(first.estimate)})"
    )
    if len(ranked) == 1:
        return f"{best}."
    second = ranked[1]
    test = _test_between(result, setting, first, second)
    next_one = f"{one_line(second.metric)} ({numbers.correlation(second.estimate)})"
    if test is None:
        return f"{best}; it was not tested against the second, {next_one}."
    return f"{best}; the difference to the second, {next_one}, {_outcome(test)}."


def _test_between(
    result: Comparison, setting: tuple[str, str, str], first: ClusterRow, second: ClusterRow
) -> ComparisonRow | None:
    for row in result.table:
        pair = (row.metric_a, row.metric_b)
        # the test whose rejection says that the first is better
        wanted = (second.metric, first.metric) if row.alternative == "less" else (first.metric, second.metric)
        if (row.human, row.level, row.statistic) == setting and pair == wanted:
            return row
    return None


def _outcome(row: ComparisonRow) -> str:
    if math.isnan(row.p_value):
        return f"cannot be tested ({row.test} is undefined here)"
    p = numbers.p_value(row.p_value)
    p = f"p {p[0]} {p[1:]}" if p[0] in "<>" else f"p = {p}"
    tested = f"{row.test} test, {p}"
    correction = names.CORRECTIONS.get(row.correction)
    if not row.significant:
        return f"is not statistically significant ({tested})"
    if correction is None:
        return f"is statistically significant ({tested})"
    if row.significant_corrected:
        return f"is statistically significant ({tested}, also after {correction} correction)"
    return f"is not statistically significant after {correction} correction ({tested} before)"
