"""What other numbers of systems, inputs and annotators would bring: reliability of people, and worlds of other sizes.

A world has the covariances of metrics and people between systems, inputs and cells that scores have, and beside them
what single annotators add to people's scores. Data sets of any size can be drawn from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import ndtri, stdtrit

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import multiplicities
from metassay.stats.intervals import percentile
from metassay.stats.kernels.weighted_ranks import correlate
from metassay.stats.levels import make_level, means_of_known
from metassay.stats.worlds import Components, Fitted, root, variance_components

MOST_SPLITS = 60
"""No more ways to split annotators or inputs in half than this are averaged."""

PAGE_ELEMENTS = 3_000_000
"""No page of data sets holds more scores than this."""


# -- how far people agree -----------------------------------------------------------------------


def krippendorff(ratings: FloatArray, scale: str, weights: FloatArray | None = None) -> FloatArray:
    """Return Krippendorff's α of ratings, 1 for full agreement and 0 for what chance would give.

    Parameters
    ----------
    ratings
        Annotators × units, or annotators × units × groups of units; NaN where a rating is missing. Units with fewer
        than two ratings tell nothing and are left out.
    scale
        ``interval``, or ``ordinal``, where only the order of ratings counts.
    weights
        How often each group of units was drawn, (groups, B); by default each once. Ranks stay those of all ratings.

    Returns
    -------
    ndarray
        α in each draw, (B,); NaN where ratings do not vary.

    Notes
    -----
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability". The ordinal distance of two grades counts the
    ratings between them, half of those at the ends included: it is the distance of their midranks. So ordinal α is
    interval α of midranks.

    Examples
    --------
    >>> krippendorff(np.array([[1.0, 2, 3, 4], [1, 2, 3, 3]]), "interval").round(3).tolist()
    [0.889]
    """
    units = ratings[..., None] if ratings.ndim == 2 else ratings
    count = (~np.isnan(units)).sum(axis=0)
    units = np.where(count >= 2, units, np.nan)
    known = ~np.isnan(units)
    values = units[known]
    if not len(values):
        return np.full(1 if weights is None else weights.shape[1], np.nan)
    if scale == "ordinal":
        _, where, times = np.unique(values, return_inverse=True, return_counts=True)
        values = (np.cumsum(times) - times / 2)[where]
    values = values - values.mean()
    filled = np.zeros(units.shape)
    filled[known] = values / (np.abs(values).max() or 1.0)
    count = known.sum(axis=0)
    # Over ordered pairs of ratings of a unit, squared differences add up to 2 (m Σv² − (Σv)²).
    squares, sums = (filled**2).sum(axis=0), filled.sum(axis=0)
    within = 2 * (count * squares - sums**2) / np.maximum(count - 1, 1)
    parts = np.stack([count, sums, squares, within]).sum(axis=1)
    n, total, square, apart = parts @ (np.ones((parts.shape[1], 1)) if weights is None else weights)
    expected = 2 * (n * square - total**2) / np.maximum(n - 1, 1)
    ratio = np.divide(apart, expected, out=np.full(n.shape, np.nan), where=expected > 1e-12 * np.maximum(n, 1))
    return np.asarray(1 - ratio)


def spearman_brown(reliability: float, factor: float) -> float:
    """Return the reliability of a mean of `factor` times as many ratings; NaN below −1/(factor − 1).

    Spearman (1910), Brown (1910): k·r / (1 + (k − 1)·r).

    Examples
    --------
    >>> spearman_brown(0.5, 2)  # 1 / 1.5
    0.6666666666666666
    """
    below = 1 + (factor - 1) * reliability
    return factor * reliability / below if below > 0 else math.nan


@dataclass(frozen=True)
class Reliability:
    """How well one half of the ratings agrees with the other."""

    half: float
    """Mean Pearson correlation of two halves."""
    whole: float
    """Reliability of all ratings together, by Spearman-Brown."""
    low: float
    """Lower end of the interval of `whole`."""
    high: float
    """Upper end of the interval of `whole`."""


def split_annotators(ratings: FloatArray, random: np.random.Generator, confidence: float) -> Reliability:
    """Return the reliability of means of systems if annotators are drawn: ratings are annotators × systems × inputs."""
    means = means_of_known(ratings, axis=2)
    halves = _splits(len(ratings), random)
    pairs = [(means_of_known(means[list(a)], axis=0), means_of_known(means[list(b)], axis=0)) for a, b in halves]
    return _of_systems(pairs, len(ratings) / len(halves[0][0]), confidence)


def split_inputs(values: FloatArray, random: np.random.Generator, confidence: float) -> Reliability:
    """Return the reliability of means of systems if inputs are drawn: values are systems × inputs."""
    judged = values[:, ~np.isnan(values).all(axis=0)]
    halves = _splits(judged.shape[1], random)
    pairs = [(means_of_known(judged[:, list(a)]), means_of_known(judged[:, list(b)])) for a, b in halves]
    return _of_systems(pairs, judged.shape[1] / len(halves[0][0]), confidence)


def split_cells(ratings: FloatArray, random: np.random.Generator, draws: FloatArray, confidence: float) -> Reliability:
    """Return the reliability of single cells if annotators are drawn; `draws` are multiplicities of inputs."""
    halves = _splits(len(ratings), random)
    columns = np.concatenate([np.ones((draws.shape[0], 1)), draws], axis=1)
    found = []
    for a, b in halves:
        x, y = means_of_known(ratings[list(a)], axis=0), means_of_known(ratings[list(b)], axis=0)
        both = ~(np.isnan(x) | np.isnan(y))
        if not both.any():
            continue
        x, y = (np.where(both, v - v[both].mean(), 0.0) for v in (x, y))
        sums = np.stack([v.sum(axis=0) for v in (both, x, y, x * x, y * y, x * y)]) @ columns
        n = np.maximum(sums[0], 1)
        xx, yy, xy = sums[3] - sums[1] ** 2 / n, sums[4] - sums[2] ** 2 / n, sums[5] - sums[1] * sums[2] / n
        scale = np.sqrt(np.maximum(xx, 0) * np.maximum(yy, 0))
        found.append(np.divide(xy, scale, out=np.full(n.shape, np.nan), where=scale > 1e-12))
    if not found:
        return Reliability(*[math.nan] * 4)
    half = means_of_known(np.stack(found), axis=0)
    factor = len(ratings) / len(halves[0][0])
    whole = np.array([spearman_brown(float(r), factor) for r in half])
    low, high = percentile(whole[1:], confidence)
    return Reliability(float(half[0]), float(whole[0]), low, high)


def _splits(n: int, random: np.random.Generator) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return pairs of disjoint halves of n; all of them if they are few. Of an odd number, one is left out."""
    size = n // 2
    if math.comb(n, size) * math.comb(n - size, size) // 2 <= MOST_SPLITS:
        return [
            (a, b)
            for a in combinations(range(n), size)
            for b in combinations([i for i in range(n) if i not in a], size)
            if a < b
        ]
    drawn = [random.permutation(n).tolist() for _ in range(MOST_SPLITS)]
    return [(tuple(order[:size]), tuple(order[size : 2 * size])) for order in drawn]


