"""Which systems differ?

Tests for every pair of systems whether they differ, by each metric and each human criterion, over the inputs that both
systems have. Tests that pair the scores by input have more power than the unpaired t-test, which is shown for
comparison. Their cut-offs come from theory, from swapping scores within pairs (mc), or from drawing pairs with
replacement and swapping (hb). Groups of systems, such as people and machines, are compared with each other.
Human-written references that were scored like systems are included. paired-bootstrap and approximate-randomization test
scores of whole systems: means over inputs, or with --corpus the BLEU, chrF, TER and METEOR of a system. With --seed
12345 their p-values are those of sacrebleu's --paired-bs and --paired-ar.

    metassay systems scores.csv --human relevance
    metassay systems scores.csv --metric '*-judge' --group 'old=system-0*' --group 'new=*'
    metassay systems scores.csv --metric synthetic-overlap --test wilcoxon --cutoff theory,mc,hb --correction holm
    metassay systems texts.jsonl --corpus --metric bleu,chrf --test paired-bootstrap --seed 12345
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.corpus import CorpusColumn, CorpusScores
from metassay.core.groups import GroupPatterns, assign_groups
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import REFERENCE_GROUP, Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError
from metassay.stats import corpus_scores
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.corpus_scores import Formula
from metassay.stats.significance import corrected
from metassay.studies.selection import select_columns
from metassay.studies.system_pair_tests import JudgedPairs, Method, Plan, judge_corpora, judge_pairs


@fields.row
class SystemRow:
    """One test of whether system A differs from system B."""

    metric: fields.Column
    system_a: str
    """The system that is better under the alternative ``greater``."""
    system_b: str
    """The system it is compared with."""
    group_a: str | None
    """The group of A; None if it has none."""
    group_b: str | None
    """The group of B; None if it has none."""
    test: str
    """``unpaired-t``, ``paired-t``, ``wilcoxon``, ``paired-bootstrap`` or ``approximate-randomization``."""
    cutoff: str
    """Where p-value and threshold come from: ``theory``, ``mc``, ``hb``, or ``resampled`` for the last two tests."""
    test_statistic: float
    """T, T_p, or W, the sum of the ranks of |A − B|, each with the sign of A − B; NaN if A and B never differ. Of the
    tests on whole systems, the difference of the two scores."""
    p_value: fields.PValue
    threshold: float
    """The critical value of the statistic (of its absolute value, if two-sided); ∞ if n is too small for any; NaN for
    tests on whole systems."""
    n_inputs: int
    """Inputs that both systems have."""
    mean_difference: float
    """Mean score of A minus mean score of B over these inputs; for corpus scores, the score of A minus that of B."""
    low: float
    """Lower end of the paired-t interval of the mean difference, with confidence 1 − α; with ``paired-bootstrap`` of
    the percentile interval, and NaN with ``approximate-randomization`` alone."""
    high: fields.High
    effect: float
    """Cohen's d (``unpaired-t``), Cohen's d_z (``paired-t``) or the rank-biserial correlation (``wilcoxon``)."""
    significant: fields.Significant
    significant_corrected: bool
    """Whether the null hypothesis is rejected after correction over all pairs of this metric, test and cut-off."""
    alternative: fields.Alternative
    correction: fields.Correction
    resamples: int | None
    """Number of drawn data sets behind the p-value; None with ``theory``."""
    resamples_undefined: int
    """Drawn data sets in which the systems never differed; excluded."""


@fields.row
class SystemCount:
    """How many pairs of systems differ significantly by one metric and one test."""

    metric: fields.Column
    group_a: str | None
    """The group of the first system; None where all pairs are counted."""
    group_b: str | None
    """The group of the second system; None where all pairs are counted."""
    test: fields.Test
    cutoff: str
    """The kind of cut-off."""
    n_pairs: int
    """Pairs of systems."""
    n_undefined: int
    """Pairs that cannot be tested: fewer than two common inputs, or never a difference."""
    n_significant: int
    """Pairs with p ≤ α."""
    n_significant_corrected: int
    """Pairs that still differ after correction."""
    n_a_better: int
    """Those of them in which the first system is better by the sign of the statistic; a mean may say otherwise."""
    n_b_better: int
    """Those of them in which the second system is better by the sign of the statistic."""


class SystemComparison(Result, study="systems"):
    """Tests of all pairs of systems, and how many are significant by each test."""

    table: Sequence[SystemRow]
    """One row per metric, cut-off, test and pair of systems; ordered pairs if the alternative has one side."""
    counts: tuple[SystemCount, ...]
    """Over all pairs, and over each two groups."""
    alpha: float
    """The significance level."""


@study
def systems(
    scores: Scores | CorpusScores,
    *,
    metric: opt.Metric = None,
    human: opt.Human = None,
    test: opt.SystemTests = "unpaired-t,paired-t,wilcoxon",
    cutoff: opt.Cutoffs = "theory",
    alternative: opt.Alternative = "two-sided",
    alpha: opt.Alpha = 0.05,
    correction: opt.Correction = "none",
    group: opt.Groups = None,
    resamples: opt.Resamples = 2_000,
    seed: opt.Seed = 0,
    references: opt.References = True,
) -> SystemComparison:
    """Test for every pair of systems whether they differ, over the inputs that both have.

    Parameters
    ----------
    scores
        Scores of metrics, of people, or of both; or corpus scores (`metassay.score_corpus`).

    Notes
    -----
    Rankel, Conroy, Slud and O'Leary (2011), "Ranking Human and Machine Summarization Systems", §2 and §4, Tables 1
    and 2. Theory agrees with SciPy's ``ttest_ind``, ``ttest_rel`` and ``wilcoxon`` (``zero_method="wilcox"``,
    ``method="auto"``: exact for up to 50 inputs without ties and zeros and for up to 13 with them, else the normal
    approximation without a correction for continuity). Differences that agree to 2⁻⁴⁰ of the larger score count as
    tied, and smaller ones as 0 in all tests, since decimal fractions leave rounding errors. Resampled p-values are
    (c + 1)/(k + 1), c counting draws at least as extreme; thresholds are (1 − α)-quantiles of the drawn statistics.

    The tests of whole systems have the p-values of sacrebleu's ``--paired-bs`` (its default: 1,000 resamples) and
    ``--paired-ar`` (10,000) with the same seed; its default seed is 12345.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.systems(ma.example(), metric="synthetic-judge", test="paired-t,wilcoxon")
    >>> [(c.test, c.n_pairs) for c in result.counts]
    [('paired-t', 91), ('wilcoxon', 91)]
    """
    tests, cutoffs = tuple(test), tuple(cutoff)
    whole = _of_whole_systems(tests, cutoffs, alternative, isinstance(scores, CorpusScores))
    if whole:
        cutoffs = ("resampled",)
    corpora = None
    if isinstance(scores, CorpusScores):
        table = scores.to_scores()
        corpora = [scores.columns[name] for name in table.find_metrics(metric, ())]
        names = tuple(column.name for column in corpora)
        kinds, notes = ("metric",) * len(names), list(scores.notes)
        values = np.stack([column.counts[..., 0] for column in corpora])
        n, m = values.shape[1:]
    else:
        columns = select_columns(scores, human, metric, references=references)
        table, names, kinds, values = columns.scores, columns.names, columns.kinds, columns.values
        notes = columns.notes
        n, m = table.shape
    if n < 2:
        raise DataError(f"comparing systems needs at least 2 systems, got {n}")
    groups = assign_groups(table, group)
    pairs = _Pairs.of(table.systems, groups, _group_names(group, groups), both_orders=alternative != "two-sided")
    plan = Plan(tests, cutoffs, alternative, alpha, resamples, seed)
    rows: list[SystemRow] = []
    counts: list[SystemCount] = []
    for at, name in enumerate(names):
        if whole:
            added = _means(values[at]) if corpora is None else _corpus(corpora[at])
            judged = judge_corpora(*added, pairs.first, pairs.second, plan)
        else:
            judged = judge_pairs(values[at], pairs.first, pairs.second, plan)
        for (test_name, cutoff_name), outcome in judged.outcomes.items():
            adjusted = corrected(outcome.p_value, correction)
            marks = _Marks(outcome.p_value <= alpha, adjusted <= alpha, np.isnan(outcome.p_value))
            drawn = None if cutoff_name == "theory" else resamples
            rows += _rows(name, pairs, (test_name, cutoff_name), judged, marks, (alternative, correction, drawn))
            counts += _counts(name, pairs, (test_name, cutoff_name), judged, marks)
    signature = Signature.open(cutoff=cutoffs, **({} if plan.drawn else {"k": None, "seed": None}), systems=n, inputs=m)
    told = [*_summary(counts, "human" in kinds, correction, alternative), *notes]
    told += _notes(plan, values, rows, counts, correction)
    return SystemComparison(tuple(rows), signature, tuple(told), tuple(counts), alpha)


def _of_whole_systems(tests: Sequence[str], cutoffs: Sequence[str], alternative: str, corpus: bool) -> bool:
    """Say whether tests are those of whole systems, and raise whatever does not go with them."""
    whole = [test for test in tests if test in vocabulary.CORPUS_TESTS]
    known = " and ".join(vocabulary.CORPUS_TESTS)
    if corpus and len(whole) < len(tests):
        other = next(test for test in tests if test not in whole)
        raise UsageError(f"{other} needs a score of every output, and corpus scores have none; choose {known}")
    if not whole:
        return False
    if len(whole) < len(tests):
        raise UsageError(f"{known} test scores of whole systems; ask for other tests in another run")
    if tuple(cutoffs) != ("theory",) or alternative != "two-sided":
        raise UsageError(f"{whole[0]} is two-sided and has its own p-values: leave out cutoff and alternative")
    return True


def _means(values: FloatArray) -> tuple[FloatArray, Formula]:
    """Return ordinary scores as sums and numbers, of which the mean is made."""
    return np.stack([values, np.where(np.isnan(values), np.nan, 1.0)], axis=-1), corpus_scores.mean


def _corpus(column: CorpusColumn) -> tuple[FloatArray, Formula]:
    """Return the counts of a metric, and its score with high ones good."""
    formula = column.formula
    return column.counts, (lambda counts: -formula(counts)) if column.lower_is_better else formula


@dataclass(frozen=True)
class _Pairs:
    """Pairs of systems with their labels; systems stand in the order of their groups."""

    first: IntArray
    second: IntArray
    systems: tuple[str, ...]
    groups: Mapping[str, str]
    cells: Mapping[tuple[str, str], IntArray]
    """Which pairs have their first and their second system in two given groups."""

    @classmethod
    def of(cls, systems: tuple[str, ...], groups: Mapping[str, str], names: list[str], *, both_orders: bool) -> _Pairs:
        place = {name: at for at, name in enumerate(names)}
        of = np.array([place.get(groups.get(s, ""), len(names)) for s in systems])
        order = np.argsort(of, kind="stable")
        i, k = np.triu_indices(len(systems), 1)
        first, second = order[i], order[k]
        if both_orders:
            first, second = np.concatenate([first, second]), np.concatenate([second, first])
        cells = {}
        # Two groups against each other come before each group within itself.
        every = [(a, b) for a in range(len(names)) for b in range(len(names))]
        for a, b in sorted(every, key=lambda cell: cell[0] == cell[1]):
            here = np.flatnonzero((of[first] == a) & (of[second] == b))
            if len(here):
                cells[names[a], names[b]] = here
        return cls(first, second, systems, groups, cells if len(names) > 1 else {})

    def labels(self) -> Iterator[tuple[str, str, str | None, str | None]]:
        """Yield both systems of each pair, and their groups."""
        for a, b in zip(self.first.tolist(), self.second.tolist(), strict=True):
            one, other = self.systems[a], self.systems[b]
            yield one, other, self.groups.get(one), self.groups.get(other)


@dataclass(frozen=True)
class _Marks:
    significant: npt.NDArray[np.bool_]
    corrected: npt.NDArray[np.bool_]
    undefined: npt.NDArray[np.bool_]


def _group_names(group: GroupPatterns | None, groups: Mapping[str, str]) -> list[str]:
    """Return the groups in the order given; people's own texts first where the data gave them."""
    used = set(groups.values())
    if group is None:
        return sorted(used, key=lambda name: (name != REFERENCE_GROUP, name))
    if isinstance(group, Mapping):
        wanted = [str(name) for name in group]
    else:
        texts = (group,) if isinstance(group, str) else group
        wanted = [str(text).partition("=")[0].strip() for text in texts]
    return [name for name in dict.fromkeys(wanted) if name in used]


