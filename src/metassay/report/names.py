"""What methods are called where people read them, and the fields of rows that name them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from metassay.core import vocabulary
from metassay.errors import one_line
from metassay.report import numbers

CORRECTIONS = vocabulary.CORRECTION_NAMES
ALTERNATIVES = {
    "greater": "agrees better than",
    "less": "agrees worse than",
    "two-sided": "agrees better or worse than",
}
"""How metric A stands to metric B if the null hypothesis is rejected."""
STATISTIC = "statistic"
"""The field of rows that names the statistic."""
SETTING = f"human level {STATISTIC}"
"""The fields that say what is compared with what, where and how."""


def coefficient(name: str) -> str:
    """Return a statistic's name as it is written in prose."""
    return vocabulary.statistic_title(name)


def statistic(row: Any) -> str:  # noqa: ANN401 - a row that has one
    """Return the statistic of a row as it is written in prose."""
    return coefficient(getattr(row, STATISTIC))


def statistics(rows: Iterable[Any]) -> list[str]:
    """Return the names of the statistics of some rows."""
    return list(dict.fromkeys(getattr(row, STATISTIC) for row in rows))


def symbol(rows: Iterable[Any]) -> str:
    """Return the symbol of the one statistic that some rows have; a word if they have several, or it has no symbol."""
    known = {vocabulary.statistic_symbol(name) for name in statistics(rows)}
    return (known.pop() if len(known) == 1 else "") or "estimate"


def measure(rows: Iterable[Any]) -> str:
    """Return what the statistics of some rows are in one word: correlations, or what the statistic is called."""
    return vocabulary.measure(statistics(rows))


def measured(rows: Sequence[Any]) -> str:
    """Return the same with the name of a correlation, if there is one only, such as ``Kendall correlation``."""
    found = measure(rows)
    return f"{statistic(rows[0])} {found}" if found == "correlation" and len(statistics(rows)) == 1 else found


def goodness(row: Any, field: str = "estimate") -> float:  # noqa: ANN401 - a row that has a statistic
    """Return how good the agreement of a row is: large is good, and what is undefined is worst."""
    value = math.nan if row is None else getattr(row, field)
    return -math.inf if math.isnan(value) else vocabulary.statistic_sign(getattr(row, STATISTIC)) * value


def setting(row: Any, human: str | None = None) -> str:  # noqa: ANN401 - a row with a level and a statistic
    """Return what is compared with what, such as ``relevance, system level, Kendall``."""
    return f"{one_line(row.human if human is None else human)}, {row.level} level, {statistic(row)}"


def draws(row: Any) -> str:  # noqa: ANN401 - a row with an interval
    """Return which interval a row has, such as ``95% CI (boot-both, 1,000 resamples)``."""
    drawn = f", {row.resamples:,} resamples" if row.resamples else ""
    return f"{numbers.level(row.confidence)} CI ({row.interval}{drawn})"


def stars(row: Any) -> str:  # noqa: ANN401 - a test
    """Return what stands for significance: a star, or two if it outlasts the correction."""
    if row.significant_corrected and row.correction != "none":
        return "**"
    return "*" if row.significant else ""


def below_sentinels(row: Any) -> str:  # noqa: ANN401 - a row of agreement
    """Return what marks a metric that has not been shown to be better than the sentinels."""
    return "†" if row.beats_sentinels is False else ""


def sentinel_legend(rows: Iterable[Any]) -> str:
    """Return what the mark means, if it stands anywhere."""
    told = "† not significantly better than every sentinel (no better, where there is no test)."
    return told if any(map(below_sentinels, rows)) else ""


def starred(row: Any, *, padded: bool = True, stars: Callable[[Any], str] = stars) -> str:  # noqa: ANN401 - a test
    """Return a p-value with its stars, which are padded so that digits stand under each other."""
    return numbers.p_value(row.p_value) + stars(row).ljust(2 * padded)


def starred_legend(alpha: float, correction: str, over: str = "") -> str:
    """Return what the stars mean."""
    if correction == "none":
        return f"* p ≤ {alpha:g}, not corrected for the number of tests."
    return f"* p ≤ {alpha:g}; ** also after {CORRECTIONS[correction]} correction{over}."


def widest(rows: Iterable[Any]) -> str:
    """Return how precise simulated rates are."""
    reach = max((row.high - row.low for row in rows if row.trials), default=0.0)
    return f"95% CIs are at most ± {numbers.two(reach / 2)}"
