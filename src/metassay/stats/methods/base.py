"""What a method is: data to be compared, draws, and the two kinds of methods, intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.special import ndtri

from metassay.errors import UsageError
from metassay.stats.arrays import BoolArray, FloatArray, IntArray, Pair, Swaps
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.levels import Kind, Level, bootstraps
from metassay.stats.significance import Counts, count_exchanged
from metassay.stats.statistics.base import Statistic

T = TypeVar("T")
M = TypeVar("M", bound="Method")
Run = Callable[[Callable[[int], Any], int, str], list[Any]]
"""Does work(0), …, work(n − 1), told what it is called, and returns the results in order."""
Job = tuple[Level, Sequence[Kind]]
"""Prepared metrics, and the kinds of bootstraps that are wanted of them."""


class Pages(Protocol):
    """Pages of exchanges."""

    @property
    def size(self) -> int:
        """How many draws a page has."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, page: int) -> Swaps: ...


def in_turn(work: Callable[[int], T], pages: int, what: str) -> list[T]:
    """Do pages one after the other, here."""
    return [work(page) for page in range(pages)]


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

    def observations(self, metric: int) -> int:
        """Return what Fisher's and Williams' formulas count: systems, or inputs within systems, or all cells."""
        if self.level == "system":
            return int(self.present[metric].sum())
        both = ~np.isnan(self.x[metric]) & ~np.isnan(self.z)
        if self.level == "global":
            return int(both.sum())
        return int(both.any(axis=0 if self.level == "within-system" else 1).sum())


@dataclass(frozen=True)
class Draws:
    """How many draws a method takes, from which seed, and where its pages are done."""

    resamples: int
    """How many draws are wanted."""
    seed: int
    """The seed."""
    run: Run = field(default=in_turn, compare=False)
    """What does pages of work."""
    reckoned: int = 0
    """Elements per draw that decide the size of a page of bootstraps; 0 for the data's own."""

    def bootstrap_pages(self, case: Case, kinds: Sequence[Kind], draws: int) -> BootstrapPages:
        """Return pages of multiplicities for the data of a case."""
        return BootstrapPages(
            draws,
            case.shape,
            self.seed,
            resample_systems=any(kind[0] for kind in kinds),
            resample_inputs=any(kind[1] for kind in kinds),
            annotated=case.annotated,
            reckoned=self.reckoned,
        )

    def bootstrap(self, case: Case, jobs: Sequence[Job], what: str, draws: int | None = None) -> list[list[FloatArray]]:
        """Return for each job and kind the statistics (metrics, B) in the same draws of a case's systems and inputs."""
        draws = self.resamples if draws is None else draws
        pages = self.bootstrap_pages(case, [kind for _, kinds in jobs for kind in kinds], draws)

        def work(page: int) -> list[list[FloatArray]]:
            systems, inputs = pages[page]
            return [bootstraps(level, systems, inputs, kinds) for level, kinds in jobs]

        done = self.run(work, len(pages), what)
        return [
            [np.concatenate([page[j][k] for page in done], axis=1)[:, :draws] for k in range(len(kinds))]
            for j, (_, kinds) in enumerate(jobs)
        ]

    def swap_pages(self, case: Case, unit: str, *, whole: bool = False) -> Pages:
        """Return pages of exchanges of whole systems, whole inputs, or single cells; the last one cut or `whole`."""
        return SwapPages(self.resamples, case.shape, self.seed, unit)


