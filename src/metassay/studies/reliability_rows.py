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
    """The variance component in squared score units; below 0 by chance, NaN if the design cannot estimate it."""
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
    """What a component consists of: one row per source or interaction that cannot be separated from others."""

    component: str
    """The component."""
    source: str
    """The source, or the interaction of several, such as ``system × input``."""
    n_facets: int
    """Number of sources that interact; 1 for a single source."""


@fields.row
class DesignRow(fields.OfColumn):
    """How reliable scores of one column are, or would be with other numbers of inputs, raters and systems."""

    level: fields.Level
    axis: str
    """``now`` for the design of the data; ``inputs`` and ``raters`` if their numbers differ from it; ``systems`` for
    more systems, which do not change the reliability but narrow its interval."""
    n_systems: int
    """Systems."""
    n_inputs: int
    """Inputs in the mean of a system."""
    n_raters: int
    """Raters of each output; 0 if raters are unknown, so that each output has as many ratings as in the data."""
    estimate: float
    """Generalizability coefficient Eρ²: the share of the variance of means that is not error, if only the order of
    systems (at other levels, of outputs) matters; the squared correlation with error-free scores. NaN if unknown."""
    low: fields.Low
    high: fields.High
    absolute: float
    """Index of dependability Φ: the same if the scores themselves matter, so that easy inputs and lenient raters are
    error too."""
    absolute_low: fields.Low
    absolute_high: fields.High
    error: float
    """Standard error of such a mean, without the effects that all systems share; in score units."""
    confidence: fields.Confidence


@fields.row
class NeedRow(fields.OfColumn):
    """The number of inputs or raters needed for a reliability, with everything else unchanged."""

    level: fields.Level
    axis: str
    """``inputs`` or ``raters``."""
    target: float
    """The target Eρ²."""
    now: int
    """How many there are."""
    needed: float
    """The number needed; infinite if no number is enough, NaN if unknown."""


@fields.row
class RaterAgreementRow:
    """How well raters agree with one another."""

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
