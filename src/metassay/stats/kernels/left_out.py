"""Correlations without each of their points in turn, in closed form, and what a single point does to them.

With s_ik = sign(x_i − x_k), everything about ranks follows from a few numbers of each point: how many others it is
concordant with, how many it differs from, twice its centred midrank R_i = Σ_k s_ik, and Σ_k s_ik R_k.
Short groups add them up from tables of signs, long ones from a sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.kernels.weighted_ranks import TIE, kendall_from_counts, ratio
from metassay.stats.kernels.within_groups import TILE, standardized

SHORT = 256
"""Up to this many members signs of all pairs are kept: sums of up to 256³ ones are exact in single precision."""


def left_out(x: FloatArray, z: FloatArray, coefficient: str) -> tuple[FloatArray, FloatArray]:
    """Return the correlation in each group, (groups,), and without each member, (groups, members).

    Parameters
    ----------
    x, z
        Values (members, groups), NaN for missing; without a member that is missing, nothing changes.
    coefficient
        ``pearson``, ``spearman``, ``kendall``, ``kendall-a`` or ``kendall-c``.

    Examples
    --------
    >>> whole, without = left_out(np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [3.0], [2.0]]), "kendall-a")
    >>> whole.round(3).tolist(), without.tolist()
    ([0.333], [[-1.0, 1.0, 1.0]])
    """
    present = ~(np.isnan(x) | np.isnan(z))
    if coefficient == "pearson":
        return _products(standardized(x, present).T, standardized(z, present).T, present.T)
    members, groups = x.shape
    width = 1 if members > SHORT else max(1, TILE // (members * members))
    parts = []
    for at in range(0, groups, width):
        cut = slice(at, at + width)
        sums = RankSums.of(x[:, cut].T, z[:, cut].T, present[:, cut].T, spearman=coefficient == "spearman")
        parts.append(sums.spearman() if coefficient == "spearman" else sums.kendall(coefficient))
    whole, without = zip(*parts, strict=True)
    return np.concatenate(whole), np.concatenate(without)


def _products(x: FloatArray, z: FloatArray, present: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return Pearson's coefficients; values (groups, members) are centred and scaled, and 0 where missing."""
    n = present.sum(axis=1, keepdims=True)
    f = n / np.maximum(n - 1, 1)
    xx, zz, xz = ((a * b).sum(axis=1, keepdims=True) for a, b in ((x, x), (z, z), (x, z)))
    left = xx - f * x * x, zz - f * z * z
    varies = (left[0] > TIE * xx) & (left[1] > TIE * zz) & (n > 2)
    below = np.sqrt(np.where(varies, left[0] * left[1], 0.0))
    return ratio(xz[:, 0], np.sqrt(xx * zz)[:, 0]), ratio(xz - f * x * z, below)