@dataclass(frozen=True)
class SharedDraws(Draws):
    """Draws that several methods take of the same data, as in simulations: made once, and what they gave is kept.

    They are the draws that each method would make by itself.
    """

    kinds: Sequence[Kind] = ()
    """Kinds of bootstraps that will be wanted; they are taken together."""
    least: int = 0
    """The most draws that any of the methods takes."""
    first: int | None = None
    """If given, all draws are in one page with this number."""
    _kept: dict[Any, Any] = field(default_factory=dict, compare=False)

    def bootstrap_pages(self, case: Case, kinds: Sequence[Kind], draws: int) -> BootstrapPages:
        """Return pages of multiplicities, no longer than needed."""
        pages = super().bootstrap_pages(case, kinds, draws)
        if self.first is not None:
            return replace(pages, per_page=draws, first=self.first)
        return replace(pages, per_page=draws) if draws < pages.size else pages

    def bootstrap(self, case: Case, jobs: Sequence[Job], what: str, draws: int | None = None) -> list[list[FloatArray]]:
        """Return statistics in the same draws, computed once for each level and kind."""
        draws = self.resamples if draws is None else draws
        for level, kinds in jobs:
            mine = self._kept.setdefault(id(level), {"level": level})
            if any(kind not in mine or mine[kind].shape[1] < draws for kind in kinds):
                wanted = tuple(dict.fromkeys((*kinds, *self.kinds)))
                found = super().bootstrap(case, [(level, wanted)], what, max(draws, self.least))[0]
                mine.update(zip(wanted, found, strict=True))
        return [[self._kept[id(level)][kind][:, :draws] for kind in kinds] for level, kinds in jobs]

    def swap_pages(self, case: Case, unit: str, *, whole: bool = False) -> Pages:
        """Return pages of exchanges, made once."""
        pages = super().swap_pages(case, unit)
        made: list[Swaps] = self._kept.setdefault((case.shape, unit), [])
        return _KeptPages(pages, made, None if whole else self.resamples)


class _KeptPages:
    """Pages that are made once, and cut unless they are wanted whole."""

    def __init__(self, pages: Pages, made: list[Swaps], draws: int | None) -> None:
        self.pages, self.made, self.draws, self.size = pages, made, draws, pages.size

    def __len__(self) -> int:
        return len(self.pages)

    def __getitem__(self, page: int) -> Swaps:
        while len(self.made) <= page:
            self.made.append(self.pages[len(self.made)])
        return self.made[page] if self.draws is None else self.made[page][..., : self.draws - page * self.size]


# -- methods ------------------------------------------------------------------------------------


class Method:
    """An interval or a test: what is known of it, beside how it is computed."""

    name: str
    """What it is called in options and rows."""
    citation: str = ""
    """Where it was defined."""
    drawn: bool = True
    """Whether it takes draws."""
    generalises: str = ""
    """What a conclusion generalises to: of what there may be new ones, ``systems``, ``inputs`` or ``both``, or
    ``cells`` or a ``sample``."""

    narrow: bool = False
    """Whether it was made for one family of statistics: where all methods are asked for, others do not miss it."""

    def why_not(self, statistic: Statistic) -> str | None:
        """Return in a few words why it cannot be applied to a statistic; None if it can."""
        return None

    def check(self, statistic: Statistic) -> None:
        """Refuse a statistic that it cannot be applied to."""
        reason = self.why_not(statistic)
        if reason is not None:
            raise UsageError(f"{self.name} does not apply to the statistic {statistic.name}: {reason}")

    def __repr__(self) -> str:
        return self.name


def applicable(
    methods: Sequence[M], statistics: Sequence[Statistic]
) -> tuple[tuple[M, ...], list[tuple[M, Statistic, str]]]:
    """Return the methods that apply to some of the statistics, and which do not apply to which, with the reasons.

    Raises
    ------
    UsageError
        If a statistic is left without a method.
    """
    lacking = [
        (method, statistic, reason)
        for method in methods
        for statistic in statistics
        if (reason := method.why_not(statistic)) is not None
    ]
    for statistic in statistics:
        if sum(which is statistic for _, which, _ in lacking) == len(methods):
            methods[0].check(statistic)
    without = {id(method): 0 for method in methods}
    for method, _, _ in lacking:
        without[id(method)] += 1
    return tuple(m for m in methods if without[id(m)] < len(statistics)), lacking


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of all metrics of a case."""

    estimates: FloatArray
    """The statistic of each metric, (P,)."""
    undefined: IntArray
    """Groups whose own statistic is undefined and left the average, (P,)."""
    low: FloatArray
    """Lower ends, (P,)."""
    high: FloatArray
    """Upper ends, (P,)."""
    samples: FloatArray | None = None
    """The statistics in the resamples, (P, B), if the interval is made of them."""


class Interval(Method):
    """A confidence interval of a statistic."""

    def draws_taken(self, resamples: int) -> int | None:
        """Return how many draws it takes where so many are wanted; None if it takes none."""
        return resamples if self.drawn else None

    def kinds(self) -> Sequence[Kind]:
        """Return the kinds of bootstraps that it rests on."""
        return ()

    def compute(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case; cases with as many inputs may share their draws."""
        raise NotImplementedError

    def reach(self, systems: int, confidence: float) -> float:
        """Return how many standard deviations it reaches to either side, on the statistic's scale."""
        return float(ndtri((1 + confidence) / 2))


