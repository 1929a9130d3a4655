"""Which inputs the numbers of metrics and of people rest on, with families of systems and clusters of inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray
from metassay.stats.methods.case import Case
from metassay.stats.statistics.base import Statistic


@dataclass(frozen=True, eq=False)
class InputSets:
    """The inputs of some metrics and the inputs of people, for one human criterion and one level."""

    scored: BoolArray
    """Inputs behind the numbers of the metrics."""
    judged: BoolArray
    """Inputs behind the numbers of people."""
    paired: bool
    """Whether both are the same inputs, which are then drawn together."""
    families: IntArray | None = None
    """The family of each system, if systems have families."""
    clusters: IntArray | None = None
    """The cluster of each of all inputs, if inputs have clusters."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs metrics draw from, and how many people draw from apart from that: 0 if they are paired."""
        return int(self.scored.sum()), 0 if self.paired else int(self.judged.sum())

    def of_metrics(self, x: FloatArray) -> FloatArray:
        """Return the scores of metrics (…, inputs) on their inputs."""
        return x if self.scored.all() else x[..., self.scored]

    def of_people(self, z: FloatArray) -> FloatArray:
        """Return the scores of people (…, inputs) on their inputs."""
        return z if self.judged.all() else z[..., self.judged]

    def case(self, x: FloatArray, metrics: list[int], z: FloatArray, level: str, statistic: Statistic) -> Case:
        """Return some of the metrics (P, systems, inputs) and people, to be compared by a statistic at a level."""
        chosen = x if len(metrics) == len(x) else x[metrics]
        x, z = self.of_metrics(chosen), self.of_people(z)
        return Case(statistic, x, z, level, self.paired, self.families, *self.clusters_of_both)

    @property
    def clusters_of_both(self) -> tuple[IntArray | None, IntArray | None]:
        """The clusters of the inputs of metrics, and of those of people."""
        first, second = (None if self.clusters is None else self.clusters[some] for some in (self.scored, self.judged))
        return first, second

    def sizes(self, x: FloatArray, z: FloatArray, level: str) -> tuple[int, int]:
        """Return how many systems and inputs one metric has that people have too.

        At system level a system counts if it has any score of both; inputs that are not paired count if the metric
        scored them.
        """
        scored, judged = ~np.isnan(self.of_metrics(x)), ~np.isnan(self.of_people(z))
        if level != "system":
            both = scored & judged
            return int(both.any(axis=1).sum()), int(both.any(axis=0).sum())
        inputs = scored.any(axis=0) & judged.any(axis=0) if self.paired else scored.any(axis=0)
        return int((scored.any(axis=1) & judged.any(axis=1)).sum()), int(inputs.sum())


def input_sets(scored: BoolArray, z: FloatArray, level: str, inputs: str) -> InputSets:
    """Say which inputs to use.

    Parameters
    ----------
    scored
        Inputs that the metrics have.
    z
        Human scores, systems × inputs. An input is annotated if any system has a score there.
    level
        Only means of systems can rest on different inputs.
    inputs
        ``all`` gives metrics every input they have, ``annotated`` only those that people annotated.
    """
    judged = has_scores(z)
    if judged.all() or level != "system" or inputs == "annotated" or not (scored & ~judged).any():
        return InputSets(judged, judged, paired=True)
    return InputSets(scored, judged, paired=False)


def has_scores(matrix: FloatArray) -> BoolArray:
    """Return which inputs of systems × inputs have any score."""
    return np.asarray((~np.isnan(matrix)).any(axis=0))
