"""How many labels does a judge need, and which?

Uses outputs that both people and a judge judged, such as those of a pilot study. Estimates how many labels are needed
to know, with a chosen precision, the judge's accuracy, its κ with people, and the mean or pass rate that people would
give to all outputs. Then compares ways to choose the next labels, by simulation on the same data.

    metassay plan-labels judge.csv --human verdict_anna --metric strict-judge --half-width 0.03
    metassay plan-labels judge.csv --human verdict_anna --metric strict-judge,kind-judge --annotations 99 --view choices
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.clustered import bootstrap, share
from metassay.stats.draws import PLANS, stream
from metassay.stats.intervals import percentiles
from metassay.stats.label_choices import choice_errors, labels_for_mean, labels_for_share
from metassay.stats.prediction_powered import powered_mean
from metassay.stats.statistics.labels import KAPPA
from metassay.studies.judge_data import criteria_of
from metassay.studies.selection import Selection, select

FEWEST = 20
"""Fewer outputs with a label and a score teach nothing."""
DRAWS = 1_000
"""Resamples behind the interval of κ."""
BETTER = 1.15
"""A way to choose is better than chance if its labels are worth so many times as many; less is error of simulation."""
MOST_LABELS = 20
"""With more different values, columns hold numbers, and being equal means nothing."""


@fields.row
class LabelNeed(fields.OfMetric):
    """The number of labels needed to know one quantity with the target precision."""

    quantity: str
    """``accuracy`` and ``kappa`` of the judge, or ``mean``: the mean human score of all outputs, by `estimate`."""
    value: float
    """Its present estimate."""
    n_labelled: int
    """Present number of labels."""
    half_width: float
    """Half the width of its interval now."""
    target: float
    """The target half width."""
    needed: int | None
    """The approximate number of labels needed, at least 20; None if labels of all outputs would not be enough, or
    nothing varies."""
    needed_alone: int | None
    """For the mean, the number of labels needed without the judge; None otherwise."""
    confidence: fields.Confidence


@fields.row
class LabelChoice(fields.OfMetric):
    """The precision of one way to choose labels, in simulations on the data."""

    strategy: str
    """``random``, ``stratified``, ``disagreement`` or ``variance``."""
    n: int
    """How many labels are chosen."""
    error_mean: float
    """Root mean squared error of the estimated human mean, with weights that account for the choice."""
    error_accuracy: float
    """The same for the judge's accuracy; NaN if verdicts are numbers."""
    worth_mean: float
    """Number of random labels that would give the mean as precisely."""
    worth_accuracy: float
    """Number of random labels that would give the accuracy as precisely."""
    errors_found: float
    """Share of the chosen outputs on which judge and people differ; NaN if verdicts are numbers."""
    trials: int
    """Number of simulated choices."""


class LabelPlan(Result, study="plan-labels"):
    """How many labels are needed, and which ways to choose them are best."""

    table: Sequence[LabelNeed]
    """One row per human criterion, metric and quantity."""
    choices: tuple[LabelChoice, ...]
    """One row per human criterion, metric and way to choose."""


