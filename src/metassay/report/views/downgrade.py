"""Which damage metrics notice: a table of metrics, curves over rates, and every system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.downgrade import Downgrade, DowngradeCount, DowngradeRow

Damage = tuple[str, float]
"""A kind and a rate."""


def default(result: Downgrade) -> tuple[str, ...]:
    """Return the curve beside the table where a kind of damage has several rates."""
    damages = {(count.kind, count.rate) for count in result.counts}
    several = len(damages) > len({kind for kind, _ in damages})
    if several:
        return ("table", "curve")
    return ("table", "systems") if len(result.counts) == 1 else ("table",)


def table(result: Downgrade) -> tuple[Table, ...]:
    """Return how many systems each metric noticed: a section per damage, at the highest rate of each kind."""
    highest: dict[str, float] = {}
    for count in result.counts:
        highest[count.kind] = max(count.rate, highest.get(count.kind, 0.0))
    sections = []
    for kind, rate in highest.items():
        here = [count for count in result.counts if (count.kind, count.rate) == (kind, rate)]
        sections.append(Section(_title(here[0]), tuple(_line(count) for count in here)))
    columns = (
        Column("metric", "left", key=True),
        Column("noticed"),
        Column("share"),
        Column("score fell"),
        Column("mean change"),
        Column("ranks lost"),
    )
    one = result.table[0]
    legend = [
        f"Noticed: systems that fell below one that had been significantly lower ({one.test}, p ≤ {one.alpha:g}), of "
        "those that had such a one.",
        f"In brackets: {100 * result.counts[0].confidence:g}% binomial intervals. Score fell: systems whose score fell "
        "significantly, however little.",
        "Mean change: in standard deviations of the systems' mean scores.",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: no system could be noticed, or systems' scores do not differ.")
    return (Table("Is damage noticed?", columns, tuple(sections), tuple(legend)),)


def curve(result: Downgrade) -> tuple[Table, ...]:
    """Return the share of systems noticed by the share of units damaged: a section per kind of damage."""
    rates = sorted({count.rate for count in result.counts})
    cells = {(count.kind, count.metric, count.rate): count for count in result.counts}
    sections = []
    for kind in distinct(count.kind for count in result.counts):
        mine = [count for count in result.counts if count.kind == kind]
        lines = [
            (name(metric), *(_curve_cell(cells.get((kind, metric, rate))) for rate in rates))
            for metric in distinct(count.metric for count in mine)
        ]
        sections.append(Section(_about(mine[0]), tuple(lines)))
    columns = (Column("metric", "left", key=True), *(Column(f"{100 * rate:g}%") for rate in rates))
    legend = (
        "By the share of units that is damaged: share of testable systems that were noticed (mean change of the score, "
        "in standard deviations).",
    )
    return (Table("How much damage is noticed?", columns, tuple(sections), legend),)


def systems(result: Downgrade) -> tuple[Table, ...]:
    """Return every system: its ranks, whom it could have fallen below, and how its score changed."""
    groups: dict[tuple[str, Damage], list[DowngradeRow]] = {}
    for row in result.table:
        groups.setdefault((row.metric, (row.kind, row.rate)), []).append(row)
    sections = []
    for (metric, _), rows in groups.items():
        ordered = sorted(rows, key=lambda row: row.rank_before or len(rows) + 1)
        sections.append(Section(f"{one_line(metric)}: {_title(rows[0])}", tuple(_system_line(row) for row in ordered)))
    columns = (
        Column("system", "left", key=True),
        Column("rank before"),
        Column("rank after"),
        Column("lower"),
        Column("passed by"),
        Column("mean change"),
        Column("p"),
    )
    legend = [
        "Lower: systems that had been significantly lower. Passed by: how many of those it fell below. p: that its "
        "score fell.",
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: no score changed, or there is none.")
    return (Table("Systems damaged one at a time", columns, tuple(sections), tuple(legend)),)


def _title(one: DowngradeCount | DowngradeRow) -> str:
    return f"{_about(one)}, {100 * one.rate:g}% of the units"


def _about(one: DowngradeCount | DowngradeRow) -> str:
    against = f" (against {one_line(one.human, 40)})" if one.human else ""
    return f"{one_line(one.kind, 60)}{against}"


def _line(count: DowngradeCount) -> tuple[Cell, ...]:
    return (
        name(count.metric),
        number(f"{count.n_noticed} of {count.n_testable}"),
        number(numbers.percent_range(count.share, count.low, count.high)),
        number(f"{count.n_fell} of {count.n_systems}"),
        number(numbers.fixed(count.mean_change, 2)),
        number(numbers.fixed(count.mean_rank_change, 1)),
    )


def _curve_cell(count: DowngradeCount | None) -> Cell:
    if count is None:
        return Cell("")
    return number(f"{numbers.percent(count.share)} ({numbers.fixed(count.mean_change, 2)})")


def _system_line(row: DowngradeRow) -> tuple[Cell, ...]:
    ranks = (numbers.DASH if rank is None else str(rank) for rank in (row.rank_before, row.rank_after))
    return (
        name(row.system, bool(row.noticed)),
        *(number(rank) for rank in ranks),
        number(str(row.n_lower)),
        number(str(row.passed_by), bool(row.noticed)),
        number(numbers.general(row.change)),
        number(numbers.p_value(row.p_value)),
    )
