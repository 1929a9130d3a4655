"""The names of methods, the same in Python, on the command line and in rows, and the checks on options.

Nothing heavy is imported here, so the command line can print its help without loading NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from metassay.errors import UnknownName, UsageError

LEVELS = ("system", "input", "global", "within-system")
LEVEL_ALIASES = {
    "sys": "system",
    "summary": "input",
    "segment": "input",
    "item": "input",
    "instance": "global",
    "sample": "global",
    "no-grouping": "global",
}
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")
COEFFICIENT_ALIASES = {
    "kendall-b": "kendall",
    "tau": "kendall",
    "tau-b": "kendall",
    "tau-a": "kendall-a",
    "tau-c": "kendall-c",
}
BOOTSTRAPS = ("boot-systems", "boot-inputs", "boot-both")
INTERVALS = ("fisher", *BOOTSTRAPS)
PAIRED_BOOTSTRAPS = ("paired-boot-systems", "paired-boot-inputs", "paired-boot-both")
PERMUTATIONS = ("perm-systems", "perm-inputs", "perm-both")
METRIC_TESTS = ("williams", *PAIRED_BOOTSTRAPS, *PERMUTATIONS)
ALTERNATIVES = ("greater", "less", "two-sided")
CORRECTIONS = ("none", "bonferroni", "holm", "bh", "by")
SCOPES = ("row", "table")
P_VALUES = ("plus-one", "paper")


def names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in a comma list or an iterable, in order and without repeats."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(p.strip() for p in parts if p.strip()))


def choice(what: str, value: str, known: Sequence[str], aliases: dict[str, str] | None = None) -> str:
    """Return `value` as its one canonical name, or say which names there are."""
    canonical = (aliases or {}).get(value.lower(), value.lower())
    if canonical not in known:
        raise UnknownName(what, value, known)
    return canonical


def choices(
    what: str, value: str | Iterable[str], known: Sequence[str], aliases: dict[str, str] | None = None
) -> tuple[str, ...]:
    """Return several canonical names from a comma list or an iterable."""
    found = tuple(dict.fromkeys(choice(what, v, known, aliases) for v in names(value)))
    if not found:
        raise UsageError(f"no {what} given; choose from {', '.join(known)}")
    return found


def levels(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return canonical correlation levels; ``summary``, ``segment`` and the like are accepted."""
    return choices("level", value, LEVELS, LEVEL_ALIASES)


def coefficients(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return canonical correlation coefficients; ``kendall`` is tau-b."""
    return choices("coefficient", value, COEFFICIENTS, COEFFICIENT_ALIASES)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fraction(what: str, value: float) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    if not _is_number(value) or not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if _is_number(value) and 1 < value < 100 else ""
        raise UsageError(f"{what} must lie in (0, 1), got {value}{hint}")
    return float(value)


def count(what: str, value: int, least: int = 1) -> int:
    """Return `value` if it is a whole number of at least `least`."""
    if not _is_number(value) or not math.isfinite(value) or int(value) != value or value < least:
        raise UsageError(f"{what} must be a whole number of at least {least}, got {value}")
    return int(value)


def seed(value: int) -> int:
    """Return `value` if it can seed the random numbers; 0 is a seed like any other."""
    return count("seed", value, 0)
