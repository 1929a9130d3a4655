"""Rows of tables: what a row is, and the fields that several tables share, declared once.

A shared field is the type of a field of a row, as an option is the type of a keyword::

    @fields.row
    class AgreementRow:
        metric: fields.Metric
        estimate: float
        \"\"\"Its value; NaN if it is undefined.\"\"\"

Fields with which many rows begin are base classes: ``class LimitRow(fields.OfMetric)``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, TypeVar, cast, dataclass_transform

from metassay.core.records import field_names

R = TypeVar("R")
_PREFIX = "fields."

Metric = Annotated[str, "The metric."]
Judge = Annotated[str, "The judge."]
System = Annotated[str, "The system."]
SystemIfAny = Annotated[str, "The system; empty if the data have none."]
Input = Annotated[str, "The input."]
Texts = Annotated[tuple[tuple[str, str], ...], "The texts and categories of the output, as names and contents."]
NItems = Annotated[int, "Items that the number rests on."]
Column = Annotated[str, "The metric, or the human criterion itself."]
Kind = Annotated[str, "``metric`` or ``human``."]
Human = Annotated[str, "The human criterion."]
Level = Annotated[str, "``system``, ``input``, ``global`` or ``within-system``."]
Statistic = Annotated[
    str, "The statistic: ``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a``, ``kendall-c``, or your own."
]
Estimate = Annotated[float, "Its value; NaN if it is undefined."]
Low = Annotated[float, "Lower end of the interval of the number before it."]
High = Annotated[float, "Upper end of the same."]
RateLow = Annotated[float, "Lower end of the 95% binomial interval of the rate."]
RateHigh = Annotated[float, "Upper end of the 95% binomial interval of the rate."]
Confidence = Annotated[float, "The confidence of the intervals, such as 0.95."]
Interval = Annotated[str, "How the interval was made."]
Test = Annotated[str, "The test."]
Alternative = Annotated[str, "``greater``, ``less`` or ``two-sided``."]
Alpha = Annotated[float, "The significance level."]
PValue = Annotated[float, "The p-value before any correction; NaN if the test is undefined."]
Significant = Annotated[bool, "Whether p ≤ α before correction."]
Corrected = Annotated[bool, "Whether the null hypothesis is rejected after correction."]
Correction = Annotated[str, "``none``, ``bonferroni``, ``holm``, ``bh`` or ``by``."]
Resamples = Annotated[int, "How many resamples the numbers rest on."]
ResamplesOrNone = Annotated[int | None, "How many resamples the numbers rest on; None if by a formula."]
ResamplesUndefined = Annotated[int, "Resamples in which the number was undefined; they are left out."]
TrialsUndefined = Annotated[int, "Trials in which the method was undefined; they are left out."]
MetricKind = Annotated[str, "``metric``, ``sentinel`` or ``person`` (an annotator, compared with the others)."]
BeatsSentinels = Annotated[
    bool | None,
    "Whether it is significantly better than every sentinel (one-sided); None without sentinels.",
]
SharedSystems = Annotated[int, "Systems with at least one score from the metric and one from people."]
SharedInputs = Annotated[
    int, "Inputs with at least one score from the metric and, unless system means take all inputs, one from people."
]
WorstRank = Annotated[
    int | None,
    "The worst rank that it may have. With confidence 1 − α, the true ranks of all metrics are within these bounds.",
]
DamagedQuality = Annotated[str | None, "The quality criterion that was corrupted, if it is known."]
Damage = Annotated[str, "What was done."]
DamageRate = Annotated[float, "The share of units that was changed."]
NAnnotated = Annotated[int, "Inputs with at least one score from people."]


@dataclass_transform(frozen_default=True)
def row(kind: type[R]) -> type[R]:
    """Make a class of flat, frozen rows, and tell in its docstring what its shared fields are."""
    every = [each for base in reversed(kind.__mro__) for each in getattr(base, "__annotations__", {}).items()]
    told = [f"{name}\n    {text}" for name, of in dict(every).items() if (text := _text(of))]
    made = dataclasses.dataclass(frozen=True, slots=True)(kind)
    if told:
        made.__doc__ = f"{made.__doc__}\n\nAttributes\n----------\n" + "\n".join(told)
    return made


def filled(kind: type[R], /, *sources: object, **own: object) -> R:
    """Return a row with these values; other fields are those of the first source, an object or mapping, that has them.

    Examples
    --------
    >>> @row
    ... class Mean:
    ...     metric: str
    ...     mean: float
    >>> filled(Mean, {"metric": "bleu", "mean": 0.0}, mean=0.5)
    Mean(metric='bleu', mean=0.5)
    """
    names = field_names(cast("type", kind))
    return kind(**{name: own[name] if name in own else _first(sources, name) for name in names})


def _first(sources: tuple[object, ...], name: str) -> object:
    for source in sources:
        if isinstance(source, Mapping):
            if name in source:
                return source[name]
        elif hasattr(source, name):
            return getattr(source, name)
    raise TypeError(f"nothing says what the field {name!r} of a row is")


def _text(annotation: object) -> str:
    """Return what a shared field is; nothing of other fields."""
    shared = globals().get(str(annotation).removeprefix(_PREFIX))
    return str(getattr(shared, "__metadata__", ("",))[0])


@row
class OfMetric:
    """What a metric has to do with a human criterion."""

    metric: Metric
    human: Human


@row
class OfAgreement(OfMetric):
    """How far a metric agrees with a human criterion, at one level, by one statistic."""

    level: Level
    statistic: Statistic


@row
class OfJudge:
    """What a judge has to do with a human criterion."""

    judge: Judge
    human: Human


@row
class OfColumn:
    """What is said of a column by itself."""

    metric: Column
    kind: Kind
