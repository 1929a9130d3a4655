"""What would people have said of all outputs? A judge everywhere, corrected by few human judgments."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, estimate, mean, undefined
from metassay.stats.levels import means_of_known
from metassay.stats.proportions import wilson


@dataclass(frozen=True, eq=False)
class Powered:
    """A mean of human judgments, estimated with the help of a judge."""

    corrected: Estimate
    """The prediction-powered mean."""
    human: Estimate
    """The mean of the human judgments alone."""
    judge: float
    """The mean of the judge over all items."""
    weight: float
    """How far the judge is relied on, λ between 0 and 1; 0 is people alone."""
    labelled: int
    """Items with a human judgment."""
    total: int
    """All items."""
    influence: FloatArray
    """What each item, or each cluster of items, does to the corrected mean."""

    @property
    def worth(self) -> float:
        """How many human judgments alone would be as precise."""
        if not self.corrected.error > 0:
            return math.nan
        return self.labelled * (self.human.error / self.corrected.error) ** 2


def tuned_weight(people: FloatArray, judged: FloatArray, elsewhere: FloatArray, most: float = 1.0) -> float:
    """Return λ = Cov(Y, f)/((1 + n/N) Var f), clipped to [0, most]; Var f is that of all items.

    Angelopoulos, Duchi and Zrnic (2023), "PPI++: Efficient prediction-powered inference", as ppi_py computes it.
    """
    if not len(people) or not len(elsewhere):
        return 0.0
    shared = float(((people - people.mean()) * (judged - judged.mean())).mean())
    return _clipped(shared, (1 + len(people) / len(elsewhere)) * float(np.append(judged, elsewhere).var(ddof=1)), most)


def powered_mean(
    people: FloatArray,
    judge: FloatArray,
    *,
    clusters: IntArray | None = None,
    weight: float | None = None,
    confidence: float = 0.95,
    most: float = 1.0,
    chances: FloatArray | None = None,
) -> Powered:
    """Return the mean that people would have given over all items.

    Parameters
    ----------
    people
        Human judgments, (n,), NaN where there is none.
    judge
        The judge's on the same items; items without it are left out.
    clusters
        Clusters of the items, 0, 1, …, such as inputs that several systems share. Then λ is the one that makes the
        clustered variance smallest, and the interval is that of t with the labelled clusters less one.
    weight
        λ, to fix it; by default the best one.
    confidence
        Such as 0.95.
    most
        The largest λ; infinite for a judge on another scale than people's.
    chances
        The probability of each item to be chosen for a label, known where there is one; by default all had the same.
        Labels then count by its inverse (Zrnic and Candès 2024, "Active statistical inference").

    Notes
    -----
    θ = mean(Y) + λ(mean f over unlabelled − mean f over labelled), variance Var(Y − λf)/n + λ² Var(f)/N. Without
    clusters, the numbers are those of ppi_py's ``ppi_mean_ci``. Where the judge is of no help λ is 0, and people alone
    are the answer.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=1000)
    >>> people = np.where(np.arange(1000) < 100, truth, np.nan)
    >>> found = powered_mean(people, truth + random.normal(scale=0.5, size=1000))
    >>> round(found.weight, 2), round(found.worth)
    (0.67, 329)
    """
    labelled, other = ~np.isnan(people + judge), np.isnan(people) & ~np.isnan(judge)
    if chances is not None:
        labelled &= chances > 0
    y, f, g = people[labelled], judge[labelled], judge[other]
    n, away, middle = len(y), len(g), float(means_of_known(judge))
    where = np.arange(len(people)) if clusters is None else clusters
    size = int(where.max(initial=-1)) + 1
    if n < 2:
        nothing = undefined(n)
        return Powered(nothing, nothing, middle, 0.0, n, n + away, np.full(size, np.nan))
    # What items do to the mean of people, and what they do to the correction for λ = 1, summed by cluster.
    w = np.full(n, 1 / n) if chances is None else 1 / chances[labelled] / (1 / chances[labelled]).sum()
    y_mean, f_mean = (y.mean(), f.mean()) if chances is None else (float(w @ y), float(w @ f))
    own = np.bincount(where[labelled], w * (y - y_mean), size)
    effect = np.bincount(where[labelled], w * (f - f_mean), size)
    if chances is not None:  # the judge's mean of all items is what unequal choices are held against
        other, g = ~np.isnan(judge), judge[~np.isnan(judge)]
    if away:
        effect -= np.bincount(where[other], (g - g.mean()) / len(g), size)
    if clusters is None and chances is None:
        df, factor, best = math.inf, 1.0, tuned_weight(y, f, g, most)
    else:
        df = len(np.unique(where[labelled])) - 1
        factor = (df + 1) / df if df else math.nan
        best = _clipped(float((own * effect).sum()), float((effect**2).sum()), most)
    lam = 0.0 if not away else best if weight is None else weight
    value = float(y_mean - lam * f_mean + (lam * g.mean() if away else 0.0))
    influence = own - lam * effect
    human, corrected = (
        estimate(each, factor * float((part**2).sum()), df, n, confidence)
        for each, part in ((float(y_mean), own), (value, influence))
    )
    return Powered(corrected, human, middle, lam, n, n + away, influence)


def _clipped(above: float, below: float, most: float) -> float:
    """Return a weight between 0 and `most`; 0 where nothing varies."""
    return min(max(above / below, 0.0), most) if below > 0 else 0.0


def p_informative(people: FloatArray, judge: FloatArray, clusters: IntArray | None = None) -> float:
    """Return the one-sided p-value that judge and people covary within systems, (systems, inputs); NaN if one is flat.

    Products of deviations from the means of each system are averaged, with errors clustered by input.
    """
    known = ~np.isnan(people + judge)
    y, f = (np.where(known, values, np.nan) for values in (people, judge))
    products = (y - means_of_known(y)[:, None]) * (f - means_of_known(f)[:, None])
    inputs = np.broadcast_to(np.arange(people.shape[1]) if clusters is None else clusters, people.shape)
    found = mean(products.ravel(), [inputs.ravel()])
    if found.error == 0 and found.value > 0:
        return 0.0  # they covary alike everywhere, as a judge that is always right does
    return float(stdtr(found.df, -found.value / found.error)) if found.error > 0 else math.nan


@dataclass(frozen=True, eq=False)
class PoweredSystems:
    """Means of several systems over the same inputs."""

    systems: tuple[Powered, ...]
    """Each system."""
    covariance: FloatArray
    """Of the corrected means, systems × systems: inputs are shared."""
    df: int
    """Labelled inputs less one."""
    shares: bool = False
    """Whether the means are shares with Wilson's intervals."""

    def difference(self, a: int, b: int, confidence: float = 0.95) -> Estimate:
        """Return the corrected mean of system `a` less that of `b`.

        The interval is that of t; of shares, it is made of theirs (Zou and Donner 2008, "Construction of confidence
        limits about effect measures: a general approach"), which must be those of the same confidence.
        """
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        value = self.systems[a].corrected.value - self.systems[b].corrected.value
        n = min(self.systems[a].labelled, self.systems[b].labelled)
        found = estimate(value, max(float(variance), 0.0), self.df, n, confidence)
        if not self.shares or not found.error > 0:
            return found
        one, two = self.systems[a].corrected, self.systems[b].corrected
        spread = math.sqrt(self.covariance[a, a] * self.covariance[b, b])
        r = float(self.covariance[a, b]) / spread if spread > 0 else 0.0
        below, above = (
            math.sqrt(max(x * x + y * y - 2 * r * x * y, 0.0))
            for x, y in ((one.value - one.low, two.high - two.value), (one.high - one.value, two.value - two.low))
        )
        return replace(found, low=value - below, high=value + above)


