"""Meaning of score differences: how often people agree with it, over the system pairs of one task or of several.

The table goes from ranges of differences to shares of pairs on which people agree; the curve goes the other way, from a
share to the difference that it takes. Systems and inputs of every task are drawn again, each task by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import TASKS, BootstrapPages, stream
from metassay.stats.methods.base import Draws
from metassay.stats.score_gaps import AGREEMENTS, SystemPairs, needed, percentiles, pooled, range_of

RANGES = 8
"""Ranges of equally many pairs in the table."""
Units = tuple[IntArray | None, IntArray | None]
"""The family of each system and the cluster of each input; None if each is by itself."""


@dataclass(frozen=True, eq=False)
class DifferenceMeaning:
    """A table in both directions; arrays of ranges (K,) and of agreements (L,)."""

    bounds: FloatArray
    """Ranges of |Δ| in the units of the metric, (K, 2)."""
    pairs: FloatArray
    """Pairs of systems in each range, ties included, (K,)."""
    agree: FloatArray
    """Shares of the pairs without ties on which people agree, (K,)."""
    agree_low: FloatArray
    """Lower ends."""
    agree_high: FloatArray
    """Upper ends."""
    agreements: FloatArray
    """Shares for which the difference is told, (L,)."""
    needed: FloatArray
    """The difference at which the fitted chance reaches each, (L,); inf if more difference is no more agreement."""
    needed_low: FloatArray
    """Lower ends."""
    needed_high: FloatArray
    """Upper ends."""
    slope: tuple[float, float, float]
    """The slope β of the fitted chance, per unit of the metric, and the ends of its interval."""
    largest: float
    """The largest |Δ| of the data."""
    overall: FloatArray
    """Share of all pairs without ties on which people agree, in the data and then in each draw, (1 + draws,)."""


def difference_meaning(
    tasks: Sequence[tuple[FloatArray, FloatArray]],
    draws: Draws,
    confidence: float,
    bounds: FloatArray | None = None,
    agreements: Sequence[float] = AGREEMENTS,
    units: Sequence[Units] | None = None,
) -> DifferenceMeaning:
    """Return how often people agree with differences of a metric, and the differences needed for them to agree.

    Parameters
    ----------
    tasks
        For each task the metric and people, systems × inputs, NaN for missing; the metric in the same units.
    draws, confidence
        How many bootstraps of systems and inputs, from which seed, and such as 0.95.
    bounds
        Ranges of |Δ|, (K, 2); by default :data:`RANGES` of them with equally many pairs of all tasks.
    agreements
        Shares over ½.
    units
        For each task the families of systems and the clusters of inputs, which are drawn as a whole.

    Notes
    -----
    The fitted chance is 1/(1 + exp(−β|Δ|)); see :func:`metassay.stats.score_gaps.chance`.
    """
    pairs = [SystemPairs(x, z) for x, z in tasks]
    if bounds is None:
        sizes = np.sort(np.concatenate([task.differences() for task in pairs]))
        bounds = np.array([range_of(sizes, k / RANGES, (k + 1) / RANGES) for k in range(RANGES)])
    drawn = []
    for number, ((_, z), (families, clusters)) in enumerate(
        zip(tasks, units or [(None, None)] * len(tasks), strict=True)
    ):
        seed = int(stream(draws.seed, TASKS, number).integers(2**62))
        pages = BootstrapPages(
            draws.resamples, (z.shape[0], z.shape[1]), seed, families=families, clusters=(clusters, None)
        )
        columns = zip(*(pages[page] for page in range(len(pages))), strict=True)
        systems, inputs = (np.concatenate(part, axis=1)[:, : draws.resamples] for part in columns)
        drawn.append((systems, inputs))
    every = np.vstack([bounds, [0.0, np.inf]])  # the last range holds all pairs
    whole = pooled(pairs, every, curve=True)

    def work(page: int) -> tuple[FloatArray, FloatArray]:
        cut = slice(page * SLICE, (page + 1) * SLICE)
        found = pooled(pairs, every, [(systems[:, cut], inputs[:, cut]) for systems, inputs in drawn], curve=True)
        assert found.slopes is not None, "the curve was asked for"
        return found.counts.agreement, found.slopes

    done = draws.run(work, -(-draws.resamples // SLICE), "resampling")
    shares, slopes = (np.concatenate(part, axis=-1) for part in zip(*done, strict=True))
    assert whole.slopes is not None, "the curve was asked for"
    needs = np.array([needed([*whole.slopes, *slopes], share) for share in agreements])
    low, high = percentiles(shares[:-1], confidence)
    ends = [float(end) for end in percentiles(slopes, confidence)]
    least, most = percentiles(needs[:, 1:], confidence)
    return DifferenceMeaning(
        bounds,
        whole.counts.total[:-1, 0],
        whole.counts.agreement[:-1, 0],
        low,
        high,
        np.asarray(agreements, dtype=np.float64),
        needs[:, 0],
        least,
        most,
        (float(whole.slopes[0]), ends[0], ends[1]),
        max((float(task.differences()[-1]) for task in pairs if len(task.differences())), default=float("nan")),
        np.append(whole.counts.agreement[-1, 0], shares[-1]),
    )


SLICE = 256
"""Draws in a page of work; what a draw gives does not depend on it."""
