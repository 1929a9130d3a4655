"""What methods are called where people read them."""

from __future__ import annotations

from metassay.core import vocabulary

CORRECTIONS = vocabulary.CORRECTION_NAMES
ALTERNATIVES = {
    "greater": "agrees better than",
    "less": "agrees worse than",
    "two-sided": "agrees better or worse than",
}
"""How metric A stands to metric B if the null hypothesis is rejected."""


def statistic(name: str) -> str:
    """Return a statistic's name as it is written in prose."""
    return vocabulary.statistic_title(name)


def goodness(name: str, estimate: float) -> float:
    """Return the value of a statistic with its sign turned if smaller values are better agreement."""
    return vocabulary.statistic_sign(name) * estimate


def setting(human: str, level: str, coef: str) -> str:
    """Return what is correlated with what, such as ``relevance, system level, Kendall``."""
    return f"{human}, {level} level, {statistic(coef)}"
