"""Tables of the judge card: agreement, people, errors by label, thresholds, ranks and runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metassay.core import vocabulary
from metassay.core.scores import Scores
from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, clustered_variance, estimate, mean, share
from metassay.stats.influence import Paired, differences
from metassay.stats.rater_agreement import agreement, repeated
from metassay.stats.significance import corrected_pairs, rank_sets, ranks
from metassay.stats.statistics.grades import LINEAR
from metassay.stats.statistics.labels import confusion
from metassay.stats.statistics.registry import choose, find
from metassay.stats.statistics.tabulated import TabulatedStatistic
from metassay.stats.thresholds import ThresholdCurve, calibration, cross_validated, threshold_curve
from metassay.studies.judge_data import Criterion, Judged
from metassay.studies.judge_rows import (
    AgreementRow,
    CalibrationRow,
    ConfusionRow,
    DifferenceRow,
    OperatingRow,
    PersonRow,
    RankRow,
    RunRow,
    ThresholdRow,
)

BY_SCALE = {
    "binary": "accuracy kappa ac1 balanced-accuracy precision recall specificity f1 bias",
    "nominal": "accuracy kappa ac1 balanced-accuracy f1-macro alpha-nominal",
    "ordinal": "accuracy within-one kappa kappa-quadratic ac2 alpha-ordinal mae bias",
    "grades": "within-one accuracy kappa-quadratic alpha-interval mae rmse bias",
    "numbers": "mae rmse bias alpha-interval",
}
"""Statistics that suit a scale; the first is that of the card."""
OF_SCORES = ("auc", "average-precision")
OF_PROBABILITIES = ("brier", "ece")
KAPPA = {"binary": "kappa", "nominal": "kappa", "ordinal": "kappa", "grades": "kappa-quadratic"}
SAME = 1e-12
"""A difference with a smaller standard error is that of judges who say the same."""
POINTS = 200
"""Points of a threshold curve that are kept."""


@dataclass(frozen=True, eq=False)
class Setting:
    """How numbers are made."""

    scores: Scores
    """The scores."""
    statistics: tuple[TabulatedStatistic, ...] | None
    """What was asked for; None for what suits the scale."""
    confidence: float
    """Of the intervals."""
    interval: str
    """``sandwich`` or ``bootstrap``."""
    resamples: int
    """Of the bootstrap."""
    seed: int
    """Of the draws."""
    over: str
    """What intervals generalise to: ``inputs``, ``both`` or ``items``."""

    def ways(self, cells: IntArray) -> list[IntArray]:
        """Return the clusters of items, in none, one or two ways."""
        n, m = self.scores.shape
        at, system = cells % m, cells // m
        if self.over == "items":
            return []
        if self.scores.clusters:
            of, inputs = self.scores.clusters, self.scores.inputs
            at = np.unique([f"1{of[i]}" if i in of else f"0{i}" for i in inputs], return_inverse=True)[1][at]
        if self.over == "both" and n > 1:
            return [at, system]
        return [at] if n > 1 or self.scores.clusters else []

    def estimate(self, paired: Paired, statistic: TabulatedStatistic) -> Estimate:
        """Return a statistic with its interval."""
        resamples = self.resamples if self.interval == "bootstrap" else 0
        return paired.estimate(statistic, self.confidence, resamples=resamples, seed=self.seed)


def scale_of(criterion: Criterion) -> str:
    """Return by which statistics a criterion is judged: a key of :data:`BY_SCALE`."""
    if criterion.kind != "labels":
        return criterion.kind
    return "binary" if criterion.binary else "ordinal" if criterion.ordered else "nominal"


def tabulated(statistics: Any) -> tuple[TabulatedStatistic, ...] | None:  # noqa: ANN401 - as options have them
    """Return the statistics that were asked for, if they are such of labels, grades or probabilities."""
    if statistics is None:
        return None
    found = choose(statistics)
    for each in found:
        if not isinstance(each, TabulatedStatistic):
            raise UsageError(
                f"{each.name} is not a statistic of labels, grades or probabilities; use metassay agree for it"
            )
    return tuple(each for each in found if isinstance(each, TabulatedStatistic))


def _named(names: Iterable[str]) -> list[TabulatedStatistic]:
    return [each for each in map(find, names) if isinstance(each, TabulatedStatistic)]


def statistics_of(setting: Setting, criterion: Criterion) -> list[TabulatedStatistic]:
    """Return the statistics by which labels or grades of a criterion are compared."""
    if setting.statistics is None:
        return [*_named(BY_SCALE[scale_of(criterion)].split()), *([LINEAR] if criterion.kind == "numbers" else [])]
    return [each for each in setting.statistics if each.name not in (*OF_SCORES, *OF_PROBABILITIES)]


def headline(setting: Setting, judged: Judged) -> TabulatedStatistic:
    """Return the statistic of the card."""
    if judged.kind == "other-scale":
        return LINEAR
    criterion = judged.criterion
    asked = statistics_of(setting, criterion) if setting.statistics is not None else []
    return asked[0] if asked else _named(BY_SCALE[scale_of(criterion)].split()[:1])[0]


def is_probability(raw: FloatArray) -> bool:
    """Return whether all scores lie between 0 and 1."""
    known = raw[~np.isnan(raw)]
    return bool(len(known)) and known.min() >= 0 and known.max() <= 1


def against_people(setting: Setting, judged: Judged) -> Paired:
    """Return a judge beside people together."""
    return Paired(judged.x, judged.criterion.truth, setting.ways(judged.criterion.cells))


def against_single(setting: Setting, judged: Judged) -> Paired:
    """Return a judge beside each single person, pooled; items are clusters at least."""
    of = judged.criterion
    people = of.ratings.ravel()
    raw = np.tile(judged.raw, len(of.people))
    return Paired(judged.decided(raw, people), people, _tiled(setting, of, len(of.people)))


def _tiled(setting: Setting, criterion: Criterion, times: int) -> list[IntArray]:
    ways = setting.ways(criterion.cells) or [np.arange(len(criterion.cells))]
    return [np.tile(way, times) for way in ways]


def agreement_rows(setting: Setting, judged: Judged) -> list[AgreementRow]:
    """Return the agreement of a judge with people together and, if there are several, with single people."""
    of = judged.criterion
    pairs = [(of.against, against_people(setting, judged))]
    if judged.kind == "other-scale":
        return [_agreement_row(setting, judged, of.against, LINEAR, pairs[0][1])]
    if len(of.people) > 1:
        pairs.append(("single people", against_single(setting, judged)))
    rows = []
    for against, paired in pairs:
        for statistic in statistics_of(setting, of):
            if against == "mean" and statistic.name == "accuracy":
                continue  # a mean of grades is seldom a grade
            rows.append(_agreement_row(setting, judged, against, statistic, paired))
    if judged.kind == "scores" or (setting.statistics is not None and of.binary):
        names = [*OF_SCORES, *(OF_PROBABILITIES if is_probability(judged.raw) else ())]
        own = _named(names) if setting.statistics is None else setting.statistics
        paired = Paired(judged.raw, of.truth, setting.ways(of.cells))
        rows += [
            _agreement_row(setting, judged, of.against, s, paired)
            for s in own
            if s.name in (*OF_SCORES, *OF_PROBABILITIES)
        ]
    return rows


def _agreement_row(
    setting: Setting, judged: Judged, against: str, statistic: TabulatedStatistic, paired: Paired
) -> AgreementRow:
    found = setting.estimate(paired, statistic)
    items = int((~np.isnan(judged.x)).sum()) if against == "single people" else len(paired)
    return AgreementRow(
        judged.judge,
        judged.criterion.name,
        against,
        statistic.name,
        found.value,
        found.low,
        found.high,
        setting.confidence,
        setting.interval,
        items,
    )


def people_rows(setting: Setting, criterion: Criterion) -> list[PersonRow]:
    """Return each person against the others, and all pairs of people, scored like a judge."""
    n = len(criterion.people)
    if n < 2:
        return []
    known = statistics_of(setting, criterion)
    # correlations are for judges on a scale of their own, and in others people and judges play different parts
    statistics = [s for s in known if not s.is_correlation and vocabulary.is_symmetric(s.name)]
    own, others = _pairs_of_people(criterion)
    ways = _tiled(setting, criterion, n - 1)
    rows = []
    for person, x, z in zip(criterion.people, own, others, strict=True):
        rows += _person_rows(setting, criterion, person, statistics, Paired(x, z, ways), x)
    x, z = np.concatenate(own), np.concatenate(others)
    every = Paired(x, z, [np.tile(way, n) for way in ways])
    alike = [s for s in statistics if s.name != "bias"]
    return [*_person_rows(setting, criterion, "(all)", alike, every, x), *rows]


def _pairs_of_people(criterion: Criterion) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return each person's ratings once for every other person, and theirs."""
    others = [np.delete(criterion.ratings, j, axis=0).ravel() for j in range(len(criterion.people))]
    return [np.tile(rating, len(criterion.people) - 1) for rating in criterion.ratings], others


