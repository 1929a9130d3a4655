"""Rows of what sways judges."""

from __future__ import annotations

from metassay.core import fields


@fields.row
class BiasRow:
    """The effect on one judge of a feature that should not matter."""

    metric: fields.Metric
    human: str | None
    """The human criterion that is held fixed; None if there is none."""
    bias: str
    """``position``, ``length``, ``family``, ``style`` or ``probe``."""
    feature: str
    """The feature, as a property of the output that gains, such as ``twice as long``; in votes, compared with the other
    output."""
    effect: float
    """What such an output gains, in `unit`; NaN if it cannot be estimated."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    p_value: fields.PValue
    p_corrected: float
    """The p-value after Holm's correction over the effects of the judge."""
    detectable: float
    """The smallest effect that data of this precision detect with 80% power, at significance level 1 − confidence."""
    unit: str
    """``points`` of the judge's scale, or ``share`` of outputs passed or of votes won."""
    held: str
    """How quality is held fixed: ``difference`` (judge − human), ``covariate`` (the human score in the regression),
    ``orders`` (every pair in both orders), ``output`` (the same output before and after) or ``nothing``."""
    n_judgments: int
    """Number of judgments behind it."""
    n_clusters: int
    """Inputs, or clusters of them."""
    reason: str | None
    """Why there is no effect: ``constant`` (the feature does not vary), ``unchanged`` (a probe changed no output) or
    ``few`` (too few judgments); else None."""


@fields.row
class GradeRow:
    """How a judge uses one grade."""

    metric: fields.Metric
    human: str | None
    """The human criterion."""
    grade: str
    """The grade, or the range of scores; in votes, the winner."""
    share_people: float
    """Share of outputs with this human grade."""
    share_judge: float
    """Share of outputs with this grade by the judge; NaN if the two scales differ."""
    difference: float
    """Mean of judge − human for outputs with this human grade; NaN if the two scales differ."""
    low: fields.Low
    high: fields.High
    n_judgments: int
    """Number of outputs with this human grade."""


@fields.row
class RerunRow:
    """How well repetitions of one judge agree."""

    metric: fields.Metric
    what: str
    """``runs`` (re-runs or prompts) or ``orders`` (both orders of a pair)."""
    n_runs: int
    """Repetitions."""
    same: float
    """Share of pairs of repetitions with the same verdict."""
    low: fields.Low
    high: fields.High
    alpha: float
    """Krippendorff's α between repetitions: interval for numbers, nominal for labels and votes."""
    spread: float
    """Standard deviation between repetitions of one output, in points; NaN for labels and votes."""
    shift: float
    """Difference between the means of the most lenient and the strictest repetition; NaN for votes."""
    n_judgments: int
    """Outputs, or pairs of outputs, that were judged at least twice."""
