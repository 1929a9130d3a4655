"""Does a metric lead to the same decisions about systems as people?

Tests every pair of systems once by each metric and once by people, and counts how often both come to the same decision:
the first is better, the second is better, or no significant difference. A metric can agree well with people on average
and still decide differently about the pairs that matter.

    metassay decisions scores.csv --human relevance
    metassay decisions scores.csv --human relevance --test paired-t --correction holm
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metassay import engine
from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import BootstrapPages
from metassay.stats.intervals import percentile
from metassay.stats.kernels.weighted_ranks import quotient
from metassay.stats.methods.base import Reason
from metassay.stats.significance import corrected
from metassay.studies.method_notes import no_number
from metassay.studies.selection import select
from metassay.studies.system_pair_tests import Plan, judge_pairs
from metassay.studies.yardsticks import ahead, notes_on_draws, notes_on_kinds

FEWEST = 3
"""Systems that an interval over systems needs: two make a single pair, whatever is drawn."""


@fields.row
class DecisionRow(fields.OfMetric):
    """How often a metric and people come to the same decision about two systems.

    A decision is one of three: A is significantly better, B is significantly better, or no difference was found.
    """

    n_pairs: int
    """Pairs of systems that could be tested by both."""
    both_agree: int
    """Both find a significant difference, in the same direction."""
    opposite: int
    """Both find a significant difference, in opposite directions."""
    metric_only: int
    """Only the metric finds one."""
    human_only: int
    """Only people find one."""
    neither: int
    """Neither finds one."""
    agreement: float
    """Share of pairs with the same decision: (both_agree + neither) / n_pairs."""
    low: float
    """Lower end of the interval of this share, by resampling systems; NaN with fewer than three."""
    high: fields.High
    precision: float
    """Of the differences that the metric finds, the share that people find too, in the same direction."""
    recall: float
    """Of the differences that people find, the share that the metric finds too, in the same direction."""
    kappa: float
    """Agreement beyond chance; it does not depend on which system of a pair is called A."""
    test: str
    """``wilcoxon``, ``paired-t`` or ``unpaired-t``, for the metric and for people."""
    cutoff: str
    """``theory``, ``mc`` or ``hb``."""
    alpha: fields.Alpha
    correction: str
    """``none``, ``bonferroni``, ``holm``, ``bh`` or ``by``, over all pairs of a metric, and of a criterion."""
    confidence: fields.Confidence
    resamples: fields.Resamples
    resamples_undefined: int
    """Resamples without a pair of different systems; excluded."""
    n_systems: int
    """Systems in these pairs."""
    n_inputs: int
    """Inputs that the metric and people both scored, for at least one system."""
    kind: fields.MetricKind = "metric"
    beats_sentinels: fields.BeatsSentinels = None


class Decisions(Result, study="decisions"):
    """Agreement of metrics and people on decisions about pairs of systems."""

    table: Sequence[DecisionRow]
    """One row per metric and human criterion."""


@study
def decisions(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    test: opt.SystemTest = "wilcoxon",
    cutoff: opt.Cutoff = "theory",
    alpha: opt.Alpha = 0.05,
    correction: opt.Correction = "none",
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 2_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
    sentinels: opt.Sentinels = False,
    people_as_metrics: opt.PeopleAsMetrics = False,
) -> Decisions:
    """Count the pairs of systems about which a metric and people come to the same decision.

    Every pair of systems is tested (two-sided) once by the metric and once by people, over the inputs that both
    systems have and both the metric and people scored.

    Notes
    -----
    Comparing metrics by the significant differences between systems that they share with people was proposed by
    Owczarzak, Conroy, Dang and Nenkova (2012), "An Assessment of the Accuracy of Automatic Evaluation in
    Summarization". The interval resamples systems with replacement and counts the pairs of different systems, each as
    often as both were drawn; decisions stay as they are. With shares m and h of pairs in which the metric and people
    find a difference, chance agreement is (1 − m)(1 − h) + mh/2: each direction is as likely as the other.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.decisions(ma.example(), human="relevance", metric="synthetic-judge,synthetic-noise")
    >>> judge, noise = result.table
    >>> judge.agreement > noise.agreement
    True
    """
    selected = select(scores, human, metric, references=references, sentinels=sentinels, people=people_as_metrics).need(
        systems=2
    )
    n = len(selected.scores.systems)
    first, second = np.triu_indices(n, 1)
    plan = Plan((test,), (cutoff,), "two-sided", alpha, resamples, seed)
    # People's decisions are the same for all metrics that miss the same cells.
    known: dict[tuple[bytes, bytes], _Decided] = {}
    tables: list[_Table] = []
    for h, human_name in enumerate(selected.humans):
        taken = selected.beside(h, "system")
        for k, (name, kind) in enumerate(taken.metric_kinds.items()):
            x, z = taken.x[k], taken.people(h, [k])
            shared = ~np.isnan(x) & ~np.isnan(z)
            key = (z.tobytes(), shared.tobytes())
            if key not in known:
                known[key] = _decide(np.where(shared, z, np.nan), first, second, plan, correction)
            by_metric = _decide(np.where(shared, x, np.nan), first, second, plan, correction)
            n_inputs = int(shared.any(axis=0).sum())
            tables.append(_Table(name, human_name, by_metric, known[key], n_inputs, kind))
    shares = _resampled([t.agree(n, first, second) for t in tables], n, resamples, seed, selected.labels("systems"))
    rows = []
    for table, share in zip(tables, shares, strict=True):
        low, high = percentile(share, confidence) if n >= FEWEST else (math.nan, math.nan)
        undefined = int(np.isnan(share).sum())
        own = {"low": low, "high": high, "resamples_undefined": undefined, "beats_sentinels": None}
        rows.append(table.row(first, second, plan, {**own, "correction": correction, "confidence": confidence}))
    if sentinels:
        rows = _against_sentinels(rows, shares, 1 - confidence)
    signature = Signature.open(alt="two-sided", ci=f"boot-systems,{confidence:g}", **selected.sizes())
    told = (*_notes(rows, tables, test, n), *notes_on_draws(rows, "decisions", 1 - confidence))
    return Decisions(tuple(rows), signature, (*notes_on_kinds(selected.notes, [row.kind for row in rows]), *told))


def _against_sentinels(rows: Sequence[DecisionRow], shares: FloatArray, alpha: float) -> list[DecisionRow]:
    """Return rows that say which metrics share more decisions with people than sentinels do."""
    found: dict[tuple[str, str], bool] = {}
    for human in dict.fromkeys(row.human for row in rows):
        mine = {row.metric: own for row, own in zip(rows, shares, strict=True) if row.human == human}
        kinds = {row.metric: row.kind for row in rows if row.human == human}
        found |= {(human, name): better for name, better in ahead(mine, kinds, alpha).items()}
    return [replace(row, beats_sentinels=found.get((row.human, row.metric))) for row in rows]


@dataclass(frozen=True)
class _Decided:
    """Decisions about pairs of systems."""

    direction: IntArray
    """1 if the first system is significantly better, −1 if the second is, else 0."""
    tested: IntArray
    """1 if the systems have at least two inputs in common, else 0."""


def _decide(values: FloatArray, first: IntArray, second: IntArray, plan: Plan, correction: str) -> _Decided:
    judged = judge_pairs(values, first, second, plan)
    (outcome,) = judged.outcomes.values()
    significant = corrected(outcome.p_value, correction) <= plan.alpha
    # The direction is that of the statistic that was tested: a rank sum and a mean may disagree.
    direction = np.where(significant, np.sign(np.nan_to_num(outcome.statistic)), 0).astype(np.int64)
    return _Decided(direction, (judged.n >= 2).astype(np.int64))


@dataclass(frozen=True)
class _Table:
    """Decisions of one metric beside those of people."""

    metric: str
    human: str
    by_metric: _Decided
    by_people: _Decided
    n_inputs: int
    kind: str

    def agree(self, n: int, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return which systems are decided alike, and which were tested at all, as symmetric tables."""
        alike, tested = np.zeros((2, n, n))
        same = (self.by_metric.direction == self.by_people.direction) & (self.by_metric.tested > 0)
        alike[first, second] = same
        tested[first, second] = self.by_metric.tested
        return alike + alike.T, tested + tested.T

    def row(self, first: IntArray, second: IntArray, plan: Plan, own: Mapping[str, object]) -> DecisionRow:
        at = self.by_metric.tested > 0
        metric, people = self.by_metric.direction[at], self.by_people.direction[at]
        both = int(((metric != 0) & (metric == people)).sum())
        opposite = int((metric * people < 0).sum())
        metric_only = int(((metric != 0) & (people == 0)).sum())
        human_only = int(((metric == 0) & (people != 0)).sum())
        pairs = len(metric)
        neither = pairs - both - opposite - metric_only - human_only
        agreement = _share(both + neither, pairs)
        return fields.filled(
            DecisionRow,
            own,
            self,
            plan,
            n_pairs=pairs,
            both_agree=both,
            opposite=opposite,
            metric_only=metric_only,
            human_only=human_only,
            neither=neither,
            agreement=agreement,
            precision=_share(both, both + opposite + metric_only),
            recall=_share(both, both + opposite + human_only),
            kappa=_kappa(
                agreement, _share(both + opposite + metric_only, pairs), _share(both + opposite + human_only, pairs)
            ),
            test=plan.tests[0],
            cutoff=plan.cutoffs[0],
            n_systems=len({*first[at].tolist(), *second[at].tolist()}),
        )


