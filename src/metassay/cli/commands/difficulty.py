"""``metassay difficulty``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"alpha": 0.05, "confidence": 0.95}
STATISTICS = ("alpha", "confidence")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "difficulty")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.difficulty import difficulty

    return run_study(arguments, difficulty, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Asks whether all inputs are equally hard, by each metric and each human criterion. Kruskal-Wallis answers for "
        "all inputs at once. Tukey's test on mean ranks says which inputs differ, and gives each an interval that "
        "does not overlap those of inputs it differs from. Where inputs differ, compare systems input by input "
        "(paired tests), not by two averages. Human-written references that were scored like systems stay in."
    ),
    examples=(
        "metassay difficulty scores.csv --human relevance",
        "metassay difficulty scores.csv --metric rouge-2 --view inputs --figure difficulty.pdf",
    ),
    options=_options,
    run=_run,
)
