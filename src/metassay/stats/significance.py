"""p-values, corrections for many tests, and ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters

import numpy as np
from scipy.special import stdtr

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair

EQUAL = 1e-12
"""Differences of correlations that are closer than this are equal: they are rounded differently, not different."""


MOST_LETTERS = 52
"""With more letters than the alphabet has, they tell nothing that the ranks do not."""


def one_exchange(units: int) -> float:
    """Return how likely one of all ways to exchange so many units is."""
    return float(0.5 ** min(units, 1000))


def williams(r_xz: float, r_yz: float, r_xy: float, n: int, alternative: str) -> float:
    """Return the p-value of Williams' test that X correlates better with Z than Y does.

    t with n − 3 degrees of freedom; see Williams (1959) and Graham and Baldwin (2014).

    Examples
    --------
    >>> round(williams(0.5, 0.4, 0.3, 103, "two-sided"), 3)
    0.321
    """
    if n <= 3 or any(math.isnan(r) for r in (r_xz, r_yz, r_xy)):
        return math.nan
    if r_xy <= EQUAL - 1:
        # Y is X turned around: the statistic is 0/0.
        return math.nan
    k = 1 - r_xz**2 - r_yz**2 - r_xy**2 + 2 * r_xz * r_yz * r_xy
    below = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r_xz + r_yz) ** 2 / 4) * max(1 - r_xy, 0.0) ** 3
    difference = r_xz - r_yz
    if below <= 0:
        # X and Y are the same up to scale: there is no difference, or no doubt about it.
        t = math.copysign(math.inf, difference) if abs(difference) > EQUAL else 0.0
    else:
        t = difference * math.sqrt((n - 1) * (1 + r_xy) / below)
    greater, less = float(stdtr(n - 3, -t)), float(stdtr(n - 3, t))
    return {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}[alternative]


@dataclass(frozen=True)
class Counts:
    """How many draws speak against a difference of two correlations, one entry per pair of metrics."""

    greater: IntArray
    """Draws at least as extreme, if the alternative is that X is better."""
    less: IntArray
    """The same if the alternative is that Y is better."""
    two_sided: IntArray
    """The same if the alternative is any difference."""
    draws: IntArray
    """Draws in which both correlations were defined."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.greater + other.greater,
            self.less + other.less,
            self.two_sided + other.two_sided,
            self.draws + other.draws,
        )

    def p_values(self, alternative: str, rule: str) -> FloatArray:
        """Return (c + 1)/(k + 1), or c/k under the rule ``paper``; NaN where no draw was defined."""
        count = {"greater": self.greater, "less": self.less, "two-sided": self.two_sided}[alternative]
        k = self.draws.astype(np.float64)
        p = count / np.maximum(k, 1) if rule == "paper" else (count + 1) / (k + 1)
        return np.where(k > 0, p, np.nan)


def count_exchanged(observed: FloatArray, drawn: FloatArray, rule: str) -> Counts:
    """Compare differences after exchanges (pairs, B) with the observed ones (pairs,).

    As extreme as observed counts (Phipson and Smyth 2010), except under the rule ``paper``, which wants strictly more.
    """
    edge = EQUAL if rule == "paper" else -EQUAL
    seen = observed[:, None]
    return Counts(
        greater=(drawn - seen > edge).sum(axis=1),
        less=(seen - drawn > edge).sum(axis=1),
        two_sided=(np.abs(drawn) - np.abs(seen) > edge).sum(axis=1),
        draws=(~np.isnan(drawn)).sum(axis=1),
    )


def count_resampled(observed: FloatArray, drawn: FloatArray) -> Counts:
    """Compare differences in bootstrap samples (pairs, B) with 0, or for two sides with the observed ones."""
    seen = observed[:, None]
    return Counts(
        greater=(drawn <= EQUAL).sum(axis=1),
        less=(drawn >= -EQUAL).sum(axis=1),
        two_sided=(np.abs(drawn - seen) - np.abs(seen) > -EQUAL).sum(axis=1),
        draws=(~np.isnan(drawn)).sum(axis=1),
    )


