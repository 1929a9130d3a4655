"""Does a small score difference mean anything?

Groups pairs of systems by their difference in a metric's score. For the pairs closest in score, or within bounds that
you choose, it gives Kendall's correlation over these pairs only, the share of pairs on which people agree with the
metric, and the number of pairs. It also fits the probability that people agree as a function of the score difference,
which shows how large a difference must be to be worth reporting.

    metassay pairs scores.csv --human relevance
    metassay pairs scores.csv --human relevance --metric synthetic-overlap --bounds 0:0.5,0.5:1,1:
    metassay pairs scores.csv --human relevance --metric synthetic-overlap --triangle 10 --view triangle
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import BootstrapPages
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.score_gaps import AGREEMENTS, PairCounts, SystemPairs, percentiles, range_of
from metassay.stats.statistics.correlations import KENDALL
from metassay.studies.input_sets import InputSets, has_scores
from metassay.studies.pairs_rows import ChanceCurve, ScorePairsRow
from metassay.studies.selection import Selection, select
from metassay.studies.yardsticks import ahead, notes_on_draws, notes_on_kinds

CURVE_POINTS = 11
"""Points of the fitted curve in the table, from no difference to the largest one in the data."""
MANY_PAGES = 16
"""From so many pages of draws on, threads have enough to do without dealing out metrics."""


class ScorePairs(Result, study="pairs"):
    """How well metrics agree with people on pairs of systems, by score difference."""

    table: Sequence[ScorePairsRow]
    """Per human criterion and metric: bounds, shares, the triangle, points of the curve, needed differences."""
    curves: tuple[ChanceCurve, ...]
    """One per human criterion and metric, in the order of the table; empty if no curve was asked for."""


@study
def pairs(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    bounds: opt.Bounds = None,
    shares: opt.Shares = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    triangle: opt.Triangle = False,
    inputs: opt.InputSet = "all",
    interval: opt.Bootstrap = "boot-both",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    curve: opt.Curve = True,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
) -> ScorePairs:
    """Correlate metrics with people over pairs of systems within ranges of score differences.

    Notes
    -----
    The estimate is r_sys Δ(l, u) of Deutsch, Dror and Roth (2022), "Re-Examining System-Level Correlations of
    Automatic Summarization Evaluation Metrics", §4.2: (P − Q)/√((P+Q+T)(P+Q+U)) over the pairs of systems with
    l ≤ |Δ| ≤ u, where P and Q count pairs that metric and people order alike and unlike, T and U pairs tied only
    in the metric and only by people. Over all pairs it is Kendall's tau-b.

    The curve is P(agree) = 1/(1 + exp(−β|Δ|)), fitted by maximum likelihood on all pairs without ties; its band and
    the needed differences follow from the bootstrap interval of β.

    Bounds are fixed: those of shares and of the triangle are quantiles of the differences in the data, and stay the
    same in every resample, in score units, while the differences are computed again. A pair is weighted by the product
    of how often its systems were drawn; two copies of one system are not a pair.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.pairs(ma.example(), human="relevance", resamples=200)
    >>> closest, *_, every = [row for row in result.table if row.kind == "share" and row.metric == "synthetic-overlap"]
    >>> bool(closest.n_pairs < every.n_pairs and closest.upper < every.upper)
    True
    """
    asked = _Asked(
        cast("tuple[tuple[float, float], ...]", bounds or ()), cast("tuple[float, ...]", shares or ()), int(triangle)
    )
    if not any(asked) and not curve:
        raise UsageError("nothing to compute; give bounds or shares, or ask for the triangle or the curve")
    selected = select(scores, human, metric, references=references, sentinels=sentinels, people=people_as_metrics).need(
        systems=3, levels=("system",)
    )
    n = len(selected.scores.systems)

    rows: list[ScorePairsRow] = []
    curves: list[ChanceCurve] = []
    for h in range(len(selected.humans)):
        taken = selected.beside(h, "system", KENDALL)
        cases = [_Case.of(taken, at, h, asked, inputs) for at in range(len(taken.metrics))]
        drawn = _resample(cases, n, interval, resamples, seed, curve)
        # over all pairs, which come last
        every = {name: each.tau[-1] for name, each in zip(taken.metrics, drawn, strict=True)}
        better = ahead(every, taken.metric_kinds, 1 - confidence)
        for case, samples in zip(cases, drawn, strict=True):
            shared: dict[str, object] = {"interval": interval, "confidence": confidence, "resamples": resamples}
            name = taken.metrics[case.metric]
            shared |= {"metric": name, "human": selected.humans[h], "beats_sentinels": better.get(name)}
            shared["metric_kind"] = taken.metric_kinds[name]
            shared["n_systems"] = case.sets.sizes(taken.x[case.metric], selected.z[h], "system")[0]
            found, fitted = _rows(case, samples, curve, shared, confidence)
            rows += found
            curves += [] if fitted is None else [fitted]
    signature = Signature.open(level="system", coef="kendall-b", **selected.sizes(inputs))
    unequal = selected.notes_on_inputs(("system",), inputs, "interval")
    marked = notes_on_draws({(row.human, row.metric): row for row in rows}.values(), "pairs of systems", 1 - confidence)
    own = notes_on_kinds(selected.notes, [row.metric_kind for row in rows])
    notes = (*own, *unequal, *selected.notes_on_units(INTERVALS[interval]), *_notes(rows, interval), *marked)
    return ScorePairs(tuple(rows), signature, notes, tuple(curves))


class _Asked(NamedTuple):
    """Which selections of pairs are wanted."""

    bounds: tuple[tuple[float, float], ...]
    shares: tuple[float, ...]
    steps: int


class _Selection(NamedTuple):
    """One selection of pairs, as the rows tell it."""

    kind: str
    lower: float
    upper: float
    share: float
    share_below: float


def _selections(differences: FloatArray, asked: _Asked) -> list[_Selection]:
    """Return every selection that was asked for; shares and the triangle become bounds here, once."""
    found = [_Selection("bounds", lower, upper, math.nan, 0.0) for lower, upper in asked.bounds]
    found += [_Selection("share", *range_of(differences, 0.0, share), share, 0.0) for share in asked.shares]
    n = asked.steps
    for below in range(n):
        found += [
            _Selection("triangle", *range_of(differences, below / n, upto / n), (upto - below) / n, below / n)
            for upto in range(below + 1, n + 1)
        ]
    # all pairs come last: the curve is fitted on them
    return [*found, _Selection("all", 0.0, math.inf, 1.0, 0.0)]


class _Case(NamedTuple):
    """One metric against one human criterion, ready to be resampled."""

    metric: int
    sets: InputSets
    pairs: SystemPairs
    differences: FloatArray
    selections: list[_Selection]
    bounds: FloatArray

    @classmethod
    def of(cls, selected: Selection, metric: int, human: int, asked: _Asked, inputs: str) -> _Case:
        x, z = selected.x[metric], selected.people(human, [metric])
        sets = selected.sets(has_scores(x), human, "system", inputs, z)
        pairs = SystemPairs(sets.of_metrics(x), sets.of_people(z), paired=sets.paired)
        differences = pairs.differences()
        selections = _selections(differences, asked)
        bounds = np.array([(s.lower, s.upper) for s in selections])
        return cls(metric, sets, pairs, differences, selections, bounds)


class _Drawn(NamedTuple):
    """What resamples gave for one case: correlations and agreement (selections, B), and slopes (B,) or none."""

    tau: FloatArray
    agreement: FloatArray
    slopes: FloatArray


def _resample(
    cases: list[_Case], n_systems: int, interval: str, resamples: int, seed: int, curve: bool
) -> list[_Drawn]:
    """Return for each case what the resamples gave; cases of as many inputs, in the same clusters, share the draws."""
    units: list[tuple[BootstrapPages, int, list[_Case]]] = []
    systems, inputs = INTERVALS[interval].kinds()[0]
    together: dict[object, list[_Case]] = {}
    for case in cases:
        clusters = tuple(None if each is None else each.tobytes() for each in case.sets.clusters_of_both)
        together.setdefault((case.sets.shape, clusters), []).append(case)
    for alike in together.values():
        sets = alike[0].sets
        pages = BootstrapPages(
            resamples,
            (n_systems, sets.shape[0]),
            seed,
            resample_systems=systems,
            resample_inputs=inputs,
            annotated=sets.shape[1],
            families=sets.families,
            clusters=sets.clusters_of_both,
        )
        # A thousand resamples of few inputs are a single page, which metrics then share out between threads.
        shared = [alike] if len(pages) >= MANY_PAGES else [[case] for case in alike]
        units += [(pages, page, some) for page in range(len(pages)) for some in shared]

    def work(unit: int) -> list[tuple[int, _Drawn]]:
        pages, page, some = units[unit]
        systems, inputs = pages[page]
        found = []
        for case in some:
            counts, slopes = case.pairs.evaluate(case.bounds, systems, inputs, curve=curve)
            found.append((case.metric, _Drawn(counts.tau, counts.agreement, np.empty(0) if slopes is None else slopes)))
        return found

    parts: dict[int, list[_Drawn]] = {}
    for done in engine.run(work, len(units), what="resampling"):
        for metric, drawn in done:
            parts.setdefault(metric, []).append(drawn)
    return [
        _Drawn(*(np.concatenate(part, axis=-1)[..., :resamples] for part in zip(*parts[case.metric], strict=True)))
        for case in cases
    ]


def _rows(
    case: _Case, drawn: _Drawn, curve: bool, shared: dict[str, object], confidence: float
) -> tuple[list[ScorePairsRow], ChanceCurve | None]:
    """Return all that was found for one metric and one human criterion, and the curve."""
    point = case.pairs.evaluate(case.bounds, curve=curve)
    counts = PairCounts(*(count[:, 0] for count in point.counts))
    every, untied = counts.total.astype(int).tolist(), (counts.same + counts.other).astype(int).tolist()
    tau, agreement = (
        _numbers(now, then, confidence) for now, then in ((counts.tau, drawn.tau), (counts.agreement, drawn.agreement))
    )
    rows = []
    for k, selection in enumerate(case.selections[:-1]):
        share = selection.share
        if selection.kind == "bounds":
            share = every[k] / every[-1] if every[-1] else math.nan
        own = {"n_pairs": every[k], "n_ties": every[k] - untied[k], "share": share}
        own |= zip(("estimate", "low", "high", "resamples_undefined"), tau[k], strict=True)
        own |= zip(("agreement", "agreement_low", "agreement_high", "agreement_undefined"), agreement[k], strict=True)
        rows.append(fields.filled(ScorePairsRow, shared, selection, **own))
    if point.slopes is None:
        return rows, None
    ((slope, low, high, lost),) = _numbers(point.slopes, drawn.slopes[None], confidence)
    fitted = fields.filled(
        ChanceCurve,
        shared,
        slope=slope,
        slope_low=low,
        slope_high=high,
        largest=float(case.differences[-1]) if len(case.differences) else math.nan,
        n_pairs=every[-1],
        n_ties=every[-1] - untied[-1],
        resamples_undefined=lost,
    )
    return [*rows, *_curve_rows(fitted, shared)], fitted


def _numbers(found: FloatArray, drawn: FloatArray, confidence: float) -> list[tuple[float, float, float, int]]:
    """Return numbers with the ends of their intervals, and in how many resamples they are undefined.

    What is undefined in the data has no interval, whatever resamples say.
    """
    low, high = (np.where(np.isnan(found), np.nan, ends) for ends in percentiles(drawn, confidence))
    lost = np.isnan(drawn).sum(axis=1)
    return list(zip(found.tolist(), low.tolist(), high.tolist(), lost.tolist(), strict=True))


def _curve_rows(curve: ChanceCurve, shared: dict[str, object]) -> Iterator[ScorePairsRow]:
    """Yield points of the curve, then the differences that high chances of agreement need."""
    nothing = {"share": math.nan, "share_below": math.nan, "agreement_undefined": curve.resamples_undefined}

    def point(kind: str, at: float, estimate: Sequence[float], agreement: Sequence[float]) -> ScorePairsRow:
        own = dict(zip(("estimate", "low", "high"), estimate, strict=True))
        own |= zip(("agreement", "agreement_low", "agreement_high"), agreement, strict=True)
        return fields.filled(ScorePairsRow, shared, curve, nothing, kind=kind, lower=at, upper=at, **own)

    for difference in np.linspace(0.0, curve.largest, CURVE_POINTS).tolist():
        yield point("curve", difference, (math.nan,) * 3, curve.chance(difference))
    for agreement in AGREEMENTS:
        yield point("needed", math.nan, curve.needed(agreement), (agreement, math.nan, math.nan))


def _notes(rows: list[ScorePairsRow], interval: str) -> list[Note]:
    """Note what the numbers rest on and what was undefined."""
    notes = [Note.of("pairs-dependent", drawn=interval.removeprefix("boot-")), *map(_undefined, rows)]
    lost = [row for row in rows if row.kind in ("bounds", "share", "triangle") and row.resamples_undefined]
    if lost:
        most = max(lost, key=lambda row: row.resamples_undefined)
        counts = {"n": most.resamples_undefined, "resamples": most.resamples, "affected": len(lost), "rows": len(rows)}
        notes.append(Note.of("gap-resamples-undefined", **counts, metric=most.metric, place=_place(most)))
    return [note for note in notes if note is not None]


def _undefined(row: ScorePairsRow) -> Note | None:
    """Note what is undefined in a row, if anything is."""
    where = {"human": row.human, "metric": row.metric}
    if row.kind == "needed":
        return Note.of("gap-never-enough", **where) if math.isinf(row.estimate) else None
    if row.kind == "curve":
        # said once, at the curve's first point
        return Note.of("curve-undefined", **where) if row.upper == 0 and math.isnan(row.agreement) else None
    if row.n_pairs == 0:
        return Note.of("gap-without-pairs", **where, place=_place(row))
    return Note.of("gap-all-tied", **where, place=_place(row)) if math.isnan(row.estimate) else None


def _place(row: ScorePairsRow) -> tuple[str, float, float]:
    """Return which pairs a row is about: its kind, and bounds of shares or of score differences."""
    if row.kind in ("share", "triangle"):
        return "share", row.share_below, row.share_below + row.share
    return row.kind, row.lower, row.upper