@study
def plan_labels(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    half_width: opt.HalfWidth = 0.03,
    annotations: opt.Annotations = 100,
    confidence: opt.Confidence = 0.95,
    trials: opt.Trials = 500,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> LabelPlan:
    """Estimate how many labels a judge needs, and which way to choose them is best.

    Notes
    -----
    If several people label an output, the majority label counts, and outputs with a tie are excluded. Errors are
    clustered by input if there are several systems, or clusters of inputs. Accuracy has Wilson's interval, as in
    `judge`, the mean that of t; both are those of the planned number of labels, with its degrees of freedom. The
    bootstrap interval of κ shrinks with the root of the number of labels. With a judge, the variance of the mean is
    σ²(1 − ρ²(1 − n/N))/n (Angelopoulos, Duchi and Zrnic 2023). Choices are simulated on the outputs that have
    labels, by systematic sampling with unequal probabilities; estimates weigh each label by the inverse of its
    probability and use the judge as regressor, as in active statistical inference (Zrnic and Candès 2024).

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.plan_labels(ma.example(), human="relevance", metric="synthetic-judge", half_width=0.1, trials=20)
    >>> [(row.quantity, row.needed < row.needed_alone) for row in result.table]
    [('mean', True)]
    """
    chosen = select(scores, human, metric, references=references)
    rows: list[LabelNeed] = []
    choices: list[LabelChoice] = []
    notes = [note for note in chosen.notes if note.code != "cells-missing"]
    for h, m in np.ndindex(len(chosen.humans), len(chosen.metrics)):
        pilot = _Pilot.of(chosen, h, m)
        if pilot.yes_no and half_width >= 0.5:
            raise UsageError(f"half_width of a share must be below 0.5, got {half_width:g}; {_meant(half_width)}")
        needs = list(_needs(pilot, half_width, confidence, seed))
        mine = list(_choices(pilot, annotations, trials, seed))
        told = {"metric": pilot.metric, "human": pilot.human}
        known = [(r.quantity, r.half_width, r.needed, r.needed_alone) for r in needs if r.needed is not None]
        notes += Note.when(known, "labels-needed", **told, target=half_width, needed=known, n=pilot.n)
        lacking = [row.quantity for row in needs if row.needed is None and row.half_width > 0]
        notes += Note.when(lacking, "labels-not-enough", **told, quantities=lacking, target=half_width)
        told_apart = [row for row in mine if not math.isnan(row.worth_mean)]
        if told_apart:
            best = max(told_apart, key=lambda row: row.worth_mean)
            if best.worth_mean > BETTER * best.n:
                facts = {"strategy": best.strategy, "worth": int(best.worth_mean)}
                notes.append(Note.of("labels-choice", **told, n=best.n, **facts))
            else:
                notes.append(Note.of("labels-any-choice", **told, n=best.n))
        beyond = not np.isnan(pilot.whole[0][~np.isnan(pilot.whole[1])]).any()
        notes += Note.when(beyond, "planned-beyond-labels", **told)
        rows += needs
        choices += mine
    notes += Note.when(len(chosen.metrics) < 2, "one-judge-cannot-disagree")
    signature = Signature.open(target=f"{half_width:g}", **chosen.sizes())
    return LabelPlan(tuple(rows), signature, tuple(notes), tuple(choices))


@dataclass(frozen=True)
class _Pilot:
    """Outputs with a label and a score, as vectors."""

    metric: str
    human: str
    y: FloatArray
    f: FloatArray
    judges: FloatArray
    """All judges on these outputs, (judges, n)."""
    inputs: IntArray
    """The input, or cluster of inputs, of each output."""
    clustered: bool
    """Whether outputs may share an input or cluster; if not, shares are those of independent outputs, as in `judge`."""
    verdicts: bool
    """Whether labels and scores are verdicts that may be equal."""
    whole: tuple[FloatArray, FloatArray, IntArray]
    """People, judge and inputs over all outputs."""

    @classmethod
    def of(cls, chosen: Selection, human: int, metric: int) -> _Pilot:
        names = chosen.metrics[metric], chosen.humans[human]
        y, f = chosen.z[human], chosen.x[metric]
        (people,) = criteria_of(chosen.scores, names[1:])
        if people.kind == "labels" and len(people.people) > 1 and not people.lower:
            most = np.full(y.shape, math.nan)  # the label of most, of which a judge can be right or wrong
            most.ravel()[people.cells] = people.truth
            y, f = most, np.where(np.isnan(most) & ~np.isnan(y), math.nan, f)
        both: BoolArray = ~np.isnan(y + f)
        n = int(both.sum())
        if n < FEWEST:
            raise DataError(
                f"planning labels needs at least {FEWEST} outputs with a label of {one_line(names[1])!r} and a score "
                f"of {one_line(names[0])!r}, got {n}"
            )
        labels = chosen.labels("inputs")
        clustered = y.shape[0] > 1 or labels is not None
        inputs = np.broadcast_to(np.arange(y.shape[1]) if labels is None else labels, y.shape)
        values = np.unique(np.append(y[both], f[both]))
        verdicts = len(values) <= MOST_LABELS and bool((values == np.floor(values)).all())
        whole = (y.ravel(), f.ravel(), inputs.ravel())
        return cls(*names, y[both], f[both], chosen.x[:, both], inputs[both], clustered, verdicts, whole)

    @property
    def yes_no(self) -> bool:
        """Whether both say yes or no, 1 or 0."""
        return bool(np.isin([self.y, self.f], (0.0, 1.0)).all())

    @property
    def ways(self) -> list[IntArray]:
        """Clusters of the outputs, if there are any."""
        return [self.inputs] if self.clustered else []

    @property
    def n(self) -> int:
        """How many labels there are."""
        return len(self.y)


def _needs(pilot: _Pilot, target: float, confidence: float, seed: int) -> Iterator[LabelNeed]:
    def need(quantity: str, value: float, half: float, needed: float, alone: float = math.nan) -> LabelNeed:
        if not half > 0:  # nothing shows how far it varies
            half = needed = math.nan
        return LabelNeed(
            pilot.metric, pilot.human, quantity, value, pilot.n, half, target, _up(needed), _up(alone), confidence
        )

    if pilot.verdicts:
        right = share((pilot.y == pilot.f).astype(float), pilot.ways, confidence)
        half = (right.high - right.low) / 2
        yield need("accuracy", right.value, half, labels_for_share(right, target, confidence))
        table = KAPPA.tabulated(pilot.f, pilot.y, np.unique(pilot.inputs, return_inverse=True)[1])
        low, high = percentiles(bootstrap(table.correlate, table.size, DRAWS, seed)[None], confidence)
        half = float(high[0] - low[0]) / 2
        yield need("kappa", table.estimate(), half, pilot.n * (half / target) ** 2)
    found = powered_mean(pilot.whole[0], pilot.whole[1], clusters=pilot.whole[2], confidence=confidence, most=math.inf)
    half = (found.corrected.high - found.corrected.low) / 2
    varies = pilot.y.std() > 0 and pilot.f.std() > 0
    gain = max(float(np.corrcoef(pilot.y, pilot.f)[0, 1]), 0.0) ** 2 if varies else 0.0
    # Where all is labelled, N is taken to be without end.
    everything = found.total if found.total > found.labelled else math.inf
    if pilot.yes_no and not pilot.y.std() > 0:  # all said the same, which leaves room for others
        all_alike = share(pilot.y, pilot.ways, confidence)
        half = (all_alike.high - all_alike.low) / 2
        many = labels_for_share(all_alike, target, confidence)
        needed = many if many <= everything else math.inf
    else:
        many = labels_for_mean(found.human, target, confidence)
        needed = labels_for_mean(found.human, target, confidence, gain, everything)
    yield need("mean", found.corrected.value, half, needed, many)


def _meant(half_width: float) -> str:
    return f"did you mean {half_width / 100:g}?" if half_width >= 1 else "choose such as 0.03"


def _up(n: float) -> int | None:
    """Return a whole number of labels, never so few that they teach nothing; None if no number is known."""
    return max(math.ceil(n), FEWEST) if math.isfinite(n) else None


def _choices(pilot: _Pilot, wanted: int, trials: int, seed: int) -> Iterator[LabelChoice]:
    """Choose labels among those that there are, again and again, and see how far estimates are off."""
    n = min(wanted, pilot.n // 2)
    names = [name for name in vocabulary.LABEL_CHOICES if name != "disagreement" or len(pilot.judges) > 1]
    errors = {
        strategy: choice_errors(strategy, pilot.judges, pilot.y, pilot.f, n, trials, stream(seed, PLANS, 5, at))
        for at, strategy in enumerate(names)
    }
    for strategy, (mean_off, right_off, wrong) in errors.items():
        pairs = zip(errors["random"][:2], (mean_off, right_off), strict=True)
        worth = [n * (a / b) ** 2 if b > 0 else math.nan for a, b in pairs]
        none = math.nan if not pilot.verdicts else 1.0
        yield LabelChoice(
            metric=pilot.metric,
            human=pilot.human,
            strategy=strategy,
            n=n,
            error_mean=float(mean_off),
            error_accuracy=none * float(right_off),
            worth_mean=float(worth[0]),
            worth_accuracy=none * float(worth[1]),
            errors_found=none * float(wrong),
            trials=trials,
        )
