"""What would people have said about all outputs?

People labelled some outputs, and a metric or a judge scored all of them. Estimates the mean score that people would
have given to each system on all outputs: the judge's mean, corrected by its mean error on labelled outputs
(prediction-powered inference). Reports how many labels alone would have been as precise, which systems differ, and
which ranks they may have. Where the judge does not help, the estimate is that of the labels alone.

    metassay estimate judge.csv --human verdict_anna --metric strict-judge --annotated 50
    metassay estimate judge.csv --human verdict_anna --metric strict-judge --annotated 50 --view table,differences
    metassay estimate scores.csv --human relevance --annotated 20 --format json -o estimate.json
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.clustered import Estimate, mean
from metassay.stats.prediction_powered import PoweredSystems, corrected_share_of_items, p_informative, powered_systems
from metassay.stats.ranges import same_range
from metassay.stats.significance import corrected_pairs, rank_sets, ranks
from metassay.studies.selection import Selection, select, take_as_annotated

FEW = 30
"""With fewer labels of a system, intervals rest on little."""
CLAIMED = 10
"""With fewer labels in all, nothing is said of what they are worth with the metric: a chance agreement would do."""
UNINFORMATIVE = 0.05
"""The judge is used if its covariance with people within systems is positive with a smaller one-sided p-value."""
UNLIKE = 0.001
"""Labelled outputs are no random choice if the judge's mean on them differs with a smaller p-value."""


@fields.row
class EstimateRow:
    """The estimated human score of one system."""

    system: fields.System
    metric: fields.Metric
    human: fields.Human
    method: str
    """``ppi``: prediction-powered mean; ``rogan-gladen``: the judge's share among outputs without a label,
    corrected by its sensitivity and specificity among those with one."""
    estimate: float
    """The estimated mean human score of all outputs, on the human scale; NaN if it cannot be estimated."""
    low: fields.Low
    high: fields.High
    human_only: float
    """The mean of the labels alone."""
    human_only_low: float
    """Lower end of its interval."""
    human_only_high: float
    """Upper end of its interval."""
    metric_only: float
    """The mean of the metric over all outputs, in its own units."""
    weight: float
    """Weight of the metric, λ from 0 (labels alone) to 1; for a metric on another scale, human units per unit of the
    metric; NaN for ``rogan-gladen``."""
    n_labelled: int
    """Outputs with a label and a score of the metric."""
    n_total: int
    """Outputs with a score of the metric."""
    worth: float
    """Number of labels that would be as precise without the metric; NaN if it cannot be estimated."""
    confidence: fields.Confidence


@fields.row
class DifferenceRow:
    """The estimated difference between the mean human scores of two systems."""

    system_a: str
    """One system."""
    system_b: str
    """The other system."""
    metric: fields.Metric
    human: fields.Human
    difference: float
    """Estimate of A minus that of B."""
    low: fields.Low
    high: fields.High
    p_value: fields.PValue
    p_corrected: float
    """The p-value after correction over all pairs of systems."""
    significant_corrected: fields.Corrected
    correction: fields.Correction
    n_labelled: int
    """Number of labels of the system that has fewer."""
    confidence: fields.Confidence


@fields.row
class EstimatedRank:
    """Which ranks a system may have."""

    rank: int
    """Its rank by the estimates, 1 for the best."""
    system: fields.System
    metric: fields.Metric
    human: fields.Human
    estimate: float
    """Its estimate."""
    low: fields.Low
    high: fields.High
    rank_low: int
    """The best rank that it may have: one more than the number of significantly better systems."""
    rank_high: int
    """The worst rank that it may have."""


class Estimates(Result, study="estimate"):
    """Estimated human scores of every system, how systems differ, and how they rank."""

    table: Sequence[EstimateRow]
    """One row per human criterion, metric, method and system."""
    differences: tuple[DifferenceRow, ...]
    """Pairs of systems, by the prediction-powered means."""
    ranking: tuple[EstimatedRank, ...]
    """Systems from the best to the worst, with the ranks that they may have."""


