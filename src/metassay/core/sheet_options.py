"""The options of the page on which people judge outputs."""

from __future__ import annotations

from typing import Annotated

from metassay.core import vocabulary as known
from metassay.core.option import COUNT, Names, among, at_least, under

_asked, _shown = under("what is asked"), under("what is shown")
ANSWERS = {"rate": "1,2,3,4,5", "label": "fail,pass", "prefer": "the left one,the right one,tie,both bad"}
"""What can be asked, and the answers unless others are given."""

Ask = Annotated[
    str | None,
    _asked(
        "what people do with the outputs: rate or label one, or prefer one of two",
        **among("WHAT", tuple(ANSWERS)),
        listed=False,
        absent="rate; prefer with --against",
    ),
]
Criterion = Annotated[str, _asked("criterion to judge; names the column of the answers")]
Answers = Annotated[
    str | None,
    _asked("answers to choose from, a comma list", metavar="LIST", absent="1,2,3,4,5; fail,pass for label"),
]
Title = Annotated[str | None, _asked("heading of the page", metavar="TEXT", absent="what is asked")]
Instructions = Annotated[str | None, _asked("instructions at the top of the page", metavar="TEXT")]
Tasks = Annotated[int, _shown("number of outputs or pairs", **COUNT)]
Choose = Annotated[
    str, _shown("how outputs are chosen: at random, or by the judges' scores", **among("HOW", known.LABEL_CHOICES))
]
Pairs = Annotated[
    str,
    _shown(
        "how pairs of systems are chosen: at random, or by small differences of a metric",
        **among("HOW", ("random", "close")),
    ),
]
Judges = Annotated[
    Names | None,
    _shown(
        "metrics or judges that decide which outputs are chosen", repeated=True, absent="every column that is not human"
    ),
]
Judged = Annotated[
    Names | None,
    _shown("columns with human judgments; outputs that have one are not shown again", repeated=True),
]
TextColumn = Annotated[str | None, _shown("column with the texts of outputs", metavar="COLUMN", absent="found by name")]
ContextColumn = Annotated[
    str | None, _shown("column with the source or question of the outputs", metavar="COLUMN", absent="found by name")
]
Seed = Annotated[int, _shown("random seed of the choice; every person also sees a different order", **at_least(0))]
