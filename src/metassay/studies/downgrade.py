"""Does a metric notice corrupted texts?

Corrupts the outputs of one system at a time and tests whether a metric then ranks this system below systems that it had
scored significantly lower. A metric that agrees with people on coherence but does not react to shuffled sentences
measures something else. From texts, the command corrupts and scores the outputs itself, and with --rates also parts of
them. From scores, it compares those before and after the corruption.

    metassay downgrade texts.jsonl --metric rouge,chrf --corruption lemmatize,shuffle,swap-persons
    metassay downgrade texts.jsonl --metric chrf --corruption shuffle --rates 0.1,0.25,0.5,1
    metassay downgrade scores.csv --after shuffle=shuffled.csv --test wilcoxon --view systems
    metassay downgrade scores.csv --after shuffle=shuffled.csv --votes people.csv
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.core.votes import Votes
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray
from metassay.stats.levels import means_of_known
from metassay.stats.proportions import wilson
from metassay.stats.rank_drops import drops
from metassay.stats.system_tests import PairedScores, same_size
from metassay.studies.downgrade_votes import DowngradeVotesRow, voted
from metassay.studies.selection import without_references


class Damaged(NamedTuple):
    """Scores of deliberately corrupted outputs, of all or some systems."""

    scores: Scores
    """Scores of the corrupted outputs, under the same labels."""
    kind: str = "damage"
    """The kind of corruption, such as ``shuffle``."""
    human: str | None = None
    """The quality criterion that it corrupts, if it is known."""
    rate: float = 1.0
    """The share of units that was changed."""
    changed: float | None = None
    """The share of outputs that were changed, if known; some contain nothing that can be changed."""


@fields.row
class DowngradeRow:
    """One system, corrupted alone, in the ranking of one metric."""

    metric: fields.Metric
    human: fields.DamagedQuality
    kind: fields.Damage
    rate: fields.DamageRate
    system: str
    """The system whose outputs were corrupted, while all others stayed unchanged."""
    rank_before: int | None
    """Its rank before, 1 the best; None if it has no score."""
    rank_after: int | None
    """Its rank after, among the others as they were; None if it has no score after."""
    n_lower: int
    """Systems that the metric had scored significantly lower."""
    passed_by: int
    """How many of those it fell below."""
    noticed: bool | None
    """Whether it fell below any of them; None if there was none to fall below."""
    mean_before: float
    """Mean score before; higher is better."""
    mean_after: float
    """Mean score after."""
    change: float
    """Mean change over the inputs scored before and after; negative if the score fell."""
    p_value: float
    """Of the paired test that the score fell, one-sided; NaN if no score changed."""
    fell: bool
    """Whether that is significant."""
    test: fields.Test
    alpha: fields.Alpha
    n_inputs: int
    """Inputs scored before and after."""


@fields.row
class DowngradeCount:
    """How many corrupted systems one metric noticed, for one kind of corruption at one rate."""

    metric: fields.Metric
    human: fields.DamagedQuality
    kind: fields.Damage
    rate: float
    """The share of units that was changed: over several rates, a sensitivity curve."""
    n_systems: int
    """Systems that were corrupted, one at a time."""
    n_testable: int
    """Of these, systems with at least one other system that had scored significantly lower."""
    n_noticed: int
    """Of these, systems that fell below such a system."""
    share: float
    """Share of the testable systems that were noticed, with its binomial interval (Wilson)."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    n_fell: int
    """Systems whose score fell significantly, by any amount."""
    mean_change: float
    """Mean change of a system's score in standard deviations of the systems' scores; negative if scores fell."""
    mean_rank_change: float
    """Mean number of ranks that a system lost."""


class Downgrade(Result, study="downgrade"):
    """Which corruption metrics notice."""

    table: Sequence[DowngradeRow]
    """One row per metric, kind of corruption, rate and system."""
    counts: tuple[DowngradeCount, ...]
    """One per metric, kind of corruption and rate."""
    votes: tuple[DowngradeVotesRow, ...] = ()
    """If there are votes: whether people, and each metric, prefer the corrupted or the intact output."""


