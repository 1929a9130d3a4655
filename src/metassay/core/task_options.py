"""The options of studies over several tasks, and of outlying systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from metassay.core import vocabulary as known
from metassay.core.option import Option, studied, under, when
from metassay.errors import UsageError, one_line

if TYPE_CHECKING:
    from metassay.stats.statistics.base import Statistic

_tasks = under("which tasks")
EQUAL = "equal"


def _measures(_what: str, value: Any) -> tuple[tuple[Any, str | None], ...]:  # noqa: ANN401 - one or several
    """Return statistics, each with the level that is named after ``@``, or None."""
    given = known.names(value) if isinstance(value, str) else value if isinstance(value, Iterable) else (value,)
    found: dict[tuple[Any, str | None], None] = {}
    for each in given:
        if not isinstance(each, str):
            found[each, None] = None
            continue
        name, _, level = each.partition("@")
        at = known.choice("level", level, known.LEVELS, known.LEVEL_ALIASES) if level else None
        found[known.statistic(name), at] = None
    if not found:
        known.statistics("")
    return tuple(found)


def _weights(_what: str, value: Any) -> Mapping[str, float]:  # noqa: ANN401 - a text, several, or a mapping
    """Return the weights of tasks; none if all count the same."""
    if isinstance(value, Mapping):
        pairs = [(str(task), weight) for task, weight in value.items()]
    else:
        texts = [part for text in ([value] if isinstance(value, str) else value) for part in known.names(text)]
        if texts == [EQUAL]:
            return {}
        pairs = []
        for text in texts:
            task, sign, weight = text.rpartition("=")
            if not sign or not task:
                raise UsageError(f"average must be equal or TASK=WEIGHT such as en-de=2, got {one_line(text)!r}")
            pairs.append((task, weight))
    found = {}
    for task, weight in pairs:
        try:
            found[task] = float(weight)
        except (TypeError, ValueError):
            raise UsageError(f"the weight of {one_line(task)!r} must be a number, got {one_line(weight)!r}") from None
        if not 0 <= found[task] < float("inf"):
            raise UsageError(f"the weight of {one_line(task)!r} must be at least 0, got {weight}")
    return found


Measures = Annotated[
    "str | Statistic | Iterable[str | Statistic]",
    Option(
        "statistics of agreement, a comma list; NAME@LEVEL for one level, such as pearson@input",
        _measures,
        metavar="STATISTICS",
        key="coef",
        signed=lambda found: [f"{name}@{at}" if at else str(name) for name, at in found],
    ),
]
Tasks = Annotated[
    str | None,
    _tasks(
        "tasks: a column that groups the inputs, such as domain, or language",
        metavar="COLUMN",
        absent="all inputs are one task",
        key="by",
        signed=known.in_a_signature,
    ),
]
Average = Annotated[
    "str | Iterable[str] | Mapping[str, float]",
    _tasks(
        "weights of the tasks in the average: equal, or TASK=WEIGHT",
        _weights,
        metavar="WEIGHTS",
        repeated=True,
        key="average",
        signed=lambda weights: [f"{known.in_a_signature(task)}={weight:g}" for task, weight in weights.items()] or None,
    ),
]
DropOutliers = Annotated[
    bool,
    studied(
        "leave out systems whose human score lies more than 2.5 · 1.483 · MAD from the median, as WMT 2020 did",
        **when("outliers", "dropped,mad2.5"),
    ),
]
