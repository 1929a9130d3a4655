"""Intervals from one half of the data, and whether they contain the statistic of the other half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import INPUTS, SPLITS, SYSTEMS, stream
from metassay.stats.methods.base import Case, Interval, Intervals, SharedDraws
from metassay.stats.statistics.base import Statistic

FEWEST = 4
"""Fewer systems than this are not split."""


@dataclass(frozen=True)
class Split:
    """Systems and inputs in two halves of equal size, chosen at random; of an odd number one is left out.

    Fewer than four systems are not split: both halves have all of them.
    """

    systems: tuple[IntArray, IntArray]
    """Systems of the first and of the second half, in ascending order."""
    inputs: tuple[IntArray, IntArray]
    """Inputs of the first and of the second half, likewise."""

    @classmethod
    def drawn(cls, shape: tuple[int, int], seed: int, number: int) -> Split:
        """Draw one split; it depends on the seed and its number only."""
        # Systems and inputs have streams of their own, so that more of one changes nothing in the other.
        orders = [
            stream(seed, SPLITS, number, axis).permutation(n) for axis, n in zip((SYSTEMS, INPUTS), shape, strict=True)
        ]
        systems, inputs = ((np.sort(o[: len(o) // 2]), np.sort(o[len(o) // 2 : len(o) // 2 * 2])) for o in orders)
        return cls(systems if shape[0] >= FEWEST else (np.arange(shape[0]),) * 2, inputs)

    def half(self, values: FloatArray, which: int) -> FloatArray:
        """Return the part of (…, systems, inputs) that belongs to a half."""
        return values[..., self.systems[which][:, None], self.inputs[which]]


def intervals_of_half(
    x: FloatArray,
    z: FloatArray,
    settings: Sequence[tuple[str, Statistic]],
    intervals: Sequence[Interval],
    confidence: float,
    resamples: int,
    seed: int,
    number: int,
) -> Iterator[tuple[Case, Interval, Intervals]]:
    """Yield intervals from the first half of a split, those of a setting together.

    Parameters
    ----------
    x, z
        Metrics (P, systems, inputs) and one human criterion: one half of the data.
    settings
        Levels with statistics.
    intervals
        Kinds of intervals.
    confidence, resamples, seed
        As in `agree`.
    number
        Which split it is; all intervals share its draws.
    """
    kinds = tuple(dict.fromkeys(kind for interval in intervals for kind in interval.kinds()))
    for level, statistic in settings:
        case = Case(statistic, x, z, level)
        draws = SharedDraws(resamples, seed, kinds=kinds, least=resamples, first=number)
        for interval in intervals:
            if interval.why_not(statistic) is None:
                yield case, interval, interval.compute([case], draws, confidence)[0]


def held_out(
    x: FloatArray,
    z: FloatArray,
    settings: Sequence[tuple[str, Statistic]],
    intervals: Sequence[Interval],
    confidence: float,
    resamples: int,
    seed: int,
    number: int,
) -> FloatArray:
    """Split the data once, and see which intervals from the first half contain the statistic in the second.

    Parameters are those of :func:`intervals_of_half`, with all of the data.

    Returns
    -------
    FloatArray
        1 or 0 for contained or not, NaN where the interval or the statistic is undefined; of shape (settings,
        intervals, P).
    """
    split = Split.drawn((z.shape[0], z.shape[1]), seed, number)
    x_a, z_a, x_b, z_b = (split.half(values, which) for which in (0, 1) for values in (x, z))
    out = np.full((len(settings), len(intervals), len(x)), np.nan)
    truths = [Case(statistic, x_b, z_b, level).estimates for level, statistic in settings]
    places = {(level, statistic): s for s, (level, statistic) in enumerate(settings)}
    for case, interval, found in intervals_of_half(x_a, z_a, settings, intervals, confidence, resamples, seed, number):
        s = places[case.level, case.statistic]
        truth, low, high = truths[s], found.low, found.high
        inside = ((low <= truth) & (truth <= high)).astype(np.float64)
        out[s, intervals.index(interval)] = np.where(np.isnan(low) | np.isnan(high) | np.isnan(truth), np.nan, inside)
    return out