@study
def downgrade(
    before: Scores,
    after: Scores | Damaged | Iterable[Damaged],
    *,
    metric: opt.Metric = None,
    test: opt.PairedTest = "paired-t",
    alpha: opt.Alpha = 0.05,
    confidence: opt.Confidence = 0.95,
    references: opt.References = False,
    votes: Votes | None = None,
) -> Downgrade:
    """Corrupt the outputs of one system at a time and see whether a metric ranks it lower.

    Parameters
    ----------
    before
        Scores of the outputs as they are.
    after
        Scores of corrupted outputs under the same labels; several kinds or rates of corruption as :class:`Damaged`.
    votes
        Votes of people on corrupted outputs against intact ones, of the same system or another, where the corrupted one
        is called ``SYSTEM@KIND``, such as ``M11@shuffle``, or ``SYSTEM@KIND@RATE``.

    Notes
    -----
    The rank-downgrade test of Ernst, Shapira, Dagan and Levy (2023), "Re-Examining Summarization Evaluation across
    Multiple Quality Criteria", §3: systems are ranked by a metric, one is corrupted, and it counts as noticed if it
    then falls below a system that the metric had scored significantly lower. A system that is not significantly better
    than any other cannot be noticed and is excluded from the share. Votes are the manual check of their appendix B
    (Table 7): the share of inputs on which people, by the majority of their votes, prefer the intact output.

    Examples
    --------
    Two systems; the better one loses all it had.

    >>> import numpy as np
    >>> before = Scores.from_arrays({"m": np.array([[5.0, 6, 7, 6], [1, 2, 3, 1]])}, systems=["good", "bad"])
    >>> after = Scores.from_arrays({"m": np.array([[0.0, 1, 2, 0], [1, 2, 3, 1]])}, systems=["good", "bad"])
    >>> [(row.system, row.rank_before, row.rank_after, row.noticed) for row in downgrade(before, after).table]
    [('good', 1, 2, True), ('bad', 2, 2, None)]
    """
    damages = _damages(before, after)
    kept, left_out = without_references(before, references)
    metrics = _metrics(kept, damages, metric)
    rows: list[DowngradeRow] = []
    counts: list[DowngradeCount] = []
    after_scores: dict[tuple[str, int], FloatArray] = {}
    for name in metrics:
        values = kept.matrix(name)
        means, lower = means_of_known(values), _lower(values, test, alpha)
        spread = float(np.nanstd(means, ddof=1)) if np.isfinite(means).sum() > 1 else math.nan
        for at, damage in enumerate(damages):
            after_scores[name, at] = _aligned(damage.scores, name, kept)
            asked = _Asked(name, test, alpha)
            found = _damaged(kept, damage, values, lower, after_scores[name, at], asked)
            rows += found
            counts.append(_count(found, spread, confidence))
    preferred, said = ([], []) if votes is None else voted(votes, kept, damages, after_scores, confidence)
    signature = Signature.of(
        "downgrade",
        corrupt=[f"{one_line(d.kind, 40)}@{d.rate:g}" for d in damages],
        test=test,
        alpha=alpha,
        ci=f"wilson,{confidence:g}",
        systems=len(kept.systems),
        inputs=len(kept.inputs),
        votes=None if votes is None else len(votes),
    )
    notes = (*left_out, *said, *_notes(kept, damages, rows, counts))
    return Downgrade(tuple(rows), signature, notes, tuple(counts), tuple(preferred))


def _damages(before: Scores, after: Scores | Damaged | Iterable[Damaged]) -> list[Damaged]:
    if isinstance(after, Scores):
        after = Damaged(after)
    damages = [after] if isinstance(after, Damaged) else list(after)
    for given in (before, *damages):
        scores = given.scores if isinstance(given, Damaged) else given
        if not isinstance(scores, Scores):
            raise UsageError(f"expected Scores before and after the corruption, got {type(scores).__name__}")
    if not damages:
        raise UsageError("no corrupted scores given; name at least one kind of corruption")
    seen: set[tuple[str, float]] = set()
    for damage in damages:
        if (damage.kind, damage.rate) in seen:
            raise UsageError(f"the corruption {one_line(damage.kind, 40)!r} at rate {damage.rate:g} is given twice")
        seen.add((damage.kind, damage.rate))
        if not set(damage.scores.systems) & set(before.systems):
            raise DataError(
                f"no corrupted system has the label of one before: {listed(damage.scores.systems, 4)} and "
                f"{listed(before.systems, 4)}"
            )
    return damages


def _metrics(before: Scores, damages: Sequence[Damaged], metric: opt.Names | None) -> tuple[str, ...]:
    wanted = before.metrics if metric is None else before.find(metric, "metric")
    shared = tuple(name for name in wanted if all(name in damage.scores.columns for damage in damages))
    if metric is not None and len(shared) < len(wanted):
        missing = [name for name in wanted if name not in shared]
        raise DataError(f"there are no scores after the corruption for {listed(missing)}")
    if not shared:
        raise DataError("no metric was scored both before and after the corruption")
    return shared


def _lower(values: FloatArray, test: str, alpha: float) -> BoolArray:
    """Return whether the system of the column is significantly lower than that of the row."""
    n = len(values)
    first, second = np.triu_indices(n, 1)
    lower = np.zeros((n, n), dtype=bool)
    for at, scores in same_size(values, first, second, 1):
        p, _ = scores.theory(test, "two-sided", alpha)
        differ = p <= alpha
        up = differ & (scores.statistic(test) > 0)
        down = differ & (scores.statistic(test) < 0)
        lower[first[at][up], second[at][up]] = True
        lower[second[at][down], first[at][down]] = True
    return lower


