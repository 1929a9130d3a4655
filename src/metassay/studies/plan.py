"""How many inputs, systems and annotators are needed?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from metassay import engine
from metassay.core import vocabulary
from metassay.core.result import Result
from metassay.core.scores import FloatArray, Scores
from metassay.core.signature import Signature
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.draws import PLANS, multiplicities, stream
from metassay.stats.intervals import percentile
from metassay.stats.planning import (
    Answer,
    Design,
    PlanWorld,
    Reliability,
    expected_power,
    expected_width,
    krippendorff,
    observed_width,
    on_scale,
    page_of,
    plan_world,
    split_annotators,
    split_cells,
    split_inputs,
    to_pearson,
)
from metassay.studies.inputs import has_scores
from metassay.studies.setting import NameOrNames, Setting, settle, signature_names

AXES = ("inputs", "systems", "annotators")
"""What there can be more of."""

MULTIPLES = (0.25, 0.5, 1, 2, 4, 8)
"""Sizes on each axis, as multiples of what the data have."""

LEAST = {"inputs": 2, "systems": 4, "annotators": 1}
"""The smallest numbers that are asked about."""

TRIALS = {"system": 1_000, "input": 300}
"""How many data sets of each design are drawn unless another number is given."""

SUBSETS = 20
"""From the data themselves so many random parts of each smaller size are taken."""

DATA_DRAWS = 200
"""Resamples behind the interval of each of these parts."""

OFF = 1.35
"""Where the data's own interval and the world's differ by more than this factor, a note says so."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What one design would bring: the data's own numbers but for one axis."""

    metric: str
    """The metric; the better one of two."""
    metric_b: str | None
    """The metric that it is compared with; None if the width of an interval is planned."""
    human: str
    """The human criterion."""
    level: str
    """``system`` or ``input``."""
    coefficient: str
    """The coefficient."""
    axis: str
    """What changes: ``inputs``, ``systems`` or ``annotators``."""
    n: int
    """How many there are of it."""
    n_systems: int
    """Systems."""
    n_inputs: int
    """Inputs that people judge."""
    n_annotators: float | None
    """Annotators of each output; None if the data do not tell annotators apart."""
    annotations: float
    """What it costs: single judgments of single outputs; judged outputs if annotators are not told apart."""
    estimate: float
    """The correlation to expect, or the difference of two."""
    width: float
    """Expected width of the interval; NaN if a power is planned."""
    power: float
    """Chance to find the difference; NaN if a width is planned."""
    low: float
    """Lower end of the 95% interval of the width or power: the error of the simulation alone."""
    high: float
    """Upper end of the same."""
    ceiling: float
    """Correlation of a metric that knows what all annotators would say on average; NaN if annotators are unknown."""
    width_data: float
    """Mean width of the interval on random parts of the data of this size, without any model; NaN beyond the data."""
    target: float
    """The width or the power that is wanted."""
    reached: bool
    """Whether it is reached."""
    extrapolated: bool
    """Whether the design is larger than the data."""
    confidence: float
    """Confidence of the interval."""
    alpha: float | None
    """Significance level of the test; None if a width is planned."""
    trials: int
    """How many data sets were drawn."""


@dataclass(frozen=True, slots=True)
class NeedRow:
    """How many of one axis are needed, if the others stay as they are."""

    metric: str
    """The metric."""
    metric_b: str | None
    """The other metric, if there is one."""
    human: str
    """The human criterion."""
    axis: str
    """``inputs``, ``systems`` or ``annotators``."""
    now: float
    """How many the data have."""
    needed: int | None
    """About how many are needed; None if no number that was tried is enough."""
    limit: float
    """The width or power with endlessly many; NaN if it was not drawn."""
    annotations: float
    """Single judgments that come on top; NaN if no number is enough."""
    gain: float
    """By how much the next annotations, all spent on this axis, change the width (as a share of it) or the power; for
    more than seven times those that there are, by how much seven times as many do, the most that was tried."""


