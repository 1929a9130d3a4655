"""Correlations without each of their points in turn, in closed form, and what a single point does to them.

With s_ik = sign(x_i − x_k), everything about ranks follows from a few numbers of each point: how many others it is
concordant with, how many it differs from, twice its centred midrank R_i = Σ_k s_ik, and Σ_k s_ik R_k.
Short groups add them up from tables of signs, long ones from a sorted order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair
from metassay.stats.kernels.weighted_ranks import TIE, kendall_from_counts, ratio
from metassay.stats.kernels.within_groups import TILE, standardized

SHORT = 256
"""Up to this many members signs of all pairs are kept: sums of up to 256³ ones are exact in single precision."""
TABLES = 1 << 22
"""Up to so many signs of pairs within blocks are kept."""
TABLE = 1 << 19
"""Up to so many pairs of distinct values of long groups, concordances come from their table."""


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
    spearman, parts = coefficient == "spearman", []
    for at in range(0, groups, width):
        here, (a, b) = present[:, at : at + width].T, (v[:, at : at + width].T for v in (x, z))
        if members > SHORT:
            sums = np.zeros((9 if spearman else 3, *here.shape))
            sums[:, here] = _from_order(a[here], b[here], spearman=spearman)
        else:
            sums = _from_signs(a, b, here, spearman=spearman)
        parts.append(_spearman(sums) if spearman else _kendall(sums, here, coefficient))
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


def _from_signs(x: FloatArray, z: FloatArray, present: BoolArray, *, spearman: bool) -> FloatArray:
    """Return sums for each point of short groups (groups, members) from tables of signs; 0 for missing points.

    Three sums, (3, groups, members): concordant minus discordant others, others that differ in x, and in z. For
    Spearman six more: R of x and of z, and Σ_k s_ik R_k of x with x, z with z, x with z, and z with x.
    """
    both = present[:, :, None] & present[:, None, :]
    filled = [np.where(present, values, 0.0) for values in (x, z)]
    sx, sz = ((np.sign(v[:, :, None] - v[:, None, :]) * both).astype(np.float32) for v in filled)
    sums = [table.sum(axis=2) for table in (sx * sz, np.abs(sx), np.abs(sz))]
    if spearman:
        rx, rz = sx.sum(axis=2), sz.sum(axis=2)
        pairs = (sx, rx), (sz, rz), (sx, rz), (sz, rx)
        sums += [rx, rz, *((signs @ ranks[:, :, None])[:, :, 0] for signs, ranks in pairs)]
    return np.stack(sums).astype(np.float64)


def _from_order(x: FloatArray, z: FloatArray, *, spearman: bool) -> FloatArray:
    """Return the same for one long group (members,) without missing points, by sorting."""
    sums = [concordance(x, z), *(len(v) - _times(v).astype(np.float64) for v in (x, z))]
    if spearman:
        rx, rz = (signed_sums(v, np.ones(len(v))) for v in (x, z))
        sums += [rx, rz, *(signed_sums(v, ranks) for v, ranks in ((x, rx), (z, rz), (x, rz), (z, rx)))]
    return np.stack(sums)


def _kendall(sums: FloatArray, present: BoolArray, coefficient: str) -> tuple[FloatArray, FloatArray]:
    """Return Kendall's coefficient in each group, and without each member."""
    here = present.astype(np.float64)
    n = here.sum(axis=1, keepdims=True)
    whole = sums.sum(axis=2, keepdims=True)
    distinct = without = None
    if coefficient == "kendall-c":
        # A point of a class of m equal ones counts 1/m; without a point that has no equal, its value is gone.
        values = np.rint((here / np.maximum(n - sums[1:], 1)).sum(axis=2, keepdims=True))
        distinct = values.min(axis=0).astype(np.int64)
        without = (values - here * (sums[1:] >= n - 1)).min(axis=0).astype(np.int64)
    (p, tx, tz), (q, ux, uz) = whole / 2, whole / 2 - sums
    r = kendall_from_counts(p, tx, tz, n, distinct, coefficient)
    return r[:, 0], kendall_from_counts(q, ux, uz, n - here, without, coefficient)


