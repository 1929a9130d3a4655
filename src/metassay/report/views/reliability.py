"""How reliable scores are: in one line per column, where variance comes from, other designs, raters, and limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, across, build, figures, grouped, lines, optional
from metassay.studies.reliability import Reliability
from metassay.studies.reliability_rows import ComponentRow, DesignRow, NeedRow

R = TypeVar("R", "ComponentRow", "DesignRow")
MOST_DETAILED = 2
"""With more human criteria than this, designs are shown only if they are asked for."""
UNKNOWN = "not estimable in this design"
COEFFICIENTS = {
    "alpha-interval": "α interval",
    "alpha-ordinal": "α ordinal",
    "alpha-nominal": "α nominal",
    "ac1": "AC1",
    "ac2": "AC2",
    "share": "same score",
}
"""Coefficients of raters as headings."""


def default(result: Reliability) -> tuple[str, ...]:
    """Return the views that suit the number of columns."""
    few = len({row.metric for row in _people(result.designs)}) <= MOST_DETAILED
    return ("summary", "components", *(["designs"] * few), *(["raters"] * bool(result.raters)))


def summary(result: Reliability) -> tuple[Table, ...]:
    """Return the answer in a line per column: reliability of systems and of single outputs, and what more takes."""
    now = [row for row in _people(result.designs) if row.axis == "now"]
    needed = grouped(result.needs, "metric level axis target")

    def need(level: str, axis: str, target: float) -> Shown:
        def text(line: list[DesignRow]) -> str:
            (found,) = needed.get((line[0].metric, level, axis, target), [None])
            return "" if found is None else _number(found)

        return optional(figures(f"{axis} for {numbers.two(target).lstrip('0')}", text))

    def at(level: str, header: str) -> Shown:
        def text(line: list[DesignRow]) -> str:
            row = next((row for row in line if row.level == level), None)
            return "" if row is None else numbers.ranged(row.estimate, row.low, row.high, numbers.two)

        return optional(figures(header, text))

    people = any(row.kind == "human" for row in now)
    return build(
        "Reliability of scores",
        [
            "human|metric" if people else "metric",
            figures("inputs × raters", _design),
            at("system", "of system means"),
            *(need("system", "inputs", target) for target in sorted({row.target for row in result.needs})),
            at("input", "of single outputs")
            if any(row.level == "input" for row in now)
            else at("global", "of outputs"),
            need("input" if any(row.level == "input" for row in now) else "global", "raters", 0.8),
        ],
        [("", lines(now, "metric"))] if now else [],
        f"In brackets: {_level(result)} CI. Reliability: share of the variance that is not error, Eρ², for the order "
        "of systems, and for the outputs of an input.",
        "Inputs for .80, .90: number of inputs for this reliability of system means, with the same raters; ∞: no "
        "number is enough.",
        undefined=UNKNOWN,
    )


def components(result: Reliability) -> tuple[Table, ...]:
    """Return the share of each source in the variance of single scores."""
    shown = _people(result.table)
    people = any(row.kind == "human" for row in shown)
    sources = grouped(result.sources, "component")
    facets = {component: rows[0].n_facets for component, rows in sources.items()}
    ordered = sorted(shown, key=lambda row: facets.get(row.component, 0))

    def heading(component: str) -> str:
        # of several that cannot be told apart the first and the last
        several = sources.get(component, ())
        return component if len(several) < 3 else f"{several[0].source} … {several[-1].source}"

    def share(row: ComponentRow) -> str:
        return numbers.DASH if math.isnan(row.share) else f"{100 * row.share:.0f}%"

    return build(
        "Variance components of single scores",
        [
            "human|metric" if people else "metric",
            *across(ordered, "component", lambda name: figures(heading(name), share)),
        ],
        [("", lines(shown, "metric"))] if shown else [],
        "Shares of the sum of all components; the interaction of all sources contains the error of a single score.",
        "Variances with intervals: view rows." if people else "",
        undefined=UNKNOWN,
    )


def designs(result: Reliability) -> tuple[Table, ...]:
    """Return the reliability of means of systems by numbers of inputs and of raters."""
    shown = [row for row in _people(result.designs) if row.level == "system" and row.axis != "systems"]
    shown = sorted(shown, key=lambda row: (row.n_inputs, row.n_raters))
    sections = []
    for column, rows in grouped(sorted(shown, key=lambda row: _place(result, row.metric)), "metric").items():
        now = next(row for row in rows if row.axis == "now")
        sections.append((f"{one_line(column)}, now {_design([now])}", lines(rows, "n_inputs")))
    raters = sorted({row.n_raters for row in shown})
    return build(
        "Reliability of system means in other designs",
        [
            "inputs|n_inputs|count",
            *across(
                sorted(shown, key=lambda row: row.n_raters),
                "n_raters",
                lambda n: f"{numbers.counted(n, 'rater') if raters != [0] else 'reliability'}|estimate low high|two",
            ),
        ],
        sections,
        f"Eρ² with {_level(result)} CI.",
        undefined=UNKNOWN,
    )


def raters(result: Reliability) -> tuple[Table, ...]:
    """Return how far raters agree with one another."""
    if not result.raters:
        return ()
    first = result.raters[0]
    tables: list[Table] = []
    for single in (True, False):
        rows = [row for row in result.raters if (row.level == "global") is single]
        title = (
            "Agreement between raters about single outputs" if single else "One rater against the mean of the others"
        )

        def head(key: tuple[str, str]) -> str:
            level, statistic = key
            return f"{COEFFICIENTS.get(statistic) or f'{level} {names.coefficient(statistic)}'}|estimate low high|two"

        tables += build(
            title,
            ["human", *across(rows, "level statistic", head)],
            [("", lines(rows, "human"))] if rows else [],
            f"In brackets: {_level(result)} CI, {first.resamples:,} resamples of "
            + ("inputs, for these raters." if single else "systems and inputs, for these raters."),
            single and "α: Krippendorff's; AC2: Gwet's, with squared weights; same score: share of pairs of raters.",
        )
    return tuple(tables)


def limits(result: Reliability) -> tuple[Table, ...]:
    """Return correlations of metrics with people, raw and corrected for errors."""
    from metassay.report.views.agree import limits as of_agreement

    return of_agreement(result)


def _people(rows: Sequence[R]) -> list[R]:
    """Return the rows of human columns; all if there are none."""
    return [row for row in rows if row.kind == "human"] or list(rows)


def _place(result: Reliability, column: str) -> int:
    return next(at for at, row in enumerate(result.table) if row.metric == column)


def _design(line: list[DesignRow]) -> str:
    row = line[0]
    return f"{row.n_inputs:,} × {row.n_raters or '?'}"


def _number(row: NeedRow) -> str:
    if math.isnan(row.needed):
        return numbers.DASH
    return "∞" if math.isinf(row.needed) else f"{row.needed:,.0f}"


def _level(result: Reliability) -> str:
    return numbers.level(result.table[0].confidence) if result.table else "95%"
