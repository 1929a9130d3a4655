"""What a method is handed: metrics and people, to be compared at one level by one statistic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair
from metassay.stats.jackknife import Fit, fit
from metassay.stats.levels import Level, points, vary
from metassay.stats.statistics.base import Statistic


@dataclass(frozen=True, eq=False)
class Case:
    """Metrics and one human criterion, to be compared at one level by one statistic."""

    statistic: Statistic
    """The statistic."""
    x: FloatArray
    """Metrics, (P, systems, inputs), NaN for missing."""
    z: FloatArray
    """People, systems × inputs; or many data sets of them, see :meth:`Statistic.prepare`."""
    level: str
    """The level."""
    paired: bool = True
    """Whether metrics and people have the same inputs."""
    families: IntArray | None = None
    """The family 0, 1, … of each system, if systems of a family are alike: the jackknife leaves them out together."""
    clusters: IntArray | None = None
    """The cluster 0, 1, … of each input of metrics, likewise, such as the document that it is a part of."""
    clusters_of_people: IntArray | None = None
    """The cluster of each input of people, where these are not paired."""

    @cached_property
    def prepared(self) -> Level:
        """The metrics, ready to be compared with people."""
        return self.statistic.prepare(self.x, self.z, self.level, paired=self.paired)

    @cached_property
    def smooth(self) -> Level:
        """The same for the statistic on which the variance due to inputs is taken apart."""
        if self.level != "system" or self.statistic.smooth == self.statistic:
            return self.prepared
        return self.statistic.smooth.prepare(self.x, self.z, self.level, paired=self.paired)

    @cached_property
    def estimates(self) -> FloatArray:
        """The statistic of each metric, (P,)."""
        return self.prepared.estimate()[0]

    def why_undefined(self, metric: int) -> str:
        """Return what the data lack where the statistic of a metric is undefined, as a code; empty if not known."""
        if self.z.ndim == 3:
            return ""
        by_input = self.statistic.by_input or self.level != "system"
        x, z = self.x[metric], self.z
        for who, side in (("people", z), ("metric", x)):
            if np.isnan(side).all():
                return f"{who}-{'whole' if by_input else 'absent'}"
        x, z = points(x, self.level), points(z, self.level)
        known = ~np.isnan(x + z)
        if known.sum(axis=0).max(initial=0) < 2:
            return "few-shared"
        for who, side in (("people", z), ("metric", x)):
            if not vary(side, known):
                return f"{who}-tied"
        if self.statistic.by_input:
            return "one-score" if self.units[metric, 1] == 1 else "few-common"
        return ""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of systems and of inputs of metrics."""
        return self.x.shape[1], self.x.shape[2]

    @property
    def annotated(self) -> int:
        """How many inputs people have, if these are drawn apart from those of metrics; else 0."""
        return 0 if self.paired else self.z.shape[-1]

    @cached_property
    def present(self) -> BoolArray:
        """Which systems each metric has in common with people, (P, systems)."""
        scored, judged = ~np.isnan(self.x), ~np.isnan(self.z)
        if self.level == "system":
            there = judged.any(axis=-1)
            if self.z.ndim == 3:
                there = np.repeat(there, len(self.x) // len(self.z), axis=0)
            return np.asarray(scored.any(axis=2) & there)
        return np.asarray((scored & judged).any(axis=2))

    @cached_property
    def units(self) -> IntArray:
        """Units of systems and of inputs that each metric has in common with people, (P, 2): families count once.

        Where inputs are not paired, the smaller number of those of the metric and of people.
        """
        scored, judged = ~np.isnan(self.x), ~np.isnan(self.z)
        if self.z.ndim == 3:
            judged = np.repeat(judged, len(self.x) // len(self.z), axis=0)
        judged = np.broadcast_to(judged, (len(self.x), *judged.shape[-2:]))
        sides = [scored & judged] if self.level != "system" else [scored, judged]
        inputs: list[BoolArray] = [np.asarray(side.any(axis=1)) for side in sides]
        labels = [self.clusters, self.clusters if self.paired else self.clusters_of_people]
        if self.paired and len(inputs) > 1:
            inputs = [inputs[0] & inputs[1]]
        rows = [[count_units(self.families, here) for here in self.present]]
        rows += [[count_units(label, here) for here in side] for label, side in zip(labels, inputs, strict=False)]
        return np.stack([rows[0], np.min(rows[1:], axis=0)], axis=1)

    @cached_property
    def fits(self) -> list[tuple[IntArray, Fit]]:
        """What systems and inputs do to the statistics of metrics that miss the same cells, by position.

        Metrics without three systems (or families) and two inputs in common with people are in no group.
        """
        if self.z.ndim == 3:
            each = len(self.x) // len(self.z)
            parts = [replace(self, x=self.x[at * each : (at + 1) * each], z=z) for at, z in enumerate(self.z)]
            return [(at * each + some, fit) for at, part in enumerate(parts) for some, fit in part.fits]
        groups: dict[bytes, list[int]] = {}
        scored, judged = ~np.isnan(self.x), ~np.isnan(self.z)
        known: BoolArray = scored if self.level == "system" else np.asarray(scored & judged)
        for at, (mask, (systems, inputs)) in enumerate(zip(known, self.units, strict=True)):
            if systems >= 3 and inputs >= 2 and not np.isnan(self.estimates[at]):
                groups.setdefault(mask.tobytes(), []).append(at)
        return [(np.array(some), self._fit(some, known[some[0]])) for some in groups.values()]

    def _fit(self, metrics: list[int], known: BoolArray) -> Fit:
        """Fit metrics that miss the same cells, without the systems and inputs of which nothing is known."""
        systems, scored = self.present[metrics[0]], np.asarray(known.any(axis=0))
        of_people = np.asarray((~np.isnan(self.z)).any(axis=0))
        if self.paired:
            # Means of systems may rest on different inputs of the same set; other levels compare cell by cell.
            scored = of_people = (scored | of_people) if self.level == "system" else scored
        clusters = self.clusters if self.paired else self.clusters_of_people
        whole = len(metrics) == len(self.x) and bool(systems.all() and scored.all() and of_people.all())
        x = self.x if whole else self.x[np.ix_(np.array(metrics), np.flatnonzero(systems), np.flatnonzero(scored))]
        return fit(
            self.statistic,
            x,
            self.z[np.ix_(systems, of_people)],
            self.level,
            paired=self.paired,
            families=packed(self.families, systems),
            clusters=(packed(self.clusters, scored), packed(clusters, of_people)),
            prepared=self.prepared if whole else None,
        )

    def on_common_cells(self, pairs: Sequence[Pair]) -> Iterator[tuple[Case, list[int], list[Pair]]]:
        """Yield the metrics of some pairs on the cells that both have: a case, its metrics, and the pairs, by position.

        Pairs that have the same cells are yielded together.
        """
        for mask, metrics, some in by_common_cells(self.x, pairs):
            x = self.x if mask.all() and len(metrics) == len(self.x) else np.where(mask, self.x[metrics], np.nan)
            yield self if x is self.x else replace(self, x=x), metrics, some

    def observations(self, metric: int) -> int:
        """Return what Fisher's and Williams' formulas count: systems, or inputs within systems, or all cells."""
        if self.level == "system":
            return int(self.present[metric].sum())
        both = ~np.isnan(self.x[metric]) & ~np.isnan(self.z)
        if self.level == "global":
            return int(both.sum())
        return int(both.any(axis=0 if self.level == "within-system" else 1).sum())


def by_common_cells(x: FloatArray, pairs: Sequence[Pair]) -> Iterator[tuple[BoolArray, list[int], list[Pair]]]:
    """Yield pairs of metrics (P, systems, inputs) that share the same cells, with these cells and their metrics."""
    known = ~np.isnan(x)
    found: dict[bytes, tuple[BoolArray, list[Pair]]] = {}
    for a, b in pairs:
        mask = known[a] & known[b]
        found.setdefault(mask.tobytes(), (mask, []))[1].append((a, b))
    for mask, some in found.values():
        yield mask, sorted({m for pair in some for m in pair}), some


def packed(labels: IntArray | None, kept: BoolArray) -> IntArray | None:
    """Return the labels of those that are kept, numbered 0, 1, … again."""
    return None if labels is None else np.unique(labels[kept], return_inverse=True)[1]


def count_units(labels: IntArray | None, here: BoolArray) -> int:
    """Return how many units those that are here belong to."""
    return int(here.sum()) if labels is None else len(np.unique(labels[here]))
