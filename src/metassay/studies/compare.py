"""Which metric agrees better with people?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metassay.core.result import Result


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One test of whether metric A agrees better with people than metric B."""

    metric_a: str
    """The metric that the alternative ``greater`` says is better."""
    metric_b: str
    """The metric it is compared with."""
    human: str
    """The human criterion."""
    level: str
    """``system``, ``input``, ``global`` or ``within-system``."""
    coefficient: str
    """``pearson``, ``spearman``, ``kendall`` (tau-b), ``kendall-a`` or ``kendall-c``."""
    estimate_a: float
    """Correlation of A with people, on the cells that both metrics scored."""
    estimate_b: float
    """Correlation of B with people, on the cells that both metrics scored."""
    difference: float
    """``estimate_a − estimate_b``."""
    p_value: float
    """The p-value before any correction; NaN if the test is undefined."""
    test: str
    """The test."""
    alternative: str
    """``greater``, ``less`` or ``two-sided``."""
    resamples: int | None
    """How many resamples the test rests on; None for Williams."""
    resamples_undefined: int
    """Resamples in which a correlation was undefined; they are left out."""
    significant: bool
    """Whether p ≤ α before correction."""
    significant_corrected: bool
    """Whether the null hypothesis is rejected after correction."""
    correction: str
    """``none``, ``bonferroni``, ``holm``, ``bh`` or ``by``."""
    scope: str
    """What is corrected together: ``row`` (one metric A against all others) or ``table``."""
    n_systems: int
    """Systems with at least one cell that both metrics and people scored."""
    n_inputs: int
    """Inputs with at least one such cell."""


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """The place of one metric in a ranking of clusters."""

    human: str
    """The human criterion."""
    level: str
    """The level."""
    coefficient: str
    """The coefficient."""
    rank: int
    """1 for the best cluster; metrics of one cluster are not told apart."""
    metric: str
    """The metric."""
    estimate: float
    """Its correlation with people, on all cells it has."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Tests of every ordered pair of metrics, with corrections and clusters."""

    study: ClassVar[str] = "compare"

    table: Sequence[ComparisonRow]
    """One row per ordered pair of metrics, human criterion, level and coefficient."""
    clusters: tuple[ClusterRow, ...]
    """Metrics in descending order; a new rank starts when a metric is beaten by one in the current cluster."""
    alpha: float
    """The significance level."""
