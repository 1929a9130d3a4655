"""How well does each metric agree with people?

Correlates each metric with each human criterion and gives every correlation a confidence interval. At the system level
it asks whether the metric ranks systems as people do; at the input level, whether it ranks the outputs for one input
as people do, on average. A Kendall correlation of system scores comes with the shares of system pairs that the metric
ranks wrongly and that are tied.

    metassay agree scores.csv --human relevance
    metassay agree scores.csv human.jsonl --human 'expert*' --metric 'rouge*,bertscore' --level system
    metassay agree scores.csv --human relevance --coefficient pearson,kendall -o agreement.tex
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray
from metassay.stats.methods.base import Case, Draws, Interval, Intervals
from metassay.stats.methods.names import BOOTSTRAPS
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.pair_shares import DISCORDANT, TIED
from metassay.stats.statistics.registry import choose
from metassay.studies.inputs import InputSets, by_inputs, count_annotated, has_scores, notes_on_inputs
from metassay.studies.setting import (
    Setting,
    check_size,
    pages_on,
    settle,
    signature_names,
)

FEW = 100
"""With fewer resamples the ends of an interval say little, and a note says so."""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The agreement of one metric with one human criterion, at one level, by one coefficient."""

    metric: str
    """The metric."""
    human: str
    """The human criterion."""
    level: str
    """``system``, ``input``, ``global`` or ``within-system``."""
    coefficient: str
    """The statistic: ``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a``, ``kendall-c``, or your own."""
    estimate: float
    """Its value; NaN if it is undefined."""
    low: float
    """Lower end of the confidence interval."""
    high: float
    """Upper end of the confidence interval."""
    confidence: float
    """The interval's confidence, such as 0.95."""
    interval: str
    """How the interval was made."""
    resamples: int | None
    """How many resamples the interval rests on; None for Fisher."""
    n_systems: int
    """Systems with at least one score from the metric and one from people."""
    n_inputs: int
    """Inputs with at least one score from the metric and, unless system means take all inputs, one from people."""
    n_annotated: int
    """Inputs with at least one score from people."""
    n_undefined: int
    """Inputs (or, within systems, systems) whose own correlation is undefined and left the average."""
    resamples_undefined: int
    """Resamples whose correlation was undefined and left the interval."""
    misranked: float
    """At system level with a Kendall coefficient: share of system pairs that metric and people order differently, as
    counted; else NaN."""
    misranked_low: float
    """Lower end of its interval; NaN if pairs are tied and the interval is not a bootstrap."""
    misranked_high: float
    """Upper end of it."""
    tied: float
    """Share of system pairs that the metric, people or both tie; NaN where ``misranked`` is."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """How well metrics agree with people, with intervals."""

    study: ClassVar[str] = "agree"

    table: Sequence[AgreementRow]
    """One row per metric, human criterion, level and coefficient."""
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
    interval: opt.Interval = "boot-both",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    threads: opt.Threads = None,
) -> Agreement:
    """Correlate metrics with human judgments, with confidence intervals.

    Parameters
    ----------
    scores
        Scores of metrics and people.

    Returns
    -------
    Agreement
        One row per metric, criterion, level and coefficient.

    Notes
    -----
    Definitions follow Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics
    Using Resampling Methods", §2 and §3; the share of pairs ranked wrongly is that of §6.1.

    Where metrics have inputs that people did not annotate, the inputs of their system means are not paired with those
    of people, and all bootstraps resample the two sets separately (Deutsch, Dror and Roth 2022, "Re-Examining
    System-Level Correlations of Automatic Summarization Evaluation Metrics", §3).

    ``two-way`` is tanh(atanh r ± t·√V) with N − 2 degrees of freedom. V is the variance that leaving out one system at
    a time shows, and what inputs add to it by bootstraps of systems, inputs and both (Owen 2007, "The pigeonhole
    bootstrap"). How often each interval contains what it should is told in docs/validity.md.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.agree(ma.example(), human="relevance", level="system", resamples=1000)
    >>> best = max(result.table, key=lambda row: row.estimate)
    >>> bool(best.low < best.estimate < best.high)
    True
    """
    levels = tuple(level)
    statistics = choose(statistic, levels)
    method = INTERVALS[interval]
    for each in statistics:
        method.check(each)
    setting = settle(scores, human, metric, references=references)
    check_size(setting, levels)

    n, m_inputs = setting.scores.shape
    cases = _cases(setting, levels, statistics, inputs)
    # Pages are reckoned from all the data, so that systems and people's inputs are drawn alike with fewer inputs.
    reckoned = 0 if method.name == "two-way" else n + 2 * m_inputs
    draws = Draws(resamples, seed, pages_on(threads), reckoned)
    taken = method.draws_taken(resamples)
    ranked = "system" in levels and any(_is_kendall(each) for each in statistics)
    pairs = _pairs(setting, inputs, method, draws, confidence) if ranked else {}
    found: dict[tuple[int, int, int, int], tuple[AgreementRow, FloatArray | None]] = {}
    for case, intervals in zip(cases, method.compute([c.case for c in cases], draws, confidence), strict=True):
        place = (case.human, levels.index(case.case.level), statistics.index(case.case.statistic))
        for at, m in enumerate(case.metrics):
            row = _row(setting, case, intervals, at, method, confidence, taken, pairs)
            found[*place, m] = (row, None if intervals.samples is None else intervals.samples[at])
    in_order = [found[key] for key in sorted(found)]
    rows = [row for row, _ in in_order]
    annotated = count_annotated(setting.z)
    signature = Signature.of(
        "agree",
        level=levels,
        coef=signature_names(statistics),
        ci=f"{method.name},{confidence:g}",
        k=taken,
        seed=seed if method.drawn else None,
        systems=n,
        inputs=m_inputs,
        annotated=annotated,
        means=None if annotated is None else inputs,
    )
    unequal = notes_on_inputs(setting.humans, setting.x, setting.z, levels, inputs, "interval")
    return Agreement(
        tuple(rows), signature, tuple(setting.notes + unequal + _notes(rows, resamples)), tuple(s for _, s in in_order)
    )


class _Case(NamedTuple):
    """Metrics that use the same inputs, to be compared with one criterion."""

    human: int
    metrics: list[int]
    sets: InputSets
    case: Case


def _cases(setting: Setting, levels: Sequence[str], statistics: Sequence[Statistic], inputs: str) -> list[_Case]:
    return [
        _Case(h, metrics, sets, sets.case(setting.at(lv)[0], metrics, setting.at(lv)[1][h], lv, s))
        for h in range(len(setting.humans))
        for lv in levels
        for metrics, sets in by_inputs(setting.at(lv)[0], setting.at(lv)[1][h], lv, inputs)
        for s in statistics
    ]


class _Pairs(NamedTuple):
    """Pairs of systems of one metric and one criterion, as shares of all pairs."""

    discordant: float
    tied: float
    ends: tuple[float, float] | None
    """The interval of the discordant share, if resamples tell it."""

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
    setting: Setting, inputs: str, method: Interval, draws: Draws, confidence: float
) -> dict[tuple[int, int], _Pairs]:
    """Return pairs of systems by criterion and metric; resamples count them in the draws of the intervals."""
    cases = _cases(setting, ["system"], [DISCORDANT], inputs)
    drawn = method.compute([c.case for c in cases], draws, confidence) if method.name in BOOTSTRAPS else None
    found = {}
    for at, (case, ties) in enumerate(zip(cases, _cases(setting, ["system"], [TIED], inputs), strict=True)):
        discordant, tied = (c.case.prepared.estimate()[0] for c in (case, ties))
        for place, m in enumerate(case.metrics):
            ends = None if drawn is None else (float(drawn[at].low[place]), float(drawn[at].high[place]))
            found[case.human, m] = _Pairs(float(discordant[place]), float(tied[place]), ends)
    return found


def _row(
    setting: Setting,
    case: _Case,
    found: Intervals,
    at: int,
    method: Interval,
    confidence: float,
    taken: int | None,
    pairs: Mapping[tuple[int, int], _Pairs],
) -> AgreementRow:
    """Return the row of one metric of a case."""
    level, statistic, m = case.case.level, case.case.statistic, case.metrics[at]
    x, z = setting.at(level)[0][m], setting.at(level)[1][case.human]
    n_systems, n_inputs = case.sets.sizes(x, z, level)
    estimate, low, high = (float(values[at]) for values in (found.estimates, found.low, found.high))
    shares = pairs[case.human, m] if level == "system" and _is_kendall(statistic) else UNCOUNTED
    wrong_low, wrong_high = shares.interval(low, high)
    return AgreementRow(
        metric=setting.metrics[m],
        human=setting.humans[case.human],
        level=level,
        coefficient=statistic.name,
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
    )


def _notes(rows: Sequence[AgreementRow], asked: int) -> list[Note]:
    """Note what was undefined, and done otherwise than asked."""
    notes = []
    if rows[0].resamples is not None and asked > rows[0].resamples:
        notes.append(Note.of("two-way-draws", draws=rows[0].resamples, asked=asked))
    if any(row.tied > 0 and math.isnan(row.misranked_low) for row in rows):
        notes.append(Note.of("misranked-without-interval"))
    if any(row.interval == "fisher" and row.level in ("input", "within-system") for row in rows):
        notes.append(Note.of("method-on-averages", method="fisher"))
    few = next((row.resamples for row in rows if row.resamples is not None and row.resamples < FEW), None)
    if few is not None:
        notes.append(Note.of("resamples-few", n=few, least=FEW))
    for row in rows:
        where = {"human": row.human, "level": row.level, "coefficient": row.coefficient, "metric": row.metric}
        if math.isnan(row.estimate):
            notes.append(Note.of("agreement-undefined", **where))
            continue
        if row.n_undefined:
            total = row.n_inputs if row.level == "input" else row.n_systems
            notes.append(Note.of("units-undefined", **where, n=row.n_undefined, units=total))
        if row.resamples_undefined:
            notes.append(Note.of("resamples-undefined", **where, n=row.resamples_undefined, resamples=row.resamples))
    return notes
