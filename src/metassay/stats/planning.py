"""What other numbers of systems, inputs and annotators would bring: worlds of other sizes.

A world has the covariances of metrics and people between systems, inputs and cells that scores have, and beside them
what single annotators add to people's scores. Data sets of any size can be drawn from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import FloatArray
from metassay.stats.few_systems import FewSystems
from metassay.stats.levels import means_of_known
from metassay.stats.methods.base import Case, Draws, Interval
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.reliability import spearman_brown
from metassay.stats.statistics.base import Statistic
from metassay.stats.worlds import Components, Fitted, Observed, root, variance_components

PAGE_ELEMENTS = 3_000_000
"""No page of data sets holds more scores than this."""


@dataclass(frozen=True)
class AnnotatorNoise:
    """Variances that one annotator adds to what all annotators would say on average."""

    systems: float
    """Of rater-specific system biases."""
    cells: float
    """Of everything else about single cells."""
    annotators: float
    """How many annotators rated a cell: the number, or the harmonic mean."""
    crossed: bool
    """Whether annotators rated the same cells, so that their system biases can be separated from the rest."""


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
    another may still agree with that other perfectly. Else the variance of ratings within cells is taken, and system
    biases are part of it.
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
    means: FloatArray
    """Mean scores of metrics and people, for statistics that they matter to."""

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
        equal = Fitted(self.components, np.zeros(1), (design.systems, inputs), means=self.means).made_equal()
        return replace(self, components=equal.components, means=equal.means)

    def made_worse(self, kept: float) -> PlanWorld:
        """Return the world in which the second metric shares less with people and with the other: noise was added."""
        keep = np.ones((3, 3))
        keep[1, [0, 2]] = keep[[0, 2], 1] = kept
        c = self.components
        return replace(self, components=Components(c.systems * keep, c.inputs * keep, c.cells * keep))

    def estimates(
        self,
        random: np.random.Generator,
        design: Design,
        level: str,
        statistic: Statistic,
        k: int,
        *,
        again: bool = False,
    ) -> FloatArray:
        """Draw k data sets and return the statistics of metrics and people, (metrics, 1, k).

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
                found.append(self._compare(values, statistic))
                continue
            m = int(design.inputs)
            drawn = random.standard_normal((design.systems, wide, m, k))
            values = fixed[:, :, None, :] + np.einsum("ab,nbmk->anmk", of_cells, drawn)
            r = self._compare(values.reshape(wide, design.systems, m * k), statistic)
            found.append(np.nanmean(r.reshape(len(r), m, k), axis=1))
        return np.stack(found, axis=1)

    def _compare(self, values: FloatArray, statistic: Statistic) -> FloatArray:
        """Compare metrics with people, (metrics + 1, systems, B); values are put at order one, or at their means."""
        if statistic.invariant == "linear":
            scale = values.std(axis=(1, 2), keepdims=True)
            values = values / np.where(scale > 0, scale, 1.0)
        else:
            values = values + self.means[:, None, None]
        *metrics, people = values
        return statistic.of_vectors(metrics, people, [None] * len(metrics))


@dataclass(frozen=True, eq=False)
class PlanItems:
    """The data themselves as a world of other sizes, for statistics of single outputs such as labels.

    Inputs (or clusters of them) are drawn again with replacement, and so are systems unless they are fixed.
    """

    world: Observed
    """The data."""
    fixed: bool
    """Whether systems stay as they are, as long as there are as many."""
    noise: None = None
    """What annotators add cannot be told from labels of all together."""

    def estimates(
        self,
        random: np.random.Generator,
        design: Design,
        level: str,
        statistic: Statistic,
        k: int,
        *,
        again: bool = False,
    ) -> FloatArray:
        """Draw k data sets and return statistics, (metrics, 1, k), or (metrics, 2, k) with twins; see `PlanWorld`."""
        n, prepared = self.world.shape[0], statistic.prepare(self.world.metrics, self.world.people, level)
        same = self.fixed and design.systems == n
        systems = None if same else random.multinomial(design.systems, np.full(n, 1 / n), k).T.astype(np.float64)
        parts = [self.world.weights(random, design.inputs, k) for _ in range(2 if again else 1)]
        return np.stack([prepared.bootstrap(systems, part) for part in parts], axis=1)


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
    values = np.stack([*metrics, people])
    c, means = variance_components(values), means_of_known(values.reshape(len(values), -1))
    noise = None if ratings is None else annotator_noise(ratings)
    if noise is None:
        return PlanWorld(c, None, means)
    systems, of_systems = _without_noise(c.systems, noise.systems / noise.annotators)
    cells, of_cells = _without_noise(c.cells, noise.cells / noise.annotators)
    known = replace(noise, systems=of_systems * noise.annotators, cells=of_cells * noise.annotators)
    return PlanWorld(Components(systems, c.inputs, cells), known, means)


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


