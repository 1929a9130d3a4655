"""Which metric agrees better with people?

Tests for every ordered pair of metrics whether the first agrees better with people than the second, corrects for the
number of tests, and says which ranks each metric may have. Shows the ranks first, and the tests as a list or,
for many metrics, as a matrix of p-values: * significant, ** also after correction.

    metassay compare scores.csv --human relevance
    metassay compare scores.csv --human relevance --level system --test williams --statistic pearson
    metassay compare scores.csv --human relevance --correction bonferroni --scope row -o tests.csv
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError
from metassay.stats import two_way
from metassay.stats.arrays import BoolArray, FloatArray, Pair
from metassay.stats.methods.base import Draws, MetricTest, Reason
from metassay.stats.methods.case import Case, by_common_cells
from metassay.stats.methods.jackknife import detectable
from metassay.stats.methods.registry import TESTS
from metassay.stats.significance import EQUAL, corrected_pairs, corrected_table, rank_sets, smallest_corrected
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import choose
from metassay.studies.agree_parts import LeverageRow, leverage_rows, notes_on
from metassay.studies.input_sets import has_scores, input_sets
from metassay.studies.method_notes import no_number, rough
from metassay.studies.selection import Selection, levels_of_means, select
from metassay.studies.yardsticks import notes_on_sentinels


@fields.row
class ComparisonRow:
    """One test of whether metric A agrees better with people than metric B."""

    metric_a: str
    """The metric that is better under the alternative ``greater``."""
    metric_b: str
    """The metric it is compared with."""
    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    estimate_a: float
    """Correlation of A with people, on the cells that both metrics scored."""
    estimate_b: float
    """Correlation of B with people, on the cells that both metrics scored."""
    difference: float
    """``estimate_a − estimate_b``."""
    p_value: fields.PValue
    test: fields.Test
    alternative: fields.Alternative
    resamples: fields.ResamplesOrNone
    resamples_undefined: fields.ResamplesUndefined
    significant: fields.Significant
    significant_corrected: fields.Corrected
    p_corrected: float
    """The p-value after correction."""
    detectable: float | None
    """The smallest difference that would be significant after correction, at the precision of these data; None if
    unknown for this test, infinite if no difference can be significant."""
    correction: fields.Correction
    scope: str
    """What is corrected together: ``row`` (one metric A against all others) or ``table``."""
    n_systems: int
    """Systems with at least one cell that both metrics scored and that, except at system level, has a human score as
    well."""
    n_inputs: int
    """Inputs with at least one cell that both metrics scored and that, unless system means use all inputs, has a human
    score."""
    n_annotated: fields.NAnnotated


@fields.row
class RankRow:
    """The ranks that one metric may have among all that are compared."""

    human: fields.Human
    level: fields.Level
    statistic: fields.Statistic
    metric: fields.Metric
    estimate: float
    """Its correlation with people, on all cells it has."""
    rank: int | None
    """Its rank by this estimate, 1 for the best; None if it is undefined."""
    rank_low: int | None
    """The best rank that it may have: behind all metrics that are significantly better in tests of all pairs of a
    table, with Holm's correction whatever correction was chosen."""
    rank_high: fields.WorstRank
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


class Comparison(Result, study="compare"):
    """Tests of every ordered pair of metrics, with corrections, and the ranks that metrics may have."""

    table: Sequence[ComparisonRow]
    """One row per ordered pair of metrics, human criterion, level and statistic."""
    ranks: tuple[RankRow, ...]
    """The ranks that each metric may have, the best estimate first."""
    alpha: float
    """The significance level."""


MOST_CHECKED = 200
"""No more pairs of metrics than this are looked at to say whether a test holds its level."""


