"""How precisely formulas of sums over items are known when items cluster, and means in slices of the items.

A statistic of sums moves by its gradient when an item is weighted more; the sums of these influences by cluster give
its variance (the infinitesimal jackknife, or sandwich), with no resamples and at the same cost for any number of items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.special import stdtr, stdtrit

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.clustered import Estimate, bootstrap, clustered_variance, estimate, share, undefined
from metassay.stats.intervals import percentiles
from metassay.stats.kernels.tabulated import Items, Tabulated
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.statistics.scales import FisherScale
from metassay.stats.statistics.tabulated import TabulatedStatistic

LEVELS = 256
"""Scores are put into so many quantiles before the influence of items on a curve of scores is computed."""
STEP = 1e-4
"""Step of the central differences, as a share of each sum of absolute values; the formulas are smooth."""
TILE = 1 << 21
"""Sums × steps made at once."""
SHARES = {"accuracy": None, "within-one": None, "recall": 1, "specificity": 0}
"""Statistics that are shares of items: of all, or of those with the larger (1) or smaller (0) of people's labels."""


def influences(
    statistic: TabulatedStatistic, x: FloatArray, z: FloatArray, times: FloatArray | None = None
) -> tuple[float, FloatArray]:
    """Return a statistic of a judge (n,) and people (n,), and what each item does to it, (n,).

    With `times`, each item stands for so many of its kind, and the influence is that of one of them.

    Examples
    --------
    >>> from metassay.stats.statistics.labels import ACCURACY
    >>> value, moved = influences(ACCURACY, np.array([1.0, 0, 1, 1]), np.array([1.0, 0, 0, 1]))
    >>> value, moved.round(6).tolist()
    (0.75, [0.0625, 0.0625, -0.1875, 0.0625])
    """
    if not len(x):
        return math.nan, np.empty(0)
    times = np.ones(len(x)) if times is None else times
    frame = statistic.frame(x, z)
    items = statistic.items(x, z, frame)
    value = float(_evaluated(statistic, _sums(items, times)[:, :, None], frame)[0])
    if items.size > 4 * LEVELS and len(np.unique(x)) > LEVELS:
        edges = np.unique(np.quantile(x, np.linspace(0, 1, LEVELS + 1)))
        x = edges[np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 1)]
        frame = statistic.frame(x, z)
        items = statistic.items(x, z, frame)
    if math.isnan(value):
        return value, np.full(len(x), np.nan)
    gradient = _gradient(statistic, items, times, frame)
    return value, np.asarray(np.einsum("vn,nv->n", items.values, gradient[items.cells]))


def _sums(items: Items, times: FloatArray) -> FloatArray:
    return np.stack([np.bincount(items.cells, row * times, items.size) for row in items.values], axis=1)


