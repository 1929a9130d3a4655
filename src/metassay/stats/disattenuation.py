"""Agreement as it would be with many inputs, or with people who make no errors, and the most that people allow.

A correlation of means of systems is one of *so many inputs*: noise of cells lowers it. Variance components tell by how
much (Spearman 1904, "The proof and measurement of association between two things").
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.methods.base import Case, Draws, Reason
from metassay.stats.methods.jackknife import JackknifeInterval
from metassay.stats.planning import Design, plan_world
from metassay.stats.worlds import moments


@dataclass(frozen=True)
class Limit:
    """The correlation of one metric in a limit."""

    estimate: float
    """Its value; chance may take it beyond 1, where it says no more than 1."""
    low: float
    """Lower end of its interval: that of the correlation itself, stretched as much, and cut off at ±1."""
    high: float
    """Upper end of it."""
    reason: Reason | None = None
    """Why there is no value or no interval: ``noise-explains-all`` if noise of cells alone would make systems differ as
    much as they do, ``pearson-only`` for other statistics, or why the correlation has none."""


def disattenuated(case: Case, confidence: float, *, inputs: float = math.inf, ceiling: float = 1.0) -> list[Limit]:
    """Return what the Pearson correlation of each metric would be in a limit, with its interval.

    Parameters
    ----------
    case
        Metrics and people, compared by Pearson's coefficient at any level.
    confidence
        Such as 0.95.
    inputs
        Of how many inputs means of systems would be; infinitely many by default. At other levels than that of systems
        the number of inputs lowers nothing.
    ceiling
        What people with errors allow at most, see :func:`human_ceiling`: agreement with people who make none is so much
        higher. Both limits together count the errors of people on single cells twice: ask for one of them.

    Notes
    -----
    With S the covariances of means of systems and W those of cells without the effects of systems and inputs,
    T = S − W/M + W/m has the covariances for m inputs, and the correlation is T_xz/√(T_xx·T_zz). The interval of the
    correlation itself is stretched by the ratio of the two; leaving out systems from T covers .81 to .88 near 1.
    """
    if case.statistic.name != "pearson":
        return [Limit(math.nan, math.nan, math.nan, Reason("pearson-only"))] * len(case.x)
    found = JackknifeInterval().compute([case], Draws(0, 0), confidence)[0]
    limits = []
    for x, r, low, high, reason in zip(case.x, found.estimates, found.low, found.high, found.reasons, strict=True):
        wanted = _of_inputs(x, case, inputs) if case.level == "system" and inputs != case.shape[1] else float(r)
        if math.isnan(wanted) or r == 0 or not ceiling > 0:
            why = reason if math.isnan(r) else Reason("noise-explains-all")
            limits.append(Limit(math.nan, math.nan, math.nan, why))
            continue
        stretch = wanted / r / ceiling
        ends = [float(np.clip(end * stretch, -1.0, 1.0)) for end in (low, high)]
        limits.append(Limit(float(r * stretch), ends[0], ends[1], reason))
    return limits


def _of_inputs(x: FloatArray, case: Case, inputs: float) -> float:
    """Return the correlation of means of systems over so many inputs; NaN if a variance is not positive."""
    z = case.z
    if case.paired:
        found = moments(np.stack([x, z]))
        whole = found.systems + found.cells / inputs
    else:
        # Noise of cells of other inputs is no part of the covariance of the two.
        both = ~np.isnan(x).all(axis=1) & ~np.isnan(z).all(axis=1)
        means = [np.nanmean(values[both], axis=1) for values in (x, z)]
        whole = np.cov(means)
        for at, values in enumerate((x, z)):
            own = moments(values[both][None])
            whole[at, at] = own.systems[0, 0] + own.cells[0, 0] / inputs
    variances = np.diag(whole)
    return float(whole[0, 1] / np.sqrt(variances[0] * variances[1])) if (variances > 0).all() else math.nan


def human_ceiling(people: FloatArray, ratings: FloatArray, level: str) -> float:
    """Return the correlation of a metric that knows what all annotators would say with what these say on average.

    Parameters
    ----------
    people
        Mean scores of people, systems × inputs.
    ratings
        Ratings of single annotators, (annotators, systems, inputs), NaN where one is missing.
    level
        The level.

    Returns
    -------
    float
        From 0 to 1; NaN if no output has two ratings. Where annotators are not crossed with outputs, what an annotator
        makes of a system as a whole is not among their errors, and the ceiling is too high.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 1)) + random.normal(size=(100, 40))
    >>> ratings = truth + 2 * random.normal(size=(3, 100, 40))
    >>> round(human_ceiling(ratings.mean(axis=0), ratings, "input"), 1)
    0.8
    """
    world = plan_world(np.empty((0, *people.shape)), people, ratings)
    if world.noise is None:
        return math.nan
    judged = int((~np.isnan(people)).any(axis=0).sum())
    return world.ceiling(Design(len(people), judged, world.noise.annotators), level)
