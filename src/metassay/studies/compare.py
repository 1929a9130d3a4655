"""Which metric agrees better with people?

Tests for every ordered pair of metrics whether the first agrees better with people than the second, corrects for the
number of tests, and sorts the metrics into ranks that the tests tell apart. Few metrics are shown as a list, many as a
matrix of p-values: * significant, ** also after correction.

    metassay compare scores.csv --human relevance
    metassay compare scores.csv --human relevance --level system --test williams --coefficient pearson
    metassay compare scores.csv --human relevance --correction holm --scope table -o tests.csv
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats import two_way
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.kernels.score_swaps import Pair, make_exchange, standardize_cells, standardize_level
from metassay.stats.levels import Level, make_level
from metassay.stats.significance import (
    Counts,
    clusters,
    corrected,
    count_exchanged,
    count_resampled,
    williams,
)
from metassay.studies.inputs import InputSets, by_inputs, count_annotated, has_scores, input_sets, notes_on_inputs
from metassay.studies.setting import Setting, check_size, settle, signature_names


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One test of whether metric A agrees better with people than metric B."""

    metric_a: str
    """The metric that the alternative ``greater`` says is better."""
    metric_b: str
    """The metric it is compared with."""
    human: str
    """The human criterion."""
    level: str
    """``system``, ``input``, ``global`` or ``within-system``."""
    coefficient: str
    """``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``."""
    estimate_a: float
    """Correlation of A with people, on the cells that both metrics scored."""
    estimate_b: float
    """Correlation of B with people, on the cells that both metrics scored."""
    difference: float
    """``estimate_a − estimate_b``."""
    p_value: float
    """The p-value before any correction; NaN if the test is undefined."""
    test: str
    """The test."""
    alternative: str
    """``greater``, ``less`` or ``two-sided``."""
    resamples: int | None
    """How many resamples the test rests on; None for Williams."""
    resamples_undefined: int
    """Resamples in which a correlation was undefined; they are left out."""
    significant: bool
    """Whether p ≤ α before correction."""
    significant_corrected: bool
    """Whether the null hypothesis is rejected after correction."""
    correction: str
    """``none``, ``bonferroni``, ``holm``, ``bh`` or ``by``."""
    scope: str
    """What is corrected together: ``row`` (one metric A against all others) or ``table``."""
    n_systems: int
    """Systems with at least one cell that both metrics scored and, at other than system level, people as well."""
    n_inputs: int
    """Inputs with at least one cell that both metrics and, unless system means take all inputs, people scored."""
    n_annotated: int
    """Inputs with at least one score from people."""


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """The place of one metric in a ranking of clusters."""

    human: str
    """The human criterion."""
    level: str
    """The level."""
    coefficient: str
    """The coefficient."""
    rank: int
    """1 for the best cluster; metrics of one cluster do not differ significantly."""
    metric: str
    """The metric."""
    estimate: float
    """Its correlation with people, on all cells it has."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Tests of every ordered pair of metrics, with corrections and clusters."""

    study: ClassVar[str] = "compare"

    table: Sequence[ComparisonRow]
    """One row per ordered pair of metrics, human criterion, level and coefficient."""
    clusters: tuple[ClusterRow, ...]
    """Metrics in descending order; a new rank starts when a metric is beaten by one in the current cluster."""
    alpha: float
    """The significance level."""


GENERALISES = {
    "two-way": "both",
    "williams": "sample",
    "paired-boot-systems": "systems",
    "paired-boot-inputs": "inputs",
    "paired-boot-both": "both",
    "perm-systems": "systems",
    "perm-inputs": "inputs",
    "perm-both": "cells",
}
"""What a conclusion generalises to, by test: of what there may be new ones."""

SYSTEMS_AS_THEY_ARE = {"perm-both": "both", "perm-inputs": "inputs", "paired-boot-inputs": "inputs"}
"""Tests that do not take systems for a sample, with what they take for independent instead."""

MOST_CHECKED = 200
"""No more pairs of metrics than this are looked at to say whether a test holds its level."""

UNPAIRED = {"williams": "correlations", "paired": "draws", "perm": "swaps", "two": "swaps"}
"""What a kind of test does where metrics have more inputs than people."""


