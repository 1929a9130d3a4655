"""How well does each metric agree with people, as a table per human criterion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Paragraph, Table, distinct, sizes
from metassay.report.views.columns import (
    Shown,
    at,
    bold,
    build,
    estimates,
    figures,
    grouped,
    lines,
    optional,
    span,
    with_texts,
    words,
)
from metassay.studies.agree import Agreement, AgreementRow
from metassay.studies.disagreements import RankGapRow
from metassay.studies.reliability import Reliability

HERE = names.SETTING.removeprefix("human ")
"""The fields that have a column."""


def default(result: Agreement) -> tuple[str, ...]:
    """Return the table, and the limits if they were asked for."""
    return ("table", "limits") if result.limits else ("table",)


def table(result: Agreement) -> tuple[Table, ...]:
    """Return one table with a section per human criterion and a column per level and statistic."""
    rows = result.table
    settings = grouped(rows, HERE)
    humans = grouped(rows, "human")
    units = [{(row.level, row.n_systems, row.n_inputs) for row in mine} for mine in humans.values()]
    differ = any(len(seen) > len({level for level, *_ in seen}) for seen in units)
    tied = any(row.tied > 0 for row in rows)
    # settings in which the number of units that left the average differs between metrics
    uneven = {key[1:] for key, mine in grouped(rows, f"human {HERE}").items() if len(_undefined(mine)) > 1}
    own = [row for row in rows if row.kind == "metric"]
    best = {key: max(map(names.goodness, mine)) for key, mine in grouped(own, f"human {HERE}").items()}

    def is_best(row: AgreementRow) -> bool:
        good = names.goodness(row)
        return (
            row.kind == "metric"
            and math.isfinite(good)
            and good == best[row.human, row.level, getattr(row, names.STATISTIC)]
        )

    def columns(setting: tuple[str, str], mine: Sequence[AgreementRow]) -> list[Shown | str | bool]:
        pairs = _ranks_pairs(setting)
        return [
            bold(estimates(_titled(mine[0])), is_best),
            optional(words("", names.below_sentinels, key=False)),
            pairs and bold(figures("pairs ranked wrongly", _misranked), is_best),
            pairs and tied and "pairs tied|tied|percent",
            setting in uneven and "undefined|n_undefined|count",
        ]

    shown = [at(c, HERE, key) for key, mine in settings.items() for c in columns(key, mine) if not isinstance(c, bool)]
    sections = []
    for human, mine in humans.items():
        first = next(iter(settings))
        order = sorted(lines(mine, "metric"), key=lambda line: -_in(line, first))
        sections.append((", ".join([one_line(human), *_facts(mine, uneven, differ)]), order))
    return build(
        "Agreement with people",
        ["metric", *shown, differ and figures("systems × inputs", _units)],
        sections,
        any(row.interval != "none" for row in rows) and f"In brackets: {', '.join(distinct(map(names.draws, rows)))}.",
        any(map(_ranks_pairs, settings))
        and "Pairs ranked wrongly: share of system pairs that metric and people order differently.",
        tied and "Pairs tied: share of system pairs that are tied by the metric, by people or by both.",
        names.sentinel_legend(rows),
        bold="the best of each column",
    )


def limits(result: Agreement | Reliability) -> tuple[Table, ...]:
    """Return agreement on this many inputs beside that in the limit, and the most that people allow."""
    tables: tuple[Table, ...] = ()
    for level, rows in grouped(result.limits, "level").items():
        people = any(not math.isnan(row.ceiling) for row in rows)
        tables += build(
            f"Agreement in the limit, {level} level (Pearson, disattenuated)",
            [
                "metric",
                estimates("these inputs"),
                level == "system" and "many inputs|many_inputs many_inputs_low many_inputs_high|estimates",
                people and "no rater error|perfect_people perfect_people_low perfect_people_high|estimates",
                people and "human ceiling|ceiling|correlation",
            ],
            [
                (f"{one_line(human)}, {span(mine, 'n_inputs')} inputs", _best_first(mine))
                for human, mine in grouped(rows, "human").items()
            ],
            f"In brackets: {numbers.level(rows[0].confidence)} CI (jackknife, rescaled like the correlation).",
            level == "system"
            and "Many inputs: system means in the limit (n → ∞); estimates above 1 are due to chance.",
            people
            and "No rater error: correlation with error-free human ratings, on these inputs. Human ceiling: "
            "correlation of the mean of all possible annotators with the mean of these annotators.",
            undefined="the noise of single scores explains all differences, or there are too few scores",
        )
    return tables


def leverage(result: Agreement) -> tuple[Table, ...]:
    """Return the system on which each Pearson correlation of systems rests most."""
    return build(
        "Pearson correlations that depend on one system",
        [
            *("metric", "r|estimate|correlation", "system|system|word", "share of variance|share|percent"),
            *("r without it|without|correlation", "Kendall|kendall|correlation"),
            words("outlier", lambda row: "yes" if row.outlier else "", key=False),
        ],
        [(one_line(human), mine) for human, mine in grouped(result.leverage, "human").items()],
        "Outlier: a system lies off the line of metric and people (Grubbs' test, 5%). The absence of an outlier is "
        "not evidence that other systems would agree as well.",
    )


def disagreements(result: Agreement) -> tuple[Table, ...]:
    """Return the outputs that metrics over- and underrate most, with their texts where the data have them."""
    tables: tuple[Table, ...] = ()
    for (human, metric), rows in grouped(result.disagreements, "human metric").items():
        title = f"{one_line(human, 60)}: outputs that {one_line(metric, 60)} over- and underrates most"
        if any(row.texts for row in rows):
            tables += with_texts(title, [(_placed(row), row.texts) for row in rows])
            continue
        tables += build(
            title,
            [
                words("", lambda row: "overrated" if row.gap > 0 else "underrated"),
                any(row.system for row in rows) and words("system", "system"),
                words("input", "input"),
                figures("metric's score", "score", numbers.general),
                "metric ranks above|rank|percent",
                figures("human score", "human_score", numbers.general),
                "people rank above|human_rank|percent",
            ],
            [("", rows)],
            f"Ranks above: share of the {rows[0].n_outputs:,} outputs that the metric, or people, rank lower.",
        )
    return tables


def _where(row: RankGapRow) -> str:
    """Return the name of an output."""
    return f"{one_line(row.system, 40)} on {one_line(row.input, 40)}" if row.system else one_line(row.input, 40)


def _share(rank: float) -> str:
    text = numbers.percent(rank)
    few = {"0%": "no output", "<1%": "almost no output", ">99%": "almost every output", "100%": "every output"}
    return few.get(text, f"{text} of the outputs")


def _placed(row: RankGapRow) -> str:
    """Return an output, its two scores and where they rank it."""
    how = "Overrated" if row.gap > 0 else "Underrated"
    metric, human = (
        f"{numbers.general(score)}, above {_share(rank)}"
        for score, rank in ((row.score, row.rank), (row.human_score, row.human_rank))
    )
    return f"{how}: {_where(row)} ({one_line(row.metric, 40)} {metric}; people {human})"


def _farthest(found: Agreement) -> list[Paragraph]:
    """Say how far apart the ranks of metric and people are, and where most."""
    said = []
    for rows in grouped(found.disagreements, "human").values():
        row = max((each for each in rows if each.metric == rows[0].metric), key=lambda each: abs(each.gap))
        text = (
            f"{one_line(row.metric)} and people rank an output {numbers.fixed(100 * row.median_gap, 0)} percentage "
            f"points apart at the median ({one_line(row.human)}, {row.n_outputs:,} outputs); farthest apart is "
            f"{_where(row)}, which the metric ranks above {_share(row.rank)} and people rank above "
            f"{_share(row.human_rank)}."
        )
        said.append(Paragraph((text,), ({"human": row.human, "metric": row.metric},)))
    return said


LEADS = {"disagreements": _farthest}
"""What a view says instead of the answer of the study."""
NEEDS = {"disagreements": "scores of metrics and people for the same outputs that rank them differently (and --worst)"}


def _best_first(rows: Sequence[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: math.inf if math.isnan(row.estimate) else -row.estimate)


def _undefined(rows: Sequence[AgreementRow]) -> set[int]:
    return {row.n_undefined for row in rows}


def _titled(row: AgreementRow) -> str:
    return f"{row.level} {names.statistic(row)}"


def _in(line: Sequence[AgreementRow], setting: object) -> float:
    """Return how good the agreement is in a setting, for the order of lines."""
    return max(map(names.goodness, grouped(line, HERE).get(setting, [])), default=-math.inf)


def _ranks_pairs(setting: tuple[str, str]) -> bool:
    return setting[0] == "system" and setting[1].startswith("kendall")


def _misranked(row: AgreementRow) -> str:
    """Return the share of pairs that are ranked wrongly; a metric that does not vary ranks nothing."""
    share = math.nan if math.isnan(row.estimate) else row.misranked
    return numbers.percent_range(share, row.misranked_low, row.misranked_high)


def _units(line: list[Any]) -> str:
    return ", ".join(distinct(f"{row.n_systems:,} × {row.n_inputs:,}" for row in line))


def _facts(rows: Sequence[AgreementRow], uneven: set[Any], differ: bool) -> list[str]:
    """Return what a criterion was measured on, and what left the averages of all metrics alike."""
    parts = []
    if not differ:
        # where people judged fewer inputs, they are what other levels than system rest on
        most = max(row.n_inputs for row in rows)
        few = {row.n_annotated for row in rows if row.n_annotated < most}
        counted = [row for row in rows if row.n_inputs == most] if few else rows
        parts = [sizes([(row.n_systems, row.n_inputs) for row in counted]), *(f"{n:,} of them judged" for n in few)]
    for setting, mine in grouped(rows, HERE).items():
        if setting not in uneven and any(_undefined(mine)):
            unit = "system" if setting[0] == "within-system" else "input"
            parts.append(f"{numbers.counted(max(_undefined(mine)), unit)} undefined for {_titled(mine[0])}")
    return parts
