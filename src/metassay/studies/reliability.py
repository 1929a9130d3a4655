"""How reliable are scores, and would more raters or inputs help?

Decomposes the variance of human scores into the contributions of systems, inputs, raters and their interactions.
Reports how reliable system means and single outputs are, how reliable they would be with other numbers of inputs and
raters, how well raters agree with one another, and what the agreement of metrics would be without rater error. The
scores of metrics are decomposed in the same way.

    metassay reliability scores.csv --human relevance
    metassay reliability scores.csv --human relevance --view designs
    metassay reliability scores.csv --human relevance --nested --figure reliability.png
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metassay import engine
from metassay.core import options as opt
from metassay.core.note import Note
from metassay.core.result import Result
from metassay.core.scores import Scores
from metassay.core.signature import Signature
from metassay.core.study import study
from metassay.stats.arrays import FloatArray, IntArray
from metassay.stats.design import connected
from metassay.stats.draws import BootstrapPages
from metassay.stats.generalizability import Components, Jackknife
from metassay.stats.intervals import percentile
from metassay.stats.levels import OF_BOTH, means_of_known
from metassay.stats.methods.base import Case, Draws
from metassay.stats.methods.names import JACKKNIFE
from metassay.stats.methods.registry import INTERVALS
from metassay.stats.rater_agreement import agreement
from metassay.stats.statistics.registry import choose_one
from metassay.studies.agree_parts import LimitRow, limit_rows
from metassay.studies.reliability_rows import ComponentRow, DesignRow, NeedRow, RaterAgreementRow, SourceRow
from metassay.studies.selection import Selection, select, select_columns

TARGETS = (0.8, 0.9)
"""Reliabilities for which the numbers that they take are told."""
MOST_INPUTS = 10
"""Designs go up to so many times the inputs that there are."""
RATERS = (1, 2, 3, 5, 10)
"""Numbers of raters of which designs are told."""
MORE_SYSTEMS = (2, 4)
"""How many times as many systems."""
FEW_LABELS = 20
"""Up to so many different scores are grades, of which one can ask how often they are the same."""
BLOCK = 250
"""Draws of raters' agreement that are looked at together."""
CORRELATIONS = (("system", "pearson"), ("system", "kendall"), ("input", "pearson"), ("input", "kendall"))
"""Levels and statistics by which one rater is compared with the others."""


class Reliability(Result, study="reliability"):
    """Variance components of scores, and how reliable scores are."""

    table: Sequence[ComponentRow]
    """One row per column and variance component."""
    designs: tuple[DesignRow, ...]
    """One row per column, level and design."""
    needs: tuple[NeedRow, ...]
    """Inputs and raters needed for a target reliability."""
    raters: tuple[RaterAgreementRow, ...]
    """Agreement of people with one another, one row per criterion, level and statistic."""
    limits: tuple[LimitRow, ...]
    """Correlations of metrics with people, raw, and corrected for unreliable scores."""
    sources: tuple[SourceRow, ...] = ()
    """What components consist of."""