@study
def compare(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    level: opt.Levels = "system,input",
    statistic: opt.Statistics = "kendall",
    inputs: opt.InputSet = "all",
    test: opt.MetricTest = "jackknife",
    alternative: opt.Alternative = "greater",
    alpha: opt.Alpha = 0.05,
    correction: opt.Correction = "holm",
    scope: opt.Scope = "table",
    p: opt.PValues = "plus-one",
    resamples: opt.Resamples = 9_999,
    seed: opt.Seed = 0,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
    references: opt.References = False,
    drop_outliers: opt.DropOutliers = False,
) -> Comparison:
    """Test, for every ordered pair of metrics, whether one agrees better with people than the other.

    Notes
    -----
    Two metrics are compared on the cells that both scored. Tests follow Deutsch, Dror and Roth (2021), "A Statistical
    Analysis of Summarization Evaluation Metrics Using Resampling Methods", §4; p-values count the observed data as
    one of the draws (Phipson and Smyth 2010).

    ``jackknife`` is Student's t of the difference on Fisher's scale, with the variance of the jackknife interval of
    :func:`agree`. Rank coefficients of system means are compared with what exchanges of systems between the two metrics
    would give, in closed form. It needs no draws. See docs/methods.md; its false-positive rates are in
    docs/validity.md.

    The ranks that a metric may have follow from the tests of all pairs (Mogstad, Romano, Shaikh and Wilhelm 2024,
    "Inference for ranks with applications to mobility across neighbourhoods and academic achievement across
    countries").

    ``two-way`` exchanges whole systems, on the scale on which a level correlates them, and shrinks the observed
    difference to account for the variance that inputs add. Var = S/N + I/M + C/(NM), with the parts estimated by
    bootstraps of systems, inputs and both (Owen 2007, "The pigeonhole bootstrap"). ``perm-both`` holds its level for
    new systems only if metrics have no system bias; a note estimates its false-positive rate.

    If metrics have inputs that people did not annotate, system-level tests use all of them: the paired bootstraps
    resample the inputs of the two metrics together and those of people separately (as Deutsch, Dror and Roth 2022, §3,
    do for intervals), and permutations exchange the scores of the two metrics on all inputs that both have.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.compare(ma.example(), human="relevance", metric="synthetic-*", level="system")
    >>> 0 < min(row.p_value for row in result.table) <= 1
    True
    """
    levels = tuple(level)
    statistics = choose(statistic, levels)
    method = TESTS[test]
    for each in statistics:
        method.check(each)
    more: dict[str, Any] = {"sentinels": sentinels, "people": people_as_metrics, "drop_outliers": drop_outliers}
    more |= {"least_metrics": 1 if sentinels or people_as_metrics else 2, "statistics": statistics}
    selected = select(scores, human, metric, references=references, **more).need(levels=levels)

    plan = _Plan(method, alternative, p, Draws(resamples, seed, engine.run), inputs, alpha, correction, scope)
    rows, ranks = list[ComparisonRow](), list[RankRow]()
    reasons, carried = list[Note](), list[LeverageRow]()
    settings = list(product(range(len(selected.humans)), levels, statistics))
    for at, (h, lv, s) in enumerate(settings):
        taken = selected.at(lv, h, s)
        if len(taken.metrics) < 2:
            continue
        with engine.stage(at, len(settings), "comparing metrics"):
            tested = _test(taken, h, lv, s, plan)
        rows += _rows(taken, h, lv, s, plan, tested)
        cases = [(some, case) for some, _, case in taken.cases(h, lv, inputs, s)]
        estimates, undefined = _estimates(taken, h, cases)
        ranks += _ranks(taken, h, lv, s, plan, tested, estimates)
        reasons += _reasons(taken, h, lv, s, plan, tested) + undefined
        if lv == "system" and s.name == "pearson":
            carried += [row for some, case in cases for row in leverage_rows(taken, h, some, case)]
    if not rows:
        raise DataError(
            "there is only one metric, and no sentinel or annotator to compare it with at this level; add metrics"
        )
    corr = correction if correction == "none" else f"{correction},{scope}"
    signature = Signature.open(
        corr=corr,
        metrics=len(selected.metrics),
        **({} if method.drawn else dict.fromkeys(("p", "k", "seed"))),
        **selected.sizes(inputs),
    )
    unequal = selected.notes_on_inputs(levels_of_means(levels, statistics), inputs, method.unpaired)
    notes = [*selected.notes, *selected.notes_on_units(method), *unequal, *reasons, *_notes(selected, rows, plan)]
    notes += [*notes_on(carried, ()), *notes_on_sentinels(ranks, alpha)]
    if any(s.is_correlation for s in statistics):
        notes += _warnings(selected, levels, plan)
    known = any(not math.isnan(row.p_value) for row in rows)
    to = method.generalises if selected.scores.has_systems else "outputs"
    notes += [*Note.when(known, "generalises", method=method.name, to=to), *rough([method], levels)]
    return Comparison(tuple(rows), signature, tuple(notes), tuple(ranks), alpha)


