"""``metassay simulate``: a family of commands, one module each (``simulate_coverage.py`` and so on)."""

from __future__ import annotations

from metassay.cli.parser import Family

COMMAND = Family(
    about=(
        "Tells by simulation whether a method keeps its promises on data like yours: whether intervals contain what "
        "they should, and how often tests find a difference that is there, or one that is not."
    ),
    examples=(
        "metassay simulate coverage scores.csv --human relevance --metric rouge-1",
        "metassay simulate power scores.csv --human relevance --metric rouge-1 --noise 0.5,1,2",
        "metassay simulate size scores.csv --human relevance --metric 'rouge-1,bertscore'",
    ),
    parts={
        "coverage": "do intervals from half of the data contain the correlation of the other half?",
        "power": "how often does each test find that a damaged metric is worse?",
        "size": "how often does each test find a difference that is not there?",
    },
)
