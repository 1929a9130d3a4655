"""The options that say how files are read, and which part of them is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import FLAG, Names, studied, under

_reading = under("how to read the files")
_taken = under("which part of the data")


def _selected(what: str, value: Names) -> Names:
    """Return the value; what is no selection is refused before any file is read."""
    known.selections(what, value)
    return value


InputFormat = Annotated[
    str | None,
    _reading(
        "format of the files, such as tidy, wide or sacrerouge; an unknown name lists all",
        metavar="FORMAT",
        flag="input-format",
        absent="recognised by their content",
    ),
]
Language = Annotated[
    str | None,
    _reading(
        "language, or language pair such as en-de, if the data have several; leaderboard also accepts a comma list, "
        "or * for all",
        metavar="LANG",
    ),
]
LowerIsBetter = Annotated[str | Iterable[str], studied("columns in which lower scores are better", repeated=True)]
SystemColumn = Annotated[
    Names | None,
    _reading("column that names the system; a comma list joins columns", metavar="COLUMN", absent="found by name"),
]
InputColumn = Annotated[
    Names | None,
    _reading(
        "column that names the input; a comma list joins columns, such as doc_id,turn; row: every row is an input",
        metavar="COLUMN",
        absent="found by name",
    ),
]
AnnotatorColumn = Annotated[
    Names | None, _reading("column that names the annotator or rater", metavar="COLUMN", absent="found by name")
]
NoSystems = Annotated[bool, _reading("the data have no systems: one row per input", **FLAG)]
Ignore = Annotated[
    Names | None,
    _reading("columns to leave out: names, globs or comma lists", metavar="COLUMNS", repeated=True),
]
People = Annotated[
    Names | None,
    _reading(
        "columns that are annotators of one human criterion, such as 'annotator_*' or quality=ann1,ann2",
        metavar="COLUMNS",
        repeated=True,
    ),
]
ScaleOf = Annotated[
    "Mapping[str, str] | str | Iterable[str] | None",
    _reading(
        "scale of a column: NAME=interval, ordinal:bad<ok<good, nominal or binary:fail<pass",
        metavar="NAME=SCALE",
        repeated=True,
    ),
]
ClusterBy = Annotated[
    str | None,
    _reading(
        "column that groups inputs, such as the document; none: inputs are independent",
        metavar="COLUMN",
        absent="the document, if the data set names it",
    ),
]
FamilyOf = Annotated[
    "str | Mapping[str, str] | Iterable[str] | None",
    _reading(
        "families of systems: a column, or FAMILY=PATTERN[,PATTERN] such as openai=gpt-*,o3*",
        metavar="FAMILY",
        repeated=True,
    ),
]
Select = Annotated[
    Names | None,
    _taken(
        "use only systems=PATTERN, inputs=PATTERN or COLUMN=VALUE, such as category=faq; if repeated, all conditions "
        "must hold",
        _selected,
        metavar="WHAT=WHICH",
        repeated=True,
    ),
]
DropSystems = Annotated[
    Names | None,
    _taken("systems to leave out: names, globs or comma lists", metavar="SYSTEMS", repeated=True),
]
