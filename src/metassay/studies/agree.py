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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats import two_way
from metassay.stats.draws import BootstrapPages
from metassay.stats.intervals import fisher, percentile
from metassay.stats.kernels.weighted_ranks import DISCORDANT, TIED
from metassay.stats.levels import Level
from metassay.studies.inputs import InputSets, by_inputs, count_annotated, has_scores, notes_on_inputs
from metassay.studies.setting import Setting, check_size, settle, signature_names

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
    """``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``."""
    estimate: float
    """The correlation; NaN if it is undefined."""
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
    coefficient: opt.Statistics = "kendall",
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
    Using Resampling Methods", §2 and §3. The share of pairs ranked wrongly is counted, with its interval from the same
    draws; without ties it is their (1 − τ)/2 of §6.1.

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
    levels, coefficients = tuple(level), tuple(coefficient)
    setting = settle(scores, human, metric, references=references)
    check_size(setting, levels)

    cases = _cases(setting, levels, coefficients, inputs)
    ranked = "system" in levels and any(c.startswith("kendall") for c in coefficients)
    counted = _cases(setting, ["system"], [DISCORDANT], inputs) if ranked else []
    drawn: list[FloatArray] | None = None
    spreads: list[tuple[FloatArray, FloatArray]] = []
    asked = resamples
    if interval == "two-way":
        resamples = min(resamples, two_way.DRAWS)
        spreads = _spreads(cases, setting.x, setting.z, resamples, seed, threads)
    elif interval != "fisher":
        drawn = _resample(cases + counted, setting.scores.shape, interval, resamples, seed, threads)
    pairs = _pairs(setting, counted, None if drawn is None else drawn[len(cases) :])

    found: dict[tuple[int, int, int, int], tuple[AgreementRow, FloatArray | None]] = {}
    for at, (h, lv, c, metrics, sets, prepared) in enumerate(cases):
        estimates, undefined = prepared.estimate()
        for place, m in enumerate(metrics):
            x, z = setting.x[m], setting.z[h]
            estimate, sample = float(estimates[place]), None if drawn is None else drawn[at][place]
            n_systems, n_inputs = sets.sizes(x, z, lv)
            if sample is not None:
                low, high = percentile(sample, confidence)
            elif interval == "two-way":
                of_systems, added = (float(part[place]) for part in spreads[at])
                low, high = two_way.interval(estimate, of_systems, added, n_systems, c, confidence)
            else:
                points = int((~np.isnan(x) & ~np.isnan(z)).sum()) if lv == "global" else n_systems
                low, high = fisher(estimate, n_inputs if lv == "within-system" else points, c, confidence)
            shares = pairs[h, m] if lv == "system" and c.startswith("kendall") else UNCOUNTED
            wrong_low, wrong_high = shares.interval(low, high, confidence)
            row = AgreementRow(
                metric=setting.metrics[m],
                human=setting.humans[h],
                level=lv,
                coefficient=c,
                estimate=estimate,
                low=low,
                high=high,
                confidence=confidence,
                interval=interval,
                resamples=None if interval == "fisher" else resamples,
                n_systems=n_systems,
                n_inputs=n_inputs,
                n_annotated=int(has_scores(z).sum()),
                n_undefined=int(undefined[place]),
                resamples_undefined=0 if sample is None else int(np.isnan(sample).sum()),
                misranked=shares.discordant,
                misranked_low=wrong_low,
                misranked_high=wrong_high,
                tied=shares.tied,
            )
            found[h, levels.index(lv), coefficients.index(c), m] = (row, sample)
    rows, samples = zip(*(found[key] for key in sorted(found)), strict=True)
    annotated = count_annotated(setting.z)
    signature = Signature.of(
        "agree",
        level=levels,
        coef=signature_names(coefficients),
        ci=f"{interval},{confidence:g}",
        k=None if interval == "fisher" else resamples,
        seed=None if interval == "fisher" else seed,
        systems=setting.scores.shape[0],
        inputs=setting.scores.shape[1],
        annotated=annotated,
        means=None if annotated is None else inputs,
    )
    unequal = notes_on_inputs(setting.humans, setting.x, setting.z, levels, inputs, "interval")
    return Agreement(rows, signature, tuple(setting.notes + unequal + _notes(rows, asked)), samples)


class _Case(NamedTuple):
    """Metrics that use the same inputs, ready to be correlated with one criterion."""

    human: int
    level: str
    coefficient: str
    metrics: list[int]
    sets: InputSets
    prepared: Level


