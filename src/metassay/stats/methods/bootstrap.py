"""Bootstrap intervals, and paired bootstrap tests: systems, inputs or both are drawn with replacement."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from metassay.stats.arrays import FloatArray, Pair
from metassay.stats.intervals import percentiles
from metassay.stats.levels import OF_BOTH, OF_INPUTS, OF_SYSTEMS, Kind
from metassay.stats.methods.base import Case, Drawing, Draws, Interval, Intervals, MetricTest, Tested
from metassay.stats.significance import Counts, count_resampled

KINDS = {"systems": OF_SYSTEMS, "inputs": OF_INPUTS, "both": OF_BOTH}
CITATION = (
    "Daniel Deutsch, Rotem Dror and Dan Roth (2021). A Statistical Analysis of Summarization Evaluation Metrics Using "
    "Resampling Methods. TACL 9."
)
AT_ONCE = 1024
"""Draws whose differences are counted at once."""


class BootstrapInterval(Interval):
    """The percentile interval of bootstrap samples."""

    citation = CITATION
    resampled = True

    def __init__(self, axis: str) -> None:
        self.name, self.kind, self.generalises = f"boot-{axis}", KINDS[axis], axis

    def kinds(self) -> Sequence[Kind]:
        """Return the one kind of bootstraps."""
        return (self.kind,)

    def intervals(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case; cases with as many inputs share the draws."""
        found: dict[int, Intervals] = {}
        for sizes in dict.fromkeys((*case.shape, case.annotated) for case in cases):
            together = [at for at, case in enumerate(cases) if (*case.shape, case.annotated) == sizes]
            jobs = [(cases[at].prepared, self.kinds()) for at in together]
            drawn = draws.bootstrap(cases[together[0]], jobs, "resampling")
            for at, (samples,) in zip(together, drawn, strict=True):
                low, high = percentiles(samples, confidence)
                found[at] = Intervals(*cases[at].prepared.estimate(), low, high, samples)
        return [found[at] for at in range(len(cases))]


class PairedBootstrap(MetricTest):
    """Draw both metrics and people together, and count how often the first metric is not better."""

    citation = CITATION
    unpaired = "draws"

    def __init__(self, axis: str) -> None:
        self.name, self.kind, self.generalises = f"paired-boot-{axis}", KINDS[axis], axis
        self.independent = "inputs" if axis == "inputs" else None

    def kinds(self) -> Sequence[Kind]:
        """Return the one kind of bootstraps."""
        return (self.kind,)

    def drawing(self, case: Case, pairs: Sequence[Pair], draws: Draws) -> Drawing:
        """Return differences in resamples, all in one page."""
        r, (first, second) = case.estimates, (np.array(side) for side in zip(*pairs, strict=True))
        ((samples,),) = draws.bootstrap(case, [(case.prepared, self.kinds())], self.name)
        return Drawing(r[first] - r[second], lambda _: samples[first] - samples[second], 1)

    def count(self, observed: FloatArray, drawn: FloatArray, rule: str) -> Counts:
        """Count resamples in which the first metric is not better."""
        return count_resampled(observed, drawn)

    def test(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics."""
        r, (first, second) = case.estimates, (np.array(side) for side in zip(*pairs, strict=True))
        ((samples,),) = draws.bootstrap(case, [(case.prepared, self.kinds())], self.name)
        parts = (samples[:, at : at + AT_ONCE] for at in range(0, samples.shape[1], AT_ONCE))
        counts = reduce(add, (count_resampled(r[first] - r[second], s[first] - s[second]) for s in parts))
        return self.tested(case, pairs, counts, draws.resamples, alternative, rule)
