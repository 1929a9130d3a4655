"""Worlds in which the truth is known, for docs/validity.md. Nothing here is imported from the package.

A score is the quality of the system (SD 1), a bias of the metric for the system, and noise of the cell; people see the
quality and noise. Every data set draws new systems and new inputs.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from math import asin, e, exp, pi, sqrt

import numpy as np
from scipy.optimize import minimize
from scipy.stats import kendalltau, norm, spearmanr


def standard(kind: str, random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw with mean 0 and variance 1."""
    if kind == "normal":
        return random.standard_normal(shape)
    if kind == "lognormal":
        return (np.exp(random.standard_normal(shape)) - exp(0.5)) / sqrt((e - 1) * e)
    if kind == "lognormal, mirrored":
        return -standard("lognormal", random, shape)
    if kind == "t3":
        return random.standard_t(3, shape) / sqrt(3)
    if kind == "contaminated":  # 8% with an SD of 5
        spread = np.where(random.random(shape) < 0.08, 5.0, 1.0)
        return random.standard_normal(shape) * spread / sqrt(0.92 + 0.08 * 25)
    if kind == "outliers":  # 8% are 5 SD worse
        bad = random.random(shape) < 0.08
        return (np.where(bad, -5.0, 0.0) + random.standard_normal(shape) + 0.4) / sqrt(1 + 25 * 0.08 * 0.92)
    raise KeyError(kind)


