"""Which of two outputs is better: strengths of systems from votes, after Bradley and Terry.

Votes are counted once, by pair of systems and outcome; fits, covariances and bootstraps work on these counts, however
many votes there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from metassay.stats import draws
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.clustered import Estimate, estimate, rank_ranges
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.methods.base import Run, in_turn
from metassay.stats.regressions import Fit, logistic

THIN = 0.5
"""Virtual votes of a system against an average one, half won, where real ones leave strengths without bound."""
SLIGHT = 1e-3
"""The same in bootstrap samples of votes that need none: some samples do."""
HALF, DAVIDSON = "half", "davidson"
"""What ties are: half a win for both, or an outcome of its own (Davidson 1970)."""
STEPS, NEAR = 200, 1e-10


@dataclass(frozen=True, eq=False)
class Tally:
    """Votes, counted by pair of systems and outcome."""

    size: int
    """How many systems there are."""
    first: IntArray
    """The first system of each pair that met, (pairs,)."""
    second: IntArray
    """The second one."""
    counts: FloatArray
    """Votes for the first, ties, votes for the second, (3, pairs)."""
    by_cluster: sparse.csr_array | None = None
    """The same for each cluster of votes, (3 · pairs, clusters), if there are some."""

    @property
    def points(self) -> FloatArray:
        """Points of each system against each other one, ties counted half, systems × systems."""
        out = np.zeros((self.size, self.size))
        won, tied, lost = self.counts
        out[self.first, self.second], out[self.second, self.first] = won + tied / 2, lost + tied / 2
        return out

    @property
    def page(self) -> int:
        """How many samples a page of draws has."""
        return draws.page_size(max(self.counts.size, 0 if self.by_cluster is None else self.by_cluster.shape[1]))

    def resampled(self, page: int, seed: int) -> FloatArray:
        """Return counts in a page of samples of the votes, or of their clusters, with replacement, (3, pairs, B)."""
        random = draws.stream(seed, draws.POINTS, page)
        if self.by_cluster is None:
            total = int(self.counts.sum())
            drawn = random.multinomial(total, self.counts.ravel() / max(total, 1), self.page).T.astype(np.float64)
        else:
            drawn = self.by_cluster @ draws.multiplicities(random, self.by_cluster.shape[1], self.page)
        return drawn.reshape(3, len(self.first), -1)


def tally(a: IntArray, b: IntArray, outcome: FloatArray, size: int, clusters: IntArray | None = None) -> Tally:
    """Count votes.

    Parameters
    ----------
    a, b
        The systems of each vote, by position.
    outcome
        1 if `a` won, 0 if `b` did, ½ for a tie; NaN, and systems against themselves, are left out.
    size
        How many systems there are.
    clusters
        Which votes belong together, 0, 1, …: of one input, or of one rater.

    Examples
    --------
    >>> found = tally(np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1.0, 0.0, 0.5]), 2)
    >>> found.counts.tolist()
    [[2.0], [1.0], [0.0]]
    """
    known = ~np.isnan(outcome) & (a != b)
    a, b, outcome = a[known], b[known], outcome[known]
    turned = a > b
    low, high = np.where(turned, b, a), np.where(turned, a, b)
    kind = np.rint(2 * np.where(turned, outcome, 1 - outcome)).astype(np.int64)
    pairs, pair = np.unique(low * size + high, return_inverse=True)
    cell = kind * len(pairs) + pair
    counts = np.bincount(cell, minlength=3 * len(pairs)).reshape(3, -1).astype(np.float64)
    grouped = None
    if clusters is not None:
        groups = int(clusters.max(initial=-1)) + 1
        entries = (np.ones(len(cell)), (cell, clusters[known]))
        grouped = sparse.csr_array(entries, shape=(3 * len(pairs), groups))
    return Tally(size, pairs // size, pairs % size, counts, grouped)


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of systems: logit P(i beats j) = β_i − β_j."""

    values: FloatArray
    """β, with mean 0 within each component; NaN for systems without votes."""
    covariance: FloatArray
    """Sandwich covariance, by vote or by cluster; that of the model where virtual votes hold strengths."""
    components: IntArray
    """Systems with different numbers never met, not even through others: they cannot be ranked against each other."""
    bounded: BoolArray
    """Whether votes alone bound a strength; if not, virtual votes do."""
    ties: float
    """Davidson's ν, P(tie) ∝ 2ν√(π_i π_j); NaN where ties are half wins."""

    def difference(self, i: int, j: int, confidence: float = 0.95) -> Estimate:
        """Return β_i − β_j with its normal interval; NaN for systems of different components."""
        together = self.components[i] == self.components[j]
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        value = float(self.values[i] - self.values[j]) if together else np.nan
        return estimate(value, max(float(variance), 0.0) if together else np.nan, np.inf, 0, confidence)

    def ranks(self, confidence: float = 0.95) -> tuple[IntArray, IntArray]:
        """Return the best and the worst rank of each system in its component, by :func:`clustered.rank_ranges`."""
        out = np.zeros((2, len(self.values)), dtype=np.int64)
        for own in np.unique(self.components):
            at = np.flatnonzero(self.components == own)
            out[:, at] = rank_ranges(self.values[at], self.covariance[np.ix_(at, at)], np.inf, confidence)
        return out[0], out[1]

    def chances(self) -> FloatArray:
        """Return P(i beats j), ties counted half, systems × systems; NaN across components."""
        gap = self.values[:, None] - self.values
        if not np.isnan(self.ties):
            up, down = np.exp(gap / 2), np.exp(-gap / 2)
            chance = (up + self.ties) / (up + down + 2 * self.ties)
        else:
            chance = expit(gap)
        return np.where(self.components[:, None] == self.components, chance, np.nan)