@dataclass(frozen=True)
class RankSums:
    """What is known of each point, (groups, members); 0 for missing ones."""

    concordant: FloatArray
    """Concordant minus discordant others."""
    untied: tuple[FloatArray, FloatArray]
    """Others that differ in x, and in z."""
    present: FloatArray
    """1 where there is a point."""
    ranks: tuple[FloatArray, FloatArray] | None = None
    """R: twice the centred midranks of x and of z; for Spearman only."""
    sums: tuple[FloatArray, FloatArray, FloatArray, FloatArray] | None = None
    """Σ_k s_ik R_k: order of x with ranks of x, z with z, x with z, and z with x; for Spearman only."""

    @classmethod
    def of(cls, x: FloatArray, z: FloatArray, present: BoolArray, *, spearman: bool) -> RankSums:
        """Add up sums of groups of short or one group of long vectors, (groups, members)."""
        if x.shape[1] > SHORT:
            known = present[0]
            found = cls._sorted(x[0, known], z[0, known], spearman=spearman)

            def spread(values: FloatArray) -> FloatArray:
                out = np.zeros(present.shape)
                out[0, known] = values
                return out

            return cls(
                spread(found.concordant),
                (spread(found.untied[0]), spread(found.untied[1])),
                present.astype(np.float64),
                found.ranks and (spread(found.ranks[0]), spread(found.ranks[1])),
                found.sums and tuple(spread(each) for each in found.sums),  # type: ignore[arg-type]
            )
        both = present[:, :, None] & present[:, None, :]
        tables = []
        for values in (x, z):
            filled = np.where(present, values, 0.0)
            tables.append((np.sign(filled[:, :, None] - filled[:, None, :]) * both).astype(np.float32))
        sx, sz = tables
        counts = [table.sum(axis=2).astype(np.float64) for table in (sx * sz, np.abs(sx), np.abs(sz))]
        here = present.astype(np.float64)
        if not spearman:
            return cls(counts[0], (counts[1], counts[2]), here)
        rx, rz = sx.sum(axis=2), sz.sum(axis=2)
        added = [(s @ r[:, :, None])[:, :, 0].astype(np.float64) for s, r in ((sx, rx), (sz, rz), (sx, rz), (sz, rx))]
        ranks = rx.astype(np.float64), rz.astype(np.float64)
        return cls(counts[0], (counts[1], counts[2]), here, ranks, (added[0], added[1], added[2], added[3]))

    @classmethod
    def _sorted(cls, x: FloatArray, z: FloatArray, *, spearman: bool) -> RankSums:
        """Add up sums of one pair of vectors (members,) without missing values, by sorting."""
        ones = np.ones(len(x))
        untied = tuple(len(v) - _times(v).astype(np.float64) for v in (x, z))
        kept = concordance(x, z)
        if not spearman:
            return cls(kept, untied, ones)  # type: ignore[arg-type]
        rx, rz = signed_sums(x, ones), signed_sums(z, ones)
        sums = signed_sums(x, rx), signed_sums(z, rz), signed_sums(x, rz), signed_sums(z, rx)
        return cls(kept, untied, ones, (rx, rz), sums)  # type: ignore[arg-type]

    def kendall(self, coefficient: str) -> tuple[FloatArray, FloatArray]:
        """Return Kendall's coefficient in each group, and without each member."""
        p, (tx, tz), here = self.concordant, self.untied, self.present
        n = here.sum(axis=1, keepdims=True)
        whole = [v.sum(axis=1, keepdims=True) for v in (p, tx, tz)]
        distinct = without = None
        if coefficient == "kendall-c":
            # A point of a class of m equal ones counts 1/m; without a point that has no equal, its value is gone.
            values = [np.rint((here / np.maximum(n - t, 1)).sum(axis=1, keepdims=True)) for t in (tx, tz)]
            distinct = np.minimum(*values).astype(np.int64)
            gone = [v - here * (t >= n - 1) for v, t in zip(values, (tx, tz), strict=True)]
            without = np.minimum(*gone).astype(np.int64)
        r = kendall_from_counts(whole[0] / 2, whole[1] / 2, whole[2] / 2, n, distinct, coefficient)
        left = [w / 2 - v for w, v in zip(whole, (p, tx, tz), strict=True)]
        return r[:, 0], kendall_from_counts(left[0], left[1], left[2], n - here, without, coefficient)

    def spearman(self) -> tuple[FloatArray, FloatArray]:
        """Return Spearman's coefficient in each group, and without each member.

        Without i, twice the centred midrank of k is R_k − s_ki: products of these add up in closed form.
        """
        assert self.ranks is not None, "sums for Spearman were not asked for"
        assert self.sums is not None, "sums for Spearman were not asked for"
        (rx, rz), (x_x, z_z, x_z, z_x) = self.ranks, self.sums
        products = rx * rz, rx * rx, rz * rz
        whole = [a.sum(axis=1, keepdims=True) for a in products]
        added = z_x + x_z + self.concordant, 2 * x_x + self.untied[0], 2 * z_z + self.untied[1]
        left = [w - own + more for w, own, more in zip(whole, products, added, strict=True)]
        return ratio(whole[0], np.sqrt(whole[1] * whole[2]))[:, 0], ratio(left[0], np.sqrt(left[1] * left[2]))


