"""Facts about which scores there are: parts that share nothing, columns that say the same, outliers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray


def connected(known: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the part 0, 1, … that each system and each input belongs to; −1 for those without any score.

    Two systems are in one part if they have inputs in common, directly or through other systems. Means of systems of
    different parts are means over different inputs: they cannot be told from differences between the inputs.

    Parameters
    ----------
    known
        Which cells have scores, systems × inputs.

    Examples
    --------
    >>> systems, inputs = connected(np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=bool))
    >>> systems.tolist(), inputs.tolist()
    ([0, 0, 1], [0, 0, 1, -1])
    """
    none = len(known)
    systems = np.where(known.any(axis=1), np.arange(none), none)
    while True:
        inputs = np.where(known, systems[:, None], none).min(axis=0, initial=none)
        lower = np.where(known, inputs, none).min(axis=1, initial=none)
        if (lower == systems).all():
            break
        systems = lower
    parts = np.unique(systems[systems < none])
    found = [np.where(labels < none, np.searchsorted(parts, labels), -1) for labels in (systems, inputs)]
    return found[0], found[1]


def copies(x: FloatArray, same: str = "scores") -> list[Sequence[int]]:
    """Return groups of columns, by position, that say the same; columns without a copy are in none.

    Parameters
    ----------
    x
        Columns (P, systems, inputs); copies miss the same cells.
    same
        What makes a copy: the same ``scores``; or the same ``order`` of all cells, so that rank correlations of cells
        cannot tell them apart.

    Examples
    --------
    >>> a = np.array([[1.0, 2.0], [4.0, 3.0]])
    >>> copies(np.stack([a, -a, a.copy(), a**3]))
    [[0, 2]]
    >>> copies(np.stack([a, -a, a.copy(), a**3]), "order")
    [[0, 2, 3]]
    """
    groups: dict[bytes, list[int]] = {}
    for at, column in enumerate(x):
        known = ~np.isnan(column)
        if not known.any():  # nothing is no copy of nothing
            continue
        values = column[known] + 0.0  # −0 is 0
        if same == "order":
            values = np.unique(values, return_inverse=True)[1].astype(np.float64)
        groups.setdefault(known.tobytes() + values.tobytes(), []).append(at)
    return [group for group in groups.values() if len(group) > 1]


FAR, TO_DEVIATIONS = 2.5, 1.483
"""How far an outlier lies from the median, in median absolute deviations that are scaled to standard deviations."""


def outlying(scores: FloatArray) -> BoolArray:
    """Say which of some scores of systems (n,) are outliers: |s − median| > 2.5 · 1.483 · MAD.

    The rule of Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", §4.2, which the WMT 2020 metrics task adopted.
    Undefined scores are none, and nothing is where half of the scores are equal.

    Examples
    --------
    >>> outlying(np.array([1.0, 2.0, 3.0, 4.0, 60.0])).tolist()
    [False, False, False, False, True]
    """
    apart = np.abs(scores - np.nanmedian(scores)) if not np.isnan(scores).all() else np.zeros(len(scores))
    spread = TO_DEVIATIONS * np.nanmedian(apart)
    with np.errstate(invalid="ignore"):
        return np.asarray((apart > FAR * spread) & (spread > 0))
