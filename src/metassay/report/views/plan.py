"""What other numbers of inputs, systems and annotators would bring, what is needed, and how well people agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, number

if TYPE_CHECKING:
    from metassay.studies.plan import Plan, PlanRow

MOST_CURVES = 3
"""With more metrics and criteria than this, only what is needed is shown unless curves are asked for."""

METHODS = {
    "split-annotators": "two halves of the annotators",
    "split-inputs": "two halves of the inputs",
    "alpha-ordinal": "Krippendorff's α, ordinal",
    "alpha-interval": "Krippendorff's α, interval",
}


def default(result: Plan) -> tuple[str, ...]:
    """Return the views that suit the number of metrics and criteria."""
    few = len({_key(row) for row in result.table}) <= MOST_CURVES
    return ("curves", "needs", "ceiling") if few else ("needs", "ceiling")


def curves(result: Plan) -> tuple[Table, ...]:
    """Return a row per number, in a section per metric, criterion and axis."""
    rows = result.table
    powered = rows[0].metric_b is not None
    data = any(not math.isnan(row.width_data) for row in rows)
    ceilings = any(not math.isnan(row.ceiling) for row in rows)
    sections = []
    for key in dict.fromkeys(map(_key, rows)):
        for axis in distinct(row.axis for row in rows if _key(row) == key):
            lines = []
            for row in (row for row in rows if _key(row) == key and row.axis == axis):
                value = row.power if powered else row.width
                mark = " " if row.extrapolated else "*"
                ends = f"[{numbers.fixed(row.low, 2)}, {numbers.fixed(row.high, 2)}]"
                shown = numbers.DASH if math.isnan(value) else f"{numbers.fixed(value, 2)} {ends}"
                cells = [number(f"{row.n:,}{mark}"), number(shown, row.reached)]
                if data:
                    gone = row.extrapolated or axis == "annotators"
                    cells.append(number("" if gone else numbers.fixed(row.width_data, 2)))
                cells.append(number(numbers.fixed(row.estimate, 2)))
                if ceilings:
                    cells.append(number(numbers.fixed(row.ceiling, 2)))
                lines.append((*cells, number(f"{row.annotations:,.0f}")))
            sections.append(Section(f"{_title(key)}: {axis}", tuple(lines)))
    columns = [Column("n", key=True), Column("power" if powered else "width")]
    columns += [Column("in the data")] if data else []
    columns += [Column("difference" if powered else "correlation")]
    columns += [Column("ceiling")] if ceilings else []
    columns += [Column("judgments")]
    legend = [
        f"{_what(rows[0])} if there are n of one thing and the others stay as they are, in data sets drawn from a "
        "world like the data; in brackets the 95% error of the simulation. * not more than the data have."
    ]
    if data:
        legend.append("In the data: width of the interval on random parts of the data, without any model.")
    if ceilings:
        legend.append("Ceiling: correlation of a metric that knows what all annotators would say on average.")
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: too few data.")
    title = "How does power grow?" if powered else "How narrow do intervals get?"
    return (Table(title, tuple(columns), tuple(sections), tuple(legend), "the target is reached"),)


def needs(result: Plan) -> tuple[Table, ...]:
    """Return a row per axis: how many are needed, and what the next annotations buy."""
    powered = result.table[0].metric_b is not None
    sections = []
    for key in dict.fromkeys(map(_key, result.table)):
        mine = [need for need in result.needs if (need.metric, need.metric_b, need.human) == key]
        best = (max if powered else min)(mine, key=lambda need: need.gain)
        lines = []
        for need in mine:
            gain = numbers.fixed(100 * need.gain, 1)
            gain = f"{'+' if float(gain) > 0 else ''}{gain}{'' if powered else '%'}"
            lines.append(
                (
                    Cell(need.axis),
                    number(f"{need.now:,.3g}" if need.now < 1000 else f"{need.now:,.0f}"),
                    number(numbers.DASH if need.needed is None else f"{need.needed:,}"),
                    number("" if math.isnan(need.annotations) else f"{need.annotations:,.0f}"),
                    number("" if math.isnan(need.limit) else numbers.fixed(need.limit, 2)),
                    number(gain, need is best),
                )
            )
        sections.append(Section(_title(key), tuple(lines)))
    goal = result.table[0].target
    columns = (
        Column("", "left", key=True),
        Column("now"),
        Column("needed"),
        Column("more judgments"),
        Column("with endlessly many"),
        Column(f"next {result.annotations:,}"),
    )
    unit = "points of power" if powered else "the width"
    legend = [
        f"Needed: about how many, the others as they are, for a {'power' if powered else 'width'} of {goal:g}; "
        f"{numbers.DASH} none that was tried is enough.",
        f"Next {result.annotations:,}: what so many single judgments change in {unit}, spent on this alone.",
    ]
    return (Table("What is needed?", columns, tuple(sections), tuple(legend), "where they buy most"),)


def ceiling(result: Plan) -> tuple[Table, ...]:
    """Return how well people agree, in a section per criterion."""
    sections = []
    for human in distinct(row.human for row in result.ceilings):
        lines = []
        for row in (row for row in result.ceilings if row.human == human):
            ends = f"[{numbers.bound(row.low)}, {numbers.bound(row.high)}]"
            known = not math.isnan(row.reliability)
            alpha = row.method.startswith("alpha")
            lines.append(
                (
                    Cell(row.unit),
                    Cell(METHODS[row.method]),
                    number(f"{row.n:,}"),
                    number("" if alpha else numbers.fixed(row.half, 2)),
                    number(f"{numbers.fixed(row.reliability, 2)} {ends}" if known else numbers.DASH),
                    number("" if alpha else numbers.fixed(row.ceiling, 2)),
                )
            )
        sections.append(Section(one_line(human), tuple(lines)))
    if not sections:
        return ()
    columns = (
        Column("of", "left", key=True),
        Column("from", "left"),
        Column("n"),
        Column("half"),
        Column("reliability"),
        Column("ceiling"),
    )
    legend = [
        "Half: Pearson correlation of two halves, on average. Reliability: of all n, by Spearman-Brown, or α. Ceiling: "
        "its root, the most that a metric's Pearson correlation can be: on these inputs (annotators), or for one that "
        "knows the systems but not the inputs (inputs)."
    ]
    if is_undefined(sections):
        legend.append(f"{numbers.DASH} undefined: too few ratings, or ratings that do not vary.")
    return (Table("How well do people agree?", columns, tuple(sections), tuple(legend)),)


def _key(row: PlanRow) -> tuple[str, str | None, str]:
    return row.metric, row.metric_b, row.human


def _title(key: tuple[str, str | None, str]) -> str:
    metric, other, human = key
    return f"{one_line(metric)}{'' if other is None else ' against ' + one_line(other)}, {one_line(human)}"


def _what(row: PlanRow) -> str:
    where = f"{row.level} level, {names.statistic(row.statistic)}"
    if row.metric_b is not None:
        return f"Chance to find the first metric better ({where}, one-sided, α = {row.alpha:g})"
    return f"Expected width of a {100 * row.confidence:g}% interval ({where})"