@dataclass(frozen=True, slots=True)
class CeilingRow:
    """How well people agree with each other."""

    human: str
    """The human criterion."""
    unit: str
    """What is reliable: ``system means``, ``cells`` or ``single ratings``."""
    method: str
    """``split-annotators``, ``split-inputs``, ``alpha-ordinal`` or ``alpha-interval``."""
    n: int
    """How many annotators or inputs there are."""
    half: float
    """Correlation of one half with the other; NaN for α."""
    reliability: float
    """Reliability of all together, by Spearman-Brown, or α."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end of its interval."""
    ceiling: float
    """Its square root: the highest Pearson correlation that a metric can be expected to have; NaN for α."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """What more or fewer inputs, systems and annotators would bring, and how well people agree."""

    study: ClassVar[str] = "plan"

    table: Sequence[PlanRow]
    """One row per metric, human criterion, axis and number."""
    needs: tuple[NeedRow, ...]
    """For each axis, how many are needed and what the next annotations bring."""
    ceilings: tuple[CeilingRow, ...]
    """Reliability of people's scores."""
    annotations: int
    """How many annotations `gain` is about."""


def plan(
    scores: Scores,
    *,
    human: NameOrNames | None = None,
    metric: NameOrNames | None = None,
    metric_b: str | None = None,
    width: float | None = None,
    power: float | None = None,
    difference: float | None = None,
    level: str = "system",
    coefficient: str = "kendall",
    interval: str = "two-way",
    confidence: float = 0.95,
    alpha: float = 0.05,
    annotations: int = 100,
    trials: int | None = None,
    seed: int = 0,
    references: bool = False,
    threads: int | None = None,
) -> Plan:
    """Tell how many inputs, systems and annotators make an interval narrow, or find a difference between two metrics.

    Parameters
    ----------
    scores
        Scores of metrics and people, such as those of a pilot study.
    human
        Human criteria: names, globs or comma lists; by default every column known to be human.
    metric
        Metrics, likewise; by default every column that is not human. To plan a power, one metric.
    metric_b
        The metric that it is compared with, to plan a power.
    width
        The wanted width of the confidence interval, such as 0.2 (the default, unless a power is planned).
    power
        The wanted chance to find that one metric agrees better than the other, such as 0.8.
    difference
        The difference of the two correlations to be found, for metrics like these; by default the one in the data.
    level
        ``system`` or ``input``.
    coefficient
        ``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``.
    interval
        ``two-way`` (systems and inputs are a sample) or ``boot-inputs`` (about these very systems).
    confidence
        Confidence of the interval.
    alpha
        Significance level of the one-sided test.
    annotations
        What the next so many single judgments buy.
    trials
        How many data sets to draw for each design; by default 1,000 at system level and 300 at input level.
    seed
        The same seed gives the same numbers, whatever the number of threads.
    references
        Keep people's own texts that were scored like systems.
    threads
        How many threads to use; all processors by default.

    Returns
    -------
    Plan
        Curves over the number of inputs, systems and annotators; what is needed; and how well people agree.

    Notes
    -----
    A world is fitted to the scores: normal effects with the covariances of metrics and people between systems, inputs
    and cells (Henderson 1953, method I), and the part of people's variance that is due to single annotators. Data sets
    of other sizes are drawn from it. An interval is taken to be as wide as correlations vary between data sets; a test,
    to reject with probability α where both metrics are equally good.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.plan(ma.example(), human="relevance", metric="synthetic-overlap", width=0.3, trials=200)
    >>> [row.needed is not None for row in result.needs if row.axis == "systems"]
    [True]
    """
    level = vocabulary.choice("level", level, vocabulary.PLANNED_LEVELS, vocabulary.LEVEL_ALIASES)
    coefficient = vocabulary.choice("coefficient", coefficient, vocabulary.COEFFICIENTS, vocabulary.COEFFICIENT_ALIASES)
    interval = vocabulary.choice("interval", interval, vocabulary.PLANNED_INTERVALS)
    confidence = vocabulary.fraction("confidence", confidence)
    alpha = vocabulary.fraction("alpha", alpha)
    annotations = vocabulary.count("annotations", annotations)
    trials = vocabulary.count("trials", TRIALS[level] if trials is None else trials, 50)
    seed = vocabulary.seed(seed)
    threads = vocabulary.threads(threads)
    if width is not None and (power is not None or metric_b is not None):
        raise UsageError("width is about one metric, power about two (metric_b); plan one of them at a time")
    if metric_b is None and (power is not None or difference is not None):
        raise UsageError("power and difference are about two metrics; name the other one with metric_b or --metric-b")
    if width is not None and not 0 < vocabulary.positives("width", width)[0] < 2:
        raise UsageError(f"width must lie in (0, 2), since correlations go from -1 to 1, got {width:g}")
    powered = metric_b is not None
    target = vocabulary.fraction("power", 0.8 if power is None else power) if powered else float(width or 0.2)
    if difference is not None:
        difference = vocabulary.fraction("difference", difference)

    setting = settle(scores, human, _both(scores, human, metric, metric_b), references=references)
    if powered and len(setting.metrics) != 2:
        raise UsageError(f"power is about two different metrics, got {listed(setting.metrics, 6)}")
    asked = _Asked(level, coefficient, interval, confidence, alpha, target, powered, trials, seed, difference)
    cases = _cases(setting, asked)
    answers = _simulate(cases, asked, threads)
    rows = [row for case in cases for row in _rows(case, asked, answers)]
    needs = [need for case in cases for need in _needs(case, asked, answers, annotations)]
    ceilings = [row for h in range(len(setting.humans)) for row in _ceilings(setting, h, asked)]
    n, m = setting.scores.shape
    signature = Signature.of(
        "plan",
        level=level,
        coef=signature_names([coefficient]),
        target=f"{'power' if powered else 'width'},{target:g}",
        ci=None if powered else f"{interval},{confidence:g}",
        alpha=f"{alpha:g}" if powered else None,
        difference=None if difference is None else f"{difference:g}",
        next=annotations,
        trials=trials,
        seed=seed,
        systems=n,
        inputs=m,
    )
    notes = [*setting.notes, *(_advice(case, asked, rows, needs, annotations) for case in cases)]
    notes += _warnings(setting, cases, asked, rows)
    return Plan(tuple(rows), signature, tuple(notes), tuple(needs), tuple(ceilings), annotations)


