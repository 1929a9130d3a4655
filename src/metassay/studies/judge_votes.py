"""Does a judge choose the output that people choose?

Compares the votes of judges on two outputs with those of people: how often they agree, with and without ties, and by
how clear people were; beside it, how often people agree with each other. Where a judge was asked in both orders:
whether it keeps its verdict after the swap, is right in both orders, and prefers what it is shown first. This is what
`metassay judge` does with files of votes.

    metassay judge votes.csv --human dora,emil,farah,goran
    metassay judge human=people.csv judge=verdicts.json --view orders
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from metassay.core import fields
from metassay.core import judge_options as jd
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.core.votes import UNKNOWN, Votes
from metassay.errors import DataError, UnknownName, UsageError, listed
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.clustered import Estimate, ratio, share
from metassay.stats.statistics.labels import KAPPA
from metassay.stats.vote_orders import two_orders, verdict_scores
from metassay.studies.bias import bias as swaying
from metassay.studies.bias_rows import BiasRow
from metassay.studies.requirements import RequirementRow, required
from metassay.studies.vote_items import Items, Verdict, majority

HUMAN = "people"
MOST_PEOPLE = 30
"""Of so many people every two are compared."""
FEW = 3
"""Of so many judges the answer is told in sentences."""
NUMBERS = ("agreement", "decisive", "kappa", "f1", "consistency", "right_in_both", "first")
"""What a requirement may speak of."""


@fields.row
class JudgeVotesRow(fields.OfJudge):
    """One judge against people."""

    n: int
    """Votes of the judge on pairs with a most frequent human verdict."""
    n_items: fields.NItems
    agreement: float
    """Share of its votes that equal the most frequent human verdict, ties included."""
    agreement_low: fields.Low
    agreement_high: fields.High
    decisive: float
    """The same on pairs that neither the judge nor people tie."""
    decisive_low: fields.Low
    decisive_high: fields.High
    n_decisive: int
    """Number of such votes."""
    kappa: float
    """Cohen's κ of its votes and the human verdicts."""
    precision: float
    """Precision, averaged over the verdicts A, B and tie."""
    recall: float
    """Recall, averaged over them."""
    f1: float
    """F1, averaged over them."""
    ties: float
    """Share of its votes that are ties."""
    human_ties: float
    """Share of these pairs that people tie."""
    single: float
    """Agreement with single people: share of all human votes on pairs it voted on that equal its vote."""
    single_low: fields.Low
    single_high: fields.High
    people: float
    """The same between single people on these pairs; NaN if no two of them voted on the same pair."""
    people_low: fields.Low
    people_high: fields.High
    confidence: fields.Confidence


@fields.row
class OrderRow:
    """One judge, asked in both orders."""

    judge: fields.Judge
    n_items: int
    """Pairs of outputs on which it voted in both orders."""
    consistency: float
    """Share of these with the same verdict in both orders."""
    consistency_low: fields.Low
    consistency_high: fields.High
    kappa: float
    """Cohen's κ of the verdicts in the two orders."""
    right_first: float
    """Share of pairs with the human verdict when the first output of the file is shown first."""
    right_second: float
    """The same after the swap."""
    right_in_both: float
    """Share of pairs with the human verdict in both orders."""
    right_low: fields.Low
    right_high: fields.High
    first: float
    """Share of its votes of known order, without ties, for the output shown first; ½ without a preference."""
    first_low: fields.Low
    first_high: fields.High
    n_first: int
    """Number of such votes."""
    both_first: int
    """Pairs whose first output was chosen in both orders."""
    both_second: int
    """Pairs whose second output was chosen in both orders."""
    p_value: float
    """p-value of McNemar's test that these two are equally frequent; NaN if it was never asked in both orders."""
    confidence: fields.Confidence


@fields.row
class MarginRow:
    """One judge on pairs with the same degree of human agreement."""

    judge: fields.Judge
    clear: int
    """People who gave the most frequent verdict."""
    voted: int
    """People who voted."""
    agreement: float
    """Share of the judge's votes that are that verdict."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    n: int
    """Votes of the judge."""


@fields.row
class PeopleRow:
    """Two people on the same pairs of outputs."""

    person_a: str
    """One of them."""
    person_b: str
    """The other one."""
    agreement: float
    """Share of pairs with the same verdict."""
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    kappa: float
    """Cohen's κ."""
    n_items: fields.NItems


