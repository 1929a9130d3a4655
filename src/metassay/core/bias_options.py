"""Options of what a metric must beat, and of what may sway a judge; see :mod:`metassay.core.options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from metassay.core import vocabulary as known
from metassay.core.option import Names, Option, among, studied, under, when

if TYPE_CHECKING:
    from metassay.core.groups import GroupPatterns

_swaying = under("what may sway the judge")

Sentinels = Annotated[
    bool,
    studied(
        "add rows that see only the length of an output, only its system, only its input, or nothing; a metric that "
        "does not beat them is marked",
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
        "also estimate what sways the judges at equal human judgment: position, length, style, own family "
        "(metassay bias has more)",
        **when("bias", "yes"),
    ),
]
Style = Annotated[
    Names | None,
    _swaying(
        "further things that may sway a judge: columns, categories or numbers of outputs; in votes NAME for columns "
        "NAME_a and NAME_b",
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
        "column with the texts of outputs, whose length is studied",
        metavar="COLUMN",
        absent="the one that is named like outputs, else the longest",
    ),
]
OwnFamily = Annotated[
    Names | None,
    _swaying(
        "family of systems that a judge belongs to, JUDGE=FAMILY",
        metavar="JUDGE=FAMILY",
        repeated=True,
        absent="the family, or system, whose name is in the judge's",
    ),
]
Runs = Annotated[
    "GroupPatterns | None",
    _swaying(
        "repetitions of one judge, NAME=PATTERN[,PATTERN], such as judge=judge_run*: re-runs or prompts",
        repeated=True,
        metavar="GROUP",
    ),
]
Hold = Annotated[
    str | None,
    _swaying(
        "how human judgment is held fixed: judge − people is explained (difference), or people's score is a covariate",
        **among("HOW", known.HOLDS),
        listed=False,
        absent="difference if judge and people use one scale, else covariate",
        key="method",
    ),
]
