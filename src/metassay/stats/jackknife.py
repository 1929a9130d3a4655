"""What other systems and other inputs would do to a statistic, without drawing any: the two-way jackknife.

Two covariance matrices of metrics tell everything, on the scale of the statistic (Fisher's for correlations):

- `of_systems`: what drawing other systems does, from leaving out one system (or family of systems) at a time;
- `of_inputs`: what drawing other inputs adds to that, from a two-way cluster sandwich (Cameron, Gelbach and Miller
  2011, "Robust inference with multiway clustering"). Noise of cells is in what systems show already: it is taken away.

The variance of one metric is the sum of their diagonals, that of a difference of two follows from the contrast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import SIGNS, stream
from metassay.stats.levels import GroupedLevel, Level, Means, SystemLevel, arranged, means_of_known
from metassay.stats.statistics.base import Statistic
from metassay.stats.unseen_systems import ranked_alike

FEWEST, MOST, WORK = 256, 1024, 2**20
"""Ways to move means of systems by their standard errors, each of them in both directions: more where that is cheap."""
HALVES = 64
"""Ways to part systems and inputs in halves, each of them in both directions."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Metrics that miss the same cells, and what systems and inputs do to their statistics."""

    statistic: Statistic
    """The statistic."""
    level: str
    """The level."""
    systems: int
    """How many systems N have scores of both."""
    units: tuple[int, int]
    """How many units are left out: systems or families of them, and inputs or clusters of them."""
    estimates: FloatArray
    """The statistic of each metric, (P,)."""
    left: FloatArray
    """The same on its scale, without each unit of systems, (P, units)."""
    of_inputs: FloatArray
    """What inputs add to covariances on the scale, (P, P); it may be negative."""
    means: tuple[FloatArray, FloatArray] | None = None
    """Means of systems of each metric and of people, (P, N) each, at system level."""
    families: IntArray | None = None
    """The family 0, 1, … of each system, if they are left out as a whole."""
    alike: FloatArray | None = None
    """How alike metrics and people would rank a system far away from all others, (P,); for ranks of single outputs."""

    @cached_property
    def at(self) -> FloatArray:
        """The estimates on their scale."""
        return self.statistic.scale.to(self.estimates, self.systems)

    @cached_property
    def slope(self) -> FloatArray:
        """How much the scale stretches the statistic at the estimates."""
        return self.statistic.scale.slope(self.estimates, self.systems)

    @cached_property
    def of_systems(self) -> FloatArray:
        """What systems do to covariances on the scale, (P, P): the jackknife."""
        u = self.units[0]
        d = self.left - self.left.mean(axis=1, keepdims=True)
        return np.asarray((u - 1) / u * (d @ d.T))

    @property
    def df(self) -> tuple[int, int]:
        """Degrees of freedom of what systems show, and of what inputs add."""
        return self.units[0] - (1 if self.level == "within-system" else 2), self.units[1] - 1

    def df_of_systems(self, left: FloatArray) -> FloatArray:
        """Return the degrees of freedom of what systems show, of values or differences without each unit, (…, units).

        A variance to which few systems contribute is known as badly as that of few systems: 2N/(κ − 1) with the
        kurtosis κ of the contributions, which is N if they are normal. At system level, where noise that differs by
        system averages out, it is N − 2 as it stands, but for Spearman's coefficient, which rests on few systems at
        times.
        """
        most = np.full(left.shape[:-1], float(self.df[0]))
        if self.level == "within-system" or (self.level == "system" and self.statistic.name != "spearman"):
            return most
        return np.asarray(np.fmin(most, df_of_variance(left - left.mean(axis=-1, keepdims=True))))

    @property
    def of_pairs(self) -> float:
        """How much the jackknife is to be shrunk for a mean over pairs of systems.

        It shows 4/(N − 2)·[ζ₁ + ζ₂/(N − 2)] for the variance 4(N − 2)/(N(N − 1))·ζ₁ + 2/(N(N − 1))·ζ₂ of such a mean
        (Hoeffding 1948), which is up to twice as much with few systems.
        """
        n = self.systems
        of_pairs = self.statistic.ranked or self.statistic.pairwise
        return (n - 1) / (n + 2) if self.level == "system" and of_pairs else 1.0

    @property
    def of_cells(self) -> float:
        """How much the jackknife is to be widened at global level, where pairs of cells of one system are 1/N of all.

        Without bias an estimate varies more than the jackknife shows, and a difference of Pearson's coefficients does
        where systems differ in noise, or inputs in sensitivity.
        """
        n = self.units[0]
        return n / (n - 2) if n > 2 else 1.0


