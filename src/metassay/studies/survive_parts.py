"""What `survive` computes: agreement at every level of what is compared, margins, dominance, and components."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metassay import engine
from metassay.core.note import Note
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.dominance import RESOLVED, Shift, dominance, shift
from metassay.stats.draws import REFERENCES, stream
from metassay.stats.equivalence import annotator_margins, difference_limits, needed_margins, two_way_tost
from metassay.stats.intervals import percentile
from metassay.stats.jackknife import Fit
from metassay.stats.jackknife import fit as fit_of
from metassay.stats.kernels.reference_draws import ReferenceScores
from metassay.stats.methods.case import Case as Data
from metassay.stats.methods.case import count_units, packed
from metassay.stats.methods.jackknife import JackknifeInterval
from metassay.stats.metric_criterion_pairs import Correlations, WeightPages, Weights, cell_weights
from metassay.stats.multivariate import rank_components
from metassay.stats.statistics.base import Statistic
from metassay.studies.grouping import Case, Grouping
from metassay.studies.survive_rows import (
    AcrossLanguages,
    AnnotatorMargin,
    DominancePair,
    DominanceShift,
    LanguageAgreement,
    RankPosition,
    ReferenceWidening,
    Sensitivity,
)

DRAWN_AT_ONCE = 64
"""Draws of references made at once. It decides in which order random numbers are used, so it is fixed."""
BACK = "-back"
"""A level with this ending is the round trip of the level without it: ``es-back`` is Spanish put back into English."""
CURVE = tuple(round(0.005 * step, 3) for step in range(1, 51))
"""Margins at which the sensitivity of conclusions is told."""
Selves = dict[tuple[int, int], tuple[float, FloatArray]]
"""For two vectors, by position, their statistic and its resamples."""


def judged_only(groups: Grouping) -> Grouping:
    """Leave out systems and inputs without any judgment: there is nothing to agree with."""
    judged = np.asarray((~np.isnan(groups.z)).any(axis=0))
    rows, columns = np.flatnonzero(judged.any(axis=1)), np.flatnonzero(judged.any(axis=0))
    if len(rows) == judged.shape[0] and len(columns) == judged.shape[1]:
        return groups

    def cut(values: FloatArray) -> FloatArray:
        return values[..., rows, :][..., columns]

    note = Note.of("judged-only", systems=len(rows), inputs=len(columns))
    return replace(
        groups,
        x=cut(groups.x),
        z=cut(groups.z),
        annotators={at: cut(values) for at, values in groups.annotators.items()},
        references={at: cut(values) for at, values in groups.references.items()},
        notes=[*groups.notes, note],
        families=None if groups.families is None else groups.families[rows],
        clusters=None if groups.clusters is None else groups.clusters[columns],
    )


@dataclass(frozen=True)
class Found:
    """All values of one statistic, at the data and in the resamples."""

    groups: Grouping
    level: str
    statistic: Statistic
    pairs: list[tuple[int, int]]
    """Metric and criterion, each at a level, by position."""
    estimates: FloatArray
    samples: FloatArray
    """One row per pair."""
    metric_selves: Selves
    """Of metrics at the baseline with themselves at other levels."""
    human_selves: Selves
    """The same for criteria."""

    @classmethod
    def of(cls, groups: Grouping, level: str, statistic: Statistic, pages: WeightPages, few: WeightPages) -> Found:
        """Compute them."""
        pairs = list(dict.fromkeys(p for case in groups.cases for p in two_pairs(case)))
        prepared = Correlations(groups.x, groups.z, pairs, level, statistic, pages.largest)
        samples = _bootstrap(prepared, pages)
        selves: list[Selves] = []
        for values, between in (
            (groups.x, dict.fromkeys((case.x_baseline, case.x) for case in groups.cases)),
            (groups.z, dict.fromkeys((case.z_baseline, case.z) for case in groups.cases)),
        ):
            wanted = [(a, b) for a, b in between if a != b]
            both = Correlations(values, values, wanted, level, statistic, few.largest)
            drawn = _bootstrap(both, few) if wanted else ()
            estimates = both.estimate().tolist() if wanted else ()
            selves.append(dict(zip(wanted, zip(estimates, drawn, strict=True), strict=True)))
        return cls(groups, level, statistic, pairs, prepared.estimate(), samples, *selves)

    def at(self, pair: tuple[int, int]) -> tuple[float, FloatArray]:
        """Return the correlation of a pair and its resamples."""
        i = self._places[pair]
        return float(self.estimates[i]), self.samples[i]

    def differences(self, cases: Sequence[Case]) -> FloatArray:
        """Return by how much each case differs from its baseline in every resample, (cases, B)."""
        return np.stack([self.at(here)[1] - self.at(first)[1] for first, here in map(two_pairs, cases)])

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {pair: i for i, pair in enumerate(self.pairs)}

    @cached_property
    def jackknifed(self) -> Jackknifed:
        """Differences from the baseline by the two-way jackknife."""
        return Jackknifed(self.groups, self.level, self.statistic)

    def between(self, case: Case) -> float:
        """Return the correlation of the two variables that a case does not share; NaN if it shares none."""
        if case.x != case.x_baseline and case.z == case.z_baseline:
            return self.metric_selves[case.x_baseline, case.x][0]
        if case.z != case.z_baseline and case.x == case.x_baseline:
            return self.human_selves[case.z_baseline, case.z][0]
        return math.nan

    def agreement(self, confidence: float) -> list[LanguageAgreement]:
        """Return correlations with people, the baseline first."""
        seen: dict[tuple[str, str, str], tuple[int, int]] = {}
        for case in self.groups.cases:
            first = (*self.groups.at_baseline(case), self.groups.baseline)
            seen.setdefault(first, (case.x_baseline, case.z_baseline))
        for case in self.groups.cases:
            seen.setdefault((case.metric, case.human, case.level), (case.x, case.z))
        out = []
        for (name, human, language), pair in seen.items():
            estimate, sample = self.at(pair)
            low, high = percentile(sample, confidence)
            out.append(LanguageAgreement(name, human, language, self.statistic.name, estimate, low, high, confidence))
        return out

    def across_levels(self, confidence: float) -> list[AcrossLanguages]:
        """Return correlations of metrics with themselves at the baseline."""
        out: dict[tuple[str, str], AcrossLanguages] = {}
        for case in self.groups.cases:
            if case.x != case.x_baseline and (case.metric, case.level) not in out:
                estimate, sample = self.metric_selves[case.x_baseline, case.x]
                low, high = percentile(sample, confidence)
                out[case.metric, case.level] = AcrossLanguages(
                    case.metric, case.level, self.statistic.name, estimate, low, high, confidence
                )
        return list(out.values())


def two_pairs(case: Case) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two pairs that a case compares, the baseline first."""
    return (case.x_baseline, case.z_baseline), (case.x, case.z)


