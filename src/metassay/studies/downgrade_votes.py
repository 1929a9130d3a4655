"""What people say of corrupted outputs beside intact ones, and what a metric says of the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from metassay.core import fields
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.core.votes import Votes
from metassay.errors import DataError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import share
from metassay.stats.vote_orders import mcnemar
from metassay.studies.vote_items import Items, Verdict, majority

if TYPE_CHECKING:
    from metassay.studies.downgrade import Damaged

MARK = "@"
"""What stands between a system and what was done to its outputs, such as ``M11@shuffle``."""


@fields.row
class DowngradeVotesRow:
    """Preferences of people and of a metric between corrupted outputs of one system and intact ones."""

    metric: fields.Metric
    human: fields.DamagedQuality
    kind: fields.Damage
    rate: fields.DamageRate
    system: str
    """The system whose outputs were corrupted."""
    against: str
    """The system whose outputs were intact."""
    n_inputs: int
    """Inputs on which people have a most frequent verdict."""
    preferred: float
    """Share of these on which people prefer the intact output, ties counted half."""
    low: fields.Low
    high: fields.High
    p_value: float
    """Two-sided sign test that people prefer both equally often."""
    metric_preferred: float
    """The same share by the metric, on the same inputs."""
    metric_low: fields.Low
    metric_high: fields.High
    agreement: float
    """Share of inputs with the same preference, among those without a tie."""
    confidence: fields.Confidence


def voted(
    votes: Votes,
    before: Scores,
    damages: Sequence[Damaged],
    after: Mapping[tuple[str, int], FloatArray],
    confidence: float,
) -> tuple[list[DowngradeVotesRow], list[Note]]:
    """Return what people and metrics prefer.

    Parameters
    ----------
    votes
        Votes in which one system is called as before, and the other ``SYSTEM@KIND`` or ``SYSTEM@KIND@RATE``.
    before
        Scores of intact outputs.
    damages
        What was done.
    after
        Scores of corrupted outputs on the labels of `before`, by metric and position of the corruption.
    confidence
        Such as 0.95.
    """
    known = {(d.kind, d.rate): at for at, d in enumerate(damages)}
    items = Items.of(votes)
    verdict = majority(items, np.ones(len(votes), dtype=bool))
    inputs = {key: j for j, key in enumerate(before.inputs)}
    rows: list[DowngradeVotesRow] = []
    strangers: set[str] = set()
    pairs = np.unique(np.stack([items.a, items.b]), axis=1).T
    seen = set()
    for a, b in pairs.tolist():
        names = votes.systems[a], votes.systems[b]
        marked = [_damaged(name, before.systems) for name in names]
        if (marked[0] is None) == (marked[1] is None):
            strangers.update(names)
            continue
        turned = marked[0] is None
        (system, kind, rate), against = (marked[turned] or ("", "", 0.0)), names[not turned]
        if (system, kind, rate, against) in seen:
            continue
        seen.add((system, kind, rate, against))
        gone = [name for name in (system, against) if name not in before.systems]
        if gone or (kind, rate) not in known:
            strangers.update(gone or [names[turned]])
            continue
        at = [np.flatnonzero((items.a == x) & (items.b == y)) for x, y in ((a, b), (b, a))]
        people = np.concatenate([_intact(verdict, at[0], turned), _intact(verdict, at[1], not turned)])
        where = np.array([inputs.get(votes.inputs[i], -1) for i in items.input[np.concatenate(at)]], dtype=np.int64)
        damage = known[kind, rate]
        for (metric, place), scores in after.items():
            if place == damage:
                places = (before.systems.index(system), before.systems.index(against))
                gap = _gap(before.matrix(metric)[places[1]], scores[places[0]], where)
                who = {"metric": metric, "human": damages[damage].human, "kind": kind, "rate": rate}
                rows.append(_row({**who, "system": system, "against": against}, people, gap, confidence))
    if not rows:
        raise DataError(
            f"no vote compares a corrupted output with an intact one: call one of the two systems SYSTEM{MARK}KIND, "
            f"such as {one_line(before.systems[0], 30)}{MARK}{one_line(damages[0].kind, 30)} (found: "
            f"{listed(votes.systems, 4)})"
        )
    notes = [Note.of("votes-on-strangers", systems=sorted(strangers))] if strangers else []
    return rows, notes


def _damaged(name: str, systems: Sequence[str]) -> tuple[str, str, float] | None:
    """Return system, kind and rate of a corrupted one; None if it is intact."""
    if name in systems or MARK not in name:
        return None
    own = [each for each in systems if name.startswith(f"{each}{MARK}")]
    system = max(own, key=len, default=name.partition(MARK)[0])
    kind, _, rate = name[len(system) + len(MARK) :].partition(MARK)
    try:
        return system, kind, float(rate) if rate else 1.0
    except ValueError:
        return None


def _intact(verdict: Verdict, at: IntArray, first: bool) -> FloatArray:
    """Return people's verdicts on pairs: 1 if the intact output won, which is the first or the second of the pair."""
    return np.asarray(verdict.value[at] if first else 1 - verdict.value[at])


def _gap(intact: FloatArray, damaged: FloatArray, where: IntArray) -> FloatArray:
    gap = np.append(intact - damaged, math.nan)[where]
    return np.where(np.isnan(gap), math.nan, (np.sign(gap) + 1) / 2)


def _row(who: dict[str, object], people: FloatArray, metric: FloatArray, confidence: float) -> DowngradeVotesRow:
    known = ~np.isnan(people)
    metric = np.where(known, metric, math.nan)
    said, measured = share(people, (), confidence), share(metric, (), confidence)
    both = known & ~np.isnan(metric) & (people != 0.5) & (metric != 0.5)
    return fields.filled(
        DowngradeVotesRow,
        who,
        n_inputs=int(known.sum()),
        preferred=said.value,
        low=said.low,
        high=said.high,
        p_value=mcnemar(int((people == 1).sum()), int((people == 0).sum())) if known.any() else math.nan,
        metric_preferred=measured.value,
        metric_low=measured.low,
        metric_high=measured.high,
        agreement=float((people == metric)[both].mean()) if both.any() else math.nan,
        confidence=confidence,
    )