def beside_people(setting: Setting, judged: Judged, statistic: TabulatedStatistic) -> Estimate:
    """Return a judge's agreement with single people less that of people with one another, paired by item."""
    of = judged.criterion
    own, others = _pairs_of_people(of)
    values, moved, seen = [], [], np.zeros(len(of.cells), dtype=bool)
    for paired in (against_single(setting, judged), Paired(np.concatenate(own), np.concatenate(others))):
        value, each = paired.influences(statistic)
        every = np.zeros(paired.known.shape)
        every[paired.known] = each
        values.append(value)
        moved.append(every.reshape(-1, len(of.cells)).sum(axis=0))
        seen |= paired.known.reshape(-1, len(of.cells)).any(axis=0)
    variance, df = clustered_variance((moved[0] - moved[1])[seen], [way[seen] for way in setting.ways(of.cells)])
    return estimate(values[0] - values[1], variance, df, int(seen.sum()), setting.confidence)


def base_rate(criterion: Criterion, truth: FloatArray) -> tuple[float, str]:
    """Return the share of the most frequent label, and that label."""
    if criterion.kind != "labels" or not len(truth):
        return math.nan, ""
    codes, counts = np.unique(truth, return_counts=True)
    return float(counts.max() / len(truth)), criterion.said(codes[counts.argmax()])


