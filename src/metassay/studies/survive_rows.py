"""What `survive` finds: the rows of its tables."""

from __future__ import annotations

from collections.abc import Sequence

from metassay.core import fields
from metassay.core.result import Result


@fields.row
class SurvivalRow(fields.OfMetric):
    """One test: does a metric agree with people at one level as it does at the baseline?"""

    language: str
    """The language, or whatever else the levels are, that is compared with the baseline."""
    baseline: str
    """The level it is compared with."""
    level: fields.Level
    statistic: fields.Statistic
    test: str
    """``jackknife``, ``tost`` or ``anderson-hauck``."""
    margin_kind: str
    """``constant``, ``sd`` or ``range``; the last two come from single annotators."""
    margin: float
    """The largest difference of two correlations that counts as equivalent."""
    estimate_a: float
    """The correlation at the baseline."""
    estimate_b: float
    """The correlation at this level."""
    difference: float
    """The correlation at this level minus that at the baseline."""
    low: float
    """Lower end of the interval of the difference, with confidence 1 − 2α, by the jackknife or the bootstrap; two
    one-sided tests check whether it is within the margin."""
    high: float
    """Upper end of that interval."""
    p_value: float
    """p-value of the hypothesis that the difference is at least as large as the margin; NaN if undefined."""
    p_corrected: float
    """The same, corrected for all tests with this test, kind of margin and statistic."""
    alpha: fields.Alpha
    equivalent: bool
    """Whether the p-value is at most α."""
    equivalent_corrected: bool
    """Whether the corrected p-value is at most α."""
    correction: fields.Correction
    needed: float
    """The smallest margin at which two one-sided tests find equivalence; NaN if there is none, or for another test."""
    n: int
    """Outputs with scores at both levels and judgments."""
    resamples: fields.Resamples
    resamples_undefined: fields.ResamplesUndefined


@fields.row
class LanguageAgreement(fields.OfMetric):
    """The correlation of a metric with people at one level (Fig. 1 of Braun et al. 2022, for every language)."""

    language: str
    """The language, or whatever else the levels are."""
    statistic: fields.Statistic
    estimate: float
    """The correlation."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence


@fields.row
class AcrossLanguages:
    """The correlation of a metric at the baseline with the same metric at another level (Fig. 2)."""

    metric: fields.Metric
    language: str
    """The other level."""
    statistic: fields.Statistic
    estimate: float
    """The correlation."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence


@fields.row
class AnnotatorMargin(fields.OfMetric):
    """How much single annotators differ in their correlation with a metric at the baseline (Fig. 4b)."""

    statistic: fields.Statistic
    n_annotators: int
    """Annotators with whom the metric has a correlation."""
    sd: float
    """Standard deviation of the correlations."""
    range: float
    """Largest difference of two of them."""


@fields.row
class Sensitivity:
    """The share of comparisons that two one-sided tests call equivalent, uncorrected, with a given margin (Fig. 4a)."""

    human: fields.Human
    statistic: fields.Statistic
    margin: float
    """The margin."""
    share: float
    """The share; NaN if no comparison is defined."""
    n_tests: int
    """Comparisons that are defined."""


@fields.row
class DominancePair:
    """In which share of the resamples the first metric agrees better with people than the second."""

    human: fields.Human
    statistic: fields.Statistic
    metric_a: str
    """The first metric."""
    metric_b: str
    """The second metric."""
    language: str
    """The level at which both are compared."""
    probability: float
    """The share, P."""
    resolved: bool
    """Whether one of the two agrees better in at least 97.5% of the resamples."""


@fields.row
class DominanceShift:
    """How the pairs of metrics that are resolved at the baseline change (Fig. 5)."""

    human: fields.Human
    statistic: fields.Statistic
    language: str
    """The level that is compared with the baseline."""
    n_pairs: int
    """Pairs of metrics with scores at both levels."""
    n_resolved: int
    """Of these, pairs that are resolved at the baseline."""
    n_kept: int
    """Resolved pairs that are still resolved in the same direction."""
    n_turned: int
    """Resolved pairs in which the other metric now agrees better in more than half of the resamples."""
    shift: float
    """Mean absolute change of the share, over the resolved pairs."""
    shift_back: float
    """The same after the round trip, level ``…-back``; NaN if there is none."""


@fields.row
class RankPosition:
    """A metric at one level, or a criterion, on the first two principal components of ranks (Fig. 6)."""

    name: str
    """The metric or the criterion."""
    kind: fields.Kind
    language: str
    """The level; empty for a criterion that is the same at all."""
    first: float
    """The position on the first component."""
    second: float
    """The position on the second component."""
    first_share: float
    """The share of the variance that the first component explains, the same for all."""
    second_share: float
    """Likewise for the second."""


@fields.row
class ReferenceWidening(fields.OfMetric):
    """How much wider an interval is if references are resampled too (app. B)."""

    language: str
    """The level."""
    statistic: fields.Statistic
    aggregate: str
    """How scores against several references become one: ``max`` or ``mean``."""
    n_references: int
    """The most references that an input has."""
    low: float
    """Lower end of the interval without resampling references."""
    high: fields.High
    low_references: float
    """Lower end of the interval with references resampled."""
    high_references: float
    """Upper end of it."""
    widening: float
    """How much wider the interval is."""
    relative: float
    """The same as a share of the width without."""


class Survival(Result, study="survive"):
    """Whether agreement with people is equivalent at every level, and how this depends on the margin."""

    table: Sequence[SurvivalRow]
    """One row per metric, criterion, level, test, kind of margin and statistic."""
    by: str
    """What the levels are levels of."""
    baseline: str
    """The level that the others are compared with."""
    agreement: tuple[LanguageAgreement, ...]
    """Correlations with people at every level."""
    across: tuple[AcrossLanguages, ...]
    """Correlations of metrics with themselves at the baseline."""
    margins: tuple[AnnotatorMargin, ...]
    """Margins from single annotators."""
    sensitivity: tuple[Sensitivity, ...]
    """How conclusions depend on the margin."""
    dominance: tuple[DominancePair, ...]
    """Pairs of metrics: which agrees better with people."""
    shifts: tuple[DominanceShift, ...]
    """How that changes from the baseline to each level."""
    components: tuple[RankPosition, ...]
    """Metrics and criteria on two principal components."""
    explained: tuple[float, float]
    """The share of the variance that each of the two explains."""
    references: tuple[ReferenceWidening, ...]
    """How resampling references widens intervals, for metrics with a score per reference."""