def _bootstrap(prepared: Correlations, pages: WeightPages) -> FloatArray:
    parts = engine.run(lambda page: prepared.bootstrap(pages[page]), len(pages), what="resampling")
    return np.concatenate(parts, axis=1)[:, : pages.draws]


def margins(
    groups: Grouping, level: str, statistic: Statistic
) -> tuple[list[AnnotatorMargin], dict[tuple[int, int], AnnotatorMargin]]:
    """Return how single annotators differ, for each metric and criterion at the baseline."""
    wanted: dict[tuple[int, int], tuple[str, str]] = {}
    for case in groups.cases:
        wanted.setdefault((case.x_baseline, case.z_baseline), groups.at_baseline(case))
    # By annotator, the baseline is one annotator, and what the others say is found under their own names.
    people = {z: groups.annotators[z] for _, z in wanted if z in groups.annotators}
    if groups.by == "annotator":
        for _, z in wanted:
            name = groups.z_names[z][0]
            people[z] = groups.z[[i for i, (other, _) in enumerate(groups.z_names) if other == name]]
    single = [each for values in people.values() for each in values]
    if not single:
        return [], {}
    starts, at = {}, 0
    for z, values in people.items():
        starts[z], at = range(at, at + len(values)), at + len(values)
    pairs = [(x, i) for x, z in wanted if z in people for i in starts[z]]
    found = dict(zip(pairs, Correlations(groups.x, np.stack(single), pairs, level, statistic).estimate(), strict=True))
    out = {}
    for (x, z), (name, human) in wanted.items():
        if z in people:
            correlations = np.array([found[x, i] for i in starts[z]])
            sd, widest = annotator_margins(correlations)
            n = int((~np.isnan(correlations)).sum())
            out[x, z] = AnnotatorMargin(name, human, statistic.name, n, sd, widest)
    # Copies of the baseline on fewer cells have margins of their own, and are told once.
    told = {(margin.metric, margin.human): margin for margin in reversed(out.values())}
    return list(reversed(told.values())), out


