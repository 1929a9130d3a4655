"""Options of what a metric must beat, and of what may sway a judge; see :mod:`metassay.core.options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from metassay.core import vocabulary as known
from metassay.core.option import STUDIED, Names, Option, among, when

if TYPE_CHECKING:
    from metassay.core.groups import GroupPatterns

_SWAYING = "what may sway the judge"

Sentinels = Annotated[
    bool,
    Option(
        "add rows that see only the length of an output, only its system, only its input, or nothing; a metric that "
        "does not beat them is marked",
        group=STUDIED,
        **when("sentinels", "yes"),
    ),
]
PeopleAsMetrics = Annotated[
    bool,
    Option("add each annotator as a row, compared with the other annotators", group=STUDIED, **when("people", "rows")),
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
    Option(
        "further things that may sway a judge: columns, categories or numbers of outputs; in votes NAME for columns "
        "NAME_a and NAME_b",
        known.several_names,
        group=_SWAYING,
        metavar="NAME",
        repeated=True,
        absent="lists, bold text and headings, if there are texts",
        key="style",
    ),
]
TextOf = Annotated[
    str | None,
    Option(
        "column with the texts of outputs, whose length is told",
        group=_SWAYING,
        metavar="COLUMN",
        absent="the one that is named like outputs, else the longest",
    ),
]
OwnFamily = Annotated[
    Names | None,
    Option(
        "family of systems that a judge belongs to, JUDGE=FAMILY",
        group=_SWAYING,
        metavar="JUDGE=FAMILY",
        repeated=True,
        absent="the family, or system, whose name is in the judge's",
    ),
]
Runs = Annotated[
    "GroupPatterns | None",
    Option(
        "repetitions of one judge, NAME=PATTERN[,PATTERN], such as judge=judge_run*: re-runs or prompts",
        group=_SWAYING,
        repeated=True,
        metavar="GROUP",
    ),
]
Hold = Annotated[
    str | None,
    Option(
        "how human judgment is held fixed: judge − people is explained (difference), or people's score is a covariate",
        group=_SWAYING,
        **among("HOW", known.HOLDS),
        listed=False,
        absent="difference if judge and people use one scale, else covariate",
        key="method",
    ),
]
