"""Does a small score difference mean anything: by the closest pairs, as a triangle, as a curve, and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Cell, Column, Section, Table, distinct, is_undefined, name, number

if TYPE_CHECKING:
    from metassay.studies.pairs import ScorePairs
    from metassay.studies.pairs_rows import ScorePairsRow

MOST_IN_LIST = 3
"""With more metrics and criteria than this, an overview is easier to read than a list of each."""
MOST_IN_A_SENTENCE = 3
"""How many score differences a sentence is about."""

Rows = Sequence["ScorePairsRow"]


def default(result: ScorePairs) -> tuple[str, ...]:
    """Return the views that suit the number of metrics, and what was asked for."""
    kinds = {row.kind for row in result.table}
    few = len(_groups(result.table)) <= MOST_IN_LIST
    chosen = []
    if kinds & {"bounds", "share"}:
        chosen.append("list" if few else "matrix")
    if "triangle" in kinds:
        chosen.append("triangle")
    if "needed" in kinds:
        chosen.append("needed")
    if "curve" in kinds and len(_groups(result.table)) == 1:
        chosen.append("curve")
    if kinds & {"bounds", "share"}:
        chosen.append("words")
    return tuple(chosen)


def ordered(result: ScorePairs) -> tuple[Table, ...]:
    """Return for each metric and criterion the bounds and shares with pairs, correlation and agreement."""
    ties = any(row.n_ties for row in result.table)
    columns = [Column("which pairs", "left", key=True), Column("score difference"), Column("pairs")]
    columns += [Column("ties")] if ties else []
    columns += [Column("Kendall"), Column("people agree")]
    sections = []
    for (metric, human), rows in _groups(result.table).items():
        mine = _of(rows, "bounds", "share")
        taus = numbers.with_intervals([(row.estimate, row.low, row.high) for row in mine])
        lines = tuple(_line(row, tau, ties) for row, tau in zip(mine, taus, strict=True))
        title = f"{one_line(metric)} against {one_line(human)}, {rows[0].n_systems:,} systems"
        sections.append(Section(title, lines))
    legend = [
        f"In brackets: {_interval(result.table)}.",
        "Kendall: over these pairs only. People agree: share of pairs, ties apart, that people order like the metric.",
        *_dashes(sections),
    ]
    return (Table("Agreement by score difference", tuple(columns), tuple(sections), tuple(legend)),)


def matrix(result: ScorePairs) -> tuple[Table, ...]:
    """Return an overview: metrics by bounds and shares, correlations only."""
    shown = _of(result.table, "bounds", "share")
    keys = list(dict.fromkeys(_key(row) for row in shown))
    columns = [Column("metric", "left", key=True)]
    for key in keys:
        counts = {row.n_pairs for row in shown if _key(row) == key}
        where = f"{100 * key[1]:g}%" if key[0] == "share" else f"{_difference(key[1])} to {_difference(key[2])}"
        columns.append(Column(f"{where} {_span(counts)}" if key[0] == "share" else where))
    sections = []
    for human in distinct(row.human for row in shown):
        lines = []
        for metric in distinct(row.metric for row in shown):
            mine = {_key(row): row for row in shown if row.metric == metric and row.human == human}
            lines.append((name(metric), *(_overview(mine.get(key)) for key in keys)))
        sections.append(Section(one_line(human), tuple(lines)))
    legend = (
        "Kendall over the pairs of systems closest in score, or as far apart as the column says; in brackets, pairs.",
        "Intervals and score differences: view list.",
        *_dashes(sections),
    )
    return (Table("Agreement by score difference", tuple(columns), tuple(sections), legend),)


def triangle(result: ScorePairs) -> tuple[Table, ...]:
    """Return one table per metric and criterion: pairs left out downwards, share of pairs to the right."""
    tables = []
    for (metric, human), rows in _groups(result.table).items():
        cells = {(round(row.share_below, 9), round(row.share, 9)): row for row in _of(rows, "triangle")}
        if not cells:
            continue
        below, shares = (sorted({key[at] for key in cells}) for at in (0, 1))
        columns = [Column("left out", "left", key=True), Column("from")]
        for share in shares:
            counts = {row.n_pairs for (_, s), row in cells.items() if s == share}
            columns.append(Column(f"{100 * share:.0f}% {_span(counts)}"))
        lines = []
        for start in below:
            here = [cells.get((start, share)) for share in shares]
            first = next(row for row in here if row is not None)
            taus = (number("" if row is None else numbers.fixed(row.estimate, 2)) for row in here)
            lines.append((Cell(f"{100 * start:.0f}%"), number(_difference(first.lower)), *taus))
        sections = (Section("", tuple(lines)),)
        legend = (
            "Kendall over a share of the pairs (in brackets how many) next in score after the closest ones, which are "
            "left out; from: the smallest score difference.",
            *_dashes(sections),
        )
        tables.append(
            Table(f"Triangle of {one_line(metric)} against {one_line(human)}", tuple(columns), sections, legend)
        )
    return tuple(tables)


def needed(result: ScorePairs) -> tuple[Table, ...]:
    """Return the score differences at which people agree with the metric often enough."""
    wanted = list(dict.fromkeys(row.agreement for row in result.table if row.kind == "needed"))
    if not wanted:
        return ()
    columns = [Column("metric", "left", key=True), *(Column(f"for {numbers.percent(p)}") for p in wanted)]
    columns.append(Column("largest seen"))
    sections = []
    for human in distinct(row.human for row in result.table):
        lines = []
        for (metric, other), rows in _groups(result.table).items():
            if other != human:
                continue
            largest = max((row.upper for row in rows if row.kind == "curve"), default=math.nan)
            by_chance = {row.agreement: row for row in _of(rows, "needed")}
            cells = (number(_needed(by_chance[p], largest)) for p in wanted)
            lines.append((name(metric), *cells, number(_difference(largest, 2))))
        sections.append(Section(one_line(human), tuple(lines)))
    legend = [
        f"In brackets: {_interval(result.table)}.",
        "From the fitted curve P = 1/(1 + exp(−β·difference)), which is one half at no difference.",
    ]
    if any("†" in cell.text for section in sections for line in section.rows for cell in line):
        legend.append("† beyond the largest difference in the data, where the curve is a guess.")
    if any("∞" in cell.text for section in sections for line in section.rows for cell in line):
        legend.append("∞ never: the curve does not rise.")
    legend += _dashes(sections)
    return (Table("Score difference needed for people to agree", tuple(columns), tuple(sections), tuple(legend)),)


def curve(result: ScorePairs) -> tuple[Table, ...]:
    """Return points of the fitted curves with their bands."""
    sections = []
    for (metric, human), rows in _groups(result.table).items():
        lines = tuple(
            (
                number(_difference(row.upper)),
                number(numbers.percent_range(row.agreement, row.agreement_low, row.agreement_high)),
            )
            for row in _of(rows, "curve")
        )
        if lines:
            sections.append(Section(f"{one_line(metric)} against {one_line(human)}", lines))
    if not sections:
        return ()
    columns = (Column("score difference", key=True), Column("chance that people agree"))
    legend = [f"Fitted; in brackets the band, a {_interval(result.table)}.", *_dashes(sections)]
    return (Table("Chance that people agree, by score difference", columns, tuple(sections), tuple(legend)),)


def words(result: ScorePairs) -> tuple[Table, ...]:
    """Return what follows in practice, a sentence or two per metric and criterion."""
    groups = _groups(result.table)
    most = MOST_IN_A_SENTENCE if len(groups) <= MOST_IN_LIST else 1
    sections = []
    for human in distinct(row.human for row in result.table):
        lines = tuple(
            (Cell(_sentence(metric, rows, most)),)
            for (metric, other), rows in groups.items()
            if other == human and _of(rows, "bounds", "share")
        )
        sections.append(Section(one_line(human) if len(groups) > 1 else "", lines))
    return (
        Table("In words", (Column("Does a small score difference mean anything?", "left", key=True),), tuple(sections)),
    )


def _groups(rows: Rows) -> dict[tuple[str, str], list[ScorePairsRow]]:
    """Return the rows of each metric and human criterion."""
    groups: dict[tuple[str, str], list[ScorePairsRow]] = {}
    for row in rows:
        groups.setdefault((row.metric, row.human), []).append(row)
    return groups


def _of(rows: Rows, *kinds: str) -> list[ScorePairsRow]:
    return [row for row in rows if row.kind in kinds]


def _key(row: ScorePairsRow) -> tuple[str, float, float]:
    """Return what makes rows of different metrics stand in one column."""
    return ("share", row.share, 0.0) if row.kind == "share" else ("bounds", row.lower, row.upper)


def _line(row: ScorePairsRow, tau: str, ties: bool) -> tuple[Cell, ...]:
    which = f"closest {100 * row.share:g}%" if row.kind == "share" else f"{numbers.percent(row.share)} of all"
    cells = [Cell(which), number(_range(row)), number(f"{row.n_pairs:,}")]
    cells += [number(f"{row.n_ties:,}")] if ties else []
    agree = numbers.percent_range(row.agreement, row.agreement_low, row.agreement_high)
    return (*cells, number(tau), number(agree))


def _overview(row: ScorePairsRow | None) -> Cell:
    if row is None:
        return number("")
    text = numbers.fixed(row.estimate, 2)
    return number(text if row.kind == "share" else f"{text} ({row.n_pairs:,})")


def _needed(row: ScorePairsRow, largest: float) -> str:
    if math.isnan(row.estimate):
        return numbers.DASH
    beyond = "†" if largest < row.estimate < math.inf else ""
    ends = ", ".join(_difference(end, 2) for end in (row.low, row.high))
    return f"{_difference(row.estimate, 2)}{beyond} [{ends}]"


def _span(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    return f"({low:,})" if low == high else f"({low:,}–{high:,})"


def _range(row: ScorePairsRow) -> str:
    if math.isnan(row.upper):
        return numbers.DASH
    return f"{_difference(row.lower)} to {_difference(row.upper)}"


def _difference(value: float, digits: int = 3) -> str:
    """Return a score difference, whose scale is the metric's own, with so many significant digits."""
    if not math.isfinite(value) or value == 0:
        return numbers.fixed(value, 0)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if places > 8:
        return f"{value:.{digits - 1}e}"
    text = numbers.fixed(value, max(0, places))
    return text.rstrip("0").rstrip(".") if "." in text else text