@study
def compare(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Levels = "system,input",
    coefficient: opt.Statistics = "kendall",
    inputs: opt.InputSet = "all",
    test: opt.MetricTest = "two-way",
    alternative: opt.Alternative = "greater",
    alpha: opt.Alpha = 0.05,
    correction: opt.Correction = "bonferroni",
    scope: opt.Scope = "row",
    p: opt.PValues = "plus-one",
    resamples: opt.Resamples = 9_999,
    seed: opt.Seed = 0,
    references: opt.References = False,
    threads: opt.Threads = None,
) -> Comparison:
    """Test, for every ordered pair of metrics, whether one agrees better with people than the other.

    Parameters
    ----------
    scores
        Scores of metrics and people.

    Returns
    -------
    Comparison
        One row per ordered pair of metrics, criterion, level and coefficient, and clusters of metrics.

    Notes
    -----
    Two metrics are compared on the cells that both scored. Tests follow Deutsch, Dror and Roth (2021), "A Statistical
    Analysis of Summarization Evaluation Metrics Using Resampling Methods", §4; p-values count the observed data as
    one of the draws (Phipson and Smyth 2010).

    ``two-way`` exchanges whole systems, on the scale on which a level correlates them, and shrinks the observed
    difference by what inputs add to its variance, Var = S/N + I/M + C/(NM), of which bootstraps of systems, inputs and
    both tell the parts (Owen 2007, "The pigeonhole bootstrap"). It holds its level where systems and inputs are drawn;
    ``perm-both`` does so only if metrics favour no system, and a note says how far it is off.

    Where metrics have inputs that people did not annotate, system-level tests take all of them: the paired bootstraps
    resample the inputs of the two metrics together and those of people separately (as Deutsch, Dror and Roth 2022, §3,
    do for intervals), and permutations exchange the scores of the two metrics on all inputs that both have.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.compare(ma.example(), human="relevance", metric="synthetic-*", level="system", resamples=999)
    >>> 0 < min(row.p_value for row in result.table) <= 1
    True
    """
    levels, coefficients = tuple(level), tuple(coefficient)
    setting = settle(scores, human, metric, references=references, least_metrics=2)
    check_size(setting, levels)

    plan = _Plan(test, alternative, p, resamples, seed, threads, inputs)
    rows: list[ComparisonRow] = []
    ranks: list[ClusterRow] = []
    for h, criterion in enumerate(setting.humans):
        for lv in levels:
            for c in coefficients:
                table = _one_table(setting, h, lv, c, plan, alpha, correction, scope)
                estimates = _estimates(setting, h, lv, c, inputs)
                rows += table
                ranks += [
                    ClusterRow(criterion, lv, c, rank, setting.metrics[at], float(estimates[at]))
                    for rank, at in clusters(list(estimates), _beats(table, setting.metrics))
                ]
    n, m = setting.scores.shape
    drawn = test != "williams"
    annotated = count_annotated(setting.z)
    signature = Signature.of(
        "compare",
        level=levels,
        coef=signature_names(coefficients),
        test=test,
        alt=alternative,
        alpha=f"{alpha:g}",
        corr=correction if correction == "none" else f"{correction},{scope}",
        p=p if drawn else None,
        k=resamples if drawn else None,
        seed=seed if drawn else None,
        metrics=len(setting.metrics),
        systems=n,
        inputs=m,
        annotated=annotated,
        means=None if annotated is None else inputs,
    )
    unequal = notes_on_inputs(setting.humans, setting.x, setting.z, levels, inputs, UNPAIRED[test.split("-")[0]])
    notes = [*setting.notes, *unequal, *_notes(setting, rows)]
    notes += [*_warnings(setting, levels, plan, alpha), Note.of("generalises", test=test, to=GENERALISES[test])]
    if test == "williams" and {"input", "within-system"} & set(levels):
        notes.append(Note.of("method-on-averages", method="williams"))
    return Comparison(tuple(rows), signature, tuple(notes), tuple(ranks), alpha)


@dataclass(frozen=True)
class _Plan:
    test: str
    alternative: str
    rule: str
    resamples: int
    seed: int
    threads: int | None
    inputs: str


@dataclass(frozen=True)
class _Tested:
    """One unordered pair of metrics, tested in both directions."""

    estimates: tuple[float, float]
    p_values: tuple[float, float]
    undefined: int


