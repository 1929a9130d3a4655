"""``metassay precision``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {"confidence": 0.95, "resamples": 10_000, "seed": 0}
STATISTICS = ("annotated", "confidence", "resamples", "seed", "threads")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add_output(parser, "precision")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.precision import precision

    return run_study(arguments, precision, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Gives the mean score of each system a bootstrap interval over inputs, and its variance: once on the "
        "inputs that people judged, and once on all inputs that the metric has. Where people judged every "
        "input, --annotated takes some of them as the judged ones."
    ),
    examples=(
        "metassay precision scores.csv --human relevance --annotated 20",
        "metassay precision scores.csv --human relevance --metric rouge-1 --view systems",
    ),
    options=_options,
    run=_run,
)