@study
def estimate(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    method: opt.EstimateMethods = None,
    annotated: opt.AnnotatedInputs = None,
    chance: opt.Chance = None,
    confidence: opt.Confidence = 0.95,
    correction: opt.Correction = "holm",
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Estimates:
    """Estimate the mean human score of all outputs, from few labels and a metric on all outputs.

    Notes
    -----
    Angelopoulos, Duchi and Zrnic (2023), "PPI++: Efficient prediction-powered inference": estimates and weights are
    those of ppi_py. Intervals are t intervals with the number of labelled inputs minus one degrees of freedom; for yes
    and no, Wilson's with the effective number of labels. With clusters of inputs, the weight minimises the clustered
    variance. Differences account for inputs that systems share. Rogan and Gladen (1978), with the interval of Lang and
    Reiczigel (2014), as Lee et al. (2025), arXiv 2511.21140, recommend for judges. Labelled outputs must be a random
    sample of all.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.estimate(ma.example(), human="relevance", metric="synthetic-judge", annotated=20)
    >>> all(row.worth >= row.n_labelled for row in result.table)
    True
    """
    simulated: list[Note] = []
    if annotated is not None:
        scores, simulated = take_as_annotated(scores, scores.find_humans(human), annotated, seed)
    if chance is None and vocabulary.LABEL_CHANCE in scores.columns and "ppi" in (method or ("ppi",)):
        chance = vocabulary.LABEL_CHANCE
        simulated.append(Note.of("labels-by-chance"))
    if chance is not None:
        (chance,) = scores.find(chance)
        metric = tuple(n for n in scores.find_metrics(metric, scores.find_humans(human)) if n != chance)
    chosen = select(scores, human, metric, references=references)
    chances = None if chance is None else _chances(chosen.scores, chance)
    rows: list[EstimateRow] = []
    differences: list[DifferenceRow] = []
    ranking: list[EstimatedRank] = []
    notes = [*simulated, *(note for note in chosen.notes if note.code != "cells-missing")]
    for h in range(len(chosen.humans)):
        worths: list[tuple[_Case, tuple[int, int]]] = []
        for m in range(len(chosen.metrics)):
            case = _Case.of(chosen, h, m, confidence, chances)
            mine, (pairs, places) = list(case.rows(method or ("ppi", "rogan-gladen"))), case.compared(correction)
            if not mine and case.yes_no:
                raise DataError(
                    "rogan-gladen needs labels of a random sample of outputs; use --method ppi, or leave out --chance"
                )
            if not mine:
                raise DataError("rogan-gladen needs binary labels and binary scores, 0 and 1; use --method ppi")
            rows += mine
            differences += pairs
            ranking += places
            notes += case.notes(mine)
            worths.append((case, case.worth()))
        notes += _answer(worths, differences, ranking)
    signature = Signature.open(**({} if annotated else {"seed": None}), **chosen.sizes("all"))
    return Estimates(tuple(rows), signature, tuple(notes), tuple(differences), tuple(ranking))


@dataclass(frozen=True)
class _Case:
    """One metric and one human criterion, in people's own units; the metric points the way people's numbers do."""

    names: dict[str, str]
    systems: tuple[str, ...]
    y: FloatArray
    f: FloatArray
    sign: float
    """−1 if small human scores are good."""
    sign_metric: float
    clusters: IntArray | None
    confidence: float
    shares: bool
    """Whether people say yes or no, 1 or 0."""
    alike: bool
    """Whether both use the same scale."""
    p_informative: float
    means: PoweredSystems
    even: bool
    """Whether all outputs had the same chance of a label."""

    @classmethod
    def of(cls, chosen: Selection, human: int, metric: int, confidence: float, chances: FloatArray | None) -> _Case:
        names = {"metric": chosen.metrics[metric], "human": chosen.humans[human]}
        sign_metric, sign = (-1.0 if chosen.scores[name].lower_is_better else 1.0 for name in names.values())
        y, f, clusters = sign * chosen.z[human], sign * chosen.x[metric], chosen.labels("inputs")
        shares = _within(y) and (_yes_no(y) or chosen.scores[names["human"]].scale.kind == "binary")
        alike, p = same_range(f, y), p_informative(y, f, clusters)
        weight = None if p <= UNINFORMATIVE else 0.0
        most = 1.0 if alike else math.inf
        means = powered_systems(y, f, clusters, confidence, weight=weight, most=most, shares=shares, chances=chances)
        systems = chosen.scores.systems
        return cls(
            names, systems, y, f, sign, sign_metric, clusters, confidence, shares, alike, p, means, chances is None
        )

    @property
    def _fixed(self) -> dict[str, object]:
        return {**self.names, "confidence": self.confidence}

    @property
    def yes_no(self) -> bool:
        """Whether both say yes or no."""
        return _yes_no(self.y) and _yes_no(self.f)

    def rows(self, methods: Iterable[str]) -> Iterator[EstimateRow]:
        for method in methods:
            if method == "rogan-gladen" and not (self.yes_no and self.even):
                continue
            for s, (system, found) in enumerate(zip(self.systems, self.means.systems, strict=True)):
                value, weight, worth = found.corrected, found.weight, found.worth
                if method == "rogan-gladen":
                    value = corrected_share_of_items(self.y[s], self.f[s], self.clusters, self.confidence).corrected
                    weight, worth = math.nan, _worth(found.human, value)
                if self.n_labels < CLAIMED:
                    worth = math.nan
                alone = found.human
                yield fields.filled(
                    EstimateRow,
                    self._fixed,
                    system=system,
                    method=method,
                    estimate=value.value,
                    **dict(zip(("low", "high"), self._ends(value), strict=True)),
                    human_only=alone.value,
                    **dict(zip(("human_only_low", "human_only_high"), self._ends(alone), strict=True)),
                    metric_only=self.sign * self.sign_metric * found.judge,
                    weight=weight,
                    n_labelled=found.labelled,
                    n_total=found.total,
                    worth=worth,
                )

    def _ends(self, found: Estimate) -> tuple[float, float]:
        """Return the ends of an interval; NaN where labels that are all alike tell nothing of how they vary."""
        return (math.nan, math.nan) if found.error == 0 and not self.shares else (found.low, found.high)

    def compared(self, correction: str) -> tuple[list[DifferenceRow], list[EstimatedRank]]:
        """Return pairs of systems, and the ranks that systems may have."""
        n = len(self.systems)
        if n < 2:
            return [], []
        pairs = {(a, b): self.means.difference(a, b, self.confidence) for a in range(n) for b in range(a + 1, n)}
        p = np.full((n, n), math.nan)
        for (a, b), found in pairs.items():
            p[a, b] = p[b, a] = found.p_value()
        adjusted, alpha = corrected_pairs(p, correction), 1 - self.confidence
        rows = [
            fields.filled(
                DifferenceRow,
                self._fixed,
                found,
                system_a=self.systems[a],
                system_b=self.systems[b],
                difference=found.value,
                p_value=float(p[a, b]),
                p_corrected=float(adjusted[a, b]),
                significant_corrected=bool(adjusted[a, b] <= alpha),
                correction=correction,
                n_labelled=found.n,
            )
            for (a, b), found in pairs.items()
        ]
        values = np.array([each.corrected.value for each in self.means.systems])
        sets, place = rank_sets(self.sign * values, adjusted, alpha), ranks(self.sign * values)
        known = [s for s in np.argsort(-self.sign * values, kind="stable").tolist() if not math.isnan(values[s])]
        ranking = [
            fields.filled(
                EstimatedRank,
                self._fixed,
                self.means.systems[s].corrected,
                rank=int(place[s]),
                system=self.systems[s],
                estimate=float(values[s]),
                rank_low=int(sets[s, 0]),
                rank_high=int(sets[s, 1]),
            )
            for s in known
        ]
        return rows, ranking

    @property
    def unlabelled(self) -> bool:
        """Whether there is anything to estimate beyond the labels."""
        return any(each.total > each.labelled for each in self.means.systems)

    @property
    def n_labels(self) -> int:
        """Labels of systems that have an estimate."""
        return sum(each.labelled for each in self.means.systems if each.labelled > 1)

    def worth(self) -> tuple[int, int]:
        """Return the labels, and how many would be as precise without the metric; 0 where it is of no help."""
        known, labels = [each for each in self.means.systems if each.labelled > 1], self.n_labels
        before, after = (sum(getattr(each, side).error ** 2 for each in known) for side in ("human", "corrected"))
        helps = self.unlabelled and self.p_informative <= UNINFORMATIVE and after > 0 and labels >= CLAIMED
        return labels, int(labels * before / after) if helps else 0

    def notes(self, rows: Sequence[EstimateRow]) -> Iterator[Note]:
        """Say what the numbers rest on."""
        if all(each.labelled < 2 for each in self.means.systems):
            yield Note.of("labels-none", **self.names)
            return
        if not self.unlabelled:
            yield Note.of("labels-everywhere", **self.names)
        elif not self.p_informative <= UNINFORMATIVE:
            yield Note.of("metric-uninformative", **self.names)
        elif self.n_labels < CLAIMED:
            yield Note.of("labels-not-claimed", **self.names, n=self.n_labels, least=CLAIMED)
        yield from self._caveats(rows, self.unlabelled)

    def _caveats(self, rows: Sequence[EstimateRow], unlabelled: bool) -> Iterator[Note]:
        both = ~np.isnan(self.y + self.f)
        inputs = np.broadcast_to(np.arange(both.shape[1]) if self.clusters is None else self.clusters, both.shape)
        away = self.f - np.array([each.judge for each in self.means.systems])[:, None]
        if (
            unlabelled
            and self.even
            and mean(away[both], [np.unique(inputs[both], return_inverse=True)[1]]).p_value() < UNLIKE
        ):
            yield Note.of("labels-unlike", **self.names)
        if both.sum() >= FEW and (self.y[both] == self.f[both]).all():
            yield Note.of("labels-equal-metric", **self.names, n=both.sum())
        if unscored := int((~np.isnan(self.y) & np.isnan(self.f)).sum()):
            yield Note.of("labels-unscored", **self.names, n=unscored)
        if not self.alike and unlabelled:
            yield Note.of("metric-on-another-scale", **self.names)
        if flat := [row.system for row in rows if row.method == "ppi" and row.n_labelled > 1 and math.isnan(row.low)]:
            yield Note.of("labels-constant", **self.names, systems=flat)
        corrected = [row for row in rows if row.method == "rogan-gladen" and row.n_labelled > 1]
        if lost := [row.system for row in corrected if math.isnan(row.estimate)]:
            yield Note.of("share-undefined", **self.names, systems=lost)
        labels = {name: each.labelled for each, name in zip(self.means.systems, self.systems, strict=True)}
        if without := [name for name, n in labels.items() if n < 2]:
            yield Note.of("labels-lacking", **self.names, systems=without)
        if (least := min(n for n in labels.values() if n > 1)) < FEW:
            yield Note.of("labels-few", **self.names, n=least, least=FEW)


def _answer(
    worths: Sequence[tuple[_Case, tuple[int, int]]], pairs: Sequence[DifferenceRow], places: Sequence[EstimatedRank]
) -> Iterator[Note]:
    """Say what labels and metrics are worth together, and which system is first by the metric that is worth most."""
    order = sorted(worths, key=lambda each: -each[1][1])
    helpful = [(case.names["metric"], worth) for case, (_, worth) in order if worth]
    best, (labels, worth) = order[0]
    if len(helpful) == 1:
        yield Note.of("labels-worth", **best.names, n=labels, worth=worth)
    elif helpful:
        yield Note.of("labels-worth-each", human=best.names["human"], n=labels, worths=tuple(helpful))
    mine = [row for row in places if (row.metric, row.human) == tuple(best.names.values())]
    tested = [
        row.significant_corrected
        for row in pairs
        if mine and mine[0].system in (row.system_a, row.system_b) and not math.isnan(row.p_value)
        if (row.metric, row.human) == tuple(best.names.values())
    ]
    if tested:
        ahead = _ahead(sum(tested), len(best.systems) - 1)
        yield Note.of("ranks-first", **best.names, system=mine[0].system, ahead=ahead)
    elif mine:
        yield Note.of("ranks-untested", **best.names)


def _ahead(won: int, others: int) -> str:
    """Return of how many others a system is significantly ahead, in the words of the note."""
    if won == others:
        return "one" if others == 1 else "all"
    return f"{won} of the {others}" if won else "none"


def _chances(scores: Scores, name: str) -> FloatArray:
    """Return the probabilities of a column, which must be some."""
    found = scores[name].mean()
    if not ((found > 0) & (found <= 1) | np.isnan(found)).all():
        raise DataError(f"{one_line(name)!r} must hold probabilities above 0 and up to 1, got {np.nanmin(found):g}")
    return found


def _yes_no(values: FloatArray) -> bool:
    """Say whether all that is known is 0 or 1."""
    return bool((np.isnan(values) | (values == 0) | (values == 1)).all())


def _within(values: FloatArray) -> bool:
    return bool((np.isnan(values) | ((values >= 0) & (values <= 1))).all())


def _worth(alone: Estimate, found: Estimate) -> float:
    """Return how many labels alone would be as precise."""
    return alone.n * (alone.error / found.error) ** 2 if found.error > 0 else math.nan