def influence(x: FloatArray, z: FloatArray, coefficient: str) -> FloatArray:
    """Return what each point does to a correlation of n points, (n,): more of it changes it by ψ/n; they add up to 0.

    Pearson: ab − r(a² + b²)/2 with a, b standardised. Kendall: from concordances. Spearman: Pearson's form on ranks,
    and what a point does to the ranks of the points beyond it.

    Examples
    --------
    >>> influence(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), "pearson").round(9).tolist()
    [0.0, 0.0, 0.0]
    """
    n, ones = len(x), np.ones(len(x))
    if coefficient.startswith("kendall"):
        counts = [concordance(x, z), *(n - _times(v).astype(np.float64) for v in (x, z))]
        total = [float(v.sum()) for v in counts]
        if coefficient == "kendall":
            below = np.sqrt(total[1] * total[2])
            r = total[0] / below
            return np.asarray(2 * n * (counts[0] / below - r * (counts[1] / total[1] + counts[2] / total[2]) / 2))
        distinct = min(len(np.unique(v)) for v in (x, z))
        below = n * (n - 1) if coefficient == "kendall-a" else n * n * (distinct - 1) / distinct
        return np.asarray(2 * (n * counts[0] - total[0]) / below)
    a, b = (x, z) if coefficient == "pearson" else (signed_sums(v, ones) / 2 for v in (x, z))
    a, b = a - a.mean(), b - b.mean()
    sizes = float(a.std()), float(b.std())
    a, b = a / sizes[0], b / sizes[1]
    r = float((a * b).mean())
    found = a * b - r * (a * a + b * b) / 2
    if coefficient == "spearman":
        for values, slope in ((x, (b - r * a) / sizes[0]), (z, (a - r * b) / sizes[1])):
            # Points beyond it move up by 1, its equals by ½.
            found = found + (slope.sum() - signed_sums(values, slope)) / 2
    return np.asarray(found - found.mean())


def signed_sums(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Σ_k sign(v_i − v_k) w_k for each i.

    Examples
    --------
    >>> signed_sums(np.array([3.0, 1.0, 3.0]), np.array([1.0, 2.0, 4.0])).tolist()
    [2.0, -5.0, 2.0]
    """
    _, where = np.unique(values, return_inverse=True)
    of_value = np.bincount(where, weights)
    running = np.cumsum(of_value)
    return np.asarray((2 * running - of_value - running[-1])[where])


def _times(values: FloatArray | IntArray) -> IntArray:
    """Return how many values equal each of them, itself included."""
    _, where, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(times[where])


def concordance(x: FloatArray, z: FloatArray) -> FloatArray:
    """Return for each point how many others it is concordant with, less those it is discordant with.

    Points stand in the order of z, and those of equal z in that of x. Any two of them are in different halves of one
    block of 2, 4, 8, … points: going through blocks of all sizes compares each pair once, half against half, by x.

    Examples
    --------
    >>> concordance(np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 1.0, 3.0, 2.0])).tolist()
    [2.0, 1.0, 0.0, 1.0]
    """
    n = len(x)
    order = np.lexsort((x, z))
    _, rank = np.unique(x, return_inverse=True)
    _, group = np.unique(z, return_inverse=True)
    rank, group = (codes[order].astype(np.int64) for codes in (rank, group))
    place, out = np.arange(n), np.zeros(n)
    for bit in range(max(n - 1, 0).bit_length()):
        block, upper = (place >> (bit + 1)) * (n + 1), (place >> bit) & 1 == 1
        for mine, others, sign in ((upper, ~upper, 1.0), (~upper, upper, -1.0)):
            keys = np.sort(block[others] + rank[others])
            key, first = block[mine] + rank[mine], block[mine]
            less = np.searchsorted(keys, key, "left") - np.searchsorted(keys, first, "left")
            greater = np.searchsorted(keys, first + n, "right") - np.searchsorted(keys, key, "right")
            out[mine] += sign * (less - greater)
    # Pairs of equal z were counted as concordant unless x is equal, too.
    found = np.empty(n)
    found[order] = out - _times(group) + _times(group * (n + 1) + rank)
    return found
