"""Rows of `reliability`: components, designs, what designs need, and how far raters agree."""

from __future__ import annotations

from metassay.core import fields


@fields.row
class ComponentRow(fields.OfColumn):
    """How much of the variance of single scores of one column comes from one source."""

    component: str
    """``system``, ``input``, ``rater``, or an interaction such as ``system × input``; several joined by `` + `` if the
    design cannot separate them. The interaction of all contains the error of a single score."""
    variance: float
    """The variance component in squared units of scores; below 0 by chance, NaN if the design says nothing of it."""
    low: fields.Low
    high: fields.High
    share: float
    """Its share of the sum of all components, negative ones counted as 0; NaN if one is unknown."""
    confidence: fields.Confidence
    n_systems: int
    """Systems with scores."""
    n_inputs: int
    """Inputs with scores."""
    n_raters: int
    """Number of identified raters; 0 if none are identified."""


@fields.row
class SourceRow:
    """What a component stands for: one row per source or interaction that the design does not tell from its others."""

    component: str
    """The component."""
    source: str
    """The source, or the interaction of several, such as ``system × input``."""
    n_facets: int
    """How many interact in it; 1 for a source by itself."""


@fields.row
class DesignRow(fields.OfColumn):
    """How reliable scores of one column are, or would be with other numbers of inputs, raters and systems."""

    level: fields.Level
    axis: str
    """``now`` for the design of the data; ``inputs`` and ``raters`` where their numbers are others; ``systems`` for
    more systems, which change no reliability and make its interval narrower."""
    n_systems: int
    """Systems."""
    n_inputs: int
    """Inputs in the mean of a system."""
    n_raters: int
    """Raters of each output; 0 if raters are unknown, and each output has as many judgments as now."""
    estimate: float
    """Generalizability coefficient Eρ²: the share of the variance of means that is no error, where only the order of
    systems (at other levels, of outputs) counts; the squared correlation with error-free scores. NaN if unknown."""
    low: fields.Low
    high: fields.High
    absolute: float
    """Index of dependability Φ: the same where the scores themselves count, so that easy inputs and lenient raters are
    error too."""
    absolute_low: fields.Low
    absolute_high: fields.High
    error: float
    """Standard error of such a mean, without what all systems share; in units of the scores."""
    confidence: fields.Confidence


@fields.row
class NeedRow(fields.OfColumn):
    """How many inputs or raters a reliability needs, with everything else unchanged."""

    level: fields.Level
    axis: str
    """``inputs`` or ``raters``."""
    target: float
    """The wanted Eρ²."""
    now: int
    """How many there are."""
    needed: float
    """The number needed; infinite if no number is enough, NaN if unknown."""


@fields.row
class RaterAgreementRow:
    """How far raters agree with one another."""

    human: fields.Human
    statistic: str
    """``alpha-interval``, ``alpha-ordinal``, ``alpha-nominal`` (Krippendorff), ``ac1``, ``ac2`` (Gwet), ``share`` (of
    pairs of raters with the same score), or a correlation of one rater with the mean of the others, on average."""
    level: fields.Level
    estimate: fields.Estimate
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    resamples: fields.Resamples
    n_raters: int
    """Raters."""
    n_units: int
    """Outputs with at least two ratings."""