class Jackknifed:
    """Differences from the baseline by the two-way jackknife, one for each case; NaN where the data do not allow it."""

    def __init__(self, groups: Grouping, level: str, statistic: Statistic) -> None:
        self.cases = groups.cases
        self.fits: list[tuple[Fit, list[int], IntArray, IntArray]] = []
        least = JackknifeInterval().needs(level)
        for z in dict.fromkeys(case.z for case in self.cases if case.z == case.z_baseline):
            mine = [at for at, case in enumerate(self.cases) if case.z == case.z_baseline == z]
            metrics = list(dict.fromkeys(x for at in mine for x in (self.cases[at].x, self.cases[at].x_baseline)))
            data = Data(statistic, groups.x[metrics], groups.z[z], level, True, groups.families, groups.clusters)
            for some, fit in data.fits:
                place = {metrics[int(at)]: k for k, at in enumerate(some)}
                here = [at for at in mine if {self.cases[at].x, self.cases[at].x_baseline} <= place.keys()]
                if here and fit.units[0] >= least[0] and fit.units[1] >= least[1]:
                    sides = [[place[getattr(self.cases[at], side)] for at in here] for side in ("x", "x_baseline")]
                    self.fits.append((fit, here, np.array(sides[0]), np.array(sides[1])))
        for at, case in enumerate(self.cases):
            if case.z != case.z_baseline:
                x, z3 = groups.x[[case.x, case.x_baseline]], groups.z[[case.z, case.z_baseline]]
                known = np.asarray(~np.isnan(x + z3).any(axis=0))
                rows, columns = np.asarray(known.any(axis=1)), np.asarray(known.any(axis=0))
                units = count_units(groups.families, rows), count_units(groups.clusters, columns)
                if units[0] >= least[0] and units[1] >= least[1]:
                    x, z3 = (np.where(known, values, np.nan)[:, rows][:, :, columns] for values in (x, z3))
                    families, clusters = packed(groups.families, rows), packed(groups.clusters, columns)
                    fit = fit_of(statistic, x, z3, level, families=families, clusters=(clusters, None))
                    self.fits.append((fit, [at], np.array([0]), np.array([1])))

    def ends(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of intervals of confidence 1 − 2α, (2, cases), and the margins that have them inside."""
        out = np.full((2, len(self.cases)), np.nan)
        if alpha < 0.5:
            for fit, here, first, second in self.fits:
                out[:, here] = difference_limits(fit, first, second, 1 - 2 * alpha)
        return out, np.abs(out).max(axis=0)

    def p_values(self, margins: FloatArray) -> FloatArray:
        """Return p-values that differences lie inside margins, (cases,)."""
        out = np.full(len(self.cases), np.nan)
        for fit, here, first, second in self.fits:
            out[here] = two_way_tost(fit, first, second, margins[here])
        return out


def by_draws(differences: FloatArray, alpha: float, rule: str) -> tuple[FloatArray, FloatArray]:
    """Return the ends of percentile intervals of confidence 1 − 2α, (2, cases), and the margins that TOST needs."""
    none = (math.nan, math.nan)
    ends = [percentile(sample, 1 - 2 * alpha) if alpha < 0.5 else none for sample in differences]
    return np.array(ends).reshape(-1, 2).T, needed_margins(differences, alpha, rule)


def sensitivity(found: Found, alpha: float, rule: str, *, jackknife: bool) -> list[Sensitivity]:
    """Return which share of comparisons would be equivalent with each margin, by criterion."""
    out = []
    cases = found.groups.cases
    least = found.jackknifed.ends(alpha)[1] if jackknife else by_draws(found.differences(cases), alpha, rule)[1]
    for criterion in dict.fromkeys(case.human for case in cases):
        mine = [at for at, case in enumerate(cases) if case.human == criterion]
        defined = [not np.isnan(found.differences([cases[at]])).all() for at in mine]
        n = int(np.sum(defined))
        needed = least[np.array(mine)[np.array(defined)]] if n else np.empty(0)
        shares = [float((needed < margin).mean()) if n else math.nan for margin in CURVE]
        out += [
            Sensitivity(criterion, found.statistic.name, margin, share, n)
            for margin, share in zip(CURVE, shares, strict=True)
        ]
    return out


def dominance_of(found: Found) -> tuple[list[DominancePair], list[DominanceShift]]:
    """Return P for all pairs of metrics at all levels, and how it shifts; nothing if metrics are the levels."""
    groups = found.groups
    pairs: list[DominancePair] = []
    shifts: list[DominanceShift] = []
    if groups.by == "metric":
        return pairs, shifts
    humans = [groups.baseline] if groups.by == "human" else list(dict.fromkeys(case.human for case in groups.cases))
    for human in humans:
        mine = [case for case in groups.cases if groups.by == "human" or case.human == human]
        metrics = list(dict.fromkeys(case.metric for case in mine))
        if len(metrics) < 2:
            continue
        nothing = np.full(found.samples.shape[1], np.nan)
        first = {case.metric: found.at((case.x_baseline, case.z_baseline))[1] for case in mine}
        tables = {groups.baseline: dominance(np.stack([first[name] for name in metrics]))}
        for level in groups.levels:
            here = {case.metric: found.at((case.x, case.z))[1] for case in mine if case.level == level}
            tables[level] = dominance(np.stack([here.get(name, nothing) for name in metrics]))
        for level, table in tables.items():
            for a, name in enumerate(metrics):
                for b in range(a + 1, len(metrics)):
                    if not math.isnan(table[a, b]):
                        resolved = bool(max(table[a, b], table[b, a]) >= RESOLVED)
                        which = (human, found.statistic.name, name, metrics[b], level)
                        pairs.append(DominancePair(*which, float(table[a, b]), resolved))
        moved = {level: shift(tables[groups.baseline], table) for level, table in tables.items()}
        for level in groups.levels:
            if level.endswith(BACK) and level.removesuffix(BACK) in groups.levels:
                continue
            one: Shift = moved[level]
            back = moved[level + BACK].shift if level + BACK in moved else math.nan
            shifts.append(
                DominanceShift(
                    human, found.statistic.name, level, one.pairs, one.resolved, one.kept, one.turned, one.shift, back
                )
            )
    return pairs, shifts


def positions_of(groups: Grouping) -> tuple[tuple[RankPosition, ...], tuple[float, float]]:
    """Return where criteria and metrics stand on the first two components of their ranks, over complete cells."""
    vectors = np.concatenate([groups.z, groups.x]).reshape(len(groups.z) + len(groups.x), -1)
    names = [(name, "human", place) for name, place in groups.z_names]
    names += [(name, "metric", place or groups.baseline) for name, place in groups.x_names]
    shown = [at for at, (name, *_) in enumerate(names) if name]
    names, vectors = [names[at] for at in shown], vectors[shown]
    whole = ~np.isnan(vectors).any(axis=0)
    if whole.sum() < 2 or len(vectors) < 3:
        return (), (math.nan, math.nan)
    share, places = rank_components(vectors[:, whole])
    explained = (float(share[0]), float(share[1]))
    found = [RankPosition(*name, float(a), float(b), *explained) for name, (a, b) in zip(names, places, strict=True)]
    order = {place: at for at, place in enumerate(("", groups.baseline, *groups.levels))}
    first = {name: at for at, (name, *_) in enumerate(reversed(names))}
    found.sort(key=lambda one: (-first[one.name], order.get(one.language, 0)))
    return tuple(found), explained


def widened(found: Found, aggregate: str, confidence: float, pages: WeightPages) -> list[ReferenceWidening]:
    """Return how much wider intervals are with references resampled, for metrics that have a score for each."""
    groups = found.groups
    if not groups.references or found.level != "global" or groups.by == "reference":
        return []
    out = []
    for x, values in groups.references.items():
        mine = [pair for pair in found.pairs if pair[0] == x]
        if not mine:
            continue
        prepared = ReferenceScores(values, aggregate)

        def work(
            page: int, x: int = x, prepared: ReferenceScores = prepared, mine: list[tuple[int, int]] = mine
        ) -> FloatArray:
            weights: Weights = pages[page]
            cells = cell_weights(weights, groups.shape, slice(None)).astype(np.float64)
            random = stream(pages.seed, REFERENCES, x, page)
            parts = []
            wanted = min(cells.shape[1], pages.draws - page * pages.size)
            for at in range(0, wanted, DRAWN_AT_ONCE):
                w = cells[:, at : at + DRAWN_AT_ONCE]
                scores = prepared.draw(random, w.shape[1])
                z = [groups.z[q].reshape(-1) for _, q in mine]
                parts.append(np.stack([found.statistic.of_changing(scores, one, w) for one in z]))
            return np.concatenate(parts, axis=1)

        drawn = np.concatenate(engine.run(work, len(pages), what="resampling references"), axis=1)[:, : pages.draws]
        for (_, z), sample in zip(mine, drawn, strict=True):
            low, high = percentile(found.at((x, z))[1][: pages.draws], confidence)
            wide_low, wide_high = percentile(sample, confidence)
            more = (wide_high - wide_low) - (high - low)
            name, place = groups.x_names[x]
            out.append(
                ReferenceWidening(
                    metric=name,
                    human=groups.z_names[z][0],
                    language=place or groups.baseline,
                    statistic=found.statistic.name,
                    aggregate=aggregate,
                    n_references=len(values),
                    low=low,
                    high=high,
                    low_references=wide_low,
                    high_references=wide_high,
                    widening=more,
                    relative=more / (high - low) if high > low else math.nan,
                )
            )
    return out