def corrected(p: FloatArray, correction: str) -> FloatArray:
    """Return p-values adjusted for being one family; a hypothesis is rejected if its adjusted p is at most α.

    Parameters
    ----------
    p
        p-values of one family; NaN stays NaN and does not count.
    correction
        ``none``, ``bonferroni``, ``holm``, ``bh`` (Benjamini-Hochberg) or ``by`` (Benjamini-Yekutieli).

    Examples
    --------
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    out = np.array(p, dtype=np.float64)
    defined = ~np.isnan(out)
    m = int(defined.sum())
    if correction == "none" or m == 0:
        return out
    values = out[defined]
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    position = np.arange(1, m + 1)
    if correction == "bonferroni":
        adjusted = ranked * m
    elif correction == "holm":
        adjusted = np.maximum.accumulate(ranked * (m - position + 1))
    else:
        spread = (1 / position).sum() if correction == "by" else 1.0
        adjusted = np.minimum.accumulate((ranked * m * spread / position)[::-1])[::-1]
    back = np.empty(m)
    back[order] = np.minimum(adjusted, 1.0)
    out[defined] = back
    return out


def corrected_table(
    p: FloatArray, ordered: Sequence[Pair], correction: str, scope: str, alternative: str
) -> FloatArray:
    """Return p-values of ordered pairs adjusted by row or table; two-sided tests of (A, B) and (B, A) count once."""
    out = np.full(len(p), np.nan)
    if scope == "row":
        families = [[i for i, (a, _) in enumerate(ordered) if a == row] for row in sorted({a for a, _ in ordered})]
    elif alternative == "two-sided":
        families = [[i for i, (a, b) in enumerate(ordered) if a < b]]
    else:
        families = [list(range(len(ordered)))]
    for family in families:
        out[family] = corrected(p[family], correction)
    if scope == "table" and alternative == "two-sided":
        known = {pair: out[i] for i, pair in enumerate(ordered) if pair[0] < pair[1]}
        out = np.array([known[(min(a, b), max(a, b))] for a, b in ordered])
    return out


def corrected_pairs(p: FloatArray, correction: str = "holm") -> FloatArray:
    """Return p-values of all pairs of a table, (P, P) with (a, b) as (b, a), corrected as one family.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.01, 0.02], [0.01, np.nan, 0.5], [0.02, 0.5, np.nan]])
    >>> corrected_pairs(p).round(3).tolist()[0]
    [nan, 0.03, 0.04]
    """
    first, second = np.triu_indices(len(p), 1)
    out = np.full(p.shape, np.nan)
    out[first, second] = out[second, first] = corrected(p[first, second], correction)
    return out


def rank_sets(estimates: FloatArray, p: FloatArray, alpha: float) -> IntArray:
    """Return the best and the worst rank that each competitor may have, (P, 2); 0 for undefined ones.

    All of these sets contain the true ranks together with confidence 1 − α if the p-values control the familywise error
    of finding a difference of any pair, in its direction (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for
    ranks"). A competitor is sure to stand behind those that are significantly better, and before those that are worse.

    Parameters
    ----------
    estimates
        One number per competitor, larger is better.
    p
        Two-sided p-values (P, P), corrected for all pairs; NaN is no difference. See :func:`corrected_pairs`.
    alpha
        The significance level.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.2, 0.01], [0.2, np.nan, 0.3], [0.01, 0.3, np.nan]])
    >>> rank_sets(np.array([0.9, 0.8, 0.1]), p, 0.05).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    with np.errstate(invalid="ignore"):
        wins = (p <= alpha) & (estimates[:, None] > estimates)
    defined = ~np.isnan(estimates)
    sets = np.stack([1 + wins.sum(axis=0), defined.sum() - wins.sum(axis=1)], axis=1)
    return np.where(defined[:, None], sets, 0)


def ranks(good: FloatArray, equal: float = EQUAL) -> IntArray:
    """Return the rank of each competitor, 1 for the largest number; equal ones share the better rank, 0 for undefined.

    Examples
    --------
    >>> ranks(np.array([0.4, 0.9, 0.4 + 1e-15, np.nan, 0.1])).tolist()
    [2, 1, 2, 0, 4]
    """
    return np.where(np.isnan(good), 0, 1 + (good > good[:, None] + equal).sum(axis=1))


def letters(order: Sequence[int], different: BoolArray) -> list[str]:
    """Return letters for competitors, in the order in which they are to stand: no letter is shared by different ones.

    Two that are not significantly different share a letter (Piepho 2004, "An algorithm for a letter-based
    representation of all-pairwise comparisons": insert and absorb). All are empty if it takes more than `MOST_LETTERS`.

    Examples
    --------
    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> letters([0, 1, 2], apart)
    ['a', 'ab', 'b']
    """
    place = {one: at for at, one in enumerate(order)}
    sets: list[frozenset[int]] = [frozenset(order)] if len(order) else []
    for a in order:
        for b in order[place[a] + 1 :]:
            if different[a, b]:
                split = [part for one in sets for part in ((one - {a}, one - {b}) if {a, b} <= one else (one,))]
                sets = [one for one in dict.fromkeys(split) if one and not any(one < other for other in split)]
                if len(sets) > MOST_LETTERS:
                    return [""] * len(order)
    sets.sort(key=lambda one: sorted(place[each] for each in one))
    return ["".join(ascii_letters[at] for at, one in enumerate(sets) if each in one) for each in order]


def smallest_corrected(smallest: float, tests: int, correction: str) -> float:
    """Return the smallest corrected p-value of one of so many tests, each of which has at least p = `smallest`.

    Above α, no single test of the family can succeed by itself. With the corrections of Benjamini, Hochberg and
    Yekutieli it is that of a family in which all tests have the smallest p.

    Examples
    --------
    >>> smallest_corrected(1 / 32, 6, "holm"), smallest_corrected(1 / 32, 6, "bh")
    (0.1875, 0.03125)
    """
    p = np.full(max(tests, 1), smallest)
    if correction in ("bonferroni", "holm"):
        p[1:] = 1.0
    return float(np.nanmin(corrected(p, correction)))