@dataclass(frozen=True)
class _Asked:
    level: str
    coefficient: str
    interval: str
    confidence: float
    alpha: float
    target: float
    powered: bool
    trials: int
    seed: int
    difference: float | None

    def met(self, value: float) -> bool:
        """Return whether a width or a power is good enough."""
        return value >= self.target if self.powered else value <= self.target


@dataclass(frozen=True, eq=False)
class _Case:
    """One metric, or two, with one human criterion."""

    number: int
    metric: str
    metric_b: str | None
    human: str
    x: FloatArray
    z: FloatArray
    worlds: tuple[PlanWorld, ...]
    """The world, or for two metrics the one in which they are equally good and the one in which they differ."""
    base: Design
    """What the data have."""

    @property
    def annotated(self) -> bool:
        return self.worlds[0].noise is not None

    def now(self, axis: str) -> float:
        return {"inputs": self.base.inputs, "systems": self.base.systems, "annotators": self.base.annotators}[axis]

    def at(self, axis: str, n: float) -> Design:
        """Return the design with another number on one axis."""
        if axis == "systems":
            return replace(self.base, systems=int(n))
        return replace(self.base, inputs=float(n)) if axis == "inputs" else replace(self.base, annotators=float(n))

    def axes(self) -> tuple[str, ...]:
        return AXES if self.annotated else AXES[:2]

    def grid(self, axis: str) -> list[int]:
        found = {max(LEAST[axis], math.floor(self.now(axis) * k + 0.5)) for k in MULTIPLES}
        return sorted(found)

    def limits(self, level: str) -> list[str]:
        """Return the axes of which data sets with endlessly many can be drawn."""
        found = ["inputs"] if level == "system" else []
        return [*found, "annotators"] if self.annotated else found


def _both(
    scores: Scores, human: NameOrNames | None, metric: NameOrNames | None, other: str | None
) -> NameOrNames | None:
    """Return the names of metrics to study, the other metric last."""
    if other is None:
        return metric
    if not isinstance(scores, Scores):
        raise UsageError(f"expected Scores, got {type(scores).__name__}; use metassay.read or Scores.from_arrays")
    seconds = scores.find(other, "metric")
    firsts = scores.find(metric, "metric") if metric is not None else ()
    if len(firsts) != 1 or len(seconds) != 1 or firsts == seconds:
        raise UsageError(
            "power is about two different metrics: name one with metric (--metric) and one with metric_b (--metric-b), "
            f"got {listed(firsts, 6) or 'none'} and {listed(seconds, 6)}"
        )
    people = set(scores.find_humans(human))
    for name in (*firsts, *seconds):
        if name in people:
            raise UsageError(f"{one_line(name)!r} is a human criterion here, not a metric")
    return (*firsts, *seconds)


