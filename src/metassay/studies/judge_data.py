"""Who judged what: people by criterion, and judges on the scale of each criterion, as bare arrays of items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from metassay.core.note import Note
from metassay.core.scales import NO_ANSWER, Scale, guess
from metassay.core.scores import Column, Scores
from metassay.core.vocabulary import LABEL_CHANCE
from metassay.errors import DataError, listed, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.ranges import same_range
from metassay.stats.rater_agreement import pooled

MOST_GRADES = 25
"""Whole numbers of at most so many values are grades."""
CRITERIA = re.compile(
    r"(adequa|accura|clar|coheren|complet|concis|consisten|correct|creativ|engag|factual|faithful|fluen|grammat|"
    r"grounded|harmless|helpful|informativ|interest|natural|overall|quality|readab|relevan|safe|style|tone|understand)",
    re.IGNORECASE,
)
"""What columns are called that are criteria and not people."""
STEM = re.compile(r"(.*?[^\W\d_])(?:[\W_]+[^\W_]+|\d+)$")
"""What the columns of people who judged the same begin with, as in ``verdict_anna`` and ``verdict2``."""


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
    lower: bool = False
    """Whether low values are good."""

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
    """``labels``, ``grades``, ``numbers``, ``scores``, or ``other-scale`` for numbers unlike people's."""
    raw: FloatArray
    """As the judge gave it, (items,), NaN where it gave nothing; low scores turned where they are good."""
    runs: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    """The same for each run, if the judge was run several times, runs × items."""
    threshold: float = np.nan
    """For scores, the smallest that counts as the positive label."""
    cuts: FloatArray | None = None
    """The same for each item, chosen on other items; None if one threshold is for all."""
    wrong: bool = False
    """Whether items without an answer count as wrong."""

    @property
    def x(self) -> FloatArray:
        """Return what the judge said on the scale of people."""
        return self.decided(self.raw)

    def decided(self, raw: FloatArray, truth: FloatArray | None = None) -> FloatArray:
        """Return raw values on the scale of people: scores become labels, and no answer a wrong one if so wanted."""
        found = raw
        if self.kind == "scores":
            least = self.threshold if self.cuts is None else np.resize(self.cuts, raw.shape)
            found = np.where(np.isnan(raw), np.nan, raw >= least)
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


def with_people(scores: Scores, names: Sequence[str]) -> tuple[Scores, tuple[str, ...], list[Note]]:
    """Return the scores with people who judged the same as annotators of one criterion, the criteria, and notes.

    These are columns without annotators, on one scale, whose names begin alike; others are said by --people. Where rows
    of an item are runs of a judge, people have judged once.
    """
    columns, notes = _once_per_item(scores, names)
    alone, found = _alike(columns, names), list[str]()
    for (_, start), together in alone.items():
        if len(together) == 1:
            found += together
            continue
        who = [n.removeprefix(start).lstrip("_-. ") or n for n in together]
        values = np.stack([_pooled(columns[n]) for n in together])
        first = columns[together[0]]
        columns = {name: column for name, column in columns.items() if name not in together}
        stem = start if start not in columns else f"{start}_*"
        axes = (("annotator", tuple(who)),)
        columns[stem] = replace(first, name=stem, values=values, axes=axes, kind="human", system_scores=None)
        found.append(stem)
        notes.append(Note.of("judge-columns-are-people", human=stem, columns=together))
    single = [together[0] for (_, start), together in alone.items() if start and len(together) == 1]
    notes += Note.when(len(single) > 1, "judge-columns-are-criteria", columns=single)
    return replace(scores, columns=columns), tuple(found), notes


def perhaps_people(scores: Scores, names: Sequence[str]) -> list[Note]:
    """Note which criteria look like people who judged the same, for studies that take them as they are."""
    return [
        Note.of("columns-perhaps-people", columns=together, people=f"{start}={','.join(together)}")
        for (_, start), together in _alike(scores.columns, names).items()
        if len(together) > 1
    ]


def _alike(columns: Mapping[str, Column], names: Sequence[str]) -> dict[tuple[object, str], list[str]]:
    """Return columns without annotators by scale and by what their names begin with; others are by themselves."""
    found: dict[tuple[object, str], list[str]] = {}
    for name in names:
        key = (name, "") if columns[name].labels("annotator") else (columns[name].scale, _stem(name, names))
        found.setdefault(key, []).append(name)
    return found


def _pooled(column: Column) -> FloatArray:
    """Return a column without further axes: numbers by their mean, labels by that of most."""
    return (replace(column, scale=Scale("nominal", column.scale.labels)) if column.scale.labels else column).mean()


def _once_per_item(scores: Scores, humans: Sequence[str]) -> tuple[dict[str, Column], list[Note]]:
    """Return the columns, without annotators where a column only repeats what it says of an item.

    That is so if people's judgment is the same in all runs of a judge, or a judge's on the rows of all people.
    """
    columns, notes = dict(scores.columns), []
    by_role: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for name, column in scores.columns.items():
        if who := column.labels("annotator"):
            by_role.setdefault((name in humans, who), []).append(name)
    varying = {name for names in by_role.values() for name in names if _varies(scores[name])}
    for (is_human, who), names in by_role.items():
        others = varying.intersection(by_role.get((not is_human, who), ()))
        for name in names if others else ():
            if name not in varying:
                axes = tuple(axis for axis in scores[name].axes if axis[0] == "language")
                columns[name] = replace(scores[name], values=_pooled(scores[name]), axes=axes)
                notes += Note.when(is_human, "judge-rows-are-runs", human=name, judges=sorted(others), runs=who)
    return columns, notes


