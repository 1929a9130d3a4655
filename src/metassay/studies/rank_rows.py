"""Rows of the tables of `rank`."""

from __future__ import annotations

from metassay.core import fields


@fields.row
class StandingRow:
    """One system in one ranking."""

    metric: str
    """Who ranks: a judge, a metric, a human criterion, ``people`` together, or ``all raters``."""
    kind: str
    """``human`` or ``metric``; empty if unknown."""
    system: fields.System
    statistic: str
    """``bradley-terry``, ``controlled`` (the same at equal covariates), ``win-rate``, ``elo`` or ``mean``."""
    estimate: float
    """Strength in log odds with mean 0 (an average system has 0), share of votes won, Elo points, or mean score."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    interval: fields.Interval
    resamples: fields.ResamplesOrNone
    rank: int
    """Rank by the estimate among the systems of its component, 1 for the best."""
    rank_low: int | None
    """Best rank that the data allow; None without an interval."""
    rank_high: int | None
    """Worst rank that the data allow."""
    expected: float
    """Expected share of votes won against each of the others in turn, ties counted half; NaN if not modelled."""
    won: float
    """Share of its votes that it won, or of comparisons of scores on one input; ties count half."""
    n: int
    """Votes on it; inputs, for scores."""
    component: int
    """Systems of different components were never compared, not even through others."""


@fields.row
class WinRow:
    """Two systems against each other."""

    metric: str
    """Who compares them."""
    system_a: str
    """One system."""
    system_b: str
    """The other system."""
    wins: int
    """Votes for the first, or inputs on which it has the higher score."""
    ties: int
    """Ties."""
    losses: int
    """Votes for the second."""
    share: float
    """Share that the first won, ties counted half."""
    chance: float
    """The same as predicted by the strengths; NaN for scores."""


@fields.row
class GapRow:
    """Two systems that are neighbours in a ranking."""

    metric: str
    """Who ranks."""
    statistic: str
    """By what they are ranked: ``bradley-terry`` for votes, whatever statistics were asked for, or ``mean``."""
    system_a: str
    """The better one."""
    system_b: str
    """The next one."""
    difference: float
    """How much better the first is: log odds of winning against the second, or difference of mean scores."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    significant: bool
    """Whether the interval excludes 0."""
    n: int
    """Votes behind the ranking; inputs, for scores."""
    needed: int | None
    """About how many would make a true difference of this size significant with the probability `power`, if they are
    spread as now; None if there is no difference, or no interval."""
    power: float
    """That probability."""
    interval: fields.Interval = ""
    resamples: fields.ResamplesOrNone = None


@fields.row
class CovariateRow:
    """The effect of an attribute of outputs on votes between systems of equal strength."""

    metric: str
    """Who votes."""
    covariate: str
    """``position``, ``length``, or the attribute."""
    unit: str
    """The unit of the attribute."""
    estimate: float
    """Change of the log odds of winning with one unit more."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    p_value: fields.PValue
    chance: float
    """Probability that the output with one unit more wins against an otherwise equal one, ties counted half."""
    explained: float
    """Relative reduction of the variance of strengths when all covariates are held equal; the same in all rows of a
    ranking."""
    n: int
    """Votes for which all covariates are known."""


@fields.row
class RankAgreementRow(fields.OfMetric):
    """Agreement between the ranking of a judge and that of people."""

    statistic: fields.Statistic
    estimate: float
    """Correlation of the two vectors of strengths or means; NaN with fewer than three systems, or if all have equal
    rank."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    resamples: fields.Resamples
    resamples_undefined: fields.ResamplesUndefined
    n_systems: int
    """Systems that both rank, within one component."""
    n_pairs: int
    """Pairs of these systems."""
    same: int
    """Pairs that differ significantly by both, in the same direction."""
    opposite: int
    """Pairs that differ significantly by both, in opposite directions."""
    human_only: int
    """Pairs that differ significantly by people only."""
    metric_only: int
    """Pairs that differ significantly by the judge or metric only."""


@fields.row
class RaterRow:
    """Voting patterns of one rater."""

    rater: str
    """Who votes."""
    kind: str
    """``human``, ``metric``, or empty if unknown."""
    n: int
    """Votes."""
    ties: float
    """Share of ties."""
    first: float
    """Share of the other votes that are for the output shown first; NaN if the order is not known."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    repeated: int
    """Votes that repeat an earlier one on the same pair in the same order."""
    contradictory: int
    """Votes that contradict an earlier one on the same pair in the same order."""
