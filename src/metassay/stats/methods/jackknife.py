"""The two-way jackknife: an interval and a test about new systems and new inputs that draw nothing.

See :mod:`metassay.stats.jackknife` for what systems show and what inputs add to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from metassay.stats import exchanged_systems
from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair
from metassay.stats.few_systems import FewSystems, stretched
from metassay.stats.jackknife import Fit, added_up, of_independent_pairs
from metassay.stats.leverage import grubbs_share, largest_share, residuals, standardised
from metassay.stats.methods.base import OPPOSITE, Case, Draws, Interval, Intervals, Method, MetricTest, Reason, Tested
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.significance import EQUAL
from metassay.stats.statistics.base import Statistic
from metassay.stats.unseen_systems import room

LOWEST = -0.2
"""What inputs add is at least this share of what systems show: an estimate below 0 is noise, mostly, but no bias."""
ROUNDING = 1e-14
"""The share of two variances below which their difference is rounding."""
LEAST_OF_RANKS = 0.5
"""Spearman's p-values are at least this share of those from exchanges of ranks; else far too many of those that a
correction for many tests needs are small where biases are skewed."""
OTHER_TAIL = 0.9
"""Where an end leaves room for unseen systems, the other may miss this share of what both may miss together."""
SKEWED, LEAST = 0.3, 0.2
"""The most that skewness counts, and the least that is left of 1 − a·t for it to be divided by."""


class _Jackknife(Method):
    """What the interval and the test have in common."""

    name = JACKKNIFE
    citation = (
        "A. Colin Cameron, Jonah B. Gelbach and Douglas L. Miller (2011). Robust Inference With Multiway Clustering. "
        "Journal of Business & Economic Statistics 29(2)."
    )
    drawn = False
    generalises = "both"

    def needs(self, level: str) -> tuple[int, int]:
        """Return the least numbers of systems and of inputs (or families and clusters of them)."""
        return (3, 5) if level == "within-system" else (5, 2)


class JackknifeInterval(_Jackknife, Interval):
    """back(c + s·w(∓t)), s² = J + A: what systems show and what inputs add, on the statistic's scale.

    t has the degrees of freedom of Satterthwaite (1946), N − 2 of systems and M − 1 of inputs. w lengthens the side to
    which the values without one system are skewed. At input and global level the centre c is corrected for bias, and
    intervals of ranks leave room for rare systems (see :mod:`metassay.stats.unseen_systems`). Rank statistics of means
    of few systems: see :mod:`metassay.stats.few_systems`.
    """

    student = True

    def intervals(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case."""

        def work(at: int) -> Intervals:
            return self._of(cases[at], confidence)

        return draws.run(work, len(cases), self.name)

    @staticmethod
    def _of(case: Case, confidence: float) -> Intervals:
        estimates, undefined = case.prepared.estimate()
        ends = np.full((2, len(estimates)), np.nan)
        reasons: list[Reason | None] = [None] * len(estimates)
        for metrics, fit in case.fits:
            limits = Limits(fit)
            ends[:, metrics] = limits.ends(confidence)
            for at, left, variance in zip(metrics, fit.left, limits.variance, strict=True):
                if np.isnan(left).any():
                    reasons[at] = Reason("undefined-without-one")
                elif variance <= EQUAL**2:
                    reasons[at] = Reason("zero-width")
        return Intervals(estimates, undefined, ends[0], ends[1], reasons=tuple(reasons))