def _one_table(
    setting: Setting,
    human: int,
    level: str,
    coefficient: str,
    plan: _Plan,
    alpha: float,
    correction: str,
    scope: str,
) -> list[ComparisonRow]:
    """Return the rows of one criterion, level and coefficient."""
    z = setting.z[human]
    tested: dict[Pair, _Tested] = {}
    sizes: dict[Pair, tuple[int, int]] = {}
    for mask, metrics, pairs in _by_mask(setting.x):
        x = np.where(mask, setting.x[metrics], np.nan)
        sets = input_sets(has_scores(x[0]), z, level, plan.inputs)
        for pair, outcome in zip(pairs, _test(x, z, sets, pairs, metrics, level, coefficient, plan), strict=True):
            tested[pair] = outcome
            sizes[pair] = sets.sizes(x[0], z, level)
    count = len(setting.metrics)
    ordered = [(a, b) for a in range(count) for b in range(count) if a != b]
    raw = np.array([_directed(tested, a, b).p_values[0] for a, b in ordered])
    adjusted = _correct(raw, ordered, correction, scope, plan.alternative)
    rows = []
    for (a, b), p_value, p_adjusted in zip(ordered, raw, adjusted, strict=True):
        outcome = _directed(tested, a, b)
        n_systems, n_inputs = sizes[(min(a, b), max(a, b))]
        rows.append(
            ComparisonRow(
                metric_a=setting.metrics[a],
                metric_b=setting.metrics[b],
                human=setting.humans[human],
                level=level,
                coefficient=coefficient,
                estimate_a=outcome.estimates[0],
                estimate_b=outcome.estimates[1],
                difference=outcome.estimates[0] - outcome.estimates[1],
                p_value=float(p_value),
                test=plan.test,
                alternative=plan.alternative,
                resamples=None if plan.test == "williams" else plan.resamples,
                resamples_undefined=outcome.undefined,
                significant=bool(p_value <= alpha),
                significant_corrected=bool(p_adjusted <= alpha),
                correction=correction,
                scope=scope,
                n_systems=n_systems,
                n_inputs=n_inputs,
                n_annotated=int(has_scores(z).sum()),
            )
        )
    return rows


def _estimates(setting: Setting, human: int, level: str, coefficient: str, inputs: str) -> FloatArray:
    """Return the correlation of each metric with people, on all cells it has."""
    out = np.full(len(setting.metrics), np.nan)
    z = setting.z[human]
    for metrics, sets in by_inputs(setting.x, z, level, inputs):
        out[metrics] = sets.prepare(setting.x, metrics, z, level, coefficient).estimate()[0]
    return out


def _by_mask(x: FloatArray) -> Iterator[tuple[npt.NDArray[np.bool_], list[int], list[Pair]]]:
    """Yield pairs of metrics that share the same cells, with those cells and the metrics they concern."""
    known = ~np.isnan(x)
    found: dict[bytes, tuple[npt.NDArray[np.bool_], list[Pair]]] = {}
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            mask = known[a] & known[b]
            found.setdefault(mask.tobytes(), (mask, []))[1].append((a, b))
    for mask, pairs in found.values():
        yield mask, sorted({m for pair in pairs for m in pair}), pairs


def _test(
    x: FloatArray,
    z: FloatArray,
    sets: InputSets,
    pairs: list[Pair],
    metrics: list[int],
    level: str,
    coefficient: str,
    plan: _Plan,
) -> list[_Tested]:
    """Test pairs of metrics that miss the same cells; `metrics` says which rows of the study `x` holds."""
    at = {metric: row for row, metric in enumerate(metrics)}
    local = [(at[a], at[b]) for a, b in pairs]
    x, z = sets.of_metrics(x), sets.of_people(z)
    prepared = make_level(x, z, level, coefficient, paired=sets.paired)
    r, _ = prepared.estimate()
    estimates = [(float(r[a]), float(r[b])) for a, b in local]
    if plan.test == "williams":
        n = _observations(x[0], z, level)
        # Beyond means of systems, all three correlations rest on the cells that people scored too.
        x = x if level == "system" else np.where(np.isnan(z), np.nan, x)
        mixed = [float(make_level(x[[a]], x[b], level, coefficient).estimate()[0][0]) for a, b in local]
        return [
            _Tested(
                (ra, rb),
                (williams(ra, rb, rab, n, plan.alternative), williams(rb, ra, rab, n, plan.alternative)),
                0,
            )
            for (ra, rb), rab in zip(estimates, mixed, strict=True)
        ]
    if plan.test == "two-way":
        counts = _two_way(x, z, prepared, sets, local, level, coefficient, plan)
    elif plan.test.startswith("perm"):
        counts = _permute(np.stack([standardize_cells(v) for v in x]), z, local, level, coefficient, plan)
    else:
        pages = BootstrapPages(
            plan.resamples,
            (x.shape[1], x.shape[2]),
            plan.seed,
            resample_systems=plan.test != "paired-boot-inputs",
            resample_inputs=plan.test != "paired-boot-systems",
            annotated=sets.shape[1],
        )
        first, second = (np.array(side) for side in zip(*local, strict=True))

        def work(page: int) -> Counts:
            sample = prepared.bootstrap(*pages[page])[:, : plan.resamples - page * pages.size]
            return count_resampled(r[first] - r[second], sample[first] - sample[second])

        counts = reduce(add, engine.run(work, len(pages), threads=plan.threads, what=plan.test))
    opposite = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[plan.alternative]
    p, q = counts.p_values(plan.alternative, plan.rule), counts.p_values(opposite, plan.rule)
    p, q = (np.where([np.isnan(a) or np.isnan(b) for a, b in estimates], np.nan, v) for v in (p, q))
    return [
        _Tested(e, (float(p[i]), float(q[i])), int(plan.resamples - counts.draws[i])) for i, e in enumerate(estimates)
    ]


