"""What a method is: data to be compared, draws, and the two kinds of methods, intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from scipy.special import ndtri, stdtrit

from metassay.errors import UsageError
from metassay.stats.arrays import FloatArray, IntArray, Pair, Swaps
from metassay.stats.draws import BootstrapPages, SwapPages
from metassay.stats.levels import Kind, Level, bootstraps
from metassay.stats.methods.case import Case as Case
from metassay.stats.significance import EQUAL, Counts, count_exchanged
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
            families=case.families,
            clusters=(case.clusters, case.clusters_of_people),
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
        return SwapPages(self.resamples, case.shape, self.seed, unit, case.families, case.clusters)


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


FEW = ("few-systems", "few-inputs")


class Reason(NamedTuple):
    """Why there is no interval or no p-value."""

    code: str
    """``few-systems`` or ``few-inputs`` (or families, or clusters of them), ``undefined`` (the statistic itself),
    ``undefined-without-one`` (the statistic without one of the systems), ``zero-width`` (nothing in the data says how
    far the statistic may vary), ``same-scores`` (two metrics that the statistic cannot tell apart), ``other-cells``
    (two metrics that miss different ones), ``few-observations`` (a formula has no degrees of freedom left) or
    ``no-draw`` (undefined in all draws)."""
    needs: int = 0
    """How many are needed, if there are too few."""
    has: int = 0
    """How many there are."""
    why: str = ""
    """Why the statistic itself is undefined: what :meth:`Case.why_undefined` says."""

    @property
    def facts(self) -> dict[str, str | int]:
        """What a note says of it."""
        return {"reason": self.code, "needs": self.needs, "has": self.has}


MEMBERS = {"system": 0, "input": 0, "within-system": 1}
"""Which axis a level compares, 0 systems and 1 inputs; the other one is averaged. At global level both are cells."""


class Method:
    """An interval or a test: what is known of it, beside how it is computed."""

    name: str
    """What it is called in options and rows."""
    citation: str = ""
    """The work that defined it, as a list of references has it."""
    drawn: bool = True
    """Whether it takes draws."""
    generalises: str = ""
    """What a conclusion generalises to: of what there may be new ones, ``systems``, ``inputs`` or ``both``, or
    ``cells`` or a ``sample``."""

    narrow: bool = False
    """Whether it was made for one family of statistics: where all methods are asked for, others do not miss it."""

    units: bool = True
    """Whether systems of a family, and inputs of a cluster, are left out, drawn or exchanged together."""

    formula: bool = False
    """Whether it is a formula for a single statistic, and a rule of thumb where several are averaged."""

    @property
    def fixes_systems(self) -> bool:
        """Whether its conclusions are about these very systems."""
        return self.generalises in ("inputs", "cells")

    def is_rough(self, levels: Iterable[str]) -> bool:
        """Return whether it is applied to averages, for which its formula was not made."""
        return self.formula and any(level in ("input", "within-system") for level in levels)

    def needs(self, level: str) -> tuple[int, int]:
        """Return the least numbers of systems and of inputs for which it says anything at a level.

        Two points are always in perfect agreement or disagreement: three are the least where they are a sample. What is
        averaged, or is the whole of the data, needs two as a sample and else one.
        """
        least = [1, 1]
        for axis, name in enumerate(("systems", "inputs")):
            if self.generalises in (name, "both"):
                least[axis] = 3 if MEMBERS.get(level) == axis else 2
            elif MEMBERS.get(level) == axis:
                least[axis] = 3 if level == "system" else 2
        return least[0], least[1]

    def lacks(self, case: Case) -> list[Reason | None]:
        """Return for each metric what it has too few of; None if it has enough."""
        need = self.needs(case.level)
        return [
            next(
                (Reason(code, least, int(has)) for code, least, has in zip(FEW, need, row, strict=True) if has < least),
                None,
            )
            for row in case.units
        ]

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
    """Groups whose statistic is undefined and excluded from the mean, (P,)."""
    low: FloatArray
    """Lower ends, (P,)."""
    high: FloatArray
    """Upper ends, (P,)."""
    samples: FloatArray | None = None
    """The statistics in the resamples, (P, B), if the interval is made of them."""
    reasons: tuple[Reason | None, ...] = ()
    """For each metric why it has no interval; None if it has one."""

    @cached_property
    def shifts(self) -> FloatArray | None:
        """How far the median of the resamples lies from each estimate, in their standard deviations; None without them.

        Far from 0, resamples are biased: drawing inputs again adds noise that the data themselves do not have.
        """
        if self.samples is None:
            return None
        out = np.full(len(self.estimates), np.nan)
        for at, (sample, estimate) in enumerate(zip(self.samples, self.estimates, strict=True)):
            known = sample[~np.isnan(sample)]
            if len(known) > 1 and known.std() > EQUAL:
                out[at] = (np.median(known) - estimate) / known.std()
        return out


class Interval(Method):
    """A confidence interval of a statistic."""

    student: bool = False
    """Whether its quantiles are those of Student's t with N − 2 degrees of freedom, not of the normal distribution."""

    resampled: bool = False
    """Whether its ends are quantiles of resamples, which cases with other inputs then have in common."""

    def draws_taken(self, resamples: int) -> int | None:
        """Return how many draws it takes where so many are wanted; None if it takes none."""
        return resamples if self.drawn else None

    def kinds(self) -> Sequence[Kind]:
        """Return the kinds of bootstraps that it rests on."""
        return ()

    def compute(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case; NaN, with the reason, where the data do not allow one."""
        return [
            self._checked(case, found)
            for case, found in zip(cases, self.intervals(cases, draws, confidence), strict=True)
        ]

    def intervals(self, cases: Sequence[Case], draws: Draws, confidence: float) -> list[Intervals]:
        """Return intervals for each case as the formula has them; cases with as many inputs may share their draws."""
        raise NotImplementedError

    def _checked(self, case: Case, found: Intervals) -> Intervals:
        given = found.reasons or (None,) * len(found.estimates)
        reasons: list[Reason | None] = []
        for at, (lack, known, r, low, high) in enumerate(
            zip(self.lacks(case), given, found.estimates, found.low, found.high, strict=True)
        ):
            if np.isnan(r):
                reasons.append(Reason("undefined", why=case.why_undefined(at)))
            elif lack or known:
                reasons.append(lack or known)
            elif np.isnan(low + high):
                reasons.append(Reason("no-draw"))
            else:
                # These very systems may well stay in their order on whatever inputs; of other systems nobody knows.
                wide = high - low > EQUAL or self.generalises == "inputs"
                reasons.append(None if wide else Reason("zero-width"))
        without = np.array([reason is not None for reason in reasons], dtype=bool)
        ends = [np.where(without, np.nan, end) for end in (found.low, found.high)]
        return replace(found, low=ends[0], high=ends[1], reasons=tuple(reasons))

    def reach(self, systems: int, confidence: float) -> float:
        """Return how many standard deviations it reaches to either side, on the statistic's scale."""
        share = (1 + confidence) / 2
        if self.student:
            return float(stdtrit(systems - 2, share)) if systems >= self.needs("system")[0] else np.nan
        return float(ndtri(share))


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
    reasons: tuple[Reason | None, ...] = ()
    """For each pair why it has no p-value; None if it has one."""
    precision: tuple[FloatArray, FloatArray, FloatArray] | None = None
    """Standard errors of the differences on the statistic's scale, their degrees of freedom, which are infinite where
    systems are exchanged, and the excess kurtosis of what exchanges make, (pairs,) each; None if the test has none."""
    smallest: float = 0.0
    """The smallest one-sided p-value that exchanges of so few systems allow."""


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

    def smallest_p(self, shape: tuple[int, int], resamples: int, rule: str, alternative: str = "greater") -> float:
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
        """Test pairs of metrics, which miss the same cells; NaN, with the reason, where the data do not allow it.

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
        found = self.test(case, pairs, draws, alternative, rule)
        lacks, given = self.lacks(case), found.reasons or (None,) * len(pairs)
        reasons: list[Reason | None] = []
        for (a, b), known, r, p in zip(pairs, given, found.estimates, found.p, strict=True):
            if np.isnan(r).any():
                reasons.append(Reason("undefined"))
            else:
                reasons.append(lacks[a] or lacks[b] or known or (Reason("no-draw") if np.isnan(p) else None))
        without = np.array([reason is not None for reason in reasons], dtype=bool)
        p, q = (np.where(without, np.nan, values) for values in (found.p, found.q))
        return replace(found, p=p, q=q, reasons=tuple(reasons))

    def test(self, case: Case, pairs: Sequence[Pair], draws: Draws, alternative: str, rule: str) -> Tested:
        """Test pairs of metrics as the formula has it; see :meth:`compute`."""
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
