"""Correlations without each of their points in turn, in closed form, and what a single point does to them.

With s_ik = sign(x_i − x_k), everything about ranks follows from a few numbers of each point: how many others it is
concordant with, how many it differs from, twice its centred midrank R_i = Σ_k s_ik, and Σ_k s_ik R_k.
Short groups add them up from tables of signs, long ones from a sorted order.
"""

from __future__ import annotations

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair
from metassay.stats.kernels.weighted_ranks import TIE, kendall_from_counts, ratio
from metassay.stats.kernels.within_groups import TILE, standardized

SHORT = 256
"""Up to this many members signs of all pairs are kept: sums of up to 256³ ones are exact in single precision."""
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
        counts = [concordance(x, z), *(n - _times(v).astype(np.float64) for v in (x, z))]
        total = [float(v.sum()) for v in counts]
        if coefficient == "kendall":
            below = np.sqrt(total[1] * total[2])
            r = total[0] / below
            return r, np.asarray(2 * n * (counts[0] / below - r * (counts[1] / total[1] + counts[2] / total[2]) / 2))
        distinct = min(len(np.unique(v)) for v in (x, z))
        below = n * (n - 1) if coefficient == "kendall-a" else n * n * (distinct - 1) / distinct
        return total[0] / below, np.asarray(2 * (n * counts[0] - total[0]) / below)
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
    (values, rank), (groups, group) = (np.unique(v, return_inverse=True) for v in (x, z))
    if len(values) * len(groups) <= TABLE:
        return _from_table(rank, group, (len(values), len(groups)))
    order = np.lexsort((x, z))
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
    """Return the concordance of points from the table of their ranks: sums of signs along both of its axes."""
    found = np.bincount(x * shape[1] + z, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int32)
    for axis in (0, 1):
        running = np.cumsum(found, axis=axis, dtype=np.int32)
        found = 2 * running - found - found.sum(axis=axis, keepdims=True, dtype=np.int32)
    return np.asarray(found[x, z], dtype=np.float64)