@dataclass(frozen=True)
class _Plan:
    method: MetricTest
    alternative: str
    rule: str
    draws: Draws
    inputs: str
    alpha: float
    correction: str
    scope: str


class _Outcome(NamedTuple):
    """One pair of metrics, tested in both directions."""

    estimates: tuple[float, float]
    p_values: tuple[float, float]
    undefined: int
    sizes: tuple[int, int]
    """Systems and inputs."""
    reason: Reason | None
    detectable: float | None

    def turned(self) -> _Outcome:
        """Return the same with the two metrics exchanged."""
        return self._replace(estimates=self.estimates[::-1], p_values=self.p_values[::-1])

    def better(self, alternative: str, ahead: bool) -> float:
        """Return the one-sided p-value that the first is better; without a test 0 or 1, as its estimate is `ahead`."""
        if math.isnan(self.p_values[0]):
            return float(not ahead)
        if alternative == "two-sided":
            return self.p_values[0] / 2 if ahead else 1.0
        return self.p_values[alternative == "less"]

    def two_sided(self, alternative: str) -> float:
        """Return the p-value against both directions."""
        return self.p_values[0] if alternative == "two-sided" else min(2 * min(self.p_values), 1.0)


Tests = dict[Pair, _Outcome]
"""What was found of each ordered pair of metrics, by position."""


def _test(selected: Selection, human: int, level: str, statistic: Statistic, plan: _Plan) -> Tests:
    """Test all pairs of metrics by one criterion, level and statistic."""
    tested: Tests = {}
    strictest = plan.alpha / _family(len(selected.metrics), plan)
    for z, mask, metrics, pairs in _together(selected, human):
        x = np.where(mask, selected.x[metrics], np.nan)
        sets = selected.sets(has_scores(x[0]), human, level, plan.inputs, z)
        at = {metric: row for row, metric in enumerate(metrics)}
        local = [(at[a], at[b]) for a, b in pairs]
        case = sets.case(x, list(range(len(x))), z, level, statistic)
        found = plan.method.compute(case, local, plan.draws, plan.alternative, plan.rule)
        size = sets.sizes(x[0], z, level)
        needed = detectable(statistic, found, size[0], strictest, plan.alternative)
        for k, (a, b) in enumerate(pairs):
            first, second = found.estimates[k].tolist()
            one = _Outcome(
                (first, second),
                (float(found.p[k]), float(found.q[k])),
                int(found.undefined[k]),
                size,
                found.reasons[k],
                None if needed is None or found.reasons[k] else float(needed[k]),
            )
            tested[a, b], tested[b, a] = one, one.turned()
    return tested


def _together(selected: Selection, human: int) -> Iterator[tuple[FloatArray, BoolArray, list[int], list[Pair]]]:
    """Yield human scores, cells, metrics and pairs that are tested together; no person is compared with itself."""
    groups: dict[tuple[int, ...], list[Pair]] = {}
    for pair in combinations(range(len(selected.x)), 2):
        groups.setdefault(tuple(m for m in pair if selected.is_person(m)), []).append(pair)
    for own, every in groups.items():
        z = selected.people(human, own)
        for mask, metrics, pairs in by_common_cells(selected.x, every):
            yield z, mask, metrics, pairs


