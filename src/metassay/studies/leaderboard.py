"""Which metrics lead, over several statistics and tasks?

One row per metric: its agreement with people by each statistic, averaged over tasks such as language pairs, with an
interval and the ranks that it may have. All pairs of metrics are tested on the averages, and the tests are corrected by
Holm's method within each statistic. Metrics that share a letter are not significantly different.

    metassay leaderboard scores.csv --human relevance --statistic kendall@system,kendall@input
    metassay leaderboard wmt23 --human mqm --statistic spa,acc-eq -o board.tex
    metassay leaderboard wmt23 --language '*' --human mqm --average en-de=2,zh-en=1
    metassay leaderboard scores.csv --human relevance --by domain --view triangle -o appendix.tex
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UnknownName, UsageError, one_line
from metassay.stats.methods.base import Draws
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import find
from metassay.studies.leaderboard_parts import Board, LeaderRow, LeaderTest, Plan, TaskRow
from metassay.studies.selection import Selection, select
from metassay.studies.tasks import named_in, split


class Leaderboard(Result, study="leaderboard"):
    """Metrics by agreement with people, over several statistics and tasks, with ranks."""

    table: Sequence[LeaderRow]
    """One row per metric, human criterion, level and statistic, the best by the first statistic first."""
    tasks: tuple[TaskRow, ...]
    """The same in each task."""
    tests: tuple[LeaderTest, ...]
    """One row per pair of metrics, human criterion, level and statistic."""
    alpha: float
    """The significance level of tests and ranks."""


@study
def leaderboard(
    scores: Scores | Mapping[str, Scores],
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    statistic: opt.Measures = "spa,acc-eq",
    level: opt.Levels = "system,input",
    by: opt.Tasks = None,
    average: opt.Average = "equal",
    inputs: opt.InputSet = "all",
    interval: opt.Interval = "jackknife",
    confidence: opt.Confidence = 0.95,
    test: opt.MetricTest = "jackknife",
    alpha: opt.Alpha = 0.05,
    p: opt.PValues = "plus-one",
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
    drop_outliers: opt.DropOutliers = False,
) -> Leaderboard:
    """Rank metrics by agreement with people, over several statistics and tasks.

    Parameters
    ----------
    scores
        The scores to study, or scores by task, such as ``metassay.read_tasks`` returns.

    Notes
    -----
    A statistic without a level is computed at each of `level` at which it is defined. Intervals of averages over tasks
    combine squared distances to the ends (Zou and Donner 2008) or, for bootstraps, average draws; tests add variances
    (Welch 1947) or average the differences of draws. Systems of the same name in several tasks make tasks dependent,
    which the jackknife over systems accounts for. With one task all numbers are those of :func:`agree` and
    :func:`compare`.

    Ranks are simultaneous confidence sets (Mogstad, Romano, Shaikh and Wilhelm 2024), from two-sided tests of all pairs
    of metrics that are corrected by Holm's method for each statistic; letters are those of Piepho (2004).

    Examples
    --------
    >>> import metassay as ma
    >>> board = ma.leaderboard(ma.example(), human="relevance", statistic="kendall@system")
    >>> board.table[0].rank, board.table[0].rank_low
    (1, 1)
    """
    method, tested_by = INTERVALS[interval], TESTS[test]
    measures = _measures(statistic, tuple(level))
    for one, _ in measures:
        method.check(one)
        tested_by.check(one)
    named = split(scores, by)
    for task in average:
        if task not in named:
            raise UnknownName("task", task, tuple(named))
    assert isinstance(average, Mapping), "taken by the option"
    weights = {task: average.get(task, 0.0 if average else 1.0) for task in named}
    if not any(weights.values()):
        raise UsageError("no task has a weight above 0")
    plan = Plan(method, tested_by, Draws(resamples, seed, engine.run), confidence, alpha, p, inputs)
    board = Board(plan, weights)
    humans = named_in(named, human, "human criterion")
    more: dict[str, Any] = {"sentinels": sentinels, "people": people_as_metrics, "drop_outliers": drop_outliers}
    more |= {"references": references, "statistics": [one for one, _ in measures]}
    for name in humans:
        chosen: dict[str, Selection] = {}
        for task, own in named.items():
            if weights[task] > 0:
                found = _selected(own, name, metric, board, task, more)
                if found is not None:
                    chosen[task] = found
        board.add(name, chosen, measures)
    if not board.rows:
        raise board.error or DataError("no task has a metric and scores of people; see --human and --metric")
    sizes = board.sizes()
    drawn = method.drawn or tested_by.drawn
    signature = Signature.open(
        level=None,
        coef=[f"{one.in_signatures}@{at}" for one, at in measures],
        metrics=len({row.metric for row in board.rows}),
        **({} if drawn else dict.fromkeys(("k", "seed"))),
        **({} if tested_by.drawn else {"p": None}),
        **sizes,
        corr="holm,table",
    )
    return Leaderboard(
        tuple(board.rows), signature, board.all_notes(), tuple(board.task_rows), tuple(board.tests), alpha
    )


def _measures(given: opt.Measures, levels: tuple[str, ...]) -> list[tuple[Statistic, str]]:
    """Return statistics with the levels at which they are wanted and defined."""
    found: dict[tuple[Statistic, str], None] = {}
    for name, at in given:  # type: ignore[union-attr,misc,str-unpack] # taken by the option
        one = find(name)
        own = [each for each in ((at,) if at else levels) if each in one.levels]
        if not own:
            wanted = at or ", ".join(levels)
            raise UsageError(
                f"the statistic {one.name} is not defined at {wanted} level (defined at: {', '.join(one.levels)})"
            )
        found.update(dict.fromkeys((one, each) for each in own))
    return list(found)


def _selected(
    own: Scores, human: str, metric: opt.Metric, board: Board, task: str, more: Mapping[str, Any]
) -> Selection | None:
    """Return what a task has of a human criterion, or None, with a note, if it has nothing to compare."""
    if human not in own.columns:
        return None
    several = len(board.weights) > 1
    metrics = None if metric is None else named_in({task: own}, metric, "metric", missing_ok=several)
    if metrics == []:
        board.notes.append(Note.of("task-without-columns", task=task))
        return None
    try:
        return select(own, [human], metrics, **more)
    except DataError as error:
        if not several:
            raise
        board.notes.append(Note.of("task-left-out", task=task, why=one_line(error, 200)))
        return None
