"""Rows of `pairs`: pairs of systems by score difference, and the fitted curve."""

from __future__ import annotations

from metassay.core import fields, vocabulary
from metassay.errors import UsageError
from metassay.stats.score_gaps import chance, needed


@fields.row
class ScorePairsRow(fields.OfMetric):
    """What one metric says of pairs of systems a certain distance apart, against one human criterion."""

    kind: str
    """``bounds`` (given by the user), ``share`` (the closest pairs), ``triangle`` (a cell of the (l, u) triangle),
    ``curve`` (a point of the fitted curve) or ``needed`` (the difference that a chance of agreement needs)."""
    lower: float
    """Smallest score difference of the pairs, in the metric's own units. On a ``curve`` the point's difference."""
    upper: float
    """Largest score difference of the pairs; infinite if there is no limit. On a ``curve`` the same as `lower`."""
    share: float
    """Share of all pairs that was asked for; with ``bounds``, the share that lies within them. NaN on curves."""
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
    """Share of these pairs, ties apart, on which people agree with the metric. For ``curve`` the fitted chance of
    it, for ``needed`` the chance that is wanted."""
    agreement_low: float
    """Lower end of its confidence interval; NaN for ``needed``."""
    agreement_high: float
    """Upper end of its confidence interval; NaN for ``needed``."""
    confidence: fields.Confidence
    interval: str
    """What the bootstrap resampled: ``boot-systems``, ``boot-inputs`` or ``boot-both``."""
    resamples: fields.Resamples
    resamples_undefined: int
    """Resamples in which the estimate (on curves, the curve) was undefined; they left its interval."""
    agreement_undefined: int
    """Resamples in which no pair within the bounds was free of ties; they left the interval of `agreement`."""
    n_systems: fields.SharedSystems
    metric_kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class ChanceCurve(fields.OfMetric):
    """The fitted chance that people agree with a metric, by the size of the score difference.

    P(agree) = 1/(1 + exp(−β·|Δ|)): an even chance at no difference, log-odds in proportion to it from there.
    """

    slope: float
    """β, per unit of the metric: ∞ if people agree on every pair, NaN if no pair is free of ties."""
    slope_low: fields.Low
    slope_high: fields.High
    confidence: fields.Confidence
    largest: float
    """The largest score difference in the data: beyond it the curve is a guess."""
    n_pairs: int
    """All pairs of systems."""
    n_ties: int
    """How many of them are tied and did not take part in the fit."""
    resamples_undefined: int
    """Resamples without a curve; they left the interval."""

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