def _ratings(setting: Setting, human: str) -> FloatArray | None:
    """Return the scores of single annotators, or None if there are not two of them."""
    column = setting.scores[human]
    if len(column.labels("annotator")) < 2:
        return None
    return column.mean(keep="annotator")


def _cases(setting: Setting, asked: _Asked) -> list[_Case]:
    groups = [(0, 1)] if asked.powered else [(k,) for k in range(len(setting.metrics))]
    cases: list[_Case] = []
    for h, criterion in enumerate(setting.humans):
        z = setting.z[h]
        ratings = _ratings(setting, criterion)
        for group in groups:
            x = setting.x[list(group)]
            shared = ~np.isnan(x).any(axis=0) & ~np.isnan(z)
            rows, columns = shared.any(axis=1), shared.any(axis=0)
            names = [setting.metrics[k] for k in group]
            what = f"{listed(names, 2)} and {criterion}"
            if rows.sum() < LEAST["systems"] or columns.sum() < 2:
                raise DataError(
                    f"planning needs at least {LEAST['systems']} systems and 2 inputs to learn from, got {rows.sum()} "
                    f"× {columns.sum()} with scores of {one_line(what)}"
                )
            kept = np.ix_(rows, columns)
            x, people = np.stack([each[kept] for each in x]), z[kept]
            world = plan_world(x, people, None if ratings is None else ratings[:, rows][:, :, columns])
            annotators = 1.0 if world.noise is None else world.noise.annotators
            base = Design(int(rows.sum()), float(columns.sum()), annotators)
            r = world.correlations(base, asked.level)
            if np.isnan(r).any():
                raise DataError(
                    f"no world can be fitted to {one_line(what)}: scores do not vary, or too few are shared"
                )
            if asked.powered and r[1] > r[0]:
                # The better metric comes first.
                turned = [1, 0, 2]
                c = world.components
                parts = (m[np.ix_(turned, turned)] for m in (c.systems, c.inputs, c.cells))
                world, x, names, r = replace(world, components=type(c)(*parts)), x[::-1], names[::-1], r[::-1]
            worlds = (world,) if not asked.powered else _two_worlds(world, base, asked)
            other = names[1] if asked.powered else None
            cases.append(_Case(len(cases), names[0], other, criterion, x, people, worlds, base))
    return cases


def _two_worlds(world: PlanWorld, base: Design, asked: _Asked) -> tuple[PlanWorld, PlanWorld]:
    """Return the world in which two metrics are equally good, and the one with the difference to be found."""
    equal, difference = world.made_equal(base), asked.difference
    if difference is None:
        return equal, world
    middle = on_scale(float(equal.correlations(base, asked.level)[0]), asked.coefficient)
    if not 0 < difference < middle:
        raise DataError(
            f"a difference of {difference:g} cannot be planned: metrics like these have a correlation of about "
            f"{middle:.2f} in these data, and the worse one would fall below 0"
        )
    worse = to_pearson(middle - difference, asked.coefficient) / to_pearson(middle, asked.coefficient)
    return equal, equal.made_worse(worse)


_Answers = Mapping[tuple[int, Design], Answer]


