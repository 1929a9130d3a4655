"""Many measurements of each object at once: principal components, and the composite that separates two groups.

**Components.** Columns are centred and scaled to unit variance (n − 1); the singular value decomposition then gives
shares of variance, loadings (the correlation of a column with a component) and scores of the objects.

**Composite.** Fisher's linear discriminant with a shrunken covariance. Let r be the deviations of m objects from the
mean of their group, each column scaled to mean square one, and R = r'r/m. Then (Ledoit and Wolf 2004)::

    λ = min(1, b/d),  d = ‖R − I‖²,  b = Σ_k ‖r_k r_k' − R‖² / m²
    w = [(1 − λ) R + λ I]⁻¹ (difference of the group means)

and the cut lies midway between the groups, however unequal they are in number. Everything, scaling and λ included,
is estimated without the objects that are held out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.draws import FOLDS, stream

BLOCK = 2_000_000
"""Elements of training data handled at once."""
LEAST_SHRINKAGE = 1e-6
"""Keeps the covariance invertible where columns repeat each other."""
LEAST_SPREAD = 1e-6
"""A column that does not vary within groups is scaled by this share of its overall spread instead of by nothing."""


@dataclass(frozen=True)
class Components:
    """Principal components of standardised columns."""

    share: FloatArray
    """Share of the variance, (components,), descending."""
    loadings: FloatArray
    """Correlation of columns with components, (columns, components)."""
    scores: FloatArray
    """Objects on the components, (objects, components), in standard deviations of a column."""


def standardize(values: FloatArray) -> FloatArray:
    """Centre columns and scale them to unit variance; every column must vary."""
    centred = values - values.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0, ddof=1))


def principal_components(standardized: FloatArray) -> Components:
    """Return the components of standardised columns; each points to where its loadings sum to more than zero.

    Examples
    --------
    >>> z = standardize(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    >>> principal_components(z).share.round(6).tolist()
    [1.0, 0.0]
    """
    n = len(standardized)
    left, singular, right = np.linalg.svd(standardized, full_matrices=False)
    keep = min(n - 1, standardized.shape[1])
    left, singular, right = left[:, :keep], singular[:keep], right[:keep]
    sign = np.where(right.sum(axis=1) < 0, -1.0, 1.0)
    share = singular**2 / (singular**2).sum()
    loadings = right.T * sign * singular / np.sqrt(n - 1)
    return Components(share, loadings, left * singular * sign)


def rank_components(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where vectors of scores stand on the first two principal components of their ranks.

    Every vector is turned into midranks, as shares of its length; the vectors are the objects and the points their
    features, as in Braun et al. (2022), Fig. 6. Divided by the root of the number of points, distances before the
    projection are root mean squares of differences in rank.

    Parameters
    ----------
    vectors
        Scores of shape (vectors, points), without NaN.

    Returns
    -------
    share, places
        The share of the variance of each of the two components, and coordinates of shape (vectors, 2). The longest
        coordinate on each component is positive.

    Examples
    --------
    >>> share, places = rank_components(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    >>> share.round(6).tolist(), places[:, 0].round(3).tolist()
    ([1.0, 0.0], [-0.181, -0.181, 0.363])
    """
    n = vectors.shape[1]
    ranks = rankdata(vectors, axis=1) / n
    centred = (ranks - ranks.mean(axis=0)) / np.sqrt(n)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    places = np.zeros((len(vectors), 2))
    share = np.zeros(2)
    keep = min(2, len(singular))
    total = float((singular**2).sum())
    places[:, :keep] = left[:, :keep] * singular[:keep]
    share[:keep] = singular[:keep] ** 2 / total if total > 0 else np.nan
    longest = places[np.abs(places).argmax(axis=0), [0, 1]]
    return share, np.asarray(places * np.where(longest < 0, -1.0, 1.0))


@dataclass(frozen=True)
class Discriminants:
    """Linear discriminants, one per training set."""

    weights: FloatArray
    """Weights of the columns, (sets, columns)."""
    cut: FloatArray
    """Where the groups part, (sets,); above it an object is taken for one of the first group."""
    shrinkage: FloatArray
    """λ, (sets,)."""

    def margins(self, values: FloatArray) -> FloatArray:
        """Return how far above the cut each object lies, (sets, objects)."""
        return self.weights @ values.T - self.cut[:, None]


def discriminants(values: FloatArray, first: BoolArray, training: BoolArray) -> Discriminants:
    """Fit one discriminant per training set.

    Parameters
    ----------
    values
        Objects × columns, nothing missing.
    first
        Which objects belong to the first of the two groups.
    training
        Which objects each fit may see, (sets, objects); each set needs members of both groups.
    """
    fits = [_fit(values, first, training[rows].astype(np.float64)) for rows in _blocks(len(training), values.size)]
    weights, cut, shrinkage = (np.concatenate(parts) for parts in zip(*fits, strict=True))
    return Discriminants(weights, cut, shrinkage)


def _fit(values: FloatArray, first: BoolArray, training: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    columns = values.shape[1]
    ours, theirs = training * first, training * ~first
    mean_ours = ours @ values / ours.sum(axis=1, keepdims=True)
    mean_theirs = theirs @ values / theirs.sum(axis=1, keepdims=True)
    m = training.sum(axis=1)
    own_mean = np.where(first[None, :, None], mean_ours[:, None, :], mean_theirs[:, None, :])
    deviation = (values - own_mean) * training[:, :, None]
    spread = np.sqrt((deviation**2).sum(axis=1) / m[:, None])
    overall = np.sqrt(spread**2 + (mean_ours - mean_theirs) ** 2)
    spread = np.maximum(spread, LEAST_SPREAD * overall)
    spread = np.where(spread > 0, spread, 1.0)
    deviation /= spread[:, None, :]

    r = deviation.transpose(0, 2, 1) @ deviation / m[:, None, None]
    identity = np.eye(columns)
    d = ((r - identity) ** 2).sum(axis=(1, 2))
    # Σ‖r_k r_k' − R‖² = Σ‖r_k‖⁴ − m‖R‖²
    b = (((deviation**2).sum(axis=2) ** 2).sum(axis=1) - m * (r**2).sum(axis=(1, 2))) / m**2
    shrinkage = np.clip(np.divide(b, d, out=np.ones_like(b), where=d > 0), LEAST_SHRINKAGE, 1.0)
    if columns == 1:
        shrinkage = np.zeros_like(shrinkage)  # there is nothing to shrink
    covariance = (1 - shrinkage)[:, None, None] * r + shrinkage[:, None, None] * identity
    covariance += identity * (np.einsum("bii->bi", covariance) == 0)[:, :, None]
    gap = (mean_ours - mean_theirs) / spread
    weights = np.linalg.solve(covariance, gap[:, :, None])[:, :, 0] / spread
    cut = (weights * (mean_ours + mean_theirs)).sum(axis=1) / 2
    return weights, cut, shrinkage


@dataclass(frozen=True)
class HeldOut:
    """What discriminants say of objects they have not seen."""

    right: FloatArray
    """Per object 1 if it falls on its own side of the cut, 0 if not, ½ if on the cut."""
    ordered: FloatArray
    """Per pair, one of each group, held out together: 1 if ordered rightly, ½ if tied, NaN if never held out."""


def leave_one_out(values: FloatArray, first: BoolArray) -> HeldOut:
    """Hold out each object in turn for the cut, and each pair of objects, one of each group, for their order.

    Pairs are held out together because margins of different fits are on different scales, which biases the area
    under the curve (Airola, Pahikkala, Waegeman, De Baets and Salakoski 2011).
    """
    n = len(values)
    singles = ~np.eye(n, dtype=bool)
    margins = np.diagonal(discriminants(values, first, singles).margins(values))
    a, b = (indices.ravel() for indices in np.meshgrid(np.flatnonzero(first), np.flatnonzero(~first), indexing="ij"))
    ordered = np.empty(len(a))
    for rows in _blocks(len(a), values.size):
        without = np.ones((len(a[rows]), n), dtype=bool)
        at = np.arange(len(without))
        without[at, a[rows]] = without[at, b[rows]] = False
        fitted = discriminants(values, first, without)
        gap = (fitted.weights * (values[a[rows]] - values[b[rows]])).sum(axis=1)
        ordered[rows] = _half_on_zero(gap)
    return HeldOut(_sided(margins, first), ordered.reshape(int(first.sum()), -1))


def by_folds(values: FloatArray, first: BoolArray, fold: IntArray) -> HeldOut:
    """Hold out one fold at a time; pairs count where both objects stand in one fold."""
    folds = np.arange(fold.max() + 1)
    margins = discriminants(values, first, fold[None, :] != folds[:, None]).margins(values)
    own = margins[fold, np.arange(len(values))]
    together = fold[first][:, None] == fold[~first][None, :]
    order = _half_on_zero(own[first][:, None] - own[~first][None, :])
    return HeldOut(_sided(own, first), np.where(together, order, np.nan))


def stratified_folds(first: BoolArray, folds: int, seed: int) -> IntArray:
    """Deal the objects of each group out to folds at random, as evenly as possible."""
    random = stream(seed, FOLDS, 0)
    fold = np.empty(len(first), dtype=np.int64)
    for members in (np.flatnonzero(first), np.flatnonzero(~first)):
        fold[random.permutation(members)] = np.arange(len(members)) % folds
    return fold


def separation(held_out: HeldOut, first: BoolArray, ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return accuracy, balanced accuracy and area under the curve under multiplicities of the objects.

    Parameters
    ----------
    held_out
        What was found on objects that were held out.
    first
        Which objects belong to the first group.
    ours, theirs
        Multiplicities of the objects of each group, (members, B); ones for the data itself.

    Returns
    -------
    array
        Of shape (3, B).
    """
    one, other = held_out.right[first] @ ours, held_out.right[~first] @ theirs
    n_one, n_other = ours.sum(axis=0), theirs.sum(axis=0)
    paired = ~np.isnan(held_out.ordered)
    area = (ours * (np.where(paired, held_out.ordered, 0.0) @ theirs)).sum(axis=0)
    pairs = (ours * (paired.astype(np.float64) @ theirs)).sum(axis=0)
    area = np.divide(area, pairs, out=np.full(area.shape, np.nan), where=pairs > 0)
    return np.stack([(one + other) / (n_one + n_other), (one / n_one + other / n_other) / 2, area])


def _sided(margins: FloatArray, first: BoolArray) -> FloatArray:
    return _half_on_zero(np.where(first, margins, -margins))


def _half_on_zero(margins: FloatArray) -> FloatArray:
    return np.asarray((np.sign(margins) + 1) / 2)


def _blocks(sets: int, elements: int) -> Iterator[slice]:
    width = max(1, BLOCK // elements)
    return (slice(at, at + width) for at in range(0, sets, width))