def _resampled(
    tables: list[tuple[FloatArray, FloatArray]], n: int, resamples: int, seed: int, families: IntArray | None
) -> FloatArray:
    """Return the agreement of each table in each resample of systems; NaN where no two different ones were drawn."""
    pages = BootstrapPages(resamples, (n, 1), seed, resample_inputs=False, families=families)

    def work(page: int) -> FloatArray:
        drawn, _ = pages[page]
        assert drawn is not None
        # Each table is a sum over pairs, weighted by how often both systems were drawn.
        sums = np.array([[((part @ drawn) * drawn).sum(axis=0) for part in table] for table in tables])
        return quotient(sums[:, 0], sums[:, 1])

    found = engine.run(work, len(pages), what="boot-systems")
    return np.concatenate(found, axis=1)[:, :resamples]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _kappa(agreement: float, metric: float, people: float) -> float:
    chance = (1 - metric) * (1 - people) + metric * people / 2
    return (agreement - chance) / (1 - chance) if chance < 1 else math.nan


def _notes(rows: Sequence[DecisionRow], tables: Sequence[_Table], test: str, n: int) -> list[Note]:
    notes, few = [], Reason("few-systems", FEWEST, n)
    for row in rows if n < FEWEST else ():
        where = {"human": row.human, "statistic": "same decision", "metric": row.metric}
        notes.append(no_number("no-interval", few, "system", "boot-systems", **where))
    pairs = max(len(table.by_metric.tested) for table in tables)
    fewer = dict.fromkeys(row.metric for row in rows if row.n_pairs < pairs)
    return [
        *notes,
        *Note.when(fewer, "pairs-excluded", metrics=fewer),
        *Note.when(any(math.isnan(row.precision + row.recall) for row in rows), "precision-recall-undefined"),
        *Note.when(test == "unpaired-t", "unpaired-t-loses-power"),
        Note.of("agreement-counts-neither"),
    ]
