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
    numbers on another scale than people's."""
    n_items: fields.NItems
    n_people: int
    """People who judged."""
    n_abstained: int
    """Items that people judged and the judge did not."""
    statistic: fields.Statistic
    estimate: float
    """Agreement with people together: with the majority of their labels, or the mean of their numbers. What stands in
    this row about scores is of held-out items: the threshold of an item is chosen on other items."""
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
    """The agreement with single people less that of people with one another, paired by item."""
    gap_low: fields.Low
    gap_high: fields.High
    kappa: float
    """Agreement beyond chance: Cohen's κ, of grades quadratically weighted; NaN for other numbers."""
    kappa_low: fields.Low
    kappa_high: fields.High
    bias: float
    """Mean of judge − people: of the codes 0 and 1 for two labels, of ordered labels in steps; else NaN."""
    bias_low: fields.Low
    bias_high: fields.High
    winning_rate: float
    """Share of people over whom the judge wins in the alternative-annotator test; NaN if it cannot be made."""
    passed: bool | None
    """Whether the judge passes that test; None if it cannot be made."""
    base: float
    """Share of the most frequent label of people, which a judge that always says it has right; NaN without labels."""
    base_label: str
    """That label."""


@fields.row
class AgreementRow(fields.OfJudge):
    """The agreement of one judge with people, by one statistic."""

    against: str
    """``majority`` or ``mean`` of people, ``person`` if there is one only, or ``single people``, pooled."""
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
    """What people said."""
    label_judge: str
    """What the judge said."""
    n: int
    """Items."""
    share: float
    """Their share among the items of that label of people."""
    low: fields.Low
    high: fields.High


@fields.row
class ThresholdRow(fields.OfJudge):
    """What one threshold does: items with at least that score are called positive."""

    threshold: float
    """The score."""
    accuracy: float
    """Share of items that are called right."""
    precision: float
    """Share of positive items among those called positive."""
    recall: float
    """Share of positive items that are called positive."""
    specificity: float
    """Share of negative items that are called negative."""
    f1: float
    """Harmonic mean of precision and recall."""
    called: float
    """Share of items called positive."""
    chosen: bool
    """Whether it is the operating point."""


@fields.row
class OperatingRow(fields.OfJudge):
    """The threshold that was chosen, and what it does on items that had no part in the choice."""

    rule: str
    """What it was chosen by."""
    target: float
    """The target of the rule; NaN if it has none."""
    threshold: float
    """The score from which on items are called positive; NaN if none reaches the target."""
    threshold_low: float
    """The smallest threshold that was chosen without a tenth of the items."""
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
    """Items to which a judge gave similar probabilities."""

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
    """Lower end of its interval, which holds for all slices of the judge together (Bonferroni)."""
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
    """What the judge said."""
    said_people: str
    """What people said, together."""
    gap: float
    """How far apart they are: grades or scores; of labels the share of people who said otherwise."""
    texts: fields.Texts


@fields.row
class AlternativeRow(fields.OfJudge):
    """The alternative-annotator test of one judge."""

    epsilon: float
    """What a person is worth beyond equal quality, ε."""
    winning_rate: float
    """Share of people over whom the judge wins, ω."""
    advantage: float
    """Probability that the judge is at least as good as a person, averaged over people, ρ."""
    passed: bool
    """Whether ω is at least one half."""
    n_people: int
    """People who could be tested."""
    n_items: int
    """Items on which the judge was compared with at least one of them."""
    n_left_out: int
    """People with fewer than 30 items that another person and the judge have, too."""
    winning_rate_clustered: float
    """ω if items of one input, or of one cluster, count as dependent; the same as ω where they do not cluster."""
    passes_if_equal: float
    """How often a judge exactly as good as a person would pass with these people and items."""
    passes_if_worse: float
    """How often a judge that is worse by ``worse`` would."""
    worse: float
    """How much worse: the mean share of items on which the person is nearer, less that of the judge."""


@fields.row
class EpsilonRow(fields.OfJudge):
    """The winning rate at one ε."""

    epsilon: float
    """What a person is worth beyond equal quality."""
    winning_rate: float
    """Share of people over whom the judge wins."""
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
    """How stable a judge is that was run several times."""

    n_runs: int
    """Runs, prompts or versions."""
    same: float
    """Share of pairs of runs that gave an item the same label, or a number within a hundredth of the range."""
    low: fields.Low
    high: fields.High
    alpha: float
    """Krippendorff's α between runs: nominal for labels, interval for numbers."""
    worst: float
    """Agreement of the worst single run with people, by the statistic of the card."""
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
    """What the judge said where people said something."""
    threshold: tuple[ThresholdRow, ...] = ()
    """Curves of judges that give scores."""
    operating: tuple[OperatingRow, ...] = ()
    """The thresholds that were chosen, cross-validated."""
    calibration: tuple[CalibrationRow, ...] = ()
    """What happened beside what probabilities said."""
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
    """What was required, and whether it is met."""
    biases: tuple[BiasRow, ...] = ()
    """If asked for, biases of judges at equal human judgment."""
