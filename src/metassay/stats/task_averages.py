"""Averages of a statistic over tasks, such as language pairs: intervals, and tests of two metrics on the average.

Draws of each task are made apart, and added up with the weights of the tasks. Tasks that share systems are not
independent, and averages over them vary more (:mod:`metassay.stats.shared_systems`). A metric that some tasks lack is
averaged over those that have it, and two metrics are compared on the tasks that both have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import stdtr, stdtrit

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.draws import TASKS, stream
from metassay.stats.intervals import percentiles
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.levels import means_of_known
from metassay.stats.methods.base import OPPOSITE, Case, Draws, Interval, Method, MetricTest, Reason, Tested
from metassay.stats.methods.jackknife import JackknifeTest
from metassay.stats.methods.two_way import TwoWayTest
from metassay.stats.shared_systems import Together
from metassay.stats.significance import EQUAL


@dataclass(frozen=True, eq=False)
class Task:
    """One task of several."""

    case: Case
    """The metrics that the task has, and people."""
    metrics: Sequence[int]
    """Which metric of all tasks each of them is."""
    weight: float = 1.0
    """How much the task counts."""
    number: int | None = None
    """Which task it is, if metrics on other inputs of the same task are a `Task` of their own."""
    systems: tuple[str, ...] = ()
    """The name of each of its systems, or of the family of it, by which tasks may share them."""

    def draws(self, draws: Draws, number: int) -> Draws:
        """Return the task's own draws, made apart from those of other tasks; the first has those of a single one."""
        number = number if self.number is None else self.number
        return draws if number == 0 else replace(draws, seed=int(stream(draws.seed, TASKS, number).integers(2**62)))


def _together(tasks: Sequence[Task], items: int, method: Method) -> Together:
    """Return what is to find how tasks vary together; methods about these very systems take them as they are."""
    found = {
        (name, at if task.number is None else task.number) for at, task in enumerate(tasks) for name in task.systems
    }
    returns = len({name for name, _ in found}) < len(found) and not method.fixes_systems
    return Together([task.systems for task in tasks], items, shared=returns)


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages over tasks; arrays of all metrics (P,) or of tasks and metrics (T, P)."""

    estimates: FloatArray
    """The average of each metric over the tasks in which it is defined, (P,)."""
    low: FloatArray
    """Lower ends."""
    high: FloatArray
    """Upper ends."""
    tasks: IntArray
    """In how many tasks each metric is defined, (P,)."""
    by_task: FloatArray
    """The statistic in each task, (T, P); NaN where a metric is missing or undefined."""
    low_by_task: FloatArray
    """Lower ends in each task."""
    high_by_task: FloatArray
    """Upper ends in each task."""
    reasons: dict[tuple[int, int], Reason]
    """Why there is no interval, by task and metric."""


def average(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weighted means over the first axis of (T, …), leaving out undefined values; NaN where none is defined.

    Examples
    --------
    >>> average(np.array([[0.5, 0.2], [0.8, np.nan]]), np.array([1.0, 2.0])).round(3).tolist()
    [0.7, 0.2]
    """
    w = weights.reshape(-1, *[1] * (values.ndim - 1)) * ~np.isnan(values)
    return quotient((w * np.nan_to_num(values)).sum(axis=0), w.sum(axis=0))


def averages(tasks: Sequence[Task], metrics: int, interval: Interval, draws: Draws, confidence: float) -> Averages:
    """Return averages of all metrics with intervals.

    Parameters
    ----------
    tasks
        The tasks.
    metrics
        How many metrics there are in all.
    interval
        What intervals are made of. The samples of bootstraps are averaged draw by draw. Of other intervals, squared
        distances to the ends are added up with squared weights (Zou and Donner 2008, Statistics in Medicine 27).
    draws, confidence
        How many draws, and such as 0.95.
    """
    weights = np.array([task.weight for task in tasks])
    by_task, low, high = np.full((3, len(tasks), metrics), np.nan)
    samples: FloatArray | None = None
    reasons: dict[tuple[int, int], Reason] = {}
    together = _together(tasks, metrics, interval)
    for at, task in enumerate(tasks):
        (found,) = interval.compute([task.case], task.draws(draws, at), confidence)
        place = list(task.metrics)
        by_task[at, place], low[at, place], high[at, place] = found.estimates, found.low, found.high
        reasons.update({(at, m): why for m, why in zip(place, found.reasons, strict=True) if why is not None})
        one = [(m,) for m in range(len(place))]
        together.add(task.case, task.systems, one, place, task.weight * (found.high - found.low))
        if found.samples is not None:
            samples = np.full((len(tasks), metrics, found.samples.shape[1]), np.nan) if samples is None else samples
            samples[at, place] = found.samples
    estimates, factor = average(by_task, weights), together.factor
    if samples is not None:
        # A draw in which a task is undefined says nothing of the average over all tasks of a metric.
        lacking = (np.isnan(samples) & ~np.isnan(by_task)[:, :, None]).any(axis=0)
        drawn = _widened(np.where(lacking, np.nan, average(samples, weights)), factor)
        lower, upper = percentiles(drawn, confidence)
    else:
        lowest, highest = tasks[0].case.statistic.range
        lower = np.maximum(estimates - factor * _combined(by_task - low, weights), lowest)
        upper = np.minimum(estimates + factor * _combined(high - by_task, weights), highest)
        # A task without an interval would be taken for certain.
        unknown = (np.isnan(low + high) & ~np.isnan(by_task)).any(axis=0)
        lower, upper = (np.where(unknown, np.nan, ends) for ends in (lower, upper))
    return Averages(estimates, lower, upper, (~np.isnan(by_task)).sum(axis=0), by_task, low, high, reasons)


