"""How often do tests find a difference between equally good metrics?

Simulates data sets in which two metrics are equally good, and counts how often each test rejects. This false-positive
rate should be α. Without files it uses a grid of simulated populations. With files it fits a population to every pair
of metrics and every human criterion; for statistics of single outputs such as kappa, it resamples the inputs of the
files. Populations in which the first metric is better show the power.

    metassay simulate size
    metassay simulate size scores.csv --human relevance --metric synthetic-overlap,synthetic-judge
    metassay simulate size judge.csv --human verdict_anna --metric strict-judge,kind-judge --statistic kappa
    metassay simulate size --population 'equal: system bias 1' --test two-way,williams --trials 2000
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator

from metassay import engine
from metassay.core import fields, vocabulary
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.errors import DataError, UsageError, one_line
from metassay.stats.arrays import FloatArray
from metassay.stats.draws import TRIALS, WORLDS, stream
from metassay.stats.methods.base import Case, Draws, MetricTest, SharedDraws, applicable
from metassay.stats.methods.registry import TESTS
from metassay.stats.methods.two_way import DRAWS as VARIANCE_DRAWS
from metassay.stats.proportions import Rate
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.registry import choose
from metassay.stats.worlds import GRID, TEXTBOOK, Fitted, Observed, World, fit
from metassay.studies.input_sets import has_scores
from metassay.studies.method_notes import left_out
from metassay.studies.selection import Selection, select

PAGE_ELEMENTS = 400_000
"""A page has as many data sets as make this many means of systems over all draws; it changes no number's meaning."""

TOLERANCE = 1.3
"""A test holds its level if it rejects at most so many times α: .065 at α = .05."""

FITTED, AGAIN = 1_000, 1_000_000
"""Numbers of the streams of fitted and of observed worlds begin here; those of the grid are their places in it."""


@fields.row
class SizeRow:
    """How often one test rejected in one simulated population."""

    test: fields.Test
    setting: str
    """The simulated population: its name in the grid; ``fitted, equal`` and ``fitted, as observed`` if it was fitted to
    the user's data; ``resampled, equal`` and ``resampled, as observed`` if inputs of the user's data were
    resampled."""
    metric_a: str | None
    """The better of the two metrics that the population was fitted to; None for populations of the grid."""
    metric_b: str | None
    """The other metric."""
    human: str | None
    """The human criterion that it was fitted to; None for populations of the grid."""
    level: str
    """``system``, or ``global`` or ``input`` for statistics that are not defined there."""
    statistic: fields.Statistic
    equal: bool
    """Whether both metrics are equally good, so that every rejection is an error; else the rate is the power."""
    rate: float
    """Share of the data sets in which the test found the first metric better."""
    trials: int
    """Data sets in which the test was defined."""
    low: fields.RateLow
    high: fields.RateHigh
    alpha: float
    """The significance level, and the nominal false-positive rate if both are equally good."""
    holds: bool | None
    """Whether the interval of the rate is compatible with at most 1.3 α; None if the metrics differ."""
    difference: float
    """Mean difference of the two correlations over the data sets."""
    n_systems: int
    """Systems in each data set."""
    n_inputs: int
    """Inputs in each data set."""
    resamples: fields.ResamplesOrNone
    n_undefined: int
    """Data sets in which the test was undefined; excluded."""
    population: str = ""
    """The setting without the part that ``equal`` states; empty in files written by earlier versions."""


class Size(Result, study="simulate-size"):
    """Rejection rates of tests in simulated populations."""

    table: Sequence[SizeRow]
    """One row per population, statistic and test."""


