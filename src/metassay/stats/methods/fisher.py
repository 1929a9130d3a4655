"""Methods by formula: Fisher's interval and Williams' test, both of correlation coefficients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import Pair
from metassay.stats.intervals import fisher
from metassay.stats.methods.base import Case, Draws, Interval, Intervals, MetricTest, Reason, Tested
from metassay.stats.significance import williams
from metassay.stats.statistics.base import Statistic

LEAST_WILLIAMS = 4
"""The least observations for Williams' test, which has n − 3 degrees of freedom."""
ONLY_CORRELATIONS = "its formula is for correlation coefficients"


def few(observations: int, least: int) -> Reason | None:
    """Return that a formula has too few observations; None if it has enough."""
    return Reason("few-observations", least, observations) if observations < least else None


class FisherInterval(Interval):
    """Fisher's interval tanh(atanh r ± z·c/√(n − b))."""

    name = "fisher"
    citation = (
        "Douglas G. Bonett and Thomas A. Wright (2000). Sample Size Requirements for Estimating Pearson, Kendall and "
        "Spearman Correlations. Psychometrika 65."
    )
    drawn = False
    formula, units = True, False

    def why_not(self, statistic: Statistic) -> str | None:
        """Return why there is no such interval."""
        return ONLY_CORRELATIONS if statistic.fisher_constants(0.0) is None else None

    @staticmethod
    def taken(statistic: Statistic) -> int:
        """Return b, the degrees of freedom that its formula takes."""
        return (statistic.fisher_constants(0.0) or (0, 0.0))[0]

    def intervals(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case."""
        found = []
        for case in cases:
            self.check(case.statistic)
            estimates, undefined = case.prepared.estimate()
            ends = [
                fisher(float(r), case.observations(at), case.statistic.fisher_constants(float(r)), confidence)
                for at, r in enumerate(estimates)
            ]
            low, high = np.array(ends).T
            reasons = tuple(few(case.observations(at), 1 + self.taken(case.statistic)) for at in range(len(estimates)))
            found.append(Intervals(estimates, undefined, low, high, reasons=reasons))
        return found


class WilliamsTest(MetricTest):
    """Williams' test of two dependent correlations."""

    name = "williams"
    citation = "Evan J. Williams (1959). Regression Analysis. Wiley."
    drawn = False
    formula, units = True, False
    generalises = "sample"
    unpaired = "correlations"

    def why_not(self, statistic: Statistic) -> str | None:
        """Return why there is no such test."""
        return None if statistic.is_correlation else ONLY_CORRELATIONS

    def test(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics."""
        self.check(case.statistic)
        r = case.estimates
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        three = list(zip(r[first].tolist(), r[second].tolist(), self._between(case, pairs), strict=True))
        n = case.observations(0)
        sides = [[williams(a, b, c, n, alternative), williams(b, a, c, n, alternative)] for a, b, c in three]
        estimates = np.stack([r[first], r[second]], axis=1)
        p, q = np.array(sides).T
        none = np.zeros(len(pairs), dtype=np.int64)
        return Tested(estimates, p, q, none, (few(n, LEAST_WILLIAMS),) * len(pairs))

    @staticmethod
    def _between(case: Case, pairs: Sequence[Pair]) -> list[float]:
        """Return the correlation of the two metrics of each pair."""
        x, prepare = case.x, case.statistic.prepare
        if case.z.ndim == 3:
            first, second = (list(side) for side in zip(*pairs, strict=True))
            return [float(r) for r in prepare(x[first], x[second], case.level).estimate()[0]]
        if case.level != "system":
            # Beyond means of systems, all three correlations rest on the cells that people scored too.
            x = np.where(np.isnan(case.z), np.nan, x)
        return [float(prepare(x[[a]], x[b], case.level).estimate()[0][0]) for a, b in pairs]
