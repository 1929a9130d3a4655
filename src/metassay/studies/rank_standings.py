"""A ranking of systems: its rows with intervals of ranks, and the gaps between neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from metassay.stats import votes as counting
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.clustered import POWER, Estimate, estimate, rank_ranges
from metassay.stats.intervals import percentiles
from metassay.stats.proportions import wilson
from metassay.stats.significance import ranks
from metassay.studies.rank_rows import GapRow, StandingRow

SAME = 1e-9
"""Variances below are those of data that do not vary."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """What one rater, metric or group of people says of all systems, by one statistic."""

    metric: str
    kind: str
    statistic: str
    values: FloatArray
    """(systems,), NaN for those that it does not rank."""
    covariance: FloatArray
    """(systems, systems); NaN where there is none."""
    df: float
    components: IntArray
    won: FloatArray
    n: IntArray
    expected: FloatArray
    samples: FloatArray | None = None
    """Values in bootstrap samples, (systems, resamples), if the interval is made of them."""
    method: str = "sandwich"
    """How intervals are made without samples."""

    @property
    def without_width(self) -> bool:
        """Whether nothing in the data shows how far the values may vary."""
        spread = np.diag(self.covariance)[~np.isnan(self.values)]
        return not (spread > SAME).any()

    @cached_property
    def interval(self) -> str:
        """How intervals are made: ``none``, ``bootstrap``, or the method without samples."""
        known = ~np.isnan(self.values)
        if np.isnan(self.covariance[known][:, known]).all() or self.without_width:
            return "none"
        return self.method if self.samples is None else "bootstrap"

    @property
    def drawn(self) -> FloatArray | None:
        """The samples, if intervals are made of them."""
        return self.samples if self.interval == "bootstrap" else None

    def rows(self, systems: Sequence[str], confidence: float) -> Iterator[StandingRow]:
        """Yield the systems of each component, the best first."""
        known = ~np.isnan(self.values)
        low, high = np.full((2, len(systems)), math.nan)
        plain, drawn = self.interval == "none", self.drawn
        if drawn is not None:
            low[known], high[known] = percentiles(drawn[known], confidence)
        elif not plain and self.statistic == "win-rate":
            low[known], high[known] = _share_ends(self, known, confidence)
        elif not plain:
            ends = [
                estimate(v, d, self.df, 0, confidence)
                for v, d in zip(self.values, np.diag(self.covariance), strict=True)
            ]
            low, high = np.array([(e.low, e.high) for e in ends]).T
        for part, own in enumerate(largest_first(self.components, known), 1):
            at = own[np.argsort(-self.values[own], kind="stable")]
            if drawn is not None:
                best, worst = counting.rank_intervals(drawn[at], confidence)
            else:
                best, worst = rank_ranges(self.values[at], self.covariance[np.ix_(at, at)], self.df, confidence)
            own = ranks(self.values[at], SAME)
            for place, s in enumerate(at):
                yield StandingRow(
                    metric=self.metric,
                    kind=self.kind,
                    system=systems[s],
                    statistic=self.statistic,
                    estimate=float(self.values[s]),
                    low=float(low[s]),
                    high=float(high[s]),
                    confidence=confidence,
                    interval=self.interval,
                    resamples=None if drawn is None else drawn.shape[1],
                    rank=int(own[place]),
                    rank_low=None if plain else int(best[place]),
                    rank_high=None if plain else int(worst[place]),
                    expected=float(self.expected[s]),
                    won=float(self.won[s]),
                    n=int(self.n[s]),
                    component=part,
                )

    def gaps(self, systems: Sequence[str], n: int, confidence: float) -> Iterator[GapRow]:
        """Yield the neighbours of each component, the best first; `n` votes or inputs are behind all of them."""
        for own in largest_first(self.components, ~np.isnan(self.values)):
            for a, b in pairwise(own[np.argsort(-self.values[own], kind="stable")]):
                found = self._difference(a, b, n, confidence)
                tells = found.value > SAME and found.error > SAME
                many = found.needed(found.value, POWER, 1 - confidence) if tells else math.nan
                yield GapRow(
                    metric=self.metric,
                    statistic=self.statistic,
                    system_a=systems[a],
                    system_b=systems[b],
                    difference=found.value,
                    low=found.low,
                    high=found.high,
                    confidence=confidence,
                    significant=bool(found.low > SAME),
                    n=n,
                    needed=int(many) if math.isfinite(many) else None,
                    power=POWER,
                    interval=self.interval,
                    resamples=None if self.drawn is None else self.drawn.shape[1],
                )

    def _difference(self, a: int, b: int, n: int, confidence: float) -> Estimate:
        """Return how much better system `a` is than `b`, with the interval that was asked for."""
        gap = float(self.values[a] - self.values[b])
        if self.drawn is None:
            variance = math.nan if self.interval == "none" else float(self._variances[a, b])
            return estimate(gap, variance, self.df, n, confidence)
        ends = percentiles((self.drawn[a] - self.drawn[b])[None], confidence)
        low, high = (float(end[0]) for end in ends)
        # Strengths in some samples may be nearly without bound; their standard deviation would be theirs alone.
        error = (high - low) / 2 / estimate(0.0, 1.0, math.inf, 0, confidence).high
        return Estimate(gap, error, low, high, self.df, n)

    def separated(self, confidence: float) -> BoolArray:
        """Return which pairs of systems of a component differ significantly, by the interval that was asked for."""
        if self.drawn is None:
            return np.asarray(self.ahead(confidence) != 0)
        found = np.zeros((len(self.values),) * 2, dtype=bool)
        known = ~np.isnan(self.values)
        for a in np.flatnonzero(known):
            others = np.flatnonzero(known & (self.components == self.components[a]))
            low, high = percentiles(self.drawn[a] - self.drawn[others], confidence)
            found[a, others] = (low > SAME) | (high < -SAME)
        return found

    @cached_property
    def _variances(self) -> FloatArray:
        """The variances of the differences between systems."""
        spread = np.diag(self.covariance)
        return np.maximum(spread[:, None] + spread - 2 * self.covariance, 0.0)

    def ahead(self, confidence: float) -> FloatArray:
        """Return 1 where the row is significantly better than the column, −1 where it is worse, else 0."""
        gap = self.values[:, None] - self.values
        reach = estimate(0.0, 1.0, self.df, 0, confidence).high * np.sqrt(self._variances)
        together = self.components[:, None] == self.components
        return np.where(together & (np.abs(gap) > np.maximum(reach, SAME)), np.sign(gap), 0.0)


def largest_first(components: IntArray, known: BoolArray) -> list[IntArray]:
    """Return the known systems of each component, the largest component first."""
    parts = [np.flatnonzero((components == own) & known) for own in np.unique(components)]
    return sorted((part for part in parts if len(part)), key=lambda part: (-len(part), part[0]))


def _share_ends(ranked: Ranked, known: BoolArray, confidence: float) -> tuple[list[float], list[float]]:
    """Return Wilson's intervals of shares, for as many votes as the clustered ones are worth."""
    reach = math.erf(estimate(0.0, 1.0, ranked.df, 0, confidence).high / math.sqrt(2))
    ends = []
    for p, variance, n in zip(ranked.values[known], np.diag(ranked.covariance)[known], ranked.n[known], strict=True):
        least = min(n, ranked.df + 1)
        worth = min(float(n), p * (1 - p) / variance) if variance > SAME else float(least)
        ends.append(wilson(p * worth, worth, reach if variance > SAME else confidence))
    return [low for low, _ in ends], [high for _, high in ends]
