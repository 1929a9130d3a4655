"""Does the evaluation survive translation, or any other exchange?

Tests whether a metric agrees with people in another language as well as it does in the first, so that human judgments
can be used again: two one-sided tests by bootstrap and the Anderson-Hauck test, with a constant margin and with
margins from how much single annotators differ. Also tells how much conclusions depend on the margin, and whether the
better metric stays the better one. Give the scores of each language as LANG=FILE, a round trip as LANG-back=FILE, or
all in one file with a language column. With --by, the same question of two metrics, two versions of a judge, or two
groups of annotators: are they interchangeable?

    metassay survive en=english.csv es=spanish.csv es-back=again.csv human.jsonl
    metassay survive scores.csv --human relevance --baseline en --margin-kind sd --resample points
    metassay survive judges.csv --human rating --by version --baseline v1 --margin 0.03
    metassay survive scores.csv --human relevance --by metric --baseline judge-large --view list
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.core.stacking import stacked
from metassay.core.study import study
from metassay.errors import UsageError, one_line
from metassay.stats.dominance import RESOLVED, Shift, dominance, shift
from metassay.stats.draws import REFERENCES, stream
from metassay.stats.equivalence import anderson_hauck, annotator_margins, needed_margins, tost
from metassay.stats.intervals import percentile
from metassay.stats.kernels.metric_criterion_pairs import Correlations, WeightPages, Weights, cell_weights
from metassay.stats.kernels.reference_draws import ReferenceScores, correlate_changing
from metassay.stats.multivariate import rank_components
from metassay.stats.significance import corrected
from metassay.studies.columns import without_references
from metassay.studies.grouping import Case, Grouping, group_by
from metassay.studies.setting import signature_names

SLOW = 1_000
"""At most so many resamples for what is slow and only drawn or told: metrics across languages, references."""
DRAWN_AT_ONCE = 64
"""Draws of references made at once. It decides in which order random numbers are used, so it is fixed."""
BACK = "-back"
"""A level with this ending is the round trip of the level without it: ``es-back`` is Spanish put back into English."""
CURVE = tuple(round(0.005 * step, 3) for step in range(1, 51))
"""Margins at which the sensitivity of conclusions is told."""
Selves = dict[tuple[int, int], tuple[float, FloatArray]]
"""For two vectors, by position, their correlation and its resamples."""


@dataclass(frozen=True, slots=True)
class SurvivalRow:
    """One test: does a metric agree with people at one level as it does at the baseline?"""

    metric: str
    """The metric."""
    criterion: str
    """The human criterion."""
    language: str
    """The language, or whatever else the levels are, that is compared with the baseline."""
    baseline: str
    """The level it is compared with."""
    level: str
    """The level of correlation: ``global``, ``input``, ``system`` or ``within-system``."""
    coefficient: str
    """The coefficient, such as ``kendall-c``."""
    test: str
    """``tost`` or ``anderson-hauck``."""
    margin_kind: str
    """``constant``, ``sd`` or ``range``; the last two come from single annotators."""
    margin: float
    """How far apart two correlations may be and still count as equivalent."""
    estimate_a: float
    """The correlation at the baseline."""
    estimate_b: float
    """The correlation at this level."""
    difference: float
    """The second less the first."""
    low: float
    """Lower end of the bootstrap interval of the difference, of confidence 1 − 2α: TOST asks if it is in the margin."""
    high: float
    """Upper end of that interval."""
    p_value: float
    """Small if a difference as large as the margin is not credible; NaN if undefined."""
    p_corrected: float
    """The same, corrected for all tests with this test, kind of margin and coefficient."""
    alpha: float
    """The level of the tests."""
    equivalent: bool
    """Whether the p-value is at most α."""
    equivalent_corrected: bool
    """Whether the corrected p-value is at most α."""
    correction: str
    """``by`` and the like."""
    needed: float
    """The margin above which TOST would find equivalence; NaN if no margin would, or for another test."""
    n: int
    """Outputs with scores at both levels and judgments."""
    resamples: int
    """How many resamples were drawn."""
    resamples_undefined: int
    """Resamples in which the difference is undefined; they are left out."""


@dataclass(frozen=True, slots=True)
class LanguageAgreement:
    """The correlation of a metric with people at one level (Fig. 1 of Braun et al. 2022, for every language)."""

    metric: str
    """The metric."""
    criterion: str
    """The human criterion."""
    language: str
    """The language, or whatever else the levels are."""
    coefficient: str
    """The coefficient."""
    estimate: float
    """The correlation."""
    low: float
    """Lower end of its bootstrap interval."""
    high: float
    """Upper end of it."""
    confidence: float
    """Confidence of the interval."""


@dataclass(frozen=True, slots=True)
class AcrossLanguages:
    """The correlation of a metric at the baseline with the same metric at another level (Fig. 2)."""

    metric: str
    """The metric."""
    language: str
    """The other level."""
    coefficient: str
    """The coefficient."""
    estimate: float
    """The correlation."""
    low: float
    """Lower end of its bootstrap interval."""
    high: float
    """Upper end of it."""
    confidence: float
    """Confidence of the interval."""


@dataclass(frozen=True, slots=True)
class AnnotatorMargin:
    """How much single annotators differ in their correlation with a metric at the baseline (Fig. 4b)."""

    metric: str
    """The metric."""
    criterion: str
    """The human criterion."""
    coefficient: str
    """The coefficient."""
    n_annotators: int
    """Annotators with whom the metric has a correlation."""
    sd: float
    """Standard deviation of the correlations."""
    range: float
    """Largest difference of two of them."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The share of comparisons that TOST would call equivalent, uncorrected, with a given margin (Fig. 4a)."""

    criterion: str
    """The human criterion."""
    coefficient: str
    """The coefficient."""
    margin: float
    """The margin."""
    share: float
    """The share; NaN if no comparison is defined."""
    n_tests: int
    """Comparisons that are defined."""