def _of_systems(pairs: list[tuple[FloatArray, FloatArray]], factor: float, confidence: float) -> Reliability:
    found = []
    for x, y in pairs:
        known = ~(np.isnan(x) | np.isnan(y))
        if known.sum() >= 3 and x[known].std() > 1e-12 and y[known].std() > 1e-12:
            found.append(float(np.corrcoef(x[known], y[known])[0, 1]))
    systems = len(pairs[0][0]) if pairs else 0
    if not found or systems < 4:
        return Reliability(*[math.nan] * 4)
    half = float(np.mean(found))
    middle = math.atanh(min(max(half, -1 + 1e-12), 1 - 1e-12))
    reach = float(ndtri((1 + confidence) / 2)) / math.sqrt(systems - 3)
    # A negative reliability says no more than 0, and Spearman-Brown has a pole there.
    low, high = (spearman_brown(max(math.tanh(middle + side * reach), 0.0), factor) for side in (-1, 1))
    return Reliability(half, spearman_brown(half, factor), low, high)


# -- worlds -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnnotatorNoise:
    """Variances that one annotator adds to what all annotators would say on average."""

    systems: float
    """Of likings for systems."""
    cells: float
    """Of everything else about single cells."""
    annotators: float
    """How many annotators rated a cell: the number, or the harmonic mean."""
    crossed: bool
    """Whether annotators rated the same cells, so that likings for systems can be told from the rest."""


