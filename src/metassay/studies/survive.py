"""Does agreement hold after translation, or another change?

Tests whether a metric agrees with people in another language as well as it does in the first, so that human judgments
can be reused: two one-sided tests by the jackknife, or by bootstrap and the Anderson-Hauck test as in the paper, with a
constant margin and with margins from the differences between single annotators. Also reports how much conclusions
depend on the margin, and whether the better metric stays the better one. Give the scores of each language as LANG=FILE,
a round trip as LANG-back=FILE, or all in one file with a language column. With --by, it tests the same for two metrics,
two versions of a judge, or two groups of annotators: are they interchangeable?

    metassay survive en=english.csv es=spanish.csv es-back=again.csv human.jsonl
    metassay survive scores.csv --human relevance --baseline en --margin-kind sd --resample points
    metassay survive judges.csv --human rating --by version --baseline v1 --margin 0.03
    metassay survive scores.csv --human relevance --by metric --baseline synthetic-judge --view list
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metassay import engine
from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.stacking import stacked
from metassay.core.study import study
from metassay.errors import UsageError, listed
from metassay.stats.equivalence import anderson_hauck, tost
from metassay.stats.metric_criterion_pairs import WeightPages
from metassay.stats.significance import corrected
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import choose
from metassay.studies.grouping import Case, Grouping, group_by
from metassay.studies.selection import notes_on_units, without_references
from metassay.studies.survive_parts import (
    Found,
    by_draws,
    dominance_of,
    judged_only,
    margins,
    positions_of,
    sensitivity,
    two_pairs,
    widened,
)
from metassay.studies.survive_rows import AnnotatorMargin, SurvivalRow
from metassay.studies.survive_rows import Survival as Survival

SLOW = 1_000
"""At most so many resamples for what is slow and only drawn or told: metrics across languages, references."""


@study
def survive(
    scores: Scores | Mapping[str, Scores],
    *,
    by: opt.By = "language",
    baseline: opt.Baseline = None,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Level = "global",
    statistic: opt.Statistics = "kendall-c",
    test: opt.EquivalenceTests = "jackknife",
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
) -> Survival:
    """Test whether metrics agree with people in other languages as they do in the first.

    The same question in its everyday form: are two metrics, two versions of a judge, or two groups of annotators
    interchangeable? Then `by` names what distinguishes them.

    Parameters
    ----------
    scores
        Scores with a language axis, or scores by language: ``{"en": …, "es": …, "es-back": …}``. A level that ends in
        ``-back`` is a round trip.

    Notes
    -----
    Follows Braun, Vasilyev, Iskender and Bohannon (2022), "Does Summary Evaluation Survive Translation to Other
    Languages?", with Φ where the authors' code of the Anderson-Hauck test has densities. The paper's tests, ``tost``
    with `resample` ``points`` and ``anderson-hauck``, assume that outputs are independent. If outputs share systems,
    their false-positive rates at the margin are up to .30 and .31 instead of .05.

    ``jackknife`` tests whether an interval of the difference for new systems and new inputs is inside the margin. The
    interval combines the jackknife intervals of the two correlations and the correlation of their errors (MOVER; Zou
    2007, "Toward using confidence intervals to compare correlations").

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.survive(ma.example(), by="metric", human="relevance", resamples=200)
    >>> sorted({row.test for row in result.table})
    ['jackknife']
    """
    statistics = choose(statistic, [level])
    kinds = tuple(margin_kind)
    _check(by, resample, level)
    scores = stacked(scores) if isinstance(scores, Mapping) else scores
    kept, notes = without_references(scores, references)
    groups = judged_only(group_by(kept, by, baseline, human, metric, aggregate))
    tests, told = _applicable(tuple(test), level, statistics)
    pages = WeightPages(resamples, groups.shape, seed, resample, groups.families, groups.clusters)
    few = replace(pages, draws=min(resamples, SLOW))
    plan = _Plan(tests, kinds, margin, alpha, correction, p, resample, resamples)
    tables: dict[str, list[Any]] = {name: [] for name in Survival.tables() if name != "components"}
    for at, each in enumerate(statistics):
        with engine.stage(at, len(statistics), "resampling"):
            found = Found.of(groups, level, each, pages, few)
        told_by_people, by_case = margins(groups, level, each)
        applied = tuple(name for name in tests if name != "anderson-hauck" or each.is_correlation)
        dominance, shifts = dominance_of(found)
        mine: dict[str, Sequence[object]] = {
            "table": _rows(found, replace(plan, tests=applied), by_case),
            "agreement": found.agreement(confidence),
            "across": found.across_levels(confidence),
            "margins": told_by_people,
            "sensitivity": sensitivity(found, alpha, p, jackknife="jackknife" in tests),
            "dominance": dominance,
            "shifts": shifts,
            "references": widened(found, aggregate, confidence, few),
        }
        for name, rows in mine.items():
            tables[name] += rows
    positions, explained = positions_of(groups)
    signature = Signature.open(
        baseline=vocabulary.in_a_signature(groups.baseline),
        test=tests,
        margin=[f"{kind}-{margin:g}" if kind == "constant" else kind for kind in kinds],
        corr=None,
        ci=None,
        correction=correction,
        **({} if groups.references else {"refs": None}),
        systems=groups.shape[0],
        inputs=groups.shape[1],
    )
    told += _notes(kept, tables["table"], groups, plan, statistics, bool(tables["across"] or tables["references"]))
    return Survival(
        signature=signature,
        notes=(*notes, *groups.notes, *told),
        by=by,
        baseline=groups.baseline,
        components=positions,
        explained=explained,
        **{name: tuple(rows) for name, rows in tables.items()},
    )


@dataclass(frozen=True)
class _Plan:
    """Which tests are done, with which margins, and how their p-values come about."""

    tests: tuple[str, ...]
    kinds: tuple[str, ...]
    constant: float
    alpha: float
    correction: str
    rule: str
    resample: str
    resamples: int


def _check(by: str, resample: str, level: str) -> None:
    if resample == "points" and level != "global":
        raise UsageError(f"resample points needs level global, which treats outputs as independent; got level {level}")
    if not by:
        raise UsageError("by must be the name of what is compared, such as language or metric")


def _applicable(
    tests: tuple[str, ...], level: str, statistics: Sequence[Statistic]
) -> tuple[tuple[str, ...], list[Note]]:
    """Return the tests that apply, and note which do not: Anderson-Hauck is for single correlations."""
    if "anderson-hauck" not in tests:
        return tests, []
    others = [s.name for s in statistics if not s.is_correlation]
    averaged = level in ("input", "within-system")
    note = Note.of("anderson-hauck-for-correlations", statistics=others)
    if not averaged and len(others) < len(statistics):
        return tests, [note] if others else []
    rest = tuple(name for name in tests if name != "anderson-hauck")
    if not rest and averaged:
        raise UsageError(f"test anderson-hauck needs level global or system, got {level}")
    if not rest:
        raise UsageError(f"test anderson-hauck is for correlation coefficients, got {listed(others)}")
    return rest, [Note.of("anderson-hauck-excluded", level=level) if averaged else note]


def _rows(found: Found, plan: _Plan, margins: dict[tuple[int, int], AnnotatorMargin]) -> list[SurvivalRow]:
    cases, alpha = found.groups.cases, plan.alpha
    differences = found.differences(cases)
    ends, needed = by_draws(differences, alpha, plan.rule)
    undefined = np.isnan(differences).sum(axis=1)
    rows = []
    for kind in plan.kinds:
        own = [margins.get((case.x_baseline, case.z_baseline)) for case in cases]
        width = np.array([math.nan if m is None else getattr(m, kind, math.nan) for m in own])
        width = np.full(len(cases), plan.constant) if kind == "constant" else width
        for test in plan.tests:
            low, high, least = *ends, np.full(len(cases), math.nan)
            if test == "tost":
                p, least = tost(differences, width, plan.rule), needed
            elif test == "jackknife":
                p = found.jackknifed.p_values(width)
                (low, high), least = found.jackknifed.ends(alpha)
            else:
                p = np.array([_anderson_hauck(found, case, m) for case, m in zip(cases, width, strict=True)])
            adjusted = corrected(p, plan.correction)
            for i, case in enumerate(cases):
                if math.isnan(width[i]):
                    continue
                a, b = found.at((case.x_baseline, case.z_baseline))[0], found.at((case.x, case.z))[0]
                rows.append(
                    fields.filled(
                        SurvivalRow,
                        case,
                        plan,
                        language=case.level,
                        baseline=found.groups.baseline,
                        level=found.level,
                        statistic=found.statistic.name,
                        test=test,
                        margin_kind=kind,
                        margin=float(width[i]),
                        estimate_a=a,
                        estimate_b=b,
                        difference=b - a,
                        low=float(low[i]),
                        high=float(high[i]),
                        p_value=float(p[i]),
                        p_corrected=float(adjusted[i]),
                        equivalent=bool(p[i] <= alpha),
                        equivalent_corrected=bool(adjusted[i] <= alpha),
                        needed=float(least[i]),
                        n=_points(found.groups, case),
                        resamples=plan.resamples if test != "jackknife" else 0,
                        resamples_undefined=int(undefined[i]) if test != "jackknife" else 0,
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


def _anderson_hauck(found: Found, case: Case, margin: float) -> float:
    first, second = two_pairs(case)
    n = _systems(found.groups, case) if found.level == "system" else _points(found.groups, case)
    return anderson_hauck(found.at(first)[0], found.at(second)[0], found.between(case), n, margin)


def _notes(
    scores: Scores,
    rows: Sequence[SurvivalRow],
    groups: Grouping,
    plan: _Plan,
    statistics: Iterable[Statistic],
    slow: bool,
) -> list[Note]:
    alpha, resample, resamples = plan.alpha, plan.resample, plan.resamples
    tests = {row.test for row in rows}
    notes = [Note.of("not-equivalent-not-different")]
    ours = {row.metric for row in rows} & scores.columns.keys()
    labelled = sorted(name for name in ours if scores[name].scale.kind != "interval")
    notes += Note.when(labelled, "survival-of-labels", metrics=labelled, by=groups.by)
    for test in sorted(tests):
        together = test == "jackknife" or (test == "tost" and resample != "points")
        notes += notes_on_units(scores, test, together=together)
    if "jackknife" in tests:
        notes.append(Note.of("generalises", method="jackknife", to="both"))
        untested = all(math.isnan(row.p_value) for row in rows if row.test == "jackknife")
        notes += Note.when(untested, "equivalence-untested", systems=groups.shape[0], inputs=groups.shape[1])
    if "tost" in tests:
        notes.append(Note.of("survival-generalises", resample=resample))
        notes += Note.when(resample != "both", "equivalence-error-rates", resample=resample, alpha=alpha)
    if "anderson-hauck" in tests:
        notes.append(Note.of("anderson-hauck-few-data"))
        notes += Note.when(any(s.name != "pearson" for s in statistics), "anderson-hauck-approximate")
    if {"sd", "range"} & set(plan.kinds):
        known = {(row.metric, row.human) for row in rows if row.margin_kind != "constant"}
        lacking = dict.fromkeys(c.human for c in groups.cases if (c.metric, c.human) not in known)
        notes += Note.when(lacking, "margins-unknown", criteria=lacking)
        notes += Note.when(known, "margins-estimated")
        notes += Note.when(known and groups.by == "annotator", "margins-circular")
    needed = 1 / alpha if plan.rule == "paper" else 1 / alpha - 1
    short = resamples < needed and "tost" in tests
    undefined = [row for row in rows if row.resamples_undefined and row.test == "tost"]
    notes += Note.when(short, "resamples-below-alpha", n=resamples, alpha=alpha, least=math.ceil(needed))
    if undefined:
        metrics, most = (
            dict.fromkeys(row.metric for row in undefined),
            max(row.resamples_undefined for row in undefined),
        )
        notes.append(Note.of("survival-resamples-undefined", n=most, resamples=resamples, metrics=metrics))
    without = dict.fromkeys(row.metric for row in rows if math.isnan(row.difference))
    notes += Note.when(without, "survival-undefined", metrics=without)
    return notes + Note.when(resamples > SLOW and slow, "fewer-resamples", n=SLOW)
