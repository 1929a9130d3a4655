"""Room in intervals of ranks for systems of a rare kind, of which a sample may have none.

Where people and a metric agree on systems, they rank a system alike that is much better or worse than all others. If a
share 1 − .18^(1/N) of all systems is of such a kind, 18% of the samples of N systems have none of it, and nothing in
them shows that it exists: their jackknife is too narrow. With the kind, a mean over pairs of systems would be
c − (c − τ)·.18^(2/N), where c is what pairs with such a system have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from metassay.stats.arrays import FloatArray
from metassay.stats.kernels.left_out import signed_sums
from metassay.stats.levels import means_of_known

if TYPE_CHECKING:
    from metassay.stats.jackknife import Fit

UNSEEN = 0.18
"""The share of samples that have none of the rare kind."""
FAR = 8.0
"""How many standard deviations of systems the rare kind is away from the others, as people see it."""


def ranked_alike(x: FloatArray, z: FloatArray, level: str) -> FloatArray:
    """Return how alike metrics and people would rank a system far away from all others, (P,), from −1 to 1.

    The ranks of a system's outputs are its mean rank and noise. Of two systems `FAR` standard deviations apart, people
    score the better one higher with probability Φ(FAR·σ_systems/(√2·σ_noise)). A metric sees them ρ·FAR of its standard
    deviations apart, where ρ is its correlation with people over systems' mean ranks.

    Parameters
    ----------
    x
        Metrics (P, systems, inputs), NaN for missing; all of them miss the same cells.
    z
        People, systems × inputs; or one set of them for each metric, (P, systems, inputs).
    level
        ``input``, where outputs are ranked within inputs, or ``global``.
    """
    people = z[None] if z.ndim == 2 else z
    missing = np.isnan(x[0] + people[0])
    (apart_x, mean_x), (apart_z, mean_z) = (_systems(np.where(missing, np.nan, side), level) for side in (x, people))
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.sqrt((mean_x**2).sum(axis=1) * (mean_z**2).sum(axis=1))
        rho = np.nan_to_num((mean_x * mean_z).sum(axis=1) / size)
    return np.asarray((2 * ndtr(FAR * rho * apart_x) - 1) * (2 * ndtr(FAR * apart_z) - 1))


def _systems(columns: FloatArray, level: str) -> tuple[FloatArray, FloatArray]:
    """Return σ_systems/(√2·σ_noise) of the ranks of columns (P, systems, inputs), and systems' mean ranks, centred."""
    ranks = np.full(columns.shape, np.nan)
    for column, out in zip(columns, ranks, strict=True):
        known = ~np.isnan(column)
        codes = np.unique(column[known], return_inverse=True)[1].astype(np.float64)
        if level == "input":
            codes += len(codes) * np.nonzero(known)[1]
        out[known] = signed_sums(codes, np.ones(len(codes)))
    if level == "input":
        ranks -= means_of_known(ranks, axis=1)[:, None]
    means, cells = means_of_known(ranks), (~np.isnan(ranks[0])).sum(axis=1)
    means = means - means.mean(axis=1, keepdims=True)
    noise = np.nanvar(ranks, axis=2) @ cells / max(cells.sum() - len(cells), 1)
    systems = np.maximum(means.var(axis=1, ddof=1) - noise * (1 / cells).mean(), 0.0)
    most = np.where(systems > 0, np.inf, 0.0)
    return np.sqrt(np.divide(systems, 2 * noise, out=most, where=noise > 0)), means


def room(fit: Fit, places: FloatArray) -> FloatArray:
    """Return how far the ends of 95% intervals are at least from their centres, on the scale, (2, metrics).

    Parameters
    ----------
    fit
        Ranks at input or global level.
    places
        The estimates, stretched to −1 to 1.
    """
    assert fit.alike is not None, "only ranks of single outputs leave room"
    low, high = fit.statistic.range
    # Kendall's coefficients are means over pairs of systems, Spearman's is one over triples.
    seen = UNSEEN ** ((2 if fit.statistic.pairwise else 3) / fit.units[0])
    unseen = fit.alike - (fit.alike - places) * seen
    moved = fit.statistic.scale.to((low + high + (high - low) * unseen) / 2, fit.systems) - fit.at
    sides = np.where(fit.alike < 0, -moved, 0.0), np.where(fit.alike > 0, moved, 0.0)
    return np.asarray(np.maximum(np.stack(sides), 0.0))