def _family(metrics: int, plan: _Plan) -> int:
    """Return how many tests are corrected together."""
    if plan.correction == "none":
        return 1
    if plan.scope == "row":
        return metrics - 1
    return metrics * (metrics - 1) // (2 if plan.alternative == "two-sided" else 1)


def _rows(
    selected: Selection, human: int, level: str, statistic: Statistic, plan: _Plan, tested: Tests
) -> list[ComparisonRow]:
    """Return the rows of one criterion, level and statistic."""
    count = len(selected.metrics)
    ordered = [(a, b) for a in range(count) for b in range(count) if a != b]
    raw = np.array([tested[pair].p_values[0] for pair in ordered])
    adjusted = corrected_table(raw, ordered, plan.correction, plan.scope, plan.alternative)
    annotated = int(has_scores(selected.z[human]).sum())
    rows = []
    for (a, b), p_value, p_adjusted in zip(ordered, raw, adjusted, strict=True):
        outcome = tested[a, b]
        rows.append(
            fields.filled(
                ComparisonRow,
                plan,
                metric_a=selected.metrics[a],
                metric_b=selected.metrics[b],
                human=selected.humans[human],
                level=level,
                statistic=statistic.name,
                estimate_a=outcome.estimates[0],
                estimate_b=outcome.estimates[1],
                difference=outcome.estimates[0] - outcome.estimates[1],
                p_value=float(p_value),
                test=plan.method.name,
                resamples=plan.method.draws_taken(plan.draws.resamples),
                resamples_undefined=outcome.undefined,
                significant=bool(p_value <= plan.alpha),
                significant_corrected=bool(p_adjusted <= plan.alpha),
                p_corrected=float(p_adjusted),
                detectable=outcome.detectable,
                n_systems=outcome.sizes[0],
                n_inputs=outcome.sizes[1],
                n_annotated=annotated,
            )
        )
    return rows


def _ranks(
    selected: Selection,
    human: int,
    level: str,
    statistic: Statistic,
    plan: _Plan,
    tested: Tests,
    estimates: FloatArray,
) -> list[RankRow]:
    """Return the ranks that each metric may have, the best first."""
    good = statistic.sign * estimates
    p = np.full((len(good), len(good)), np.nan)
    for (a, b), found in tested.items():
        apart = statistic.sign * (found.estimates[0] - found.estimates[1])
        # Where other cells turn two metrics around, neither is said to be better.
        p[a, b] = found.two_sided(plan.alternative) if apart * (good[a] - good[b]) > 0 else np.nan
    sets = rank_sets(good, corrected_pairs(p), plan.alpha)
    kinds = selected.kinds[len(selected.humans) :]
    sentinels = [at for at, kind in enumerate(kinds) if kind == "sentinel" and not np.isnan(good[at])]

    def beats(at: int) -> bool | None:
        if not sentinels or at in sentinels or np.isnan(good[at]):
            return None
        return all(tested[at, s].better(plan.alternative, bool(good[at] > good[s])) <= plan.alpha for s in sentinels)

    return [
        RankRow(
            human=selected.humans[human],
            level=level,
            statistic=statistic.name,
            metric=selected.metrics[at],
            estimate=float(estimates[at]),
            rank=None if np.isnan(good[at]) else 1 + int((good > good[at] + EQUAL).sum()),
            rank_low=int(sets[at, 0]) or None,
            rank_high=int(sets[at, 1]) or None,
            kind=kinds[at],
            beats_sentinels=beats(int(at)),
        )
        for at in np.argsort(-good, kind="stable")
    ]