def _rows(
    metric: str, pairs: _Pairs, method: Method, judged: JudgedPairs, marks: _Marks, fixed: tuple[str, str, int | None]
) -> Iterator[SystemRow]:
    outcome = judged.outcomes[method]
    numbers = zip(
        pairs.labels(),
        outcome.statistic.tolist(),
        outcome.p_value.tolist(),
        outcome.threshold.tolist(),
        judged.n.tolist(),
        judged.mean_difference.tolist(),
        judged.low.tolist(),
        judged.high.tolist(),
        outcome.effect.tolist(),
        marks.significant.tolist(),
        marks.corrected.tolist(),
        outcome.undefined.tolist(),
        strict=True,
    )
    for (a, b, group_a, group_b), t, p, threshold, n, mean, low, high, effect, raw, final, lost in numbers:
        units = (metric, a, b, group_a, group_b, *method)
        yield SystemRow(*units, t, p, threshold, n, mean, low, high, effect, raw, final, *fixed, lost)


def _counts(metric: str, pairs: _Pairs, method: Method, judged: JudgedPairs, marks: _Marks) -> Iterator[SystemCount]:
    everywhere = np.arange(len(pairs.first))
    cells: list[tuple[tuple[str | None, str | None], IntArray]] = [((None, None), everywhere), *pairs.cells.items()]
    for groups, at in cells:
        differ = marks.corrected[at]
        # The direction is that of the statistic that was tested: a rank sum and a mean may disagree.
        statistic = judged.outcomes[method].statistic[at]
        yield SystemCount(
            metric,
            *groups,
            *method,
            n_pairs=len(at),
            n_undefined=int(marks.undefined[at].sum()),
            n_significant=int(marks.significant[at].sum()),
            n_significant_corrected=int(differ.sum()),
            n_a_better=int((differ & (statistic > 0)).sum()),
            n_b_better=int((differ & (statistic < 0)).sum()),
        )


