"""How well does each metric agree with people?

Correlates each metric with each human criterion and gives every correlation a confidence interval. At the system level
the question is whether the metric ranks systems as people do; at the input level, whether it ranks the outputs for one
input as people do, on average over inputs. For Kendall at the system level it also gives the share of system pairs that
the metric ranks wrongly, and the share of ties.

    metassay agree scores.csv --human relevance
    metassay agree scores.csv human.jsonl --human 'expert*' --metric 'rouge*,bertscore' --level system
    metassay agree scores.csv --human relevance --statistic pearson,kendall -o agreement.tex
    metassay agree scores.csv --human relevance --limits
    metassay agree scores.csv --human relevance --metric synthetic-overlap --view disagreements
    metassay agree scores.csv --human relevance --sentinels --people-as-metrics
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import NamedTuple

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note, where_of
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray
from metassay.stats.methods.base import Case, Draws, Interval, Intervals, Reason
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.pair_shares import DISCORDANT, TIED
from metassay.stats.statistics.registry import choose
from metassay.studies.agree_parts import LeverageRow, LimitRow, leverage_rows, limit_rows, notes_on, pearson
from metassay.studies.disagreements import RankGapRow, rank_gaps
from metassay.studies.input_sets import InputSets, has_scores
from metassay.studies.method_notes import no_number, rough
from metassay.studies.selection import Selection, levels_of_means, select
from metassay.studies.yardsticks import beaten, notes_on_kinds, notes_on_sentinels

FEW = 100
"""With fewer resamples the ends of an interval say little, and a note says so."""
FAR = 0.5
"""So many standard deviations may the median of resamples lie from the estimate before a note says so. A percentile
interval that is shifted as far covers about 92% instead of 95%."""


@fields.row
class AgreementRow(fields.OfAgreement):
    """The agreement of one metric with one human criterion, at one level, by one statistic."""

    estimate: fields.Estimate
    low: fields.Low
    high: fields.High
    confidence: fields.Confidence
    interval: fields.Interval
    resamples: fields.ResamplesOrNone
    n_systems: fields.SharedSystems
    n_inputs: fields.SharedInputs
    n_annotated: fields.NAnnotated
    n_undefined: int
    """Inputs (or, within systems, systems) whose correlation is undefined; excluded from the mean."""
    resamples_undefined: fields.ResamplesUndefined
    misranked: float
    """At system level with a Kendall coefficient: share of system pairs that metric and people order differently, as
    counted; else NaN."""
    misranked_low: float
    """Lower end of its interval; NaN if pairs are tied and the interval is fisher or two-way."""
    misranked_high: fields.High
    tied: float
    """Share of system pairs that the metric, people or both tie; NaN where ``misranked`` is."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


class Agreement(Result, study="agree"):
    """How well metrics agree with people, with intervals."""

    table: Sequence[AgreementRow]
    """One row per metric, human criterion, level and statistic."""
    leverage: tuple[LeverageRow, ...] = ()
    """For each Pearson correlation at system level, the system with the largest influence on it."""
    limits: tuple[LimitRow, ...] = ()
    """If requested, agreement in the limit of many inputs and without annotator error, and the human ceiling."""
    disagreements: tuple[RankGapRow, ...] = ()
    """The outputs that metrics over- and underrate most: those of each metric if there are few, else of the metric that
    agrees best with each criterion."""
    samples: tuple[FloatArray | None, ...] = field(default=(), compare=False)
    """For each row the correlations in the resamples, for drawing their distribution; None without a bootstrap.
    They are not kept in JSON, so a result that was loaded has none."""


