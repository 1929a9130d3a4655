"""How precisely are the scores of systems known?

Estimates the mean score of each system, with a bootstrap interval over inputs and a variance: once on the inputs that
people judged, and once on all inputs that the metric scored. If people judged every input, --annotated treats only some
of them as judged.

    metassay precision scores.csv --human relevance --annotated 20
    metassay precision scores.csv --human relevance --metric synthetic-overlap --view systems
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.draws import BootstrapPages
from metassay.stats.levels import Means
from metassay.stats.stability import Spread, sample_means, spread
from metassay.studies.input_sets import has_scores
from metassay.studies.selection import select_columns

HELD = 16_000_000
"""Sampled means held at once (128 MB as floats)."""


@fields.row
class PrecisionRow(fields.OfColumn):
    """The mean score of one system, and how it would vary with other inputs."""

    system: fields.System
    inputs: str
    """``annotated`` for the inputs that people annotated, ``all`` for every input that the metric has."""
    n_inputs: int
    """How many of them have a score of this system."""
    estimate: float
    """The mean score, in the metric's own units and direction; NaN if there is none."""
    low: fields.Low
    high: fields.High
    variance: float
    """Variance of the mean over the resamples."""
    confidence: fields.Confidence
    resamples: fields.Resamples
    resamples_undefined: int
    """Resamples in which the system had no score; excluded."""


@fields.row
class VarianceChange:
    """The change in the variance of system scores from the annotated inputs to all inputs."""

    metric: fields.Metric
    n_annotated: int
    """Inputs that people annotated and the metric has."""
    n_inputs: int
    """Inputs that the metric has."""
    variance_annotated: float
    """Mean over systems of the variance with the annotated inputs."""
    variance_all: float
    """Mean over systems of the variance with all inputs."""
    change: float
    """Relative change from the one to the other; NaN if undefined."""


class Precision(Result, study="precision"):
    """System means with intervals and variances, on the annotated inputs and on all inputs."""

    table: Sequence[PrecisionRow]
    """One row per metric or human criterion, set of inputs and system."""
    changes: tuple[VarianceChange, ...]
    """For metrics with more inputs than people annotated, the change in variance."""


