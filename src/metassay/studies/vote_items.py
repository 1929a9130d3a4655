"""Pairs of outputs that were voted on, and what people together say of each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from metassay.core.votes import UNKNOWN, Votes
from metassay.stats.arrays import BoolArray, FloatArray, IntArray


class Items(NamedTuple):
    """Pairs of outputs: each input with each two systems."""

    of_vote: IntArray
    """The pair of each vote."""
    input: IntArray
    """The input of each pair."""
    value: FloatArray
    """The verdict of each vote: 1 if the first system of the pair's first vote won, 0 if the other did, ½ for a tie."""
    a: IntArray
    """The first system of each pair's first vote."""
    b: IntArray
    """The other one."""
    first: IntArray
    """0 if that system was shown first, 1 if the other was, -1 if nobody knows."""

    @classmethod
    def of(cls, votes: Votes) -> Items:
        """Find the pairs."""
        n = len(votes.systems)
        low, high = np.minimum(votes.a, votes.b).astype(np.int64), np.maximum(votes.a, votes.b)
        _, at, back = np.unique((votes.input * np.int64(n) + low) * n + high, return_index=True, return_inverse=True)
        turned = votes.a != votes.a[at][back]
        first = np.where(votes.first == UNKNOWN, UNKNOWN, np.where(turned, 1 - votes.first, votes.first))
        value = np.where(turned, 1 - votes.outcome, votes.outcome)
        return cls(back, votes.input[at].astype(np.int64), value, votes.a[at], votes.b[at], first.astype(np.int64))


class Verdict(NamedTuple):
    """What people say of each pair."""

    value: FloatArray
    """Their most frequent verdict; NaN where there is none."""
    clear: IntArray
    """How many gave it."""
    voted: IntArray
    """How many voted."""
    split: int
    """Pairs without a most frequent verdict."""


def majority(items: Items, own: BoolArray) -> Verdict:
    """Return the most frequent verdict on each pair among some votes."""
    kind = np.rint(2 * items.value[own]).astype(np.int64)
    counts = np.zeros((len(items.input), 3), dtype=np.int64)
    np.add.at(counts, (items.of_vote[own], kind), 1)
    clear, voted = counts.max(axis=1), counts.sum(axis=1)
    several = (counts == clear[:, None]).sum(axis=1) > 1
    value = np.where((voted == 0) | several, math.nan, counts.argmax(axis=1) / 2)
    return Verdict(value, clear, voted, int((several & (voted > 0)).sum()))
