"""Averages of a statistic over tasks, such as language pairs: intervals, and tests of two metrics on the average.

Tasks of different systems are independent: the draws of each are made apart, and added up with the weights of the
tasks. Tasks that share systems are not, since what a metric makes of a system returns in each: then draws are those
of one task, and standard errors are added up as if tasks varied together, which no other dependence can exceed. A
metric that some tasks lack is averaged over those that have it, and two metrics are compared on the tasks that both
have.
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
from metassay.stats.methods.base import OPPOSITE, Case, Draws, Interval, MetricTest, Reason, Tested
from metassay.stats.methods.jackknife import JackknifeTest
from metassay.stats.methods.two_way import TwoWayTest
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
    """The names of its systems, by which tasks may share them."""

    def draws(self, draws: Draws, number: int, *, together: bool) -> Draws:
        """Return the task's draws: the first has those of a single one, and so have others that vary together with it."""
        number = number if self.number is None else self.number
        apart = number and not together
        return replace(draws, seed=int(stream(draws.seed, TASKS, number).integers(2**62))) if apart else draws


def share_systems(tasks: Sequence[Task]) -> bool:
    """Tell whether a system is in more than one task.

    Examples
    --------
    >>> share_systems([])
    False
    """
    found = {
        (system, at if task.number is None else task.number) for at, task in enumerate(tasks) for system in task.systems
    }
    return len({system for system, _ in found}) < len(found)


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
    together = share_systems(tasks)
    for at, task in enumerate(tasks):
        (found,) = interval.compute([task.case], task.draws(draws, at, together=together), confidence)
        place = list(task.metrics)
        by_task[at, place], low[at, place], high[at, place] = found.estimates, found.low, found.high
        reasons.update({(at, m): why for m, why in zip(place, found.reasons, strict=True) if why is not None})
        if found.samples is not None:
            samples = np.full((len(tasks), metrics, found.samples.shape[1]), np.nan) if samples is None else samples
            samples[at, place] = found.samples
    estimates = average(by_task, weights)
    if samples is not None:
        # A draw in which a task is undefined says nothing of the average over all tasks of a metric.
        lacking = (np.isnan(samples) & ~np.isnan(by_task)[:, :, None]).any(axis=0)
        lower, upper = percentiles(np.where(lacking, np.nan, average(samples, weights)), confidence)
    else:
        lowest, highest = tasks[0].case.statistic.range
        lower = np.maximum(estimates - _combined(by_task - low, weights, together=together), lowest)
        upper = np.minimum(estimates + _combined(high - by_task, weights, together=together), highest)
        # A task without an interval would be taken for certain.
        unknown = (np.isnan(low + high) & ~np.isnan(by_task)).any(axis=0)
        lower, upper = (np.where(unknown, np.nan, ends) for ends in (lower, upper))
    return Averages(estimates, lower, upper, (~np.isnan(by_task)).sum(axis=0), by_task, low, high, reasons)


def _combined(distances: FloatArray, weights: FloatArray, *, together: bool) -> FloatArray:
    """Return √Σw²d² / Σw over the first axis, or Σwd / Σw of what varies together, leaving out undefined values."""
    w = weights.reshape(-1, *[1] * (distances.ndim - 1)) * ~np.isnan(distances)
    parts = w * np.nan_to_num(distances)
    return quotient(parts.sum(axis=0) if together else np.sqrt((parts**2).sum(axis=0)), w.sum(axis=0))


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
        The jackknife, whose variances of tasks are added up (Welch 1947; standard errors, with the fewest degrees of
        freedom, where tasks share systems), or any test that draws. The two-way test
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
    systems, together = [], share_systems(tasks)
    for at, task in enumerate(tasks):
        for case, here, chosen in _parts(task, pairs):
            drawing = test.drawing(case, chosen, task.draws(draws, at, together=together))
            observed[at, here], added[at, here] = drawing.observed, drawing.added
            pages = draws.run(drawing.page, drawing.pages, test.name)
            drawn[at, here] = np.concatenate(pages, axis=1)[:, :wanted]
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
    spread = np.where(lacking, np.nan, average(drawn, weights))
    if isinstance(test, TwoWayTest) and systems:
        apart = two_way.shrunk(apart, spread, _combined(np.sqrt(added), weights, together=False) ** 2, min(systems))
    counts = test.count(apart, spread, rule)
    p, q = (counts.p_values(which, rule) for which in (alternative, OPPOSITE[alternative]))
    return estimates, p, q, wanted - counts.draws


WIDEST = 10.0
"""A test of one task that finds less than its standard error says counts as one with at most so many times of it."""


def _by_variances(
    tasks: Sequence[Task],
    pairs: Sequence[Pair],
    test: MetricTest,
    draws: Draws,
    alternative: str,
    rule: str,
    why: dict[int, Reason],
) -> Found:
    """Add up differences and their variances, or standard errors, on the statistic's own scale, and compare with t.

    The standard error of a task is the one at which Student's t gives the p-value that the test has in it.
    """
    statistic, shape = tasks[0].case.statistic, (len(tasks), len(pairs))
    estimates, variance, freedom = np.full((*shape, 2), np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
    for at, task in enumerate(tasks):
        for case, here, chosen in _parts(task, pairs):
            found = test.compute(case, chosen, draws, "greater", rule)
            assert found.precision is not None, "the jackknife tells standard errors"
            (error, df), r, n = found.precision, found.estimates, case.shape[0]
            apart, middle = r[:, 0] - r[:, 1], r.mean(axis=1)
            near = np.abs(apart) < EQUAL
            places = statistic.scale.to(r, n)
            with np.errstate(invalid="ignore", divide="ignore"):
                slope = np.where(near, statistic.scale.slope(middle, n), (places[:, 0] - places[:, 1]) / apart)
                least = error / slope
                t = np.abs(stdtrit(df, np.fmin(np.fmin(found.p, found.q), 0.5)))
                wide = np.where(near | (t == np.inf), least, np.clip(np.abs(apart) / t, least, WIDEST * least))
            same = [reason is not None and reason.code == "same-scores" for reason in found.reasons]
            for k, reason in zip(here, found.reasons, strict=True):
                if reason is not None and reason.code != "undefined":
                    why.setdefault(k, reason)
            wide, df = np.where(same, 0.0, wide), np.where(same, 1.0, df)
            tested = np.isnan(found.p) <= np.array(same)
            estimates[at, here] = np.where(tested[:, None], r, np.nan)
            variance[at, here], freedom[at, here] = np.where(tested, wide**2, np.nan), df
    weights = np.array([task.weight for task in tasks])
    share = weights[:, None] * ~np.isnan(variance)
    share = share / np.maximum(share.sum(axis=0), 1e-300)
    parts = np.nan_to_num(share**2 * variance)
    together = share_systems(tasks)
    total = np.sqrt(parts).sum(axis=0) ** 2 if together else parts.sum(axis=0)
    means = average(estimates, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        welch = np.maximum(parts.sum(axis=0) ** 2 / np.nansum(parts**2 / freedom, axis=0), 1.0)
        df = np.fmin.reduce(np.where(parts > 0, freedom, np.inf), axis=0) if together else welch
        t = (means[:, 0] - means[:, 1]) / np.sqrt(total)
        greater, less = stdtr(df, -t), stdtr(df, t)
    p = {"greater": greater, "less": less, "two-sided": np.minimum(2 * np.minimum(greater, less), 1.0)}
    return estimates, p[alternative], p[OPPOSITE[alternative]], np.zeros(len(pairs), dtype=np.int64)