def _spearman(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Spearman's coefficient in each group, and without each member.

    Without i, twice the centred midrank of k is R_k − s_ki: products of these add up in closed form.
    """
    concordant, untied_x, untied_z, rx, rz, x_x, z_z, x_z, z_x = sums
    own = np.stack([rx * rz, rx * rx, rz * rz])
    whole = own.sum(axis=2, keepdims=True)
    left = whole - own + np.stack([x_z + z_x + concordant, 2 * x_x + untied_x, 2 * z_z + untied_z])
    return ratio(whole[0], np.sqrt(whole[1] * whole[2]))[:, 0], ratio(left[0], np.sqrt(left[1] * left[2]))


def influence(x: FloatArray, z: FloatArray, coefficient: str) -> tuple[float, FloatArray]:
    """Return a correlation of n points, and what each does to it, (n,): more of it changes it by ψ/n; they add up to 0.

    Pearson: ab − r(a² + b²)/2 with a, b standardised. Kendall: from concordances. Spearman: Pearson's form on ranks,
    and what a point does to the ranks of the points beyond it.

    Examples
    --------
    >>> influence(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), "kendall-a")[1].round(3).tolist()
    [1.333, -0.667, -0.667]
    """
    n, ones = len(x), np.ones(len(x))
    if n < 2 or (x == x[0]).all() or (z == z[0]).all():
        return np.nan, np.full(n, np.nan)
    if coefficient.startswith("kendall"):
        return _kendall_influence(_Signs.of(x, z), coefficient)
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
    return r, np.asarray(found - found.mean())


class _Signs(NamedTuple):
    """Two variables of n points as codes 0, 1, …, and the concordance of each point with all."""

    codes: tuple[IntArray, IntArray]
    times: tuple[IntArray, IntArray]
    """How often each code occurs."""
    concordant: FloatArray

    @classmethod
    def of(cls, x: FloatArray, z: FloatArray) -> _Signs:
        (_, i, of_x), (_, j, of_z) = (np.unique(v, return_inverse=True, return_counts=True) for v in (x, z))
        return cls((i, j), (of_x, of_z), _concordance(i, j, (len(of_x), len(of_z))))


def _kendall_influence(signs: _Signs, coefficient: str) -> tuple[float, FloatArray]:
    n, c = len(signs.concordant), signs.concordant
    total = float(c.sum())
    if coefficient == "kendall":
        untied = [float(n) - times[codes] for codes, times in zip(signs.codes, signs.times, strict=True)]
        of_x, of_z = (float(v.sum()) for v in untied)
        below = np.sqrt(of_x * of_z)
        r = total / below
        return r, np.asarray(2 * n * (c / below - r * (untied[0] / of_x + untied[1] / of_z) / 2))
    distinct = min(len(times) for times in signs.times)
    below = n * (n - 1) if coefficient == "kendall-a" else n * n * (distinct - 1) / distinct
    return total / below, np.asarray(2 * (n * c - total) / below)


def moved(
    x: FloatArray, z: FloatArray, blocks: IntArray, count: int, coefficient: str
) -> tuple[float, FloatArray, FloatArray]:
    """Return a correlation of points, what each does to it as in `influence`, and it without each block of them."""
    if not coefficient.startswith("kendall") or len(x) < 2 or (x == x[0]).all() or (z == z[0]).all():
        return *influence(x, z, coefficient), without_blocks(x, z, blocks, count, coefficient)
    signs = _Signs.of(x, z)
    return *_kendall_influence(signs, coefficient), _kendall_without(signs, blocks, count, coefficient)


def without_blocks(x: FloatArray, z: FloatArray, blocks: IntArray, count: int, coefficient: str) -> FloatArray:
    """Return the correlation of points without each block 0, 1, … of them, (count,), in closed form.

    Examples
    --------
    >>> x, z = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    >>> without_blocks(x, z, np.array([0, 0, 1, 1]), 2, "kendall").tolist()
    [1.0, 1.0]
    """
    if not len(x):
        return np.full(count, np.nan)
    sizes = np.bincount(blocks, minlength=count)
    n = (len(x) - sizes).astype(np.float64)

    def added(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(blocks, values, count))

    if coefficient == "pearson":
        x, z = (standardized(v[:, None], np.ones((len(v), 1), dtype=bool))[:, 0] for v in (x, z))
        a, b, aa, bb, ab = (v.sum() - added(v) for v in (x, z, x * x, z * z, x * z))
        left = np.maximum(n, 1)
        xx, zz = (np.where(square > TIE * len(x), square, 0.0) for square in (aa - a * a / left, bb - b * b / left))
        return ratio(ab - a * b / left, np.sqrt(xx * zz))
    if coefficient == "spearman":
        codes = [np.unique(v, return_inverse=True)[1] for v in (x, z)]
        return np.array([spearman_of(*(c[blocks != block] for c in codes)) for block in range(count)])
    return _kendall_without(_Signs.of(x, z), blocks, count, coefficient)


def _kendall_without(signs: _Signs, blocks: IntArray, count: int, coefficient: str) -> FloatArray:
    sizes = np.bincount(blocks, minlength=count)
    n = (len(blocks) - sizes).astype(np.float64)
    (tx, in_x), (tz, in_z) = (_left(*each, blocks, n) for each in zip(signs.codes, signs.times, strict=True))
    own = np.bincount(blocks, signs.concordant, count)
    concordant = signs.concordant.sum() - 2 * own + _concordance_within(signs.codes, blocks, sizes)
    return kendall_from_counts(concordant / 2, tx / 2, tz / 2, n, np.minimum(in_x, in_z), coefficient)


def _left(codes: IntArray, times: IntArray, blocks: IntArray, n: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return how many ordered pairs are not tied without each block, and how many distinct values are left."""
    keys, here = np.unique(blocks * len(times) + codes, return_counts=True)
    block, whole = keys // len(times), times[keys % len(times)]
    equal = (times**2).sum() - np.bincount(block, 2.0 * whole * here - here**2, len(n))
    return n * n - equal, len(times) - np.bincount(block[whole == here], minlength=len(n))


