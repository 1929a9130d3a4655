"""``metassay simulate coverage``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "level": "system,input",
    "coefficient": "pearson",
    "interval": "fisher,boot-systems,boot-inputs,boot-both",
    "confidence": 0.95,
    "trials": 1_000,
    "resamples": 1_000,
    "seed": 0,
}
STATISTICS = ("level", "coefficient", "intervals", "confidence", "trials", "resamples", "seed")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES)
    options.add_output(parser, "simulate-coverage")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.coverage import simulate_coverage

    return run_study(arguments, simulate_coverage, ("human", "metric", "references", *STATISTICS, "threads"))


COMMAND = Command(
    about=(
        "Splits systems and inputs into halves at random, makes confidence intervals from the first half, and counts "
        "how often they contain the correlation in the second. An interval that speaks for new data like these "
        "contains it as often as its confidence says."
    ),
    examples=(
        "metassay simulate coverage scores.csv --human relevance --metric rouge-1",
        "metassay simulate coverage scores.csv --human relevance --coefficient kendall --workers 2",
    ),
    options=_options,
    run=_run,
)
