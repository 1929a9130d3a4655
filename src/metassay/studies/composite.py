"""Does a combination of metrics agree better than the best metric?

Combines all metrics for one human criterion, by ridge regression and by mean ranks, and evaluates the combinations on
held-out systems and inputs. The strength of the ridge penalty, the kind of combination, and the single metric to beat
are chosen on the other folds, by nested cross-validation.

    metassay composite scores.csv --human relevance
    metassay composite scores.csv --human relevance --level input --statistic pearson --view result,weights
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError
from metassay.stats.arrays import FloatArray
from metassay.stats.composites import KINDS, Composites, composites, gain
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.statistics.registry import choose_one
from metassay.studies.input_sets import has_scores
from metassay.studies.selection import Selection, select

HINDSIGHT = "hindsight"
"""The metric that is best on all the data, which nobody knew before."""
LEAST = 0.9
"""A metric takes part if it has at least so much of what people judged."""


@fields.row
class CompositeRow:
    """How well one combination agrees with human scores on held-out systems and inputs."""

    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    kind: str
    """``ridge`` (regression), ``ranks`` (mean of ranks), ``single`` (the best metric, chosen on the other folds),
    ``chosen`` (the best of these three on the other folds), or ``hindsight`` (the metric that is best on all the data,
    which is not known in advance)."""
    metric: str | None
    """For ``single`` the metric that was chosen most often, for ``hindsight`` the metric; else None."""
    estimate: float
    """The statistic; NaN if it is undefined."""
    low: fields.Low
    high: fields.High
    gain: float
    """Gain in agreement over ``single``; NaN for ``single`` itself and ``hindsight``. There is no interval if the
    single metric was chosen in every fold."""
    gain_low: fields.Low
    gain_high: fields.High
    better: bool
    """Whether the whole interval of the gain is above 0."""
    confidence: fields.Confidence
    resamples: fields.Resamples
    n_metrics: int
    """Number of metrics used."""
    n_systems: int
    """Systems."""
    n_inputs: int
    """Inputs with human scores."""


@fields.row
class WeightRow:
    """The weight of one metric in the regression."""

    human: fields.Human
    level: fields.Level
    metric: fields.Metric
    weight: float
    """Weight in the ridge regression on metrics scaled to variance 1, averaged over folds."""
    chosen: float
    """Share of folds in which it was the best single metric."""


class Combined(Result, study="composite"):
    """Combinations of metrics against the best single metric."""

    table: Sequence[CompositeRow]
    """One row per human criterion, level and combination."""
    weights: tuple[WeightRow, ...]
    """One row per human criterion, level and metric, the largest weight first."""


@study
def composite(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Levels = "system,input",
    statistic: opt.Statistic = "kendall",
    folds: opt.CompositeFolds = 4,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Combined:
    """Combine metrics for a human criterion, and compare the combination with the best single metric.

    Notes
    -----
    Rankel, Conroy, Slud and O'Leary (2011), "Ranking Human and Machine Summarization Systems", propose to look for
    composite scores. Systems and inputs, families and clusters as a whole, are split into folds; the cells of a fold of
    systems and a fold of inputs are scored by a combination fitted on the cells that share neither. Penalties, the kind
    of combination and the single metric are chosen by the same scheme within those cells. Intervals of agreement are
    jackknife intervals of the resulting column; that of a gain adds the variances due to systems, inputs and cells.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.composite(ma.example(), human="relevance", level="input", resamples=200)
    >>> [row.kind for row in result.table]
    ['ridge', 'ranks', 'single', 'chosen', 'hindsight']
    """
    levels = tuple(level)
    chosen = choose_one(statistic, levels)
    selected = select(scores, human, metric, references=references, least_metrics=2).need(
        systems=2 * folds, inputs=2 * folds, levels=levels
    )
    rows: list[CompositeRow] = []
    weights: list[WeightRow] = []
    notes = [*selected.notes, *selected.notes_on_units(INTERVALS[JACKKNIFE])]
    families = selected.labels("systems")
    draws = Draws(resamples, seed, engine.run)
    for h, name in enumerate(selected.humans):
        taken, z, lacking = _usable(selected, h)
        notes += [Note.of("columns-excluded", reason=why, columns=some) for why, some in lacking.items() if some]
        if len(taken) < 2:
            raise DataError(f"only {len(taken)} metric has scores that vary on what people judged of {name!r}; need 2")
        x = selected.x[taken][:, :, has_scores(selected.z[h])]
        names = [selected.metrics[m] for m in taken]
        clusters = selected.labels("inputs")
        units = families, None if clusters is None else clusters[has_scores(selected.z[h])]
        for what, own in zip(("families of systems", "clusters of inputs"), units, strict=True):
            if own is not None and (n := len(np.unique(own))) < folds:
                raise DataError(f"{folds} folds need at least {folds} {what}, got {n}; use fewer folds")
        for at in levels:
            case = Case(chosen, x, z, at, True, *units)
            found = composites(case, folds, seed)
            rows += _rows(found, case, name, names, draws, confidence)
            weights += _weights(found, name, at, names)
    signature = Signature.open(cv=f"{folds}x{folds}", **selected.sizes())
    return Combined(tuple(rows), signature, (*notes, *_notes(rows)), tuple(weights))


def _usable(selected: Selection, human: int) -> tuple[list[int], FloatArray, dict[str, list[str]]]:
    """Return the metrics that can be combined, people on the inputs that they judged, and who is left out and why."""
    judged = has_scores(selected.z[human])
    z = selected.z[human][:, judged]
    lacking: dict[str, list[str]] = {"gaps": [], "constant": []}
    taken = []
    for at, matrix in enumerate(selected.x[:, :, judged]):
        known = ~np.isnan(matrix) & ~np.isnan(z)
        if known.sum() < LEAST * (~np.isnan(z)).sum():
            lacking["gaps"].append(selected.metrics[at])
        elif np.ptp(matrix[known]) == 0:
            lacking["constant"].append(selected.metrics[at])
        else:
            taken.append(at)
    return taken, z, lacking


def _rows(
    found: Composites, case: Case, human: str, names: Sequence[str], draws: Draws, confidence: float
) -> Iterator[CompositeRow]:
    """Yield a row per combination, and the metric that is best in hindsight."""
    alone = case.estimates * case.statistic.sign
    best = int(np.nanargmax(alone)) if not np.isnan(alone).all() else 0
    made = replace(case, x=np.concatenate([found.columns, case.x[best][None]]))
    (ends,) = INTERVALS[JACKKNIFE].compute([made], draws, confidence)
    single = KINDS.index("single")
    often = int(np.bincount(found.singles, minlength=len(names)).argmax())
    for at, kind in enumerate((*KINDS, HINDSIGHT)):
        won: tuple[float, ...] = (math.nan,) * 3
        if kind not in ("single", HINDSIGHT):
            gained = gain(made, at, single, draws, confidence)
            same = np.array_equal(found.columns[at], found.columns[single], equal_nan=True)
            won = (float(gained.difference), *(math.nan if same else float(v) for v in (gained.low, gained.high)))
        yield CompositeRow(
            human=human,
            level=case.level,
            statistic=case.statistic.name,
            kind=kind,
            metric={"single": names[often], HINDSIGHT: names[best]}.get(kind),
            estimate=float(ends.estimates[at]),
            low=float(ends.low[at]),
            high=float(ends.high[at]),
            gain=won[0],
            gain_low=won[1],
            gain_high=won[2],
            better=won[1] > 0,
            confidence=confidence,
            resamples=draws.resamples,
            n_metrics=len(names),
            n_systems=case.shape[0],
            n_inputs=case.shape[1],
        )


def _weights(found: Composites, human: str, level: str, names: Sequence[str]) -> list[WeightRow]:
    share = np.bincount(found.singles, minlength=len(names)) / len(found.singles)
    rows = [WeightRow(human, level, name, float(found.weights[at]), float(share[at])) for at, name in enumerate(names)]
    return sorted(rows, key=lambda row: -abs(row.weight))


def _notes(rows: Sequence[CompositeRow]) -> list[Note]:
    """Note the answer, and what the numbers rest on."""
    notes = []
    for row in rows:
        if row.kind == "chosen" and row.gain == 0 and math.isnan(row.gain_low):
            notes.append(Note.of("composite-is-single", human=row.human, level=row.level))
        elif row.kind == "chosen" and not math.isnan(row.gain_low):
            place = {"human": row.human, "level": row.level}
            ends = {"gain": row.gain, "low": row.gain_low, "high": row.gain_high, "confidence": row.confidence}
            if row.better:
                notes.append(Note.of("composite-better", **place, **ends))
            else:
                notes.append(Note.of("composite-not-better", **place, **ends))
    notes.append(Note.of("composite-conditional"))
    return notes
