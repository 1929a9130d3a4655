"""Soft pairwise accuracy: do a metric and people find the same systems better, with the same confidence?

For each pair of systems, p is the share of sign flips of the differences on the inputs that add up to at least what was
observed: the one-sided p-value that the first is better. SPA is 1 − the mean of |p of people − p of the metric|.

The estimate takes the 1,000 flips of the reference implementation. Under weights and exchanges p is the limit of many
flips, Φ(−ΣwΔ/√ΣwΔ²): flipped sums have mean 0 and variance ΣΔ², and are normal but for few inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair, Swaps
from metassay.stats.draws import sign_flips
from metassay.stats.kernels.score_swaps import Exchange
from metassay.stats.kernels.weighted_ranks import TIE, quotient
from metassay.stats.levels import Kind, Level
from metassay.stats.statistics.base import BuiltIn
from metassay.stats.statistics.scales import FisherScale, Scale

FLIPS = 1_000
"""Sign flips of the estimate."""
CELLS = 1 << 21
"""Elements of each side handled at once."""


def flipped_p(scores: FloatArray, flips: FloatArray | None = None) -> FloatArray:
    """Return p-values that system i is better than system j, for all pairs i < j.

    Parameters
    ----------
    scores
        Systems × inputs, nothing missing.
    flips
        −1 or 1, (inputs, flips); by default those of the reference implementation.

    Returns
    -------
    ndarray
        Shares of flips (pairs,), in the order of the upper triangle, row by row.

    Examples
    --------
    >>> flips = np.array([[1, 1, -1], [1, -1, -1], [1, -1, 1.0]])
    >>> flipped_p(np.array([[0.8, 0.9, 0.7], [0.2, 0.3, 0.1]]), flips).round(3).tolist()
    [0.333]
    """
    first, second = np.triu_indices(len(scores), 1)
    flips = sign_flips(scores.shape[1], FLIPS) if flips is None else flips
    apart, drawn = scores.sum(axis=1), scores @ flips
    slack = TIE * np.abs(scores).sum(axis=1).max(initial=0.0)
    out = [(drawn[i] - drawn[j] >= apart[i] - apart[j] - slack).mean() for i, j in zip(first, second, strict=True)]
    return np.array(out)


def limit_p(total: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the p-values of many flips, from sums of differences and of their squares; 1 without any difference."""
    spread = np.sqrt(np.maximum(squares, 0.0))
    return np.asarray(np.where(spread > 0, ndtr(-total / np.where(spread > 0, spread, 1.0)), 1.0))


class _Side:
    """One side, people or a metric: differences of all pairs of systems on the inputs that all systems have."""

    def __init__(self, values: FloatArray, present: BoolArray, common: BoolArray) -> None:
        self.first, self.second = np.triu_indices(len(values), 1)
        self.common = common
        self.values = np.where(present[:, None], values, 0.0)[:, common]
        size = float(np.abs(self.values).max(initial=0.0)) or 1.0
        self.apart = (self.values[self.first] - self.values[self.second]) / size
        # One input has no sign to flip against another, and a side on which no two systems differ says nothing.
        self.silent = self.values.shape[1] < 2 or not self.apart.any()

    def estimate(self) -> FloatArray:
        """Return p-values by flips, (pairs, 1)."""
        return np.full((len(self.first), 1), np.nan) if self.silent else flipped_p(self.values)[:, None]

    def limits(self, inputs: FloatArray | None) -> FloatArray:
        """Return p-values of many flips, (pairs, B); NaN in draws without an input."""
        if inputs is None:
            p = limit_p(self.apart.sum(axis=1), (self.apart**2).sum(axis=1))[:, None]
            return np.full_like(p, np.nan) if self.silent else p
        drawn = inputs[self.common]
        return np.where(
            (drawn.sum(axis=0) > 0) & (not self.silent), limit_p(self.apart @ drawn, self.apart**2 @ drawn), np.nan
        )