@study
def simulate_size(
    scores: Scores | None = None,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    population: opt.Population = None,
    statistic: opt.Statistics = "pearson",
    test: opt.MetricTests = "all",
    alpha: opt.Alpha = 0.05,
    trials: opt.Trials = 500,
    resamples: opt.Resamples = 499,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Size:
    """Draw data sets in which two metrics are equally good, and count how often tests find a difference.

    Parameters
    ----------
    scores
        Scores of metrics and people, to which a population is fitted for every pair of metrics. Without scores, a grid
        of simulated populations is used.

    Notes
    -----
    The alternative hypothesis is that the first metric is better. Tests are at system level, or for statistics of
    single outputs at the first level at which they are defined. For the latter, the inputs that people judged (or
    clusters of inputs) are resampled with all their scores; equally good metrics are made by exchanging the two on half
    of the inputs.

    A fitted population has the covariances of system, input and cell effects of the two metrics and the human scores
    (Henderson 1953, method I), normal effects, and the distribution of human grades. In ``fitted, equal`` the
    covariances are averaged with those after exchanging the two metrics, so that both are equally good; ``fitted, as
    observed`` shows the power.

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.simulate_size(population="equal: system bias 1", test="williams,perm-both", trials=99, resamples=99)
    >>> [row.holds for row in result.table]
    [True, False]
    """
    statistics = choose(statistic)
    single = [each for each in statistics if "system" not in each.levels]
    if single and (scores is None or population is not None):
        raise UsageError(
            f"{single[0].name} compares single outputs, which simulated populations do not have; name a file with "
            "scores of single outputs, and leave out population"
        )
    wanted = [TESTS[name] for name in test]
    tests, lacking = applicable(wanted, statistics)
    chosen: tuple[str, ...] = ()
    if population is not None:
        # Names of populations hold commas, so a text is one name, and not a list.
        asked = (population,) if isinstance(population, str) else tuple(population)
        chosen = tuple(vocabulary.choice("population", name, tuple(TEXTBOOK)) for name in asked)
    elif scores is None:
        chosen = tuple(TEXTBOOK)
    known = {name: (at, like) for at, (name, like) in enumerate(zip(TEXTBOOK, GRID, strict=True))}
    places: list[_Place] = [_Place(name, None, TEXTBOOK[name], *known[name]) for name in chosen]
    notes = left_out([each for each in lacking if not (each[0].narrow and test == vocabulary.METRIC_TESTS)])
    if scores is not None:
        levels = dict.fromkeys(map(_level, statistics))
        chooses = {"references": references, "least_metrics": 2, "statistics": statistics}
        selected = select(scores, human, metric, **chooses).need(levels=levels)  # type: ignore[arg-type]
        notes += selected.notes
        if len(single) < len(statistics):
            fitted, told = _fitted(selected)
            places += fitted
            notes += told
        if single:
            places += _observed(selected, single)
            notes.append(Note.of("inputs-drawn-again"))

    rows: list[SizeRow] = []
    tasks = [(place, each) for place in places for each in statistics if (each in single) == place.observed]
    for at, (place, each) in enumerate(tasks):
        # Whatever the tests are, so that they see the same data sets, which are the same for every statistic.
        wide = place.world.people.size if isinstance(place.world, Observed) else place.world.shape[0]
        per_page = max(1, PAGE_ELEMENTS // (wide * max(resamples, VARIANCE_DRAWS)))
        mine = tuple(t for t in tests if t.why_not(each) is None)
        work = partial(_page, place, each, mine, resamples, seed, per_page)
        done = engine.run(work, -(-trials // per_page), what="simulating size", part=(at, len(tasks)))
        found = np.concatenate(done, axis=1)[:, :trials]
        rows += [_row(place, each, t, found[[k, -1]], alpha, resamples) for k, t in enumerate(mine)]
    signature = Signature.open(
        level=list(dict.fromkeys(map(_level, statistics))), test=[each.name for each in tests], populations=len(places)
    )
    return Size(tuple(rows), signature, (*notes, *_notes(rows)))


@dataclass(frozen=True)
class _Place:
    """A world with what it was fitted to, if anything."""

    name: str
    names: tuple[str, str, str] | None
    world: World | Observed
    number: int
    """The number of its stream: what else is drawn changes nothing."""
    like: str = ""
    """What a world of the grid is like."""

    @property
    def observed(self) -> bool:
        """Whether the data themselves are drawn again."""
        return isinstance(self.world, Observed)


def _level(statistic: Statistic) -> str:
    """Return the level at which a statistic is tested."""
    return next(level for level in ("system", "global", "input", "within-system") if level in statistic.levels)


def _observed(selected: Selection, statistics: Sequence[Statistic]) -> list[_Place]:
    """Return the data themselves as worlds, for every pair of metrics and every criterion; the better metric first."""
    places: list[_Place] = []
    for h, a, b in np.ndindex(len(selected.humans), len(selected.metrics), len(selected.metrics)):
        if a >= b:
            continue
        # On outputs that both metrics scored: else they would differ in what they scored after changing places.
        x = np.where(np.isnan(selected.x[[a, b]]).any(axis=0), np.nan, selected.x[[a, b]])
        first = statistics[0]
        r = first.sign * Case(first, x, selected.z[h], _level(first)).estimates
        turn = slice(None, None, -1) if r[1] > r[0] else slice(None)
        names = tuple(selected.metrics[at] for at in (a, b)[turn])
        world = Observed.of(x[turn], selected.z[h], selected.labels("inputs"))
        number = AGAIN + len(places)
        named = (names[0], names[1], selected.humans[h])
        places.append(_Place("resampled, equal", named, world.made_equal(), number))
        places.append(_Place("resampled, as observed", named, world, number + 1))
    return places


def _fitted(selected: Selection) -> tuple[list[_Place], list[Note]]:
    """Fit a world to every pair of metrics and every criterion, and note what they are like."""
    places: list[_Place] = []
    told: list[Note] = []
    for h, criterion in enumerate(selected.humans):
        z = selected.z[h]
        judged = has_scores(z)
        for a, first in enumerate(selected.metrics):
            for b in range(a + 1, len(selected.metrics)):
                x, y = selected.x[a][:, judged], selected.x[b][:, judged]
                world = fit(x, y, z[:, judged])
                names = (first, selected.metrics[b], criterion)
                if _second_is_better(world):
                    world, names = fit(y, x, z[:, judged]), (names[1], names[0], criterion)
                means = np.diag(world.components.of_means(max(world.shape[1], 1)))
                if not (means > 0).all():
                    raise DataError(
                        f"no population can be fitted to {one_line(first)}, {one_line(selected.metrics[b])} and "
                        f"{one_line(criterion)}: means of systems do not vary, or too few cells are shared"
                    )
                number = FITTED + len(places)
                places.append(_Place("fitted, equal", names, world.made_equal(), number))
                places.append(_Place("fitted, as observed", names, world, number + 1))
                told.append(_describe(world, names))
    return places, told


def _second_is_better(world: Fitted) -> bool:
    """Return whether the second metric correlates better with people, in means of systems."""
    means = world.components.of_means(max(world.shape[1], 1))
    return bool(means[1, 2] * np.sqrt(max(means[0, 0], 0.0)) > means[0, 2] * np.sqrt(max(means[1, 1], 0.0)))


def _describe(world: Fitted, names: tuple[str, str, str]) -> Note:
    shares = []
    for at, name in enumerate(names):
        parts = [float(part[at, at]) for part in (world.components.systems, world.components.inputs)]
        whole = sum(parts) + float(world.components.cells[at, at])
        shares.append((name, parts[0] / whole, parts[1] / whole))
    return Note.of("world-fitted", shares=shares, bias=world.components.own_bias()[:2])


def _page(
    place: _Place, statistic: Statistic, tests: Sequence[MetricTest], resamples: int, seed: int, trials: int, page: int
) -> FloatArray:
    """Return p-values (tests, trials) in the data sets of a page, and below them differences of correlations."""
    world, random = place.world, stream(seed, WORLDS, place.number, page)
    own = page_seed(seed, place.number, page)
    if isinstance(world, Observed):
        return _again(world, statistic, tests, random, Draws(resamples, own), trials)
    x, y, z = world.draw(random, trials)
    # Data sets of a page share their draws, which are independent of the scores: every test has the size that it has
    # with draws of its own.
    kinds = tuple(dict.fromkeys(kind for test in tests for kind in test.kinds()))
    least = max(test.bootstraps_taken(resamples) for test in tests)
    draws = SharedDraws(resamples, own, kinds=kinds, least=least)
    case = Case(statistic, np.stack([x, y], axis=1).reshape(-1, *world.shape), z, "system")
    pairs = [(2 * t, 2 * t + 1) for t in range(trials)]
    p = [test.compute(case, pairs, draws, "greater", "plus-one").p for test in tests]
    return np.stack([*p, case.estimates[0::2] - case.estimates[1::2]])


def _again(
    world: Observed, statistic: Statistic, tests: Sequence[MetricTest], random: Generator, draws: Draws, trials: int
) -> FloatArray:
    """Return the same of data that are drawn again, one data set after the other."""
    found = []
    for _ in range(trials):
        x, z, clusters = world.draw(random)
        shared = clusters if len(set(clusters)) < len(clusters) else None
        case = Case(statistic, x, z, _level(statistic), clusters=shared)
        p = [test.compute(case, [(0, 1)], draws, "greater", "plus-one").p[0] for test in tests]
        found.append([*p, case.estimates[0] - case.estimates[1]])
    return np.array(found).T


def page_seed(seed: int, number: int, page: int) -> int:
    """Return the seed with which tests draw in one page of data sets of a world."""
    return int(stream(seed, TRIALS, number, page).integers(2**62))


def _row(
    place: _Place, statistic: Statistic, test: MetricTest, drawn: FloatArray, alpha: float, resamples: int
) -> SizeRow:
    p, difference = drawn
    found = Rate.of(np.where(np.isnan(p), np.nan, p <= alpha))
    a, b, human = place.names or (None, None, None)
    known = difference[~np.isnan(difference)]
    return fields.filled(
        SizeRow,
        found,
        test=test.name,
        setting=place.name,
        population=place.like or place.name,
        metric_a=a,
        metric_b=b,
        human=human,
        level=_level(statistic),
        statistic=statistic.name,
        equal=place.world.equal,
        alpha=alpha,
        holds=bool(found.low <= TOLERANCE * alpha) if place.world.equal and found.trials else None,
        difference=float(known.mean()) if len(known) else np.nan,
        n_systems=place.world.shape[0],
        n_inputs=place.world.shape[1],
        resamples=test.draws_taken(resamples),
    )


def _notes(rows: list[SizeRow]) -> list[Note]:
    failing = dict.fromkeys(row.test for row in rows if row.holds is False)
    notes = Note.when(any(row.level == "system" for row in rows), "worlds-drawn")
    if failing:
        notes.append(Note.of("level-exceeded", tests=failing, alpha=rows[0].alpha))
    lost = max((row.n_undefined for row in rows), default=0)
    return notes + Note.when(lost > 0, "data-sets-undefined", n=lost)