@dataclass(frozen=True)
class World:
    """What data sets are drawn from."""

    systems: int = 16
    inputs: int = 100
    bias: tuple[float, ...] = (0.5, 0.5)
    """SD of each metric's own system bias."""
    shared: float = 0.0
    """SD of a system bias that both metrics share."""
    noise: tuple[float, ...] = (1.0, 1.0)
    """SD of each metric's noise of cells."""
    human_noise: float = 1.0
    quality: str = "normal"
    """Distribution of the quality of systems."""
    biases: tuple[str, ...] = ("normal", "normal")
    """Distributions of the metrics' biases."""
    output: float = 0.0
    """SD of the quality of single outputs."""
    difficulty: float = 0.0
    """SD of the difficulty of inputs, which all scores share."""
    interaction: float = 0.0
    """SD of a bias for a system that changes with the input."""
    sensitivity: float = 0.0
    """SD of the logarithm of each metric's sensitivity to an input."""
    human_sensitivity: float = 0.0
    """The same for people."""
    unequal: float = 0.0
    """SD of the logarithm of systems' noise."""
    grades: int = 0
    """People give one of so many whole grades; 0 for any number."""

    def draw(self, random: np.random.Generator, trials: int) -> tuple[np.ndarray, ...]:
        """Return a metric for each bias, and people, each (trials, systems, inputs)."""
        of_systems, of_inputs = (trials, self.systems, 1), (trials, 1, self.inputs)
        cells = (trials, self.systems, self.inputs)

        def normal(sd: float, shape: tuple[int, ...]) -> np.ndarray | float:
            return sd * random.standard_normal(shape) if sd else 0.0

        quality = standard(self.quality, random, of_systems)
        shared, output, difficulty = (
            normal(self.shared, of_systems),
            normal(self.output, cells),
            normal(self.difficulty, of_inputs),
        )
        spread = np.exp(normal(self.unequal, of_systems))
        z = quality * np.exp(normal(self.human_sensitivity, of_inputs)) + output + difficulty
        z = z + self.human_noise * spread * random.standard_normal(cells)
        metrics = []
        for bias, kind, noise in zip(self.bias, self.biases, self.noise, strict=True):
            x = quality + bias * standard(kind, random, of_systems) + shared
            x = x * np.exp(normal(self.sensitivity, of_inputs)) + output + difficulty
            x = x + noise * spread * random.standard_normal(cells)
            if self.interaction:
                x = x + normal(self.interaction, of_systems) * random.standard_normal(of_inputs)
            metrics.append(x)
        if self.grades:
            z = np.clip(np.round(z + (self.grades + 1) / 2), 1, self.grades)
        return *metrics, z

    def truth(self, level: str, statistic: str, metric: int = 0) -> float:
        """Return the statistic in the population of systems with this many inputs: by formula, or from many systems."""
        r = self._pearson(level, metric)
        normal = self.quality == self.biases[0] == self.biases[1] == "normal"
        if r is not None and statistic == "pearson":
            return r
        if r is not None and normal:
            return {"kendall": 2 / pi * asin(r), "spearman": 6 / pi * asin(r / 2)}[statistic]
        random = np.random.default_rng(zlib.crc32(repr((self, level, statistic)).encode()))
        if level == "within-system":
            some = (replace(self, systems=100, inputs=2_000).draw(random, 1) for _ in range(20))
            pairs = (pair for drawn in some for pair in zip(drawn[metric][0], drawn[-1][0], strict=True))
            return float(np.mean([_statistic(x, z, statistic) for x, z in pairs]))
        many = replace(self, systems=min(4_000, max(1_000, 4_000_000 // self.inputs)))
        found = []
        for _ in range(max(40, 160_000 // many.systems)):
            drawn = many.draw(random, 1)
            x, z = drawn[metric][0], drawn[-1][0]
            if level == "system":
                found.append(_statistic(x.mean(axis=1), z.mean(axis=1), statistic))
            elif level == "input":
                found += [_statistic(x[:, j], z[:, j], statistic) for j in random.integers(0, self.inputs, 3)]
            else:
                some = random.integers(0, x.size, 6_000)
                found.append(_statistic(x.ravel()[some], z.ravel()[some], statistic))
        return float(np.mean(found))

    def _pearson(self, level: str, metric: int) -> float | None:
        """Return Pearson's correlation by formula where there is one."""
        if self.grades or self.interaction or self.sensitivity or self.human_sensitivity or self.unequal:
            return None
        m = self.inputs if level == "system" else 1
        within = level == "within-system"
        common = (not within) + self.output**2 / m + (self.difficulty**2 if within or level == "global" else 0.0)
        of_metric = common + (not within) * (self.bias[metric] ** 2 + self.shared**2) + self.noise[metric] ** 2 / m
        return common / sqrt(of_metric * (common + self.human_noise**2 / m))


def _statistic(x: np.ndarray, z: np.ndarray, name: str) -> float:
    if name == "pearson":
        return float(np.corrcoef(x, z)[0, 1])
    return float((kendalltau if name == "kendall" else spearmanr)(x, z)[0])


BOTH_LOGNORMAL, OPPOSITE = ("lognormal", "lognormal"), ("lognormal", "lognormal, mirrored")
LOUD = World(noise=(3, 3), human_noise=3)

EQUAL = {
    "no bias": World(bias=(0, 0)),
    "bias .5": World(),
    "bias 1": World(bias=(1, 1)),
    "bias .5, shared .7": World(shared=0.7),
    "5 systems": World(5),
    "8 systems × 50": World(8, 50),
    "8 systems × 50, bias 1": World(8, 50, (1, 1)),
    "30 systems, bias 1": World(30, bias=(1, 1)),
    "8 systems × 1,000": World(8, 1_000),
    "16 systems × 2,000": World(16, 2_000),
    "16 × 10, noise 3": replace(LOUD, inputs=10, bias=(0.3, 0.3)),
    "60 × 50, noise 3": replace(LOUD, systems=60, inputs=50),
    "100 × 10, noise 3": replace(LOUD, systems=100, inputs=10),
    "16 × 20, 3 grades": World(16, 20, grades=3),
    "60 × 20, 3 grades": World(60, 20, grades=3),
    "difficulty 1, outputs 1": World(difficulty=1, output=1),
    "outputs 3, noise 3": World(noise=(3, 3), output=3),
    "outputs 3, noise 3, 8% contaminated": World(noise=(3, 3), output=3, quality="contaminated"),
    "sensitivity .7": World(sensitivity=0.7),
    "sensitivity .7, humans too, 20 inputs": World(16, 20, sensitivity=0.7, human_sensitivity=0.7),
    "interaction 2, 25 × 12": World(25, 12, (0, 0), interaction=2),
    "interaction 2, 16 × 30": World(16, 30, interaction=2),
    "noise differs by system": World(16, 20, noise=(2, 2), human_noise=2, unequal=0.7),
    "8 systems × 50, lognormal bias": World(8, 50, biases=BOTH_LOGNORMAL),
    "lognormal bias": World(biases=BOTH_LOGNORMAL),
    "lognormal bias, 30 systems": World(30, biases=BOTH_LOGNORMAL),
    "all lognormal": World(quality="lognormal", biases=BOTH_LOGNORMAL),
    "all lognormal, 30 systems": World(30, quality="lognormal", biases=BOTH_LOGNORMAL),
    "opposite skew": World(biases=OPPOSITE),
    "opposite skew, 30 systems": World(30, biases=OPPOSITE),
    "opposite skew, 60 systems": World(60, biases=OPPOSITE),
    "8% contaminated": World(quality="contaminated", biases=("contaminated", "contaminated")),
    "8% contaminated bias, 30 systems": World(30, biases=("contaminated", "contaminated")),
    "t3": World(quality="t3", biases=("t3", "t3")),
    "t3, 30 systems": World(30, quality="t3", biases=("t3", "t3")),
    "8% outlier systems": World(quality="outliers"),
    "8% outlier systems, 30, bias 1": World(30, bias=(1, 1), quality="outliers"),
    "lognormal against normal bias, 30 systems": World(30, biases=("lognormal", "normal")),
}
"""Worlds in which both metrics are equally good (at input and global level only where their noise is equal)."""

NOISE_DIFFERS = {
    "noise 1 and 4": World(bias=(0.5, sqrt(0.1)), noise=(1, 4)),
    "8 systems, noise 1 and 4": World(8, bias=(0.5, sqrt(0.1)), noise=(1, 4)),
}
"""Equally good at system level only."""

DIFFER = {
    "bias .3 and .9": World(bias=(0.3, 0.9)),
    "noise 1 and 4, shared .5": World(bias=(0, 0), shared=0.5, noise=(1, 4)),
    "noise 1 and 6": World(bias=(0.3, 0.3), noise=(1, 6)),
    "8 systems, bias .3 and .9": World(8, bias=(0.3, 0.9)),
    "25 systems, bias .5 and .9": World(25, bias=(0.5, 0.9)),
    "60 systems, bias .5 and .7": World(60, bias=(0.5, 0.7)),
}
"""Worlds in which the first metric is better, with the sizes of the others."""

WITHIN = {
    "outputs 1": World(output=1),
    "5 systems": World(5, output=1),
    "8 systems × 50": World(8, 50, output=1),
    "16 × 10, noise 3": replace(LOUD, inputs=10, output=2),
    "60 × 20": World(60, 20, output=1),
    "16 × 20, 3 grades": World(16, 20, output=1, grades=3),
    "difficulty 1": World(output=1, difficulty=1),
    "sensitivity .7, humans too, 20 inputs": World(16, 20, output=1, sensitivity=0.7, human_sensitivity=0.7),
    "interaction 2, 16 × 30": World(16, 30, output=1, interaction=2),
    "noise differs by system": World(16, 20, output=2, noise=(2, 2), human_noise=2, unequal=0.7),
}
"""Worlds in which outputs of one system differ in quality, for correlations within systems, and metrics are equal."""


def several(world: World, *bias: float) -> World:
    """Return the world with a metric for each of these biases."""
    n = len(bias)
    return replace(world, bias=bias, noise=world.noise[:1] * n, biases=world.biases[:1] * n)


ALIKE = (0.5,) * 13
MANY = {
    "13 equal metrics": several(World(), *ALIKE),
    "13 equal metrics, shared .7": several(World(shared=0.7), *ALIKE),
    "13 equal metrics, 8 systems × 50": several(World(8, 50), *ALIKE),
    "13 equal metrics, 30 systems": several(World(30), *ALIKE),
    "13 equal metrics, 16 × 10, noise 3": several(replace(LOUD, inputs=10), *ALIKE),
    "13 equal metrics, lognormal bias": several(World(biases=BOTH_LOGNORMAL), *ALIKE),
    "13 equal metrics, 8% outlier systems": several(World(quality="outliers"), *ALIKE),
    "34 equal metrics": several(World(), *(0.5,) * 34),
    "5 good and 8 bad metrics": several(World(), *(0.3,) * 5, *(1.2,) * 8),
    "5 good and 8 bad metrics, 30 systems": several(World(30), *(0.3,) * 5, *(1.2,) * 8),
}
"""Worlds of many metrics; the smaller its bias, the better a metric is."""

BOUNDARY = {
    "no bias, noise 1 and 2": World(16, 30, (0, 0), noise=(1, 2)),
    "bias 0 and .7": World(16, 30, (0, 0.7)),
    "bias .3 and 1.2": World(16, 30, (0.3, 1.2)),
    "60 systems × 20, bias .3 and .9": World(60, 20, (0.3, 0.9)),
    "60 systems × 20, bias .3 and 1.2, shared .5": World(60, 20, (0.3, 1.2), 0.5),
    "8 systems, bias .3 and 2": World(8, 30, (0.3, 2)),
}
"""Worlds in which metrics differ, for tests of equivalence with just this difference as the margin."""


@dataclass(frozen=True)
class CriteriaWorld:
    """Two criteria that people judge in whole grades, and a metric that follows them; the second is held fixed."""

    systems: int = 16
    inputs: int = 100
    weights: tuple[float, float] = (1.0, 0.0)
    """What the metric makes of the criterion, and of the anchor."""
    shared: float = 0.6
    """The correlation of the two criteria, between systems and between outputs."""
    bias: float = 0.3
    """SD of the metric's bias for a system; its noise has an SD of 1."""
    quality: str = "normal"
    """Distribution of the quality of systems, of an SD of .6; outputs of one system have an SD of .8."""
    difficulty: float = 0.0
    """SD of the difficulty of inputs, which all scores share."""

    def draw(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the metric, the criterion and the anchor, each (systems, inputs)."""
        cells = (self.systems, self.inputs)
        difficulty = self.difficulty * random.standard_normal(self.inputs)

        def of(both: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
            return both[0], self.shared * both[0] + sqrt(1 - self.shared**2) * both[1]

        systems = of(tuple(0.6 * standard(self.quality, random, (self.systems, 1)) for _ in range(2)))
        outputs = of(tuple(0.8 * random.standard_normal(cells) for _ in range(2)))
        true = [a + b + difficulty for a, b in zip(systems, outputs, strict=True)]
        metric = sum(w * v for w, v in zip(self.weights, true, strict=True)) + random.standard_normal(cells)
        metric = metric + self.bias * random.standard_normal((self.systems, 1))
        criterion, anchor = (np.clip(np.round(3 + v + 0.5 * random.standard_normal(cells)), 1, 5) for v in true)
        return metric, criterion, anchor

    def truth(self, statistic: str) -> tuple[float, float, float]:
        """Return the correlation of all outputs as it is, within grades of the anchor, and of residuals from it."""
        many, random = replace(self, systems=2_000), np.random.default_rng(zlib.crc32(repr(self).encode()))
        found = []
        for _ in range(40):
            x, z, anchor = (each.ravel() for each in many.draw(random))
            some = random.choice(x.size, 6_000, replace=False)
            x, z, anchor = x[some], z[some], anchor[some]
            grades = [anchor == grade for grade in np.unique(anchor)]
            within = [(at.sum(), _statistic(x[at], z[at], statistic)) for at in grades if at.sum() > 10]
            design = np.stack([np.ones_like(anchor), anchor], axis=1)
            rest = [np.round(v - design @ np.linalg.lstsq(design, v, rcond=None)[0], 9) for v in (x, z)]
            held = sum(n * r for n, r in within) / sum(n for n, _ in within)
            found.append((_statistic(x, z, statistic), held, _statistic(*rest, statistic)))
        return tuple(np.mean(found, axis=0))


CRITERIA = {
    "follows the criterion": CriteriaWorld(),
    "follows the anchor": CriteriaWorld(weights=(0, 1)),
    "follows both": CriteriaWorld(weights=(0.5, 0.5)),
    "follows neither": CriteriaWorld(weights=(0, 0)),
    "criteria correlate at .9": CriteriaWorld(shared=0.9),
    "5 systems": CriteriaWorld(5),
    "8 systems × 50": CriteriaWorld(8, 50),
    "60 systems × 20": CriteriaWorld(60, 20),
    "bias 1": CriteriaWorld(bias=1),
    "difficulty 1": CriteriaWorld(difficulty=1),
    "lognormal quality": CriteriaWorld(quality="lognormal"),
    "8% outlier systems": CriteriaWorld(quality="outliers"),
}
"""Worlds of two criteria and a metric."""


@dataclass(frozen=True)
class LabelWorld:
    """What few labels and a judge everywhere are drawn from: the same inputs for all systems, some of them labelled."""

    systems: int = 4
    inputs: int = 1_000
    labelled: int = 100
    """Inputs with labels, a random choice."""
    judge_noise: float = 0.7
    """SD of the judge's errors; outputs of one system on one input have an SD of 1."""
    judge_bias: float = 0.3
    """SD of the judge's bias for a system, drawn once for the world."""
    difficulty: float = 0.7
    """SD of the difficulty of inputs, which people and judge share."""
    together: int = 1
    """So many inputs in a row share a document, and half of the variance of their difficulty."""
    useless: bool = False
    """Whether the judge knows nothing of the outputs."""
    cut: float | None = None
    """People and judge say yes above it; None for numbers."""
    grades: int = 0
    """People give one of so many grades; 0 for any number."""
    scattered: bool = False
    """Whether every system has labels on inputs of its own."""

    @property
    def quality(self) -> np.ndarray:
        """Quality of the systems."""
        return np.linspace(-0.4, 0.4, self.systems)

    def draw(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return people, NaN where there is no label, and the judge, each (systems, inputs)."""
        shape = (self.systems, self.inputs)
        difficulty = self.difficulty * random.standard_normal(self.inputs)
        if self.together > 1:
            shared = np.repeat(random.standard_normal(-(-self.inputs // self.together)), self.together)[: self.inputs]
            difficulty = sqrt(0.5) * (difficulty + self.difficulty * shared)
        z = self.quality[:, None] + difficulty + random.standard_normal(shape)
        bias = self.judge_bias * np.random.default_rng(5).standard_normal((self.systems, 1))
        f = (
            bias
            + self.judge_noise * random.standard_normal(shape)
            + (random.standard_normal(shape) if self.useless else z)
        )
        if self.cut is not None:
            z, f = (np.where(v > self.cut, 1.0, 0.0) for v in (z, f))
        if self.grades:
            z, f = (np.clip(np.round(v + (self.grades + 1) / 2), 1, self.grades) for v in (z, f))
        keys = random.random(shape if self.scattered else self.inputs // self.together)
        keys = keys if self.scattered else np.broadcast_to(np.repeat(keys, self.together), shape)
        ranks = np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1)
        return np.where(ranks < self.labelled, z, np.nan), f

    def truth(self) -> np.ndarray:
        """Return the mean of people for each system in the population."""
        sd = sqrt(1 + self.difficulty**2)
        if self.cut is not None:
            return norm.sf(self.cut, self.quality, sd)
        if not self.grades:
            return self.quality
        edges = np.arange(1, self.grades) + 0.5 - (self.grades + 1) / 2
        return 1 + norm.sf(edges[:, None], self.quality, sd).sum(axis=0)


LABELS = {
    "numbers": LabelWorld(),
    "numbers, 20 labels": LabelWorld(labelled=20),
    "numbers, 10 systems, judge bias 1": LabelWorld(10, judge_bias=1),
    "numbers, other labelled inputs for each system": LabelWorld(scattered=True),
    "numbers, 300 of 500 labelled": LabelWorld(inputs=500, labelled=300),
    "numbers, uninformative judge": LabelWorld(useless=True),
    "5 grades": LabelWorld(grades=5),
    "yes or no": LabelWorld(cut=0),
    "yes or no, 30 labels": LabelWorld(cut=0, labelled=30),
    "yes or no, a good judge": LabelWorld(cut=0, judge_noise=0.15, judge_bias=0.05),
    "yes or no, uninformative judge": LabelWorld(cut=0, useless=True, labelled=50),
    "yes or no, 10% no": LabelWorld(cut=-1.6, labelled=200),
    "yes or no, 10% no, 40 labels": LabelWorld(cut=-1.6, labelled=40),
    "numbers, documents of 5 inputs": LabelWorld(together=5, labelled=200),
    "yes or no, documents of 5 inputs": LabelWorld(together=5, labelled=200, cut=0),
}
"""Worlds of few labels and a judge everywhere."""


@dataclass(frozen=True)
class VoteWorld:
    """Votes on two systems at a time, of inputs or raters that each have preferences of their own."""

    systems: int = 8
    units: int = 100
    """Inputs, or raters."""
    votes: int = 8
    """Votes of each."""
    spread: float = 1.5
    """Strengths lie evenly between minus this and this, in log odds."""
    taste: float = 0.0
    """SD of what an input, or a rater, adds to the strength of each system."""
    ties: float = 0.0
    """Davidson's ν: P(tie) is proportional to 2ν, against exp(±gap/2)."""
    chain: bool = False
    """Whether only neighbours meet, in a ring."""
    by: str = "inputs"
    """What has preferences: ``inputs`` or ``raters``."""
    modelled: bool = False
    """Whether ties are modelled, not counted half."""

    @property
    def strengths(self) -> np.ndarray:
        """Strengths of systems, the best first."""
        return np.linspace(self.spread, -self.spread, self.systems)

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of systems that meet, equally often."""
        if self.chain:
            return np.arange(self.systems), (np.arange(self.systems) + 1) % self.systems
        return np.triu_indices(self.systems, 1)

    def _chances(self, gap: np.ndarray) -> np.ndarray:
        weights = np.stack([np.exp(gap / 2), np.full(gap.shape, 2 * self.ties), np.exp(-gap / 2)])
        return weights / weights.sum(axis=0)

    def draw(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the systems of each vote, what it says (0 the first, 1 a tie, 2 the second), and its unit."""
        first, second = self.pairs
        unit = np.repeat(np.arange(self.units), self.votes)
        pair = random.integers(0, len(first), len(unit))
        turned = random.random(len(unit)) < 0.5
        a, b = np.where(turned, second[pair], first[pair]), np.where(turned, first[pair], second[pair])
        own = self.strengths + self.taste * random.standard_normal((self.units, self.systems))
        chances = self._chances(own[unit, a] - own[unit, b])
        said = (random.random(len(unit)) > np.cumsum(chances, axis=0)[:2]).sum(axis=0)
        return a, b, said, unit

    def truth(self) -> np.ndarray:
        """Return the best-fitting strengths in the limit of many votes; preferences move them nearer to each other."""
        first, second = self.pairs
        nodes, weights = np.polynomial.hermite_e.hermegauss(41)
        gap = (self.strengths[first] - self.strengths[second])[:, None] + sqrt(2) * self.taste * nodes
        won, tied, lost = self._chances(gap) @ (weights / weights.sum())

        def loss(theta: np.ndarray) -> float:
            gaps = theta[first] - theta[second]
            if not self.modelled:
                return float(
                    ((won + tied / 2) * np.logaddexp(0, -gaps) + (lost + tied / 2) * np.logaddexp(0, gaps)).sum()
                )
            logits = np.stack([gaps / 2, np.full(len(gaps), np.log(2) + theta[-1]), -gaps / 2])
            return float(np.logaddexp.reduce(logits).sum() - (logits * [won, tied, lost]).sum())

        found = minimize(loss, np.append(self.strengths, 0.0), options={"gtol": 1e-7}).x[: self.systems]
        return np.asarray(found - found.mean())


VOTES = {
    "8 systems, 100 inputs of 8 votes": VoteWorld(),
    "25% ties, counted half": VoteWorld(ties=0.4),
    "25% ties, modelled": VoteWorld(ties=0.4, modelled=True),
    "input preferences (SD 1)": VoteWorld(taste=1),
    "input preferences, 30 votes each": VoteWorld(taste=1, votes=30, units=60),
    "30 raters with preferences, 30 votes each": VoteWorld(taste=1, votes=30, units=30, by="raters"),
    "10 raters with preferences, 60 votes each": VoteWorld(taste=1, votes=60, units=10, by="raters"),
    "20 systems, only neighbours meet": VoteWorld(20, 100, 8, chain=True),
    "20 systems, 100 inputs of 2 votes": VoteWorld(20, 100, 2),
    "5 systems, 40 inputs of 1 vote": VoteWorld(5, 40, 1),
    "8 systems, spread 5: some never lose": VoteWorld(spread=5, units=30),
    "8 equal systems": VoteWorld(spread=0),
}
"""Worlds of votes."""


@dataclass(frozen=True)
class RatingWorld:
    """Scores that are sums of independent random effects of systems, inputs, raters and their interactions."""

    systems: int = 12
    inputs: int = 50
    raters: int = 3
    """0 if outputs have one score each, of nobody in particular."""
    spread: dict[str, float] = field(default_factory=dict)
    """Standard deviations that differ from :data:`SPREAD`, by component: s, i and r, and what they make together."""
    quality: str = "normal"
    """Distribution of the effects of systems."""

    @property
    def parts(self) -> dict[str, float]:
        """Standard deviations by component; without raters their noise is that of the output."""
        known = {**SPREAD, **self.spread}
        return known if self.raters else {name: known[name] for name in ("s", "i", "si")}

    def draw(self, random: np.random.Generator) -> np.ndarray:
        """Return scores, (raters, systems, inputs), or (systems, inputs) without raters."""
        sizes = {"r": self.raters or 1, "s": self.systems, "i": self.inputs}
        y = np.zeros(tuple(sizes.values()))
        for name, spread in self.parts.items():
            shape = tuple(size if axis in name else 1 for axis, size in sizes.items())
            y = y + spread * standard(self.quality if name == "s" else "normal", random, shape)
        return y if self.raters else y[0]

    def truth(self) -> dict[str, float]:
        """Return the reliability of means of systems, in their order and as they are, and the components."""
        sizes = {"s": 1, "i": self.inputs, "r": self.raters or 1}
        error = {
            name: spread**2 / np.prod([sizes[axis] for axis in name])
            for name, spread in self.parts.items()
            if name != "s"
        }
        signal = self.parts["s"] ** 2
        order = sum(v for name, v in error.items() if "s" in name)
        ratios = {"order": signal / (signal + order), "absolute": signal / (signal + sum(error.values()))}
        return {**ratios, **{name: spread**2 for name, spread in self.parts.items()}}


SPREAD = {"s": 0.5, "i": 0.7, "r": 0.3, "si": 0.5, "sr": 0.2, "ir": 0.3, "sir": 1.0}
"""Standard deviations of the effects."""
RATINGS = {
    "12 systems × 50 inputs × 3 raters": RatingWorld(),
    "raters favour systems (SD .5)": RatingWorld(spread={"sr": 0.5}),
    "the same, 8 raters": RatingWorld(raters=8, spread={"sr": 0.5}),
    "20 × 100 × 5": RatingWorld(20, 100, 5),
    "12 × 50, no raters": RatingWorld(raters=0, spread={"s": 0.3, "si": 1}),
    "8 × 20, no raters": RatingWorld(8, 20, 0, {"s": 0.3, "si": 1}),
    "30 × 50, no raters": RatingWorld(30, 50, 0, {"s": 0.3, "si": 1}),
    "16 × 200, no raters": RatingWorld(16, 200, 0, {"s": 0.2, "si": 1}),
    "30 × 50, no raters, lognormal systems": RatingWorld(30, 50, 0, {"s": 0.3, "si": 1}, "lognormal"),
}
"""Worlds of ratings."""
