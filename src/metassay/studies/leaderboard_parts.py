"""Rows of a leaderboard, and how they are found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metassay.core import fields
from metassay.core.note import Note, where_of
from metassay.errors import DataError, one_line
from metassay.stats.arrays import BoolArray, FloatArray, Pair
from metassay.stats.methods.base import Draws, Interval, MetricTest, Reason
from metassay.stats.significance import corrected_pairs, letters, rank_sets, ranks
from metassay.stats.statistics.base import Statistic
from metassay.stats.task_averages import Averages, Task, averages, compare_averages
from metassay.studies.input_sets import InputSets, has_scores
from metassay.studies.method_notes import no_number
from metassay.studies.selection import Selection, levels_of_means
from metassay.studies.yardsticks import notes_on_sentinels


@fields.row
class LeaderRow(fields.OfAgreement):
    """One metric by one statistic: its average over tasks, and the ranks that it may have."""

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
    rank_high: fields.WorstRank
    letters: str
    """Metrics that share a letter are not significantly different; empty if that takes more than 52 letters."""
    n_tasks: int
    """Tasks in which it is defined."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class TaskRow:
    """One metric by one statistic in one task."""

    task: str
    """The task; empty if there is only one, without a name."""
    weight: float
    """The weight of the task in the average."""
    metric: fields.Metric
    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    estimate: fields.Estimate
    low: fields.Low
    high: fields.High
    n_systems: fields.SharedSystems
    n_inputs: fields.SharedInputs


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


@dataclass(frozen=True)
class Plan:
    """How agreement is estimated and tested."""

    interval: Interval
    test: MetricTest
    draws: Draws
    confidence: float
    alpha: float
    rule: str
    inputs: str


