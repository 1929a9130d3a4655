"""Kernels for any statistic that can be evaluated on paired vectors under weights: plain, and right for all of them.

A statistic with a faster way to be computed brings kernels of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from metassay.errors import UsageError, one_line
from metassay.stats.arrays import FloatArray, Pair, Swaps
from metassay.stats.kernels.weighted_ranks import Numbers

CELLS = 1 << 20
"""Points × draws evaluated at once: some arrays of 8 MB."""


class Evaluated(Protocol):
    """What can be evaluated."""

    def evaluate(self, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
        """Return the statistic of paired values (n, B) or (n, 1) under weights (n, B), (B,)."""
        ...


def evaluated(statistic: Evaluated, x: FloatArray, z: FloatArray, w: FloatArray | None) -> FloatArray:
    """Evaluate a statistic draw by draw in bounded memory; (n, B) or (n, 1) each, and no weights for ones."""
    w = np.ones((len(z), 1)) if w is None else np.asarray(w, dtype=np.float64)
    draws, width = max(a.shape[1] for a in (x, z, w)), max(1, CELLS // max(len(z), 1))
    out = np.empty(draws)
    for at in range(0, draws, width):
        cut = slice(at, at + width)
        part = [a if a.shape[1] == 1 else a[:, cut] for a in (x, z, w)]
        # Where nothing is left to compare, a division by 0 says that the statistic is undefined.
        with np.errstate(divide="ignore", invalid="ignore"):
            out[cut] = _asked(statistic, *part)
    return out


def _asked(statistic: Evaluated, x: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
    """Return what a statistic says; what goes wrong in one of a user's own is told as theirs."""
    try:
        found = np.asarray(statistic.evaluate(x, z, w), dtype=np.float64)
    except Exception as error:
        raise UsageError(f"the statistic {statistic!r} failed: {type(error).__name__}: {one_line(error)}") from error
    draws = max(a.shape[1] for a in (x, z, w))
    if found.shape not in ((draws,), (1,), ()):
        raise UsageError(f"the statistic {statistic!r} must return one value per draw, {draws} here, got {found.shape}")
    return found


class EvaluatedPoints:
    """Two variables without missing values, to be compared under many weightings."""

    def __init__(self, statistic: Evaluated, x: FloatArray, z: FloatArray) -> None:
        self.statistic, self.x, self.z = statistic, x[:, None], z[:, None]

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the statistic in each draw, (B,), for weights (points, B); NaN without points."""
        if not len(self.x):
            return np.full(weights.shape[1], np.nan)
        return evaluated(self.statistic, self.x, self.z, weights)


class Points(Protocol):
    """Two variables, ready to be compared under many weightings."""

    def correlate(self, weights: Numbers) -> FloatArray:
        """Return the statistic in each draw, (B,)."""
        ...


class EvaluatedGroups:
    """Values in groups, (members, groups) with NaN for missing, to be compared under many weightings."""

    def __init__(self, make: Callable[[FloatArray, FloatArray], Points], x: FloatArray, z: FloatArray) -> None:
        self.members = [np.flatnonzero(~np.isnan(column)) for column in (x + z).T]
        self.parts = [make(x[at, g], z[at, g]) for g, at in enumerate(self.members)]

    def correlate(self, weights: FloatArray) -> FloatArray:
        """Return statistics of shape (groups, B) for weights (members, B)."""
        return np.stack([part.correlate(weights[at]) for part, at in zip(self.parts, self.members, strict=True)])


class EvaluatedExchange:
    """Metrics (P, members, groups) that miss the same cells, whose scores are exchanged within pairs."""

    def __init__(self, statistic: Evaluated, x: FloatArray, z: FloatArray, pairs: Sequence[Pair]) -> None:
        self.statistic, self.x, self.z, self.pairs = statistic, x, z, pairs
        self.members = [np.flatnonzero(~np.isnan(column)) for column in z.T]

    def averages(self, swaps: Swaps) -> tuple[FloatArray, FloatArray]:
        """Return average statistics of X_s and Y_s, each (pairs, B), for swaps (members, groups, B)."""
        out = np.full((2, len(self.pairs), swaps.shape[-1]), np.nan)
        for pair, (a, b) in enumerate(self.pairs):
            found = np.full((2, len(self.members), swaps.shape[-1]), np.nan)
            for g, at in enumerate(self.members):
                if len(at):
                    found[:, g] = self.exchanged(self.x[a][at, g], self.x[b][at, g], self.z[at, g], swaps[at, g])
            known = ~np.isnan(found)
            count = known.sum(axis=1)
            total = np.where(known, found, 0.0).sum(axis=1)
            np.divide(total, count, out=out[:, pair], where=count > 0)
        return out[0], out[1]

    def exchanged(self, left: FloatArray, right: FloatArray, z: FloatArray, swaps: Swaps) -> FloatArray:
        """Return the statistic of both metrics (2, B) in a group, (n,) each, after swaps (n, B)."""
        moved, sides = swaps.astype(bool), ((left[:, None], right[:, None]), (right[:, None], left[:, None]))
        parts = (np.where(moved, other, own) for own, other in sides)
        return np.stack([evaluated(self.statistic, part, z[:, None], None) for part in parts])
