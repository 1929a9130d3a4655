"""Which agreements are borrowed: criteria against each other, verdicts, groups of metrics, every number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.criteria import Confounding, CriterionRow, CriterionVerdict, GroupDifference

MOST_IN_LIST = 24
"""With more rows than this, verdicts are easier to read than every number."""
METHODS = {
    "bucket": "in buckets",
    "partial": "by partial correlation",
    "partial-formula": "by the formula of partial correlation",
}
UNDEFINED = f"{numbers.DASH} undefined: scores that do not vary, or too few of them."


def default(result: Confounding) -> tuple[str, ...]:
    """Return the views that suit the number of metrics."""
    rows = sum(row.metric is not None for row in result.table)
    several = any(group.n_metrics > 1 for group in result.groups)
    last = ("groups",) if several else ()
    return ("criteria", "metrics", "verdicts") if rows <= MOST_IN_LIST else ("criteria", "verdicts", *last)


def criteria(result: Confounding) -> tuple[Table, ...]:
    """Return criterion against criterion: system level / global level / within buckets of the column's."""
    rows = [row for row in result.table if row.metric is None]
    anchors = _anchors(rows)
    cells = {(row.human, row.anchor, row.level): row for row in rows}
    lines = []
    for criterion in distinct(row.human for row in rows):
        line = [name(criterion)]
        for anchor in anchors:
            system, whole = (cells.get((criterion, anchor, level)) for level in ("system", "global"))
            if system is None or whole is None:
                line.append(Cell(""))
                continue
            three = (system.estimate, whole.estimate, whole.estimate_within)
            line.append(number(" / ".join(numbers.fixed(value, 2) for value in three)))
        lines.append(tuple(line))
    sections = (Section("", tuple(lines)),)
    legend = [
        f"{names.statistic(rows[0].statistic)} at system level / at global level / within buckets of the column.",
    ]
    if is_undefined(sections):
        legend.append(UNDEFINED)
    columns = (Column("criterion", "left", key=True), *(Column(one_line(anchor, 60)) for anchor in anchors))
    return (Table("Criteria against each other", columns, sections, tuple(legend)),)


def intervals(result: Confounding) -> tuple[Table, ...]:
    """Return criterion against criterion with intervals, a row per pair."""
    rows = [row for row in result.table if row.metric is None]
    cells = {(row.human, row.anchor, row.level): row for row in rows}
    pairs = list(dict.fromkeys((row.human, row.anchor) for row in rows))
    system, whole = ([cells[(*pair, level)] for pair in pairs] for level in ("system", "global"))
    texts = (
        numbers.with_intervals([(row.estimate, row.low, row.high) for row in system]),
        numbers.with_intervals([(row.estimate, row.low, row.high) for row in whole]),
        numbers.with_intervals([(row.estimate_within, row.within_low, row.within_high) for row in whole]),
    )
    lines = [
        (name(criterion), name(anchor), *(number(text[at]) for text in texts))
        for at, (criterion, anchor) in enumerate(pairs)
    ]
    columns = (
        Column("criterion", "left", key=True),
        Column("anchor", "left", key=True),
        Column("system level"),
        Column("global level"),
        Column("within buckets"),
    )
    sections = (Section("", tuple(lines)),)
    return (Table("Criteria against each other", columns, sections, _legend(rows, sections)),)


def metrics(result: Confounding) -> tuple[Table, ...]:
    """Return every agreement, a table per method and a section per criterion and what was held fixed."""
    rows = [row for row in result.table if row.metric is not None]
    found = []
    for method in distinct(row.method for row in rows if row.method):
        here = [row for row in rows if row.method == method]
        whole = dict(
            zip(map(id, here), numbers.with_intervals([(r.estimate, r.low, r.high) for r in here]), strict=True)
        )
        ends = [(row.estimate_within, row.within_low, row.within_high) for row in here]
        within = dict(zip(map(id, here), numbers.with_intervals(ends), strict=True))
        sections = []
        for criterion, anchor in dict.fromkeys((row.human, row.anchor) for row in here):
            lines = [
                (
                    name(row.metric or ""),
                    Cell(row.verdict or "", row.verdict == "vanishes"),
                    number(whole[id(row)]),
                    number(within[id(row)]),
                    number(_relative(row)),
                )
                for row in here
                if (row.human, row.anchor) == (criterion, anchor)
            ]
            sections.append(Section(f"{one_line(criterion)}, with {one_line(anchor)} held fixed", tuple(lines)))
        columns = (
            Column("metric", "left", key=True),
            Column("verdict", "left"),
            Column("agreement"),
            Column("held fixed"),
            Column("relative difference"),
        )
        title = f"Agreement with another criterion held fixed, {METHODS[method]}"
        found.append(Table(title, columns, tuple(sections), (*_legend(here, sections), _meaning()), "it vanishes"))
    return tuple(found)


