"""Who judged what: people by criterion, and judges on the scale of each criterion, as bare arrays of items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

import numpy as np

from metassay.core.note import Note
from metassay.core.options import Names
from metassay.core.scales import NO_ANSWER, guess
from metassay.core.scores import Column, Scores
from metassay.core.vocabulary import LABEL_CHANCE
from metassay.errors import DataError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.rater_agreement import pooled

MOST_GRADES = 25
"""Whole numbers of at most so many values are grades."""


@dataclass(frozen=True, eq=False)
class Criterion:
    """What people said of items."""

    name: str
    """What it is called."""
    people: tuple[str, ...]
    """Who judged."""
    cells: IntArray
    """The items: positions in systems × inputs, row by row."""
    ratings: FloatArray
    """Codes of labels, or numbers, people × items, NaN where one is missing."""
    kind: str
    """``labels``, ``grades`` or ``numbers``."""
    labels: tuple[str, ...] = ()
    """Labels by code."""
    ordered: bool = True
    """Whether codes have an order."""

    @property
    def binary(self) -> bool:
        """Whether there are two labels, the second of which is the positive one."""
        return self.kind == "labels" and self.ordered and len(self.labels) == 2

    @cached_property
    def truth(self) -> FloatArray:
        """What people said together: the label of most, NaN where they are tied, or the mean of their numbers."""
        alone = len(self.people) == 1
        found: FloatArray = (
            self.ratings[0] if alone else pooled(self.ratings, "majority" if self.kind == "labels" else "mean")
        )
        return found

    @property
    def against(self) -> str:
        """What ``truth`` is called in rows."""
        return "person" if len(self.people) == 1 else "majority" if self.kind == "labels" else "mean"

    def said(self, value: float) -> str:
        """Return a value as people read it."""
        if np.isnan(value):
            return ""
        return self.labels[int(value)] if self.labels else f"{value:.4g}"


@dataclass(frozen=True, eq=False)
class Judged:
    """What one judge said of the items of a criterion."""

    judge: str
    """The judge."""
    criterion: Criterion
    """The criterion."""
    kind: str
    """``labels``, ``grades``, ``numbers`` or ``scores``."""
    raw: FloatArray
    """As the judge gave it, (items,), NaN where it gave nothing; low scores turned where they are good."""
    runs: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    """The same for each run, if the judge was run several times, runs × items."""
    threshold: float = np.nan
    """For scores, the smallest that counts as the positive label."""
    wrong: bool = False
    """Whether items without an answer count as wrong."""

    @property
    def x(self) -> FloatArray:
        """Return what the judge said on the scale of people."""
        return self.decided(self.raw)

    def decided(self, raw: FloatArray, truth: FloatArray | None = None) -> FloatArray:
        """Return raw values on the scale of people: scores become labels, and no answer a wrong one if so wanted."""
        found = np.where(np.isnan(raw), np.nan, raw >= self.threshold) if self.kind == "scores" else raw
        if not self.wrong or self.criterion.kind != "labels":
            return found
        truth = self.criterion.truth if truth is None else truth
        # With two labels the wrong one is the other; else it is one that nobody has.
        other = (
            1 - truth if len(self.criterion.labels) == 2 else np.full(truth.shape, float(len(self.criterion.labels)))
        )
        return np.where(np.isnan(found) & ~np.isnan(truth), other, found)

    @property
    def abstained(self) -> BoolArray:
        """Items that people judged and the judge did not."""
        return np.isnan(self.raw)


def criteria_of(scores: Scores, human: Names | None) -> tuple[list[Criterion], list[Note]]:
    """Return what people judged: columns with annotators each, and columns on one scale as people of one criterion."""
    names = scores.find_humans(human)
    alone: dict[object, list[str]] = {}
    found, notes = [], []
    for name in names:
        column = scores[name]
        if column.labels("annotator"):
            found.append(_criterion(name, column.labels("annotator"), column.mean(keep="annotator"), column))
        else:
            alone.setdefault(column.scale, []).append(name)
    for together in alone.values():
        first = scores[together[0]]
        values = np.stack([scores.codes(n) if first.scale.labels else scores[n].mean() for n in together])
        stem = together[0] if len(together) == 1 else re.sub(r"[\W_]+$", "", _start(together)) or "human"
        people = together if len(together) == 1 else [n.removeprefix(stem).lstrip("_-. ") or n for n in together]
        found.append(_criterion(stem, people, values, first))
        if len(together) > 1:
            notes.append(Note.of("judge-columns-are-people", human=stem, columns=together))
    for each in found:
        if not len(each.cells):
            raise DataError(f"the human criterion {one_line(each.name)!r} has no judgments for these systems")
    return found, notes


def _start(texts: Sequence[str]) -> str:
    """Return the beginning that texts share."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _criterion(name: str, people: Sequence[str], values: FloatArray, column: Column) -> Criterion:
    flat = values.reshape(len(values), -1)
    cells = np.flatnonzero(~np.isnan(flat).all(axis=0))
    ratings = flat[:, cells]
    who = [at for at in range(len(flat)) if not np.isnan(ratings[at]).all()]
    kept = tuple(people[at] for at in who)
    there = np.unique(ratings[~np.isnan(ratings)])
    if column.scale.labels:
        scale, codes = column.scale, np.arange(len(column.scale.labels))
        if not scale.ordered:  # labels that only judges use are no labels of people
            used = [scale.labels[int(code)] for code in there]
            scale = guess(used)
            codes = np.array([scale.labels.index(label) if label in used else -1 for label in column.scale.labels])
        values = np.where(np.isnan(ratings), np.nan, codes[np.nan_to_num(ratings).astype(np.int64)])
        return Criterion(name, kept, cells, values[who], "labels", scale.labels, scale.ordered)
    if set(there.tolist()) <= {0.0, 1.0}:
        return Criterion(name, kept, cells, ratings[who], "labels", ("0", "1"))
    whole = len(there) <= MOST_GRADES and bool((there == np.floor(there)).all())
    return Criterion(name, kept, cells, ratings[who], "grades" if whole else "numbers")


