"""Worlds in which the truth is known: scores of two metrics and of people, drawn many data sets at a time.

A textbook world is defined by standard deviations, a fitted one by the variance components of real scores. Both draw
new systems and new inputs in every data set. An observed world resamples the inputs of the data, so that labels stay
labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import FloatArray, IntArray

Draws = tuple[FloatArray, FloatArray, FloatArray]
"""Two metrics and people, each (trials, systems, inputs)."""


class World(Protocol):
    """Something that data sets can be drawn from."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and inputs."""
        ...

    @property
    def equal(self) -> bool:
        """Whether both metrics are equally good."""
        ...

    def draw(self, random: np.random.Generator, trials: int) -> Draws:
        """Return two metrics and people, each (trials, systems, inputs)."""
        ...


@dataclass(frozen=True)
class Textbook:
    """A world of independent parts, with quality of systems as the unit.

    Scores are the quality of the system (SD 1) and of the output, plus what is listed here. The system's part is
    what a mean over inputs keeps; noise of cells shrinks with their number.
    """

    systems: int = 16
    """How many systems are drawn."""
    inputs: int = 100
    """How many inputs are drawn."""
    own: tuple[float, float] = (0.0, 0.0)
    """SD of the system bias that each metric has alone."""
    shared: float = 0.0
    """SD of a system bias that both metrics share."""
    noise: tuple[float, float] = (1.0, 1.0)
    """SD of each metric's noise of cells."""
    human_noise: float = 1.0
    """SD of the noise of people's scores."""
    output: float = 0.0
    """SD of the quality of single outputs, which metrics and people see."""
    difficulty: float = 0.0
    """SD of a difficulty of inputs that all scores share."""
    turns: float = 0.0
    """SD of a system bias that each metric has alone and that varies with the input: a product of the two effects."""
    categories: int = 0
    """Number of whole human grades, in steps of one SD of quality; 0 for continuous scores."""
    tail: str = "normal"
    """Distribution of what belongs to systems: ``normal``, ``heavy`` (t with 5 degrees of freedom) or ``skewed``."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and inputs."""
        return self.systems, self.inputs

    @property
    def equal(self) -> bool:
        """Whether both metrics have the same correlation with people, in the population of systems."""
        first, second = (o**2 + n**2 / self.inputs for o, n in zip(self.own, self.noise, strict=True))
        return math.isclose(first, second)

    def correlation(self, metric: int) -> float:
        """Return the Pearson correlation with people of means of systems over so many inputs, in the population.

        NaN if grades are rounded or biases vary with inputs, where it has no simple form.
        """
        if self.categories or self.turns:
            return math.nan
        inner = self.output**2 / self.inputs
        of_metric = 1 + inner + self.own[metric] ** 2 + self.shared**2 + self.noise[metric] ** 2 / self.inputs
        of_people = 1 + inner + self.human_noise**2 / self.inputs
        return (1 + inner) / math.sqrt(of_metric * of_people)

    def draw(self, random: np.random.Generator, trials: int) -> Draws:
        """Return two metrics and people, each (trials, systems, inputs)."""
        n, m = self.shape
        quality, shared, first, second = (self._of_systems(random, (trials, n, 1)) for _ in range(4))
        common = quality + self.difficulty * random.standard_normal((trials, 1, m))
        if self.output:
            common = common + self.output * random.standard_normal((trials, n, m))
        z = common + self.human_noise * random.standard_normal((trials, n, m))
        metrics = []
        for bias, own, noise in zip((first, second), self.own, self.noise, strict=True):
            x = common + (own * bias + self.shared * shared) + noise * random.standard_normal((trials, n, m))
            if self.turns:
                turned = random.standard_normal((trials, n, 1)) * random.standard_normal((trials, 1, m))
                x = x + self.turns * turned
            metrics.append(x)
        if self.categories:
            z = np.clip(np.round(z + (self.categories + 1) / 2), 1, self.categories)
        return metrics[0], metrics[1], z

    def _of_systems(self, random: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Draw with mean 0 and variance 1."""
        if self.tail == "heavy":
            return np.asarray(random.standard_t(5, size=shape) / math.sqrt(5 / 3))
        if self.tail == "skewed":
            return (random.standard_gamma(4, size=shape) - 4) / 2
        return random.standard_normal(shape)


GRID: Mapping[str, Textbook] = {
    "no system bias": Textbook(),
    "system bias 0.5": Textbook(own=(0.5, 0.5)),
    "system bias 1": Textbook(own=(1.0, 1.0)),
    "shared system bias 0.7": Textbook(shared=0.7),
    "system bias 0.5, shared 0.7": Textbook(own=(0.5, 0.5), shared=0.7),
    "noise 1 and 4": Textbook(own=(0.5, math.sqrt(0.1)), noise=(1.0, 4.0)),
    "8 systems": Textbook(systems=8, own=(0.5, 0.5)),
    "8 systems, noise 1 and 4": Textbook(systems=8, own=(0.5, math.sqrt(0.1)), noise=(1.0, 4.0)),
    "25 systems": Textbook(systems=25, own=(0.5, 0.5)),
    "10 inputs, noise 3": Textbook(inputs=10, own=(0.3, 0.3), noise=(3.0, 3.0)),
    "5 grades": Textbook(own=(0.5, 0.5), categories=5),
    "3 grades, 20 inputs": Textbook(inputs=20, own=(0.5, 0.5), categories=3),
    "difficulty 1, outputs 1": Textbook(own=(0.5, 0.5), difficulty=1.0, output=1.0),
    "skewed": Textbook(own=(0.5, 0.5), tail="skewed"),
    "heavy tails": Textbook(own=(0.5, 0.5), tail="heavy"),
    "turns with 12 inputs": Textbook(systems=25, inputs=12, turns=2.0),
    "system bias 0.3 and 0.9": Textbook(own=(0.3, 0.9)),
    "noise 1 and 4, shared bias 0.5": Textbook(shared=0.5, noise=(1.0, 4.0)),
    "noise 1 and 6, bias 0.3": Textbook(own=(0.3, 0.3), noise=(1.0, 6.0)),
    "8 systems, bias 0.3 and 0.9": Textbook(systems=8, own=(0.3, 0.9)),
    "25 systems, bias 0.5 and 0.9": Textbook(systems=25, own=(0.5, 0.9)),
}
"""Worlds by what they are like: some in which both metrics are equally good, and some in which the first is better."""

TEXTBOOK = {f"{'equal' if world.equal else 'differ'}: {like}": world for like, world in GRID.items()}
"""The same by the names that people choose them by."""


@dataclass(frozen=True)
class Components:
    """Covariances of two metrics and people, (3, 3) each, by what varies."""

    systems: FloatArray
    """Of the effects of systems."""
    inputs: FloatArray
    """Of the effects of inputs."""
    cells: FloatArray
    """Of what is left: system by input, and noise."""

    def of_means(self, inputs: int) -> FloatArray:
        """Return the covariances of means of systems over so many inputs, the same for all systems."""
        return self.systems + self.cells / inputs

    def own_bias(self) -> tuple[float, float]:
        """Return the SD of the system bias that each metric has alone, shared by neither people nor the other metric.

        It is in SDs of the part of the metric's system effects that human system effects explain; NaN if that is 0.
        """
        found = []
        for own, other in ((0, 1), (1, 0)):
            rest = [other, 2]
            inner = self.systems[np.ix_(rest, rest)]
            weights = np.linalg.pinv(inner) @ self.systems[rest, own]
            left = max(float(self.systems[own, own] - weights @ self.systems[rest, own]), 0.0)
            explained = float(self.systems[own, 2] ** 2 / self.systems[2, 2]) if self.systems[2, 2] > 0 else 0.0
            found.append(math.sqrt(left / explained) if explained > 0 else math.nan)
        return found[0], found[1]


def variance_components(values: FloatArray) -> Components:
    """Return :func:`moments`, moved to the nearest matrices that are covariances.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> variance_components(table[None]).systems.round(9).tolist()
    [[2.0]]
    """
    found = moments(values)
    if np.isnan(found.systems).any():
        return found
    return Components(*(_covariance(part) for part in (found.systems, found.inputs, found.cells)))


def moments(values: FloatArray) -> Components:
    """Estimate covariances of systems, inputs and cells by the method of moments; they need not be covariances.

    Parameters
    ----------
    values
        Scores (3, systems, inputs) or any other number of columns; cells in which one is missing are left out.

    Notes
    -----
    Henderson (1953), method I: sums of products of all cells, of means of systems, of means of inputs and of the whole
    have expectations that are linear in the components, with weights that only depend on which cells are there. With
    no cell missing this is the two-way analysis of variance.
    """
    known = ~np.isnan(values).any(axis=0)
    n = int(known.sum())
    of_system, of_input = known.sum(axis=1), known.sum(axis=0)
    if n < 4 or (of_system > 0).sum() < 2 or (of_input > 0).sum() < 2 or max(of_system.max(), of_input.max()) < 2:
        nothing = np.full((len(values), len(values)), np.nan)
        return Components(nothing, nothing, nothing)
    centre = np.array([v[known].mean() for v in values])
    cells = np.where(known, values - centre[:, None, None], 0.0)

    def products(sums: FloatArray, counts: IntArray) -> FloatArray:
        return np.asarray((sums / np.maximum(counts, 1)) @ sums.T)

    flat = cells.reshape(len(values), -1)
    observed = [
        flat @ flat.T,
        products(cells.sum(axis=2), of_system),
        products(cells.sum(axis=1), of_input),
        np.outer(flat.sum(axis=1), flat.sum(axis=1)) / n,
    ]
    rows, columns = int((of_system > 0).sum()), int((of_input > 0).sum())
    # Expectations of the four, as multiples of the squared mean and of the three components.
    weights = np.array(
        [
            [n, n, n, n],
            [n, n, rows, rows],
            [n, columns, n, columns],
            [n, (of_system.astype(float) ** 2).sum() / n, (of_input.astype(float) ** 2).sum() / n, 1],
        ]
    )
    solved = np.linalg.lstsq(weights, np.stack(observed).reshape(4, -1), rcond=None)[0].reshape(4, *observed[0].shape)
    return Components(*solved[1:])


def _covariance(matrix: FloatArray) -> FloatArray:
    """Return the nearest matrix with no negative eigenvalue."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A world with the variance components of real scores, and with the distribution of human grades."""

    components: Components
    """Covariances of the two metrics and people."""
    grades: FloatArray
    """All scores of people in ascending order: drawn scores get the same distribution, ties included."""
    shape: tuple[int, int]
    """Numbers of systems and inputs."""
    equal: bool = False
    """Whether the metrics were made equally good."""
    means: FloatArray = field(default_factory=lambda: np.zeros(3))
    """Mean scores of the two metrics and of people, which metrics are drawn around."""

    def made_equal(self) -> Fitted:
        """Return the same world with two metrics that are equally good at every level.

        Both metrics are put on the scale of their means of systems, and get the average of their covariances; what
        distinguishes them, such as a system bias, stays as large as it was.
        """
        scale = np.sqrt(np.diag(self.components.of_means(self.shape[1])))
        scale = np.where(scale > 0, scale, 1.0)
        turned = [1, 0, 2]

        def average(matrix: FloatArray) -> FloatArray:
            scaled = matrix / np.outer(scale, scale)
            return np.asarray((scaled + scaled[np.ix_(turned, turned)]) / 2)

        c, means = self.components, self.means / scale
        means[:2] = means[:2].mean()
        parts = Components(average(c.systems), average(c.inputs), average(c.cells))
        return replace(self, components=parts, means=means, equal=True)

    def draw(self, random: np.random.Generator, trials: int) -> Draws:
        """Return two metrics and people, each (trials, systems, inputs)."""
        n, m = self.shape
        c = self.components
        values = sum(
            np.einsum("ab,b...->a...", root(part), random.standard_normal((3, trials, *size)))
            for part, size in ((c.systems, (n, 1)), (c.inputs, (1, m)), (c.cells, (n, m)))
        )
        x, y = np.asarray(values)[:2] + self.means[:2, None, None, None]
        z = np.asarray(values)[2]
        spread = math.sqrt(c.systems[2, 2] + c.inputs[2, 2] + c.cells[2, 2])
        place = ndtr(z / spread) if spread > 0 else np.full(z.shape, 0.5)
        at = np.minimum((place * len(self.grades)).astype(np.int64), len(self.grades) - 1)
        return x, y, self.grades[at]


def fit(x: FloatArray, y: FloatArray, z: FloatArray) -> Fitted:
    """Fit a world to two metrics and people, systems × inputs, NaN for missing; all inputs that people judged count.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> quality = random.normal(size=(40, 1))
    >>> x, y, z = (quality + random.normal(size=(40, 60)) for _ in range(3))
    >>> fit(x, y, z).components.systems[0, 2].round(0)
    np.float64(1.0)
    """
    known = ~(np.isnan(x) | np.isnan(y) | np.isnan(z))
    shape = (int(known.any(axis=1).sum()), int(known.any(axis=0).sum()))
    means = np.array([v[known].mean() if known.any() else 0.0 for v in (x, y, z)])
    return Fitted(variance_components(np.stack([x, y, z])), np.sort(z[known]), shape, means=means)


@dataclass(frozen=True, eq=False)
class Observed:
    """The data themselves as a world: their inputs are resampled, with all scores.

    Labels stay labels, gaps stay gaps, and systems stay as they are.
    """

    metrics: FloatArray
    """Metrics, (metrics, systems, inputs), NaN for missing."""
    people: FloatArray
    """People, systems × inputs."""
    units: IntArray
    """The cluster 0, 1, … of each input; clusters are drawn whole."""
    shape: tuple[int, int]
    """Numbers of systems and of inputs that a data set has, the latter on average where clusters differ in size."""
    equal: bool = False
    """Whether both metrics were made equally good."""

    @classmethod
    def of(cls, metrics: FloatArray, people: FloatArray, clusters: IntArray | None = None) -> Observed:
        """Return the world of the inputs that people judged.

        Examples
        --------
        >>> world = Observed.of(np.array([[[1.0, 0, 1]], [[0.0, 0, 1]]]), np.array([[1.0, 0, np.nan]]))
        >>> world.shape, world.made_equal().metrics[:, 0].tolist()
        ((1, 2), [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        """
        kept = ~np.isnan(people).all(axis=0)
        units = np.arange(people.shape[1]) if clusters is None else clusters
        found = np.unique(units[kept], return_inverse=True)[1]
        return cls(metrics[..., kept], people[:, kept], found, (len(people), int(kept.sum())))

    def made_equal(self) -> Observed:
        """Return the world in which two metrics change places on half of the clusters, and so are equally good."""
        return replace(
            self,
            metrics=np.concatenate([self.metrics, self.metrics[::-1]], axis=2),
            people=np.tile(self.people, 2),
            units=np.concatenate([self.units, self.units + self.units.max() + 1]),
            equal=True,
        )

    @cached_property
    def _members(self) -> list[IntArray]:
        """The inputs of each cluster."""
        return np.split(np.argsort(self.units, kind="stable"), np.cumsum(np.bincount(self.units))[:-1])

    def weights(self, random: np.random.Generator, inputs: float, trials: int) -> FloatArray:
        """Return how often each input is in data sets of about so many inputs, (inputs, trials)."""
        n = int(self.units.max()) + 1
        drawn = max(round(inputs * n / len(self.units)), 1)
        return random.multinomial(drawn, np.full(n, 1 / n), trials).T[self.units].astype(np.float64)

    def draw(self, random: np.random.Generator) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return metrics, people and clusters of one data set; a cluster that is drawn twice counts as two."""
        n = len(self._members)
        chosen = [self._members[at] for at in random.integers(n, size=n // (2 if self.equal else 1))]
        columns = np.concatenate(chosen)
        clusters = np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])
        return self.metrics[:, :, columns], self.people[:, columns], clusters


def root(matrix: FloatArray) -> FloatArray:
    """Return a matrix whose product with its transpose is a covariance: it turns independent draws into such."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
