"""Scores and probabilities against two labels of people: how well they separate them, and how honest they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metassay.errors import DataError
from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.tabulated import Items
from metassay.stats.statistics.tabulated import TabulatedStatistic

BINS = 10
"""Equally wide bins of probabilities for the calibration error."""


class ScoreStatistic(TabulatedStatistic):
    """A formula of how many items of either label have each score, from the highest score down."""

    scales = ("ordinal", "interval")

    def __init__(self, name: str, formula: Callable[[FloatArray, FloatArray], FloatArray], citation: str) -> None:
        super().__init__(name, citation)
        self.formula = formula

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return the positive label and, after it, all scores from the highest down, with the sign turned."""
        return np.concatenate([self.two_labels(z)[1:], np.unique(-x)])

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return the score and the label of each item as a cell."""
        cells = np.searchsorted(frame[1:], -x) * 2 + (z == frame[0])
        return Items(cells, 2 * (len(frame) - 1), np.ones((1, len(x))))

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the statistic from counts of negative and of positive items by score, (scores, B) each."""
        return self.formula(sums[::2, 0], sums[1::2, 0])


def _area(negative: FloatArray, positive: FloatArray) -> FloatArray:
    above = positive.cumsum(0) - positive / 2
    return np.asarray((negative * above).sum(0) / (negative.sum(0) * positive.sum(0)))


def _average_precision(negative: FloatArray, positive: FloatArray) -> FloatArray:
    hits = positive.cumsum(0)
    taken = hits + negative.cumsum(0)
    share = np.divide(hits, taken, out=np.zeros_like(hits), where=taken > 0)
    return np.asarray((share * positive).sum(0) / positive.sum(0))


class ProbabilityStatistic(TabulatedStatistic):
    """An error of probabilities of the positive label: Brier's, or the calibration error in equally wide bins.

    The calibration error is Σ_b share_b · |mean probability − share of positive items| over bins (l, u], the first of
    which includes 0.
    """

    scales = ("interval",)

    def frame(self, x: FloatArray, z: FloatArray) -> FloatArray:
        """Return the positive label; probabilities must be some."""
        outside = x[(x < 0) | (x > 1)]
        if len(outside):
            raise DataError(f"{self.title} needs probabilities between 0 and 1, got {outside[0]:g}")
        return self.two_labels(z)[1:]

    def items(self, x: FloatArray, z: FloatArray, frame: FloatArray) -> Items:
        """Return the bin of each item, and its error."""
        happened = (z == frame[0]).astype(np.float64)
        if self.name == "brier":
            return Items(np.zeros(len(x), dtype=np.int64), 1, np.stack([np.ones(len(x)), (x - happened) ** 2]))
        cells = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], x)
        return Items(cells, BINS, np.stack([np.ones(len(x)), x - happened]))

    def of_sums(self, sums: FloatArray, frame: FloatArray) -> FloatArray:
        """Return the mean error."""
        return np.asarray(np.abs(sums[:, 1]).sum(0) / sums[:, 0].sum(0))


AUC = ScoreStatistic("auc", _area, "Hanley and McNeil (1982)")
AVERAGE_PRECISION = ScoreStatistic("average-precision", _average_precision, "Zhu (2004)")
BRIER = ProbabilityStatistic("brier", "Brier (1950)")
ECE = ProbabilityStatistic("ece", "Naeini, Cooper and Hauskrecht (2015)")
PROBABILITIES = (AUC, AVERAGE_PRECISION, BRIER, ECE)