def fit(
    statistic: Statistic,
    x: FloatArray,
    z: FloatArray,
    level: str,
    *,
    paired: bool = True,
    families: IntArray | None = None,
    clusters: tuple[IntArray | None, IntArray | None] = (None, None),
    prepared: Level | None = None,
) -> Fit:
    """Say what systems and inputs do to the statistics of metrics and people.

    Parameters
    ----------
    statistic
        The statistic.
    x
        Metrics (P, systems, inputs), NaN for missing; all of them miss the same cells, and no system or input is empty.
    z
        People, systems × inputs; or one set of them for each metric, (P, systems, inputs).
    level
        The level.
    paired
        Whether people have the inputs of the metrics.
    families
        The family 0, 1, … of each system, which is left out as a whole; by default each system by itself.
    clusters
        The cluster 0, 1, … of each input of metrics, and of people where these are not paired; likewise.
    prepared
        The metrics, ready to be compared, if they are already.
    """
    # In one order in memory, so that sums do not depend on where the data came from.
    x, z, n = np.ascontiguousarray(x), np.ascontiguousarray(z), x.shape[1]
    levels = [prepared] if prepared is not None else _prepare(statistic, x, z, level, paired=paired)
    estimates = np.concatenate([each.estimate()[0] for each in levels])
    parts = _Parts(statistic, x, z, level, paired, families, clusters, levels, estimates)
    if isinstance(levels[0], GroupedLevel) and level != "global":
        left, covariance = parts.of_groups()
    else:
        without = _without(families, n)
        left = np.concatenate([each.bootstrap(without, None) for each in levels])
        covariance = parts.of_means() if isinstance(levels[0], SystemLevel) else parts.of_cells()
    means = None
    if isinstance(levels[0], SystemLevel) and statistic.is_correlation:
        sides = [parts.sides(p) for p in range(len(x))]
        x_means, z_means = (np.stack([side[k](None)[0][:, 0] for side in sides]) for k in (0, 1))
        means = x_means, z_means
    scale = statistic.scale
    slope = scale.slope(_inner(statistic, estimates, n) if isinstance(levels[0], SystemLevel) else estimates, n)
    return Fit(
        statistic,
        level,
        n,
        (count(families, n), min(count(*each) for each in parts.inputs)),
        estimates,
        scale.near(left, estimates[:, None], n),
        covariance * np.outer(slope, slope),
        means,
        families,
        ranked_alike(x, z, level) if statistic.ranked and level in ("input", "global") else None,
    )


def _inner(statistic: Statistic, estimates: FloatArray, systems: int) -> FloatArray:
    """Return estimates of means of systems, those of ranks at least one pair of systems away from the ends.

    Inputs move ranks in steps: where all pairs agree, the scale is as steep as with one pair that does not.
    """
    if not statistic.ranked:
        return estimates
    low, high = statistic.range
    step = (high - low) / max(systems * (systems - 1) / 2, 2)
    return np.asarray(np.clip(estimates, low + step, high - step))


def df_of_variance(d: FloatArray) -> FloatArray:
    """Return the degrees of freedom 2N/(κ − 1) of a variance to which N units contribute as their squares, (…, N)."""
    units = d.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = units * (d**4).sum(axis=-1) / (d * d).sum(axis=-1) ** 2
        return np.asarray(2 * units / (kurtosis - 1))


def of_independent_pairs(statistic: Statistic, estimates: FloatArray, systems: int, units: int) -> FloatArray:
    """Return the variance on the scale of a mean over as many independent pairs as the units of systems make.

    Agreement in all pairs of systems is no certainty, though leaving out any of them changes nothing.
    """
    low, high = statistic.range
    half, most = (high - low) / 2, 1 - 1 / systems**2
    place = np.clip((estimates - (low + high) / 2) / half, -most, most)
    slope = statistic.scale.slope(estimates, systems)
    return np.asarray((half * slope) ** 2 * (1 - place**2) / (units * (units - 1) / 2))