def _combined(distances: FloatArray, weights: FloatArray) -> FloatArray:
    """Return √Σw²d² / Σw over the first axis, leaving out undefined values."""
    w = weights.reshape(-1, *[1] * (distances.ndim - 1)) * ~np.isnan(distances)
    return quotient(np.sqrt((w**2 * np.nan_to_num(distances) ** 2).sum(axis=0)), w.sum(axis=0))


def _widened(drawn: FloatArray, factor: FloatArray) -> FloatArray:
    """Return draws (…, B) so many times as far from their means."""
    middle = means_of_known(drawn)[:, None]
    return np.where((factor == 1.0)[:, None], drawn, middle + factor[:, None] * (drawn - middle))


@dataclass(frozen=True, eq=False)
class TestedAverages(Tested):
    """Pairs of metrics, tested on averages over the tasks in which both could be tested."""

    tasks: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """In how many tasks, (pairs,)."""


def compare_averages(
    tasks: Sequence[Task], pairs: Sequence[Pair], test: MetricTest, draws: Draws, alternative: str, rule: str
) -> TestedAverages:
    """Test pairs of metrics on their averages over the tasks that have both, on the cells that both have.

    Parameters
    ----------
    tasks
        The tasks.
    pairs
        Which metric is tested against which, by position among all metrics.
    test
        The jackknife, whose variances of tasks are added up (Welch 1947), or any test that draws. The two-way test
        allows for what the inputs of all tasks add to the variance.
    draws, alternative, rule
        As for :meth:`metassay.stats.methods.base.MetricTest.compute`.
    """
    statistic = tasks[0].case.statistic
    test.check(statistic)
    weights = np.array([task.weight for task in tasks])
    if not statistic.higher_is_better:
        alternative = OPPOSITE[alternative]
    find = _by_variances if isinstance(test, JackknifeTest) else _by_draws
    why: dict[int, Reason] = {}
    estimates, p, q, undefined = find(tasks, pairs, test, draws, alternative, rule, why)
    # A pair is undefined in a task if either metric is: the task then counts for neither.
    estimates[np.isnan(estimates).any(axis=2)] = np.nan
    means = average(estimates, weights)
    count = (~np.isnan(estimates[:, :, 0])).sum(axis=0)
    lost = np.asarray(np.isnan(means).any(axis=1))
    reasons = tuple(
        why.get(k, Reason("undefined" if gone else "no-draw")) if gone or np.isnan(one) else None
        for k, (gone, one) in enumerate(zip(lost, p, strict=True))
    )
    p, q = (np.where(lost, np.nan, values) for values in (p, q))
    return TestedAverages(means, p, q, undefined, reasons, tasks=count)


def _parts(task: Task, pairs: Sequence[Pair]) -> Iterator[tuple[Case, list[int], list[Pair]]]:
    """Yield what a task has of the pairs: a case of metrics on the same cells, which pairs, and their places in it."""
    own = {metric: place for place, metric in enumerate(task.metrics)}
    here = {(own[a], own[b]): k for k, (a, b) in enumerate(pairs) if a in own and b in own}
    for case, metrics, local in task.case.on_common_cells(list(here)):
        place = {metric: at for at, metric in enumerate(metrics)}
        yield case, [here[pair] for pair in local], [(place[a], place[b]) for a, b in local]


Found = tuple[FloatArray, FloatArray, FloatArray, IntArray]
"""Estimates (tasks, pairs, 2), p-values of the first metric and of the second, and draws that were undefined; why pairs
could not be tested in a task is written down by pair."""