def powered_systems(
    people: FloatArray,
    judge: FloatArray,
    clusters: IntArray | None = None,
    confidence: float = 0.95,
    *,
    weight: float | None = None,
    most: float = 1.0,
    shares: bool = False,
    chances: FloatArray | None = None,
) -> PoweredSystems:
    """Return the means that people would have given to each system, and their covariance.

    Parameters
    ----------
    people, judge
        Systems × inputs, NaN where missing.
    clusters
        Clusters of the inputs; by default each input is one, and estimates are those of ppi_py.
    confidence
        Such as 0.95.
    weight, most, chances
        See :func:`powered_mean`; chances are systems × inputs.
    shares
        Whether people say 0 or 1. Intervals are then Wilson's, for as many labels as the estimate is worth: those of t
        are too narrow for shares near 0 and 1.
    """
    found = []
    for s, (y, f) in enumerate(zip(people, judge, strict=True)):
        odds = None if chances is None else chances[s]
        each = powered_mean(y, f, clusters=clusters, weight=weight, confidence=confidence, most=most, chances=odds)
        if clusters is None and odds is None and each.labelled > 1:  # a normal interval becomes that of t
            n = each.labelled
            ends = (
                estimate(old.value, old.error**2 * n / (n - 1), n - 1, n, confidence)
                for old in (each.corrected, each.human)
            )
            each = replace(each, corrected=next(ends), human=next(ends))
        if shares:
            each = replace(each, corrected=_share(each.corrected, confidence), human=_share(each.human, confidence))
        found.append(each)
    inputs = np.arange(people.shape[1]) if clusters is None else clusters
    df = len(np.unique(inputs[(~np.isnan(people + judge)).any(axis=0)])) - 1
    influence = np.stack([system.influence for system in found])
    return PoweredSystems(tuple(found), influence @ influence.T * ((df + 1) / df if df > 0 else np.nan), df, shares)


def _share(found: Estimate, confidence: float) -> Estimate:
    """Return a share between 0 and 1 with Wilson's interval for p(1 − p)/variance labels, with z that of t."""
    if not found.error >= 0:
        return found
    p = min(max(found.value, 0.0), 1.0)
    worth = p * (1 - p) / found.error**2 if found.error > 0 and 0 < p < 1 else float(found.df + 1)
    low, high = wilson(p * worth, worth, z=float(stdtrit(found.df, (1 + confidence) / 2)))
    return Estimate(p, found.error, low, high, found.df, found.n)