@dataclass(frozen=True, slots=True)
class DominancePair:
    """In which share of the resamples the first metric agrees better with people than the second."""

    criterion: str
    """The human criterion."""
    coefficient: str
    """The coefficient."""
    metric_a: str
    """The first metric."""
    metric_b: str
    """The second metric."""
    language: str
    """The level at which both are compared."""
    probability: float
    """The share, P."""
    resolved: bool
    """Whether one of the two wins in at least 97.5% of the resamples."""


@dataclass(frozen=True, slots=True)
class DominanceShift:
    """What became of the pairs of metrics that were resolved at the baseline (Fig. 5)."""

    criterion: str
    """The human criterion."""
    coefficient: str
    """The coefficient."""
    language: str
    """The level that is compared with the baseline."""
    n_pairs: int
    """Pairs of metrics that are there at both levels."""
    n_resolved: int
    """Of these, pairs that are resolved at the baseline."""
    n_kept: int
    """Resolved pairs that are still resolved, the same way round."""
    n_turned: int
    """Resolved pairs in which the other metric now wins more than half of the resamples."""
    shift: float
    """Mean absolute change of the share, over the resolved pairs."""
    shift_back: float
    """The same after the round trip, level ``…-back``; NaN if there is none."""


@dataclass(frozen=True, slots=True)
class RankPosition:
    """A metric at one level, or a criterion, on the first two principal components of ranks (Fig. 6)."""

    name: str
    """The metric or the criterion."""
    kind: str
    """``metric`` or ``human``."""
    language: str
    """The level; empty for a criterion that is the same at all."""
    first: float
    """The position on the first component."""
    second: float
    """The position on the second component."""
    first_share: float
    """The share of the variance that the first component explains, the same for all."""
    second_share: float
    """Likewise for the second."""


@dataclass(frozen=True, slots=True)
class ReferenceWidening:
    """How much wider an interval is if references are resampled too (app. B)."""

    metric: str
    """The metric."""
    criterion: str
    """The human criterion."""
    language: str
    """The level."""
    coefficient: str
    """The coefficient."""
    aggregate: str
    """How scores against several references become one: ``max`` or ``mean``."""
    n_references: int
    """The most references that an input has."""
    low: float
    """Lower end of the interval without resampling references."""
    high: float
    """Upper end of it."""
    low_references: float
    """Lower end of the interval with references resampled."""
    high_references: float
    """Upper end of it."""
    widening: float
    """How much wider the interval is."""
    relative: float
    """The same as a share of the width without."""


