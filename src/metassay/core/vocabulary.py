"""The names of methods, the same in Python, on the command line and in rows, and the checks on options.

Nothing heavy is imported here, so the command line can print its help without loading NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real

from metassay.errors import UnknownName, UsageError, one_line
from metassay.stats.methods import names as methods
from metassay.stats.statistics import names as statistic_names

MOST_REPEATS = 10_000_000
"""More resamples or trials than this would run for days and say nothing new."""
MOST_COUNT = 10**38
"""No count or seed is this large."""
LEVELS = statistic_names.LEVELS
LEVEL_ALIASES = {
    "sys": "system",
    "summary": "input",
    "segment": "input",
    "item": "input",
    "instance": "global",
    "sample": "global",
    "no-grouping": "global",
}
PROBES = {
    "padding": "padded with empty sentences",
    "repetition": "said twice",
    "reformat": "put as a list",
    "position-swap": "with both answers exchanged",
    "name-swap": "with other models' names",
}
"""Changes that should move no verdict, and what an output is after each."""
STATISTICS = tuple(statistic_names.BUILT_IN)
GENERAL_METHODS = methods.GENERAL
BOOTSTRAPS = methods.BOOTSTRAPS
HELD_INTERVALS = (methods.JACKKNIFE, *BOOTSTRAPS)
INTERVALS = methods.INTERVALS
METRIC_TESTS = methods.METRIC_TESTS
SYSTEM_TESTS = ("unpaired-t", "paired-t", "wilcoxon")
CORPUS_TESTS = ("paired-bootstrap", "approximate-randomization")
"""Tests of scores of whole systems."""
PAIRED_TESTS = ("paired-t", "wilcoxon")
CUTOFFS = ("theory", "mc", "hb")
ALTERNATIVES = ("greater", "less", "two-sided")
CORRECTION_NAMES = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
"""Corrections as people call them."""
CORRECTIONS = ("none", *CORRECTION_NAMES)
SCOPES = ("row", "table")
P_VALUES = ("plus-one", "paper")
PLANNED_LEVELS = ("system", "input", "global")
PLANNED_INTERVALS = (*GENERAL_METHODS, "boot-inputs")
LABEL_CHOICES = ("random", "stratified", "disagreement", "variance")
"""Ways to choose what is labelled next."""
ESTIMATE_METHODS = ("ppi", "rogan-gladen")
NO_CLUSTERS = "none"
"""Says that each input is by itself."""
INPUT_SETS = ("all", "annotated")
EQUIVALENCE_TESTS = ("jackknife", "tost", "anderson-hauck")
MARGIN_KINDS = ("constant", "sd", "range")
RESAMPLED = ("points", "inputs", "systems", "both")
AGGREGATES = ("max", "mean")
RANKINGS = ("bradley-terry", "win-rate", "elo", "mean")
TIES = ("half", "davidson")
RANK_INTERVALS = ("sandwich", "bootstrap")
VOTE_UNITS = ("inputs", "raters", "votes")
HOLDS = ("difference", "covariate")
HOLDING_METHODS = ("bucket", "partial", "partial-formula")
"""Ways to hold a criterion fixed."""


def names(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in a comma list or an iterable, in order and without repeats."""
    if not isinstance(value, Iterable):
        raise UsageError(f"expected a name or several, got {value!r}")
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(p.strip() for p in parts if p.strip()))


