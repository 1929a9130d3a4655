"""Scales on which statistics vary evenly, so that intervals can be symmetric there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from metassay.stats.arrays import FloatArray
from metassay.stats.significance import EQUAL

Place = TypeVar("Place", float, FloatArray)
"""One place on a scale, or an array of them."""


@dataclass(frozen=True)
class Scale:
    """The statistic's own scale, cut off at the ends of its range."""

    low: float = -np.inf
    """The smallest value that the statistic can have."""
    high: float = np.inf
    """The largest one."""

    def to(self, values: FloatArray, systems: int) -> FloatArray:
        """Return values of a statistic of so many systems on the scale."""
        return np.asarray(values)

    def back(self, places: Place) -> Place:
        """Return the values of the statistic at places on the scale."""
        if isinstance(places, float):
            return min(max(places, self.low), self.high)
        return np.clip(places, self.low, self.high)

    def slope(self, estimate: FloatArray, systems: int) -> FloatArray:
        """Return how much the scale stretches the statistic at an estimate."""
        return np.ones(np.shape(estimate))

    def chord(self, first: FloatArray, second: FloatArray, systems: int) -> FloatArray:
        """Return how much the scale stretches the difference of two values."""
        apart, near = first - second, np.abs(first - second) <= EQUAL
        places = self.to(first, systems) - self.to(second, systems)
        return np.where(near, self.slope((first + second) / 2, systems), places / np.where(near, 1.0, apart))

    def near(self, values: FloatArray, estimate: FloatArray, systems: int) -> FloatArray:
        """Return values near an estimate on the scale."""
        return self.to(values, systems)

    def variance(self, variance: float, estimate: float, systems: int) -> float:
        """Return a variance of the statistic at an estimate as one on the scale."""
        return variance * float(self.slope(np.asarray(estimate), systems)) ** 2


@dataclass(frozen=True)
class FisherScale(Scale):
    """Fisher's atanh r, also of a share p with r = 2p − 1; the ends, which have no place on it, are moved in."""

    low: float = -1.0
    high: float = 1.0
    ranks: bool = False
    """Whether values come in steps, and are ±1 at times: then the last half step or so of N systems, 1/N², is cut off,
    and values near an estimate are multiplied by the slope there, since the scale stretches steps without bound."""

    @property
    def _middle(self) -> tuple[float, float]:
        return (self.low + self.high) / 2, (self.high - self.low) / 2

    def to(self, values: FloatArray, systems: int) -> FloatArray:
        """Return atanh r."""
        most = 1 - (1 / max(systems, 2) ** 2 if self.ranks else 1e-9)
        middle, half = self._middle
        return np.asarray(np.arctanh(np.clip((values - middle) / half, -most, most)))

    def back(self, places: Place) -> Place:
        """Return tanh."""
        middle, half = self._middle
        if isinstance(places, float):
            return middle + half * math.tanh(places)
        return middle + half * np.tanh(places)

    def slope(self, estimate: FloatArray, systems: int) -> FloatArray:
        """Return 1/(1 − r²)."""
        return np.asarray(np.cosh(self.to(estimate, systems)) ** 2 / self._middle[1])

    def near(self, values: FloatArray, estimate: FloatArray, systems: int) -> FloatArray:
        """Return atanh r; for ranks along the slope at the estimate."""
        if not self.ranks:
            return self.to(values, systems)
        return np.asarray(self.to(estimate, systems) + (values - estimate) * self.slope(estimate, systems))
