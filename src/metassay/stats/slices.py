"""Whether slices of the data differ: by dealing units to them at random, or by the heterogeneity of their estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtri

from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import CHOICE, page_size, stream
from metassay.stats.significance import EQUAL

DEALINGS = 1_999
"""How often units are dealt to the slices at random."""


def heterogeneity(values: Sequence[float], ends: Sequence[tuple[float, float]], confidence: float) -> float:
    """Return the p-value of Cochran's test that all estimates are of one number; NaN without intervals of some width.

    Examples
    --------
    >>> round(heterogeneity([0.0, 1.0], [(-0.98, 0.98), (0.02, 1.98)], 0.95), 3)  # Q = 2 with one degree of freedom
    0.157
    """
    low, high = np.array(ends, dtype=np.float64).T
    errors = (high - low) / (2 * ndtri((1 + confidence) / 2))
    if not (np.isfinite(errors).all() and (errors > 0).all()):
        return math.nan
    weights = errors**-2
    centre = (weights * np.array(values)).sum() / weights.sum()
    return float(chdtrc(len(values) - 1, (weights * (np.array(values) - centre) ** 2).sum()))


def uncut(labels: IntArray | None, codes: IntArray) -> IntArray:
    """Return the unit of each input or system: its cluster or family if no slice cuts one apart, else itself."""
    alone = np.arange(len(codes))
    if labels is None:
        return alone
    return labels if all(len(np.unique(codes[labels == unit])) == 1 for unit in np.unique(labels)) else alone


def deal(
    prepared: Any,  # noqa: ANN401 - a level of any statistic
    codes: IntArray,
    units: IntArray,
    n: int,
    axis: str,
    masks: tuple[Any, Any],
    seed: int,
    run: Callable[..., list[FloatArray]],
) -> FloatArray:
    """Return the statistic of each metric in each slice, (metrics, dealings, slices); the first dealing is the data."""
    names, where = np.unique(units, return_inverse=True)
    of_unit = codes[[int(np.argmax(where == at)) for at in range(len(names))]]
    here = np.flatnonzero(of_unit >= 0)
    size = page_size(len(codes) * n)

    def page(number: int) -> FloatArray:
        random = stream(seed, CHOICE, 1, number)
        dealt = np.repeat(of_unit[:, None], size, axis=1)
        for at in range(size):
            if number or at:
                dealt[here, at] = of_unit[random.permutation(here)]
        each = dealt[where]
        weights = np.concatenate([(each == slice_).astype(np.float64) for slice_ in range(n)], axis=1)
        if axis == "input":
            scored, judged = masks
            weights = weights[scored] if judged is None else np.concatenate([weights[scored], weights[judged]])
        found = prepared.bootstrap(None, weights) if axis == "input" else prepared.bootstrap(weights, None)
        return np.asarray(found).reshape(len(found), n, size).transpose(0, 2, 1)

    pages = -(-(DEALINGS + 1) // size)
    parts = run(page, pages, "slices")
    return np.concatenate(parts, axis=1)[:, : DEALINGS + 1]


def dealt_p_values(drawn: FloatArray, sizes: IntArray) -> list[float]:
    """Return for each metric the share of dealings whose slices are at least as far apart as those of the data."""
    weights = sizes / sizes.sum()
    spread = (weights * (drawn - (weights * drawn).sum(axis=2, keepdims=True)) ** 2).sum(axis=2)
    seen, others = spread[:, :1], spread[:, 1:]
    defined = ~np.isnan(others)
    count = ((others >= seen - EQUAL) & defined).sum(axis=1)
    p = (count + 1) / (defined.sum(axis=1) + 1)
    return [float(one) if ok else math.nan for one, ok in zip(p, ~np.isnan(seen[:, 0]), strict=True)]