class JudgeVotes(Result, study="judge-votes"):
    """How well judges' votes agree with human votes."""

    table: Sequence[JudgeVotesRow]
    """One row per judge."""
    orders: tuple[OrderRow, ...] = ()
    """Judges for which the order of the outputs is known."""
    margins: tuple[MarginRow, ...] = ()
    """One row per judge and degree of human agreement."""
    people: tuple[PeopleRow, ...] = ()
    """Every two people who voted on the same pairs."""
    requirements: tuple[RequirementRow, ...] = ()
    """Whether requirements are met."""
    biases: tuple[BiasRow, ...] = ()
    """If requested, biases of judges at equal human judgment."""


@study
def judge_votes(
    votes: Votes,
    *,
    human: opt.Human = None,
    judge: jd.Judges = None,
    bias: opt.Biased = False,
    confidence: opt.Confidence = 0.95,
    require: jd.Require = None,
) -> JudgeVotes:
    """Compare the votes of judges with those of people.

    Parameters
    ----------
    votes
        Votes of people and of judges (`metassay.read_votes`); `human` and `judge` name raters.

    Notes
    -----
    The human verdict on a pair of outputs is the most frequent one (A, B, tie); pairs without one are excluded. Shares
    have Wilson's interval, with votes on one input clustered. McNemar (1947) on pairs judged in both orders.

    Examples
    --------
    >>> votes = Votes.from_arrays(
    ...     ["x"] * 4, ["y"] * 4, ["a", "a", "b", "b"], inputs=["1", "1", "2", "2"], raters=["p", "j"] * 2, human="p"
    ... )
    >>> judge_votes(votes).table[0].agreement
    1.0
    """
    people = votes.humans if human is None else votes.find(human)
    if not people:
        raise UsageError(
            f"no rater is known to be human; name people with human=… or --human (raters: {listed(votes.raters)})"
        )
    judges = votes.find(judge) if judge is not None else tuple(r for r in votes.raters if r not in people)
    if both := set(people) & set(judges):
        raise UsageError(f"{listed(sorted(both))}: a rater is either human or a judge; name each once")
    if not judges:
        raise DataError(f"all raters are people ({listed(people)}); name the judge with judge=… or --judge")
    items = Items.of(votes)
    own = np.isin(votes.rater, [votes.raters.index(person) for person in people])
    verdict = majority(items, own)
    rows, orders, margins, notes = [], [], [], list(votes.notes)
    pairs = _people(votes, items, people, confidence)
    for name in judges:
        mine = np.flatnonzero(votes.rater == votes.raters.index(name))
        known = mine[~np.isnan(verdict.value[items.of_vote[mine]])]
        if not len(known):
            raise DataError(f"{name} and people never voted on the same pair of outputs")
        rows.append(
            _row(
                name, items, verdict, known, (_same(items, mine, own), _same(items, mine, own, among=True)), confidence
            )
        )
        margins += _margins(name, items, verdict, known, confidence)
        if (votes.first[mine] != UNKNOWN).any():
            orders.append(_orders(name, items, verdict, mine, confidence))
        alone = int((verdict.voted[items.of_vote[mine]] == 0).sum())
        notes += Note.when(alone, "votes-without-people", judge=name, n=alone)
    notes += Note.when(verdict.split > 0, "people-split", n=verdict.split, pairs=len(items.input))
    found = JudgeVotes(tuple(rows), Signature.of(""), (), tuple(orders), tuple(margins), tuple(pairs))
    swayed = swaying(votes, human=people, metric=judges, confidence=confidence) if bias else None
    said = [*_answers(found), *notes, *(swayed.notes if swayed else ())]
    sizes = {"systems": len(votes.systems), "inputs": len(votes.inputs), "votes": len(votes)}
    signature = Signature.open(judges=len(judges), people=len(people), **sizes)
    return JudgeVotes(
        found.table,
        signature,
        tuple(said),
        found.orders,
        found.margins,
        found.people,
        required(require, found.table, partial(_number, found)),
        tuple(swayed.table) if swayed else (),
    )