def _permute(x: FloatArray, z: FloatArray, pairs: list[Pair], level: str, coefficient: str, plan: _Plan) -> Counts:
    exchange = make_exchange(x, z, pairs, level, coefficient)
    pages = SwapPages(plan.resamples, (x.shape[1], x.shape[2]), plan.seed, unit=plan.test.removeprefix("perm-"))
    # The observed difference comes from the same arithmetic as the drawn ones, with nothing exchanged.
    left, right = exchange(np.zeros((*x.shape[1:], 1), dtype=np.uint8))
    observed = (left - right)[:, 0]

    def work(page: int) -> Counts:
        left, right = exchange(pages[page])
        return count_exchanged(observed, (left - right)[:, : plan.resamples - page * pages.size], plan.rule)

    return reduce(add, engine.run(work, len(pages), threads=plan.threads, what=plan.test))


def _two_way(
    x: FloatArray,
    z: FloatArray,
    prepared: Level,
    sets: InputSets,
    pairs: list[Pair],
    level: str,
    coefficient: str,
    plan: _Plan,
) -> Counts:
    """Exchange whole systems, and allow for what the inputs add to the variance."""
    shape = (x.shape[1], x.shape[2])
    smooth = two_way.smooth_level(prepared, x, z, level, coefficient, paired=sets.paired)
    added = _added_by_inputs(prepared, smooth, sets, pairs, shape, plan)
    exchange = make_exchange(standardize_level(x, z, level), z, pairs, level, coefficient)
    pages = SwapPages(plan.resamples, shape, plan.seed, unit="systems")

    def differences(page: int) -> FloatArray:
        left, right = exchange(pages[page])
        return left - right

    left, right = exchange(np.zeros((*shape, 1), dtype=np.uint8))
    # The spread of exchanges is needed before they can be counted; a page of them tells it well enough.
    first = engine.run(differences, 1, threads=plan.threads, what=plan.test)[0]
    observed = two_way.shrunk((left - right)[:, 0], first, added, shape[0])

    def counted(page: int, drawn: FloatArray) -> Counts:
        return count_exchanged(observed, drawn[:, : plan.resamples - page * pages.size], plan.rule)

    # The first page is there already. It stays out of the run, which judges by its first page whether threads pay.
    rest = engine.run(
        lambda at: counted(at + 1, differences(at + 1)), len(pages) - 1, threads=plan.threads, what=plan.test
    )
    return reduce(add, rest, counted(0, first))


def _added_by_inputs(
    prepared: Level, smooth: Level, sets: InputSets, pairs: list[Pair], shape: tuple[int, int], plan: _Plan
) -> FloatArray:
    """Return for each pair what the inputs add to the variance of the difference of correlations."""
    pages = BootstrapPages(two_way.DRAWS, shape, plan.seed, annotated=sets.shape[1])
    first, second = (np.array(side) for side in zip(*pairs, strict=True))

    def work(page: int) -> list[FloatArray]:
        drawn = two_way.resampled(prepared, smooth, *pages[page])
        return [(r[first] - r[second])[:, : two_way.DRAWS - page * pages.size] for r in drawn]

    done = engine.run(work, len(pages), threads=plan.threads, what="variance due to inputs")
    parts = [np.concatenate(part, axis=1) for part in zip(*done, strict=True)]
    return two_way.added_by_inputs(parts, shape, paired=sets.paired)


