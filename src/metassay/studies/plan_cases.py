"""What is planned: a metric or two, a human criterion, the world fitted to them, and data sets drawn from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from metassay import engine
from metassay.errors import DataError, listed, one_line
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.draws import PLANS, stream
from metassay.stats.methods.base import Interval
from metassay.stats.planning import (
    Answer,
    Design,
    PlanItems,
    PlanWorld,
    expected_power,
    expected_width,
    page_of,
    plan_world,
)
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.tabulated import TabulatedStatistic
from metassay.stats.worlds import Observed
from metassay.studies.selection import Selection

AXES = ("inputs", "systems", "annotators")
"""What there can be more of."""

MULTIPLES = (0.25, 0.5, 1, 2, 4, 8)
"""Sizes on each axis, as multiples of what the data have."""

FEWEST = 10
"""Fewer inputs than these are no world to draw from."""

LEAST = {"inputs": 2, "systems": 5, "annotators": 1}
"""The smallest numbers that are asked about."""


@dataclass(frozen=True)
class Asked:
    """What `plan` was asked: its options, checked."""

    level: str
    statistic: Statistic
    interval: Interval
    confidence: float
    alpha: float
    target: float
    """The target width or power."""
    powered: bool
    """Whether a power is planned."""
    trials: int
    seed: int
    difference: float | None

    @property
    def of_items(self) -> bool:
        """Whether single outputs are compared, which no world of normal effects has: the data are drawn again."""
        single = isinstance(self.statistic, TabulatedStatistic) and "system" not in self.statistic.levels
        return single or self.level == "global"

    def met(self, value: float) -> bool:
        """Return whether a width or a power is good enough."""
        return value >= self.target if self.powered else value <= self.target


@dataclass(frozen=True, eq=False)
class Case:
    """One metric, or two, with one human criterion."""

    number: int
    metric: str
    metric_b: str | None
    human: str
    x: FloatArray
    z: FloatArray
    worlds: tuple[PlanWorld | PlanItems, ...]
    """The world, or for two metrics the one in which they are equally good and the one in which they differ."""
    base: Design
    """What the data have."""
    clusters: IntArray | None = None
    """The cluster of each input, where the data are drawn again."""

    @property
    def annotated(self) -> bool:
        """Whether it is known what single annotators add."""
        return self.worlds[0].noise is not None

    def now(self, axis: str) -> float:
        """Return how many the data have on an axis."""
        return {"inputs": self.base.inputs, "systems": self.base.systems, "annotators": self.base.annotators}[axis]

    def at(self, axis: str, n: float) -> Design:
        """Return the design with another number on one axis."""
        if axis == "systems":
            return replace(self.base, systems=int(n))
        return replace(self.base, inputs=float(n)) if axis == "inputs" else replace(self.base, annotators=float(n))

    def axes(self) -> tuple[str, ...]:
        """Return what there can be more of."""
        return AXES if self.annotated else AXES[:2] if self.base.systems >= LEAST["systems"] else AXES[:1]

    def grid(self, axis: str) -> list[int]:
        """Return the numbers on an axis that are tried."""
        found = {max(LEAST[axis], math.floor(self.now(axis) * k + 0.5)) for k in MULTIPLES}
        return sorted(found)

    def limits(self, level: str) -> list[str]:
        """Return the axes of which data sets can be drawn in the limit of many."""
        found = ["inputs"] if level == "system" else []
        return [*found, "annotators"] if self.annotated else found


def make_cases(selected: Selection, asked: Asked) -> list[Case]:
    """Fit a world to every metric, or to the two that are compared, with every human criterion."""
    groups = [(0, 1)] if asked.powered else [(k,) for k in range(len(selected.metrics))]
    cases: list[Case] = []
    for h, criterion in enumerate(selected.humans):
        z = selected.z[h]
        ratings = selected.ratings(criterion)
        for group in groups:
            x = selected.x[list(group)]
            shared = ~np.isnan(x).any(axis=0) & ~np.isnan(z)
            rows, columns = shared.any(axis=1), shared.any(axis=0)
            names = [selected.metrics[k] for k in group]
            what = f"{listed(names, 2)} and {criterion}"
            least = 1 if asked.of_items and asked.interval.generalises == "inputs" else LEAST["systems"]
            if asked.of_items and columns.sum() < FEWEST:
                raise DataError(
                    f"planning needs at least {FEWEST} inputs, got {columns.sum()} that both {one_line(what)} have"
                )
            if rows.sum() < least or columns.sum() < 2:
                remedy = (
                    "; --interval boot-inputs plans for these systems alone" if asked.of_items and least > 1 else ""
                )
                if selected.scores[criterion].scale.kind != "interval":
                    remedy += "; metassay plan-labels says how many labels a judge needs"
                got = f"{rows.sum()} × {columns.sum()}"
                if not selected.scores.has_systems:
                    got, remedy = f"{columns.sum()} inputs and no systems", "; use --interval boot-inputs"
                raise DataError(
                    f"planning needs at least {least} systems and 2 inputs, got {got} with scores of "
                    f"{one_line(what)}{remedy}"
                )
            kept = np.ix_(rows, columns)
            x, people = np.stack([each[kept] for each in x]), z[kept]
            if asked.of_items:
                labels = selected.labels("inputs")
                clusters = None if labels is None else labels[columns]
                cases.append(
                    _of_items(len(cases), names, criterion, np.where(shared[kept], x, np.nan), people, clusters, asked)
                )
                continue
            world = plan_world(x, people, None if ratings is None else ratings[:, rows][:, :, columns])
            annotators = 1.0 if world.noise is None else world.noise.annotators
            base = Design(int(rows.sum()), float(columns.sum()), annotators)
            r = world.correlations(base, asked.level)
            if np.isnan(r).any():
                raise DataError(
                    f"no population can be fitted to {one_line(what)}: scores do not vary, or too few are shared"
                )
            if asked.powered and r[1] > r[0]:
                # The better metric comes first.
                turned = [1, 0, 2]
                c = world.components
                parts = (m[np.ix_(turned, turned)] for m in (c.systems, c.inputs, c.cells))
                world, x, names, r = replace(world, components=type(c)(*parts)), x[::-1], names[::-1], r[::-1]
            worlds = (world,) if not asked.powered else _two_worlds(world, base, asked)
            other = names[1] if asked.powered else None
            cases.append(Case(len(cases), names[0], other, criterion, x, people, worlds, base))
    return cases


def _of_items(
    number: int,
    names: list[str],
    human: str,
    x: FloatArray,
    people: FloatArray,
    clusters: IntArray | None,
    asked: Asked,
) -> Case:
    """Return the case in which the data themselves are drawn again; of two metrics the better one comes first."""
    r = asked.statistic.sign * asked.statistic.prepare(x, people, asked.level).estimate()[0]
    if np.isnan(r).any():
        raise DataError(f"{asked.statistic.name} of {one_line(listed(names, 2))} and {one_line(human)} is undefined")
    if asked.powered and r[1] > r[0]:
        x, names = x[::-1], names[::-1]
    found = Observed.of(x, people, clusters)
    worlds = (found.made_equal(), found) if asked.powered else (found,)
    fixed = asked.interval.generalises == "inputs"
    base = Design(len(people), float(people.shape[1]))
    of = tuple(PlanItems(world, fixed) for world in worlds)
    return Case(number, names[0], names[1] if asked.powered else None, human, x, people, of, base, clusters)


def _two_worlds(world: PlanWorld, base: Design, asked: Asked) -> tuple[PlanWorld, PlanWorld]:
    """Return the world in which two metrics are equally good, and the one with the difference to be found."""
    equal, difference = world.made_equal(base), asked.difference
    if difference is None:
        return equal, world
    scale = asked.statistic
    middle = scale.of_normal(float(equal.correlations(base, asked.level)[0]))
    if not 0 < difference < middle:
        raise DataError(
            f"a difference of {difference:g} cannot be planned: these metrics have a correlation of about "
            f"{middle:.2f} in these data, and the worse one would fall below 0"
        )
    return equal, equal.made_worse(scale.to_pearson(middle - difference) / scale.to_pearson(middle))


Answers = Mapping[tuple[int, Design], Answer]


def simulate(cases: list[Case], asked: Asked) -> Answers:
    """Draw data sets of all designs and return their answers."""
    tasks: list[tuple[Case, Design, int, int, int]] = []
    for case in cases:
        designs = [case.base, *(case.at(axis, n) for axis in case.axes() for n in case.grid(axis))]
        designs += [case.at(axis, math.inf) for axis in case.limits(asked.level)]
        for design in dict.fromkeys(designs):
            size = page_of(design, asked.level, len(case.x) + 1, asked.trials)
            for kind in range(len(case.worlds)):
                tasks += [(case, design, kind, page, size) for page in range(-(-asked.trials // size))]

    again = asked.interval.generalises == "inputs" and not asked.powered

    def work(at: int) -> FloatArray:
        case, design, kind, page, size = tasks[at]
        # The same numbers in every design, as far as shapes allow: what differs is then due to the design.
        random = stream(asked.seed, PLANS, kind, page)
        return case.worlds[kind].estimates(random, design, asked.level, asked.statistic, size, again=again)

    drawn: dict[tuple[int, Design], list[list[FloatArray]]] = {}
    done = engine.run(work, len(tasks), what="planning")
    for (case, design, kind, _, _), found in zip(tasks, done, strict=True):
        drawn.setdefault((case.number, design), [[] for _ in case.worlds])[kind].append(found)
    answers = {}
    for key, kinds in drawn.items():
        r = [np.concatenate(pages, axis=2)[..., : asked.trials] for pages in kinds]
        systems = key[1].systems
        ranked = round(systems * key[1].inputs) if asked.level == "global" else systems
        if asked.powered:
            answers[key] = expected_power(r[0][:, 0], r[1][:, 0], ranked, asked.statistic, asked.alpha)
        else:
            answers[key] = expected_width(
                r[0][0], systems, asked.statistic, asked.interval, asked.confidence, asked.level, ranked
            )
    return answers