def verdicts(result: Confounding) -> tuple[Table, ...]:
    """Return what became of each agreement: a row per metric, a column per criterion, a table per method."""
    found = []
    tried = Counter((row.metric, row.human, row.method) for row in result.table)
    for method in distinct(verdict.method for verdict in result.verdicts):
        here = [verdict for verdict in result.verdicts if verdict.method == method]
        criteria_here = distinct(verdict.human for verdict in here)
        by_place = {(verdict.metric, verdict.human): verdict for verdict in here}
        lines = []
        for metric in distinct(verdict.metric for verdict in here):
            cells = [
                _verdict_cell(by_place.get((metric, criterion)), tried.get((metric, criterion, method), 0))
                for criterion in criteria_here
            ]
            lines.append((name(metric), *cells))
        columns = (Column("metric", "left", key=True), *(Column(one_line(c, 60), "left") for c in criteria_here))
        title = f"Does the agreement survive when another criterion is held fixed ({METHODS[method]})?"
        legend = (
            "In brackets: what was held fixed when this happened; without brackets, it happened with each.",
            _meaning(),
        )
        found.append(Table(title, columns, (Section("", tuple(lines)),), legend, "it vanishes"))
    return tuple(found)


def groups(result: Confounding) -> tuple[Table, ...]:
    """Return medians and quartiles of relative differences: a table per method, a section per group of metrics."""
    found = []
    for method in distinct(group.method for group in result.groups):
        here = [group for group in result.groups if group.method == method]
        anchors = _anchors(here)
        sections = []
        for title in distinct(group.group for group in here):
            mine = {(g.human, g.anchor): g for g in here if g.group == title}
            lines = [
                (name(criterion), *(_group_cell(mine.get((criterion, anchor))) for anchor in anchors))
                for criterion in distinct(criterion for criterion, _ in mine)
            ]
            most = max(g.n_metrics for g in mine.values())
            sections.append(Section(f"{one_line(title)}: {most} metric{'' if most == 1 else 's'}", tuple(lines)))
        columns = (Column("criterion", "left", key=True), *(Column(one_line(anchor, 60)) for anchor in anchors))
        legend = ["Median over the metrics (quartiles)."]
        if is_undefined(sections):
            legend.append(UNDEFINED)
        heading = f"Relative difference of the agreement with the column held fixed, {METHODS[method]}"
        found.append(Table(heading, columns, tuple(sections), tuple(legend)))
    return tuple(found)


def _anchors(rows: Sequence[CriterionRow] | Sequence[GroupDifference]) -> list[str]:
    """Return the anchors in the order that the criteria have, so that both sides of a table agree."""
    anchors = distinct(row.anchor for row in rows)
    order = distinct([*(row.human for row in rows), *anchors])
    return sorted(anchors, key=order.index)


def _verdict_cell(verdict: CriterionVerdict | None, anchors: int) -> Cell:
    if verdict is None:
        return Cell("")
    everywhere = verdict.verdict == "survives" or (anchors > 1 and len(verdict.anchors) == anchors)
    which = "" if everywhere else f" ({', '.join(one_line(a, 40) for a in verdict.anchors)})"
    return Cell(verdict.verdict + which, verdict.verdict == "vanishes")


def _group_cell(group: GroupDifference | None) -> Cell:
    if group is None:
        return Cell("")
    ends = f"{numbers.fixed(group.lower_quartile, 2)}–{numbers.fixed(group.upper_quartile, 2)}"
    return number(f"{numbers.fixed(group.median, 2)} ({ends})")


def _relative(row: CriterionRow) -> str:
    if math.isnan(row.relative_difference):
        return numbers.DASH
    ends = f"[{numbers.fixed(row.relative_low, 2)}, {numbers.fixed(row.relative_high, 2)}]"
    return f"{numbers.fixed(row.relative_difference, 2)} {ends}"


def _legend(rows: Sequence[CriterionRow], sections: Sequence[Section]) -> tuple[str, ...]:
    row = rows[0]
    legend = [
        f"{names.statistic(row.statistic)}; in brackets {100 * row.confidence:g}% intervals "
        f"({row.interval}, {row.resamples:,} resamples).",
    ]
    if is_undefined(sections):
        legend.append(UNDEFINED)
    return tuple(legend)


def _meaning() -> str:
    return (
        "survives: what is left is away from 0; shrinks: it is, but less than half is left; vanishes: less than half "
        "is left, and it may be 0; thin: the intervals leave it open, or show no agreement to begin with."
    )