@study
def agree(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Levels = "system,input",
    statistic: opt.Statistics = "kendall",
    inputs: opt.InputSet = "all",
    interval: opt.Interval = "jackknife",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    limits: opt.Limits = False,
    worst: opt.Worst = 3,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
    references: opt.References = False,
    drop_outliers: opt.DropOutliers = False,
) -> Agreement:
    """Correlate metrics with human judgments, with confidence intervals.

    Notes
    -----
    Definitions follow Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics
    Using Resampling Methods", §2 and §3; the share of pairs ranked wrongly is that of §6.1.

    If metrics have inputs that people did not annotate, the inputs of their system means are not paired with those of
    people, and all bootstraps resample the two sets separately (Deutsch, Dror and Roth 2022, "Re-Examining System-Level
    Correlations of Automatic Summarization Evaluation Metrics", §3).

    ``jackknife`` is tanh(c + s·w(∓t)) on Fisher's scale, with s² = J + A. J is the jackknife variance over systems. A
    is the variance that inputs add: a two-way cluster sandwich (Cameron, Gelbach and Miller 2011, "Robust inference
    with multiway clustering") without the cell noise, which J already contains. t has Satterthwaite's degrees of
    freedom, and w lengthens the side to which correlations without one system are skewed. It needs no draws. The
    interval is for the correlation of new systems on *as many* new inputs; for the limit of many inputs and for
    error-free human ratings see `limits`.

    ``two-way`` is tanh(atanh r ± t·√V) with N − 2 degrees of freedom. V is the jackknife variance over systems plus the
    variance that inputs add, from bootstraps of systems, inputs and both (Owen 2007, "The pigeonhole bootstrap").
    docs/validity.md gives the coverage of each interval.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.agree(ma.example(), human="relevance", level="system")
    >>> best = max(result.table, key=lambda row: row.estimate)
    >>> bool(best.low < best.estimate < best.high)
    True
    """
    levels = tuple(level)
    statistics = choose(statistic, levels)
    method = INTERVALS[interval]
    for each in statistics:
        method.check(each)
    more = {"sentinels": sentinels, "people": people_as_metrics, "drop_outliers": drop_outliers}
    selected = select(scores, human, metric, references=references, statistics=statistics, **more).need(levels=levels)

    n, m = selected.scores.shape
    cases = _cases(selected, levels, statistics, inputs)
    # Pages are reckoned from all the data, so that systems and people's inputs are drawn alike with fewer inputs.
    draws = Draws(resamples, seed, engine.run, n + 2 * m if method.resampled else 0)
    taken = method.draws_taken(resamples)
    ranked = "system" in levels and any(_is_kendall(each) for each in statistics)
    pairs = _pairs(selected, inputs, method, draws, confidence) if ranked else {}
    distinct = {(c.human, levels.index(c.case.level), statistics.index(c.case.statistic)): c for c in cases}
    beats = {
        place: beaten(c.taken, c.human, c.case.level, c.case.statistic, inputs, 1 - confidence)
        for place, c in distinct.items()
        if sentinels
    }
    found: dict[tuple[int, int, int, int], tuple[AgreementRow, Intervals, int]] = {}
    for case, intervals in zip(cases, method.compute([c.case for c in cases], draws, confidence), strict=True):
        place = (case.human, levels.index(case.case.level), statistics.index(case.case.statistic))
        for at, m in enumerate(case.metrics):
            row = _row(case, intervals, at, method, confidence, taken, pairs)
            if m in (marks := beats.get(place, {})):
                row = replace(row, beats_sentinels=marks[m])
            found[*place, m] = (row, intervals, at)
    in_order = [found[key] for key in sorted(found)]
    rows = [row for row, _, _ in in_order]
    carried, limited = _beside(cases, confidence, limits=limits)
    signature = Signature.open(k=taken, seed=seed if method.drawn else None, **selected.sizes(inputs))
    notes = [
        *notes_on_kinds(selected.notes, [row.kind for row in rows]),
        *selected.notes_on_units(method),
        *selected.notes_on_inputs(levels_of_means(levels, statistics), inputs, "interval"),
        *_notes(rows, method, resamples),
        *_notes_on_intervals(in_order),
        *notes_on_sentinels(rows, 1 - confidence),
    ]
    return Agreement(
        tuple(rows),
        signature,
        tuple(notes + notes_on(carried, limited)),
        leverage=tuple(carried),
        limits=tuple(limited),
        disagreements=tuple(rank_gaps(selected, rows, worst)),
        samples=tuple(None if own.samples is None else own.samples[at] for _, own, at in in_order),
    )


class _Case(NamedTuple):
    """Metrics that use the same inputs, to be compared with one criterion."""

    human: int
    metrics: list[int]
    sets: InputSets
    case: Case
    taken: Selection


def _cases(selected: Selection, levels: Sequence[str], statistics: Sequence[Statistic], inputs: str) -> list[_Case]:
    return [
        _Case(h, metrics, sets, case, taken)
        for h in range(len(selected.humans))
        for lv in levels
        for s in statistics
        for taken in (selected.at(lv, h, s),)
        for metrics, sets, case in taken.cases(h, lv, inputs, s)
    ]


def _beside(cases: Sequence[_Case], confidence: float, *, limits: bool) -> tuple[list[LeverageRow], list[LimitRow]]:
    """Return on which system each Pearson correlation of systems rests, and, if wanted, the limits of agreement."""
    carried: list[LeverageRow] = []
    limited: list[LimitRow] = []
    by_pearson = any(each.case.statistic.name == "pearson" for each in cases)
    done = set()
    for human, metrics, sets, case, taken in cases:
        place = (human, case.level, *(taken.metrics[m] for m in metrics))
        first = place not in done
        done.add(place)
        if case.level == "system" and (case.statistic.name == "pearson" or (limits and first and not by_pearson)):
            carried += leverage_rows(taken, human, metrics, pearson(case))
        if limits and first:
            sizes = [sets.sizes(taken.x[m], taken.z[human], case.level)[1] for m in metrics]
            limited += limit_rows(taken, human, metrics, pearson(case), sizes, confidence)
    return carried, limited


class _Pairs(NamedTuple):
    """Pairs of systems of one metric and one criterion, as shares of all pairs."""

    discordant: float
    tied: float
    ends: tuple[float, float] | None
    """The interval of the discordant share, if the method has one of it."""

    def interval(self, low: float, high: float) -> tuple[float, float]:
        """Return the interval of the discordant share; `low` and `high` are that of Kendall's coefficient."""
        if self.ends is not None:
            return self.ends
        # Kendall's coefficient says how many pairs are discordant only if none is tied.
        return ((1 - high) / 2, (1 - low) / 2) if self.tied == 0 else (math.nan, math.nan)


