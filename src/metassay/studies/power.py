"""How often does each test find that a damaged metric is worse?

Makes a metric worse, many times, and counts how often each test finds that the intact one agrees better with people.
With --texts the metric is ROUGE-1, and the damaged one sees a random share of the words; without texts, noise is added
to the scores of the metrics in the files.

    metassay simulate power scores.csv --human relevance --metric rouge-1 --noise 0.5,1,2
    metassay simulate power human.csv --texts texts.jsonl --human relevance --keep 0.2,0.5,0.8
    metassay simulate power scores.csv --human relevance --workers 2 --checkpoint power.checkpoint
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

import numpy as np

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.draws import NOISE, TRIALS, stream
from metassay.stats.kernels.score_swaps import standardize_cells
from metassay.stats.power import correlations, p_values
from metassay.stats.proportions import wilson
from metassay.studies.inputs import has_scores
from metassay.studies.setting import check_size, settle, signature_names

PAGE = 50
"""Trials in a page of work; they share their draws, and those of other pages do not."""


class Damage(Protocol):
    """A metric that can be made worse: the metric itself, and random damaged copies of its scores."""

    @property
    def name(self) -> str:
        """What the metric is called."""
        ...

    @property
    def kind(self) -> str:
        """What settings are: ``words`` for the share of words kept, ``noise`` for the size of the noise."""
        ...

    @property
    def settings(self) -> Sequence[float]:
        """How much damage is done."""
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
        """Return damaged scores, (trials, systems, inputs)."""
        ...


@dataclass(frozen=True, slots=True)
class PowerRow:
    """How often one test found that a metric agrees better with people than damaged copies of it."""

    metric: str
    """The metric."""
    human: str
    """The human criterion."""
    level: str
    """``system``, ``input``, ``global`` or ``within-system``."""
    coefficient: str
    """``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``."""
    test: str
    """The test."""
    damage: str
    """``words``: the damaged metric sees a random share of the words; ``noise``: noise is added to its scores."""
    setting: float
    """The share of words kept, or the standard deviation of the noise in that of the scores."""
    rate: float
    """Share of the trials in which the test rejected; NaN if all were undefined."""
    trials: int
    """Trials in which the test was defined."""
    low: float
    """Lower end of the 95% binomial interval of the rate."""
    high: float
    """Upper end of the 95% binomial interval of the rate."""
    estimate: float
    """Correlation of the metric with people."""
    estimate_damaged: float
    """Mean correlation of its damaged copies."""
    alpha: float
    """The significance level."""
    resamples: int | None
    """How many resamples the test rests on; None for Williams."""
    n_undefined: int
    """Trials in which the test was undefined; they are left out."""


@dataclass(frozen=True, eq=False, repr=False)
class Power(Result):
    """Power curves of tests: how often they find a metric better than damaged copies of it."""

    study: ClassVar[str] = "simulate-power"

    table: Sequence[PowerRow]
    """One row per metric, human criterion, level, coefficient, test and setting."""


@study
def simulate_power(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    damage: Damage | None = None,
    noise: opt.Noise = (0.25, 0.5, 1.0, 2.0, 4.0),
    level: opt.Levels = "system,input",
    coefficient: opt.Statistics = "pearson",
    test: opt.MetricTests = "williams,paired-boot-both,perm-both",
    alpha: opt.Alpha = 0.05,
    trials: opt.Trials = 1_000,
    resamples: opt.Resamples = 999,
    seed: opt.Seed = 0,
    references: opt.References = False,
    threads: opt.Threads = None,
) -> Power:
    """Make a metric worse, many times, and count how often tests find that it is.

    Parameters
    ----------
    scores
        Scores of people, and of metrics unless `damage` brings its own.
    damage
        A metric that damages itself, such as `DamagedRouge1`; by default noise is added to the metrics in `scores`.

    Returns
    -------
    Power
        One row per metric, criterion, level, coefficient, test and setting.

    Notes
    -----
    Deutsch, Dror and Roth (2021), "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling
    Methods", §5.2 and Figure 3. Only inputs that people judged take part. Trials of a page share the draws of a test:
    draws do not depend on scores, so the rate is estimated without bias all the same.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.simulate_power(
    ...     ma.example(), human="relevance", metric="synthetic-judge", level="system", noise=8, test="williams",
    ...     trials=20, resamples=99,
    ... )
    >>> [row.rate > 0.5 for row in result.table]
    [True]
    """
    levels, coefficients = tuple(level), tuple(coefficient)
    tests = tuple(test)
    sizes = cast("tuple[float, ...]", noise)
    if damage is not None and metric is not None:
        raise UsageError(f"metric has no meaning with damage, which brings its own metric, {one_line(damage.name)}")
    if damage is not None and isinstance(scores, Scores):
        metric = scores.humans if human is None else scores.find_humans(human)
    setting = settle(scores, human, metric, references=references, least_metrics=0 if damage is not None else 1)
    check_size(setting, levels)

    labels = setting.scores.systems, setting.scores.inputs
    kinds: list[Damage]
    if damage is not None:
        kinds = [damage]
    else:
        kinds = [_Noise(name, values, sizes) for name, values in zip(setting.metrics, setting.x, strict=True)]
    cases = [
        _Case(h, lv, c, t) for h in range(len(setting.humans)) for lv in levels for c in coefficients for t in tests
    ]
    rows: list[PowerRow] = []
    parts = sum(len(kind.settings) for kind in kinds)
    done = 0
    for kind in kinds:
        x = kind.intact(*labels)
        if np.isnan(x).all():
            raise DataError(f"{one_line(kind.name)} has no score for the systems and inputs that people judged")
        for size in kind.settings:
            damaged = kind.damaged(size, *labels, trials, seed)
            rejected, r = _simulate(x, damaged, setting.z, cases, alpha, resamples, seed, threads, (done, parts))
            done += 1
            rows += [
                _row(kind, size, case, setting.humans[case.human], rejected[k], r[k], alpha, resamples)
                for k, case in enumerate(cases)
            ]
    order = {case: k for k, case in enumerate(cases)}
    names = [kind.name for kind in kinds]
    rows.sort(
        key=lambda row: (
            names.index(row.metric),
            order[_Case(setting.humans.index(row.human), row.level, row.coefficient, row.test)],
        )
    )
    signature = Signature.of(
        "simulate-power",
        level=levels,
        coef=signature_names(coefficients),
        test=tests,
        damage=kinds[0].kind,
        at=[f"{size:g}" for size in kinds[0].settings],
        of=kinds[0].recipe or None,
        alpha=f"{alpha:g}",
        trials=trials,
        k=resamples if tests != ("williams",) else None,
        seed=seed,
        systems=setting.scores.shape[0],
        inputs=setting.scores.shape[1],
    )
    return Power(tuple(rows), signature, tuple(setting.notes + _notes(rows)))


@dataclass(frozen=True)
class _Case:
    human: int
    level: str
    coefficient: str
    test: str


@dataclass(frozen=True, eq=False)
class _Noise:
    """Normal noise of a given size added to the scores of a metric."""

    name: str
    values: FloatArray
    settings: Sequence[float]
    kind: str = "noise"
    recipe: str = ""

    def intact(self, systems: Sequence[str], inputs: Sequence[str]) -> FloatArray:
        assert self.values.shape == (len(systems), len(inputs))
        return standardize_cells(self.values)

    def damaged(
        self,
        setting: float,
        systems: Sequence[str],
        inputs: Sequence[str],
        trials: int,
        seed: int,
    ) -> FloatArray:
        # All settings share the noise and only scale it, so that curves are smooth.
        shape = (len(systems), len(inputs))
        noise = [stream(seed, NOISE, trial).standard_normal(shape) for trial in range(trials)]
        return standardize_cells(self.values) + setting * np.stack(noise)


def _simulate(
    x: FloatArray,
    damaged: FloatArray,
    z: FloatArray,
    cases: list[_Case],
    alpha: float,
    resamples: int,
    seed: int,
    threads: int | None,
    part: tuple[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Return for each case and trial whether the test rejected, NaN if it is undefined; and the two correlations."""
    trials = len(damaged)

    def work(page: int) -> tuple[FloatArray, FloatArray]:
        some = damaged[page * PAGE : (page + 1) * PAGE]
        own = int(stream(seed, TRIALS, page).integers(2**62))
        out, r = np.empty((len(cases), len(some))), np.empty((len(cases), 1 + len(some)))
        for k, case in enumerate(cases):
            people = z[case.human]
            judged = has_scores(people)
            mine = x[:, judged], some[:, :, judged], people[:, judged]
            p = p_values(*mine, case.level, case.coefficient, case.test, resamples, own)
            out[k] = np.where(np.isnan(p), np.nan, p <= alpha)
            before = cases[k - 1] if k else None
            if before is not None and (case.human, case.level, case.coefficient) == (
                before.human,
                before.level,
                before.coefficient,
            ):
                r[k] = r[k - 1]
            else:
                r[k] = correlations(*mine, case.level, case.coefficient)
        return out, r

    pages = -(-trials // PAGE)
    done = engine.run(work, pages, threads=threads, what="simulating power", part=part)
    first = done[0][1][:, :1]
    return (
        np.concatenate([out for out, _ in done], axis=1),
        np.concatenate([first, *(r[:, 1:] for _, r in done)], axis=1),
    )


def _row(
    kind: Damage,
    size: float,
    case: _Case,
    criterion: str,
    rejected: FloatArray,
    r: FloatArray,
    alpha: float,
    resamples: int,
) -> PowerRow:
    defined = int((~np.isnan(rejected)).sum())
    hits = int(np.nansum(rejected))
    low, high = wilson(hits, defined)
    known = r[1:][~np.isnan(r[1:])]
    return PowerRow(
        metric=kind.name,
        human=criterion,
        level=case.level,
        coefficient=case.coefficient,
        test=case.test,
        damage=kind.kind,
        setting=float(size),
        rate=hits / defined if defined else float("nan"),
        trials=defined,
        low=low,
        high=high,
        estimate=float(r[0]),
        estimate_damaged=float(known.mean()) if len(known) else float("nan"),
        alpha=alpha,
        resamples=None if case.test == "williams" else resamples,
        n_undefined=len(rejected) - defined,
    )


def _notes(rows: list[PowerRow]) -> list[Note]:
    notes = []
    turned = dict.fromkeys(row.metric for row in rows if row.estimate <= 0)
    if turned:
        notes.append(Note.of("power-without-agreement", metrics=turned))
    if any(row.test == "williams" and row.level in ("input", "within-system") for row in rows):
        notes.append(Note.of("method-on-averages", method="williams"))
    gone = max(row.n_undefined for row in rows)
    if gone:
        notes.append(Note.of("test-trials-undefined", n=gone))
    notes.append(Note.of("power-needs-level"))
    if any(row.test == "perm-both" for row in rows):
        notes.append(Note.of("perm-both-rejects-easily"))
    return notes