Counted = tuple[FloatArray, FloatArray, IntArray]
"""How many of how many say the same, and the input, per pair of outputs."""


def _same(items: Items, mine: IntArray, own: BoolArray, *, among: bool = False) -> Counted:
    """Count votes of people that say what a judge says, or what another person says, on pairs that the judge saw."""
    size = len(items.input)
    tables = []
    for at in (mine, np.flatnonzero(own)):
        counts = np.zeros((size, 3))
        np.add.at(counts, (items.of_vote[at], np.rint(2 * items.value[at]).astype(np.int64)), 1)
        tables.append(counts)
    judged, people = tables
    n, voted = judged.sum(axis=1), people.sum(axis=1)
    hits = (people * (people - 1)).sum(axis=1) if among else (judged * people).sum(axis=1)
    total = voted * (voted - 1) if among else n * voted
    here = (n > 0) & (total > 0)
    return hits[here], total[here], items.input[here]


def _of_pairs(counted: Counted, confidence: float) -> Estimate:
    """Return a share of pairs of votes, clustered by input; NaN if there are none."""
    hits, total, inputs = counted
    return ratio(hits, total, [inputs], confidence)


def _row(
    name: str, items: Items, verdict: Verdict, at: IntArray, same: tuple[Counted, Counted], confidence: float
) -> JudgeVotesRow:
    pair = items.of_vote[at]
    said, meant, inputs = items.value[at], verdict.value[pair], items.input[pair]
    every = share((said == meant).astype(np.float64), [inputs], confidence)
    clear = (said != 0.5) & (meant != 0.5)
    decisive = share(np.where(clear, said == meant, math.nan), [inputs], confidence)
    here = np.unique(pair)
    single, people = (_of_pairs(each, confidence) for each in same)
    precision, recall, f1 = verdict_scores(said, meant)
    return JudgeVotesRow(
        judge=name,
        human=HUMAN,
        n=len(at),
        n_items=len(here),
        agreement=every.value,
        agreement_low=every.low,
        agreement_high=every.high,
        decisive=decisive.value,
        decisive_low=decisive.low,
        decisive_high=decisive.high,
        n_decisive=decisive.n,
        kappa=float(KAPPA.tabulated(said, meant).estimate()),
        precision=precision,
        recall=recall,
        f1=f1,
        ties=float((said == 0.5).mean()),
        human_ties=float((verdict.value[here] == 0.5).mean()),
        single=single.value,
        single_low=single.low,
        single_high=single.high,
        people=people.value,
        people_low=people.low,
        people_high=people.high,
        confidence=confidence,
    )


def _margins(name: str, items: Items, verdict: Verdict, at: IntArray, confidence: float) -> list[MarginRow]:
    pair = items.of_vote[at]
    hits = (items.value[at] == verdict.value[pair]).astype(np.float64)
    kinds = sorted(set(zip(verdict.voted[pair].tolist(), verdict.clear[pair].tolist(), strict=True)))
    rows = []
    for voted, clear in reversed(kinds):
        here = (verdict.voted[pair] == voted) & (verdict.clear[pair] == clear)
        found = share(hits[here], [items.input[pair][here]], confidence)
        rows.append(MarginRow(name, clear, voted, found.value, found.low, found.high, confidence, found.n))
    return rows