@dataclass(frozen=True, eq=False, repr=False)
class Survival(Result):
    """Whether agreement with people is the same at every level, and all that goes with it."""

    study: ClassVar[str] = "survive"

    table: Sequence[SurvivalRow]
    """One row per metric, criterion, level, test, kind of margin and coefficient."""
    by: str
    """What the levels are levels of."""
    baseline: str
    """The level that the others are compared with."""
    agreement: tuple[LanguageAgreement, ...]
    """Correlations with people at every level."""
    across: tuple[AcrossLanguages, ...]
    """Correlations of metrics with themselves at the baseline."""
    margins: tuple[AnnotatorMargin, ...]
    """What single annotators say of margins."""
    sensitivity: tuple[Sensitivity, ...]
    """How conclusions depend on the margin."""
    dominance: tuple[DominancePair, ...]
    """Which metric beats which."""
    shifts: tuple[DominanceShift, ...]
    """How that changes from the baseline to each level."""
    components: tuple[RankPosition, ...]
    """Where everything stands on two principal components."""
    explained: tuple[float, float]
    """The share of the variance that each of the two explains."""
    references: tuple[ReferenceWidening, ...]
    """What resampling references adds, for metrics with a score per reference."""


@study
def survive(
    scores: Scores | Mapping[str, Scores],
    *,
    by: opt.By = "language",
    baseline: opt.Baseline = None,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Level = "global",
    coefficient: opt.Statistics = "kendall-c",
    test: opt.EquivalenceTests = "tost,anderson-hauck",
    margin: opt.Margin = 0.05,
    margin_kind: opt.MarginKinds = "constant,sd,range",
    resample: opt.Resample = "both",
    aggregate: opt.Aggregate = "max",
    alpha: opt.Alpha = 0.05,
    correction: opt.Correction = "by",
    p: opt.PValues = "plus-one",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 10_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    threads: opt.Threads = None,
) -> Survival:
    """Test whether metrics agree with people in other languages as they do in the first.

    The same question in its everyday form: are two metrics, two versions of a judge, or two groups of annotators
    interchangeable? Then `by` names what tells them apart.

    Parameters
    ----------
    scores
        Scores with a language axis, or scores by language: ``{"en": …, "es": …, "es-back": …}``. A level that ends in
        ``-back`` is a round trip.

    Notes
    -----
    Follows Braun, Vasilyev, Iskender and Bohannon (2022), "Does Summary Evaluation Survive Translation to Other
    Languages?", with Φ where the authors' code of the Anderson-Hauck test has densities.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.survive(ma.example(), by="metric", human="relevance", resamples=200)
    >>> sorted({row.test for row in result.table})
    ['anderson-hauck', 'tost']
    """
    coefficients = tuple(coefficient)
    tests = tuple(test)
    kinds = tuple(margin_kind)
    if resample == "points" and level != "global":
        raise UsageError(f"resample points needs level global, where outputs stand by themselves; got level {level}")
    if not by:
        raise UsageError("by must be the name of what is compared, such as language or metric")
    if isinstance(scores, Mapping):
        scores = stacked(scores)
    if not isinstance(scores, Scores):
        raise UsageError(f"expected Scores, got {type(scores).__name__}; use metassay.read or Scores.from_arrays")
    kept, notes = (scores, []) if references else without_references(scores)
    groups = _judged_only(group_by(kept, by, baseline, human, metric, aggregate))
    if level in ("input", "within-system") and "anderson-hauck" in tests:
        # Averages of correlations have no such test.
        tests = tuple(name for name in tests if name != "anderson-hauck")
        notes.append(Note.of("anderson-hauck-excluded", level=level))
        if not tests:
            raise UsageError(f"test anderson-hauck needs level global or system, got {level}")
    pages = WeightPages(resamples, (groups.x.shape[1], groups.x.shape[2]), seed, resample)
    few = replace(pages, draws=min(resamples, SLOW))

    rows: list[SurvivalRow] = []
    agreement: list[LanguageAgreement] = []
    across: list[AcrossLanguages] = []
    margins: list[AnnotatorMargin] = []
    sensitivity: list[Sensitivity] = []
    pairs: list[DominancePair] = []
    shifts: list[DominanceShift] = []
    widenings: list[ReferenceWidening] = []
    for c in coefficients:
        found = _Found.of(groups, level, c, pages, few, threads)
        agreement += found.agreement(confidence)
        across += found.across_levels(confidence)
        own, by_case = _margins(groups, level, c)
        margins += own
        rows += _rows(found, tests, kinds, margin, by_case, alpha, correction, p, resamples)
        sensitivity += _sensitivity(found, alpha, p)
        won, moved = _dominance(found)
        pairs += won
        shifts += moved
        widenings += _widenings(found, aggregate, confidence, few, threads)
    positions, explained = _components(groups)
    signature = Signature.of(
        "survive",
        by=_plain(by),
        baseline=_plain(groups.baseline),
        level=level,
        coef=signature_names(coefficients),
        test=tests,
        margin=[f"{kind}-{margin:g}" if kind == "constant" else kind for kind in kinds],
        alpha=f"{alpha:g}",
        correction=correction,
        p=p,
        resample=resample,
        refs=aggregate if groups.references else None,
        k=resamples,
        seed=seed,
        systems=groups.x.shape[1],
        inputs=groups.x.shape[2],
    )
    notes += groups.notes + _notes(rows, groups, kinds, coefficients, resample, resamples, alpha, p, widenings, across)
    return Survival(
        table=tuple(rows),
        signature=signature,
        notes=tuple(notes),
        by=by,
        baseline=groups.baseline,
        agreement=tuple(agreement),
        across=tuple(across),
        margins=tuple(margins),
        sensitivity=tuple(sensitivity),
        dominance=tuple(pairs),
        shifts=tuple(shifts),
        components=positions,
        explained=explained,
        references=tuple(widenings),
    )


