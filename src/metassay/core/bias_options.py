"""Options of what a metric must beat, and of what may sway a judge; see :mod:`metassay.core.options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from metassay.core import vocabulary as known
from metassay.core.option import Names, Option, among, studied, under, when

if TYPE_CHECKING:
    from metassay.core.groups import GroupPatterns

_swaying = under("possible biases")

Sentinels = Annotated[
    bool,
    studied(
        "add baselines that know only an output's length, only its system, only its input, or nothing; metrics that "
        "do not beat them are marked",
        **when("sentinels", "yes"),
    ),
]
PeopleAsMetrics = Annotated[
    bool,
    studied("add each annotator as a row, compared with the other annotators", **when("people", "rows")),
]
Biased = Annotated[
    bool,
    Option(
        "also estimate biases at equal human judgment: position, length, style, own family (more in metassay bias)",
        **when("bias", "yes"),
    ),
]
Style = Annotated[
    Names | None,
    _swaying(
        "further properties of outputs that may bias a judge: columns with categories or numbers; in votes NAME for "
        "columns NAME_a and NAME_b",
        known.several_names,
        metavar="NAME",
        repeated=True,
        absent="lists, bold text and headings, if there are texts",
        key="style",
    ),
]
TextOf = Annotated[
    str | None,
    _swaying(
        "column with the texts of outputs, to measure their length",
        metavar="COLUMN",
        absent="found by name, else the column with the longest texts",
    ),
]
OwnFamily = Annotated[
    Names | None,
    _swaying(
        "family of models that a judge belongs to, JUDGE=FAMILY",
        metavar="JUDGE=FAMILY",
        repeated=True,
        absent="the family, or system, whose name is in the judge's",
    ),
]
Runs = Annotated[
    "GroupPatterns | None",
    _swaying(
        "repetitions of one judge (re-runs or prompts), NAME=PATTERN[,PATTERN], such as judge=judge_run*",
        repeated=True,
        metavar="GROUP",
    ),
]
Hold = Annotated[
    str | None,
    _swaying(
        "how human judgment is held fixed: the response is judge − human (difference), or the human score is a "
        "covariate (covariate)",
        **among("HOW", known.HOLDS),
        listed=False,
        absent="difference if judge and people use the same scale, else covariate",
        key="method",
    ),
]
