"""Parts of `rank`: rankings from votes and from scores, what covariates explain, and the habits of raters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from metassay import engine
from metassay.core.note import Note
from metassay.core.votes import TIE, Votes
from metassay.errors import UsageError, listed
from metassay.stats import votes as counting
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import bootstrap, sums_by_cluster
from metassay.stats.intervals import percentiles
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.statistics.correlations import KENDALL, PEARSON
from metassay.studies.rank_rows import GapRow, RankAgreementRow, StandingRow, WinRow
from metassay.studies.rank_standings import Ranked, largest_first

PEOPLE, POOLED, OTHERS = "people", "all raters", "other raters"
FEW = 20
"""With fewer inputs or raters, a cluster-robust interval is too short, and a note says so."""
FEW_JUDGES = 2
"""With more, the table says better who ranks as people do."""
PLAYED, MOST_PLAYED = 200, 50_000
"""Samples that Elo ratings are played in, and votes above which they are played once only."""

# -- votes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Group:
    """Votes that make one ranking."""

    name: str
    kind: str
    votes: Votes
    codes: IntArray | None
    """The input or rater of each vote; None if each vote stands by itself."""

    @cached_property
    def clusters(self) -> IntArray | None:
        """What belongs together, 0, 1, …; None if that is each vote by itself."""
        own = None if self.codes is None else np.unique(self.codes, return_inverse=True)[1]
        return None if own is None or int(own.max()) + 1 == len(own) else own

    @property
    def raters(self) -> tuple[str, ...]:
        """Who voted."""
        return tuple(self.votes.raters[r] for r in np.unique(self.votes.rater))

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of t."""
        return math.inf if self.codes is None else len(np.unique(self.codes)) - 1

    @cached_property
    def tally(self) -> counting.Tally:
        """The votes, counted."""
        v = self.votes
        return counting.tally(first_of(v), second_of(v), v.outcome, len(v.systems), self.clusters)


def groups(
    votes: Votes, human: str | Iterable[str] | None, metric: str | Iterable[str] | None, unit: str
) -> list[Group]:
    """Return people together, and every judge; all raters together if nobody is known to be a person."""
    people = votes.humans if human is None else votes.find(human)
    others = [rater for rater in votes.raters if rater not in people]
    if metric is not None:
        judges: Sequence[str] = votes.find(metric)
    else:
        judges = others if human is not None else [rater for rater in others if votes.kinds.get(rater) == "metric"]
    if both := set(people) & set(judges):
        raise UsageError(f"{listed(sorted(both))}: a rater is either human or a judge; name each once")
    chosen: list[tuple[str, str, Sequence[str]]] = [(PEOPLE, "human", people)] if people else []
    rest = [rater for rater in others if rater not in judges] if metric is None else []
    if rest:
        name = rest[0] if len(rest) == 1 else OTHERS if len(rest) < len(votes.raters) else POOLED
        chosen.append((name, "", rest))
    chosen += [(judge, "metric", (judge,)) for judge in judges]
    found = []
    for name, kind, raters in chosen:
        own = votes if set(raters) == set(votes.raters) else votes.of(raters)
        codes = {"inputs": own.input, "raters": own.rater, "votes": None}[unit]
        found.append(Group(name, kind, own, codes))
    return found


def by_counts(group: Group, statistic: str, resamples: int, seed: int) -> Ranked:
    """Return a ranking by win rates or Elo ratings."""
    found, fixed = counted(group)
    none = np.full((len(fixed["n"]),) * 2, math.nan)
    if statistic == "elo":
        v = group.votes
        values = np.where(fixed["n"] > 0, counting.elo(v.a, v.b, v.outcome, len(v.systems)), math.nan)
        covariance = none
        if group.df >= 1 and len(v) <= MOST_PLAYED and resamples > 1:
            played = (first_of(v), second_of(v), v.outcome, len(v.systems), group.clusters)
            drawn = counting.bootstrap_elo(*played, min(resamples, PLAYED), seed)
            fixed["samples"], covariance = drawn, np.cov(drawn)
    else:
        values, covariance = fixed["won"], none if group.df < 1 else counting.win_rate_covariance(found)
    return Ranked(group.name, group.kind, statistic, values, covariance, expected=none[0], **fixed)