def _plain(text: str) -> str:
    return one_line(text, 60).replace("|", "/").replace(":", "-")


def _judged_only(groups: Grouping) -> Grouping:
    """Leave out systems and inputs without any judgment: there is nothing to agree with."""
    judged = np.asarray((~np.isnan(groups.z)).any(axis=0))
    rows, columns = np.flatnonzero(judged.any(axis=1)), np.flatnonzero(judged.any(axis=0))
    if len(rows) == judged.shape[0] and len(columns) == judged.shape[1]:
        return groups

    def cut(values: FloatArray) -> FloatArray:
        return values[..., rows, :][..., columns]

    note = Note.of("judged-only", systems=len(rows), inputs=len(columns))
    return replace(
        groups,
        x=cut(groups.x),
        z=cut(groups.z),
        annotators={at: cut(values) for at, values in groups.annotators.items()},
        references={at: cut(values) for at, values in groups.references.items()},
        notes=[*groups.notes, note],
    )


@dataclass(frozen=True)
class _Found:
    """All correlations of one coefficient, at the data and in the resamples."""

    groups: Grouping
    level: str
    coefficient: str
    pairs: list[tuple[int, int]]
    """Metric and criterion, each at a level, by position."""
    estimates: FloatArray
    samples: FloatArray
    """One row per pair."""
    metric_selves: Selves
    """Of metrics at the baseline with themselves at other levels."""
    human_selves: Selves
    """The same for criteria."""

    @classmethod
    def of(
        cls, groups: Grouping, level: str, coefficient: str, pages: WeightPages, few: WeightPages, threads: int | None
    ) -> _Found:
        """Compute them."""
        pairs = list(dict.fromkeys(p for case in groups.cases for p in _two(case)))
        prepared = Correlations(groups.x, groups.z, pairs, level, coefficient)
        samples = _bootstrap(prepared, pages, threads)
        selves: list[Selves] = []
        for values, between in (
            (groups.x, dict.fromkeys((case.x_baseline, case.x) for case in groups.cases)),
            (groups.z, dict.fromkeys((case.z_baseline, case.z) for case in groups.cases)),
        ):
            wanted = [(a, b) for a, b in between if a != b]
            both = Correlations(values, values, wanted, level, coefficient)
            drawn = _bootstrap(both, few, threads) if wanted else ()
            estimates = both.estimate().tolist() if wanted else ()
            selves.append(dict(zip(wanted, zip(estimates, drawn, strict=True), strict=True)))
        return cls(groups, level, coefficient, pairs, prepared.estimate(), samples, *selves)

    def at(self, pair: tuple[int, int]) -> tuple[float, FloatArray]:
        """Return the correlation of a pair and its resamples."""
        i = self._places[pair]
        return float(self.estimates[i]), self.samples[i]

    def differences(self, cases: Sequence[Case]) -> FloatArray:
        """Return by how much each case differs from its baseline in every resample, (cases, B)."""
        return np.stack([self.at(here)[1] - self.at(first)[1] for first, here in map(_two, cases)])

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {pair: i for i, pair in enumerate(self.pairs)}

    def between(self, case: Case) -> float:
        """Return the correlation of the two variables that a case does not share; NaN if it shares none."""
        if case.x != case.x_baseline and case.z == case.z_baseline:
            return self.metric_selves[case.x_baseline, case.x][0]
        if case.z != case.z_baseline and case.x == case.x_baseline:
            return self.human_selves[case.z_baseline, case.z][0]
        return math.nan

    def agreement(self, confidence: float) -> list[LanguageAgreement]:
        """Return correlations with people, the baseline first."""
        seen: dict[tuple[str, str, str], tuple[int, int]] = {}
        for case in self.groups.cases:
            name = case.metric if self.groups.by != "metric" else self.groups.baseline
            human = case.criterion if self.groups.by != "human" else self.groups.baseline
            seen.setdefault((name, human, self.groups.baseline), (case.x_baseline, case.z_baseline))
        for case in self.groups.cases:
            seen.setdefault((case.metric, case.criterion, case.level), (case.x, case.z))
        out = []
        for (name, human, language), pair in seen.items():
            estimate, sample = self.at(pair)
            low, high = percentile(sample, confidence)
            out.append(LanguageAgreement(name, human, language, self.coefficient, estimate, low, high, confidence))
        return out

    def across_levels(self, confidence: float) -> list[AcrossLanguages]:
        """Return correlations of metrics with themselves at the baseline."""
        out: dict[tuple[str, str], AcrossLanguages] = {}
        for case in self.groups.cases:
            if case.x != case.x_baseline and (case.metric, case.level) not in out:
                estimate, sample = self.metric_selves[case.x_baseline, case.x]
                low, high = percentile(sample, confidence)
                out[case.metric, case.level] = AcrossLanguages(
                    case.metric, case.level, self.coefficient, estimate, low, high, confidence
                )
        return list(out.values())


