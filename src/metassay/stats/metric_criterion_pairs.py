"""Many metrics against many criteria at one level, under the same weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.draws import POINTS, BootstrapPages, PagesOfCells, multiplicities, page_size, stream
from metassay.stats.kernels.weighted_ranks import Numbers
from metassay.stats.levels import OUTER
from metassay.stats.statistics.base import Statistic

LONG = 96
"""From this many points on, all criteria are computed in one pass."""


@dataclass(frozen=True)
class Weights:
    """How often systems, inputs or single points were drawn, (n, B) each; None for what was not drawn by itself."""

    systems: FloatArray | None = None
    inputs: FloatArray | None = None
    points: FloatArray | None = None


@dataclass(frozen=True)
class WeightPages(PagesOfCells):
    """Pages of weights for one of the ways to resample.

    ``points`` draws single outputs, as if no two had an input or a system in common; the others draw families of
    systems, and clusters of inputs, whole.
    """

    resample: str
    """``points``, ``inputs``, ``systems`` or ``both``."""
    families: IntArray | None = field(default=None, compare=False)
    """The family of each system, if systems of a family are drawn together."""
    clusters: IntArray | None = field(default=None, compare=False)
    """The cluster of each input, likewise."""

    @cached_property
    def _bootstrap(self) -> BootstrapPages:
        return BootstrapPages(
            self.draws,
            self.shape,
            self.seed,
            resample_systems=self.resample in ("systems", "both"),
            resample_inputs=self.resample in ("inputs", "both"),
            families=self.families,
            clusters=(self.clusters, None),
        )

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return page_size(self.shape[0] * self.shape[1]) if self.resample == "points" else self._bootstrap.size

    @property
    def largest(self) -> int:
        """What the weights of no draw exceed when added up over the cells."""
        return self.shape[0] * self.shape[1] if self.resample == "points" else self._bootstrap.largest

    def __getitem__(self, page: int) -> Weights:
        """Return the weights of one page."""
        if self.resample == "points":
            cells = self.shape[0] * self.shape[1]
            return Weights(points=multiplicities(stream(self.seed, POINTS, page), cells, self.size))
        systems, inputs = self._bootstrap[page]
        return Weights(systems, inputs)


def cell_weights(weights: Weights, shape: tuple[int, int], cut: slice) -> Numbers:
    """Return weights of all cells (systems × inputs, B) for some of the draws.

    They are whole numbers far below 2²⁴, which single precision holds exactly.
    """
    if weights.points is not None:
        return weights.points[:, cut].astype(np.float32)
    systems = np.ones((shape[0], 1)) if weights.systems is None else weights.systems[:, cut]
    inputs = np.ones((shape[1], 1)) if weights.inputs is None else weights.inputs[:, cut]
    cells = systems.astype(np.float32)[:, None, :] * inputs.astype(np.float32)[None, :, :]
    return cells.reshape(shape[0] * shape[1], -1)


def draws_of(weights: Weights) -> int:
    """Return how many draws there are."""
    return max(int(w.shape[1]) for w in (weights.systems, weights.inputs, weights.points) if w is not None)


class Correlations:
    """Chosen pairs of metrics and criteria, ready to be correlated.

    Parameters
    ----------
    x
        Metrics, (P, systems, inputs).
    z
        Criteria, (Q, systems, inputs).
    pairs
        Which metric is correlated with which criterion, by position; each pair over the cells both have.
    level
        ``system``, ``input``, ``global`` or ``within-system``.
    statistic
        How the two are compared.
    largest
        What the weights of no draw exceed when added up over the cells; by default how many cells there are.
    """

    def __init__(
        self,
        x: FloatArray,
        z: FloatArray,
        pairs: Sequence[Pair],
        level: str,
        statistic: Statistic,
        largest: int | None = None,
    ) -> None:
        self._x, self._z, self._pairs = x, z, list(pairs)
        self._level, self._statistic = level, statistic
        self._shape = (x.shape[1], x.shape[2])
        self._largest = x.shape[1] * x.shape[2] if largest is None else largest

    def estimate(self) -> FloatArray:
        """Return the correlation of each pair at the data."""
        n, m = self._shape
        return self.bootstrap(Weights(np.ones((n, 1)), np.ones((m, 1))))[:, 0]

    def bootstrap(self, weights: Weights) -> FloatArray:
        """Return the correlations of each pair, (pairs, B)."""
        draws = draws_of(weights)
        out = np.full((len(self._pairs), draws), np.nan)
        if self._level != "global":
            for at, bootstrap in self._levels:
                out[at] = bootstrap(weights.systems, weights.inputs)
            return out
        cells = self._shape[0] * self._shape[1]
        width = max(1, OUTER // cells)
        for start in range(0, draws, width):
            cut = slice(start, start + width)
            w = cell_weights(weights, self._shape, cut)
            for at, points, correlate in self._kernels:
                out[at, cut] = correlate(w if points is None else w[points])
        return out

    @cached_property
    def _levels(self) -> list[tuple[list[int], Callable[..., FloatArray]]]:
        found = []
        for q in dict.fromkeys(q for _, q in self._pairs):
            at = [i for i, pair in enumerate(self._pairs) if pair[1] == q]
            x = self._x[[self._pairs[i][0] for i in at]]
            found.append((at, self._statistic.prepare(x, self._z[q], self._level).bootstrap))
        return found

    @cached_property
    def _kernels(self) -> list[tuple[list[int], IntArray | None, Callable[[Numbers], FloatArray]]]:
        """Pairs that are computed in one pass, by position; their points; and the function of the points' weights."""
        together: dict[tuple[int, bytes], list[int]] = {}
        for i, (p, q) in enumerate(self._pairs):
            both = ~(np.isnan(self._x[p]) | np.isnan(self._z[q]))
            together.setdefault((p, both.tobytes()), []).append(i)
        found: list[tuple[list[int], IntArray | None, Callable[[Numbers], FloatArray]]] = []
        cells = self._shape[0] * self._shape[1]
        for (p, mask), at in together.items():
            points = np.flatnonzero(np.frombuffer(mask, dtype=bool))
            zs = [self._z[self._pairs[i][1]].reshape(-1)[points] for i in at]
            where = None if len(points) == cells else points
            x = self._x[p].reshape(-1)[points]
            if len(points) >= LONG:
                found.append((at, where, self._statistic.together(x, zs, self._largest)))
                continue
            for i in at:
                # These leave out missing cells themselves.
                x, z = self._x[p].reshape(-1, 1), self._z[self._pairs[i][1]].reshape(-1, 1)
                found.append(([i], None, self._statistic.groups(x, z).correlate))
        return found
