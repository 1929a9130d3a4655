"""Tests of one system against another, over the inputs that both have.

Three statistics of the same n pairs of scores: the pooled two-sample t, which forgets the pairing, the paired t, and
Wilcoxon's signed-rank sum W = Σ sgn(d)·R, with R the rank of |d|. Each is judged by theory or by resampled data in
which the two systems are equally good: scores swapped within pairs (``mc``), or pairs drawn with replacement and then
swapped (``hb``). See Rankel, Conroy, Slud and O'Leary (2011), "Ranking Human and Machine Summarization Systems", §2.

Pairs of systems are columns here and draws are columns of weights, so that a draw is a column of a matrix product. A
drawn data set is two whole numbers per input: how often it was drawn, and how many of these copies kept their order
less how many were turned round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.draws import INPUTS, SWAPS, Pages, page_size, stream, swaps

DRAWS_PER_PAGE = 256
"""Few enough that 2,000 draws keep several threads busy."""
CELLS = 1 << 20
"""Inputs × pairs of systems that are held at once."""
KEPT = 1 << 22
"""Pairs of systems × draws that are held at once."""
CACHED = 1 << 17
"""Inputs × draws that are gathered at once."""
DIGITS = 40
"""Binary digits of the larger score that count: differences that agree to them are tied, and smaller ones are 0."""
LARGEST_EXACT = 50
"""Up to so many inputs without ties or zeros, the signed-rank sum has its exact distribution."""
LARGEST_ENUMERATED = 13
"""Up to so many inputs it has its exact distribution over all changes of signs with ties and zeros, too."""
EQUAL = 1e-10
"""Statistics whose relative difference is smaller are equal: they are rounded differently, not different."""


def same_size(
    values: FloatArray, first: IntArray, second: IntArray, draws: int
) -> Iterator[tuple[IntArray, PairedScores]]:
    """Yield pairs of systems in blocks whose pairs have equally many inputs in common.

    Parameters
    ----------
    values
        Scores (systems, inputs), NaN where one is missing.
    first, second
        The systems of each pair.
    draws
        How many draws a block will see; with `values` it decides how large blocks are.

    Yields
    ------
    positions, scores
        Which pairs are in the block, and their scores; pairs with fewer than two common inputs never come.
    """
    known = ~np.isnan(values)
    width = max(1, min(CELLS // values.shape[1], KEPT // max(draws, 1)))
    for at in range(0, len(first), width):
        a, b = first[at : at + width], second[at : at + width]
        both = known[a] & known[b]
        sizes = both.sum(axis=1)
        for n in np.unique(sizes[sizes >= 2]):
            here = np.flatnonzero(sizes == n)
            mask = both[here]
            x, y = (np.ascontiguousarray(values[side[here]][mask].reshape(len(here), n).T) for side in (a, b))
            yield at + here, PairedScores(x, y)


class PairedScores:
    """Scores of pairs of systems on equally many inputs.

    Parameters
    ----------
    x, y
        Scores of the first and the second system, each (inputs, pairs), without missing ones.

    Notes
    -----
    A difference of decimal fractions carries rounding errors, which would break ties and make differences where there
    are none. Ranks are those of differences rounded to 2⁻⁴⁰ of the larger score, as SciPy's documentation of
    ``wilcoxon`` advises; differences, means and deviations that this rounds to 0 are 0 in all tests.
    """

    def __init__(self, x: FloatArray, y: FloatArray) -> None:
        self.n, self.pairs = x.shape
        self.x, self.y = x, y
        _, digits = np.frexp(np.maximum(np.abs(x).max(axis=0), np.abs(y).max(axis=0)))
        self._shift = DIGITS - digits
        d = x - y
        self._rounded = self._round(d)
        self.d = np.where(self._rounded == 0, 0.0, d)
        self.mean_difference: FloatArray = self._cleared(x.mean(axis=0) - y.mean(axis=0))

    def _round(self, values: FloatArray) -> FloatArray:
        """Return values as whole multiples of 2⁻⁴⁰ of the larger score."""
        return np.asarray(np.rint(np.ldexp(values, self._shift)))

    def _cleared(self, values: FloatArray) -> FloatArray:
        """Return values with 0 for those that are nothing but rounding errors."""
        return np.where(self._round(values) == 0, 0.0, values)

    @cached_property
    def ranks(self) -> SignedRanks:
        """Differences in the order of their size."""
        return SignedRanks(self._rounded)

    # -- observed -------------------------------------------------------------------------------

    def statistic(self, test: str) -> FloatArray:
        """Return T, T_p or W; NaN for 0/0, as T_p and W are where all differences are 0."""
        if test == "wilcoxon":
            return np.where(self.ranks.count > 0, self.ranks.doubled_sum / 2, np.nan)
        return _ratio(self.mean_difference, self._error(test))

    def effect(self, test: str) -> FloatArray:
        """Return a size of the difference that does not grow with n.

        Cohen's d with the pooled standard deviation (``unpaired-t``), Cohen's d_z with the standard deviation of the
        differences (``paired-t``), or the matched-pairs rank-biserial correlation, W over its largest possible value
        (``wilcoxon``).
        """
        if test == "wilcoxon":
            count = self.ranks.count
            return _ratio(self.ranks.doubled_sum, (count * (count + 1)).astype(np.float64))
        return _ratio(self.mean_difference, self._deviation(test))

    def interval(self, confidence: float) -> tuple[FloatArray, FloatArray]:
        """Return the paired-t interval of the mean difference."""
        half = float(stdtrit(self.n - 1, (1 + confidence) / 2)) * self._error("paired-t")
        return self.mean_difference - half, self.mean_difference + half

    def theory(self, test: str, alternative: str, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Return p-values and cut-offs of the statistic from its distribution.

        Student's t for the t statistics. For Wilcoxon the rule of SciPy's ``method="auto"`` with
        ``zero_method="wilcox"``: zeros are dropped; the exact distribution for up to 50 inputs without ties and zeros,
        and over all 2ⁿ changes of signs for up to 13 inputs with them; else the normal approximation with the
        correction for ties and without one for continuity.
        """
        if test == "wilcoxon":
            return self.ranks.theory(alternative, alpha)
        freedom = self.n - 1 if test == "paired-t" else 2 * self.n - 2
        t = self.statistic(test)
        if alternative == "two-sided":
            p = 2 * stdtr(freedom, -np.abs(t))
            cutoff = float(stdtrit(freedom, 1 - alpha / 2))
        else:
            p = stdtr(freedom, -t if alternative == "greater" else t)
            cutoff = float(stdtrit(freedom, 1 - alpha if alternative == "greater" else alpha))
        return np.asarray(p), np.full(self.pairs, cutoff)

    def _deviation(self, test: str) -> FloatArray:
        if test == "paired-t":
            return self._cleared(self.d.std(axis=0, ddof=1))
        return self._cleared(np.sqrt((self.x.var(axis=0, ddof=1) + self.y.var(axis=0, ddof=1)) / 2))

    def _error(self, test: str) -> FloatArray:
        return self._deviation(test) * math.sqrt((1 if test == "paired-t" else 2) / self.n)

    # -- drawn ----------------------------------------------------------------------------------

    @cached_property
    def _sums(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What the spread of drawn scores is made of: d², and of scores about their middle x + y and x² + y²."""
        middle = (self.x.mean(axis=0) + self.y.mean(axis=0)) / 2
        x, y = self.x - middle, self.y - middle
        return self.d**2, x + y, x**2 + y**2

    def drawn(self, draw: Draw, tests: Sequence[str]) -> dict[str, FloatArray]:
        """Return each statistic in each drawn data set, (pairs, draws); NaN where nothing drawn differs.

        With S the sum of the drawn differences, both t are S·√((n−1)/(n·V)). V is Σd² − S²/n if paired; unpaired it
        is Σ(x²+y²) − (P²+S²)/2n, with P the sum of all drawn scores.
        """
        found: dict[str, FloatArray] = {}
        if "wilcoxon" in tests:
            found["wilcoxon"] = self.ranks.drawn(draw)
        if {"paired-t", "unpaired-t"} & set(tests):
            squares, both, powers = self._sums
            total = self.d.T @ draw.net
            if "paired-t" in tests:
                found["paired-t"] = self._t(total, _weighted(squares, draw), total**2 / self.n)
            if "unpaired-t" in tests:
                lost = (_weighted(both, draw) ** 2 + total**2) / (2 * self.n)
                found["unpaired-t"] = self._t(total, _weighted(powers, draw), lost)
        return found

    def _t(self, total: FloatArray, raw: FloatArray, lost: FloatArray) -> FloatArray:
        spread = raw - lost
        # What is left of equal numbers after subtraction is noise.
        spread[spread <= 1e-13 * raw] = 0.0
        return _ratio(total * math.sqrt((self.n - 1) / self.n), np.sqrt(spread))


class SignedRanks:
    """Rounded differences (inputs, pairs), sorted by size once; ranks are doubled, so that they are whole numbers."""

    def __init__(self, d: FloatArray) -> None:
        self.n = len(d)
        self.order = np.argsort(np.abs(d), axis=0, kind="stable")
        d = np.take_along_axis(d, self.order, axis=0)
        self.signs = np.sign(d)
        size = np.abs(d)
        self.zeros: IntArray = (d == 0).sum(axis=0)
        self.count: IntArray = self.n - self.zeros
        new = np.ones(d.shape, dtype=bool)
        new[1:] = size[1:] != size[:-1]
        last = np.ones(d.shape, dtype=bool)
        last[:-1] = new[1:]
        place = np.arange(self.n)[:, None]
        self.starts = np.maximum.accumulate(np.where(new, place, 0), axis=0)
        self.ends = np.minimum.accumulate(np.where(last, place, self.n)[::-1], axis=0)[::-1]
        self.doubled = np.where(d == 0, 0, self.starts + self.ends + 2 - 2 * self.zeros)
        self.doubled_sum: FloatArray = (self.signs * self.doubled).sum(axis=0)
        # Over a tie of t, t − 1 added up t times is t² − t, and (t² − 1) is t³ − t.
        tie = np.where(d == 0, 1, self.ends - self.starts + 1)
        self.ties: IntArray = (tie**2 - 1).sum(axis=0)

    def theory(self, alternative: str, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Return p-values and cut-offs of W."""
        p, cutoff = self._normal(alternative, alpha)
        plain = (self.ties == 0) & (self.zeros == 0)
        if self.n <= LARGEST_ENUMERATED:
            exact = self.count > 0
        elif self.n <= LARGEST_EXACT:
            exact = plain
        else:
            return p, cutoff
        for at in np.flatnonzero(exact & ~plain):
            ranks = tuple(int(r) for r in self.doubled[self.zeros[at] :, at])
            p[at], cutoff[at] = (float(v[0]) for v in self._exact(ranks, np.array([at]), alternative, alpha))
        same = np.flatnonzero(exact & plain)
        if len(same):
            p[same], cutoff[same] = self._exact(tuple(range(2, 2 * self.n + 1, 2)), same, alternative, alpha)
        return p, cutoff

    def _normal(self, alternative: str, alpha: float) -> tuple[FloatArray, FloatArray]:
        n = self.count.astype(np.float64)
        # The variance of W is four times that of the sum of positive ranks.
        error = np.sqrt((n * (n + 1) * (2 * n + 1) - self.ties / 2) / 6)
        z = _ratio(self.doubled_sum / 2, error)
        if alternative == "two-sided":
            return 2 * ndtr(-np.abs(z)), error * float(ndtri(1 - alpha / 2))
        if alternative == "greater":
            return np.asarray(ndtr(-z)), error * float(ndtri(1 - alpha))
        return np.asarray(ndtr(z)), error * float(ndtri(alpha))

    def _exact(
        self, ranks: tuple[int, ...], at: IntArray, alternative: str, alpha: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return p-values and cut-offs of pairs that have these ranks."""
        upper, possible = positive_ranks(ranks)
        total = len(upper) - 1
        sums = ((self.doubled_sum[at] + total) / 2).astype(np.int64)
        if alternative == "two-sided":
            p = np.minimum(2 * np.minimum(upper[sums], upper[total - sums]), 1.0)
        else:
            p = upper[sums] if alternative == "greater" else upper[total - sums]
        rejected = possible & (upper <= (alpha / 2 if alternative == "two-sided" else alpha))
        cutoff = float(np.argmax(rejected) - total / 2) if rejected.any() else math.inf
        return p, np.full(len(at), -cutoff if alternative == "less" else cutoff)

    def drawn(self, draw: Draw) -> FloatArray:
        """Return W in each drawn data set, (pairs, draws)."""
        if draw.times is None:
            signed = np.zeros(self.order.shape)
            np.put_along_axis(signed, self.order, self.signs * self.doubled, axis=0)
            w = signed.T @ draw.net / 2
            w[self.count == 0] = np.nan
            return w
        out = np.empty((self.order.shape[1], draw.net.shape[1]))
        # Some draws at a time: what is gathered for a pair should stay in the processor's cache.
        width = max(16, CACHED // self.n)
        for at in range(0, out.shape[1], width):
            cut = slice(at, at + width)
            self._resampled(draw.times[:, cut].astype(np.float32), draw.net[:, cut].astype(np.float32), out[:, cut])
        return out

    def _resampled(self, times: npt.NDArray[np.float32], net: npt.NDArray[np.float32], out: FloatArray) -> None:
        """Fill in W for inputs drawn so many times, of which so many more kept their order than not."""
        # Whole numbers are exact in single precision below 2²⁴; W stays below n² + n/2, so long sums need more.
        total = np.float32 if self.n < 2000 else np.float64
        below = np.zeros((self.n + 1, times.shape[1]), dtype=np.float32)
        for pair in range(len(out)):
            start = self.zeros[pair]
            order = self.order[start:, pair]
            up_to = below[: len(order) + 1]
            np.cumsum(np.take(times, order, axis=0), axis=0, out=up_to[1:])
            if self.ties[pair]:
                ranks = up_to[self.starts[start:, pair] - start] + up_to[self.ends[start:, pair] + 1 - start]
            else:
                ranks = up_to[:-1] + up_to[1:]
            # Twice the middle rank: those below, those below or tied, and one.
            ranks += 1
            ranks *= np.take(net, order, axis=0)
            w = self.signs[start:, pair].astype(total) @ ranks / 2
            out[pair] = np.where(up_to[-1] > 0, w, np.nan)


@lru_cache(maxsize=256)
def positive_ranks(ranks: tuple[int, ...]) -> tuple[FloatArray, BoolArray]:
    """Return P(R ≥ r) and whether R = r is possible, for R the sum of the positive among ranks with random signs.

    Examples
    --------
    Ranks 1 and 2 have the sums 0, 1, 2 and 3, each in one of four ways.

    >>> positive_ranks((1, 2))[0].tolist()
    [1.0, 0.75, 0.5, 0.25]
    """
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    # Counts are whole numbers up to 2⁵⁰, so every sum is exact.
    return np.cumsum(ways[::-1])[::-1] / 2.0 ** len(ranks), ways > 0


@dataclass(frozen=True)
class Draw:
    """Data sets drawn under the null hypothesis, one per column."""

    net: FloatArray
    """Copies of each input that keep the order of the two scores less copies that are turned round, (n, draws)."""
    times: FloatArray | None
    """How often each input was drawn; None if each was drawn once."""


@dataclass(frozen=True)
class DrawPages(Pages):
    """Pages of drawn data sets."""

    cutoff: str
    """``mc`` or ``hb``."""
    n: int
    """How many inputs a pair of systems has in common."""
    seed: int
    """The seed."""

    @cached_property
    def size(self) -> int:
        """How many draws a page has."""
        return min(DRAWS_PER_PAGE, page_size(self.n))

    def turned(self, page: int) -> npt.NDArray[np.uint8]:
        """Return which drawn pairs of scores are swapped, (n, draws)."""
        return swaps(stream(self.seed, SWAPS, page), (self.n,), self.size)

    def taken(self, page: int) -> IntArray:
        """Return which inputs are drawn, (n, draws)."""
        return stream(self.seed, INPUTS, page).integers(0, self.n, size=(self.n, self.size))

    def __getitem__(self, page: int) -> Draw:
        turned = self.turned(page)
        if self.cutoff == "mc":
            return Draw(1 - 2 * turned.astype(np.float64), None)
        places = self.taken(page) + self.n * np.arange(self.size)
        cells = self.n * self.size
        times, changed = (
            np.bincount(where, minlength=cells).reshape(self.size, self.n).T.astype(np.float64)
            for where in (places.ravel(), places[turned == 1])
        )
        return Draw(times - 2 * changed, times)


def judge(
    observed: FloatArray, drawn: FloatArray, alternative: str, alpha: float
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Compare statistics (pairs,) with what they are in data drawn under the null hypothesis (pairs, draws).

    Returns
    -------
    p_value
        (c + 1)/(k + 1), with c of k draws at least as extreme (Phipson and Smyth 2010).
    cutoff
        The empirical (1 − α)-quantile of the drawn statistics, or of their absolute values: the smallest one that at
        least a share of 1 − α does not exceed.
    undefined
        Draws in which the statistic was undefined; they are left out.
    """
    extreme = np.sort(_turned(drawn, alternative), axis=1)
    seen = _turned(observed, alternative)
    # Undefined ones are sorted to the end, and are not at least anything.
    undefined: IntArray = np.isnan(extreme).sum(axis=1)
    defined = drawn.shape[1] - undefined
    edge = seen - EQUAL * np.maximum(np.where(np.isfinite(seen), np.abs(seen), 0.0), 0.01)
    count = (extreme >= edge[:, None]).sum(axis=1)
    wanted = np.ceil((1 - alpha) * defined - 1e-9).astype(np.int64)
    cutoff = np.take_along_axis(extreme, np.maximum(wanted - 1, 0)[:, None], axis=1)[:, 0]
    useless = np.isnan(seen) | (defined == 0)
    p = np.where(useless, np.nan, (count + 1) / (defined + 1))
    return p, np.where(useless, np.nan, -cutoff if alternative == "less" else cutoff), undefined


def _turned(values: FloatArray, alternative: str) -> FloatArray:
    """Return values so that large ones speak for the alternative."""
    if alternative == "two-sided":
        return np.abs(values)
    return -values if alternative == "less" else values


def _weighted(values: FloatArray, draw: Draw) -> FloatArray:
    """Return Σ of values over the drawn inputs, (pairs, draws) or (pairs, 1) if every input is drawn once."""
    return values.sum(axis=0)[:, None] if draw.times is None else values.T @ draw.times


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient: 0/0 is NaN, and anything else over 0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(numerator, denominator)
