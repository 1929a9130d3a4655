"""Rows of the judge card."""

from __future__ import annotations

from collections.abc import Sequence

from metassay.core import fields
from metassay.core.result import Result
from metassay.studies.bias_rows import BiasRow
from metassay.studies.requirements import RequirementRow


@fields.row
class JudgeRow(fields.OfJudge):
    """One judge in a line."""

    kind: str
    """``labels``, ``grades``, ``numbers``, ``scores`` that a threshold turns into labels, or ``other-scale`` for
    numbers that are not on the human scale."""
    n_items: fields.NItems
    n_people: int
    """Number of annotators."""
    n_abstained: int
    """Items that people judged and the judge did not."""
    statistic: fields.Statistic
    estimate: float
    """Agreement with people jointly: with the majority of their labels, or the mean of their numbers. For scores, this
    row is about held-out items: the threshold of an item is chosen on other items."""
    low: fields.Low
    high: fields.High
    single: float
    """Agreement with single people, averaged over them."""
    single_low: fields.Low
    single_high: fields.High
    people: float
    """Agreement of single people with one another; NaN with one person."""
    people_low: fields.Low
    people_high: fields.High
    gap: float
    """The agreement with single people minus that of people with one another, paired by item."""
    gap_low: fields.Low
    gap_high: fields.High
    kappa: float
    """Agreement beyond chance: Cohen's κ, quadratically weighted for grades; NaN for other numbers."""
    kappa_low: fields.Low
    kappa_high: fields.High
    bias: float
    """Mean of judge − human: for two labels of their codes 0 and 1, for ordered labels in steps; else NaN."""
    bias_low: fields.Low
    bias_high: fields.High
    winning_rate: float
    """Share of annotators over whom the judge wins in the alternative-annotator test; NaN if the test is not
    possible."""
    passed: bool | None
    """Whether the judge passes that test; None if the test is not possible."""
    base: float
    """Share of the most frequent human label: the accuracy of a judge that always gives it; NaN without labels."""
    base_label: str
    """That label."""


@fields.row
class AgreementRow(fields.OfJudge):
    """The agreement of one judge with people, by one statistic."""

    against: str
    """``majority`` or ``mean`` of the annotators, ``person`` if there is only one, or ``single people``, pooled."""
    statistic: fields.Statistic
    estimate: fields.Estimate
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    interval: fields.Interval
    n_items: fields.NItems


@fields.row
class PersonRow:
    """The agreement of one person with the others, scored like a judge against single people."""

    person: str
    """The person; ``(all)`` for all pairs of people."""
    human: fields.Human
    statistic: fields.Statistic
    estimate: float
    """Agreement with single others, pooled."""
    low: fields.Low
    high: fields.High
    n_items: fields.NItems


@fields.row
class ConfusionRow(fields.OfJudge):
    """One cell of a confusion table."""

    label_human: str
    """The human label."""
    label_judge: str
    """The label of the judge."""
    n: int
    """Items."""
    share: float
    """Their share of the items with that human label."""
    low: fields.Low
    high: fields.High


@fields.row
class ThresholdRow(fields.OfJudge):
    """One threshold: items with at least that score are labelled positive."""

    threshold: float
    """The score."""
    accuracy: float
    """Share of items that are labelled correctly."""
    precision: float
    """Share of positive items among those labelled positive."""
    recall: float
    """Share of positive items that are labelled positive."""
    specificity: float
    """Share of negative items that are labelled negative."""
    f1: float
    """Harmonic mean of precision and recall."""
    called: float
    """Share of items labelled positive."""
    chosen: bool
    """Whether it is the chosen threshold."""


@fields.row
class OperatingRow(fields.OfJudge):
    """The chosen threshold, evaluated on held-out items."""

    rule: str
    """The rule by which it was chosen."""
    target: float
    """The target of the rule; NaN if it has none."""
    threshold: float
    """The smallest score that is labelled positive; NaN if no threshold reaches the target."""
    threshold_low: float
    """The smallest threshold chosen with a tenth of the items left out."""
    threshold_high: float
    """The largest one."""
    accuracy: float
    """Accuracy on held-out items."""
    precision: float
    """Precision on held-out items."""
    recall: float
    """Recall on held-out items."""
    specificity: float
    """Specificity on held-out items."""
    f1: float
    """F1 on held-out items."""
    n_items: fields.NItems


@fields.row
class CalibrationRow(fields.OfJudge):
    """Items with similar probabilities of the judge."""

    lower: float
    """Lower end of the bin."""
    upper: float
    """Upper end of it."""
    said: float
    """Mean probability."""
    happened: float
    """Share of positive items."""
    low: fields.Low
    high: fields.High
    n_items: fields.NItems


@fields.row
class SliceRow(fields.OfJudge):
    """A part of the items."""

    attribute: str
    """What the items are sliced by."""
    value: str
    """Its value in this slice."""
    statistic: fields.Statistic
    estimate: float
    """Its value in the slice."""
    low: float
    """Lower end of its interval, simultaneous for all slices of the judge (Bonferroni)."""
    high: fields.High
    elsewhere: float
    """Its value on all other items."""
    p_value: fields.PValue
    p_corrected: float
    """The p-value after Holm's correction over all slices of the judge."""
    significant_corrected: fields.Corrected
    n_items: fields.NItems