@study
def reliability(
    scores: Scores,
    *,
    human: opt.Human = None,
    metric: opt.Metric = None,
    nested: opt.Nested = False,
    confidence: opt.Confidence = 0.95,
    resamples: opt.Resamples = 1_000,
    seed: opt.Seed = 0,
    references: opt.References = False,
) -> Reliability:
    """Estimate variance components of scores, the reliability of designs, and agreement between raters.

    Notes
    -----
    Brennan (2001), "Generalizability Theory". A score is a sum of random effects of system, input, rater and their
    interactions; components come from symmetric sums of squared differences (Koch 1967), which for complete data is the
    analysis of variance. Means of systems over n_i inputs and n_r raters have Eρ² = σ²_s/(σ²_s + σ²_si/n_i + σ²_sr/n_r
    + σ²_sir/(n_i n_r)). At input level the signal is the variance of outputs within an input, σ²_s + σ²_si, and at
    global level that of all outputs; there the only error is that of raters. Intervals leave out systems, inputs and
    raters in turn (families and clusters as a whole) and generalise to new ones.

    Krippendorff's and Gwet's coefficients are over single outputs, with a bootstrap of inputs; correlations are those
    of each rater with the mean of the others, averaged, with a bootstrap of systems and inputs. Correlations with
    error-free human ratings are r divided by the human ceiling (Spearman 1904).

    Examples
    --------
    >>> import metassay as ma
    >>> result = ma.reliability(ma.example(), human="relevance", metric="synthetic-judge", resamples=200)
    >>> now = next(row for row in result.designs if row.axis == "now" and row.level == "system")
    >>> 0 < now.absolute <= now.estimate < 1
    True
    """
    columns = select_columns(scores, human, metric, references=references, with_people=True)
    found = [_Column.of(columns, at, nested) for at in range(len(columns.names))]
    rows: list[ComponentRow] = []
    designs: list[DesignRow] = []
    needs: list[NeedRow] = []
    sources: dict[SourceRow, None] = {}
    for column in found:
        sources |= dict.fromkeys(column.sources())
        rows += column.components(confidence)
        designs += column.designs(confidence)
        needs += column.needs()
    raters: list[RaterAgreementRow] = []
    for column in found:
        if column.ratings is not None and not nested:
            raters += _correlations(column, column.ratings, confidence, resamples, seed)
        if column.ratings is not None:
            raters += _coefficients(column, confidence, resamples, seed)
    order = {column.name: at for at, column in enumerate(found)}
    raters.sort(key=lambda row: order[row.human])
    limits = _limits(scores, columns, references, confidence)
    notes = [
        *_answer(designs, needs),
        *columns.notes,
        *columns.notes_on_units(INTERVALS[JACKKNIFE]),
        *(note for column in found for note in column.notes()),
        *_notes(rows, designs),
    ]
    signature = Signature.open(ci=f"jackknife,{confidence:g}", **columns.sizes())
    return Reliability(
        tuple(rows), signature, tuple(notes), tuple(designs), tuple(needs), tuple(raters), limits, tuple(sources)
    )


