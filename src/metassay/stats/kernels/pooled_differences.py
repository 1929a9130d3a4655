"""Pearson over differences of all pairs within groups, pooled over groups, under weights and under exchanges.

Over both orders of every pair of a group, products of differences add up to 2 (n Σxz − Σx Σz): no pair is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, Pair, Swaps
from metassay.stats.kernels.weighted_ranks import Numbers, ratio


def _centred(values: FloatArray, known: FloatArray) -> FloatArray:
    """Return each group (column) less its mean, at one common size, and 0 where missing."""
    count = np.maximum(known.sum(axis=0), 1.0)
    filled = np.where(known > 0, values, 0.0)
    centred = np.where(known > 0, filled - filled.sum(axis=0) / count, 0.0)
    return np.asarray(centred / (float(np.abs(centred).max(initial=0.0)) or 1.0))


class DifferenceSums:
    """Sums of products of differences in each group (members, groups), NaN for missing."""

    def __init__(self, x: FloatArray, z: FloatArray) -> None:
        known = (~np.isnan(x + z)).astype(np.float64)
        x, z = _centred(x, known), _centred(z, known)
        self.features = np.stack([known, x, z, x * z, x * x, z * z]).transpose(0, 2, 1)

    def sums(self, weights: Numbers) -> FloatArray:
        """Return Σ ΔxΔz, Σ Δx² and Σ Δz² over pairs, (3, groups, B), for weights (members, B)."""
        n, x, z, xz, xx, zz = self.features @ weights
        return np.stack([n * xz - x * z, np.maximum(n * xx - x * x, 0.0), np.maximum(n * zz - z * z, 0.0)])


class DifferenceExchange:
    """Metrics (P, members, groups) on one scale that miss the same cells, whose scores are exchanged within pairs."""

    def __init__(self, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        known = (~np.isnan(z)).astype(np.float64)
        n = known.sum(axis=0)
        human = _centred(z, known)
        cells = np.where(known > 0, x, 0.0)
        # One centre for all metrics changes no difference of exchanged scores.
        cells = (cells - cells.sum() / max(float(known.sum() * len(x)), 1.0)) * known
        self.pairs = pairs
        # Human scores have mean 0 in each group: n Σxz is all that is left of products with them.
        self.products = (n * human * cells).reshape(len(x), -1)
        self.squares = (n * cells**2).reshape(len(x), -1)
        self.cells = np.ascontiguousarray(cells.transpose(2, 0, 1))
        self.spread = float((n * (human**2).sum(axis=0)).sum())

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return statistics of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        coins = np.ascontiguousarray(swaps).astype(np.float64)
        flat = coins.reshape(-1, coins.shape[-1])
        products, squares = self.products @ flat, self.squares @ flat
        moved = self.cells @ coins.transpose(1, 0, 2)
        still = self.cells.sum(axis=2)
        out = np.empty((2, len(self.pairs), coins.shape[-1]))
        for at, (a, b) in enumerate(self.pairs):
            for side, (own, sign) in enumerate(((a, 1.0), (b, -1.0))):
                xz, xx = (
                    whole[own].sum() + sign * (part[b] - part[a])
                    for whole, part in ((self.products, products), (self.squares, squares))
                )
                x = still[:, own, None] + sign * (moved[:, b] - moved[:, a])
                out[side, at] = ratio(xz, np.sqrt(np.maximum(xx - (x * x).sum(axis=0), 0.0) * self.spread))
        return out[0], out[1]
