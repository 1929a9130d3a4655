"""Intervals from one half of the data, and whether they contain the correlation of the other half."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import INPUTS, SPLITS, SYSTEMS, multiplicities, stream
from metassay.stats.intervals import fisher
from metassay.stats.levels import GroupedLevel, Level, average_defined, make_level

BOOTSTRAPS = ("boot-systems", "boot-inputs", "boot-both")


@dataclass(frozen=True)
class Split:
    """Systems and inputs in two halves of equal size, chosen at random; of an odd number one is left out."""

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
        return cls(systems, inputs)

    def half(self, values: FloatArray, which: int) -> FloatArray:
        """Return the part of (…, systems, inputs) that belongs to a half."""
        return values[..., self.systems[which][:, None], self.inputs[which]]


def held_out(
    x: FloatArray,
    z: FloatArray,
    settings: Sequence[tuple[str, str]],
    intervals: Sequence[str],
    confidence: float,
    resamples: int,
    seed: int,
    number: int,
) -> FloatArray:
    """Split the data once, and see which intervals from the first half contain the correlation in the second.

    Parameters
    ----------
    x, z
        Metrics (P, systems, inputs) and one human criterion.
    settings
        Levels with coefficients.
    intervals
        ``fisher``, ``boot-systems``, ``boot-inputs``, ``boot-both``, ``two-way``.
    confidence, resamples, seed
        As in `agree`.
    number
        Which split it is.

    Returns
    -------
    FloatArray
        1 or 0 for contained or not, NaN where the interval or the correlation is undefined; of shape (settings,
        intervals, P).
    """
    split = Split.drawn((z.shape[0], z.shape[1]), seed, number)
    x_a, z_a, x_b, z_b = (split.half(values, which) for which in (0, 1) for values in (x, z))
    n, m = z_a.shape
    # The three bootstraps share the draws: they differ in what is resampled and in nothing else.
    systems = multiplicities(stream(seed, SYSTEMS, number), n, resamples)
    inputs = multiplicities(stream(seed, INPUTS, number), m, resamples)
    out = np.full((len(settings), len(intervals), len(x)), np.nan)
    for s, (level, coefficient) in enumerate(settings):
        prepared = make_level(x_a, z_a, level, coefficient)
        truth, _ = make_level(x_b, z_b, level, coefficient).estimate()
        wanted = BOOTSTRAPS if "two-way" in intervals else [i for i in intervals if i != "fisher"]
        samples = dict(_resampled(prepared, wanted, systems, inputs))
        estimates, _ = prepared.estimate()
        for k, interval in enumerate(intervals):
            if interval == "fisher":
                low, high = _each(
                    fisher(float(r), points(v, z_a, level), coefficient, confidence)
                    for r, v in zip(estimates, x_a, strict=True)
                )
            elif interval == "two-way":
                low, high = _two_way(prepared, estimates, samples, x_a, z_a, level, coefficient, confidence)
            else:
                low, high = percentiles(samples[interval], confidence)
            inside = ((low <= truth) & (truth <= high)).astype(np.float64)
            out[s, k] = np.where(np.isnan(low) | np.isnan(high) | np.isnan(truth), np.nan, inside)
    return out


def _each(ends: Iterable[tuple[float, float]]) -> tuple[FloatArray, FloatArray]:
    low, high = np.array(list(ends)).T
    return low, high


def _two_way(
    prepared: Level,
    estimates: FloatArray,
    samples: Mapping[str, FloatArray],
    x: FloatArray,
    z: FloatArray,
    level: str,
    coefficient: str,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of two-way intervals, as `agree` makes them."""
    scored, judged = ~np.isnan(x), ~np.isnan(z)
    if level == "system":
        present = scored.any(axis=2) & judged.any(axis=1)
    else:
        present = (scored & judged).any(axis=2)
    few = [samples[name][:, : two_way.DRAWS] for name in BOOTSTRAPS]
    added = two_way.variances(few[0], few[1], few[2], (z.shape[0], z.shape[1])).added
    spread = two_way.jackknife(prepared, np.asarray(present), coefficient)
    return _each(
        two_way.interval(float(r), float(j), float(a), int(n), coefficient, confidence)
        for r, j, a, n in zip(estimates, spread, added, present.sum(axis=1), strict=True)
    )


def _resampled(
    level: Level, intervals: Sequence[str], systems: FloatArray, inputs: FloatArray
) -> Iterator[tuple[str, FloatArray]]:
    """Yield correlations (P, B) for each bootstrap."""
    members, groups = systems, inputs
    shared = "boot-systems", "boot-inputs"
    if isinstance(level, GroupedLevel) and level.level == "within-system":
        members, groups, shared = inputs, systems, shared[::-1]
    together = [i for i in intervals if i in (shared[0], "boot-both")]
    if isinstance(level, GroupedLevel) and level.level != "global" and len(together) > 1:
        # Correlations within groups are the costly part, and resampling the groups as well does not change them.
        within = [metric.correlate(members) for metric in level.metrics]
        yield shared[0], np.stack([average_defined(r, None) for r in within])
        yield "boot-both", np.stack([average_defined(r, groups) for r in within])
        intervals = [i for i in intervals if i not in together]
    for interval in intervals:
        yield (
            interval,
            level.bootstrap(
                None if interval == "boot-inputs" else systems, None if interval == "boot-systems" else inputs
            ),
        )


def percentiles(samples: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of percentile intervals of samples (P, B), leaving out undefined ones."""
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    if not np.isnan(samples).any():
        low, high = np.quantile(samples, tails, axis=1)
        return low, high
    ends = np.full((2, len(samples)), np.nan)
    for at, row in enumerate(samples):
        defined = row[~np.isnan(row)]
        if len(defined):
            ends[:, at] = np.quantile(defined, tails)
    return ends[0], ends[1]


def points(x: FloatArray, z: FloatArray, level: str) -> int:
    """Return the number of observations that Fisher's interval takes a correlation to rest on."""
    scored, judged = ~np.isnan(x), ~np.isnan(z)
    if level == "system":
        return int((scored.any(axis=1) & judged.any(axis=1)).sum())
    both = scored & judged
    if level == "global":
        return int(both.sum())
    return int(both.any(axis=0 if level == "within-system" else 1).sum())