def _observations(x: FloatArray, z: FloatArray, level: str) -> int:
    """Return the n of Williams' test: systems, or inputs within systems, or all cells."""
    if level == "system":
        return int(((~np.isnan(x)).any(axis=1) & (~np.isnan(z)).any(axis=1)).sum())
    both = ~np.isnan(x) & ~np.isnan(z)
    if level == "global":
        return int(both.sum())
    return int(both.any(axis=0 if level == "within-system" else 1).sum())


def _directed(tested: dict[Pair, _Tested], a: int, b: int) -> _Tested:
    if (a, b) in tested:
        return tested[(a, b)]
    turned = tested[(b, a)]
    return _Tested(turned.estimates[::-1], turned.p_values[::-1], turned.undefined)


def _correct(p: FloatArray, ordered: list[Pair], correction: str, scope: str, alternative: str) -> FloatArray:
    """Return adjusted p-values; two-sided tests of (A, B) and (B, A) are one test and count once in a table."""
    out = np.full(len(p), np.nan)
    if scope == "row":
        families = [[i for i, (a, _) in enumerate(ordered) if a == row] for row in sorted({a for a, _ in ordered})]
    elif alternative == "two-sided":
        families = [[i for i, (a, b) in enumerate(ordered) if a < b]]
    else:
        families = [list(range(len(ordered)))]
    for family in families:
        out[family] = corrected(p[family], correction)
    if scope == "table" and alternative == "two-sided":
        known = {pair: out[i] for i, pair in enumerate(ordered) if pair[0] < pair[1]}
        out = np.array([known[(min(a, b), max(a, b))] for a, b in ordered])
    return out


class _beats:
    """Whether one metric is significantly better than another, after correction."""

    def __init__(self, table: list[ComparisonRow], metrics: tuple[str, ...]) -> None:
        self.metrics = metrics
        self.won = set()
        for row in table:
            if row.significant_corrected and row.alternative == "less":
                self.won.add((row.metric_b, row.metric_a))
            elif row.significant_corrected and row.difference > 0:
                self.won.add((row.metric_a, row.metric_b))

    def __call__(self, a: int, b: int) -> bool:
        return (self.metrics[a], self.metrics[b]) in self.won


def _notes(setting: Setting, rows: list[ComparisonRow]) -> list[Note]:
    notes = []
    cells = setting.x[0].size
    shared = (~np.isnan(setting.x)).all(axis=0).sum()
    if shared < cells:
        notes.append(Note.of("metrics-on-common-cells"))
    undefined = {row.metric_a for row in rows if np.isnan(row.estimate_a)}
    if undefined:
        notes.append(Note.of("tests-undefined", metrics=sorted(undefined)))
    lost = max((row.resamples_undefined for row in rows), default=0)
    if lost:
        notes.append(Note.of("test-resamples-undefined", n=lost, resamples=rows[0].resamples))
    return notes


def _warnings(setting: Setting, levels: Sequence[str], plan: _Plan, alpha: float) -> list[Note]:
    """Note if a test that takes systems as they are would reject too often for new ones."""
    unit = SYSTEMS_AS_THEY_ARE.get(plan.test)
    if unit is None:
        return []
    count = len(setting.metrics)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    pairs = pairs[:: -(-len(pairs) // MOST_CHECKED)]
    sides = 2 if plan.alternative == "two-sided" else 1
    rates = []
    for level in levels:
        if level == "within-system":
            continue
        effects = []
        for z in setting.z:
            for a, b in pairs:
                both = ~np.isnan(setting.x[a]) & ~np.isnan(setting.x[b])
                x, y = (np.where(both, setting.x[metric], np.nan) for metric in (a, b))
                sets = input_sets(has_scores(x), z, level, plan.inputs)
                effects.append(
                    two_way.design_effect(sets.of_metrics(x), sets.of_metrics(y), sets.of_people(z), level, unit)
                )
        known = [effect for effect in effects if not np.isnan(effect)]
        n = len(setting.scores.systems)
        # By chance alone an effect exceeds this in one of twenty tables.
        bound = chdtri(n - 1, 0.05 / max(len(known), 1)) / (n - 1) if n > 1 else np.inf
        sizes = [two_way.size_if(effect, alpha, sides) for effect in known if effect > bound]
        if sizes:
            rates.append((level, np.median(sizes), len(sizes), len(known)))
    return [Note.of("false-positives", test=plan.test, alpha=alpha, rates=rates)] if rates else []
