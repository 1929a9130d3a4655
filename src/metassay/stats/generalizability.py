"""Where scores vary: variance components of systems, inputs, raters and their interactions, and what they imply.

A score is a sum of independent random effects, one for each set of facets: systems, inputs, raters, pairs of them, and
so on. Two scores that share the facets c, and no others, differ by the effects that c does not determine,

    E (y − y')²/2 = Σ over sets A of facets, A ⊄ c, of σ²_A.

So sums of squared differences over all pairs of scores that share at least c, one for each c, are linear equations for
the components (symmetric sums; Koch 1967, Technometrics 9). For complete data the solution is that of the analysis of
variance; missing cells and nested designs change only how many pairs there are. Components that no pair of scores
tells apart, such as rater and rater × input where each rater has an input of their own, are estimated as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtrit

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import quotient

GROUPS = 25
"""No facet is cut into more groups than this for intervals: one group at a time is left out."""
Facets = frozenset[str]


@dataclass(frozen=True, eq=False)
class Components:
    """Variance components of a design."""

    facets: tuple[str, ...]
    """Facets in the order of the axes; the first is what is measured, such as systems."""
    terms: tuple[tuple[Facets, ...], ...]
    """Sets of facets with a component of their own; several sets if the design cannot separate them."""
    variances: FloatArray
    """One component per term; may be negative by chance, and NaN if the design says nothing of it."""
    nested: str = ""
    """The facet whose levels occur in one cell of the others only, such as raters who are never the same person."""

    def of(self, *facets: str) -> float:
        """Return the component that a set of facets belongs to."""
        wanted = frozenset(facets)
        return next(float(v) for term, v in zip(self.terms, self.variances, strict=True) if wanted in term)

    def error(self, sizes: Mapping[str, float], *, level: str = "system", absolute: bool = False) -> float:
        """Return the error variance of a mean over so many inputs, raters, … each.

        Relative error is what changes the order of what is measured: interactions with it. Absolute error takes in
        what all of it shares. Components that cannot be told apart are divided by the sizes that they have in common,
        so error is rather too large than too small; NaN if one of them is no error. Negative components count as 0.
        """
        total = 0.0
        for at, over in _errors(self.facets, self.terms, self.nested, level, absolute):
            total += (
                max(float(self.variances[at]), 0.0) / math.prod(sizes[f] for f in over) if over is not None else np.nan
            )
        return total

    def signal(self, level: str = "system") -> float:
        """Return the variance of what is measured; terms that hold something else as well are left out."""
        of = zip(self.terms, self.variances, strict=True)
        return sum(max(float(v), 0.0) for term, v in of if all(_is_signal(self.facets, part, level) for part in term))

    def reliability(self, sizes: Mapping[str, float], *, level: str = "system", absolute: bool = False) -> float:
        """Return the generalizability coefficient Eρ² of such means, or the index of dependability Φ if `absolute`.

        At ``system`` level means of what is measured are compared; at ``input`` level single outputs of an input, of
        which the mean over raters is known, and at ``global`` level all outputs.

        Brennan (2001), "Generalizability Theory": σ²/(σ² + error).
        """
        signal = self.signal(level)
        below = signal + self.error(sizes, level=level, absolute=absolute)
        return signal / below if below > 0 else float("nan")

    def needed(self, target: float, facet: str, sizes: Mapping[str, float], *, level: str = "system") -> float:
        """Return how many levels of a facet a reliability takes; infinite if no number does.

        Error is a + b/n, and a must leave room.
        """
        one, two = (self.error({**sizes, facet: n}, level=level) for n in (1, 2))
        left = self.signal(level) * (1 - target) / target - (2 * two - one)
        if math.isnan(left):
            return math.nan
        return max(float(math.ceil(round(2 * (one - two) / left, 9))), 1.0) if left > 0 else math.inf


@cache
def _errors(
    facets: tuple[str, ...], terms: tuple[tuple[Facets, ...], ...], nested: str, level: str, absolute: bool
) -> list[tuple[int, Facets | None]]:
    """Return which terms are error, by position, and over which facets a mean divides each; None if that is unknown."""
    out = frozenset(facets[:1]) if level == "system" else frozenset(facets) - {"rater"}
    found: list[tuple[int, Facets | None]] = []
    for at, term in enumerate(terms):
        # Whether it changes the order of what is measured.
        moves = absolute or any(len(part) > 1 if level == "global" else facets[0] in part for part in term)
        if not moves or all(_is_signal(facets, part, level) for part in term):
            continue
        rated = ["rater" in part for part in term]
        if level == "system" or all(rated):
            whole = any(nested in part for part in term)
            found.append((at, (frozenset(facets) if whole else frozenset.intersection(*term)) - out))
        elif any(rated):
            found.append((at, None))
    return found


def _is_signal(facets: tuple[str, ...], part: Facets, level: str) -> bool:
    """Whether a set of facets is what is measured: systems; differences within inputs; or all outputs."""
    if level == "system":
        return part == frozenset(facets[:1])
    return "rater" not in part and (level == "global" or facets[0] in part)


def components(scores: FloatArray, facets: Sequence[str], nested: str = "") -> Components:
    """Estimate the variance components of a design with any number of facets.

    Parameters
    ----------
    scores
        One axis per facet, NaN for missing: systems × inputs, systems × inputs × raters, ….
    facets
        What the axes are called.
    nested
        A facet whose levels mean nothing across cells, such as raters of whom only the position is known.

    Examples
    --------
    >>> two = components(np.array([[1.0, 2.0, 4.0], [2.0, 5.0, 6.0]]), ("system", "input"))
    >>> [round(float(v), 3) for v in two.variances]  # (MS − MS of residuals) / n of the analysis of variance
    [1.833, 2.833, 0.5]
    """
    known = ~np.isnan(scores)
    centre = float(scores[known].mean()) if known.any() else 0.0
    size = float(np.abs(scores[known] - centre).max(initial=0.0)) or 1.0
    y = np.where(known, (scores - centre) / size, 0.0)
    axes = range(len(facets))
    sets = [frozenset(part) for n in range(len(facets) + 1) for part in combinations(axes, n)]
    pairs, apart = {}, {}
    for part in sets:
        rest = tuple(axis for axis in axes if axis not in part)
        n, total, square = (v.sum(axis=rest, dtype=np.float64) for v in (known, y, y * y))
        pairs[part] = float((n * (n - 1)).sum())
        apart[part] = float((n * square - total**2).sum())
        if any(facets[axis] == nested for axis in part):
            pairs[part] = apart[part] = 0.0
    classes, unknown = sets[:-1], sets[1:]
    # Ordered pairs that share at least c, but not all of A.
    counts = np.array([[pairs[c] - pairs[c | a] for a in unknown] for c in classes])
    terms = _told_apart(counts)
    design = np.stack([counts[:, term[0]] for term in terms], axis=1)
    scale = np.maximum(counts.max(axis=1), 1.0)
    design, sums = design / scale[:, None], np.array([apart[c] for c in classes]) / scale
    found, _, rank, _ = np.linalg.lstsq(design, sums, rcond=1e-10)
    if rank < len(terms):
        # What the equations leave open shows in the directions that they do not see.
        _, singular, rows = np.linalg.svd(design)
        size_of = np.concatenate([singular, np.zeros(len(rows) - len(singular))])
        unseen = rows[size_of <= 1e-10 * max(float(singular.max(initial=0.0)), 1e-300)]
        found = np.where((np.abs(unseen) > 1e-8).any(axis=0), np.nan, found)
    named = tuple(tuple(frozenset(facets[axis] for axis in unknown[at]) for at in term) for term in terms)
    return Components(tuple(facets), named, found * size**2, nested)


def _told_apart(counts: FloatArray) -> list[list[int]]:
    """Return which columns of the equations are the same: components that no pair of scores tells apart."""
    terms: list[list[int]] = []
    for at in range(counts.shape[1]):
        like = [term for term in terms if np.array_equal(counts[:, term[0]], counts[:, at])]
        if like:
            like[0].append(at)
        else:
            terms.append([at])
    return terms


@dataclass(frozen=True, eq=False)
class Ranged:
    """Figures of a design with intervals; arrays of one shape."""

    estimates: FloatArray
    """At all the data."""
    low: FloatArray
    """Lower ends."""
    high: FloatArray
    """Upper ends."""


class Jackknife:
    """The components of a design, at all the data and without one group of levels of one facet at a time.

    Parameters
    ----------
    scores, facets, nested
        As for :func:`components`.
    units
        By facet, such as ``input``, the unit of each level, such as its document; levels of a unit are left out
        together.

    Notes
    -----
    A facet is cut into up to :data:`GROUPS` groups. Levels of a nested facet are no sample of their own.
    """

    def __init__(
        self, scores: FloatArray, facets: Sequence[str], nested: str = "", units: Mapping[str, IntArray] | None = None
    ) -> None:
        self.whole = components(scores, facets, nested)
        self.left: list[tuple[int, list[Components]]] = []
        for axis, levels in enumerate(scores.shape):
            judged = np.flatnonzero((~np.isnan(scores)).any(axis=tuple(a for a in range(scores.ndim) if a != axis)))
            own = (units or {}).get(facets[axis], np.arange(levels))
            place = np.unique(own[judged], return_inverse=True)[1]
            size = int(place.max(initial=-1)) + 1
            count = min(size, GROUPS)
            if count < 3 or facets[axis] == nested:
                continue
            group = np.full(levels, -1)
            group[judged] = place * count // size
            parts = (np.compress(group != g, scores, axis=axis) for g in range(count))
            self.left.append((axis, [components(part, facets, nested) for part in parts]))

    def ranged(
        self,
        figures: Callable[[Components], FloatArray],
        confidence: float,
        *,
        ratios: bool = False,
        more: float = 1.0,
    ) -> Ranged:
        """Return figures of the components, with intervals for new systems, inputs and raters.

        Parameters
        ----------
        figures
            What is wanted of them, such as the components.
        confidence
            Such as 0.95.
        ratios
            Whether the figures are shares of variance such as reliabilities, whose intervals are symmetric in
            arcsin √r; NaN at 0.
        more
            Intervals as they would be with so many times as many systems, the first facet.

        Notes
        -----
        The variances that the facets show are added up, since all of them are samples (Owen 2007). Student's t has as
        many degrees of freedom as the variances are worth together (Satterthwaite). arcsin √r and not log(r/(1 − r)),
        which has no end at 1: there, one rater without whom the error vanishes would make the interval boundless.
        """

        def turned(values: FloatArray) -> FloatArray:
            return np.arcsin(np.sqrt(np.clip(values, 0.0, 1.0))) if ratios else values

        whole = np.asarray(figures(self.whole), dtype=np.float64)
        variance, worth = np.zeros_like(whole), np.zeros_like(whole)
        for axis, parts in self.left:
            count, factor = len(parts), 1.0 if axis else more
            left = np.stack([turned(np.asarray(figures(part), dtype=np.float64)) for part in parts])
            each = (count - 1) ** 2 / count * np.var(left, axis=0, ddof=1) / factor
            variance, worth = variance + each, worth + each**2 / (count * factor - 1)
        degrees = quotient(variance**2, worth)
        half = np.where(degrees > 0, stdtrit(np.where(degrees > 0, degrees, 1.0), (1 + confidence) / 2), np.nan)
        half = half * np.sqrt(variance)
        middle = turned(whole)
        low, high = middle - half, middle + half
        if ratios:
            # At 0 the scale ends, and a width of 0 would look like certainty.
            ends = (np.sin(np.clip(end, 0.0, np.pi / 2)) ** 2 for end in (low, high))
            low, high = (np.where(whole > 0, end, np.nan) for end in ends)
        return Ranged(whole, low, high)

    def reliabilities(
        self, designs: Sequence[Mapping[str, float]], confidence: float, *, level: str = "system", more: float = 1.0
    ) -> Ranged:
        """Return Eρ² and Φ of means over so many inputs and raters, (designs, 2), with intervals.

        More inputs or raters never make a mean less reliable, so a lower end for fewer is one for more, and an upper
        end for more is one for fewer.
        """
        every: Any = {facet: np.array([design[facet] for design in designs], dtype=np.float64) for facet in designs[0]}

        def figures(found: Components) -> FloatArray:
            signal = found.signal(level)
            errors = (found.error(every, level=level, absolute=absolute) for absolute in (False, True))
            below = np.stack([np.broadcast_to(signal + error, len(designs)) for error in errors], axis=-1)
            return quotient(np.full_like(below, signal), below)

        plain = self.ranged(figures, confidence, ratios=True, more=more)
        sizes = np.array([list(design.values()) for design in designs])
        fewer = np.all(sizes[None] <= sizes[:, None], axis=-1, keepdims=True)
        low = np.fmax.reduce(np.where(fewer, plain.low[None], np.nan), axis=1)
        high = np.fmin.reduce(np.where(fewer.swapaxes(0, 1), plain.high[None], np.nan), axis=1)
        unknown = np.isnan(plain.low)
        return Ranged(plain.estimates, *(np.where(unknown, np.nan, end) for end in (low, high)))
