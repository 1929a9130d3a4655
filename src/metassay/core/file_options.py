"""The options that say how files are read, and which part of them is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from metassay.core.option import FLAG, Names, Option

_FILES = "how to read the files"
_TAKEN = "which part of the data"

InputFormat = Annotated[
    str | None,
    Option(
        "format of the files, such as tidy, wide or sacrerouge; an unknown name lists all",
        metavar="FORMAT",
        group=_FILES,
        flag="input-format",
        absent="recognised by their content",
    ),
]
Language = Annotated[
    str | None,
    Option(
        "language, or language pair such as en-de, to take from data that hold several; leaderboard also takes a comma "
        "list, or * for all",
        metavar="LANG",
        group=_FILES,
    ),
]
LowerIsBetter = Annotated[
    str | Iterable[str], Option("columns in which small scores are good", repeated=True, group="what to study")
]
SystemColumn = Annotated[
    Names | None,
    Option("column of systems; a comma list joins columns", metavar="COLUMN", group=_FILES, absent="by its name"),
]
InputColumn = Annotated[
    Names | None,
    Option(
        "column of inputs; a comma list joins columns, such as doc_id,turn; row takes each row for an input",
        metavar="COLUMN",
        group=_FILES,
        absent="by its name",
    ),
]
AnnotatorColumn = Annotated[
    Names | None, Option("column of annotators, or raters", metavar="COLUMN", group=_FILES, absent="by its name")
]
NoSystems = Annotated[bool, Option("the data have no systems, one row per input", group=_FILES, **FLAG)]
Ignore = Annotated[
    Names | None,
    Option("columns to leave out: names, globs or comma lists", metavar="COLUMNS", repeated=True, group=_FILES),
]
People = Annotated[
    Names | None,
    Option(
        "columns that are annotators of one human criterion, such as 'annotator_*' or quality=ann1,ann2",
        metavar="COLUMNS",
        repeated=True,
        group=_FILES,
    ),
]
ScaleOf = Annotated[
    "Mapping[str, str] | str | Iterable[str] | None",
    Option(
        "scale of a column: NAME=interval, ordinal:bad<ok<good, nominal or binary:fail<pass",
        metavar="NAME=SCALE",
        repeated=True,
        group=_FILES,
    ),
]
ClusterBy = Annotated[
    str | None,
    Option(
        "column that says which inputs belong together, such as the document; none if each is by itself",
        metavar="COLUMN",
        group=_FILES,
        absent="the documents, where a data set names them",
    ),
]
FamilyOf = Annotated[
    "str | Mapping[str, str] | Iterable[str] | None",
    Option(
        "families of systems: a column, or FAMILY=PATTERN[,PATTERN] such as openai=gpt-*,o3*",
        metavar="FAMILY",
        repeated=True,
        group=_FILES,
    ),
]
Select = Annotated[
    Names | None,
    Option(
        "take only systems=PATTERN, inputs=PATTERN or COLUMN=VALUE, such as category=faq; several must all hold",
        metavar="WHAT=WHICH",
        repeated=True,
        group=_TAKEN,
    ),
]
DropSystems = Annotated[
    Names | None,
    Option("systems to leave out: names, globs or comma lists", metavar="SYSTEMS", repeated=True, group=_TAKEN),
]