class Limits:
    """The intervals of the metrics of a fit, at any confidence."""

    def __init__(self, fit: Fit) -> None:
        statistic, n = fit.statistic, fit.units[0]
        self.fit = fit
        d = (n - 1) * (fit.left.mean(axis=1, keepdims=True) - fit.left)
        systems, df = np.diag(fit.of_systems) * (fit.of_pairs if statistic.pairwise else 1.0), None
        self.few = FewSystems.of(fit) if FewSystems.serves(statistic, fit.level, n) else None
        if self.few is not None:
            systems, df = self.few.variance, self.few.df
        elif fit.level == "global" and not (statistic.ranked and statistic.is_correlation):
            # The centre without bias varies more than the estimate, of which this is the variance.
            systems = systems * fit.of_cells
        elif fit.level == "input" and statistic.pairwise and statistic.is_correlation:
            # Of a mean over pairs the jackknife shows up to N(N − 1)/(N − 2)² times too much, but the centre varies
            # more than the estimate: this factor was found by simulation.
            systems = systems * (n - 2) / n
        elif fit.level == "system" and statistic.ranked:
            # As many independent pairs as there are units to make them of: agreement in all of them is no certainty.
            systems = np.maximum(systems, of_independent_pairs(statistic, fit.estimates, fit.systems, n))
        inputs = np.maximum(np.diag(fit.of_inputs), LOWEST * systems)
        self.systems, self.variance, self.varies = systems, systems + inputs, systems > EQUAL**2
        self.skew = skewness(d, systems, self.variance)
        self.df = satterthwaite(systems, inputs, (fit.df_of_systems(fit.left) if df is None else df, fit.df[1]))
        self.centre, self.power = fit.at, 1 if fit.level == "system" and statistic.pairwise else 2
        self.room = np.zeros((2, len(fit.estimates)))
        if fit.level in ("input", "global"):
            self.centre = fit.at - (n - 1) * (fit.left.mean(axis=1) - fit.at)
            if statistic.ranked:
                self.room = room(fit, stretched(statistic, fit.estimates))

    def ends(
        self, confidence: float | FloatArray, metrics: IntArray | slice = slice(None), *, alone: bool = True
    ) -> FloatArray:
        """Return the ends of intervals of some metrics, (2, metrics), each at the same or at its own confidence.

        Unless they stand `alone`, but serve an interval of a difference, they leave no room for unseen systems, which
        change both metrics alike.
        """
        confidence, df = np.asarray(confidence), self.df[metrics]
        t = stdtrit(df, (1 + confidence) / 2)
        if self.few is not None:
            low, high = self.fit.statistic.range
            ends = self.few.ends(t * np.sqrt(self.variance / self.systems)[metrics], metrics)
            return np.asarray((low + high + (high - low) * ends) / 2)
        skew, centre, r = self.skew[metrics], self.centre[metrics], self.fit.estimates[metrics]
        error = np.sqrt(self.variance[metrics])

        # Room is that of 95% intervals.
        room = self.room[:, metrics] * (alone * ndtri((1 + confidence) / 2) / ndtri(0.975))
        plain, nearer = (
            np.stack([error * np.abs(lengthened(side * q, skew, self.power)) for side in (-1, 1)])
            for q in (t, stdtrit(df, np.maximum(1 - OTHER_TAIL * (1 - confidence), 0.5)))
        )
        beyond = room > plain
        reach = np.where(beyond, room, np.where(beyond[::-1], nearer, plain))
        ends = self.fit.statistic.scale.back(np.stack([centre - reach[0], centre + reach[1]]))
        # What no system changes has no width; ±1 has a place on Fisher's scale only because it is moved in.
        return np.where(self.varies[metrics], [np.minimum(ends[0], r), np.maximum(ends[1], r)], r)


def skewness(d: FloatArray, own: FloatArray, variance: FloatArray) -> FloatArray:
    """Return a = Σd³/(6(Σd²)^1.5)·(own/variance)^1.5 of what units do, (…, units), which make up a part of it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = (d**3).sum(axis=-1) / (6 * (d * d).sum(axis=-1) ** 1.5) * (own / variance) ** 1.5
    return np.asarray(np.clip(np.nan_to_num(skew), -SKEWED, SKEWED))


def lengthened(q: FloatArray, skew: FloatArray, power: int) -> FloatArray:
    """Return quantiles, farther out on the side to which what units do is skewed."""
    return np.where(skew * q > 0, q / np.maximum(1 - skew * q, LEAST) ** power, q)


def satterthwaite(systems: FloatArray, inputs: FloatArray, df: tuple[FloatArray, int]) -> FloatArray:
    """Return the degrees of freedom of a sum of two variances, at least 1 (Satterthwaite 1946)."""
    inputs = np.maximum(inputs, 0.0)
    # Two systems leave none: if they differ at all, the sum has as few as there can be.
    none = np.where(systems > 0, np.inf, 0.0)
    below = np.divide(systems**2, df[0], out=none, where=df[0] > 0) + inputs**2 / df[1]
    found = np.divide((systems + inputs) ** 2, below, out=np.ones(np.shape(below)), where=below != 0)
    return np.asarray(np.maximum(found, 1.0))


class JackknifeTest(_Jackknife, MetricTest):
    """t = (c_X − c_Y)/√(J + A) of the difference, on the statistic's scale and the degrees of freedom of the interval.

    Means of systems: Pearson takes the geometric mean of J and of the variance that holds if both are equally good;
    rank coefficients are compared with what exchanges of systems make of them, and Spearman's p is at least
    `LEAST_OF_RANKS` of that from ranks (see :mod:`metassay.stats.exchanged_systems`). Where a system is an outlier,
    Pearson and Spearman take the larger p of this test and of the score test.
    """

    unpaired = "correlations"

    def test(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics."""
        draws.run(lambda _: len(case.fits), 1, self.name)  # where pages are done matrix products keep to one thread
        estimates = np.stack([case.estimates[list(side)] for side in zip(*pairs, strict=True)], axis=1)
        greater, less, *precision = np.full((5, len(pairs)), np.nan)
        smallest = 0.0
        reasons: list[Reason | None] = [Reason("other-cells")] * len(pairs)
        for mine, fit, sides in self._fitted(case, pairs):
            found = contrast(fit, *sides)
            greater[mine], less[mine] = found.greater, found.less
            for each, values in zip(precision, (found.error, found.df, found.excess), strict=True):
                each[mine] = values
            smallest = max(smallest, found.smallest)
            unstable = np.asarray(np.isnan(fit.left).any(axis=1))
            for k, same, wide, a, b in zip(mine, found.same, found.error, *sides, strict=True):
                reasons[k] = Reason("same-scores") if same else Reason("zero-width") if wide <= EQUAL else None
                if unstable[a] or unstable[b]:
                    reasons[k] = Reason("undefined-without-one")
        if not case.statistic.higher_is_better:
            alternative = OPPOSITE[alternative]
        p = {"greater": greater, "less": less, "two-sided": np.minimum(2 * np.minimum(greater, less), 1.0)}
        none = np.zeros(len(pairs), dtype=np.int64)
        one, other, (error, df, excess) = p[alternative], p[OPPOSITE[alternative]], precision
        return Tested(estimates, one, other, none, tuple(reasons), (error, df, excess), smallest)

    @staticmethod
    def _fitted(case: Case, pairs: Sequence[Pair]) -> Iterator[tuple[list[int], Fit, tuple[IntArray, IntArray]]]:
        """Yield pairs whose metrics were fitted together, by position, the fit, and the places of both in it."""
        for metrics, fit in case.fits:
            place = {int(metric): at for at, metric in enumerate(metrics)}
            mine = [k for k, (a, b) in enumerate(pairs) if a in place and b in place]
            if mine:
                first, second = (np.array([place[pairs[k][side]] for k in mine]) for side in (0, 1))
                yield mine, fit, (first, second)


