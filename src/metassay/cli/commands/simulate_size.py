"""``metassay simulate size``."""

from __future__ import annotations

import argparse

from metassay.cli import options
from metassay.cli.parser import Command, Parser
from metassay.cli.running import Output, placed, run_study
from metassay.errors import UsageError

DEFAULTS = {
    "coefficient": "pearson",
    "metric-tests": "all",
    "alpha": 0.05,
    "trials": 500,
    "resamples": 499,
    "seed": 0,
}
STATISTICS = ("coefficient", "metric-tests", "alpha", "trials", "resamples", "seed")


def _options(parser: Parser) -> None:
    options.add_files(parser)
    group = parser.add_argument_group("worlds")
    group.add_argument(
        "--world",
        action="append",
        metavar="NAME",
        help="a world of the grid; repeat it for more (default: all of them if no file is given, else none)",
    )
    options.add(parser, "statistics", STATISTICS, DEFAULTS)
    options.add(parser, "where it runs", options.PLACES)
    options.add_output(parser, "simulate-size")


def _run(arguments: argparse.Namespace) -> int:
    from metassay.cli.progress import progress
    from metassay.studies.size import simulate_size

    names = ("human", "metric", "references", "world", *STATISTICS, "threads")
    if arguments.files:
        return run_study(arguments, simulate_size, names)
    for name in ("human", "metric"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} has no meaning without a file; a grid of worlds is drawn")
    chosen = options.given(arguments, names)
    output = Output.of(arguments, "simulate-size")
    with progress(arguments.quiet), placed(arguments):
        result = simulate_size(**chosen)
    output.put(result)
    return 0


COMMAND = Command(
    about=(
        "Draws data sets in which two metrics are equally good, and counts how often each test tells them apart; it "
        "should be α. Without files it goes through a grid of worlds; with files it fits a world to every pair of "
        "metrics and every human criterion. It also draws worlds in which the first metric is better, for the power."
    ),
    examples=(
        "metassay simulate size",
        "metassay simulate size scores.csv --human relevance --metric 'rouge-1,bertscore'",
        "metassay simulate size --world 'equal: own liking 1' --test two-way,williams --trials 2000",
    ),
    options=_options,
    run=_run,
)
