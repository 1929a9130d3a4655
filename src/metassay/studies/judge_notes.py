"""What a reader of a judge card must know, the answer first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from metassay.core import vocabulary
from metassay.core.note import Note
from metassay.studies.judge_data import Judged
from metassay.studies.judge_failures import is_worse
from metassay.studies.judge_parts import Setting, is_probability
from metassay.studies.judge_rows import JudgeCard, JudgeRow

FEW_ITEMS = 30
RARE = 0.02
LEAK = 10
"""A judge that says the same as a person on so many items or more, without exception, was not asked by itself."""
MOST_ANSWERS = 3
"""Judges of whom the answer speaks."""
APART = 0.05
"""A slice is worth the answer if it is worse by so much."""
NEARLY_ALWAYS, SELDOM = 0.9, 0.5
"""A test that a worse judge passes so often, or one as good as a person less often, says little."""


def answers(card: JudgeCard, confidence: float) -> Iterator[Note]:
    """Yield sentences for the best judges: how often one is right, how that compares with people, and what to watch."""
    ranked: dict[str, list[JudgeRow]] = {}
    for row in card.table:
        ranked.setdefault(row.human, []).append(row)
    for rows in ranked.values():
        rows.sort(key=_badness)
    # The best judge of each criterion, then the second best of each, and so on.
    best = [rows[at] for at in range(MOST_ANSWERS) for rows in ranked.values() if at < len(rows)]
    names = (
        "judge human kind statistic n_items n_people estimate low high single people gap gap_low gap_high base "
        "base_label passed"
    )
    for row in best[:MOST_ANSWERS]:
        facts = {name: getattr(row, name) for name in names.split()} | {"confidence": confidence}
        for test in card.alternative_annotators:
            if row.passed is not None and (test.judge, test.human) == (row.judge, row.human):
                facts["epsilon"] = test.epsilon
        facts = {name: None if fact != fact else fact for name, fact in facts.items()}
        yield Note.of("judge-answer", **facts)
        known = row.estimate == row.estimate and row.kind != "other-scale"
        beside = row.n_people == 1 or row.people == row.people or row.passed is not None
        yield from Note.when(known and beside, "judge-beside", **facts)
        yield _watch(card, row)


def _badness(row: JudgeRow) -> tuple[bool, float]:
    """Return by what the judges of a criterion are ordered: those on people's scale first, the best first."""
    sign = vocabulary.statistic_sign(row.statistic)
    return row.kind == "other-scale", math.inf if math.isnan(row.estimate) else -sign * row.estimate


def _uninformative(card: JudgeCard, row: JudgeRow) -> Note | None:
    """Return that nothing shows agreement beyond chance: with one label only, or an interval that contains 0."""
    facts = {"judge": row.judge, "human": row.human}
    if row.base == 1:
        return Note.of("judge-watch-one-label", **facts, label=row.base_label)
    mine = [r for r in card.agreement if (r.judge, r.human) == (row.judge, row.human) and r.against != "single people"]
    other = [(r.statistic, r.estimate, r.low, r.high) for r in mine if r.statistic == "pearson"]
    known = [("kappa", row.kappa, row.kappa_low, row.kappa_high)] if row.kappa == row.kappa else other[:1]
    for statistic, value, low, high in known:
        if low <= 0 or (math.isnan(low) and not value > 0):
            ends = {} if math.isnan(low) else {"low": low, "high": high}
            return Note.of("judge-watch-chance", **facts, statistic=statistic, estimate=value, **ends)
    return None


def _watch(card: JudgeCard, row: JudgeRow) -> Note:
    """Return the weightiest of: a leak, no information, a slice in which it fails, a bias, a label it gets wrong."""
    facts = {"judge": row.judge, "human": row.human}
    for note in card.notes:
        if note.code == "judge-equals-person" and (note["judge"], note["human"]) == (row.judge, row.human):
            return Note.of("judge-watch-leak", **note.facts)
    nothing = _uninformative(card, row)
    if nothing is not None:
        return nothing
    worst = [r for r in card.slices if (r.judge, r.human) == (row.judge, row.human) and is_worse(r)]
    worst = [r for r in worst if abs(r.estimate - r.elsewhere) >= APART]
    if worst:
        names = ("attribute", "value", "statistic", "estimate", "low", "high", "elsewhere", "n_items")
        return Note.of("judge-watch-slice", **facts, **{name: getattr(worst[0], name) for name in names})
    if row.bias_low > 0 or row.bias_high < 0:
        labels = [r.label_human for r in card.confusion if (r.judge, r.human) == (row.judge, row.human)]
        positive = max(labels, key=labels.index, default="") if row.kind in ("labels", "scores") else ""
        return Note.of(
            "judge-watch-bias",
            **facts,
            kind=row.kind,
            label=positive,
            bias=row.bias,
            low=row.bias_low,
            high=row.bias_high,
        )
    errors = [
        r
        for r in card.confusion
        if (r.judge, r.human) == (row.judge, row.human) and r.label_human != r.label_judge and r.n >= 5
    ]
    if errors:
        one = max(errors, key=lambda r: r.low)
        return Note.of(
            "judge-watch-label",
            **facts,
            said=one.label_judge,
            true=one.label_human,
            share=one.share,
            low=one.low,
            high=one.high,
            n=one.n,
        )
    if row.n_items < FEW_ITEMS:
        return Note.of("judge-watch-few", **facts, n=row.n_items)
    return Note.of("judge-watch-nothing", **facts, kind=row.kind)