def detectable(statistic: Statistic, found: Tested, systems: int, alpha: float, alternative: str) -> FloatArray | None:
    """Return how far apart two statistics must be for a test at level α to find it, (pairs,); inf if they cannot be.

    Around the same middle on the statistic's scale and with the same standard errors; None if the test has none. At a
    level that is corrected for many tests this is the first step of Holm's. Quantiles of exchanges are those of Cornish
    and Fisher (1938); where a difference is significant, no larger one is needed.
    """
    if found.precision is None:
        return None
    error, df, excess = found.precision
    middle = statistic.scale.to(found.estimates, systems).mean(axis=1)
    enough = np.where(np.fmin(found.p, found.q) <= alpha, np.abs(np.subtract(*found.estimates.T)), np.inf)
    alpha /= 2 if alternative == "two-sided" else 1
    with np.errstate(invalid="ignore"):
        t = stdtrit(df, 1 - alpha)
        half = (t + (t**3 - 3 * t) * excess / 24) * error / 2
    low, high = (statistic.scale.back(np.asarray(middle + side * half)) for side in (-1, 1))
    # Statistics that come in steps end where the last step is cut off.
    most = float(statistic.scale.to(np.asarray(statistic.range[1]), systems))
    return np.minimum(np.where((half > most) | (alpha < found.smallest), np.inf, high - low), enough)


@dataclass(frozen=True)
class Contrast:
    """Differences of two metrics each, (pairs,), tested in both directions."""

    greater: FloatArray
    """p-values against the first not having the larger statistic."""
    less: FloatArray
    """p-values against the second not having it."""
    error: FloatArray
    """Standard errors on the scale."""
    df: FloatArray
    """Their degrees of freedom, infinite where systems are exchanged."""
    excess: FloatArray
    """The excess kurtosis of what exchanges of systems make; 0 if the test is Student's."""
    smallest: float
    """The smallest p-value that exchanges allow; 0 if the test is Student's."""
    same: BoolArray
    """Whether the statistic cannot tell the two apart, whatever system is left out."""