def _orders(name: str, items: Items, verdict: Verdict, at: IntArray, confidence: float) -> OrderRow:
    """Return what a judge does after a swap; of several votes in one order the first counts."""
    said = np.full((2, len(items.input)), math.nan)
    for order in (0, 1):
        here = at[items.first[at] == order][::-1]
        said[order, items.of_vote[here]] = items.value[here]
    chosen = np.where(items.first[at] == 0, items.value[at], 1 - items.value[at])
    chosen = np.where((items.first[at] == UNKNOWN) | (chosen == 0.5), math.nan, chosen)
    first = share(chosen, [items.input[items.of_vote[at]]], confidence)
    both = np.flatnonzero(~np.isnan(said).any(axis=0))
    ends: dict[str, Any] = {"first": first.value, "first_low": first.low, "first_high": first.high, "n_first": first.n}
    if not len(both):
        names = ("consistency", "kappa", "right_first", "right_second", "right_in_both", "right", "p_value")
        none = {f"{each}{end}": math.nan for each in names for end in ("", "_low", "_high")}
        return fields.filled(
            OrderRow, ends, none, judge=name, n_items=0, both_first=0, both_second=0, confidence=confidence
        )
    found = two_orders(said[0, both], said[1, both], verdict.value[both], items.input[both], confidence)
    right, whole = found.right, found.right_in_both
    assert right is not None and whole is not None  # noqa: PT018 - people were given
    same = found.consistency
    return OrderRow(
        judge=name,
        n_items=len(both),
        consistency=same.value,
        consistency_low=same.low,
        consistency_high=same.high,
        kappa=float(found.kappa),
        right_first=right[0].value,
        right_second=right[1].value,
        right_in_both=whole.value,
        right_low=whole.low,
        right_high=whole.high,
        **ends,
        both_first=found.both_first,
        both_second=found.both_second,
        p_value=found.p,
        confidence=confidence,
    )


def _people(votes: Votes, items: Items, people: Sequence[str], confidence: float) -> list[PeopleRow]:
    """Return every two people on the same pairs."""
    said = {}
    for name in people:
        at = np.flatnonzero(votes.rater == votes.raters.index(name))[::-1]
        said[name] = dict(zip(items.of_vote[at].tolist(), items.value[at].tolist(), strict=True))
    rows = []
    for one, other in combinations(people[:MOST_PEOPLE], 2):
        both = sorted(said[one].keys() & said[other].keys())
        if both:
            x, z = (np.array([said[who][pair] for pair in both]) for who in (one, other))
            found = share((x == z).astype(np.float64), [items.input[both]], confidence)
            ends = (found.value, found.low, found.high, confidence, float(KAPPA.tabulated(x, z).estimate()), len(both))
            rows.append(PeopleRow(one, other, *ends))
    return rows


def _answers(found: JudgeVotes) -> list[Note]:
    notes = []
    facts: dict[str, Any]
    orders = {row.judge: row for row in found.orders}
    best, worst = (end(found.table, key=lambda row: row.agreement) for end in (max, min))
    if len(found.table) > FEW:
        ends = {"low": best.agreement_low, "high": best.agreement_high, "confidence": best.confidence}
        facts = {"judges": len(found.table), "judge": best.judge, "agreement": best.agreement, **ends}
        notes.append(Note.of("judges-votes", **facts, worst=worst.judge, least=worst.agreement))
    for row in found.table if len(found.table) <= FEW else ():
        facts = {name: getattr(row, name) for name in ("judge", "confidence", "single", "people", "n")}
        facts |= {"agreement": row.agreement, "low": row.agreement_low, "high": row.agreement_high}
        notes.append(Note.of("judge-votes", **{n: None if fact != fact else fact for n, fact in facts.items()}))
        order = orders.get(row.judge)
        if order is not None and order.n_items:
            swaps = (
                "judge",
                "consistency",
                "right_in_both",
                "first",
                "first_low",
                "first_high",
                "p_value",
                "confidence",
            )
            notes.append(Note.of("judge-after-swap", **{name: getattr(order, name) for name in swaps}))
    if any(not row.n_items for row in found.orders):
        notes.append(Note.of("judge-one-order", judges=[row.judge for row in found.orders if not row.n_items]))
    return notes


def _number(found: JudgeVotes, row: JudgeVotesRow, name: str, field: str) -> float:
    """Return the number that a requirement speaks of."""
    if name not in NUMBERS:
        raise UnknownName("number in a requirement on votes:", name, NUMBERS)
    orders = next((each for each in found.orders if each.judge == row.judge), None)
    source: Any = row if hasattr(row, name) or name == "kappa" else orders
    end = "right" if name == "right_in_both" else name
    count = "n_first" if name == "first" else "n_items"
    asked = {"low": f"{end}_low", "high": f"{end}_high", "n": count}.get(field, name)
    if source is not None and not hasattr(source, asked):
        raise UsageError(f"a requirement cannot use {name}.{field}; {name} has estimate, abs, n")
    return float(getattr(source, asked, math.nan))
