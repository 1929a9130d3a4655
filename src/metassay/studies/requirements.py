"""Requirements on numbers of a result, such as ``kappa.low>=0.6``, and whether they are met."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from metassay.core import fields
from metassay.core.judge_options import requirement
from metassay.errors import UnknownName

_COMPARED = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq}


@fields.row
class RequirementRow:
    """A requirement, and whether it is met."""

    requirement: str
    """As it was given."""
    judge: fields.Judge
    human: fields.Human
    value: float
    """The number that it is about; if it is undefined (NaN), the requirement is not met."""
    met: bool
    """Whether it is met."""


def required(
    texts: Iterable[str] | None,
    table: Sequence[Any],
    number: Callable[[Any, str, str], float],
    judge: str = "judge",
    human: str = "human",
) -> tuple[RequirementRow, ...]:
    """Return whether requirements are met by each row that they speak of.

    Parameters
    ----------
    texts
        Requirements, as :func:`metassay.core.judge_options.requirement` reads them.
    table
        Rows, one per judge and what it is compared with.
    number
        Returns the number of a row with a name and a field; of ``abs`` that of ``estimate``.
    judge, human
        The fields of a row that name the judge, and what it is compared with.
    """
    rows = []
    for text in texts or ():
        who, name, field, sign, bound = requirement(text)
        mine = [row for row in table if who in ("", getattr(row, judge))]
        if not mine:
            raise UnknownName("judge in a requirement:", who, [getattr(row, judge) for row in table])
        for row in mine:
            value = number(row, name, field)
            value = abs(value) if field == "abs" else value
            met = bool(_COMPARED[sign](value, bound))
            rows.append(RequirementRow(text, getattr(row, judge), getattr(row, human), value, met))
    return tuple(rows)