@dataclass(frozen=True)
class _Asked:
    """Which metric is looked at, and with which test."""

    metric: str
    test: str
    alpha: float


def _damaged(
    kept: Scores, damage: Damaged, values: FloatArray, lower: BoolArray, new: FloatArray, asked: _Asked
) -> list[DowngradeRow]:
    """Return the rows of one metric and one corruption: the systems that were corrupted, in their order."""
    means, after = means_of_known(values), means_of_known(new)
    found = drops(means, after, lower)
    rows = []
    for at, system in enumerate(kept.systems):
        if system not in damage.scores.systems:
            continue
        both = ~np.isnan(values[at]) & ~np.isnan(new[at])
        p = math.nan
        change = float((new[at] - values[at])[both].mean()) if both.any() else math.nan
        if both.sum() >= 2:
            pair = PairedScores(values[at][both][:, None], new[at][both][:, None])
            p = float(pair.theory(asked.test, "greater", asked.alpha)[0][0])
        lows = int(lower[at].sum())
        rows.append(
            fields.filled(
                DowngradeRow,
                damage,
                asked,
                system=system,
                rank_before=int(found.rank_before[at]) or None,
                rank_after=int(found.rank_after[at]) or None,
                n_lower=lows,
                passed_by=int(found.passed_by[at]),
                noticed=bool(found.passed_by[at]) if lows and found.rank_after[at] else None,
                mean_before=float(means[at]),
                mean_after=float(after[at]),
                change=change,
                p_value=p,
                fell=p <= asked.alpha,
                n_inputs=int(both.sum()),
            )
        )
    return rows


def _aligned(scores: Scores, name: str, like: Scores) -> FloatArray:
    """Return a column on the labels of other scores, NaN where it has none."""
    out = np.full(like.shape, np.nan)
    rows = {system: i for i, system in enumerate(scores.systems)}
    columns = {key: j for j, key in enumerate(scores.inputs)}
    here = [i for i, system in enumerate(like.systems) if system in rows]
    there = [j for j, key in enumerate(like.inputs) if key in columns]
    matrix = scores.matrix(name)
    if scores[name].lower_is_better != like[name].lower_is_better:
        # only one of the two files may say which way is up
        matrix = -matrix
    taken = matrix[np.ix_([rows[like.systems[i]] for i in here], [columns[like.inputs[j]] for j in there])]
    out[np.ix_(here, there)] = taken
    return out


def _count(rows: Sequence[DowngradeRow], spread: float, confidence: float) -> DowngradeCount:
    one = rows[0]
    tested = [row for row in rows if row.noticed is not None]
    noticed = sum(bool(row.noticed) for row in tested)
    low, high = wilson(noticed, len(tested), confidence)
    changes = [row.change for row in rows if not math.isnan(row.change)]
    ranks = [row.rank_after - row.rank_before for row in rows if row.rank_after and row.rank_before]
    return fields.filled(
        DowngradeCount,
        one,
        n_systems=len(rows),
        n_testable=len(tested),
        n_noticed=noticed,
        share=noticed / len(tested) if tested else math.nan,
        low=low,
        high=high,
        confidence=confidence,
        n_fell=sum(row.fell for row in rows),
        mean_change=float(np.mean(changes)) / spread if changes and spread > 0 else math.nan,
        mean_rank_change=float(np.mean(ranks)) if ranks else math.nan,
    )


def _notes(
    kept: Scores, damages: Sequence[Damaged], rows: Sequence[DowngradeRow], counts: Sequence[DowngradeCount]
) -> list[Note]:
    notes = notes_on_changes(damages)
    if untested := [c.n_systems - c.n_testable for c in counts if c.n_testable < c.n_systems]:
        notes.append(Note.of("systems-untestable", least=min(untested), most=max(untested)))
    partial = sorted({row.system for row in rows if 0 < row.n_inputs < len(kept.inputs)})
    notes += Note.when(partial, "inputs-scored-partly", systems=partial)
    never = sorted({row.system for row in rows if row.n_inputs == 0})
    return [*notes, *Note.when(never, "inputs-never-scored", systems=never), Note.of("downgrade-reading")]


def notes_on_changes(damages: Iterable[Damaged]) -> list[Note]:
    """Note what share of outputs was changed, if not all were."""
    little = [(d.kind, d.rate, d.changed) for d in damages if d.changed is not None and d.changed < 1]
    return Note.when(little, "damage-incomplete", changed=little)