def _interval(rows: Rows) -> str:
    row = rows[0]
    return f"{100 * row.confidence:g}% interval ({row.interval}, {row.resamples:,} resamples)"


def _dashes(sections: Sequence[Section]) -> list[str]:
    if not is_undefined(sections):
        return []
    return [f"{numbers.DASH} undefined: no pairs, or ties only."]


# -- sentences ----------------------------------------------------------------------------------


def _sentence(metric: str, rows: Rows, most: int) -> str:
    chosen = _of(rows, "bounds")[:most] or _spread(_of(rows, "share"), most)
    parts = list(_clauses(one_line(metric, 60), chosen))
    text = "; ".join(parts) + "."
    sure = next(iter(_of(rows, "needed")), None)
    if sure is None or math.isnan(sure.estimate):
        return text
    if math.isinf(sure.estimate):
        return f"{text} No difference makes agreement likelier."
    beyond = sure.estimate > max((row.upper for row in rows if row.kind == "curve"), default=math.inf)
    return (
        f"{text} Agreement in {numbers.percent(sure.agreement)} takes a difference of about "
        f"{_difference(sure.estimate, 2)} ({_difference(sure.low, 2)}–{_difference(sure.high, 2)}"
        f"{'; more than any in the data' if beyond else ''})."
    )


