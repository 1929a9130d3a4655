"""Intervals of rank statistics of few systems, which come in coarse steps and are ±1 at times.

On the statistic's own scale from −1 to 1 the variance is (b·q + a·q²)·(J + A)/J with q = 1 − τ²: b·q is what N(N−1)/2
pairs have by chance, which is known, and a·q² what systems add. An interval holds every τ from which the estimate is at
most t standard errors away, those at τ (Wilson 1927). So ±1 needs no place on Fisher's scale, the case b = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.jackknife import Fit
from metassay.stats.statistics.base import Statistic

FEW = 20
"""From this many systems (or families of them) on, limits on Fisher's scale hold as well."""
HALVINGS = 40
"""Halvings of the distance between an estimate and the end of the range."""


@dataclass(frozen=True, eq=False)
class FewSystems:
    """What systems do to rank statistics of means of few systems, (P,) each."""

    place: FloatArray
    """The estimates, stretched to −1 to 1."""
    a: FloatArray
    """The factor of q²."""
    b: float
    """The factor of q."""
    steep: FloatArray
    """1/q at the estimates, the slope of Fisher's scale, of which the last step before ±1 is cut off."""
    estimated: FloatArray
    """What of a·q² rests on the data: the rest is that of normal systems."""
    pairwise: bool
    """Whether the statistic is a mean over pairs; else it is Spearman's."""
    systems: int
    """The number N of systems, or of families of them."""

    @staticmethod
    def serves(statistic: Statistic, level: str, systems: int) -> bool:
        """Tell whether these intervals are those of a statistic: a mean over pairs, or Spearman's, of few systems."""
        ranks = statistic.ranked and (statistic.pairwise or statistic.name == "spearman")
        return level == "system" and ranks and systems < FEW

    @classmethod
    def of(cls, fit: Fit) -> FewSystems:
        """Estimate a from the jackknife, without what is by chance, and as if normal systems had shown some of it.

        A mean over pairs has b = 2/(N(N−1)) and a = 4(N−2)/(N(N−1))·ζ₁/q², of which the jackknife tells ζ₁ without bias
        (Hoeffding 1948), times N−4. Normal systems have ζ₁ ≈ q²/10. Spearman's coefficient of normal systems has
        b = 1/(N(N−1)) and a ≈ 1/N, and the jackknife then shows about 3.5·b·q too much.
        """
        n, (low, high) = fit.units[0], fit.statistic.range
        place, steep = stretched(fit.statistic, fit.estimates), fit.slope * (high - low) / 2
        chance = np.maximum(1 - place**2, 0.0) * steep**2
        shown, (b, normal, other) = np.diag(fit.of_systems), _of_normal(fit.statistic, n)
        if fit.statistic.pairwise:
            a = (n - 2) / (n * (n - 1)) * ((n - 2) * shown - 4 * chance / n)
        else:
            a = (n - 2) / n * (shown - 4.5 * b * chance)
        a = np.maximum(a + other * normal, normal)
        return cls(place, a, b, steep, a - other * normal, fit.statistic.pairwise, n)

    @classmethod
    def varying(cls, statistic: Statistic, values: FloatArray, systems: int) -> FewSystems:
        """Take a from how much the statistics of many data sets of as many systems vary."""
        place, (b, normal, other) = stretched(statistic, values), _of_normal(statistic, systems)
        q = 1 - place**2
        shown = (place.var(ddof=1) - b * q.mean()) / np.square(q).mean() if q.any() else 0.0
        a = np.full(len(place), max(float(shown), normal))
        steep = 1 / np.maximum(q, 1 - (1 - 1 / systems**2) ** 2)
        return cls(place, a, b, steep, a - other * normal, statistic.pairwise, systems)

    @property
    def variance(self) -> FloatArray:
        """The variance on Fisher's scale at the estimate."""
        return np.asarray(self.a + self.b * self.steep)

    @property
    def df(self) -> FloatArray:
        """Degrees of freedom: only what is estimated is uncertain."""
        with np.errstate(divide="ignore"):  # four systems estimate nothing
            return np.asarray((self.systems - 2) * (self.variance / self.estimated) ** 2)

    def ends(self, reach: FloatArray, metrics: IntArray | slice = slice(None)) -> FloatArray:
        """Return the ends (2, metrics) that are `reach` standard errors away, from −1 to 1."""
        place, a = self.place[metrics], self.a[metrics]
        near, far = np.stack([place, place]), np.array([[-1.0], [1.0]]) + 0 * place
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            q = 1 - middle**2
            inside = (place - middle) ** 2 <= reach**2 * (self.b * q + a * q * q)
            near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        if not self.pairwise:
            low, high = self._expecting(near)
            near = np.stack([np.minimum(low, place), np.maximum(high, place)])
        return np.where(np.isnan(reach), np.nan, near)

    def _expecting(self, mean: FloatArray) -> FloatArray:
        """Return the ρ of normal systems that has this mean in samples."""
        low, high = np.full((2, *mean.shape), [[[-1.0]], [[1.0]]])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = self._expected(middle) < mean
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(np.where(mean > 0, high, low))

    def _expected(self, rho: FloatArray) -> FloatArray:
        """Return the mean of Spearman's coefficient in samples of normal systems, ((N−2)ρ + 3τ)/(N+1) (Moran 1948)."""
        tau = 2 / np.pi * np.arcsin(2 * np.sin(np.pi / 6 * rho))
        return np.asarray(((self.systems - 2) * rho + 3 * tau) / (self.systems + 1))


def stretched(statistic: Statistic, values: FloatArray) -> FloatArray:
    """Return values of a statistic on a range from −1 to 1."""
    low, high = statistic.range
    return np.asarray((2 * values - low - high) / (high - low))


def _of_normal(statistic: Statistic, n: int) -> tuple[float, float, float]:
    """Return b, what a is for n normal systems, and how much that weighs beside the data's."""
    if statistic.pairwise:
        return 2 / (n * (n - 1)), 0.4 * (n - 2) / (n * (n - 1)), 4 / n
    return 1 / (n * (n - 1)), 1 / n, 2 / n