def judges_of(
    scores: Scores, criteria: Sequence[Criterion], humans: Sequence[str], judge: Names | None
) -> tuple[list[Judged], list[Note]]:
    """Return every judge on the scale of every criterion that it fits, and notes on those that fit none."""
    beside = (*humans, LABEL_CHANCE)
    names = [name for name in scores.find_metrics(judge, humans) if name not in beside]
    if not names:
        raise DataError(f"there is no judge beside the human criteria {listed(humans)}; name one with --judge")
    found, unfit = [], []
    notes = [Note.of("labels-chosen")] if LABEL_CHANCE in scores.columns else []
    for name in names:
        tried = [(each, *_fitted(scores[name], each)) for each in criteria]
        mine = [
            Judged(name, _widened(each, scores[name], kind), kind, raw, runs)
            for each, kind, raw, runs in tried
            if kind and not np.isnan(raw).all()
        ]
        if not mine:
            unfit.append((name, next((each for each, kind, *_ in tried if kind), tried[0][0])))
        for one in mine:
            found.append(one)
            notes += _label_notes(one)
    if not found:
        name, other = unfit[0]
        if _fitted(scores[name], other)[0]:
            raise DataError(
                f"{one_line(name)!r} gave no answer on any of the {len(other.cells):,} items that people judged "
                f"({one_line(other.name)}); check that ids of inputs and systems are the same in all files"
            )
        theirs, own = (
            f"the labels {listed(c.labels, 4)}" if c.labels else "numbers" for c in (scores[name].scale, other)
        )
        raise DataError(
            f"{one_line(name)!r} cannot be compared with {one_line(other.name)!r}: the judge gives {theirs} and people "
            f"{own}; use labels that are spelt alike, or --scale"
        )
    if unfit and judge is not None:
        notes.append(Note.of("judge-unfit", judges=[name for name, _ in unfit], humans=[c.name for c in criteria]))
    return found, notes


def _fitted(column: Column, criterion: Criterion) -> tuple[str, FloatArray, FloatArray]:
    """Return how a judge fits a criterion, empty if it does not, its values there, and those of its runs."""
    labels = column.scale.labels
    values = column.values.reshape(-1, column.values.shape[-2] * column.values.shape[-1])[:, criterion.cells]
    there = values[~np.isnan(values)]
    zero_one = not labels and bool(np.isin(there, (0.0, 1.0)).all())
    if criterion.kind != "labels":
        kind = "" if labels else criterion.kind
    elif labels:
        kind = "labels" if set(labels) & set(criterion.labels) else ""
        values = _answers(values, labels, criterion)
    else:
        kind = "" if not criterion.binary else "labels" if zero_one else "scores"
    if kind == "scores" and column.lower_is_better:
        values = -values
    if len(values) == 1:
        return kind, values[0], np.empty((0, 0))
    raw = pooled(values, "majority" if kind == "labels" else "mean")
    return kind, raw, values


def _answers(values: FloatArray, labels: Sequence[str], criterion: Criterion) -> FloatArray:
    """Return codes of the criterion, higher ones for labels that only the judge uses, NaN for those without answer."""
    place = {label: float(at) for at, label in enumerate(criterion.labels)}
    more = (labels[at] for at in np.unique(values[~np.isnan(values)]).astype(np.int64))
    answers = [label for label in more if label not in place and not NO_ANSWER.fullmatch(label.strip())]
    place |= {label: float(at) for at, label in enumerate(answers, len(place))}
    codes = np.array([place.get(label, np.nan) for label in labels])
    return np.where(np.isnan(values), np.nan, codes[np.nan_to_num(values).astype(np.int64)])


def _widened(criterion: Criterion, column: Column, kind: str) -> Criterion:
    """Return a criterion that knows the labels that only the judge uses."""
    labels = column.scale.labels
    if kind != "labels" or not labels:
        return criterion
    codes = np.unique(column.values[~np.isnan(column.values)]).astype(np.int64)
    more = [labels[at] for at in codes if labels[at] not in criterion.labels]
    more = [label for label in more if not NO_ANSWER.fullmatch(label.strip())]
    return replace(criterion, labels=(*criterion.labels, *more), ordered=criterion.ordered and not more)


def _label_notes(judged: Judged) -> list[Note]:
    """Note which labels only people, or only the judge, use."""
    if judged.kind != "labels":
        return []
    of = judged.criterion
    theirs, own = ({of.said(code) for code in np.unique(v[~np.isnan(v)])} for v in (of.ratings, judged.raw))
    facts = {"judge": judged.judge, "human": of.name}
    notes = []
    if theirs - own:
        notes.append(Note.of("labels-people-only", labels=sorted(theirs - own), **facts))
    if own - theirs:
        notes.append(Note.of("labels-judge-only", labels=sorted(own - theirs), **facts))
    return notes
