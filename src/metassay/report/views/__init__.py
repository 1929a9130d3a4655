"""From a result to its tables: one module per study, and one for all that have none of their own.

A view is a function from a result to tables. A new study adds a module and a line to ``_STUDIES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from metassay.core import vocabulary
from metassay.core.result import Result
from metassay.errors import one_line
from metassay.report.notes import sentences
from metassay.report.table import Page, Table
from metassay.report.views import (
    agree,
    compare,
    corrupt,
    coverage,
    criteria,
    datasets,
    decisions,
    difficulty,
    downgrade,
    generic,
    look,
    metrics,
    normality,
    pairs,
    plan,
    power,
    precision,
    profile,
    reproduce,
    size,
    stability,
    survive,
    systems,
    translate,
    widths,
)

View = Callable[[Any], tuple[Table, ...]]


class StudyViews(NamedTuple):
    """The ways to look at the result of one study."""

    views: Mapping[str, View]
    """By name; ``rows``, every field of every row, is always there beside them."""
    default: Callable[[Any], tuple[str, ...]]
    """Which of them, from top to bottom, a result shows if nobody chooses."""


def _always(*names: str) -> Callable[[Any], tuple[str, ...]]:
    return lambda _result: names


_STUDIES: dict[str, StudyViews] = {
    "agree": StudyViews({"table": agree.table}, _always("table")),
    "compare": StudyViews(
        {"list": compare.ordered, "matrix": compare.matrix, "clusters": compare.clusters}, compare.default
    ),
    "corrupt": StudyViews({"table": corrupt.table}, _always("table")),
    "criteria": StudyViews(
        {
            "criteria": criteria.criteria,
            "intervals": criteria.intervals,
            "metrics": criteria.metrics,
            "verdicts": criteria.verdicts,
            "groups": criteria.groups,
        },
        criteria.default,
    ),
    "datasets": StudyViews({"table": datasets.table, "sources": datasets.sources}, _always("table")),
    "decisions": StudyViews({"table": decisions.table}, _always("table")),
    "difficulty": StudyViews({"tests": difficulty.tests, "inputs": difficulty.inputs}, difficulty.default),
    "downgrade": StudyViews(
        {"table": downgrade.table, "curve": downgrade.curve, "systems": downgrade.systems}, downgrade.default
    ),
    "look": StudyViews(
        {
            "columns": look.columns,
            "axes": look.axes,
            "coverage": look.coverage,
            "attributes": look.attributes,
            "sample": look.sample,
            "commands": look.commands,
        },
        look.default,
    ),
    "metrics": StudyViews({"table": metrics.table, "details": metrics.details}, metrics.default),
    "normality": StudyViews({"table": normality.table}, _always("table")),
    "pairs": StudyViews(
        {
            "list": pairs.ordered,
            "matrix": pairs.matrix,
            "triangle": pairs.triangle,
            "needed": pairs.needed,
            "curve": pairs.curve,
            "words": pairs.words,
        },
        pairs.default,
    ),
    "plan": StudyViews({"curves": plan.curves, "needs": plan.needs, "ceiling": plan.ceiling}, plan.default),
    "profile": StudyViews(
        {"loadings": profile.loadings, "separation": profile.separation, "systems": profile.systems}, profile.default
    ),
    "precision": StudyViews({"summary": precision.summary, "systems": precision.systems}, precision.default),
    "reproduce": StudyViews(
        {
            "figures": reproduce.figures,
            "outside": reproduce.outside,
            "unchecked": reproduce.unchecked,
            "numbers": reproduce.every,
        },
        reproduce.default,
    ),
    "simulate-coverage": StudyViews({"table": coverage.table}, _always("table")),
    "simulate-power": StudyViews({"curves": power.curves, "intervals": power.intervals}, power.default),
    "simulate-size": StudyViews({"table": size.table}, _always("table")),
    "stability": StudyViews({"table": stability.table, "sizes": stability.sizes}, _always("table")),
    "survive": StudyViews(
        {
            "summary": survive.summary,
            "list": survive.ordered,
            "matrix": survive.matrix,
            "agreement": survive.agreement,
            "across": survive.across,
            "margins": survive.margins,
            "sensitivity": survive.sensitivity,
            "dominance": survive.dominance,
            "components": survive.components,
            "references": survive.references,
        },
        survive.default,
    ),
    "systems": StudyViews(
        {"counts": systems.counts, "list": systems.ordered, "matrix": systems.matrix}, systems.default
    ),
    "translate": StudyViews({"table": translate.table}, _always("table")),
    "widths": StudyViews({"table": widths.table}, _always("table")),
}
_OTHERS = StudyViews({}, _always("rows"))


def names_of(study: str) -> tuple[str, ...]:
    """Return the names of the views that a study has."""
    return (*_STUDIES.get(study, _OTHERS).views, "rows")


def page(result: Result, view: str | Iterable[str] | None = None) -> Page:
    """Return all that a result shows.

    Parameters
    ----------
    result
        The result of any study.
    view
        Names of views, or a comma list of them; by default those that suit the size of the result.
    """
    known = _STUDIES.get(result.study, _OTHERS)
    views = {**known.views, "rows": generic.rows}
    chosen = known.default(result) if view is None else vocabulary.choices("view", view, tuple(views))
    return Page(
        result.study,
        tuple(table for name in chosen for table in views[name](result)),
        sentences(result.notes),
        one_line(result.signature, 1000),
    )
