"""Which agreements are borrowed: criteria against each other, verdicts, groups of metrics, every number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table, distinct
from metassay.report.views.columns import (
    Shown,
    across,
    at,
    bold,
    build,
    figures,
    grouped,
    lines,
    optional,
    values,
    words,
)
from metassay.studies.criteria import Confounding, CriterionRow, CriterionVerdict, GroupDifference

MOST_IN_LIST = 24
"""With more rows than this, verdicts are easier to read than every number."""
METHODS = {
    "bucket": "in buckets",
    "partial": "by partial correlation",
    "partial-formula": "by the formula of partial correlation",
}
HUMAN = "human"
"""The field of rows that names the human criterion."""
WITHIN = "estimate_within within_low within_high"
MEANING = (
    "survives: the remaining agreement is significant; shrinks: it is significant, but less than half remains; "
    "vanishes: less than half remains, and it is not significant; undecided: the intervals are too wide to decide, or "
    "there is no significant agreement to begin with."
)


def default(result: Confounding) -> tuple[str, ...]:
    """Return the views that suit the number of metrics."""
    rows = sum(row.metric is not None for row in result.table)
    several = any(group.n_metrics > 1 for group in result.groups)
    last = ("groups",) if several else ()
    return ("criteria", "metrics", "verdicts") if rows <= MOST_IN_LIST else ("criteria", "verdicts", *last)


def criteria(result: Confounding) -> tuple[Table, ...]:
    """Return criterion against criterion: system level / global level / within buckets of the column's."""
    rows = [row for row in result.table if row.metric is None]

    def three(anchor: str) -> Shown:
        def text(line: list[CriterionRow]) -> str | None:
            system, whole = (
                next((row for row in line if (row.anchor, row.level) == (anchor, level)), None)
                for level in ("system", "global")
            )
            if system is None or whole is None:
                return None
            return " / ".join(map(numbers.two, (system.estimate, whole.estimate, whole.estimate_within)))

        return figures(one_line(anchor, 60), text)

    return build(
        "Criteria against each other",
        [f"criterion|{HUMAN}", *map(three, _anchors(rows))],
        [("", lines(rows, HUMAN))],
        f"{names.statistic(rows[0])} at system level / at global level / within buckets of the column.",
    )


def intervals(result: Confounding) -> tuple[Table, ...]:
    """Return criterion against criterion with intervals, a row per pair."""
    rows = [row for row in result.table if row.metric is None]
    columns = [
        at("system level|estimate low high|estimates", "level", "system"),
        at("global level|estimate low high|estimates", "level", "global"),
        at(f"within buckets|{WITHIN}|estimates", "level", "global"),
    ]
    return build(
        "Criteria against each other",
        [f"criterion|{HUMAN}", "anchor", *columns],
        [("", lines(rows, f"{HUMAN} anchor"))],
        _legend(rows),
    )


def metrics(result: Confounding) -> tuple[Table, ...]:
    """Return every agreement, a table per method and a section per criterion and what was held fixed."""
    columns = [
        "metric",
        bold("verdict|verdict|word", _vanishes),
        "agreement|estimate low high|estimates",
        f"held fixed|{WITHIN}|estimates",
        optional(words("", names.below_sentinels, key=False)),
        "relative difference|relative_difference relative_low relative_high|two",
    ]
    return tuple(
        table
        for method, here in grouped((row for row in result.table if row.metric and row.method), "method").items()
        for table in build(
            f"Agreement with another criterion held fixed, {METHODS[method]}",
            columns,
            [
                (f"{one_line(human)}, with {one_line(anchor)} held fixed", mine)
                for (human, anchor), mine in grouped(here, f"{HUMAN} anchor").items()
            ],
            _legend(here),
            names.sentinel_legend(here),
            MEANING,
            bold="it vanishes",
        )
    )


def verdicts(result: Confounding) -> tuple[Table, ...]:
    """Return what became of each agreement: a row per metric, a column per criterion, a table per method."""
    key = f"metric {HUMAN} method"
    tried = Counter(values(row, key) for row in result.table)
    below = {values(row, key): names.below_sentinels(row) for row in result.table if row.beats_sentinels is False}

    def said(verdict: CriterionVerdict) -> str:
        anchors = tried[values(verdict, key)]
        everywhere = verdict.verdict == "survives" or (anchors > 1 and len(verdict.anchors) == anchors)
        where = "" if everywhere else f" ({', '.join(one_line(a, 40) for a in verdict.anchors)})"
        return f"{verdict.verdict}{where} {below.get(values(verdict, key), '')}".rstrip()

    return tuple(
        table
        for method, here in grouped(result.verdicts, "method").items()
        for table in build(
            f"Agreement that remains with another criterion held fixed ({METHODS[method]})",
            [
                "metric",
                *across(here, HUMAN, lambda human: bold(words(one_line(human, 60), said, key=False), _vanishes)),
            ],
            [("", lines(here, "metric"))],
            "In brackets: the criteria that were held fixed; without brackets: all of them.",
            MEANING,
            names.sentinel_legend(row for row in result.table if row.method == method),
            bold="it vanishes",
        )
    )


def groups(result: Confounding) -> tuple[Table, ...]:
    """Return medians and quartiles of relative differences: a table per method, a section per group of metrics."""

    def quartiles(group: GroupDifference) -> str:
        low, middle, high = map(numbers.two, (group.lower_quartile, group.median, group.upper_quartile))
        return f"{middle} ({low}–{high})"

    found: list[Table] = []
    for method, here in grouped(result.groups, "method").items():
        anchors = [at(figures(one_line(anchor, 60), quartiles), "anchor", anchor) for anchor in _anchors(here)]
        found += build(
            f"Relative difference of the agreement with the column held fixed, {METHODS[method]}",
            [f"criterion|{HUMAN}", *anchors],
            [
                (f"{one_line(who)}: {numbers.counted(max(g.n_metrics for g in mine), 'metric')}", lines(mine, HUMAN))
                for who, mine in grouped(here, "group").items()
            ],
            "Median over the metrics (quartiles).",
        )
    return tuple(found)


def _anchors(rows: Sequence[Any]) -> list[str]:
    """Return the anchors in the order that the criteria have, so that both sides of a table agree."""
    anchors = distinct(row.anchor for row in rows)
    return sorted(anchors, key=distinct([*(values(row, HUMAN)[0] for row in rows), *anchors]).index)


def _vanishes(row: CriterionRow | CriterionVerdict) -> bool:
    return row.verdict == "vanishes"


def _legend(rows: Sequence[CriterionRow]) -> str:
    return f"{names.statistic(rows[0])}; in brackets: {names.draws(rows[0])}."
