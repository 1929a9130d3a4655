"""How precisely the scores of systems are known, by metric or system by system."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, at, build, figures, grouped, lines, optional, span
from metassay.studies.precision import Precision, PrecisionRow

MOST_DETAILED = 3
"""With more metrics and criteria than this, only the summary is shown unless systems are asked for."""
SETS = {"annotated": "judged inputs", "all": "all inputs"}
NONE = "a system without scores, or too few of them"


def default(result: Precision) -> tuple[str, ...]:
    """Return the views that suit the number of metrics and criteria."""
    few = len({row.metric for row in result.table}) <= MOST_DETAILED
    return ("summary", "systems") if few else ("summary",)


def summary(result: Precision) -> tuple[Table, ...]:
    """Return one row per metric and criterion, averaged over systems."""
    changes = {change.metric: change.change for change in result.changes}

    def columns(which: str, header: str) -> list[Shown]:
        return [
            optional(figures(header, lambda line: _count(_in(line, which)))),
            optional(figures("±", lambda line: _half_width(_in(line, which)))),
        ]

    return build(
        "Precision of system scores",
        [
            *("|metric", "kind||word"),
            *(column for which, header in SETS.items() for column in columns(which, header)),
            optional(figures("variance", lambda line: changes.get(line[0].metric), numbers.change)),
        ],
        [("", lines(result.table, "metric"))],
        f"±: half the width of the {_confidence(result)} CI of a system's score, on average over systems.",
        changes and "Variance: change of the variance of a system's score from judged inputs to all.",
        undefined=NONE,
    )


def systems(result: Precision) -> tuple[Table, ...]:
    """Return a row per system, the sets of inputs beside each other, in a section per metric and criterion."""

    def last(line: list[PrecisionRow]) -> float:
        return math.inf if math.isnan(line[-1].estimate) else -line[-1].estimate

    columns = [
        at(optional(spec), "inputs", which)
        for which, header in SETS.items()
        for spec in (f"{header}|estimate low high|general", "variance||general")
    ]
    sections = []
    for metric, mine in grouped(result.table, "metric").items():
        counts = [f"{_count(some)} {which}" for which in SETS if (some := _in(mine, which))]
        sections.append((f"{one_line(metric)} ({', '.join(counts)} inputs)", sorted(lines(mine, "system"), key=last)))
    return build(
        "Scores of systems",
        ["system", *columns],
        sections,
        f"Mean score with {_confidence(result)} CI, and the variance of the mean.",
        undefined=NONE,
    )


def _in(rows: Sequence[PrecisionRow], which: str) -> list[PrecisionRow]:
    return [row for row in rows if row.inputs == which]


def _count(rows: Sequence[PrecisionRow]) -> str:
    return span((row for row in rows if row.n_inputs), "n_inputs")


def _half_width(rows: Sequence[PrecisionRow]) -> str:
    halves = [(row.high - row.low) / 2 for row in rows if not math.isnan(row.high - row.low)]
    return numbers.general(sum(halves) / len(halves)) if halves else numbers.DASH if rows else ""


def _confidence(result: Precision) -> str:
    return f"{numbers.level(result.table[0].confidence)} bootstrap"