def bradley_terry(votes: Tally, ties: str = HALF, prior: float | None = None) -> Strengths:
    """Fit strengths to votes by Newton's method.

    Parameters
    ----------
    votes
        The counts.
    ties
        ``half`` counts a tie as half a win for both; ``davidson`` models ties.
    prior
        Virtual votes of each system against an average one, half won. By default :data:`THIN` for systems of a
        component in which some never lose, or never win, against the rest, which leaves strengths unbounded; else 0.

    Notes
    -----
    Bradley and Terry (1952); strengths are finite if and only if each system is reached from each other one through
    wins (Ford 1957). The covariance is H⁻¹ΣggᵀH⁻¹ over votes, or over clusters of votes with C/(C − 1); of strengths
    that virtual votes hold it is H⁻¹, if that is larger.

    Examples
    --------
    >>> votes = tally(np.repeat(0, 4), np.repeat(1, 4), np.array([1.0, 1.0, 1.0, 0.0]), 2)
    >>> (bradley_terry(votes).values * 2).round(4).tolist()  # log 3 apart
    [1.0986, -1.0986]
    """
    modelled = _modelled(votes, ties)
    components, bounded = connections(votes, DAVIDSON if modelled else HALF)
    virtual = np.where(bounded, 0.0, THIN) if prior is None else np.full(votes.size, prior)
    theta = _newton(votes, votes.counts, components, virtual, np.zeros(votes.size + modelled), modelled=modelled)
    met = np.bincount(np.concatenate([votes.first, votes.second]), minlength=votes.size) > 0
    covariance = _covariance(votes, components, virtual, theta, bounded, modelled=modelled)
    covariance[~met], covariance[:, ~met] = np.nan, np.nan
    values = np.where(met, _centred(theta[: votes.size], components), np.nan)
    return Strengths(values, covariance, components, bounded, float(np.exp(theta[-1])) if modelled else np.nan)