def _concordance_within(codes: tuple[IntArray, IntArray], blocks: IntArray, sizes: IntArray) -> FloatArray:
    """Return concordant less discordant ordered pairs within each block."""
    order, width = np.argsort(blocks, kind="stable"), int(sizes.max())
    if len(sizes) * width**2 > TABLES:
        members = np.split(np.stack(codes)[:, order].astype(np.float64), np.cumsum(sizes)[:-1], axis=1)
        return np.array([concordance(*each).sum() if each.size else 0.0 for each in members])
    place = blocks[order], np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    x, z = tables = np.full((2, len(sizes), width), np.nan, dtype=np.float32)  # NaN is neither above nor below
    for table, values in zip(tables, codes, strict=True):
        table[place] = values[order]
    signs = (z[:, :, None] > z[:, None, :]).view(np.int8) - (z[:, :, None] < z[:, None, :]).view(np.int8)
    signs *= (x[:, :, None] > x[:, None, :]).view(np.int8)
    return np.asarray(2.0 * signs.reshape(len(sizes), -1).sum(axis=1, dtype=np.int64))


def spearman_of(x: IntArray, z: IntArray) -> float:
    """Return Spearman's coefficient of codes 0, 1, …"""
    rx, rz = ((2.0 * np.cumsum(times) - times - len(c))[c] for c, times in ((c, np.bincount(c)) for c in (x, z)))
    return float(ratio(np.array([rx @ rz]), np.sqrt(np.array([(rx @ rx) * (rz @ rz)])))[0])


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
    return _Signs.of(x, z).concordant


def _concordance(rank: IntArray, group: IntArray, shape: Pair) -> FloatArray:
    n = len(rank)
    if shape[0] * shape[1] <= TABLE:
        return _from_table(rank, group, shape)
    order = np.lexsort((rank, group))
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


def _from_table(x: IntArray, z: IntArray, shape: Pair) -> FloatArray:
    """Return the concordance of points from the table of how many points are not above each pair of ranks."""
    below = np.zeros((shape[0] + 1, shape[1] + 1), dtype=np.int32)
    below[1:, 1:] = np.bincount(x * shape[1] + z, minlength=shape[0] * shape[1]).reshape(shape)
    for axis in (0, 1):
        np.cumsum(below, axis=axis, out=below)
    less = [c[at] + c[at + 1] for at, c in ((x, below[:, -1]), (z, below[-1]))]
    corners = below[x, z] + below[x + 1, z + 1] + below[x, z + 1] + below[x + 1, z]
    return np.asarray(corners - less[0] - less[1] + len(x), dtype=np.float64)