@dataclass(frozen=True, eq=False)
class Tested:
    """Pairs of metrics, tested in both directions."""

    estimates: FloatArray
    """The statistics of both, (pairs, 2)."""
    p: FloatArray
    """p-values of the first against the second, (pairs,); NaN where a statistic is undefined."""
    q: FloatArray
    """p-values of the second against the first."""
    undefined: IntArray
    """Draws in which a statistic was undefined; they are left out."""


class MetricTest(Method):
    """A test of whether one metric agrees better with people than another."""

    independent: str | None = None
    """What it takes for independent although systems, if they are a sample, are not: ``both`` (cells) or ``inputs``."""
    unpaired: str = ""
    """What is done where metrics have more inputs than people: ``draws``, ``swaps`` or ``correlations``."""

    def kinds(self) -> Sequence[Kind]:
        """Return the kinds of bootstraps of the statistic itself that it rests on."""
        return ()

    def bootstraps_taken(self, resamples: int) -> int:
        """Return how many of them it takes, where so many draws are wanted."""
        return resamples if self.kinds() else 0

    def draws_taken(self, resamples: int) -> int | None:
        """Return how many draws its p-values rest on where so many are wanted; None if they rest on none."""
        return resamples if self.drawn else None

    def smallest_p(self, shape: tuple[int, int], resamples: int, rule: str) -> float:
        """Return the smallest p-value that it can give for so many systems and inputs."""
        if not self.drawn:
            return 0.0
        return 1 / (resamples + 1) if rule == "plus-one" else 0.0

    def drawing(self, case: Case, pairs: Sequence[Pair], draws: Draws) -> Drawing:
        """Return the differences that it counts, for tests that can be made of averages over several data sets."""
        raise UsageError(f"{self.name} has no draws that could be averaged over tasks")

    def count(self, observed: FloatArray, drawn: FloatArray, rule: str) -> Counts:
        """Count the drawn differences (pairs, B) that speak against the observed ones."""
        return count_exchanged(observed, drawn, rule)

    def compute(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics, which miss the same cells.

        Parameters
        ----------
        case
            The data.
        pairs
            Which metric is tested against which, by position.
        draws
            How many draws to take.
        alternative
            ``greater`` (the first agrees better), ``less`` or ``two-sided``.
        rule
            ``plus-one`` for p-values (c + 1)/(k + 1), ``paper`` for c/k.
        """
        drawing = self.drawing(case, pairs, draws)

        def work(page: int) -> Counts:
            return self.count(drawing.observed, drawing.page(page), rule)

        counts = reduce(add, draws.run(work, drawing.pages, self.name))
        return self.tested(case, pairs, counts, draws.resamples, alternative, rule)

    @staticmethod
    def tested(case: Case, pairs: Sequence[Pair], counts: Counts, draws: int, alternative: str, rule: str) -> Tested:
        """Return what follows from counts of draws that speak against the first metric of each pair."""
        estimates = np.stack([case.estimates[list(side)] for side in zip(*pairs, strict=True)], axis=1)
        if not case.statistic.higher_is_better:
            alternative = OPPOSITE[alternative]
        p, q = (counts.p_values(which, rule) for which in (alternative, OPPOSITE[alternative]))
        p, q = (np.where(np.isnan(estimates).any(axis=1), np.nan, values) for values in (p, q))
        return Tested(estimates, p, q, draws - counts.draws)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Differences of statistics between pairs of metrics, as observed and as drawn."""

    observed: FloatArray
    """(pairs,), from the same arithmetic as the drawn ones."""
    page: Callable[[int], FloatArray]
    """What a page of draws gives, (pairs, B)."""
    pages: int
    """How many pages there are."""
    added: FloatArray | float = 0.0
    """What inputs add to the variance that exchanges of systems show, (pairs,); else 0."""


OPPOSITE = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
"""What is asked if two metrics change places."""
