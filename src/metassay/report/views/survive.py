"""Does an evaluation survive translation: shares, tests, and the tables behind the figures of Braun et al. (2022)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from operator import itemgetter
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
    estimates,
    figures,
    grouped,
    lines,
    span,
    words,
)
from metassay.studies.survive_rows import AnnotatorMargin, Survival, SurvivalRow

MOST_IN_LIST = 12
"""With more comparisons than this, a matrix is easier to read than a list."""
KINDS = {
    "constant": "constant margin",
    "sd": "margin: standard deviation over annotators",
    "range": "margin: largest difference of annotators",
}
TESTS = {"jackknife": "jackknife", "tost": "TOST", "anderson-hauck": "Anderson-Hauck"}
SHORT = {**TESTS, "anderson-hauck": "A-H"}
SHOWN_MARGINS = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25)
"""Margins at which the table of sensitivity has a column."""
HUMAN = "human"
"""The field of rows that names the human criterion."""
BOTH = f"{names.STATISTIC} {HUMAN}"


def default(result: Survival) -> tuple[str, ...]:
    """Return the views that suit the number of comparisons."""
    few = len(grouped(result.table, f"metric {BOTH} language")) <= MOST_IN_LIST or result.by == "metric"
    return ("summary", "list") if few else ("summary", "matrix")


def summary(result: Survival) -> tuple[Table, ...]:
    """Return the share of equivalent comparisons by test and margin, before and after correction."""

    def share(field: str) -> Any:  # noqa: ANN401 - a function of a line
        def of(line: list[SurvivalRow]) -> str:
            known = [row for row in line if not math.isnan(row.p_value)]
            return _share(sum(getattr(row, field) for row in known), len(known))

        return of

    columns = [
        words("test", lambda line: TESTS[line[0].test]),
        "margin|margin_kind",
        figures("size", _margin),
        figures("equivalent", share("equivalent")),
        figures("corrected", share("equivalent_corrected")),
    ]
    sections = [
        (f"{names.statistic(mine[0])}, {mine[0].level} level", lines(mine, "test margin_kind"))
        for mine in grouped(result.table, names.STATISTIC).values()
    ]
    legend = []
    for first in result.table[:1]:
        how = names.CORRECTIONS.get(first.correction)
        legend.append(
            f"Equivalent: the hypothesis that agreement with people differs from {_base(result)} by the margin or "
            "more is rejected, "
            f"p at most {first.alpha:g}" + (f"; corrected: after {how}." if how else "; not corrected.")
        )
    title = f"Equivalence of agreement with people, by {one_line(result.by, 40)}"
    return build(title, columns, sections or [("", [])], *legend)


def list_(result: Survival) -> tuple[Table, ...]:
    """Return every comparison with both estimates and what the tests say."""
    tests = distinct(row.test for row in result.table)
    sided = [test for test in ("jackknife", "tost") if test in tests]
    symbol = names.symbol(result.table)
    columns = [
        result.by != "metric" and "metric",
        words(one_line(result.by, 40), "language"),
        figures(f"{symbol} {one_line(result.baseline, 20)}", "estimate_a", numbers.correlation),
        *(f"{symbol}|estimate_b|correlation", "difference|difference low high|estimates"),
        sided and at("needed||correlation", "test", sided[0]),
        *across(
            sorted(result.table, key=lambda row: (list(KINDS).index(row.margin_kind), tests.index(row.test))),
            "test margin_kind",
            lambda key: _tested(f"p {SHORT[key[0]]} {key[1]}"),
        ),
    ]
    sections = [
        (
            f"{names.setting(mine[0], human)} ({numbers.span(row.n for row in mine)} outputs)",
            lines(mine, f"metric {HUMAN} language"),
        )
        for (_, human), mine in grouped(
            result.table, lambda row: (getattr(row, names.STATISTIC), _human(result, row))
        ).items()
    ]
    return build(
        "Differences in agreement with people",
        columns,
        sections or [("", [])],
        *_stars(result.table),
        "In brackets: the interval that must lie within the margin for equivalence (two one-sided tests).",
        sided and "Needed: the smallest margin with equivalence.",
    )


def matrix(result: Survival) -> tuple[Table, ...]:
    """Return p-values of one test, metrics by levels, a section per criterion (Fig. 3), for one kind of margin."""
    tests, kinds = (distinct(getattr(row, field) for row in result.table) for field in ("test", "margin_kind"))
    test = next(test for test in TESTS if test in tests)
    kind = next(kind for kind in ("sd", "constant", "range") if kind in kinds)
    shown = [row for row in result.table if (row.test, row.margin_kind) == (test, kind)]
    tables: list[Table] = []
    for mine in grouped(shown, names.STATISTIC).values():
        tables += build(
            f"p of {TESTS[test]}, {KINDS[kind]}, {names.statistic(mine[0])}",
            [
                "metric",
                figures("margin", _margin),
                *across(mine, "language", lambda level: _tested(one_line(level, 30))),
            ],
            [
                (one_line(human), lines(here, "metric"))
                for human, here in grouped(mine, lambda row: _human(result, row)).items()
            ],
            *_stars(mine),
            len(kinds) + len(tests) > 2 and "Other tests and margins: name one with --test and --margin-kind.",
        )
    return tuple(tables)


def agreement(result: Survival) -> tuple[Table, ...]:
    """Return agreement with people at every level (Fig. 1)."""
    tables: list[Table] = []
    for mine in grouped(result.agreement, names.STATISTIC).values():
        if result.by in ("metric", "human"):
            columns: list[Any] = ["metric", f"criterion|{HUMAN}", estimates(names.symbol(mine))]
            sections: list[tuple[str, list[Any]]] = [("", mine)]
        else:
            columns = _levels(mine)
            sections = [(one_line(human), lines(here, "metric")) for human, here in grouped(mine, HUMAN).items()]
        title = f"{names.measure(mine).capitalize()} with people, {names.statistic(mine[0])}"
        tables += build(title, columns, sections, _bootstrap(mine))
    return tuple(tables)


def across_(result: Survival) -> tuple[Table, ...]:
    """Return how each metric correlates with itself at the baseline (Fig. 2)."""
    tables: list[Table] = []
    base = one_line(result.baseline, 40)
    for mine in grouped(result.across, names.STATISTIC).values():
        own = result.by == "metric"
        columns: list[Any] = ["metric", estimates(f"with {base}")] if own else _levels(mine)
        whom = f"with the metric {base}" if own else f"of each metric with itself at {_base(result)}"
        tables += build(
            f"{names.measure(mine).capitalize()} {whom}, {names.statistic(mine[0])}",
            columns,
            [("", mine if own else lines(mine, "metric"))],
            _bootstrap(mine),
        )
    return tuple(tables)


def margins(result: Survival) -> tuple[Table, ...]:
    """Return the distribution over metrics of the margins that annotators give (Fig. 4b)."""
    ends = ("lowest", "25%", "median", "75%", "highest")

    def line(kind: str, rows: list[AnnotatorMargin]) -> dict[str, str]:
        known = sorted(v for v in (getattr(row, kind) for row in rows) if not math.isnan(v))
        five = [min(known, default=math.nan), *_quartiles(known), max(known, default=math.nan)]
        return {
            "margin": kind,
            "annotators": ", ".join(map(str, sorted({row.n_annotators for row in rows}))),
            "metrics": f"{len(known):,}",
            **dict(zip(ends, map(numbers.correlation, five), strict=True)),
        }

    return build(
        "Margins from annotators",
        [
            words("margin", itemgetter("margin")),
            *(figures(head, itemgetter(head)) for head in ("annotators", "metrics", *ends)),
        ],
        [(_titled(mine[0]), [line(kind, mine) for kind in ("sd", "range")]) for mine in _settings(result.margins)],
        f"How much the {names.measure(result.margins)} of a metric at {_base(result)} differs from annotator to "
        "annotator: standard deviation and largest difference, over the metrics.",
    )


def sensitivity(result: Survival) -> tuple[Table, ...]:
    """Return the share of comparisons that two one-sided tests call equivalent, by margin (Fig. 4a)."""

    def column(margin: float) -> Shown:
        return at(f"{margin:g}|share|percent", "margin", margin)

    return build(
        "Sensitivity to the margin",
        [f"criterion|{HUMAN}", *map(column, SHOWN_MARGINS)],
        [
            (names.statistic(mine[0]), lines(mine, HUMAN))
            for mine in grouped(result.sensitivity, names.STATISTIC).values()
        ],
        f"Share of comparisons ({span(result.sensitivity, 'n_tests')} by each criterion) that two one-sided tests call "
        "equivalent with the margin of the column, uncorrected.",
    )


def dominance(result: Survival) -> tuple[Table, ...]:
    """Return what becomes of the pairs of metrics that are resolved at the baseline (Fig. 5)."""
    back = any(not math.isnan(row.shift_back) for row in result.shifts)
    base = one_line(result.baseline, 40)
    columns = [
        words(one_line(result.by, 40), "language"),
        figures(f"resolved at {base}", "n_resolved n_pairs", _share),
        figures("still resolved", "n_kept n_resolved", _share),
        *("turned around|n_turned|count", "shift of P|shift|correlation"),
        back and "shift back|shift_back|correlation",
    ]
    return build(
        "Order of metrics after the change",
        columns,
        [(_titled(mine[0]), mine) for mine in _settings(result.shifts)],
        "P: share of the resamples in which one metric agrees better with people than another; a pair is resolved if "
        f"P is at least 97.5%. Shift: mean change of P over the pairs resolved at {base}.",
        back and "Shift back: the same after the round trip.",
    )


def components(result: Survival) -> tuple[Table, ...]:
    """Return where metrics and criteria stand on two components of their ranks (Fig. 6)."""
    columns = [
        *("|name", "kind||word"),
        words(one_line(result.by, 40), "language"),
        *(
            f"PC{n} ({numbers.percent(share)})|{field}|correlation"
            for n, (field, share) in enumerate(zip(("first", "second"), result.explained, strict=False), start=1)
        ),
    ]
    return build(
        "Metrics and people on two components of ranks",
        columns,
        [("", result.components)] if result.components else [],
        "Scores as ranks, from 0 to 1; in brackets, the share of the variance. Columns that are close rank outputs "
        "similarly.",
    )


def references(result: Survival) -> tuple[Table, ...]:
    """Return how much wider intervals get when references are resampled (app. B)."""
    columns = [
        "metric",
        words(one_line(result.by, 40), "language"),
        *("interval|low high|correlation", "references drawn too|low_references high_references|correlation"),
        *("wider by|widening|correlation", "|relative|change"),
    ]
    most = max((row.n_references for row in result.references), default=0)
    how = "largest" if any(row.aggregate == "max" for row in result.references) else "mean"
    return build(
        "Uncertainty due to references",
        columns,
        [(_titled(mine[0]), mine) for mine in _settings(result.references)],
        f"Up to {most} references of each input are drawn with replacement; an output's score is the {how} over those "
        "drawn.",
    )


def _settings(rows: Iterable[Any]) -> list[list[Any]]:
    """Return the rows of each statistic and criterion."""
    return lines(rows, BOTH)


def _titled(row: Any) -> str:  # noqa: ANN401 - a row with a criterion and a statistic
    return f"{one_line(getattr(row, HUMAN))}, {names.statistic(row)}"


def _levels(rows: Sequence[Any]) -> list[Shown | str]:
    """Return a column for the metric and one for every level."""
    levels = across(rows, "language", lambda level: estimates(one_line(level, 30)))
    return ["metric", *levels]


def _bootstrap(rows: Sequence[Any]) -> str:
    return f"In brackets: {numbers.level(rows[0].confidence)} CI (bootstrap)."


def _human(result: Survival, row: SurvivalRow) -> str:
    """Return what stands above a comparison: where criteria are compared, that is the one compared with."""
    return result.baseline if result.by == "human" else str(getattr(row, HUMAN))


def _tested(header: str) -> Shown:
    def text(row: SurvivalRow) -> str:
        marks = "**" if row.equivalent_corrected else "*" if row.equivalent else ""
        return numbers.p_value(row.p_value) + f"{marks:<2}"

    return bold(figures(header, text), lambda row: row.equivalent_corrected)


def _stars(rows: Sequence[SurvivalRow]) -> list[str]:
    after = [f"; ** also after {names.CORRECTIONS[r.correction]}" for r in rows[:1] if r.correction != "none"]
    return [f"* equivalent: p at most {row.alpha:g}{''.join(after)}." for row in rows[:1]]


def _base(result: Survival) -> str:
    """Return the baseline, with what it is if its name alone does not say so."""
    label = one_line(result.baseline, 40)
    return label if result.by in ("language", "metric", "human") else f"{one_line(result.by, 40)} {label}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({numbers.percent(part / whole)})" if whole else numbers.DASH


def _margin(rows: Iterable[SurvivalRow]) -> str:
    return numbers.span((row.margin for row in rows), numbers.correlation)


def _quartiles(known: Sequence[float]) -> Sequence[float]:
    if len(known) < 2:
        return (known[0] if known else math.nan,) * 3
    return statistics.quantiles(known, n=4, method="inclusive")
