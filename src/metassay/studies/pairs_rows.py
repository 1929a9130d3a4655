"""Rows of `pairs`: pairs of systems by score difference, and the fitted curve."""

from __future__ import annotations

from metassay.core import fields, vocabulary
from metassay.errors import UsageError
from metassay.stats.score_gaps import chance, needed


@fields.row
class ScorePairsRow(fields.OfMetric):
    """Agreement of one metric with one human criterion on pairs of systems within a range of score differences."""

    kind: str
    """``bounds`` (given by the user), ``share`` (the closest pairs), ``triangle`` (a cell of the (l, u) triangle),
    ``curve`` (a point of the fitted curve) or ``needed`` (the difference needed for a probability of agreement)."""
    lower: float
    """Smallest score difference of the pairs, in the metric's own units. On a ``curve`` the point's difference."""
    upper: float
    """Largest score difference of the pairs; infinite if there is no limit. On a ``curve`` the same as `lower`."""
    share: float
    """The requested share of all pairs; with ``bounds``, the share within them. NaN on curves."""
    share_below: float
    """In the ``triangle``, the share of the closest pairs that is left out; otherwise 0. NaN on curves."""
    n_pairs: int
    """Pairs of systems within the bounds; on curves, all pairs."""
    n_ties: int
    """How many of them are tied in the metric, by people, or both."""
    estimate: float
    """r_sys Δ(lower, upper): Kendall's tau over these pairs only, NaN if undefined. For ``needed`` the score
    difference at which the fitted curve reaches `agreement`; infinite if it never does. NaN for ``curve``."""
    low: fields.Low
    high: fields.High
    agreement: float
    """Share of these pairs, without ties, on which people agree with the metric. For ``curve`` the fitted probability,
    for ``needed`` the target probability."""
    agreement_low: float
    """Lower end of its confidence interval; NaN for ``needed``."""
    agreement_high: float
    """Upper end of its confidence interval; NaN for ``needed``."""
    confidence: fields.Confidence
    interval: str
    """What the bootstrap resampled: ``boot-systems``, ``boot-inputs`` or ``boot-both``."""
    resamples: fields.Resamples
    resamples_undefined: int
    """Resamples in which the estimate (on curves, the curve) was undefined; excluded from its interval."""
    agreement_undefined: int
    """Resamples in which all pairs within the bounds were tied; excluded from the interval of `agreement`."""
    n_systems: fields.SharedSystems
    metric_kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class ChanceCurve(fields.OfMetric):
    """The fitted probability that people agree with a metric, by the size of the score difference.

    P(agree) = 1/(1 + exp(−β·|Δ|)): one half at no difference, with log odds proportional to the difference.
    """

    slope: float
    """β, per unit of the metric: ∞ if people agree on every pair, NaN if all pairs are tied."""
    slope_low: fields.Low
    slope_high: fields.High
    confidence: fields.Confidence
    largest: float
    """The largest score difference in the data; beyond it the curve extrapolates."""
    n_pairs: int
    """All pairs of systems."""
    n_ties: int
    """How many of them are tied and excluded from the fit."""
    resamples_undefined: int
    """Resamples without a curve; excluded from the interval."""

    def chance(self, difference: float) -> tuple[float, float, float]:
        """Return the chance that people agree about two systems so far apart, and its band."""
        ends = (self.slope, self.slope_low, self.slope_high)
        at, low, high = (float(chance(slope, difference)) for slope in ends)
        return at, low, high

    def needed(self, agreement: float) -> tuple[float, float, float]:
        """Return the difference at which the chance reaches `agreement`, with its interval; infinite if never."""
        agreement = vocabulary.fraction("agreement", agreement)
        if agreement <= 0.5:
            raise UsageError(f"agreement must be over 0.5, the chance at no difference, got {agreement:g}")
        # a steeper curve needs less, so the ends change places
        at, low, high = needed((self.slope, self.slope_high, self.slope_low), agreement).tolist()
        return at, low, high