@dataclass(frozen=True, eq=False)
class _Column:
    """One column as a design."""

    name: str
    kind: str
    scores: FloatArray
    """One axis per facet."""
    facets: tuple[str, ...]
    nested: str
    ratings: FloatArray | None
    """Ratings, (raters, systems, inputs), if at least two raters are told apart and the column is human."""
    scale: str
    several: bool
    """Whether any output has several ratings."""
    units: dict[str, IntArray]
    """The family of each system and the cluster of each input, if they have any."""

    @classmethod
    def of(cls, columns: Selection, at: int, nested: bool) -> _Column:
        name, kind = columns.names[at], columns.kinds[at]
        ratings = columns.ratings(name) if kind == "human" else None
        values = columns.values[at][..., None] if ratings is None else np.moveaxis(ratings, 0, 2)
        known = ~np.isnan(values)
        several = bool((known.sum(axis=2) > 1).any())
        facets = ("system", "input", "rater")
        keep = [axis for axis in range(3) if known.any(axis=tuple(a for a in range(3) if a != axis)).sum() > 1]
        values = values[tuple(slice(None) if axis in keep else _only(known, axis) for axis in range(3))]
        own = tuple(facets[axis] for axis in keep)
        inside = "rater" if nested and ratings is not None else ""
        labels = ((facet, columns.labels(f"{facet}s")) for facet in ("system", "input"))
        units = {facet: found for facet, found in labels if found is not None}
        return cls(name, kind, values, own, inside, ratings, columns.scores[name].scale.kind, several, units)

    @cached_property
    def problem(self) -> str:
        """Why there are no components; empty if there are."""
        if len(self.facets) < 2:
            return "one-score" if self.facets else "scores"
        if self.facets[:2] == ("system", "input"):
            known = ~np.isnan(self.scores)
            parts = connected(np.asarray(known.reshape(*known.shape[:2], -1).any(axis=2)))[0]
            return "disconnected" if parts.max() > 0 else ""
        return ""

    @cached_property
    def fit(self) -> Jackknife:
        """The components, with and without groups of systems, inputs and raters."""
        return Jackknife(self.scores, self.facets, self.nested, self.units)

    @property
    def levels(self) -> tuple[str, ...]:
        """Levels at which something can be said."""
        if self.problem:
            return ()
        if self.facets[:2] == ("system", "input"):
            return ("system", "input", "global") if "rater" in self.facets else ("system",)
        return ("global",) if self.facets == ("input", "rater") else ("system",) if len(self.facets) == 2 else ()

    def _of(self, level: str) -> str:
        """Return a level as components know it: without systems, inputs are what is measured."""
        return level if "system" in self.facets else "system"

    def size(self, facet: str) -> int:
        """Return how many of a facet there are; of raters, how many each output has."""
        if facet not in self.facets:
            return 0 if facet == "rater" else 1
        known = ~np.isnan(self.scores)
        axis = self.facets.index(facet)
        if facet == "rater":
            each = known.sum(axis=axis)
            return max(round(float(each[each > 0].mean())), 1)
        return int(known.any(axis=tuple(a for a in range(known.ndim) if a != axis)).sum())

    def number(self) -> int:
        """Return how many raters are told apart."""
        return 0 if self.ratings is None else int((~np.isnan(self.ratings)).any(axis=(1, 2)).sum())

    def called(self, *sets: frozenset[str]) -> str:
        """Return what sets of facets, which the design cannot tell apart, are called."""
        return " + ".join(" × ".join(f for f in self.facets if f in part) for part in sets)

    def sources(self) -> Iterator[SourceRow]:
        """Yield what the components stand for."""
        for term in () if self.problem else self.fit.whole.terms:
            yield from (SourceRow(self.called(*term), self.called(part), len(part)) for part in term)

    def components(self, confidence: float) -> Iterator[ComponentRow]:
        """Yield the variance components."""
        if self.problem:
            return
        whole = self.fit.whole

        def same(found: Components) -> FloatArray:
            # Without some raters others may be told apart; a component is what the same sets of facets have there.
            parts = [
                [v for t, v in zip(found.terms, found.variances, strict=True) if set(t) & set(term)]
                for term in whole.terms
            ]
            return np.array([v[0] if len(v) == 1 else math.nan for v in parts])

        spread = self.fit.ranged(same, confidence)
        total = float(np.maximum(spread.estimates, 0.0).sum())
        for at, term in enumerate(whole.terms):
            yield ComponentRow(
                metric=self.name,
                kind=self.kind,
                component=self.called(*term),
                variance=float(spread.estimates[at]),
                low=float(spread.low[at]),
                high=float(spread.high[at]),
                share=max(float(spread.estimates[at]), 0.0) / total if total > 0 else math.nan,
                confidence=confidence,
                n_systems=self.size("system"),
                n_inputs=self.size("input"),
                n_raters=self.number(),
            )

    def _designs(self, level: str) -> Iterator[tuple[str, int, int, int]]:
        """Yield designs: the axis that is changed, and numbers of inputs, of raters, and times as many systems."""
        inputs, raters = self.size("input"), self.size("rater")
        yield "now", inputs, raters, 1
        if level == "system" and "input" in self.facets:
            steps = [s * 10**k for k in range(6) for s in (1, 2, 5)]
            few = {n for n in steps if 10 <= n <= MOST_INPUTS * inputs and not 0.8 < n / inputs < 1.25}
            kept = sorted(few | {inputs})
            several = sorted({*RATERS, raters}) if raters else [0]
            yield from (("inputs", n, r, 1) for n in kept for r in several if (n, r) != (inputs, raters))
        elif raters:
            yield from (("raters", inputs, r, 1) for r in RATERS if r != raters)
        if "system" in self.facets:
            yield from (("systems", inputs, raters, times) for times in MORE_SYSTEMS)

    def designs(self, confidence: float) -> Iterator[DesignRow]:
        """Yield the reliability of each design."""
        for level in self.levels:
            wanted, of = list(self._designs(level)), self._of(level)
            sizes = [_sizes(n, r) for _, n, r, _ in wanted]
            factors = dict.fromkeys(times for *_, times in wanted)
            found = {more: self.fit.reliabilities(sizes, confidence, level=of, more=more) for more in factors}
            for at, (axis, n, r, times) in enumerate(wanted):
                spread = found[times]
                (estimate, absolute), low, high = spread.estimates[at].tolist(), spread.low[at], spread.high[at]
                yield DesignRow(
                    metric=self.name,
                    kind=self.kind,
                    level=level,
                    axis="raters" if axis == "inputs" and n == self.size("input") else axis,
                    n_systems=self.size("system") * times,
                    n_inputs=n,
                    n_raters=r,
                    estimate=estimate,
                    low=float(low[0]),
                    high=float(high[0]),
                    absolute=absolute,
                    absolute_low=float(low[1]),
                    absolute_high=float(high[1]),
                    error=math.sqrt(self.fit.whole.error(sizes[at], level=of)),
                    confidence=confidence,
                )

    def needs(self) -> Iterator[NeedRow]:
        """Yield how many inputs and raters the wanted reliabilities take."""
        now = {"input": self.size("input"), "rater": self.size("rater")}
        for level in self.levels:
            axes = ["input"] if level == "system" and "input" in self.facets else []
            for axis in [*axes, *["rater"] * ("rater" in self.facets)]:
                sizes = _sizes(now["input"], now["rater"])
                for target in TARGETS:
                    needed = self.fit.whole.needed(target, axis, sizes, level=self._of(level))
                    yield NeedRow(self.name, self.kind, level, f"{axis}s", target, now[axis], needed)

    def notes(self) -> list[Note]:
        """Note what the design does not allow."""
        if self.problem:
            return [Note.of("reliability-impossible", column=self.name, reason=self.problem)]
        notes = []
        if self.kind == "human" and self.ratings is None:
            notes.append(Note.of("raters-unnamed", human=self.name))
        elif self.ratings is not None and not self.several:
            notes.append(Note.of("raters-uncrossed", human=self.name, raters=self.number()))
        elif self.ratings is not None and self.number() == 2:
            notes.append(Note.of("two-raters", human=self.name))
        alone = self.kind == "human" and "system" not in self.facets
        return notes + Note.when(alone, "one-system-reliability", human=self.name)


