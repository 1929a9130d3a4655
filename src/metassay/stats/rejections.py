"""p-values of many data sets at once, at system level: what simulations of size and power are made of.

Data sets of one page share their draws. Draws are independent of the scores, so every test has the size that it has
with draws of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import INPUTS, SWAPS, SYSTEMS, multiplicities, stream, swaps
from metassay.stats.kernels.weighted_ranks import correlate
from metassay.stats.significance import count_exchanged, count_resampled, williams


class Trials:
    """Data sets of two metrics and people, each (trials, systems, inputs) with nothing missing, to be tested.

    Parameters
    ----------
    x, y, z
        The scores.
    coefficient
        The coefficient.
    resamples
        How many draws each test takes.
    page
        Seed and numbers of the page; its draws depend on nothing else.
    """

    def __init__(
        self, x: FloatArray, y: FloatArray, z: FloatArray, coefficient: str, resamples: int, *page: int
    ) -> None:
        self.metrics = (_scaled(x), _scaled(y))
        self.z = _scaled(z)
        self.trials, self.n, self.m = z.shape
        self.coefficient = coefficient
        self.resamples = resamples
        self.page = page

    def p_values(self, test: str, alternative: str = "greater") -> FloatArray:
        """Return p-values (trials,) of one test; NaN where a correlation is undefined."""
        observed = self.estimates[0] - self.estimates[1]
        if test == "williams":
            between = self._correlate([self._means(0)], self._means(1), None)[0]
            p = [
                williams(float(a), float(b), float(c), self.n, alternative)
                for a, b, c in zip(*self.estimates, between, strict=True)
            ]
            return np.array(p)
        if test == "two-way":
            drawn = self._exchanged("systems", self._of_level)
            smooth = self._smooth._resampled
            parts = [*(smooth[kind] for kind in ("systems", "inputs", "both")), self._resampled["inputs"]]
            added = two_way.added_by_inputs(parts, (self.n, self.m))
            counts = count_exchanged(two_way.shrunk(observed, drawn, added, self.n), drawn, "plus-one")
        elif test.startswith("perm-"):
            drawn = self._exchanged(test.removeprefix("perm-"), self._of_cells)
            counts = count_exchanged(observed, drawn, "plus-one")
        else:
            counts = count_resampled(observed, self._resampled[test.removeprefix("paired-boot-")])
        return np.where(np.isnan(observed), np.nan, counts.p_values(alternative, "plus-one"))

    @cached_property
    def estimates(self) -> FloatArray:
        """Correlations of the two metrics with people, (2, trials)."""
        return self._correlate([self._means(0), self._means(1)], self.z.mean(axis=2).T, None)

    def resampled(self, metric: int) -> dict[str, FloatArray]:
        """Return the correlations of a metric in bootstrap samples of systems, inputs and both, (trials, B)."""
        return {kind: r[metric] for kind, r in self._both_resampled.items()}

    @cached_property
    def _smooth(self) -> Trials:
        """The same with Pearson's coefficient; see :func:`metassay.stats.two_way.smooth_level`."""
        if self.coefficient == "pearson":
            return self
        return Trials(*self.metrics, self.z, "pearson", self.resamples, *self.page)

    @cached_property
    def _resampled(self) -> dict[str, FloatArray]:
        return {kind: r[0] - r[1] for kind, r in self._both_resampled.items()}

    @cached_property
    def _both_resampled(self) -> dict[str, FloatArray]:
        """Correlations (2, trials, B) in bootstrap samples, the same draws in all three."""
        rows = multiplicities(stream(self.page[0], SYSTEMS, *self.page[1:]), self.n, self.resamples)
        columns = multiplicities(stream(self.page[0], INPUTS, *self.page[1:]), self.m, self.resamples)
        systems = np.tile(rows, (1, self.trials))
        scores = (*self.metrics, self.z)
        fixed = [np.repeat(v.mean(axis=2).T, self.resamples, axis=1) for v in scores]
        drawn = [(v.reshape(-1, self.m) @ columns).reshape(self.trials, self.n, -1) for v in scores]
        moved = [self._flat(sums / self.m) for sums in drawn]
        return {
            kind: self._unflat(self._correlate(means[:2], means[2], weights))
            for kind, means, weights in (
                ("systems", fixed, systems),
                ("inputs", moved, None),
                ("both", moved, systems),
            )
        }

    def _exchanged(self, unit: str, scores: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Return differences of correlations after exchanges, (trials, B)."""
        x, y = scores
        random = stream(self.page[0], SWAPS, *self.page[1:])
        apart = (y - x) / self.m
        if unit == "systems":
            moved = apart.sum(axis=2)[:, :, None] * swaps(random, (self.n,), self.resamples)
        elif unit == "inputs":
            moved = apart @ swaps(random, (self.m,), self.resamples).astype(np.float64)
        else:
            tossed = swaps(random, (self.n, self.m), self.resamples)
            moved = np.stack([apart[:, i] @ tossed[i].astype(np.float64) for i in range(self.n)], axis=1)
        left, right = x.mean(axis=2)[:, :, None] + moved, y.mean(axis=2)[:, :, None] - moved
        z = np.repeat(self.z.mean(axis=2).T, self.resamples, axis=1)
        r = self._unflat(self._correlate([self._flat(left), self._flat(right)], z, None))
        return np.asarray(r[0] - r[1])

    @cached_property
    def _of_cells(self) -> tuple[FloatArray, FloatArray]:
        """Both metrics with variance 1 over cells."""
        x, y = (v / _or_one(v.std(axis=(1, 2), keepdims=True)) for v in self.metrics)
        return x, y

    @cached_property
    def _of_level(self) -> tuple[FloatArray, FloatArray]:
        """Both metrics with variance 1 over means of systems."""
        x, y = (v / _or_one(v.mean(axis=2).std(axis=1)[:, None, None]) for v in self.metrics)
        return x, y

    def _means(self, metric: int) -> FloatArray:
        means: FloatArray = self.metrics[metric].mean(axis=2).T
        return means

    def _correlate(self, xs: Sequence[FloatArray], z: FloatArray, weights: FloatArray | None) -> FloatArray:
        return correlate(xs, z, [weights] * len(xs), self.coefficient)

    def _flat(self, values: FloatArray) -> FloatArray:
        """Return (trials, systems, B) as (systems, trials · B)."""
        return np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(self.n, -1)

    def _unflat(self, r: FloatArray) -> FloatArray:
        return r.reshape(len(r), self.trials, -1)


def _scaled(values: FloatArray) -> FloatArray:
    """Return scores centred in each data set, with means of systems of order one."""
    centred = values - values.mean(axis=(1, 2), keepdims=True)
    return np.asarray(centred / _or_one(centred.mean(axis=2).std(axis=1)[:, None, None]))


def _or_one(scale: FloatArray) -> FloatArray:
    return np.where(scale > 1e-12, scale, 1.0)