def contrast(fit: Fit, first: IntArray, second: IntArray) -> Contrast:
    """Test the difference of metrics of a fit, by position."""

    def of_difference(matrix: FloatArray) -> FloatArray:
        own = np.diag(matrix)
        return np.asarray(own[first] + own[second] - 2 * matrix[first, second])

    difference = fit.at[first] - fit.at[second]
    systems = np.maximum(of_difference(fit.of_systems), 0.0) * fit.of_pairs
    if fit.level == "global" and fit.statistic.is_correlation and not fit.statistic.ranked:
        systems = systems * fit.of_cells
    inputs = np.maximum(of_difference(fit.of_inputs), LOWEST * systems)
    # The variance of a difference is what is left of three numbers: rounding alone leaves so much of them.
    own = np.diag(fit.of_systems)
    same = (systems <= EQUAL**2 + ROUNDING * (own[first] + own[second])) & (np.abs(difference) <= EQUAL)
    degrees = fit.df_of_systems(fit.left[first] - fit.left[second]), fit.df[1]
    score = None if fit.means is None or fit.statistic.pairwise else _Score.of(fit, first, second)
    if fit.means is not None and fit.statistic.ranked:
        found = _exchanged(fit, (first, second), systems, inputs, score, same)
    else:
        shown = systems if score is None else np.sqrt(systems * score.variance) * score.slope
        error, df = np.sqrt(np.maximum(shown + inputs, 0.0)), satterthwaite(shown, inputs, degrees)
        greater, less = _student(difference, shown, inputs, degrees)
        found = Contrast(greater, less, error, df, np.zeros(len(df)), 0.0, same)
    sides = np.stack([found.greater, found.less])
    if score is not None:
        added = np.maximum(inputs / score.slope**2, LOWEST * score.variance)
        restricted = _student(score.terms.sum(axis=1), score.variance, added, degrees)
        sides = np.where(score.outlier, np.maximum(sides, restricted), sides)
    greater, less = np.where(same, np.nan, sides)
    return replace(found, greater=greater, less=less)


Sides = tuple[FloatArray, FloatArray]
"""p-values against both sides."""


def _student(
    difference: FloatArray, variance: FloatArray, inputs: FloatArray, degrees: tuple[FloatArray, int]
) -> Sides:
    """Return p-values of t against both sides."""
    total = variance + inputs
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(total > 0, difference / np.sqrt(total), np.sign(difference) * np.inf)
    df = satterthwaite(variance, inputs, degrees)
    return stdtr(df, -t), stdtr(df, t)


def _exchanged(
    fit: Fit,
    pairs: tuple[IntArray, IntArray],
    systems: FloatArray,
    inputs: FloatArray,
    score: _Score | None,
    same: BoolArray,
) -> Contrast:
    """Compare differences of rank coefficients of means with those after exchanges of systems.

    Where the jackknife shows a larger variance than exchanges do, they are widened to the mean of both. For Spearman's
    coefficient the terms of the score test tell more than its ranks do.
    """
    difference, inputs = fit.at[pairs[0]] - fit.at[pairs[1]], np.maximum(inputs, 0.0)
    of_ranks = terms = exchanged_systems.terms_of_ranks(fit, *pairs)
    if score is not None:
        steep = fit.statistic.scale.chord(fit.estimates[pairs[0]], fit.estimates[pairs[1]], fit.systems)
        terms = added_up(score.terms, fit.families) * steep[:, None]
    variance = np.square(terms).sum(axis=1)
    wider = np.maximum(systems - variance, 0.0) / 2
    terms = terms * np.sqrt(1 + np.divide(wider, variance, out=np.zeros(len(wider)), where=variance > 0))[:, None]
    greater, less = exchanged_systems.p_values(difference, terms, inputs)
    if score is not None:
        least = exchanged_systems.p_values(difference, of_ranks, inputs)
        greater, less = (np.maximum(p, LEAST_OF_RANKS * q) for p, q in zip((greater, less), least, strict=True))
    return Contrast(
        greater,
        less,
        error=np.sqrt(variance + wider + inputs),
        df=np.full(len(same), np.inf),
        excess=exchanged_systems.excess(terms, inputs),
        smallest=exchanged_systems.smallest(fit.units[0]),
        same=same,
    )


@dataclass(frozen=True)
class _Score:
    """The score test that two correlations with the same people are equal, (pairs,)."""

    terms: FloatArray
    """What each system contributes to the difference, (pairs, systems)."""
    variance: FloatArray
    """The variance of their sum."""
    slope: FloatArray
    """How much Fisher's scale stretches their common value."""
    outlier: BoolArray
    """Whether a system lies off the line of a metric and people, or of both metrics."""

    @classmethod
    def of(cls, fit: Fit, first: IntArray, second: IntArray) -> _Score:
        """Test from what a common value of both correlations ρ leaves: (x − y)(z − ρ(x + y)/2), system by system."""
        assert fit.means is not None, "only means of systems are tested so"
        n = fit.systems
        x, z = (standardised(fit, values) for values in fit.means)
        r = fit.estimates
        apart, both = x[first] - x[second], (r[first] + r[second]) / 2
        terms = apart * (z[first] - both[:, None] * (x[first] + x[second]) / 2) / n
        of_units = added_up(terms - terms.mean(axis=1, keepdims=True), fit.families)
        variance = (of_units**2).sum(axis=1) * fit.units[0] / (fit.units[0] - 2)
        of_one = largest_share(residuals(fit))[1]
        share = np.maximum(np.maximum(of_one[first], of_one[second]), largest_share(apart)[1])
        slope = 1 / (1 - np.minimum(both**2, 1 - 1e-9))
        return cls(terms, variance, slope, share > grubbs_share(n))
