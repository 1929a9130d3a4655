"""Which metrics lead, over several statistics and tasks?

One row per metric: its agreement with people by each statistic, averaged over tasks such as language pairs, with an
interval and the ranks that it may have. All pairs of metrics are tested on the averages, and the tests are corrected by
Holm's method over each statistic. Metrics that share a letter are not significantly different.

    metassay leaderboard scores.csv --human relevance --statistic kendall@system,kendall@input
    metassay leaderboard wmt23 --human mqm --statistic spa,acc-eq -o board.tex
    metassay leaderboard wmt23 --language '*' --human mqm --average en-de=2,zh-en=1
    metassay leaderboard scores.csv --human relevance --by domain --view triangle -o appendix.tex
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UnknownName, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.methods.base import Draws, Interval, MetricTest
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.significance import EQUAL, corrected_pairs, letters, rank_sets
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import find
from metassay.stats.task_averages import Averages, Task, averages, compare_averages
from metassay.studies.selection import InputSets, Selection, has_scores, select
from metassay.studies.tasks import named_in, split


@fields.row
class LeaderRow:
    """One metric by one statistic: its average over tasks, and the ranks that it may have."""

    metric: fields.Metric
    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    estimate: float
    """Its average over the tasks in which it is defined, with the weights of the tasks."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    interval: fields.Interval
    resamples: fields.ResamplesOrNone
    rank: int | None
    """Its rank by the estimate, 1 for the best; None if it is undefined."""
    rank_low: int | None
    """The best rank that it may have: behind all metrics that are significantly better (all pairs, Holm)."""
    rank_high: int | None
    """The worst rank that it may have. With confidence 1 − α, the true ranks of all metrics are within these bounds."""
    letters: str
    """Metrics that share a letter are not significantly different; empty if that takes more than 52 letters."""
    n_tasks: int
    """Tasks in which it is defined."""


@fields.row
class TaskRow:
    """One metric by one statistic in one task."""

    task: str
    """The task; empty if there is only one, without a name."""
    weight: float
    """How much the task counts in the average."""
    metric: fields.Metric
    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    estimate: float
    """Its value; NaN if it is undefined."""
    low: fields.Low
    high: fields.High
    n_systems: fields.SharedSystems
    n_inputs: int
    """Inputs with at least one score from the metric and, unless system means take all inputs, one from people."""


@fields.row
class LeaderTest:
    """A test of the difference between the averages of two metrics, the better one first."""

    metric_a: str
    """The metric with the better average."""
    metric_b: str
    """The other one."""
    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    estimate_a: float
    """The average of the first, over the tasks and cells that both have."""
    estimate_b: float
    """That of the second."""
    difference: float
    """``estimate_a − estimate_b``."""
    p_value: fields.PValue
    p_corrected: float
    """The two-sided p-value after Holm's correction over all pairs of metrics by this statistic."""
    significant: fields.Significant
    significant_corrected: fields.Corrected
    test: fields.Test
    n_tasks: int
    """Tasks in which both could be tested."""


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Metrics by agreement with people, over several statistics and tasks, with ranks."""

    study: ClassVar[str] = "leaderboard"

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
    drop_outliers: opt.DropOutliers = False,
) -> Leaderboard:
    """Rank metrics by agreement with people, over several statistics and tasks.

    Parameters
    ----------
    scores
        The scores to study, or scores by task, such as ``metassay.read_tasks`` returns.

    Notes
    -----
    A statistic without a level is taken at each of `level` at which it is defined. Tasks are independent: intervals of
    averages add up squared distances to the ends (Zou and Donner 2008) or, for bootstraps, average draws; tests add up
    variances (Welch 1947) or average the differences of draws. With one task all numbers are those of
    :func:`agree` and :func:`compare`.

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
    weights = {task: average.get(task, 0.0 if average else 1.0) for task in named}
    if not any(weights.values()):
        raise UsageError("no task has a weight above 0")
    plan = _Plan(method, tested_by, Draws(resamples, seed, engine.run), confidence, alpha, p, inputs)
    board = _Board(plan, weights)
    humans = named_in(named, human, "human criterion")
    for name in humans:
        chosen: dict[str, Selection] = {}
        for task, own in named.items():
            if weights[task] > 0:
                found = _selected(own, name, metric, references, drop_outliers, board, task, len(named))
                if found is not None:
                    chosen[task] = found
        board.add(name, chosen, measures)
    if not board.rows:
        raise board.error or DataError("no task has a metric and scores of people; see --human and --metric")
    sizes = board.sizes()
    drawn = method.drawn or tested_by.drawn
    signature = Signature.open(
        level=None,
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
    own: Scores,
    human: str,
    metric: opt.Metric,
    references: bool,
    drop_outliers: bool,
    board: _Board,
    task: str,
    count: int,
) -> Selection | None:
    """Return what a task has of a human criterion, or None, with a note, if it has nothing to compare."""
    if human not in own.columns:
        return None
    metrics = named_in({task: own}, metric, "metric", missing_ok=count > 1) if metric is not None else None
    if metrics == []:
        board.notes.append(Note.of("task-left-out", task=task, why="it has none of the metrics"))
        return None
    try:
        return select(own, [human], metrics, references=references, drop_outliers=drop_outliers)
    except DataError as error:
        if count == 1:
            raise
        board.notes.append(Note.of("task-left-out", task=task, why=one_line(error, 200)))
        return None


