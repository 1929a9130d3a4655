"""How often does each test find that a corrupted metric is worse?

Makes a metric worse, many times, and counts how often each test finds that the intact metric agrees better with people.
With --texts the metric is ROUGE-1, and the corrupted version sees a random share of the words. Without texts, noise is
added to the scores of the metrics in the files; for labels and probabilities, a share of them is shuffled among
outputs.

    metassay simulate power scores.csv --human relevance --metric synthetic-overlap --noise 0.5,1,2
    metassay simulate power judge.csv --human verdict_ben --metric kind-judge --statistic f1 --level global --shuffle .1
    metassay simulate power human.csv --texts texts.jsonl --human relevance --keep 0.2,0.5,0.8
    metassay simulate power scores.csv --human relevance --workers 2 --checkpoint power.checkpoint
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import NOISE, TRIALS, stream
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.methods.base import Case, Draws, MetricTest, applicable
from metassay.stats.methods.registry import TESTS
from metassay.stats.proportions import Rate
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.labels import LabelStatistic
from metassay.stats.statistics.probabilities import ProbabilityStatistic
from metassay.stats.statistics.registry import choose
from metassay.studies.input_sets import has_scores
from metassay.studies.method_notes import left_out, rough
from metassay.studies.selection import select

PAGE = 50
"""Trials in a page of work; they share their draws, and those of other pages do not."""


class Damage(Protocol):
    """A metric that can be made worse: the metric itself, and randomly corrupted copies of its scores."""

    @property
    def name(self) -> str:
        """What the metric is called."""
        ...

    @property
    def kind(self) -> str:
        """What settings are: the share of words kept (``words``) or shuffled (``shuffle``), the size of ``noise``."""
        ...

    @property
    def settings(self) -> Sequence[float]:
        """How much corruption is done."""
        ...

    @property
    def recipe(self) -> str:
        """What else the scores depend on, for the signature."""
        ...

    def intact(self, systems: Sequence[str], inputs: Sequence[str]) -> FloatArray:
        """Return the scores of the metric, systems × inputs."""
        ...

    def damaged(
        self, setting: float, systems: Sequence[str], inputs: Sequence[str], trials: int, seed: int
    ) -> FloatArray:
        """Return corrupted scores, (trials, systems, inputs)."""
        ...


@fields.row
class PowerRow(fields.OfAgreement):
    """How often one test found that a metric agrees better with people than corrupted copies of it."""

    test: fields.Test
    damage: str
    """``words``: the corrupted metric sees a random share of the words; ``noise``: noise is added to its scores;
    ``shuffle``: a share of its labels or probabilities is shuffled among outputs."""
    setting: float
    """The share of words kept, the standard deviation of the noise in that of the scores, or the share shuffled."""
    rate: float
    """Share of the trials in which the test rejected; NaN if all were undefined."""
    trials: int
    """Trials in which the test was defined."""
    low: fields.RateLow
    high: fields.RateHigh
    estimate: float
    """Correlation of the metric with people."""
    estimate_damaged: float
    """Mean correlation of its corrupted copies."""
    alpha: fields.Alpha
    resamples: fields.ResamplesOrNone
    n_undefined: fields.TrialsUndefined


class Power(Result, study="simulate-power"):
    """Power curves of tests: how often they find a metric better than corrupted copies of it."""

    table: Sequence[PowerRow]
    """One row per metric, human criterion, level, statistic, test and setting."""


@study
def simulate_power(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    damage: Damage | None = None,
    noise: opt.Noise = (0.25, 0.5, 1.0, 2.0, 4.0),
    shuffle: opt.Shuffle = (0.02, 0.05, 0.1, 0.2, 0.4),
    level: opt.Levels = "system,input",
    statistic: opt.Statistics = "pearson",
    test: opt.MetricTests = "jackknife,williams,paired-boot-both,perm-both",
    alpha: opt.Alpha = 0.05,
    trials: opt.Trials = 1_000,
    resamples: opt.Resamples = 999,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Power:
    """Make a metric worse, many times, and count how often tests find that it is.

    Parameters
    ----------
    scores
        Scores of people, and of metrics unless `damage` brings its own.
    damage
        A metric that corrupts itself, such as `DamagedRouge1`; by default noise is added to the metrics in `scores`.

    Notes
    -----
    Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", §5.2 and Figure 3. Only inputs that people judged are used. Trials of a page share the draws of a test;
    draws do not depend on scores, so the rate is still unbiased.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.simulate_power(
    ...     ma.example(), human="relevance", metric="synthetic-judge", level="system", noise=8, test="perm-both",
    ...     trials=20, resamples=99,
    ... )
    >>> [row.rate > 0.5 for row in result.table]
    [True]
    """
    levels = tuple(level)
    statistics = choose(statistic, levels)
    # Noise would turn labels into numbers, and probabilities into what is none.
    shuffled = any(isinstance(each, LabelStatistic | ProbabilityStatistic) for each in statistics)
    wanted = [TESTS[name] for name in test]
    tests, lacking = applicable(wanted, statistics)
    sizes = cast("tuple[float, ...]", shuffle if shuffled else noise)
    if damage is not None:
        if metric is not None:
            raise UsageError(f"metric cannot be used with damage, which brings its own metric, {one_line(damage.name)}")
        metric = scores.humans if human is None else scores.find_humans(human)
    least = 0 if damage is not None else 1
    chosen = select(scores, human, metric, references=references, least_metrics=least, statistics=statistics)
    selected = chosen.need(levels=levels)

    labels = selected.scores.systems, selected.scores.inputs
    centred = not shuffled and all(s.invariant == "linear" for s in statistics)
    made = _Shuffled if shuffled else _Noise
    worse = [made(name, values, sizes, centred) for name, values in zip(selected.metrics, selected.x, strict=True)]
    kinds: Sequence[Damage] = worse if damage is None else [damage]
    cases = [
        _Case(h, lv, s, tuple(t for t in tests if t.why_not(s) is None))
        for h in range(len(selected.humans))
        for lv in levels
        for s in statistics
    ]
    rows: list[PowerRow] = []
    done, parts = 0, sum(len(kind.settings) for kind in kinds)
    for kind in kinds:
        x = kind.intact(*labels)
        if np.isnan(x).all():
            raise DataError(f"{one_line(kind.name)} has no score for the systems and inputs that people judged")
        for size in kind.settings:
            damaged = kind.damaged(size, *labels, trials, seed)
            rejected, r = _simulate(x, damaged, selected.z, cases, alpha, resamples, seed, (done, parts))
            done += 1
            trial = _Trial(kind.name, kind.kind, float(size), alpha)
            for case, of_tests, found in zip(cases, rejected, r, strict=True):
                rows += _rows(trial, case, selected.humans[case.human], of_tests, found, resamples)
    # Settings of a test stand together.
    rows = [row for key in dict.fromkeys(map(_key, rows)) for row in rows if _key(row) == key]
    signature = Signature.open(
        test=[each.name for each in tests],
        damage=kinds[0].kind,
        at=[f"{size:g}" for size in kinds[0].settings],
        of=kinds[0].recipe or None,
        k=resamples if any(each.drawn for each in tests) else None,
        **selected.sizes(),
    )
    return Power(tuple(rows), signature, (*selected.notes, *left_out(lacking), *_notes(rows, tests)))


def _key(row: PowerRow) -> tuple[str, str, str, str, str]:
    return row.metric, row.human, row.level, row.statistic, row.test


@dataclass(frozen=True)
class _Trial:
    """Which metric is corrupted, how, and how strongly."""

    metric: str
    damage: str
    setting: float
    alpha: float


@dataclass(frozen=True)
class _Case:
    human: int
    level: str
    statistic: Statistic
    tests: tuple[MetricTest, ...]


@dataclass(frozen=True, eq=False)
class _Noise:
    """Normal noise of a given size added to the scores of a metric."""

    name: str
    values: FloatArray
    settings: Sequence[float]
    centred: bool
    """Whether scores may be centred and scaled, because that changes no statistic."""
    kind: str = "noise"
    recipe: str = ""

    def intact(self, systems: Sequence[str], inputs: Sequence[str]) -> FloatArray:
        assert self.values.shape == (len(systems), len(inputs))
        return standardize_cells(self.values) if self.centred else self.values

    def damaged(
        self, setting: float, systems: Sequence[str], inputs: Sequence[str], trials: int, seed: int
    ) -> FloatArray:
        # All settings share the noise and only scale it, so that curves are smooth.
        shape = (len(systems), len(inputs))
        noise = [stream(seed, NOISE, trial).standard_normal(shape) for trial in range(trials)]
        spread = 1.0 if self.centred else float(np.nanstd(self.values))
        return self.intact(systems, inputs) + setting * spread * np.stack(noise)


@dataclass(frozen=True, eq=False)
class _Shuffled(_Noise):
    """A share of the scores of a metric, chosen at random, changes places among outputs."""

    kind: str = "shuffle"

    def damaged(
        self, setting: float, systems: Sequence[str], inputs: Sequence[str], trials: int, seed: int
    ) -> FloatArray:
        out = np.repeat(self.intact(systems, inputs)[None], trials, axis=0)
        known = np.argwhere(~np.isnan(self.values))
        for trial in range(trials):
            # All settings share the order in which outputs are chosen; each score moves on to the next one chosen.
            moved = stream(seed, NOISE, trial).permutation(known)[: round(setting * len(known))]
            out[trial, *moved.T] = self.values[*np.roll(moved, 1, axis=0).T]
        return out


def _simulate(
    x: FloatArray,
    damaged: FloatArray,
    z: FloatArray,
    cases: list[_Case],
    alpha: float,
    resamples: int,
    seed: int,
    part: tuple[int, int],
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return for each case whether tests rejected, (tests, trials), NaN if undefined, and estimates, (1 + trials,)."""
    trials = len(damaged)

    def work(page: int) -> list[tuple[FloatArray, FloatArray]]:
        some = damaged[page * PAGE : (page + 1) * PAGE]
        # Copies of a page are tested with the same draws, which do not depend on scores.
        draws = Draws(resamples, int(stream(seed, TRIALS, page).integers(2**62)))
        pairs = [(0, t + 1) for t in range(len(some))]
        found = []
        for case in cases:
            people = z[case.human]
            judged = has_scores(people)
            data = Case(case.statistic, _alike(x[:, judged], some[:, :, judged]), people[:, judged], case.level)
            p = np.stack([test.compute(data, pairs, draws, "greater", "plus-one").p for test in case.tests])
            found.append((np.where(np.isnan(p), np.nan, p <= alpha), data.estimates))
        return found

    pages = -(-trials // PAGE)
    done = engine.run(work, pages, what="simulating power", part=part)
    of_case = list(zip(*done, strict=True))
    return (
        [np.concatenate([out for out, _ in mine], axis=1) for mine in of_case],
        [np.concatenate([mine[0][1][:1], *(r[1:] for _, r in mine)]) for mine in of_case],
    )


def _alike(x: FloatArray, damaged: FloatArray) -> FloatArray:
    """Return the metric and its copies, on the cells that all of them have."""
    missing = np.isnan(x) | np.isnan(damaged).any(axis=0)
    return np.where(missing, np.nan, np.concatenate([x[None], damaged]))


def _rows(
    trial: _Trial, case: _Case, human: str, rejected: FloatArray, r: FloatArray, resamples: int
) -> Iterator[PowerRow]:
    known = r[1:][~np.isnan(r[1:])]
    for test, of_test in zip(case.tests, rejected, strict=True):
        yield fields.filled(
            PowerRow,
            Rate.of(of_test),
            trial,
            human=human,
            level=case.level,
            statistic=case.statistic.name,
            estimate=float(r[0]),
            estimate_damaged=float(known.mean()) if len(known) else float("nan"),
            test=test.name,
            resamples=test.draws_taken(resamples),
        )


def _notes(rows: list[PowerRow], tests: Sequence[MetricTest]) -> list[Note]:
    opposed = dict.fromkeys(row.metric for row in rows if row.estimate <= 0)
    lost = max(row.n_undefined for row in rows)
    return [
        *Note.when(opposed, "power-without-agreement", metrics=opposed),
        *rough(tests, [row.level for row in rows]),
        *Note.when(lost > 0, "test-trials-undefined", n=lost),
        Note.of("power-needs-level"),
        *Note.when(any(test.independent == "both" for test in tests), "perm-both-rejects-easily"),
    ]