@dataclass(frozen=True)
class Prevalence:
    """A share of positive items, corrected for the errors of the judge that counted them."""

    corrected: Estimate
    """The share that people would have found; NaN where the judge carries no information."""
    apparent: float
    """The share that the judge finds."""
    sensitivity: float
    """Share of people's positive items that the judge calls positive, q1."""
    specificity: float
    """Share of people's negative items that the judge calls negative, q0."""

    @property
    def informative(self) -> bool:
        """Whether the judge is better than chance, q0 + q1 > 1."""
        return self.sensitivity + self.specificity > 1


def corrected_share(
    apparent: float, judged: int, hits: int, positives: int, rejections: int, negatives: int, confidence: float = 0.95
) -> Prevalence:
    """Return the share of positive items from a judge's yes and no (Rogan and Gladen 1978).

    Parameters
    ----------
    apparent
        The judge's share of positive items among items that people did not label.
    judged
        How many these are.
    hits, positives
        How many of the items that people call positive the judge calls so, and how many there are.
    rejections, negatives
        The same for negative items.
    confidence
        Such as 0.95.

    Notes
    -----
    θ = (p + q0 − 1)/(q0 + q1 − 1), cut off at 0 and 1. The interval is that of Lang and Reiczigel (2014), which Lee et
    al. (arXiv 2511.21140) recommend for judges: z²/2 successes and failures are added to p and one of each to q0 and
    q1, and its middle is moved by 2z²(θ q1(1 − q1)/m1 − (1 − θ) q0(1 − q0)/m0).

    Examples
    --------
    >>> found = corrected_share(0.6, 1000, 90, 100, 80, 100)
    >>> round(found.corrected.value, 3), round(found.corrected.low, 3), round(found.corrected.high, 3)
    (0.571, 0.49, 0.655)
    """
    q1, q0 = (part / whole if whole else math.nan for part, whole in ((hits, positives), (rejections, negatives)))
    n, z = positives + negatives, float(ndtri((1 + confidence) / 2))
    if not q0 + q1 > 1:
        return Prevalence(undefined(n), apparent, q1, q0)
    value = min(max((apparent + q0 - 1) / (q0 + q1 - 1), 0.0), 1.0)
    p, size = (judged * apparent + z * z / 2) / (judged + z * z), judged + z * z
    r1, r0 = (hits + 1) / (positives + 2), (rejections + 1) / (negatives + 2)
    v1, v0 = r1 * (1 - r1) / (positives + 2), r0 * (1 - r0) / (negatives + 2)
    if r0 + r1 <= 1:
        return Prevalence(Estimate(value, math.nan, 0.0, 1.0, math.inf, n), apparent, q1, q0)
    middle = (p + r0 - 1) / (r0 + r1 - 1)
    error = math.sqrt(p * (1 - p) / size + (1 - middle) ** 2 * v0 + middle**2 * v1) / (r0 + r1 - 1)
    middle += 2 * z * z * (middle * v1 - (1 - middle) * v0)
    low, high = (min(max(middle + side * z * error, 0.0), 1.0) for side in (-1, 1))
    return Prevalence(Estimate(value, error, low, high, math.inf, n), apparent, q1, q0)


def corrected_share_of_items(
    people: FloatArray, judge: FloatArray, clusters: IntArray | None = None, confidence: float = 0.95
) -> Prevalence:
    """Return the corrected share of items, 0 or 1 and NaN where missing; with clusters, by linearisation.

    dθ = (dp + (1 − θ) dq0 − θ dq1)/(q0 + q1 − 1), summed over clusters, with t of the labelled clusters less one.
    """
    labelled, other = ~np.isnan(people + judge), np.isnan(people) & ~np.isnan(judge)
    y, f = people[labelled] == 1, judge[labelled] == 1
    counted = other if other.any() else labelled
    share = float(means_of_known(judge[counted]))
    counts = (int((y & f).sum()), int(y.sum()), int((~y & ~f).sum()), int((~y).sum()))
    found = corrected_share(share, int(counted.sum()), *counts, confidence)
    if clusters is None or not found.informative:
        return found
    theta, q1, q0 = found.corrected.value, found.sensitivity, found.specificity
    size = int(clusters.max(initial=-1)) + 1
    # (1 − θ) dq0 − θ dq1 by labelled item, then dp.
    errors = np.where(y, -theta * (f - q1) / counts[1], (1 - theta) * (~f - q0) / max(counts[3], 1))
    influence = np.bincount(clusters[labelled], errors, size)
    influence += np.bincount(clusters[counted], (judge[counted] - share) / counted.sum(), size)
    df = len(np.unique(clusters[labelled])) - 1
    variance = float((influence**2).sum()) / (q0 + q1 - 1) ** 2 * (df + 1) / df if df else math.nan
    raw = estimate(theta, variance, df, len(y), confidence)
    low, high = (float(np.clip(end, 0.0, 1.0)) for end in (raw.low, raw.high))
    return Prevalence(Estimate(theta, raw.error, low, high, df, len(y)), share, q1, q0)
