"""What other numbers of inputs, systems and annotators would bring, what is needed, and how well people agree."""

from __future__ import annotations

import math

from metassay.core.note import Note
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import (
    Shown,
    across,
    bold,
    build,
    figures,
    grouped,
    known,
    lines,
    needed,
    optional,
    words,
)
from metassay.studies.plan import CeilingRow, NeedRow, Plan, PlanRow

MOST_CURVES = 3
"""With more metrics and criteria than this, only what is needed is shown unless curves are asked for."""
PLANNED = "metric metric_b human"
METHODS = {
    "split-annotators": "two halves of the annotators",
    "split-inputs": "two halves of the inputs",
    "alpha-ordinal": "Krippendorff's α, ordinal",
    "alpha-interval": "Krippendorff's α, interval",
}


def default(result: Plan) -> tuple[str, ...]:
    """Return the views that suit the number of metrics and criteria."""
    few = len(grouped(result.table, PLANNED)) <= MOST_CURVES
    return (*(["needs", "curves"] if few else ["overview", "needs"]), *["ceiling"] * bool(result.ceilings))


def lead(result: Plan) -> list[list[Note]]:
    """Return what is needed for each metric, the one that is known best first."""
    told = grouped([note for note in result.notes if note.code in ("plan", "plan-next")], _about).values()
    plans = (notes for notes in told if notes[0].code == "plan")
    return sorted(plans, key=lambda notes: _rank(notes[0]["width"], notes[0]["power"]))


def _about(note: Note) -> tuple[object, ...]:
    return tuple(note[fact] for fact in PLANNED.split())


def _rank(width: float | None, power: float | None) -> float:
    value = math.nan if (width is None) == (power is None) else -(power or 0.0) if width is None else width
    return math.inf if math.isnan(value) else value


def overview(result: Plan) -> tuple[Table, ...]:
    """Return a row per metric and criterion: what the data give now, and how many of each axis are needed."""
    powered = result.table[0].metric_b is not None
    value = "power" if powered else "width"
    now = {need: rows[0].now for need, rows in grouped(result.needs, "axis").items()}
    at_size = {(row.metric, row.metric_b, row.human): row for row in result.table if row.n == now.get(row.axis)}

    def found(line: list[NeedRow]) -> float | None:
        row = at_size.get((line[0].metric, line[0].metric_b, line[0].human))
        return None if row is None else float(getattr(row, value))

    def order(line: list[NeedRow]) -> float:
        number = found(line)
        return _rank(None, number) if powered else _rank(number, None)

    columns = [
        "metric",
        optional("against|metric_b"),
        len({need.human for need in result.needs}) > 1 and "human",
        figures(f"{value} now", found, numbers.two),
        *across(result.needs, "axis", lambda axis: figures(f"{axis} needed", needed)),
    ]
    have = ", ".join(f"{n:,.0f} {axis}" for axis, n in now.items())
    return build(
        "Sample sizes needed",
        columns,
        [("", sorted(lines(result.needs, PLANNED), key=order))],
        f"{_what(result.table[0])} with what the data have ({have}), and the approximate number needed for a {value} "
        f"of {result.table[0].target:g}, with the others unchanged; {numbers.DASH} no tested number is "
        f"enough{_at_most(result)}.",
        undefined=None,
    )


def curves(result: Plan) -> tuple[Table, ...]:
    """Return a row per number, in a section per metric, criterion and axis."""
    rows = result.table
    powered = rows[0].metric_b is not None
    data = any(not math.isnan(row.width_data) for row in rows)
    ceilings = any(not math.isnan(row.ceiling) for row in rows)
    value = "power" if powered else "width"

    def seen(row: PlanRow) -> float | None:
        return None if row.extrapolated or row.axis == "annotators" else row.width_data

    columns = [
        figures("n", "n extrapolated", lambda n, beyond: f"{n:,}{' ' if beyond else '*'}", key=True),
        bold(f"{value}|{value} low high|two", lambda row: row.reached),
        data and figures("in the data", seen, numbers.two),
        figures("difference" if powered else names.measure(rows), "estimate", numbers.two),
        ceilings and "ceiling||two",
        "judgments|annotations|count",
    ]
    return build(
        "Power by sample size" if powered else "Interval width by sample size",
        columns,
        [(f"{_title(mine[0])}: {mine[0].axis}", mine) for mine in grouped(rows, f"{PLANNED} axis").values()],
        f"{_what(rows[0])} with n of one kind and the others unchanged, in data sets simulated from a model fitted "
        "to the data; in brackets the 95% simulation error. * not more than in the data.",
        data and "In the data: width of the interval on random subsets of the data, without a model.",
        ceilings and f"Ceiling: {names.measure(rows)} of a metric that knows the mean of all possible annotators.",
        undefined="too few data",
        bold="the target is reached",
    )


