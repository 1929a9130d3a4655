"""``metassay stability``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"draws": 1_000, "coefficient": "kendall", "seed": 0}
STATISTICS = ("sizes", "draws", "one-coefficient", "annotated", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "stability")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.stability import stability

    return run_study(arguments, stability, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Draws two samples of inputs, ranks the systems on each, and correlates the two rankings, many times and "
        "for growing samples: near 1 the ranking would come out the same on other inputs. Metrics and people "
        "are shown up to the number of inputs that each has."
    ),
    examples=(
        "metassay stability scores.csv --human relevance",
        "metassay stability scores.csv --human relevance --sizes 10,50,100 -o stability.csv",
    ),
    options=_options,
    run=_run,
)
