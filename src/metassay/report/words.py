"""Results in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metassay.core import vocabulary
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.views.columns import grouped, values

if TYPE_CHECKING:
    from metassay.studies.agree import AgreementRow
    from metassay.studies.compare import Comparison, ComparisonRow, RankRow


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
    tests = grouped(result.table, names.SETTING)
    return tuple(
        _verdict(mine, tests.get(setting, []))
        for setting, mine in grouped(result.ranks, names.SETTING).items()
        if statistic in (None, values(mine[0], names.STATISTIC)[0])
    )


def best_first(rows: Sequence[Any]) -> list[Any]:
    """Return the metrics whose agreement is defined, the best first; sentinels and people are none."""
    own = [row for row in rows if getattr(row, "kind", "metric") == "metric" and not math.isnan(row.estimate)]
    return sorted(own, key=lambda row: -names.goodness(row))


def none_agrees(best: AgreementRow | RankRow) -> str | None:
    """Say that even the best metric does not rank as people do; None if it does."""
    if best.estimate > 0 or not vocabulary.is_correlation(values(best, names.STATISTIC)[0]):
        return None
    return (
        f"No metric agrees with people on {where(best)}: the highest correlation is that of {one_line(best.metric)}, "
        f"{names.statistic(best)} {numbers.correlation(best.estimate)}."
    )


def where(row: AgreementRow | RankRow) -> str:
    """Return on what, and at which level, metrics agree."""
    return f"{one_line(row.human)} at the {row.level} level"


def _verdict(rows: Sequence[RankRow], tests: Sequence[ComparisonRow]) -> str:
    ranked = best_first(rows)
    if not ranked:
        return f"Agreement on {where(rows[0])} is undefined for every metric."
    first = ranked[0]
    if (nobody := none_agrees(first)) is not None:
        return nobody
    best = (
        f"{one_line(first.metric)} agrees best with people on {where(first)} "
        f"({names.statistic(first)} {numbers.correlation(first.estimate)})"
    )
    if len(ranked) == 1:
        return f"{best}."
    second = ranked[1]
    next_one = f"{one_line(second.metric)} ({numbers.correlation(second.estimate)})"
    for row in tests:
        # the test whose rejection says that the first is better
        pair = (row.metric_b, row.metric_a) if row.alternative == "less" else (row.metric_a, row.metric_b)
        if pair == (first.metric, second.metric):
            return f"{best}; the difference to the second, {next_one}, {_outcome(row)}.{_contenders(ranked)}"
    return f"{best}; it was not tested against the second, {next_one}."


def _contenders(ranked: Sequence[RankRow]) -> str:
    """Say how many metrics may be the best, if there are more than two to choose from."""
    first = [row for row in ranked if row.rank_low == 1]
    if len(ranked) < 3 or len(first) == 1:
        return ""
    many = "All" if len(first) == len(ranked) else f"{len(first)} of"
    return f" {many} {len(ranked)} metrics may be the best (rank 1 is among their possible ranks)."


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