def several_names(_what: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """Return names that are given one by one or as comma lists, each once."""
    texts = [value] if isinstance(value, str) else list(value)
    return tuple(dict.fromkeys(name for text in texts for name in names(text)))


def choice(what: str, value: str, known: Sequence[str], aliases: Mapping[str, str] | None = None) -> str:
    """Return `value` as its one canonical name, or say which names there are."""
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a name, got {value!r} (known: {', '.join(known)})")
    canonical = (aliases or {}).get(value.lower(), value.lower())
    if canonical not in known:
        raise UnknownName(what, value, known)
    return canonical


def choices(
    what: str, value: str | Iterable[str], known: Sequence[str], aliases: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return several canonical names from a comma list or an iterable."""
    found = tuple(dict.fromkeys(choice(what, v, known, aliases) for v in names(value)))
    if not found:
        raise UsageError(f"no {what} given; choose from {', '.join(known)}")
    return found


def statistics(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return canonical names of statistics; ``kendall`` is tau-b, and ``MODULE:NAME`` is a user's own."""
    found = tuple(dict.fromkeys(statistic(name) for name in names(value)))
    if not found:
        raise UsageError(f"no statistic given; choose from {', '.join(statistic_names.KNOWN)}")
    return found


def statistic(value: str) -> str:
    """Return the canonical name of one statistic."""
    if ":" in str(value):
        return value
    return choice("statistic", value, tuple(statistic_names.KNOWN), statistic_names.aliases())


def statistic_title(name: str) -> str:
    """Return what a statistic is called in prose."""
    return statistic_names.find(name).title


def statistic_symbol(name: str) -> str:
    """Return the symbol of a statistic; nothing if it has none."""
    return statistic_names.find(name).symbol


def measure(names: Iterable[str]) -> str:
    """Return what statistics are in one word: correlations, or the title of the only one, or agreement.

    Examples
    --------
    >>> measure(["kendall", "pearson"]), measure(["my-own"]), measure(["my-own", "kendall"])
    ('correlation', 'my-own', 'agreement')
    """
    kinds = {"correlation" if is_correlation(name) else statistic_title(name) for name in names}
    return kinds.pop() if len(kinds) == 1 else "agreement"


def is_correlation(name: str) -> bool:
    """Return whether a statistic is a correlation, which is 0 where there is no association."""
    return statistic_names.find(name).is_correlation


def is_share(name: str) -> bool:
    """Return whether a statistic is a share, which people write in percent."""
    return statistic_names.find(name).is_share


def is_error(name: str) -> bool:
    """Return whether a statistic is an error in the units of the scores: how far two sides differ."""
    return statistic_names.find(name).in_units


def is_symmetric(name: str) -> bool:
    """Return whether people and metrics play the same part in a statistic."""
    return statistic_names.find(name).symmetric


def statistic_sign(name: str) -> float:
    """Return 1 if larger values of a statistic are better agreement, −1 if smaller ones are."""
    return 1.0 if statistic_names.find(name).higher_is_better else -1.0


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def in_a_signature(text: str) -> str:
    """Return a name of the user's as a signature can hold it."""
    return one_line(text, 60).replace("|", "/").replace(":", "-")


def fraction(what: str, value: float) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    if not _is_number(value) or not 0 < value < 1:
        hint = f"; did you mean {value / 100:g}?" if _is_number(value) and 1 < value < 100 else ""
        raise UsageError(f"{what} must lie in (0, 1), got {one_line(value, 40)}{hint}")
    return float(value)


def count(what: str, value: int, least: int = 1) -> int:
    """Return `value` if it is a whole number of at least `least`."""
    if not _is_number(value) or not -MOST_COUNT < value < MOST_COUNT or int(value) != value or value < least:
        most = "" if not _is_number(value) or value < MOST_COUNT else f" and at most {len(str(MOST_COUNT)) - 1} digits"
        raise UsageError(f"{what} must be a whole number of at least {least}{most}, got {one_line(value, 40)}")
    return int(value)


def repeats(what: str, value: int, least: int = 1) -> int:
    """Return `value` if so many resamples or trials can be made: from `least` to :data:`MOST_REPEATS`.

    Examples
    --------
    >>> repeats("resamples", 10_000)
    10000
    """
    found = count(what, value, least)
    if found > MOST_REPEATS:
        raise UsageError(f"{what} must be at most {MOST_REPEATS:,}, got {found:,}")
    return found


LABEL_CHANCE = "label_chance"
"""The column by which answers of a sheet tell how likely each output was to be chosen for a label."""


def positive(what: str, value: object) -> float:
    """Return `value` if it is a number over 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e308:
        raise UsageError(f"{what} must be a number over 0, got {one_line(repr(value), 40)}")
    return float(value)


def flag(what: str, value: object) -> bool:
    """Return `value` if it is true or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{what} must be true or false, got {one_line(repr(value), 40)}")
    return value


def counts(what: str, value: str | Iterable[int]) -> tuple[int, ...]:
    """Return whole numbers of at least 1 from a comma list or an iterable, in ascending order and without repeats."""
    found = set()
    for item in names(value) if isinstance(value, str) else value:
        try:
            found.add(count(what, int(item) if isinstance(item, str) else item))
        except ValueError:
            raise UsageError(f"{what} must be whole numbers of at least 1, got {item!r}") from None
    if not found:
        raise UsageError(f"no {what} given; name whole numbers of at least 1")
    return tuple(sorted(found))


def seed(value: int) -> int:
    """Return `value` if it can seed the random numbers; 0 is a seed like any other."""
    return count("seed", value, 0)


def ranges(what: str, value: str | Iterable[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """Return pairs of a lower and an upper end, from tuples or from text such as ``0:0.5,0:1``.

    An upper end may be infinite; in text, ``0.5:`` has none.
    """
    found: dict[tuple[float, float], None] = {}
    for item in names(value) if isinstance(value, str) else value:
        ends = item.split(":") if isinstance(item, str) else item
        try:
            lower, upper = (math.inf if end == "" else float(end) for end in ends)
        except (TypeError, ValueError):
            raise UsageError(f"{what} must be pairs LOWER:UPPER of numbers, such as 0:0.5, got {item!r}") from None
        if not 0 <= lower <= upper or math.isinf(lower):
            raise UsageError(f"{what} must have 0 <= lower <= upper, got {lower:g}:{upper:g}")
        found[lower, upper] = None
    return tuple(found)


def _numbers(what: str, value: str | float | Iterable[float | str]) -> Iterator[float]:
    for item in names(value) if isinstance(value, str) else value if isinstance(value, Iterable) else (value,):
        try:
            yield float(item)
        except (OverflowError, TypeError, ValueError):
            raise UsageError(f"{what} must be numbers, got {one_line(item, 40)!r}") from None


def shares(what: str, value: str | float | Iterable[float | str]) -> tuple[float, ...]:
    """Return shares over 0 and up to 1, from numbers or a comma list; ``none`` or nothing gives none."""
    found: dict[float, None] = {}
    for share in _numbers(what, () if isinstance(value, str) and value.strip().lower() == "none" else value):
        if not 0 < share <= 1:
            hint = f"; did you mean {share / 100:g}?" if 1 < share <= 100 else ""
            raise UsageError(f"{what} must lie in (0, 1], got {share:g}{hint}")
        found[share] = None
    return tuple(found)


def positives(what: str, value: str | float | Iterable[float | str]) -> tuple[float, ...]:
    """Return numbers over 0, from numbers or a comma list, in ascending order and without repeats."""
    found = set()
    for number in _numbers(what, value):
        if not 0 < number < math.inf:
            raise UsageError(f"{what} must be over 0, got {number:g}")
        found.add(number)
    if not found:
        raise UsageError(f"no {what} given; name numbers over 0")
    return tuple(sorted(found))


def selections(what: str, value: str | Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return what to select by, each with its patterns, from texts such as ``systems=gpt-*``."""
    found = []
    for text in (value,) if isinstance(value, str) else value:
        name, sign, patterns = str(text).partition("=")
        if not (name.strip() and sign and patterns.strip()):
            raise UsageError(
                f"--{what} must be WHAT=PATTERN such as systems=gpt-* or category=faq, got {one_line(text)!r}"
            )
        found.append((name.strip(), patterns))
    return tuple(found)
