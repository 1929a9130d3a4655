"""What sways a judge: effects, use of grades, and how far a judge agrees with itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import bold, build, figures, grouped, optional, words
from metassay.studies.bias import LEAST_CLUSTERS, Biases
from metassay.studies.bias_rows import BiasRow

HELD = {
    "difference": "at equal {}",
    "covariate": "at equal {} (by regression)",
    "orders": "each pair in both orders",
    "output": "the same outputs, changed",
    "nothing": "without human judgment",
}
MOST_GRADES = 2
"""Grades of more judges than this are shown if they are asked for."""


def default(result: Biases) -> tuple[str, ...]:
    """Return the effects, and whatever else was found."""
    few = 0 < len(grouped(result.grades, "metric human")) <= MOST_GRADES
    return ("table", *(("grades",) if few else ()), *(("reruns",) if result.reruns else ()))


def table(result: Biases) -> tuple[Table, ...]:
    """Return effects, a section per judge."""
    return effects(result.table)


def effects(rows: Sequence[BiasRow]) -> tuple[Table, ...]:
    """Return effects, a section per judge."""
    clear = any(row.p_corrected <= 1 - row.confidence for row in rows)
    level = numbers.level(rows[0].confidence) if rows else ""
    return build(
        "Biases of the judge: gain of an output",
        [
            words("an output", "feature", whole=True),
            bold(figures("gains", lambda row: gain(row, "effect")), lambda row: row.p_corrected <= 1 - row.confidence),
            figures(f"{level} CI", _interval),
            "p|p_value|p_value",
            figures("detectable", lambda row: gain(row, "detectable", "")),
            "n|n_judgments|count",
        ],
        [
            (f"{one_line(judge)}, {_held(held, human)}", mine)
            for (judge, human, held), mine in grouped(rows, "metric human held").items()
        ],
        "Gains: in points of the judge's scale, or in percentage points (pp) of outputs passed or votes won.",
        "Detectable: the smallest effect that data of this precision detect with 80% power.",
        undefined="the feature does not vary, or there are too few judgments",
        bold=f"significant after Holm correction (α = {1 - rows[0].confidence:.2g})" if clear else "",
    )


def grades(result: Biases) -> tuple[Table, ...]:
    """Return which grades people and judges use, and how far the judge is off at each."""
    return build(
        "Grades",
        [
            words("grade", "grade"),
            "people|share_people|percent",
            "judge|share_judge|percent",
            optional(figures("judge − people", _off)),
            "n|n_judgments|count",
        ],
        [
            (f"{one_line(judge)} and {one_line(human)}", mine)
            for (judge, human), mine in grouped(result.grades, "metric human").items()
        ],
        "People, judge: share of outputs with this grade. Judge − people: mean where people give the grade.",
        undefined=f"judge and people use different scales, or fewer than {LEAST_CLUSTERS} inputs with the grade",
    )


def reruns(result: Biases) -> tuple[Table, ...]:
    """Return how far repetitions of a judge agree."""
    return build(
        "Repetitions of one judge",
        [
            "judge|metric",
            words("over", lambda row: {"orders": "both orders"}.get(row.what, f"{row.n_runs} runs"), key=False),
            figures("same verdict", lambda row: numbers.percent_range(row.same, row.low, row.high)),
            "α|alpha|correlation",
            optional(figures("SD", lambda row: None if math.isnan(row.spread) else numbers.two(row.spread))),
            optional(figures("shift", lambda row: None if math.isnan(row.shift) else numbers.two(row.shift))),
            "n|n_judgments|count",
        ],
        [("", result.reruns)] if result.reruns else [],
        "Same verdict: share of pairs of repetitions. α: Krippendorff's. SD: between repetitions of one output. "
        "Shift: between the most lenient and the strictest repetition.",
    )


def gain(row: Any, field: str, sign: str = "+") -> str:  # noqa: ANN401 - a row with an effect
    """Return an effect in plain units, with its sign."""
    value = getattr(row, field)
    if math.isnan(value):
        return numbers.DASH
    return f"{100 * value:{sign}.1f} pp" if row.unit == "share" else f"{value:{sign}.2f}"


def _interval(row: Any) -> str:  # noqa: ANN401 - a row with an effect
    scale, form = (100, numbers.one) if row.unit == "share" else (1, numbers.two)
    return numbers.interval(scale * row.low, scale * row.high, form)


def _off(row: Any) -> str | None:  # noqa: ANN401 - a row of grades
    return None if math.isnan(row.difference) else numbers.ranged(row.difference, row.low, row.high, numbers.two)


def _held(held: str, human: str | None) -> str:
    return HELD[held].format("human votes" if human == "people" else one_line(human or ""))