def _prepare(statistic: Statistic, x: FloatArray, z: FloatArray, level: str, *, paired: bool) -> list[Level]:
    if z.ndim == 2:
        return [statistic.prepare(x, z, level, paired=paired)]
    return [statistic.prepare(x[[p]], z[p], level, paired=paired) for p in range(len(x))]


def count(units: IntArray | None, members: int) -> int:
    """Return how many units there are among so many members."""
    return members if units is None else len(np.unique(units))


def _without(units: IntArray | None, members: int) -> FloatArray:
    """Return for each unit (members, units) which members are left."""
    return 1.0 - np.eye(members) if units is None else (units[:, None] != np.arange(units.max() + 1)).astype(np.float64)


def added_up(values: FloatArray, units: IntArray | None) -> FloatArray:
    """Return sums over the units of the last axis."""
    return values if units is None else values @ (units[:, None] == np.arange(units.max() + 1)).astype(np.float64)


def _times(units: int, taken: int = 1) -> float:
    """Return the factor that makes up for means that were taken away from so few units."""
    return units / (units - taken) if units > taken else np.nan


def _sandwich(
    columns: FloatArray, cells: FloatArray, families: IntArray | None, clusters: IntArray | None, taken: int = 1
) -> FloatArray:
    """Return covariances (P, P) from what each input does, (P, inputs), and each cell, (P, systems, inputs)."""
    columns, cells = added_up(columns, clusters), added_up(cells, clusters)
    if families is not None:
        cells = added_up(np.swapaxes(cells, 1, 2), families)
    units = count(families, cells.shape[1])
    flat = cells.reshape(len(cells), -1)
    return np.asarray(_times(columns.shape[1]) * (columns @ columns.T - _times(units, taken) * (flat @ flat.T)))


