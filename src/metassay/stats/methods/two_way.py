"""Both systems and inputs are a sample: the interval and the test that take the variance apart.

See :mod:`metassay.stats.two_way` for what each of them adds to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from metassay.stats import two_way
from metassay.stats.arrays import FloatArray, Pair
from metassay.stats.jackknife import of_independent_pairs
from metassay.stats.levels import OF_BOTH, OF_INPUTS, OF_SYSTEMS, Kind
from metassay.stats.methods.base import Case, Drawing, Draws, Interval, Intervals, Job, MetricTest, Tested
from metassay.stats.methods.names import TWO_WAY
from metassay.stats.methods.permutation import SIDES, observed_difference
from metassay.stats.significance import Counts, one_exchange
from metassay.stats.statistics.base import Statistic

CITATION = "Art B. Owen (2007). The Pigeonhole Bootstrap. Annals of Applied Statistics 1(2)."
DRAWS = 1_000
"""Resamples from which variances are taken: more would not make them more precise than the data allow."""
KINDS = (OF_SYSTEMS, OF_INPUTS, OF_BOTH)
WHAT = "variance due to inputs"


class TwoWayInterval(Interval):
    """from(to(r) ± t·√(J + A)): J as one system at a time is left out, and what inputs add, on the statistic's scale.

    For correlations that is tanh(atanh r ± t·√(J + A/(1 − r²)²)), t with N − 2 degrees of freedom.
    """

    name = TWO_WAY
    citation = CITATION
    generalises = "both"
    student = True

    def draws_taken(self, resamples: int) -> int:
        """Return how many draws it takes: variances need no more than :data:`DRAWS`."""
        return min(resamples, DRAWS)

    def kinds(self) -> Sequence[Kind]:
        """Return all three kinds of bootstraps."""
        return KINDS

    def intervals(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case."""
        found = []
        for case in cases:
            drawn = draws.bootstrap(case, [(case.prepared, KINDS)], WHAT, self.draws_taken(draws.resamples))[0]
            added = two_way.variances(drawn[0], drawn[1], drawn[2], case.shape, paired=case.paired).added
            estimates, undefined = case.prepared.estimate()
            spread = jackknife(case)
            ends = [
                self.ends(case.statistic, float(r), float(j), float(a), int(n), confidence)
                for r, j, a, n in zip(estimates, spread, added, case.present.sum(axis=1), strict=True)
            ]
            low, high = np.array(ends).T
            found.append(Intervals(estimates, undefined, low, high))
        return found

    def ends(
        self, statistic: Statistic, estimate: float, variance: float, added: float, systems: int, confidence: float
    ) -> tuple[float, float]:
        """Return the ends of one interval.

        Parameters
        ----------
        statistic
            Which statistic it is.
        estimate
            Its value.
        variance
            J, its variance on the scale as one system at a time is left out; see :func:`jackknife`.
        added
            A, what inputs add to its variance; see :attr:`metassay.stats.two_way.Variances.added`.
        systems, confidence
            The number of systems N, and such as 0.95.
        """
        if systems < 3 or math.isnan(estimate):
            return math.nan, math.nan
        scale = statistic.scale
        if variance + added == 0:
            if not statistic.ranked:
                return estimate, estimate
            variance = float(of_independent_pairs(statistic, np.asarray(estimate), systems, systems))
        middle = float(scale.to(np.asarray(estimate), systems))
        half = self.reach(systems, confidence) * math.sqrt(variance + scale.variance(added, estimate, systems))
        return min(scale.back(middle - half), estimate), max(scale.back(middle + half), estimate)


def jackknife(case: Case) -> FloatArray:
    """Return the variance of statistics (P,) on their scale that leaving out one system at a time shows."""
    left_out = case.prepared.bootstrap(1.0 - np.eye(case.shape[0]), None)
    n, near = case.present.sum(axis=1), case.statistic.scale.near
    turned = np.stack([near(r, whole, int(count)) for r, whole, count in zip(left_out, case.estimates, n, strict=True)])
    return np.asarray((n - 1) * two_way.variance(np.where(case.present, turned, np.nan)))


class TwoWayTest(MetricTest):
    """Exchange whole systems, and allow for what the inputs add to the variance."""

    name = TWO_WAY
    citation = CITATION
    generalises = "both"
    unpaired = "swaps"

    def kinds(self) -> Sequence[Kind]:
        """Return bootstraps of inputs; parts of the variance come from the smooth statistic."""
        return (OF_INPUTS,)

    def bootstraps_taken(self, resamples: int) -> int:
        """Return how many resamples variances are taken from, however many exchanges there are."""
        return DRAWS

    def smallest_p(self, shape: tuple[int, int], resamples: int, rule: str, alternative: str = "greater") -> float:
        """Return the smallest p-value: no smaller than one of all ways to exchange so many systems."""
        return max(super().smallest_p(shape, resamples, rule), SIDES[alternative] * one_exchange(shape[0]))

    def drawing(self, case: Case, pairs: Sequence[Pair], draws: Draws) -> Drawing:
        """Return differences after exchanges of whole systems, in whole pages, and what inputs add to the variance."""
        added = self._added_by_inputs(case, pairs, draws)
        x = case.statistic.comparable(case.x, case.z, case.level, means=True)
        exchange = case.statistic.exchange(x, case.z, pairs, case.level)
        pages = draws.swap_pages(case, "systems", whole=True)

        def page(number: int) -> FloatArray:
            left, right = exchange(pages[number])
            return left - right

        return Drawing(observed_difference(exchange, case), page, len(pages), added)

    def test(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics."""
        drawing, wanted = self.drawing(case, pairs, draws), draws.resamples
        # The spread of exchanges is needed before they can be counted; a page of them tells it well enough.
        first = draws.run(drawing.page, 1, self.name)[0]
        observed = two_way.shrunk(drawing.observed, first, np.asarray(drawing.added), case.shape[0])

        def counted(page: int, drawn: FloatArray) -> Counts:
            return self.count(observed, drawn[:, : wanted - page * first.shape[1]], rule)

        # The first page is there already. It stays out of the run, which judges by its first page whether threads pay.
        rest = draws.run(lambda at: counted(at + 1, drawing.page(at + 1)), drawing.pages - 1, self.name)
        counts = reduce(add, rest, counted(0, first))
        return self.tested(case, pairs, counts, wanted, alternative, rule)

    @staticmethod
    def _added_by_inputs(case: Case, pairs: Sequence[Pair], draws: Draws) -> FloatArray:
        """Return for each pair what the inputs add to the variance of the difference of statistics."""
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        jobs: list[Job] = [(case.smooth, KINDS)]
        if case.smooth is not case.prepared:
            jobs.append((case.prepared, (OF_INPUTS,)))
        drawn = draws.bootstrap(case, jobs, WHAT, DRAWS)
        parts = [r[first] - r[second] for r in (*drawn[0], drawn[-1][0] if len(jobs) > 1 else drawn[0][1])]
        return two_way.added_by_inputs(parts, case.shape, paired=case.paired)