def page_of(design: Design, level: str, wide: int, trials: int) -> int:
    """Return how many data sets a page has; it depends on the shapes and on nothing else."""
    per = design.systems * wide * (1 if level == "system" else int(design.inputs))
    return max(1, min(trials, PAGE_ELEMENTS // per))


# -- from data sets to answers ------------------------------------------------------------------


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


def expected_width(
    r: FloatArray,
    systems: int,
    statistic: Statistic,
    interval: Interval,
    confidence: float,
    level: str,
    ranked: int | None = None,
) -> Answer:
    """Return how wide an interval that keeps its promise is on average.

    Parameters
    ----------
    r
        Correlations in data sets, (1, K), or (2, K) with twins, as :meth:`PlanWorld.estimates` draws them;
        ``boot-inputs`` needs twins.
    systems, statistic, confidence
        The number of systems, the statistic, and such as 0.95.
    interval
        ``jackknife`` or ``two-way``: systems and inputs are a sample; or ``boot-inputs``: systems stay as they are.
    level
        The level.
    ranked
        How many are ranked, if not systems: at the global level outputs.

    Notes
    -----
    Intervals reach as far on the statistic's scale as it varies there between data sets: tanh(atanh r ± q·SD) for
    correlations, with q as the interval itself has it; for ranks of few systems see :class:`FewSystems`.
    """
    z = statistic.scale.to(r, ranked or systems)
    z = z[:, ~np.isnan(z).any(axis=0)]
    k = z.shape[1]
    if k < 3:
        return Answer(*[math.nan] * 4)
    q = interval.reach(systems, confidence)
    spread = float(z[0].std(ddof=1)) if len(z) == 1 else math.sqrt(float(((z[0] - z[1]) ** 2).mean()) / 2)
    # A standard deviation from K values is off by 1/√(2K).
    error = 1.96 / math.sqrt(2 * k)
    widest = statistic.range[1] - statistic.range[0]
    if interval.name == JACKKNIFE and FewSystems.serves(statistic, level, systems) and not math.isnan(q):
        few = FewSystems.varying(statistic, r[0][~np.isnan(r).any(axis=0)], systems)
        ends = few.ends(np.asarray(stdtrit(few.df, (1 + confidence) / 2)))
        width = float((ends[1] - ends[0]).mean()) * widest / 2
    else:
        width = float((statistic.scale.back(z + q * spread) - statistic.scale.back(z - q * spread)).mean())
    return Answer(width, max(width * (1 - error), 0.0), min(width * (1 + error), widest), float(np.nanmean(r)))


def expected_power(equal: FloatArray, differ: FloatArray, ranked: int, statistic: Statistic, alpha: float) -> Answer:
    """Return how often a test that holds its level finds the first metric better.

    Parameters
    ----------
    equal, differ
        Correlations of two metrics (2, K) in data sets in which both are equally good, and in which they are not.
    ranked, statistic
        How many systems, or at the global level outputs, are ranked, and the statistic.
    alpha
        The significance level. What lies beyond the cut-off in the first data sets has this probability.

    Notes
    -----
    The test compares both on the statistic's scale, where they vary about alike however large they are.
    """
    with np.errstate(invalid="ignore"):
        apart = [statistic.sign * np.subtract(*statistic.scale.to(r, ranked)) for r in (equal, differ)]
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


def observed_width(case: Case, interval: Interval, confidence: float, draws: Draws) -> float:
    """Return the width of the interval of one metric on data as it is; NaN if undefined."""
    (found,) = interval.compute([case], draws, confidence)
    return float(found.high[0] - found.low[0])