def _by_draws(
    tasks: Sequence[Task],
    pairs: Sequence[Pair],
    test: MetricTest,
    draws: Draws,
    alternative: str,
    rule: str,
    why: dict[int, Reason],
) -> Found:
    """Average the drawn differences of tasks draw by draw."""
    shape, wanted = (len(tasks), len(pairs)), draws.resamples
    observed, added = np.full(shape, np.nan), np.zeros(shape)
    estimates, drawn = np.full((*shape, 2), np.nan), np.full((*shape, wanted), np.nan)
    systems, together = [], _together(tasks, len(pairs), test)
    for at, task in enumerate(tasks):
        for case, here, chosen in _parts(task, pairs):
            drawing = test.drawing(case, chosen, task.draws(draws, at))
            observed[at, here], added[at, here] = drawing.observed, drawing.added
            pages = draws.run(drawing.page, drawing.pages, test.name)
            drawn[at, here] = np.concatenate(pages, axis=1)[:, :wanted]
            away = drawn[at, here] - means_of_known(drawn[at, here])[:, None]
            together.add(case, task.systems, chosen, here, task.weight * np.sqrt(means_of_known(away**2)))
            lacks = test.lacks(case)
            for k, (a, b) in zip(here, chosen, strict=True):
                if lack := lacks[a] or lacks[b]:
                    why.setdefault(k, lack)
                else:
                    estimates[at, k] = case.estimates[a], case.estimates[b]
            systems.append(case.shape[0])
    weights = np.array([task.weight for task in tasks])
    out = np.isnan(estimates).any(axis=2)
    observed[out], drawn[out], added[out] = np.nan, np.nan, np.nan
    apart = average(observed, weights)
    lacking = (np.isnan(drawn) & ~out[:, :, None]).any(axis=0)
    spread = _widened(np.where(lacking, np.nan, average(drawn, weights)), together.factor)
    if isinstance(test, TwoWayTest) and systems:
        apart = two_way.shrunk(apart, spread, _combined(np.sqrt(added), weights) ** 2, min(systems))
    counts = test.count(apart, spread, rule)
    p, q = (counts.p_values(which, rule) for which in (alternative, OPPOSITE[alternative]))
    return estimates, p, q, wanted - counts.draws


WIDEST = 10.0
"""The standard error of a task is changed by at most this factor, so that it gives the p-value that the task has."""


def _by_variances(
    tasks: Sequence[Task],
    pairs: Sequence[Pair],
    test: MetricTest,
    draws: Draws,
    alternative: str,
    rule: str,
    why: dict[int, Reason],
) -> Found:
    """Add up differences and their variances on the statistic's own scale, and compare with Student's t.

    The standard error of a task is the one at which Student's t gives the p-value that the test has in it.
    """
    statistic, shape = tasks[0].case.statistic, (len(tasks), len(pairs))
    estimates, variance = np.full((*shape, 2), np.nan), np.full(shape, np.nan)
    together = _together(tasks, len(pairs), test)
    for at, task in enumerate(tasks):
        for case, here, chosen in _parts(task, pairs):
            found = test.compute(case, chosen, draws, "greater", rule)
            assert found.precision is not None, "the jackknife tells standard errors"
            (error, df, _), r, n = found.precision, found.estimates, case.shape[0]
            apart = r[:, 0] - r[:, 1]
            near = np.abs(apart) <= EQUAL
            with np.errstate(invalid="ignore", divide="ignore"):
                least = error / statistic.scale.chord(r[:, 0], r[:, 1], n)
                t = np.abs(stdtrit(df, np.fmin(np.fmin(found.p, found.q), 0.5)))
                wide = np.where(near | (t == np.inf), least, np.clip(np.abs(apart) / t, least / WIDEST, WIDEST * least))
            same = [reason is not None and reason.code == "same-scores" for reason in found.reasons]
            for k, reason in zip(here, found.reasons, strict=True):
                if reason is not None and reason.code != "undefined":
                    why.setdefault(k, reason)
            wide, df = np.where(same, 0.0, wide), np.where(same, 1.0, df)
            tested = np.isnan(found.p) <= np.array(same)
            estimates[at, here] = np.where(tested[:, None], r, np.nan)
            variance[at, here] = np.where(tested, wide**2, np.nan)
            together.add(case, task.systems, chosen, here, task.weight * np.where(tested, wide, 0.0), df)
    weights = np.array([task.weight for task in tasks])
    means = average(estimates, weights)
    error = together.factor * _combined(np.sqrt(variance), weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        df, t = together.df, (means[:, 0] - means[:, 1]) / error
        greater, less = stdtr(df, -t), stdtr(df, t)
    p = {"greater": greater, "less": less, "two-sided": np.minimum(2 * np.minimum(greater, less), 1.0)}
    return estimates, p[alternative], p[OPPOSITE[alternative]], np.zeros(len(pairs), dtype=np.int64)
