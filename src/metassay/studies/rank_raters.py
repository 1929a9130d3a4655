"""Habits of raters: ties, preference for a position, votes that repeat or contradict an earlier one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay.core.note import Note
from metassay.core.votes import TIE, UNKNOWN, Votes
from metassay.stats.arrays import BoolArray
from metassay.stats.clustered import share
from metassay.studies.rank_parts import Group
from metassay.studies.rank_rows import RaterRow

MOST_RATERS = 500
"""So many raters are told one by one, those with the most votes."""
ALWAYS = 20
"""So many votes for what was shown first, and none for the other, are told."""


def raters(votes: Votes, groups_: Sequence[Group], confidence: float) -> list[RaterRow]:
    """Return what each rater does, those with the most votes first."""
    counts = np.bincount(votes.rater, minlength=len(votes.raters))
    same, other = _again(votes)
    chose_a = np.where(votes.winner >= TIE, math.nan, votes.winner == 0)
    first = np.where(votes.first == UNKNOWN, math.nan, np.where(votes.first == 0, chose_a, 1 - chose_a))
    order = np.argsort(votes.rater, kind="stable")
    ends = np.append(0, np.cumsum(counts))
    kinds = {rater: group.kind for group in groups_ for rater in group.raters}
    rows = []
    for r in np.argsort(-counts, kind="stable")[:MOST_RATERS]:
        if not counts[r]:
            continue
        at = order[ends[r] : ends[r + 1]]
        found = share(first[at], [votes.input[at].astype(np.int64)], confidence)
        name = votes.raters[r]
        ties = float((votes.winner[at] >= TIE).mean())
        ahead = (found.value, found.low, found.high, confidence)
        rows.append(
            RaterRow(name, kinds.get(name, ""), int(counts[r]), ties, *ahead, int(same[at].sum()), int(other[at].sum()))
        )
    return rows


def _again(
    votes: Votes,
) -> tuple[BoolArray, BoolArray]:
    """Return which votes say the same of the same pair in the same order as one before, and which something else."""
    low, high = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
    turned = votes.a > votes.b
    shown = np.where(votes.first == UNKNOWN, 2, np.where(turned, 1 - votes.first, votes.first))
    said = np.where(votes.winner >= TIE, 2, np.where(turned, 1 - votes.winner, votes.winner))
    key = votes.rater.astype(np.int64)
    for part, size in (
        (votes.input, len(votes.inputs)),
        (low, len(votes.systems)),
        (high, len(votes.systems)),
        (shown, 3),
    ):
        key = key * size + part
    _, at, back = np.unique(key, return_index=True, return_inverse=True)
    before = at[back]
    again = before != np.arange(len(votes))
    return again & (said == said[before]), again & (said != said[before])


def notes_on_raters(rows: Sequence[RaterRow]) -> list[Note]:
    """Note raters who always choose the first output, repeat themselves or contradict themselves."""
    always = [(r.rater, round(r.n * (1 - r.ties))) for r in rows if r.first in (0, 1) and r.n * (1 - r.ties) >= ALWAYS]
    against = [(r.rater, r.contradictory) for r in rows if r.contradictory]
    repeated = [(r.rater, r.repeated) for r in rows if r.repeated]
    return [
        *Note.when(always, "raters-one-position", raters=always),
        *Note.when(against, "votes-contradictory", raters=against),
        *Note.when(repeated, "votes-repeated", raters=repeated),
    ]