UNCOUNTED = _Pairs(math.nan, math.nan, None)


def _is_kendall(statistic: Statistic) -> bool:
    return statistic.name.startswith("kendall")


def _pairs(
    selected: Selection, inputs: str, method: Interval, draws: Draws, confidence: float
) -> dict[tuple[int, str], _Pairs]:
    """Return pairs of systems by criterion and metric; resamples count them in the draws of the intervals."""
    cases = _cases(selected, ["system"], [DISCORDANT], inputs)
    own = method.resampled or method.name == JACKKNIFE
    drawn = method.compute([c.case for c in cases], draws, confidence) if own else None
    found = {}
    for at, (case, ties) in enumerate(zip(cases, _cases(selected, ["system"], [TIED], inputs), strict=True)):
        discordant, tied = (c.case.prepared.estimate()[0] for c in (case, ties))
        for place, m in enumerate(case.metrics):
            ends = None if drawn is None else (float(drawn[at].low[place]), float(drawn[at].high[place]))
            found[case.human, case.taken.metrics[m]] = _Pairs(float(discordant[place]), float(tied[place]), ends)
    return found


def _row(
    case: _Case,
    found: Intervals,
    at: int,
    method: Interval,
    confidence: float,
    taken: int | None,
    pairs: Mapping[tuple[int, str], _Pairs],
) -> AgreementRow:
    """Return the row of one metric of a case."""
    level, statistic, m = case.case.level, case.case.statistic, case.metrics[at]
    selected = case.taken
    x, z = selected.x[m], selected.people(case.human, [m])
    n_systems, n_inputs = case.sets.sizes(x, z, level)
    estimate, low, high = (float(values[at]) for values in (found.estimates, found.low, found.high))
    shares = pairs[case.human, selected.metrics[m]] if level == "system" and _is_kendall(statistic) else UNCOUNTED
    wrong_low, wrong_high = shares.interval(low, high)
    return AgreementRow(
        metric=selected.metrics[m],
        human=selected.humans[case.human],
        level=level,
        statistic=statistic.name,
        estimate=estimate,
        low=low,
        high=high,
        confidence=confidence,
        interval=method.name,
        resamples=taken,
        n_systems=n_systems,
        n_inputs=n_inputs,
        n_annotated=int(has_scores(z).sum()),
        n_undefined=int(found.undefined[at]),
        resamples_undefined=0 if found.samples is None else int(np.isnan(found.samples[at]).sum()),
        misranked=shares.discordant,
        misranked_low=wrong_low,
        misranked_high=wrong_high,
        tied=shares.tied,
        kind=selected.kinds[len(selected.humans) + m],
    )


def _notes(rows: Sequence[AgreementRow], method: Interval, asked: int) -> list[Note]:
    """Note what was undefined, and done otherwise than asked."""
    taken = rows[0].resamples
    notes = [
        *Note.when(taken is not None and asked > taken, "two-way-draws", draws=taken, asked=asked),
        *Note.when(any(r.tied > 0 and math.isnan(r.misranked_low) for r in rows), "misranked-without-interval"),
        *rough([method], [row.level for row in rows]),
        *Note.when(taken is not None and taken < FEW, "resamples-few", n=taken, least=FEW),
    ]
    for row in rows:
        where = where_of(row)
        if math.isnan(row.estimate):
            continue
        if row.n_undefined:
            total = row.n_inputs if row.level == "input" else row.n_systems
            notes.append(Note.of("units-undefined", **where, n=row.n_undefined, units=total))
        lost = row.resamples_undefined
        notes += Note.when(lost, "resamples-undefined", **where, n=lost, resamples=row.resamples)
    return notes


def _notes_on_intervals(found: Sequence[tuple[AgreementRow, Intervals, int]]) -> list[Note]:
    """Note why there is no number or no interval, and where resamples lie to one side of the estimate."""
    notes = []
    shifted: list[tuple[float, float, AgreementRow]] = []
    for row, intervals, at in found:
        reason: Reason | None = intervals.reasons[at] if intervals.reasons else None
        if reason is not None and reason.code == "undefined":
            notes.append(Note.of("agreement-undefined", task="", **where_of(row), reason=reason.why))
        elif reason is not None:
            notes.append(no_number("no-interval", reason, method=row.interval, **where_of(row)))
        elif intervals.samples is not None and intervals.shifts is not None and abs(intervals.shifts[at]) > FAR:
            below = float(np.mean(intervals.samples[at] < row.estimate))
            shifted.append((abs(float(intervals.shifts[at])), below, row))
    if shifted:
        _, below, row = max(shifted, key=lambda each: each[0])
        facts = {"n": len(shifted), "rows": len(found), "far": FAR, "below": below, "method": row.interval}
        notes.insert(0, Note.of("resamples-shifted", **facts, **where_of(row), confidence=row.confidence))
    return notes