def _person_rows(
    setting: Setting,
    criterion: Criterion,
    person: str,
    statistics: Sequence[TabulatedStatistic],
    paired: Paired,
    x: FloatArray,
) -> list[PersonRow]:
    items = int(paired.known.reshape(-1, len(criterion.cells)).any(axis=0).sum()) if len(x) else 0
    found = [(s, setting.estimate(paired, s)) for s in statistics]
    return [PersonRow(person, criterion.name, s.name, e.value, e.low, e.high, items) for s, e in found]


def confusion_rows(setting: Setting, judged: Judged) -> list[ConfusionRow]:
    """Return what the judge said where people said each label."""
    of = judged.criterion
    if of.kind == "numbers":
        return []
    x, z = judged.x, of.truth
    if of.kind == "grades":
        x, z = np.rint(x), np.rint(z)
    codes, table = confusion(x, z)
    ways, known = setting.ways(of.cells), ~np.isnan(x + z)
    rows = []
    for i, label in enumerate(codes):
        here = known & (z == label)
        for j, other in enumerate(codes):
            hits = (x[here] == other).astype(np.float64)
            own = [np.unique(way[here], return_inverse=True)[1] for way in ways]
            found = share(hits, own, setting.confidence) if len(hits) else None
            value, low, high = (math.nan,) * 3 if found is None else (found.value, found.low, found.high)
            said = [
                of.said(code) if code < len(of.labels) or not of.labels else "(no answer)" for code in (label, other)
            ]
            rows.append(ConfusionRow(judged.judge, of.name, said[0], said[1], int(table[i, j]), value, low, high))
    return rows


# -- scores that a threshold turns into labels ---------------------------------------------------


def with_threshold(judged: Judged, rule: str, target: float) -> tuple[Judged, ThresholdCurve | None, int]:
    """Return a judge that gives scores with its threshold, its curve and the place of the rule's choice, −1 if none."""
    truth = judged.criterion.truth
    if len(np.unique(truth[~np.isnan(truth + judged.raw)])) < 2:
        return replace(judged, threshold=math.inf), None, -1
    curve = threshold_curve(judged.raw, truth)
    at = curve.choose(rule, target)
    cut = at if at >= 0 else curve.choose("accuracy")
    return replace(judged, threshold=float(curve.thresholds[cut])), curve, at


def threshold_rows(judged: Judged, curve: ThresholdCurve, at: int) -> list[ThresholdRow]:
    """Return the curve, at most :data:`POINTS` of it."""
    last = len(curve.thresholds) - 1
    kept = np.unique([*np.linspace(min(1, last), last, min(last, POINTS)).astype(int), *([at] if at >= 0 else [])])
    names = ("accuracy", "precision", "recall", "specificity", "f1")
    values = {name: curve.value(name) for name in names}
    total = curve.hits + curve.false_alarms + curve.misses + curve.rejections
    called = (curve.hits + curve.false_alarms) / total
    return [
        ThresholdRow(
            judged.judge,
            judged.criterion.name,
            float(curve.thresholds[k]),
            called=float(called[k]),
            chosen=bool(k == at),
            **{name: float(values[name][k]) for name in names},
        )
        for k in kept.tolist()
    ]