class SoftLevel:
    """Metrics (P, systems, inputs) and people; unless `paired`, they have inputs of their own."""

    def __init__(self, x: FloatArray, z: FloatArray, *, paired: bool = True) -> None:
        self.first, self.second = np.triu_indices(len(z), 1)
        self.split = None if paired else x.shape[2]
        self.sides: list[tuple[_Side, _Side, FloatArray]] = []
        # Metrics that have the same inputs share the p-values of people.
        of_people: dict[bytes, _Side] = {}
        judged = ~np.isnan(z)
        for metric in x:
            scored = ~np.isnan(metric)
            present = scored.any(axis=1) & judged.any(axis=1)
            if paired:
                present = (scored & judged).any(axis=1)
                both = (scored & judged)[present].all(axis=0) & present.any()
                common = (both, both)
            else:
                common = (scored[present].all(axis=0), judged[present].all(axis=0))
            key = present.tobytes() + common[1].tobytes()
            people = of_people.setdefault(key, _Side(z, present, common[1]))
            self.sides.append((_Side(metric, present, common[0]), people, present.astype(np.float64)[:, None]))

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return statistics by flips, and zeros."""
        of_people = {id(people): people.estimate() for people in dict.fromkeys(people for _, people, _ in self.sides)}
        p = [self._soft(metric.estimate(), of_people[id(people)], weights) for metric, people, weights in self.sides]
        return np.array([r[0] for r in p]), np.zeros(len(p), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B), in the limit of many flips."""
        return self.bootstraps(systems, inputs, [(systems is not None, inputs is not None)])[0]

    def bootstraps(
        self, systems: FloatArray | None, inputs: FloatArray | None, kinds: Sequence[Kind]
    ) -> list[FloatArray]:
        """Return what several kinds of bootstraps give, (metrics, B) each; those that draw inputs share p-values."""
        scored = judged = inputs
        if self.split is not None and inputs is not None:
            scored, judged = inputs[: self.split], inputs[self.split :]
        draws = max([1, *(w.shape[1] for w in (systems, inputs) if w is not None)])
        found: list[list[FloatArray]] = [[] for _ in kinds]
        wanted = tuple(dict.fromkeys(kind[1] for kind in kinds))
        of_people = {
            (id(people), drawn): people.limits(judged if drawn else None)
            for people in dict.fromkeys(people for _, people, _ in self.sides)
            for drawn in wanted
        }
        for metric, people, present in self.sides:
            p = {d: (metric.limits(scored if d else None), of_people[id(people), d]) for d in wanted}
            for at, kind in enumerate(kinds):
                weights = present * systems if kind[0] and systems is not None else present
                found[at].append(np.broadcast_to(self._soft(*p[kind[1]], weights), draws))
        return [np.stack(each) for each in found]

    def _soft(self, metric: FloatArray, people: FloatArray, weights: FloatArray) -> FloatArray:
        pairs = weights[self.first] * weights[self.second]
        below = pairs.sum(axis=0)
        gap = (np.where(pairs > 0, np.abs(metric - people), 0.0) * pairs).sum(axis=0)
        return 1.0 - quotient(gap, np.broadcast_to(below, gap.shape))


