"""Can a judge replace a person? The alternative-annotator test of Calderon, Reichart and Dror (2025).

Each person in turn is left out, and the judge and the person are both scored against the others, item by item. The
judge wins over a person if "worse by ε or more" can be rejected; it passes if it wins over at least half of the people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr

from metassay.stats import draws
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import mean
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.levels import means_of_known
from metassay.stats.methods.names import EPSILONS as EPSILONS
from metassay.stats.significance import corrected

FEW = 30
"""Items under which the paper takes Wilcoxon's test for the t-test, and the reference leaves a person out."""
MANY = 2_000
"""With more items than this, those that are alike are drawn by their number, which takes no longer for any number."""
PASS = 0.5
"""The winning rate at which a judge passes."""


@dataclass(frozen=True, eq=False)
class Replacement:
    """A judge against each person."""

    epsilon: float
    """ε, by which the judge may be worse than an annotator."""
    winning_rate: float
    """Share of people over whom the judge wins, ω; NaN without people who can be tested."""
    advantage: float
    """ρ, the probability that the judge is at least as good as an annotator, averaged over annotators."""
    people: IntArray
    """People who could be tested, by position."""
    advantages: FloatArray
    """ρ of each of them."""
    p: FloatArray
    """p-values that the judge is worse by ε or more, of each of them."""
    wins: FloatArray
    """1 for people over whom the judge wins, after Benjamini and Yekutieli's correction; else 0."""
    items: IntArray
    """Items on which each of them was compared with the judge."""

    @property
    def passed(self) -> bool:
        """Whether the judge wins over at least half of the people."""
        return self.winning_rate >= PASS


def comparisons(judge: FloatArray, people: FloatArray, score: str) -> FloatArray:
    """Return who is nearer to the other people, people × items: 1 the person, −1 the judge, 0 both, NaN not compared.

    Parameters
    ----------
    judge
        Codes of labels, or numbers, (items,), NaN where missing.
    people
        The same of each person, people × items. Items need two people.
    score
        ``accuracy``, the share of the others with the same label; or ``rmse``, the root mean squared distance to them.
    """
    known = ~np.isnan(people)
    others = known.sum(axis=0) - known
    filled = np.where(known, people, 0.0)
    own, theirs = np.empty((2, *people.shape))
    for j in range(len(people)):
        rest = np.delete(known, j, axis=0)
        values = np.delete(filled, j, axis=0)
        for out, candidate in ((own, filled[j]), (theirs, np.nan_to_num(judge))):
            # Sums over the others order candidates as means and roots do, and of whole numbers they are exact.
            apart = (values != candidate) if score == "accuracy" else (values - candidate) ** 2
            out[j] = np.where(rest, apart, 0.0).sum(axis=0)
    return np.where(known & (others >= 1) & ~np.isnan(judge), np.sign(theirs - own), np.nan)


def of_comparisons(
    apart: FloatArray, epsilon: float, *, q: float = 0.05, least: int = FEW, clusters: IntArray | None = None
) -> Replacement:
    """Test whether a judge can replace people.

    Parameters
    ----------
    apart
        The :func:`comparisons` of the judge with people, people × items; a curve over ε needs these once.
    epsilon
        What a person is worth beyond equal quality; :data:`EPSILONS` has the paper's.
    q
        The false discovery rate over people.
    least
        People with fewer items are left out.
    clusters
        Clusters of items, 0, 1, …, which the published test does not know; then t is that of clustered means.

    Notes
    -----
    Per person H0: mean(W^h − W^f) ≥ ε, where W^f and W^h say that the judge, or the person, is at least as near to the
    others; a one-sided t-test, or Wilcoxon's signed-rank test with fewer than 30 items.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> truth = random.integers(0, 2, 100)
    >>> people = np.where(random.random((3, 100)) < 0.8, truth, 1 - truth).astype(float)
    >>> found = of_comparisons(comparisons(truth.astype(float), people, "accuracy"), 0.2)
    >>> found.passed, found.winning_rate, round(found.advantage, 2)
    (True, 1.0, 0.97)
    """
    items = (~np.isnan(apart)).sum(axis=1)
    tested = np.flatnonzero(items >= max(least, 2))
    p = np.array([_p_value(apart[j], epsilon, clusters) for j in tested])
    advantages = means_of_known(np.where(np.isnan(apart), np.nan, apart <= 0))[tested]
    wins = (corrected(p, "by") <= q).astype(np.float64)
    rate, advantage = (float(v.mean()) if len(v) else math.nan for v in (wins, advantages))
    return Replacement(epsilon, rate, advantage, tested, advantages, p, wins, items[tested])


