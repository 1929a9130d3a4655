"""Do parametric methods apply?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from metassay.core.result import Result


@dataclass(frozen=True, slots=True)
class NormalityRow:
    """Shapiro-Wilk tests of one metric or human criterion."""

    metric: str
    """The metric, or the human criterion itself."""
    kind: str
    """``metric`` or ``human``."""
    p_value: float
    """Shapiro-Wilk p-value on the system means; NaN if undefined."""
    percent_rejected: float
    """Percent of inputs whose scores over systems reject normality; NaN if no input could be tested."""
    alpha: float
    """The significance level of the tests per input."""
    n_systems: int
    """System means that were tested."""
    n_inputs: int
    """Inputs that were tested."""
    n_undefined: int
    """Inputs that could not be tested: constant, or fewer than three scores."""


@dataclass(frozen=True, eq=False)
class Normality(Result):
    """Whether system means, and scores within inputs, look normal."""

    study: ClassVar[str] = "normality"

    table: Sequence[NormalityRow]
    """One row per metric and human criterion."""
