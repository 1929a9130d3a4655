"""What score differences mean: how often people agree with them, and which difference it takes."""

from __future__ import annotations

import math

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, across, build, figures, grouped, lines, optional, words
from metassay.report.views.pairs import difference
from metassay.studies.differences import Differences, MeaningRow, NeededRow

TIED = "all pairs of systems are tied"


def default(result: Differences) -> tuple[str, ...]:
    """Return both directions, and the ranges of a single metric."""
    return (
        ("meaning", "needed", "ranges") if len(grouped(result.ranges, "metric human")) == 1 else ("meaning", "needed")
    )


def meaning(result: Differences) -> tuple[Table, ...]:
    """Return how often people agree with differences, all tasks first."""
    each = grouped(result.table, "metric human task").values()
    same = len({tuple(row.difference for row in rows) for rows in each}) == 1
    beyond = any(row.difference > row.largest > 0 for row in result.table)

    def text(row: MeaningRow) -> str:
        mark = "‡" if row.difference > row.largest > 0 else ""
        return f"{numbers.percent_range(row.agreement, row.low, row.high)}{mark}"

    def cells(size: float) -> Shown:
        return figures(f"+{difference(size)}", text)

    legend = (
        f"Probability that people prefer the system with the better score; {_told(result)}.",
        beyond and "‡ beyond the largest difference in the data, where the curve extrapolates.",
        names.sentinel_legend(result.table),
    )
    title = "Meaning of score differences"
    if same:
        made = ["metric", _marked(), *_task(result), *across(result.table, "difference", cells)]
        sections = [(one_line(h), lines(rows, "metric task")) for h, rows in grouped(result.table, "human").items()]
        return build(title, made, sections, *legend, undefined=TIED)
    made = [
        *_task(result),
        figures("difference", lambda row: f"+{difference(row.difference)}", key=True),
        figures("people agree", text),
    ]
    sections = [
        (f"{one_line(m)}{names.below_sentinels(rows[0])} against {one_line(h)}", rows)
        for (m, h), rows in grouped(result.table, "metric human").items()
    ]
    return build(title, made, sections, *legend, undefined=TIED)


def needed(result: Differences) -> tuple[Table, ...]:
    """Return the differences that agreement takes, all tasks first."""

    def text(row: NeededRow) -> str:
        if math.isnan(row.needed):
            return numbers.DASH
        beyond = "‡" if row.largest < row.needed < math.inf else ""
        ends = ", ".join(difference(end, 2) for end in (row.low, row.high))
        return f"{difference(row.needed, 2)}{beyond} [{ends}]"

    written = "".join(map(text, result.needed))
    return build(
        "Score difference needed for people to agree",
        [
            "metric",
            _marked(),
            *_task(result),
            *across(result.needed, "agreement", lambda share: figures(f"for {numbers.percent(share)}", text)),
            figures("largest in data", lambda line: difference(line[0].largest, 2)),
        ],
        [(one_line(h), lines(rows, "metric task")) for h, rows in grouped(result.needed, "human").items()],
        f"From the fitted curve; {_told(result)}.",
        "‡" in written and "‡ beyond the largest difference in the data, where the curve extrapolates.",
        names.sentinel_legend(result.needed),
        "∞" in written and "∞ never: the curve does not rise.",
        undefined=TIED,
    )


def ranges(result: Differences) -> tuple[Table, ...]:
    """Return the share of pairs on which people agree, by ranges of differences, as counted over all tasks."""
    shown = [row for row in result.ranges if row.task == "all"]
    return build(
        "Pairs of systems by score difference, as counted",
        [
            figures("difference", lambda row: f"{difference(row.lower)} to {difference(row.upper)}", key=True),
            "pairs|n_pairs|count",
            "people agree|agreement low high|percent_range",
        ],
        [(f"{one_line(m)} against {one_line(h)}", rows) for (m, h), rows in grouped(shown, "metric human").items()],
        f"Share of pairs without ties; {_told(result)}.",
        undefined="no pair without ties",
    )


def _marked() -> Shown:
    """Return the column of marks of metrics that are not shown to be better than sentinels, if there are any."""
    return optional(words("", lambda line: names.below_sentinels(line[0]), key=False))


def _task(result: Differences) -> list[Shown]:
    """Return the column of tasks, if there are several."""
    return [words("task", "task")] if len({row.task for row in result.table}) > 1 else []


def _told(result: Differences) -> str:
    first = result.table[0]
    return f"in brackets: {numbers.level(first.confidence)} CI (systems and inputs, {first.resamples:,} resamples)"