@dataclass(frozen=True)
class _Plan:
    interval: Interval
    test: MetricTest
    draws: Draws
    confidence: float
    alpha: float
    rule: str
    inputs: str


class _Board:
    """Rows, as they are found."""

    def __init__(self, plan: _Plan, weights: Mapping[str, float]) -> None:
        self.plan, self.weights = plan, weights
        self.rows: list[LeaderRow] = []
        self.task_rows: list[TaskRow] = []
        self.tests: list[LeaderTest] = []
        self.notes: list[Note] = []
        self.error: DataError | None = None
        self.shapes: dict[str, tuple[int, int]] = {}

    def add(self, human: str, chosen: Mapping[str, Selection], measures: Iterable[tuple[Statistic, str]]) -> None:
        """Add all statistics of one human criterion."""
        metrics = tuple(dict.fromkeys(name for each in chosen.values() for name in each.metrics))
        if not metrics:
            return
        for task, each in chosen.items():
            self.shapes.setdefault(task, each.scores.shape)
            self.notes += each.notes
            for method in dict.fromkeys((self.plan.interval, self.plan.test)):
                self.notes += each.notes_on_units(method)
        self._note_missing(human, chosen, metrics)
        order: list[int] | None = None
        for statistic, level in measures:
            fit = {task: each for task, each in chosen.items() if self._allows(each, level, task)}
            if fit:
                order = self._add_one(human, fit, statistic, level, metrics, order)

    def _allows(self, selected: Selection, level: str, task: str) -> bool:
        try:
            selected.need(levels=[level])
        except DataError as error:
            where = ", ".join([*([task] if task else selected.humans), f"{level} level"])
            self.notes.append(Note.of("task-left-out", task=where, why=one_line(error, 200)))
            self.error = self.error or error
            return False
        return True

    def _note_missing(self, human: str, chosen: Mapping[str, Selection], metrics: Sequence[str]) -> None:
        lacking = [(name, sum(name not in each.metrics for each in chosen.values())) for name in metrics]
        if any(n for _, n in lacking):
            self.notes.append(Note.of("metrics-in-some-tasks", tasks=[pair for pair in lacking if pair[1]]))
        without = [task for task, weight in self.weights.items() if weight > 0 and task not in chosen]
        if without:
            self.notes.append(Note.of("humans-in-some-tasks", human=human, tasks=without))

    def _add_one(
        self,
        human: str,
        chosen: Mapping[str, Selection],
        statistic: Statistic,
        level: str,
        metrics: tuple[str, ...],
        order: list[int] | None,
    ) -> list[int]:
        """Add one statistic at one level; return the order of metrics in the table."""
        plan, at = self.plan, {name: place for place, name in enumerate(metrics)}
        parts: list[tuple[str, InputSets, list[int], Task]] = []
        whole: list[Task] = []
        for number, (task, selected) in enumerate(chosen.items()):
            taken = selected.at(level)
            weight = self.weights[task]
            groups = list(taken.by_inputs(0, level, plan.inputs))
            for own, sets in groups:
                case = sets.case(taken.x, own, taken.z[0], level, statistic)
                places = [at[taken.metrics[m]] for m in own]
                parts.append((task, sets, own, Task(case, places, weight, number)))
            if len(groups) == 1:
                whole.append(parts[-1][3])
            else:  # metrics that rest on different inputs are tested on those that both have
                every = list(range(len(taken.metrics)))
                sets = taken.sets(has_scores(taken.x.reshape(-1, taken.x.shape[-1])), 0, level, plan.inputs)
                case = sets.case(taken.x, every, taken.z[0], level, statistic)
                whole.append(Task(case, [at[name] for name in taken.metrics], weight, number))
        n, m = next(iter(chosen.values())).scores.shape
        draws = plan.draws
        drawn = Draws(draws.resamples, draws.seed, draws.run, n + 2 * m if plan.interval.resampled else 0)
        found = averages([task for *_, task in parts], len(metrics), plan.interval, drawn, plan.confidence)
        self._task_rows(human, chosen, statistic, level, metrics, parts, found)
        good = statistic.sign * found.estimates
        ranked = [int(each) for each in np.argsort(np.where(np.isnan(good), np.inf, -good), kind="stable")]
        ranks, apart = self._tested(human, statistic, level, metrics, whole, good)
        shared = dict(zip(ranked, letters([each for each in ranked if not np.isnan(good[each])], apart), strict=False))
        order = ranked if order is None else order
        for each in order:
            self.rows.append(
                LeaderRow(
                    metric=metrics[each],
                    human=human,
                    level=level,
                    statistic=statistic.name,
                    estimate=float(found.estimates[each]),
                    low=float(found.low[each]),
                    high=float(found.high[each]),
                    confidence=plan.confidence,
                    interval=plan.interval.name,
                    resamples=plan.interval.draws_taken(draws.resamples),
                    rank=None if np.isnan(good[each]) else 1 + int((good > good[each] + EQUAL).sum()),
                    rank_low=int(ranks[each, 0]) or None,
                    rank_high=int(ranks[each, 1]) or None,
                    letters=shared.get(each, ""),
                    n_tasks=int(found.tasks[each]),
                )
            )
        return order

    def _task_rows(
        self,
        human: str,
        chosen: Mapping[str, Selection],
        statistic: Statistic,
        level: str,
        metrics: tuple[str, ...],
        parts: Sequence[tuple[str, InputSets, list[int], Task]],
        found: Averages,
    ) -> None:
        where = {"human": human, "level": level, "statistic": statistic.name}
        for row, (task, sets, own, part) in enumerate(parts):
            taken = chosen[task].at(level)
            for m, place in zip(own, part.metrics, strict=True):
                n, inputs = sets.sizes(taken.x[m], taken.z[0], level)
                values = (float(each[row, place]) for each in (found.by_task, found.low_by_task, found.high_by_task))
                estimate, low, high = values
                self.task_rows.append(
                    TaskRow(
                        task, part.weight, metrics[place], human, level, statistic.name, estimate, low, high, n, inputs
                    )
                )
                reason = found.reasons.get((row, place))
                facts = {**where, "metric": metrics[place]}
                if not has_scores(taken.x[m]).any():
                    self.notes.append(Note.of("metric-of-other-level", level=level, metric=metrics[place]))
                elif math.isnan(estimate):
                    self.notes.append(Note.of("agreement-undefined", **facts))
                elif reason is not None:
                    why = {"reason": reason.code, "needs": reason.needs, "has": reason.has}
                    self.notes.append(Note.of("no-interval", **facts, method=self.plan.interval.name, **why))

    def _tested(
        self,
        human: str,
        statistic: Statistic,
        level: str,
        metrics: tuple[str, ...],
        tasks: Sequence[Task],
        good: FloatArray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Test all pairs of metrics; return the ranks that each may have, and which pairs are different."""
        plan, count = self.plan, len(metrics)
        p, different = np.full((count, count), np.nan), np.zeros((count, count), dtype=bool)
        pairs = list(combinations(range(count), 2))
        if not pairs:
            return rank_sets(good, p, plan.alpha), different
        found = compare_averages(tasks, pairs, plan.test, plan.draws, "two-sided", plan.rule)
        for (a, b), one, (first, second) in zip(pairs, found.p, found.estimates, strict=True):
            # Where other cells or tasks turn two metrics around, neither is said to be better.
            turned = statistic.sign * (first - second) * (good[a] - good[b]) < 0
            p[a, b] = p[b, a] = np.nan if turned else one
        corrected = corrected_pairs(p)
        with np.errstate(invalid="ignore"):
            different = corrected <= plan.alpha
        for k, (a, b) in enumerate(pairs):
            a, b, (first, second) = (
                (a, b, found.estimates[k]) if good[a] >= good[b] else (b, a, found.estimates[k][::-1])
            )
            one = float(found.p[k])
            self.tests.append(
                LeaderTest(
                    metric_a=metrics[a],
                    metric_b=metrics[b],
                    human=human,
                    level=level,
                    statistic=statistic.name,
                    estimate_a=float(first),
                    estimate_b=float(second),
                    difference=float(first - second),
                    p_value=one,
                    p_corrected=float(corrected[a, b]),
                    significant=bool(one <= plan.alpha),
                    significant_corrected=bool(different[a, b]),
                    test=plan.test.name,
                    n_tasks=int(found.tasks[k]),
                )
            )
            reason = found.reasons[k]
            if reason is not None and reason.code != "undefined":
                where = {"human": human, "level": level, "statistic": statistic.name, "method": plan.test.name}
                why = {"reason": reason.code, "needs": reason.needs, "has": reason.has}
                self.notes.append(Note.of("no-test", **where, pair=[(metrics[a], metrics[b])], **why))
        return rank_sets(good, corrected, plan.alpha), different

    def sizes(self) -> dict[str, object]:
        """Return the sizes that the signature tells."""
        systems, inputs = zip(*self.shapes.values(), strict=True)
        return {"tasks": len(self.shapes) if len(self.weights) > 1 else None, "systems": systems, "inputs": inputs}

    def all_notes(self) -> tuple[Note, ...]:
        """Return the notes, each once, and what conclusions generalise to."""
        smallest = self.plan.test.smallest_p((99, 999), self.plan.draws.resamples, self.plan.rule, "two-sided")
        metrics = len({row.metric for row in self.rows})
        tests = metrics * (metrics - 1) // 2
        notes = list(self.notes)
        if smallest * tests > self.plan.alpha:
            facts = {"method": self.plan.test.name, "alpha": self.plan.alpha, "smallest": smallest}
            more = {"correction": "holm", "tests": tests, "after": min(smallest * tests, 1.0)}
            notes.append(Note.of("p-never-small-corrected", **facts, **more))
        notes.append(Note.of("generalises", method=self.plan.test.name, to=self.plan.test.generalises))
        return tuple(dict.fromkeys(notes))