def _evaluated(statistic: TabulatedStatistic, sums: FloatArray, frame: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(statistic.of_sums(sums, frame))


def _gradient(statistic: TabulatedStatistic, items: Items, times: FloatArray, frame: FloatArray) -> FloatArray:
    """Return the derivative of the statistic by each sum, (cells, V)."""
    sums = _sums(items, times)
    step = STEP * np.maximum((np.abs(items.values) * times).sum(axis=1), 1e-300)
    out = np.zeros(sums.shape)
    used = np.flatnonzero(np.bincount(items.cells, minlength=items.size))
    places = [(cell, v) for cell in used for v in range(sums.shape[1])]
    width = max(1, TILE // sums.size)
    for start in range(0, len(places), width):
        some = places[start : start + width]
        cells, kinds = np.array(some).T
        sides = []
        for sign in (1, -1):
            moved = np.repeat(sums[:, :, None], len(some), axis=2)
            moved[cells, kinds, range(len(some))] += sign * step[kinds]
            sides.append(_evaluated(statistic, moved, frame))
        out[cells, kinds] = (sides[0] - sides[1]) / (2 * step[kinds])
    return np.nan_to_num(out)


class Paired:
    """A judge and people on the same items, in no, one or two ways of clusters, for any number of statistics.

    Parameters
    ----------
    x, z
        Values of the judge and of people, (n,); items with NaN on either side are left out.
    clusters
        Clusters of the items, 0, 1, ….

    Notes
    -----
    Items that are alike are one kind, of which there are few for labels and grades, whatever the number of items.
    """

    def __init__(self, x: FloatArray, z: FloatArray, clusters: Sequence[IntArray] = ()) -> None:
        self.known = ~np.isnan(x + z)
        self.x, self.z = x[self.known], z[self.known]
        self.ways = [_compact(way[self.known]) for way in clusters]
        codes = [_codes(side) for side in (self.x, self.z)]
        width = int(codes[1].max(initial=0)) + 1
        self.kind, self.first = _kinds(codes[0].astype(np.int64) * width + codes[1])
        self.times = np.bincount(self.kind, minlength=len(self.first)).astype(np.float64)

    def __len__(self) -> int:
        return len(self.x)

    def influences(self, statistic: TabulatedStatistic) -> tuple[float, FloatArray]:
        """Return a statistic, and what each item does to it."""
        value, moved = influences(statistic, self.x[self.first], self.z[self.first], self.times)
        return value, moved[self.kind]

    def estimate(
        self, statistic: TabulatedStatistic, confidence: float = 0.95, *, resamples: int = 0, seed: int = 0
    ) -> Estimate:
        """Return a statistic with its interval; with resamples, percentiles of samples of clusters of the first way.

        Notes
        -----
        Shares have Wilson's interval for as many independent items as they are worth; other statistics with a bounded
        range a t interval on Fisher's scale, with as many degrees of freedom as clusters less one.
        """
        n = len(self.x)
        if resamples and n:
            value, drawn = self._drawn(statistic, resamples, seed)
            low, high = (float(end[0]) for end in percentiles(drawn[None], confidence))
            return Estimate(value, float(np.nanstd(drawn)), low, high, math.inf, n)
        if statistic.name in SHARES:
            return self._share(statistic, confidence)
        value, moved = self.influences(statistic)
        if math.isnan(value):
            return undefined(n)
        variance, df = clustered_variance(moved, self.ways)
        return on_scale(value, variance, df, n, confidence, statistic.range)

    @cached_property
    def _clusters(self) -> tuple[IntArray, FloatArray]:
        """The first cluster of each kind, and how many there are; clusters of a kind hold the same kinds of items."""
        way = self.ways[0] if self.ways else np.arange(len(self.x))
        # Sums of whole numbers tell clusters apart.
        sums = np.stack([np.bincount(way, each[self.kind]) for each in draws.marks(len(self.first))])
        first, count = np.unique(sums, axis=1, return_index=True, return_counts=True)[1:]
        return first, count.astype(np.float64)

    def _drawn(self, statistic: TabulatedStatistic, resamples: int, seed: int) -> tuple[float, FloatArray]:
        """Return a statistic, and the same in samples of clusters; of clusters that are alike the number is drawn."""
        first, count = self._clusters
        clusters = int(count.sum())
        if 4 * len(first) > clusters:
            whole = statistic.tabulated(self.x, self.z, self.ways[0] if self.ways else None)
            return whole.estimate(), bootstrap(whole.correlate, whole.size, resamples, seed)
        place = np.full(clusters, -1)
        place[first] = np.arange(len(first))
        way = place[self.ways[0]] if self.ways else place
        kept = way >= 0
        frame = statistic.frame(self.x[self.first], self.z[self.first])
        some = Tabulated(statistic, self.x[kept], self.z[kept], frame, way[kept])
        size = draws.page_size(len(first))
        pages = (
            some.correlate(draws.stream(seed, draws.POINTS, page).multinomial(clusters, count / clusters, size).T)
            for page in range(-(-resamples // size))
        )
        return float(some.correlate(count[:, None])[0]), np.concatenate(list(pages))[:resamples]

    def _share(self, statistic: TabulatedStatistic, confidence: float) -> Estimate:
        """Return the interval of a statistic that is a share of items."""
        side, ways = SHARES[statistic.name], self.ways
        hits = (np.abs(self.x - self.z) <= 1 + 1e-9) if statistic.name == "within-one" else self.x == self.z
        if side is not None:
            chosen = self.z == statistic.frame(self.x[self.first], self.z[self.first])[side]
            hits, ways = hits[chosen], [_compact(way[chosen]) for way in ways]
        return share(hits.astype(np.float64), ways, confidence)


def differences(
    judges: Sequence[Paired], statistic: TabulatedStatistic, confidence: float
) -> tuple[FloatArray, dict[Pair, Estimate]]:
    """Return a statistic of judges of the same items, and the difference of every pair, the first less the second."""
    values, moved = zip(*(each.influences(statistic) for each in judges), strict=True)
    found = {
        (a, b): estimate(
            values[a] - values[b],
            *clustered_variance(moved[a] - moved[b], judges[a].ways),
            len(judges[a]),
            confidence,
        )
        for a, b in combinations(range(len(judges)), 2)
    }
    return np.array(values), found


def _compact(way: IntArray) -> IntArray:
    """Return clusters as 0, 1, … without gaps."""
    present = np.bincount(way) > 0
    return way if present.all() else np.asarray((np.cumsum(present) - 1)[way])


def _codes(values: FloatArray) -> IntArray:
    """Return values as whole numbers, equal ones as equal; small whole numbers are their own codes."""
    if len(values) and values.min() >= 0 and values.max() < 64 and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return np.unique(values, return_inverse=True)[1]


def _kinds(key: IntArray) -> tuple[IntArray, IntArray]:
    """Return the kind of each item, and the first item of each kind."""
    if len(key) and key.max() < 4 * len(key) + 4096:
        first = np.full(int(key.max()) + 1, -1)
        first[key[::-1]] = np.arange(len(key) - 1, -1, -1)
        used = np.flatnonzero(first >= 0)
        return np.searchsorted(used, key), first[used]
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    return kind, first


def on_scale(
    value: float, variance: float, df: float, n: int, confidence: float, ends: tuple[float, float]
) -> Estimate:
    """Return a t interval, on Fisher's scale if the range is bounded; NaN ends where nothing shows the spread."""
    low, high = ends
    if not variance > 1e-24 or not all(map(math.isfinite, ends)):
        return estimate(value, variance if variance > 1e-24 else math.nan, df, n, confidence)
    if df < 1 or value <= low or value >= high:
        return Estimate(value, math.sqrt(variance), math.nan, math.nan, df, n)
    scale = FisherScale(low, high)
    place, slope = (float(f(np.asarray(value), n)) for f in (scale.to, scale.slope))
    reach = float(stdtrit(df, (1 + confidence) / 2)) * math.sqrt(variance) * slope
    return Estimate(value, math.sqrt(variance), scale.back(place - reach), scale.back(place + reach), df, n)


@dataclass(frozen=True, eq=False)
class Slices:
    """Means of a value of items in slices, each with its interval and beside the mean of all other items."""

    n: FloatArray
    """Items in each slice."""
    mean: FloatArray
    """The mean there."""
    error: FloatArray
    """Its standard error."""
    elsewhere: FloatArray
    """The mean of all other items; NaN if there are none."""
    p: FloatArray
    """Two-sided p-values that both are equal; NaN where nothing shows the spread."""
    df: float
    """Degrees of freedom: clusters less one."""


def sliced(values: FloatArray, codes: IntArray, size: int, clusters: IntArray | None = None) -> Slices:
    """Return means of values (n,) of items in slices 0, 1, … (−1 for none), when items may cluster.

    Examples
    --------
    >>> found = sliced(np.array([1.0, 1, 0, 1]), np.array([0, 0, 1, 1]), 2)
    >>> found.mean.tolist(), found.elsewhere.tolist()
    ([1.0, 0.5], [0.5, 1.0])
    """
    known = ~np.isnan(values)
    values, codes = values[known], codes[known]
    if clusters is None:
        return _independent(values, codes, size)
    unit = _compact(clusters[known])
    count = int(unit.max(initial=-1)) + 1
    total, every = np.bincount(unit, values, count), np.bincount(unit, minlength=count).astype(np.float64)
    inside = codes >= 0
    key, pair = np.unique(codes[inside].astype(np.int64) * max(count, 1) + unit[inside], return_inverse=True)
    of, where = np.divmod(key, max(count, 1))
    h, m = np.bincount(pair, values[inside], len(key)), np.bincount(pair, minlength=len(key)).astype(np.float64)
    n, hits = (np.bincount(of, each, size).astype(np.float64) for each in (m, h))
    mean, elsewhere = quotient(hits, n), quotient(total.sum() - hits, every.sum() - n)
    stretch = count / max(count - 1, 1)
    own = (h - mean[of] * m) / n[of]
    error = np.sqrt(stretch * np.bincount(of, own**2, size))
    # Squares of what all clusters lack elsewhere, and then of those that lie in the slice, whole or in part.
    rest = np.maximum(every.sum() - n, 1)
    lacking = (total @ total - 2 * elsewhere * (total @ every) + elsewhere**2 * (every @ every)) / rest**2
    before = (total[where] - elsewhere[of] * every[where]) / rest[of]
    after = own - (total[where] - h - elsewhere[of] * (every[where] - m)) / rest[of]
    variance = stretch * (lacking + np.bincount(of, after**2 - before**2, size))
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(mean - elsewhere) / np.sqrt(np.where(variance > 1e-24, variance, np.nan))
    return Slices(n, mean, error, elsewhere, np.asarray(2 * stdtr(max(count - 1, 1), -t)), count - 1)


def _independent(values: FloatArray, codes: IntArray, size: int) -> Slices:
    """Return the same for items that do not cluster: sums by slice say all."""
    count = len(values)
    values = values - (middle := float(values.mean()) if count else 0.0)
    inside = codes >= 0
    n, sums, squares = (
        np.bincount(codes[inside], each[inside], size).astype(np.float64)
        for each in (np.ones(count), values, values**2)
    )
    rest, stretch = count - n, count / max(count - 1, 1)
    mean, elsewhere = quotient(sums, n), quotient(values.sum() - sums, rest)
    spread, other = (
        np.maximum(each - total**2 / np.maximum(m, 1), 0.0) / np.maximum(m, 1) ** 2
        for each, total, m in ((squares, sums, n), ((values**2).sum() - squares, values.sum() - sums, rest))
    )
    variance = stretch * (spread + other)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(mean - elsewhere) / np.sqrt(np.where(variance > 1e-24, variance, np.nan))
    p = np.asarray(2 * stdtr(max(count - 1, 1), -t))
    return Slices(n, mean + middle, np.sqrt(stretch * spread), elsewhere + middle, p, count - 1)