def _simulate(cases: list[_Case], asked: _Asked, threads: int | None) -> _Answers:
    """Draw data sets of all designs and return their answers."""
    tasks: list[tuple[_Case, Design, int, int, int]] = []
    for case in cases:
        designs = [case.base, *(case.at(axis, n) for axis in case.axes() for n in case.grid(axis))]
        designs += [case.at(axis, math.inf) for axis in case.limits(asked.level)]
        for design in dict.fromkeys(designs):
            size = page_of(design, asked.level, len(case.x) + 1, asked.trials)
            for kind in range(len(case.worlds)):
                tasks += [(case, design, kind, page, size) for page in range(-(-asked.trials // size))]

    again = asked.interval == "boot-inputs" and not asked.powered

    def work(at: int) -> FloatArray:
        case, design, kind, page, size = tasks[at]
        # The same numbers in every design, as far as shapes allow: what differs is then due to the design.
        random = stream(asked.seed, PLANS, kind, page)
        return case.worlds[kind].estimates(random, design, asked.level, asked.coefficient, size, again=again)

    drawn: dict[tuple[int, Design], list[list[FloatArray]]] = {}
    done = engine.run(work, len(tasks), threads=threads, what="planning")
    for (case, design, kind, _, _), found in zip(tasks, done, strict=True):
        drawn.setdefault((case.number, design), [[] for _ in case.worlds])[kind].append(found)
    answers = {}
    for key, kinds in drawn.items():
        r = [np.concatenate(pages, axis=2)[..., : asked.trials] for pages in kinds]
        systems = key[1].systems
        if asked.powered:
            answers[key] = expected_power(r[0][:, 0], r[1][:, 0], systems, asked.coefficient, asked.alpha)
        else:
            answers[key] = expected_width(r[0][0], systems, asked.coefficient, asked.interval, asked.confidence)
    return answers


def _rows(case: _Case, asked: _Asked, answers: _Answers) -> Iterable[PlanRow]:
    for axis in case.axes():
        for n in case.grid(axis):
            design = case.at(axis, n)
            answer = answers[case.number, design]
            ceiling = case.worlds[-1].ceiling(design, asked.level)
            yield PlanRow(
                metric=case.metric,
                metric_b=case.metric_b,
                human=case.human,
                level=asked.level,
                coefficient=asked.coefficient,
                axis=axis,
                n=n,
                n_systems=design.systems,
                n_inputs=int(design.inputs),
                n_annotators=_whole(design.annotators) if case.annotated else None,
                annotations=_whole(design.systems * design.inputs * design.annotators),
                estimate=answer.mean,
                width=math.nan if asked.powered else answer.value,
                power=answer.value if asked.powered else math.nan,
                low=answer.low,
                high=answer.high,
                ceiling=math.nan if math.isnan(ceiling) else on_scale(ceiling, asked.coefficient),
                width_data=_width_data(case, asked, axis, n),
                target=asked.target,
                reached=asked.met(answer.value),
                extrapolated=n > case.now(axis),
                confidence=asked.confidence,
                alpha=asked.alpha if asked.powered else None,
                trials=asked.trials,
            )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _width_data(case: _Case, asked: _Asked, axis: str, n: int) -> float:
    """Return the mean width of intervals on random parts of the data; NaN where the data say nothing."""
    if asked.powered or axis == "annotators" or n > case.now(axis):
        return math.nan
    whole = n == case.now(axis)
    draws = 5 * DATA_DRAWS if whole else DATA_DRAWS
    found = []
    for part in range(1 if whole else SUBSETS):
        # All of the data are the same whichever axis is looked at.
        at = (case.number, 0, 0, 0) if whole else (case.number, AXES.index(axis) + 1, n, part)
        random = stream(asked.seed, PLANS, 3, *at)
        along = 0 if axis == "systems" else 1
        chosen = np.arange(n) if whole else np.sort(random.permutation(case.z.shape[along])[:n])
        x, z = (np.take(v, chosen, axis=along) for v in (case.x[0], case.z))
        found.append(
            observed_width(x, z, asked.level, asked.coefficient, asked.interval, asked.confidence, random, draws)
        )
    known = [value for value in found if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


# -- what is needed -----------------------------------------------------------------------------


def _needs(case: _Case, asked: _Asked, answers: _Answers, annotations: int) -> Iterable[NeedRow]:
    here = answers[case.number, case.base].value
    total = case.base.systems * case.base.inputs * case.base.annotators
    for axis in case.axes():
        curve = {n: answers[case.number, case.at(axis, n)].value for n in case.grid(axis)}
        needed = _crossing(curve, asked)
        limit = math.nan
        if axis in case.limits(asked.level):
            limit = answers[case.number, case.at(axis, math.inf)].value
        extra = math.nan if needed is None else max(needed / case.now(axis) - 1, 0.0) * total
        larger = {case.now(axis): here} | {n: value for n, value in curve.items() if n > case.now(axis)}
        then = _between(larger, case.now(axis) * (1 + annotations / total), asked)
        gain = then - here if asked.powered else then / here - 1
        yield NeedRow(case.metric, case.metric_b, case.human, axis, _whole(case.now(axis)), needed, limit, extra, gain)


def _between(curve: Mapping[float, float], n: float, asked: _Asked) -> float:
    """Return what a curve has at n, on straight lines over logarithms; beyond its end, what it has there."""
    sizes = sorted(curve)
    values = [curve[size] if asked.powered else math.log(max(curve[size], 1e-12)) for size in sizes]
    found = float(np.interp(math.log(n), np.log(sizes), values))
    return found if asked.powered else math.exp(found)


def _crossing(curve: Mapping[int, float], asked: _Asked) -> int | None:
    """Return about where a curve reaches the target, on a straight line over logarithms; None if it does not."""
    sizes = sorted(curve)
    # From the largest size down, as long as the target is met: simulation error must not make an island of it.
    good = len(sizes)
    while good and asked.met(curve[sizes[good - 1]]):
        good -= 1
    if good == len(sizes):
        return None
    if good == 0:
        return sizes[0]
    low, high = sizes[good - 1], sizes[good]
    ends = [curve[low], curve[high]]
    goal = asked.target
    if not asked.powered:
        ends, goal = [math.log(max(v, 1e-12)) for v in ends], math.log(goal)
    share = (goal - ends[0]) / (ends[1] - ends[0]) if ends[1] != ends[0] else 1.0
    return min(math.ceil(math.exp(math.log(low) + share * math.log(high / low)) - 1e-9), high)


# -- how well people agree ----------------------------------------------------------------------


def _ceilings(setting: Setting, at: int, asked: _Asked) -> list[CeilingRow]:
    human, z = setting.humans[at], setting.z[at]
    judged = has_scores(z)
    z = z[:, judged]
    random = stream(asked.seed, PLANS, 4, at)
    found = []

    def reliable(unit: str, method: str, n: int, r: Reliability) -> CeilingRow:
        ceiling = math.sqrt(r.whole) if r.whole >= 0 else math.nan
        return CeilingRow(human, unit, method, n, r.half, r.whole, r.low, r.high, ceiling)

    ratings = _ratings(setting, human)
    if ratings is not None:
        ratings = ratings[:, :, judged]
        draws = multiplicities(random, z.shape[1], 1_000)
        many = len(ratings)
        found.append(
            reliable("system means", "split-annotators", many, split_annotators(ratings, random, asked.confidence))
        )
        found.append(reliable("cells", "split-annotators", many, split_cells(ratings, random, draws, asked.confidence)))
        for scale in ("ordinal", "interval"):
            alpha = float(krippendorff(ratings, scale)[0])
            low, high = percentile(krippendorff(ratings, scale, draws), asked.confidence)
            found.append(
                CeilingRow(human, "single ratings", f"alpha-{scale}", many, math.nan, alpha, low, high, math.nan)
            )
    if z.shape[1] >= 2:
        by_inputs = split_inputs(z, random, asked.confidence)
        found.append(reliable("system means", "split-inputs", z.shape[1], by_inputs))
    return found


# -- in words -----------------------------------------------------------------------------------


def _advice(case: _Case, asked: _Asked, rows: list[PlanRow], needs: list[NeedRow], annotations: int) -> str:
    """Say what there is, what is needed, and where the next annotations buy most."""
    mine = [n for n in needs if (n.metric, n.metric_b, n.human) == (case.metric, case.metric_b, case.human)]
    here = _row_of(case, rows)
    size = f"{case.base.systems} systems × {case.base.inputs:.0f} inputs"
    size += f" × {case.base.annotators:.3g} annotators" if case.annotated else ""
    names = one_line(case.metric, 60)
    if asked.powered:
        wanted = f"{asked.difference:g}" if asked.difference is not None else f"{abs(here.estimate):.2f}"
        now = (
            f"{names} against {one_line(case.metric_b or '', 60)}, {one_line(case.human, 60)}: {size} find a "
            f"difference of {wanted} with a chance of {here.power:.0%}"
        )
        goal = f"a chance of {asked.target:.0%}"
    else:
        now = f"{names}, {one_line(case.human, 60)}: with {size} the interval is about {here.width:.2f} wide"
        goal = f"a width of {asked.target:g}"
    if here.reached:
        fewer = [_many(n.needed, n.axis) for n in mine if n.needed is not None and n.needed < n.now]
        what = f"{now}: {goal} is reached already"
        what += f"; about {' or '.join(fewer)} would do." if fewer else "."
    else:
        enough = [_many(n.needed, n.axis) for n in mine if n.needed is not None]
        what = f"{now}. {goal.capitalize()} needs about {' or '.join(enough)}." if enough else f"{now}."
        never = [n for n in mine if n.needed is None and not math.isnan(n.limit) and not asked.met(n.limit)]
        if never:
            ends = [f"{n.axis} ({n.limit:.0%}" if asked.powered else f"{n.axis} ({n.limit:.2f}" for n in never]
            what += f" No number of {' or '.join(f'{end} at best)' for end in ends)} is enough."
        few = [_many(max(case.grid(n.axis)), n.axis) for n in mine if n.needed is None and n not in never]
        if few:
            what += f" Even {' or '.join(few)} are not enough for {goal}."
    best = (max if asked.powered else min)(mine, key=lambda n: n.gain)
    unit = "annotations" if case.annotated else "judged outputs"
    if _gain(best.gain, asked).startswith("0.0"):
        what += f" The next {annotations:,} {unit} change too little to be seen."
    else:
        others = ", ".join(f"{_gain(n.gain, asked)} as {n.axis}" for n in mine if n is not best)
        how = "points of power" if asked.powered else "of the width"
        what += f" The next {annotations:,} {unit} buy most as {best.axis}: {_gain(best.gain, asked)} {how} ({others})."
    if not math.isnan(here.ceiling):
        what += (
            f" A metric that knew what all annotators would say could reach {here.ceiling:.2f} "
            f"({asked.coefficient}, {asked.level} level)."
        )
    return what


def _many(n: int, axis: str) -> str:
    return f"{n:,} {axis.removesuffix('s') if n == 1 else axis}"


def _row_of(case: _Case, rows: list[PlanRow]) -> PlanRow:
    """Return the row of what the data have."""
    key = (case.metric, case.metric_b, case.human, "systems", case.base.systems)
    return next(row for row in rows if (row.metric, row.metric_b, row.human, row.axis, row.n) == key)


def _gain(gain: float, asked: _Asked) -> str:
    text = f"{100 * gain:+.1f}"
    text = "0.0" if float(text) == 0 else text
    return text if asked.powered else f"{text}%"


def _warnings(setting: Setting, cases: list[_Case], asked: _Asked, rows: list[PlanRow]) -> list[str]:
    notes = []
    for human in setting.humans:
        mine = [case for case in cases if case.human == human]
        noise = mine[0].worlds[0].noise
        column = setting.scores[human]
        count = len(column.labels("annotator"))
        if noise is None:
            why = (
                "its scores do not tell annotators apart"
                if count == 0
                else "there is one annotator only"
                if count == 1
                else "no two annotators rated the same output"
            )
            notes.append(
                f"{one_line(human, 60)}: {why}, so nothing can be said about more annotators or about how far people "
                "agree; costs count judged outputs."
            )
        elif not noise.crossed:
            notes.append(
                f"{one_line(human, 60)}: few outputs were rated by all {count} annotators, so all their disagreement "
                f"is taken for noise of single outputs ({noise.annotators:.1f} ratings each)."
            )
    if not asked.powered:
        for case in cases:
            at = _row_of(case, rows)
            if not (at.width > 0 and at.width_data > 0):
                continue
            if max(at.width / at.width_data, at.width_data / at.width) > OFF:
                notes.append(
                    f"{one_line(case.metric, 60)}, {one_line(case.human, 60)}: the {asked.interval} interval of the "
                    f"data themselves is {at.width_data:.2f} wide, that of the fitted world {at.width:.2f}: systems "
                    "are few or not normal, so take these widths as rough."
                )
    if asked.difference is not None:
        notes.append(
            "The difference was made by adding noise to one of two metrics that are otherwise like these on average."
        )
    smallest = min(case.base.systems for case in cases)
    notes.append(
        f"Numbers beyond the data extrapolate a world fitted to {smallest} systems, with normal effects; low and high "
        "tell the error of the simulation, not of the fit."
    )
    if asked.powered:
        notes.append("Power is that of a one-sided test that holds its level exactly; real tests can only be near it.")
    if asked.interval == "boot-inputs" and not asked.powered:
        notes.append("The interval is about these very systems on new inputs.")
    return notes