def annotator_noise(ratings: FloatArray) -> AnnotatorNoise | None:
    """Estimate which shares of the variance of their mean single annotators add; None if no cell has two ratings.

    Parameters
    ----------
    ratings
        Annotators × systems × inputs, NaN where one is missing.

    Returns
    -------
    AnnotatorNoise
        With variances in units of those that the means of so many annotators have.

    Notes
    -----
    Where most cells are rated by all annotators, two annotators a and b that were put on one scale have the correlation
    (V(a + b) − V(a − b)) / (V(a + b) + V(a − b)), with V the variance component of systems or of cells; Spearman-Brown
    tells the share of noise in the mean of all. One scale, because an annotator who spreads systems twice as widely as
    another may still agree with that other perfectly. Else the variance of ratings within cells is taken, and likings
    for systems are part of it.
    """
    count = (~np.isnan(ratings)).sum(axis=0)
    if (count >= 2).sum() < 2:
        return None
    several = len(ratings)
    full = count == several
    if several >= 2 and 2 * full.sum() >= (count > 0).sum():
        kept = np.where(full, ratings, np.nan)
        agree = [_agreement(kept, part) for part in ("systems", "cells")]
        if not any(map(math.isnan, agree)):
            systems, cells = (several * (1 - spearman_brown(r, several)) for r in agree)
            return AnnotatorNoise(systems, cells, float(several), crossed=True)
    rated = count >= 2
    means = means_of_known(ratings, axis=0)
    squares = np.where(np.isnan(ratings), 0.0, ratings - means) ** 2
    within = float(squares.sum(axis=0)[rated].sum() / (count[rated] - 1).sum())
    typical = float(1 / np.mean(1 / count[count > 0]))
    whole = float(variance_components(means[None]).cells[0, 0])
    if not whole > 0:
        return None
    return AnnotatorNoise(0.0, min(within, whole * typical) / whole, typical, crossed=False)


def _agreement(ratings: FloatArray, part: str) -> float:
    """Return the mean correlation of two annotators in one variance component, from 0 to 1; NaN if undefined."""

    def variance(values: FloatArray) -> float:
        return float(getattr(variance_components(values[None]), part)[0, 0])

    scale = [
        math.sqrt(variance(each)) if part == "cells" else float(np.nanstd(means_of_known(each))) for each in ratings
    ]
    if not all(size > 0 for size in scale):
        return math.nan
    scaled = [each / size for each, size in zip(ratings, scale, strict=True)]
    pairs = [(variance(a + b), variance(a - b)) for a, b in combinations(scaled, 2)]
    alike, apart = (sum(each) for each in zip(*pairs, strict=True))
    return min(max((alike - apart) / (alike + apart), 0.0), 1.0) if alike + apart > 0 else math.nan


@dataclass(frozen=True)
class Design:
    """How many systems, inputs and annotators there are; numbers may be infinite but for systems."""

    systems: int
    """Systems."""
    inputs: float
    """Inputs."""
    annotators: float = 1.0
    """Annotators of each cell."""