def _spread(rows: list[ScorePairsRow], most: int) -> list[ScorePairsRow]:
    """Return the smallest share and, if there is room, one of the middle and the largest."""
    middle = rows[1:-1][len(rows[1:-1]) // 2 :][:1]
    return [*rows[:1], *middle, *rows[1:][-1:]][:most]


def _clauses(metric: str, rows: Rows) -> Iterator[str]:
    for at, row in enumerate(rows):
        of_metric = f" of {metric}" if at == 0 else ""
        if row.n_pairs == 0:
            yield f"{'No' if at == 0 else 'no'} system pairs lie {_apart(row, of_metric)}"
            continue
        pairs = f"{'Of' if at == 0 else 'of'} {_which(row, of_metric)}"
        if math.isnan(row.agreement):
            yield f"{pairs}, all are ties ({_pairs(row)})"
            continue
        ends = numbers.percent(row.agreement_low).removesuffix("%"), numbers.percent(row.agreement_high)
        interval = f"{100 * row.confidence:g}% interval " if at == 0 else ""
        who = f"{'' if pairs.endswith(',') else ','} people agree with the metric" if at == 0 else ""
        yield f"{pairs}{who} in {numbers.percent(row.agreement)} ({_pairs(row)}, {interval}{ends[0]}–{ends[1]})"


def _which(row: ScorePairsRow, metric: str) -> str:
    if row.kind == "share" and row.share == 1:
        return f"all system pairs, up to {_points(row.upper)}{metric} apart,"
    return f"system pairs {_apart(row, metric)}"


def _apart(row: ScorePairsRow, metric: str) -> str:
    if math.isnan(row.upper):
        return "so close"
    if math.isinf(row.upper):
        return f"at least {_points(row.lower)}{metric} apart"
    if row.lower == 0:
        return f"within {_points(row.upper)}{metric}"
    return f"{_difference(row.lower)} to {_points(row.upper)}{metric} apart"


def _points(value: float) -> str:
    return f"{_difference(value)} point{'' if value == 1 else 's'}"


def _pairs(row: ScorePairsRow) -> str:
    count = f"{row.n_pairs:,} pair{'' if row.n_pairs == 1 else 's'}"
    return count + (f", {row.n_ties:,} of them tied" if row.n_ties else "")