@dataclass(frozen=True)
class _Measure:
    """One statistic of one human criterion in the tasks that allow it."""

    human: str
    level: str
    statistic: Statistic
    taken: Mapping[str, Selection]
    """By task, with what stands beside metrics."""
    weights: Mapping[str, float]
    plan: Plan

    @property
    def where(self) -> dict[str, str]:
        """What rows and notes say."""
        return {"human": self.human, "level": self.level, "statistic": self.statistic.name}

    @property
    def kinds(self) -> dict[str, str]:
        """Metrics, and what stands beside them, with their kinds."""
        return {
            name: kind
            for one in self.taken.values()
            for name, kind in zip(one.metrics, one.kinds[len(one.humans) :], strict=True)
        }

    def parts(self, at: Mapping[str, int]) -> list[tuple[str, InputSets, list[int], Task]]:
        """Return the metrics of each task that use the same inputs and people, as tasks of their own."""
        found = []
        for number, (task, one) in enumerate(self.taken.items()):
            for own, sets, case in one.cases(0, self.level, self.plan.inputs, self.statistic):
                places = [at[one.metrics[m]] for m in own]
                found.append((task, sets, own, Task(case, places, self.weights[task], number, one.units("systems"))))
        return found

    def whole(self, at: Mapping[str, int], people: Sequence[str]) -> list[Task]:
        """Return the metrics of each task with some annotators, who are not among the people they are compared with."""
        found = []
        for number, (task, one) in enumerate(self.taken.items()):
            own = [m for m, name in enumerate(one.metrics) if not one.is_person(m) or name in people]
            z = one.people(0, own)
            scored = has_scores(one.x[own].reshape(-1, one.x.shape[-1]))
            sets = one.sets(scored, 0, self.level, self.plan.inputs, z)
            case = sets.case(one.x, own, z, self.level, self.statistic)
            places = [at[one.metrics[m]] for m in own]
            found.append(Task(case, places, self.weights[task], number, one.units("systems")))
        return found


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Tests of all pairs of metrics, (P, P)."""

    p: FloatArray
    """p-values, NaN where other cells or tasks turn two metrics around: neither is then said to be better."""
    corrected: FloatArray
    """The same after correction."""
    different: BoolArray
    """Which are significantly different."""


class Board:
    """Rows, as they are found."""

    def __init__(self, plan: Plan, weights: Mapping[str, float]) -> None:
        self.plan, self.weights = plan, weights
        self.rows: list[LeaderRow] = []
        self.task_rows: list[TaskRow] = []
        self.tests: list[LeaderTest] = []
        self.notes: list[Note] = []
        self.error: DataError | None = None
        self.shapes: dict[str, tuple[int, int]] = {}
        self.alone: dict[str, object] = {}

    def add(self, human: str, chosen: Mapping[str, Selection], measures: Sequence[tuple[Statistic, str]]) -> None:
        """Add all statistics of one human criterion."""
        found = [
            (
                *(statistic, level),
                {
                    task: each.at(level, 0, statistic)
                    for task, each in chosen.items()
                    if self._allows(each, level, statistic, task)
                },
            )
            for statistic, level in measures
        ]
        used = {task: each for task, each in chosen.items() if any(task in taken for *_, taken in found)}
        for task, each in used.items():
            self.shapes.setdefault(task, each.scores.shape)
            self.alone = each.sizes(self.plan.inputs)
            self.notes += [_in_task(note, task) for note in each.notes if not task or note.code != "outliers-none"]
            levels = [level for statistic, level in measures for level in levels_of_means([level], [statistic])]
            self.notes += each.notes_on_inputs(levels, self.plan.inputs, self.plan.test.unpaired or "interval")
            for method in dict.fromkeys((self.plan.interval, self.plan.test)):
                self.notes += each.notes_on_units(method)
        self._note_missing(human, chosen, used)
        order: dict[str, None] = {}
        for statistic, level, taken in found:
            if taken:
                self._add_one(_Measure(human, level, statistic, taken, self.weights, self.plan), order)

    def _allows(self, selected: Selection, level: str, statistic: Statistic, task: str) -> bool:
        try:
            selected.need(levels=[level])
            _need_inputs(selected, statistic)
        except DataError as error:
            where = ", ".join([*([task] if task else selected.humans), f"{level} level"])
            self.notes.append(Note.of("task-left-out", task=where, why=one_line(error, 200)))
            self.error = self.error or error
            return False
        return True

    def _note_missing(self, human: str, chosen: Mapping[str, Selection], used: Mapping[str, Selection]) -> None:
        metrics = dict.fromkeys(name for each in used.values() for name in each.metrics)
        tasks = [(name, sum(name not in each.metrics for each in used.values())) for name in metrics]
        lacking = [pair for pair in tasks if pair[1]]
        self.notes += Note.when(lacking, "metrics-in-some-tasks", tasks=lacking)
        found = Counter(name for each in used.values() for name in dict.fromkeys(each.units("systems")))
        returns = sum(times > 1 for times in found.values())
        allowed = returns and not self.plan.test.fixes_systems
        self.notes += Note.when(allowed, "systems-in-several-tasks", n=returns, of=len(found))
        without = [task for task, weight in self.weights.items() if weight > 0 and task not in chosen]
        self.notes += Note.when(without and chosen, "humans-in-some-tasks", human=human, tasks=without)

    def _add_one(self, measure: _Measure, order: dict[str, None]) -> None:
        """Add one statistic at one level; metrics stand in the order of the first one."""
        plan, kinds = self.plan, measure.kinds
        metrics = tuple(kinds)
        at = {name: place for place, name in enumerate(metrics)}
        parts = measure.parts(at)
        n, m = next(iter(measure.taken.values())).scores.shape
        draws = plan.draws
        drawn = Draws(draws.resamples, draws.seed, draws.run, n + 2 * m if plan.interval.resampled else 0)
        found = averages([task for *_, task in parts], len(metrics), plan.interval, drawn, plan.confidence)
        self._task_rows(measure, metrics, parts, found)
        good = measure.statistic.sign * found.estimates
        tested = self._tested(measure, metrics, good)
        sets, place = rank_sets(good, tested.corrected, plan.alpha), ranks(good)
        ranked = [int(each) for each in np.argsort(-good, kind="stable")]
        defined = [each for each in ranked if not np.isnan(good[each])]
        shared = dict(zip(defined, letters(defined, tested.different), strict=True))
        order.update(dict.fromkeys(metrics[each] for each in ranked if metrics[each] not in order))
        for each in (at[name] for name in order if name in at):
            self.rows.append(
                LeaderRow(
                    metric=metrics[each],
                    **measure.where,
                    estimate=float(found.estimates[each]),
                    low=float(found.low[each]),
                    high=float(found.high[each]),
                    confidence=plan.confidence,
                    interval=plan.interval.name,
                    resamples=plan.interval.draws_taken(draws.resamples),
                    rank=int(place[each]) or None,
                    rank_low=int(sets[each, 0]) or None,
                    rank_high=int(sets[each, 1]) or None,
                    letters=shared.get(each, ""),
                    n_tasks=int(found.tasks[each]),
                    kind=kinds[metrics[each]],
                    beats_sentinels=self._beats(each, tuple(kinds.values()), good, tested.p),
                )
            )

    def _beats(self, metric: int, kinds: Sequence[str], good: FloatArray, p: FloatArray) -> bool | None:
        """Return whether a metric is better than every sentinel, by one-sided tests; None without sentinels."""
        sentinels = [at for at, kind in enumerate(kinds) if kind == "sentinel" and not np.isnan(good[at])]
        if not sentinels or metric in sentinels or np.isnan(good[metric]):
            return None
        return all(good[metric] > good[s] and not p[metric, s] / 2 > self.plan.alpha for s in sentinels)

    def _task_rows(
        self,
        measure: _Measure,
        metrics: tuple[str, ...],
        parts: Sequence[tuple[str, InputSets, list[int], Task]],
        found: Averages,
    ) -> None:
        for row, (task, sets, own, part) in enumerate(parts):
            taken = measure.taken[task]
            z = taken.people(0, own)
            for m, place in zip(own, part.metrics, strict=True):
                n, inputs = sets.sizes(taken.x[m], z, measure.level)
                ends = (float(each[row, place]) for each in (found.by_task, found.low_by_task, found.high_by_task))
                estimate, low, high = ends
                facts = {"metric": metrics[place], **measure.where}
                self.task_rows.append(
                    TaskRow(
                        task=task,
                        weight=part.weight,
                        **facts,
                        estimate=estimate,
                        low=low,
                        high=high,
                        n_systems=n,
                        n_inputs=inputs,
                    )
                )
                reason = found.reasons.get((row, place))
                if reason is not None and math.isnan(estimate):
                    only = task if found.tasks[place] else ""
                    self.notes.append(Note.of("agreement-undefined", task=only, **facts, reason=reason.why))
                elif reason is not None:
                    self.notes.append(
                        no_number("no-interval", reason, method=self.plan.interval.name, task=task, **facts)
                    )

    def _tested(self, measure: _Measure, metrics: tuple[str, ...], good: FloatArray) -> _Pairs:
        """Test all pairs of metrics; no annotator is compared with itself."""
        plan, count, kinds = self.plan, len(metrics), measure.kinds
        p = np.full((count, count), np.nan)
        groups: dict[tuple[str, ...], list[Pair]] = {}
        for pair in combinations(range(count), 2):
            people = tuple(metrics[m] for m in pair if kinds[metrics[m]] == "person")
            groups.setdefault(people, []).append(pair)
        at = {name: place for place, name in enumerate(metrics)}
        outcomes: list[tuple[Pair, FloatArray, float, int, Reason | None]] = []
        for people, pairs in groups.items():
            tasks = measure.whole(at, people)
            found = compare_averages(tasks, pairs, plan.test, plan.draws, "two-sided", plan.rule)
            for k, (a, b) in enumerate(pairs):
                first, second = found.estimates[k]
                turned = measure.statistic.sign * (first - second) * (good[a] - good[b]) < 0
                p[a, b] = p[b, a] = np.nan if turned else found.p[k]
                outcomes.append(((a, b), found.estimates[k], float(found.p[k]), int(found.tasks[k]), found.reasons[k]))
        corrected = corrected_pairs(p)
        with np.errstate(invalid="ignore"):
            different = corrected <= plan.alpha
        for (a, b), estimates, one, n_tasks, reason in outcomes:
            named = [(metrics[a], metrics[b])]
            if not good[a] >= good[b]:
                a, b, estimates = b, a, estimates[::-1]
            self.tests.append(
                LeaderTest(
                    metric_a=metrics[a],
                    metric_b=metrics[b],
                    **measure.where,
                    estimate_a=float(estimates[0]),
                    estimate_b=float(estimates[1]),
                    difference=float(estimates[0] - estimates[1]),
                    p_value=one,
                    p_corrected=float(corrected[a, b]),
                    significant=bool(one <= plan.alpha),
                    significant_corrected=bool(different[a, b]),
                    test=plan.test.name,
                    n_tasks=n_tasks,
                )
            )
            if reason is not None and reason.code != "undefined":
                told = no_number("no-test", reason, method=plan.test.name, **measure.where, pair=named)
                self.notes.append(told)
        return _Pairs(p, corrected, different)

    def sizes(self) -> dict[str, object]:
        """Return the sizes that the signature tells."""
        systems, inputs = zip(*self.shapes.values(), strict=True)
        if len(self.weights) == 1:
            return self.alone
        return {"tasks": len(self.shapes), "systems": systems, "inputs": inputs}

    def _answers(self) -> Iterator[Note]:
        """Say of each criterion who leads by the first statistic, and how many others may have the first rank."""
        for human in dict.fromkeys(row.human for row in self.rows):
            mine = [row for row in self.rows if row.human == human and row.kind == "metric" and row.rank is not None]
            if not mine:
                yield Note.of("nobody-leads", human=human)
            mine = [row for row in mine if (row.statistic, row.level) == (mine[0].statistic, mine[0].level)]
            if len(mine) > 1:
                best = min(mine, key=lambda row: row.rank or 0)
                others = sum(row.rank_low == 1 for row in mine if row is not best)
                yield Note.of("metric-leads", **where_of(best), estimate=best.estimate, n=others)

    def all_notes(self) -> tuple[Note, ...]:
        """Return the notes, each once, and what conclusions generalise to."""
        smallest = self.plan.test.smallest_p((99, 999), self.plan.draws.resamples, self.plan.rule, "two-sided")
        metrics = len({row.metric for row in self.rows})
        tests = metrics * (metrics - 1) // 2
        notes = [*self._answers(), *self.notes]
        if smallest * tests > self.plan.alpha:
            facts = {"method": self.plan.test.name, "alpha": self.plan.alpha, "smallest": smallest}
            more = {"correction": "holm", "tests": tests, "after": min(smallest * tests, 1.0)}
            notes.append(Note.of("p-never-small-corrected", **facts, **more))
        notes += notes_on_sentinels(self.rows, self.plan.alpha)
        tested = any(not math.isnan(row.p_value) for row in self.tests)
        notes += Note.when(tested, "generalises", method=self.plan.test.name, to=self.plan.test.generalises)
        return tuple(dict.fromkeys(notes))


def _in_task(note: Note, task: str) -> Note:
    """Return a note that says of which task the systems are that it names."""
    if note.code != "outliers-dropped" or not task:
        return note
    return Note.of(note.code, **dict(note.facts) | {"systems": [f"{task}: {name}" for name in note["systems"]]})


def _need_inputs(selected: Selection, statistic: Statistic) -> None:
    """Refuse a statistic that compares systems input by input where people judged whole systems."""
    if statistic.by_input and np.isnan(selected.z).all():
        whole = f"{one_line(selected.humans[0])!r} has scores of whole systems only"
        raise DataError(f"{whole}, and {statistic.name} compares systems input by input; use pairwise-accuracy")
