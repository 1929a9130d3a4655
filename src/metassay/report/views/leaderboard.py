"""Which metrics lead: a line per metric with bars and ranks, intervals, tasks beside each other, tests of all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_letters
from typing import Any

from metassay.core import vocabulary
from metassay.errors import one_line
from metassay.report import names, numbers
from metassay.report.table import Cell, Column, Table, distinct
from metassay.report.views.columns import (
    Shown,
    at,
    bars,
    bold,
    build,
    estimates,
    figures,
    grouped,
    lines,
    optional,
    span,
    words,
)
from metassay.studies.leaderboard import Leaderboard
from metassay.studies.leaderboard_parts import LeaderRow, LeaderTest, TaskRow

MEASURE = f"level {names.STATISTIC}"
LONGEST_TITLE = 9
"""Statistics with a longer title are called by their symbol in headings."""
MOST_IN_FULL = 14
"""With more metrics than this, p-values of a triangle are whole percentages."""


def board(result: Leaderboard) -> tuple[Table, ...]:
    """Return one line per metric: averages and ranks by each statistic, and each task beside them."""
    tables: tuple[Table, ...] = ()
    for human, rows in grouped(result.table, "human").items():
        measures = grouped(rows, MEASURE)
        tasks = _tasks(result, human)
        lead = next(iter(measures.values()))
        shown: list[Shown] = []
        for measure, mine in measures.items():
            title = _called(mine[0])
            best = max((names.goodness(row) for row in mine if row.kind == "metric"), default=math.nan)
            good = bold(figures(title, "estimate", numbers.correlation), _is(best))
            shown.append(at(good, MEASURE, measure))
            own = [at(figures("ranks", _ranks), MEASURE, measure)]
            own.append(at(optional(words("", names.below_sentinels, key=False)), MEASURE, measure))
            own.append(at(_letters(), MEASURE, measure))
            if mine is lead and any(row.rank for row in mine):
                own.append(at(_bars(mine), MEASURE, measure))
            own += [_in_task(result, human, measure, task) for task in tasks if len(tasks) > 1]
            shown += [replace(each, column=replace(each.column, joins=True)) for each in own]
        tables += tuple(
            replace(table, fit=True)
            for table in build(
                f"Leaderboard: {one_line(human)}{_sizes(result, human)}",
                ["metric", *shown],
                [("", lines(rows, "metric"))],
                *_legend(result, rows, len(tasks) > 1),
                bold="the best of each column",
            )
        )
    return tables


def intervals(result: Leaderboard) -> tuple[Table, ...]:
    """Return the averages by each statistic with their intervals, ranks and letters."""
    return build(
        "Averages and ranks",
        [
            "metric",
            estimates("average"),
            figures("ranks", _ranks),
            _letters(),
            len(_names_of_tasks(result)) > 1 and "tasks|n_tasks|count",
        ],
        [
            (names.setting(mine[0]), sorted(mine, key=lambda row: -names.goodness(row)))
            for mine in grouped(result.table, names.SETTING).values()
        ],
        f"In brackets: {', '.join(distinct(map(names.draws, result.table)))}.",
        *_legend(result, result.table),
    )


def tasks(result: Leaderboard) -> tuple[Table, ...]:
    """Return the statistic of each metric in each task, with intervals."""
    tables: tuple[Table, ...] = ()
    for rows in grouped(result.tasks, names.SETTING).values():
        average = {row.metric: row for row in result.table if _setting(row) == _setting(rows[0])}

        def mean(line: list[TaskRow], known: dict[str, LeaderRow] = average) -> str:
            return numbers.correlation(known[line[0].metric].estimate)

        order = sorted(lines(rows, "metric"), key=lambda line: -names.goodness(average[line[0].metric]))
        tables += build(
            f"Tasks: {names.setting(rows[0])}",
            [
                "metric",
                figures("average", mean),
                *(at(estimates(_task_title(task, mine)), "task", task) for task, mine in grouped(rows, "task").items()),
            ],
            [("", order)],
            f"In brackets: {', '.join(distinct(map(names.draws, average.values())))}.",
        )
    return tables


def triangle(result: Leaderboard) -> tuple[Table, ...]:
    """Return corrected p-values of all pairs, each once: a lower triangle, the best metric first."""
    tables: tuple[Table, ...] = ()
    for setting, mine in grouped(result.table, names.SETTING).items():
        order = [row.metric for row in sorted(mine, key=lambda row: -names.goodness(row))]
        place = {metric: k for k, metric in enumerate(order)}
        tests = {frozenset((row.metric_a, row.metric_b)): row for row in result.tests if _setting(row) == setting}
        short = len(order) > MOST_IN_FULL
        columns = [figures("", {metric: k + 1 for metric, k in place.items()}.get, key=True), words("metric", str)]
        columns += [_against(other, place, tests, short) for other in order[:-1]]
        tables += tuple(
            replace(table, fit=True)
            for table in build(
                f"p-values of all pairs: {names.setting(mine[0])}",
                columns,
                [("", order)],
                f"Two-sided p-values of {_test(result)} after Holm correction over the table"
                + (", in percent" if short else "")
                + f"; bold and shaded: p ≤ {result.alpha:g}. Columns are numbered like the rows.",
                undefined="not tested",
                bold="",
            )
        )
    return tables


def pairs(result: Leaderboard) -> tuple[Table, ...]:
    """Return every pair of metrics that is significantly different, the smallest p-value first."""
    sections = []
    for rows in grouped(result.tests, names.SETTING).values():
        found = [row for row in rows if row.significant_corrected]
        title = f"{names.setting(rows[0])}: {len(found):,} of {numbers.counted(len(rows), 'pair')} significant"
        sections.append((title, sorted(found, key=lambda row: row.p_value)))
    return build(
        f"Significant differences ({_test(result)}, Holm)",
        [
            *("better|metric_a", "than|metric_b", "difference|difference|correlation", "p|p_value|p_value"),
            figures("p corrected", "p_corrected", numbers.p_value),
        ],
        sections,
    )


# -- parts ------------------------------------------------------------------------------------------


def _is(best: float) -> Any:  # noqa: ANN401 - a rule for bold
    return lambda row: math.isfinite(best) and names.goodness(row) == best


def _setting(row: LeaderRow | TaskRow | LeaderTest) -> tuple[str, str, str]:
    return row.human, row.level, row.statistic


def _called(row: Any) -> str:  # noqa: ANN401 - a row with a level and a statistic
    title = names.statistic(row)
    return (
        f"{row.level} {title if len(title) <= LONGEST_TITLE else vocabulary.statistic_symbol(row.statistic) or title}"
    )


def _meaning(row: LeaderRow) -> str:
    """Return the title of a statistic without the name that its symbol says already."""
    symbol = vocabulary.statistic_symbol(row.statistic).replace("_", "-")
    return names.statistic(row).removeprefix(f"{symbol}, ")


def _ranks(row: LeaderRow) -> str | None:
    return numbers.span((row.rank_low, row.rank_high), to="–") if row.rank_low and row.rank_high else None


def _letters() -> Shown:
    """Return the letters, which stand beside their numbers on paper."""
    shown = words("", lambda row: _runs(row.letters), key=False, whole=True)
    told = "Metrics that share a letter are not significantly different."
    return replace(shown, column=replace(shown.column, medium="paper", legend=told), optional=True)


def _runs(letters: str) -> str:
    """Return letters with runs of neighbours cut short.

    Examples
    --------
    >>> _runs("abcdf"), _runs("ab")
    ('a–df', 'ab')
    """
    runs: list[str] = []
    for letter in letters:
        follows = runs and ascii_letters.find(letter) == ascii_letters.find(runs[-1][-1]) + 1
        runs = [*runs[:-1], runs[-1] + letter] if follows else [*runs, letter]
    return "".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else run for run in runs)


def _bars(rows: Sequence[LeaderRow]) -> Shown:
    """Return a column of intervals as bars, and what they are."""
    told = f"Dot: {_called(rows[0])}, without an interval."
    if not all(math.isnan(row.low) for row in rows):
        told = f"Bar: {names.draws(rows[0])} of {_called(rows[0])}."
    return bars(rows, told)


def _names_of_tasks(result: Leaderboard) -> list[str]:
    return distinct(row.task for row in result.tasks)


def _tasks(result: Leaderboard, human: str) -> list[str]:
    return distinct(row.task for row in result.tasks if row.human == human)


def _in_task(result: Leaderboard, human: str, measure: object, task: str) -> Shown:
    """Return the column of one statistic in one task."""
    known = {
        row.metric: row.estimate
        for row in result.tasks
        if (row.human, row.task) == (human, task) and (row.level, row.statistic) == measure
    }
    best = max((x for x in known.values() if not math.isnan(x)), default=math.nan)

    def estimate(line: list[LeaderRow]) -> str | None:
        value = known.get(line[0].metric)
        return None if value is None else numbers.correlation(value)

    return bold(figures(one_line(task, 30), estimate), lambda line: known.get(line[0].metric) == best)


def _task_title(task: str, rows: Sequence[TaskRow]) -> str:
    known = [row for row in rows if row.n_inputs] or rows
    size = f"{span(known, 'n_systems')} × {span(known, 'n_inputs')}"
    return f"{one_line(task, 40)} ({size})" if task else size


def _sizes(result: Leaderboard, human: str) -> str:
    rows = [row for row in result.tasks if row.human == human and row.n_inputs]
    tasks = distinct(row.task for row in rows)
    inputs = span(rows, "n_inputs")
    size = f"{span(rows, 'n_systems')} systems × {inputs} input{'s' * (inputs != '1')}"
    return f", {len(tasks)} tasks ({size})" if len(tasks) > 1 else f" ({size})"


def _test(result: Leaderboard) -> str:
    return ", ".join(distinct(row.test for row in result.tests))


def _legend(result: Leaderboard, rows: Sequence[LeaderRow], several: bool = False) -> list[str | bool]:
    titles = distinct(f"{_called(row)}: {_meaning(row)}" for row in rows if names.statistic(row) not in _called(row))
    return [
        "; ".join(titles) + "." if titles else False,
        several and "The columns of single tasks follow that of their average.",
        f"Ranks: {numbers.level(1 - result.alpha)} confidence sets of the true ranks of all metrics together "
        f"({_test(result) or 'no test'}, Holm over all pairs). Overlapping ranks do not show that metrics are equal.",
        names.sentinel_legend(rows),
    ]


def _against(other: str, place: dict[str, int], tests: dict[frozenset[str], LeaderTest], short: bool) -> Shown:
    """Return a column of the triangle."""

    def cell(metric: str) -> Cell:
        row = tests.get(frozenset((metric, other))) if place[metric] > place[other] else None
        if row is None:
            return Cell("", number=True)
        p = row.p_corrected
        text = numbers.in_percent(p) if short else numbers.p_value(p)
        return Cell(text, bold=row.significant_corrected, number=True, shaded=row.significant_corrected)

    return Shown(Column(str(place[other] + 1)), lambda lines: [cell(metric) for metric in lines])