@study
def precision(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    annotated: opt.AnnotatedInputs = None,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Precision:
    """Bootstrap the mean score of each system over inputs, those that people annotated and all.

    Notes
    -----
    Deutsch, Dror and Roth (2022), "Re-Examining System-Level Correlations of Automatic Summarization Evaluation
    Metrics", §3.1 and Figure 2. An input counts as annotated if any of the criteria has a score there.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.precision(ma.example(), human="relevance", metric="synthetic-o*", annotated=20, resamples=500)
    >>> all(change.change < 0 for change in result.changes)
    True
    """
    columns = select_columns(
        scores, human, metric, references=references, with_people=True, annotated=annotated, seed=seed
    )
    # The border turned columns in which lower scores are better; here their own units are wanted.
    lower = [columns.scores[name].lower_is_better for name in columns.names]
    values = np.where(np.array(lower)[:, None, None], -columns.values, columns.values)
    wanted = _wanted(values, columns.kinds)
    found = _spreads(values, wanted, resamples, confidence, seed, columns.labels("inputs"))

    rows = []
    for (at, which, inputs), means in zip(wanted, found, strict=True):
        known = (~np.isnan(values[at][:, inputs])).sum(axis=1)
        rows += [
            PrecisionRow(
                metric=columns.names[at],
                kind=columns.kinds[at],
                system=system,
                inputs=which,
                n_inputs=int(known[s]),
                estimate=float(means.estimate[s]),
                low=float(means.low[s]),
                high=float(means.high[s]),
                variance=float(means.variance[s]),
                confidence=confidence,
                resamples=resamples,
                resamples_undefined=int(means.undefined[s]) if known[s] else 0,
            )
            for s, system in enumerate(columns.scores.systems)
        ]
    changes = _changes(columns.names, wanted, found)
    judged = {int(inputs.sum()) for at, _, inputs in wanted if columns.kinds[at] == "human"}
    signature = Signature.open(ci=f"boot-inputs,{confidence:g}", annotated=sorted(judged) or None, **columns.sizes())
    notes = [*columns.notes, *_notes(rows, changes)]
    return Precision(tuple(rows), signature, tuple(notes), changes)


_Wanted = tuple[int, str, BoolArray]
"""A column by position, the name of a set of inputs, and the set."""


def _wanted(values: FloatArray, kinds: tuple[str, ...]) -> list[_Wanted]:
    """Return people with their inputs, and metrics with all of theirs and, if they have more, with people's."""
    available = [has_scores(matrix) for matrix in values]
    judged = np.zeros(values.shape[-1], dtype=bool)
    for inputs, kind in zip(available, kinds, strict=True):
        if kind == "human":
            judged |= inputs
    wanted: list[_Wanted] = []
    for at, (inputs, kind) in enumerate(zip(available, kinds, strict=True)):
        if kind == "human":
            wanted.append((at, "annotated", inputs))
            continue
        if (inputs & judged).any() and (inputs & ~judged).any():
            wanted.append((at, "annotated", inputs & judged))
        wanted.append((at, "all", inputs))
    return wanted


def _spreads(
    values: FloatArray, wanted: list[_Wanted], resamples: int, confidence: float, seed: int, clusters: IntArray | None
) -> list[Spread]:
    """Resample the inputs, clusters of them whole; columns on the same inputs share the draws."""
    groups: dict[bytes, list[int]] = {}
    for place, (_, _, inputs) in enumerate(wanted):
        groups.setdefault(inputs.tobytes(), []).append(place)
    at_once = max(1, HELD // (values.shape[1] * resamples))
    found: dict[int, Spread] = {}
    for places in groups.values():
        inputs = wanted[places[0]][2]
        shape, units = (values.shape[1], int(inputs.sum())), None if clusters is None else clusters[inputs]
        pages = BootstrapPages(resamples, shape, seed, resample_systems=False, clusters=(units, None))
        for start in range(0, len(places), at_once):
            block = places[start : start + at_once]
            means = [Means(values[wanted[place][0]][:, inputs]) for place in block]

            def work(page: int, pages: BootstrapPages = pages, means: list[Means] = means) -> list[FloatArray]:
                weights = pages[page][1]
                assert weights is not None, "inputs are what is drawn"
                return [sample_means(each, weights) for each in means]

            done = engine.run(work, len(pages), what="resampling")
            for place, each, parts in zip(block, means, zip(*done, strict=True), strict=True):
                found[place] = spread(each, np.concatenate(parts, axis=1)[:, :resamples], confidence)
    return [found[place] for place in range(len(wanted))]


def _changes(names: tuple[str, ...], wanted: list[_Wanted], found: list[Spread]) -> tuple[VarianceChange, ...]:
    by_column: dict[int, dict[str, tuple[int, Spread]]] = {}
    for (at, which, inputs), means in zip(wanted, found, strict=True):
        by_column.setdefault(at, {})[which] = (int(inputs.sum()), means)
    changes = []
    for at, sets in by_column.items():
        if len(sets) < 2:
            continue
        (few, a), (many, t) = sets["annotated"], sets["all"]
        both = ~np.isnan(a.variance) & ~np.isnan(t.variance)
        mean_a, mean_t = (float(v.variance[both].mean()) if both.any() else math.nan for v in (a, t))
        change = mean_t / mean_a - 1 if mean_a > 0 else math.nan
        changes.append(VarianceChange(names[at], few, many, mean_a, mean_t, change))
    return tuple(changes)


def _notes(rows: Sequence[PrecisionRow], changes: Sequence[VarianceChange]) -> list[Note]:
    known = [change.change for change in changes if not math.isnan(change.change)]
    lost = max((row.resamples_undefined for row in rows), default=0)
    notes = []
    if known:
        notes.append(Note.of("variance-change", change=sum(known) / len(known), metrics=len(known)))
    notes += [*Note.when(not changes, "no-further-inputs"), Note.of("intervals-of-systems")]
    if lost > 0:
        notes.append(Note.of("resamples-without-score", n=lost, resamples=rows[0].resamples))
    return notes