def operating_row(
    setting: Setting, judged: Judged, rule: str, target: float, reached: bool
) -> tuple[OperatingRow, FloatArray]:
    """Return the threshold that was chosen, what such a choice does on held-out items, and theirs by item."""
    of = judged.criterion
    ways = setting.ways(of.cells)
    try:
        cuts, table, items = cross_validated(
            judged.raw, of.truth, rule, target, seed=setting.seed, clusters=ways[0] if ways else None
        )
    except ValueError:  # a rule that needs both labels, and a fold that has one
        cuts, table, items = np.array([math.nan]), np.zeros((2, 2)), np.full(judged.raw.shape, math.nan)
    one = ThresholdCurve(np.zeros(1), *(np.array([v]) for v in (table[1, 1], table[0, 1], table[1, 0], table[0, 0])))
    values = {n: float(one.value(n)[0]) for n in ("accuracy", "precision", "recall", "specificity", "f1")}
    known = cuts[~np.isnan(cuts)]
    ends = (float(known.min()), float(known.max())) if len(known) else (math.nan, math.nan)
    aim = target if rule in ("cost", "precision", "recall") else math.nan
    place = judged.threshold if reached else math.nan
    row = OperatingRow(judged.judge, of.name, rule, aim, place, *ends, **values, n_items=int(table.sum()))
    return row, np.where(np.isnan(items), judged.threshold, items)


def calibration_rows(setting: Setting, judged: Judged) -> list[CalibrationRow]:
    """Return what happened beside what probabilities said, in bins of about equally many items."""
    if not is_probability(judged.raw):
        return []
    of = judged.criterion
    ways = setting.ways(of.cells)
    bins = calibration(
        judged.raw, of.truth, equal="count", clusters=ways[0] if ways else None, confidence=setting.confidence
    )
    return [
        CalibrationRow(
            judged.judge,
            of.name,
            b.low,
            b.high,
            b.said,
            b.happened.value,
            b.happened.low,
            b.happened.high,
            b.happened.n,
        )
        for b in bins
    ]


# -- several judges, several runs ----------------------------------------------------------------


def ranked(setting: Setting, judges: Sequence[Judged]) -> tuple[list[RankRow], list[DifferenceRow]]:
    """Return the ranks of several judges of one criterion on the items that all have, and tests of all pairs."""
    of = judges[0].criterion
    statistic, truth = headline(setting, judges[0]), of.truth
    x = np.stack([each.x for each in judges])
    common = ~np.isnan(x).any(axis=0) & ~np.isnan(truth)
    if common.sum() < 2:
        return [], []
    ways = [way[common] for way in setting.ways(of.cells)]
    found = [Paired(row[common], truth[common], ways) for row in x]
    estimates, gaps = differences(found, statistic, setting.confidence)
    p = np.full((len(judges), len(judges)), np.nan)
    for (a, b), gap in gaps.items():
        p[a, b] = p[b, a] = gap.p_value() if gap.error > SAME else math.nan
    alpha, holm = 1 - setting.confidence, corrected_pairs(p)
    good = statistic.sign * estimates
    sets, place = rank_sets(good, holm, alpha), ranks(good)
    order = np.argsort(np.where(np.isnan(good), np.inf, -good), kind="stable").tolist()
    ranking = [
        RankRow(judges[at].judge, of.name, statistic.name, float(estimates[at]), int(place[at]), *map(int, sets[at]))
        for at in order
    ]
    rows = []
    for (a, b), gap in gaps.items():
        # The better judge comes first.
        first, second, ends = (a, b, (gap.value, gap.low, gap.high))
        if good[b] > good[a]:
            first, second, ends = b, a, (-gap.value, -gap.high, -gap.low)
        rows.append(
            DifferenceRow(
                judges[first].judge,
                judges[second].judge,
                of.name,
                statistic.name,
                *ends,
                float(p[a, b]),
                float(holm[a, b]),
                bool(holm[a, b] <= alpha),
                gap.n,
            )
        )
    return ranking, rows


def run_row(setting: Setting, judged: Judged) -> RunRow:
    """Return how far the runs of a judge give the same, and how well single runs agree with people."""
    of, runs = judged.criterion, judged.decided(judged.runs, np.tile(judged.criterion.truth, (len(judged.runs), 1)))
    known = judged.runs[~np.isnan(judged.runs)]
    near = 0.0 if of.kind == "labels" else 0.01 * float(np.ptp(known)) if len(known) else 0.0
    same = mean(repeated(runs, near), setting.ways(of.cells), setting.confidence)
    kind = "alpha-nominal" if of.kind == "labels" else "alpha-interval"
    first = headline(setting, judged)
    single = [Paired(run, of.truth).estimate(first, setting.confidence).value for run in runs]
    sign = first.sign
    ordered = sorted((v for v in single if not math.isnan(v)), key=lambda v: sign * v)
    ends = (ordered[0], ordered[-1]) if ordered else (math.nan, math.nan)
    return RunRow(
        judged.judge,
        of.name,
        len(runs),
        same.value,
        max(same.low, 0.0),
        min(same.high, 1.0),
        float(agreement(runs, kind)[0]),
        *ends,
        same.n,
    )
