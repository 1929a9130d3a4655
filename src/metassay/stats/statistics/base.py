"""What a statistic of agreement is, and what follows from how it is evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, IntArray, Pair
from metassay.stats.kernels.evaluated import EvaluatedExchange, EvaluatedGroups, EvaluatedPoints, Points, evaluated
from metassay.stats.kernels.score_swaps import (
    Exchange,
    GroupedExchange,
    GroupExchange,
    ManySystemExchange,
    SystemExchange,
    standardize_cells,
    standardize_level,
    standardize_many,
    to_one_size,
)
from metassay.stats.kernels.weighted_ranks import Numbers
from metassay.stats.kernels.within_groups import Groups
from metassay.stats.levels import GroupedLevel, Level, ManySystemLevel, SystemLevel
from metassay.stats.statistics.names import BUILT_IN, LEVELS
from metassay.stats.statistics.scales import Scale

Weighted = Callable[[Numbers], FloatArray]
"""From weights (points, B) to statistics, (B,) or (several, B)."""


class Statistic:
    """How far a metric agrees with people: a number for paired scores, and all that studies need to know about it.

    A statistic of your own is a class with a `name` and :meth:`evaluate`, and one object of it handed to
    :func:`metassay.register`. Everything else has a default that is built on these two.

    Examples
    --------
    >>> class Cosine(Statistic):
    ...     name, title, invariant = "cosine", "cosine similarity", "scale"
    ...
    ...     def evaluate(self, x, z, w):
    ...         return (w * x * z).sum(0) / np.sqrt((w * x * x).sum(0) * (w * z * z).sum(0))
    >>> metric, people = np.array([[[1.0, 2.0], [2.0, 1.0]]]), np.array([[3.0, 1.0], [2.0, 2.0]])
    >>> Cosine().prepare(metric, people, "system").estimate()[0]
    array([1.])
    """

    name: str = ""
    """What it is called in options and rows: letters, digits and ``-``."""
    title: str = ""
    """Its name in prose; by default the same."""
    symbol: str = ""
    """Its symbol."""
    aliases: tuple[str, ...] = ()
    """Further names."""
    signature_name: str = ""
    """Its name in signatures; by default the same."""
    citation: str = ""
    """Where it was defined."""
    range: tuple[float, float] = (-1.0, 1.0)
    """The smallest and the largest value that it can have."""
    higher_is_better: bool = True
    """Whether larger values are better agreement."""
    levels: tuple[str, ...] = LEVELS
    """Levels at which it is defined."""
    scales: tuple[str, ...] = ("interval",)
    """Scales of scores on which it is defined."""
    is_correlation: bool = False
    """Whether it is a correlation coefficient, for which Fisher's, Williams' and other formulas were made."""
    is_share: bool = False
    """Whether it is a share of items, which people write in percent."""
    in_units: bool = False
    """Whether it is measured in the units of the scores."""
    symmetric: bool = True
    """Whether people and metrics play the same part in it."""
    ranked: bool = False
    """Whether only the order of scores counts, so that it comes in steps."""
    pairwise: bool = False
    """Whether it is a mean over pairs of points."""
    by_input: bool = False
    """Whether it compares systems input by input, so that metrics and people need single scores of the same inputs."""
    invariant: str = "none"
    """What changes no value of it: ``linear`` (adding to and multiplying all scores of a side), ``scale`` (multiplying
    them) or ``none``. Tests that exchange scores first put two metrics on one scale, as far as that changes nothing."""

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic of paired scores under weights, in every draw.

        Parameters
        ----------
        x, z
            Scores of a metric and of people, (n, B) or (n, 1), with the draws last and nothing missing.
        w
            How often each point counts, (n, B) or (n, 1); 0 for points that were not drawn.

        Returns
        -------
        FloatArray
            One value per draw, (B,); NaN where it is undefined.
        """
        raise NotImplementedError(f"the statistic {self.name} must define evaluate(x, z, w)")

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    # -- what it is in words ------------------------------------------------------------------------

    @property
    def sign(self) -> float:
        """1 if larger values are better agreement, −1 if smaller ones are."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def in_signatures(self) -> str:
        """Its name in signatures."""
        return self.signature_name or self.name

    @property
    def scale(self) -> Scale:
        """The scale on which its intervals are symmetric."""
        return Scale(*self.range)

    @property
    def smooth(self) -> Statistic:
        """The statistic on which the variance due to inputs is taken apart at system level: one without steps."""
        return self

    def fisher_constants(self, r: float) -> tuple[int, float] | None:
        """Return b and c of Fisher's interval tanh(atanh r ± z·c/√(n − b)); None if there is no such interval."""
        return None

    def of_normal(self, correlation: float) -> float:
        """Return its value in a normal population with this Pearson correlation; NaN if that is not known."""
        return math.nan

    def to_pearson(self, value: float) -> float:
        """Return the Pearson correlation of a normal population in which it has this value; NaN if not known."""
        return math.nan

    # -- how it is computed: generic kernels, which a statistic may replace by faster ones -----------

    def of_vectors(self, xs: Sequence[FloatArray], z: FloatArray, weights: Sequence[FloatArray | None]) -> FloatArray:
        """Return the statistic of each of `xs` and `z`, (n, B) or (n, 1) each, under weights, (len(xs), B)."""
        rows = [evaluated(self, x, z, w) for x, w in zip(xs, weights, strict=True)]
        return np.stack(np.broadcast_arrays(*rows))

    def groups(self, x: FloatArray, z: FloatArray) -> Groups:
        """Prepare values in groups, (members, groups) with NaN for missing."""
        return EvaluatedGroups(lambda a, b: EvaluatedPoints(self, a, b), x, z)

    def left_out(self, x: FloatArray, z: FloatArray, units: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the statistic in each group, (groups,), and without each member or unit of members, (groups, units).

        Parameters
        ----------
        x, z
            Values (members, groups), NaN for missing.
        units
            The unit that each member belongs to, 0, 1, …; by default each is one by itself.
        """
        kept = 1.0 - np.eye(len(x)) if units is None else (units[:, None] != np.arange(units.max() + 1)).astype(float)
        found = self.groups(x, z).correlate(np.concatenate([np.ones((len(x), 1)), kept], axis=1))
        return found[:, 0], found[:, 1:]

    def influence(self, x: FloatArray, z: FloatArray) -> tuple[float, FloatArray] | None:
        """Return the statistic, and what each of n points does, which moves it by ψ/n; None if that is not known."""
        return None

    def moved(
        self, x: FloatArray, z: FloatArray, units: IntArray, count: int
    ) -> tuple[float, FloatArray, FloatArray] | None:
        """Return the same, and the statistic without each unit 0, 1, … of the points, (count,)."""
        found = self.influence(x, z)
        kept = (units[:, None] != np.arange(count)).astype(np.float64)
        return None if found is None else (*found, self.points(x, z, len(x)).correlate(kept))

    def points(self, x: FloatArray, z: FloatArray, total: int) -> Points:
        """Prepare values of points without missing ones; weights of a draw add up to at most `total`."""
        return EvaluatedPoints(self, x, z)

    def within(self, x: FloatArray, zs: Sequence[FloatArray], groups: IntArray, total: int) -> Weighted:
        """Prepare points in groups 0, 1, …, of which one variable is compared with others; (others, groups, B)."""
        members = [np.flatnonzero(groups == g) for g in range(int(groups.max(initial=-1)) + 1)]
        parts = [[self.points(x[at], z[at], total) for at in members] for z in zs]

        def compared(weights: Numbers) -> FloatArray:
            chosen = [weights if len(at) == len(x) else weights[at] for at in members]
            pairs = [[part.correlate(w) for part, w in zip(row, chosen, strict=True)] for row in parts]
            return np.array(pairs).reshape(len(zs), len(members), weights.shape[1])

        return compared

    def together(self, x: FloatArray, zs: Sequence[FloatArray], total: int) -> Weighted:
        """Prepare all points, of which one variable is compared with others, best of few values; (others, B)."""
        within = self.within(x, zs, np.zeros(len(x), dtype=np.int64), total)
        return lambda weights: within(weights).reshape(len(zs), -1)

    def of_changing(self, x: FloatArray, z: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the statistic of scores that differ between draws (n, B) and fixed ones (n,), NaN for missing."""
        known = ~(np.isnan(x) | np.isnan(z)[:, None])
        kept = known.any(axis=1)
        w = np.where(known, weights, 0.0)[kept]
        return evaluated(self, np.where(known, x, 0.0)[kept], z[kept][:, None], w)

    def group_exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> GroupExchange:
        """Prepare metrics (P, members, groups) that miss the same cells to have their scores exchanged in pairs."""
        return EvaluatedExchange(self, x, z, pairs)

    def comparable(self, x: FloatArray, z: FloatArray, level: str, *, means: bool) -> FloatArray:
        """Return metrics (P, systems, inputs) on one footing, as far as the statistic allows, to exchange their scores.

        Parameters
        ----------
        x, z
            Metrics, and people.
        level
            The level.
        means
            Whether scores are put on one scale where the level compares them, such as over means of systems, rather
            than over all cells.
        """
        if self.invariant == "scale":
            return to_one_size(x, means=means and level == "system")
        if self.invariant != "linear":
            return x
        if z.ndim == 3:
            return standardize_many(x, means=means)
        return standardize_level(x, z, level) if means else np.stack([standardize_cells(v) for v in x])

    # -- levels and exchanges -----------------------------------------------------------------------

    def prepare(self, x: FloatArray, z: FloatArray, level: str, *, paired: bool = True) -> Level:
        """Prepare metrics (P, systems, inputs) and people for a level.

        At system level the inputs of `z` may be other inputs than those of `x`; then they are not `paired`, and their
        multiplicities stand below those of the inputs of `x`. And people may come in many data sets,
        (data sets, systems, inputs) with nothing missing; then `x` has the metrics of each data set in turn.
        """
        if level != "system":
            assert paired, "only means of systems can rest on different inputs"
            return GroupedLevel(x, z, level, self)
        return ManySystemLevel(x, z, self) if z.ndim == 3 else SystemLevel(x, z, self, paired=paired)

    def exchange(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair], level: str) -> Exchange:
        """Prepare metrics (P, systems, inputs) that miss the same cells to have their scores exchanged in pairs."""
        if level != "system":
            return GroupedExchange(x, z, pairs, level, self.group_exchange)
        return (ManySystemExchange if z.ndim == 3 else SystemExchange)(x, z, pairs, self)


class BuiltIn(Statistic):
    """A statistic that comes with the package, known by a name of :data:`names.BUILT_IN`."""

    def __init__(self, name: str, citation: str) -> None:
        known = BUILT_IN[name]
        self.name, self.title, self.symbol, self.aliases = name, known.title, known.symbol, known.aliases
        self.signature_name, self.citation, self.higher_is_better = known.signature, citation, known.higher_is_better
