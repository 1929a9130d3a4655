"""How many inputs, systems and annotators are needed?

Estimates from scores, such as those of a pilot study, how the width of intervals and the power of tests change with the
number of inputs, systems and annotators. Also reports how well people agree with each other, which limits every metric,
and where further annotations help most.

    metassay plan scores.csv --human relevance --metric synthetic-overlap --width 0.2
    metassay plan scores.csv --human relevance --metric synthetic-overlap --metric-b synthetic-judge --power 0.8
    metassay plan scores.csv --human relevance --metric synthetic-overlap --level input --interval boot-inputs
    metassay plan judge.csv --human verdict_ben --metric kind-judge --statistic f1 --level global --interval boot-inputs
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from metassay.core import fields
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, listed, one_line
from metassay.stats.draws import PLANS, multiplicities, stream
from metassay.stats.intervals import percentile
from metassay.stats.methods.base import Case as Data
from metassay.stats.methods.base import SharedDraws
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.planning import PlanWorld, observed_width
from metassay.stats.reliability import Reliability, krippendorff, split_annotators, split_cells, split_inputs
from metassay.stats.statistics.registry import choose_one
from metassay.studies.input_sets import has_scores
from metassay.studies.plan_cases import AXES, LEAST, Answers, Asked, Case, make_cases, simulate
from metassay.studies.plan_notes import advice, caveats
from metassay.studies.selection import Selection, select

TRIALS = {"system": 1_000, "input": 300, "global": 1_000}
"""How many data sets of each design are drawn unless another number is given."""

SUBSETS = 20
"""From the data themselves so many random parts of each smaller size are taken."""

DATA_DRAWS = 200
"""Resamples behind the interval of each of these parts."""
MOST_IN_PARTS = 24
"""With more pairs of metric and criterion, intervals on parts of the data are left out: they take most of the time."""


@fields.row
class PlanRow:
    """The expected result of one design: the numbers of the data, with one of them changed."""

    metric: fields.Metric
    metric_b: str | None
    """The metric that it is compared with; None if the width of an interval is planned."""
    human: fields.Human
    level: str
    """``system``, ``input`` or ``global``."""
    statistic: fields.Statistic
    axis: str
    """What changes: ``inputs``, ``systems`` or ``annotators``."""
    n: int
    """Its number."""
    n_systems: int
    """Systems."""
    n_inputs: int
    """Inputs that people judge."""
    n_annotators: float | None
    """Annotators of each output; None if annotators are not identified."""
    annotations: float
    """The cost: single ratings of single outputs; rated outputs if annotators are not identified."""
    estimate: float
    """The expected correlation, or difference of two correlations."""
    width: float
    """Expected width of the interval; NaN if a power is planned."""
    power: float
    """Power to find the difference; NaN if a width is planned."""
    low: float
    """Lower end of the 95% interval of the width or power: the error of the simulation alone."""
    high: fields.High
    ceiling: float
    """Correlation of a metric that knows the mean rating of all possible annotators; NaN if annotators are unknown."""
    width_data: float
    """Mean width of the interval on random parts of the data of this size, without any model; NaN beyond the data."""
    target: float
    """The target width or power."""
    reached: bool
    """Whether it is reached."""
    extrapolated: bool
    """Whether the design is larger than the data."""
    confidence: fields.Confidence
    alpha: float | None
    """Significance level of the test; None if a width is planned."""
    trials: int
    """Number of simulated data sets."""


@fields.row
class NeedRow:
    """The number of inputs, systems or annotators needed, with the others unchanged."""

    metric: fields.Metric
    metric_b: str | None
    """The other metric, if there is one."""
    human: fields.Human
    axis: str
    """``inputs``, ``systems`` or ``annotators``."""
    now: float
    """How many the data have."""
    needed: int | None
    """The approximate number needed; None if no tested number is enough."""
    limit: float
    """The width or power in the limit (n → ∞); NaN if it was not simulated."""
    annotations: float
    """Additional single ratings; NaN if no number is enough."""
    gain: float
    """Change in interval width (as a share of it) or in power if the next annotations all go here; limited to seven
    times the present number, the most that was simulated."""
    at_most: bool = False
    """Whether the smallest simulated number, a quarter of the present one, is already enough, so that fewer may be."""


@fields.row
class CeilingRow:
    """How well people agree with each other."""

    human: fields.Human
    unit: str
    """What the reliability is of: ``system means``, ``cells`` or ``single ratings``."""
    method: str
    """``split-annotators``, ``split-inputs``, ``alpha-ordinal`` or ``alpha-interval``."""
    n: int
    """How many annotators or inputs there are."""
    half: float
    """Correlation of one half with the other; NaN for α."""
    reliability: float
    """Reliability of all together, by Spearman-Brown, or α."""
    low: fields.Low
    high: fields.High
    ceiling: float
    """Its square root: the highest Pearson correlation that a metric can be expected to have; NaN for α."""


class Plan(Result, study="plan"):
    """Interval widths and power with other numbers of inputs, systems and annotators, and how well people agree."""

    table: Sequence[PlanRow]
    """One row per metric, human criterion, axis and number."""
    needs: tuple[NeedRow, ...]
    """For each axis, the number needed and the gain from the next annotations."""
    ceilings: tuple[CeilingRow, ...]
    """Reliability of human scores."""
    annotations: int
    """The number of further annotations for `gain`."""


@study
def plan(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    metric_b: opt.MetricB = None,
    width: opt.Width = None,
    power: opt.Power = None,
    difference: opt.Difference = None,
    level: opt.PlannedLevel = "system",
    statistic: opt.Statistic = "kendall",
    interval: opt.PlannedInterval = "jackknife",
    confidence: opt.Confidence = 0.95,
    alpha: opt.Alpha = 0.05,
    annotations: opt.Annotations = 100,
    trials: opt.PlanTrials = None,
    model_only: opt.ModelOnly = False,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Plan:
    """Estimate how many inputs, systems and annotators an interval width or the power of a test needs.

    Parameters
    ----------
    scores
        Scores of metrics and people, such as those of a pilot study.

    Notes
    -----
    A model is fitted to the scores: normal effects with the covariances of metrics and people between systems, inputs
    and cells (Henderson 1953, method I), and the part of the human variance that is due to single annotators. Data sets
    of other sizes are drawn from it. The width of an interval follows from how correlations vary between data sets; a
    test is assumed to reject with probability α if both metrics are equally good. For statistics of single outputs,
    such as those of labels, and at global level, the inputs of the data are resampled instead; equally good metrics are
    made by exchanging the two on half of the inputs.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.plan(ma.example(), human="relevance", metric="synthetic-overlap", width=0.3, trials=200)
    >>> [row.needed is not None for row in result.needs if row.axis == "systems"]
    [True]
    """
    statistic = choose_one(statistic, [level])
    method = INTERVALS[interval]
    trials = TRIALS[level] if trials is None else trials
    if width is not None and (power is not None or metric_b is not None):
        raise UsageError("width is planned for one metric, power for two (metric_b); plan one of them at a time")
    if metric_b is None and (power is not None or difference is not None):
        raise UsageError("power and difference need two metrics; name the second with metric_b or --metric-b")
    low, high = statistic.range
    if width is not None and width >= high - low:
        what = "correlations go" if statistic.is_correlation else f"{statistic.name} goes"
        raise UsageError(f"width must lie in (0, {high - low:g}), since {what} from {low:g} to {high:g}, got {width:g}")
    powered = metric_b is not None
    target = (power or 0.8) if powered else (width or 0.2)
    if difference is not None and math.isnan(statistic.to_pearson(0.0)):
        raise UsageError(f"a difference of {statistic.name} cannot be set: only correlations can; leave it out")

    names = _both(scores, human, metric, metric_b)
    selected = select(scores, human, names, references=references, statistics=[statistic])
    if powered and len(selected.metrics) != 2:
        raise UsageError(f"power needs two different metrics, got {listed(selected.metrics, 6)}")
    asked = Asked(level, statistic, method, confidence, alpha, target, powered, trials, seed, difference)
    if asked.of_items or not scores.has_systems:
        selected.need(levels=[level])
    cases = make_cases(selected, asked)
    answers = simulate(cases, asked)
    for case in cases if asked.of_items and not powered else ():
        if not answers[case.number, case.base].value > 0:
            raise DataError(
                f"{statistic.name} of {one_line(case.metric)} with {one_line(case.human)} is the same in all data sets "
                "that are drawn from these data, so its variance is unknown"
            )
    rows = [
        row
        for case in cases
        for row in _rows(case, asked, answers, parts=not model_only and len(cases) <= MOST_IN_PARTS)
    ]
    needs = [need for case in cases for need in _needs(case, asked, answers, annotations)]
    ceilings = [row for h in range(len(selected.humans)) for row in _ceilings(selected, h, asked)]
    signature = Signature.open(
        target=f"{'power' if powered else 'width'},{target:g}",
        trials=trials,
        **{"ci" if powered else "alpha": None},
        **selected.sizes(),
    )
    notes = [
        *selected.notes,
        *(note for case in cases for note in advice(case, asked, rows, needs, annotations, named=scores.has_systems)),
    ]
    notes += caveats(selected, cases, asked, rows)
    if len(cases) > MOST_IN_PARTS and not powered and not model_only:
        notes.append(Note.of("plan-parts-left-out", pairs=len(cases), most=MOST_IN_PARTS))
    return Plan(tuple(rows), signature, tuple(notes), tuple(needs), tuple(ceilings), annotations)


def _both(scores: Scores, human: opt.Names | None, metric: opt.Names | None, other: str | None) -> opt.Names | None:
    """Return the names of metrics to study, the other metric last."""
    if other is None:
        return metric
    seconds = scores.find(other, "metric")
    firsts = scores.find(metric, "metric") if metric is not None else ()
    if len(firsts) != 1 or len(seconds) != 1 or firsts == seconds:
        raise UsageError(
            "power needs two different metrics: name one with metric (--metric) and one with metric_b (--metric-b), "
            f"got {listed(firsts, 6) or 'none'} and {listed(seconds, 6)}"
        )
    people = set(scores.find_humans(human))
    for name in (*firsts, *seconds):
        if name in people:
            raise UsageError(f"{one_line(name)!r} is a human criterion here, not a metric")
    return (*firsts, *seconds)


def _rows(case: Case, asked: Asked, answers: Answers, *, parts: bool) -> Iterable[PlanRow]:
    # All of the data are the same whichever axis is looked at.
    whole = math.nan if asked.powered else _width_data(case, asked, "inputs", int(case.now("inputs")))

    def seen(axis: str, n: int) -> float:
        if asked.powered or axis == "annotators" or n > case.now(axis):
            return math.nan
        if n == case.now(axis):
            return whole
        if not parts:
            return math.nan
        return _width_data(case, asked, axis, n)

    for axis in case.axes():
        for n in case.grid(axis):
            design = case.at(axis, n)
            answer = answers[case.number, design]
            world = case.worlds[-1]
            ceiling = world.ceiling(design, asked.level) if isinstance(world, PlanWorld) else math.nan
            yield fields.filled(
                PlanRow,
                case,
                asked,
                answer,
                statistic=asked.statistic.name,
                axis=axis,
                n=n,
                n_systems=design.systems,
                n_inputs=int(design.inputs),
                n_annotators=_whole(design.annotators) if case.annotated else None,
                annotations=_whole(design.systems * design.inputs * design.annotators),
                estimate=answer.mean,
                width=math.nan if asked.powered else answer.value,
                power=answer.value if asked.powered else math.nan,
                ceiling=math.nan if math.isnan(ceiling) else asked.statistic.of_normal(ceiling),
                width_data=seen(axis, n),
                reached=asked.met(answer.value),
                extrapolated=n > case.now(axis),
                alpha=asked.alpha if asked.powered else None,
            )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _width_data(case: Case, asked: Asked, axis: str, n: int) -> float:
    """Return the mean width of intervals on random parts of the data; NaN where the data say nothing."""
    whole = n == case.now(axis)
    draws = 5 * DATA_DRAWS if whole else DATA_DRAWS
    found = []
    for part in range(1 if whole else SUBSETS):
        at = (case.number, 0, 0, 0) if whole else (case.number, AXES.index(axis) + 1, n, part)
        random = stream(asked.seed, PLANS, 3, *at)
        along = 0 if axis == "systems" else 1
        chosen = np.arange(n) if whole else np.sort(random.permutation(case.z.shape[along])[:n])
        x, z = (np.take(v, chosen, axis=along) for v in (case.x[0], case.z))
        clusters = case.clusters if case.clusters is None or along == 0 else case.clusters[chosen]
        data = Data(asked.statistic, x[None], z, asked.level, clusters=clusters)
        own = SharedDraws(draws, int(random.integers(2**62)))
        found.append(observed_width(data, asked.interval, asked.confidence, own))
    known = [value for value in found if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


# -- what is needed -----------------------------------------------------------------------------


def _needs(case: Case, asked: Asked, answers: Answers, annotations: int) -> Iterable[NeedRow]:
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
        fewest = min(curve)
        at_most = needed == fewest > LEAST[axis] and asked.met(curve[fewest])
        now = _whole(case.now(axis))
        yield NeedRow(case.metric, case.metric_b, case.human, axis, now, needed, limit, extra, gain, at_most)


def _between(curve: Mapping[float, float], n: float, asked: Asked) -> float:
    """Return what a curve has at n, on straight lines over logarithms; beyond its end, what it has there."""
    sizes = sorted(curve)
    values = [curve[size] if asked.powered else math.log(max(curve[size], 1e-12)) for size in sizes]
    found = float(np.interp(math.log(n), np.log(sizes), values))
    return found if asked.powered else math.exp(found)


def _crossing(curve: Mapping[int, float], asked: Asked) -> int | None:
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


def _ceilings(selected: Selection, at: int, asked: Asked) -> list[CeilingRow]:
    human, z = selected.humans[at], selected.z[at]
    if not selected.scores[human].scale.ordered or (asked.of_items and selected.ratings(human) is None):
        return []
    judged = has_scores(z)
    z = z[:, judged]
    random = stream(asked.seed, PLANS, 4, at)
    found = []

    def reliable(unit: str, method: str, n: int, r: Reliability) -> CeilingRow:
        ceiling = math.sqrt(r.whole) if r.whole >= 0 else math.nan
        return CeilingRow(human, unit, method, n, r.half, r.whole, r.low, r.high, ceiling)

    ratings = selected.ratings(human)
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