class _Pairs(NamedTuple):
    """Pairs of systems of one metric and one criterion, as shares of all pairs."""

    discordant: float
    tied: float
    drawn: FloatArray | None
    """Shares of discordant pairs in the resamples."""

    def interval(self, low: float, high: float, confidence: float) -> tuple[float, float]:
        """Return the interval of the discordant share; `low` and `high` are that of Kendall's coefficient."""
        if self.drawn is not None:
            return percentile(self.drawn, confidence)
        # Kendall's coefficient says how many pairs are discordant only if none is tied.
        return ((1 - high) / 2, (1 - low) / 2) if self.tied == 0 else (math.nan, math.nan)


UNCOUNTED = _Pairs(math.nan, math.nan, None)


def _cases(setting: Setting, levels: Sequence[str], coefficients: Sequence[str], inputs: str) -> list[_Case]:
    return [
        _Case(h, lv, c, metrics, sets, sets.prepare(setting.x, metrics, setting.z[h], lv, c))
        for h in range(len(setting.humans))
        for lv in levels
        for metrics, sets in by_inputs(setting.x, setting.z[h], lv, inputs)
        for c in coefficients
    ]


def _pairs(setting: Setting, counted: list[_Case], drawn: list[FloatArray] | None) -> dict[tuple[int, int], _Pairs]:
    """Return pairs of systems by criterion and metric."""
    found = {}
    for at, (h, lv, _, metrics, sets, prepared) in enumerate(counted):
        tied = sets.prepare(setting.x, metrics, setting.z[h], lv, TIED).estimate()[0]
        for place, m in enumerate(metrics):
            discordant = float(prepared.estimate()[0][place])
            sample = None if drawn is None else drawn[at][place]
            found[h, m] = _Pairs(discordant, float(tied[place]), sample)
    return found


def _resample(
    cases: list[_Case],
    whole: tuple[int, int],
    interval: str,
    resamples: int,
    seed: int,
    threads: int | None,
) -> list[FloatArray]:
    """Return for each case the correlations (metrics, resamples); cases of as many inputs share the draws."""
    found: dict[int, FloatArray] = {}
    for shape in dict.fromkeys(case.sets.shape for case in cases):
        together = [at for at, case in enumerate(cases) if case.sets.shape == shape]
        pages = BootstrapPages(
            resamples,
            (whole[0], shape[0]),
            seed,
            resample_systems=interval in ("boot-systems", "boot-both"),
            resample_inputs=interval in ("boot-inputs", "boot-both"),
            annotated=shape[1],
            # Reckoned from all the data, so that systems and people's inputs are drawn alike with fewer inputs.
            reckoned=whole[0] + 2 * whole[1],
        )

        def work(page: int, pages: BootstrapPages = pages, together: list[int] = together) -> list[FloatArray]:
            systems, inputs = pages[page]
            return [cases[at].prepared.bootstrap(systems, inputs) for at in together]

        done = engine.run(work, len(pages), threads=threads, what="resampling")
        for at, parts in zip(together, zip(*done, strict=True), strict=True):
            found[at] = np.concatenate(parts, axis=1)[:, :resamples]
    return [found[at] for at in range(len(cases))]


def _spreads(
    cases: list[_Case], x: FloatArray, z: FloatArray, resamples: int, seed: int, threads: int | None
) -> list[tuple[FloatArray, FloatArray]]:
    """Return for each case the variances of its metrics due to systems, on Fisher's scale, and what inputs add."""
    found = []
    for case in cases:
        people = case.sets.of_people(z[case.human])
        metrics = case.sets.of_metrics(x[case.metrics])
        if case.level == "system":
            present = (~np.isnan(metrics)).any(axis=2) & (~np.isnan(people)).any(axis=1)
        else:
            present = (~np.isnan(metrics) & ~np.isnan(people)).any(axis=2)
        shape = (metrics.shape[1], metrics.shape[2])
        pages = BootstrapPages(resamples, shape, seed, annotated=case.sets.shape[1])

        def work(page: int, pages: BootstrapPages = pages, prepared: Level = case.prepared) -> list[FloatArray]:
            systems, inputs = pages[page]
            drawn = ((systems, None), (None, inputs), (systems, inputs))
            return [prepared.bootstrap(*each)[:, : pages.draws - page * pages.size] for each in drawn]

        done = engine.run(work, len(pages), threads=threads, what="variance due to inputs")
        by = [np.concatenate(parts, axis=1) for parts in zip(*done, strict=True)]
        added = two_way.variances(by[0], by[1], by[2], shape, paired=case.sets.paired).added
        found.append((two_way.jackknife(case.prepared, np.asarray(present), case.coefficient), added))
    return found


def _notes(rows: Sequence[AgreementRow], asked: int) -> list[Note]:
    """Note what was undefined, and done otherwise than asked."""
    notes = []
    if rows[0].interval == "two-way" and asked > two_way.DRAWS:
        notes.append(Note.of("two-way-draws", draws=two_way.DRAWS, asked=asked))
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
