"""How well does each metric agree with people?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metassay.core.result import Result


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """The agreement of one metric with one human criterion, at one level, by one coefficient."""

    metric: str
    """The metric."""
    human: str
    """The human criterion."""
    level: str
    """``system``, ``input``, ``global`` or ``within-system``."""
    coefficient: str
    """``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``."""
    estimate: float
    """The correlation; NaN if it is undefined."""
    low: float
    """Lower end of the confidence interval."""
    high: float
    """Upper end of the confidence interval."""
    confidence: float
    """The interval's confidence, such as 0.95."""
    interval: str
    """How the interval was made."""
    resamples: int | None
    """How many resamples the interval rests on; None for Fisher."""
    n_systems: int
    """Systems with at least one score from the metric and one from people."""
    n_inputs: int
    """Inputs with at least one score from the metric and one from people."""
    n_undefined: int
    """Inputs (or, within systems, systems) whose own correlation is undefined and left the average."""
    resamples_undefined: int
    """Resamples whose correlation was undefined and left the interval."""
    misranked: float
    """At system level with a Kendall coefficient: share of system pairs ranked unlike people, (1 − τ)/2; else NaN."""
    misranked_low: float
    """The same at the upper end of the interval."""
    misranked_high: float
    """The same at the lower end of the interval."""


@dataclass(frozen=True, eq=False)
class Agreement(Result):
    """How well metrics agree with people, with intervals."""

    study: ClassVar[str] = "agree"

    table: Sequence[AgreementRow]
    """One row per metric, human criterion, level and coefficient."""