@fields.row
class DisagreementRow(fields.OfJudge):
    """An item on which a judge and people differ."""

    system: fields.SystemIfAny
    input: fields.Input
    said_judge: str
    """The label of the judge."""
    said_people: str
    """The joint human label or grade."""
    gap: float
    """The difference of grades or scores; for labels, the share of annotators who gave another label."""
    texts: fields.Texts


@fields.row
class AlternativeRow(fields.OfJudge):
    """The alternative-annotator test of one judge."""

    epsilon: float
    """ε, by which the judge may be worse than an annotator."""
    winning_rate: float
    """ω, the share of annotators over whom the judge wins."""
    advantage: float
    """ρ, the probability that the judge is at least as good as an annotator, averaged over annotators."""
    passed: bool
    """Whether ω is at least one half."""
    n_people: int
    """Annotators who could be tested."""
    n_items: int
    """Items on which the judge was compared with at least one of them."""
    n_left_out: int
    """Annotators who share fewer than 30 items with another annotator and the judge."""
    winning_rate_clustered: float
    """ω if items of one input, or of one cluster, are treated as dependent; equal to ω if there are no clusters."""
    passes_if_equal: float
    """Probability that a judge exactly as good as an annotator passes, with these annotators and items."""
    passes_if_worse: float
    """Probability that a judge that is worse by ``worse`` passes."""
    worse: float
    """How much worse: the share of items on which the annotator is closer, minus the share on which the judge is
    closer."""


@fields.row
class EpsilonRow(fields.OfJudge):
    """The winning rate at one ε."""

    epsilon: float
    """ε, by which the judge may be worse than an annotator."""
    winning_rate: float
    """Share of annotators over whom the judge wins."""
    passed: bool
    """Whether it is at least one half."""


@fields.row
class RankRow(fields.OfJudge):
    """The ranks that one judge may have."""

    statistic: fields.Statistic
    estimate: float
    """Its value on the items that all judges have."""
    rank: int
    """Its rank by this estimate, 1 for the best."""
    rank_low: int
    """The best rank that it may have, by tests of all pairs corrected by Holm's method."""
    rank_high: int
    """The worst one."""


@fields.row
class DifferenceRow:
    """Two judges on the same items."""

    judge_a: str
    """The judge with the better estimate."""
    judge_b: str
    """The other one."""
    human: fields.Human
    statistic: fields.Statistic
    difference: float
    """A − B."""
    low: fields.Low
    high: fields.High
    p_value: fields.PValue
    p_corrected: float
    """The p-value after Holm's correction over all pairs."""
    significant_corrected: fields.Corrected
    n_items: fields.NItems


@fields.row
class RunRow(fields.OfJudge):
    """Stability of a judge that was run several times."""

    n_runs: int
    """Runs, prompts or versions."""
    same: float
    """Share of pairs of runs that gave an item the same label, or a number within a hundredth of the range."""
    low: fields.Low
    high: fields.High
    alpha: float
    """Krippendorff's α between runs: nominal for labels, interval for numbers."""
    worst: float
    """Agreement of the worst single run with people, by the statistic of `table`."""
    best: float
    """That of the best run."""
    n_items: fields.NItems


class JudgeCard(Result, study="judge"):
    """Whether judges can stand in for people: agreement, errors, and where they fail."""

    table: Sequence[JudgeRow]
    """One row per judge and human criterion."""
    agreement: tuple[AgreementRow, ...] = ()
    """Agreement by statistic, with people together and with single people."""
    people: tuple[PersonRow, ...] = ()
    """Each person against the others."""
    confusion: tuple[ConfusionRow, ...] = ()
    """Labels of the judge by human label."""
    threshold: tuple[ThresholdRow, ...] = ()
    """Curves of judges that give scores."""
    operating: tuple[OperatingRow, ...] = ()
    """The thresholds that were chosen, cross-validated."""
    calibration: tuple[CalibrationRow, ...] = ()
    """Observed shares beside predicted probabilities."""
    slices: tuple[SliceRow, ...] = ()
    """Where a judge fails: the worst slice first."""
    disagreements: tuple[DisagreementRow, ...] = ()
    """The worst disagreements, with their texts."""
    alternative_annotators: tuple[AlternativeRow, ...] = ()
    """The alternative-annotator test."""
    epsilon_curve: tuple[EpsilonRow, ...] = ()
    """Its winning rate over ε."""
    ranks: tuple[RankRow, ...] = ()
    """Several judges ranked."""
    differences: tuple[DifferenceRow, ...] = ()
    """Several judges tested against each other."""
    runs: tuple[RunRow, ...] = ()
    """Stability over re-runs and prompts."""
    requirements: tuple[RequirementRow, ...] = ()
    """The requirements, and whether they are met."""
    biases: tuple[BiasRow, ...] = ()
    """If requested, biases of judges at equal human judgment."""