@dataclass(frozen=True, eq=False)
class PlanWorld:
    """One or two metrics, and people as many annotators would have them on average, and the noise of annotators."""

    components: Components
    """Covariances of metrics and people; people come last, without the noise of annotators if that is known."""
    noise: AnnotatorNoise | None
    """What annotators add; None if it cannot be told, and is then part of the components."""

    def of_systems(self, design: Design) -> FloatArray:
        """Return the covariances of what belongs to systems."""
        return self._noisy(self.components.systems, self.noise.systems if self.noise else 0.0, design)

    def of_cells(self, design: Design) -> FloatArray:
        """Return the covariances of what belongs to single cells."""
        return self._noisy(self.components.cells, self.noise.cells if self.noise else 0.0, design)

    def _noisy(self, matrix: FloatArray, added: float, design: Design) -> FloatArray:
        out = matrix.copy()
        out[-1, -1] += added / design.annotators
        return out

    def correlations(self, design: Design, level: str) -> FloatArray:
        """Return the Pearson correlation of each metric with people, in the population of systems."""
        share = 1 / design.inputs if level == "system" else 1.0
        whole = self.of_systems(design) + share * self.of_cells(design)
        scale = np.sqrt(np.diag(whole))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(whole[:-1, -1] / (scale[:-1] * scale[-1]))

    def ceiling(self, design: Design, level: str) -> float:
        """Return the correlation of a metric that knows what all annotators would say of each cell; NaN if unknown."""
        if self.noise is None:
            return math.nan
        share = 1 / design.inputs if level == "system" else 1.0
        true = float(self.components.systems[-1, -1] + share * self.components.cells[-1, -1])
        noise = (self.noise.systems + share * self.noise.cells) / design.annotators
        return math.sqrt(true / (true + noise)) if true + noise > 0 else math.nan

    def made_equal(self, design: Design) -> PlanWorld:
        """Return the world in which both metrics are equally good; see :meth:`metassay.stats.worlds.Fitted`."""
        inputs = int(min(design.inputs, 1e9))
        equal = Fitted(self.components, np.zeros(1), (design.systems, inputs)).made_equal()
        return replace(self, components=equal.components)

    def made_worse(self, kept: float) -> PlanWorld:
        """Return the world in which the second metric shares less with people and with the other: noise was added."""
        keep = np.ones((3, 3))
        keep[1, [0, 2]] = keep[[0, 2], 1] = kept
        c = self.components
        return replace(self, components=Components(c.systems * keep, c.inputs * keep, c.cells * keep))

    def estimates(
        self, random: np.random.Generator, design: Design, level: str, coefficient: str, k: int, *, again: bool = False
    ) -> FloatArray:
        """Draw k data sets and return the correlations of metrics with people, (metrics, 1, k).

        If they are drawn `again`, (metrics, 2, k): each has a twin with the same systems and other inputs.
        """
        wide = len(self.components.systems)
        fixed = np.einsum("ab,nbk->ank", root(self.of_systems(design)), _draw(random, design.systems, wide, k))
        of_cells = root(self.of_cells(design))
        found = []
        for _ in range(2 if again else 1):
            if level == "system":
                drawn = _draw(random, design.systems, wide, k)
                values = fixed + np.einsum("ab,nbk->ank", of_cells, drawn) / math.sqrt(design.inputs)
                found.append(_correlate(values, coefficient))
                continue
            m = int(design.inputs)
            drawn = random.standard_normal((design.systems, wide, m, k))
            values = fixed[:, :, None, :] + np.einsum("ab,nbmk->anmk", of_cells, drawn)
            r = _correlate(values.reshape(wide, design.systems, m * k), coefficient)
            found.append(np.nanmean(r.reshape(len(r), m, k), axis=1))
        return np.stack(found, axis=1)


def plan_world(metrics: FloatArray, people: FloatArray, ratings: FloatArray | None) -> PlanWorld:
    """Fit a world.

    Parameters
    ----------
    metrics
        One or two metrics, (metrics, systems, inputs).
    people
        Mean scores of people, systems × inputs.
    ratings
        Ratings of single annotators, (annotators, systems, inputs), or None.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> quality = random.normal(size=(40, 1))
    >>> world = plan_world((quality + random.normal(size=(40, 60)))[None], quality + random.normal(size=(40, 60)), None)
    >>> world.correlations(Design(40, 60), "system").round(2).tolist()
    [0.98]
    """
    c = variance_components(np.stack([*metrics, people]))
    noise = None if ratings is None else annotator_noise(ratings)
    if noise is None:
        return PlanWorld(c, None)
    systems, of_systems = _without_noise(c.systems, noise.systems / noise.annotators)
    cells, of_cells = _without_noise(c.cells, noise.cells / noise.annotators)
    known = replace(noise, systems=of_systems * noise.annotators, cells=of_cells * noise.annotators)
    return PlanWorld(Components(systems, c.inputs, cells), known)


