"""Intervals and tests by name."""

from __future__ import annotations

from metassay.stats.methods.base import Interval, MetricTest
from metassay.stats.methods.bootstrap import KINDS, BootstrapInterval, PairedBootstrap
from metassay.stats.methods.fisher import FisherInterval, WilliamsTest
from metassay.stats.methods.jackknife import JackknifeInterval, JackknifeTest
from metassay.stats.methods.outcomes import OutcomePermutation
from metassay.stats.methods.permutation import Permutation
from metassay.stats.methods.two_way import TwoWayInterval, TwoWayTest

INTERVALS: dict[str, Interval] = {
    interval.name: interval
    for interval in (JackknifeInterval(), TwoWayInterval(), FisherInterval(), *map(BootstrapInterval, KINDS))
}
TESTS: dict[str, MetricTest] = {
    test.name: test
    for test in (
        JackknifeTest(),
        TwoWayTest(),
        WilliamsTest(),
        *map(PairedBootstrap, KINDS),
        *map(Permutation, KINDS),
        OutcomePermutation(),
    )
}
