"""Does an evaluation survive translation: shares, tests, and the tables behind the figures of Braun et al. (2022)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.survive_rows import Survival, SurvivalRow

MOST_IN_LIST = 12
"""With more comparisons than this, a matrix is easier to read than a list."""
KINDS = {
    "constant": "constant margin",
    "sd": "margin: standard deviation over annotators",
    "range": "margin: largest difference of annotators",
}
TESTS = {"tost": "TOST", "anderson-hauck": "Anderson-Hauck"}
SHOWN_MARGINS = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25)
"""Margins at which the table of sensitivity has a column."""


def default(result: Survival) -> tuple[str, ...]:
    """Return the views that suit the number of comparisons."""
    comparisons = {(row.metric, row.human, row.language, row.statistic) for row in result.table}
    few = len(comparisons) <= MOST_IN_LIST or result.by == "metric"
    return ("summary", "list") if few else ("summary", "matrix")


def summary(result: Survival) -> tuple[Table, ...]:
    """Return the share of equivalent comparisons by test and margin, before and after correction."""
    sections: dict[str, list[tuple[Cell, ...]]] = {}
    for (statistic, test, kind), rows in _settings(result.table).items():
        known = [row for row in rows if not math.isnan(row.p_value)]
        widths = [row.margin for row in rows]
        sections.setdefault(f"{names.statistic(statistic)}, {rows[0].level} level", []).append(
            (
                Cell(TESTS[test]),
                Cell(kind),
                number(_span(widths)),
                number(_share(sum(row.equivalent for row in known), len(known))),
                number(_share(sum(row.equivalent_corrected for row in known), len(known))),
            )
        )
    columns = (
        Column("test", "left", key=True),
        Column("margin", "left", key=True),
        Column("size"),
        Column("equivalent"),
        Column("corrected"),
    )
    first = result.table[0] if result.table else None
    legend = []
    if first is not None:
        how = names.CORRECTIONS.get(first.correction)
        legend.append(
            f"Equivalent: that agreement with people differs from {_base(result)} by the margin or "
            f"more is rejected, p at most {first.alpha:g}"
            + (f"; corrected: after {how}." if how else "; nothing is corrected.")
        )
    title = f"Is agreement with people the same, by {one_line(result.by, 40)}?"
    parts = tuple(Section(where, tuple(lines)) for where, lines in sections.items())
    return (Table(title, columns, parts, tuple(legend)),)


def ordered(result: Survival) -> tuple[Table, ...]:
    """Return every comparison with both correlations and what the tests say."""
    sections = []
    kinds = distinct(row.margin_kind for row in result.table)
    tests = distinct(row.test for row in result.table)
    for criterion, statistic in dict.fromkeys((_criterion(result, row), row.statistic) for row in result.table):
        mine = [r for r in result.table if (_criterion(result, r), r.statistic) == (criterion, statistic)]
        by_case: dict[tuple[str, str, str], dict[tuple[str, str], SurvivalRow]] = {}
        for row in mine:
            by_case.setdefault((row.metric, row.human, row.language), {})[row.test, row.margin_kind] = row
        ends = numbers.with_intervals(
            [(r.difference, r.low, r.high) for r in (next(iter(c.values())) for c in by_case.values())]
        )
        lines = []
        for (metric, _, language), end in zip(by_case, ends, strict=True):
            rows = by_case[metric, _, language]
            any_row = next(iter(rows.values()))
            cells = [name(metric)] if result.by != "metric" else []
            cells += [name(language), number(numbers.correlation(any_row.estimate_a))]
            cells += [number(numbers.correlation(any_row.estimate_b)), number(end)]
            needed = [row.needed for row in rows.values() if row.test == "tost"]
            cells += [number(numbers.correlation(needed[0]))] if needed else []
            for kind in kinds:
                for test in tests:
                    cells.append(_p(rows.get((test, kind))))
            lines.append(tuple(cells))
        n = {row.n for row in mine}
        units = f"{min(n):,}" if len(n) == 1 else f"{min(n):,} to {max(n):,}"
        where = names.setting(one_line(criterion), mine[0].level, statistic)
        sections.append(Section(f"{where} ({units} outputs)", tuple(lines)))
    columns = [Column("metric", "left", key=True)] if result.by != "metric" else []
    columns += [Column(one_line(result.by, 40), "left", key=True), Column(f"r {one_line(result.baseline, 20)}")]
    columns += [Column("r"), Column("difference")] + ([Column("needed")] if "tost" in tests else [])
    short = {"tost": "TOST", "anderson-hauck": "A-H"}
    columns += [Column(f"p {short[test]} {kind}") for kind in kinds for test in tests]
    legend = [_stars(result.table), "In brackets: the interval that TOST wants inside the margin."]
    if "tost" in tests:
        legend.append("Needed: the margin above which TOST finds equivalence.")
    return (_table("Differences in agreement with people", columns, sections, legend),)


def matrix(result: Survival) -> tuple[Table, ...]:
    """Return p-values of TOST, metrics by levels, a section per criterion (Fig. 3), for one kind of margin."""
    tests = distinct(row.test for row in result.table)
    kinds = distinct(row.margin_kind for row in result.table)
    test = "tost" if "tost" in tests else tests[0]
    kind = next(kind for kind in ("sd", "constant", "range") if kind in kinds)
    levels = distinct(row.language for row in result.table)
    tables = []
    for statistic in distinct(row.statistic for row in result.table):
        mine = [r for r in result.table if (r.statistic, r.test, r.margin_kind) == (statistic, test, kind)]
        sections = []
        for criterion in distinct(_criterion(result, row) for row in mine):
            here = [row for row in mine if _criterion(result, row) == criterion]
            by_place = {(row.metric, row.language): row for row in here}
            lines = [
                (
                    name(metric),
                    number(_span([r.margin for r in here if r.metric == metric])),
                    *(_p(by_place.get((metric, level))) for level in levels),
                )
                for metric in distinct(row.metric for row in here)
            ]
            sections.append(Section(one_line(criterion), tuple(lines)))
        columns = [Column("metric", "left", key=True), Column("margin")]
        columns += [Column(one_line(level, 30)) for level in levels]
        legend = [_stars(mine)]
        if len(kinds) > 1 or len(tests) > 1:
            legend.append("Other tests and margins: name one with --test and --margin-kind.")
        title = f"p of {TESTS[test]}, {KINDS[kind]}, {names.statistic(statistic)}"
        tables.append(_table(title, columns, sections, legend))
    return tuple(tables)


def agreement(result: Survival) -> tuple[Table, ...]:
    """Return correlations with people at every level (Fig. 1)."""
    tables = []
    for statistic in distinct(row.statistic for row in result.agreement):
        mine = [row for row in result.agreement if row.statistic == statistic]
        texts = dict(
            zip(map(id, mine), numbers.with_intervals([(r.estimate, r.low, r.high) for r in mine]), strict=True)
        )
        if result.by in ("metric", "human"):
            lines: list[tuple[Cell, ...]] = [(name(r.metric), name(r.human), number(texts[id(r)])) for r in mine]
            columns = [Column("metric", "left", key=True), Column("criterion", "left", key=True), Column("r")]
            sections = [Section("", tuple(lines))]
        else:
            levels = distinct(row.language for row in mine)
            columns = [Column("metric", "left", key=True), *(Column(one_line(level, 30)) for level in levels)]
            sections = []
            for criterion in distinct(row.human for row in mine):
                here = {(r.metric, r.language): texts[id(r)] for r in mine if r.human == criterion}
                lines = [
                    (name(m), *(number(here.get((m, level), "")) for level in levels))
                    for m in distinct(metric for metric, _ in here)
                ]
                sections.append(Section(one_line(criterion), tuple(lines)))
        legend = [f"In brackets: {100 * mine[0].confidence:g}% bootstrap intervals."]
        tables.append(_table(f"Correlation with people, {names.statistic(statistic)}", columns, sections, legend))
    return tuple(tables)


def across(result: Survival) -> tuple[Table, ...]:
    """Return how each metric correlates with itself at the baseline (Fig. 2)."""
    tables = []
    for statistic in distinct(row.statistic for row in result.across):
        mine = [row for row in result.across if row.statistic == statistic]
        texts = numbers.with_intervals([(row.estimate, row.low, row.high) for row in mine])
        here = {(row.metric, row.language): text for row, text in zip(mine, texts, strict=True)}
        base = one_line(result.baseline, 40)
        if result.by == "metric":
            lines: list[tuple[Cell, ...]] = [(name(row.metric), number(here[row.metric, row.language])) for row in mine]
            columns = [Column("metric", "left", key=True), Column(f"with {base}")]
            title = f"Correlation with the metric {base}, {names.statistic(statistic)}"
        else:
            levels = distinct(row.language for row in mine)
            columns = [Column("metric", "left", key=True), *(Column(one_line(level, 30)) for level in levels)]
            lines = [
                (name(m), *(number(here.get((m, level), "")) for level in levels))
                for m in distinct(row.metric for row in mine)
            ]
            title = f"Correlation of each metric with itself at {_base(result)}, {names.statistic(statistic)}"
        legend = [f"In brackets: {100 * mine[0].confidence:g}% bootstrap intervals."]
        tables.append(_table(title, columns, [Section("", tuple(lines))], legend))
    return tuple(tables)


def margins(result: Survival) -> tuple[Table, ...]:
    """Return the distribution over metrics of the margins that annotators give (Fig. 4b)."""
    sections = []
    for statistic, criterion in dict.fromkeys((row.statistic, row.human) for row in result.margins):
        mine = [r for r in result.margins if (r.statistic, r.human) == (statistic, criterion)]
        lines = []
        for kind in ("sd", "range"):
            values = sorted(v for v in (getattr(row, kind) for row in mine) if not math.isnan(v))
            low, middle, high = _quartiles(values)
            people = sorted({row.n_annotators for row in mine})
            lines.append(
                (
                    Cell(kind),
                    number(", ".join(map(str, people))),
                    number(f"{len(values):,}"),
                    *(number(numbers.correlation(v)) for v in (min(values, default=math.nan), low, middle, high)),
                    number(numbers.correlation(max(values, default=math.nan))),
                )
            )
        sections.append(Section(f"{one_line(criterion)}, {names.statistic(statistic)}", tuple(lines)))
    columns = [Column("margin", "left", key=True)]
    columns += [Column(text) for text in ("annotators", "metrics", "lowest", "25%", "median", "75%", "highest")]
    legend = [
        f"How much the correlation of a metric at {_base(result)} differs from annotator to annotator: "
        "standard deviation and largest difference, over the metrics."
    ]
    if not sections:
        return ()
    return (_table("Margins from annotators", columns, sections, legend),)


def sensitivity(result: Survival) -> tuple[Table, ...]:
    """Return the share of comparisons that TOST calls equivalent, by margin (Fig. 4a)."""
    sections: dict[str, list[tuple[Cell, ...]]] = {}
    counts = [row.n_tests for row in result.sensitivity]
    for statistic, criterion in dict.fromkeys((row.statistic, row.human) for row in result.sensitivity):
        mine = {row.margin: row for row in result.sensitivity if (row.statistic, row.human) == (statistic, criterion)}
        cells = [number(numbers.percent(mine[m].share)) for m in SHOWN_MARGINS]
        sections.setdefault(names.statistic(statistic), []).append((name(criterion), *cells))
    columns = [Column("criterion", "left", key=True), *(Column(f"{margin:g}") for margin in SHOWN_MARGINS)]
    many = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    legend = [
        f"Share of comparisons ({many} by each criterion) that TOST would call equivalent with the margin of the "
        "column, uncorrected."
    ]
    parts = [Section(where, tuple(lines)) for where, lines in sections.items()]
    return (_table("Sensitivity to the margin", columns, parts, legend),)


def dominance(result: Survival) -> tuple[Table, ...]:
    """Return what becomes of the pairs of metrics that are resolved at the baseline (Fig. 5)."""
    if not result.shifts:
        return ()
    back = any(not math.isnan(row.shift_back) for row in result.shifts)
    sections = []
    for statistic, criterion in dict.fromkeys((row.statistic, row.human) for row in result.shifts):
        mine = [row for row in result.shifts if (row.statistic, row.human) == (statistic, criterion)]
        lines = []
        for row in mine:
            cells = [name(row.language), number(_share(row.n_resolved, row.n_pairs))]
            cells += [number(_share(row.n_kept, row.n_resolved)), number(f"{row.n_turned:,}")]
            cells.append(number(numbers.correlation(row.shift)))
            cells += [number(numbers.correlation(row.shift_back))] if back else []
            lines.append(tuple(cells))
        sections.append(Section(f"{one_line(criterion)}, {names.statistic(statistic)}", tuple(lines)))
    base = one_line(result.baseline, 40)
    columns = [
        Column(one_line(result.by, 40), "left", key=True),
        Column(f"resolved at {base}"),
        Column("still resolved"),
    ]
    columns += [Column("turned around"), Column("shift of P")] + ([Column("shift back")] if back else [])
    legend = [
        "P: share of the resamples in which one metric agrees better with people than another; a pair is resolved from "
        f"97.5% on. Shift: mean change of P over the pairs resolved at {base}.",
    ]
    if back:
        legend.append("Shift back: the same after the round trip.")
    return (_table("Does the better metric stay the better one?", columns, sections, legend),)


def components(result: Survival) -> tuple[Table, ...]:
    """Return where metrics and criteria stand on two components of their ranks (Fig. 6)."""
    if not result.components:
        return ()
    lines = [
        (
            name(row.name),
            Cell(row.kind),
            name(row.language),
            number(numbers.fixed(row.first, 3)),
            number(numbers.fixed(row.second, 3)),
        )
        for row in result.components
    ]
    shares = [numbers.percent(share) for share in result.explained]
    columns = [Column("", "left", key=True), Column("kind", "left"), Column(one_line(result.by, 40), "left", key=True)]
    columns += [Column(f"PC1 ({shares[0]})"), Column(f"PC2 ({shares[1]})")]
    legend = ["Scores as ranks, from 0 to 1; in brackets, the share of the variance. What is near ranks outputs alike."]
    return (_table("Metrics and people on two components of ranks", columns, [Section("", tuple(lines))], legend),)


def references(result: Survival) -> tuple[Table, ...]:
    """Return how much wider intervals get when references are resampled (app. B)."""
    if not result.references:
        return ()
    sections = []
    for statistic, criterion in dict.fromkeys((row.statistic, row.human) for row in result.references):
        mine = [row for row in result.references if (row.statistic, row.human) == (statistic, criterion)]
        lines = [
            (
                name(row.metric),
                name(row.language),
                number(f"[{numbers.correlation(row.low)}, {numbers.correlation(row.high)}]"),
                number(f"[{numbers.correlation(row.low_references)}, {numbers.correlation(row.high_references)}]"),
                number(numbers.correlation(row.widening)),
                number(numbers.change(row.relative)),
            )
            for row in mine
        ]
        sections.append(Section(f"{one_line(criterion)}, {names.statistic(statistic)}", tuple(lines)))
    columns = [Column("metric", "left", key=True), Column(one_line(result.by, 40), "left", key=True)]
    columns += [Column("interval"), Column("references drawn too"), Column("wider by"), Column("")]
    how = result.references[0]
    legend = [
        f"Up to {max(row.n_references for row in result.references)} references of each input are drawn with "
        f"replacement; an output's score is the {'largest' if how.aggregate == 'max' else 'mean'} over those drawn."
    ]
    return (_table("What do references add to the doubt?", columns, sections, legend),)


def _table(title: str, columns: Sequence[Column], sections: Sequence[Section], legend: Iterable[str]) -> Table:
    told = [text for text in legend if text]
    if is_undefined(sections):
        told.append(f"{numbers.DASH} undefined.")
    return Table(title, tuple(columns), tuple(sections), tuple(told))


def _settings(rows: Iterable[SurvivalRow]) -> dict[tuple[str, str, str], list[SurvivalRow]]:
    found: dict[tuple[str, str, str], list[SurvivalRow]] = {}
    for row in rows:
        found.setdefault((row.statistic, row.test, row.margin_kind), []).append(row)
    return found


def _criterion(result: Survival, row: SurvivalRow) -> str:
    """Return what stands above a comparison: where criteria are compared, that is the one compared with."""
    return result.baseline if result.by == "human" else row.human


def _p(row: SurvivalRow | None) -> Cell:
    if row is None:
        return number("")
    marks = "**" if row.equivalent_corrected else "*" if row.equivalent else ""
    return number(f"{numbers.p_value(row.p_value)}{marks:<2}", row.equivalent_corrected)


def _stars(rows: Sequence[SurvivalRow]) -> str:
    if not rows:
        return ""
    how = names.CORRECTIONS.get(rows[0].correction)
    after = f"; ** also after {how}" if how else ""
    return f"* equivalent: p at most {rows[0].alpha:g}{after}."


def _base(result: Survival) -> str:
    """Return the baseline, with what it is if its name alone does not say so."""
    label = one_line(result.baseline, 40)
    return label if result.by in ("language", "metric", "human") else f"{one_line(result.by, 40)} {label}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({numbers.percent(part / whole)})" if whole else numbers.DASH


def _span(values: Sequence[float]) -> str:
    if not values:
        return ""
    low, high = numbers.correlation(min(values)), numbers.correlation(max(values))
    return low if low == high else f"{low} to {high}"


def _quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        one = values[0] if values else math.nan
        return one, one, one
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high
