"""Which corruption metrics notice: a table of metrics, curves over rates, and every system."""

from __future__ import annotations

from metassay.errors import one_line
from metassay.report import numbers
from metassay.report.table import Table
from metassay.report.views.columns import Shown, across, at, bold, build, figures, grouped, lines, values
from metassay.studies.downgrade import Downgrade, DowngradeCount, DowngradeRow

HUMAN = "human"
"""The field of rows that names the human criterion."""


def default(result: Downgrade) -> tuple[str, ...]:
    """Return the curve beside the table where a kind of corruption has several rates."""
    damages = {(count.kind, count.rate) for count in result.counts}
    people = ("votes",) if result.votes else ()
    if len(damages) > len({kind for kind, _ in damages}):
        return ("table", "curve", *people)
    return ("table", "systems", *people) if len(result.counts) == 1 else ("table", *people)


def table(result: Downgrade) -> tuple[Table, ...]:
    """Return how many systems each metric noticed: a section per corruption, at the highest rate of each kind."""
    highest = {kind: max(count.rate for count in mine) for kind, mine in grouped(result.counts, "kind").items()}
    here = [count for count in result.counts if count.rate == highest[count.kind]]
    columns = [
        *("metric", "noticed|n_noticed n_testable|of", "share|share low high|percent_range"),
        *("score fell|n_fell n_systems|of", "mean change|mean_change|two", "ranks lost|mean_rank_change|one"),
    ]
    one = result.table[0]
    return build(
        "Corruption noticed",
        columns,
        [(_title(mine[0]), mine) for mine in grouped(here, "kind").values()],
        f"Noticed: systems that fell below a system that had scored significantly lower ({one.test}, p ≤ "
        f"{one.alpha:g}), of the systems that had one.",
        f"In brackets: {numbers.level(result.counts[0].confidence)} binomial CI. Score fell: systems whose "
        "score fell significantly, by any amount.",
        "Mean change: in standard deviations of the systems' mean scores.",
        undefined="no system could be noticed, or systems' scores do not differ",
    )


def curve(result: Downgrade) -> tuple[Table, ...]:
    """Return the share of systems noticed by the share of units corrupted: a section per kind of corruption."""

    def column(rate: float) -> Shown:
        text = figures(
            numbers.level(rate),
            "share mean_change",
            lambda share, change: numbers.percent(share) + f" ({numbers.two(change)})",
        )
        return at(text, "rate", rate)

    return build(
        "Corruption noticed, by the share of units corrupted",
        ["metric", *map(column, sorted({count.rate for count in result.counts}))],
        [(_about(mine[0]), lines(mine, "metric")) for mine in grouped(result.counts, "kind").values()],
        "Share of testable systems that were noticed (mean change of the score, in standard deviations), by the "
        "share of units corrupted.",
        undefined="no system could be noticed, or systems' scores do not differ",
    )


def systems(result: Downgrade) -> tuple[Table, ...]:
    """Return every system: its ranks, whom it could have fallen below, and how its score changed."""

    def rank(value: int | None) -> str:
        return numbers.DASH if value is None else str(value)

    columns = [
        bold("system", _noticed),
        figures("rank before", lambda row: rank(row.rank_before)),
        figures("rank after", lambda row: rank(row.rank_after)),
        "lower|n_lower|count",
        bold("passed by|passed_by|count", _noticed),
        *("mean change|change|general", "p|p_value|p_value"),
    ]
    sections = [
        (f"{one_line(metric)}: {_title(rows[0])}", sorted(rows, key=lambda row: row.rank_before or len(result.table)))
        for (metric, *_), rows in grouped(result.table, "metric kind rate").items()
    ]
    return build(
        "Systems corrupted one at a time",
        columns,
        sections,
        "Lower: number of systems that had scored significantly lower. Passed by: number of these that it fell "
        "below. p: test that its score fell.",
        undefined="no score changed, or there are no scores",
    )


def votes(result: Downgrade) -> tuple[Table, ...]:
    """Return what people and metrics prefer, the corrupted or the intact output: a line per pair of systems."""
    rows = result.votes
    if not rows:
        return ()
    sections = []
    for mine in grouped(rows, "kind rate").values():
        pairs = lines(mine, "system against")
        share = sum(pair[0].preferred for pair in pairs) / len(pairs)
        title = f"{_title(mine[0])}: people prefer the intact output on {numbers.percent(share)} of inputs"
        sections.append((title, pairs))
    return build(
        "Preference for the intact output",
        [
            *("corrupted|system", "intact|against", "inputs|n_inputs|count", "people|preferred low high|percent_range"),
            "p|p_value|p_value",
            *across(rows, "metric", lambda metric: f"{one_line(metric, 24)}|metric_preferred|percent"),
        ],
        sections,
        "Share of inputs on which people, by the majority of their votes, or a metric prefer the intact output, ties "
        f"counted half. In brackets: {numbers.level(rows[0].confidence)} CI; p: sign test of people's preference.",
        undefined="not scored on these inputs, or no votes",
    )


def _noticed(row: DowngradeRow) -> bool:
    return bool(row.noticed)


def _title(one: DowngradeCount | DowngradeRow) -> str:
    return f"{_about(one)}, {numbers.level(one.rate)} of the units"


def _about(one: DowngradeCount | DowngradeRow) -> str:
    (human,) = values(one, HUMAN)
    return one_line(one.kind, 60) + (f" (against {one_line(human, 40)})" if human else "")
