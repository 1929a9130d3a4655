"""What intervals and tests cannot do, as notes and facts of notes, and whom to cite for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metassay.core.note import Note
from metassay.stats.methods.base import Method, Reason
from metassay.stats.methods.registry import INTERVALS, TESTS
from metassay.stats.statistics.base import Statistic

_FEWEST_INPUTS: dict[str, Method] = {
    "no-interval": INTERVALS["boot-systems"],
    "no-test": TESTS["paired-boot-systems"],
}
"""Methods that need fewer inputs than others, which a note may suggest."""


def no_number(code: str, reason: Reason, level: str, method: str, task: str = "", **where: object) -> Note:
    """Note why there is no interval or no test; of too few inputs, how many the method with the smallest need wants."""
    other = _FEWEST_INPUTS[code]
    more = {"other": other.name, "other_needs": other.needs(level)[1] if reason.code == "few-inputs" else 0}
    return Note.of(code, **where, task=task, level=level, method=method, **reason.facts, **more)


def cited(names: Iterable[str]) -> list[str]:
    """Return the works that defined intervals and tests."""
    return [method.citation for name in names for method in (INTERVALS.get(name) or TESTS[name],)]


def rough(methods: Iterable[Method], levels: Sequence[str]) -> list[Note]:
    """Note which methods are formulas for a single statistic, and were applied to averages of several."""
    return [Note.of("method-on-averages", method=method.name) for method in methods if method.is_rough(levels)]


def left_out(lacking: Sequence[tuple[Method, Statistic, str]]) -> list[Note]:
    """Note which methods do not apply to which statistics."""
    return [
        Note.of("method-inapplicable", method=method.name, statistic=statistic.name, reason=reason)
        for method, statistic, reason in lacking
    ]
