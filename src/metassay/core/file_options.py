"""The options that say how files are read, and which part of them is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from metassay.core.option import FLAG, STUDIED, Names, Option

_READING = "how to read the files"
_TAKEN = "which part of the data"

InputFormat = Annotated[
    str | None,
    Option(
        "format of the files, such as tidy, wide or sacrerouge; an unknown name lists all",
        group=_READING,
        metavar="FORMAT",
        flag="input-format",
        absent="recognised by their content",
    ),
]
Language = Annotated[
    str | None,
    Option(
        "language, or language pair such as en-de, to take from data that hold several; leaderboard also takes a comma "
        "list, or * for all",
        group=_READING,
        metavar="LANG",
    ),
]
LowerIsBetter = Annotated[
    str | Iterable[str], Option("columns in which small scores are good", group=STUDIED, repeated=True)
]
SystemColumn = Annotated[
    Names | None,
    Option("column of systems; a comma list joins columns", group=_READING, metavar="COLUMN", absent="by its name"),
]
InputColumn = Annotated[
    Names | None,
    Option(
        "column of inputs; a comma list joins columns, such as doc_id,turn; row takes each row for an input",
        group=_READING,
        metavar="COLUMN",
        absent="by its name",
    ),
]
AnnotatorColumn = Annotated[
    Names | None, Option("column of annotators, or raters", group=_READING, metavar="COLUMN", absent="by its name")
]
NoSystems = Annotated[bool, Option("the data have no systems, one row per input", group=_READING, **FLAG)]
Ignore = Annotated[
    Names | None,
    Option("columns to leave out: names, globs or comma lists", group=_READING, metavar="COLUMNS", repeated=True),
]
People = Annotated[
    Names | None,
    Option(
        "columns that are annotators of one human criterion, such as 'annotator_*' or quality=ann1,ann2",
        group=_READING,
        metavar="COLUMNS",
        repeated=True,
    ),
]
ScaleOf = Annotated[
    "Mapping[str, str] | str | Iterable[str] | None",
    Option(
        "scale of a column: NAME=interval, ordinal:bad<ok<good, nominal or binary:fail<pass",
        group=_READING,
        metavar="NAME=SCALE",
        repeated=True,
    ),
]
ClusterBy = Annotated[
    str | None,
    Option(
        "column that says which inputs belong together, such as the document; none if each is by itself",
        group=_READING,
        metavar="COLUMN",
        absent="the documents, where a data set names them",
    ),
]
FamilyOf = Annotated[
    "str | Mapping[str, str] | Iterable[str] | None",
    Option(
        "families of systems: a column, or FAMILY=PATTERN[,PATTERN] such as openai=gpt-*,o3*",
        group=_READING,
        metavar="FAMILY",
        repeated=True,
    ),
]
Select = Annotated[
    Names | None,
    Option(
        "take only systems=PATTERN, inputs=PATTERN or COLUMN=VALUE, such as category=faq; several must all hold",
        group=_TAKEN,
        metavar="WHAT=WHICH",
        repeated=True,
    ),
]
DropSystems = Annotated[
    Names | None,
    Option("systems to leave out: names, globs or comma lists", group=_TAKEN, metavar="SYSTEMS", repeated=True),
]
