"""``metassay compare``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import run_study

DEFAULTS = {
    "level": "system,input",
    "coefficient": "kendall",
    "inputs": "all",
    "test": "two-way",
    "alternative": "greater",
    "alpha": 0.05,
    "correction": "bonferroni",
    "scope": "row",
    "p": "plus-one",
    "resamples": 9_999,
    "seed": 0,
}
STATISTICS = (
    "level",
    "coefficient",
    "inputs",
    "test",
    "alternative",
    "alpha",
    "correction",
    "scope",
    "p",
    "resamples",
    "seed",
    "threads",
)


def _options(parser: Parser) -> None:
    options.add_files(parser)
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES[1:])
    options.add_output(parser, "compare")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.studies.compare import compare

    return run_study(arguments, compare, ("human", "metric", "references", *STATISTICS))


COMMAND = Command(
    about=(
        "Tests for every ordered pair of metrics whether the first agrees better with people than the "
        "second, corrects for the number of tests, and sorts the metrics into ranks that the tests tell "
        "apart. Few metrics are shown as a list, many as a matrix of p-values: * significant, ** also after "
        "correction."
    ),
    examples=(
        "metassay compare scores.csv --human relevance",
        "metassay compare scores.csv --human relevance --level system --test williams --coefficient pearson",
        "metassay compare scores.csv --human relevance --correction holm --scope table -o tests.csv",
    ),
    options=_options,
    run=_run,
)