@dataclass(frozen=True, eq=False)
class _Parts:
    """What inputs add to covariances of the statistics themselves, (P, P), by level."""

    statistic: Statistic
    x: FloatArray
    z: FloatArray
    level: str
    paired: bool
    families: IntArray | None
    clusters: tuple[IntArray | None, IntArray | None]
    levels: Sequence[Level]
    estimates: FloatArray

    @property
    def inputs(self) -> list[tuple[IntArray | None, int]]:
        """Clusters and number of the inputs of metrics, and of people where these are not paired."""
        of_metrics = (self.clusters[0], self.x.shape[2])
        return [of_metrics] if self.paired else [of_metrics, (self.clusters[1], self.z.shape[-1])]

    def people(self, p: int) -> FloatArray:
        """Return the people that a metric is compared with."""
        return self.z if self.z.ndim == 2 else self.z[p]

    # -- system level -------------------------------------------------------------------------------

    def of_means(self) -> FloatArray:
        """Means of systems: from the slope of Pearson's coefficient, or from moving means by their standard errors."""
        return self._slopes() if self.statistic.name == "pearson" and self.statistic.is_correlation else self._moved()

    def sides(self, p: int) -> tuple[Means, Means]:
        """Return the means of systems of a metric and of its people."""
        level = self.levels[0 if self.z.ndim == 2 else p]
        assert isinstance(level, SystemLevel), "means of systems are those of the system level"
        return level.x[p if self.z.ndim == 2 else 0], level.z

    def _slopes(self) -> FloatArray:
        """Multiply what cells do to means by what means do to r."""
        shared = _Residuals.of(self.sides(0)[1]) if self.z.ndim == 2 else None
        found: list[list[tuple[FloatArray, FloatArray]]] = []
        for p, r in enumerate(self.estimates):
            x, z = self.sides(p)
            sides = _Residuals.of(x), shared or _Residuals.of(z)
            centred = [side.mean - side.mean.mean() for side in sides]
            size = [float(np.sqrt((c * c).sum())) or np.nan for c in centred]
            u, w = (c / s for c, s in zip(centred, size, strict=True))
            slopes = (w - r * u) / size[0], (u - r * w) / size[1]
            one = [(slope @ side.whole, slope[:, None] * side.own) for slope, side in zip(slopes, sides, strict=True)]
            found.append([(one[0][0] + one[1][0], one[0][1] + one[1][1])] if self.paired else one)
        total = np.zeros((len(self.estimates),) * 2)
        for at, (clusters, _) in enumerate(self.inputs):
            columns, cells = (np.stack([each[at][k] for each in found]) for k in (0, 1))
            total += _sandwich(columns, cells, self.families, clusters, taken=2)
        return total

    def _moved(self) -> FloatArray:
        """Move all means by the same inputs at once, and each by inputs of its own; the difference is what they share.

        Statistics that come in steps have no slope: moves are as large as standard errors.
        """
        random, n = stream(0, SIGNS), self.x.shape[1]
        # The number depends on the shape of the data alone, so that the same data have the same interval.
        draws = min(max(WORK // (n * max(n, *(inputs for _, inputs in self.inputs))), FEWEST), MOST)
        signs = [_signs(random, count(*each), draws) for each in self.inputs]
        of_unit = np.stack([random.permutation(2 * draws) for _ in range(count(self.families, n))])
        turn = of_unit if self.families is None else of_unit[self.families]
        widen = np.sqrt(_times(len(of_unit), 2))

        def moved(side: Means, at: int) -> tuple[FloatArray, FloatArray]:
            residuals, (clusters, _) = _Residuals.of(side), self.inputs[at]
            size = np.sqrt(_times(signs[at].shape[1]))
            whole, own = (added_up(e, clusters) @ signs[at].T * size for e in (residuals.whole, residuals.own))
            mean = residuals.mean[:, None]
            return mean + whole, mean + widen * np.take_along_axis(own, turn, axis=1)

        xs = [moved(self.sides(p)[0], 0) for p in range(len(self.x))]
        zs = [moved(self.sides(p)[1], len(signs) - 1) for p in range(len(xs) if self.z.ndim == 3 else 1)]
        # People of their own for each metric, or the same for all of them.
        groups = [([x], z) for x, z in zip(xs, zs, strict=True)] if self.z.ndim == 3 else [(xs, zs[0])]
        common, own = (
            np.concatenate([self.statistic.of_vectors([x[k] for x in g], z[k], [None] * len(g)) for g, z in groups])
            for k in (0, 1)
        )
        return _covariance(common) - _covariance(own)

    # -- input level and within systems -------------------------------------------------------------

    def of_groups(self) -> tuple[FloatArray, FloatArray]:
        """Return averages without each unit of systems, (P, units), and what inputs add to covariances.

        At input level systems are members of the groups that are averaged; within systems, inputs are.
        """
        by_input = self.level == "input"
        members, groups = (self.families, self.clusters[0]) if by_input else (self.clusters[0], self.families)
        inputs = 0 if by_input else 1
        left, columns, cells = [], [], []
        for p, average in enumerate(self.estimates):
            x, z = arranged(self.x[p], self.level), arranged(self.people(p), self.level)
            level = self.levels[0 if self.z.ndim == 2 else p]
            assert isinstance(level, GroupedLevel), "averages are those of grouped levels"
            ready = level.left_out[p if self.z.ndim == 2 else 0] if members is None else None
            whole, without = ready or self.statistic.left_out(x, z, members)
            units, defined = without.shape[1], ~np.isnan(whole)
            here = ~np.isnan(x + z)
            if members is not None:
                here = np.stack([here[members == unit].any(axis=0) for unit in range(units)])
            defined_groups = max(int(defined.sum()), 1)
            psi = np.where(here.T, whole[:, None] - without, np.nan) * (units - 1) / units / defined_groups
            psi = psi - np.expand_dims(means_of_known(psi, axis=inputs), inputs)
            if by_input:
                left.append(means_of_known(without, axis=0))
                columns.append(np.where(defined, whole - average, 0.0) / defined_groups)
            else:
                left.append(means_of_known(np.where(_without(groups, len(whole)).T > 0, whole, np.nan)))
                columns.append(np.nansum(psi, axis=0))
            psi = np.nan_to_num(psi - np.expand_dims(means_of_known(psi, axis=1 - inputs), 1 - inputs))
            cells.append(psi.T if by_input else psi)
        # Members were added up to units when they were left out; groups are added up now.
        rows, clusters = (None, groups) if by_input else (groups, None)
        return np.stack(left), _sandwich(np.stack(columns), np.stack(cells), rows, clusters)

    # -- all cells ----------------------------------------------------------------------------------

    def of_cells(self) -> FloatArray:
        """All cells as one group: from what each does to the statistic, or from halves of systems and inputs."""
        columns, cells = [], []
        if self.level != "global":  # the inputs of metrics and of people may be others
            return self._halved()
        for p in range(len(self.x)):
            known = ~np.isnan(self.x[p] + self.people(p))
            found = self.statistic.influence(self.x[p][known], self.people(p)[known])
            if found is None:
                return self._halved()
            psi = np.full(known.shape, np.nan)
            psi[known] = found[1] / known.sum()
            columns.append(np.nansum(psi, axis=0))
            inner = psi - means_of_known(psi)[:, None] - means_of_known(psi, axis=0)
            cells.append(np.nan_to_num(inner))
        return _sandwich(np.stack(columns), np.stack(cells), self.families, self.clusters[0])

    def _halved(self) -> FloatArray:
        """Take half of the systems and half of the inputs twice: for statistics of which only weights are known."""
        random, n = stream(0, SIGNS), self.x.shape[1]
        signs = [_halves(random, count(*each)) for each in [(self.families, n), *self.inputs]]
        labels = [(self.families, n), *self.inputs]
        weights = [1.0 + (s if units is None else s[units]) for s, (units, _) in zip(signs, labels, strict=True)]
        systems, inputs = weights[0], np.concatenate(weights[1:])
        drawn = [
            np.concatenate([each.bootstrap(*kind) for each in self.levels])
            for kind in ((systems, None), (None, inputs), (systems, inputs))
        ]
        return _covariance(drawn[1]) - _covariance(drawn[2] - drawn[0] - drawn[1])


@dataclass(frozen=True)
class _Residuals:
    """What cells do to the means of systems, (systems, inputs); 0 where missing."""

    whole: FloatArray
    """Without the effects of systems and of inputs: how hard an input is moves no correlation."""
    own: FloatArray
    """Also without what inputs make of differences between systems: the noise of single cells."""

    mean: FloatArray
    """The means, (systems,)."""

    @classmethod
    def of(cls, side: Means) -> _Residuals:
        """Take effects away from the cells of one column."""
        mean = side(None)[0][:, 0]
        known = np.ones(side.values.shape, dtype=bool) if side.known is None else side.known > 0
        per_input, per_system = (np.maximum(known.sum(axis=axis), 1) for axis in (0, 1))

        def centred(values: FloatArray) -> FloatArray:
            if side.known is None:
                return np.asarray(values - values.mean(axis=0))
            return np.where(known, values - np.where(known, values, 0.0).sum(axis=0) / per_input, 0.0)

        whole, apart = centred(side.values - mean[:, None]), centred((mean - mean.mean())[:, None])
        spread = (apart * apart).sum(axis=0)
        slope = np.where(spread > 0, (whole * apart).sum(axis=0) / np.where(spread > 0, spread, 1.0), 0.0)
        return cls(whole / per_system[:, None], (whole - slope * apart) / per_system[:, None], mean)


def _signs(random: np.random.Generator, n: int, draws: int) -> FloatArray:
    """Return ±1 for n units, and the opposite: (2 · draws, n)."""
    signs = random.integers(0, 2, (draws, n)) * 2.0 - 1
    return np.concatenate([signs, -signs])


def _halves(random: np.random.Generator, n: int) -> FloatArray:
    """Return 1 for a random half of n units and −1 for the other, 0 for one of an odd number: (n, 2 · HALVES)."""
    half = np.repeat([1.0, -1.0, 0.0], [n // 2, n // 2, n % 2])
    signs = np.stack([random.permutation(half) for _ in range(HALVES)], axis=1)
    return np.concatenate([signs, -signs], axis=1)


def _covariance(values: FloatArray) -> FloatArray:
    """Return covariances (P, P) of values (P, draws); undefined ones count as the mean."""
    d = np.nan_to_num(values - means_of_known(values)[:, None])
    return np.asarray(d @ d.T / values.shape[1])
