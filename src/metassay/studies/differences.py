"""What does a score difference mean?

For score differences of a metric, such as +1.0, estimates how often people agree that the system with the higher score
is better, over the pairs of systems of one or several tasks. Also estimates the difference at which people agree on
80%, 90% or 95% of pairs. With several tasks, the pooled estimate stands beside that of each task.

    metassay differences scores.csv --human relevance --differences 0.05,0.1
    metassay differences wmt23 --human mqm --metric 'BLEU*,chrF*' --differences 1,2
    metassay differences one=first.csv two=second.csv --human relevance --view needed
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.difference_meaning import DifferenceMeaning, Units, difference_meaning
from metassay.stats.methods.base import Draws
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.score_gaps import chance
from metassay.studies.selection import Selection, select
from metassay.studies.tasks import named_in, split
from metassay.studies.yardsticks import ahead, notes_on_draws, notes_on_kinds

ALL = "all"
"""What all tasks together are called."""
MOST_ANSWERS = 3
"""With more metrics and criteria than this, the table is the answer."""
SCALE = 20
"""Largest differences of two tasks that are so many times apart are of scores of different scales."""
ROUND = 5
"""So many round differences are explained if none is asked for."""

Tasks = dict[str, tuple[tuple[FloatArray, FloatArray], Units]]
"""A metric and people, systems × inputs, and which systems and inputs belong together, by task."""


@fields.row
class MeaningRow(fields.OfMetric):
    """How often people agree with a score difference of one size."""

    task: str
    """The task, or ``all`` for the pairs of all tasks together."""
    difference: float
    """The score difference, in units of the metric."""
    agreement: float
    """The fitted probability that people agree that the system with the better score is better; NaN if all pairs are
    tied."""
    low: fields.Low
    high: fields.High
    largest: float
    """The largest score difference in the data; beyond it the curve extrapolates."""
    confidence: fields.Confidence
    resamples: fields.Resamples
    n_pairs: int
    """Pairs of systems behind the curve, ties included."""
    n_tasks: int
    """Number of tasks that they come from."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class RangeRow(fields.OfMetric):
    """How often people agree with score differences within a range, as counted."""

    task: str
    """The task, or ``all``."""
    lower: float
    """The smallest score difference of the range."""
    upper: float
    """The largest one."""
    n_pairs: int
    """Pairs of systems in it, ties included."""
    agreement: float
    """Share of the pairs without ties that people order like the metric; NaN if there is none."""
    low: fields.Low
    high: fields.High