def _two(case: Case) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two pairs that a case compares, the baseline first."""
    return (case.x_baseline, case.z_baseline), (case.x, case.z)


def _bootstrap(prepared: Correlations, pages: WeightPages, threads: int | None) -> FloatArray:
    parts = engine.run(lambda page: prepared.bootstrap(pages[page]), len(pages), threads=threads, what="resampling")
    return np.concatenate(parts, axis=1)[:, : pages.draws]


def _margins(
    groups: Grouping, level: str, coefficient: str
) -> tuple[list[AnnotatorMargin], dict[tuple[int, int], AnnotatorMargin]]:
    """Return how single annotators differ, for each metric and criterion at the baseline."""
    wanted: dict[tuple[int, int], tuple[str, str]] = {}
    for case in groups.cases:
        human = case.criterion if groups.by != "human" else groups.baseline
        name = case.metric if groups.by != "metric" else groups.baseline
        wanted.setdefault((case.x_baseline, case.z_baseline), (name, human))
    # By annotator, the baseline is one annotator, and what the others say is found under their own names.
    people = {z: groups.annotators[z] for _, z in wanted if z in groups.annotators}
    if groups.by == "annotator":
        for _, z in wanted:
            name = groups.z_names[z][0]
            people[z] = groups.z[[i for i, (other, _) in enumerate(groups.z_names) if other == name]]
    single = [each for values in people.values() for each in values]
    if not single:
        return [], {}
    starts, at = {}, 0
    for z, values in people.items():
        starts[z], at = range(at, at + len(values)), at + len(values)
    pairs = [(x, i) for x, z in wanted if z in people for i in starts[z]]
    found = dict(
        zip(pairs, Correlations(groups.x, np.stack(single), pairs, level, coefficient).estimate(), strict=True)
    )
    out = {}
    for (x, z), (name, human) in wanted.items():
        if z in people:
            correlations = np.array([found[x, i] for i in starts[z]])
            sd, widest = annotator_margins(correlations)
            n = int((~np.isnan(correlations)).sum())
            out[x, z] = AnnotatorMargin(name, human, coefficient, n, sd, widest)
    # Copies of the baseline on fewer cells have margins of their own, and are told once.
    told = {(margin.metric, margin.criterion): margin for margin in reversed(out.values())}
    return list(reversed(told.values())), out


def _rows(
    found: _Found,
    tests: tuple[str, ...],
    kinds: tuple[str, ...],
    constant: float,
    margins: dict[tuple[int, int], AnnotatorMargin],
    alpha: float,
    correction: str,
    rule: str,
    resamples: int,
) -> list[SurvivalRow]:
    cases = found.groups.cases
    differences = found.differences(cases)
    ends = [percentile(sample, 1 - 2 * alpha) if alpha < 0.5 else (math.nan, math.nan) for sample in differences]
    needed = needed_margins(differences, alpha, rule)
    undefined = np.isnan(differences).sum(axis=1)
    rows = []
    for kind in kinds:
        own = [margins.get((case.x_baseline, case.z_baseline)) for case in cases]
        width = np.array([constant if kind == "constant" else math.nan if m is None else getattr(m, kind) for m in own])
        for test in tests:
            if test == "tost":
                p = tost(differences, width, rule)
            else:
                p = np.array([_anderson_hauck(found, case, m) for case, m in zip(cases, width, strict=True)])
            adjusted = corrected(p, correction)
            for i, case in enumerate(cases):
                if math.isnan(width[i]):
                    continue
                a, b = found.at((case.x_baseline, case.z_baseline))[0], found.at((case.x, case.z))[0]
                rows.append(
                    SurvivalRow(
                        metric=case.metric,
                        criterion=case.criterion,
                        language=case.level,
                        baseline=found.groups.baseline,
                        level=found.level,
                        coefficient=found.coefficient,
                        test=test,
                        margin_kind=kind,
                        margin=float(width[i]),
                        estimate_a=a,
                        estimate_b=b,
                        difference=b - a,
                        low=ends[i][0],
                        high=ends[i][1],
                        p_value=float(p[i]),
                        p_corrected=float(adjusted[i]),
                        alpha=alpha,
                        equivalent=bool(p[i] <= alpha),
                        equivalent_corrected=bool(adjusted[i] <= alpha),
                        correction=correction,
                        needed=float(needed[i]) if test == "tost" else math.nan,
                        n=_points(found.groups, case),
                        resamples=resamples,
                        resamples_undefined=int(undefined[i]),
                    )
                )
    return rows


def _points(groups: Grouping, case: Case) -> int:
    """Return how many outputs have all scores that a case needs."""
    scores = groups.x[case.x] + groups.x[case.x_baseline] + groups.z[case.z] + groups.z[case.z_baseline]
    return int((~np.isnan(scores)).sum())


def _systems(groups: Grouping, case: Case) -> int:
    """Return how many systems have a mean of everything that a case needs."""
    means = (groups.x[case.x], groups.x[case.x_baseline], groups.z[case.z], groups.z[case.z_baseline])
    return int(np.logical_and.reduce([(~np.isnan(values)).any(axis=1) for values in means]).sum())


def _anderson_hauck(found: _Found, case: Case, margin: float) -> float:
    first, second = _two(case)
    n = _systems(found.groups, case) if found.level == "system" else _points(found.groups, case)
    return anderson_hauck(found.at(first)[0], found.at(second)[0], found.between(case), n, margin)


def _sensitivity(found: _Found, alpha: float, rule: str) -> list[Sensitivity]:
    out = []
    cases = found.groups.cases
    for criterion in dict.fromkeys(case.criterion for case in cases):
        mine = [case for case in cases if case.criterion == criterion]
        differences = found.differences(mine)
        defined = ~np.isnan(differences).all(axis=1)
        n = int(defined.sum())
        needed = needed_margins(differences[defined], alpha, rule)
        shares = [float((needed < margin).mean()) if n else math.nan for margin in CURVE]
        out += [
            Sensitivity(criterion, found.coefficient, margin, share, n)
            for margin, share in zip(CURVE, shares, strict=True)
        ]
    return out


def _dominance(found: _Found) -> tuple[list[DominancePair], list[DominanceShift]]:
    """Return P for all pairs of metrics at all levels, and how it shifts; nothing if metrics are the levels."""
    groups = found.groups
    pairs: list[DominancePair] = []
    shifts: list[DominanceShift] = []
    if groups.by == "metric":
        return pairs, shifts
    humans = [groups.baseline] if groups.by == "human" else list(dict.fromkeys(case.criterion for case in groups.cases))
    for human in humans:
        mine = [case for case in groups.cases if groups.by == "human" or case.criterion == human]
        metrics = list(dict.fromkeys(case.metric for case in mine))
        if len(metrics) < 2:
            continue
        nothing = np.full(found.samples.shape[1], np.nan)
        first = {case.metric: found.at((case.x_baseline, case.z_baseline))[1] for case in mine}
        tables = {groups.baseline: dominance(np.stack([first[name] for name in metrics]))}
        for level in groups.levels:
            here = {case.metric: found.at((case.x, case.z))[1] for case in mine if case.level == level}
            tables[level] = dominance(np.stack([here.get(name, nothing) for name in metrics]))
        for level, table in tables.items():
            for a, name in enumerate(metrics):
                for b in range(a + 1, len(metrics)):
                    if not math.isnan(table[a, b]):
                        resolved = bool(max(table[a, b], table[b, a]) >= RESOLVED)
                        shown = float(table[a, b])
                        pairs.append(DominancePair(human, found.coefficient, name, metrics[b], level, shown, resolved))
        moved = {level: shift(tables[groups.baseline], table) for level, table in tables.items()}
        for level in groups.levels:
            if level.endswith(BACK) and level.removesuffix(BACK) in groups.levels:
                continue
            one: Shift = moved[level]
            back = moved[level + BACK].shift if level + BACK in moved else math.nan
            shifts.append(
                DominanceShift(
                    human, found.coefficient, level, one.pairs, one.resolved, one.kept, one.turned, one.shift, back
                )
            )
    return pairs, shifts


def _components(groups: Grouping) -> tuple[tuple[RankPosition, ...], tuple[float, float]]:
    """Return where criteria and metrics stand on the first two components of their ranks, over complete cells."""
    vectors = np.concatenate([groups.z, groups.x]).reshape(len(groups.z) + len(groups.x), -1)
    names = [(name, "human", place) for name, place in groups.z_names]
    names += [(name, "metric", place or groups.baseline) for name, place in groups.x_names]
    shown = [at for at, (name, *_) in enumerate(names) if name]
    names, vectors = [names[at] for at in shown], vectors[shown]
    whole = ~np.isnan(vectors).any(axis=0)
    if whole.sum() < 2 or len(vectors) < 3:
        return (), (math.nan, math.nan)
    share, places = rank_components(vectors[:, whole])
    explained = (float(share[0]), float(share[1]))
    found = [RankPosition(*name, float(a), float(b), *explained) for name, (a, b) in zip(names, places, strict=True)]
    order = {place: at for at, place in enumerate(("", groups.baseline, *groups.levels))}
    first = {name: at for at, (name, *_) in enumerate(reversed(names))}
    found.sort(key=lambda one: (-first[one.name], order.get(one.language, 0)))
    return tuple(found), explained


def _widenings(
    found: _Found, aggregate: str, confidence: float, pages: WeightPages, threads: int | None
) -> list[ReferenceWidening]:
    """Return how much wider intervals are with references resampled, for metrics that have a score for each."""
    groups = found.groups
    if not groups.references or found.level != "global" or groups.by == "reference":
        return []
    out = []
    shape = (groups.x.shape[1], groups.x.shape[2])
    for x, values in groups.references.items():
        mine = [pair for pair in found.pairs if pair[0] == x]
        if not mine:
            continue
        prepared = ReferenceScores(values, aggregate)

        def work(
            page: int, x: int = x, prepared: ReferenceScores = prepared, mine: list[tuple[int, int]] = mine
        ) -> FloatArray:
            weights: Weights = pages[page]
            cells = cell_weights(weights, shape, slice(None)).astype(np.float64)
            random = stream(pages.seed, REFERENCES, x, page)
            parts = []
            wanted = min(cells.shape[1], pages.draws - page * pages.size)
            for at in range(0, wanted, DRAWN_AT_ONCE):
                w = cells[:, at : at + DRAWN_AT_ONCE]
                scores = prepared.draw(random, w.shape[1])
                z = [groups.z[q].reshape(-1) for _, q in mine]
                parts.append(np.stack([correlate_changing(scores, one, w, found.coefficient) for one in z]))
            return np.concatenate(parts, axis=1)

        drawn = np.concatenate(engine.run(work, len(pages), threads=threads, what="resampling references"), axis=1)[
            :, : pages.draws
        ]
        for (_, z), sample in zip(mine, drawn, strict=True):
            low, high = percentile(found.at((x, z))[1][: pages.draws], confidence)
            wide_low, wide_high = percentile(sample, confidence)
            more = (wide_high - wide_low) - (high - low)
            name, place = groups.x_names[x]
            out.append(
                ReferenceWidening(
                    metric=name,
                    criterion=groups.z_names[z][0],
                    language=place or groups.baseline,
                    coefficient=found.coefficient,
                    aggregate=aggregate,
                    n_references=len(values),
                    low=low,
                    high=high,
                    low_references=wide_low,
                    high_references=wide_high,
                    widening=more,
                    relative=more / (high - low) if high > low else math.nan,
                )
            )
    return out


def _notes(
    rows: Sequence[SurvivalRow],
    groups: Grouping,
    kinds: Iterable[str],
    coefficients: Iterable[str],
    resample: str,
    resamples: int,
    alpha: float,
    rule: str,
    widenings: Sequence[ReferenceWidening],
    across: Sequence[AcrossLanguages],
) -> list[Note]:
    notes = [Note.of("survival-generalises", resample=resample), Note.of("not-equivalent-not-different")]
    if any(row.test == "anderson-hauck" for row in rows):
        notes.append(Note.of("anderson-hauck-few-data"))
        if any(c != "pearson" for c in coefficients):
            notes.append(Note.of("anderson-hauck-approximate"))
    if {"sd", "range"} & set(kinds):
        known = {(row.metric, row.criterion) for row in rows if row.margin_kind != "constant"}
        lacking = dict.fromkeys(c.criterion for c in groups.cases if (c.metric, c.criterion) not in known)
        if lacking:
            notes.append(Note.of("margins-unknown", criteria=lacking))
        if known:
            notes.append(Note.of("margins-estimated"))
            if groups.by == "annotator":
                notes.append(Note.of("margins-circular"))
    needed = 1 / alpha if rule == "paper" else 1 / alpha - 1
    if resamples < needed:
        notes.append(Note.of("resamples-below-alpha", n=resamples, alpha=alpha, least=math.ceil(needed)))
    undefined = [row for row in rows if row.resamples_undefined and row.test == "tost"]
    if undefined:
        most = max(row.resamples_undefined for row in undefined)
        metrics = dict.fromkeys(row.metric for row in undefined)
        notes.append(Note.of("survival-resamples-undefined", n=most, resamples=resamples, metrics=metrics))
    none = dict.fromkeys(row.metric for row in rows if math.isnan(row.difference))
    if none:
        notes.append(Note.of("survival-undefined", metrics=none))
    if resamples > SLOW and (across or widenings):
        notes.append(Note.of("fewer-resamples", n=SLOW))
    return notes
