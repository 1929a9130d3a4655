"""Sums of the first 0, 1, …, n rows of weights, for all draws at once.

NumPy's own cumulative sum is slow along the first axis. Passes that add whole rows to whole rows are not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metassay.stats.arrays import IntArray
from metassay.stats.kernels.weighted_ranks import Numbers

STRIPE = 16
"""At most so many points have their weights added up one by one; between such stripes only sums are."""

EXACT = 1 << 24
"""Whole numbers below this are exact in single precision, which is twice as fast."""


def draws_at_once(points: int, elements: int) -> int:
    """Return how many draws are handled at once, for about so many elements."""
    return 1 << max(4, (elements // max(points, 1)).bit_length() - 1)


def in_slices(weights: Numbers, elements: int, largest: int) -> Iterator[tuple[slice, Numbers]]:
    """Yield weights (points, B) of some draws at a time, with which they are, in a precision for sums up to `largest`.

    About so many elements are handled at once; since sums are exact, that changes no result.
    """
    precision = np.float32 if largest < EXACT else np.float64
    width = draws_at_once(len(weights), elements)
    for at in range(0, weights.shape[1], width):
        draws = slice(at, at + width)
        yield draws, np.ascontiguousarray(weights[:, draws], dtype=precision)


def add_up(rows: Numbers) -> None:
    """Replace rows (n, …) by the sums of the first 1, 2, …, n of them, in two passes over square blocks."""
    n = len(rows)
    width = max(1, int(np.sqrt(n)))
    whole = n // width * width
    inner = rows[:whole].reshape(-1, width, *rows.shape[1:])
    for at in range(1, width):
        inner[:, at] += inner[:, at - 1]
    for block in range(1, len(inner)):
        inner[block] += inner[block - 1, -1]
    for at in range(max(whole, 1), n):
        rows[at] += rows[at - 1]


class Running:
    """Points in an order, whose weights are added up in every draw.

    Attributes
    ----------
    row
        Where :meth:`sums` puts the sum of the first 0, 1, …, n points. The k-th points of all stripes stand together,
        so that one addition of contiguous memory takes all stripes a point further.
    """

    def __init__(self, order: IntArray) -> None:
        n = len(order)
        self._width = width = min(STRIPE, max(1, int(np.sqrt(n))))
        self._stripes = -(-n // width)
        # Whatever fills the last stripe comes after all sums that are asked for.
        filled = np.zeros(self._stripes * width, dtype=np.int64)
        filled[:n] = order
        self._points = filled.reshape(-1, width).T.reshape(-1)
        stripe, place = np.divmod(np.arange(-1, n), width)
        self.row = place * self._stripes + stripe
        self.row[0] = len(filled)

    def sums(self, w: Numbers) -> Numbers:
        """Return running sums of the weights (points, B) in the order of :attr:`row`."""
        out = np.empty((len(self._points) + 1, w.shape[1]), dtype=w.dtype)
        np.take(w, self._points, axis=0, out=out[:-1], mode="clip")
        out[-1] = 0
        inner = out[:-1].reshape(self._width, self._stripes, w.shape[1])
        for at in range(1, self._width):
            np.add(inner[at], inner[at - 1], out=inner[at])
        if self._stripes > 1:
            before = inner[-1, :-1].copy()
            add_up(before)
            inner[:, 1:] += before
        return out
