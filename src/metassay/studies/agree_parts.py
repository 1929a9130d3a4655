"""What `agree` tells beside correlations: which single system carries one, and what limits it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from metassay.core import fields
from metassay.core.note import Note
from metassay.stats.arrays import BoolArray
from metassay.stats.disattenuation import disattenuated, human_ceiling
from metassay.stats.leverage import leverage
from metassay.stats.methods.base import Case
from metassay.stats.statistics.registry import choose_one
from metassay.studies.selection import Selection


@fields.row
class LeverageRow(fields.OfMetric):
    """The system with the largest influence on the system-level Pearson correlation of one metric with human scores."""

    system: str
    """The system, or family of systems, without which the correlation changes most."""
    share: float
    """Its share of the jackknife variance over systems, from 0 to 1."""
    estimate: float
    """The Pearson correlation."""
    without: float
    """The same without the system."""
    kendall: float
    """Kendall's tau-b of the same means; a single system has little influence on it."""
    outlier: bool
    """Whether some system is an outlier from the line of metric and human scores (Grubbs' test at 5%). If there is
    none, the correlation among other systems may still differ: rare systems are mostly not in the sample."""


@fields.row
class LimitRow(fields.OfMetric):
    """The Pearson correlation of one metric with human scores in the limit, and the human ceiling."""

    level: fields.Level
    n_inputs: int
    """Number of inputs behind the correlation."""
    estimate: float
    """The Pearson correlation on this many inputs."""
    low: fields.Low
    high: fields.High
    many_inputs: float
    """The correlation of system means in the limit of many inputs; values above 1 are due to chance; NaN at other
    levels, where the number of inputs does not affect the correlation."""
    many_inputs_low: fields.Low
    many_inputs_high: fields.High
    perfect_people: float
    """The correlation with error-free human ratings, on the same inputs; NaN without ratings of single annotators."""
    perfect_people_low: fields.Low
    perfect_people_high: fields.High
    ceiling: float
    """The correlation between the mean rating of all possible annotators and the mean rating of these annotators."""
    confidence: fields.Confidence
    reason: str | None
    """Why there is no value or no interval; None if there are both."""


def pearson(case: Case) -> Case:
    """Return the same data, to be compared by Pearson's coefficient."""
    if case.statistic.name == "pearson":
        return case
    return Case(
        choose_one("pearson", [case.level]),
        case.x,
        case.z,
        case.level,
        case.paired,
        case.families,
        case.clusters,
        case.clusters_of_people,
    )


def leverage_rows(selected: Selection, human: int, metrics: Sequence[int], case: Case) -> list[LeverageRow]:
    """Return on which system each correlation of means of systems rests most; `case` compares them by Pearson's."""
    kendall = choose_one("kendall", ["system"]).prepare(case.x, case.z, "system", paired=case.paired).estimate()[0]
    names = np.array(selected.scores.systems)
    found: list[LeverageRow] = []
    for some, fit in case.fits:
        told = leverage(fit)
        here = case.present[some[0]]
        units = names[here] if case.families is None else _families(selected, here)
        found += [
            LeverageRow(
                metric=selected.metrics[metrics[at]],
                human=selected.humans[human],
                system=str(units[told.system[k]]),
                share=float(told.share[k]),
                estimate=float(fit.estimates[k]),
                without=float(told.without[k]),
                kendall=float(kendall[at]),
                outlier=bool(told.outlier[k]),
            )
            for k, at in enumerate(some)
        ]
    return found


def _families(selected: Selection, here: BoolArray) -> list[str]:
    """Return the names of the families of some systems, in the order in which they are left out."""
    labels, families = selected.labels("systems"), selected.scores.families
    assert labels is not None, "there are families"
    names = [families.get(name, name) for name in selected.scores.systems]
    return [names[int(np.flatnonzero((labels == unit) & here)[0])] for unit in np.unique(labels[here])]


def limit_rows(
    selected: Selection, human: int, metrics: Sequence[int], case: Case, sizes: Sequence[int], confidence: float
) -> list[LimitRow]:
    """Return the limits of correlations; `case` compares them by Pearson's coefficient."""
    level = case.level
    ratings = selected.ratings(selected.humans[human])
    ceiling = math.nan if ratings is None else human_ceiling(selected.z[human], ratings, level)
    here = disattenuated(case, confidence, inputs=case.shape[1])
    none = [None] * len(here)
    endless = disattenuated(case, confidence) if level == "system" else none
    perfect = none if math.isnan(ceiling) else disattenuated(case, confidence, inputs=case.shape[1], ceiling=ceiling)
    rows = []
    for at, (now, far, free) in enumerate(zip(here, endless, perfect, strict=True)):
        reason = next((each.reason for each in (now, far, free) if each and each.reason), None)
        ends = [(math.nan,) * 3 if each is None else (each.estimate, each.low, each.high) for each in (now, far, free)]
        rows.append(
            LimitRow(
                selected.metrics[metrics[at]],
                selected.humans[human],
                level,
                sizes[at],
                *ends[0],
                *ends[1],
                *ends[2],
                ceiling=ceiling,
                confidence=confidence,
                reason=None if reason is None else reason.code,
            )
        )
    return rows


def notes_on(carried: Iterable[LeverageRow], limits: Sequence[LimitRow]) -> list[Note]:
    """Note which correlations rest on one system, and which limits are unknown."""
    found: dict[str, list[tuple[str, float, str, float, float, float]]] = {}
    for row in carried:
        if row.outlier and not math.isnan(row.without):
            fact = (row.metric, row.estimate, row.system, row.without, row.share, row.kendall)
            found.setdefault(row.human, []).append(fact)
    notes = [
        Note.of("one-system-carries", human=human, level="system", statistic="pearson", rows=rows)
        for human, rows in found.items()
    ]
    noisy = [row for row in limits if row.reason == "noise-explains-all"]
    notes += [Note.of("noise-explains-all", human=r.human, level=r.level, metric=r.metric) for r in noisy]
    unknown = dict.fromkeys(row.human for row in limits if math.isnan(row.ceiling))
    notes += [Note.of("ceiling-unknown", human=human) for human in unknown]
    return notes