def needs(result: Plan) -> tuple[Table, ...]:
    """Return a row per axis: how many are needed, and what the next annotations buy."""
    powered = result.table[0].metric_b is not None
    plans = grouped(result.needs, PLANNED)
    best = [(max if powered else min)(mine, key=lambda need: need.gain) for mine in plans.values()]

    def gain(need: NeedRow) -> str:
        text = numbers.fixed(100 * need.gain, 1)
        return f"{'+' if float(text) > 0 else ''}{text}{'' if powered else '%'}"

    columns = [
        "|axis",
        figures("now", "now", lambda now: f"{now:,.3g}" if now < 1000 else f"{now:,.0f}"),
        figures("needed", needed),
        figures("more judgments", lambda need: known(need.annotations)),
        figures("in the limit (n → ∞)", lambda need: known(need.limit), numbers.two),
        bold(figures(f"next {result.annotations:,}", gain), lambda need: any(need is one for one in best)),
    ]
    what = "power (points)" if powered else "interval width"
    return build(
        "Sample sizes needed",
        columns,
        [(_title(plans[key][0]), plans[key]) for key in grouped(result.table, PLANNED)],
        f"Needed: approximate number for a {'power' if powered else 'width'} of "
        f"{result.table[0].target:g}, with the others unchanged; {numbers.DASH} no tested number is "
        f"enough{_at_most(result)}.",
        f"Next {result.annotations:,}: change in {what} if the next {result.annotations:,} annotations all go here.",
        undefined=None,
        bold="largest gain",
    )


def _at_most(result: Plan) -> str:
    return "; ≤ the smallest tested number is enough" if any(need.at_most for need in result.needs) else ""


def ceiling(result: Plan) -> tuple[Table, ...]:
    """Return how well people agree, in a section per criterion."""

    def halved(field: str) -> Shown:
        return figures(field, lambda row: None if row.method.startswith("alpha") else getattr(row, field), numbers.two)

    def reliability(row: CeilingRow) -> str:
        ends = numbers.bound(row.low), numbers.bound(row.high)
        undefined = math.isnan(row.reliability)
        return numbers.DASH if undefined else numbers.made_of("{} [{}, {}]", numbers.two(row.reliability), *ends)

    columns = [
        "of|unit",
        words("from", lambda row: METHODS[row.method], key=False),
        "n||count",
        halved("half"),
        figures("reliability", reliability),
        halved("ceiling"),
    ]
    return build(
        "Agreement of people with each other",
        columns,
        [(one_line(human), rows) for human, rows in grouped(result.ceilings, "human").items()],
        "Half: Pearson correlation of two halves, on average. Reliability: of all n, by Spearman-Brown, or α. "
        "Ceiling: its root, the highest Pearson correlation that a metric can reach: on these inputs (annotators), "
        "or for a metric that knows the systems but not the inputs (inputs).",
        undefined="too few ratings, or ratings that do not vary",
    )


def _title(row: PlanRow | NeedRow) -> str:
    other = "" if row.metric_b is None else f" against {one_line(row.metric_b)}"
    return f"{one_line(row.metric)}{other}, {one_line(row.human)}"


def _what(row: PlanRow) -> str:
    where = f"{row.level} level, {names.statistic(row)}"
    if row.metric_b is not None:
        return f"Power to find the first metric better ({where}, one-sided, α = {row.alpha:g})"
    return f"Expected width of a {numbers.level(row.confidence)} CI ({where})"
