"""Who wins, as a ranking per rater, ranks side by side, a matrix of wins, and what else votes say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metassay.core.note import Note
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Paragraph, Table
from metassay.report.views.columns import Shown, across, at, bars, bold, build, figures, grouped, lines, words
from metassay.studies.rank import Ranking
from metassay.studies.rank_rows import GapRow, StandingRow, WinRow

MOST = 15
"""Lines of a ranking that are shown at first sight."""
MOST_RATERS = 5
"""Raters whose ranks stand side by side on the first screen."""
WIDEST = 12
"""Systems of a matrix that stand side by side."""
HEADINGS = {
    "bradley-terry": "strength",
    "controlled": "strength, controlled",
    "win-rate": "win rate",
    "elo": "Elo",
    "mean": "mean",
}


def lead(result: Ranking) -> list[tuple[Note, ...]]:
    """Return the answer: who is best, and whether judges agree with people."""
    told = tuple(note for note in result.notes if note.code.startswith(("ranking-", "rankings-agree")))
    return [told] if told else []


def default(result: Ranking) -> tuple[str, ...]:
    """Return the rankings, or ranks alone where they are many, and what else was found."""
    several = len(grouped(result.table, "metric")) > 1
    long = len(grouped(result.table, "metric component system")) > MOST
    shown = ["ranks" if several and long else "table"]
    shown += ["agreement"] if result.agreement else []
    return (*shown, *(["covariates"] if result.covariates else []))


def table(result: Ranking) -> tuple[Table, ...]:
    """Return a section per ranking with its best systems."""
    return _rankings(result, MOST)


def full(result: Ranking) -> tuple[Table, ...]:
    """Return the same with all systems."""
    return _rankings(result, len(result.table))


def _rankings(result: Ranking, most: int) -> tuple[Table, ...]:
    statistics = list(grouped(result.table, "statistic"))
    first = result.table[0]
    votes = first.statistic != "mean"
    expected = len(statistics) == 1 and votes and not all(math.isnan(row.expected) for row in result.table)

    def shown(statistic: str) -> list[Shown]:
        form = {"win-rate": "percent_range", "elo": "count", "mean": "general"}.get(statistic, "two")
        columns: list[Shown | str] = [f"{HEADINGS[statistic]}|estimate low high|{form}", figures("rank", _rank)]
        return [at(column, "statistic", statistic) for column in columns]

    sections = []
    for (metric, part), rows in grouped(result.table, "metric component").items():
        parts = len({row.component for row in result.table if row.metric == metric})
        title = one_line(metric) + (f", group {part} of {parts}" if parts > 1 else "")
        mine = lines(rows, "system")
        hidden = len(mine) - most if len(mine) > most + 3 else 0
        title += f", {most} of {len(mine):,} systems (all: --view full)" if hidden else ""
        sections.append((title, mine[: len(mine) - hidden]))
    return build(
        "Ranking of systems",
        [
            "system",
            *(column for statistic in statistics for column in shown(statistic)),
            expected and "wins expected|expected|percent",
            "win-rate" not in statistics and "won||percent",
            "votes|n|count" if votes else "inputs|n|count",
        ],
        sections,
        *_legend(result),
        votes
        and f"{'Win rate' if 'win-rate' in statistics else 'Won'}: share of its votes, ties counted half; it depends "
        "on the opponents.",
        expected and "Wins expected: share of votes against each of the others in turn.",
        undefined="no interval: too little variation, or too few inputs or raters",
    )


def gaps(result: Ranking) -> tuple[Table, ...]:
    """Return neighbours in each ranking, and how many votes or inputs their difference needs."""
    votes = result.table[0].statistic != "mean"
    unit = "votes" if votes else "inputs"
    shown = next((row for row in result.gaps if row.interval not in ("", "none")), None)
    return build(
        "Differences between neighbours in the ranking",
        [
            *("better|system_a", "next|system_b"),
            bold(
                f"difference in {'strength' if votes else 'mean'}|difference low high|two", lambda row: row.significant
            ),
            f"{unit}|n|count",
            figures(f"{unit} needed", lambda row: numbers.DASH if row.needed is None else numbers.count(row.needed)),
        ],
        [(one_line(metric), rows) for metric, rows in grouped(result.gaps, "metric").items()],
        votes and "Difference in strength: log odds that the better one wins against the next (Bradley-Terry).",
        shown and f"In brackets: {numbers.level(shown.confidence)} CI ({_how(shown)}).",
        result.gaps
        and f"{unit.capitalize()} needed: for a true difference of this size to be significant with a power of "
        f"{numbers.percent(result.gaps[0].power)}, spread over systems and inputs as now.",
        undefined="no difference, or no interval",
        bold="significant",
    )


def _separated(result: Ranking) -> list[Paragraph]:
    """Say which systems are not significantly different, and what would separate them."""
    from metassay.report.notes import paragraph

    few = [note for note in result.notes if note.code == "ranking-few"][:1]
    more = [
        f"Collect judgments on at least {note['least']:,} {note['unit']}: with fewer, no test can show whether "
        f"{one_line(note['system'])} leads significantly."
        for note in few
    ]
    found = [paragraph(note) for note in result.notes if note.code == "gaps-between-ranks"]
    return found or [Paragraph((text,)) for text in more]


LEADS = {"gaps": _separated}
"""What a view says instead of the answer of the study."""


def ranks(result: Ranking) -> tuple[Table, ...]:
    """Return the rank of each system by every rater or metric, with the ranks that the data allow."""
    statistic = result.table[0].statistic
    rows = [row for row in result.table if row.statistic == statistic]
    every = lines(rows, "system")
    hidden = len(every) - 2 * MOST if len(every) > 2 * MOST else 0
    return build(
        "Ranks of systems",
        ["system", *across(rows, "metric", lambda metric: figures(one_line(metric, 20), _rank))],
        [(f"by {HEADINGS[statistic]}", every[: len(every) - hidden])],
        *_legend(result)[-1:],
        hidden and f"{hidden:,} more systems are in the full ranking (--view full).",
    )


def board(result: Ranking) -> tuple[Table, ...]:
    """Return the best systems with their intervals as bars, and their ranks by every rater or metric."""
    first = result.table[0]
    rows = [row for row in result.table if row.statistic == first.statistic]
    every = lines(rows, "system")
    mine = [row for line in every[:MOST] for row in line if row.metric == first.metric]
    title = f"{HEADINGS[first.statistic].capitalize()} of systems by {one_line(first.metric)}, and their ranks"
    form = {"win-rate": "percent_range", "elo": "count", "mean": "general"}.get(first.statistic, "two")
    best = f"{HEADINGS[first.statistic]}|estimate low high|{form}"
    raters = list(grouped(rows, "metric"))
    ranked = [row for row in rows if row.metric in raters[:MOST_RATERS]]
    hidden = len(raters) - MOST_RATERS
    return build(
        title,
        [
            "system",
            at(bars(mine, ""), "metric", first.metric),
            at(bold(best, lambda row: row.rank == 1, first.kind), "metric", first.metric),
            *across(ranked, "metric", lambda m: figures(f"rank, {one_line(m)}" if raters[1:] else "rank", _rank)),
        ],
        [(f"the best {MOST} of {len(every):,}" if len(every) > MOST else "", every[:MOST])],
        *_legend(result),
        hidden > 0 and f"Rankings by {numbers.counted(hidden, 'more rater')} are in the section on the ranking.",
        bold="first by the estimate",
    )


def _rank(row: StandingRow) -> str:
    if row.rank_low is None or row.rank_high is None:
        return f"{row.rank}"
    return f"{row.rank} [{numbers.span((row.rank_low, row.rank_high), to='–')}]"


def _legend(result: Ranking) -> list[str]:
    first = next((row for row in result.table if row.interval != "none"), None)
    if first is None:
        return ["No intervals: too little variation, or too few inputs or raters."]
    level = numbers.level(first.confidence)
    told = []
    if any(row.statistic in ("bradley-terry", "controlled") for row in result.table):
        told.append("Strength: log odds of winning against an average system, which has 0 (Bradley-Terry).")
    if any(row.statistic == "controlled" for row in result.table):
        told.append(f"Controlled: at equal {', '.join(grouped(result.covariates, 'covariate'))}.")
    return [
        *told,
        f"In brackets: {level} CI ({_how(first)}); for ranks, the ranks that remain possible"
        + ("." if first.resamples else ", each pair of systems tested by itself."),
    ]


def _how(row: StandingRow | GapRow) -> str:
    """Return how an interval was made."""
    if row.resamples:
        return f"bootstrap, {row.resamples:,} resamples"
    return {"model": "from the model", "sandwich": "cluster-robust"}.get(row.interval, "")


def agreement(result: Ranking) -> tuple[Table, ...]:
    """Return whether judges or metrics rank as people do."""
    rows = result.agreement
    if not rows:
        return ()
    judge = "metric" if result.table[0].statistic == "mean" else "judge"
    return build(
        "Agreement of the rankings",
        [
            "metric",
            *across(rows, "statistic", lambda s: f"{names.coefficient(s)}|estimate low high|two"),
            *("same|same|count", "opposite|opposite|count", "people only|human_only|count"),
            *(f"{judge} only|metric_only|count", "pairs|n_pairs|count"),
        ],
        [(f"with {one_line(human)}", lines(mine, "metric")) for human, mine in grouped(rows, "human").items()],
        f"In brackets: {numbers.level(rows[0].confidence)} CI for these systems and new votes or inputs "
        f"({rows[0].resamples:,} resamples; resampling noise lowers correlations, so intervals extend further down "
        "than up).",
        "Same, opposite: pairs of systems that differ significantly by both; "
        f"people only, {judge} only: by one of the two.",
        undefined="fewer than three systems, or all of equal rank",
    )


def matrix(result: Ranking) -> tuple[Table, ...]:
    """Return the share of votes that the system of the line won against that of the column."""
    order = [row.system for row in result.table if row.statistic == result.table[0].statistic]
    tables: tuple[Table, ...] = ()
    for metric, rows in grouped(result.wins, "metric").items():
        ranked = [s for s in dict.fromkeys(order) if any(s in (row.system_a, row.system_b) for row in rows)]
        shares = _shares(rows)
        tables += build(
            f"Wins by {one_line(metric)}",
            [words("system", lambda s: s), *(_against(shares, other, n) for n, other in enumerate(ranked[:WIDEST], 1))],
            [("row against column, best first", ranked)],
            "Share of votes won, ties counted half. Columns: "
            + ", ".join(f"{n} {one_line(s, 24)}" for n, s in enumerate(ranked[:WIDEST], 1))
            + ".",
            len(ranked) > WIDEST and f"{len(ranked) - WIDEST:,} more columns are in JSON, and in CSV with --rows wins.",
        )
    return tables


def _shares(rows: Sequence[WinRow]) -> dict[tuple[str, str], float]:
    found = {(row.system_a, row.system_b): row.share for row in rows}
    return found | {(b, a): 1 - share for (a, b), share in found.items()}


def _against(shares: dict[tuple[str, str], float], other: str, place: int) -> Shown:
    def cell(system: Any) -> str:  # noqa: ANN401 - a name
        return numbers.percent(shares[system, other]) if (system, other) in shares else "·" if system == other else ""

    return figures(str(place), cell)


def covariates(result: Ranking) -> tuple[Table, ...]:
    """Return what length, position or style do to votes."""
    rows = result.covariates
    if not rows:
        return ()
    return build(
        "Effects on votes between systems of equal strength",
        [
            *("covariate", "unit||word", "log odds|estimate low high|two", "p|p_value|p_value"),
            *("wins|chance|percent", "votes|n|count"),
        ],
        [
            (f"{one_line(metric)}: {_explained(mine[0].explained)}", mine)
            for metric, mine in grouped(rows, "metric").items()
        ],
        f"In brackets: {numbers.level(rows[0].confidence)} CI. Log odds: change per unit. Wins: probability that an "
        "output with one unit more wins against an otherwise equal one.",
    )


def _explained(share: float) -> str:
    if math.isnan(share):
        return "systems do not differ"
    change = f"{numbers.percent(abs(share))} {'smaller' if share >= 0 else 'larger'}"
    return f"at equal covariates, the variance of strengths is {change}"


def raters(result: Ranking) -> tuple[Table, ...]:
    """Return how each rater votes."""
    rows = result.raters[:MOST]
    return build(
        "Raters",
        [
            *("rater", "kind|kind|word", "votes|n|count", "ties||percent", "first chosen|first low high|percent_range"),
            *("repeated||count", "contradictory||count"),
        ],
        [("", rows)] if rows else [],
        rows
        and "First chosen: share of votes other than ties for the output shown first, "
        f"{numbers.level(rows[0].confidence)} CI. Repeated, contradictory: votes on the same pair in the "
        "same order as an earlier one.",
        len(result.raters) > MOST and f"{len(result.raters) - MOST:,} more are in JSON, and in CSV with --rows raters.",
        undefined="the order is not known, or all are ties",
    )
