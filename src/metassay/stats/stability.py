"""How rankings of rows, and the means behind them, vary with the sample of columns.

A sample of M columns with replacement is a vector of multiplicities that add up to M, and row means in many samples
are one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import FIRST, SECOND, Pages, multiplicities, page_size, stream
from metassay.stats.intervals import percentile
from metassay.stats.kernels.weighted_ranks import TIE
from metassay.stats.levels import Means
from metassay.stats.statistics.base import Statistic


@dataclass(frozen=True)
class SamplePages(Pages):
    """Pages of two independent samples of inputs; those of one size do not depend on which other sizes are drawn."""

    inputs: int
    """How many inputs there are to draw from."""
    sample: int
    """How many inputs each sample has, with repeats."""
    seed: int
    """The seed."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return page_size(2 * self.inputs)

    def __getitem__(self, page: int) -> tuple[FloatArray, FloatArray]:
        """Return the multiplicities of both samples, each (inputs, draws)."""
        first, second = (
            multiplicities(stream(self.seed, axis, self.sample, page), self.inputs, self.size, self.sample)
            for axis in (FIRST, SECOND)
        )
        return first, second


class Rankings:
    """Row means of several columns of scores, ready to be correlated between two samples of inputs.

    Parameters
    ----------
    values
        Scores of systems on inputs, (columns, systems, inputs), NaN where missing.
    statistic
        How alike two rankings are.
    """

    def __init__(self, values: FloatArray, statistic: Statistic) -> None:
        self.statistic = statistic
        self.means = [Means(matrix, scaled=statistic.invariant == "linear") for matrix in values]
        self.shape = values.shape
        self.complete = all(means.known is None for means in self.means)
        if self.complete:
            # One product for all columns reads the multiplicities once.
            self.stacked = np.concatenate([means.values for means in self.means])

    def correlate(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Correlate the row means of one sample of inputs with those of another.

        Parameters
        ----------
        first, second
            Multiplicities of the inputs in both samples, (inputs, B).

        Returns
        -------
        ndarray
            Correlations (columns, B) over the rows that have a mean in both samples.
        """
        out = np.empty((self.shape[0], first.shape[1]))
        if self.complete:
            one, other = (self._means(sample) for sample in (first, second))
            for at in range(len(out)):
                out[at] = self.statistic.of_vectors([one[at]], other[at], [None])[0]
            return out
        for at, means in enumerate(self.means):
            (one, in_first), (other, in_second) = means(first), means(second)
            weights = None if in_first is None or in_second is None else (in_first & in_second).astype(np.float64)
            out[at] = self.statistic.of_vectors([one], other, [weights])[0]
        return out

    def _means(self, weights: FloatArray) -> FloatArray:
        """Return means (columns, systems, B) where no cell is missing."""
        means: FloatArray = self.stacked @ weights
        means /= weights.sum(axis=0)
        return means.reshape(*self.shape[:2], -1)


@dataclass(frozen=True)
class Spread:
    """The means of rows and how precisely they are known; NaN for a row without scores."""

    estimate: FloatArray
    """The means."""
    low: FloatArray
    """Lower ends of their percentile intervals."""
    high: FloatArray
    """Upper ends."""
    variance: FloatArray
    """Variances of the means over the samples."""
    undefined: IntArray
    """Samples in which a row had no score."""


def sample_means(means: Means, weights: FloatArray) -> FloatArray:
    """Return row means (rows, B) in samples, centred and scaled as `means` has them, NaN where a row has no score."""
    values, known = means(weights)
    return values if known is None else np.where(known, values, np.nan)


def spread(means: Means, samples: FloatArray, confidence: float) -> Spread:
    """Sum up sampled means.

    Parameters
    ----------
    means
        The scores.
    samples
        Means in samples (rows, B), as `sample_means` returns them.
    confidence
        Confidence of the intervals.
    """
    values, known = means(None)
    estimate = values[:, 0] if known is None else np.where(known, values, np.nan)[:, 0]
    ends = np.array([percentile(row, confidence) for row in samples])
    defined = ~np.isnan(samples)
    variance = np.array(
        [row[some].var(ddof=1) if some.sum() > 1 else np.nan for row, some in zip(samples, defined, strict=True)]
    )
    # Means of equal scores differ in their last bits; that is no spread.
    variance[variance < TIE**2] = 0.0
    return Spread(
        means.centre + means.scale * estimate,
        means.centre + means.scale * ends[:, 0],
        means.centre + means.scale * ends[:, 1],
        means.scale**2 * variance,
        (~defined).sum(axis=1),
    )
