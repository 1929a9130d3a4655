"""A permutation test that exchanges the outcomes of pairs of outputs instead of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, Pair
from metassay.stats.draws import PAIRS, page_size, stream, swaps
from metassay.stats.methods.base import Case, Drawing, Draws, MetricTest
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.pairwise import PairOutcomes


class OutcomePermutation(MetricTest):
    """Two metrics exchange, for single pairs of outputs, whether they ordered or tied the pair as people do.

    Each metric keeps its own tie threshold, so nothing is calibrated again: the test of the WMT metrics task. A
    difference after exchanges is a sum of signed outcomes, and one matrix product of all metrics serves every pair.
    """

    name = "perm-outcomes"
    citation = (
        "Daniel Deutsch, George Foster and Markus Freitag (2023). Ties Matter: Meta-Evaluating Modern Metrics with "
        "Pairwise Accuracy and Tie Calibration. EMNLP."
    )
    generalises = "cells"
    independent = "both"
    unpaired = "swaps"
    narrow, units = True, False

    def why_not(self, statistic: Statistic) -> str | None:
        """Return why it cannot be applied to a statistic."""
        return None if _has_outcomes(statistic) else "it is no mean of outcomes of pairs of outputs"

    def drawing(self, case: Case, pairs: Sequence[Pair], draws: Draws) -> Drawing:
        """Return differences after exchanges of outcomes."""
        self.check(case.statistic)
        statistic = case.statistic
        assert isinstance(statistic, PairOutcomes), "checked above"
        sets = [(case.x, case.z)]
        if case.z.ndim == 3:
            sets = list(zip(case.x.reshape(len(case.z), -1, *case.z.shape[1:]), case.z, strict=True))
        outcomes = np.concatenate([statistic.outcomes(x, z, case.level) for x, z in sets])
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        wanted, size = draws.resamples, page_size(max(1, outcomes.shape[1]))

        def differences(signs: FloatArray) -> FloatArray:
            sums = outcomes @ signs
            return np.asarray(sums[first] - sums[second])

        def page(number: int) -> FloatArray:
            tossed = swaps(stream(draws.seed, PAIRS, number), (outcomes.shape[1],), size)
            return differences(1.0 - 2.0 * tossed[:, : wanted - number * size].astype(np.float64))

        return Drawing(differences(np.ones((outcomes.shape[1], 1)))[:, 0], page, -(-wanted // size))


def _has_outcomes(statistic: Statistic) -> bool:
    return isinstance(statistic, PairOutcomes) and statistic.is_mean