def _only(known: FloatArray, axis: int) -> int:
    """Return the one place of an axis at which anything is known; the first if there is none."""
    there = np.asarray(known).any(axis=tuple(a for a in range(3) if a != axis))
    return int(np.argmax(there))


def _sizes(inputs: float, raters: float) -> Mapping[str, float]:
    return {"input": max(inputs, 1), "rater": max(raters, 1)}


def _coefficients(column: _Column, confidence: float, resamples: int, seed: int) -> list[RaterAgreementRow]:
    """Return coefficients of the agreement of raters about single outputs, with a bootstrap of inputs."""
    ratings = column.ratings
    assert ratings is not None, "raters are told apart"
    raters, systems, inputs = ratings.shape
    units = ratings.reshape(raters, -1)
    grades = len(np.unique(units[~np.isnan(units)])) <= FEW_LABELS
    kinds = ["alpha-interval", *(["alpha-ordinal", "ac2", "share"] if grades else [])]
    if column.scale == "binary":
        kinds = ["alpha-nominal", "ac1", "share"]
    clusters = (column.units.get("input"), None)
    pages = BootstrapPages(resamples, (systems, inputs), seed, resample_systems=False, clusters=clusters)

    def work(page: int) -> FloatArray:
        drawn = pages[page][1]
        assert drawn is not None, "inputs are what is drawn"
        blocks = [np.tile(drawn[:, at : at + BLOCK], (systems, 1)) for at in range(0, drawn.shape[1], BLOCK)]
        return np.array([np.concatenate([agreement(units, kind, block) for block in blocks]) for kind in kinds])

    drawn = np.concatenate(engine.run(work, len(pages), what="resampling"), axis=1)[:, :resamples]
    n_units = int(((~np.isnan(units)).sum(axis=0) > 1).sum())
    rows = []
    for kind, samples in zip(kinds, drawn, strict=True):
        estimate = float(agreement(units, kind)[0])
        low, high = percentile(samples, confidence) if not math.isnan(estimate) else (math.nan, math.nan)
        rows.append(
            RaterAgreementRow(
                column.name, kind, "global", estimate, low, high, confidence, resamples, column.number(), n_units
            )
        )
    return rows