def by_strengths(
    group: Group, ties: str, resamples: int, seed: int, *, drawn: bool
) -> tuple[Ranked, counting.Strengths]:
    """Return a ranking by strengths, and the fit."""
    found, fixed = counted(group)
    fit = counting.bradley_terry(found, ties)
    samples, covariance = None, fit.covariance
    held = bool((~fit.bounded & (fixed["n"] > 0)).any())  # no sample of the votes shows how far these may vary
    if group.df < 1:
        covariance = np.full(covariance.shape, math.nan)
    elif drawn and not held:
        samples = counting.bootstrap_strengths(found, resamples, seed, ties, run=engine.run)
    method = "model" if held else "sandwich"
    fixed |= {"expected": expected(fit), "samples": samples, "method": method}
    return Ranked(group.name, group.kind, "bradley-terry", fit.values, covariance, **fixed), fit


def counted(group: Group) -> tuple[counting.Tally, dict[str, Any]]:
    """Return the counts, and what all rankings from them share."""
    found = group.tally
    points = found.points
    n = np.rint(points.sum(axis=1) + points.sum(axis=0)).astype(np.int64)
    together = counting.connections(found)[0]
    return found, {"components": together, "won": counting.win_rates(found)[0], "n": n, "df": group.df}


def expected(fit: counting.Strengths) -> FloatArray:
    """Return the mean chance of each system against the others of its component."""
    chances = fit.chances()
    np.fill_diagonal(chances, math.nan)
    known = ~np.isnan(chances)
    return quotient(np.where(known, chances, 0.0).sum(axis=1), known.sum(axis=1))


def wins(group: Group, fit: counting.Strengths | None) -> Iterator[WinRow]:
    """Yield every pair of systems that met."""
    found, names = group.tally, group.votes.systems
    chances = None if fit is None else fit.chances()
    for i, j, (won, tied, lost) in zip(found.first, found.second, found.counts.T, strict=True):
        chance = math.nan if chances is None else float(chances[i, j])
        share_ = float((won + tied / 2) / (won + tied + lost))
        yield WinRow(group.name, names[i], names[j], int(won), int(tied), int(lost), share_, chance)


