"""Statistics by name: those that come with the package, and those of users."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from metassay.errors import UnknownName, UsageError, one_line
from metassay.stats.statistics import names
from metassay.stats.statistics.base import Statistic
from metassay.stats.statistics.correlations import KENDALL, KENDALL_A, KENDALL_C, PEARSON, SPEARMAN
from metassay.stats.statistics.grades import GRADES
from metassay.stats.statistics.labels import LABELS
from metassay.stats.statistics.pairwise import PAIRWISE
from metassay.stats.statistics.probabilities import PROBABILITIES
from metassay.stats.statistics.soft_pairwise import SPA

CORRELATIONS = (PEARSON, SPEARMAN, KENDALL, KENDALL_A, KENDALL_C)
BUILT_IN: tuple[Statistic, ...] = (*CORRELATIONS, *PAIRWISE, SPA, *LABELS, *GRADES, *PROBABILITIES)
StatisticOrName = str | Statistic
Statistics = str | Statistic | Iterable[StatisticOrName]
"""A statistic or several: objects, names, or a comma list of names."""

_known: dict[str, Statistic] = {statistic.name: statistic for statistic in BUILT_IN}


def register(statistic: Statistic) -> Statistic:
    """Make a statistic of your own known by its name, everywhere that takes a statistic; return it.

    See :class:`metassay.Statistic`. A name that is taken by another class is refused.
    """
    if isinstance(statistic, type) or not isinstance(statistic, Statistic):
        raise UsageError(f"expected an object of a class derived from Statistic, got {one_line(repr(statistic), 60)}")
    name = statistic.name
    if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", str(name)):
        raise UsageError(f"name of a statistic must be lower-case letters, digits, '-', '.' or '+', got {name!r}")
    if type(statistic).evaluate is Statistic.evaluate and type(statistic).prepare is Statistic.prepare:
        raise UsageError(f"the statistic {name} must define evaluate(x, z, w)")
    unknown = [level for level in statistic.levels if level not in names.LEVELS]
    if unknown or not statistic.levels:
        raise UsageError(
            f"levels of the statistic {name} must be of {', '.join(names.LEVELS)}, got {statistic.levels!r}"
        )
    for each in (name, *statistic.aliases):
        taken = _known.get(names.aliases().get(each, each))
        if taken is not None and (taken in BUILT_IN or type(taken).__qualname__ != type(statistic).__qualname__):
            raise UsageError(f"the name {each} is taken by another statistic ({taken.title or taken.name})")
    _known[name] = statistic
    said = {field: getattr(statistic, field) for field in names.Named._fields if field != "signature"}
    said |= {"title": statistic.title or name, "signature": statistic.signature_name}
    names.KNOWN[name] = names.Named(**said)
    return statistic


def find(name: StatisticOrName) -> Statistic:
    """Return the statistic of a name, of an alias, or of ``MODULE:NAME``, which imports a user's own.

    Examples
    --------
    >>> find("tau-b"), find("Pearson")
    (kendall, pearson)
    """
    if isinstance(name, Statistic):
        if _known.get(name.name) is not name:
            register(name)
        return name
    if not isinstance(name, str):
        raise UsageError(f"statistic must be a name, got {name!r} (known: {', '.join(_known)})")
    if ":" in name:
        return find(_imported(name))
    canonical = names.aliases().get(name.lower(), name.lower())
    if canonical not in _known:
        raise UnknownName("statistic", name, tuple(_known))
    return _known[canonical]


def _imported(place: str) -> Statistic:
    module, _, name = place.partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"statistic {one_line(place, 60)!r} cannot be imported: {one_line(error, 120)}") from None
    finally:
        sys.path.remove(here)
    found = found() if isinstance(found, type) and issubclass(found, Statistic) else found
    if not isinstance(found, Statistic):
        raise UsageError(
            f"{one_line(place, 60)!r} is not a statistic but {type(found).__name__}; see metassay.Statistic"
        )
    return found


def choose_one(value: StatisticOrName, levels: Iterable[str] = (), *, fixed: bool = False) -> Statistic:
    """Return one statistic, defined at the levels that are wanted; see :func:`choose`."""
    return choose([value], levels, fixed=fixed)[0]


def choose(value: Statistics, levels: Iterable[str] = (), *, fixed: bool = False) -> tuple[Statistic, ...]:
    """Return statistics in order and without repeats, all of them defined at the levels that are wanted.

    Where levels are `fixed`, no other can be chosen, and the error names statistics instead.
    """
    if isinstance(value, str):
        given: list[StatisticOrName] = [part.strip() for part in value.split(",") if part.strip()]
    else:
        given = [value] if isinstance(value, Statistic) or not isinstance(value, Iterable) else list(value)
    found = tuple(dict.fromkeys(find(each) for each in given))
    if not found:
        raise UsageError(f"no statistic given; choose from {', '.join(_known)}")
    wanted = tuple(levels)
    for statistic in found:
        for level in wanted:
            if level not in statistic.levels:
                others = [name for name, each in _known.items() if {*wanted} <= {*each.levels}]
                remedy = (
                    f"use another, such as {', '.join(others[:3])}" if fixed else "choose one of these with --level"
                )
                raise UsageError(
                    f"the statistic {statistic.name} is not defined at {level} level (defined at: "
                    f"{', '.join(statistic.levels)}); {remedy}"
                )
    return found