def _varies(column: Column) -> bool:
    """Return whether annotators, or runs, differ on any item."""
    return bool((np.fmax.reduce(column.values, axis=-3) > np.fmin.reduce(column.values, axis=-3)).any())


def criteria_of(scores: Scores, humans: Sequence[str]) -> list[Criterion]:
    """Return what people judged."""
    found = []
    for name in humans:
        column = scores[name]
        who = column.labels("annotator")
        found.append(
            _criterion(name, who or [name], column.mean(keep="annotator") if who else _pooled(column)[None], column)
        )
        if not len(found[-1].cells):
            raise DataError(f"the human criterion {one_line(name)!r} has no judgments for these systems")
    return found


def _stem(name: str, names: Sequence[str]) -> str:
    """Return what a column of a person has in common with those of others; its name if it is a criterion."""
    match = STEM.fullmatch(name)
    rest = name[match.end(1) :].lstrip("_-. ") if match else name
    return name if match is None or rest in names or CRITERIA.match(rest) else match[1]


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
    lower = column.lower_is_better
    if set(there.tolist()) <= {0.0, 1.0}:
        return Criterion(name, kept, cells, ratings[who], "labels", ("0", "1"), lower=lower)
    whole = len(there) <= MOST_GRADES and bool((there == np.floor(there)).all())
    return Criterion(name, kept, cells, ratings[who], "grades" if whole else "numbers", lower=lower)


def judges_of(
    scores: Scores, criteria: Sequence[Criterion], names: Sequence[str], *, asked: bool
) -> tuple[list[Judged], list[Note]]:
    """Return every judge on the scale of every criterion that it fits, and notes on those asked for that fit none."""
    names = [name for name in names if name in scores.columns and name != LABEL_CHANCE]
    names = [name for name in names if name not in {each.name for each in criteria}]
    if not names:
        raise DataError(
            f"there is no judge beside the human criteria {listed(c.name for c in criteria)}; name one with --judge"
        )
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
            if one.kind == "labels" and _two_labels(scores[name], one.criterion):
                both = zip(scores[name].scale.labels, one.criterion.labels, strict=True)
                pairs = [f"{own} = {theirs}" for own, theirs in both]
                notes.append(Note.of("labels-in-other-words", judge=name, human=one.criterion.name, labels=pairs))
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
            f"{own}; use the same labels, or give both an order with --scale, as in binary:NO<YES"
        )
    if unfit and asked:
        notes.append(Note.of("judge-unfit", judges=[name for name, _ in unfit], humans=[c.name for c in criteria]))
    return found, notes


def _fitted(column: Column, criterion: Criterion) -> tuple[str, FloatArray, FloatArray]:
    """Return how a judge fits a criterion, empty if it does not, its values there, and those of its runs."""
    labels = column.scale.labels
    values = column.values.reshape(-1, column.values.shape[-2] * column.values.shape[-1])[:, criterion.cells]
    there = values[~np.isnan(values)]
    zero_one = not labels and bool(np.isin(there, (0.0, 1.0)).all())
    if criterion.kind != "labels":
        kind = "" if labels else criterion.kind if _on_scale(column, criterion, there) else "other-scale"
    elif labels:
        two = _two_labels(column, criterion)
        kind = "labels" if two or set(labels) & set(criterion.labels) else ""
        values = values if two else _answers(values, labels, criterion)
    else:
        kind = "" if not criterion.binary else "labels" if zero_one else "scores"
    if (kind == "scores" and column.lower_is_better) or (
        kind == "other-scale" and column.lower_is_better != criterion.lower
    ):
        values = -values
    if len(values) == 1:
        return kind, values[0], np.empty((0, 0))
    raw = pooled(values, "majority" if kind == "labels" else "mean")
    return kind, raw, values


def _on_scale(column: Column, criterion: Criterion, there: FloatArray) -> bool:
    """Return whether numbers of a judge can be subtracted from those of people."""
    known = criterion.ratings[~np.isnan(criterion.ratings)]
    if column.lower_is_better != criterion.lower:
        return False
    inside = known.min() <= there.min(initial=np.inf) and there.max(initial=-np.inf) <= known.max()
    return bool(inside and (there == np.floor(there)).all()) or same_range(there, known)


def _two_labels(column: Column, criterion: Criterion) -> bool:
    """Return whether a judge says no and yes in other words than people: the lower label is then the lower one."""
    labels = column.scale.labels
    return criterion.binary and column.scale.kind == "binary" and not set(labels) & set(criterion.labels)


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
    if kind != "labels" or not labels or _two_labels(column, criterion):
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
    people, alone = (((judged.judge, tuple(sorted(labels))),) * bool(labels) for labels in (theirs - own, own - theirs))
    return [
        *Note.when(people, "labels-people-only", human=of.name, labels=people),
        *Note.when(alone, "labels-judge-only", human=of.name, labels=alone),
    ]
