"""The options of the page on which people judge outputs."""

from __future__ import annotations

from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import COUNT, Names, Option, among, at_least

_ASKED, _SHOWN = "what is asked", "what is shown"
ANSWERS = {"rate": "1,2,3,4,5", "label": "fail,pass", "prefer": "the left one,the right one,tie,both bad"}
"""What can be asked, and the answers unless others are given."""

Ask = Annotated[
    str | None,
    Option(
        "what people do with the outputs: rate or label one, or prefer one of two",
        group=_ASKED,
        **among("WHAT", tuple(ANSWERS)),
        listed=False,
        absent="rate; prefer with --against",
    ),
]
Criterion = Annotated[str, Option("what is judged; the column of the answers", group=_ASKED)]
Answers = Annotated[
    str | None,
    Option("what to choose from, a comma list", group=_ASKED, metavar="LIST", absent="1,2,3,4,5; fail,pass for label"),
]
Title = Annotated[str | None, Option("heading of the page", group=_ASKED, metavar="TEXT", absent="what is asked")]
Instructions = Annotated[str | None, Option("what people read first", group=_ASKED, metavar="TEXT")]
Tasks = Annotated[int, Option("number of outputs or pairs", group=_SHOWN, **COUNT)]
Choose = Annotated[
    str, Option("which outputs: by chance, or by what judges say", group=_SHOWN, **among("HOW", known.LABEL_CHOICES))
]
Pairs = Annotated[
    str, Option("which pairs of systems: any, or close by a metric", group=_SHOWN, **among("HOW", ("random", "close")))
]
Judges = Annotated[
    Names | None,
    Option(
        "metrics or judges that the choice looks at",
        group=_SHOWN,
        repeated=True,
        absent="every column that is not human",
    ),
]
Judged = Annotated[
    Names | None,
    Option("columns with human judgments; outputs that have one are not shown again", group=_SHOWN, repeated=True),
]
TextColumn = Annotated[
    str | None, Option("column with the texts of outputs", group=_SHOWN, metavar="COLUMN", absent="by its name")
]
ContextColumn = Annotated[
    str | None, Option("column with what they answer", group=_SHOWN, metavar="COLUMN", absent="by its name")
]
Seed = Annotated[
    int, Option("seed of the random choice; the order also differs from person to person", group=_SHOWN, **at_least(0))
]
