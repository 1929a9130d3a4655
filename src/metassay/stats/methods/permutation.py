"""Permutation tests: two metrics exchange the scores of whole systems, whole inputs, or single cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metassay.stats.arrays import FloatArray, Pair
from metassay.stats.kernels.score_swaps import Exchange
from metassay.stats.methods.base import Case, Drawing, Draws, MetricTest
from metassay.stats.methods.bootstrap import CITATION
from metassay.stats.significance import one_exchange

SIDES = {"greater": 1, "less": 1, "two-sided": 2}
"""Ways to exchange that are as extreme as the data themselves: exchanging all only turns the sign."""


def observed_difference(exchange: Exchange, case: Case) -> FloatArray:
    """Return differences from the same arithmetic as the drawn ones, with nothing exchanged."""
    left, right = exchange(np.zeros((*case.shape, 1), dtype=np.uint8))
    return (left - right)[:, 0]


class Permutation(MetricTest):
    """Exchange scores at random, and count differences as large as the observed one."""

    citation = CITATION
    unpaired = "swaps"

    def __init__(self, unit: str) -> None:
        self.name, self.unit, self.generalises = f"perm-{unit}", unit, "cells" if unit == "both" else unit
        self.independent = None if unit == "systems" else unit

    def smallest_p(self, shape: tuple[int, int], resamples: int, rule: str, alternative: str = "greater") -> float:
        """Return the smallest p-value: no smaller than one of all ways to exchange so many units."""
        units = {"systems": shape[0], "inputs": shape[1]}.get(self.unit, shape[0] * shape[1])
        return max(super().smallest_p(shape, resamples, rule), SIDES[alternative] * one_exchange(units))

    def drawing(self, case: Case, pairs: Sequence[Pair], draws: Draws) -> Drawing:
        """Return differences after exchanges."""
        x = case.statistic.comparable(case.x, case.z, case.level, means=False)
        exchange = case.statistic.exchange(x, case.z, pairs, case.level)
        pages = draws.swap_pages(case, self.unit)

        def page(number: int) -> FloatArray:
            left, right = exchange(pages[number])
            return (left - right)[:, : draws.resamples - number * pages.size]

        return Drawing(observed_difference(exchange, case), page, len(pages))
