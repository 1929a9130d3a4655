"""Which system wins, from votes or scores?

Ranks systems from votes on two outputs at a time, or from scores. Strengths (Bradley-Terry) have confidence intervals,
and so do ranks: a rank of 2 to 4 means that two other systems are not significantly different. The votes of all people
give one ranking, those of each judge another. If there are both, the command reports how well they agree.

    metassay rank votes.csv
    metassay rank votes.csv --human dora,emil,farah,goran --statistic bradley-terry,win-rate,elo
    metassay rank votes.csv --human dora,emil,farah,goran --covariate position --interval bootstrap
    metassay rank scores.csv --human relevance --figure ranking.svg
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from metassay.core import options as opt
from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import refuse_given, study
from metassay.core.votes import Votes
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.stats.votes import Strengths
from metassay.studies import rank_parts as parts
from metassay.studies.rank_covariates import controlled
from metassay.studies.rank_raters import notes_on_raters, raters
from metassay.studies.rank_rows import CovariateRow, GapRow, RankAgreementRow, RaterRow, StandingRow, WinRow
from metassay.studies.rank_standings import Ranked
from metassay.studies.selection import Selection, select_columns


class Ranking(Result, study="rank"):
    """Who wins, with intervals of strengths and of ranks."""

    table: Sequence[StandingRow]
    """One row per ranking, statistic and system, the best first."""
    agreement: tuple[RankAgreementRow, ...] = ()
    """Whether each judge or metric ranks as people do."""
    wins: tuple[WinRow, ...] = ()
    """Every two systems that were compared."""
    covariates: tuple[CovariateRow, ...] = ()
    """Effects of length, position or style."""
    raters: tuple[RaterRow, ...] = ()
    """Voting patterns of raters, those with the most votes first."""
    gaps: tuple[GapRow, ...] = ()
    """Neighbours in each ranking, and how many votes or inputs their difference needs."""


@study
def rank(
    votes: Votes | Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    statistic: opt.Rankings = None,
    ties: opt.Ties = "half",
    covariate: opt.Covariates = None,
    interval: opt.RankInterval = "sandwich",
    resample: opt.VoteUnits = "inputs",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Ranking:
    """Rank systems by votes or by scores, with intervals of strengths and of ranks.

    Parameters
    ----------
    votes
        Votes (`metassay.read_votes`), of which `human` and `metric` name raters; or scores, of which they name columns.

    Notes
    -----
    Bradley and Terry (1952): logit P(A beats B) = β_A − β_B, with mean 0; ties after Davidson (1970) on request. If a
    system never loses, or never wins, strengths are unbounded (Ford 1957), and each system of the component gets
    half a virtual vote against an average system, half won; the covariance is then that of the penalised
    likelihood, H⁻¹, if it is larger. Otherwise it is H⁻¹ΣggᵀH⁻¹·C/(C − 1) over C inputs (or raters; without the
    factor if each has one vote), with t of C − 1 degrees of freedom, or over votes with the normal distribution.
    With covariates it is also multiplied by (n − 1)/(n − k). A rank starts after all systems that are significantly
    better and ends before all that are significantly worse, without correction over pairs; with the bootstrap it is
    a percentile interval of ranks. Elo ratings are computed in the order of the file; their intervals are
    percentiles over at most 200 samples, each in a random order (none above 50,000 votes). With covariates x, logit
    P = β_A − β_B + γ·(x_A − x_B). The agreement of two rankings has a percentile interval from samples that both
    share. Gaps between neighbours are differences of strengths, or of means, with the interval that was asked for;
    `needed` is the smallest n for which noncentral t, with the standard error and the degrees of freedom of n votes
    or inputs, has a power of 80% at α = 1 − confidence.

    Examples
    --------
    >>> votes = Votes.from_arrays(["x"] * 4, ["y"] * 4, ["a", "a", "a", "b"])
    >>> [(row.system, round(row.estimate, 2), row.rank) for row in rank(votes).table]  # log 3 apart
    [('x', 0.55, 1), ('y', -0.55, 2)]
    """
    drawing = _Drawing(interval, confidence, resamples, seed)
    if isinstance(votes, Scores):
        refuse_given(rank, {"ties": ties, "covariate": covariate, "resample": resample}, "votes", "scores")
        if statistic not in (None, ("mean",)):
            raise UsageError(
                f"{', '.join(statistic)} needs votes, and these are scores, which are ranked by their mean"
            )
        columns = select_columns(votes, human, metric, references=references, with_people=True).need(systems=2)
        return _from_scores(columns, drawing)
    refuse_given(rank, {"references": references}, "scores", "votes")
    if statistic is not None and "mean" in statistic:
        raise UsageError(f"mean needs scores, and these are votes; choose {', '.join(vocabulary.RANKINGS[:3])}")
    groups = parts.groups(votes, human, metric, resample)
    return _from_votes(
        votes, groups, drawing, tuple(statistic or ("bradley-terry",)), ties, tuple(covariate or ()), resample
    )


class _Drawing(NamedTuple):
    """How intervals are made."""

    interval: str
    confidence: float
    resamples: int
    seed: int

    @property
    def drawn(self) -> bool:
        return self.interval == "bootstrap"


def _from_votes(
    votes: Votes,
    groups: Sequence[parts.Group],
    drawing: _Drawing,
    wanted: Sequence[str],
    ties: str,
    covariates: Sequence[str],
    unit: str,
) -> Ranking:
    table: list[StandingRow] = []
    explained: list[CovariateRow] = []
    wins: list[WinRow] = []
    agreed: list[RankAgreementRow] = []
    gaps: list[GapRow] = []
    found: list[tuple[Ranked, Strengths]] = []
    for group in groups:
        main, fit = parts.by_strengths(group, ties, drawing.resamples, drawing.seed, drawn=drawing.drawn)
        found.append((main, fit))
        drawn = drawing.resamples, drawing.seed
        rankings = [main if each == "bradley-terry" else parts.by_counts(group, each, *drawn) for each in wanted]
        if covariates:
            held, rows = controlled(group, covariates, main.values, drawing.confidence)
            rankings.append(held)
            explained += rows
        table += [row for each in rankings for row in each.rows(votes.systems, drawing.confidence)]
        wins += parts.wins(group, fit)
        gaps += main.gaps(votes.systems, len(group.votes), drawing.confidence)
        if group is not groups[0] and groups[0].kind == "human":
            samples = parts.joint_samples(groups[0], group, ties, drawing.resamples, drawing.seed)
            agreed += parts.agreement(found[0][0], main, samples, drawing.confidence)
    habits = raters(votes, groups, drawing.confidence)
    few = [group.name for group in groups if group.df < parts.FEW - 1]
    by = "" if "bradley-terry" in wanted else "Bradley-Terry strength"
    notes = [*parts.answers(table, agreed, few, unit, by), *votes.notes, *parts.notes_on(groups, found, unit)]
    if groups[0].name not in few and "bradley-terry" in wanted:
        mine = [row for row in gaps if row.metric == groups[0].name]
        notes += parts.note_on_gaps(found[0][0], votes.systems, mine, "votes")
    notes += notes_on_raters(habits)
    notes += Note.when("elo" in wanted, "elo-order")
    unknown = sum(len(group.raters) for group in groups if not group.kind)
    notes += Note.when(unknown > 0, "raters-unknown", n=unknown)
    sizes = {"systems": len(votes.systems), "inputs": len(votes.inputs), "votes": len(votes)}
    shown: dict[str, Any] = _undrawn(drawing, agreed)
    if "elo" in wanted:
        shown = {**shown, "elo": ("bootstrap", min(drawing.resamples, parts.PLAYED)), "seed": drawing.seed}
    signature = Signature.open(coef=wanted, **sizes, **shown)
    tables = (tuple(agreed), tuple(wins), tuple(explained), tuple(habits), tuple(gaps))
    return Ranking(tuple(table), signature, tuple(notes), *tables)


def _from_scores(columns: Selection, drawing: _Drawing) -> Ranking:
    systems, n = columns.scores.systems, columns.scores.shape[1]
    labels = columns.labels("inputs")
    clusters = np.arange(n) if labels is None else labels
    both = 0 < len(columns.humans) < len(columns.names)
    samples: FloatArray | None = None
    if (drawing.drawn or both) and clusters.max() > 0:
        samples = parts.mean_samples(columns.values, clusters, drawing.resamples, drawing.seed)
    ranked = [
        parts.by_scores(name, kind, own, clusters, samples[at] if drawing.drawn and samples is not None else None)
        for at, (name, kind, own) in enumerate(zip(columns.names, columns.kinds, columns.values, strict=True))
    ]
    table = [row for each in ranked for row in each.rows(systems, drawing.confidence)]
    wins = [
        row
        for name, own in zip(columns.names, columns.values, strict=True)
        for row in parts.score_wins(name, systems, own)
    ]
    gaps = [row for each in ranked for row in each.gaps(systems, n, drawing.confidence)]
    agreed = []
    if samples is not None and both:
        people = len(columns.humans)
        for h, m in product(range(people), range(people, len(ranked))):
            agreed += parts.agreement(ranked[h], ranked[m], (samples[h], samples[m]), drawing.confidence)
    units = int(clusters.max()) + 1
    few = units < parts.FEW
    notes = [*parts.answers(table, agreed, columns.names if few else ()), *columns.notes]
    flat = [each.metric for each in ranked if each.without_width and units > 1]
    notes += Note.when(flat, "means-without-width", metrics=flat)
    notes += Note.when(any(len(set(each.n.tolist())) > 1 for each in ranked), "means-over-own-inputs")
    notes += Note.when(few, "few-clusters", metric="", unit="inputs" if units > 1 else "input", n=units)
    if not few:
        mine = [row for row in gaps if row.metric == ranked[0].metric]
        notes += parts.note_on_gaps(ranked[0], systems, mine, "inputs")
    shown = {"coef": "mean", "ties": None, "systems": len(systems), "inputs": n}
    signature = Signature.open(**shown, **_undrawn(drawing, agreed))
    return Ranking(tuple(table), signature, tuple(notes), tuple(agreed), tuple(wins), gaps=tuple(gaps))


def _undrawn(drawing: _Drawing, agreed: Sequence[object]) -> dict[str, None]:
    """Return the parts of the signature that say nothing where nothing is drawn."""
    return {} if drawing.drawn or agreed else {"k": None, "seed": None}