def notes_on(setting: Setting, judged: Judged, tables: dict[str, list[Any]], abstain: str) -> Iterator[Note]:
    """Yield what limits the numbers of one judge."""
    of, row = judged.criterion, tables["table"][-1]
    facts, n = {"judge": judged.judge, "human": of.name}, row.n_items
    known = of.truth[~np.isnan(of.truth + judged.x)]
    yield from _leaks(judged)
    if row.n_abstained:
        total = len(of.cells)
        how = abstain if of.kind == "labels" else "missing"
        yield Note.of("judge-abstains", **facts, n=row.n_abstained, items=total, how=how)
    if n < FEW_ITEMS:
        yield Note.of("judge-few-items", **facts, n=n)
    if of.kind == "labels" and len(known):
        codes, counts = np.unique(known, return_counts=True)
        if len(codes) == 1:
            yield Note.of("judge-one-label", **facts, label=of.said(codes[0]))
        elif counts.min() / len(known) < RARE:
            at, most = int(counts.argmin()), int(counts.argmax())
            yield Note.of(
                "judge-rare-label",
                human=of.name,
                label=of.said(codes[at]),
                n=counts[at],
                items=len(known),
                always=of.said(codes[most]),
                most=counts[most] / len(known),
            )
    if len(of.people) == 1:
        yield Note.of("judge-one-person", human=of.name)
    elif of.kind == "labels":
        tied = int((np.isnan(of.truth) & (~np.isnan(of.ratings)).any(axis=0)).sum())
        if tied:
            yield Note.of("people-tied", human=of.name, n=tied, items=len(of.cells))
    for one in [r for r in tables["alternative_annotators"] if (r.judge, r.human) == (judged.judge, of.name)]:
        if not one.n_people:
            yield Note.of("judge-alternative-untested", human=of.name)
        elif one.n_left_out:
            yield Note.of("judge-people-left-out", human=of.name, n=one.n_left_out, people=len(of.people))
        said = {"human": of.name, "epsilon": one.epsilon, "worse": one.worse}
        if one.passed and one.passes_if_worse >= NEARLY_ALWAYS:
            yield Note.of("judge-test-lenient", **said, often=one.passes_if_worse)
        elif one.n_people and not one.passed and one.passes_if_equal < SELDOM:
            yield Note.of("judge-test-weak", **said, often=one.passes_if_equal)
    if judged.kind == "other-scale":
        yield Note.of("judge-other-scale", **facts)
    if judged.kind == "scores":
        yield from _score_notes(judged, tables, facts)
    if len(judged.runs):
        yield Note.of("judge-runs-together", **facts, n=len(judged.runs), kind=of.kind)
    lacking = [
        r.statistic
        for r in tables["agreement"]
        if (r.judge, r.human, r.against) == (judged.judge, of.name, of.against) and math.isnan(r.estimate)
    ]
    if lacking:
        yield Note.of("judge-undefined", **facts, statistics=lacking)
    ways = len(setting.ways(of.cells))
    yield Note.of(
        "judge-generalises",
        over=setting.over if ways or setting.over == "items" else "items",
        clusters=bool(setting.scores.clusters),
    )


def _leaks(judged: Judged) -> Iterator[Note]:
    """Yield a note for every person whom the judge equals on all items."""
    of = judged.criterion
    for person, rating in zip(of.people, of.ratings, strict=True):
        both = ~np.isnan(rating + judged.raw)
        if both.sum() >= LEAK and (rating[both] == judged.raw[both]).all() and len(np.unique(rating[both])) > 1:
            yield Note.of("judge-equals-person", judge=judged.judge, person=person, human=of.name, n=both.sum())


def _score_notes(judged: Judged, tables: dict[str, list[Any]], facts: dict[str, str]) -> Iterator[Note]:
    raw = judged.raw[~np.isnan(judged.raw)]
    inside = float(((raw >= 0) & (raw <= 1)).mean()) if len(raw) else 0.0
    if 0.5 <= inside < 1:
        yield Note.of(
            "judge-outside-unit", **facts, n=int(((raw < 0) | (raw > 1)).sum()), value=raw[(raw < 0) | (raw > 1)][0]
        )
    mine = [r for r in tables["operating"] if (r.judge, r.human) == (facts["judge"], facts["human"])]
    if mine and math.isnan(mine[0].threshold):
        yield Note.of("judge-target-unreached", **facts, rule=mine[0].rule, target=mine[0].target)
    elif mine:
        one = mine[0]
        yield Note.of(
            "judge-threshold",
            **facts,
            threshold=one.threshold,
            rule=one.rule,
            target=one.target,
            accuracy=one.accuracy,
            probability=is_probability(judged.raw),
        )