def _correlations(
    column: _Column, ratings: FloatArray, confidence: float, resamples: int, seed: int
) -> Iterator[RaterAgreementRow]:
    """Yield correlations of one rater with the mean of the others, averaged over raters."""
    if ratings.shape[1] < 3:
        return
    n_units = int(((~np.isnan(ratings)).sum(axis=0) > 1).sum())
    draws, units = Draws(resamples, seed, engine.run), (column.units.get("system"), column.units.get("input"))
    for level, name in CORRELATIONS:
        statistic = choose_one(name, [level])
        values, samples = [], []
        for at, own in enumerate(ratings):
            others = means_of_known(np.delete(ratings, at, axis=0), axis=0)
            both = np.isnan(own) | np.isnan(others)
            x, z = (np.where(both, np.nan, side) for side in (own, others))
            case = Case(statistic, x[None], z, level, True, *units)
            values.append(float(case.estimates[0]))
            samples.append(draws.bootstrap(case, [(case.prepared, (OF_BOTH,))], "resampling")[0][0][0])
        known = ~np.isnan(values)
        estimate = float(np.mean(np.array(values)[known])) if known.any() else math.nan
        low, high = (math.nan, math.nan)
        if known.any():
            low, high = percentile(means_of_known(np.stack(samples)[known], axis=0), confidence)
        yield RaterAgreementRow(
            column.name, name, level, estimate, low, high, confidence, resamples, int(known.sum()), n_units
        )


def _limits(scores: Scores, columns: Selection, references: bool, confidence: float) -> tuple[LimitRow, ...]:
    """Return correlations of metrics with people, raw and corrected."""
    humans = [name for name, kind in zip(columns.names, columns.kinds, strict=True) if kind == "human"]
    metrics = [name for name, kind in zip(columns.names, columns.kinds, strict=True) if kind == "metric"]
    if not humans or not metrics or len(columns.scores.systems) < 2:
        return ()
    selected = select(scores, humans, metrics, references=references)
    rows: list[LimitRow] = []
    for h, level in ((h, level) for h in range(len(humans)) for level in ("system", "input")):
        taken = selected.at(level)
        for some, sets in taken.by_inputs(h, level, "all"):
            case = sets.case(taken.x, some, taken.z[h], level, choose_one("pearson", [level]))
            sizes = [sets.sizes(selected.x[m], selected.z[h], level)[1] for m in some]
            rows += limit_rows(selected, h, some, case, sizes, confidence)
    return tuple(rows)


def _answer(designs: Sequence[DesignRow], needs: Sequence[NeedRow]) -> list[Note]:
    """Note how reliable the order of systems is: of one human criterion, or the range of several."""
    now = [r for r in designs if (r.axis, r.level) == ("now", "system") and r.kind == "human" and not math.isnan(r.low)]
    if not now:
        return []
    if len(now) > 1:
        worst, best = (pick(now, key=lambda row: row.estimate) for pick in (min, max))
        ends = {"worst": worst.metric, "low": worst.estimate, "best": best.metric, "high": best.estimate}
        return [Note.of("reliability-range", **ends, needed=_inputs_for_most(worst.metric, needs))]
    (row,) = now
    facts = {"value": row.estimate, "low": row.low, "high": row.high, "inputs": row.n_inputs, "raters": row.n_raters}
    facts["confidence"] = row.confidence
    return [
        Note.of(
            "reliability-of-systems",
            human=row.metric,
            needed=_inputs_for_most(row.metric, needs),
            **facts,
        )
    ]


def _inputs_for_most(metric: str, needs: Sequence[NeedRow]) -> float:
    """Return how many inputs make the means of systems reliable to .90; infinite if none do."""
    wanted = [need.needed for need in needs if need.metric == metric and need.level == "system"]
    needed = wanted[TARGETS.index(0.9)]
    return int(needed) if math.isfinite(needed) else needed


def _notes(rows: Sequence[ComponentRow], designs: Sequence[DesignRow]) -> list[Note]:
    """Note what the numbers rest on."""
    notes = []
    people = [row for row in rows if row.kind == "human"]
    for row in people or rows:
        if row.variance < 0:
            notes.append(Note.of("component-negative", column=row.metric, component=row.component))
        elif math.isnan(row.variance):
            notes.append(Note.of("component-unknown", column=row.metric, component=row.component))
    none = dict.fromkeys(row.metric for row in designs if row.axis == "now" and row.estimate == 0)
    return notes + Note.when(none, "reliability-zero", columns=none)
