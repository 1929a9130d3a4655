"""Shares of the pairs of systems: those that a metric ranks unlike people, and those that are tied."""

from __future__ import annotations

from collections.abc import Sequence

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels import weighted_ranks
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.scales import FisherScale, Scale


class PairShare(Statistic):
    """A share of all pairs of systems, by the order in which a metric and people put the two."""

    range = (0.0, 1.0)
    levels = ("system",)
    higher_is_better = False
    ranked = pairwise = True

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def scale(self) -> Scale:
        """Fisher's scale: without ties a share of discordant pairs is Kendall's coefficient turned around."""
        return FisherScale(*self.range, ranks=True)

    def of_vectors(self, xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None]) -> FloatArray:
        """Return the share for each of `xs`, in every draw."""
        return weighted_ranks.correlate(xs, z, weights, self.name)


DISCORDANT = PairShare(weighted_ranks.DISCORDANT)
TIED = PairShare(weighted_ranks.TIED)
