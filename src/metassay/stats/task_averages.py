"""Averages of a statistic over tasks, such as language pairs: intervals, and tests of two metrics on the average.

Tasks are independent: the draws of each are made apart, and added up with the weights of the tasks. A metric that some
tasks lack is averaged over those that have it, and two metrics are compared on the tasks that both have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.draws import TASKS, stream
from metassay.stats.intervals import percentiles
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.methods.base import OPPOSITE, Case, Draws, Interval, MetricTest, Tested
from metassay.stats.methods.two_way import TwoWayTest


@dataclass(frozen=True, eq=False)
class Task:
    """One task of several."""

    case: Case
    """The metrics that the task has, and people."""
    metrics: Sequence[int]
    """Which metric of all tasks each of them is."""
    weight: float = 1.0
    """How much the task counts."""

    def draws(self, draws: Draws, number: int) -> Draws:
        """Return the task's own draws, made apart from those of other tasks."""
        return replace(draws, seed=int(stream(draws.seed, TASKS, number).integers(2**62)))


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
    for at, task in enumerate(tasks):
        (found,) = interval.compute([task.case], task.draws(draws, at), confidence)
        place = list(task.metrics)
        by_task[at, place], low[at, place], high[at, place] = found.estimates, found.low, found.high
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
        lower = np.maximum(estimates - _combined(by_task - low, weights), lowest)
        upper = np.minimum(estimates + _combined(high - by_task, weights), highest)
    return Averages(estimates, lower, upper, (~np.isnan(by_task)).sum(axis=0), by_task)


def _combined(distances: FloatArray, weights: FloatArray) -> FloatArray:
    """Return √Σw²d² / Σw over the first axis, leaving out undefined values."""
    w = weights.reshape(-1, *[1] * (distances.ndim - 1)) * ~np.isnan(distances)
    return quotient(np.sqrt((w**2 * np.nan_to_num(distances) ** 2).sum(axis=0)), w.sum(axis=0))


def compare_averages(
    tasks: Sequence[Task], pairs: Sequence[Pair], test: MetricTest, draws: Draws, alternative: str, rule: str
) -> Tested:
    """Test pairs of metrics on their averages over the tasks that have both.

    Parameters
    ----------
    tasks
        The tasks; within each, the metrics miss the same cells.
    pairs
        Which metric is tested against which, by position among all metrics.
    test
        Any test that draws. The two-way test allows for what the inputs of all tasks add to the variance.
    draws, alternative, rule
        As for :meth:`metassay.stats.methods.base.MetricTest.compute`.
    """
    statistic, wanted = tasks[0].case.statistic, draws.resamples
    test.check(statistic)
    shape = (len(tasks), len(pairs))
    observed, added = np.full(shape, np.nan), np.zeros(shape)
    estimates, drawn = np.full((*shape, 2), np.nan), np.full((*shape, wanted), np.nan)
    systems = []
    for at, task in enumerate(tasks):
        own = {metric: place for place, metric in enumerate(task.metrics)}
        here = [k for k, (a, b) in enumerate(pairs) if a in own and b in own]
        if not here:
            continue
        chosen = [(own[pairs[k][0]], own[pairs[k][1]]) for k in here]
        mine = task.draws(draws, at)
        drawing = test.drawing(task.case, chosen, mine)
        observed[at, here], added[at, here] = drawing.observed, drawing.added
        pages = draws.run(drawing.page, drawing.pages, test.name)
        drawn[at, here] = np.concatenate(pages, axis=1)[:, :wanted]
        estimates[at, here] = [[task.case.estimates[a], task.case.estimates[b]] for a, b in chosen]
        systems.append(task.case.shape[0])
    weights = np.array([task.weight for task in tasks])
    # A pair is undefined in a task if either metric is: the task then counts for neither.
    estimates[np.isnan(estimates).any(axis=2)] = np.nan
    out = np.isnan(estimates[:, :, 0])
    observed[out], drawn[out], added[out] = np.nan, np.nan, np.nan
    apart = average(observed, weights)
    lacking = (np.isnan(drawn) & ~out[:, :, None]).any(axis=0)
    spread = np.where(lacking, np.nan, average(drawn, weights))
    if isinstance(test, TwoWayTest) and systems:
        apart = two_way.shrunk(apart, spread, _combined(np.sqrt(added), weights) ** 2, min(systems))
    counts = test.count(apart, spread, rule)
    if not statistic.higher_is_better:
        alternative = OPPOSITE[alternative]
    p, q = (counts.p_values(which, rule) for which in (alternative, OPPOSITE[alternative]))
    means = average(estimates, weights)
    p, q = (np.where(np.isnan(means).any(axis=1), np.nan, values) for values in (p, q))
    return Tested(means, p, q, wanted - counts.draws)