def bootstrap_strengths(
    votes: Tally, resamples: int, seed: int, ties: str = HALF, *, sides: int = 1, run: Run = in_turn
) -> FloatArray:
    """Return strengths in samples of the votes, or of their clusters, with replacement, (systems, resamples).

    Samples that leave strengths without bound are held by :data:`SLIGHT` virtual votes. Systems without votes in a
    sample are NaN there. Equally large `sides` of the systems, which never meet, such as those of people and those of
    a judge, are fitted apart in the same samples, each with its own ν. `run` does pages of samples.
    """
    size, fits = votes.size // sides, []
    for side in range(sides):
        at = votes.first // size == side
        own = Tally(size, votes.first[at] % size, votes.second[at] % size, votes.counts[:, at])
        modelled = _modelled(own, ties)
        components, bounded = connections(own, DAVIDSON if modelled else HALF)
        fit = partial(_newton, own, components=components, prior=np.where(bounded, SLIGHT, THIN), modelled=modelled)
        start = fit(own.counts, start=np.zeros(size + modelled))
        fits.append((at, own, components, partial(fit, start=start)))

    def work(page: int) -> FloatArray:
        drawn = votes.resampled(page, seed)[..., : resamples - page * votes.page]
        out = np.full((sides, size, drawn.shape[-1]), np.nan)
        for strengths, (at, own, components, fit) in zip(out, fits, strict=True):
            for b, counts in enumerate(np.moveaxis(drawn[:, at], -1, 0)):
                met = counts.sum(axis=0)
                there = np.bincount(own.first, met, size) + np.bincount(own.second, met, size) > 0
                strengths[:, b] = np.where(there, _centred(fit(counts)[:size], components), np.nan)
        return out.reshape(votes.size, -1)

    return np.concatenate(run(work, -(-resamples // votes.page), "resampling votes"), axis=1)


def _modelled(votes: Tally, ties: str) -> bool:
    """Return whether ties are an outcome of their own; with none, or nothing else, they say nothing of strengths."""
    return ties == DAVIDSON and bool(votes.counts[1].any()) and bool(votes.counts[[0, 2]].any())


def connections(votes: Tally, ties: str = HALF) -> tuple[IntArray, BoolArray]:
    """Return the component of each system, and whether votes alone bound the strengths there.

    Modelled ties tell less than half wins: they grow likelier with ν, too.
    """
    points = votes.points
    _, together = connected_components(sparse.csr_array(points > 0), connection="weak")
    if ties == DAVIDSON:
        points = replace(votes, counts=votes.counts * [[1.0], [0.0], [1.0]]).points
    _, mutual = connected_components(sparse.csr_array(points > 0), connection="strong")
    bounded = np.array([len(np.unique(mutual[together == own])) == 1 for own in together], dtype=np.bool_)
    return together.astype(np.int64), bounded


def rank_intervals(strengths: FloatArray, confidence: float = 0.95) -> tuple[IntArray, IntArray]:
    """Return the best and worst rank of each system in the middle share of bootstrap samples (systems, resamples)."""
    ranks = np.stack([1 + (strengths > own).sum(axis=0) for own in strengths])
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(ranks, tails, axis=1, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)


def win_rates(votes: Tally) -> tuple[FloatArray, FloatArray]:
    """Return each system's share of points over all its votes, and averaged over its opponents; NaN without votes."""
    points = votes.points
    met = points + points.T
    each = quotient(points, met)
    known = ~np.isnan(each)
    average = quotient(np.where(known, each, 0.0).sum(axis=1), known.sum(axis=1))
    return quotient(points.sum(axis=1), met.sum(axis=1)), average


def win_rate_covariance(votes: Tally) -> FloatArray:
    """Return the covariance of shares of points over all votes of each system, by vote or by cluster."""
    rates, _ = win_rates(votes)
    total = votes.points.sum(axis=1) + votes.points.sum(axis=0)
    won = np.array([[1.0], [0.5], [0.0]])
    parts = [
        (quotient(np.broadcast_to(gained, votes.counts.shape) - rates[side], total[side]), side)
        for gained, side in ((won, votes.first), (1 - won, votes.second))
    ]
    return _meat(votes, [(values.ravel(), np.tile(side, 3)) for values, side in parts], votes.size)


START, STEP = 1000.0, 4.0
"""The first Elo rating of every system, and the most points that a vote moves."""


def elo(a: IntArray, b: IntArray, outcome: FloatArray, size: int, k: float = STEP, start: float = START) -> FloatArray:
    """Return Elo ratings after all votes in their order, on a scale on which 400 points are odds of 10 (Elo 1978)."""
    ratings = [start] * size
    for i, j, won in zip(a.tolist(), b.tolist(), outcome.tolist(), strict=True):
        if i != j and won == won:  # not NaN
            gain = k * (won - 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400)))
            ratings[i] += gain
            ratings[j] -= gain
    return np.array(ratings)


def bootstrap_elo(
    a: IntArray, b: IntArray, outcome: FloatArray, size: int, clusters: IntArray | None, resamples: int, seed: int
) -> FloatArray:
    """Return Elo ratings in samples of the votes, or of their clusters, each in an order of its own, (systems, B).

    All samples are played at once, a vote of each at a time; a sample that is shorter than others has rated earlier.
    """
    random = draws.stream(seed, draws.POINTS, 0)
    own = np.arange(len(a)) if clusters is None else clusters
    times = draws.multiplicities(random, int(own.max()) + 1, resamples)[own].astype(np.int32)
    orders = [random.permutation(np.repeat(np.arange(len(a)), column)) for column in times.T]
    # The vote of nobody against nobody fills up what is shorter.
    played = np.full((max(map(len, orders)), resamples), len(a), dtype=np.int32)
    for at, order in enumerate(orders):
        played[: len(order), at] = order
    first, second, won = np.append(a, size), np.append(b, size), np.append(outcome, 0.5)
    ratings, each = np.full((resamples, size + 1), START), np.arange(resamples)
    for votes in played:
        i, j = first[votes], second[votes]
        gain = STEP * (won[votes] - 1 / (1 + 10 ** ((ratings[each, j] - ratings[each, i]) / 400)))
        ratings[each, i] += gain
        ratings[each, j] -= gain
    return np.asarray(ratings[:, :size].T)


def with_covariates(
    a: IntArray, b: IntArray, outcome: FloatArray, size: int, covariates: FloatArray, clusters: IntArray | None = None
) -> tuple[Strengths, Fit]:
    """Fit strengths at equal covariates: logit P(a beats b) = β_a − β_b + γ·(what `a` has more of than `b`).

    Parameters
    ----------
    a, b, outcome, size, clusters
        As in :func:`tally`.
    covariates
        Votes × columns, such as the difference of lengths, or 1 where `a` was shown first and −1 where `b` was; votes
        with NaN are left out.

    Returns
    -------
    Strengths, Fit
        Strengths, and the regression, in which the columns of systems come first, then those of the covariates.
    """
    known = ~np.isnan(outcome) & (a != b) & ~np.isnan(covariates).any(axis=1)
    a, b, outcome, covariates = a[known], b[known], outcome[known], covariates[known]
    own = None if clusters is None else clusters[known]
    components, bounded = connections(tally(a, b, outcome, size))
    rows = np.arange(len(a))
    entries = (np.repeat([1.0, -1.0], len(a)), (np.tile(rows, 2), np.concatenate([a, b])))
    systems = sparse.csr_array(entries, shape=(len(a), size))
    design = sparse.csr_array(sparse.hstack([systems, sparse.csr_array(covariates)]))
    # As in plain fits: the mean of a component is 0, and what has no bound is held by what virtual votes are worth.
    ridge = np.zeros((design.shape[1],) * 2)
    ridge[:size, :size] = _together(components) + np.diag(np.where(bounded, 0.0, THIN / 4))
    rank = design.shape[1] - len(np.unique(components))
    fit = logistic(design, outcome, own, ridge=ridge, rank=rank)
    met = np.bincount(np.concatenate([a, b]), minlength=size) > 0
    values = np.where(met, _centred(fit.coefficients[:size], components), np.nan)
    return Strengths(values, fit.covariance[:size, :size], components, bounded, np.nan), fit


def _centred(values: FloatArray, components: IntArray) -> FloatArray:
    means = np.bincount(components, values) / np.bincount(components)
    return np.asarray(values - means[components])


def _outcomes(theta: FloatArray, votes: Tally, *, modelled: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P of the three outcomes, and what each adds to the gradient along β_i − β_j and log ν, (3, pairs)."""
    gap = theta[votes.first] - theta[votes.second]
    if not modelled:
        p = expit(gap)
        return np.stack([p, 0 * p, 1 - p]), np.array([[1.0], [0.5], [0.0]]) - p, np.zeros((3, len(p)))
    logits = np.stack([gap / 2, np.full(len(gap), np.log(2) + theta[-1]), -gap / 2])
    chances = np.exp(logits - logits.max(axis=0))
    chances /= chances.sum(axis=0)
    along = np.array([[0.5], [0.0], [-0.5]]) - (chances[0] - chances[2]) / 2
    return chances, along, np.array([[0.0], [1.0], [0.0]]) - chances[1]


def _newton(
    votes: Tally, counts: FloatArray, components: IntArray, prior: FloatArray, start: FloatArray, *, modelled: bool
) -> FloatArray:
    """Return strengths, and log ν if ties are modelled, at which the gradient is 0."""
    theta = start.copy()
    for _ in range(STEPS):
        step = np.linalg.solve(*_derivatives(theta, votes, counts, components, prior, modelled=modelled)[::-1])
        largest = float(np.abs(step).max(initial=0.0))
        theta += step * min(1.0, 3.0 / max(largest, 1e-300))
        if largest < NEAR:
            break
    return theta


def _derivatives(
    theta: FloatArray, votes: Tally, counts: FloatArray, components: IntArray, prior: FloatArray, *, modelled: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of the log likelihood, and its curvature with the sign turned.

    Votes say nothing of the mean of a component; a penalty of its square, which costs nothing else, makes it 0.
    """
    n, (i, j), total = votes.size, (votes.first, votes.second), counts.sum(axis=0)
    chances, along, tied = _outcomes(theta, votes, modelled=modelled)
    own = (counts * along).sum(axis=0)
    pull = expit(theta[:n])
    gradient = np.bincount(i, own, n) - np.bincount(j, own, n) + prior * (0.5 - pull)
    curvature = np.zeros((len(theta), len(theta)))
    bent = total * (chances * along**2).sum(axis=0)
    curvature[i, j] = curvature[j, i] = -bent
    diagonal = np.bincount(i, bent, n) + np.bincount(j, bent, n) + prior * pull * (1 - pull)
    curvature[range(n), range(n)] = diagonal
    together = _together(components)
    gradient -= together @ theta[:n]
    curvature[:n, :n] += together
    if modelled:
        mixed = total * (chances * along * tied).sum(axis=0)
        curvature[:n, n] = curvature[n, :n] = np.bincount(i, mixed, n) - np.bincount(j, mixed, n)
        # A sample may have no ties at all; where strengths are held, ν is, slightly.
        hold = min(float(prior.min()), SLIGHT)
        curvature[n, n] = (total * (chances * tied**2).sum(axis=0)).sum() + hold
        gradient = np.append(gradient, (counts * tied).sum() - hold * theta[n])
    return gradient, curvature


def _together(components: IntArray) -> FloatArray:
    return np.asarray(components[:, None] == components, dtype=np.float64)


def _covariance(
    votes: Tally, components: IntArray, prior: FloatArray, theta: FloatArray, bounded: BoolArray, *, modelled: bool
) -> FloatArray:
    """Return the sandwich covariance of strengths, by vote or by cluster.

    Where virtual votes hold strengths, real ones hardly vary about them, however few they are; there it is the inverse
    curvature of the penalised likelihood, if that is larger.
    """
    size = len(theta)
    bread = np.linalg.inv(_derivatives(theta, votes, votes.counts, components, prior, modelled=modelled)[1])
    _, along, tied = _outcomes(theta, votes, modelled=modelled)
    parts = [(along.ravel(), np.tile(votes.first, 3)), (-along.ravel(), np.tile(votes.second, 3))]
    if modelled:
        parts.append((tied.ravel(), np.full(tied.size, size - 1)))
    covariance: FloatArray = (bread @ _meat(votes, parts, size) @ bread)[: votes.size, : votes.size]
    for own in np.unique(components[~bounded]):
        at = np.ix_(components == own, components == own)
        if np.trace(bread[: votes.size, : votes.size][at]) > np.trace(covariance[at]):
            covariance[at] = bread[: votes.size, : votes.size][at]
    # Strengths have mean 0 in each component, and so have their errors.
    centre = np.eye(votes.size) - _together(components) / np.bincount(components)[components]
    return np.asarray(centre @ covariance @ centre.T)


def _meat(votes: Tally, parts: list[tuple[FloatArray, IntArray]], size: int) -> FloatArray:
    """Return Σggᵀ over votes, or over clusters with C/(C − 1); `parts` are what cells (3 · pairs) add to which row."""
    values, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
    cells = np.tile(np.arange(votes.counts.size), len(parts))
    scores = sparse.csr_array((values, (rows, cells)), shape=(size, votes.counts.size))
    if votes.by_cluster is None:
        return np.asarray((scores @ sparse.diags_array(votes.counts.ravel()) @ scores.T).todense())
    sums, groups = scores @ votes.by_cluster, votes.by_cluster.shape[1]
    return np.asarray((sums @ sums.T).todense() * (groups / max(groups - 1, 1)))
