"""Both systems and inputs are a sample: what each of them adds to the variance of a statistic.

A statistic of systems × inputs varies with the systems, the inputs and the single cells that were drawn,

    Var = S/N + I/M + C/(NM).

Resampling systems shows S/N + C/(NM), resampling inputs I/M + C/(NM), and resampling both shows C/(NM) three times
(Owen 2007, "The pigeonhole bootstrap"). So none of the three is right where cells are noisy, but together they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.score_swaps import standardize_level
from metassay.stats.levels import means_of_known


@dataclass(frozen=True)
class Variances:
    """What bootstraps of systems, of inputs, and of both say of the variance of a statistic; arrays of any shape."""

    systems: FloatArray
    """S/N + C/(NM): the variance when systems are drawn again, and the cells with them."""
    inputs: FloatArray
    """I/M + C/(NM): the variance when inputs are drawn again, and the cells with them."""
    cells: FloatArray
    """C/(NM): the part that both have in common."""

    @property
    def added(self) -> FloatArray:
        """What inputs add to the variance that systems show; not negative."""
        return np.maximum(self.inputs - self.cells, 0.0)

    @property
    def total(self) -> FloatArray:
        """The variance when both are drawn again."""
        return self.systems + self.added


def variances(
    systems: FloatArray, inputs: FloatArray, both: FloatArray, shape: tuple[int, int], *, paired: bool = True
) -> Variances:
    """Take the variance of a statistic apart.

    Parameters
    ----------
    systems, inputs, both
        The statistic in bootstrap samples (…, B) of systems, of inputs, and of both with the same draws.
    shape
        Numbers of systems and inputs, whose bootstraps are too narrow by (n − 1)/n.
    paired
        Whether metrics and people have the same inputs; else the number of inputs corrects nothing.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> cells = random.normal(size=(20, 30))
    >>> w, v = (random.multinomial(n, [1 / n] * n, 4000) / n for n in cells.shape)
    >>> found = variances(w @ cells.mean(1), v @ cells.mean(0), ((w @ cells) * v).sum(1), cells.shape)
    >>> bool(abs(found.total * 600 - 1) < 0.5)
    True
    """
    n, m = (count / max(count - 1, 1) for count in shape)
    m = m if paired else 1.0
    with np.errstate(invalid="ignore"):
        # What is left when the effects of the drawn systems and of the drawn inputs are taken away.
        rest = both - systems - inputs
        return Variances(n * variance(systems), m * variance(inputs), n * m * variance(rest))


def added_by_inputs(parts: Sequence[FloatArray], shape: tuple[int, int], *, paired: bool = True) -> FloatArray:
    """Return what inputs add to the variance of a statistic (…,).

    `parts` are its values in bootstrap samples (…, B) of systems, inputs and both on a smooth scale, and of inputs on
    its own: ranks of means change in steps as inputs are drawn, which looks like noise of cells.
    """
    smooth = variances(parts[0], parts[1], parts[2], shape, paired=paired)
    own = variances(parts[0], parts[3], parts[2], shape, paired=paired).inputs
    share = np.divide(smooth.added, smooth.inputs, out=np.zeros_like(own), where=smooth.inputs > 0)
    return np.asarray(own * share)


def variance(samples: FloatArray) -> FloatArray:
    """Return variances over the last axis, leaving out undefined values; NaN where none is defined."""
    known = ~np.isnan(samples)
    count = known.sum(axis=-1)
    filled = np.where(known, samples, 0.0)
    mean = filled.sum(axis=-1) / np.maximum(count, 1)
    squares = np.where(known, filled - mean[..., None], 0.0) ** 2
    return np.where(count > 1, squares.sum(axis=-1) / np.maximum(count, 1), np.nan)


def shrunk(observed: FloatArray, exchanged: FloatArray, added: FloatArray, systems: int) -> FloatArray:
    """Return differences of correlations on the scale of exchanges of whole systems.

    A difference is compared with what exchanges make of it. These show the variance V due to systems. If inputs add
    A to it, the difference is worth √(V/(V + A)) of what it seems.

    Parameters
    ----------
    observed
        Differences of correlations (pairs,).
    exchanged
        Some differences after exchanges (pairs, B).
    added
        What inputs add to the variance (pairs,).
    systems
        The number of systems N. Scores were standardised over them, which leaves chance less room in the data than the
        data show: a factor √(1 − 1/(2N)), found by simulation (see docs/validity.md), makes up for it.
    """
    spread = np.nanmean(np.where(np.isnan(observed)[:, None], 0.0, exchanged) ** 2, axis=1)
    total = spread + np.nan_to_num(added)
    share = np.sqrt(np.divide(spread, total, out=np.ones_like(total), where=total > 0))
    return np.asarray(observed * share * math.sqrt(1 - 0.5 / systems))


def design_effect(x: FloatArray, y: FloatArray, z: FloatArray, level: str, unit: str) -> float:
    """Return how many times larger the variance of a difference of correlations is than a test takes it for.

    Parameters
    ----------
    x, y, z
        Two metrics and people, systems × inputs; at system level `z` may have other inputs.
    level
        The level.
    unit
        What the test takes for independent: ``both`` (single cells) or ``inputs``. What is independent if systems are
        drawn is a whole system.

    Returns
    -------
    float
        At least 1; NaN if there is nothing to tell it from.

    Notes
    -----
    The difference of two Pearson correlations of standardised scores is, but for terms of higher order, the mean of
    D·(Z − ρS/2) with D = X − Y, S = X + Y and ρ the mean of the two correlations. Its variance is a sum of squares
    over whole systems if these are drawn; a test that exchanges cells takes the sum of squares of cells. What D
    explains of Z, which is the difference itself, is taken away: being better is no system bias.
    """
    scaled = standardize_level(np.stack([x, y]), z, level)
    d, s = scaled[0] - scaled[1], scaled[0] + scaled[1]
    if level == "system":
        means = np.array([means_of_known(v) for v in (scaled[0], scaled[1], z)])
        known = ~np.isnan(means).any(axis=0)
        if known.sum() < 3:
            return math.nan
        z_row = means[2] - means[2][known].mean()
        z_row = z_row / (np.sqrt((z_row[known] ** 2).mean()) or 1.0)
        rho = float(np.mean([(means[k] * z_row)[known].mean() for k in (0, 1)]))
        apart = means[0] - means[1]
        u = z_row - rho / 2 * (means[0] + means[1]) - _slope(apart[known], z_row[known]) * apart
        count = np.maximum((~np.isnan(d)).sum(axis=1, keepdims=True), 1)
        terms = np.where(known[:, None] & ~np.isnan(d), d * u[:, None] / count, 0.0)
    else:
        people = standardize_level(z[None], z, level)[0]
        with np.errstate(invalid="ignore"):
            rho = float(np.nanmean((scaled * people).mean(axis=0))) if d.size else math.nan
        both = ~np.isnan(d) & ~np.isnan(people)
        terms = np.where(both, d * (people - rho / 2 * s - _slope(d[both], people[both]) * d), 0.0)
    rows = terms.sum(axis=1)
    whole = float((rows**2).sum())
    if unit == "both":
        taken = float((terms**2).sum())
    else:
        count = np.maximum((terms != 0).sum(axis=1, keepdims=True), 1)
        inner = np.where(terms != 0, terms - rows[:, None] / count, 0.0)
        taken = float((inner.sum(axis=0) ** 2).sum())
    return max(1.0, whole / taken) if taken > 0 else math.nan


def _slope(x: FloatArray, z: FloatArray) -> float:
    """Return the slope of the regression of `z` on `x` through 0."""
    spread = float((x**2).sum())
    return float((x * z).sum()) / spread if spread > 0 else 0.0


def size_if(effect: float, alpha: float, sides: int = 1) -> float:
    """Return how often a test at `alpha` rejects what is equal if the variance is `effect` times what it takes it for.

    Examples
    --------
    >>> round(size_if(1, 0.05), 3), round(size_if(20.8, 0.05), 2)
    (0.05, 0.36)
    """
    return float(sides * ndtr(ndtri(alpha / sides) / math.sqrt(effect)))