def joint_samples(one: Group, other: Group, ties: str, resamples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return strengths by two raters in the same samples of inputs or raters, (systems, resamples) each."""
    n = len(one.votes.systems)
    if other.df < 1 <= one.df:  # of one judge there is no other sample; its strengths stay as they are
        drawn = counting.bootstrap_strengths(one.tally, resamples, seed, ties, run=engine.run)
        return drawn, np.repeat(counting.bradley_terry(other.tally, ties).values[:, None], resamples, axis=1)
    a, b, outcome = (
        np.concatenate([get(one.votes), get(other.votes)]) for get in (first_of, second_of, lambda v: v.outcome)
    )
    # The other's systems are a side of their own.
    shift = np.repeat([0, n], [len(one.votes), len(other.votes)])
    clusters = None
    if one.codes is not None and other.codes is not None:
        clusters = np.unique(np.concatenate([one.codes, other.codes]), return_inverse=True)[1]
    both = counting.tally(a + shift, b + shift, outcome, 2 * n, clusters)
    drawn = counting.bootstrap_strengths(both, resamples, seed, ties, sides=2, run=engine.run)
    return drawn[:n], drawn[n:]


def first_of(votes: Votes) -> IntArray:
    """Return the system A of each vote."""
    return votes.a.astype(np.int64)


def second_of(votes: Votes) -> IntArray:
    """Return the system B of each vote."""
    return votes.b.astype(np.int64)


# -- scores -----------------------------------------------------------------------------------------------------------


def by_scores(
    name: str, kind: str, values: FloatArray, clusters: IntArray, samples: FloatArray | None = None
) -> Ranked:
    """Return a ranking by mean scores (systems, inputs), NaN for missing."""
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    means = quotient(np.where(known, values, 0.0).sum(axis=1), n)
    influence = sums_by_cluster(np.where(known, quotient(values - means[:, None], n[:, None]), 0.0), clusters)
    size = influence.shape[1]
    covariance = influence @ influence.T * (size / (size - 1)) if size > 1 else np.full((len(n),) * 2, math.nan)
    above = np.stack([_points(values - own) for own in values])
    both = np.stack([(known & own).sum(axis=1) for own in known])
    np.fill_diagonal(both, 0)
    np.fill_diagonal(above, 0.0)
    won = quotient(both.sum(axis=0) - above.sum(axis=0), both.sum(axis=0))
    none, together = np.full(len(n), math.nan), np.zeros(len(n), dtype=np.int64)
    return Ranked(name, kind, "mean", means, covariance, size - 1, together, 1 - won, n, none, samples)


def _points(gaps: FloatArray) -> FloatArray:
    """Return how often each row is ahead, ties counted half."""
    return np.asarray(((gaps > 0) + 0.5 * (gaps == 0)).sum(axis=1), dtype=np.float64)


def score_wins(name: str, systems: Sequence[str], values: FloatArray) -> Iterator[WinRow]:
    """Yield every pair of systems that share inputs."""
    for i, one in enumerate(systems):
        for j in range(i + 1, len(systems)):
            gap = values[i] - values[j]
            won, tied, lost = int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum())
            if won + tied + lost:
                share_ = (won + tied / 2) / (won + tied + lost)
                yield WinRow(name, one, systems[j], won, tied, lost, share_, math.nan)


def mean_samples(values: FloatArray, clusters: IntArray, resamples: int, seed: int) -> FloatArray:
    """Return means (k, systems, resamples) of columns (k, systems, inputs) in the same samples of clusters."""
    known = ~np.isnan(values)
    above, below = (
        sums_by_cluster(part, clusters) for part in (np.where(known, values, 0.0), known.astype(np.float64))
    )
    return bootstrap(lambda w: quotient(above @ w, below @ w), above.shape[-1], resamples, seed)


# -- agreement of rankings --------------------------------------------------------------------------------------------


def agreement(
    people: Ranked, judge: Ranked, samples: tuple[FloatArray, FloatArray], confidence: float
) -> list[RankAgreementRow]:
    """Return how far two rankings agree, over the systems of the largest component that both share."""
    known = ~np.isnan(people.values + judge.values)
    shared = np.unique(np.stack([people.components, judge.components]), axis=1, return_inverse=True)[1].ravel()
    parts = largest_first(shared, known)
    at = parts[0] if parts else np.array([], dtype=np.int64)
    sides = [each.ahead(confidence)[np.ix_(at, at)][np.triu_indices(len(at), 1)] for each in (people, judge)]
    human, metric = sides
    counts = {
        "same": int((human * metric > 0).sum()),
        "opposite": int((human * metric < 0).sum()),
        "human_only": int(((human != 0) & (metric == 0)).sum()),
        "metric_only": int(((human == 0) & (metric != 0)).sum()),
    }
    rows = []
    for statistic in (KENDALL, PEARSON):
        value, low, high, lost = math.nan, math.nan, math.nan, 0
        if len(at) > 2:
            x, z = judge.values[at][:, None], people.values[at][:, None]
            value = float(statistic.of_vectors([x], z, [None])[0, 0])
            drawn = statistic.of_vectors([samples[1][at]], samples[0][at], [None])[0]
            lost = int(np.isnan(drawn).sum())
            ends = percentiles(drawn[None], confidence)
            low, high = float(ends[0][0]), float(ends[1][0])
        found = (value, low, high, confidence, samples[0].shape[1], lost, len(at), len(human))
        rows.append(RankAgreementRow(judge.metric, people.metric, statistic.name, *found, **counts))
    return rows


def answers(
    table: Sequence[StandingRow],
    agreed: Sequence[RankAgreementRow],
    unsure: Sequence[str] = (),
    unit: str = "inputs",
    by: str = "",
) -> list[Note]:
    """Say who is best by each ranking, whom it does not beat significantly, and whether judges agree with people.

    Rankings that are `unsure` rest on too few units to claim any significance. `by` names what two rankings are
    compared by, if that is not what the table shows.
    """
    notes = []
    leaders: dict[tuple[str, str, int], list[StandingRow]] = {}
    for row in table:
        leaders.setdefault((row.metric, row.statistic, row.component), []).append(row)
    few = len(agreed) <= 2 * FEW_JUDGES
    for (metric, statistic, component), rows in leaders.items():
        if metric != table[0].metric and not few:
            continue
        if statistic != table[0].statistic or component > 1 or len(rows) < 2:
            continue
        tied = [row.system for row in rows[1:] if row.rank == 1]
        if rows[0].rank_low is None and not tied and metric not in unsure:
            continue
        level = [row.system for row in rows[1:] if (row.rank_low or 1) == 1]
        grouped = (metric, statistic, 2) in leaders
        facts = {"metric": metric, "system": rows[0].system, "systems": len(rows), "grouped": grouped}
        if tied:
            notes.append(Note.of("ranking-tied", **{**facts, "system": [rows[0].system, *tied]}))
        elif metric in unsure:
            notes.append(Note.of("ranking-few", **facts, unit=unit, least=FEW))
        elif level:
            notes.append(Note.of("ranking-shared", **facts, level=level))
        else:
            del facts["systems"]
            notes.append(Note.of("ranking-best", **facts, others=len(rows) - 1))
    for one in agreed:
        if one.statistic == "kendall" and few and not math.isnan(one.estimate):
            facts = {name: getattr(one, name) for name in ("metric", "human", "estimate", "low", "high", "confidence")}
            if {one.metric, one.human} & {*unsure}:
                notes.append(Note.of("rankings-agree-few", **facts, by=by, unit=unit))
            else:
                counts = {"pairs": one.n_pairs, "same": one.same, "opposite": one.opposite}
                notes.append(Note.of("rankings-agree", **facts, by=by, **counts))
        elif one.statistic == "kendall" and math.isnan(one.estimate):
            notes.append(Note.of("rankings-too-short", metric=one.metric, human=one.human, n=one.n_systems))
    return notes


def note_on_gaps(ranked: Ranked, systems: Sequence[str], gaps: Sequence[GapRow], unit: str) -> list[Note]:
    """Note which systems are not significantly different, and how many votes or inputs the first such pair needs."""
    known = [row for row in gaps if row.needed is not None]
    if not known or ranked.without_width:
        return []
    apart = ranked.separated(known[0].confidence)
    order = sorted(np.flatnonzero(~np.isnan(ranked.values)).tolist(), key=lambda s: -ranked.values[s])
    met = [(a, b) for a, b in combinations(order, 2) if ranked.components[a] == ranked.components[b]]
    same = [(systems[a], systems[b]) for a, b in met if not apart[a, b]]
    # The first neighbours that are not significantly different; if all are, the closest.
    row = next((row for row in known if not row.significant), max(known, key=lambda row: row.needed or 0))
    facts = {
        name: getattr(row, name)
        for name in ("metric", "difference", "low", "high", "confidence", "needed", "n", "power")
    }
    named = {"one": row.system_a, "other": row.system_b, "unit": unit, "pairs": len(met), "same": same}
    return [Note.of("gaps-between-ranks", **facts, **named)]


def notes_on(groups_: Sequence[Group], found: Sequence[tuple[Ranked, counting.Strengths]], unit: str) -> list[Note]:
    """Note what holds rankings back: systems that never met, or never lost, and units too few."""
    notes = []
    for group, (one, fit) in zip(groups_, found, strict=True):
        systems = np.array(group.votes.systems)
        known = one.n > 0
        parts = largest_first(fit.components, known)
        apart = {"parts": len(parts), "groups": [f"({listed(systems[p], 3)})" for p in parts]}
        notes += Note.when(len(parts) > 1, "votes-disconnected", metric=one.metric, **apart)
        if one.without_width and group.df >= 1:
            tied = bool((group.votes.winner >= TIE).all())
            notes.append(Note.of("votes-without-width", metric=one.metric, ties=tied))
        elif (~fit.bounded & known).any():
            always = [str(s) for s in systems[known & (one.won == 1)]]
            never = [str(s) for s in systems[known & (one.won == 0)]]
            facts = {"metric": one.metric, "always": always, "never": never, "virtual": counting.THIN}
            notes.append(Note.of("strength-unbounded", **facts))
        if group.df < FEW - 1:
            called = unit.removesuffix("s") if group.df < 1 else unit
            notes.append(Note.of("few-clusters", metric=one.metric, unit=called, n=int(group.df) + 1))
        absent = [str(s) for s in systems[~known]]
        notes += Note.when(absent, "systems-without-votes", metric=one.metric, systems=absent)
    return notes
