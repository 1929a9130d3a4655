"""Is this agreement borrowed from another criterion?

People judge several criteria, and systems that are good in one tend to be good in all. A metric can then agree with
fluency only because it measures relevance. This command correlates each metric with each criterion as it is and with
another criterion, the anchor, held fixed: within buckets of equal anchors, and by partial correlation. Every number
has an interval, and a verdict says whether the agreement survives, shrinks, vanishes, or whether the data are too thin
to say.

    metassay criteria scores.csv --human 'expert*'
    metassay criteria scores.csv --metric-group 'relevance=rouge*,bertscore*' --metric-group 'novelty=novel*'
    metassay criteria scores.csv --anchor length --edges 20,40,60 --method bucket --view metrics
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from metassay import engine
from metassay.core import options as opt
from metassay.core.groups import GroupPatterns, assign_names
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.draws import BootstrapPages
from metassay.stats.intervals import percentile
from metassay.stats.kernels.metric_criterion_pairs import Weights, cell_weights
from metassay.stats.kernels.weighted_ranks import Numbers
from metassay.stats.levels import OUTER, SystemLevel
from metassay.stats.partial_correlation import (
    PartialFormula,
    Partialled,
    Together,
    WithinBuckets,
    buckets_of,
    relative_difference,
)
from metassay.studies.setting import Setting, settle, signature_names

Edges = str | Sequence[float] | Mapping[str, Sequence[float]] | Iterable[str]
"""Edges of buckets: for all anchors, or by anchor; on the command line ``1.5,2.5`` or ``NAME=1.5,2.5``."""

LEFT = 0.5
"""Agreement counts as mostly lost if what is left is established to be less than this share of it."""
MANY = 30
"""An anchor that falls into more buckets than this was probably not meant to be rounded to whole numbers."""
FEW = 100
"""With fewer resamples the ends of an interval say little, and a note says so."""


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """One agreement as it is, and while an anchor criterion is held fixed."""

    metric: str | None
    """The metric whose agreement with the criterion is asked for; None where criterion and anchor are compared."""
    criterion: str
    """The human criterion."""
    anchor: str
    """The criterion that is held fixed; where `metric` is None it is also what the criterion is correlated with."""
    level: str
    """``global`` (all cells) or, for two criteria, also ``system`` (means of systems)."""
    coefficient: str
    """``kendall`` (tau-b) unless another one was asked for."""
    method: str | None
    """How the anchor was held fixed: ``bucket``, ``partial`` or ``partial-formula``; None where it was not."""
    estimate: float
    """The correlation as it is, over the cells that have all three scores."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end of its interval."""
    estimate_within: float
    """The correlation with the anchor held fixed."""
    within_low: float
    """Lower end of its interval."""
    within_high: float
    """Upper end of its interval."""
    relative_difference: float
    """||estimate| − |estimate_within|| / |estimate|."""
    relative_low: float
    """Lower end of its interval."""
    relative_high: float
    """Upper end of its interval."""
    verdict: str | None
    """``survives``, ``shrinks``, ``vanishes`` or ``thin``; None where two criteria are compared."""
    n: int
    """Cells with all three scores; at system level, systems."""
    n_buckets: int | None
    """Buckets of the anchor that have cells; None where there are no buckets."""
    n_undefined: int
    """Buckets whose own correlation is undefined and left the average."""
    confidence: float
    """Confidence of the intervals."""
    interval: str
    """What was resampled."""
    resamples: int
    """How many resamples the intervals rest on."""
    resamples_undefined: int
    """Resamples in which the correlation, or the one within, was undefined and left its interval."""


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Relative differences of a group of metrics: their median and quartiles."""

    group: str
    """The group of metrics."""
    criterion: str
    """The human criterion."""
    anchor: str
    """The criterion that is held fixed."""
    method: str
    """``bucket``, ``partial`` or ``partial-formula``."""
    median: float
    """The median over the metrics of the group."""
    median_low: float
    """Lower end of its interval."""
    median_high: float
    """Upper end of its interval."""
    lower_quartile: float
    """The 25% quantile."""
    lower_quartile_low: float
    """Lower end of its interval."""
    lower_quartile_high: float
    """Upper end of its interval."""
    upper_quartile: float
    """The 75% quantile."""
    upper_quartile_low: float
    """Lower end of its interval."""
    upper_quartile_high: float
    """Upper end of its interval."""
    n_metrics: int
    """Metrics whose relative difference is defined."""


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """What became of the agreement of one metric with one criterion, over all anchors."""

    metric: str
    """The metric."""
    criterion: str
    """The human criterion."""
    method: str
    """``bucket``, ``partial`` or ``partial-formula``."""
    verdict: str
    """The gravest of the anchors: ``vanishes``, then ``shrinks``, then ``thin``, then ``survives``."""
    anchors: tuple[str, ...]
    """The anchors with that verdict."""


@dataclass(frozen=True, eq=False, repr=False)
class Confounding(Result):
    """Which agreements survive when another criterion is held fixed."""

    study: ClassVar[str] = "criteria"

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
    coefficient: opt.Statistic = "kendall",
    interval: opt.Bootstrap = "boot-both",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    threads: opt.Threads = None,
) -> Confounding:
    """Ask whether metrics agree with a criterion by themselves, or because both follow another criterion.

    Parameters
    ----------
    scores
        Scores of metrics and people, who judged at least two criteria.

    Returns
    -------
    Confounding
        Rows, relative differences by group of metrics, and verdicts.

    Notes
    -----
    Ernst, Shapira, Dagan and Levy (2023), "Re-Examining Summarization Evaluation across Multiple Quality Criteria",
    §4 and appendices A.2 and C. All correlations of metrics are global: each cell is a point. Intervals are percentiles
    over resamples of systems, inputs or both; regressions are fitted anew in each (see
    :class:`metassay.stats.partial_correlation.Partialled`).

    The verdict rests on two intervals. Is what is left with the anchor held fixed away from 0, on the side of the
    agreement? Is it established that less than half of the agreement is left? ``survives``: yes and no; ``shrinks``:
    yes and yes; ``vanishes``: no and yes; ``thin``: no and no, or no agreement is established to begin with.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.criteria(ma.example(), metric="synthetic-judge,synthetic-fluency", resamples=200)
    >>> [(v.metric, v.criterion, v.verdict) for v in result.verdicts if v.method == "bucket"][0]
    ('synthetic-judge', 'coherence', 'survives')
    """
    methods = tuple(method)
    setting = settle(scores, human, metric, references=references)
    anchors = setting.humans if anchor is None else scores.find(anchor, "anchor")
    if not any(a != c for a in anchors for c in setting.humans):
        raise DataError(
            f"this study needs a criterion and another one to hold fixed, got {listed(setting.humans)}; "
            "name more with human=… or --human, or another column with anchor=… or --anchor"
        )
    cuts = bucket_edges(edges, anchors)
    grouped = _grouped(setting.metrics, metric_group)
    held = {name: _Anchor.of(setting.scores, name, cuts.get(name)) for name in anchors}
    n_systems, n_inputs = setting.scores.shape
    pages = BootstrapPages(
        resamples,
        (n_systems, n_inputs),
        seed,
        resample_systems=interval != "boot-inputs",
        resample_inputs=interval != "boot-systems",
    )
    tasks = _tasks(setting, anchors, methods)

    def work(at: int) -> list[_Finding]:
        return _study(tasks[at], held, coefficient, pages)

    found = engine.run(work, len(tasks), threads=threads, what="resampling")
    shared = _Shared(coefficient, confidence, interval, resamples)
    everything = [finding for findings in found for finding in findings]
    table = [_row(finding, shared) for finding in everything]
    signature = Signature.of(
        "criteria",
        coef=signature_names([coefficient]),
        method=methods,
        anchor=[one_line(a, 60) for a in anchors] if anchor is not None else None,
        buckets=_bucket_recipe(cuts, anchors) if "bucket" in methods else None,
        ci=f"{interval},{confidence:g}",
        k=resamples,
        seed=seed,
        systems=n_systems,
        inputs=n_inputs,
    )
    notes = setting.notes + _notes(table, held, methods, shared)
    return Confounding(
        tuple(table), signature, tuple(notes), _groups(everything, grouped, confidence), _verdicts(table)
    )


def bucket_edges(edges: Edges | None, anchors: Sequence[str]) -> dict[str, FloatArray]:
    """Return the edges of each anchor that has some.

    Examples
    --------
    >>> bucket_edges("length=20,40", ["length", "fluency"])
    {'length': array([20., 40.])}
    """
    if edges is None:
        return {}
    given: list[tuple[str, Sequence[object]]]
    if isinstance(edges, Mapping):
        given = [(name, list(values)) for name, values in edges.items()]
    else:
        texts: list[object] = [edges] if isinstance(edges, str) else list(edges)
        if texts and not any(isinstance(text, str) and "=" in text for text in texts):
            flat = [part for text in texts for part in (text.split(",") if isinstance(text, str) else [text])]
            given = [(name, flat) for name in anchors]
        else:
            given = []
            for text in texts:
                name, sign, listing = str(text).rpartition("=")
                if not sign:
                    raise UsageError(f"edges must all be NAME=NUMBERS or all numbers, got {one_line(text, 60)!r}")
                given.append((name.strip(), listing.split(",")))
    found = {}
    for name, values in given:
        if name not in anchors:
            raise UsageError(f"edges are given for {one_line(name, 60)!r}, which is no anchor ({listed(anchors)})")
        found[name] = _ascending(values)
    return found


def _ascending(values: Sequence[object]) -> FloatArray:
    try:
        numbers = np.array([float(v) for v in values], dtype=np.float64)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"edges must be numbers, got {one_line(','.join(map(str, values)), 60)!r}") from None
    if not len(numbers) or not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
        raise UsageError(
            f"edges must be numbers in ascending order, such as 1.5,2.5,3.5, got "
            f"{one_line(','.join(map(str, values)), 60)!r}"
        )
    return numbers


class _Anchor(NamedTuple):
    """What is held fixed."""

    values: FloatArray
    """Its scores (cells,), with high ones good."""
    buckets: npt.NDArray[np.int64]
    """The bucket of each cell; 0 where the score is missing, which nobody looks at."""

    @classmethod
    def of(cls, scores: Scores, name: str, edges: FloatArray | None) -> _Anchor:
        values = scores.matrix(name).ravel()
        # Buckets are those of the scores as they were given, whichever way is up.
        plain = -values if scores[name].lower_is_better else values
        known = ~np.isnan(values)
        buckets = np.zeros(len(values), dtype=np.int64)
        buckets[known] = buckets_of(plain[known], edges)
        return cls(values, buckets)


class _Task(NamedTuple):
    """One correlation, to be looked at with several anchors."""

    metric: str | None
    criterion: str
    x: FloatArray
    z: FloatArray
    anchors: tuple[str, ...]
    methods: tuple[str, ...]


class _Finding(NamedTuple):
    """One row before its intervals are made."""

    metric: str | None
    criterion: str
    anchor: str
    level: str
    method: str | None
    estimate: float
    within: float
    drawn: FloatArray
    drawn_within: FloatArray
    n: int
    n_buckets: int | None
    n_undefined: int


class _Shared(NamedTuple):
    """What all rows have in common."""

    coefficient: str
    confidence: float
    interval: str
    resamples: int


def _tasks(setting: Setting, anchors: Sequence[str], methods: tuple[str, ...]) -> list[_Task]:
    z = dict(zip(setting.humans, setting.z, strict=True))
    tasks = [
        # An anchor has no residuals from itself, so two criteria are only looked at in buckets.
        _Task(None, criterion, setting.scores.matrix(name), z[criterion], (name,), ("bucket",))
        for criterion in setting.humans
        for name in anchors
        if name != criterion
    ]
    for name, x in zip(setting.metrics, setting.x, strict=True):
        for criterion in setting.humans:
            held = tuple(a for a in anchors if a not in (criterion, name))
            if held:
                tasks.append(_Task(name, criterion, x, z[criterion], held, methods))
    return tasks


class _Part(NamedTuple):
    """One anchor, held fixed in one way."""

    anchor: str
    method: str
    at: npt.NDArray[np.int64]
    """The cells that have all three scores."""
    kernel: WithinBuckets | Partialled | PartialFormula

    @property
    def cells(self) -> bytes:
        """Stands for these cells: parts on the same cells share the correlation as it is."""
        return self.at.tobytes()


def _study(task: _Task, held: Mapping[str, _Anchor], coefficient: str, pages: BootstrapPages) -> list[_Finding]:
    """Correlate, with each anchor held fixed in each way, in the data and in all resamples."""
    found = [_over_systems(task, coefficient, pages)] if task.metric is None else []
    parts = _parts(task, held, coefficient)
    x, z = task.x.ravel(), task.z.ravel()
    points = {part.cells: part.at for part in parts}
    wholes = {key: Together(x[at], z[at], coefficient, len(x)) for key, at in points.items()}
    whole_draws = {key: np.empty(pages.draws) for key in wholes}
    within_draws = np.empty((len(parts), pages.draws))
    slopes = np.empty((len(parts), 2, pages.draws))
    for start, weights in _weights_of_cells(pages):
        cut = slice(start, start + weights.shape[1])
        chosen = {key: weights if len(at) == len(x) else weights[at] for key, at in points.items()}
        for key, whole in wholes.items():
            whole_draws[key][cut] = whole.correlate(chosen[key])
        for row, part in enumerate(parts):
            if isinstance(part.kernel, Partialled):
                within_draws[row, cut], slopes[row][:, cut] = part.kernel.correlate(chosen[part.cells])
            else:
                within_draws[row, cut] = part.kernel.correlate(chosen[part.cells])
    for row, part in enumerate(parts):
        drawn = within_draws[row]
        if isinstance(part.kernel, Partialled):
            drawn = part.kernel.finish(drawn, slopes[row])
        found.append(_finding(task, part, wholes[part.cells], whole_draws[part.cells], drawn))
    return found


def _over_systems(task: _Task, coefficient: str, pages: BootstrapPages) -> _Finding:
    """Correlate two criteria over means of systems."""
    level = SystemLevel(task.x[None], task.z, coefficient)
    drawn = np.concatenate([level.bootstrap(*pages[page]) for page in range(len(pages))], axis=1)[0]
    return _Finding(
        metric=None,
        criterion=task.criterion,
        anchor=task.anchors[0],
        level="system",
        method=None,
        estimate=float(level.estimate()[0][0]),
        within=math.nan,
        drawn=drawn[: pages.draws],
        drawn_within=np.full(pages.draws, np.nan),
        n=int((~np.isnan(task.x).all(axis=1) & ~np.isnan(task.z).all(axis=1)).sum()),
        n_buckets=None,
        n_undefined=0,
    )


def _parts(task: _Task, held: Mapping[str, _Anchor], coefficient: str) -> list[_Part]:
    """Prepare each anchor to be held fixed in each way."""
    x, z = task.x.ravel(), task.z.ravel()
    parts = []
    for anchor in task.anchors:
        values, buckets = held[anchor]
        at = np.flatnonzero(~(np.isnan(x) | np.isnan(z) | np.isnan(values)))
        for method in task.methods:
            kernel: WithinBuckets | Partialled | PartialFormula
            if method == "bucket":
                kernel = WithinBuckets(x[at], z[at], buckets[at], coefficient, len(x))
            else:
                kind = Partialled if method == "partial" else PartialFormula
                kernel = kind(x[at], z[at], values[at], coefficient, len(x))
            parts.append(_Part(anchor, method, at, kernel))
    return parts


def _finding(task: _Task, part: _Part, whole: Together, drawn: FloatArray, drawn_within: FloatArray) -> _Finding:
    n, kernel = len(part.at), part.kernel
    estimate = within = math.nan
    undefined = 0
    if n:
        estimate = float(whole.correlate(np.ones((n, 1)))[0])
        if isinstance(kernel, WithinBuckets):
            within, undefined = kernel.estimate()
        else:
            within = kernel.estimate()
    return _Finding(
        metric=task.metric,
        criterion=task.criterion,
        anchor=part.anchor,
        level="global",
        method=part.method,
        estimate=estimate,
        within=within,
        drawn=drawn,
        drawn_within=drawn_within,
        n=n,
        n_buckets=len(kernel.members) if isinstance(kernel, WithinBuckets) else None,
        n_undefined=undefined,
    )


def _weights_of_cells(pages: BootstrapPages) -> Iterable[tuple[int, Numbers]]:
    """Yield multiplicities of cells, (cells, draws), with the number of the first draw."""
    width = max(1, OUTER // (pages.shape[0] * pages.shape[1]))
    for page in range(len(pages)):
        weights = Weights(*pages[page])
        first = page * pages.size
        wanted = min(pages.size, pages.draws - first)
        for at in range(0, wanted, width):
            yield first + at, cell_weights(weights, pages.shape, slice(at, min(at + width, wanted)))


def _row(finding: _Finding, shared: _Shared) -> CriterionRow:
    low, high = percentile(finding.drawn, shared.confidence)
    within_low, within_high = percentile(finding.drawn_within, shared.confidence)
    relative = relative_difference(np.array([finding.estimate]), np.array([finding.within]))
    drawn_relative = relative_difference(finding.drawn, finding.drawn_within)
    relative_low, relative_high = percentile(drawn_relative, shared.confidence)
    lost = np.isnan(finding.drawn)
    if finding.method is not None:
        lost |= np.isnan(finding.drawn_within)
    return CriterionRow(
        metric=finding.metric,
        criterion=finding.criterion,
        anchor=finding.anchor,
        level=finding.level,
        coefficient=shared.coefficient,
        method=finding.method,
        estimate=finding.estimate,
        low=low,
        high=high,
        estimate_within=finding.within,
        within_low=within_low,
        within_high=within_high,
        relative_difference=float(relative[0]),
        relative_low=relative_low,
        relative_high=relative_high,
        verdict=None if finding.metric is None else _verdict(finding, shared.confidence),
        n=finding.n,
        n_buckets=finding.n_buckets,
        n_undefined=finding.n_undefined,
        confidence=shared.confidence,
        interval=shared.interval,
        resamples=shared.resamples,
        resamples_undefined=int(lost.sum()),
    )


def _verdict(finding: _Finding, confidence: float) -> str:
    """Say what became of the agreement, by the intervals of what is left and of what is left less half of it all."""
    if math.isnan(finding.estimate) or math.isnan(finding.within):
        return "thin"
    side = math.copysign(1.0, finding.estimate)
    whole, within = side * finding.drawn, side * finding.drawn_within
    if not percentile(whole, confidence)[0] > 0:
        return "thin"
    stays = percentile(within, confidence)[0] > 0
    mostly_lost = percentile(within - LEFT * whole, confidence)[1] < 0
    if stays:
        return "shrinks" if mostly_lost else "survives"
    return "vanishes" if mostly_lost else "thin"


GRAVEST = ("vanishes", "shrinks", "thin", "survives")
"""Verdicts, the one that speaks loudest first."""


def _verdicts(table: Sequence[CriterionRow]) -> tuple[CriterionVerdict, ...]:
    cases: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for row in table:
        if row.metric is not None and row.method is not None and row.verdict is not None:
            case = cases.setdefault((row.metric, row.criterion, row.method), {})
            case.setdefault(row.verdict, []).append(row.anchor)
    found = []
    for (metric, criterion, method), by_verdict in cases.items():
        verdict = next(v for v in GRAVEST if v in by_verdict)
        found.append(CriterionVerdict(metric, criterion, method, verdict, tuple(by_verdict[verdict])))
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
    findings: Sequence[_Finding], grouped: Mapping[str, Sequence[str]], confidence: float
) -> tuple[GroupDifference, ...]:
    """Return medians and quartiles of relative differences, over the metrics of each group."""
    rows = []
    for group, metrics in grouped.items():
        cases: dict[tuple[str, str, str], list[_Finding]] = {}
        for one in findings:
            if one.metric in metrics and one.method is not None:
                cases.setdefault((one.criterion, one.anchor, one.method), []).append(one)
        for (criterion, anchor, method), members in cases.items():
            here = relative_difference(np.array([m.estimate for m in members]), np.array([m.within for m in members]))[
                :, None
            ]
            drawn = relative_difference(
                np.stack([m.drawn for m in members]), np.stack([m.drawn_within for m in members])
            )
            values = {}
            for name, share in (("lower_quartile", 0.25), ("median", 0.5), ("upper_quartile", 0.75)):
                values[name] = float(_quantile(here, share)[0])
                values[f"{name}_low"], values[f"{name}_high"] = percentile(_quantile(drawn, share), confidence)
            defined = int((~np.isnan(here)).sum())
            rows.append(GroupDifference(group, criterion, anchor, method, n_metrics=defined, **values))
    return tuple(rows)


def _quantile(values: FloatArray, share: float) -> FloatArray:
    """Return a quantile over the rows, leaving out undefined values; NaN where none is left.

    Linear between neighbours, as NumPy's ``nanquantile``, which takes one column at a time.
    """
    ordered = np.sort(values, axis=0)  # undefined ones go to the end
    place = np.maximum((~np.isnan(values)).sum(axis=0) - 1, 0) * share
    low, high = (np.take_along_axis(ordered, f(place).astype(np.int64)[None], axis=0)[0] for f in (np.floor, np.ceil))
    return np.asarray(low + (high - low) * (place - np.floor(place)))


def _bucket_recipe(cuts: Mapping[str, FloatArray], anchors: Sequence[str]) -> str:
    whole = "round-half-up"
    texts = {name: "/".join(f"{edge:.10g}" for edge in cuts[name]) if name in cuts else whole for name in anchors}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ";".join(f"{one_line(name, 40)}={text}" for name, text in texts.items())


def _notes(
    table: Sequence[CriterionRow], held: Mapping[str, _Anchor], methods: Sequence[str], shared: _Shared
) -> list[Note]:
    notes = []
    if "bucket" in methods:
        for name, (values, buckets) in held.items():
            used = len(np.unique(buckets[~np.isnan(values)]))
            if used < 2 or used > MANY:
                notes.append(Note.of("buckets-unsuitable", anchor=name, n=used))
    if shared.resamples < FEW:
        notes.append(Note.of("resamples-few", n=shared.resamples, least=FEW))
    for row in table:
        pair = {"pair": ((row.metric or row.anchor, row.criterion),)}
        if math.isnan(row.estimate):
            notes.append(Note.of("correlation-undefined", **pair))
            continue
        if row.method is not None and math.isnan(row.estimate_within):
            notes.append(Note.of("partial-undefined", anchor=row.anchor, method=row.method, **pair))
        elif row.n_undefined:
            notes.append(Note.of("buckets-undefined", anchor=row.anchor, n=row.n_undefined, **pair))
        if row.resamples_undefined and row.resamples_undefined / row.resamples >= 0.01:
            notes.append(Note.of("resamples-often-undefined", **pair))
    if any(row.metric is not None for row in table):
        notes.append(Note.of("anchor-measured-with-error"))
    return list(dict.fromkeys(notes))