def _reasons(
    selected: Selection, human: int, level: str, statistic: Statistic, plan: _Plan, tested: Tests
) -> list[Note]:
    """Note for which pairs of metrics there is no p-value, and why; undefined statistics have a note of their own."""
    where = {"human": selected.humans[human], "statistic": statistic.name}
    return [
        no_number(
            "no-test",
            found.reason,
            level,
            plan.method.name,
            **where,
            pair=[(selected.metrics[a], selected.metrics[b])],
        )
        for (a, b), found in tested.items()
        if a < b and found.reason is not None and found.reason.code != "undefined"
    ]


def _estimates(
    selected: Selection, human: int, cases: Sequence[tuple[list[int], Case]]
) -> tuple[FloatArray, list[Note]]:
    """Return the statistic of each metric and people, on all cells it has, and why some are undefined."""
    out, notes = np.full(len(selected.metrics), np.nan), list[Note]()
    for metrics, case in cases:
        out[metrics] = case.estimates
        where = {"human": selected.humans[human], "level": case.level, "statistic": case.statistic.name}
        for at in np.flatnonzero(np.isnan(case.estimates)):
            why = {"metric": selected.metrics[metrics[at]], "reason": case.why_undefined(int(at))}
            notes.append(Note.of("agreement-undefined", task="", **where, **why))
    return out, notes


def _notes(selected: Selection, rows: list[ComparisonRow], plan: _Plan) -> list[Note]:
    notes = []
    shape = selected.scores.shape
    smallest = plan.method.smallest_p(shape, plan.draws.resamples, plan.rule, plan.alternative)
    facts = {"method": plan.method.name, "alpha": plan.alpha, "smallest": smallest}
    tests = _family(len({row.metric_a for row in rows}), plan)
    after = smallest_corrected(smallest, tests, plan.correction)
    if smallest > plan.alpha:
        notes.append(Note.of("p-never-small", **facts))
    elif after > plan.alpha:
        notes.append(Note.of("p-never-small-corrected", **facts, correction=plan.correction, tests=tests, after=after))
    settings: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.detectable is not None:
            settings.setdefault((row.level, row.statistic), []).append(row.detectable)
    if settings:
        needed = [(*where, float(np.median(some))) for where, some in settings.items()]
        notes.append(Note.of("differences-needed", needed=needed, tests=tests, alpha=plan.alpha))
    lost = max(row.resamples_undefined for row in rows)
    return [
        *notes,
        *Note.when(np.isnan(selected.x).any(), "metrics-on-common-cells"),
        *Note.when(lost > 0, "test-resamples-undefined", n=lost, resamples=rows[0].resamples),
    ]


def _warnings(selected: Selection, levels: Sequence[str], plan: _Plan) -> list[Note]:
    """Note if a test that takes systems as they are would reject too often for new ones."""
    unit, alpha = plan.method.independent, plan.alpha
    if unit is None:
        return []
    count = len(selected.metrics)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    pairs = pairs[:: -(-len(pairs) // MOST_CHECKED)]
    sides = 2 if plan.alternative == "two-sided" else 1
    rates = []
    for level in levels:
        if level == "within-system":
            continue
        effects = []
        for z in selected.z:
            for a, b in pairs:
                both = ~np.isnan(selected.x[a]) & ~np.isnan(selected.x[b])
                x, y = (np.where(both, selected.x[metric], np.nan) for metric in (a, b))
                sets = input_sets(has_scores(x), z, level, plan.inputs)
                effects.append(
                    two_way.design_effect(sets.of_metrics(x), sets.of_metrics(y), sets.of_people(z), level, unit)
                )
        known = [effect for effect in effects if not np.isnan(effect)]
        n = len(selected.scores.systems)
        # By chance alone an effect exceeds this in one of twenty tables.
        bound = chdtri(n - 1, 0.05 / max(len(known), 1)) / (n - 1) if n > 1 else np.inf
        sizes = [two_way.size_if(effect, alpha, sides) for effect in known if effect > bound]
        if sizes:
            rates.append((level, np.median(sizes), len(sizes), len(known)))
    return [Note.of("false-positives", method=plan.method.name, alpha=alpha, rates=rates)] if rates else []