@fields.row
class NeededRow(fields.OfMetric):
    """The score difference needed for people to agree."""

    task: str
    """The task, or ``all``."""
    agreement: float
    """The target share of pairs on which people agree."""
    needed: float
    """The difference at which the fitted probability reaches it; infinite if it never does."""
    low: fields.Low
    high: fields.High
    largest: float
    """The largest score difference in the data."""
    slope: float
    """The slope β of the curve, per unit of the metric; infinite if people agree on every pair."""
    slope_low: fields.Low
    slope_high: fields.High
    overall: float = math.nan
    """Share of all pairs without ties that people order like the metric; rows are sorted by it, the best metric
    first."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


class Differences(Result, study="differences"):
    """What score differences mean to people, over one task or several."""

    table: Sequence[MeaningRow]
    """One row per human criterion, metric, task and difference."""
    ranges: tuple[RangeRow, ...]
    """One row per human criterion, metric, task and range of differences, with about equally many pairs in each."""
    needed: tuple[NeededRow, ...]
    """One row per human criterion, metric, task and target agreement."""


@study
def differences(
    scores: Scores | Mapping[str, Scores],
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    differences: opt.Differences = None,
    by: opt.Tasks = None,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
) -> Differences:
    """Estimate how often people agree with score differences, and which difference is needed for agreement.

    Parameters
    ----------
    scores
        The scores to study, or scores by task, such as ``metassay.read_tasks`` returns.

    Notes
    -----
    The probability of agreement is 1/(1 + exp(−β|Δ|)), fitted by maximum likelihood to all pairs of systems without
    ties, as in :func:`metassay.pairs`. Intervals resample systems and inputs of each task, families and clusters as a
    whole. Tasks whose human criteria have different names are taken together if each of them has one of the criteria
    that were named.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.differences(ma.example(), human="relevance", metric="synthetic-judge", differences=[0.1, 0.2])
    >>> small, large = result.table
    >>> 0.5 < small.agreement < large.agreement
    True
    """
    tasks = split(scores, by)
    draws = Draws(resamples, seed, engine.run)
    made = _Made(confidence, resamples, None if differences is None else tuple(map(float, differences)))
    beside = {"sentinels": sentinels, "people": people_as_metrics}
    chosen, notes = _selections(tasks, human, metric, {"references": references, **beside})
    for name, selected in _criteria(chosen).items():
        taken = {task: (one.at("system").beside(h, "system"), h) for task, (one, h) in selected.items()}
        for each, kind in {m: kind for one, _ in taken.values() for m, kind in one.metric_kinds.items()}.items():
            values: Tasks = {}
            for task, (one, h) in taken.items():
                if each in one.metrics:
                    at = one.metrics.index(each)
                    values[task] = (one.x[at], one.people(h, [at])), (one.labels("systems"), one.labels("inputs"))
            for task, some in ((ALL, values), *((t, {t: v}) for t, v in values.items() if len(values) > 1)):
                data, together = zip(*some.values(), strict=True)
                found = difference_meaning(data, draws, confidence, units=together)
                made.add({"metric": each, "human": name, "kind": kind, "task": task, "n_tasks": len(some)}, found)
    made.rank(1 - confidence)
    if not made.rows:
        raise DataError("the scores of all systems are equal by every metric, so there is no difference to explain")
    if len(tasks) > 1:
        notes.append(Note.of("tasks-pooled", tasks=len(chosen)))
    sizes = next(iter(chosen.values())).sizes() if len(chosen) == 1 else {"tasks": len(chosen)}
    signature = Signature.open(level="system", ci=f"boot-both,{confidence:g}", **sizes)
    marked = {(row.human, row.metric): row for row in made.needed if row.task == ALL}.values()
    beaten = notes_on_draws(marked, "share of pairs that people order like the metric", 1 - confidence)
    told = (*notes_on_kinds(notes, [row.kind for row in made.rows]), *made.notes(), *beaten)
    return Differences(tuple(made.rows), signature, told, tuple(made.ranges), tuple(made.needed))


def _selections(
    tasks: Mapping[str, Scores], human: opt.Human, metric: opt.Metric, more: Mapping[str, Any]
) -> tuple[dict[str, Selection], list[Note]]:
    """Return what each task has of the columns that were named; one that allows nothing is noted."""
    wanted = named_in(tasks, human, "human criterion")
    chosen: dict[str, Selection] = {}
    notes: list[Note] = []
    for task, own in tasks.items():
        humans = [name for name in wanted if name in own.columns]
        metrics = None if metric is None else named_in({task: own}, metric, "metric", missing_ok=len(tasks) > 1)
        if not humans or metrics == []:
            notes.append(Note.of("task-without-columns", task=task))
            continue
        try:
            chosen[task] = select(own, humans, metrics, **more).need(
                systems=3 if len(tasks) == 1 else 2, levels=["system"]
            )
        except DataError as error:
            if len(tasks) == 1:
                raise
            notes.append(Note.of("task-left-out", task=task, why=one_line(error, 200)))
    if not chosen:
        raise DataError("no task has a metric and scores of people; see --human and --metric")
    told = (note for each in chosen.values() for note in (*each.notes, *each.notes_on_units(INTERVALS["boot-both"])))
    return chosen, notes + list(dict.fromkeys(told))


def _criteria(chosen: Mapping[str, Selection]) -> dict[str, dict[str, tuple[Selection, int]]]:
    """Return the tasks of each human criterion; where each task has one of its own, they are one criterion."""
    names = dict.fromkeys(name for each in chosen.values() for name in each.humans)
    if len(names) > 1 and len(chosen) > 1 and all(len(each.humans) == 1 for each in chosen.values()):
        return {", ".join(names): {task: (each, 0) for task, each in chosen.items()}}
    return {
        name: {task: (each, each.humans.index(name)) for task, each in chosen.items() if name in each.humans}
        for name in names
    }


class _Made:
    """Rows, as they are found."""

    def __init__(self, confidence: float, resamples: int, wanted: tuple[float, ...] | None) -> None:
        self.shared = {"confidence": confidence, "resamples": resamples}
        self.wanted = wanted
        self.rows: list[MeaningRow] = []
        self.ranges: list[RangeRow] = []
        self.needed: list[NeededRow] = []
        self.drawn: dict[str, dict[str, FloatArray]] = {}
        self.kinds: dict[str, str] = {}

    def add(self, place: Mapping[str, object], found: DifferenceMeaning) -> None:
        """Add the rows of one metric and one task, or all tasks."""
        shared = {**self.shared, **place, "largest": found.largest, "overall": float(found.overall[0])}
        shared["beats_sentinels"] = None
        if place["task"] == ALL:
            self.drawn.setdefault(str(place["human"]), {})[str(place["metric"])] = found.overall
            self.kinds[str(place["metric"])] = str(place["kind"])
        pairs = int(found.pairs.sum())
        for size in self.wanted or _round(found.largest):
            middle, low, high = (float(chance(slope, size)) for slope in found.slope)
            own = {"difference": size, "agreement": middle, "low": low, "high": high, "n_pairs": pairs}
            self.rows.append(fields.filled(MeaningRow, own, shared))
        for at, (lower, upper) in enumerate(found.bounds.tolist()):
            if not math.isnan(lower):
                ends = {"agreement": found.agree, "low": found.agree_low, "high": found.agree_high}
                own = {key: float(values[at]) for key, values in ends.items()}
                n = int(found.pairs[at])
                self.ranges.append(fields.filled(RangeRow, own, shared, lower=lower, upper=upper, n_pairs=n))
        for at, share in enumerate(found.agreements.tolist()):
            ends = {"needed": found.needed, "low": found.needed_low, "high": found.needed_high}
            own = {key: float(values[at]) for key, values in ends.items()}
            own |= zip(("slope", "slope_low", "slope_high"), found.slope, strict=True)
            self.needed.append(fields.filled(NeededRow, own, shared, agreement=share))

    def rank(self, alpha: float) -> None:
        """Put the metrics of each criterion that people agree with most first, and mark what sentinels do as well."""
        marks = {(h, m): beats for h, own in self.drawn.items() for m, beats in ahead(own, self.kinds, alpha).items()}
        place = {
            (human, metric): (at, math.isnan(drawn[0]), -drawn[0])
            for at, (human, own) in enumerate(self.drawn.items())
            for metric, drawn in own.items()
        }
        for rows in (self.rows, self.ranges, self.needed):
            rows.sort(key=lambda row: place[row.human, row.metric])
        self.rows = [replace(row, beats_sentinels=marks.get((row.human, row.metric))) for row in self.rows]
        self.needed = [replace(row, beats_sentinels=marks.get((row.human, row.metric))) for row in self.needed]

    def notes(self) -> Iterator[Note]:
        """Yield the answer, and what the numbers rest on."""
        yield from self._answers() if self.wanted else self._best()
        for row in self.needed:
            if math.isinf(row.needed) and row.task == ALL and row.agreement == self.needed[0].agreement:
                yield Note.of("gap-never-enough", human=row.human, metric=row.metric)
        for place in dict.fromkeys(
            (r.human, r.metric) for r in self.rows if r.task == ALL and r.difference > r.largest
        ):
            yield Note.of("difference-unseen", human=place[0], metric=place[1])
        yield from self._scales()
        yield Note.of("pairs-dependent", drawn="both")

    def _answers(self) -> Iterator[Note]:
        """Yield what the first difference that was asked for means, for a few metrics."""
        pooled = [row for row in self.rows if row.task == ALL and self.wanted and row.difference == self.wanted[0]]
        needs = {(row.metric, row.human): row.needed for row in reversed(self.needed) if row.task == ALL}
        several = len({row.human for row in pooled}) > 1
        for row in pooled if len(pooled) <= MOST_ANSWERS else ():
            if not math.isnan(row.agreement):
                ends = {"share": row.agreement, "low": row.low, "high": row.high, "confidence": row.confidence}
                need = needs[row.metric, row.human]
                human = row.human if several else ""
                yield Note.of(
                    "difference-means", metric=row.metric, human=human, difference=row.difference, needed=need, **ends
                )

    def _best(self) -> Iterator[Note]:
        """Yield the difference that the metric needs which needs least of its range."""
        first = self.needed[0].agreement if self.needed else 0.0
        for human in dict.fromkeys(row.human for row in self.needed):
            mine = [r for r in self.needed if (r.human, r.task, r.agreement) == (human, ALL, first) and r.largest > 0]
            if known := [row for row in mine if math.isfinite(row.needed) and row.kind == "metric"]:
                row = min(known, key=lambda each: each.needed / each.largest)
                if row.needed == 0:
                    yield Note.of("difference-any", human=human, metric=row.metric)
                else:
                    yield Note.of("difference-needed", human=human, metric=row.metric, needed=row.needed, share=first)

    def _scales(self) -> Iterator[Note]:
        """Yield which metrics have scores of another scale in some task, so that pooling them makes no sense."""
        first = self.needed[0].agreement if self.needed else 0.0
        own = [row for row in self.needed if row.task != ALL and row.agreement == first and row.largest > 0]
        for metric, human in dict.fromkeys((row.metric, row.human) for row in own):
            far = sorted((row for row in own if (row.metric, row.human) == (metric, human)), key=lambda r: r.largest)
            if far[-1].largest > SCALE * far[0].largest:
                ends = {"small": far[0].largest, "large": far[-1].largest}
                yield Note.of("task-scales-differ", metric=metric, one=far[0].task, other=far[-1].task, **ends)


def _round(largest: float) -> list[float]:
    """Return round numbers up to the largest difference, the smallest first."""
    if not largest > 0:
        return []
    top = math.floor(math.log10(largest))
    steps = [float(f"{s}e{k}") for k in range(top - 3, top + 1) for s in (1, 2, 5)]
    return [step for step in steps if step <= largest][-ROUND:]