def _summary(counts: Sequence[SystemCount], with_people: bool, correction: str, alternative: str) -> list[Note]:
    """Note how many pairs each test finds to differ, over all metrics together; not for groups within themselves."""
    totals: dict[tuple[str | None, str | None], dict[Method, list[int]]] = {}
    for count in counts:
        if count.group_a is None or count.group_a != count.group_b:
            found = totals.setdefault((count.group_a, count.group_b), {})
            total = found.setdefault((count.test, count.cutoff), [0, 0])
            total[0] += count.n_significant_corrected
            total[1] += count.n_pairs
    columns = len({count.metric for count in counts})
    return [
        Note.of(
            "pairs-significant",
            groups=(a, b),
            pairs=next(iter(found.values()))[1] // columns,
            columns=columns,
            people=with_people,
            ordered=alternative != "two-sided",
            correction=correction,
            found=[(*method, n) for method, (n, _) in found.items()],
        )
        for (a, b), found in totals.items()
    ]


def _notes(
    plan: Plan, values: FloatArray, rows: Sequence[SystemRow], counts: Sequence[SystemCount], correction: str
) -> list[Note]:
    notes = []
    if "unpaired-t" in plan.tests:
        notes.append(Note.of("unpaired-t-for-comparison"))
        if "paired-t" in plan.tests and "mc" in plan.cutoffs:
            notes.append(Note.of("mc-makes-t-equal"))
    notes += Note.when(np.isnan(values).any(), "pairs-on-common-inputs")
    few = {(row.metric, *sorted((row.system_a, row.system_b))) for row in rows if row.n_inputs < 2}
    for metric in dict.fromkeys(row.metric for row in rows):
        untested = sorted((a, b) for name, a, b in few if name == metric)
        notes += Note.when(untested, "pairs-not-tested", pairs=untested, metric=metric)
    never = sum(c.n_undefined for c in counts if c.group_a is None)
    never -= sum(row.n_inputs < 2 for row in rows)
    lost = max((row.resamples_undefined for row in rows if row.p_value == row.p_value), default=0)
    pairs = counts[0].n_pairs
    short = plan.drawn and correction in ("bonferroni", "holm") and pairs / (plan.resamples + 1) > plan.alpha
    needed = {"correction": correction, "pairs": pairs, "least": math.ceil(pairs / plan.alpha)}
    return [
        *notes,
        *Note.when(never > 0, "pairs-never-differ", n=never),
        *Note.when(lost > 0, "draws-without-difference", n=lost, resamples=plan.resamples),
        *Note.when(short, "resamples-below-correction", n=plan.resamples, **needed),
        *Note.when(plan.alternative != "two-sided", "both-orders"),
    ]