def curve(apart: FloatArray, epsilons: Sequence[float], **options: Any) -> list[Replacement]:  # noqa: ANN401
    """Return the test of :func:`comparisons` for several ε, with the options of :func:`of_comparisons`."""
    return [of_comparisons(apart, epsilon, **options) for epsilon in epsilons]


def chance_of_passing(
    apart: FloatArray,
    epsilon: float,
    *,
    worse: float = 0.0,
    q: float = 0.05,
    least: int = FEW,
    resamples: int = 1000,
    seed: int = 0,
) -> float:
    """Return how often a judge that is worse than people by `worse` passes with these people and items.

    Parameters
    ----------
    apart
        The :func:`comparisons` of a judge, people × items.
    epsilon, q, least
        As in the test.
    worse
        mean(W^h − W^f) over people of the judge that is simulated; 0 for one exactly as good as a person.
    resamples, seed
        How many data sets to draw, and from which seed.

    Notes
    -----
    Items are drawn with replacement, and on each the judge and the people change places with probability ½, or as far
    from it as gives `worse`; ties stay ties, and what the people have in common on an item stays.
    """
    tested = (~np.isnan(apart)).sum(axis=1) >= max(least, 2)
    if not tested.any():
        return math.nan
    known = ~np.isnan(apart[tested])
    values = np.where(known, apart[tested], 0.0)
    lean = np.sign(values.sum(axis=0))
    possible = float(means_of_known(np.where(known, values * lean, np.nan)).mean())
    tilt = min(max(worse / (2 * possible), -0.5), 0.5) if possible > 0 else 0.0
    sides, shares = np.where(lean < 0, -1.0, 1.0), None
    if values.shape[1] > MANY:  # items that are alike are drawn by their number
        first, count = np.unique(_patterns(known, values), return_index=True, return_counts=True)[1:]
        if 4 * len(first) <= values.shape[1]:
            known, values, lean, sides = known[:, first], values[:, first], lean[first], sides[first]
            shares = count / count.sum()
    passed, total_items = 0, apart.shape[1]
    size = draws.page_size(2 * values.shape[1])
    for page in range(-(-resamples // size)):
        random = draws.stream(seed, draws.TRIALS, page)
        if shares is None:
            times = draws.multiplicities(random, total_items, size)
        else:
            times = random.multinomial(total_items, shares, size).T.astype(np.float64)
        # How often the judge loses among the draws of one item.
        loses = random.binomial(times.astype(np.int64), 0.5 + np.where(lean == 0, 0.0, tilt)[:, None])
        sign = sides[:, None] * (2 * loses - times)
        kept = min(size, resamples - page * size)
        n, total, squares = known @ times[:, :kept], values @ sign[:, :kept], values**2 @ times[:, :kept]
        middle = quotient(total, n)
        error = np.sqrt(np.maximum(squares - n * middle**2, 0.0) / np.maximum(n * (n - 1), 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            p = stdtr(np.maximum(n - 1, 1), (middle - epsilon) / error)
        passed += int((_rejected(p, q) >= PASS * len(p)).sum())
    return passed / resamples


def _rejected(p: FloatArray, q: float) -> IntArray:
    """Return how many of the p-values in each column (P, B) are rejected at false discovery rate q, dependent or not.

    Benjamini and Yekutieli's step-up procedure, as :func:`metassay.stats.significance.corrected` has it.
    """
    known = (~np.isnan(p)).sum(axis=0)
    place = np.arange(1, len(p) + 1)
    spread = np.append(0.0, np.cumsum(1 / place))[known]
    small = np.sort(p, axis=0) * known * spread <= q * place[:, None] * (1 + 1e-12)
    return np.asarray(np.where(small, place[:, None], 0).max(axis=0, initial=0))


def _patterns(known: FloatArray, values: FloatArray) -> IntArray:
    """Return a number per item, equal for items on which all people fare alike."""
    found = np.zeros(values.shape[1], dtype=np.int64)
    for here, row in zip(known, values, strict=True):
        found = np.unique(4 * found + np.where(here, row + 1, 3).astype(np.int64), return_inverse=True)[1]
    return found


def _p_value(apart: FloatArray, epsilon: float, clusters: IntArray | None) -> float:
    """Return the p-value that the mean of the comparisons of one person is ε or more."""
    known = ~np.isnan(apart)
    values = apart[known]
    if clusters is None and len(values) < FEW:
        from scipy.stats import wilcoxon  # a slow import that few need

        return float(wilcoxon(values - epsilon, alternative="less").pvalue)
    found = mean(values, [] if clusters is None else [clusters[known]])
    if found.error > 0:
        return float(stdtr(found.df, (found.value - epsilon) / found.error))
    # All alike: there is no doubt, unless one cluster is all there is, or nothing lies between.
    return math.nan if math.isnan(found.error) or found.value == epsilon else float(found.value > epsilon)
