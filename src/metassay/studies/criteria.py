"""Is agreement with one criterion due to another criterion?

People judge several criteria, and systems that are good in one tend to be good in all. A metric can then agree with
fluency only because it measures relevance. This command correlates each metric with each criterion, unadjusted and with
another criterion, the anchor, held fixed: within buckets of equal anchors, and by partial correlation. Every number has
a confidence interval. A verdict says whether the agreement survives, shrinks or vanishes, or whether there are too few
data to say.

    metassay criteria scores.csv
    metassay criteria scores.csv --metric-group 'content=*judge,*overlap' --metric-group 'style=*'
    metassay criteria scores.csv --anchor synthetic-length --edges 90,100,110 --method bucket --view metrics
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.groups import GroupPatterns, assign_names
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import BootstrapPages
from metassay.stats.methods.first_order import Ends
from metassay.stats.methods.fisher import ONLY_CORRELATIONS
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.partial_correlation import relative_difference
from metassay.stats.statistics.registry import choose_one
from metassay.studies.criteria_parts import Anchor, Finding, Sampling, bucket_edges, examine, make_tasks
from metassay.studies.criteria_spread import Drawn, Fixed, quantile, quantile_over, within_ahead
from metassay.studies.selection import select
from metassay.studies.yardsticks import notes_on_draws, notes_on_kinds

LEFT = 0.5
"""Agreement counts as mostly lost if what is left is established to be less than this share of it."""
MANY = 30
"""An anchor that falls into more buckets than this was probably not meant to be rounded to whole numbers."""
FEW = 100
"""With fewer resamples the ends of an interval say little, and a note says so."""


@fields.row
class CriterionRow:
    """One agreement, unadjusted and with an anchor criterion held fixed."""

    metric: str | None
    """The metric whose agreement with the criterion is studied; None if criterion and anchor are compared with each
    other."""
    human: fields.Human
    anchor: str
    """The criterion that is held fixed; if `metric` is None, also the one that the criterion is correlated with."""
    level: str
    """``global`` (all cells) or, for two criteria, also ``system`` (means of systems)."""
    statistic: fields.Statistic
    method: str | None
    """How the anchor was held fixed: ``bucket``, ``partial`` or ``partial-formula``; None if it was not."""
    estimate: float
    """The unadjusted correlation, over the cells that have all three scores."""
    low: fields.Low
    high: fields.High
    estimate_within: float
    """The correlation with the anchor held fixed."""
    within_low: fields.Low
    within_high: fields.High
    relative_difference: float
    """||estimate| − |estimate_within|| / |estimate|; with the jackknife it has no interval if the estimate may be 0."""
    relative_low: fields.Low
    relative_high: fields.High
    verdict: str | None
    """``survives``, ``shrinks``, ``vanishes`` or ``undecided``; None if two criteria are compared."""
    n: int
    """Cells with all three scores; at system level, systems."""
    n_buckets: int | None
    """Buckets of the anchor that contain cells; None without buckets."""
    n_undefined: int
    """Buckets whose correlation is undefined; excluded from the mean."""
    confidence: fields.Confidence
    interval: str
    """The method of the intervals: ``jackknife``, or what was resampled."""
    resamples: fields.ResamplesOrNone
    resamples_undefined: int
    """Resamples in which one of the two correlations was undefined; excluded from its interval."""
    beats_sentinels: fields.BeatsSentinels = None


@fields.row
class GroupDifference:
    """Relative differences of a group of metrics: their median and quartiles."""

    group: str
    """The group of metrics."""
    human: fields.Human
    anchor: str
    """The criterion that is held fixed."""
    method: str
    """``bucket``, ``partial`` or ``partial-formula``."""
    median: float
    """The median over the metrics of the group."""
    median_low: fields.Low
    median_high: fields.High
    lower_quartile: float
    """The 25% quantile."""
    lower_quartile_low: fields.Low
    lower_quartile_high: fields.High
    upper_quartile: float
    """The 75% quantile."""
    upper_quartile_low: fields.Low
    upper_quartile_high: fields.High
    n_metrics: int
    """Metrics whose relative difference is defined."""


@fields.row
class CriterionVerdict(fields.OfMetric):
    """The verdict on the agreement of one metric with one criterion, over all anchors."""

    method: str
    """``bucket``, ``partial`` or ``partial-formula``."""
    verdict: str
    """The most severe verdict of any anchor: ``vanishes``, then ``shrinks``, then ``undecided``, then ``survives``."""
    anchors: tuple[str, ...]
    """The anchors with that verdict."""
    kind: fields.MetricKind = "metric"


class Confounding(Result, study="criteria"):
    """Which agreements survive when another criterion is held fixed."""

    table: Sequence[CriterionRow]
    """Pairs of criteria first, then a row per metric, criterion, anchor and method."""
    groups: tuple[GroupDifference, ...]
    """Relative differences per group of metrics, criterion, anchor and method."""
    verdicts: tuple[CriterionVerdict, ...]
    """One per metric, criterion and method."""


@study
def criteria(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    anchor: opt.Anchor = None,
    method: opt.Holding = "bucket,partial",
    edges: opt.Edges = None,
    metric_group: opt.MetricGroups = None,
    statistic: opt.Statistic = "kendall",
    interval: opt.HeldInterval = "jackknife",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
) -> Confounding:
    """Test whether metrics agree with a criterion only because both depend on another criterion.

    Parameters
    ----------
    scores
        Scores of metrics and people, who judged at least two criteria.

    Notes
    -----
    Ernst, Shapira, Dagan and Levy (2023), "Re-Examining Summarization Evaluation across Multiple Quality Criteria", §4
    and appendices A.2 and C. All correlations of metrics are global: each cell is a point. The default interval, for
    new systems and new inputs, is the two-way jackknife, which needs no draws. It is based on correlations without each
    system, and on the influence of each cell on correlations and on regression slopes. Bootstraps (``boot-both`` and
    others) take percentiles over resamples; regressions are fitted anew in each (see
    :class:`metassay.stats.partial_correlation.Partialled`).

    The verdict uses two intervals. Is the agreement that remains with the anchor held fixed significant, in the
    direction of the agreement? Is less than half of the agreement left, significantly? ``survives``: yes and no;
    ``shrinks``: yes and yes; ``vanishes``: no and yes; ``undecided``: no and no, or the agreement is not significant.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.criteria(ma.example(), metric="synthetic-judge,synthetic-fluency")
    >>> [(v.metric, v.human, v.verdict) for v in result.verdicts if v.method == "bucket"][0]
    ('synthetic-judge', 'coherence', 'survives')
    """
    methods = tuple(method)
    statistic = choose_one(statistic, ["system", "global"], fixed=True)
    if "partial-formula" in methods and not statistic.is_correlation:
        raise UsageError(f"partial-formula does not apply to the statistic {statistic.name}: {ONLY_CORRELATIONS}")
    selected = select(scores, human, metric, references=references, sentinels=sentinels, people=people_as_metrics)
    anchors = selected.humans if anchor is None else scores.find(anchor, "anchor")
    if not any(a != c for a in anchors for c in selected.humans):
        raise DataError(
            f"this study needs a criterion and another one to hold fixed, got {listed(selected.humans)}; "
            "name more with human=… or --human, or another column with anchor=… or --anchor"
        )
    cuts = bucket_edges(edges, anchors)
    grouped = _grouped(selected.metrics, metric_group)
    held = {name: Anchor.of(selected.scores, name, cuts.get(name)) for name in anchors}
    drawn = INTERVALS[interval].drawn
    pages = None
    if drawn:
        systems, inputs = INTERVALS[interval].kinds()[0]
        pages = BootstrapPages(
            resamples,
            selected.scores.shape,
            seed,
            resample_systems=systems,
            resample_inputs=inputs,
            families=selected.labels("systems"),
            clusters=(selected.labels("inputs"), None),
        )
    sampling = Sampling(pages, selected.labels("systems"), selected.labels("inputs"))
    taken = [selected.beside(h, "global", statistic) for h in range(len(selected.humans))]
    tasks = make_tasks(taken, anchors, methods)

    def work(at: int) -> list[Finding]:
        return examine(tasks[at], held, statistic, sampling)

    found = engine.run(work, len(tasks), what="resampling" if drawn else "criteria")
    shared = _Shared(statistic.name, confidence, interval, resamples if drawn else None)
    everything = _in_order(found, selected.humans, anchors)
    kinds = {name: kind for each in taken for name, kind in each.metric_kinds.items()}
    better = _ahead(everything, kinds, confidence)
    table = [_row(finding, shared, better.get(at)) for at, finding in enumerate(everything)]
    signature = Signature.open(
        k=resamples if drawn else None,
        seed=seed if drawn else None,
        anchor=[one_line(a, 60) for a in anchors] if anchor is not None else None,
        buckets=_bucket_recipe(cuts, anchors) if "bucket" in methods else None,
        **selected.sizes(),
    )
    told = notes_on_draws(table, "agreement with another criterion held fixed", 1 - confidence)
    own = [*notes_on_kinds(selected.notes, kinds.values()), *selected.notes_on_units(INTERVALS[interval])]
    notes = own + _notes(table, held, methods, shared) + told
    return Confounding(
        tuple(table), signature, tuple(notes), _groups(everything, grouped, confidence), _verdicts(table, kinds)
    )


def _in_order(found: Sequence[Sequence[Finding]], humans: Sequence[str], anchors: Sequence[str]) -> list[Finding]:
    """Put criteria before metrics, and systems before cells; methods keep their order."""
    findings = [finding for task in found for finding in task]
    metrics = [None, *dict.fromkeys(one.metric for one in findings if one.metric is not None)]
    places = [{name: at for at, name in enumerate(names)} for names in (metrics, humans, anchors)]

    def place(one: Finding) -> tuple[int, ...]:
        return tuple(at[name] for at, name in zip(places, (one.metric, one.human, one.anchor), strict=True))

    return sorted(findings, key=place)


def _ahead(findings: Sequence[Finding], kinds: Mapping[str, str], confidence: float) -> dict[int, bool]:
    """Return, by position, which metrics agree more than sentinels with another criterion held fixed."""
    groups: dict[tuple[str, str, str | None], dict[str, int]] = {}
    for at, one in enumerate(findings):
        if one.metric is not None:
            groups.setdefault((one.human, one.anchor, one.method), {})[one.metric] = at
    found = {}
    for where in groups.values():
        better = within_ahead({name: findings[at].spread for name, at in where.items()}, kinds, 1 - confidence)
        found.update({where[name]: is_better for name, is_better in better.items()})
    return found


class _Shared(NamedTuple):
    """What all rows have in common."""

    statistic: str
    confidence: float
    interval: str
    resamples: int | None


def _row(finding: Finding, shared: _Shared, better: bool | None) -> CriterionRow:
    spread = finding.spread
    ends = (low, high), (within_low, within_high), (relative_low, relative_high) = spread.ends(shared.confidence)
    relative = relative_difference(np.array([finding.estimate]), np.array([finding.within]))
    return fields.filled(
        CriterionRow,
        finding,
        shared,
        low=low,
        high=high,
        estimate_within=finding.within,
        within_low=within_low,
        within_high=within_high,
        relative_difference=float(relative[0]),
        relative_low=float(relative_low),
        relative_high=float(relative_high),
        verdict=None if finding.metric is None else _verdict(finding, ends, shared.confidence),
        resamples_undefined=spread.undefined(held=finding.method is not None) if isinstance(spread, Drawn) else 0,
        beats_sentinels=better,
    )


def _verdict(finding: Finding, ends: Sequence[Ends], confidence: float) -> str:
    """Say what became of the agreement, by the intervals of what is left and of what is left less half of it all."""
    if math.isnan(finding.estimate) or math.isnan(finding.within):
        return "undecided"
    spread, side = finding.spread, math.copysign(1.0, finding.estimate)
    assert not isinstance(spread, Fixed), "metrics are looked at over all cells"
    whole, within, _ = ends
    at = 0 if side > 0 else 1
    if not side * whole[at] > 0:
        return "undecided"
    stays = side * within[at] > 0
    mostly_lost = spread.less(LEFT, side, confidence)[1] < 0
    if stays:
        return "shrinks" if mostly_lost else "survives"
    return "vanishes" if mostly_lost else "undecided"


GRAVEST = ("vanishes", "shrinks", "undecided", "survives")
"""Verdicts, the one that speaks loudest first."""


def _verdicts(table: Sequence[CriterionRow], kinds: Mapping[str, str]) -> tuple[CriterionVerdict, ...]:
    cases: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for row in table:
        if row.metric is not None and row.method is not None and row.verdict is not None:
            case = cases.setdefault((row.metric, row.human, row.method), {})
            case.setdefault(row.verdict, []).append(row.anchor)
    found = []
    for (metric, criterion, method), by_verdict in cases.items():
        verdict = next(v for v in GRAVEST if v in by_verdict)
        found.append(CriterionVerdict(metric, criterion, method, verdict, tuple(by_verdict[verdict]), kinds[metric]))
    return tuple(found)


def _grouped(metrics: Sequence[str], group: GroupPatterns | None) -> dict[str, list[str]]:
    """Return the metrics of each group."""
    if group is None:
        return {"all metrics": list(metrics)}
    found: dict[str, list[str]] = {}
    for name, where in assign_names(metrics, group, "metric").items():
        found.setdefault(where, []).append(name)
    return found


def _groups(
    findings: Sequence[Finding], grouped: Mapping[str, Sequence[str]], confidence: float
) -> tuple[GroupDifference, ...]:
    """Return medians and quartiles of relative differences, over the metrics of each group."""
    rows = []
    for group, metrics in grouped.items():
        cases: dict[tuple[str, str, str], list[Finding]] = {}
        for one in findings:
            if one.metric in metrics and one.method is not None:
                cases.setdefault((one.human, one.anchor, one.method), []).append(one)
        for (criterion, anchor, method), members in cases.items():
            here = relative_difference(np.array([m.estimate for m in members]), np.array([m.within for m in members]))[
                :, None
            ]
            values = {}
            for name, share in (("lower_quartile", 0.25), ("median", 0.5), ("upper_quartile", 0.75)):
                values[name] = float(quantile(here, share)[0])
                ends = quantile_over([m.spread for m in members], share, confidence)
                values[f"{name}_low"], values[f"{name}_high"] = ends
            defined = int((~np.isnan(here)).sum())
            rows.append(GroupDifference(group, criterion, anchor, method, n_metrics=defined, **values))
    return tuple(rows)


def _bucket_recipe(cuts: Mapping[str, FloatArray], anchors: Sequence[str]) -> str:
    whole = "round-half-up"
    texts = {name: "/".join(f"{edge:.10g}" for edge in cuts[name]) if name in cuts else whole for name in anchors}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ";".join(f"{one_line(name, 40)}={text}" for name, text in texts.items())


def _notes(
    table: Sequence[CriterionRow], held: Mapping[str, Anchor], methods: Sequence[str], shared: _Shared
) -> list[Note]:
    notes = []
    if "bucket" in methods:
        for name, (values, buckets) in held.items():
            used = len(np.unique(buckets[~np.isnan(values)]))
            if used < 2 or used > MANY:
                notes.append(Note.of("buckets-unsuitable", anchor=name, n=used))
    if shared.resamples is not None and shared.resamples < FEW:
        notes.append(Note.of("resamples-few", n=shared.resamples, least=FEW))
    for row in table:
        pair = {"pair": ((row.metric or row.anchor, row.human),)}
        if math.isnan(row.estimate):
            notes.append(Note.of("correlation-undefined", **pair))
            continue
        if row.method is not None and math.isnan(row.estimate_within):
            notes.append(Note.of("partial-undefined", anchor=row.anchor, method=row.method, **pair))
        elif row.n_undefined:
            notes.append(Note.of("buckets-undefined", anchor=row.anchor, n=row.n_undefined, **pair))
        if row.resamples and row.resamples_undefined / row.resamples >= 0.01:
            notes.append(Note.of("resamples-often-undefined", **pair))
    if any(row.metric is not None for row in table):
        notes.append(Note.of("anchor-measured-with-error"))
    return list(dict.fromkeys(notes))
