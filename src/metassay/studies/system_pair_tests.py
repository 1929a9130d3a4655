"""All pairs of systems, tested: what studies that compare systems have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metassay import engine
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.corpus_scores import Formula, PairTest, paired_test
from metassay.stats.system_tests import DrawPages, PairedScores, judge, same_size

Method = tuple[str, str]
"""A test and where its cut-off comes from."""


@dataclass(frozen=True)
class Plan:
    """How pairs of systems are tested."""

    tests: Sequence[str]
    """``unpaired-t``, ``paired-t``, ``wilcoxon``."""
    cutoffs: Sequence[str]
    """``theory``, ``mc``, ``hb``."""
    alternative: str
    """``greater``, ``less`` or ``two-sided``."""
    alpha: float
    """The significance level."""
    resamples: int
    """How many data sets are drawn for a resampled cut-off."""
    seed: int
    """The seed."""

    @property
    def drawn(self) -> tuple[str, ...]:
        """The cut-offs that are resampled."""
        return tuple(cutoff for cutoff in self.cutoffs if cutoff != "theory")


@dataclass(frozen=True)
class Outcome:
    """One test with one kind of cut-off; each array has one entry per pair of systems."""

    statistic: FloatArray
    """The statistic."""
    p_value: FloatArray
    """Its p-value."""
    threshold: FloatArray
    """What it must reach to be significant."""
    effect: FloatArray
    """The size of the effect that goes with the test."""
    undefined: IntArray
    """Drawn data sets in which the statistic was undefined."""

    @classmethod
    def undefined_for(cls, pairs: int) -> Outcome:
        """Return what is to be filled in."""
        blank = np.full((4, pairs), np.nan)
        return cls(blank[0], blank[1], blank[2], blank[3], np.zeros(pairs, dtype=np.int64))


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of systems, tested; each array has one entry per pair."""

    n: IntArray
    """Inputs that both systems have."""
    mean_difference: FloatArray
    """Mean score of the first less that of the second system."""
    low: FloatArray
    """Lower end of its paired-t interval."""
    high: FloatArray
    """Upper end of its paired-t interval."""
    outcomes: Mapping[Method, Outcome]
    """By test and cut-off, in the order asked for."""


def judge_pairs(values: FloatArray, first: IntArray, second: IntArray, plan: Plan) -> JudgedPairs:
    """Test pairs of systems, each over the inputs that both have.

    Parameters
    ----------
    values
        Scores (systems, inputs), NaN where one is missing.
    first, second
        The systems of each pair.
    plan
        How they are tested.

    Returns
    -------
    JudgedPairs
        Everything is NaN for pairs with fewer than two common inputs.
    """
    known = ~np.isnan(values)
    count = len(first)
    mean, low, high = (np.full(count, np.nan) for _ in range(3))
    outcomes = {(test, cutoff): Outcome.undefined_for(count) for cutoff in plan.cutoffs for test in plan.tests}
    for at, scores in same_size(values, first, second, plan.resamples if plan.drawn else 1):
        mean[at] = scores.mean_difference
        low[at], high[at] = scores.interval(1 - plan.alpha)
        for cutoff in plan.cutoffs:
            drawn = {} if cutoff == "theory" else _drawn(scores, cutoff, plan)
            for test in plan.tests:
                outcome = outcomes[test, cutoff]
                outcome.statistic[at] = statistic = scores.statistic(test)
                outcome.effect[at] = scores.effect(test)
                if cutoff == "theory":
                    outcome.p_value[at], outcome.threshold[at] = scores.theory(test, plan.alternative, plan.alpha)
                else:
                    outcome.p_value[at], outcome.threshold[at], outcome.undefined[at] = judge(
                        statistic, drawn[test], plan.alternative, plan.alpha
                    )
    shared = known.astype(np.float64) @ known.T.astype(np.float64)
    return JudgedPairs(shared[first, second].astype(np.int64), mean, low, high, outcomes)


def judge_corpora(counts: FloatArray, formula: Formula, first: IntArray, second: IntArray, plan: Plan) -> JudgedPairs:
    """Test pairs of systems by scores of whole systems, each over the inputs that both have.

    Parameters
    ----------
    counts
        What adds up to the scores, (systems, inputs, counts), NaN where an output is missing.
    formula
        From added counts to scores with high ones good.
    first, second
        The systems of each pair.
    plan
        How they are tested; its tests are those of `vocabulary.CORPUS_TESTS`.
    """
    known = ~np.isnan(counts[..., 0])

    def work(pair: int) -> list[PairTest]:
        a, b = first[pair], second[pair]
        both = known[a] & known[b]
        if both.sum() < 2:
            return [PairTest(*[float("nan")] * 4)] * len(plan.tests)
        return [
            paired_test(
                test,
                counts[a][both],
                counts[b][both],
                formula,
                resamples=plan.resamples,
                seed=plan.seed,
                alpha=plan.alpha,
            )
            for test in plan.tests
        ]

    tested = engine.run(work, len(first), what="corpus scores")
    found = np.array(tested, dtype=np.float64)  # (pairs, tests, fields)
    blank = np.full(len(first), np.nan)
    outcomes = {
        (test, "resampled"): Outcome(
            found[:, at, 0], found[:, at, 1], blank, blank, np.zeros(len(first), dtype=np.int64)
        )
        for at, test in enumerate(plan.tests)
    }
    # Of two tests, the one that draws inputs has the interval.
    bounds = [np.fmax.reduce(found[:, :, field], axis=1) for field in (2, 3)]
    shared = (known[first] & known[second]).sum(axis=1)
    return JudgedPairs(shared, found[:, 0, 0], bounds[0], bounds[1], outcomes)


def _drawn(scores: PairedScores, cutoff: str, plan: Plan) -> dict[str, FloatArray]:
    """Return the statistics in all drawn data sets, (pairs, draws)."""
    pages = DrawPages(plan.resamples, cutoff, scores.n, plan.seed)
    found = {test: np.empty((scores.pairs, plan.resamples)) for test in plan.tests}

    def work(page: int) -> None:
        start = page * pages.size
        for test, drawn in scores.drawn(pages[page], plan.tests).items():
            into = found[test][:, start : start + pages.size]
            into[:] = drawn[:, : into.shape[1]]

    engine.run(work, len(pages), what=f"{cutoff} cut-offs")
    return found