def _without_noise(matrix: FloatArray, share: float) -> tuple[FloatArray, float]:
    """Take a share out of people's variance, but not so much that metrics would explain more than all of the rest."""
    across = matrix[:-1, -1]
    explained = float(across @ np.linalg.pinv(matrix[:-1, :-1]) @ across)
    taken = min(share * float(matrix[-1, -1]), max(float(matrix[-1, -1]) - explained, 0.0))
    out = matrix.copy()
    out[-1, -1] -= taken
    return out, taken


def _draw(random: np.random.Generator, systems: int, wide: int, k: int) -> FloatArray:
    # Systems come first, so that more of them have the same systems among them: curves are then smooth.
    return random.standard_normal((systems, wide, k))


def _correlate(values: FloatArray, coefficient: str) -> FloatArray:
    """Correlate metrics with people, (metrics + 1, systems, B); values are brought to order one."""
    scale = values.std(axis=(1, 2), keepdims=True)
    *metrics, people = values / np.where(scale > 0, scale, 1.0)
    return correlate(metrics, people, [None] * len(metrics), coefficient)


def page_of(design: Design, level: str, wide: int, trials: int) -> int:
    """Return how many data sets a page has; it depends on the shapes and on nothing else."""
    per = design.systems * wide * (1 if level == "system" else int(design.inputs))
    return max(1, min(trials, PAGE_ELEMENTS // per))


# -- from data sets to answers ------------------------------------------------------------------


def on_scale(correlation: float, coefficient: str) -> float:
    """Return what a coefficient is, in a normal population with this Pearson correlation.

    Examples
    --------
    >>> round(on_scale(0.5, "kendall"), 3), round(on_scale(0.5, "spearman"), 3)
    (0.333, 0.483)
    """
    if coefficient == "pearson":
        return correlation
    if coefficient == "spearman":
        return 6 / math.pi * math.asin(correlation / 2)
    return 2 / math.pi * math.asin(correlation)


def to_pearson(value: float, coefficient: str) -> float:
    """Return the Pearson correlation of a normal population in which a coefficient has this value."""
    if coefficient == "pearson":
        return value
    return 2 * math.sin(math.pi * value / 6) if coefficient == "spearman" else math.sin(math.pi * value / 2)


@dataclass(frozen=True)
class Answer:
    """A width or a power, with the error of the simulation."""

    value: float
    """The expected width, or the power."""
    low: float
    """Lower end of its 95% interval."""
    high: float
    """Upper end of its 95% interval."""
    mean: float
    """Mean correlation, or mean difference, over the data sets."""


def expected_width(r: FloatArray, systems: int, coefficient: str, interval: str, confidence: float) -> Answer:
    """Return how wide an interval that keeps its promise is on average.

    Parameters
    ----------
    r
        Correlations in data sets, (1, K), or (2, K) with twins, as :meth:`PlanWorld.estimates` draws them;
        ``boot-inputs`` needs twins.
    systems, coefficient, confidence
        The number of systems, the coefficient, and such as 0.95.
    interval
        ``two-way``: systems and inputs are a sample; or ``boot-inputs``: systems stay as they are.

    Notes
    -----
    Intervals reach as far on Fisher's scale as correlations vary there between data sets: tanh(atanh r ± q·SD), with q
    of the t distribution with N − 2 degrees of freedom for ``two-way``, as the interval of that name has it.
    """
    z = two_way.to_fisher(r, systems, coefficient)
    z = z[:, ~np.isnan(z).any(axis=0)]
    k = z.shape[1]
    if k < 3:
        return Answer(*[math.nan] * 4)
    if interval == "two-way":
        spread, q = float(z[0].std(ddof=1)), float(stdtrit(systems - 2, (1 + confidence) / 2))
    else:
        spread, q = math.sqrt(float(((z[0] - z[1]) ** 2).mean()) / 2), float(ndtri((1 + confidence) / 2))
    # A standard deviation from K values is off by 1/√(2K).
    error = 1.96 / math.sqrt(2 * k)
    width = float((np.tanh(z + q * spread) - np.tanh(z - q * spread)).mean())
    return Answer(width, max(width * (1 - error), 0.0), min(width * (1 + error), 2.0), float(np.nanmean(r)))


def expected_power(equal: FloatArray, differ: FloatArray, systems: int, coefficient: str, alpha: float) -> Answer:
    """Return how often a test that holds its level finds the first metric better.

    Parameters
    ----------
    equal, differ
        Correlations of two metrics (2, K) in data sets in which both are equally good, and in which they are not.
    systems, coefficient
        The number of systems, and the coefficient.
    alpha
        The significance level. What lies beyond the cut-off in the first data sets has this probability.

    Notes
    -----
    The test compares the two correlations on Fisher's scale, where they vary about alike however large they are.
    """
    with np.errstate(invalid="ignore"):
        apart = [np.subtract(*two_way.to_fisher(r, systems, coefficient)) for r in (equal, differ)]
    null, found = (each[~np.isnan(each)] for each in apart)
    null = np.abs(null)
    if len(null) < 10 or len(found) < 10:
        return Answer(*[math.nan] * 4)
    # Both signs are equally likely where metrics are equally good, so that both tails tell of one cut-off.
    cut = float(np.quantile(null, 1 - 2 * alpha)) if alpha < 0.5 else 0.0
    # Rank correlations come in steps: what equals the cut-off counts as far as the level allows.
    tie = 1e-9
    above, at = float((null > cut + tie).mean()), float((np.abs(null - cut) <= tie).mean())
    # At 0 both tails meet, and the same data sets would count twice.
    at = 2 * at if cut <= tie else at
    share = min(max((2 * alpha - above) / at, 0.0), 1.0) if at > 0 else 0.0
    power = float((found > cut + tie).mean() + share * (np.abs(found - cut) <= tie).mean())
    s0, s1 = float(np.sqrt((null**2).mean())), float(found.std())
    error = power * (1 - power) / len(found)
    if s0 > 0 and s1 > 0:
        # The cut-off is uncertain too, which matters as far as data sets lie near it.
        dense0 = 2 * math.exp(-0.5 * (cut / s0) ** 2) / s0
        dense1 = math.exp(-0.5 * ((cut - float(found.mean())) / s1) ** 2) / s1
        error += 2 * alpha * max(1 - 2 * alpha, 0.0) / len(null) * (dense1 / max(dense0, 1e-300)) ** 2
    reach = 1.96 * math.sqrt(error + 1 / (4 * len(found)) ** 2)
    mean = float(np.nanmean(differ[0] - differ[1]))
    return Answer(power, max(power - reach, 0.0), min(power + reach, 1.0), mean)


def observed_width(
    x: FloatArray,
    z: FloatArray,
    level: str,
    coefficient: str,
    interval: str,
    confidence: float,
    random: np.random.Generator,
    draws: int,
) -> float:
    """Return the width of the interval of one metric on data as it is, systems × inputs; NaN if undefined."""
    n, m = z.shape
    prepared = make_level(x[None], z, level, coefficient)
    estimate = float(prepared.estimate()[0][0])
    columns = multiplicities(random, m, draws)
    by_inputs = prepared.bootstrap(None, columns)
    if interval == "boot-inputs":
        low, high = percentile(by_inputs[0], confidence)
        return high - low
    rows = multiplicities(random, n, draws)
    parts = two_way.variances(prepared.bootstrap(rows, None), by_inputs, prepared.bootstrap(rows, columns), (n, m))
    present = np.asarray((~np.isnan(x) & ~np.isnan(z)).any(axis=1))
    if present.sum() < 3 or math.isnan(estimate):
        return math.nan
    jackknifed = two_way.jackknife(prepared, present[None], coefficient)
    low, high = two_way.interval(
        estimate, float(jackknifed[0]), float(parts.added[0]), int(present.sum()), coefficient, confidence
    )
    return high - low