class SoftExchange:
    """Pairs of metrics that miss the same cells, ready to have their scores exchanged."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        self.first, self.second = np.triu_indices(len(z), 1)
        scored, judged = ~np.isnan(x[0]), ~np.isnan(z)
        # The shapes differ where metrics have inputs of their own.
        shared = scored & judged if scored.shape == judged.shape else scored
        present = shared.any(axis=1) & judged.any(axis=1)
        self.common = shared[present].all(axis=0) & present.any()
        of_people = self.common if scored.shape == judged.shape else judged[present].all(axis=0)
        self.people = _Side(z, present, of_people).limits(None)
        self.weights = (present[self.first] & present[self.second]).astype(np.float64)[:, None]
        self.x = np.where(present[:, None], x, 0.0)[:, :, self.common]
        self.pairs = pairs

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return statistics of X_s and of Y_s with Z, each (pairs, B), for swaps (systems, inputs, B)."""
        whole_inputs, whole_systems = swaps.strides[0] == 0, swaps.strides[1] == 0
        if not (whole_inputs or whole_systems):
            coins = swaps[:, self.common].astype(float)
            width = max(1, CELLS // max(1, self.x[0].size))
            tiles = [self._cells(coins, self.pairs[at : at + width]) for at in range(0, len(self.pairs), width)]
            return np.concatenate([first for first, _ in tiles]), np.concatenate([second for _, second in tiles])
        coins = (swaps[:1, self.common] if whole_inputs else swaps[:, :1]).astype(float)
        move = self._inputs if whole_inputs else self._systems
        out = np.empty((2, len(self.pairs), swaps.shape[-1]))
        for at, (a, b) in enumerate(self.pairs):
            for side, (own, other) in enumerate(((self.x[a], self.x[b]), (self.x[b], self.x[a]))):
                out[side, at] = self._soft(limit_p(*move(own, other, coins)))
        return out[0], out[1]

    def _soft(self, p: FloatArray) -> FloatArray:
        """Return the statistic of p-values (pairs of systems, B)."""
        gap = np.abs(p - self.people) * self.weights
        return 1.0 - quotient(gap.sum(axis=0), np.broadcast_to(self.weights.sum(), gap.shape[1]))

    def _inputs(self, own: FloatArray, other: FloatArray, coins: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Whole inputs move: both sums are linear in the swaps."""
        d, e = (v[self.first] - v[self.second] for v in (own, other))
        w = coins[0]
        return d.sum(axis=1)[:, None] + (e - d) @ w, (d**2).sum(axis=1)[:, None] + (e**2 - d**2) @ w

    def _systems(self, own: FloatArray, other: FloatArray, coins: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Whole systems move: each pair of systems takes one of four sums."""
        w, i, j = coins[:, 0], self.first, self.second
        total = squares = np.zeros((len(i), w.shape[1]))
        for one, at_i in ((own, 1 - w[i]), (other, w[i])):
            for two, at_j in ((own, 1 - w[j]), (other, w[j])):
                d, taken = one[i] - two[j], at_i * at_j
                total = total + d.sum(axis=1)[:, None] * taken
                squares = squares + (d**2).sum(axis=1)[:, None] * taken
        return total, squares

    def _cells(self, w: FloatArray, pairs: Sequence[Pair]) -> tuple[FloatArray, FloatArray]:
        """Single cells move: several pairs of metrics at once, one pair of systems after the other.

        With d = y − x, the difference of systems i and j after swaps is x_i − x_j + w_i·d_i − w_j·d_j, so that its
        square is linear in w_i, w_j and w_i·w_j.
        """
        sides = [np.stack([self.x[pair[side]] for pair in pairs]) for side in (0, 1)]
        gaps = np.zeros((2, len(pairs), w.shape[-1]))
        away = sides[1] - sides[0]
        moved = [away[:, i] @ w[i] for i in range(len(w))]
        for at, (i, j) in enumerate(zip(self.first, self.second, strict=True)):
            if not self.weights[at, 0]:
                continue
            d, e = away[:, i], away[:, j]
            both = 2 * ((d * e) @ (w[i] * w[j]))
            for side, sign in ((0, 1.0), (1, -1.0)):
                apart = sides[side][:, i] - sides[side][:, j]
                total = apart.sum(axis=1)[:, None] + sign * (moved[i] - moved[j])
                squares = (apart**2).sum(axis=1)[:, None] - both
                squares += (d * d + 2 * sign * apart * d) @ w[i] + (e * e - 2 * sign * apart * e) @ w[j]
                # Where nothing is left of the squares, rounding is.
                least = TIE * ((apart**2).sum(axis=1) + (d * d).sum(axis=1) + (e * e).sum(axis=1))[:, None]
                gaps[side] += np.abs(limit_p(total, np.where(squares > least, squares, 0.0)) - self.people[at])
        soft = 1.0 - quotient(gaps, np.broadcast_to(self.weights.sum(), gaps.shape))
        return soft[0], soft[1]


class _Sets:
    """Many data sets, each by itself: people (sets, systems, inputs), and the metrics of each set in turn."""

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        each = len(x) // len(z)
        self.levels = [SoftLevel(x[at * each : (at + 1) * each], people) for at, people in enumerate(z)]

    def estimate(self) -> tuple[FloatArray, IntArray]:
        """Return statistics and zeros."""
        values = np.concatenate([level.estimate()[0] for level in self.levels])
        return values, np.zeros(len(values), dtype=np.int64)

    def bootstrap(self, systems: FloatArray | None, inputs: FloatArray | None) -> FloatArray:
        """Return statistics of shape (metrics, B)."""
        return np.concatenate([level.bootstrap(systems, inputs) for level in self.levels])


class _SetsExchange:
    """The same for exchanges."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        each = len(x) // len(z)
        self.parts = [SoftExchange(x[[a, b]], z[a // each], [(0, 1)]) for a, b in pairs]

    def __call__(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return statistics of X_s and of Y_s with Z, each (pairs, B)."""
        left, right = zip(*(part(swaps) for part in self.parts), strict=True)
        return np.concatenate(left), np.concatenate(right)


class SoftPairwiseAccuracy(BuiltIn):
    """1 − the mean difference of two p-values over pairs of systems, on the inputs that all systems have.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(1, 4, 30))
    >>> SPA.prepare(x, 2 * x[0] + 1, "system").estimate()[0]
    array([1.])
    """

    invariant = "linear"
    levels = ("system",)
    range = (0.0, 1.0)
    pairwise = True
    by_input = True

    @property
    def scale(self) -> Scale:
        """Fisher's scale, as for shares of pairs."""
        return FisherScale(*self.range)

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return 1 − the share of pairs ordered unlike: what is left where each system has one score."""
        first, second = np.triu_indices(len(z), 1)
        weights = w[first] * w[second]
        p, q = (limit_p(d * np.inf, np.abs(d)) for d in (np.sign(v[first] - v[second]) + 0.0 for v in (x, z)))
        gap = (np.abs(p - q) * weights).sum(axis=0)
        return 1.0 - quotient(gap, np.broadcast_to(weights.sum(axis=0), gap.shape))

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics and people."""
        return _Sets(x, z) if z.ndim == 3 else SoftLevel(x, z, paired=paired)

    def exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], level: str) -> Exchange:
        """Prepare metrics to have their scores exchanged."""
        return _SetsExchange(x, z, pairs) if z.ndim == 3 else SoftExchange(x, z, pairs)


SPA = SoftPairwiseAccuracy("spa", "Thompson et al. (2024)")
