"""How often do intervals from half of the data contain the correlation in the other half?

Splits systems and inputs into halves at random, computes confidence intervals from the first half, and counts how often
they contain the correlation in the second half. A 95% CI that generalises to new data from the same population contains
it about 95% of the time.

    metassay simulate coverage scores.csv --human relevance --metric synthetic-overlap
    metassay simulate coverage judge.csv --human verdict_anna --metric strict-judge --statistic kappa --level global
    metassay simulate coverage scores.csv --human relevance --statistic kendall --workers 2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

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
from metassay.stats.coverage import Split, held_out
from metassay.stats.methods.base import applicable
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.proportions import Rate, nearest
from metassay.stats.statistics.registry import choose
from metassay.studies.input_sets import has_scores
from metassay.studies.method_notes import left_out, rough
from metassay.studies.selection import select

PAGE = 4
"""Splits in a page of work: some tens of milliseconds."""


@fields.row
class CoverageRow(fields.OfAgreement):
    """How often one kind of interval contained the correlation in held-out data."""

    interval: fields.Interval
    setting: str
    """Sizes of the halves, systems × inputs."""
    rate: float
    """Share of the trials in which the interval contained the correlation; NaN if all were undefined."""
    trials: int
    """Trials in which both were defined."""
    low: fields.RateLow
    high: fields.RateHigh
    confidence: float
    """The nominal rate: the confidence of the intervals."""
    best: bool
    """Whether the rate is significantly nearer to the confidence than that of every other interval, and below 1."""
    n_undefined: fields.TrialsUndefined
    n_systems: int = 0
    """Systems in a half."""
    n_inputs: int = 0
    """Inputs in a half."""


class Coverage(Result, study="simulate-coverage"):
    """How often intervals contain the correlation in held-out systems and inputs."""

    table: Sequence[CoverageRow]
    """One row per metric, human criterion, level, statistic and kind of interval."""
    resamples: int
    """Number of resamples of a bootstrap interval."""


@study
def simulate_coverage(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Levels = "system,input",
    statistic: opt.Statistics = "pearson",
    interval: opt.Intervals = "jackknife,fisher,boot-systems,boot-inputs,boot-both",
    confidence: opt.Confidence = 0.95,
    trials: opt.Trials = 1_000,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Coverage:
    """Count how often intervals from half of the systems and inputs contain the correlation in the other half.

    Notes
    -----
    Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", §5.1 and Table 1. Only inputs that people judged are used. Fewer than four systems are not split: they are
    in both halves.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.simulate_coverage(
    ...     ma.example(), human="relevance", metric="synthetic-judge", level="system", trials=20, resamples=100
    ... )
    >>> [row.interval for row in result.table]
    ['jackknife', 'fisher', 'boot-systems', 'boot-inputs', 'boot-both']
    """
    levels = tuple(level)
    statistics = choose(statistic, levels)
    wanted = [INTERVALS[name] for name in interval]
    intervals, lacking = applicable(wanted, statistics)
    selected = select(scores, human, metric, references=references, statistics=statistics).need(levels=levels)

    settings = [(lv, s) for lv in levels for s in statistics]
    drawn = any(each.drawn for each in intervals)
    rows: list[CoverageRow] = []
    sizes, told = [], []
    for h, criterion in enumerate(selected.humans):
        judged = has_scores(selected.z[h])
        x, z = selected.x[:, :, judged], selected.z[h][:, judged]
        split = Split.drawn((z.shape[0], z.shape[1]), seed, 0)
        n, m = len(split.systems[0]), len(split.inputs[0])
        whole = n == z.shape[0]
        if m < 2 or (whole and {"system", "input"} & set(levels)):
            raise DataError(
                f"halves need at least 2 systems and 2 inputs, got {z.shape[0]} system{'s' * (z.shape[0] != 1)} and "
                f"{z.shape[1]} judged inputs"
            )
        told += Note.when(whole, "systems-not-split", human=criterion, n=n)
        sizes.append(f"{n}x{m}")
        part = (h, len(selected.humans))
        drawn_alike = (x, z, settings, intervals, confidence, resamples, seed)
        inside = _simulate(partial(held_out, *drawn_alike), trials, part)
        for s, (lv, of) in enumerate(settings):
            mine = [k for k, each in enumerate(intervals) if each.why_not(of) is None]
            for p, name in enumerate(selected.metrics):
                rates = [Rate.of(inside[:, s, k, p]) for k in mine]
                winner = nearest([r.rate for r in rates], [r.trials for r in rates], confidence)
                for k, kind in enumerate(intervals[at] for at in mine):
                    rows.append(
                        fields.filled(
                            CoverageRow,
                            rates[k],
                            metric=name,
                            human=criterion,
                            level=lv,
                            statistic=of.name,
                            interval=kind.name,
                            setting=sizes[-1],
                            n_systems=n,
                            n_inputs=m,
                            confidence=confidence,
                            best=k == winner and len(mine) > 1,
                        )
                    )
    signature = Signature.open(
        ci=[*(each.name for each in intervals), f"{confidence:g}"],
        k=resamples if drawn else None,
        halves=list(dict.fromkeys(sizes)),
        **selected.sizes(),
    )
    return Coverage(
        tuple(rows),
        signature,
        (*selected.notes, *told, *left_out(lacking), *rough(intervals, levels), *_notes(rows)),
        resamples,
    )


def _simulate(trial: Callable[[int], FloatArray], trials: int, part: tuple[int, int]) -> FloatArray:
    """Return what each split says, (trials, settings, intervals, metrics)."""

    def work(page: int) -> FloatArray:
        return np.stack([trial(number) for number in range(page * PAGE, min(trials, (page + 1) * PAGE))])

    pages = -(-trials // PAGE)
    return np.concatenate(engine.run(work, pages, what="simulating coverage", part=part))


def _notes(rows: list[CoverageRow]) -> list[Note]:
    lost = dict.fromkeys((row.n_undefined, row.trials, row.metric) for row in rows if row.n_undefined)
    notes = [Note.of("trials-undefined", n=n, trials=n + others, metric=metric) for n, others, metric in lost]
    return [*notes, Note.of("coverage-of-a-half")]
